"""The memory of one GPU as a bar: each part as long as it is large, against the card's own."""

from __future__ import annotations

import html

from planner.charts.svg import short
from planner.engine.footprint import Footprint

WIDTH, HEIGHT = 1000, 24  # of the drawing; the page stretches it


def bar(footprint: Footprint, summary: str) -> str:
    """SVG of a footprint. What does not fit runs past the mark at which the card ends.

    Colours are classes named after the part ("m-weights"); the drawing is stretched to its place, so that it holds no
    text.
    """
    whole = max(footprint.nameplate, footprint.used) or 1.0
    at, drawn = 0.0, []
    for name, size in footprint.parts.items():
        wide = size / whole * WIDTH
        drawn.append(f'<rect class="m-{name}" x="{short(at)}" y="0" width="{short(wide)}" height="{HEIGHT}"/>')
        at += wide
    end = footprint.nameplate / whole * WIDTH
    drawn.append(f'<rect class="m-card" x="0" y="0" width="{short(end)}" height="{HEIGHT}"/>')
    return (
        f'<svg class="memory" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{html.escape(summary)}">{"".join(drawn)}</svg>'
    )
