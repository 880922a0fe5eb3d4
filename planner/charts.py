"""Results → figures as plain Plotly dicts: the page, the report and the PDF draw the same ones.

Colours are those of the light theme, all of them values of `layout.meta.light`; the page's script replaces each by
that of the same role in `layout.meta.dark`. Under 600 px the keys of `layout.meta.narrow` replace those of the
layout: a legend instead of labels. SVG traces only (scatter, bar). A plan keeps its colour, dash and marker by its
place in the scenario, in every figure.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.engine.calendar import Array
from planner.engine.compare import Comparison
from planner.engine.lines import CATEGORIES
from planner.engine.result import Evaluation, PlanResult

Figure = dict[str, Any]

FIGURES = ("cumulative", "category", "capacity", "power", "cash")

# Okabe–Ito order, darkened or lightened to reach 3:1 on the page's ground.
LIGHT = {
    "plan1": "#0072b2",
    "plan2": "#d55e00",
    "plan3": "#009e73",
    "plan4": "#8b5a9f",
    "plan5": "#8a6d00",
    "plan6": "#a8325a",
    "ink": "#14181d",
    "ink2": "#5a6572",
    "line": "#e3e7eb",
    "line2": "#eef1f4",
    "ground": "#ffffff",
    "bad": "#b3261e",
}
DARK = {
    "plan1": "#56b4e9",
    "plan2": "#f08a4b",
    "plan3": "#35c79a",
    "plan4": "#c79be0",
    "plan5": "#d9b84a",
    "plan6": "#f08aa8",
    "ink": "#e9edf1",
    "ink2": "#a3aebb",
    "line": "#2a323b",
    "line2": "#20272f",
    "ground": "#161b21",
    "bad": "#ff8a80",
}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
PATTERNS = ("", "/", ".", "\\", "x", "-")
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans SC", "Microsoft YaHei", sans-serif'


def plan_role(index: int) -> str:
    """Role of the colour of the plan in this place of the scenario."""
    return f"plan{index % 6 + 1}"


def plan_style(index: int) -> dict[str, str]:
    """Colour in both themes, dash and marker of a plan by its place in the scenario."""
    role = plan_role(index)
    return {
        "role": role,
        "light": LIGHT[role],
        "dark": DARK[role],
        "dash": DASHES[index % 6],
        "marker": MARKERS[index % 6],
    }


def figure(code: str, evaluation: Evaluation, comparison: Comparison) -> Figure:
    """One figure: {"code", "data", "layout", "title", "summary", "table": {"head", "rows"}}; a KeyError for an
    unknown code."""
    return {"code": code, **_DRAWN[code](_Chart(evaluation, comparison))}


class _Chart:
    """What the figures of one evaluation share."""

    def __init__(self, evaluation: Evaluation, comparison: Comparison) -> None:
        self.evaluation, self.comparison = evaluation, comparison
        self.scenario, self.calendar, self.currency = (
            evaluation.scenario,
            evaluation.calendar,
            evaluation.scenario.currency,
        )
        self.names = wording.plan_names(self.scenario, evaluation.book)
        self.drawn = {slug: _escaped(name) for slug, name in self.names.items()}  # Plotly reads HTML in a trace's name
        self.index = {plan.slug: index for index, plan in enumerate(self.scenario.plans)}
        self.priced = [plan for plan in evaluation.plans if plan.priced]
        self.firsts = [
            day.isoformat()[:7] for day in self.calendar.firsts
        ]  # one more than the months: the last one's end
        self.traces: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []
        self.shapes: list[dict[str, Any]] = []

    # ── traces ──

    def add(self, trace: dict[str, Any], **roles: str) -> None:
        """Add a trace; `roles` name the colours of its line and marker."""
        for part, role in roles.items():
            trace.setdefault(part, {})["color"] = LIGHT[role]
        self.traces.append(trace)

    def steps(self, plan: PlanResult, values: Array, *, hover: str, axis: str = "y", legend: bool = True) -> None:
        """A plan's curve in its colour and dash. The last value is held to the end of the last month."""
        index = self.index[plan.slug]
        held = [*(_short(value) for value in values), _short(float(values[-1]))]
        trace = {
            "type": "scatter",
            "mode": "lines",
            "name": self.drawn[plan.slug],
            "legendgroup": plan.slug,
            "showlegend": legend,
            "x": self.firsts,
            "y": held,
            "yaxis": axis,
            "line": {"width": 2, "shape": "hv", "dash": DASHES[index % 6]},
            "hovertemplate": hover,
        }
        self.add(trace, line=plan_role(index))

    def note(self, text: str, role: str, **place: Any) -> None:
        self.annotations.append({"text": text, "showarrow": False, "font": {"size": 11, "color": LIGHT[role]}, **place})

    def end_labels(self, ends: list[tuple[PlanResult, float]], low: float, high: float, axis: str = "y") -> None:
        """Names at the ends of the lines, moved apart where they would overlap."""
        gap = (high - low) * 0.055 or 1.0
        placed: list[float] = []
        for plan, value in sorted(ends, key=lambda end: end[1]):
            y = max(value, placed[-1] + gap) if placed else value
            placed.append(y)
            self.note(
                self.drawn[plan.slug],
                plan_role(self.index[plan.slug]),
                x=self.firsts[-1],
                y=_short(y),
                yref=axis,
                xanchor="left",
                yanchor="middle",
                xshift=6,
                align="left",
            )

    # ── axes ──

    def month_axis(self) -> dict[str, Any]:
        """Few dates: about six, on whole half-years."""
        months = self.calendar.months
        every = max(1, math.ceil(months / 6))
        every = next((step for step in (1, 2, 3, 6, 12, 24) if step >= every), 24)
        at = list(range(0, months, every))
        if months - at[-1] > every * 0.5:
            at.append(months)
        return {
            "type": "date",
            "hoverformat": "%Y-%m",
            "tickmode": "array",
            "tickvals": [self.firsts[m] for m in at],
            "ticktext": [wording.month_label(self.calendar, m) for m in at],
            "range": [self.firsts[0], self.firsts[-1]],
        }

    def value_axis(self, low: float, high: float, label: Callable[[float], str], **more: Any) -> dict[str, Any]:
        """Round ticks that take in zero and both ends."""
        ticks = _ticks(min(low, 0.0), max(high, 0.0))
        return {
            "tickmode": "array",
            "tickvals": ticks,
            "ticktext": [label(tick) for tick in ticks],
            "range": [ticks[0], ticks[-1] * 1.02 if ticks[-1] > 0 else 0.0],
            "rangemode": "tozero",
            **more,
        }

    def money_axis(self, low: float, high: float, **more: Any) -> dict[str, Any]:
        return self.value_axis(low, high, self.tick, **more)

    def tick(self, value: float) -> str:
        return (
            re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", wording.money(value, self.currency, compact=True))
            .replace(".k", "k")
            .replace(".M", "M")
            .replace(".B", "B")
            .replace(".万", "万")
            .replace(".亿", "亿")
        )

    def count_axis(self, high: float, whole: bool = False, **more: Any) -> dict[str, Any]:
        axis = self.value_axis(0.0, high, wording.number, **more)
        if whole:  # no half racks
            kept = [tick for tick in axis["tickvals"] if float(tick).is_integer()]
            axis |= {"tickvals": kept, "ticktext": [wording.number(tick) for tick in kept]}
        return axis

    # ── the whole ──

    def done(
        self,
        title: str,
        summary: str,
        head: Sequence[str],
        rows: list[list[str]],
        *,
        axes: dict[str, Any],
        legend: bool = True,
        right: int = 40,
        **layout: Any,
    ) -> Figure:
        themed = {
            name: {
                "gridcolor": LIGHT["line2"],
                "zerolinecolor": LIGHT["line"],
                "linecolor": LIGHT["line"],
                "showline": name.startswith("x"),
                "showgrid": name.startswith("y"),
                "fixedrange": True,
                "automargin": True,
                "ticks": "",
                "showspikes": False,  # its white halo suits no dark ground
                **axis,
            }
            for name, axis in axes.items()
        }
        return {
            "title": title,
            "summary": summary,
            "table": {"head": list(head), "rows": rows},
            "data": self.traces,
            "layout": {
                "paper_bgcolor": "rgba(0,0,0,0)",
                "plot_bgcolor": "rgba(0,0,0,0)",
                "font": {"family": FONT, "size": 12, "color": LIGHT["ink2"]},
                "margin": {"l": 56, "r": right, "t": 16, "b": 36},
                "hovermode": "x unified",
                "showlegend": legend,
                "legend": {"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"},
                "hoverlabel": {
                    "bgcolor": LIGHT["ground"],
                    "bordercolor": LIGHT["line"],
                    "font": {"color": LIGHT["ink"]},
                },
                "annotations": self.annotations,
                "shapes": self.shapes,
                **themed,
                **layout,
                "meta": {
                    "light": LIGHT,
                    "dark": DARK,
                    "narrow": {"showlegend": True, "annotations": [], "margin": {"l": 48, "r": 16, "t": 16, "b": 36}},
                },
            },
        }


