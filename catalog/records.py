"""The catalog as plain records: what an item is, who says so cell by cell, and what was asked for it on which day.

Pure: the command line and the engine's tests read the shipped files through these without Django or a database, and
`catalog.services.stored()` gives the same objects from rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from catalog.specs import Spec

STATUSES = ("sourced", "market", "estimate", "unverified")
QUOTE_KINDS = ("quote", "list", "reseller", "street", "auction", "used", "analyst", "news", "index", "estimate")
CONDITIONS = ("new", "refurb", "used")
PRECISIONS = ("day", "month", "quarter", "half", "year")
# A quarter: sellers renew their lists and offers about so often, so an older price is worth asking for again.
AGEING_AFTER_DAYS = 90
# Half a year: hardware prices have moved by more than a buyer would shrug off; scenarios mark such a price too.
STALE_AFTER_DAYS = 180
FRESHNESS = ("fresh", "ageing", "stale", "expired", "none")
# 15 significant digits survive in every database we support: 9 before the point and 6 after.
PRICE_LIMIT = Decimal(1_000_000_000)
PRICE_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one cell comes from: `text` is the rule or remark, `url` the page."""

    status: str
    text: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """One item. `provenance` has an entry for every filled cell that is a claim; labels have none."""

    slug: str
    kind: str
    name: str
    vendor: str
    spec: Any  # the class of catalog.specs.KINDS[kind]
    provenance: Mapping[str, Provenance]

    def status_of(self, cell: str) -> str:
        """How far a cell can be trusted; "" where it is empty or a label."""
        found = self.provenance.get(cell)
        return found.status if found else ""


class Break(NamedTuple):
    """The price of one from so many pieces on, in the quote's currency."""

    min_quantity: int
    unit_price: Decimal


class Discount(NamedTuple):
    """One discount: a share of what is ordered, or an amount in the quote's currency."""

    name: str
    share: Decimal | None = None
    amount: Decimal | None = None


@dataclass(frozen=True, slots=True)
class QuoteRecord:
    """A price seen once.

    quoted_on : the first day of the month, quarter or year where no more is known; None where undated.
    """

    item_slug: str
    item_kind: str
    unit_price: Decimal
    currency: str  # "" only where `unit` is a share or a count
    kind: str
    unit: str  # what the price buys, period included: each, kWh, kW-month, gpu-hour …
    quoted_on: date | None
    date_precision: str = "day"
    valid_until: date | None = None
    supplier: str = ""
    number: str = ""
    condition: str = "new"
    source_url: str = ""
    basis: str = ""
    external_id: str = ""  # stable: the same line imported again is the same quote
    # Terms of a quote, of which a price level has none.
    breaks: tuple[Break, ...] = ()  # smallest quantity first
    discounts: tuple[Discount, ...] = ()
    min_quantity: int | None = None
    min_order_value: Decimal | None = None  # in the quote's currency
    pack_size: int | None = None
    tax_included_percent: Decimal | None = None  # rate of the tax inside the price; None: the price is before tax

    @property
    def status(self) -> str:
        """sourced · market · estimate · unverified, as for a cell."""
        if "unverified:" in self.basis:
            return "unverified"
        if self.kind == "estimate":
            return "estimate"
        if not self.source_url and not (self.kind == "quote" and self.supplier):
            return "unverified"
        return "sourced" if self.kind == "quote" else "market"

    def effective_on(self, day: date) -> bool:
        """Whether a buyer could accept it on `day`: already issued and not yet expired. An undated price never is."""
        if self.quoted_on is None or self.quoted_on > day:
            return False
        return self.valid_until is None or self.valid_until >= day

    def age_days(self, day: date) -> int | None:
        return None if self.quoted_on is None else (day - self.quoted_on).days

    def stale_on(self, day: date) -> bool:
        """Older than 180 days, or undated."""
        age = self.age_days(day)
        return age is None or age > STALE_AFTER_DAYS

    def freshness_on(self, day: date) -> str:
        """expired after its last day; else stale, ageing or fresh by its age. A period's age counts from its start."""
        if self.valid_until is not None and self.valid_until < day:
            return "expired"
        if self.stale_on(day):
            return "stale"
        return "ageing" if (self.age_days(day) or 0) > AGEING_AFTER_DAYS else "fresh"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file the records were read from."""

    name: str
    sha256: str
    rows: int


@dataclass(frozen=True)
class Catalog:
    """Items by kind and slug, and the quotes of each slug, oldest first."""

    items: dict[str, dict[str, ItemRecord]] = field(default_factory=dict)
    quotes: dict[str, list[QuoteRecord]] = field(default_factory=dict)
    sources: tuple[SourceFile, ...] = ()

    def of_kind(self, kind: str) -> dict[str, ItemRecord]:
        return self.items.get(kind, {})

    def item(self, kind: str, slug: str) -> ItemRecord:
        """The item, or KeyError naming kind and slug."""
        try:
            return self.items[kind][slug]
        except KeyError:
            raise KeyError(f"no {kind} {slug!r} in the catalog") from None

    def find(self, slug: str) -> list[ItemRecord]:
        """Every item of that slug, whatever its kind."""
        return [rows[slug] for rows in self.items.values() if slug in rows]

    def all_items(self) -> Iterator[ItemRecord]:
        for rows in self.items.values():
            yield from rows.values()

    def all_quotes(self) -> Iterator[QuoteRecord]:
        for rows in self.quotes.values():
            yield from rows

    def quotes_of(self, slug: str, kind: str | None = None) -> list[QuoteRecord]:
        """The quotes of an item, oldest first; `kind` is the item's kind where a slug has two."""
        return [q for q in self.quotes.get(slug, ()) if kind is None or q.item_kind == kind]

    def effective(self, slug: str, day: date, kind: str | None = None) -> list[QuoteRecord]:
        """Quotes valid on `day`, best first: a real quote before any market level, then the newest."""
        found = [q for q in self.quotes_of(slug, kind) if q.effective_on(day)]
        return sorted(found, key=lambda q: (q.kind == "quote", q.quoted_on, -QUOTE_KINDS.index(q.kind)), reverse=True)

    def latest(self, slug: str, day: date, kind: str | None = None) -> QuoteRecord | None:
        """The newest quote valid on `day`, or None: no quote, never 0. Of one day, the better kind."""
        found = [q for q in self.quotes_of(slug, kind) if q.effective_on(day)]
        return max(found, key=lambda q: (q.quoted_on, -QUOTE_KINDS.index(q.kind)), default=None)

    def exchange_rate(self, base: str, quote: str, day: date) -> QuoteRecord | None:
        """The latest rate on or before `day`: `unit_price` units of `quote` for one `base`; never inverted."""
        return self.latest(f"{base}-{quote}".lower(), day, "fx")

    def addons_of(self, build_slug: str) -> list[ItemRecord]:
        return [item for item in self.of_kind("addon").values() if item.spec.build_slug == build_slug]

    def offers_of(self, accelerator_slug: str) -> list[ItemRecord]:
        return [item for item in self.of_kind("offer").values() if item.spec.accelerator_slug == accelerator_slug]

    def counts(self) -> dict[str, int]:
        quotes = sum(map(len, self.quotes.values()))
        return {kind: len(rows) for kind, rows in self.items.items() if rows} | {"quotes": quotes}


