"""Statements as CSV: one row a category and period, then the sums; the cells add up to the plan's totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from planner import wording
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
