"""One-off costs. One function a group of lines, in the order of model.md section 5."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from planner.engine.calendar import Array
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.books import DUTY, IN_SERVER_ROWS, RACK_PDUS, SPARES_FROM_SERVERS
from planner.engine.costs.purchases import Purchases
from planner.engine.demand import Machine
from planner.engine.inputs import ServingWorkload
from planner.engine.prices import Price, Source

PAYMENT_TERMS = "payment_terms"  # code of the lines that move prices in time
# Orders beside machines, by category; `codes` where only some lines are goods.
OTHER_ORDERS: dict[str, tuple[str, ...]] = {
    "capex.fabric": (),
    "capex.spares": (),
    "capex.storage": (),
    "capex.racks_and_power": (),
    "capex.cooling": ("upgrade",),
    "capex.facility": ("upgrade",),
}


def machines(costs: PlanCosts) -> None:
    for bought in costs.bought:
        build, addon = bought.machine.build, bought.machine.addon
        path = f"plans/{costs.plan.slug}/start"
        drivers = (
            path + "/build",
            path + "/quantity",
            "market/accelerator/rate_per_year",
            "market/own_prices/" + build.slug,
            *(
                f"market/generations/{each.slug}/price"
                for each in costs.scenario.market.generations
                if each.slug == build.slug
            ),
        )
        source = price_source(costs, bought.machine, build.slug, build.price)
        shares = {"accelerator_share": build.accelerator_share, "memory_share": build.memory_share}
        if build.nic_share:
            shares["nic_share"] = build.nic_share
        condition = bought.machine.condition
        if bought.machine.used:
            drivers = (*drivers, *(f"plans/{costs.plan.slug}/condition/{name}" for name in ("kind", "price_share")))
            shares |= {"price_share": bought.machine.price_share} if condition.price_share is not None else {}
        costs.ledger.add(
            "capex.accelerators_and_servers",
            "server",
            bought.builds,
            "server",
            bought.build_price,
            source,
            "price_path",
            item=build.slug,
            factors={**_today(costs, bought, "server", bought.builds, build.slug, build.price), **shares},
            drivers=drivers,
            part=condition.kind if bought.machine.used else "",
        )
        if addon is not None:
            costs.ledger.add(
                "capex.accelerators_and_servers",
                "chassis",
                bought.hosts,
                "chassis",
                bought.host_price,
                source,
                "host_price",
                item=build.slug,
                factors={**_today(costs, bought, "chassis", bought.hosts, build.slug, build.price), **shares},
                drivers=drivers,
                part=condition.kind if bought.machine.used else "",
            )
            costs.ledger.add(
                "capex.accelerators_and_servers",
                "card",
                bought.cards,
                "GPU",
                bought.card_price,
                price_source(costs, bought.machine, addon.slug, addon.price),
                "card_price",
                item=addon.slug,
                factors=_today(costs, bought, "card", bought.cards, addon.slug, addon.price),
                drivers=("market/accelerator/rate_per_year", "market/own_prices/" + addon.slug),
                part=condition.kind if bought.machine.used else "",
            )
        if addon is not None and addon.extra_price is not None:
            extra, extra_source = costs.books.price(addon.slug + "/extra", addon.extra_price)
            costs.ledger.add(
                "capex.accelerators_and_servers",
                "card_extra",
                bought.extras,
                "GPU",
                bought.extra_price,
                extra_source,
                "card_extra",
                item=addon.slug,
                factors={"price_today": extra},
                drivers=("market/memory_flash/rate_per_year",),
            )
        for each in bought.discounts:
            each.write(costs.ledger, "capex.accelerators_and_servers")


def price_source(costs: PlanCosts, machine: Machine, slug: str, quoted: Price | None) -> Source:
    """Who says a price; a share of the price of a new one is the planner's word."""
    source = costs.books.price(slug, quoted)[1]
    return Source(basis="own", item=slug) if machine.used and machine.condition.price_share is not None else source


def _today(
    costs: PlanCosts, bought: Purchases, code: str, quantity: Array, slug: str, quoted: Price | None
) -> dict[str, float]:
    """Today's price in the first month that buys, and the volume break that its quantity reaches."""
    first = int(np.argmax(quantity[0] > 0))
    price = {"price_today": float(np.broadcast_to(bought.today[code], quantity.shape)[0, first])}
    if quoted is None or costs.books.terms(slug, quoted) is None:
        return price
    reached = quoted.reached(float(quantity[0, first]))
    return price if reached is None else {**price, "volume_break": float(reached.min_quantity)}


