"""A supplier's quote as it comes: any table, with a mapping of its columns to ours.

Rows of one item with different quantities are one price with volume breaks. A line whose part is not in the catalog is
kept as a price of its own, so that nothing offered is lost.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import chain, islice
from typing import Any

from catalog import terms
from catalog.importers.files import SEPARATOR, SHARE, digest, slugify
from catalog.importers.harvest import Doubt, Harvest
from catalog.importers.sheet import HEADER_LINES, Sheet, Unreadable, checked_header
from catalog.importers.table import LENGTHS, BadCell, Row, sound_rows
from catalog.records import Break, ItemRecord, Provenance, QuoteRecord
from catalog.specs import KINDS

NEEDED = ("price",)
NAMING = ("item", "part_number", "description")  # one of them must be there
# Our field ← what suppliers call it, in lower case.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "item": ("item_slug", "item slug", "slug", "catalog item"),
    "part_number": (
        *("part_number", "part number", "part no", "part no.", "part #", "p/n", "pn", "mpn", "sku", "item code"),
        *(
            "product code",
            "product number",
            "article no.",
            "artikelnummer",
            "料号",
            "物料编码",
            "物料号",
            "产品编号",
            "型号",
            "货号",
            "商品编码",
        ),
    ),
    "description": (
        *("description", "item", "product", "product name", "item description", "name", "bezeichnung", "artikel"),
        *("描述", "品名", "名称", "产品名称", "商品名称", "产品描述", "规格"),
    ),
    "quantity": (
        *(
            "min_quantity",
            "min quantity",
            "minimum quantity",
            "moq",
            "from quantity",
            "volume from",
            "qty from",
            "ab menge",
        ),
        *("起订量", "最小起订量", "起订数量", "最低订购量"),
    ),
    "price": (
        *(
            "price",
            "unit price",
            "unit_price",
            "unit cost",
            "price each",
            "net price",
            "unit price (net)",
            "unit list price",
        ),
        *(
            "einzelpreis",
            "preis",
            "stückpreis",
            "单价",
            "含税单价",
            "不含税单价",
            "未税单价",
            "单价（元）",
            "单价(元)",
            "价格",
        ),
    ),
    "currency": ("currency", "curr", "curr.", "ccy", "währung", "币种", "货币"),
    "unit": ("unit", "uom", "per", "einheit", "单位", "计量单位"),
    "condition": ("condition", "zustand", "成色", "新旧"),
    "valid_until": (
        "valid until",
        "valid_until",
        "validity",
        "expires",
        "expiry",
        "gültig bis",
        "有效期",
        "有效期至",
        "报价有效期",
    ),
    "pack_size": ("pack_size", "pack size", "pack", "packaging unit", "装箱数", "包装数"),
    "note": ("note", "notes", "remark", "remarks", "comment", "bemerkung", "备注", "说明"),
}
FIELDS = tuple(SYNONYMS)
WORDS = frozenset(word for words in SYNONYMS.values() for word in words)
UNITS = {  # what suppliers write for our units
    **dict.fromkeys(
        (
            "",
            "each",
            "ea",
            "ea.",
            "pc",
            "pcs",
            "piece",
            "unit",
            "stk",
            "stück",
            "台",
            "个",
            "件",
            "块",
            "套",
            "张",
            "只",
        ),
        "each",
    ),
    **{"h": "gpu-hour", "hr": "gpu-hour", "hour": "gpu-hour"},
}
CURRENCY_WORDS = {
    "RMB": "CNY",
    "元": "CNY",
    "人民币": "CNY",
    "¥": "CNY",
    "￥": "CNY",
    "US$": "USD",
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
}
MONEY_SIGNS = re.compile(r"^(-?)(?:US\$|RMB|CN¥|[$€£¥￥元])\s*|\s*(?:元|[$€£¥￥])$")
WITH_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
NEGATIVE = re.compile(r"\((.+)\)|[−–](.+)")  # as in books, or with a long dash
CONDITIONS = {"": "new", "new": "new", "neu": "new", "全新": "new", "used": "used", "二手": "used", "refurb": "refurb"}
CONDITIONS |= {"refurbished": "refurb", "翻新": "refurb"}
Part = tuple[str, str]  # kind and slug of an item


def guessed(header: list[str]) -> dict[str, str]:
    """Field → column, as far as the names tell."""
    found: dict[str, str] = {}
    for name, words in SYNONYMS.items():
        for word in words:
            column = next((c for c in header if c.strip().lower() == word and c not in found.values()), None)
            if column is not None:
                found[name] = column
                break
    return found


def table_of(sheet: Sheet) -> Sheet:
    """The sheet from its table on: letterheads stand above."""
    first = [(sheet.header_line, sheet.header), *islice(sheet.lines, HEADER_LINES)]
    at = _header(first)
    line, values = first[at]
    values = list(values)
    while values and not values[-1]:
        values.pop()
    header = _once(checked_header(values))
    return Sheet(sheet.file, header, chain(first[at + 1 :], sheet.lines), sheet.comma, True, line)


def _header(lines: list[tuple[int, list[str]]]) -> int:
    """Where among the first lines the header stands: that with most words that name columns, else with most cells."""

    def weight(place: int) -> tuple[int, int]:
        values = [value.strip().lower() for value in lines[place][1] if value.strip()]
        return sum(value in WORDS for value in values), len(values)

    return max(range(min(len(lines), HEADER_LINES)), key=lambda place: (*weight(place), -place), default=0)


def _once(header: list[str]) -> list[str]:
    """Columns of one name, or of none, told apart by their place."""
    return [
        name if name and header.index(name) == place else f"{name} ({place + 1})".strip()
        for place, name in enumerate(header)
    ]


@dataclass(frozen=True)
class Terms:
    """What holds for every line of a quote unless the line says otherwise."""

    supplier: str
    mapping: Mapping[str, str]  # field → column
    quoted_on: str  # ISO
    number: str = ""
    currency: str = ""
    unit: str = "each"
    valid_until: str = ""
    tax_included_percent: str = ""


@dataclass
class Line:
    row: Row
    part: Part
    price: Decimal
    currency: str
    unit: str
    condition: str
    quantity: int
    fields: dict[str, Any]


@dataclass
class Reader:
    """Reads one quote. `parts`: part number, or name in lower case, or slug → the item of the catalog."""

    terms: Terms
    parts: Mapping[str, Part]
    lines: dict[tuple[Any, ...], list[Line]] = field(default_factory=dict)
    new: dict[str, ItemRecord] = field(default_factory=dict)
    unmatched: list[str] = field(default_factory=list)

    def read(self, sheet: Sheet, harvest: Harvest) -> Iterator[None]:
        table = table_of(sheet)
        mapping = {name: column for name, column in self.terms.mapping.items() if name in FIELDS and column}
        missing = [
            BadCell(table.file, table.header_line, c, "", "missing_column")
            for c in mapping.values()
            if c not in table.header
        ]
        missing += [BadCell(table.file, table.header_line, n, "", "not_mapped") for n in NEEDED if n not in mapping]
        if not any(name in mapping for name in NAMING):
            missing.append(BadCell(table.file, table.header_line, "part_number", "", "not_mapped"))
        if missing:
            harvest.bad += missing
            return
        for row in sound_rows(_only(table, list(mapping.values())), harvest.bad):
            cells = {name: row.cells.get(column, "") for name, column in mapping.items()}
            if not any(cells.get(name) for name in (*NAMING, "price")):
                continue  # a total, a footer
            harvest.rows += 1
            self._take(Row(row.file, row.line, cells, harvest.bad, row.comma), harvest)
            yield
        self._deliver(harvest)
        yield

    def _take(self, row: Row, harvest: Harvest) -> None:
        before = len(row.bad)
        unit = self._unit(row)
        row.cells["price"] = amount(row.cells.get("price", ""), row.comma)
        if row.cells.get("currency"):
            row.cells["currency"] = CURRENCY_WORDS.get(row.cells["currency"].upper(), row.cells["currency"].upper())
        price = row.price("price", needed=True, unit=unit)
        currency = row.currency("currency") if row.cells.get("currency") else self.terms.currency
        if not currency and not SHARE.match(unit):
            row.refuse("currency", "no_currency")
        written = row.cells.get("condition", "").lower()
        condition = CONDITIONS.get(written, "")
        if not condition:
            row.refuse("condition", "not_a_choice", detail="new, used, refurb")
        quantity = row.count("quantity", terms.MAX_QUANTITY) or 1
        fields: dict[str, Any] = {
            "valid_until": self._day(row),
            "pack_size": row.count("pack_size", terms.MAX_QUANTITY),
        }
        fields["basis"] = row.text("note")
        row.text("description")
        if len(row.cells.get("part_number", "")) > LENGTHS["number"]:
            row.refuse("part_number", "too_long", high=LENGTHS["number"])
        if len(row.bad) > before or price is None:
            return
        part = self._part(row)
        if part is None:
            return
        line = Line(row, part, price, currency, unit, condition, quantity, fields)
        self.lines.setdefault((part, currency, unit, condition), []).append(line)

    def _unit(self, row: Row) -> str:
        written = row.cells.get("unit", "")
        if not written:
            return self.terms.unit
        return UNITS.get(written.lower(), written[: LENGTHS["unit"]])

    def _day(self, row: Row) -> date | None:
        if row.cells.get("valid_until"):
            return row.day("valid_until")[0]
        return date.fromisoformat(self.terms.valid_until) if self.terms.valid_until else None

    def _part(self, row: Row) -> Part | None:
        """The item a line is about: by slug, part number or name; else one of its own."""
        slug, number, words = (row.cells.get(name, "") for name in NAMING)
        if slug:
            found = self.parts.get(slug)
            if found is None:
                row.refuse("item", "unknown_reference", detail="item")
            return found
        found = self.parts.get(number) if number else None
        found = found or (self.parts.get(words.lower()) if words else None)
        if found is not None:
            return found
        name = words or number
        if not name:
            row.refuse("part_number", "empty")
            return None
        own = self._slug(number or words)
        if own not in self.new:
            values = {"item_kind": "part", "description": words[:300] or None, "part_number": number or None}
            spec = KINDS["other"].model_validate({k: v for k, v in values.items() if v})
            said = Provenance("sourced", f"{self.terms.supplier} {self.terms.number}".strip(), "")
            cells = {cell: said for cell in ("description", "part_number") if values[cell]}
            self.new[own] = ItemRecord(own, "other", name[:300], "", spec, cells)
            self.unmatched.append(name)
        return "other", own

    def _slug(self, number: str) -> str:
        """Stable for a supplier's part, whatever it is written in."""
        plain = slugify(self.terms.supplier, number)[:100].rstrip("-.")
        return f"{plain or 'part'}-{zlib.crc32(SEPARATOR.join((self.terms.supplier, number)).encode()):08x}"

    def _deliver(self, harvest: Harvest) -> None:
        seen: dict[str, int] = {}
        for item in self.new.values():
            harvest.add(item)
        for lines in self.lines.values():
            for quote in self._quotes(lines, harvest):
                identity = SEPARATOR.join(
                    (
                        quote.item_kind,
                        quote.item_slug,
                        quote.supplier,
                        quote.number,
                        self.terms.quoted_on,
                        quote.currency,
                        quote.unit,
                        quote.condition,
                    )
                )
                seen[identity] = seen.get(identity, 0) + 1
                object.__setattr__(quote, "external_id", f"{digest(identity)}-{seen[identity]}")
                harvest.add(None, quote)
        if self.unmatched:
            facts = {"parts": len(self.unmatched), "first": ", ".join(self.unmatched[:5])}
            harvest.doubts.append(Doubt("parts_unknown", "", 0, self.terms.supplier, facts))

    def _quotes(self, lines: list[Line], harvest: Harvest) -> Iterator[QuoteRecord]:
        """One price of all lines, with breaks where each has a quantity of its own; else each a price of its own."""
        lines = sorted(lines, key=lambda line: line.quantity)
        quantities = [line.quantity for line in lines]
        if len(lines) > 1 and len(set(quantities)) == len(lines):
            breaks = tuple(Break(line.quantity, line.price) for line in lines[1:])
            yield self._quote(lines[0], breaks)
        else:
            for line in lines:
                yield self._quote(line, ())

    def _quote(self, line: Line, breaks: tuple[Break, ...]) -> QuoteRecord:
        tax = self.terms.tax_included_percent
        return QuoteRecord(
            item_kind=line.part[0],
            item_slug=line.part[1],
            unit_price=line.price,
            currency=line.currency,
            kind="quote",
            unit=line.unit,
            quoted_on=date.fromisoformat(self.terms.quoted_on),
            supplier=self.terms.supplier,
            number=self.terms.number,
            condition=line.condition,
            breaks=breaks,
            min_quantity=line.quantity if line.quantity > 1 else None,
            tax_included_percent=Decimal(tax) if tax else None,
            **line.fields,
        )


