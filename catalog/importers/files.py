"""The forms of the catalog's CSV files: which columns a row has, which item and which quotes it becomes."""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from catalog import terms
from catalog.importers import notes
from catalog.importers.table import BadCell, Refused, Row, rows_of
from catalog.records import (
    CONDITIONS,
    QUOTE_KINDS,
    Catalog,
    ItemRecord,
    Provenance,
    QuoteRecord,
    SourceFile,
    catalog_of,
    filled,
)
from catalog.specs import KINDS

FABRIC_KINDS = ("switch", "mgmt", "cable", "optic", "nic", "adapter")
FACILITY_KINDS = ("rack", "pdu", "ups", "rdhx", "cdu", "generator")
QUOTED_KINDS = ("accelerator", "build", "addon", "server", *FABRIC_KINDS, *FACILITY_KINDS, "software", "cost")
SHARE = re.compile(r"percent|.*-per-fte$|fte$")  # units that are a share or a count, not money
SEPARATOR, DIGEST = "\x1f", 20  # of what makes a quote the same; characters kept of its hash
Says = Callable[[list[str]], dict[str, Provenance]]  # the filled cells → who says so
QUOTE_COLUMNS = (
    *("item_slug", "item_kind", "description", "price", "currency", "unit"),
    *("condition", "quote_date", "source_type", "source_url", "note"),
)
SUPPLIER_COLUMNS = ("supplier", "number", "valid_until")
TERM_COLUMNS = ("breaks", "discounts", "min_quantity", "min_order_value", "pack_size", "tax_included_percent")
PART_COLUMNS = ("price", "currency", "price_date", "source_url", "note")
BUILD_PRICE = ("price", "price_currency", "price_date", "price_kind", "price_source_url")


class Reading:
    """What has been read so far: items, quotes, and every cell that cannot be used."""

    def __init__(self, known: Collection[tuple[str, str]]):
        self.known = known
        self.bad: list[BadCell] = []
        self.items: dict[tuple[str, str], ItemRecord] = {}
        self.quotes: list[QuoteRecord] = []
        self.newest: dict[str, date] = {}
        self._lines: dict[Any, int] = {}
        self._identities: dict[tuple, int] = {}
        self._before: dict[tuple[str, str], ItemRecord | None] = {}  # what the row at hand has replaced

    def has(self, kind: str, slug: str) -> bool:
        return (kind, slug) in self.items or (kind, slug) in self.known

    def take(self, form: "Form", row: Row) -> bool:
        """Take a row over, or nothing of it where one of its cells is bad."""
        bad, quotes = len(self.bad), len(self.quotes)
        self._before.clear()
        form.take(row, self)
        if len(self.bad) == bad:
            return True
        del self.quotes[quotes:]
        for key, before in self._before.items():
            if before is None:
                del self.items[key]
            else:
                self.items[key] = before
        return False

    def first_time(self, row: Row, column: str, *key: str) -> bool:
        """Whether the row is the first of its key; a second one is named with the line of the first."""
        first = self._lines.setdefault((row.file, *(key or (row.cells.get(column, ""),))), row.line)
        if first != row.line:
            row.refuse(column, "duplicate", detail=str(first))
        return first == row.line

    def add_item(self, row: Row, kind: str, slug: str, name: str, vendor: str, values: dict, provenance: Says) -> None:
        spec = row.spec(kind, values)
        if spec is not None:
            self._before.setdefault((kind, slug), self.items.get((kind, slug)))
            self.items[kind, slug] = ItemRecord(slug, kind, name, vendor, spec, provenance(filled(spec)))

    def add_quote(self, item_kind: str, item_slug: str, money: dict[str, Any] | None, **fields: Any) -> None:
        if money is None:
            return
        quote = QuoteRecord(item_slug=item_slug, item_kind=item_kind, **money, **fields)
        identity = identity_of(quote)
        number = self._identities[identity] = self._identities.get(identity, 0) + 1
        object.__setattr__(quote, "external_id", f"{digest(SEPARATOR.join(map(str, identity)))}-{number}")
        self.quotes.append(quote)


def identity_of(q: QuoteRecord) -> tuple:
    """What makes a line the same line when it is imported again; price and remark may have been corrected since."""
    day = (q.quoted_on, q.date_precision)
    return (q.item_kind, q.item_slug, q.kind, q.unit, q.supplier, q.number, q.condition, q.currency, *day, q.source_url)


def digest(identity: str) -> str:
    return hashlib.sha256(identity.encode()).hexdigest()[:DIGEST]