def payment_terms(costs: PlanCosts) -> None:
    """What the terms of the supplier move from the month of order to later ones: nothing in sum."""
    _move(costs, "capex.accelerators_and_servers", costs.machines_cash - costs.machines_paid)


def payment_terms_of_others(costs: PlanCosts) -> None:
    """The same for everything else that is ordered, where the terms cover it; works of a room are there when it has
    them, racks and storage at once, what belongs to machines with them."""
    if costs.scenario.finance.payment.covers == "machines":
        return
    served = {(order.site, order.upgrade.slug): order.in_service for order in costs.housing.upgrades}
    last = costs.ledger.shape[1]
    for category, codes in OTHER_ORDERS.items():
        if category == "capex.fabric":  # which a lender may pay
            if costs.ledger.on(category):
                _move(costs, category, costs.fabric_cash - costs.fabric_paid)
            continue
        price, arrived = np.zeros(costs.ledger.shape), np.zeros(costs.ledger.shape)
        for line in costs.ledger.lines:
            if line.category != category or (codes and line.code not in codes):
                continue
            price += line.amount
            if line.code == "upgrade":
                month = served[line.place, line.part]
                arrived[:, min(month, last - 1)] += line.amount.sum(axis=1) if month < last else 0.0
            else:
                arrived += costs.delivered(line.amount) if category == "capex.spares" else line.amount
        _move(costs, category, costs.cash_of(price, arrived) - price)


def _move(costs: PlanCosts, category: str, moved: Array) -> None:
    if np.abs(moved).max(initial=0.0) > 1e-6:
        costs.ledger.add(
            category,
            PAYMENT_TERMS,
            moved,
            "money",
            1.0,
            Source(basis="own"),
            "payment_terms",
            drivers=tuple(f"finance/payment/{name}" for name in type(costs.scenario.finance.payment).model_fields),
        )


def load_balancer(costs: PlanCosts) -> None:
    """Independent servers behind one service need a load balancer, bought with the second server (model.md 4)."""
    several = behind_one_service(costs)
    if costs.scenario.operations.load_balancer != "bought" or not several.any():
        return
    quantity = np.diff(np.maximum.accumulate(several, axis=1).astype(float), axis=1, prepend=0.0)
    price, source = costs.books.cost("load-balancer-pair")
    costs.ledger.add(
        "capex.accelerators_and_servers",
        "load_balancer",
        quantity,
        "each",
        price * costs.books.paths["rest"],
        source,
        "load_balancer",
        item="load-balancer-pair",
        factors={"price_today": price},
        drivers=("operations/load_balancer",),
    )


def behind_one_service(costs: PlanCosts) -> npt.NDArray[np.bool_]:
    """Months in which several servers answer for a service, (S, M)."""
    serves = any(isinstance(work, ServingWorkload) for work in costs.scenario.demand.workloads)
    return (np.cumsum(costs.new_hosts, axis=1) >= 2) & serves


def in_servers(costs: PlanCosts) -> None:
    """Host memory and fast local storage that the work asks for beyond what the servers come with."""
    rules = costs.scenario.operations
    for holding in costs.fleet.holdings:
        build = holding.machine.build
        host, local = costs.in_servers.get(build.slug, (0.0, 0.0))
        wanted = (
            ("host_memory", "capex.accelerators_and_servers", rules.host_memory, host, build.host_memory_gb, "GB"),
            ("local_flash", "capex.storage", rules.local_flash, local, build.local_tb, "TB"),
        )
        for code, category, rule, asked, there, unit in wanted:
            more = max(0.0, asked - there) if there is not None else 0.0
            if rule == "as_built" or not more or not costs.ledger.on(category):
                continue
            row = IN_SERVER_ROWS[code]
            price, source = costs.books.cost(row)
            costs.ledger.add(
                category,
                code,
                holding.ordered_hosts * more,
                unit,
                price * costs.books.paths["memory"],
                source,
                "in_servers",
                item=row,
                factors={"price_today": price, "asked_per_server": asked, "there_per_server": there or 0.0},
                drivers=(f"operations/{code}", f"plans/{costs.plan.slug}/start/build"),
                part=build.slug,
            )


