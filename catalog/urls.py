from django.urls import path

from catalog import views

app_name = "catalog"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("<slug:path>/", views.item_list, name="list"),
    path("<slug:path>.csv", views.item_csv, name="csv"),
    path("<slug:path>/<str:slug>/", views.item_detail, name="detail"),
]
