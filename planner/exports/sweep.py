"""A sensitivity sweep as a file: a row for each value tried, for the one now, for each change of the cheapest plan."""

from __future__ import annotations

from decimal import Decimal

from django.utils.translation import gettext as _

from planner import wording
from planner.charts.sweep import SweepChart
from planner.engine.inputs import Scenario
from planner.engine.lines import minor_unit
from planner.engine.prices import PriceBook
from planner.engine.quantities import SHARE_UNITS
from planner.engine.sensitivity import Curve, Sweep
from planner.exports.delimited import Cell, csv_bytes

COLUMNS = ("record", "rank", "assumption", "field", "value", "unit")


def sweep_csv(sweep: Sweep, scenario: Scenario, book: PriceBook, *, bom: bool = True, codes: bool = False) -> bytes:
    """A sweep as CSV.

    codes : headings, plans and records in codes that no language changes.
    A share is in per cent, as its unit says. A `flip` has the plans before and after it and no amounts: it lies
    between two values tried.
    """
    names = SweepChart(sweep, scenario, book)
    slugs = list(names.names)
    words = {
        "record": _("Record"),
        "rank": _("Rank"),
        "assumption": _("Assumption"),
        "field": _("Field"),
        "value": _("Value"),
        "unit": _("Unit"),
        "cheapest_before": _("Cheapest before"),
        "cheapest": _("Cheapest"),
    }
    amount = {slug: slug if codes else f"{names.names[slug]}, {names.currency}" for slug in slugs}
    head = [code if codes else words[code] for code in COLUMNS]
    head += [amount[slug] for slug in slugs]
    head += [code if codes else words[code] for code in ("cheapest_before", "cheapest")]
    rows: list[list[Cell]] = [list(head)]
    along = [*enumerate(sweep.curves, 1), *([(None, sweep.horizon)] if sweep.horizon is not None else [])]
    for rank, curve in along:
        rows += _rows(names, curve, rank, slugs, codes)
    return csv_bytes(rows, bom=bom)


def _rows(names: SweepChart, curve: Curve, rank: int | None, slugs: list[str], codes: bool) -> list[list[Cell]]:
    records = {"point": _("point"), "now": _("now"), "flip": _("change of the cheapest plan")}
    unit = curve.unit if codes else wording.unit(curve.unit, names.currency)
    decimals = Decimal(1).scaleb(-minor_unit(names.currency))

    def row(record: str, x: float, amounts: list[float | None], before: str | None, best: str | None) -> list[Cell]:
        shown = Decimal(repr(x)) * (100 if curve.unit in SHARE_UNITS and not codes else 1)
        return [
            record if codes else records[record],
            rank,
            names.label(curve),
            curve.path,
            shown.normalize() + 0,
            unit,
            *(None if value is None else Decimal(repr(value)).quantize(decimals) for value in amounts),
            *(None if slug is None else slug if codes else names.names[slug] for slug in (before, best)),
        ]

    points = [
        row("point", x, [curve.values[slug][n] for slug in slugs], None, curve.cheapest[n])
        for n, x in enumerate(curve.x)
    ]
    now = []
    if curve.holds is not None:
        now = [row("now", curve.holds, [names.sweep.base[slug] for slug in slugs], None, names.sweep.cheapest)]
    empty: list[float | None] = [None] * len(slugs)
    return [*points, *now, *(row("flip", flip.x, empty, flip.before, flip.after) for flip in curve.flips)]
