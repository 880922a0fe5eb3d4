"""XLSX workbooks as sheets of text. What one may be is checked on its table of contents, before anything is unpacked.

Cells that are no plain value stay where they are, marked with what is wrong: a column that nobody uses harms nobody.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any

from catalog.importers.sheet import MAX_BYTES, MAX_COLUMNS, Marked, Sheet, Unreadable, checked_header

MAX_EXPANDED = 150_000_000  # bytes of all parts together
MAX_PARTS = 2_000
MAX_CELLS = 5_000_000
MAX_LINES = 1_100_000  # a little more than a worksheet of Excel has
DIGITS = 15  # a spreadsheet keeps no more of a number
MERGED = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]{0,200}?\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
CHUNK = 1_000_000


def is_workbook(content: bytes) -> bool:
    return content.startswith(b"PK")


def sheets(file: str, content: bytes) -> Iterator[tuple[str, Sheet]]:
    """(title, sheet) of each worksheet that holds anything; raises Unreadable."""
    _check(content)
    from openpyxl import DEFUSEDXML, load_workbook

    if not DEFUSEDXML:
        raise RuntimeError("defusedxml is missing")
    try:
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=False, keep_links=False)
        for page in book.worksheets:
            page.reset_dimensions()  # what the file says of its size may be a lie
            merged = _merged(content, page._worksheet_path)
            lines = _lines(page.iter_rows(), merged)
            header = next(((line, values) for line, values in lines if any(values)), None)
            if header is not None:
                yield page.title, _sheet(file, page.title, header, lines, len(book.worksheets))
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # whatever a hand-made workbook makes the library stumble over
        raise Unreadable("broken_workbook", detail=type(error).__name__) from None


def _sheet(file: str, title: str, header: tuple[int, list[str]], lines: Any, of: int) -> Sheet:
    line, values = header
    while values and not values[-1]:
        values.pop()
    name = file if of == 1 else f"{file} [{title}]"
    return Sheet(name, checked_header(values), _guarded(lines), of_cells=True, header_line=line)


def _guarded(lines: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    try:
        yield from lines
    except (Unreadable, MemoryError):
        raise
    except Exception as error:
        raise Unreadable("broken_workbook", detail=type(error).__name__) from None


def _check(content: bytes) -> None:
    if len(content) > MAX_BYTES:
        raise Unreadable("too_large", value=f"{len(content):,}", high=MAX_BYTES)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as error:
        raise Unreadable("broken_workbook", detail=type(error).__name__) from None
    if len(parts) > MAX_PARTS:
        raise Unreadable("too_many_parts", value=f"{len(parts):,}", high=MAX_PARTS)
    expanded = sum(part.file_size for part in parts)
    if expanded > MAX_EXPANDED:
        raise Unreadable("expands_too_far", value=f"{expanded:,}", high=MAX_EXPANDED)
    if any(part.flag_bits & 1 for part in parts):
        raise Unreadable("encrypted_workbook")
    if not any(part.filename.startswith("xl/") for part in parts):
        raise Unreadable("not_a_workbook")


def _merged(content: bytes, path: str) -> list[tuple[int, int]]:
    """First and last line of every merged area of a worksheet, in one reading, a piece at a time."""
    found, rest = [], b""
    with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(path.lstrip("/")) as part:
        while piece := part.read(CHUNK):
            window = rest + piece
            for area in MERGED.finditer(window):
                found.append((int(area[2]), int(area[4])))
            rest = window[-300:] if b">" not in window[-300:] else window[window.rindex(b">") + 1 :]
    return found


def _lines(rows: Any, merged: list[tuple[int, int]]) -> Iterator[tuple[int, list[str]]]:
    cells = 0
    for line, row in enumerate(rows, 1):
        if line > MAX_LINES:
            raise Unreadable("too_many_rows", line, high=MAX_LINES)
        if len(row) > MAX_COLUMNS:
            raise Unreadable("too_many_columns", line, value=f"{len(row):,}", high=MAX_COLUMNS)
        cells += len(row)
        if cells > MAX_CELLS:
            raise Unreadable("too_many_cells", line, high=MAX_CELLS)
        values = [_text(cell) for cell in row]
        if any(first <= line <= last for first, last in merged):
            values = [Marked(value, "merged_cells") for value in values]
        yield line, values


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        if cell.data_type == "f":
            return Marked(value[:200], "formula")
        return Marked(value, "error_cell") if cell.data_type == "e" else value
    if isinstance(value, bool):
        return "y" if value else "n"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, datetime):
        return (value.date() if value.time() == time() else value).isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return Marked(str(value)[:200], "formula")  # array formulas and data tables


def _number(value: int | float) -> str:
    if abs(value) >= 10**DIGITS:
        return Marked(f"{value:.0f}"[:40], "digits_lost")
    if value == int(value):
        return str(int(value))
    text = f"{value:.{DIGITS}g}"
    return text if "e" not in text else f"{value:.20f}".rstrip("0")
