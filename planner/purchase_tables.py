"""A purchase as rows of formatted cells: what is ordered when, what it lacks, and the rest of the capex."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from planner import tables, wording
from planner.engine.compare import Comparison
from planner.engine.prices import PriceBook
from planner.engine.result import UNPRICED, Evaluation
from planner.services.purchasing import FREIGHT, Doubt, Purchase, Row

BASIS_TONES = {"quoted": "good", "list": "", "estimate": "warn", "forecast": "warn"}
DOUBT_TONES = {"no_price": "bad", "expired": "bad"}


def first_choice(evaluation: Evaluation, comparison: Comparison) -> str:
    """The plan that is shown first: the best of those that order something."""
    plans = tables.ordered(evaluation, comparison)
    return next((plan for plan in plans if plan.orders), plans[0]).slug


def choices(evaluation: Evaluation, comparison: Comparison, chosen: str) -> list[dict[str, Any]]:
    called = tables.names(evaluation)
    return [
        {
            "slug": plan.slug,
            "name": called[plan.slug],
            "colour": tables.colour(evaluation, plan.slug),
            "chosen": plan.slug == chosen,
        }
        for plan in tables.ordered(evaluation, comparison)
    ]


def page(purchase: Purchase, evaluation: Evaluation) -> dict[str, Any]:
    """Everything the page says of one purchase."""
    book, currency = evaluation.book, purchase.currency
    return {
        "possible": purchase.possible,
        "refusals": [
            wording.finding(reason, evaluation)
            for reason in evaluation.plan(purchase.plan.slug).infeasible
            if reason.code in UNPRICED and (not purchase.possible or reason.facts.get("item") in purchase.missing)
        ],
        "tenders": [
            wording.finding(warning, evaluation)
            for warning in evaluation.plan(purchase.plan.slug).warnings
            if warning.code in wording.TENDER_FINDINGS and not purchase.missing
        ],
        "totals": [
            {"name": _("Orders"), "text": _money(purchase.orders_total, currency)},
            {"name": _("Other capex"), "text": _money(purchase.rest_total, currency)},
            {"name": _("Capex of the plan"), "text": _money(purchase.capex, currency)},
        ],
        "orders": [_order(rows, purchase, book) for rows in purchase.by_month().values()],
        "doubts": [_doubt(doubt, evaluation) for doubt in purchase.doubts],
        "rest": [_category(name, rows, purchase, book) for name, rows in purchase.by_category().items()],
        "foreign": any(row.currency != currency for row in purchase.orders),
        "currency": currency,
    }


def _order(rows: list[Row], purchase: Purchase, book: PriceBook) -> dict[str, Any]:
    """One order: a month's positions and their sum."""
    return {
        "number": rows[0].order_number,
        "phase": rows[0].phase,
        "month": wording.month_label(purchase.plan.calendar, rows[0].month),
        "late": any(row.late for row in rows),
        "total": _money(_sum(rows), purchase.currency),
        "rows": [_position(row, purchase, book) for row in rows],
    }


def _position(row: Row, purchase: Purchase, book: PriceBook) -> dict[str, Any]:
    rate = ""
    if row.currency != purchase.currency and row.rate is not None:
        rate = _("at {rate}").format(rate=f"{row.rate:f}")
        if row.source.rate_dated is not None:
            rate += f" · {wording.date(row.source.rate_dated)}"
    return {
        **_figures(row, purchase, book),
        "position": row.position,
        "part_number": row.part_number,
        "supplier": wording.supplier(row.supplier),
        "quoted": bool(row.supplier),
        "quote": row.source.number,
        "valid_until": wording.date(row.source.valid_until) if row.source.valid_until else "",
        "basis": wording.price_basis(row.basis),
        "tone": BASIS_TONES.get(row.basis, ""),
        "order_by": wording.date(row.order_by) if row.order_by else "",
        "need_by": wording.date(row.need_by) if row.need_by else "",
        "in_service": wording.date(row.in_service) if row.in_service else "",
        "late": row.late,
        "rate": rate,
        "beside": _(", ").join(_beside(row, purchase)),
    }


def _beside(row: Row, purchase: Purchase) -> Iterator[str]:
    """What a buyer weighs beside the price: how long it takes, and what it costs to have it brought."""
    if row.tender_weeks is not None:
        yield _("{weeks} of tender or approval").format(weeks=wording.amount(float(row.tender_weeks), "week"))
    if row.lead_weeks is not None:
        yield wording.amount(float(row.lead_weeks), "week")
    code = next((freight for codes, freight in FREIGHT.items() if row.line.code in codes), "")
    line = next((line for line in purchase.plan.lines if code and line.code == code), None)
    if line is not None and row.total is not None:
        share = float(line.unit_price[0, row.month])
        yield _("freight {amount}").format(amount=wording.money(float(row.total) * share, purchase.currency))


def _figures(row: Row, purchase: Purchase, book: PriceBook) -> dict[str, Any]:
    """What quantity × unit price = total needs, each figure whole."""
    return {
        "name": wording.position(row.line, book),
        "month": wording.month_label(purchase.plan.calendar, row.month),
        "quantity": "" if row.quantity is None else _counted(row.quantity, row.line.quantity_unit),
        "unit_price": "" if row.unit_price is None else wording.exact_price(row.unit_price, row.currency),
        "line_total": "" if row.line_total is None else wording.money(float(row.line_total), row.currency),
        "total": _money(row.total, purchase.currency),
    }


def _doubt(doubt: Doubt, evaluation: Evaluation) -> dict[str, Any]:
    row = doubt.row
    lacks = [{"text": wording.doubt(code), "tone": DOUBT_TONES.get(code, "warn")} for code in doubt.codes]
    lacks += [{"text": wording.brief(finding, evaluation), "tone": "warn"} for finding in doubt.broken]
    return {
        "name": wording.position(doubt.line, evaluation.book),
        "price": wording.price_state(doubt.basis, row.source),
        "order_by": wording.date(row.order_by) if row.order_by else "",
        "late": row.late,
        "lacks": lacks,
        "path": doubt.path,
        "item": doubt.line.item,
    }


def _category(name: str, rows: list[Row], purchase: Purchase, book: PriceBook) -> dict[str, Any]:
    return {
        "name": wording.category(name),
        "total": _money(_sum(rows), purchase.currency),
        "rows": [_figures(row, purchase, book) for row in rows],
    }


def _counted(quantity: Decimal, code: str) -> str:
    """Every digit of a quantity, with its unit: nothing that is multiplied may be shortened."""
    return " ".join(part for part in (f"{quantity:,f}", wording.unit_of(float(quantity), code)) if part)


def _sum(rows: list[Row]) -> Decimal | None:
    known = [row.total for row in rows if row.total is not None]
    return sum(known, Decimal(0)) if len(known) == len(rows) else None


def _money(amount: Decimal | None, currency: str) -> str:
    return "–" if amount is None else wording.money(float(amount), currency)
