"""Lines of goods → positions of orders, with the dates by which they must be placed."""

from __future__ import annotations

import datetime as dt

import numpy as np

from planner.engine.costs import Books
from planner.engine.lines import Line
from planner.engine.result import Order, PlanResult

# Lines that buy goods; what is done by others (moving, pulling cables) is a service and no order.
GOODS = ("capex.accelerators_and_servers", "capex.fabric", "capex.cooling", "capex.facility")
SERVICES = ("moving", "link_labour")


def orders_of(result: PlanResult, books: Books) -> list[Order]:
    """Positions of each order: purchases of machines, fabric and upgrades, with their dates."""
    calendar, orders = result.calendar, []
    lead_days = {}
    for holding in result.fleet.holdings:
        weeks = holding.machine.build.lead_weeks[1]
        lead_days[holding.machine.slug] = round(weeks * 7 + books.commissioning_days)
    leads = {holding.machine.slug: holding.lead for holding in result.fleet.holdings}
    addon_of = {
        holding.machine.addon.slug: holding.machine.slug for holding in result.fleet.holdings if holding.machine.addon
    }
    for line in result.lines:
        if line.category not in ("capex.accelerators_and_servers", "capex.fabric", "capex.cooling", "capex.facility"):
            continue
        if line.code in ("moving", "link_labour"):
            continue  # services, not goods
        owner = line.item if line.item in leads else addon_of.get(line.item, "")
        for m in np.flatnonzero(line.quantity[0]).tolist():
            quantity, price = float(line.quantity[0, m]), float(line.unit_price[0, m])
            for part, first in _split_first(result, line, owner, m, quantity):
                lead = (
                    0
                    if first
                    else leads.get(owner, max(leads.values(), default=0) if line.category == "capex.fabric" else 0)
                )
                renewed = not first and owner and bool(_renewed(result, owner, m))
                service = m if renewed else min(m + lead, calendar.months)
                # the fabric must be there when its servers are
                ahead = lead_days.get(
                    owner, max(lead_days.values(), default=0) if line.category == "capex.fabric" else 0
                )
                order_by = calendar.firsts[m] - dt.timedelta(days=ahead) if first else calendar.firsts[m]
                orders.append(
                    Order(m, service, order_by, line.item, line.code, part, price, result.currency, line.source)
                )
    return sorted(orders, key=lambda order: (order.month, order.in_service, order.kind, order.item))


def _split_first(result: PlanResult, line: Line, owner: str, month: int, quantity: float) -> list[tuple[float, bool]]:
    """The first wave, in service at once, apart from a follow-up ordered in the same month 0."""
    if month != 0 or line.category != "capex.accelerators_and_servers":
        return [(quantity, month == 0)]
    holding = next(holding for holding in result.fleet.holdings if holding.machine.slug == owner)
    base, extra = (
        holding.machine.base_cards,
        max(0, holding.first_cards - holding.first_hosts * holding.machine.base_cards),
    )
    whole = holding.first_cards >= holding.first_hosts * base
    first = {
        "server": holding.first_hosts if whole else 0,
        "chassis": 0 if whole else holding.first_hosts,
        "card": extra if whole else holding.first_cards,
        "card_extra": extra if whole else 0,
    }.get(line.code, 0)
    parts = [(float(min(first, quantity)), True), (quantity - min(first, quantity), False)]
    return [part for part in parts if part[0] > 0]


def _renewed(result: PlanResult, slug: str, month: int) -> float:
    return float(
        sum(holding.renewed_cards[0, month] for holding in result.fleet.holdings if holding.machine.slug == slug)
    )