def storage(costs: PlanCosts) -> None:
    """Shared storage is bought when more of it must be there."""
    quantity = np.diff(np.maximum.accumulate(costs.storage_tb, axis=1), axis=1, prepend=0.0)
    if quantity.any():
        price, source = costs.books.cost("flash-file-usable-tb")
        costs.ledger.add(
            "capex.storage",
            "shared_flash",
            quantity,
            "TB",
            price * costs.books.paths["memory"],
            source,
            "storage",
            item="flash-file-usable-tb",
            factors={"price_today": price},
            drivers=("operations/storage_tb", "operations/shared_gb_s_per_tb"),
        )


def fabric(costs: PlanCosts) -> None:
    if costs.network is not None:
        costs.network.write(costs.ledger, costs.plan)


def racks(costs: PlanCosts) -> None:
    """Racks and their strips per rack of the packing, in rooms of one's own; a tower stands on a shelf."""
    own_room = np.array([site.kind != "colocation" for site in costs.housing.site_of])
    racks = np.where(own_room, costs.housing.racks, 0.0)
    highest = np.maximum.accumulate(racks, axis=1)
    added = np.diff(highest, axis=1, prepend=0.0)
    rest = costs.books.paths["rest"]
    site = costs.housing.site_of[0]
    rack = "rack-office-24u" if site.kind == "office" and site.rack_units <= 24 else "rack-42u"
    pdu = "pdu-basic-30a" if site.kind == "office" else "pdu-metered-17kw"
    for code, slug, quantity, unit in (("rack", rack, added, "rack"), ("pdu", pdu, added * RACK_PDUS, "each")):
        if quantity.any():
            price, source = costs.books.cost(slug)
            costs.ledger.add(
                "capex.racks_and_power",
                code,
                quantity,
                unit,
                price * rest,
                source,
                "racks",
                item=slug,
                factors={"price_today": price},
                drivers=(f"sites/{site.slug}/rack_units",),
            )
    shelves = np.zeros(costs.ledger.shape) + sum(
        holding.arrived_hosts for holding in costs.fleet.holdings if not holding.machine.build.in_rack
    )
    if shelves.any():
        price, source = costs.books.cost("rack-shelf")
        costs.ledger.add(
            "capex.racks_and_power",
            "shelf",
            shelves,
            "each",
            price * rest,
            source,
            "racks",
            item="rack-shelf",
            factors={"price_today": price},
        )


def upgrades(costs: PlanCosts) -> None:
    for order in costs.housing.upgrades:
        quantity = np.zeros(costs.ledger.shape)
        quantity[:, order.ordered] = order.upgrade.quantity
        if order.upgrade.price is not None:
            price, source = order.upgrade.price, Source(basis="own", item=order.upgrade.item)
        else:
            price, source = costs.books.cost(order.upgrade.item)
        costs.ledger.add(
            "capex.cooling" if order.resource == "cooling" else "capex.facility",
            "upgrade",
            quantity,
            "each",
            price * costs.books.paths["rest"],
            source,
            "upgrade",
            item=order.upgrade.item,
            factors={"price_today": price, "lead_weeks": order.upgrade.lead_weeks},
            drivers=(f"sites/{order.site}/upgrades/{order.upgrade.slug}/price",),
            place=order.site,
            part=order.upgrade.slug,
        )
    sites = costs.housing.site_of
    for m in range(1, len(sites)):
        if sites[m].slug != sites[m - 1].slug and sites[m].moving_cost and costs.hosts[:, m].any():
            quantity = np.zeros(costs.ledger.shape)
            quantity[:, m] = 1.0
            costs.ledger.add(
                "capex.facility",
                "moving",
                quantity,
                "each",
                sites[m].moving_cost,
                Source(basis="own"),
                "moving",
                item=sites[m].slug,
                drivers=(
                    f"sites/{sites[m].slug}/moving_cost",
                    f"sites/{sites[m].slug}/from_month",
                    f"plans/{costs.plan.slug}/move_month",
                ),
            )


def installation(costs: PlanCosts) -> None:
    rate, source = costs.books.cost("remote-hands-hour")
    rate_path = rate * costs.books.paths["wages"]
    hours = np.zeros(costs.ledger.shape)
    for bought, holding in zip(costs.bought, costs.fleet.holdings, strict=True):
        build, addon = bought.machine.build, bought.machine.addon
        per_server = costs.books.book.cost(
            "install-hours-workstation" if build.workstation else "install-hours-8gpu"
        ).likely
        hours = hours + holding.ordered_hosts * per_server
        if addon is not None:
            hours = hours + np.where(bought.hosts > 0, 0.0, bought.cards) * addon.labour_hours
    costs.ledger.add(
        "capex.installation",
        "labour",
        hours,
        "hour",
        rate_path,
        source,
        "installation",
        item="remote-hands-hour",
        factors={"price_today": rate},
    )
    if costs.network is not None:
        share, source = costs.books.percent("commissioning-pct")
        own = costs.scenario.operations.fabric_acceptance_share
        if own is not None:
            share, source = own, Source(basis="own", item="commissioning-pct")
        costs.ledger.add(
            "capex.installation",
            "fabric_commissioning",
            costs.machines_paid + costs.fabric_paid,
            "money",
            share,
            source,
            "share_of_hardware",
            item="commissioning-pct",
            factors={"share": share},
            drivers=("operations/fabric_acceptance_share",),
        )


