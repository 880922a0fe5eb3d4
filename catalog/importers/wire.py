"""Records as plain tuples, as the tables of the database hold them: what a reading process sends to a saving one."""

import json
from datetime import date
from decimal import Decimal
from typing import Any

from catalog.records import ItemRecord, QuoteRecord, filled, words_of, write_provenance

ITEM_COLUMNS = ("kind", "slug", "name", "vendor", "spec", "provenance", "words")
QUOTE_COLUMNS = (
    *("item_kind", "item_slug", "unit_price", "currency", "kind", "unit", "quoted_on", "date_precision", "valid_until"),
    *("supplier", "number", "condition", "source_url", "basis", "external_id"),
    *("breaks", "discounts", "min_quantity", "min_order_value", "pack_size", "tax_included_percent"),
)
EXTERNAL_ID = QUOTE_COLUMNS.index("external_id")
ItemRow = tuple[str, str, str, str, str, str, str]
QuoteRow = tuple[Any, ...]  # of the width of QUOTE_COLUMNS: text, whole numbers and None


def item_row(record: ItemRecord) -> ItemRow:
    spec = record.spec.model_dump(mode="json", include=set(filled(record.spec)))
    provenance = json.dumps(write_provenance(record.provenance))
    return (record.kind, record.slug, record.name, record.vendor, json.dumps(spec), provenance, words_of(spec))


def quote_row(q: QuoteRecord) -> QuoteRow:
    return (
        *(q.item_kind, q.item_slug, str(q.unit_price), q.currency, q.kind, q.unit, _day(q.quoted_on), q.date_precision),
        *(_day(q.valid_until), q.supplier, q.number, q.condition, q.source_url, q.basis, q.external_id),
        *(json.dumps(q.breaks, default=str), json.dumps(q.discounts, default=str), q.min_quantity),
        *(_amount(q.min_order_value), q.pack_size, _amount(q.tax_included_percent)),
    )


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _amount(amount: Decimal | None) -> str | None:
    return None if amount is None else str(amount)
