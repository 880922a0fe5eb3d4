"""CSV as RFC 4180 has it, in UTF-8, safe to open in a spreadsheet.

What a cell is decides how it is written, never the reader's language: a number has a decimal point and no thousands
separator, a date is ISO 8601, and a text that a spreadsheet would run as a formula is disarmed.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

from planner.engine.export import disarmed

BOM = "\ufeff"  # by which spreadsheets know UTF-8
Cell = str | int | Decimal | dt.date | None


def csv_bytes(rows: Iterable[Sequence[Cell]], *, bom: bool) -> bytes:
    """The rows, header first, as a file; `bom` for Excel, without it for other programs."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([_written(cell) for cell in row] for row in rows)
    return ((BOM if bom else "") + out.getvalue()).encode()


def _written(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    if isinstance(cell, dt.date):
        return cell.isoformat()
    return str(disarmed(cell))
