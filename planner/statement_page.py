"""A plan's statements as the words and tables of their page."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from planner import purchase_tables, wording
from planner.engine.compare import Comparison
from planner.engine.evaluate import Evaluation
from planner.engine.statements import Period, Statement
from planner.services.statements import Statements

KINDS = ("capex", "opex", "credit")


def choices(evaluation: Evaluation, comparison: Comparison, chosen: str) -> list[dict[str, Any]]:
    """The plans that have totals, the best first."""
    every = purchase_tables.choices(evaluation, comparison, chosen)
    return [each for each in every if evaluation.plan(each["slug"]).priced]


def page(found: Statements, evaluation: Evaluation) -> dict[str, Any]:
    """The annual table, by category, and the cash flow month by month."""
    currency = evaluation.scenario.currency
    return {
        "annual": _annual(found.annual, currency),
        "monthly": _monthly(found.monthly, currency, evaluation),
        "real": found.real,
        "inflation": wording.percent(evaluation.scenario.finance.inflation_per_year),
        "start": wording.month_label(evaluation.calendar, 0),
        "book_life": wording.counted(evaluation.scenario.finance.book_life_months, "month", currency),
    }


def _label(period: Period) -> str:
    year = _("FY {year}").format(year=period.label)
    months = period.months.stop - period.months.start
    return _("{year} ({count} mo)").format(year=year, count=months) if period.partial else year


def _annual(found: Statement, currency: str) -> dict[str, Any]:
    def row(name: str, cells: Any, *, total: bool = False, summed: bool = True) -> dict[str, Any]:
        amounts = [*cells, cells.sum()] if summed else [*cells, None]
        return {"name": name, "total": total, "cells": [_money(amount, found, currency) for amount in amounts]}

    groups = []
    for kind in KINDS:
        lines = [
            row(wording.category(name), cells) for name, cells in found.categories.items() if name.startswith(kind)
        ]
        if lines:
            groups.append({"rows": lines, "total": row(wording.kind(kind), found.kind(kind), total=True)})
    return {
        "head": [_("Category"), *map(_label, found.periods), _("Total")],
        "groups": groups,
        "sums": [
            row(_("Net"), found.net, total=True),
            row(_("Present value"), found.present_value),
            row(_("Book value at the end"), found.book_value, summed=False),
            *([row(_("Stranded in a room left, in no sum"), found.stranded)] if found.stranded.any() else []),
        ],
    }


def _monthly(found: Statement, currency: str, evaluation: Evaluation) -> dict[str, Any]:
    columns = [found.kind(kind) for kind in KINDS]
    columns += [found.net, found.net.cumsum(), found.present_value, found.book_value]
    return {
        "head": [
            _("Month"),
            *(wording.kind(kind) for kind in KINDS),
            _("Net"),
            _("Net so far"),
            _("Present value"),
            _("Book value"),
        ],
        "rows": [
            {
                "name": wording.month_label(evaluation.calendar, m),
                "cells": [_money(column[m], found, currency) for column in columns],
            }
            for m in range(len(found.periods))
        ],
        "totals": [_money(column.sum(), found, currency) for column in columns[:4]]
        + ["", _money(found.present_value.sum(), found, currency), ""],
    }


def _money(minor: float | None, found: Statement, currency: str) -> str:
    if minor is None:
        return ""
    return wording.money(float(minor) / 10.0**found.decimals, currency) if minor else "–"
