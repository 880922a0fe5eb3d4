"""Discount rates to choose from, beside the field: whose rate each is, who says so, and what it is with inflation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.utils.translation import gettext as _

from catalog.discount_rates import DiscountRate, discount_rates
from planner import wording
from planner.engine.inputs import Scenario
from planner.engine.prices import Basis, Source
from planner.forms.typed import write_number

PATH = "finance/discount_rate"


@dataclass(frozen=True)
class Preset:
    """A rate with all whose rate it is.

    text : to be typed into the field.   words : for the choice.
    """

    text: str
    words: str
    chosen: bool
    rates: tuple[DiscountRate, ...]

    @property
    def source(self) -> Source:
        """Of the first of them."""
        first = self.rates[0]
        return Source(basis=cast(Basis, first.status), dated=first.dated, url=first.source_url)

    @property
    def names(self) -> str:
        """Whose rate it is and since when, in words."""
        return _("; ").join(
            _("{name}, {date}").format(name=wording.discount_rate(each.slug), date=wording.date(each.dated))
            for each in self.rates
        )

    @property
    def note(self) -> str:
        """Names and, for who reads the language they are written in, the notes of the catalog."""
        notes = () if wording.chinese() else tuple(each.note for each in self.rates)
        return " · ".join((self.names, *notes))


def presets(scenario: Scenario) -> list[Preset]:
    """The rates in the order of the catalog; equal ones are one choice."""
    inflation = scenario.finance.inflation_per_year
    groups: dict[float, list[DiscountRate]] = {}
    for each in discount_rates():
        groups.setdefault(each.nominal(inflation), []).append(each)
    return [
        Preset(
            write_number(rate, True),
            _("; ").join(_words(each, inflation) for each in found),
            rate == scenario.finance.discount_rate,
            tuple(found),
        )
        for rate, found in groups.items()
    ]


def chosen(scenario: Scenario) -> Preset | None:
    """The one that is the scenario's rate; None where that is another."""
    return next((each for each in presets(scenario) if each.chosen), None)


def _words(each: DiscountRate, inflation: float) -> str:
    name = wording.discount_rate(each.slug)
    if not each.real:
        return _("{rate}: {name}").format(name=name, rate=wording.percent(each.rate))
    return _("{nominal}: {name}, {rate} real").format(
        name=name, rate=wording.percent(each.rate), nominal=wording.percent(each.nominal(inflation))
    )