# ── Cumulative cost ──────────────────────────────────────────────────────────────────────────────────────────────────


def _cumulative(chart: _Chart) -> Figure:
    """Steps are purchases; the value at the horizon is left out, as in the break-even."""
    curves = {plan.slug: plan.cumulative_without_residual for plan in chart.priced}
    high = max((float(curve.max()) for curve in curves.values()), default=1.0)
    low = min((float(curve.min()) for curve in curves.values()), default=0.0)
    for plan in chart.priced:
        index, waves = chart.index[plan.slug], _waves(plan)
        x, y = _with_jumps(chart, plan, curves[plan.slug], waves)
        chart.add(
            {
                "type": "scatter",
                "mode": "lines",
                "name": chart.drawn[plan.slug],
                "legendgroup": plan.slug,
                "x": x,
                "y": y,
                "line": {"width": 2, "dash": DASHES[index % 6]},
                "hovertemplate": _hover(chart),
            },
            line=plan_role(index),
        )
        if waves:
            chart.add(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": chart.drawn[plan.slug],
                    "legendgroup": plan.slug,
                    "showlegend": False,
                    "x": [chart.firsts[m] for m in waves],
                    "y": [_short(float(curves[plan.slug][m])) for m in waves],
                    "hoverinfo": "skip",
                    "marker": {"size": 7, "symbol": MARKERS[index % 6]},
                },
                marker=plan_role(index),
            )
    chart.end_labels([(plan, float(curves[plan.slug][-1])) for plan in chart.priced], low, high)
    crossing = _mark_break_even(chart, curves)
    months = chart.calendar.months
    summary = gettext(
        "Cumulative cost in present value after {months} months, before the value of the machines: {plans}."
    ).format(months=months, plans=_listed(chart, {slug: float(curve[-1]) for slug, curve in curves.items()}))
    if crossing:
        summary += wording.findings.sentence_space() + crossing
    table = [
        [
            wording.month_label(chart.calendar, m),
            *(wording.money(float(curves[plan.slug][m]), chart.currency) for plan in chart.priced),
        ]
        for m in range(months)
    ]
    widest = max((len(chart.names[plan.slug]) for plan in chart.priced), default=0)
    return chart.done(
        gettext("Cumulative cost, present value"),
        summary,
        [gettext("Month"), *(chart.names[plan.slug] for plan in chart.priced)],
        table,
        axes={"xaxis": chart.month_axis(), "yaxis": chart.money_axis(low, high)},
        legend=False,
        right=min(190, 20 + _width(chart, widest)),
    )


