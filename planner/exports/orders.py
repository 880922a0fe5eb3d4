"""The purchasing file: one row an item of an order, then the capex that is no order."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

from django.utils.text import slugify

from planner import wording
from planner.engine.prices import PriceBook
from planner.exports.delimited import Cell, csv_bytes
from planner.services.purchasing import Purchase, Row


def orders_csv(purchase: Purchase, book: PriceBook, *, bom: bool = True, codes: bool = False) -> bytes:
    """A purchase as CSV.

    codes : columns, and what is said by a code, in codes that no language changes; descriptions stay words.
    """
    return _file([*purchase.orders, *purchase.rest], purchase, book, bom, codes)


def orders_zip(purchase: Purchase, book: PriceBook, *, bom: bool = True, codes: bool = False) -> bytes:
    """One CSV a supplier, those without a quote together, and the rest in a file of its own: in sum, the same rows."""
    groups: dict[str, list[Row]] = {}
    for row in purchase.orders:
        groups.setdefault(row.supplier, []).append(row)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for number, (supplier, rows) in enumerate(sorted(groups.items()), 1):
            # a number, since two names may shorten to the same one
            name = slugify(supplier, allow_unicode=True)[:60] if supplier else "no-quote"
            packed.writestr(_member(f"orders-{number}-{name}.csv"), _file(rows, purchase, book, bom, codes))
        if purchase.rest:
            packed.writestr(_member("other-capex.csv"), _file(purchase.rest, purchase, book, bom, codes))
    return out.getvalue()


def _member(name: str) -> zipfile.ZipInfo:
    """An entry without a clock time: the same orders give the same bytes."""
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _file(rows: list[Row], purchase: Purchase, book: PriceBook, bom: bool, codes: bool) -> bytes:
    columns = wording.order_columns()
    head = list(columns if codes else columns.values())
    written = [_cells(row, purchase, book, codes) for row in rows]
    return csv_bytes([head, *([cells[code] for code in columns] for cells in written)], bom=bom)


def _cells(row: Row, purchase: Purchase, book: PriceBook, codes: bool) -> dict[str, Cell]:
    def said(words: Callable[[str], str], code: str) -> str:
        return code if codes else words(code)

    source, record = row.source, "order" if row.is_order else "rest"
    no_supplier = "no quote" if codes else wording.supplier("")
    quoted: dict[str, Any] = {}
    if row.quantity is not None:
        quoted = {
            "quantity": row.quantity,
            "unit": said(wording.unit_of_one, row.line.quantity_unit),
            "unit_price": row.unit_price,
            "price_basis": said(wording.price_basis, row.basis),
            "quoted_unit_price": row.quoted_price,
            "quote_number": source.number,
            "quoted_on": source.dated,
            "valid_until": source.valid_until,
            "fx_rate": row.rate,
            "fx_date": source.rate_dated if row.currency != purchase.currency else None,
        }
    return {
        **dict.fromkeys(wording.order_columns()),
        "record": said(wording.record, record),
        "order_number": row.order_number,
        "position": row.position,
        "phase": row.phase,
        "month": row.month_label,
        "order_by": row.order_by,
        "need_by": row.need_by,
        "in_service": row.in_service,
        "supplier": row.supplier or (no_supplier if row.is_order else ""),
        "part_number": row.part_number,
        "item": row.item,
        "description": wording.position(row.line, book),
        "category": said(wording.category, row.line.category),
        "currency": row.currency,
        "line_total": row.line_total,
        "source": wording.origin(source),
        "report_line_total": row.total,
        "report_currency": purchase.currency,
        "tender_weeks": row.tender_weeks,
        "lead_time_weeks": row.lead_weeks,
        **quoted,
    }
