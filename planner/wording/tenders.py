"""Words for tenders: their assumptions, and what the rules are called."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.wording.numbers import date, money

# class and field → (label, help, what holds while it is empty)
FIELDS: dict[str, tuple[Any, ...]] = {
    "Scenario.procurement": (_("Tenders"), _("From which sum orders go out to tender, and how long that takes.")),
    "Procurement.counted": (
        _("Count tenders"),
        _("Whether orders at or above a threshold go out to tender, so that they are placed earlier or come later."),
    ),
    "Procurement.rules": (
        _("Rules"),
        _("Whose threshold and weeks hold: those of the buyer in the country of the operations, or others by name."),
    ),
    "Procurement.threshold": (
        _("Threshold of a tender"),
        _(
            "Sum of machines, spares and network from which on orders go out to tender, without recoverable tax. One "
            "in "
            "another currency is converted at the exchange rate of the pricing date."
        ),
        _("the rules' threshold; a company has none"),
    ),
    "Procurement.tender_weeks": (
        _("Weeks of a tender"),
        _("From notice to contract; they come before the lead time of delivery."),
        _("the rules' weeks"),
    ),
    "Procurement.weeks_below": (
        _("Weeks below the threshold"),
        _("For quotations and approval of smaller orders; they come before the lead time of delivery too."),
    ),
    "Procurement.together": (
        _("Held against the threshold"),
        _("All orders of a budget year together, so that splitting them evades nothing, or the orders of each month."),
    ),
}

RULES = {
    "cn": _("China, public buyers"),
    "eu_central": _("EU, central government"),
    "eu_other": _("EU, other authorities and universities"),
    "uk_central": _("UK, central government"),
    "uk_other": _("UK, other authorities and universities"),
    "us_federal": _("US, federal money"),
    "in": _("India, General Financial Rules"),
    "company": _("a company's own"),
}
CHOICES: dict[tuple[str, Any], Any] = {
    ("rules", "by_buyer"): _("by buyer and country"),
    **{("rules", code): words for code, words in RULES.items()},
    ("together", "budget_year"): _("the budget year's orders together"),
    ("together", "order"): _("each month's orders"),
}

FINDINGS: dict[str, tuple[Any, Any, str]] = {
    "tender": (
        _(
            "Orders of the budget year {year} come to {amount}, at or above the threshold of {threshold}{quoted} "
            "({rules}): the tender adds {weeks}. Begin it by {order_by}."
        ),
        _("tender of {weeks}: begin by {order_by}"),
        "warn",
    ),
    "tender_order": (
        _(
            "Orders of {month} come to {amount}, at or above the threshold of {threshold}{quoted} ({rules}): the "
            "tender "
            "adds {weeks}. Begin it by {order_by}."
        ),
        _("tender of {weeks}: begin by {order_by}"),
        "warn",
    ),
    "tender_together": (
        _(
            "No month's orders of the budget year {year} reach the threshold of {threshold}{quoted} ({rules}), but "
            "they "
            "count together and come to {amount}: the tender adds {weeks} to each. Begin the first by {order_by}."
        ),
        _("tender for the year's orders together, {weeks}: begin by {order_by}"),
        "warn",
    ),
    "tender_swings": (
        _(
            "Whether orders of the budget year {year} reach the threshold of {threshold}{quoted} ({rules}) depends "
            "on the "
            "months into which a tender moves them; as planned they come to {amount}. They are planned with a tender, "
            "which adds {weeks}. Begin it by {order_by}."
        ),
        _("near the threshold of a tender: begin by {order_by}"),
        "warn",
    ),
}


def rules(code: str) -> str:
    """Whose rules hold, in a sentence."""
    return gettext("your own threshold") if code == "own" else str(RULES.get(code, code))


def quoted(facts: dict[str, Any]) -> str:
    """The threshold in its own currency and the day of the rate, in brackets; "" where it is the scenario's."""
    if facts.get("quoted") is None:
        return ""
    return gettext(" ({amount} at the exchange rate of {date})").format(
        amount=money(facts["quoted"], facts["quoted_currency"]), date=date(facts["rate_dated"])
    )
