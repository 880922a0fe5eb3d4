"""Numbers and labels as short as a figure needs them."""

import math
import textwrap

from planner import wording


def short(value: float, decimals: int = 2) -> float | int:
    """A number with as few characters as it needs on a screen: whole from 1,000 on."""
    rounded = round(value, 0 if abs(value) >= 1000 else decimals)
    return int(rounded) if float(rounded).is_integer() else rounded


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round values from at or below `low` to at or above `high`."""
    span = high - low or 1.0
    raw = span / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(index * step, 10) for index in range(first, last + 1)]


def wrapped(text: str, letters: int) -> list[str]:
    """A label in lines of about so many letters; Chinese breaks anywhere, and its letters are twice as wide."""
    if not wording.chinese():
        return textwrap.wrap(text, letters)
    return [text[at : at + letters // 2] for at in range(0, len(text), letters // 2)]


def escaped(text: str) -> str:
    """Plotly reads a little HTML in labels; names are text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
