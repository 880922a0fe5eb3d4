"""Numbers as people write them in either language: a value to the text in its box, and back.

Shares are shown and typed in per cent; what cannot be read raises InputError naming field, value, bound and unit.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from planner.engine.energy import Tier
from planner.engine.inputs import Band, Cabinet, CapacityBlock, CurvePoint, Phase, Scaling, ScalingPoint, Step, Wave
from planner.engine.quantities import Document, InputError, Problem, Quantity, quantity_of
from planner.forms.fields import Declared
from planner.forms.tables import read_table, write_table


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
        # divided by the count, a price gets digits nobody typed: fifteen give back what was
        return write_number(value, each.quantity.is_share, exact=each.times == 1.0)
    if each.kind == "list":
        return LISTED.join(write_number(entry, _is_share(each.quantity), grouped=False) for entry in value)
    if each.kind == "table":
        return write_table(each.name, value, lambda amount: write_number(amount, grouped=False))
    if each.kind == "points":
        (first, _quantity), (second, quantity) = _columns(each)
        entries = [entry if isinstance(entry, dict) else entry.model_dump() for entry in value]
        return LISTED.join(
            f"{_plainly(entry[first])}: {write_number(entry[second], _is_share(quantity), grouped=False)}"
            for entry in entries
        )
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _plainly(value: float) -> float | int:
    """The first value of a point: a whole one without its ".0"."""
    return int(value) if float(value).is_integer() else value


LISTED = "; "  # between the values of a list: a comma would also group thousands
DIGITS = 15  # what a float holds of any number that was typed
# Beyond these powers of ten a number is written as 1e-12.
LEAST_POWER, MOST_POWER = -10, 17


def write_number(value: float, share: bool = False, *, grouped: bool = True, exact: bool = True) -> str:
    """1234.5 → "1,234.5"; a share in per cent: 0.05 → "5". Exact, the text reads back as the very same value."""
    value = float(value)
    short = Decimal(f"{value:.{DIGITS}g}")
    number = (short if not exact or float(short) == value else Decimal(repr(value))) * (100 if share else 1)
    if number == 0:
        return "0"
    if LEAST_POWER <= number.adjusted() <= MOST_POWER:
        text = f"{number:,f}" if grouped else f"{number:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{number.normalize():e}".replace("e+", "e")
    return text.replace("-", "\u2212")


def rounded(value: float, digits: int = 10) -> float:
    """A figure that nobody typed, without the digits that say nothing."""
    return float(f"{value:.{digits}g}")


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
    if each.kind == "text" and (text or not each.optional):
        return text
    if not text:
        if each.optional:
            return None
        if each.kind == "list" or (each.kind in ("points", "table") and each.default == ()):
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
        share = _is_share(each.quantity)
        return [
            _plain_number(each, part, share, at=(str(n),), quantity=each.quantity)
            for n, part in enumerate(_values(each, text))
        ]
    if each.kind == "points":
        return [_point(each, part, n) for n, part in enumerate(_points(text))]
    if each.kind == "table":
        skip = len(each.path.split("/"))

        def number(typed: str, where: tuple[str, ...], quantity: Quantity | None) -> float | int:
            return _plain_number(each, typed, at=where[skip:], quantity=quantity)

        return read_table(each.name, each.path, text, number)
    return unicodedata.normalize("NFKC", text)


def _number(each: Declared, text: str) -> float | int:
    quantity = each.quantity
    assert quantity is not None
    if each.times != 1.0:  # bounds in the unit in which it is typed
        quantity = replace(quantity, low=quantity.low / each.times, high=quantity.high / each.times)
    value = _plain_number(each, text, quantity.is_share, whole=each.whole, quantity=quantity)
    if not quantity.low <= value <= quantity.high:
        raise _wrong(each, "out_of_bounds", value, quantity)
    return value * each.times if each.times != 1.0 else value


def _point(each: Declared, text: str, n: int) -> dict[str, Any]:
    """ "12: 60" as a point of a curve, of steps or of waves."""
    left, colon, right = text.partition(":")
    if not colon:
        raise _wrong(each, "bad_point", text)
    if re.search(r",\s|\s,", right):
        raise _wrong(each, "unclear_list", text)
    point = {}
    for part, (name, quantity) in zip((left, right), _columns(each), strict=True):
        whole = quantity is not None and name in WHOLE
        point[name] = _plain_number(each, part, _is_share(quantity), whole=whole, at=(str(n), name), quantity=quantity)
    return point


def _plain_number(
    each: Declared,
    text: str,
    share: bool = False,
    *,
    whole: bool = False,
    at: tuple[str, ...] = (),
    quantity: Quantity | None = None,
) -> float | int:
    """A number as people write it: full-width digits, spaces, thousands, a real minus, a per cent sign."""
    typed = unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-")
    typed = _SPACES.sub("", typed)
    if share and typed.endswith("%"):
        typed = typed[:-1]
    if _GROUPS.fullmatch(typed):
        typed = typed.replace(",", "")
    if not _NUMBER.fullmatch(typed):
        raise _wrong(each, "not_a_number", text.strip(), quantity, at)
    try:
        exact = Decimal(typed)
    except InvalidOperation:
        raise _wrong(each, "not_a_number", text.strip(), quantity, at) from None
    value = float(exact / 100 if share else exact)
    if not math.isfinite(value):
        raise _wrong(each, "out_of_bounds", text.strip(), quantity, at)
    if whole:
        if value != int(value):
            raise _wrong(each, "not_whole", text.strip(), quantity, at)
        return int(value)
    return value + 0.0


_STRONG = re.compile(r"[;、\t\r\n]+")  # never part of a number
_SPACED = re.compile(r"[+-]?\s*\d{1,3}( \d{3})+(\.\d*)?\s*%?")


def _values(each: Declared, text: str) -> list[str]:
    """The values of a list, apart. A comma may group thousands or separate: where both can be meant, it is refused."""
    typed = unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-").strip()
    parted = bool(_STRONG.search(typed))
    found: list[str] = []
    for part in _STRONG.split(typed):
        spaced = re.split(r"\s*,\s+|\s+,\s*", part.strip().removesuffix(","))
        pieces = [piece for piece in spaced if piece.strip()]
        grouped = [bool(_GROUPS.fullmatch(piece.strip().removesuffix("%").strip())) for piece in pieces]
        if len(pieces) == 1 and "," in pieces[0] and not parted:
            if not grouped[0]:
                pieces = [piece for piece in pieces[0].split(",") if piece.strip()]  # 10,20,30
            elif not re.fullmatch(r"[^,]*,0[^,]*", pieces[0]):  # 1,000 is one value; 100,200 may be two
                raise _wrong(each, "unclear_list", part)
        elif (any(grouped) and not all(grouped)) or (not any(grouped) and any("," in piece for piece in pieces)):
            raise _wrong(each, "unclear_list", part)
        several = parted or len(pieces) > 1
        for piece in pieces:
            if re.search(r"\d\s+[\d.]", piece) and not (several and _SPACED.fullmatch(piece.strip())):
                raise _wrong(each, "unclear_list", piece)
        found += pieces
    return found


def _points(text: str) -> list[str]:
    """The points of a list, apart: a comma separates only where a month and a colon follow."""
    typed = unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-")
    parts = re.split(r"[;、\t\r\n]+|,(?=\s*[+-]?\d+(?:\.\d*)?\s*:)", typed)
    return [part.strip().removesuffix(",") for part in parts if part.strip()]


WHOLE = ("month", "quantity", "sequence", "gpus")


def _columns(each: Declared) -> tuple[tuple[str, Quantity | None], tuple[str, Quantity | None]]:
    """The two fields of a point, with what is declared for them."""
    models: dict[str, type[Document]] = {
        "waves": Wave,
        "steps": Step,
        "phases": Phase,
        "tiers": Tier,
        "bands": Band,
        "cabinets": Cabinet,
        "blocks": CapacityBlock,
        **dict.fromkeys(Scaling.model_fields, ScalingPoint),
    }
    (first, one), (second, other) = models.get(each.name, CurvePoint).model_fields.items()
    return (first, quantity_of(one)), (second, quantity_of(other))


def _is_share(quantity: Quantity | None) -> bool:
    return quantity is not None and quantity.is_share


def _wrong(
    each: Declared, code: str, value: Any, bounds: Quantity | None = None, at: tuple[str, ...] = ()
) -> InputError:
    quantity = bounds or each.quantity
    return InputError(
        Problem(
            (*each.path.split("/"), *at),
            code,
            value,
            quantity.low if quantity else None,
            quantity.high if quantity else None,
            quantity.unit if quantity else "",
        )
    )