def catalog_of(
    items: Iterable[ItemRecord], quotes: Iterable[QuoteRecord], sources: Iterable[SourceFile] = ()
) -> Catalog:
    """Put records into their places, quotes oldest first and undated ones before all."""
    by_kind: dict[str, dict[str, ItemRecord]] = {}
    for item in items:
        by_kind.setdefault(item.kind, {})[item.slug] = item
    by_slug: dict[str, list[QuoteRecord]] = {}
    for quote in quotes:
        by_slug.setdefault(quote.item_slug, []).append(quote)
    for rows in by_slug.values():
        rows.sort(key=lambda q: (q.quoted_on or date.min, q.external_id))
    return Catalog(by_kind, by_slug, tuple(sources))


def plain(amount: Decimal) -> Decimal:
    """The same amount without trailing zeros or an exponent: 100000, not 1E+5 or 100000.000000."""
    short = amount.normalize()
    return short if short != short.to_integral_value() else short.quantize(Decimal(1))


def filled(spec: Spec) -> list[str]:
    """The cells of a spec that hold something."""
    return [name for name in type(spec).model_fields if getattr(spec, name) is not None]


def words_of(spec: dict) -> str:
    if not isinstance(spec, dict):
        return ""
    return " ".join(text for name, text in spec.items() if isinstance(text, str) and name != "successor_slug")


def read_provenance(rows) -> dict[str, Provenance]:
    cells: dict[str, Provenance] = {}
    for row in rows:
        one = Provenance(row["status"], row.get("text", ""), row.get("url", ""))
        cells.update(dict.fromkeys(row["cells"], one))
    return cells


def write_provenance(cells) -> list[dict]:
    """Grouped by remark, in the order of the cells."""
    groups: dict[Provenance, list[str]] = {}
    for cell, one in cells.items():
        groups.setdefault(one, []).append(cell)
    return [{"status": p.status, "text": p.text, "url": p.url, "cells": names} for p, names in groups.items()]
