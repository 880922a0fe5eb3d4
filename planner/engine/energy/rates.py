"""Which price holds when: a tariff's periods laid over the hours that the months of a scenario really have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from planner.engine.calendar import Array, Calendar, calendar_for
from planner.engine.energy.clock import local_hours
from planner.engine.energy.terms import DemandCharge, Period, months_of, slots_of

BASE = "base"  # hours that no period names


@dataclass(frozen=True)
class Rate:
    """One price of a tariff: so much a kilowatt-hour, so many times the base price, or so much more than it."""

    name: str
    price_per_kwh: float | None
    times: float | None
    adds_per_kwh: float | None = None

    def price(self, base: float) -> float:
        """[money/kWh]"""
        if self.price_per_kwh is not None:
            return self.price_per_kwh
        return base + self.adds_per_kwh if self.adds_per_kwh is not None else base * (self.times or 0.0)


@dataclass(frozen=True)
class Rates:
    """The prices of a tariff, and the hours of each month in which each holds.

    hours : (P, M), hours at the month's mean load: with a load profile, those of a busy time count for more. [h]
    """

    rates: tuple[Rate, ...]
    hours: Array

    @property
    def month_hours(self) -> Array:
        """(M,): hours of each month by the site's clock: 743 in a March of 31 days that loses one. [h]"""
        return np.asarray(self.hours.sum(axis=0))


def _kinds(days: str) -> list[int]:
    return {"all": [0, 1], "weekdays": [0], "weekends": [1]}[days]


def _mark(grid: Array, row: Period | DemandCharge, value: float) -> None:
    """Write a value into a (12, 2, 48) grid of months, kinds of day and half-hours wherever a row holds."""
    months = [month - 1 for month in sorted(months_of(row.months))]
    grid[np.ix_(months, _kinds(row.days), sorted(slots_of(row.hours)))] = value


@lru_cache(maxsize=512)
def rates_of(
    periods: tuple[Period, ...], profile: tuple[float, ...], zone: str | None, start: str, months: int
) -> Rates:
    """The prices and hours of a tariff; a later period replaces an earlier one where both hold.

    zone : of the site; None only where neither periods nor a profile ask for the clock.
    """
    calendar = calendar_for(start, months)
    base = Rate(BASE, None, 1.0)
    if not periods and not profile:
        return Rates((base,), calendar.hours[None, :])
    assert zone is not None
    named = [Rate(name, *_price(row)) for name, row in zip(told_apart(periods), periods, strict=True)]
    rates = [base, *dict.fromkeys(named)]
    grid = np.zeros((12, 2, 48))
    for rate, row in zip(named, periods, strict=True):
        _mark(grid, row, rates.index(rate))
    hours = np.zeros((len(rates), months))
    for m, weighted in enumerate(_weighted(profile, zone, calendar)):
        index = grid[calendar.firsts[m].month - 1].astype(int)
        hours[:, m] = np.bincount(index.ravel(), weighted.ravel(), minlength=len(rates))
    used = np.flatnonzero(hours.any(axis=1)).tolist()
    hours = hours[used]
    hours.setflags(write=False)
    return Rates(tuple(rates[n] for n in used), hours)


def _price(row: Period) -> tuple[float | None, float | None, float | None]:
    return row.price_per_kwh, row.times, row.adds_per_kwh


def told_apart(rows: Sequence[Period | DemandCharge]) -> list[str]:
    """A name for each row: of one name, prices are told apart by their months, then their hours, then by number.

    Periods of one name and one price are one; every charge on demand stands alone.
    """
    identity = [_price(row) if isinstance(row, Period) else n for n, row in enumerate(rows)]
    by_months = [f"{row.name}:{row.months}" for row in rows]
    by_hours = [f"{label} · {row.hours}" for label, row in zip(by_months, rows, strict=True)]
    by_number = [f"{label} · {n}" for n, label in enumerate(by_hours, 1)]
    plain = [row.name if row.name != BASE else by_months[n] for n, row in enumerate(rows)]
    names = []
    for n in range(len(rows)):
        for labels in (plain, by_months, by_hours, by_number):
            if {identity[k] for k, label in enumerate(labels) if label == labels[n]} == {identity[n]}:
                names.append(labels[n])
                break
    return names


def _weighted(profile: tuple[float, ...], zone: str, calendar: Calendar) -> list[Array]:
    """(2, 48) of each month: hours of each half-hour of the day by their share of the load, adding up to the month."""
    shape = np.repeat(np.array(profile), 2) if profile else np.ones(48)
    found = []
    for day in calendar.firsts[: calendar.months]:
        hours = local_hours(zone, day.year, day.month)
        loaded = hours * shape
        found.append(loaded * (hours.sum() / loaded.sum()))
    return found


@lru_cache(maxsize=512)
def window_of(row: DemandCharge, profile: tuple[float, ...], zone: str | None, start: str, months: int) -> Array:
    """(M,): highest load within a charge's hours, as a share of the highest of the month; 0 where it has no hours."""
    calendar = calendar_for(start, months)
    grid = np.zeros((12, 2, 48))
    _mark(grid, row, 1.0)
    shape = np.repeat(np.array(profile) / max(profile), 2) if profile else np.ones(48)
    there = grid * shape
    if zone is not None and profile:
        found = [
            (there[day.month - 1] * (local_hours(zone, day.year, day.month) > 0)).max()
            for day in calendar.firsts[: calendar.months]
        ]
    else:
        found = [there[day.month - 1].max() for day in calendar.firsts[: calendar.months]]
    return np.array(found)
