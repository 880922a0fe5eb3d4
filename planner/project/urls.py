from django.contrib import admin
from django.http import HttpResponse
from django.urls import include, path


def healthz(request):
    """Answers as soon as the program can serve."""
    return HttpResponse("ok", content_type="text/plain")


urlpatterns = [
    path("healthz", healthz),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("catalog/", include("catalog.urls")),
    path("", include("planner.urls")),
]