def _waves(plan: PlanResult) -> list[int]:
    """Months in which machines or fabric are paid."""
    cells = [line.minor for line in plan.lines if line.category in ("capex.accelerators_and_servers", "capex.fabric")]
    return [int(m) for m in np.flatnonzero(sum(cells, np.zeros(plan.calendar.months)))]


def _with_jumps(chart: _Chart, plan: PlanResult, curve: Array, waves: list[int]) -> tuple[list[str], list[float | int]]:
    """The curve with a point on the eve of each purchase: running costs slope, purchases step."""
    jumps = plan.monthly("capex") * plan.discount
    x: list[str] = []
    y: list[float | int] = []
    for m, value in enumerate(curve):
        if m and m in waves:
            x.append((chart.calendar.firsts[m] - dt.timedelta(days=1)).isoformat())
            y.append(_short(float(value - jumps[m])))
        x.append(chart.firsts[m])
        y.append(_short(float(value)))
    return x, y


def _mark_break_even(chart: _Chart, curves: dict[str, Array]) -> str:
    """Mark the month from which the chosen plan is the cheaper one; returns a sentence, or nothing where none is.

    Against the cloud where that month exists, for it is the question most asked; else the runner-up, else the first.
    """
    best = chart.comparison.verdict.plan
    if best is None or best not in curves:
        return ""
    rents = {plan.slug: plan.plan.start is None for plan in chart.priced}
    found = []
    for other in curves:
        state = chart.comparison.break_even[best][other] if other != best else None
        if state is not None and state.state == "crossings" and state.cheaper_after:
            rank = 0 if rents[other] else 1 if other == chart.comparison.verdict.runner_up else 2
            found.append((rank, state.months[-1], other))
    if not found:
        return ""
    _rank, m, other = min(found)
    one = best
    y = _short(float(curves[one][m]))
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
        number=m, one=chart.names[one], other=chart.names[other]
    )
    late = m > chart.calendar.months * 0.7  # below the curves there is room after the crossing, unless the horizon ends
    chart.note(
        "<br>".join(_escaped(line) for line in _wrapped(text, 40)),
        "ink2",
        x=chart.firsts[m],
        y=0,
        yanchor="bottom",
        xanchor="right" if late else "left",
        xshift=-6 if late else 6,
        align="right" if late else "left",
    )
    return gettext("{text}.").format(text=text)


