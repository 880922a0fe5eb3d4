"""Takes a catalog over into the database and gives it back: here records become rows and rows records."""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from django.db import connection, transaction

from catalog.models import ImportBatch, Item, Quote, Source
from catalog.models.items import as_row, record_of
from catalog.models.quotes import RECORD_FIELDS, quote_record
from catalog.records import Catalog, QuoteRecord, catalog_of

ROWS_AT_ONCE = 500
LOCK = 4_011_2026  # of PostgreSQL: two processes starting at once load one after the other
ITEM_FIELDS = ("name", "vendor", "spec", "provenance", "words")
QUOTE_FIELDS = tuple(name for name in RECORD_FIELDS if name != "external_id")


@dataclass(frozen=True)
class Tally:
    """What an import does to one table; `kept` are rows edited by hand that the file would have changed."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    unchanged: int = 0

    def counts(self) -> dict[str, int]:
        names = {name: len(getattr(self, name)) for name in ("added", "changed", "kept")}
        return names | {"unchanged": self.unchanged}


@dataclass(frozen=True)
class Changes:
    """What an import did, or would do. `already`: this content was taken over before, so nothing was compared."""

    items: Tally
    quotes: Tally
    already: bool = False

    @property
    def added(self) -> int:
        return len(self.items.added) + len(self.quotes.added)

    @property
    def changed(self) -> int:
        return len(self.items.changed) + len(self.quotes.changed)

    @property
    def kept(self) -> int:
        return len(self.items.kept) + len(self.quotes.kept)

    @property
    def unchanged(self) -> int:
        return self.items.unchanged + self.quotes.unchanged

    def __str__(self) -> str:
        kept = f"{self.kept} kept as edited by hand"
        return f"{self.added} added, {self.changed} changed, {kept}, {self.unchanged} unchanged"


def load(catalog: Catalog, *, by=None, again: bool = False) -> Changes:
    """Save all of a catalog or, if anything fails, nothing; the same content only once.

    Rows that are not in the catalog stay; rows edited by hand are left as they are and reported as kept.
    again : compare even if this very content was loaded before.
    """
    digest = content_hash(catalog)
    with transaction.atomic():
        wait_for_other_loads()
        if not again and ImportBatch.objects.filter(content_sha256=digest).exists():
            counts = sum(map(len, catalog.items.values())), sum(map(len, catalog.quotes.values()))
            return Changes(Tally(unchanged=counts[0]), Tally(unchanged=counts[1]), already=True)
        batch = ImportBatch.objects.create(content_sha256=digest, by=by)
        Source.objects.bulk_create(
            Source(batch=batch, name=file.name, sha256=file.sha256, rows=file.rows) for file in catalog.sources
        )
        items, item_rows = _compare_items(catalog)
        Item.objects.bulk_create(
            item_rows,
            batch_size=ROWS_AT_ONCE,
            update_conflicts=True,
            unique_fields=["kind", "slug"],
            update_fields=[*ITEM_FIELDS, "updated_at"],
        )
        quotes, quote_rows = _compare_quotes(catalog)
        owners = _owners(catalog)
        Quote.objects.bulk_create(
            (_quote_row(quote, owners, batch) for quote in quote_rows),
            batch_size=ROWS_AT_ONCE,
            update_conflicts=True,
            unique_fields=["external_id"],
            update_fields=["item", *QUOTE_FIELDS, "batch", "updated_at"],
        )
        batch.counts = {"items": items.counts(), "quotes": quotes.counts()}
        batch.save(update_fields=["counts"])
    return Changes(items, quotes)


def preview(catalog: Catalog) -> Changes:
    """What `load` would do; nothing is saved."""
    return Changes(_compare_items(catalog)[0], _compare_quotes(catalog)[0])


def stored(kinds: Collection[str] | None = None, slugs: Collection[str] | None = None) -> Catalog:
    """The catalog as it stands in the database, or the part of it of these kinds and slugs."""
    items, quotes = Item.objects.order_by("pk"), Quote.objects.order_by("pk")
    if kinds is not None:
        items, quotes = items.filter(kind__in=kinds), quotes.filter(item__kind__in=kinds)
    if slugs is not None:
        items, quotes = items.filter(slug__in=slugs), quotes.filter(item__slug__in=slugs)
    names, records = {}, []
    for pk, *values in items.values_list("pk", "slug", "kind", "name", "vendor", "spec", "provenance"):
        record = record_of(*values)
        names[pk] = (record.slug, record.kind)
        records.append(record)
    rows = quotes.values_list("item_id", *RECORD_FIELDS)
    return catalog_of(records, [quote_record(*names[pk], *values) for pk, *values in rows if pk in names])


def known_items() -> set[tuple[str, str]]:
    """(kind, slug) of every stored item, for a file of quotes alone."""
    return set(Item.objects.values_list("kind", "slug"))


def content_hash(catalog: Catalog) -> str:
    """SHA-256 of what the records say, whatever files they came in."""
    digest = hashlib.sha256()
    for item in sorted(catalog.all_items(), key=lambda i: (i.kind, i.slug)):
        digest.update(f"{item.kind}\0{item.slug}\0{item.name}\0{item.vendor}\0".encode())
        digest.update(item.spec.model_dump_json(exclude_none=True).encode())
        digest.update(repr(sorted(item.provenance.items())).encode() if item.provenance else b"")
    for quote in sorted(catalog.all_quotes(), key=lambda q: q.external_id):
        digest.update(repr(quote).encode())
    return digest.hexdigest()


def _compare_items(catalog: Catalog) -> tuple[Tally, list[Item]]:
    stored_rows = {
        (row.kind, row.slug): row
        for row in Item.objects.filter(kind__in=list(catalog.items)).only(
            "kind", "slug", "edited_by_hand", *ITEM_FIELDS
        )
    }
    rows, tally, unchanged = [], Tally(), 0
    for record in catalog.all_items():
        row, name = as_row(record), f"{record.kind} {record.slug}"
        before = stored_rows.get((record.kind, record.slug))
        if before is None:
            tally.added.append(name)
        elif all(getattr(before, field) == getattr(row, field) for field in ITEM_FIELDS):
            unchanged += 1
            continue
        elif before.edited_by_hand:
            tally.kept.append(name)
            continue
        else:
            tally.changed.append(name)
        rows.append(row)
    return Tally(tally.added, tally.changed, tally.kept, unchanged), rows


def _compare_quotes(catalog: Catalog) -> tuple[Tally, list[QuoteRecord]]:
    kinds = {quote.item_kind for quote in catalog.all_quotes()}
    fields = ("external_id", "edited_by_hand", "item__slug", "item__kind", *RECORD_FIELDS)
    stored_rows = {}
    for external_id, by_hand, *values in Quote.objects.filter(item__kind__in=kinds).values_list(*fields):
        stored_rows[external_id] = by_hand, quote_record(*values)
    rows, tally, unchanged = [], Tally(), 0
    for quote in catalog.all_quotes():
        if not quote.external_id:
            raise ValueError(f"the quote of {quote.item_kind} {quote.item_slug} has no external id")
        by_hand, before = stored_rows.get(quote.external_id, (False, None))
        name = f"{quote.item_kind} {quote.item_slug} {quote.external_id}"
        if before is None:
            tally.added.append(name)
        elif before == quote:
            unchanged += 1
            continue
        elif by_hand:
            tally.kept.append(name)
            continue
        else:
            tally.changed.append(name)
        rows.append(quote)
    return Tally(tally.added, tally.changed, tally.kept, unchanged), rows


def _owners(catalog: Catalog) -> dict[tuple[str, str], int]:
    kinds = {quote.item_kind for quote in catalog.all_quotes()}
    rows: Iterable = Item.objects.filter(kind__in=kinds).values_list("kind", "slug", "pk")
    return {(kind, slug): pk for kind, slug, pk in rows}


def _quote_row(quote: QuoteRecord, owners, batch) -> Quote:
    try:
        item_id = owners[quote.item_kind, quote.item_slug]
    except KeyError:
        raise ValueError(f"a quote names {quote.item_kind} {quote.item_slug!r}, which is not in the catalog") from None
    return Quote(item_id=item_id, batch=batch, **{name: getattr(quote, name) for name in RECORD_FIELDS})


def wait_for_other_loads() -> None:
    if connection.vendor == "postgresql":  # SQLite's transactions are immediate: they wait by themselves
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
