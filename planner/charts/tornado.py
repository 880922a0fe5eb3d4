"""What hangs on each assumption of a sensitivity sweep: a bar each, the longest first."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext

from planner.charts.across import THICK, height, money_axis, row_axis, stack_names
from planner.charts.chart import Figure
from planner.charts.sweep import SweepChart, Values
from planner.charts.text import escaped, short
from planner.charts.theme import LIGHT, plan_role
from planner.engine.sensitivity import Curve, Sweep

THIN = 0.31  # thickness of a bar of two that lie on one side of the base [rows]
HEAD = -1.2  # where the rows begin: above the first there is room for words [rows]
FAINT = 0.45  # opacity of the low end


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
        axes={"xaxis": money_axis(chart.currency, ends, 0.22), "yaxis": row_axis(labels, HEAD)},
        height=height(len(rows)),
        barmode="overlay",
        hovermode="closest",
    )
    stack_names(chart, drawn, labels, money_axis(chart.currency, ends, 0.3, 3))
    return drawn


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
