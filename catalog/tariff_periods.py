"""Published tariffs by region: hours with their prices, multiples of the flat price or amounts on top of it, and what
is charged on demand and as a fixed fee.

Shipped with the program (data/rules/tariff_periods.csv), a source or the word "unverified" in every row.
"""

import csv
from dataclasses import dataclass
from datetime import date
from functools import cache

from catalog.importers.shipped import DATA


@dataclass(frozen=True)
class PeriodRow:
    """One period or charge; a later period replaces an earlier one where both hold.

    Of `times`, a multiple of the flat price, `price`, and `adds`, what is paid on top of it, one is given.
    """

    kind: str  # energy · demand (price per kW and month) · fixed (price per month)
    period: str
    months: str
    days: str
    hours: str
    times: float | None
    price: float | None
    adds: float | None
    status: str  # sourced · estimate · unverified
    effective: date
    source_url: str
    note: str


@dataclass(frozen=True)
class Schedule:
    slug: str
    region_code: str
    region: str
    currency: str  # of its prices; "" where it has multiples only
    rows: tuple[PeriodRow, ...]

    def of_kind(self, kind: str) -> tuple[PeriodRow, ...]:
        return tuple(row for row in self.rows if row.kind == kind)


@cache
def schedules() -> dict[str, Schedule]:
    """Schedules by slug. Shared: do not change it."""
    named: dict[str, tuple[str, str, str]] = {}
    rows: dict[str, list[PeriodRow]] = {}
    with (DATA / "rules" / "tariff_periods.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            slug = row.pop("schedule")
            named[slug] = (row.pop("region_code"), row.pop("region"), row.pop("currency"))
            times, price, adds = (
                float(text) if (text := row.pop(name)) else None for name in ("times", "price", "adds")
            )
            effective = date.fromisoformat(row.pop("effective"))
            found = PeriodRow(**row, times=times, price=price, adds=adds, effective=effective)
            rows.setdefault(slug, []).append(found)
    return {slug: Schedule(slug, *named[slug], tuple(found)) for slug, found in rows.items()}
