"""Money: category → line → month, with the parameters and the quote of each line."""

from typing import Any

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.engine.calendar import Array
from planner.engine.lines import CATEGORIES, Line
from planner.engine.prices import Price
from planner.services.explain.nodes import Node, Subject

# Units of the factors of a line that are not plain numbers.
FACTOR_UNITS = {
    "price_today": "money",
    "tariff_today": "money/kWh",
    "base_price": "money/kWh",
    "times": "times",
    "adds": "money/kWh",
    "ratchet_share": "share",
    "interrupted": "share",
    "block_days": "day",
    "usable_price": "money/kW/month",
    "usable_kw": "kW",
    "amps": "A",
    "loaded_per_year": "money/FTE/year",
    "share_per_year": "share/year",
    "rate_per_year": "share/year",
    "warranty_months": "month",
    "renewal_month": "month",
    "every_months": "month",
    "fee_per_year": "money",
    "term_months": "month",
    "lead_weeks": "week",
    **dict.fromkeys(
        ("share", "share_by_age", "rate", "recoverable", "usable_share", "commission", "discount"),
        "share",
    ),
    **dict.fromkeys(("accelerator_share", "memory_share", "nic_share", "price_share"), "share"),
}


def lines_by_category(subject: Subject, kind: str | None = None) -> dict[str, list[Line]]:
    groups: dict[str, list[Line]] = {name: [] for name in CATEGORIES}
    for line in subject.plan.lines:
        if (kind is None or line.kind == kind) and subject.takes(line):
            groups[line.category].append(line)
    return {name: lines for name, lines in groups.items() if lines}


def categories(subject: Subject, *, discounted: bool, kind: str | None = None, sign: int = 1) -> list[Node]:
    """All lines, or those of a kind, by category."""
    return [
        category(subject, name, lines, discounted=discounted, sign=sign)
        for name, lines in lines_by_category(subject, kind).items()
    ]


def category(subject: Subject, name: str, lines: list[Line], *, discounted: bool, sign: int = 1) -> Node:
    """The lines of a category; `sign` −1 where the whole is taken off something."""
    return subject.money(
        name,
        wording.category(name),
        sign * subject.plan.money(_value(subject, line, discounted) for line in lines),
        combine="sum",
        children=[line_node(subject, line, discounted=discounted, sign=sign) for line in lines],
    )


def _value(subject: Subject, line: Line, discounted: bool) -> float:
    """A line's worth in the months that are explained."""
    if subject.window is not None:
        return float(_minor(subject, line, discounted)[subject.window].sum()) / 10.0**line.decimals
    return line.present_value(subject.plan.discount_of(line)) if discounted else line.total()


def _minor(subject: Subject, line: Line, discounted: bool) -> Array:
    """(M,): whole minor units of each month, which add up to the line."""
    return line.discounted_minor(subject.plan.discount_of(line)) if discounted else line.minor


def line_node(subject: Subject, line: Line, *, discounted: bool, sign: int = 1) -> Node:
    """One line: its formula with the numbers of its first month, its months, parameters and quote."""
    first = _first(subject, line)
    formula = wording.formula(line, subject.currency, subject.calendar, first)
    if line.category == "opex.colocation" and (silent := _not_quoted(subject, line)):
        formula += " · " + silent
    if discounted:
        formula += " · " + _discounting(subject, line)
    return subject.money(
        line.key,
        _named(subject, line),
        sign * _value(subject, line, discounted),
        formula=formula,
        combine="sum",
        months=_months(subject, line, discounted, sign),
        source=_source(subject, line, first),
        inputs={**line.factors, "sign": sign * line.sign},
        drivers=subject.drivers(line.drivers),
        related=[
            subject.figure(name, wording.factor_name(name), value, FACTOR_UNITS.get(name, "1"))
            for name, value in line.factors.items()
        ],
    )


def _first(subject: Subject, line: Line) -> int:
    """The first month that is explained in which something is owed."""
    owed = np.flatnonzero(line.quantity[0])
    begin = 0 if subject.window is None else subject.window.start
    return int(next((m for m in owed if m >= begin), owed[0]))


def _not_quoted(subject: Subject, line: Line) -> str:
    """Fees of the line's hall that nobody has quoted, in words."""
    terms = next((site.colocation for site in subject.scenario.sites if site.slug == line.place), None)
    return wording.not_quoted(terms) if terms is not None else ""


