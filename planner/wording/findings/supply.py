"""What cannot be bought as planned, is unknown, or has to be ordered: code → (sentence, a few words for a chip, tone).

Placeholders are filled by `sentences`.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

SUPPLY: dict[str, tuple[Any, Any, str]] = {
    "money_budget": (
        _(
            "In fiscal year {fiscal_year} it spends {spent} ({covers}), and the budget is {allowed}; it is passed in "
            "{month}. The budget is a wish, so the plan is ranked after those that keep it."
        ),
        _("over the budget of {fiscal_year}: {spent} of {allowed}"),
        "warn",
    ),
    "money_budget_hard": (
        _(
            "In fiscal year {fiscal_year} it spends {spent} ({covers}), and the budget is {allowed}; it is passed in "
            "{month}."
        ),
        _("over the budget of {fiscal_year}: {spent} of {allowed}"),
        "bad",
    ),
    "next_order_due_at_start": (
        _(
            "Growth makes the next order due in the first month, {lead} before it is needed: a "
            "larger start may be better."
        ),
        _("next order due at the start"),
        "warn",
    ),
    "second_hand": (
        _(
            "{item} is bought {condition}, {age} old: it serves {service} more, its seller repairs it for {warranty}, "
            "and a sale brings what one of its age brings."
        ),
        _("bought {condition}: {item}"),
        "neutral",
    ),
    "order_by_past": (
        _("To be in service at the start, {item} had to be ordered by {order_by}; that day has passed."),
        _("order-by date {order_by} has passed"),
        "warn",
    ),
    "stale_price": (
        _("The price of {item} is of {dated}, older than the limit; it is taken unchanged to the start."),
        _("stale price: {item}"),
        "warn",
    ),
    "schedule_elsewhere": (
        _(
            "The hours of the tariff at {site} are those of {region}, while the site lies in {here} and its clock is "
            "that of {zone}: hours and prices may not be those of its bill."
        ),
        _("tariff hours of another region: {region}"),
        "warn",
    ),
    "network_paid_twice": (
        _(
            "The tariff {schedule} at {site} adds network charges to the price of the energy, but the catalog's price "
            "is an average that holds them already: enter what the energy alone costs."
        ),
        _("network charges counted twice"),
        "warn",
    ),
    "export_licence": (
        _(
            "{item} may be sold into this country ({country}) only with an export licence, by the rule in force since "
            "{dated}."
        ),
        _("export licence needed"),
        "warn",
    ),
    "export_prohibited": (
        _(
            "{item} may in effect not be sold into this country ({country}): licences are refused as a rule since "
            "{dated}."
        ),
        _("export not allowed"),
        "bad",
    ),
    "no_quote_in_condition": (
        _(
            "{item} has no quote as {condition}, so this plan has no total. Under “Condition”, enter which share of "
            "the new price it costs."
        ),
        _("no quote for {item}, {condition}"),
        "bad",
    ),
    "no_quote": (_("{item} has no quote, so this plan has no total."), _("no quote: {item}"), "bad"),
    "no_rate": (
        _("The rate of {item} for this work is unknown, so this plan cannot be sized."),
        _("rate unknown: {item}"),
        "bad",
    ),
    "not_in_catalog": (_("{item} is not in the catalog."), _("not in the catalog: {item}"), "bad"),
    "no_fabric_ports": (
        _("{item} has no ports for a fabric, so its servers cannot share one job."),
        _("no fabric ports"),
        "bad",
    ),
    "unknown_power": (
        _("How much power {item} draws is unknown, so this plan cannot be fitted into a room."),
        _("power unknown: {item}"),
        "bad",
    ),
    "power_not_rising": (
        _(
            "The power figures of {item} contradict each other: it would draw more when idle than when busy, or more "
            "when busy than at most. Correct them in the catalog."
        ),
        _("power figures of {item} contradict each other"),
        "bad",
    ),
    "out_of_bounds": (
        _("A fleet of this size cannot be built ({item}), so this plan has no total."),
        _("cannot be built: {item}"),
        "bad",
    ),
    "missing_rate": (
        _("A price is in {item}, and no exchange rate on or before the pricing date is known."),
        _("exchange rate missing: {item}"),
        "bad",
    ),
    "no_offer": (
        _(
            "No comparable cloud offer for {item} from a {class} is dated within {days} of the pricing "
            "date; choose another pricing date, enter your own price or pin an offer."
        ),
        _("no comparable cloud offer: {item}"),
        "bad",
    ),
}
