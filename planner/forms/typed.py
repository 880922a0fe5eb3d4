"""Numbers as people write them in either language: a value to the text in its box, and back.

Shares are shown and typed in per cent; what cannot be read raises InputError naming field, value, bound and unit.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Any

from planner.engine.quantities import InputError, Problem, Quantity
from planner.forms.fields import Declared


def write(each: Declared, value: Any) -> str:
    """The text of a value in its box."""
    if each.kind == "switch":
        return "on" if value else ""
    if each.kind == "part":
        return "on" if value else ""
    if value is None:
        return ""
    if each.kind == "number":
        assert each.quantity is not None
        return write_number(value, each.quantity.is_share)
    if each.kind == "list":
        return ", ".join(write_number(entry, _in_per_cent(each)) for entry in value)
    if each.kind == "points":
        first, second, share = _columns(each)
        entries = [entry if isinstance(entry, dict) else entry.model_dump() for entry in value]
        return ", ".join(f"{entry[first]}: {write_number(entry[second], share)}" for entry in entries)
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def write_number(value: float, share: bool = False) -> str:
    """1234.5 → "1,234.5"; a share in per cent: 0.05 → "5"."""
    exact = Decimal(repr(float(value))) * (100 if share else 1)
    rounded = exact if exact == 0 else round(exact, max(0, 6 - max(0, exact.adjusted())))
    text = f"{rounded:,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("", "-0") else text.replace("-", "\u2212")


_SPACES = re.compile(r"[\s\u00a0\u2009\u202f]+")
_GROUPS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.IGNORECASE)


def read(each: Declared, text: str, currency: str = "") -> Any:
    """What was typed, as a value of the document; raises InputError naming the field."""
    if len(text) > each.longest:
        raise _wrong(each, "too_long", text, Quantity("character", 0, each.longest))
    text = text.strip()
    if each.kind in ("switch", "part"):
        return text in ("on", "true", "1")
    if each.kind == "text":
        return text
    if not text:
        if each.optional:
            return None
        if each.kind == "list":
            return []
        raise _wrong(each, "missing", text)
    if each.kind == "number":
        return _number(each, text)
    if each.kind == "choice":
        found = next((value for value in each.choices if str(value) == text), None)
        if found is None:
            raise InputError(
                Problem(tuple(each.path.split("/")), "not_a_choice", text, choices=tuple(str(v) for v in each.choices))
            )
        return found
    if each.kind == "list":
        return [_plain_number(each, part, _in_per_cent(each)) for part in _split(text)]
    if each.kind == "points":
        first, second, share = _columns(each)
        points = []
        for part in _split(text):
            left, colon, right = unicodedata.normalize("NFKC", part).partition(":")
            if not colon:
                raise _wrong(each, "bad_format", part)
            points.append({first: _plain_number(each, left, whole=True), second: _plain_number(each, right, share)})
        return points
    return unicodedata.normalize("NFKC", text)


def _number(each: Declared, text: str) -> float | int:
    quantity = each.quantity
    assert quantity is not None
    value = _plain_number(each, text, quantity.is_share, whole=each.whole)
    value = value * each.times if each.times != 1.0 else value
    if not quantity.low <= value <= quantity.high:
        raise _wrong(each, "out_of_bounds", value)
    return value


def _plain_number(each: Declared, text: str, share: bool = False, *, whole: bool = False) -> float | int:
    """A number as people write it: full-width digits, spaces, thousands, a real minus, a per cent sign."""
    typed = unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-")
    typed = _SPACES.sub("", typed)
    if share and typed.endswith("%"):
        typed = typed[:-1]
    if _GROUPS.fullmatch(typed):
        typed = typed.replace(",", "")
    if not _NUMBER.fullmatch(typed):
        raise _wrong(each, "not_a_number", text)
    try:
        exact = Decimal(typed)
    except InvalidOperation:
        raise _wrong(each, "not_a_number", text) from None
    value = float(exact / 100 if share else exact)
    if not math.isfinite(value):
        raise _wrong(each, "out_of_bounds", text)
    if whole:
        if value != int(value):
            raise _wrong(each, "not_whole", text)
        return int(value)
    return value + 0.0


def _split(text: str) -> list[str]:
    return [part for part in re.split(r"[,;，；、\t\r\n]+", text) if part.strip()]


def _in_per_cent(each: Declared) -> bool:
    return each.name == "by_year"


def _columns(each: Declared) -> tuple[str, str, bool]:
    """The two fields of a point, and whether the second is a share."""
    return {"waves": ("month", "quantity", False), "steps": ("month", "value", False)}.get(
        each.name, ("month", "share", True)
    )


def _wrong(each: Declared, code: str, value: Any, bounds: Quantity | None = None) -> InputError:
    quantity = bounds or each.quantity
    return InputError(
        Problem(
            tuple(each.path.split("/")),
            code,
            value,
            quantity.low if quantity else None,
            quantity.high if quantity else None,
            quantity.unit if quantity else "",
        )
    )
