"""The history of a price: a point a quote, its kind by colour and marker, a line as long as it can be accepted."""

import datetime as dt
from typing import Any

from django.utils.translation import gettext

from catalog.history import Point, Series
from planner import wording
from planner.charts.axes import Axis
from planner.charts.chart import Figure
from planner.charts.layout import layout
from planner.charts.svg import text_width
from planner.charts.text import escaped, ticks
from planner.charts.theme import LIGHT

#: Kind of quote → role of its colour, marker. Open markers are of goods that are not new.
LOOKS = {
    "quote": ("plan1", "circle"),
    "list": ("plan2", "square"),
    "street": ("plan3", "triangle-up"),
    "reseller": ("plan4", "diamond"),
    "analyst": ("plan5", "triangle-down"),
    "used": ("plan6", "cross"),
    "index": ("plan1", "triangle-right"),
    "auction": ("plan4", "hourglass"),
    "news": ("plan6", "triangle-left"),
    "estimate": ("ink2", "x"),
}
KINDS = tuple(LOOKS)
HEIGHT, HEIGHT_OF_FEW, FEW = 300, 220, 3  # [px], [px], prices
MARKER, LINE = 10, 14  # [px]
LABELLED, SHARE = 440, 0.75  # the narrowest plot in which labels must find room [px]; its share of the height [1]
FARTHEST = dt.timedelta(days=365)  # beyond today that an axis follows a validity
MARGIN = dt.timedelta(days=20)  # least room beside the first and the last day
MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)  # between ticks
Box = tuple[float, float, float, float]


def figure(series: Series, today: dt.date) -> Figure:
    """One series as a figure; `layout.height` is set. Its table stands on the page: it holds what is not drawn too."""
    return _Drawing(series, today).figure()


