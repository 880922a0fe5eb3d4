from django.urls import path

from planner.views import home, purchasing, why, workspace
from planner.views.theme import theme

app_name = "planner"
urlpatterns = [
    path("", home.home, name="home"),
    path("new/", home.create, name="create"),
    path("theme/", theme, name="theme"),
    path("s/<int:pk>/", workspace.workspace, name="workspace"),
    path("s/<int:pk>/edit/", workspace.edit, name="edit"),
    path("s/<int:pk>/undo/", workspace.undo, name="undo"),
    path("s/<int:pk>/redo/", workspace.redo, name="redo"),
    path("s/<int:pk>/plans/", workspace.plans, name="plans"),
    path("s/<int:pk>/copy/", home.copy, name="copy"),
    path("s/<int:pk>/delete/", home.delete, name="delete"),
    path("s/<int:pk>/chart/<slug:code>/", workspace.chart, name="chart"),
    path("s/<int:pk>/chart/<slug:code>.csv", workspace.chart_csv, name="chart_csv"),
    path("s/<int:pk>/purchasing/", purchasing.purchasing, name="purchasing"),
    path("s/<int:pk>/purchasing/orders.csv", purchasing.orders_csv, name="orders_csv"),
    path("s/<int:pk>/purchasing/orders.zip", purchasing.orders_zip, name="orders_zip"),
    path("s/<int:pk>/why/<str:plan>/<str:kpi>/", why.why, name="why"),
]
