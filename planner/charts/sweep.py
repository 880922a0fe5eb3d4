"""What a sensitivity sweep found: a tornado of the assumptions, and the plans along one assumption."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from django.utils.translation import gettext

from planner import wording
from planner.charts.axes import line_axis, short_money, within_axis
from planner.charts.chart import Canvas, Figure
from planner.charts.text import escaped, short
from planner.charts.theme import LIGHT, MARKERS, plan_role, plan_style
from planner.engine.inputs import Scenario
from planner.engine.prices import PriceBook
from planner.engine.quantities import SHARE_UNITS
from planner.engine.sensitivity import Curve, Sweep

T = TypeVar("T")
Values = tuple[float | None, ...]

ROW, ROW_NARROW = 30, 46  # height of an assumption, its name beside or above its bar [px]
THICK, THIN = 0.64, 0.31  # thickness of a bar; of two that lie on one side of the base [rows]
HEAD = -1.2  # where the rows begin: above the first there is room for words [rows]
FAINT = 0.45  # opacity of the low end
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


# ── Tornado ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _End:
    """Where a bar ends: the money there, and the value of the assumption; `whole` if that is the end of its range."""

    money: float
    x: float
    whole: bool


@dataclass(frozen=True)
class _Row:
    curve: Curve
    values: Values
    low: _End
    high: _End

    least: float  # the lowest and the highest money anywhere in the range
    most: float

    @property
    def swing(self) -> float:
        return self.most - self.least


def lead(sweep: Sweep, curve: Curve) -> Values:
    """How much the plan that is cheapest now costs less than the next best one, along an assumption; negative where
    another one is cheaper, None where it has no rival or fails."""
    best = sweep.cheapest
    found: list[float | None] = []
    for n in range(len(curve.x)):
        own = curve.values[best][n] if best is not None else None
        rivals = [values[n] for slug, values in curve.values.items() if slug != best]
        known = [value for value in rivals if value is not None]
        found.append(None if own is None or not known else min(known) - own)
    return tuple(found)


def lead_now(sweep: Sweep) -> float | None:
    """That lead as things stand; None where there is no plan, or only one."""
    rivals = [value for slug, value in sweep.base.items() if slug != sweep.cheapest and value is not None]
    own = sweep.base[sweep.cheapest] if sweep.cheapest is not None else None
    return None if own is None or not rivals else min(rivals) - own


def tornado(chart: SweepChart, plan: str | None = None) -> Figure:
    """A bar an assumption, from what holds now to both ends of its range, the longest first.

    plan : whose present value; None: the lead of the plan that is cheapest now, whose bars cross zero where it loses.
    """
    sweep = chart.sweep
    base = lead_now(sweep) if plan is None else sweep.base.get(plan)
    slug = sweep.cheapest if plan is None else plan
    name = chart.plan(slug)
    title = (
        gettext("Lead of “{plan}” over the next plan") if plan is None else gettext("Present value of “{plan}”")
    ).format(plan=name)
    if base is None or slug is None:
        return chart.empty(title, gettext("As things stand there is no such figure to start from."))
    rows = [_row(curve, lead(sweep, curve) if plan is None else curve.values[plan], base) for curve in sweep.curves]
    rows = [row for row in rows if row.swing or not (row.low.whole and row.high.whole)]
    rows.sort(key=lambda row: -row.swing)
    if not rows:
        return chart.empty(title, gettext("No assumption moves it."))
    role = plan_role(chart.index[slug])
    chart.add(_bars(chart, rows, base, "low", gettext("at the low end"), FAINT), marker=role)
    chart.add(_bars(chart, rows, base, "high", gettext("at the high end"), 1.0), marker=role)
    _draw_between(chart, rows, base)
    _mark_flips(chart, rows, at_zero=plan is None)
    _rule(chart, base, len(rows), "ink2", gettext("now {money}").format(money=chart.compact(base)), "left")
    if plan is None:
        _rule(chart, 0.0, len(rows), "bad", gettext("no lead"), "right")
    _label_ends(chart, rows, base)
    ends = [base, *(money for row in rows for money in (row.least, row.most)), *([0.0] if plan is None else [])]
    labels = [escaped(chart.label(row.curve)) for row in rows]
    head = [gettext("Assumption"), gettext("Low end"), gettext("Amount")]
    head += [gettext("High end"), gettext("Amount"), gettext("Swing")]
    drawn = chart.done(
        title,
        _summary(chart, rows[0], base, plan is None),
        head,
        [_line(chart, row) for row in rows],
        axes={"xaxis": _money_axis(chart, ends, 0.22), "yaxis": _row_axis(labels)},
        height=64 + ROW * (len(rows) + 1),
        barmode="overlay",
        hovermode="closest",
    )
    _stack_names(chart, drawn, labels, _money_axis(chart, ends, 0.3, 3))
    return drawn


def _stack_names(chart: SweepChart, drawn: Figure, labels: list[str], axis: dict[str, Any]) -> None:
    """On a narrow screen each name stands above its bar."""
    layout = drawn["layout"]
    notes = list(chart.annotations)
    for n, label in enumerate(labels):
        chart.note(label, "ink", x=axis["range"][0], y=n - 0.28, xanchor="left", yanchor="bottom")
    layout["meta"]["narrow"] |= {
        "annotations": chart.annotations,
        "xaxis": {**layout["xaxis"], **axis},
        "yaxis": {**layout["yaxis"], "tickvals": [], "ticktext": []},
        "height": 64 + ROW_NARROW * (len(labels) + 1),
    }
    layout["annotations"] = notes


def _row(curve: Curve, values: Values, base: float) -> _Row:
    known = [n for n, value in enumerate(values) if value is not None]
    now = _End(base, curve.low if curve.holds is None else curve.holds, False)

    def end(n: int) -> _End:
        value = values[n]
        return now if value is None else _End(value, curve.x[n], n in (0, len(values) - 1))

    money = [base, *(value for value in values if value is not None)]
    low, high = (end(known[0]), end(known[-1])) if known else (now, now)
    return _Row(curve, values, low, high, min(money), max(money))


def _one_sided(row: _Row, base: float) -> bool:
    return (row.low.money - base) * (row.high.money - base) > 0


def _bars(chart: SweepChart, rows: list[_Row], base: float, end: str, name: str, opacity: float) -> dict[str, Any]:
    ends: list[_End] = [getattr(row, end) for row in rows]
    sided = [_one_sided(row, base) for row in rows]
    thin = -THIN if end == "low" else 0.0
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": list(range(len(rows))),
        "x": [short(each.money - base) for each in ends],
        "base": short(base),
        "width": [THIN if both else THICK for both in sided],
        "offset": [thin if both else -THICK / 2 for both in sided],
        "customdata": [
            f"{chart.value(row.curve, each.x)}: {chart.money(each.money)}" for row, each in zip(rows, ends, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {"opacity": opacity},
    }


def _rule(chart: SweepChart, x: float, rows: int, role: str, text: str, side: str) -> None:
    """A rule down all rows, with its words at its head, `side` of which is at the rule."""
    line = {"width": 1, "color": LIGHT[role], "dash": "solid" if role == "ink2" else "dash"}
    chart.shapes.append({"type": "line", "x0": x, "x1": x, "y0": HEAD, "y1": rows - 0.5, "line": line})
    shift = -5 if side == "right" else 5
    chart.note(text, role, x=short(x), y=HEAD + 0.3, yanchor="middle", xanchor=side, xshift=shift)


def _label_ends(chart: SweepChart, rows: list[_Row], base: float) -> None:
    """The value of the assumption beside each end of a bar; of two ends on one side, the nearer one's on the other."""
    for n, row in enumerate(rows):
        left, right = sorted((row.low, row.high), key=lambda end: end.money)
        for end, side in ((left, "right"), (right, "left")):
            if end.whole and end.x == row.curve.holds:
                continue  # there is no bar on this side
            text = chart.value(row.curve, end.x)
            if not end.whole:
                pattern = gettext("fails below {value}") if end is row.low else gettext("fails above {value}")
                text = pattern.format(value=text)
            chart.note(
                escaped(text),
                "ink2" if end.whole else "bad",
                x=short(row.least if side == "right" else row.most),
                y=n,
                yanchor="middle",
                xanchor=side,
                xshift=-5 if side == "right" else 5,
            )


