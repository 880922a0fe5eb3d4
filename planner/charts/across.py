"""Bars across, a row each: their axes, and their names above them where a screen is narrow."""

from typing import Any

from planner.charts.axes import Axis, short_money, within_axis
from planner.charts.chart import Canvas, Figure

ROW, ROW_NARROW = 30, 46  # height of a row, its name beside or above its bar [px]
AROUND = 64  # what a figure takes above and below its rows [px]
THICK = 0.64  # thickness of a bar [rows]


def height(rows: int, row: int = ROW) -> int:
    """Pixels of a figure of so many rows, the room above the first included."""
    return AROUND + row * (rows + 1)


def money_axis(currency: str, ends: list[float], pad: float, count: int = 5) -> Axis:
    """Money across, with room for labels beyond both ends."""
    low, high = min(ends), max(ends)
    room = (high - low) * pad or 1.0
    axis = within_axis(low - room, high + room, lambda value: short_money(value, currency), count)
    return {**axis, "showgrid": True}


def row_axis(labels: list[str], head: float) -> Axis:
    """The names of the rows; `head`: where the axis begins above the first one."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "range": [len(labels) - 0.5, head],
        "showgrid": False,
        "zeroline": False,
    }


def stack_names(canvas: Canvas, drawn: Figure, labels: list[str], axis: dict[str, Any]) -> None:
    """On a narrow screen each name stands above its bar."""
    layout = drawn["layout"]
    notes = list(canvas.annotations)
    for n, label in enumerate(labels):
        canvas.note(label, "ink", x=axis["range"][0], y=n - 0.28, xanchor="left", yanchor="bottom")
    layout["meta"]["narrow"] |= {
        "annotations": canvas.annotations,
        "xaxis": {**layout["xaxis"], **axis},
        "yaxis": {**layout["yaxis"], "tickvals": [], "ticktext": []},
        "height": height(len(labels), ROW_NARROW),
    }
    layout["annotations"] = notes
