"""What one plan costs more or less than another, category by category, from nothing to the whole difference."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from planner import wording
from planner.charts.across import THICK, height, money_axis, row_axis, stack_names
from planner.charts.chart import Chart, Figure
from planner.charts.text import escaped, short
from planner.charts.theme import LIGHT
from planner.engine.compare import category_gap
from planner.engine.result import PlanResult

HEAD = -0.8  # where the rows begin [rows]
STEP, WHOLE = 0.65, 1.0  # opacity of a step, of the whole


def figure(chart: Chart, one: PlanResult, other: PlanResult) -> Figure:
    """Present value of `other` less that of `one`: a bar a category, each from where the one before ended.

    A bar has the colour of the plan that costs more there. The last bar is the sum of the others, from zero.
    """
    names = {"one": chart.names[one.slug], "other": chart.names[other.slug]}
    title = gettext("From “{one}” to “{other}”: present value by category").format(**names)
    gap = category_gap(one, other)
    whole = one.money(gap.values())
    steps = [(name, amount) for name, amount in gap.items() if amount]
    if not steps:
        return chart.empty(title, gettext("Both plans cost the same in every category."))
    begins, at = [], 0.0
    for _name, amount in steps:
        begins.append(at)
        at = one.money([at, amount])
    rows = [*steps, ("", whole)]
    bases = [*begins, 0.0]
    for plan, costs_more in ((other, True), (one, False)):
        for last in (False, True):
            _draw(chart, plan, rows, bases, costs_more=costs_more, last=last)
    _connect(chart, rows, bases)
    _label(chart, rows, bases)
    zero = {"width": 1, "color": LIGHT["ink2"], "dash": "solid"}
    chart.shapes.append({"type": "line", "x0": 0, "x1": 0, "y0": HEAD, "y1": len(rows) - 0.5, "line": zero})
    labels = [escaped(_called(name)) for name, _amount in rows]
    drawn = chart.done(
        title,
        _summary(chart, names, steps, whole),
        [gettext("Category"), names["one"], names["other"], gettext("Difference")],
        _table(chart, one, other, gap, whole),
        axes={"xaxis": money_axis(chart.currency, _ends(rows, bases, 0.16), 0.0), "yaxis": row_axis(labels, HEAD)},
        height=height(len(rows)),
        barmode="overlay",
        hovermode="closest",
    )
    stack_names(chart, drawn, labels, money_axis(chart.currency, _ends(rows, bases, 0.34), 0.0, 3))
    return drawn


def _ends(rows: list[tuple[str, float]], bases: list[float], pad: float) -> list[float]:
    """Where bars begin and where their labels end, which take a share of what the bars do."""
    ends = [base + amount for base, (_name, amount) in zip(bases, rows, strict=True)]
    room = (max(0.0, *ends) - min(0.0, *ends)) * pad
    labelled = [end + (room if amount >= 0 else -room) for end, (_name, amount) in zip(ends, rows, strict=True)]
    return [0.0, *bases, *labelled]


def _called(name: str) -> str:
    return wording.category(name) if name else gettext("Difference")


def _draw(
    chart: Chart,
    plan: PlanResult,
    rows: list[tuple[str, float]],
    bases: list[float],
    *,
    costs_more: bool,
    last: bool,
) -> None:
    """The bars in which a plan costs more: the steps, or the whole. The legend names each plan once."""
    mine = [
        n for n, (name, amount) in enumerate(rows) if amount and (amount > 0) == costs_more and (name == "") == last
    ]
    if not mine:
        return
    pattern = {"shape": chart.pattern(plan), "solidity": 0.15, "fgopacity": 0.6, "fillmode": "overlay"}
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "name": gettext("“{plan}” costs more").format(plan=chart.drawn[plan.slug]),
        "showlegend": not any(trace.get("legendgroup") == plan.slug for trace in chart.traces),
        "y": mine,
        "x": [short(rows[n][1]) for n in mine],
        "base": [short(bases[n]) for n in mine],
        "width": [THICK] * len(mine),
        "offset": [-THICK / 2] * len(mine),
        "customdata": [f"{_called(rows[n][0])}: {wording.money_change(rows[n][1], chart.currency)}" for n in mine],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {"opacity": WHOLE if last else STEP, "pattern": pattern},
    }
    chart.add_of(plan, bars, "marker")


def _connect(chart: Chart, rows: list[tuple[str, float]], bases: list[float]) -> None:
    """A thin line from the end of each bar to the next."""
    x: list[float | None] = []
    y: list[float | None] = []
    for n, (_name, amount) in enumerate(rows[:-1]):
        end = short(bases[n] + amount)
        x += [end, end, None]
        y += [n + THICK / 2, n + 1 - THICK / 2, None]
    line = {"width": 1, "dash": "solid"}
    trace = {"type": "scatter", "mode": "lines", "showlegend": False, "x": x, "y": y, "hoverinfo": "skip", "line": line}
    chart.add(trace, line="ink2")


def _label(chart: Chart, rows: list[tuple[str, float]], bases: list[float]) -> None:
    """The amount beside each bar, on the side to which it runs."""
    for n, (_name, amount) in enumerate(rows):
        side = "left" if amount >= 0 else "right"
        chart.note(
            wording.money_change(amount, chart.currency, compact=True),
            "ink2",
            x=short(bases[n] + amount),
            y=n,
            yanchor="middle",
            xanchor=side,
            xshift=5 if side == "left" else -5,
        )


def _table(chart: Chart, one: PlanResult, other: PlanResult, gap: dict[str, float], whole: float) -> list[list[str]]:
    def text(amount: float | None) -> str:
        return "–" if amount is None else chart.money(amount)

    left, right = one.by_category(), other.by_category()
    rows = [
        [wording.category(name), text(left.get(name)), text(right.get(name)), _change(chart, amount)]
        for name, amount in gap.items()
    ]
    sums = [chart.money(plan.present_value) for plan in (one, other)]
    return [*rows, [gettext("Present value"), *sums, _change(chart, whole)]]


def _change(chart: Chart, amount: float) -> str:
    return wording.money_change(amount, chart.currency) if amount else "–"


def _summary(chart: Chart, names: dict[str, str], steps: list[tuple[str, float]], whole: float) -> str:
    """Which plan costs more, and in which category most of it lies."""
    if whole > 0:
        text = gettext("“{other}” costs {amount} more than “{one}” in present value.")
    elif whole < 0:
        text = gettext("“{other}” costs {amount} less than “{one}” in present value.")
    else:
        text = gettext("“{other}” and “{one}” cost the same in present value.")
    name, most = max(steps, key=lambda step: abs(step[1]))
    part = gettext("The largest part is {category}, {amount}.").format(
        category=wording.category(name), amount=wording.money_change(most, chart.currency, compact=True)
    )
    said = text.format(amount=wording.money(abs(whole), chart.currency, compact=True), **names)
    return said + wording.findings.sentence_space() + part