# ── By category ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _category(chart: _Chart) -> Figure:
    """One group of bars a category, one bar a plan, from zero; credits below it."""
    parts = {plan.slug: plan.by_category() for plan in chart.priced}
    used = [name for name in CATEGORIES if any(abs(found.get(name, 0.0)) > 0 for found in parts.values())]
    biggest = max((abs(value) for found in parts.values() for value in found.values()), default=1.0)
    shown = [name for name in used if max(abs(found.get(name, 0.0)) for found in parts.values()) >= biggest * 0.004]
    labels = [wording.category(name) for name in shown]
    for plan in chart.priced:
        index = chart.index[plan.slug]
        values = [parts[plan.slug].get(name, 0.0) for name in shown]
        chart.add(
            {
                "type": "bar",
                "name": chart.drawn[plan.slug],
                "legendgroup": plan.slug,
                "orientation": "h",
                "y": labels,
                "x": [_short(value) or None for value in values],
                "customdata": [wording.money(value, chart.currency) for value in values],
                "hovertemplate": "%{customdata}",
                "marker": {
                    "pattern": {"shape": PATTERNS[index % 6], "solidity": 0.15, "fgopacity": 0.6, "fillmode": "overlay"}
                },
            },
            marker=plan_role(index),
        )
    low = min((value for found in parts.values() for value in found.values()), default=0.0)
    high = max((value for found in parts.values() for value in found.values()), default=1.0)
    summary = gettext("Present value by category: {plans}.").format(
        plans=gettext("; ").join(
            gettext("{plan}: {category} {amount}").format(
                plan=chart.names[slug],
                category=wording.category(name),
                amount=wording.money(found[name], chart.currency, compact=True),
            )
            for slug, found in parts.items()
            if found
            for name in (max(found, key=lambda each: found[each]),)
        )
    )
    table = [
        [
            wording.category(name),
            *(wording.money(parts[plan.slug].get(name, 0.0), chart.currency) for plan in chart.priced),
        ]
        for name in used
    ]
    table.append([gettext("Total"), *(wording.money(plan.present_value, chart.currency) for plan in chart.priced)])
    axis = chart.money_axis(low, high, showgrid=True, zeroline=True)
    if low < 0:
        axis["range"][0] = axis["tickvals"][0]
    return chart.done(
        gettext("Present value by category"),
        summary,
        [gettext("Category"), *(chart.names[plan.slug] for plan in chart.priced)],
        table,
        axes={"xaxis": axis, "yaxis": {"autorange": "reversed", "showgrid": False, "type": "category"}},
        barmode="group",
        bargap=0.25,
        hovermode="y unified",
        height=max(320, 70 + len(shown) * (10 + 9 * max(1, len(chart.priced)))),
    )


# ── Capacity and demand ──────────────────────────────────────────────────────────────────────────────────────────────


