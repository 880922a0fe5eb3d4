"""A figure as plain SVG, for paper, for a file, for a page without scripts.

It draws what our figures hold: lines, steps, markers, grouped bars, bars across from a base, up to two panels above
each other, notes, a legend.
Colours are classes named after their role ("s-plan1" strokes, "f-plan1" fills), so that the page's style sheet decides
between light and dark; no style attribute, which the page's policy would refuse.
"""

from __future__ import annotations

import datetime as dt
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from planner.charts.chart import Figure
from planner.charts.layout import layout

Trace = dict[str, Any]

DASHES = {
    "solid": "",
    "dash": "7 4",
    "dot": "2 3",
    "dashdot": "8 3 2 3",
    "longdash": "12 4",
    "longdashdot": "12 3 2 3",
}
# Strokes of each marker in units of half its size; what is not listed is a circle.
SYMBOLS: dict[str, list[tuple[tuple[int, int], ...]]] = {
    "square": [((-1, -1), (1, -1), (1, 1), (-1, 1))],
    "diamond": [((0, -1), (1, 0), (0, 1), (-1, 0))],
    "triangle-up": [((0, -1), (1, 1), (-1, 1))],
    "triangle-down": [((-1, -1), (1, -1), (0, 1))],
    "triangle-left": [((-1, 0), (1, -1), (1, 1))],
    "triangle-right": [((-1, -1), (1, 0), (-1, 1))],
    "hourglass": [((-1, -1), (1, -1), (-1, 1), (1, 1))],
    "x": [((-1, -1), (1, 1)), ((-1, 1), (1, -1))],
    "cross": [((-1, 0), (1, 0)), ((0, -1), (0, 1))],
}
STROKED = ("x", "cross")  # drawn with a pen, not filled
FONT, LINE, LEGEND_ROW, SAMPLE = 11, 13, 18, 22  # [px]


def draw(figure: Figure, width: int, height: int, *, narrow: bool = False) -> str:
    """The figure in so many pixels; narrow, a legend stands where labels at the ends of lines would not fit.

    Nothing where there is nothing to draw: the figure's summary says why.
    """
    if not figure["data"]:
        return ""
    return _Drawing(figure, width, height, narrow).text()


def key(style: dict[str, str]) -> str:
    """The sample of a plan's line with its marker, for a legend in the text of a page."""
    axes = {"xaxis": {"range": [0, 1]}, "yaxis": {"range": [0, 1], "tickvals": [], "ticktext": []}}
    blank = {"data": [], "layout": layout(axes, legend=False, right=0), "summary": ""}
    width, height = SAMPLE + 2, 12
    drawing = _Drawing(blank, width, height, narrow=False)
    drawing.sample(style, width, height / 2)
    inside = "".join(drawing.parts)
    return f'<svg class="key" viewBox="0 0 {width} {height}" aria-hidden="true">{inside}</svg>'


