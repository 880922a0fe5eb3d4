"""A plan's capex as purchasing sees it: positions of orders, and the rest that nobody orders.

Money is Decimal here. The engine's rounded cells are the truth: every position carries its cell, or its share of one,
and its unit price has as many decimals as it takes for quantity × unit price × exchange rate, rounded half up once, to
give that very amount. So all rows together are the plan's capex, to the cent.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import numpy as np

from planner.engine.calendar import DAYS_PER_MONTH
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.lines import CATEGORIES, Line, minor_unit
from planner.engine.prices import Price, PriceBook, Source
from planner.engine.quote_terms import BROKEN_TERMS
from planner.engine.result import UNPRICED, Evaluation, Finding, Order, PlanResult
from planner.engine.wiring import DEVICES
from planner.engine.wiring import GOODS as NETWORK_GOODS
from planner.services import assumptions

SPARES = frozenset({"spare_server", "spare_chassis", "spare_card"})
MACHINES = frozenset({"server", "chassis", "card", "card_extra"})
BARE = ("chassis", "spare_chassis")  # priced as a server less its cards: nobody quotes them
GOODS = MACHINES | SPARES | NETWORK_GOODS
# Code of the line that brings goods.
FREIGHT = {MACHINES: "freight", SPARES: "spares_freight", NETWORK_GOODS: "fabric_freight"}
SOLD_BY_QUOTE = frozenset({"server", "chassis", "card", *DEVICES})
QUOTED, LIST, ESTIMATE, FORECAST = "quoted", "list", "estimate", "forecast"
UNQUOTED = frozenset({"no_quote", "no_offer"})  # the price is missing, not the knowledge of what is bought
MOST_DECIMALS = 15
# A price has moved when it differs from today's by more than floating point does. [1]
MOVED = 1e-9
DAYS_PER_WEEK = 7


def stated_basis(source: Source) -> str:
    """What a price rests on by itself. A quote without a supplier is a price somebody once asked: nobody owes it."""
    if source.basis == QUOTED:
        return QUOTED if source.supplier else LIST
    return LIST if source.basis == LIST else ESTIMATE


@dataclass(frozen=True)
class Row:
    """One item of an order, or one line of the rest in one month. Money that nobody knows is None, never 0."""

    line: Line
    month: int  # of the order and its payment
    month_label: str  # "2026-12"
    phase: int | None  # 1 is the first month in which something is ordered
    quantity: Decimal | None  # None where the line is a share of other money
    unit_price: Decimal | None  # in the quote's currency
    currency: str
    line_total: Decimal | None  # quantity × unit price, in the quote's currency
    total: Decimal | None  # in the report currency: the engine's cell
    rate: Decimal | None  # report currency for one of the quote's
    basis: str  # quoted · list · estimate · forecast; "" for a share
    quoted_price: Decimal | None
    source: Source
    part_number: str = ""
    order_number: str = ""
    position: int | None = None
    order_by: dt.date | None = None
    need_by: dt.date | None = None
    in_service: dt.date | None = None
    lead_weeks: Decimal | None = None
    tender_weeks: Decimal | None = None  # before them; None where none are counted
    late: bool = False

    @property
    def item(self) -> str:
        return self.line.item

    @property
    def is_order(self) -> bool:
        return self.position is not None

    @property
    def supplier(self) -> str:
        """Blank where no supplier has quoted."""
        return self.source.supplier


@dataclass(frozen=True)
class Doubt:
    """Why an item cannot be ordered as it stands, and the assumption in which its price is put right."""

    line: Line
    codes: tuple[str, ...]  # no_price · no_supplier · not_quoted · stale · expired
    basis: str  # of the price that is used: quoted · list · estimate · own; "" where there is none
    row: Row
    path: str = ""
    broken: tuple[Finding, ...] = ()  # terms of the quote that the order does not keep


@dataclass
class Purchase:
    """What a plan buys. `orders` and `rest` add up to `capex`; without a price somewhere there are no totals."""

    plan: PlanResult
    currency: str
    decimals: int
    orders: list[Row]
    rest: list[Row]
    doubts: list[Doubt] = field(default_factory=list)
    missing: frozenset[str] = frozenset()  # items without a price
    possible: bool = True  # False where it is not known what would have to be bought

    @property
    def orders_total(self) -> Decimal | None:
        return _sum(row.total for row in self.orders)

    @property
    def rest_total(self) -> Decimal | None:
        return _sum(row.total for row in self.rest)

    @property
    def capex(self) -> Decimal | None:
        """The plan's capex as the engine rounds it."""
        return None if self.missing else _money(round(self.plan.total("capex") * 10**self.decimals), self.decimals)

    def by_month(self) -> dict[int, list[Row]]:
        groups: dict[int, list[Row]] = {}
        for row in self.orders:
            groups.setdefault(row.month, []).append(row)
        return groups

    def by_category(self) -> dict[str, list[Row]]:
        """The rest, in the order of the categories."""
        groups: dict[str, list[Row]] = {name: [] for name in CATEGORIES}
        for row in self.rest:
            groups[row.line.category].append(row)
        return {name: rows for name, rows in groups.items() if rows}


