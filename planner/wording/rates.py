"""Words for the periods of a tariff."""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

RATE_NAMES = {
    "base": _("other hours"),
    "critical_peak": _("critical peak"),
    "peak": _("peak"),
    "flat": _("flat"),
    "valley": _("valley"),
    "deep_valley": _("deep valley"),
    "off_peak": _("off-peak"),
}


def rate_name(code: str) -> str:
    """A period of a tariff in words; "peak:7-9" is told apart by its months. Names of a contract stay as typed."""
    name, _colon, months = code.partition(":")
    words = str(RATE_NAMES.get(name, name))
    return gettext("{period}, months {months}").format(period=words, months=months) if months else words
