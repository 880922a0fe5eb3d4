"""Words of purchasing: the columns of the file, what a price rests on, what an item lacks."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.lines import Line
from planner.engine.prices import PriceBook, Source
from planner.wording import lines
from planner.wording.numbers import COUNTED, date, unit

# The columns of the purchasing file in their order: a code that never changes, and its heading.
COLUMNS = {
    "record": _("Record"),
    "order_number": _("Order number"),
    "position": _("Position"),
    "phase": _("Phase"),
    "month": _("Month of payment"),
    "order_by": _("Order by"),
    "need_by": _("Need by"),
    "in_service": _("In service"),
    "supplier": _("Supplier"),
    "part_number": _("Part number"),
    "item": _("Item code"),
    "description": _("Description"),
    "category": _("Category"),
    "quantity": _("Quantity"),
    "unit": _("Unit"),
    "unit_price": _("Unit price"),
    "currency": _("Currency"),
    "line_total": _("Line total"),
    "price_basis": _("Price basis"),
    "quoted_unit_price": _("Quoted unit price"),
    "quote_number": _("Quote number"),
    "quoted_on": _("Quoted on"),
    "valid_until": _("Valid until"),
    "source": _("Source"),
    "fx_rate": _("Exchange rate"),
    "fx_date": _("Date of the exchange rate"),
    "report_line_total": _("Line total in report currency"),
    "report_currency": _("Report currency"),
    "tender_weeks": _("Tender or approval, weeks"),
    "lead_time_weeks": _("Lead time, weeks"),
    "cost_centre": _("Cost centre"),
}
RECORDS = {"order": _("order"), "rest": _("other capex")}
# A price path has moved a forecast since the day of its quote.
BASES = {"quoted": _("quoted"), "list": _("list price"), "estimate": _("estimate"), "forecast": _("forecast")}
STATES = {"quoted": _("quote"), "list": _("list price"), "estimate": _("estimate"), "own": _("entered in the scenario")}
DOUBTS = {
    "no_price": _("no price"),
    "not_quoted": _("no quote"),
    "no_supplier": _("no supplier named"),
    "stale": _("stale"),
    "expired": _("expires before the order"),
}


def column(code: str) -> str:
    """The heading of a column."""
    return str(COLUMNS[code])


def unit_of_one(code: str) -> str:
    """The unit of a quantity in a column of its own, in the singular: "server"."""
    return unit_of(1, code)


def unit_of(amount: float, code: str) -> str:
    """The unit in the form that stands behind an amount."""
    return COUNTED[code](1 if amount == 1 else 2) if code in COUNTED else unit(code)


def record(code: str) -> str:
    return str(RECORDS[code])


def price_basis(code: str) -> str:
    """What a price rests on; "" where there is none."""
    return str(BASES.get(code, code))


def doubt(code: str) -> str:
    return str(DOUBTS[code])


def supplier(name: str) -> str:
    """Who sells it; where nobody has quoted, that is said."""
    return name or gettext("no quote")


def position(line: Line, book: PriceBook) -> str:
    """What is bought, by the name under which it is sold: "8-GPU server, PowerEdge XE9680 with 8x H200"."""
    if line.code in ("server", "chassis"):
        named = (lines._name("", line.code, line.item, book), lines.item(line.item, book))
        used = (lines.condition(line.part),) if line.part in lines.CONDITIONS else ()
        return lines._comma().join((*named, *used))
    return lines.line(line, book)


def price_state(basis: str, source: Source) -> str:
    """The price that is used while a quote is lacking: "entered in the scenario", "estimate of 1 Nov 2026"; or ""."""
    word = str(STATES[basis]) if basis else ""
    if basis in ("", "own") or source.dated is None:
        return word
    return gettext("{basis} of {date}").format(basis=word, date=date(source.dated))


def origin(source: Source) -> str:
    """Where a price comes from, for a file: an address, else the catalog's remark."""
    if source.basis == "own":
        return gettext("entered in the scenario")
    return source.url or source.note


def columns() -> dict[str, Any]:
    """Code → heading, in order."""
    return {code: str(words) for code, words in COLUMNS.items()}
