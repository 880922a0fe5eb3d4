from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.http import HttpResponse
from django.urls import include, path

from planner.views import sign_in


def healthz(request):
    """Answers as soon as the program can serve."""
    return HttpResponse("ok", content_type="text/plain")


urlpatterns = [
    path("healthz", healthz),
    path("admin/login/", sign_in.admin_sign_in),  # before the administration's own, which nothing throttles
    path("admin/", admin.site.urls),
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-in/code/", sign_in.spend_code, name="sign-in-code"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("catalog/", include("catalog.urls")),
    path("", include("planner.urls")),
]