def purchase(evaluation: Evaluation, plan: str, scenario: str, version: int, today: dt.date) -> Purchase:
    """The orders and the rest of a plan; raises KeyError for an unknown one.

    scenario, version : what order numbers begin with: the same version always has the same numbers.
    today             : order-by dates before it, or before the pricing date, are late.
    """
    if plan not in {each.slug for each in evaluation.plans}:
        raise KeyError(plan)
    evaluation, missing, possible = _priced(evaluation, plan)
    return _Writer(evaluation, plan, missing, possible, f"{scenario}-v{version}", today).purchase()


def _priced(evaluation: Evaluation, plan: str) -> tuple[Evaluation, frozenset[str], bool]:
    """The evaluation, with a price of 1 for whatever the plan buys without one, so that quantities and dates are known.

    Returns those items too, whose money must not be shown, and whether that was enough. No quantity depends on a price.
    """
    missing: set[str] = set()
    while True:
        result = evaluation.plan(plan)
        rented = {result.plan.overflow.accelerator, result.plan.overflow.offer} if result.plan.overflow else set()
        unpriced = {
            reason.facts["item"]
            for reason in result.infeasible
            if reason.code == "no_quote" and reason.facts["item"] not in rented
        }
        if not unpriced:
            possible = all(reason.code in UNQUOTED for reason in result.infeasible if reason.code in UNPRICED)
            return evaluation, frozenset(missing), possible
        if unpriced & missing:
            return evaluation, frozenset(missing | unpriced), False
        missing |= unpriced
        document = evaluation.scenario.model_dump(mode="json")
        document["market"]["own_prices"] |= dict.fromkeys(unpriced, 1.0)
        evaluation = evaluate(Scenario.read(document), evaluation.pinned)


