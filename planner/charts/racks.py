"""Racks as plain SVG, to scale: a rack unit is `UNIT` pixels, a rack 600 mm wide."""

from __future__ import annotations

import html
from dataclasses import dataclass

from planner.charts.svg import text_width

UNIT = 8.0  # [px], 44.45 mm
OUTER, INNER = 600 / 44.45 * UNIT, 482.6 / 44.45 * UNIT  # of the cabinet, and of what is screwed into it [px]
LEFT, GAP, LINE, EDGE = 22.0, 12.0, 13.0, 6.0  # [px]
WIDTH = 344.0
THIN = 3  # machines lower than this share one label [U]
MOST = 60  # machines of one rack that are drawn
EVERY = 5  # units between two numbers at the side
BOLD = 1.12  # how much wider the bold name runs than the text that is measured


@dataclass(frozen=True)
class Box:
    """Machines of one kind on each other, with what stands beside each of them."""

    bottom: float  # from 1 at the floor [U]
    units: float  # of each
    count: int
    lines: tuple[str, ...]
    state: str = ""  # "" · off · short · switch
    all_lines: tuple[str, ...] = ()  # beside all of them together


def draw(boxes: list[Box], units: float, reserved: float, words: str, free: str, kept: str) -> str:
    """A rack with its machines, the lowest unit at the bottom.

    units    : height of the rack; of which `reserved` at the top are kept free. [U]
    words    : what a reader of the screen hears; free, kept : what is written in the room left and the room kept.
    """
    drawing = _Drawing(units)
    drawing.cabinet(reserved, kept)
    top = 1.0
    for box in boxes:
        if box.units > 0.0:
            drawing.machines(box)
            top = max(top, box.bottom + box.count * box.units)
    drawing.room(top, units - reserved + 1.0, free)
    drawing.labels()
    height = drawing.bottom + EDGE
    return (
        f'<svg class="rack" viewBox="0 0 {WIDTH:g} {height:g}" role="img" tabindex="0" '
        f'aria-label="{html.escape(words)}">{"".join(drawing.parts)}</svg>'
    )


class _Drawing:
    def __init__(self, units: float) -> None:
        self.parts: list[str] = []
        self.bottom = EDGE + units * UNIT
        self.units = units
        self.left = LEFT + (OUTER - INNER) / 2
        self.notes: list[tuple[float, tuple[str, ...], str]] = []

    def y(self, unit: float) -> float:
        """Where a unit's lower edge lies."""
        return self.bottom - (unit - 1.0) * UNIT

    def rect(self, name: str, x: float, bottom: float, width: float, units: float) -> None:
        self.parts.append(
            f'<rect class="{name}" x="{x:.1f}" y="{self.y(bottom + units):.1f}" width="{width:.1f}" '
            f'height="{units * UNIT:.1f}"/>'
        )

    def text(self, name: str, x: float, y: float, words: str) -> None:
        self.parts.append(f'<text class="{name}" x="{x:.1f}" y="{y:.1f}">{html.escape(words)}</text>')

    def cabinet(self, reserved: float, kept: str) -> None:
        self.rect("cabinet", LEFT, 1.0, OUTER, self.units)
        self.rect("bay", self.left, 1.0, INNER, self.units)
        for unit in (1, *range(EVERY, int(self.units) + 1, EVERY)):
            self.text("unit", LEFT - 4, self.y(unit) - UNIT / 2 + 3, str(unit))
        if reserved > 0.0:
            first = self.units - reserved + 1.0
            self.rect("kept", self.left, first, INNER, reserved)
            if reserved * UNIT >= LINE:
                self.text("inside", self.left + INNER / 2, self.y(first + reserved / 2) + 4, kept)

    def machines(self, box: Box) -> None:
        apart = box.units >= THIN
        for place in range(min(box.count, MOST)):
            bottom = box.bottom + place * box.units
            self.rect(f"machine {box.state}".strip(), self.left + 1, bottom, INNER - 2, box.units)
            if apart:
                self.notes.append((self.y(bottom + box.units / 2), box.lines, box.state))
        if not apart:
            self.notes.append((self.y(box.bottom + box.count * box.units / 2), box.all_lines, box.state))

    def room(self, first: float, end: float, words: str) -> None:
        if (end - first) * UNIT >= LINE:
            self.text("inside", self.left + INNER / 2, self.y((first + end) / 2) + 4, words)

    def labels(self) -> None:
        """Labels right of the rack, moved apart where they would lie on each other, each with a line to its machine."""
        x = LEFT + OUTER + GAP
        placed = []
        floor = self.bottom
        for middle, lines, state in sorted(self.notes, key=lambda note: -note[0]):  # from the floor up
            wrapped = [
                ("name" if number == 0 else "facts", part)
                for number, line in enumerate(lines)
                for part in _wrapped(line, (WIDTH - x) / BOLD)
            ]
            height = len(wrapped) * LINE
            top = min(middle - height / 2, floor - height)
            placed.append((middle, top, wrapped, state))
            floor = top - 2
        if placed and placed[-1][1] < 0.0:  # pushed out at the top: from there down again
            ceiling = 0.0
            for place, (middle, top, wrapped, state) in reversed(list(enumerate(placed))):
                top = max(top, ceiling)
                placed[place] = (middle, top, wrapped, state)
                ceiling = top + len(wrapped) * LINE + 2
        for middle, top, wrapped, state in placed:
            centre = top + len(wrapped) * LINE / 2
            self.parts.append(
                f'<path class="lead" d="M{self.left + INNER:.1f} {middle:.1f}H{LEFT + OUTER + 2:.1f}'
                f'L{x - 3:.1f} {centre:.1f}"/>'
            )
            for number, (name, line) in enumerate(wrapped):
                self.text(f"{name} {state}".strip(), x, top + number * LINE + 10, line)


def _wrapped(text: str, width: float) -> list[str]:
    """Lines that fit a width; Latin text breaks at spaces, Chinese anywhere."""
    lines = [""]
    for piece in text.split(" "):
        longer = f"{lines[-1]} {piece}".strip()
        if text_width(longer) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for letter in piece:
            if text_width(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    return lines
