"""Reads a CSV file cell by cell; what cannot be used is noted with line, column, value, reason and bound."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import ValidationError

from catalog import specs
from catalog.importers.sheet import Marked, Sheet, Unreadable, delimited, figure
from catalog.records import PRICE_DECIMALS, PRICE_LIMIT, plain
from catalog.terms import BadTerm

MAX_ROWS = 200_000
MAX_CELL = 5_000
URL_LENGTH = 500
# Longest text of a column that is stored in a field of its own.
LENGTHS = {
    **{"name": 300, "model": 300, "description": 300, "vendor": 120, "supplier": 200, "number": 100, "unit": 60},
    **{"provider": 60, "instance_type": 110, "region": 120, "market": 120, "size_band": 120, "customer_class": 60},
}
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
URL = re.compile(r"https?://[^\s;,)\"'<>]+(?:\([^\s)]*\)[^\s;,)\"'<>]*)*")
DAY = re.compile(r"(\d{4})(?:-(?:(\d{2})(?:-(\d{2}))?|Q([1-4])|H([12])))?", re.ASCII)
FIRST_YEAR, LAST_YEAR = 1990, 2100
# ISO 4217, currencies in circulation.
CODES_OF_CURRENCIES = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP "
    "CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG "
    "HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL "
    "MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR "
    "RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD "
    "TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG"
)
CURRENCIES = frozenset(CODES_OF_CURRENCIES.split())


@dataclass(frozen=True, slots=True)
class BadCell:
    """One thing a person must mend. `code` is for wording; str() says it in English."""

    file: str
    line: int
    column: str
    value: str
    code: str
    low: float | None = None
    high: float | None = None
    unit: str = ""
    detail: str = ""

    def __str__(self) -> str:
        place = f"{self.file}: line {self.line}" + (f", column {self.column}" if self.column else "")
        got = f"; got {self.value!r}" if self.value else ""
        return f"{place}: {self.reason}{got}"

    @property
    def reason(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return REASONS[self.code].format(detail=self.detail, unit=unit, low=bound(self.low), high=bound(self.high))


def gettext_noop(sentence: str) -> str:
    """Mark a sentence for the translators; wording speaks it."""
    return sentence


REASONS = {
    "not_utf8": gettext_noop("the file is not UTF-8"),
    "utf_16": gettext_noop("the file is UTF-16 or UTF-32; save it as UTF-8"),
    "too_large": gettext_noop("the file is larger than {high} bytes"),
    "too_many_columns": gettext_noop("the file has more than {high} columns"),
    "too_many_rows": gettext_noop("the file has more than {high} rows"),
    "no_file": gettext_noop("no file was chosen"),
    "too_many_files": gettext_noop("there are more than {high} files"),
    "too_many_cells": gettext_noop("the file has more than {high} cells"),
    "too_many_parts": gettext_noop("the workbook has more than {high} parts"),
    "expands_too_far": gettext_noop("unpacked, the workbook is larger than {high} bytes"),
    "encrypted_workbook": gettext_noop("the workbook is protected by a password"),
    "old_workbook": gettext_noop("this is a workbook of Excel before 2007; save it as .xlsx or CSV"),
    "not_a_workbook": gettext_noop("the archive is no workbook (.xlsx)"),
    "broken_workbook": gettext_noop("the workbook cannot be read ({detail})"),
    "too_deep": gettext_noop("the YAML is nested more than {high} levels deep"),
    "too_many_nodes": gettext_noop("the YAML has more than {high} nodes"),
    "yaml_alias": gettext_noop("aliases (&name, *name) are not read"),
    "broken_yaml": gettext_noop("the YAML is broken: {detail}"),
    "not_a_device": gettext_noop("this is no device type and no rack type: it needs manufacturer and model"),
    "too_much_memory": gettext_noop("reading the file takes more than {high} bytes of memory"),
    "too_much_time": gettext_noop("reading the file takes more than {high} seconds"),
    "reader_died": gettext_noop("reading the file ended in an error of the program ({detail})"),
    "unknown_format": gettext_noop("neither a catalog file, cloud prices, a device type nor a table with a header"),
    "not_mapped": gettext_noop("no column of the file stands for it"),
    "broken_csv": gettext_noop("the CSV is broken: {detail}"),
    "no_header": gettext_noop("the file has no header line"),
    "unknown_file": gettext_noop("no file of this name is known; known are {detail}"),
    "form_twice": gettext_noop("two sheets have the form {detail}"),
    "missing_column": gettext_noop("the column is missing"),
    "unknown_column": gettext_noop("the column is not known"),
    "duplicate_column": gettext_noop("the column stands twice"),
    "wrong_width": gettext_noop("the row has {detail} cells where the header has {high}"),
    "cell_too_long": gettext_noop("the cell is longer than {high} characters"),
    "control_character": gettext_noop("the cell holds a control character"),
    "formula": gettext_noop("the cell holds a formula; paste its value"),
    "error_cell": gettext_noop("the cell holds an error of the spreadsheet"),
    "merged_cells": gettext_noop("the cell is merged with others; take them apart"),
    "digits_lost": gettext_noop("a number of more than 15 digits has lost some; write it as text"),
    "empty": gettext_noop("must not be empty"),
    "not_a_number": gettext_noop("must be a plain number{unit}, without thousands separators"),
    "ambiguous_number": gettext_noop("the point may divide thousands or decimals; write it without, or with a comma"),
    "not_whole": gettext_noop("must be a whole number{unit}"),
    "not_finite": gettext_noop("must be a finite number{unit}"),
    "out_of_bounds": gettext_noop("must lie in {low} to {high}{unit}"),
    "too_many_decimals": gettext_noop("must have at most {high} decimals"),
    "not_a_date": gettext_noop("must be a date: 2026-11-30, 2026-11, 2026-Q4, 2026-H2 or 2026"),
    "not_a_currency": gettext_noop("must be a three-letter currency code (ISO 4217)"),
    "no_currency": gettext_noop("a price needs a currency"),
    "no_unit": gettext_noop("a price needs a unit and period: each, kWh, kW-month …"),
    "not_a_choice": gettext_noop("must be one of {detail}"),
    "not_yes_or_no": gettext_noop("must be y or n"),
    "not_a_url": gettext_noop("must be a web address starting with http:// or https://"),
    "not_a_slug": gettext_noop("must be letters, digits, dots, hyphens or underscores"),
    "too_long": gettext_noop("must have at most {high} characters"),
    "duplicate": gettext_noop("stands twice; first on line {detail}"),
    "unknown_reference": gettext_noop("names no {detail} of the catalog"),
    "too_few_slots": gettext_noop("must be at least accelerator_count"),
    "too_much_carbon": gettext_noop("times accelerator_count must not exceed embodied_kgco2e"),
    "not_rising": gettext_noop("must rise from low to likely to high"),
    "power_not_rising": gettext_noop("must not exceed the typical or maximum power"),
    "same_currency": gettext_noop("base and quote must differ"),
    "not_allowed": gettext_noop("is not a field of this kind"),
    "bad_break": gettext_noop("“{detail}” is no volume break: write quantity: price, as in 8: 41500; 16: 40000"),
    "break_quantity": gettext_noop("“{detail}”: a volume break begins at 2 to 1,000,000 pieces"),
    "break_twice": gettext_noop("two volume breaks begin at one quantity"),
    "bad_discount": gettext_noop("“{detail}” is no discount: write name: 5 % or name: amount"),
    "discount_share": gettext_noop("“{detail}”: discounts lie above 0 and under 100 per cent, in sum too"),
    "discount_twice": gettext_noop("two discounts have one name"),
    "term_amount": gettext_noop("“{detail}”: must be a plain number under 1,000,000,000, of 6 decimals at most"),
    "too_many_terms": gettext_noop("more than 20 entries, from “{detail}” on"),
    "invalid": "{detail}",
}
# What is wrong with a file as a whole: nothing of it can be taken, whoever would skip its bad rows.
WHOLE_FILE = {
    *("not_utf8", "utf_16", "too_large", "too_many_columns", "too_many_cells", "too_many_parts", "too_many_rows"),
    *("expands_too_far", "encrypted_workbook", "old_workbook", "not_a_workbook", "broken_workbook", "broken_csv"),
    *("too_deep", "too_many_nodes", "yaml_alias", "broken_yaml", "too_much_memory", "too_much_time", "reader_died"),
    *("no_header", "no_file", "too_many_files", "unknown_format", "unknown_file", "form_twice", "not_mapped"),
    *("missing_column", "unknown_column", "duplicate_column"),
}
CODES = {
    "missing": "empty",
    "finite_number": "not_finite",
    "float_parsing": "not_a_number",
    "float_type": "not_a_number",
    "int_parsing": "not_whole",
    "int_from_float": "not_whole",
    "int_type": "not_whole",
    "bool_parsing": "not_yes_or_no",
    "bool_type": "not_yes_or_no",
    "literal_error": "not_a_choice",
    "string_pattern_mismatch": "not_a_slug",
    "string_too_long": "too_long",
    "string_too_short": "empty",
    "extra_forbidden": "not_allowed",
}


def bound(value: float | None) -> str:
    return "…" if value is None else f"{value:,.10g}" if abs(value) < 1e12 else f"{value:g}"


class Refused(Exception):
    """A file that cannot be taken over; nothing of it may be saved."""

    def __init__(self, bad_cells: list[BadCell]):
        self.bad_cells = bad_cells
        super().__init__("\n".join(map(str, bad_cells)))


def spec_errors(kind: str, error: ValidationError) -> Iterator[dict[str, Any]]:
    """pydantic's errors as (column, value, code, low, high, unit, detail): field, value and bound in our own terms."""
    for one in error.errors(include_url=False):
        context = one.get("ctx", {})
        column = str(one["loc"][0]) if one["loc"] else context.get("field", "")
        value = one["input"] if one["loc"] else one["input"].get(column, "") if isinstance(one["input"], dict) else ""
        low, high, unit = specs.bounds(kind, column)
        code, detail = CODES.get(one["type"], one["type"]), ""
        if one["type"] in ("greater_than_equal", "less_than_equal"):
            code = "out_of_bounds"
        elif code == "not_a_choice":
            detail = context.get("expected", "").replace("'", "")
        elif code == "too_long":
            high = context.get("max_length")
        elif one["type"] == "missing":
            value = ""
        elif code == "not_a_slug" and context.get("pattern") == "^[A-Z]{3}$":
            code = "not_a_currency"
        elif code not in REASONS:
            code, detail = "invalid", one["msg"]
        yield {
            "column": column,
            "value": "" if value is None else str(value),
            "code": code,
            "low": low,
            "high": high,
            "unit": unit,
            "detail": detail,
        }


