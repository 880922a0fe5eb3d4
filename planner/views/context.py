"""What every page knows: the theme its reader chose."""

from django.utils.translation import gettext as _

THEMES = ("", "light", "dark")  # "" follows the system


def page(request):
    chosen = request.COOKIES.get("theme", "")
    theme = chosen if chosen in THEMES else ""
    return {
        "theme": theme,
        "next_theme": THEMES[(THEMES.index(theme) + 1) % len(THEMES)],
        "theme_label": _("Change theme: system, light, dark"),
    }
