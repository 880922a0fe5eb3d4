"""Cash by fiscal year, nominal."""

from typing import Any

from django.utils.translation import gettext

from planner import wording
from planner.charts.axes import money_axis
from planner.charts.chart import Chart, Figure
from planner.charts.text import short
from planner.engine.result import PlanResult

#: Kind of line → (pattern, opacity) of its bars.
KINDS = {"capex": ("", 1.0), "opex": ("/", 0.55), "credit": (".", 0.8)}
#: By kind, a sum for each fiscal year.
Sums = dict[str, list[float]]


def figure(chart: Chart) -> Figure:
    """A group of bars a fiscal year, a bar a plan: capex, opex on top, credits below zero; nominal."""
    if not chart.priced:
        return chart.unpriced(gettext("Cash by fiscal year"))
    years = chart.calendar.fiscal_years(chart.scenario.finance.fiscal_year_start_month)
    labels = [gettext("FY {year}").format(year=label) + ("*" if partial else "") for label, _months, partial in years]
    months_of = [months for _label, months, _partial in years]
    sums = {plan.slug: _by_year(plan, months_of) for plan in chart.priced}
    net = {plan.slug: _net(plan, sums[plan.slug]) for plan in chart.priced}
    for plan in chart.priced:
        _draw(chart, plan, labels, sums[plan.slug])
    for kind in KINDS:  # the legend's entries for the patterns
        if any(any(each[kind]) for each in sums.values()):
            chart.add({**_unseen(wording.kind(kind)), "marker": _look(kind)}, marker="ink2")
    summary = gettext("Cash out in {year}, the first fiscal year: {plans}.").format(
        year=labels[0] if labels else "", plans=chart.listed({slug: values[0] for slug, values in net.items()})
    )
    if any(partial for _label, _months, partial in years):
        summary += wording.findings.sentence_space() + gettext("An asterisk marks a part of a year.")
    low, high = _ends(sums)
    return chart.done(
        gettext("Cash by fiscal year"),
        summary,
        [gettext("Plan"), gettext("Kind"), *labels, gettext("Total")],
        [row for plan in chart.priced for row in _rows(chart, plan, sums[plan.slug], net[plan.slug])],
        axes={"xaxis": {"type": "category"}, "yaxis": money_axis(low, high, chart.currency, zeroline=True)},
        barmode="group",
        bargap=0.25,
    )


def _by_year(plan: PlanResult, months_of: list[Any]) -> Sums:
    monthly = {kind: plan.monthly(kind) for kind in KINDS}
    return {kind: [round(float(monthly[kind][months].sum()), plan.decimals) for months in months_of] for kind in KINDS}


def _net(plan: PlanResult, sums: Sums) -> list[float]:
    return [round(sum(each), plan.decimals) for each in zip(*sums.values(), strict=True)]


def _ends(sums: dict[str, Sums]) -> tuple[float, float]:
    """The lowest and the highest end of a bar; running costs stand on what was bought."""
    ends = [0.0]
    for each in sums.values():
        ends += [value for values in each.values() for value in values]
        ends += [bought + run for bought, run in zip(each["capex"], each["opex"], strict=True)]
    return min(ends), max(ends)


def _look(kind: str) -> dict[str, Any]:
    pattern, opacity = KINDS[kind]
    return {"opacity": opacity, "pattern": {"shape": pattern, "solidity": 0.3}}


def _unseen(name: str) -> dict[str, Any]:
    """A trace for the legend alone."""
    return {"type": "bar", "name": name, "x": [None], "y": [None], "hoverinfo": "skip"}


def _draw(chart: Chart, plan: PlanResult, labels: list[str], sums: Sums) -> None:
    for kind, values in sums.items():
        if not any(values):
            continue
        bars = {
            "type": "bar",
            "name": gettext("{plan}: {kind}").format(plan=chart.drawn[plan.slug], kind=wording.kind(kind)),
            "showlegend": False,
            "x": labels,
            "y": [short(value) or None for value in values],  # None: no entry when hovered
            "offsetgroup": plan.slug,
            "base": [short(bought) for bought in sums["capex"]] if kind == "opex" else 0,
            "customdata": [chart.money(value) for value in values],
            "hovertemplate": "%{customdata}",
            "marker": _look(kind),
        }
        chart.add_of(plan, bars, "marker")
    chart.add_of(plan, _unseen(chart.drawn[plan.slug]), "marker")


def _rows(chart: Chart, plan: PlanResult, sums: Sums, net: list[float]) -> list[list[str]]:
    """The table's rows of a plan: one a kind, and their sum."""
    named = [(wording.kind(kind), values, plan.total(kind)) for kind, values in sums.items()]
    named.append((gettext("Net"), net, plan.nominal_total))
    return [
        [chart.names[plan.slug], name, *(chart.money(value) for value in values), chart.money(total)]
        for name, values, total in named
    ]