_NUMERIC = {
    kind: frozenset(n for n, info in spec.model_fields.items() if specs._bounds(info)[0] is not None)
    for kind, spec in specs.KINDS.items()
}


class Row:
    """One line of a file. Readers return None for what is empty or bad; what is bad is noted in `bad`."""

    __slots__ = ("bad", "cells", "comma", "file", "line")

    def __init__(self, file: str, line: int, cells: dict[str, str], bad: list[BadCell], comma: bool = False):
        self.file, self.line, self.cells, self.bad, self.comma = file, line, cells, bad, comma

    def refuse(self, column: str, code: str, **more: Any) -> None:
        self.bad.append(BadCell(self.file, self.line, column, self.cells.get(column, "")[:200], code, **more))

    def text(self, column: str, needed: bool = False) -> str:
        value = self.cells.get(column, "")
        if needed and not value:
            self.refuse(column, "empty")
        if len(value) > LENGTHS.get(column, MAX_CELL):
            self.refuse(column, "too_long", high=LENGTHS.get(column, MAX_CELL))
        return value

    def slug(self, column: str = "slug") -> str:
        value = self.text(column, needed=True)
        if value and (len(value) > 120 or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", value, re.ASCII)):
            self.refuse(column, "not_a_slug")
        return value

    def choice(self, column: str, choices) -> str:
        value = self.text(column, needed=True)
        if value and value not in choices:
            self.refuse(column, "not_a_choice", detail=", ".join(choices))
        return value

    def url(self, column: str) -> str:
        """The first address in the cell; a cell of words alone is refused."""
        value = self.cells.get(column, "")
        if not value:
            return ""
        found = URL.match(value)
        if not found:
            self.refuse(column, "not_a_url")
            return ""
        if len(found[0]) > URL_LENGTH:
            self.refuse(column, "too_long", high=URL_LENGTH)
        return found[0]

    def _figure(self, column: str, value: str) -> str:
        """The number as it is written with a decimal point, "" where that cannot be told and is noted."""
        if not self.comma:
            return value
        found = figure(value)
        if found is None:
            self.refuse(column, "ambiguous_number")
        return found or ""

    def price(self, column: str, needed: bool = False, unit: str = "") -> Decimal | None:
        value = self._figure(column, self.text(column, needed))
        if not value:
            return None
        if not NUMBER.fullmatch(value):
            self.refuse(column, "not_finite" if NOT_FINITE.fullmatch(value) else "not_a_number", unit=unit)
            return None
        try:
            amount = Decimal(value)
            fine = amount == round(amount, PRICE_DECIMALS) if 0 <= amount < PRICE_LIMIT else True
        except InvalidOperation:
            self.refuse(column, "not_a_number", unit=unit)
            return None
        if not 0 <= amount < PRICE_LIMIT:
            self.refuse(column, "out_of_bounds", low=0, high=float(PRICE_LIMIT - 1), unit=unit)
            return None
        if not fine:
            self.refuse(column, "too_many_decimals", high=PRICE_DECIMALS)
            return None
        return plain(amount)

    def count(self, column: str, most: int) -> int | None:
        """A whole number from 1 on."""
        value = self._figure(column, self.cells.get(column, ""))
        if not value:
            return None
        if not re.fullmatch(r"[0-9]{1,9}", value, re.ASCII):
            self.refuse(column, "not_whole")
            return None
        if not 1 <= int(value) <= most:
            self.refuse(column, "out_of_bounds", low=1, high=most)
            return None
        return int(value)

    def terms(self, column: str, read: Callable[[str], tuple[Any, ...]]) -> tuple[Any, ...]:
        """Volume breaks or discounts; bad ones are refused by the code of what is wrong."""
        try:
            return read(self.cells.get(column, ""))
        except BadTerm as error:
            self.refuse(column, error.code, detail=error.entry)
            return ()

    def currency(self, column: str, needed: bool = True) -> str:
        value = self.cells.get(column, "")
        if not value:
            if needed:
                self.refuse(column, "no_currency")
        elif value not in CURRENCIES:
            self.refuse(column, "not_a_currency")
        return value

    def day(self, column: str, needed: bool = False) -> tuple[date | None, str]:
        """The first day of what the cell names, and how precisely it does."""
        value = self.text(column, needed)
        if not value:
            return None, "day"
        found = parse_day(value)
        if found is None:
            self.refuse(column, "not_a_date")
            return None, "day"
        return found

    def spec(self, kind: str, values: dict[str, Any]) -> specs.Spec | None:
        """The validated document of the item, or None with every bad cell of it noted."""
        numeric, given, sound = _NUMERIC[kind], {}, True
        for column, value in values.items():
            if value is None or value == "":
                continue
            if self.comma and column in numeric and isinstance(value, str):
                value = self._figure(column, value)
                if not value:
                    sound = False
                    continue
            if column in numeric and isinstance(value, str) and not NUMBER.fullmatch(value):
                unit = specs.unit(kind, column)
                self.refuse(column, "not_finite" if NOT_FINITE.fullmatch(value) else "not_a_number", unit=unit)
                sound = False
                continue
            given[column] = value
        try:
            made = specs.KINDS[kind].model_validate(given)
        except ValidationError as error:
            refused = {cell.column for cell in self.bad if cell.line == self.line and cell.file == self.file}
            for one in spec_errors(kind, error):
                if one["column"] not in refused:
                    self.bad.append(BadCell(self.file, self.line, **one))
            return None
        return made if sound else None


def parse_day(value: str) -> tuple[date, str] | None:
    """2026-11-30 · 2026-11 · 2026-Q4 · 2026-H2 · 2026 → its first day and the precision; None if it is no date."""
    found = DAY.fullmatch(value)
    if not found:
        return None
    year, month, day, quarter, half = (int(part or 0) for part in found.groups())
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        if day:
            return date(year, month, day), "day"
        if found[3]:  # day 00
            return None
        if found[2]:
            return date(year, month, 1), "month"
    except ValueError:
        return None
    if quarter:
        return date(year, 3 * quarter - 2, 1), "quarter"
    if half:
        return date(year, 6 * half - 5, 1), "half"
    return date(year, 1, 1), "year"


def rows_of(file: str, content: bytes, required, optional, bad: list[BadCell]) -> Iterator[Row]:
    """The rows of a CSV file; what is wrong with the file as a whole is noted, and then no row follows."""
    try:
        yield from rows_in(delimited(file, content), required, optional, bad)
    except Unreadable as error:
        bad.append(unreadable(file, error))


def unreadable(file: str, error: Unreadable) -> BadCell:
    return BadCell(file, error.line, "", error.value, error.code, **error.more)


def rows_in(sheet: Sheet, required, optional, bad: list[BadCell]) -> Iterator[Row]:
    """The rows of a sheet; raises Unreadable where it breaks off."""
    if columns_fit(sheet, required, optional, bad):
        yield from sound_rows(sheet, bad)


def columns_fit(sheet: Sheet, required, optional, bad: list[BadCell]) -> bool:
    """Whether the sheet has the columns of a form, and no other; what is wrong is noted."""
    file, header, at = sheet.file, sheet.header, sheet.header_line
    allowed, before = {*required, *optional}, len(bad)
    bad += [BadCell(file, at, name, "", "missing_column") for name in required if name not in header]
    bad += [BadCell(file, at, name, "", "unknown_column") for name in header if name not in allowed]
    bad += [BadCell(file, at, name, "", "duplicate_column") for name in sorted(set(header)) if header.count(name) > 1]
    return len(bad) == before


def sound_rows(sheet: Sheet, bad: list[BadCell]) -> Iterator[Row]:
    """The rows whose cells are text of a length we take, whatever the columns; the others are noted."""
    count = 0
    for line, values in sheet.lines:
        row = sound_row(sheet, line, values, bad)
        if row is not None:
            count += 1
            if count > MAX_ROWS:
                raise Unreadable("too_many_rows", line, high=MAX_ROWS)
            yield row


def sound_row(sheet: Sheet, line: int, values: list[str], bad: list[BadCell]) -> Row | None:
    file, header, width = sheet.file, sheet.header, len(sheet.header)
    if not any(values):
        return None
    if len(values) != width:
        if not sheet.of_cells or any(values[width:]):
            bad.append(BadCell(file, line, "", "", "wrong_width", high=width, detail=str(len(values))))
            return None
        values = [*values[:width], *[""] * (width - len(values))]
    if sheet.of_cells and any(isinstance(value, Marked) for value in values):
        for name, value in zip(header, values, strict=True):
            if isinstance(value, Marked):
                bad.append(BadCell(file, line, name, value[:200], value.code))
        return None
    together = "".join(values)
    if (len(together) > MAX_CELL or not together.isprintable()) and not _sound(file, line, header, values, bad):
        return None
    return Row(file, line, dict(zip(header, map(str.strip, values), strict=True)), bad, sheet.comma)


def _sound(file: str, line: int, header: list[str], values: list[str], bad: list[BadCell]) -> bool:
    before = len(bad)
    for name, value in zip(header, values, strict=True):
        if len(value) > MAX_CELL:
            bad.append(BadCell(file, line, name, value[:40] + "…", "cell_too_long", high=MAX_CELL))
        elif not value.isprintable() and CONTROL.search(value):
            bad.append(BadCell(file, line, name, value[:40], "control_character"))
    return len(bad) == before