def short(value: float) -> str:
    """A coordinate with as many of one decimal as it has."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def text_width(text: str) -> float:
    """Pixels a label takes at its font size; a Chinese letter is as wide as high."""
    return sum(FONT if ord(letter) > 0x2E80 else FONT * 0.58 for letter in text)


def _plain(text: str) -> list[str]:
    """The lines of a label without the little HTML that Plotly reads."""
    return [html.unescape(re.sub(r"<[^>]*>", "", line)) for line in re.split(r"<br ?/?>", text)]


def _ordinal(text: str) -> float:
    parts = [int(part) for part in text.split("-")]
    return float(dt.date(parts[0], parts[1], parts[2] if len(parts) > 2 else 1).toordinal())


def _apart(labels: list[tuple[float, float, str]]) -> bool:
    """Whether each label ends some pixels before the next begins."""
    return all(one[1] + 8 <= other[0] for one, other in pairwise(labels))


def _bases(trace: Trace) -> list[float]:
    """Where each bar begins."""
    return trace["base"] if isinstance(trace["base"], list) else [trace["base"]] * len(trace["x"])


def _pen(line: dict[str, Any]) -> dict[str, str | None]:
    """Width and dash of a line."""
    return {"stroke_width": str(line["width"]), "stroke_dasharray": DASHES[line.get("dash", "solid")] or None}


@dataclass
class _Panel:
    """The rectangle of one value axis, and where a value lies in it."""

    axis: dict[str, Any]
    top: float
    bottom: float

    def y(self, value: float) -> float:
        low, high = self.axis["range"]
        return self.bottom - (value - low) / ((high - low) or 1.0) * (self.bottom - self.top)


@dataclass
class _Drawing:
    figure: Figure
    width: int
    height: int
    narrow: bool
    parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.layout = self.figure["layout"]
        meta = self.layout["meta"]
        self.roles = {colour.lower(): role for role, colour in meta["light"].items()}
        if self.narrow:
            self.layout = {**self.layout, **meta["narrow"]}
        self.notes = self.layout.get("annotations", [])
        self.entries = self._entries() if self.layout.get("showlegend") else []
        value_axes = [self.layout[name] for name in ("yaxis", "yaxis2") if name in self.layout]
        ticks = [str(text) for axis in value_axes for text in axis["ticktext"]]
        self.left = max(map(text_width, ticks), default=20.0) + 10
        self.ends = [note for note in self.notes if "yref" in note]  # names at the ends of the lines
        widest = max((text_width(line) for note in self.ends for line in _plain(note["text"])), default=-2.0)
        self.right = self.width - widest - 12
        titled = any("title" in axis for axis in value_axes)
        top = 10 + self._legend_height() + (LINE if titled else 0)
        bottom = self.height - 22
        self.panels = {
            "y" + name: self._panel(self.layout["yaxis" + name], top, bottom)
            for name in ("", "2")
            if "yaxis" + name in self.layout
        }
        self.x = self._x_scale()

    def _panel(self, axis: dict[str, Any], top: float, bottom: float) -> _Panel:
        low, high = axis.get("domain", (0.0, 1.0))
        return _Panel(axis, bottom - high * (bottom - top), bottom - low * (bottom - top))

    def _x_scale(self) -> Callable[[Any], float]:
        axis = self.layout["xaxis"]
        if axis.get("type") == "date":
            low, high = (_ordinal(end) for end in axis["range"])
            return lambda value: self.left + (_ordinal(value) - low) / ((high - low) or 1.0) * (self.right - self.left)
        if "range" in axis:
            low, high = axis["range"]
            return lambda value: self.left + (value - low) / ((high - low) or 1.0) * (self.right - self.left)
        names = dict.fromkeys(name for trace in self.figure["data"] for name in trace["x"] if name is not None)
        self.categories = list(names)
        slot = (self.right - self.left) / max(1, len(self.categories))
        return lambda value: self.left + (self.categories.index(value) + 0.5) * slot

    # ── the whole ──

    def text(self) -> str:
        self._legend()
        for panel in self.panels.values():
            self._value_axis(panel)
        self._x_axis()
        for shape in self.layout.get("shapes", []):
            self._shape(shape)
        self._bars()
        for trace in self.figure["data"]:
            if trace.get("orientation") == "h":
                self._across(trace)
        for trace in self.figure["data"]:
            if trace["type"] == "scatter":
                self._scatter(trace)
        for note in self.notes:
            if note not in self.ends:
                self._note(note)
        self._end_labels()
        return (
            f'<svg class="drawn" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{html.escape(self.figure["summary"])}">' + "".join(self.parts) + "</svg>"
        )

    def role(self, colour: str) -> str:
        return self.roles.get(colour.lower(), "ink2")

    def _add(self, tag: str, classes: str, *, inside: str | None = None, **attributes: float | str | None) -> None:
        """An element; numbers are written short, an underscore in a name is a hyphen."""
        given = "".join(
            f' {name.replace("_", "-")}="{short(value) if isinstance(value, float) else value}"'
            for name, value in attributes.items()
            if value is not None
        )
        end = "/>" if inside is None else f">{html.escape(inside)}</{tag}>"
        self.parts.append(f'<{tag} class="{classes}"{given}{end}')

    def _line(self, x0: float, y0: float, x1: float, y1: float, role: str, **more: str | None) -> None:
        self._add("line", f"s-{role}", x1=x0, y1=y0, x2=x1, y2=y1, **more)

    def _label(self, text: str, x: float, y: float, role: str = "ink2", anchor: str | None = None) -> None:
        self._add("text", f"f-{role}", inside=text, x=float(x), y=y, text_anchor=anchor)

    def sample(self, style: dict[str, str], width: float, y: float) -> None:
        """A line with a marker in its middle."""
        self._line(1.0, y, width - 1.0, y, style["role"], **_pen({"width": 2, "dash": style["dash"]}))
        self._marker({"symbol": style["marker"], "size": 7, "color": style["light"]}, width / 2, y)

    # ── axes ──

    def _value_axis(self, panel: _Panel) -> None:
        axis = panel.axis
        for tick, text in zip(axis["tickvals"], axis["ticktext"], strict=True):
            y = panel.y(tick)
            if axis["showgrid"]:
                self._line(self.left, y, self.right, y, "line" if tick == 0 else "line2")
            self._label(str(text), self.left - 6, y + 4, anchor="end")
        if "title" in axis:
            self._label(axis["title"]["text"], 0, panel.top - 9)

    def _x_axis(self) -> None:
        axis, y = self.layout["xaxis"], self.height - 6
        if "tickvals" in axis:
            marks = [(self.x(at), str(text)) for at, text in zip(axis["tickvals"], axis["ticktext"], strict=True)]
        else:
            marks = [(self.x(name), str(name)) for name in self.categories]
        if axis["showgrid"]:
            panel = self.panels["y"]
            for x, _text in marks:
                self._line(x, panel.top, x, panel.bottom, "line2")
        labels = [self._below(x, text) for x, text in marks]
        every = next((step for step in range(1, len(labels)) if _apart(labels[::step])), max(1, len(labels)))
        for (x, text), (_begins, _ends, anchor) in list(zip(marks, labels, strict=True))[::every]:
            self._label(text, min(x, self.width - 1), y, anchor=anchor)

    def _below(self, x: float, text: str) -> tuple[float, float, str]:
        """Where a label below the axis begins and ends, and how it hangs there: at an edge, towards the middle."""
        width = text_width(text)
        if x + width / 2 > self.width:
            return x - width, x, "end"
        if x - width / 2 < 0:
            return x, x + width, "start"
        return x - width / 2, x + width / 2, "middle"

    # ── traces ──

    def _scatter(self, trace: Trace) -> None:
        panel = self.panels[trace.get("yaxis", "y")]
        points = [None if y is None else (self.x(x), panel.y(y)) for x, y in zip(trace["x"], trace["y"], strict=True)]
        if "lines" in trace["mode"]:
            line = trace["line"]
            path = "".join(_path(points, steps=line.get("shape") == "hv"))
            self._add("path", f"s-{self.role(line['color'])}", d=path, fill="none", **_pen(line))
        if "markers" in trace["mode"]:
            marker = trace["marker"]
            known = [point for point in points if point is not None]
            every = max(1, len(known) // marker["maxdisplayed"]) if "maxdisplayed" in marker else 1
            for x, y in known[::every]:
                self._marker(marker, x, y)

    def _marker(self, marker: dict[str, Any], x: float, y: float) -> None:
        symbol, r, role = marker["symbol"], marker["size"] / 2, self.role(marker["color"])
        name = symbol.removesuffix("-open")
        if symbol != name:
            classes, more = f"f-ground s-{role}", {"stroke_width": "1.5"}
        elif name in STROKED:
            classes, more = f"s-{role}", {"stroke_width": "2"}
        else:
            classes, more = f"f-{role}", {}
        if name not in SYMBOLS:
            self._add("circle", classes, cx=x, cy=y, r=r, **more)
            return
        strokes = (
            "M" + "L".join(f"{short(x + dx * r)} {short(y + dy * r)}" for dx, dy in stroke) for stroke in SYMBOLS[name]
        )
        self._add("path", classes, d="".join(strokes) + ("" if name in STROKED else "z"), **more)

    def _bars(self) -> None:
        bars = [trace for trace in self.figure["data"] if trace["type"] == "bar" and "offsetgroup" in trace]
        groups = list(dict.fromkeys(trace["offsetgroup"] for trace in bars))
        if not groups:
            return
        slot = (self.right - self.left) / max(1, len(self.categories)) * (1 - self.layout.get("bargap", 0.2))
        wide = slot / len(groups)
        for trace in bars:
            panel = self.panels["y"]
            offset = groups.index(trace["offsetgroup"]) * wide - slot / 2
            for name, value, base in zip(trace["x"], trace["y"], _bases(trace), strict=True):
                if value is None:
                    continue
                top, bottom = sorted((panel.y(base), panel.y(base + value)))
                self._bar(trace["marker"], self.x(name) + offset, top, wide - 1, max(0.5, bottom - top))

    def _across(self, trace: Trace) -> None:
        """Bars from their bases to the left or the right, each with its own place and thickness in its row."""
        panel = self.panels["y"]
        parts = (trace[name] for name in ("y", "x", "width", "offset", "customdata"))
        for row, length, wide, offset, words, base in zip(*parts, _bases(trace), strict=True):
            left, right = sorted((self.x(base), self.x(base + length)))
            top, bottom = sorted((panel.y(row + offset), panel.y(row + offset + wide)))
            self._bar(trace["marker"], left, top, right - left, bottom - top, words)

    def _bar(self, marker: dict[str, Any], x: float, y: float, width: float, height: float, title: str = "") -> None:
        """A bar; its title is read when it is pointed at."""
        opacity = marker.get("opacity", 1.0)
        faint = None if opacity == 1.0 else str(opacity)
        self._add("rect", f"f-{self.role(marker['color'])}", x=x, y=y, width=width, height=height, fill_opacity=faint)
        if title:
            self.parts[-1] = self.parts[-1].removesuffix("/>") + f"><title>{html.escape(title)}</title></rect>"

    # ── notes and legend ──

    def _shape(self, shape: dict[str, Any]) -> None:
        panel = self.panels["y"]
        self._line(
            self.x(shape["x0"]),
            panel.y(shape["y0"]),
            self.x(shape["x1"]),
            panel.y(shape["y1"]),
            self.role(shape["line"]["color"]),
            **_pen(shape["line"]),
        )

    def _end_labels(self) -> None:
        """From the lowest up, each at least a line above the one before."""
        below = float("inf")
        for note in sorted(self.ends, key=lambda note: note["y"]):
            y = min(self.panels[note["yref"]].y(note["y"]) + 4, below - LINE)
            self._label(_plain(note["text"])[0], self.right + 6, y, self.role(note["font"]["color"]))
            below = y

    def _note(self, note: dict[str, Any]) -> None:
        panel = self.panels["y"]
        lines = _plain(note["text"])
        x = self.x(note["x"]) + note.get("xshift", 0)
        y = panel.y(note["y"]) - 6 - note.get("yshift", 0) - LINE * (len(lines) - 1)
        if note.get("yanchor") == "middle":
            y = panel.y(note["y"]) + 4 - LINE * (len(lines) - 1) / 2
        anchor = {"left": "start", "right": "end"}.get(note.get("xanchor", ""), "middle")
        for index, line in enumerate(lines):
            self._label(line, x, y + index * LINE, self.role(note["font"]["color"]), anchor)

    def _entries(self) -> list[tuple[Trace, str]]:
        """What the legend names: each line or bar once, but for what is hidden from it."""
        found: list[tuple[Trace, str]] = []
        for trace in self.figure["data"]:
            if trace.get("showlegend", True) and trace.get("name"):
                found.append((trace, " ".join(_plain(trace["name"]))))
        return found

    def _placed(self) -> Iterator[tuple[Trace, str, float, int]]:
        """Each entry of the legend with its place: pixels from the left, row."""
        x, row = 2.0, 0
        for trace, name in self.entries:
            wide = SAMPLE + 6 + text_width(name) + 14
            if x > 2.0 and x + wide > self.width:
                x, row = 2.0, row + 1
            yield trace, name, x, row
            x += wide

    def _legend_height(self) -> float:
        return LEGEND_ROW * (1 + max((row for *_entry, row in self._placed()), default=-1)) + (6 if self.entries else 0)

    def _legend(self) -> None:
        for trace, name, x, row in self._placed():
            y = 10.0 + row * LEGEND_ROW
            if trace["type"] == "bar":
                self._bar(trace["marker"], x + 6, y - 5, 10.0, 10.0)
            if "lines" in trace.get("mode", ""):
                self._line(x, y, x + SAMPLE, y, self.role(trace["line"]["color"]), **_pen(trace["line"]))
            if "markers" in trace.get("mode", ""):
                self._marker(trace["marker"], x + SAMPLE / 2, y)
            self._label(name, x + SAMPLE + 6, y + 4)


def _path(points: list[tuple[float, float] | None], *, steps: bool) -> Iterator[str]:
    """The commands of a line; a gap where a value is missing."""
    before: tuple[float, float] | None = None
    for point in points:
        if point is None:
            before = None
            continue
        x, y = point
        if before is None:
            yield f"M{short(x)} {short(y)}"
        elif steps:
            yield f"H{short(x)}" if abs(y - before[1]) < 0.05 else f"H{short(x)}V{short(y)}"
        else:
            yield f"L{short(x)} {short(y)}"
        before = point