def _capacity(chart: _Chart) -> Figure:
    """GPUs owned (with what is rented on top, dotted) against what is asked for."""
    plans = chart.evaluation.plans
    if not plans:
        return chart.done(gettext("Capacity and demand"), "", [], [], axes={})
    demand = plans[0].demand[0]
    best = chart.comparison.verdict.plan
    needed_of = chart.evaluation.plan(best) if best else plans[0]
    needed = np.where(np.isfinite(needed_of.needed[0]), needed_of.needed[0], 0.0)
    high = float(max(demand.max(), needed.max()))
    for name, values, dash in (
        (gettext("Demand, on average"), demand, "solid"),
        (gettext("GPUs needed"), needed, "dash"),
    ):
        chart.add(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": chart.firsts[:-1],
                "y": [_short(float(value), 3) for value in values],
                "line": {"width": 1.5, "dash": dash},
                "hovertemplate": "%{y:.3~f}",
            },
            line="ink" if dash == "solid" else "ink2",
        )
    rented_peak: dict[str, float] = {}
    for plan in plans:
        owned, rented = plan.capacity, _rented(plan)
        rented_peak[plan.slug] = float(rented.max(initial=0.0))
        high = max(high, float(owned.max(initial=0.0)), float(rented.max(initial=0.0)))
        if owned.any():
            chart.steps(plan, owned, hover="%{y:.3~f}")
        if rented.any():
            index = chart.index[plan.slug]
            chart.add(
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": gettext("{plan}, rented").format(plan=chart.drawn[plan.slug]),
                    "legendgroup": plan.slug,
                    "x": chart.firsts[:-1],
                    "y": [_short(float(value), 3) for value in rented],
                    "line": {"width": 1, "dash": "dot"},
                    "hovertemplate": "%{y:.3~f}",
                    "marker": {"size": 5, "symbol": MARKERS[index % 6] + "-open", "maxdisplayed": 12},
                },
                line=plan_role(index),
                marker=plan_role(index),
            )
    last = chart.calendar.months - 1
    summary = gettext("Demand grows from {first} to {last} GPUs; GPUs that run at the end: {plans}.").format(
        first=wording.number(float(demand[0]), digits=3),
        last=wording.number(float(demand[last]), digits=3),
        plans=gettext(", ").join(
            f"{chart.names[plan.slug]} {wording.number(float(plan.capacity[last]), digits=3)}" for plan in plans
        ),
    )
    head = [gettext("Month"), gettext("Demand, on average"), gettext("GPUs needed")]
    for plan in plans:
        head += [
            gettext("{plan}, owned").format(plan=chart.names[plan.slug]),
            gettext("{plan}, rented").format(plan=chart.names[plan.slug]),
        ]
    hired = {plan.slug: _rented(plan) for plan in plans}
    table = [
        [
            wording.month_label(chart.calendar, m),
            wording.number(float(demand[m])),
            wording.number(float(needed[m])),
            *(wording.number(float(values[m])) for plan in plans for values in (plan.capacity, hired[plan.slug])),
        ]
        for m in range(chart.calendar.months)
    ]
    return chart.done(
        gettext("Capacity and demand"),
        summary,
        head,
        table,
        axes={"xaxis": chart.month_axis(), "yaxis": chart.count_axis(high, title={"text": "GPU"})},
    )


def _rented(plan: PlanResult) -> Array:
    return np.asarray(sum((rented[0] for rented in plan.allocation.rented.values()), np.zeros(plan.calendar.months)))


# ── Power and racks ──────────────────────────────────────────────────────────────────────────────────────────────────


