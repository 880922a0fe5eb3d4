"""A figure as plain SVG, for paper, for a file, for a page without scripts.

It draws what our figures hold: lines, steps, markers, grouped bars, up to two panels above each other, notes, a legend.
Colours are classes named after their role ("s-plan1" strokes, "f-plan1" fills), so that the page's style sheet decides
between light and dark; no style attribute, which the page's policy would refuse.
"""

from __future__ import annotations

import datetime as dt
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from planner.charts.chart import Figure

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


def _number(value: float) -> str:
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
        self.roles = {colour.lower(): role for role, colour in self.layout["meta"]["light"].items()}
        wide = self.layout.get("annotations", [])
        self.notes = self.layout["meta"]["narrow"].get("annotations", wide) if self.narrow else wide
        self.entries = self._entries() if self.narrow or self.layout.get("showlegend") else []
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
            f' {name.replace("_", "-")}="{_number(value) if isinstance(value, float) else value}"'
            for name, value in attributes.items()
            if value is not None
        )
        end = "/>" if inside is None else f">{html.escape(inside)}</{tag}>"
        self.parts.append(f'<{tag} class="{classes}"{given}{end}')

    def _line(self, x0: float, y0: float, x1: float, y1: float, role: str, **more: str | None) -> None:
        self._add("line", f"s-{role}", x1=x0, y1=y0, x2=x1, y2=y1, **more)

    def _label(self, text: str, x: float, y: float, role: str = "ink2", anchor: str | None = None) -> None:
        self._add("text", f"f-{role}", inside=text, x=float(x), y=y, text_anchor=anchor)

    # ── axes ──

    def _value_axis(self, panel: _Panel) -> None:
        axis = panel.axis
        for tick, text in zip(axis["tickvals"], axis["ticktext"], strict=True):
            y = panel.y(tick)
            self._line(self.left, y, self.right, y, "line" if tick == 0 else "line2")
            self._label(str(text), self.left - 6, y + 4, anchor="end")
        if "title" in axis:
            self._label(axis["title"]["text"], 0, panel.top - 9)

    def _x_axis(self) -> None:
        axis, y = self.layout["xaxis"], self.height - 6
        if axis.get("type") == "date":
            marks = [(self.x(at), str(text)) for at, text in zip(axis["tickvals"], axis["ticktext"], strict=True)]
        else:
            marks = [(self.x(name), str(name)) for name in self.categories]
        room = (self.right - self.left) / max(1, len(marks) - 1)
        every = 1 if all(text_width(text) + 8 < room for _x, text in marks) else 2
        for index, (x, text) in enumerate(marks):
            if index % every == 0:
                half = text_width(text) / 2
                anchor = "end" if x + half > self.width else "start" if x - half < 0 else "middle"
                self._label(text, min(x, self.width - 1), y, anchor=anchor)

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
            "M" + "L".join(f"{_number(x + dx * r)} {_number(y + dy * r)}" for dx, dy in stroke)
            for stroke in SYMBOLS[name]
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
            bases = trace["base"] if isinstance(trace["base"], list) else [trace["base"]] * len(trace["x"])
            for name, value, base in zip(trace["x"], trace["y"], bases, strict=True):
                if value is None:
                    continue
                top, bottom = sorted((panel.y(base), panel.y(base + value)))
                self._bar(trace["marker"], self.x(name) + offset, top, wide - 1, max(0.5, bottom - top))

    def _bar(self, marker: dict[str, Any], x: float, y: float, width: float, height: float) -> None:
        opacity = marker.get("opacity", 1.0)
        faint = None if opacity == 1.0 else str(opacity)
        self._add("rect", f"f-{self.role(marker['color'])}", x=x, y=y, width=width, height=height, fill_opacity=faint)

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
            else:
                if "lines" in trace["mode"]:
                    self._line(x, y, x + SAMPLE, y, self.role(trace["line"]["color"]), **_pen(trace["line"]))
                if "markers" in trace["mode"]:
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
            yield f"M{_number(x)} {_number(y)}"
        elif steps:
            yield f"H{_number(x)}" if abs(y - before[1]) < 0.05 else f"H{_number(x)}V{_number(y)}"
        else:
            yield f"L{_number(x)} {_number(y)}"
        before = point
