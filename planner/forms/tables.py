"""Tables of a contract as text: one line a row, cells apart by semicolons or, pasted from a spreadsheet, by tabs.

"peak; 6-9; weekdays; 14-20; 0.32" is a period with its months, days, hours and price; "×1.7" is a multiple of the base
price, "+0.05" what is paid on top of it. What cannot be read names its row and column.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from planner import wording
from planner.engine.energy import DemandCharge, Period
from planner.engine.quantities import Document, InputError, Problem, quantity_of

TABLES: dict[str, type[Document]] = {"periods": Period, "demand": DemandCharge}
TEXTS = ("name", "months", "days", "hours")
# The last cell of a row → the field it is, by what is written.
PRICES = {"periods": "price_per_kwh", "demand": "price_per_kw"}
# What is no price of its own → the mark before it.
MARKS = {"times": "×", "adds_per_kwh": "+"}
_TIMES = re.compile(r"[x×*]|倍|%")
_MULTIPLE = re.compile(r"[x×*]\s*([^\s]+)|(.+?)\s*(?:[x×]|倍)|(.+?)\s*(%)", re.IGNORECASE)

Number = Callable[..., float | int]


def write_table(name: str, rows: Iterable[Any], number: Callable[[float], str]) -> str:
    """The rows as text, in the words of the reader's language; it reads back as the same rows."""
    lines = []
    for row in rows:
        given = row if isinstance(row, dict) else row.model_dump()
        written = [mark + number(given[field]) for field, mark in MARKS.items() if given.get(field) is not None]
        price = written[0] if written else number(given[PRICES[name]])
        cells = (
            wording.rate_name(given["name"]),
            given.get("months", "1-12"),
            wording.choice("days", given.get("days", "all")),
            given.get("hours", "0-24"),
            price,
        )
        lines.append("; ".join(cells))
    return "\n".join(lines)


def read_table(name: str, path: str, text: str, number: Number) -> list[dict[str, Any]]:
    """Rows of a table; raises InputError naming row and column.

    number : reads a number from (text, whole path of the cell, its Quantity).
    """
    lines = [line for line in re.split(r"[\r\n]+", text) if line.strip()]
    if lines and _is_head(_cells(lines[0])):
        lines = lines[1:]
    return [_row(name, path, _cells(line), n, number) for n, line in enumerate(lines)]


def _cells(line: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", line)
    mark = next((mark for mark in ("\t", ";", "|") if mark in plain), None)
    cells = plain.split(mark) if mark else next(csv.reader([plain], skipinitialspace=True))
    return [cell.strip() for cell in cells]


def _is_head(cells: list[str]) -> bool:
    """Whether the first line names the columns: nothing in it is a number."""
    return len(cells) > 1 and not any(re.search(r"\d", cell) for cell in cells)


def _row(name: str, path: str, cells: list[str], n: int, number: Number) -> dict[str, Any]:
    columns = (*TEXTS, PRICES[name])
    while len(cells) > len(columns) and not cells[-1]:
        cells = cells[:-1]
    if len(cells) != len(columns):
        column = columns[len(cells)] if len(cells) < len(columns) else columns[-1]
        code = "missing" if len(cells) < len(columns) else "bad_format"
        raise InputError(Problem((*path.split("/"), str(n), column), code, "; ".join(cells)))
    row: dict[str, Any] = dict(zip(TEXTS, cells, strict=False))
    price = cells[-1]
    found = _MULTIPLE.fullmatch(price) if name == "periods" and _TIMES.search(price.lower()) else None
    adds = name == "periods" and price.startswith("+")
    column = "times" if found else "adds_per_kwh" if adds else columns[-1]
    typed = price.removeprefix("+") if adds else price
    if found:
        typed = next((part for part in found.groups()[:3] if part), "")
    quantity = quantity_of(TABLES[name].model_fields[column])
    where = (*path.split("/"), str(n), column)
    if not typed:
        raise InputError(Problem(where, "missing", price, unit=quantity.unit if quantity else ""))
    value = number(typed, where, quantity)
    row[column] = value / 100.0 if found and found[4] else value
    return {key: entry for key, entry in row.items() if entry != ""}