def _power(chart: _Chart) -> Figure:
    """IT kW above, racks below, each with the limit of the room."""
    plans = [plan for plan in chart.evaluation.plans if plan.housing.draw_busy.any()]
    limit, position = _limits(chart)
    draw_high = max(
        [float(plan.housing.draw_busy[0].max()) for plan in plans]
        + [value for value in limit if value is not None]
        + [1.0]
    )
    rack_high = max(
        [float(plan.housing.racks[0].max()) for plan in plans]
        + [value for value in position if value is not None]
        + [1.0]
    )
    for plan in plans:
        chart.steps(plan, plan.housing.draw[0], hover="%{y:.2~f} kW")
    for plan in plans:
        if plan.housing.racks.any():
            chart.steps(plan, plan.housing.racks[0], hover="%{y}", axis="y2", legend=False)
    for name, values, axis in ((gettext("Cooling limit"), limit, "y"), (gettext("Rack limit"), position, "y2")):
        if any(value is not None for value in values):
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
    peak = gettext(", ").join(
        f"{chart.names[plan.slug]} {wording.number(plan.peak_kw, digits=3)}{wording.numbers.SPACE}kW" for plan in plans
    )
    summary = (
        gettext("Peak power of the machines: {plans}.").format(plans=peak)
        if plans
        else gettext("No plan owns machines.")
    )
    first = limit[0] if limit else None
    if first is not None:
        summary += wording.findings.sentence_space() + gettext(
            "The room carries away {kw} kW at the start, before upgrades."
        ).format(kw=wording.number(first))
    head = [gettext("Month")]
    for plan in plans:
        head += [
            gettext("{plan}, kW").format(plan=chart.names[plan.slug]),
            gettext("{plan}, racks").format(plan=chart.names[plan.slug]),
        ]
    head.append(gettext("Cooling limit, kW"))
    table = [
        [
            wording.month_label(chart.calendar, m),
            *(
                text
                for plan in plans
                for text in (
                    wording.number(float(plan.housing.draw[0, m]), digits=3),
                    wording.number(float(plan.housing.racks[0, m])),
                )
            ),
            "–" if limit[m] is None else wording.number(limit[m] or 0.0),
        ]
        for m in range(chart.calendar.months)
    ]
    return chart.done(
        gettext("Power and racks"),
        summary,
        head,
        table,
        axes={
            "xaxis": {**chart.month_axis(), "anchor": "y2"},
            "yaxis": chart.count_axis(draw_high, title={"text": "kW"}, domain=[0.36, 1.0]),
            "yaxis2": chart.count_axis(rack_high, whole=True, title={"text": gettext("racks")}, domain=[0.0, 0.26]),
        },
    )


def _limits(chart: _Chart) -> tuple[list[float | None], list[float | None]]:
    """(cooling kW, racks) of the room in each month, before the upgrades that plans buy; None where none is known."""
    sites = chart.evaluation.plans[0].housing.site_of if chart.evaluation.plans else []
    return (
        [None if site.cooling_kw is None else float(site.cooling_kw) for site in sites],
        [None if site.racks is None else float(site.racks) for site in sites],
    )


# ── Cash by fiscal year ──────────────────────────────────────────────────────────────────────────────────────────────


