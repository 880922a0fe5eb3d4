"""A month's electricity bill, position by position: quantity × price of today."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.engine.calendar import Array, Calendar
from planner.engine.energy.rates import Rates, rates_of, told_apart, window_of
from planner.engine.energy.terms import Period, TariffTerms


@dataclass(frozen=True)
class Charge:
    """One position of the bill of every month.

    kind     : energy · tier · demand · capacity · fixed.
    quantity : (S, M). [kWh], [kW] or [month]
    price    : of today. [money per that]
    """

    kind: str
    name: str
    quantity: Array
    price: float

    @property
    def amount(self) -> Array:
        """(S, M) [money]"""
        return np.asarray(self.quantity * self.price)


def billed_kw(peak_kw: Array, share: float, months: int) -> Array:
    """Demand that is billed, (S, M): the month's peak, at least `share` of the highest of the `months` before. [kW]"""
    billed = np.array(peak_kw, dtype=float)
    for back in range(1, min(months, peak_kw.shape[-1] - 1) + 1) if share else ():
        billed[..., back:] = np.maximum(billed[..., back:], share * peak_kw[..., :-back])
    return billed


def charges(
    terms: TariffTerms,
    base_price: float,
    zone: str | None,
    calendar: Calendar,
    mean_kw: Array,
    peak_kw: Array,
    periods: tuple[Period, ...] | None = None,
) -> list[Charge]:
    """The bill of each month.

    base_price : of hours that no period names, and what multiples multiply. [money/kWh]
    mean_kw, peak_kw : (S, M), mean and highest draw at the meter; the mean never drives a demand charge. [kW]
    periods    : in place of the terms' own, those of a schedule.
    """
    rates = rates_in(terms, zone, calendar, periods)
    found = [
        Charge("energy", rate.name, mean_kw * hours, rate.price(base_price))
        for rate, hours in zip(rates.rates, rates.hours, strict=True)
    ]
    kwh = mean_kw * rates.month_hours
    ends = [*(tier.from_kwh for tier in terms.tiers), np.inf][1:]
    for tier, end in zip(terms.tiers, ends, strict=True):
        quantity = np.clip(np.minimum(kwh, end) - tier.from_kwh, 0.0, None)
        found.append(Charge("tier", f"{tier.from_kwh:g}", quantity, tier.adds_per_kwh))
    return [charge for charge in [*found, *_standing(terms, zone, calendar, peak_kw)] if charge.quantity.any()]


def rates_in(
    terms: TariffTerms, zone: str | None, calendar: Calendar, periods: tuple[Period, ...] | None = None
) -> Rates:
    """The prices of a tariff and the hours in which they hold; `periods` in place of the terms' own."""
    rows = terms.periods if periods is None else periods
    return rates_of(rows, terms.load_profile, zone, calendar.start, calendar.months)


def _standing(terms: TariffTerms, zone: str | None, calendar: Calendar, peak_kw: Array) -> list[Charge]:
    """Charges that do not go by energy; they are owed only in months in which something is connected."""
    connected = np.where(peak_kw > 0, 1.0, 0.0)
    found = []
    for name, row in zip(told_apart(terms.demand), terms.demand, strict=True):
        window = window_of(row, terms.load_profile, zone, calendar.start, calendar.months)
        peaks = peak_kw * terms.peak_share * window
        billed = billed_kw(peaks, terms.ratchet_share, terms.ratchet_months) * np.where(window > 0, connected, 0.0)
        found.append(Charge("demand", name, billed, row.price_per_kw))
    if terms.capacity_kw:
        found.append(Charge("capacity", "", terms.capacity_kw * connected, terms.capacity_price_per_kw))
    if terms.fixed_per_month:
        found.append(Charge("fixed", "", connected, terms.fixed_per_month))
    return found
