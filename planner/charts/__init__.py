"""Results → figures as plain Plotly dicts: the page, the report and the PDF draw the same ones.

Colours are those of the light theme, all of them values of `layout.meta.light`; the page's script replaces each by
that of the same role in `layout.meta.dark`. Under 600 px the keys of `layout.meta.narrow` replace those of the
layout: a legend instead of labels. SVG traces only (scatter, bar). A plan keeps its colour, dash and marker by its
place in the scenario, in every figure.
"""

from collections.abc import Callable

from planner.charts import capacity, cash, category, cumulative, power
from planner.charts import waterfall as between
from planner.charts.chart import Chart, Figure
from planner.charts.theme import DARK, DASHES, FONT, LIGHT, MARKERS, PATTERNS, plan_role, plan_style
from planner.engine.compare import Comparison
from planner.engine.result import Evaluation

__all__ = [
    "DARK",
    "DASHES",
    "FIGURES",
    "FONT",
    "LIGHT",
    "MARKERS",
    "PATTERNS",
    "Figure",
    "figure",
    "plan_role",
    "plan_style",
    "waterfall",
]

DRAWN: dict[str, Callable[[Chart], Figure]] = {
    "cumulative": cumulative.figure,
    "category": category.figure,
    "capacity": capacity.figure,
    "power": power.figure,
    "cash": cash.figure,
}
FIGURES = tuple(DRAWN)


def figure(code: str, evaluation: Evaluation, comparison: Comparison) -> Figure:
    """One figure: {"code", "data", "layout", "title", "summary", "table": {"head", "rows"}}.

    Raises KeyError for an unknown code.
    """
    return {"code": code, **DRAWN[code](Chart(evaluation, comparison))}


def waterfall(evaluation: Evaluation, comparison: Comparison, one: str, other: str) -> Figure:
    """The figure of two plans that have totals: what the second costs more or less, by category."""
    drawn = between.figure(Chart(evaluation, comparison), evaluation.plan(one), evaluation.plan(other))
    return {"code": "waterfall", **drawn}