def amount(written: str, comma: bool) -> str:
    """A price as suppliers print it, "¥ 41,500.00" or "(200)", as a plain number; what is none stays as it is."""
    text = unicodedata.normalize("NFKC", written).strip()
    if found := NEGATIVE.fullmatch(text):
        text = f"-{(found[1] or found[2]).strip()}"
    text = MONEY_SIGNS.sub(lambda sign: sign[1] or "", text).replace("\u00a0", "").strip()
    return text.replace(",", "") if not comma and WITH_THOUSANDS.fullmatch(text) else text


def _only(sheet: Sheet, columns: list[str]) -> Sheet:
    """The sheet with these columns: what nobody uses, formulas of totals too, is not looked at."""
    places = [sheet.header.index(column) for column in columns]
    lines = ((line, [values[at] if at < len(values) else "" for at in places]) for line, values in sheet.lines)
    return Sheet(sheet.file, columns, lines, sheet.comma, True, sheet.header_line)


def first_rows(sheet: Sheet, most: int = 5) -> tuple[list[str], list[list[str]]]:
    """Header and first rows, for whoever maps the columns; raises Unreadable."""
    table = table_of(sheet)
    if len(table.header) < 2:
        raise Unreadable("unknown_format")
    rows = [[str(value)[:80] for value in values[: len(table.header)]] for _line, values in islice(table.lines, most)]
    return table.header, [row + [""] * (len(table.header) - len(row)) for row in rows]
