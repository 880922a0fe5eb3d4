"""Capacity and demand, in GPUs."""

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.charts.axes import count_axis, month_axis
from planner.charts.chart import Chart, Figure
from planner.charts.text import short
from planner.engine.calendar import Array
from planner.engine.result import PlanResult

HOVER = "%{y:.3~f}"


def figure(chart: Chart) -> Figure:
    """GPUs owned (with what is rented on top, dotted) against what is asked for."""
    plans = chart.evaluation.plans
    if not plans:
        return chart.empty(gettext("Capacity and demand"), gettext("There is no plan to draw."))
    demand = plans[0].demand[0]
    best = chart.comparison.verdict.plan
    needed = (chart.evaluation.plan(best) if best else plans[0]).needed[0]
    needed = np.where(np.isfinite(needed), needed, 0.0)
    hired = {plan.slug: _rented(plan) for plan in plans}
    high = float(max(demand.max(), needed.max()))
    _draw_asked(chart, gettext("Demand, on average"), demand, "solid", "ink")
    _draw_asked(chart, gettext("GPUs needed"), needed, "dash", "ink2")
    for plan in plans:
        owned, rented = plan.capacity, hired[plan.slug]
        high = max(high, float(owned.max(initial=0.0)), float(rented.max(initial=0.0)))
        if owned.any():
            chart.steps(plan, owned, hover=HOVER)
        if rented.any():
            _draw_rented(chart, plan, rented)
    head = [gettext("Month"), gettext("Demand, on average"), gettext("GPUs needed")]
    for plan in plans:
        head += [
            gettext("{plan}, owned").format(plan=chart.names[plan.slug]),
            gettext("{plan}, rented").format(plan=chart.names[plan.slug]),
        ]
    columns = [demand, needed, *(values for plan in plans for values in (plan.capacity, hired[plan.slug]))]
    return chart.done(
        gettext("Capacity and demand"),
        _summary(chart, demand),
        head,
        [
            [chart.month(m), *(wording.number(float(column[m])) for column in columns)]
            for m in range(chart.calendar.months)
        ],
        axes={"xaxis": month_axis(chart.calendar), "yaxis": count_axis(high, title={"text": "GPU"})},
    )


def _draw_asked(chart: Chart, name: str, values: Array, dash: str, role: str) -> None:
    """A curve that belongs to no plan."""
    chart.add(
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": chart.firsts[:-1],
            "y": [short(float(value), 3) for value in values],
            "line": {"width": 1.5, "dash": dash},
            "hovertemplate": HOVER,
        },
        line=role,
    )


def _draw_rented(chart: Chart, plan: PlanResult, rented: Array) -> None:
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": gettext("{plan}, rented").format(plan=chart.drawn[plan.slug]),
        "x": chart.firsts[:-1],
        "y": [short(float(value), 3) for value in rented],
        "line": {"width": 1, "dash": "dot"},
        "hovertemplate": HOVER,
        "marker": {"size": 5, "symbol": chart.marker(plan) + "-open", "maxdisplayed": 12},
    }
    chart.add_of(plan, trace, "line", "marker")


def _rented(plan: PlanResult) -> Array:
    return np.asarray(sum((rented[0] for rented in plan.allocation.rented.values()), np.zeros(plan.calendar.months)))


def _summary(chart: Chart, demand: Array) -> str:
    """How demand moves, and the GPUs of each plan at the end."""
    first, last = float(demand[0]), float(demand[-1])
    alike = abs(last - first) <= 0.01 * max(first, last)
    if alike and float(demand.max() - demand.min()) <= 0.03 * max(first, last):
        asked = gettext("Demand stays at {gpus}.").format(gpus=wording.numbers.counted(last, "GPU", digits=3))
    elif alike:
        asked = gettext("Demand begins and ends at {gpus}, with {most} at its highest.").format(
            gpus=wording.numbers.counted(last, "GPU", digits=3), most=wording.number(float(demand.max()), digits=3)
        )
    else:
        pattern = (
            gettext("Demand grows from {first} to {last} GPUs.")
            if last > first
            else gettext("Demand falls from {first} to {last} GPUs.")
        )
        asked = pattern.format(first=wording.number(first, digits=3), last=wording.number(last, digits=3))
    ends = gettext("; ").join(
        f"{chart.names[plan.slug]} {wording.number(float(plan.capacity[-1]), digits=3)}"
        for plan in chart.evaluation.plans
    )
    owned = gettext("GPUs that run at the end: {plans}.").format(plans=ends)
    return asked + wording.findings.sentence_space() + owned
