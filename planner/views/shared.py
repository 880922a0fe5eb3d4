"""What a share link opens. Nobody is signed in here; a link that opens nothing always answers the same."""

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from planner.services import reports, sharing, throttle
from planner.views import paper

COOKIE = "visit"


@csrf_exempt  # whoever can send this knows the token, and changes nothing but the count of views
@sensitive_post_parameters("passphrase")
@require_http_methods(["GET", "HEAD", "POST"])
def page(request, token):
    link = sharing.find(token)
    if link is None:
        return nothing(request)
    language = paper.language_of(request, link.language)
    if link.guarded and not _visiting(request, link):
        if link.spent:
            return nothing(request)
        with translation.override(language):
            return _enter(request, token, link) if request.method == "POST" else _door(link)
    if request.method == "POST":  # the button pressed twice
        return _in(request, token)
    if not link.guarded and request.method == "GET" and not sharing.take_view(link):
        return nothing(request)
    return paper.answer(paper.page(link.report, language, prices=not link.hides_prices), language)


@csrf_exempt
@require_safe
def figures(request, token):
    link = sharing.find(token)
    if link is None or (link.guarded and not _visiting(request, link)):
        return nothing(request)
    return paper.json_answer(reports.figures(link.report, prices=not link.hides_prices))


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def nothing(request, **_anything):
    """Unknown, expired, spent, revoked: one answer."""
    language = paper.language_of(request)
    with translation.override(language):
        return paper.answer(render_to_string("planner/gone.html", {"language": language}), language, status=404)


# ── A guarded link ───────────────────────────────────────────────────────────────────────────────────────────────────


def _visiting(request, link):
    return sharing.visiting(link, request.COOKIES.get(COOKIE, ""))


def _door(link, problem="", status=200):
    """Asks for the passphrase, or whether to take a view; tells nothing of what lies behind."""
    language = translation.get_language()
    left = None if link.passphrase or link.max_views is None else link.max_views - link.opened
    context = {
        "asks": bool(link.passphrase),
        "left": left,
        "problem": problem,
        "language": language,
        "languages": reports.LANGUAGES.items(),
    }
    return paper.answer(render_to_string("planner/door.html", context), language, status=status)


def _enter(request, token, link):
    """Let a reader in who knows the passphrase and gets one of the views left."""
    if link.passphrase:
        guesses = (f"link-{link.pk}", throttle.client_of(request))
        if wait := throttle.admit(*guesses):
            answer = _door(link, _too_early(wait), status=429)
            answer.headers["Retry-After"] = str(wait)
            return answer
        if not sharing.knows(link, request.POST.get("passphrase", "")):
            return _door(link, _("That is not the passphrase."), status=403)
        throttle.succeeded(*guesses)
    if not sharing.take_view(link):
        return nothing(request)
    answer = _in(request, token)
    answer.set_cookie(
        COOKIE,
        sharing.visit(link),
        max_age=sharing.VISIT,
        path=reverse("planner:shared", args=[token]).rstrip("/"),
        secure=settings.PRODUCTION,
        httponly=True,
        samesite="Strict",
    )
    return answer


def _too_early(seconds):
    minutes = -(-seconds // 60)
    if minutes > 1:
        return ngettext(
            "Too many wrong attempts: wait {count} minute, then try again.",
            "Too many wrong attempts: wait {count} minutes, then try again.",
            minutes,
        ).format(count=minutes)
    return ngettext(
        "Too many wrong attempts: wait {count} second, then try again.",
        "Too many wrong attempts: wait {count} seconds, then try again.",
        seconds,
    ).format(count=seconds)


def _in(request, token):
    """To the page itself, by an address that a refresh may ask for again."""
    asked = request.GET.get("lang", "")
    query = f"?lang={asked}" if asked in reports.LANGUAGES else ""
    return paper.answer("", status=303, location=reverse("planner:shared", args=[token]) + query)
