"""What a sensitivity sweep found along one assumption: the present value of every plan."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeVar

from django.utils.translation import gettext

from planner import wording
from planner.charts.axes import line_axis, within_axis
from planner.charts.chart import Canvas, Figure
from planner.charts.text import short
from planner.charts.theme import LIGHT, MARKERS, plan_role, plan_style
from planner.engine.inputs import Scenario
from planner.engine.prices import PriceBook
from planner.engine.quantities import SHARE_UNITS
from planner.engine.sensitivity import Curve, Sweep

T = TypeVar("T")
Values = tuple[float | None, ...]

LETTER = 0.026  # width of a letter on a small figure [share of the range]
EVERY = 5  # points a row of the table


class SweepChart(Canvas):
    """A figure of one sweep."""

    def __init__(self, sweep: Sweep, scenario: Scenario, book: PriceBook) -> None:
        super().__init__(scenario, book)
        self.sweep = sweep
        moved = [curve.paths for curve in (*sweep.curves, *((sweep.horizon,) if sweep.horizon else ()))]
        self.called = wording.assumption_names([*moved, *((path,) for path in sweep.rest)], scenario, book)

    def fresh(self) -> SweepChart:
        """Another figure of the same sweep, with the same names."""
        twin = copy.copy(self)
        twin.traces, twin.annotations, twin.shapes = [], [], []
        return twin

    def by_plan(self, found: dict[str, T]) -> list[tuple[str, T]]:
        """In the order of the scenario: what was stored may have lost it."""
        return [(slug, found[slug]) for slug in self.names]

    def label(self, curve: Curve) -> str:
        return self.called[curve.path]

    def value(self, curve: Curve, x: float) -> str:
        return wording.assumed(x, curve.unit, self.currency)

    def plan(self, slug: str | None) -> str:
        return gettext("no plan") if slug is None else self.names[slug]

    def quoted(self, slug: str | None) -> str:
        return self.plan(slug) if slug is None else gettext("“{name}”").format(name=self.plan(slug))

    def compact(self, amount: float) -> str:
        return wording.money(amount, self.currency, compact=True)


def curve(chart: SweepChart, along: Curve) -> Figure:
    """Present value of every plan over the range; below, in a band, which of them is the cheapest."""
    title = gettext("{assumption}, {range}").format(
        assumption=chart.label(along), range=wording.assumed_range(along.low, along.high, along.unit, chart.currency)
    )
    known = [value for values in along.values.values() for value in values if value is not None]
    if not known:
        return chart.empty(title, gettext("No plan is possible anywhere in this range."))
    axis = line_axis(min(known), max(known), chart.currency)
    floor, ceiling = axis["range"]
    row = (ceiling - floor) * 0.12
    axis["range"] = [floor - 0.7 * row, ceiling + 2 * row]
    shown = _shown_in(along)
    for slug, values in chart.by_plan(along.values):
        if any(value is not None for value in values):
            _draw_plan(chart, along, slug, values, shown)
    for low, high, plan in along.spans():
        if plan is not None:
            _draw_band(chart, [shown(low), shown(high)], floor - 0.35 * row, plan)
    _draw_now(chart, along, shown, (floor, ceiling, row))
    _draw_flips(chart, along, shown, (floor, ceiling, row))
    drawn = chart.done(
        title,
        along_words(chart, along),
        [chart.label(along), *chart.names.values(), gettext("Cheapest")],
        _table(chart, along),
        axes={"xaxis": _across(along, shown), "yaxis": axis},
        legend=False,
        height=220,
    )
    drawn["layout"]["meta"]["narrow"] = {}
    return drawn


def _shown_in(along: Curve) -> Callable[[float], float]:
    """From the value inside to the one on the axis: shares in per cent."""
    times = 100.0 if along.unit in SHARE_UNITS else 1.0
    return lambda x: round(x * times, 8)


def _across(along: Curve, shown: Callable[[float], float]) -> dict[str, Any]:
    share = along.unit in SHARE_UNITS
    return within_axis(
        shown(along.low),
        shown(along.high),
        lambda value: wording.tick(value / 100.0 if share else value, along.unit),
        hoverformat=".3~f",
        ticksuffix="%" if share else "",
    )


def _draw_plan(chart: SweepChart, along: Curve, slug: str, values: Values, shown: Callable[[float], float]) -> None:
    style = plan_style(chart.index[slug])
    across, up = [shown(x) for x in along.x], [None if value is None else short(value) for value in values]
    line = {
        "type": "scatter",
        "mode": "lines",
        "name": chart.drawn[slug],
        "x": across,
        "y": up,
        "line": {"width": 2, "dash": style["dash"]},
        "customdata": ["–" if value is None else chart.money(value) for value in values],
        "hovertemplate": "%{customdata}",
    }
    chart.add(line, line=style["role"])
    ends = [
        n
        for n, value in enumerate(values)
        if value is not None and any(near is None for near in values[max(0, n - 1) : n + 2])
    ]
    if ends:  # where the line breaks off the plan fails: a mark says that this is no accident
        marks = {
            "type": "scatter",
            "mode": "markers",
            "name": chart.drawn[slug],
            "showlegend": False,
            "x": [across[n] for n in ends],
            "y": [up[n] for n in ends],
            "hoverinfo": "skip",
            "marker": {"size": 8, "symbol": "x"},
        }
        chart.add(marks, marker=style["role"])


def _draw_band(chart: SweepChart, across: list[float], y: float, plan: str) -> None:
    band = {
        "type": "scatter",
        "mode": "lines",
        "name": chart.drawn[plan],
        "showlegend": False,
        "x": across,
        "y": [y, y],
        "hoverinfo": "skip",
        "line": {"width": 6},
    }
    chart.add(band, line=plan_role(chart.index[plan]))


Frame = tuple[float, float, float]


def _draw_now(chart: SweepChart, along: Curve, shown: Callable[[float], float], frame: Frame) -> None:
    """A rule at the value that holds now, with the mark of each plan on it."""
    if along.holds is None:
        return
    floor, ceiling, row = frame
    x = shown(along.holds)
    chart.shapes.append(_upright(x, floor, ceiling + row, "solid"))
    for slug, value in chart.by_plan(chart.sweep.base):
        if value is not None:
            index = chart.index[slug]
            marker = {"size": 7, "symbol": MARKERS[index % 6]}
            dot = {"type": "scatter", "mode": "markers", "name": chart.drawn[slug], "showlegend": False}
            chart.add(
                {**dot, "x": [x], "y": [short(value)], "hoverinfo": "skip", "marker": marker}, marker=plan_role(index)
            )
    text = gettext("now {value}").format(value=wording.tick(along.holds, along.unit))
    chart.note(text, "ink2", x=x, y=ceiling + 1.5 * row, yanchor="middle", xanchor=_side(along, along.holds))


def _draw_flips(chart: SweepChart, along: Curve, shown: Callable[[float], float], frame: Frame) -> None:
    """A rule at each value where the cheapest plan changes; labels that would overlap are left to the words below."""
    floor, ceiling, row = frame
    taken = float("-inf")
    for flip in along.flips:
        chart.shapes.append(_upright(shown(flip.x), floor, ceiling, "dot"))
        text, side = wording.tick(flip.x, along.unit), _side(along, flip.x)
        wide = LETTER * len(text) * (along.high - along.low)
        begins = flip.x - wide * {"left": 0.0, "center": 0.5, "right": 1.0}[side]
        if begins > taken:
            taken = begins + wide
            chart.note(text, "ink", x=shown(flip.x), y=ceiling + 0.5 * row, yanchor="middle", xanchor=side)


def _upright(x: float, low: float, high: float, dash: str) -> dict[str, Any]:
    line = {"width": 1, "dash": dash, "color": LIGHT["ink2"]}
    return {"type": "line", "x0": x, "x1": x, "y0": low, "y1": high, "layer": "below", "line": line}


def _side(along: Curve, x: float) -> str:
    """A label at an edge of the figure stands within it."""
    share = (x - along.low) / (along.high - along.low)
    return "left" if share < 0.12 else "right" if share > 0.88 else "center"


def along_words(chart: SweepChart, along: Curve) -> str:
    """Which plan is the cheapest where, and where one fails."""
    spans = along.spans()
    if len(spans) == 1:
        only = spans[0][2]
        said = (
            gettext("No plan is possible over the whole range.")
            if only is None
            else gettext("“{plan}” is the cheapest over the whole range.").format(plan=chart.plan(only))
        )
    else:
        parts = [
            gettext("{plan} below {value}").format(value=chart.value(along, high), plan=chart.quoted(plan))
            for _low, high, plan in spans[:-1]
        ]
        parts.append(gettext("{plan} beyond").format(plan=chart.quoted(spans[-1][2])))
        said = gettext("Cheapest: {plans}.").format(plans=gettext("; ").join(parts))
    gaps = []
    for slug, reasons in chart.by_plan(along.reasons):
        if chart.sweep.base[slug] is not None and (code := next((code for code in reasons if code), "")):
            gaps.append(
                gettext("“{plan}” is not possible on a part of the range: {reason}.").format(
                    plan=chart.plan(slug), reason=wording.plan_failure(code)
                )
            )
    return wording.findings.sentence_space().join([said, *gaps])


def _table(chart: SweepChart, along: Curve) -> list[list[str]]:
    """Every fifth point and the value that holds now."""
    picked = [n for n in range(len(along.x)) if n % EVERY == 0 or n == len(along.x) - 1]
    rows = {
        along.x[n]: ([values[n] for _slug, values in chart.by_plan(along.values)], along.cheapest[n]) for n in picked
    }
    if along.holds is not None:
        rows[along.holds] = [value for _slug, value in chart.by_plan(chart.sweep.base)], chart.sweep.cheapest
    return [
        [
            gettext("{value}, now").format(value=chart.value(along, x)) if x == along.holds else chart.value(along, x),
            *("–" if value is None else chart.money(value) for value in values),
            chart.plan(best),
        ]
        for x, (values, best) in sorted(rows.items())
    ]
