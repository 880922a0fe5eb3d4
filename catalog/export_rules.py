"""What may be bought where: accelerator × country × class of buyer → verdict, with date and source.

Shipped with the program (data/rules/export_rules.csv). A part or country that is not listed has no rule known here.
"""

import csv
from dataclasses import dataclass
from datetime import date
from functools import cache

from catalog.importers.shipped import DATA

VERDICTS = ("allowed", "licence", "prohibited")


@dataclass(frozen=True)
class ExportRule:
    accelerator_slug: str
    country: str  # ISO 3166
    buyer_class: str  # "any" where the rule does not ask
    verdict: str
    effective: date
    source_url: str
    note: str


@cache
def export_rules() -> dict[str, tuple[ExportRule, ...]]:
    """Rules by accelerator. Shared: do not change it."""
    found: dict[str, list[ExportRule]] = {}
    with (DATA / "rules" / "export_rules.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            effective = date.fromisoformat(row.pop("effective"))
            found.setdefault(row["accelerator_slug"], []).append(ExportRule(**row, effective=effective))
    return {slug: tuple(rules) for slug, rules in found.items()}
