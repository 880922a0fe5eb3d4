from django.urls import path

from planner.views.theme import theme

app_name = "planner"
urlpatterns = [path("theme/", theme, name="theme")]
