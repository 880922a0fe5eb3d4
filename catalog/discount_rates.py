"""Discount rates in use: of companies, of public bodies, as their sources state them.

Shipped with the program (data/rules/discount_rates.csv), a source or the word "estimate" in every row.
"""

import csv
from dataclasses import dataclass
from datetime import date
from functools import cache

from catalog.importers.shipped import DATA


@dataclass(frozen=True)
class DiscountRate:
    slug: str
    rate: float  # a fraction a year
    real: bool  # in money of constant value; else nominal
    status: str  # sourced · estimate
    dated: date
    source_url: str
    note: str

    def nominal(self, inflation: float) -> float:
        """The rate with inflation, by Fisher's equation, to the hundredth of a per cent."""
        return round((1.0 + self.rate) * (1.0 + inflation) - 1.0, 4) if self.real else self.rate


@cache
def discount_rates() -> tuple[DiscountRate, ...]:
    """In the order of the file."""
    with (DATA / "rules" / "discount_rates.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            DiscountRate(
                row["slug"],
                float(row["rate"]),
                row["real"] == "yes",
                row["status"],
                date.fromisoformat(row["dated"]),
                row["source_url"],
                row["note"],
            )
            for row in csv.DictReader(file)
        )
