"""A plan's statements as the words and tables of their page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from planner import charts, purchase_tables, wording
from planner.charts import svg
from planner.engine.calendar import Array
from planner.engine.compare import Comparison, category_gap
from planner.engine.evaluate import Evaluation
from planner.engine.statements import Period, Statement
from planner.services.statements import Statements

KINDS = ("capex", "opex", "credit")
WHY = {"capex": "capex", "opex": "opex", "credit": "credits"}  # kind of line → the code of its total
WIDE, NARROW = 860, 350  # of the drawing [px]


@dataclass(frozen=True)
class Linked:
    """A figure, and the Why that it opens, "" for none: of a plan, and the part of the figure it is."""

    text: str
    why: str = ""
    plan: str = ""
    part: tuple[tuple[str, str | int], ...] = ()  # as the address of a Why names it


def choices(evaluation: Evaluation, comparison: Comparison, chosen: str) -> list[dict[str, Any]]:
    """The plans that have totals, the best first."""
    every = purchase_tables.choices(evaluation, comparison, chosen)
    return [each for each in every if evaluation.plan(each["slug"]).priced]


def page(found: Statements, evaluation: Evaluation, slug: str) -> dict[str, Any]:
    """The annual table, by category, and the cash flow month by month."""
    currency = evaluation.scenario.currency
    return {
        "annual": _annual(_Cells(found.annual, currency, slug, found.real)),
        "monthly": _monthly(_Cells(found.monthly, currency, slug, found.real), evaluation),
        "real": found.real,
        "inflation": wording.percent(evaluation.scenario.finance.inflation_per_year),
        "start": wording.month_label(evaluation.calendar, 0),
        "book_life": wording.counted(evaluation.scenario.finance.book_life_months, "month", currency),
    }


def against(evaluation: Evaluation, comparison: Comparison, slug: str, asked: str) -> str:
    """The plan to compare with: as asked, else the cheapest of the others, "" where there is none.

    Raises KeyError for a plan that is not there or has no totals.
    """
    others = [each["slug"] for each in choices(evaluation, comparison, slug) if each["slug"] != slug]
    if asked and asked not in (*others, slug):
        raise KeyError(asked)
    return asked or next(iter(others), "")


def gap(evaluation: Evaluation, comparison: Comparison, slug: str, other: str) -> dict[str, Any]:
    """Present value of one plan against another by category: as a drawing, and in a table whose parts add up."""
    figure = charts.waterfall(evaluation, comparison, slug, other)
    layout, parts = figure["layout"], category_gap(evaluation.plan(slug), evaluation.plan(other))
    totals, margin = [("present_value", each) for each in (slug, other)], ("against", other)
    return {
        **figure,
        "wide": mark_safe(svg.draw(figure, WIDE, layout["height"])),
        "narrow": mark_safe(svg.draw(figure, NARROW, layout["meta"]["narrow"].get("height", 0), narrow=True)),
        "rows": [
            {
                "name": row[0],
                "cells": [
                    *(
                        _linked(text, why, plan, *((("category", name),) if name else ()))
                        for text, (why, plan) in zip(row[1:3], totals, strict=True)
                    ),
                    _linked(row[3], "margin", slug, margin),
                ],
            }
            for row, name in zip(figure["table"]["rows"], [*parts, ""], strict=False)
        ],
        "one": choices(evaluation, comparison, slug),
        "other": choices(evaluation, comparison, other),
        "chosen": other,
    }


def _linked(text: str, why: str, plan: str, *part: tuple[str, str | int]) -> Linked:
    """A figure with its Why; a dash opens none."""
    return Linked(text) if text == "–" else Linked(text, why, plan, part)


def _label(period: Period) -> str:
    year = _("FY {year}").format(year=period.label)
    months = period.months.stop - period.months.start
    return _("{year} ({count} mo)").format(year=year, count=months) if period.partial else year


@dataclass(frozen=True)
class _Cells:
    """Amounts of a statement as cells that open their part of a figure; money of the start opens none."""

    found: Statement
    currency: str
    slug: str
    real: bool

    def by_period(self, amounts: Array, why: str = "", category: str = "", *, so_far: bool = False) -> list[Linked]:
        cells = []
        for amount, period in zip(amounts, self.found.periods, strict=True):
            first, last = 0 if so_far else period.months.start, period.months.stop - 1
            cells.append(self._cell(amount, why, category, ("first", first), ("last", last)))
        return cells

    def whole(self, amounts: Array, why: str, category: str = "") -> Linked:
        return self._cell(amounts.sum(), why, category)

    def _cell(self, amount: float, why: str, category: str, *part: tuple[str, str | int]) -> Linked:
        of = (("category", category),) if category else ()
        opens = why if why == "present_value" or not self.real else ""
        return _linked(_money(amount, self.found, self.currency), opens, self.slug, *of, *part)


def _annual(cells: _Cells) -> dict[str, Any]:
    found = cells.found

    def row(name: str, amounts: Array, why: str, category: str = "") -> dict[str, Any]:
        return {
            "name": name,
            "cells": [*cells.by_period(amounts, why, category), cells.whole(amounts, why, category)],
        }

    groups = []
    for kind in KINDS:
        lines = [
            row(wording.category(name), amounts, "nominal_total", name)
            for name, amounts in found.categories.items()
            if name.startswith(kind)
        ]
        if lines:
            groups.append({"rows": lines, "total": row(wording.kind(kind), found.kind(kind), WHY[kind])})
    return {
        "head": [_("Category"), *map(_label, found.periods), _("Total")],
        "groups": groups,
        "sums": [
            row(_("Net"), found.net, "nominal_total"),
            row(_("Present value"), found.present_value, "present_value"),
            {"name": _("Book value at the end"), "cells": [*cells.by_period(found.book_value), Linked("")]},
            *([row(_("Stranded in a room left, in no sum"), found.stranded, "")] if found.stranded.any() else []),
        ],
    }


def _monthly(cells: _Cells, evaluation: Evaluation) -> dict[str, Any]:
    found = cells.found
    sums = [*((found.kind(kind), WHY[kind]) for kind in KINDS), (found.net, "nominal_total")]
    worth = (found.present_value, "present_value")
    columns = [
        *(cells.by_period(*each) for each in sums),
        cells.by_period(found.net.cumsum(), "nominal_total", so_far=True),
        cells.by_period(*worth),
        cells.by_period(found.book_value),
    ]
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
            {"name": wording.month_label(evaluation.calendar, m), "cells": [column[m] for column in columns]}
            for m in range(len(found.periods))
        ],
        "totals": [*(cells.whole(*each) for each in sums), Linked(""), cells.whole(*worth), Linked("")],
    }


def _money(minor: float, found: Statement, currency: str) -> str:
    return wording.money(float(minor) / 10.0**found.decimals, currency) if minor else "–"