@dataclass
class _Writer:
    evaluation: Evaluation
    slug: str
    missing: frozenset[str]
    possible: bool
    prefix: str
    today: dt.date

    def __post_init__(self) -> None:
        self.plan = self.evaluation.plan(self.slug)
        self.lines = [line for line in self.plan.lines if line.kind == "capex"]
        self.line_of = {line.key: line for line in self.lines}
        self.late_before = max(self.today, self.evaluation.scenario.pricing_date)
        self.oldest = self.evaluation.scenario.pricing_date - dt.timedelta(
            days=self.evaluation.scenario.market.stale_after_days
        )
        self.upgrades = {(order.site, order.upgrade.slug): order.upgrade for order in self.plan.housing.upgrades}
        self.builds = {holding.machine.slug: holding.machine.build for holding in self.plan.fleet.holdings}
        self.addons = {
            holding.machine.addon.slug: holding.machine.addon
            for holding in self.plan.fleet.holdings
            if holding.machine.addon is not None
        }

    @property
    def book(self) -> PriceBook:
        return self.evaluation.book

    def purchase(self) -> Purchase:
        if not self.possible:
            return Purchase(self.plan, self.plan.currency, self.plan.decimals, [], [], [], self.missing, False)
        months = sorted({order.month for order in self.plan.orders})
        phases = {month: number for number, month in enumerate(months, 1)}
        counts: dict[int, int] = {}
        orders = []
        for order in self.plan.orders:
            counts[order.month] = counts.get(order.month, 0) + 1
            orders.append(self._order(order, phases[order.month], counts[order.month]))
        ordered = {(order.line, order.month) for order in self.plan.orders}
        rest = [
            self._row(line, m, phases.get(m), float(line.quantity[0, m]), int(line.minor[m]))
            for line in self.lines
            for m in np.flatnonzero((line.quantity[0] != 0) | (line.minor != 0)).tolist()
            if (line.key, m) not in ordered
        ]
        found = Purchase(self.plan, self.plan.currency, self.plan.decimals, orders, rest, [], self.missing)
        found.doubts = self._doubts(orders)
        return found

    # ── rows ──

    def _order(self, order: Order, phase: int, position: int) -> Row:
        line, firsts = self.line_of[order.line], self.plan.calendar.firsts
        in_service = firsts[order.in_service]
        need_by = in_service
        if line.code in GOODS and self.plan.plan.lead_months is None:
            # what must be burnt in is needed before it serves
            need_by -= dt.timedelta(days=round(self.plan.commissioning_days))
        return self._row(
            line,
            order.month,
            phase,
            order.quantity,
            order.minor,
            order_number=f"{self.prefix}-{self.slug}-{firsts[order.month]:%Y-%m}",
            position=position,
            order_by=order.order_by,
            need_by=max(need_by, order.order_by),
            in_service=in_service,
            lead_weeks=self._lead_weeks(line),
            tender_weeks=_exact(round(order.tender_days / DAYS_PER_WEEK, 1)) if order.tender_days else None,
            late=order.order_by < self.late_before,
        )

    def _row(self, line: Line, month: int, phase: int | None, quantity: float, minor: int, **more: Any) -> Row:
        report = self.plan.currency
        common: dict[str, Any] = {
            "line": line,
            "month": month,
            "month_label": self.plan.calendar.labels[month],
            "phase": phase,
            "source": line.source,
            **more,
        }
        if line.quantity_unit == "money" or line.sign < 0:  # a share of other money, or a discount: nothing to order
            total = None if self.missing else _money(minor, self.plan.decimals)
            return Row(
                **common,
                quantity=None,
                unit_price=None,
                currency=report,
                line_total=total,
                total=total,
                rate=Decimal(1),
                basis="",
                quoted_price=None,
            )
        price = self._behind(line)
        currency = price.currency if price is not None and price.rate else report
        rate = Decimal(repr(price.rate)) if price is not None and currency != report else Decimal(1)
        amount = Decimal(repr(float(line.unit_price[0, month])))
        part = self.addons.get(line.item)
        row: dict[str, Any] = {
            **common,
            "quantity": _exact(quantity),
            "currency": currency,
            "rate": rate,
            "part_number": part.part_number if part is not None and line.code in ("card", "spare_card") else "",
        }
        if self._unknown(line, month):
            return Row(**row, unit_price=None, line_total=None, total=None, basis="", quoted_price=None)
        total = _money(minor, self.plan.decimals)
        unit_price = fitting_price(amount, _exact(quantity), rate, total, minor_unit(currency), self.plan.decimals)
        return Row(
            **row,
            unit_price=unit_price,
            line_total=rounded(_exact(quantity) * unit_price, minor_unit(currency)),
            total=total,
            basis=self._basis(line, month),
            quoted_price=self._quoted_price(line, price, month),
        )

    def _behind(self, line: Line) -> Price | None:
        """The price of a line in the currency in which it was quoted; None for the user's own, which has none."""
        if line.source.basis == "own":
            return None
        return self.book.behind(line.item, line.code, line.source)

    def _quoted_price(self, line: Line, price: Price | None, month: int) -> Decimal | None:
        """What was quoted for one of so many, before any price path; nobody quotes a chassis without its cards."""
        if line.code in BARE:
            return None
        ordered = float(line.quantity[0, month])
        return _exact(price.quoted(ordered) if price is not None else float(line.unit_price[0, 0]))

    def _basis(self, line: Line, month: int) -> str:
        now, then = float(line.unit_price[0, 0]), float(line.unit_price[0, month])
        price = self._behind(line)
        if price is not None and price.breaks and line.code not in BARE:  # another quantity is no forecast
            now = price.value(self.book.currency, float(line.quantity[0, month]))
        if abs(then - now) > MOVED * abs(now):
            return FORECAST
        return ESTIMATE if line.code in BARE else stated_basis(line.source)

    def _unknown(self, line: Line, month: int) -> bool:
        """Whether the price of a line hangs on one that nobody quoted."""
        if line.item in self.missing:
            return True
        addon = self.book.addons.get(line.item)
        if addon is None or addon.slug not in self.missing:
            return False
        return line.code in BARE or (line.code == "server" and month > 0)  # the card's share moves by itself

    def _lead_weeks(self, line: Line) -> Decimal | None:
        """Weeks from order to delivery; None where nobody gives any."""
        if line.code in GOODS:
            if self.plan.plan.lead_months is not None:
                return _exact(round(self.plan.plan.lead_months * DAYS_PER_MONTH / DAYS_PER_WEEK, 1))
            if line.item in self.builds:
                return _exact(self.builds[line.item].lead_weeks[1])
            if line.item in self.addons:
                return _exact(self.builds[self.addons[line.item].build].lead_weeks[1])
            return _exact(max(build.lead_weeks[1] for build in self.builds.values()))
        upgrade = self.upgrades.get((line.place, line.part))
        return None if upgrade is None else _exact(upgrade.lead_weeks)

    # ── what is missing ──

    def _doubts(self, orders: list[Row]) -> list[Doubt]:
        """Items that no supplier has quoted, or not lately, or not for long enough; the earliest order counts."""
        fields = {priced.slug for priced in assumptions.unit_prices(self.evaluation.scenario, self.evaluation)}
        found: dict[str, Doubt] = {}
        for row in orders:
            source, codes = row.source, []
            if row.unit_price is None:
                codes.append("no_price")
            elif source.basis != QUOTED:
                codes.append("not_quoted")
            elif not source.supplier:
                codes.append("no_supplier")
            if source.basis != "own" and source.dated is not None and source.dated < self.oldest:
                codes.append("stale")
            if source.valid_until is not None and row.order_by is not None and source.valid_until < row.order_by:
                codes.append("expired")
            key = ":".join((row.item, row.line.code, row.line.place, row.line.part))
            broken = [each for each in self.plan.warnings if _is_broken_by(each, row)]
            if codes or broken:
                known = found.get(key)
                merged = tuple(dict.fromkeys([*(known.codes if known else ()), *codes]))
                unkept = (*(known.broken if known else ()), *broken)
                basis = "" if row.unit_price is None else "own" if source.basis == "own" else stated_basis(source)
                path = self._price_path(row.line, fields)
                found[key] = Doubt(row.line, merged, basis, known.row if known else row, path, unkept)
        return list(found.values())

    def _price_path(self, line: Line, fields: set[str]) -> str:
        """The assumption that holds the price of a line; "" where only the catalog does."""
        if line.code == "upgrade":
            return f"sites/{line.place}/upgrades/{line.part}/price"
        return f"market/own_prices/{line.item}" if line.item in fields and line.code != "card_extra" else ""


