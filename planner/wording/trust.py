"""Words for what a present value rests on."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.wording.numbers import date, percent

# part → (its name, who stands behind it, its mark: that of the badges).
TRUST: dict[str, tuple[Any, Any, str]] = {
    "quoted": (_("valid quotes"), _("A supplier has offered this price and is bound by it on {day}."), "✓"),
    "expired": (_("expired quotes"), _("A supplier offered this price, and nobody is bound by it any more."), "◷"),
    "market": (_("list and market prices"), _("Published by sellers, authorities or observers; no offer to you."), "≈"),
    "estimate": (_("estimates"), _("Worked out or assumed from what is known of the like."), "~"),
    "own": (
        _("yours"),
        _("Figures of this scenario itself, entered or kept from its template: on your own word."),
        "✎",
    ),
}


def trust_title() -> str:
    return gettext("What the present value rests on")


def trust_name(part: str) -> str:
    return str(TRUST[part][0])


def trust_help(part: str, day: dt.date) -> str:
    """Who stands behind such a price."""
    return str(TRUST[part][1]).format(day=date(day))


def trust_mark(part: str) -> str:
    return TRUST[part][2]


def trust_percent(whole: int) -> str:
    """A share in whole per cents; one that rounds to nothing is there all the same."""
    return percent(whole / 100.0) if whole else f"<\u00a0{percent(0.01)}"


def trust_note() -> str:
    """How the shares are counted."""
    return gettext("Each line counts by the source of its price; credits count at their size, like costs.")


def trust_update() -> str:
    return gettext("Every quote behind it has ended: ask for new ones before you rely on it.")
