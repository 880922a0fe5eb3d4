"""Months with their real lengths. A month is an index from 0; the first is the scenario's start."""

from __future__ import annotations

import calendar as _calendar
import datetime as dt
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# Mean days of a month in the Gregorian calendar: 365.25 / 12. Turns days of lead time into months.
DAYS_PER_MONTH = 30.4375


@dataclass(frozen=True)
class Calendar:
    """`months` calendar months from `start` ("2026-12")."""

    start: str
    months: int

    @cached_property
    def firsts(self) -> list[dt.date]:
        """First day of each month."""
        year, month = int(self.start[:4]), int(self.start[5:])
        return [dt.date(year + (month - 1 + m) // 12, (month - 1 + m) % 12 + 1, 1) for m in range(self.months + 1)]

    @cached_property
    def labels(self) -> list[str]:
        """ "2026-12" and so on."""
        return [f"{day.year}-{day.month:02d}" for day in self.firsts[: self.months]]

    @cached_property
    def hours(self) -> Array:
        """(M,): hours of each month, days × 24: 744, 720, 672, or 696 in February of a leap year. [h]"""
        days = [_calendar.monthrange(day.year, day.month)[1] for day in self.firsts[: self.months]]
        return np.array(days, dtype=float) * 24.0

    @cached_property
    def years(self) -> Array:
        """(M,): time since the start, in years: m / 12."""
        return np.arange(self.months) / 12.0

    def discount(self, rate: float | Array, mid_month: bool = False) -> Array:
        """(…, M): v[m] = (1 + rate)^(−m/12); month 0 is undiscounted unless `mid_month` moves it by half a month."""
        shift = 0.5 / 12.0 if mid_month else 0.0
        return np.asarray((1.0 + np.asarray(rate)) ** -(self.years + shift))

    def fiscal_years(self, first_month: int) -> list[tuple[str, slice, bool]]:
        """(label, months, partial) of each fiscal year that begins in calendar month `first_month`.

        A fiscal year is named by the calendar year in which it ends.
        """
        years: list[tuple[str, slice, bool]] = []
        begin = 0
        for m in range(1, self.months + 1):
            if m == self.months or self.firsts[m].month == first_month:
                last = self.firsts[m - 1]
                end_year = last.year + (0 if first_month == 1 or last.month < first_month else 1)
                years.append((str(end_year), slice(begin, m), m - begin < 12))
                begin = m
        return years

    def index(self, label: str) -> int:
        """Month index of a label such as "2028-02"; raises ValueError outside the horizon."""
        return self.labels.index(label)


@lru_cache(maxsize=64)
def calendar_for(start: str, months: int) -> Calendar:
    """The calendar, made once per start and length."""
    return Calendar(start, months)


def lead_in_months(weeks: float, commissioning_days: float = 0.0) -> int:
    """Months from order to service: ceil((weeks × 7 + days) / 30.4375), a hair of slack against binary fractions."""
    return max(0, math.ceil((weeks * 7.0 + commissioning_days) / DAYS_PER_MONTH - 1e-9))