def _cash(chart: _Chart) -> Figure:
    """A group of bars a fiscal year, a bar a plan: capex, opex on top, credits below zero; nominal."""
    years = chart.calendar.fiscal_years(chart.scenario.finance.fiscal_year_start_month)
    labels = [gettext("FY {year}").format(year=label) + ("*" if partial else "") for label, _months, partial in years]
    kinds = (("capex", "", 1.0), ("opex", "/", 0.55), ("credit", ".", 0.8))
    sums: dict[tuple[str, str], list[float]] = {}
    for plan in chart.priced:
        for kind, _pattern, _opacity in kinds:
            monthly = plan.monthly(kind)
            sums[plan.slug, kind] = [
                round(float(monthly[months].sum()), plan.decimals) for _label, months, _partial in years
            ]
    low = high = 0.0
    for plan in chart.priced:
        role = plan_role(chart.index[plan.slug])
        below = [0.0] * len(years)
        for kind, pattern, opacity in kinds:
            values = sums[plan.slug, kind]
            if not any(values):
                continue
            chart.add(
                {
                    "type": "bar",
                    "name": gettext("{plan}: {kind}").format(plan=chart.drawn[plan.slug], kind=wording.kind(kind)),
                    "legendgroup": plan.slug,
                    "showlegend": False,
                    "x": labels,
                    "y": [_short(value) or None for value in values],  # None: no entry when hovered
                    "offsetgroup": plan.slug,
                    "base": [_short(base) for base in below] if kind == "opex" else 0,
                    "customdata": [wording.money(value, chart.currency) for value in values],
                    "hovertemplate": "%{customdata}",
                    "marker": {"opacity": opacity, "pattern": {"shape": pattern, "solidity": 0.3}},
                },
                marker=role,
            )
            if kind == "capex":
                below = values
            if kind == "opex":
                high = max(high, max((base + value for base, value in zip(below, values, strict=True)), default=0.0))
            high, low = max(high, *values), min(low, *values)
        chart.add(
            {
                "type": "bar",
                "name": chart.drawn[plan.slug],
                "legendgroup": plan.slug,
                "x": [None],
                "y": [None],
                "hoverinfo": "skip",
            },
            marker=role,
        )
    for kind, pattern, opacity in kinds:
        if any(any(sums[plan.slug, kind]) for plan in chart.priced):
            chart.add(
                {
                    "type": "bar",
                    "name": wording.kind(kind),
                    "x": [None],
                    "y": [None],
                    "hoverinfo": "skip",
                    "marker": {"opacity": opacity, "pattern": {"shape": pattern, "solidity": 0.3}},
                },
                marker="ink2",
            )
    net = {
        plan.slug: [
            round(sum(sums[plan.slug, kind][year] for kind, _p, _o in kinds), plan.decimals)
            for year in range(len(years))
        ]
        for plan in chart.priced
    }
    summary = gettext("Cash out in {year}, the first fiscal year: {plans}.").format(
        year=labels[0] if labels else "", plans=_listed(chart, {slug: values[0] for slug, values in net.items()})
    )
    if any(partial for _label, _months, partial in years):
        summary += wording.findings.sentence_space() + gettext("An asterisk marks a part of a year.")
    head = [gettext("Plan"), gettext("Kind"), *labels, gettext("Total")]
    table = []
    for plan in chart.priced:
        for kind, _pattern, _opacity in kinds:
            values = sums[plan.slug, kind]
            table.append(
                [
                    chart.names[plan.slug],
                    wording.kind(kind),
                    *(wording.money(value, chart.currency) for value in values),
                    wording.money(plan.total(kind), chart.currency),
                ]
            )
        table.append(
            [
                chart.names[plan.slug],
                gettext("Net"),
                *(wording.money(value, chart.currency) for value in net[plan.slug]),
                wording.money(plan.nominal_total, chart.currency),
            ]
        )
    axis = chart.money_axis(low, high, zeroline=True)
    return chart.done(
        gettext("Cash by fiscal year"),
        summary,
        head,
        table,
        axes={"xaxis": {"type": "category"}, "yaxis": axis},
        barmode="group",
        bargap=0.25,
    )


# ── Small things ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _listed(chart: _Chart, amounts: dict[str, float]) -> str:
    return gettext(", ").join(
        f"{chart.names[slug]} {wording.money(amount, chart.currency, compact=True)}" for slug, amount in amounts.items()
    )


def _hover(chart: _Chart) -> str:
    """Plotly groups the digits; the sign stands before the number."""
    symbol = wording.numbers.SYMBOLS.get(chart.currency, chart.currency + wording.numbers.SPACE)
    return symbol + "%{y:,.0f}"


def _short(value: float, decimals: int = 2) -> float | int:
    """A number with as few characters as it needs on a screen: whole from 1,000 on."""
    rounded = round(value, 0 if abs(value) >= 1000 else decimals)
    return int(rounded) if float(rounded).is_integer() else rounded


def _ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round values from at or below `low` to at or above `high`."""
    span = high - low or 1.0
    raw = span / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(index * step, 10) for index in range(first, last + 1)]


def _width(chart: _Chart, letters: int) -> int:
    """Pixels that a label of so many letters takes."""
    return int(letters * (12 if wording.chinese() else 6.4))


def _wrapped(text: str, letters: int) -> list[str]:
    """A label in lines of about so many letters; Chinese breaks anywhere, and its letters are twice as wide."""
    if not wording.chinese():
        return textwrap.wrap(text, letters)
    return [text[at : at + letters // 2] for at in range(0, len(text), letters // 2)]


def _escaped(text: str) -> str:
    """Plotly reads a little HTML in labels; names are text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_DRAWN: dict[str, Callable[[_Chart], Figure]] = {
    "cumulative": _cumulative,
    "category": _category,
    "capacity": _capacity,
    "power": _power,
    "cash": _cash,
}
