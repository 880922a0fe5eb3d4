"""The ways in: a password on a server, a single-use code on one's own computer."""

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.views import LoginView, redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from planner.services import accounts, codes, throttle

MARKED_FOR = 365 * 24 * 3600  # [s]
#: Nobody finds a code of 128 bits by trying, so a right one is let in at any time: only who sends wrong ones is slowed,
#: and cannot shut the owner out by that.
CODES = throttle.Rule(free=5, longest=60)


def sign_in(request):
    return (ask_for_code if settings.EMBEDDED else ask_for_password)(request)


class AskForPassword(LoginView):
    template_name = "planner/sign_in.html"

    def post(self, request, *args, **kwargs):
        if wait := accounts.admit_password(*self.guesser()):
            # Without what was sent: a form that holds a password tries it as soon as it is asked for its errors.
            unbound = self.get_form_class()(initial={"username": self.guesser()[0]})
            return _too_early(self.render_to_response(self.get_context_data(form=unbound, wait=wait)), wait)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form):
        guesser = self.guesser()
        accounts.password_was_right(*guesser)
        accounts.signed_in(form.get_user())
        response = super().form_valid(form)
        response.set_cookie(
            settings.KNOWN_COOKIE_NAME,
            accounts.mark_of(guesser[0]),
            max_age=MARKED_FOR,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
        return response

    def guesser(self):
        """(user name as the form reads it, client, mark of the browser)."""
        username = UsernameField().to_python(self.request.POST.get("username", ""))
        return username, throttle.client_of(self.request), self.request.COOKIES.get(settings.KNOWN_COOKIE_NAME, "")


ask_for_password = AskForPassword.as_view()


@never_cache
@require_safe
def ask_for_code(request):
    return _code_page(request)


# Without Django's check of forms: the file that sends the code belongs to no site (its Origin is "null") and has no
# cookie of ours. The code is the secret here; who does not know one can sign in nobody.
@csrf_exempt
@never_cache
@sensitive_post_parameters("code")
def spend_code(request):
    """Exchange a code for a session."""
    if not settings.EMBEDDED:
        raise Http404
    if request.method != "POST":  # as after a change of the language on the page that refused a code
        return redirect("sign-in")
    owner = codes.spend(request.POST.get("code", ""))
    if owner is None:
        if wait := throttle.admit("code", throttle.client_of(request), CODES):
            return _too_early(_code_page(request, wait=wait), wait)
        return _code_page(request, wrong=True, status=403)
    login(request, owner)
    wanted = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
    return HttpResponse(status=303, headers={"Location": wanted if safe else reverse("planner:home")})


def admin_sign_in(request):
    """The administration has no sign-in of its own."""
    if request.user.is_authenticated and not request.user.is_staff:
        raise PermissionDenied(_("Your account may not use the administration."))
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


def _code_page(request, *, wrong=False, wait=0, status=200):
    wanted = request.POST.get("next") or request.GET.get("next", "")
    return render(request, "planner/sign_in_code.html", {"next": wanted, "wrong": wrong, "wait": wait}, status=status)


def _too_early(response, wait):
    response.status_code = 429
    response.headers["Retry-After"] = str(wait)
    return response