def _draw_between(chart: SweepChart, rows: list[_Row], base: float) -> None:
    """A thin line to the lowest and the highest money of the range where that lies beyond the bar."""
    x: list[float | None] = []
    y: list[int | None] = []
    for n, row in enumerate(rows):
        bar = base, row.low.money, row.high.money
        for inner, outer in ((min(bar), row.least), (max(bar), row.most)):
            if abs(outer - inner) > 0.02 * row.swing:
                x += [short(inner), short(outer), None]
                y += [n, n, None]
    if x:
        line = {"width": 2, "dash": "solid"}
        name = gettext("within the range")
        chart.add(
            {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "hoverinfo": "skip", "line": line},
            line="ink2",
        )


def _mark_flips(chart: SweepChart, rows: list[_Row], *, at_zero: bool) -> None:
    """A mark where the assumption has the value at which another plan becomes the cheapest: there a lead is 0."""
    x, y = [], []
    for n, row in enumerate(rows):
        for flip in row.curve.around(chart.sweep.cheapest):
            money = None if flip is None else 0.0 if at_zero else _between(row.curve.x, row.values, flip.x)
            if money is not None:
                x.append(short(money))
                y.append(n)
    if x:
        chart.add(
            {
                "type": "scatter",
                "mode": "markers",
                "name": gettext("another plan becomes the cheapest"),
                "x": x,
                "y": y,
                "hoverinfo": "skip",
                "marker": {"size": 10, "symbol": "diamond-open", "line": {"width": 2}},
            },
            marker="ink",
        )