class _Drawing:
    def __init__(self, series: Series, today: dt.date) -> None:
        self.series, self.today = series, today
        self.points = series.points
        self.height = HEIGHT if len(self.points) > FEW else HEIGHT_OF_FEW
        ends = [*(point.day for point in self.points), today]
        ends += [min(point.until, today + FARTHEST) for point in self.points if point.until]
        margin = max(MARGIN, (max(ends) - min(ends)) * 0.04)
        self.begin, self.end = _moved(min(ends), -margin), _moved(max(ends), margin)
        self.ticks = _price_ticks([float(point.amount) for point in self.points])
        self.top = self.ticks[-1] + (self.ticks[-1] - self.ticks[0]) * 0.1  # room for a label

    def figure(self) -> Figure:
        groups: dict[tuple[str, str], list[Point]] = {}
        for point in sorted(self.points, key=lambda point: (KINDS.index(point.kind), not point.new)):
            groups.setdefault((point.kind, point.label), []).append(point)
        labels = self._labels([points[-1] for points in groups.values()])
        today = _note(self.today, self.ticks[0], gettext("today"), "ink2", "right", xshift=-5)
        drawn = layout(
            {"xaxis": self._day_axis(), "yaxis": self._price_axis()},
            legend=not labels,
            right=24,
            annotations=[*labels, today],
            shapes=[self._today_line()],
            hovermode="closest",
            height=self.height,
        )
        drawn["meta"]["narrow"] |= {"annotations": [today], "xaxis": _every_second(drawn["xaxis"])}
        traces = [self._validity(points) for points in groups.values() if any(point.until for point in points)]
        return {
            "title": self.series.unit,
            "summary": self.series.summary,
            "data": [*traces, *(_markers(points) for points in groups.values())],
            "layout": drawn,
        }

    # ── axes ──

    def _day_axis(self) -> Axis:
        """At most six round dates."""
        first, last = _month_number(self.begin), _month_number(self.end)
        step = next((step for step in MONTHS if (last - first) / step <= 6), (last - first) // 6)
        days = [dt.date(month // 12, month % 12 + 1, 1) for month in range(first + -first % step, last + 1, step)]
        days = [day for day in days if self.begin <= day]
        return {
            "type": "date",
            "tickmode": "array",
            "tickvals": [day.isoformat() for day in days],
            "ticktext": [f"{day:%Y}" if step >= 12 else f"{day:%Y-%m}" for day in days],
            "range": [self.begin.isoformat(), self.end.isoformat()],
        }

    def _price_axis(self) -> Axis:
        return {
            "tickmode": "array",
            "tickvals": self.ticks,
            "ticktext": [wording.number(tick) for tick in self.ticks],
            "range": [self.ticks[0], self.top],
        }

    # ── what is drawn ──

    def _validity(self, points: list[Point]) -> dict[str, Any]:
        """From the day of each price to its last one, or to where the axis ends."""
        x: list[str | None] = []
        y: list[float | None] = []
        for point in points:
            if point.until:
                x += [point.day.isoformat(), min(point.until, self.end).isoformat(), None]
                y += [float(point.amount), float(point.amount), None]
        return {
            "type": "scatter",
            "mode": "lines",
            "showlegend": False,
            "hoverinfo": "skip",
            "x": x,
            "y": y,
            "line": {"width": 1.5, "color": LIGHT[LOOKS[points[0].kind][0]]},
        }

    def _today_line(self) -> dict[str, Any]:
        day = self.today.isoformat()
        line = {"width": 1, "dash": "dot", "color": LIGHT["ink2"]}
        return {
            "type": "line",
            "x0": day,
            "x1": day,
            "y0": self.ticks[0],
            "y1": self.top,
            "layer": "below",
            "line": line,
        }

    def _labels(self, points: list[Point]) -> list[dict[str, Any]]:
        """Kind and price beside these points; none at all where one would cover a point or another label."""
        taken = [box for point in self.points for box in self._covered(point)]
        notes = []
        for point in points:
            text = f"{point.label} {wording.number(float(point.amount), digits=6)}"
            x, y = self._x(point.day), self._y(point)
            wide = text_width(text)
            anchor = "right" if x + wide / 2 > LABELLED else "left" if x < wide / 2 else "center"
            middle = {"right": x - wide / 2, "left": x + wide / 2, "center": x}[anchor]
            box = _around(middle, y - MARKER - LINE / 2, wide, LINE)
            if any(_overlap(box, other) for other in taken):
                return []
            taken.append(box)
            notes.append(_note(point.day, float(point.amount), text, LOOKS[point.kind][0], anchor, yshift=4))
        return notes

    def _covered(self, point: Point) -> list[Box]:
        """What a marker and the line of its validity cover."""
        x, y = self._x(point.day), self._y(point)
        until = min(point.until or point.day, self.end)
        return [_around(x, y, MARKER, MARKER), (x, y - 2, self._x(until), y + 2)]

    def _x(self, day: dt.date) -> float:
        """Pixels from the left of the plot."""
        return (day - self.begin) / (self.end - self.begin) * LABELLED

    def _y(self, point: Point) -> float:
        """Pixels from the top of the plot."""
        return (self.top - float(point.amount)) / (self.top - self.ticks[0]) * self.height * SHARE


def _price_ticks(amounts: list[float]) -> list[float]:
    """From zero, unless all prices lie so close together, yet apart, that their differences would not be seen."""
    low, high = min(amounts), max(amounts)
    if low == high or low <= high / 2:
        return ticks(0.0, high or 1.0)
    margin = (high - low) * 0.15
    return ticks(low - margin, high + margin)


def _moved(day: dt.date, by: dt.timedelta) -> dt.date:
    """Within what a date can be: a slip of the pen in a year must not take the page away."""
    return dt.date.fromordinal(min(max(day.toordinal() + by.days, 1), dt.date.max.toordinal()))


def _every_second(axis: Axis) -> Axis:
    return {**axis, "tickvals": axis["tickvals"][::2], "ticktext": axis["ticktext"][::2]}


def _month_number(day: dt.date) -> int:
    return day.year * 12 + day.month - 1


def _markers(points: list[Point]) -> dict[str, Any]:
    role, symbol = LOOKS[points[0].kind]
    look: dict[str, Any] = {"size": MARKER, "symbol": symbol, "color": LIGHT[role]}
    if not points[0].new:
        look |= {"symbol": f"{symbol}-open", "line": {"width": 1.5}}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": escaped(points[0].label),
        "x": [point.day.isoformat() for point in points],
        "y": [float(point.amount) for point in points],
        "customdata": [escaped(point.text) for point in points],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": look,
    }


def _note(day: dt.date, y: float, text: str, role: str, anchor: str, **shift: int) -> dict[str, Any]:
    return {
        "text": escaped(text),
        "showarrow": False,
        "font": {"size": 11, "color": LIGHT[role]},
        "x": day.isoformat(),
        "y": y,
        "xanchor": anchor,
        "yanchor": "bottom",
        **shift,
    }


def _around(x: float, y: float, wide: float, high: float) -> Box:
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
