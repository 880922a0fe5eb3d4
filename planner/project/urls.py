from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpResponse
from django.urls import include, path


def healthz(request):
    """Answers as soon as the program can serve."""
    return HttpResponse("ok", content_type="text/plain")


urlpatterns = [
    path("healthz", healthz),
    path("admin/", admin.site.urls),
    path("sign-in/", LoginView.as_view(template_name="planner/sign_in.html"), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("catalog/", include("catalog.urls")),
    path("", include("planner.urls")),
]
