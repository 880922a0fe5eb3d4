"""Statements of a plan: its cells by category and fiscal year or month, book value, all in whole minor units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.engine.calendar import Array
from planner.engine.lines import CATEGORIES, Line, round_half_up
from planner.engine.moves import stranded_by_month
from planner.engine.result import Evaluation, PlanResult


@dataclass(frozen=True)
class Period:
    """A fiscal year or a month; a partial year has fewer than twelve months of the horizon."""

    label: str
    months: slice
    partial: bool = False


@dataclass(frozen=True)
class Statement:
    """Whole minor units by period, (P,). The last column of each is the sum of the cells, never another rounding.

    categories : by category, in their order.
    net        : sum of all categories.
    present_value : what the net is worth today; adds up to the plan's present value.
    book_value : at the end of each period.
    """

    periods: list[Period]
    categories: dict[str, Array]
    net: Array
    present_value: Array
    book_value: Array
    stranded: Array  # left behind in rooms, in the period of the move; in no sum
    decimals: int

    def kind(self, kind: str) -> Array:
        """(P,): all categories of capex, opex or credit."""
        none = np.zeros(len(self.periods))
        return np.asarray(sum((cells for name, cells in self.categories.items() if name.startswith(kind + ".")), none))


def years(evaluation: Evaluation) -> list[Period]:
    """The fiscal years of the horizon."""
    start = evaluation.scenario.finance.fiscal_year_start_month
    return [Period(label, part, partial) for label, part, partial in evaluation.calendar.fiscal_years(start)]


def months(evaluation: Evaluation) -> list[Period]:
    return [Period(label, slice(m, m + 1)) for m, label in enumerate(evaluation.calendar.labels)]


def statement(plan: PlanResult, periods: list[Period], *, inflation: float | None = None) -> Statement:
    """The cells of a plan by period.

    inflation : yearly; the cells are then money of the first month, each rounded again. Present values stay.
    """

    def by_period(cells: Array) -> Array:
        return np.array([cells[period.months].sum() for period in periods])

    cells = {name: np.zeros(plan.calendar.months) for name in CATEGORIES}
    present = np.zeros(plan.calendar.months)
    for line in plan.lines:
        cells[line.category] += _deflated(line, plan, inflation)
        present += line.discounted_minor(plan.discount_of(line))
    found = {name: by_period(amounts) for name, amounts in cells.items() if amounts.any()}
    costs = plan.costs
    left = np.zeros(plan.calendar.months) if costs is None else stranded_by_month(plan, costs.scenario)
    book = round_half_up(plan.book_value * _factor(plan, inflation), plan.decimals)
    return Statement(
        periods,
        found,
        np.asarray(sum(found.values(), np.zeros(len(periods)))),
        by_period(present),
        np.array([book[period.months][-1] for period in periods]),
        by_period(round_half_up(left * _factor(plan, inflation), plan.decimals)),
        plan.decimals,
    )


def _deflated(line: Line, plan: PlanResult, inflation: float | None) -> Array:
    if inflation is None:
        return line.minor
    return round_half_up(line.amount[0] * _factor(plan, inflation), line.decimals)


def _factor(plan: PlanResult, inflation: float | None) -> Array:
    """(M,): money of the first month for money of each month, 1/(1 + inflation)^(m/12)."""
    return np.ones(plan.calendar.months) if inflation is None else plan.calendar.discount(float(inflation))
