"""Cumulative cost in present value, with the month from which the chosen plan is the cheaper one."""

import datetime as dt

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.charts.axes import money_axis, month_axis
from planner.charts.chart import Chart, Figure
from planner.charts.text import escaped, short, wrapped
from planner.charts.theme import LIGHT
from planner.engine.calendar import Array
from planner.engine.result import PlanResult


def figure(chart: Chart) -> Figure:
    """Steps are purchases; the value at the horizon is left out, as in the break-even."""
    if not chart.priced:
        return chart.unpriced(gettext("Cumulative cost, present value"))
    curves = {plan.slug: plan.cumulative_without_residual for plan in chart.priced}
    high = max((float(curve.max()) for curve in curves.values()), default=1.0)
    low = min((float(curve.min()) for curve in curves.values()), default=0.0)
    for plan in chart.priced:
        _draw(chart, plan, curves[plan.slug])
    chart.end_labels([(plan, float(curves[plan.slug][-1])) for plan in chart.priced], low, high)
    crossing = _mark_break_even(chart, curves)
    months = chart.calendar.months
    summary = gettext(
        "Cumulative cost in present value after {months} months, before the value of the machines: {plans}."
    ).format(months=months, plans=chart.listed({slug: float(curve[-1]) for slug, curve in curves.items()}))
    if crossing:
        summary += wording.findings.sentence_space() + crossing
    widest = max((len(chart.names[plan.slug]) for plan in chart.priced), default=0)
    return chart.done(
        gettext("Cumulative cost, present value"),
        summary,
        [gettext("Month"), *(chart.names[plan.slug] for plan in chart.priced)],
        [[chart.month(m), *(chart.money(float(curves[plan.slug][m])) for plan in chart.priced)] for m in range(months)],
        axes={"xaxis": month_axis(chart.calendar), "yaxis": money_axis(low, high, chart.currency)},
        legend=False,
        right=min(190, 20 + _width(widest)),
    )


def _draw(chart: Chart, plan: PlanResult, curve: Array) -> None:
    """A plan's curve, with a marker on each purchase."""
    waves = _waves(plan)
    x, y = _with_jumps(chart, plan, curve, waves)
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"width": 2, "dash": chart.dash(plan)},
        "hovertemplate": _hover(chart.currency),
    }
    chart.add_of(plan, line, "line")
    if waves:
        markers = {
            "type": "scatter",
            "mode": "markers",
            "showlegend": False,
            "x": [chart.firsts[m] for m in waves],
            "y": [short(float(curve[m])) for m in waves],
            "hoverinfo": "skip",
            "marker": {"size": 7, "symbol": chart.marker(plan)},
        }
        chart.add_of(plan, markers, "marker")


def _waves(plan: PlanResult) -> list[int]:
    """Months in which machines or fabric are paid."""
    cells = [line.minor for line in plan.lines if line.category in ("capex.accelerators_and_servers", "capex.fabric")]
    return [int(m) for m in np.flatnonzero(sum(cells, np.zeros(plan.calendar.months)))]


def _with_jumps(chart: Chart, plan: PlanResult, curve: Array, waves: list[int]) -> tuple[list[str], list[float | int]]:
    """The curve with a point on the eve of each purchase: running costs slope, purchases step."""
    jumps = plan.monthly("capex") * plan.discount
    x: list[str] = []
    y: list[float | int] = []
    for m, value in enumerate(curve):
        if m and m in waves:
            x.append((chart.calendar.firsts[m] - dt.timedelta(days=1)).isoformat())
            y.append(short(float(value - jumps[m])))
        x.append(chart.firsts[m])
        y.append(short(float(value)))
    return x, y


def _hover(currency: str) -> str:
    """Plotly groups the digits; the sign stands before the number."""
    symbol = wording.numbers.SYMBOLS.get(currency, currency + wording.numbers.SPACE)
    return symbol + "%{y:,.0f}"


def _width(letters: int) -> int:
    """Pixels that a label of so many letters takes."""
    return int(letters * (12 if wording.chinese() else 6.4))


def _mark_break_even(chart: Chart, curves: dict[str, Array]) -> str:
    """Mark the month from which the chosen plan is the cheaper one; returns a sentence, or nothing where none is."""
    found = _break_even(chart, curves)
    if found is None:
        return ""
    best, other, m = found
    y = short(float(curves[best][m]))
    chart.add(
        {
            "type": "scatter",
            "mode": "markers",
            "name": gettext("Break-even"),
            "showlegend": False,
            "x": [chart.firsts[m]],
            "y": [y],
            "hoverinfo": "skip",
            "marker": {"size": 9, "symbol": "circle-open", "line": {"width": 2}},
        },
        marker="ink",
    )
    chart.shapes.append(
        {
            "type": "line",
            "x0": chart.firsts[m],
            "x1": chart.firsts[m],
            "y0": 0,
            "y1": y,
            "layer": "below",
            "line": {"width": 1, "dash": "dot", "color": LIGHT["ink2"]},
        }
    )
    text = gettext("Month {number}: “{one}” is cheaper than “{other}” from here on").format(
        number=m, one=chart.names[best], other=chart.names[other]
    )
    late = m > chart.calendar.months * 0.7  # below the curves there is room after the crossing, unless the horizon ends
    chart.note(
        "<br>".join(escaped(line) for line in wrapped(text, 40)),
        "ink2",
        x=chart.firsts[m],
        y=0,
        yanchor="bottom",
        xanchor="right" if late else "left",
        xshift=-6 if late else 6,
        align="right" if late else "left",
    )
    return gettext("{text}.").format(text=text)


def _break_even(chart: Chart, curves: dict[str, Array]) -> tuple[str, str, int] | None:
    """(chosen plan, another, month from which the first is the cheaper one), or None where there is no such month.

    Against the cloud where that month exists, for it is the question most asked; else the runner-up, else the first.
    """
    best = chart.comparison.verdict.plan
    if best is None or best not in curves:
        return None
    rents = {plan.slug: plan.plan.start is None for plan in chart.priced}
    found = []
    for other in curves:
        state = chart.comparison.break_even[best][other] if other != best else None
        if state is not None and state.state == "crossings" and state.cheaper_after:
            rank = 0 if rents[other] else 1 if other == chart.comparison.verdict.runner_up else 2
            found.append((rank, state.months[-1], other))
    if not found:
        return None
    _rank, m, other = min(found)
    return best, other, m
