"""Lines of goods → positions of orders, with the dates by which they must be placed."""

from __future__ import annotations

import datetime as dt

import numpy as np

from planner.engine.calendar import DAYS_PER_MONTH
from planner.engine.costs.capex import PAYMENT_TERMS
from planner.engine.costs.financing import FINANCED
from planner.engine.costs.purchases import Purchases
from planner.engine.fleet import Holding
from planner.engine.lines import Line, round_half_up
from planner.engine.result import Order, PlanResult

# Lines that buy goods; what is done by others (moving, pulling cables, lending) is a service and no order, nor is a
# discount; a share of other money names no goods.
GOODS = ("capex.accelerators_and_servers", "capex.spares", "capex.fabric", "capex.cooling", "capex.facility")
SERVICES = ("moving", "link_labour", "discount", FINANCED, PAYMENT_TERMS)


def orders_of(result: PlanResult, bought: list[Purchases]) -> list[Order]:
    """Positions of each order: purchases of machines, fabric and upgrades, with their dates.

    bought : one entry a holding of the fleet.
    """
    calendar, orders = result.calendar, []
    holdings = result.fleet.holdings
    days = {holding.machine.slug: _lead_days(result, holding) for holding in holdings}
    tender_days = result.tender_days
    goods = {}
    for holding, purchase in zip(holdings, bought, strict=False):
        goods[holding.machine.slug] = holding, purchase
        if holding.machine.addon is not None:
            goods[holding.machine.addon.slug] = holding, purchase
    upgrades = {(order.site, order.upgrade.slug): order.in_service for order in result.housing.upgrades}
    for line in result.lines:
        if line.category not in GOODS or line.code in SERVICES or line.quantity_unit == "money":
            continue
        for m in np.flatnonzero(line.quantity[0]).tolist():
            quantity = float(line.quantity[0, m])
            ahead, before = 0, 0  # days by which goods that serve in month m are ordered before it; those of a tender
            if line.item in goods:
                holding, purchase = goods[line.item]
                at_once = float(purchase.at_once[line.code][0, m])
                parts = [(at_once, m), (quantity - at_once, m + int(holding.leads[m]))]
                before = round(float(tender_days[m]))
                ahead = days[holding.machine.slug] + before
            elif line.category == "capex.fabric":  # the fabric must be there when its servers are
                parts = [(quantity, m + (max(int(holding.leads[m]) for holding in holdings) if m else 0))]
                before = round(float(tender_days[m]))
                ahead = max(days.values()) + before
            else:
                parts = [(quantity, upgrades.get((line.place, line.part), m))]
            parts = [(part, service) for part, service in parts if part > 0]
            for (part, service), minor in zip(parts, _shares(line, m, [part for part, _ in parts]), strict=True):
                orders.append(
                    Order(
                        month=m,
                        in_service=min(service, calendar.months),
                        order_by=calendar.firsts[m] - dt.timedelta(days=ahead if service == m else 0),
                        item=line.item,
                        kind=line.code,
                        quantity=part,
                        unit_price=float(line.unit_price[0, m]),
                        currency=result.currency,
                        source=line.source,
                        line=line.key,
                        minor=minor,
                        tender_days=before,
                    )
                )
    return sorted(orders, key=lambda order: (order.month, order.in_service, order.kind, order.item))


def _shares(line: Line, m: int, parts: list[float]) -> list[int]:
    """Whole minor units of each part of a cell, which add up to it: steps of the rounded running sum."""
    price = float(line.unit_price[0, m])
    ends = [int(round_half_up(np.asarray(done * price), line.decimals)) for done in np.cumsum(parts)[:-1]]
    return [int(share) for share in np.diff([0, *ends, int(line.minor[m])])]


def _lead_days(result: PlanResult, holding: Holding) -> int:
    """Days from order to service: the plan's own lead time where it has one, else the build's and its commissioning."""
    if result.plan.lead_months is not None:
        return round(result.plan.lead_months * DAYS_PER_MONTH)
    return round(holding.machine.build.lead_weeks[1] * 7 + result.commissioning_days)
