"""Time-of-use schedules by region: which hours of which months cost how many times the flat price.

Shipped with the program (data/rules/tariff_periods.csv), a source or the word "unverified" in every row.
"""

import csv
from dataclasses import dataclass
from datetime import date
from functools import cache

from catalog.importers.shipped import DATA


@dataclass(frozen=True)
class PeriodRow:
    """One period; a later one replaces an earlier one where both hold."""

    period: str
    months: str
    days: str
    hours: str
    times: float  # of the flat price
    status: str  # sourced · estimate · unverified
    effective: date
    source_url: str
    note: str


@dataclass(frozen=True)
class Schedule:
    slug: str
    region_code: str
    region: str
    periods: tuple[PeriodRow, ...]


@cache
def schedules() -> dict[str, Schedule]:
    """Schedules by slug. Shared: do not change it."""
    named: dict[str, tuple[str, str]] = {}
    rows: dict[str, list[PeriodRow]] = {}
    with (DATA / "rules" / "tariff_periods.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            slug = row.pop("schedule")
            named[slug] = (row.pop("region_code"), row.pop("region"))
            times, effective = float(row.pop("times")), date.fromisoformat(row.pop("effective"))
            rows.setdefault(slug, []).append(PeriodRow(**row, times=times, effective=effective))
    return {slug: Schedule(slug, *named[slug], tuple(found)) for slug, found in rows.items()}
