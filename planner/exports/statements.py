"""Statements as CSV: one row a category and period, then the sums; the cells add up to the plan's totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from planner import wording
from planner.engine.compare import category_gap
from planner.engine.result import PlanResult
from planner.engine.statements import Statement
from planner.exports.delimited import Cell, csv_bytes
from planner.services.statements import Statements

KINDS = ("capex", "opex", "credit")


def statements_csv(found: Statements, *, monthly: bool, bom: bool = True, codes: bool = False) -> bytes:
    """By fiscal year, or by month.

    codes : headers and categories in codes that no language changes.
    """
    chosen = found.monthly if monthly else found.annual
    return csv_bytes(_rows(chosen, codes), bom=bom)


def gap_csv(
    one: PlanResult, other: PlanResult, names: tuple[str, str], *, bom: bool = True, codes: bool = False
) -> bytes:
    """Present value of two plans by category, and the second less the first; the last row is the sum."""

    def said(words: str, code: str) -> str:
        return code if codes else words

    def row(name: str, mine: float, theirs: float, difference: float) -> list[Cell]:
        return [name, *(Decimal(repr(amount)) for amount in (mine, theirs, difference))]

    left, right, parts = one.by_category(), other.by_category(), category_gap(one, other)
    head = [(_("Category"), "category"), (names[0], one.slug), (names[1], other.slug), (_("Difference"), "difference")]
    total = (one.present_value, other.present_value, one.money(parts.values()))
    rows: list[list[Cell]] = [
        [said(*each) for each in head],
        *(
            row(said(wording.category(name), name), left.get(name, 0.0), right.get(name, 0.0), amount)
            for name, amount in parts.items()
        ),
        row(said(_("Present value"), "present_value"), *total),
    ]
    return csv_bytes(rows, bom=bom)


def _rows(found: Statement, codes: bool) -> Iterator[list[Cell]]:
    def said(words: Callable[[str], str], code: str) -> str:
        return code if codes else words(code)

    yield [
        "category" if codes else _("Category"),
        *(period.label for period in found.periods),
        "total" if codes else _("Total"),
    ]
    for name, cells in found.categories.items():
        yield [said(wording.category, name), *_amounts(cells, found, summed=True)]
    for kind in KINDS:
        yield [said(wording.kind, kind), *_amounts(found.kind(kind), found, summed=True)]
    yield ["net" if codes else _("Net"), *_amounts(found.net, found, summed=True)]
    yield ["present_value" if codes else _("Present value"), *_amounts(found.present_value, found, summed=True)]
    if found.stranded.any():
        name = "stranded" if codes else _("Stranded in a room left, in no sum")
        yield [name, *_amounts(found.stranded, found, summed=True)]
    yield ["book_value" if codes else _("Book value at the end"), *_amounts(found.book_value, found, summed=False)]


def _amounts(cells: Any, found: Statement, *, summed: bool) -> list[Cell]:
    amounts = [*cells, cells.sum()] if summed else list(cells)
    return [*(Decimal(int(amount)).scaleb(-found.decimals) for amount in amounts), *([] if summed else [None])]
