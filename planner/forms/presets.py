"""Discount rates to choose from, beside the field: whose rate it is, who says so, and what it is in nominal terms."""

from __future__ import annotations

from typing import cast

from django.utils.translation import gettext as _

from catalog.discount_rates import DiscountRate, discount_rates
from planner import wording
from planner.engine.inputs import Scenario
from planner.engine.prices import Basis, Source
from planner.forms.typed import write_number

PATH = "finance/discount_rate"


def presets(scenario: Scenario) -> list[tuple[str, str]]:
    """(text to be typed, words) of each rate; the first stands for a rate of one's own."""
    inflation = scenario.finance.inflation_per_year
    options = [(write_number(each.nominal(inflation), True), _words(each, inflation)) for each in discount_rates()]
    return [("", _("a usual rate …")), *options]


def chosen(scenario: Scenario) -> DiscountRate | None:
    """The first of the rates that is the scenario's; None where it is another."""
    finance = scenario.finance
    rates = (each for each in discount_rates() if each.nominal(finance.inflation_per_year) == finance.discount_rate)
    return next(rates, None)


def source(found: DiscountRate) -> Source:
    return Source(basis=cast(Basis, found.status), dated=found.dated, url=found.source_url, note=found.note)


def note(found: DiscountRate) -> str:
    """Whose rate it is and since when, in words."""
    return _("{name}, {date}").format(name=wording.discount_rate(found.slug), date=wording.date(found.dated))


def _words(each: DiscountRate, inflation: float) -> str:
    name = wording.discount_rate(each.slug)
    if not each.real:
        return _("{name}: {rate}").format(name=name, rate=wording.percent(each.rate))
    return _("{name}: {rate} real, {nominal} with inflation").format(
        name=name, rate=wording.percent(each.rate), nominal=wording.percent(each.nominal(inflation))
    )
