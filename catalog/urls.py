from django.urls import path

from catalog import import_views, views

app_name = "catalog"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("import/", import_views.start, name="import"),
    path("import/file/<str:token>/", import_views.file, name="import_file"),
    path("import/<str:token>/", import_views.page, name="import_job"),
    path("import/<str:token>/details/", import_views.details, name="import_details"),
    path("import/<str:token>/progress/", import_views.progress, name="import_progress"),
    path("import/<str:token>/confirm/", import_views.confirm, name="import_confirm"),
    path("import/<str:token>/cancel/", import_views.cancel, name="import_cancel"),
    path("<slug:path>/", views.item_list, name="list"),
    path("<slug:path>.csv", views.item_csv, name="csv"),
    path("<slug:path>/<str:slug>/", views.item_detail, name="detail"),
]