def _between(xs: tuple[float, ...], values: Values, x: float) -> float | None:
    """The value at x on the straight line between its neighbours; None where one of them is missing."""
    for (left, one), (right, other) in pairwise(zip(xs, values, strict=True)):
        if left <= x <= right:
            return None if one is None or other is None else one + (other - one) * (x - left) / (right - left)
    return None


def _money_axis(chart: SweepChart, ends: list[float], pad: float, count: int = 5) -> dict[str, Any]:
    """Money across, with room for labels beyond both ends."""
    low, high = min(ends), max(ends)
    room = (high - low) * pad or 1.0
    axis = within_axis(low - room, high + room, lambda value: short_money(value, chart.currency), count)
    return {**axis, "showgrid": True}


def _row_axis(labels: list[str]) -> dict[str, Any]:
    return {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "range": [len(labels) - 0.5, HEAD],
        "showgrid": False,
        "zeroline": False,
    }


def _summary(chart: SweepChart, row: _Row, base: float, is_lead: bool) -> str:
    pattern = (
        gettext("{assumption} moves this lead most: now {base}, at {low} {at_low}, at {high} {at_high}.")
        if is_lead
        else gettext("{assumption} moves it most: now {base}, at {low} {at_low}, at {high} {at_high}.")
    )
    return pattern.format(
        assumption=chart.label(row.curve),
        base=chart.compact(base),
        low=chart.value(row.curve, row.low.x),
        at_low=chart.compact(row.low.money),
        high=chart.value(row.curve, row.high.x),
        at_high=chart.compact(row.high.money),
    )


def _line(chart: SweepChart, row: _Row) -> list[str]:
    def there(end: _End, at_end: float | None) -> str:
        return gettext("not possible") if at_end is None else chart.money(end.money)

    return [
        chart.label(row.curve),
        chart.value(row.curve, row.curve.low),
        there(row.low, row.values[0]),
        chart.value(row.curve, row.curve.high),
        there(row.high, row.values[-1]),
        chart.money(row.swing),
    ]


# ── One assumption ───────────────────────────────────────────────────────────────────────────────────────────────────


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