def freight_and_duty(costs: PlanCosts) -> None:
    freight, source = costs.books.percent("freight-domestic")
    parts = (("", costs.machines_paid), ("fabric_", costs.fabric_paid), ("spares_", costs.spares_paid))
    for prefix, value in parts:
        costs.ledger.add(
            "capex.freight_and_duty",
            prefix + "freight",
            value,
            "money",
            freight,
            source,
            "share_of_hardware",
            item="freight-domestic",
            factors={"share": freight},
        )
    duty_row = DUTY[costs.scenario.operations.region]
    duty, source = costs.books.percent(duty_row)
    for prefix, value in parts if duty else ():
        costs.ledger.add(
            "capex.freight_and_duty",
            prefix + "duty",
            value,
            "money",
            duty,
            source,
            "share_of_hardware",
            item=duty_row,
            factors={"share": duty},
        )


def tax(costs: PlanCosts) -> None:
    ops = costs.scenario.operations
    if ops.tax_region:
        tax, source = costs.books.percent(ops.tax_region)
        borne = tax * (1.0 - ops.recoverable_tax_share)
        parts = (
            ("tax", costs.machines_paid),
            ("fabric_tax", costs.fabric_paid),
            ("spares_tax", costs.spares_paid),
        )
        for code, value in parts if borne else ():
            costs.ledger.add(
                "capex.sales_tax_or_vat",
                code,
                value,
                "money",
                borne,
                source,
                "tax",
                item=ops.tax_region,
                factors={"rate": tax, "recoverable": ops.recoverable_tax_share},
                drivers=("operations/recoverable_tax_share",),
            )


def spares(costs: PlanCosts) -> None:
    """Spares that last with the confidence asked for; where failures are not counted, a share of what a fleet costs.

    They count for nothing at the horizon: a shelf is used up, or too old by then.
    """
    if not costs.scenario.reliability.counted:
        spares_by_share(costs)
    sources = {}
    for bought in costs.bought:
        build, addon = bought.machine.build, bought.machine.addon
        sources[build.slug] = price_source(costs, bought.machine, build.slug, build.price)
        if addon is not None:
            sources[addon.slug] = price_source(costs, bought.machine, addon.slug, addon.price)
    for spare in costs.spares:
        first = int(np.argmax(spare.quantity[0] > 0))
        today = float(np.broadcast_to(spare.today, spare.quantity.shape)[0, first])
        costs.ledger.add(
            "capex.spares",
            spare.code,
            spare.quantity,
            spare.unit,
            spare.price,
            sources[spare.item],
            "spares",
            item=spare.item,
            factors={} if spare.code == "spare_chassis" else {"price_today": today},
            drivers=(
                "reliability/spares_confidence",
                "reliability/turnaround_days",
                "reliability/gpu_failures_per_year",
                "market/own_prices/" + spare.item,
            ),
        )


def spares_by_share(costs: PlanCosts) -> None:
    gone = sum(holding.retired_hosts for holding in costs.fleet.holdings)
    large = np.cumsum(costs.new_hosts - gone, axis=1) >= SPARES_FROM_SERVERS  # a renewal makes no fleet larger
    spares, source = costs.books.percent("spares-stock")
    costs.ledger.add(
        "capex.spares",
        "spares",
        np.where(large, costs.machines_paid, 0.0),
        "money",
        spares,
        source,
        "share_of_hardware",
        item="spares-stock",
        factors={"share": spares},
    )


def decommissioning(costs: PlanCosts) -> None:
    gone = np.zeros(costs.ledger.shape) + sum(holding.retired_hosts for holding in costs.fleet.holdings)
    if gone.any():
        price, source = costs.books.cost("decommission-server")
        costs.ledger.add(
            "capex.decommissioning",
            "disposal",
            gone,
            "server",
            price * costs.books.paths["wages"],
            source,
            "decommissioning",
            item="decommission-server",
            factors={"price_today": price},
        )
