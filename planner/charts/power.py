"""Power and racks of each plan, with the limits of the room."""

from collections.abc import Sequence

from django.utils.translation import gettext

from planner import wording
from planner.charts.axes import count_axis, month_axis
from planner.charts.chart import Chart, Figure
from planner.engine.result import PlanResult

Limit = list[float | None]


def figure(chart: Chart) -> Figure:
    """IT kW above, racks below, each with the limit of the room."""
    plans = [plan for plan in chart.evaluation.plans if plan.housing.draw_busy.any()]
    if not plans:
        return chart.empty(gettext("Power and racks"), gettext("No plan owns machines."))
    cooling, racks = _limits(chart)
    for plan in plans:
        chart.steps(plan, plan.housing.draw[0], hover="%{y:.2~f} kW")
    for plan in plans:
        if plan.housing.racks.any():
            chart.steps(plan, plan.housing.racks[0], hover="%{y}", axis="y2", legend=False)
    _draw_limit(chart, gettext("Cooling limit"), cooling, "y")
    _draw_limit(chart, gettext("Rack limit"), racks, "y2")
    draw_high = _highest([float(plan.housing.draw_busy[0].max()) for plan in plans], cooling)
    rack_high = _highest([float(plan.housing.racks[0].max()) for plan in plans], racks)
    rack_title = {"text": gettext("racks")}
    return chart.done(
        gettext("Power and racks"),
        _summary(chart, plans, cooling),
        *_table(chart, plans, cooling),
        axes={
            "xaxis": {**month_axis(chart.calendar), "anchor": "y2"},
            "yaxis": count_axis(draw_high, title={"text": "kW"}, domain=[0.36, 1.0]),
            "yaxis2": count_axis(rack_high, whole=True, title=rack_title, domain=[0.0, 0.26]),
        },
    )


def _limits(chart: Chart) -> tuple[Limit, Limit]:
    """(cooling kW, racks) of the room in each month, before the upgrades that plans buy; None where none is known."""
    sites = chart.evaluation.plans[0].housing.site_of if chart.evaluation.plans else []
    return (
        [None if site.cooling_kw is None else float(site.cooling_kw) for site in sites],
        [None if site.racks is None else float(site.racks) for site in sites],
    )


def _highest(peaks: list[float], limit: Limit) -> float:
    return max([*peaks, *(value for value in limit if value is not None), 1.0])


def _draw_limit(chart: Chart, name: str, values: Limit, axis: str) -> None:
    if all(value is None for value in values):
        return
    chart.add(
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": chart.firsts,
            "y": [*values, values[-1]],
            "yaxis": axis,
            "line": {"width": 1.5, "dash": "dot", "shape": "hv"},
            "hovertemplate": "%{y:.2~f}",
            "connectgaps": False,
            "showlegend": axis == "y",
        },
        line="bad",
    )


def _summary(chart: Chart, plans: Sequence[PlanResult], cooling: Limit) -> str:
    peak = gettext("; ").join(
        f"{chart.names[plan.slug]} {wording.number(plan.peak_kw, digits=3)}{wording.numbers.SPACE}kW" for plan in plans
    )
    summary = gettext("Highest mean draw of the machines in a month: {plans}.").format(plans=peak)
    first = cooling[0] if cooling else None
    if first is not None:
        summary += wording.findings.sentence_space() + gettext(
            "The room carries away {kw} kW at the start, before upgrades."
        ).format(kw=wording.number(first))
    return summary


def _table(chart: Chart, plans: Sequence[PlanResult], cooling: Limit) -> tuple[list[str], list[list[str]]]:
    head = [gettext("Month")]
    for plan in plans:
        head += [
            gettext("{plan}, kW").format(plan=chart.names[plan.slug]),
            gettext("{plan}, racks").format(plan=chart.names[plan.slug]),
        ]
    head.append(gettext("Cooling limit, kW"))
    rows = []
    for m in range(chart.calendar.months):
        row, limit = [chart.month(m)], cooling[m]
        for plan in plans:
            row.append(wording.number(float(plan.housing.draw[0, m]), digits=3))
            row.append(wording.number(float(plan.housing.racks[0, m])))
        rows.append([*row, "–" if limit is None else wording.number(limit)])
    return head, rows