@dataclass(frozen=True)
class Form:
    """One kind of file: the columns it must have, those it may have besides, and what becomes of a row."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    take: Callable[[Row, Reading], None]


def _spec_columns(kind: str, *without: str) -> tuple[str, ...]:
    return tuple(name for name in KINDS[kind].model_fields if name not in without)


def _values(row: Row, columns: Collection[str]) -> dict[str, Any]:
    return {name: row.cells[name] for name in columns if name in row.cells}


def slugify(*parts: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", " ".join(parts).lower()).strip("-")


def _money(row: Row, price: str, currency: str, day: str, unit: str, needed: bool = False) -> dict[str, Any] | None:
    """Price, currency, unit and date of a row; None where there is no price or one of them is bad."""
    bad = len(row.bad)
    amount, (quoted_on, precision) = row.price(price, needed, unit), row.day(day, needed)
    code = row.currency(currency, needed=amount is not None and not SHARE.match(unit))
    if amount is None or len(row.bad) > bad:
        return None
    return {
        "unit_price": amount,
        "currency": code,
        "unit": unit,
        "quoted_on": quoted_on,
        "date_precision": precision,
    }


def _same(one: Provenance, *only: str) -> Says:
    """The same word for every cell, or for those named."""
    return lambda cells: {cell: one for cell in cells if not only or cell in only}


def _known(cells: dict[str, Provenance]) -> Says:
    """What was said cell by cell."""
    return lambda given: {cell: cells[cell] for cell in given if cell in cells}


def _accelerator(row: Row, reading: Reading) -> None:
    slug, name, vendor = row.slug(), row.text("model", needed=True), row.text("vendor")
    note, url, fp64_url = row.text("source_note"), row.url("source_url"), row.url("fp64_source_url")
    length_url = row.url("card_length_source_url")
    if not reading.first_time(row, "slug"):
        return

    def provenance(cells):
        found = notes.from_note(cells, note, url, notes.ACCELERATOR)
        for cell in ("fp64_tflops", "fp64_tensor_tflops"):
            if fp64_url and cell in found and found[cell].status == "sourced":
                found[cell] = Provenance("sourced", found[cell].text, fp64_url)
        if length_url and "card_length_mm" in found:
            found["card_length_mm"] = Provenance("sourced", "", length_url)
        if "export_restricted_cn" in found and "export:" in note:  # a rule applied by us, not a statement of the maker
            rule = note[note.index("export:") :].rstrip(".")
            found["export_restricted_cn"] = Provenance("estimate", rule, "")
        return found

    reading.add_item(row, "accelerator", slug, name, vendor, _values(row, ACCELERATOR), provenance)


def _build(row: Row, reading: Reading) -> None:
    slug, name, vendor = row.slug(), row.text("model", needed=True), row.text("vendor")
    money = _money(row, "price", "price_currency", "price_date", "each")
    kind, url = row.choice("price_kind", QUOTE_KINDS) if money else "", row.url("price_source_url")
    if not reading.first_time(row, "slug"):
        return
    card = row.cells["accelerator_slug"]
    if card and not reading.has("accelerator", card):
        row.refuse("accelerator_slug", "unknown_reference", detail="accelerator")
    cells = notes.from_basis(row.text("basis"))
    price = cells.get("price", Provenance("estimate"))
    reading.add_item(
        row, "build", slug, name, vendor, _values(row, BUILD), lambda given: _known(cells)([*given, "price"])
    )
    condition = "used" if slug.startswith("used-") else "new"
    reading.add_quote("build", slug, money, kind=kind, source_url=url, basis=price.text, condition=condition)


def _addon(row: Row, reading: Reading) -> None:
    slug, build, basis = row.slug(), row.slug("build_slug"), row.text("basis")
    money = _money(row, "price", "currency", "date", "each")
    kind, url = row.choice("kind", QUOTE_KINDS) if money else "", row.url("source")
    if not reading.first_time(row, "slug"):
        return
    if build and not reading.has("build", build):
        row.refuse("build_slug", "unknown_reference", detail="build")
    values = _values(row, ADDON)
    if values.get("extra_price"):
        values["extra_price_currency"] = row.cells["currency"]
    parts = re.split(r"; (?=power and weight|extra_price|labour|no fitting|add )", basis)
    cells = {}
    for cell, word in ADDON_WORDS.items():
        text = next((part for part in parts if part.startswith(word)), basis)
        cells[cell] = Provenance("estimate", text, notes.first_url(text))
    reading.add_item(row, "addon", slug, f"+{row.cells['adds_accelerators']} · {build}", "", values, _known(cells))
    reading.add_quote("addon", slug, money, kind=kind, source_url=url, basis=parts[0])


ADDON_WORDS = {
    **dict.fromkeys(("adds_max_w", "adds_typical_w", "adds_idle_w", "adds_kg"), "power and weight"),
    **dict.fromkeys(("adds_nics", "adds_memory_gb", "extra_price"), "extra_price"),
    "labour_hours": "labour",
    "pack": "add ",
}


def _server(row: Row, reading: Reading) -> None:
    slug, name, vendor = row.slug(), row.text("model", needed=True), row.text("vendor")
    note, url = row.text("source_note"), row.url("source_url")
    if reading.first_time(row, "slug"):
        says = partial(notes.from_note, note=note, url=url, names=notes.SERVER)
        reading.add_item(row, "server", slug, name, vendor, _values(row, SERVER), says)


def _fabric(row: Row, reading: Reading) -> None:
    _part(row, reading, FABRIC_KINDS, FABRIC, notes.FABRIC)


def _facility(row: Row, reading: Reading) -> None:
    _part(row, reading, FACILITY_KINDS, FACILITY, {})


def _part(row: Row, reading: Reading, kinds, columns, names) -> None:
    slug, kind, name, vendor = row.slug(), row.choice("kind", kinds), row.text("model", needed=True), row.text("vendor")
    note, url = row.text("note"), row.url("source_url")
    money = _money(row, "price", "currency", "price_date", "each")
    if not reading.first_time(row, "slug") or kind not in kinds:
        return
    says = partial(notes.from_note, note=note, url=url, names=names)
    reading.add_item(row, kind, slug, name, vendor, _values(row, columns), says)
    quoted = "estimate" if "estimate" in note or "planning average" in note else "reseller"
    reading.add_quote(kind, slug, money, kind=quoted, source_url=notes.first_url(note) or url, basis=note)


def _price_quote(row: Row, reading: Reading) -> None:
    slug, item_kind, unit = row.slug("item_slug"), row.text("item_kind", needed=True), row.text("unit")
    if not unit:
        row.refuse("unit", "no_unit")
    money = _money(row, "price", "currency", "quote_date", unit, needed=True)
    kind, condition = row.choice("source_type", QUOTE_KINDS), row.choice("condition", CONDITIONS)
    note, url, (valid_until, _) = row.text("note"), row.url("source_url"), row.day("valid_until")
    if not reading.first_time(row, "item_slug", *row.cells.values()):
        return
    owner = next((k for k in (item_kind, *QUOTED_KINDS) if k in KINDS and reading.has(k, slug)), None)
    if owner is None:
        owner, description = "other", row.text("description")
        if not reading.has("other", slug):
            values = {"item_kind": item_kind, "description": description, PART: row.cells.get(PART)}
            reading.add_item(row, "other", slug, description or slug, "", values, _known({}))
    reading.add_quote(
        owner, slug, money, kind=kind, valid_until=valid_until, condition=condition, source_url=url, basis=note,
        supplier=row.text("supplier"), number=row.text("number"), **_terms(row),
    )  # fmt: skip


def _terms(row: Row) -> dict[str, Any]:
    """Terms of a quote: volume breaks, discounts, least quantities, the tax inside the price."""
    percent = row.price("tax_included_percent")
    if percent is not None and percent > 100:
        row.refuse("tax_included_percent", "out_of_bounds", low=0, high=100)
    return {
        "breaks": row.terms("breaks", terms.read_breaks),
        "discounts": row.terms("discounts", terms.read_discounts),
        "min_quantity": row.count("min_quantity", terms.MAX_QUANTITY),
        "min_order_value": row.price("min_order_value"),
        "pack_size": row.count("pack_size", terms.MAX_QUANTITY),
        "tax_included_percent": percent,
    }


def _offer(row: Row, reading: Reading) -> None:
    slug, note, url, provider = row.slug(), row.text("note"), row.url("source_url"), row.text("provider")
    row.text("instance_type"), row.text("region")  # their length
    unit = "gpu-hour" if row.text("billing_unit") == "gpu" else "instance-hour"
    money = _money(row, "price_per_hour", "currency", "price_date", unit)
    if not reading.first_time(row, "slug"):
        return
    cards = f"{row.cells['accelerator_count']}× {row.cells['accelerator_slug']}"
    name = " ".join(part for part in (provider, row.cells["instance_type"], cards) if part)
    says = _same(Provenance(notes.row_status(note, url), note, url))
    reading.add_item(row, "offer", slug, name, provider, _values(row, OFFER), says)
    kind = offer_kind(row.cells["provider_class"], note)
    reading.add_quote("offer", slug, money, kind=kind, supplier=provider, source_url=url, basis=note)


def offer_kind(provider_class: str, note: str) -> str:
    """The kind of price of an offer."""
    if note.startswith("derived"):
        return "estimate"
    return {"index": "index", "marketplace": "street"}.get(provider_class, "list")


def _tariff(row: Row, reading: Reading) -> None:
    code, region = row.text("region_code", needed=True), row.text("region", needed=True)
    group, note, url = row.text("customer_class", needed=True), row.text("note"), row.url("source_url")
    money = _money(row, "price_per_kwh", "currency", "period", "kWh")
    slug = slugify(code, group, region.partition(",")[2])  # "Finland, very large industrial user" is another tariff
    if not reading.first_time(row, "region", slug, row.cells["period"], row.cells["currency"]):
        return
    price_note, _, grid_note = note.partition("grid: ")
    grid_url = notes.first_url(grid_note) or ("" if grid_note else url)
    grid = Provenance("sourced" if grid_note or url else "unverified", grid_note or note, grid_url)
    day = (money and money["quoted_on"]) or date.min
    if slug not in reading.newest or (day >= reading.newest[slug] and row.cells["grid_kgco2e_per_kwh"]):
        says = _same(grid, "grid_kgco2e_per_kwh", "grid_period")
        reading.add_item(row, "tariff", slug, f"{region} · {group}", "", _values(row, TARIFF), says)
    reading.newest[slug] = max(day, reading.newest.get(slug, date.min))
    reading.add_quote("tariff", slug, money, kind="index", source_url=url, basis=price_note.rstrip("; "))


def _colocation(row: Row, reading: Reading) -> None:
    market, band = row.text("market", needed=True), row.text("size_band", needed=True)
    money, note, url = _money(row, *COLOCATION_MONEY), row.text("note"), row.url("source_url")
    slug = slugify(market, band, "power included" if row.text("power_included") == "y" else "")
    if not reading.first_time(row, "market", slug, row.cells["period"], row.cells["currency"]):
        return
    if not reading.has("colocation", slug):
        says = _same(Provenance(notes.row_status(note, url), note, url), "power_included")
        reading.add_item(row, "colocation", slug, f"{market} · {band}", "", _values(row, COLOCATION), says)
    reading.add_quote("colocation", slug, money, kind="analyst", source_url=url, basis=note)


COLOCATION_MONEY = ("price_per_kw_month", "currency", "period", "kW-month")


def _rate(row: Row, reading: Reading) -> None:
    base, other, source = row.currency("base"), row.text("quote"), row.text("source")
    money = _money(row, "rate", "quote", "date", base, needed=True)
    if money and not money["unit_price"]:
        row.refuse("rate", "out_of_bounds", low=0.000001, high=999_999_999)
    slug = f"{base}-{other}".lower()
    if not reading.first_time(row, "date", slug, row.cells["date"]):
        return
    if ("fx", slug) not in reading.items:
        reading.add_item(row, "fx", slug, f"{base}/{other}", "", {"base": base, "quote": other}, _known({}))
    reading.add_quote("fx", slug, money, kind="index", source_url=notes.first_url(source), basis=source)


def _cost(row: Row, reading: Reading) -> None:
    slug, basis, url = row.slug(), row.text("basis"), row.url("source_url")
    (day, precision), currency = row.day("date"), row.currency("currency", needed=False)
    if not row.text("unit"):
        row.refuse("unit", "no_unit")
    if not reading.first_time(row, "slug"):
        return
    values = _values(row, COST) | {"currency": currency, "date": day, "date_precision": precision if day else None}
    cells = notes.from_cost_basis(basis, url)
    if not cells:
        cells = dict.fromkeys(notes.COST_CELLS, Provenance(notes.row_status(basis, url), basis, url))
    reading.add_item(row, "cost", slug, row.text("description"), "", values, _known(cells))


def _model(row: Row, reading: Reading) -> None:
    slug, name, basis, url = row.slug(), row.text("name", needed=True), row.text("basis"), row.url("source_url")
    day, precision = row.day("release_date")
    if not reading.first_time(row, "slug"):
        return
    values = _values(row, MODEL) | {"release_date": day, "release_date_precision": precision if day else None}
    says = partial(notes.from_note, note=basis, url=url, names=notes.MODEL)
    reading.add_item(row, "model", slug, name, "", values, says)


def _default(row: Row, reading: Reading) -> None:
    slug, value_from, rule = row.slug("line"), row.text("value_from"), row.text("rule")
    if not reading.first_time(row, "line"):
        return
    status = "sourced" if ".csv" in value_from and "ESTIMATE" not in rule else "estimate"
    says = _same(Provenance(status, "; ".join(part for part in (value_from, rule) if part)))
    reading.add_item(row, "default", slug, slug, "", _values(row, DEFAULT), says)


PART = "part_number"
ACCELERATOR, BUILD, SERVER = _spec_columns("accelerator"), _spec_columns("build"), _spec_columns("server")
ADDON = _spec_columns("addon", "extra_price_currency")
FABRIC, FACILITY, OFFER = _spec_columns("switch"), _spec_columns("rack"), _spec_columns("offer")
TARIFF, COLOCATION = _spec_columns("tariff"), _spec_columns("colocation")
COST, DEFAULT = _spec_columns("cost", "date", "date_precision"), _spec_columns("default")
MODEL = _spec_columns("model", "release_date", "release_date_precision")

# Columns that came later: a file written before still reads.
NEWER = ("card_slot_width", "card_length_max_mm", PART)
NEWER_BUILD = (*NEWER, "embodied_gpu_kgco2e")
NEWER_CARD = ("card_length_mm", "card_length_source_url", PART)
NEWER_RACK = ("weight_kg", "width_mm", "depth_mm", "height_mm", "max_load_kg", PART)

# In the order in which they are read: what is named by others comes before them.
FORMS: Mapping[str, Form] = {
    "accelerators.csv": Form(
        ("slug", "vendor", *_spec_columns("accelerator", *NEWER_CARD), "source_url", "source_note"),
        ("fp64_source_url", *NEWER_CARD),
        _accelerator,
    ),
    "servers.csv": Form(
        ("slug", "vendor", *_spec_columns("server", *NEWER), "source_url", "source_note"), NEWER, _server
    ),
    "builds.csv": Form(
        ("slug", "vendor", *_spec_columns("build", *NEWER_BUILD), *BUILD_PRICE, "basis"), NEWER_BUILD, _build
    ),
    "builds_addons.csv": Form(("slug", *ADDON, "price", "currency", "date", "kind", "source", "basis"), (), _addon),
    "fabric_items.csv": Form(
        ("slug", "kind", "vendor", *_spec_columns("switch", PART), *PART_COLUMNS), (PART,), _fabric
    ),
    "facility_items.csv": Form(
        ("slug", "kind", "vendor", *_spec_columns("rack", *NEWER_RACK), *PART_COLUMNS), NEWER_RACK, _facility
    ),
    "other_costs.csv": Form(("slug", *COST, "date", "source_url", "basis"), (), _cost),
    "price_quotes.csv": Form(QUOTE_COLUMNS, (*SUPPLIER_COLUMNS, *TERM_COLUMNS, PART), _price_quote),
    "cloud_offers.csv": Form(
        ("slug", *OFFER, "price_per_hour", "currency", "price_date", "source_url", "note"), (), _offer
    ),
    "electricity.csv": Form((*TARIFF, "price_per_kwh", "currency", "period", "source_url", "note"), (), _tariff),
    "colocation.csv": Form((*COLOCATION, *COLOCATION_MONEY[:3], "source_url", "note"), (), _colocation),
    "fx_rates.csv": Form(("base", "quote", "rate", "date", "source"), (), _rate),
    "presets_models.csv": Form(("slug", "name", *MODEL, "release_date", "source_url", "basis"), (), _model),
    "defaults.csv": Form(("line", *DEFAULT), (), _default),
}


def read(files: Mapping[str, bytes], known: Collection[tuple[str, str]] = ()) -> Catalog:
    """All files together, or Refused with every bad cell of every file.

    files : file name → content; any of FORMS.
    known : (kind, slug) of items that exist already, so that a file of quotes alone finds its items.
    """
    reading, sources = Reading(frozenset(known)), []
    unknown = [name for name in files if name not in FORMS]
    reading.bad += [BadCell(name, 0, "", "", "unknown_file", detail=", ".join(FORMS)) for name in unknown]
    for name, form in FORMS.items():
        if name not in files:
            continue
        rows = 0
        for row in rows_of(name, files[name], form.required, form.optional, reading.bad):
            rows += 1
            reading.take(form, row)
        sources.append(SourceFile(name, hashlib.sha256(files[name]).hexdigest(), rows))
    if reading.bad:
        raise Refused(reading.bad)
    return catalog_of(reading.items.values(), reading.quotes, sources)
