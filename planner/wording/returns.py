"""What an outlay earns, and when it is paid back, in words."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext

from planner.engine.finance import Irr
from planner.wording.numbers import number, percent


def earned(found: Irr) -> str:
    """The yearly rate; where there are several, all of them, since none of them is the answer."""
    if found.state == "none":
        return gettext("no rate")
    rates = gettext(", ").join(percent(rate) for rate in found.annual())
    return rates if found.state == "one" else gettext("multiple: {rates}").format(rates=rates)


def payback(months: float | None) -> str:
    """ "28.4 months", "at once", "never paid back"."""
    if months is None:
        return gettext("never paid back")
    if months == 0.0:
        return gettext("at once")
    return ngettext("{count} month", "{count} months", round(months)).format(count=number(months, 1))
