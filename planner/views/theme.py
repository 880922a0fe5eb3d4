from django.http import HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from planner.views.context import THEMES

YEAR = 365 * 24 * 3600


@require_POST
def theme(request):
    """Remember light, dark or the system's choice in a cookie."""
    target = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()):
        target = "/"
    response = HttpResponseRedirect(target)
    wanted = request.POST.get("theme", "")
    response.set_cookie("theme", wanted if wanted in THEMES else "", max_age=YEAR, samesite="Lax")
    return response
