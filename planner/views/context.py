"""What every page knows: the theme its reader chose, and the address to come back to."""

from urllib.parse import urlsplit

from django.utils.translation import gettext as _

THEMES = ("", "light", "dark")  # "" follows the system


def page(request):
    chosen = request.COOKIES.get("theme", "")
    theme = chosen if chosen in THEMES else ""
    return {
        "theme": theme,
        "next_theme": THEMES[(THEMES.index(theme) + 1) % len(THEMES)],
        "theme_label": _("Change theme: system, light, dark"),
        "here": _here(request),
    }


def _here(request):
    """Where a change of language or theme leads back to: this page, unless a form led to it; then that of the form.

    A view whose page comes of a form names an address itself, since its form may stand on another such page.
    """
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    try:
        came = urlsplit(request.headers.get("Referer", ""))
    except ValueError:
        return "/"
    if not came.path or came.netloc != request.headers.get("Host"):
        return "/"
    return came._replace(scheme="", netloc="", fragment="").geturl()