# ── Decimal ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def rounded(amount: Decimal, decimals: int) -> Decimal:
    """To the minor unit, halves away from zero, as the engine rounds."""
    return amount.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def fitting_price(
    amount: Decimal, quantity: Decimal, rate: Decimal, total: Decimal, least: int, decimals: int
) -> Decimal:
    """The shortest unit price that gives the total: quantity × price × rate, rounded once.

    amount : the unit price in the report currency, as the engine computed it.
    least  : decimals it has at least, those of its own currency.
    The price is the engine's, rounded; only where a cell was split between two positions may its own rounding ask for
    another, then the nearest one that the total implies.
    """
    with localcontext(prec=60):
        for exact in (amount / rate, total / (quantity * rate)):
            for places in range(least, MOST_DECIMALS + 1):
                price = rounded(exact, places)
                if rounded(quantity * price * rate, decimals) == total:
                    return price
    raise ArithmeticError(f"no unit price gives {total} for {quantity}")


def _is_broken_by(finding: Finding, row: Row) -> bool:
    """Whether the finding says of this row that its quote does not allow it."""
    sold = row.line.code in SOLD_BY_QUOTE
    return finding.code in BROKEN_TERMS and sold and (finding.facts["item"], finding.month) == (row.item, row.month)


def _exact(value: float) -> Decimal:
    """The number a person would write: 4, not 4.0."""
    number = Decimal(repr(float(value)))
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number


def _money(minor: int, decimals: int) -> Decimal:
    return Decimal(minor).scaleb(-decimals)


def _sum(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """The sum, or None where one of them is unknown."""
    known = list(amounts)
    return None if any(amount is None for amount in known) else sum((a for a in known if a is not None), Decimal(0))