def _named(subject: Subject, line: Line) -> str:
    """The line's name, with its room where a fleet moves from one to another."""
    name = wording.line(line, subject.book)
    if not line.place or len(subject.scenario.sites) == 1:
        return name
    return f"{name} · {wording.site_name(next(site for site in subject.scenario.sites if site.slug == line.place))}"


def _discounting(subject: Subject, line: Line) -> str:
    rate = wording.percent(subject.scenario.finance.discount_rate)
    if line.kind == "opex" and subject.scenario.finance.running_costs_mid_month:
        return gettext("each month × (1 + {rate})^(−(m + ½)/12)").format(rate=rate)
    return gettext("each month × (1 + {rate})^(−m/12)").format(rate=rate)


def _months(subject: Subject, line: Line, discounted: bool, sign: int) -> list[dict[str, Any]]:
    """The months in which something is owed; their values add up to the line's."""
    scale = 10.0**line.decimals
    factors, shares = subject.plan.discount_of(line), _minor(subject, line, discounted)
    owed = np.flatnonzero((line.quantity[0] != 0) | (line.minor != 0)).tolist()
    shown = range(subject.calendar.months)[subject.window or slice(None)]
    cells = []
    for m in (m for m in owed if m in shown):
        quantity, price = float(line.quantity[0, m]), float(line.unit_price[0, m])
        amount = float(line.minor[m]) / scale
        cell: dict[str, Any] = {
            "month": m,
            "terms": wording.numbers_of(line, subject.currency, subject.calendar, m),
            "label": subject.month(m),
            "quantity": quantity,
            "unit_price": price,
            "amount": amount,
            "quantity_text": subject.counted(quantity, line.quantity_unit, m),
            "unit_price_text": wording.priced(line, price, subject.currency),
            "amount_text": wording.money(amount, subject.currency),
            "value": sign * float(shares[m]) / scale,
        }
        if discounted:
            cell["discount"] = float(factors[m])
            cell["value_text"] = wording.money(cell["value"], subject.currency)
        cells.append(cell)
    return cells


def _source(subject: Subject, line: Line, first: int) -> dict[str, Any]:
    """The quote behind a line; the price as it was quoted, in words where that is not simply the line's."""
    found = subject.source(line.source)
    if line.category in wording.lines.UNNAMED and line.item:  # the tariff or market, which the label leaves out
        found["text"] = " · ".join(part for part in (_market(line.item), found["text"]) if part)
    price = None if line.source.basis == "own" else subject.book.behind(line.item, line.code, line.source)
    if price is None or line.code == "discount":
        return found
    ordered = float(line.quantity[0, first])
    found["price"] = _as_quoted(price, ordered)
    if price.currency != subject.currency:
        found["rate"] = found["rate"] or gettext("exchange rate {rate}").format(rate=wording.number(price.rate or 0.0))
    if price.currency != subject.currency or price.tax_included or price.breaks:
        found["quoted"] = wording.unit_price(price.quoted(ordered), price.currency)
    if price.tax_included:
        tax = wording.percent(price.tax_included)
        found["quoted"] = gettext("{price}, tax of {tax} included").format(price=found["quoted"], tax=tax)
    if reached := price.reached(ordered):
        break_from = wording.number(reached.min_quantity)
        found["quoted"] = gettext("{price}, from {quantity} pieces").format(price=found["quoted"], quantity=break_from)
    return found


def _as_quoted(price: Price, ordered: float) -> dict[str, Any]:
    """The price behind a line for a machine: amount × rate ÷ (1 + tax included) is today's price of one of so many."""
    said, reached = price.source, price.reached(ordered)
    return {
        "amount": price.quoted(ordered),
        "currency": price.currency,
        "rate": price.rate,
        "rate_dated": said.rate_dated.isoformat() if said.rate_dated else None,
        "tax_included": price.tax_included,
        "volume_break": reached.min_quantity if reached else None,
        "record": said.quote_id or said.item,
        "basis": said.basis,
        "supplier": said.supplier,
        "number": said.number,
        "dated": said.dated.isoformat() if said.dated else None,
        "valid_until": said.valid_until.isoformat() if said.valid_until else None,
        "url": said.url,
    }


def _market(item: str) -> str:
    """A tariff or colocation market by what its short name says: "us-va-commercial" → "US-VA, commercial"."""
    region, _dash, customers = item.rpartition("-")
    if ("customer_class", customers) in wording.fields.CHOICES:
        return f"{region.upper()}{gettext(', ')}{wording.choice('customer_class', customers)}"
    return item.replace("-", " ").capitalize()
