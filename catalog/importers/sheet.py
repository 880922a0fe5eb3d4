"""A file as a sheet of text: what its bytes are, how its cells are divided, how its numbers are written."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

MAX_BYTES = 50_000_000
MAX_COLUMNS = 1_000
DELIMITERS = (",", ";", "\t")
HEADER_LINES = 30  # in which a supplier's table begins at the latest
UTF_16_32 = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n")  # by which Excel is told the delimiter
WITH_COMMA = re.compile(r"-?\d{1,3}(?:\.\d{3})*,\d+|-?\d+,\d+", re.ASCII)
THOUSANDS = re.compile(r"-?\d{1,3}(?:\.\d{3})+", re.ASCII)
CELL_WITH_COMMA = re.compile(rf"(?:^|[;\t\n\"])(?:{WITH_COMMA.pattern})(?=$|[;\t\r\n\"])", re.ASCII)


class Unreadable(Exception):
    """A file that is no sheet at all; `code` and the rest are those of a BadCell."""

    def __init__(self, code: str, line: int = 1, value: str = "", **more: Any):
        self.code, self.line, self.value, self.more = code, line, value, more
        super().__init__(code)


class Marked(str):
    """The text of a cell that cannot be used; `code` says why."""

    code: str

    def __new__(cls, text: str, code: str) -> "Marked":
        made = super().__new__(cls, text)
        made.code = code
        return made


@dataclass(frozen=True)
class Sheet:
    """Header and rows, each with the line it begins on. `comma`: numbers are written 1.234,56."""

    file: str
    header: list[str]
    lines: Iterable[tuple[int, list[str]]]
    comma: bool = False
    of_cells: bool = False  # a workbook has no row too short: cells at the end of a row are simply not there
    header_line: int = 1


def text_of(content: bytes) -> str:
    """The text of a file in UTF-8, with or without its mark; raises Unreadable."""
    if len(content) > MAX_BYTES:
        raise Unreadable("too_large", value=f"{len(content):,}", high=MAX_BYTES)
    if content.startswith(UTF_16_32) or b"\0" in content[:4]:
        raise Unreadable("utf_16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable("not_utf8", line, repr(content[error.start : error.start + 4])[2:-1]) from None


def delimited(file: str, content: bytes) -> Sheet:
    """A CSV file divided by comma, semicolon or tab; raises Unreadable."""
    text = text_of(content)
    told = SEPARATOR_LINE.match(text)
    delimiter = told[1] if told else _delimiter(text)
    comma = delimiter != "," and CELL_WITH_COMMA.search(text) is not None
    del text  # the lines are decoded anew, one by one: the whole of a large file in memory twice is too much
    lines = _lines(content, delimiter, 1 if told else 0)
    line, header = next(lines, (1, []))
    return Sheet(file, checked_header(header), lines, comma, header_line=line)


def checked_header(values: list[str]) -> list[str]:
    header = [name.strip() for name in values]
    if not any(header):
        raise Unreadable("no_header")
    if len(header) > MAX_COLUMNS:
        raise Unreadable("too_many_columns", value=f"{len(header):,}", high=MAX_COLUMNS)
    return header


def figure(text: str) -> str | None:
    """A number with a decimal comma as one with a point; None where a point may divide thousands or decimals."""
    if WITH_COMMA.fullmatch(text):
        return text.replace(".", "").replace(",", ".")
    return None if THOUSANDS.fullmatch(text) else text


def _delimiter(text: str) -> str:
    """That which divides the first line that has any: more often than the others do, outside quotation marks."""
    for line in text[:20_000].splitlines()[:HEADER_LINES]:
        bare = re.sub(r'"[^"]*"', "", line)
        found = max(DELIMITERS, key=bare.count)
        if bare.count(found):
            return found
    return ","


def _lines(content: bytes, delimiter: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    stream = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")
    for _ in range(skipped):
        stream.readline()
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    start = skipped + 1
    try:
        for values in reader:
            line, start = start, skipped + reader.line_num + 1
            yield line, values
    except csv.Error as error:
        raise Unreadable("broken_csv", skipped + reader.line_num, detail=str(error)) from None
