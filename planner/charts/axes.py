"""Axes with few, round ticks."""

import math
import re
from collections.abc import Callable
from typing import Any

from planner import wording
from planner.charts.text import ticks
from planner.engine.calendar import Calendar

Axis = dict[str, Any]


def firsts(calendar: Calendar) -> list[str]:
    """Where the months begin on the axis; one more than the months: the last one's end."""
    return [day.isoformat()[:7] for day in calendar.firsts]


def month_axis(calendar: Calendar) -> Axis:
    """Few dates: about six, on whole half-years."""
    months, begins = calendar.months, firsts(calendar)
    every = max(1, math.ceil(months / 6))
    every = next((step for step in (1, 2, 3, 6, 12, 24) if step >= every), 24)
    at = list(range(0, months, every))
    if months - at[-1] > every * 0.5:
        at.append(months)
    return {
        "type": "date",
        "hoverformat": "%Y-%m",
        "tickmode": "array",
        "tickvals": [begins[m] for m in at],
        "ticktext": [wording.month_label(calendar, m) for m in at],
        "range": [begins[0], begins[-1]],
    }


def value_axis(low: float, high: float, label: Callable[[float], str], **more: Any) -> Axis:
    """Round ticks that take in zero and both ends."""
    at = ticks(min(low, 0.0), max(high, 0.0))
    return {
        "tickmode": "array",
        "tickvals": at,
        "ticktext": [label(tick) for tick in at],
        "range": [at[0], at[-1] * 1.02 if at[-1] > 0 else 0.0],
        "rangemode": "tozero",
        **more,
    }


def money_axis(low: float, high: float, currency: str, **more: Any) -> Axis:
    return value_axis(low, high, lambda value: short_money(value, currency), **more)


def line_axis(low: float, high: float, currency: str, **more: Any) -> Axis:
    """Money along lines: a few round ticks around them, for a line need not begin at zero."""
    at = ticks(low, high, 4)
    labels = [short_money(tick, currency) for tick in at]
    return {"tickmode": "array", "tickvals": at, "ticktext": labels, "range": [at[0], at[-1]], **more}


def within_axis(low: float, high: float, label: Callable[[float], str], count: int = 5, **more: Any) -> Axis:
    """An axis from `low` to `high` exactly, with the round ticks that lie in it."""
    slack = (high - low) * 1e-9
    at = [tick for tick in ticks(low, high, count) if low - slack <= tick <= high + slack]
    return {
        "tickmode": "array",
        "tickvals": at,
        "ticktext": [label(tick) for tick in at],
        "range": [low, high],
        "zeroline": False,
        **more,
    }


def count_axis(high: float, whole: bool = False, **more: Any) -> Axis:
    axis = value_axis(0.0, high, wording.number, **more)
    if whole:  # no half racks
        kept = [tick for tick in axis["tickvals"] if float(tick).is_integer()]
        axis |= {"tickvals": kept, "ticktext": [wording.number(tick) for tick in kept]}
    return axis


def short_money(value: float, currency: str) -> str:
    """Money for a tick: no zeros after the last digit that counts, no point without digits before a magnitude."""
    text = re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", wording.money(value, currency, compact=True))
    return re.sub(r"\.(?=[kMB万亿])", "", text)
