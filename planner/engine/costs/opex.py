"""Running costs. One function a group of lines, in the order of model.md section 5."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.books import (
    LOAD_BALANCER_SERVICE,
    LOADED_COST,
    SWITCH_WARRANTY_MONTHS,
)
from planner.engine.costs.capex import behind_one_service
from planner.engine.costs.purchases import Purchases, arrive, older, prices_at, value_after
from planner.engine.fleet import Holding
from planner.engine.inputs import Colocation
from planner.engine.prices import Source
from planner.engine.reliability import DAYS_PER_YEAR
from planner.engine.repairs import warranty_months

HOURS_PER_DAY = 24.0


def water(costs: PlanCosts) -> None:
    """IT energy × litres per kWh of each site; a site without its own figures takes the catalog's."""
    for site in costs.scenario.sites:
        here = costs.by_site({other.slug: float(other.slug == site.slug) for other in costs.scenario.sites})
        if not (costs.housing.draw * here).any():
            continue
        own_wue = site.water_l_per_kwh
        litres = own_wue if own_wue is not None else costs.books.book.cost("water-use-wue").likely
        if site.water_price_per_m3 is not None:
            rate, source = site.water_price_per_m3, Source(basis="own", item="water-us-m3")
        else:
            rate, source = costs.books.cost("water-us-m3")
        costs.ledger.add(
            "opex.water",
            "cooling",
            costs.housing.draw * here * costs.books.calendar.hours * litres / 1000.0,
            "m3",
            rate,
            source,
            "water",
            item="water-us-m3",
            factors={"wue": litres},
            drivers=(f"sites/{site.slug}/water_l_per_kwh", f"sites/{site.slug}/water_price_per_m3"),
            place=site.slug,
        )


def support(costs: PlanCosts) -> None:
    """The yearly contract of machines out of warranty or, where there is none, their repairs; and the fabric's."""
    rules = costs.scenario.reliability
    for bought, holding in zip(costs.bought, costs.fleet.holdings, strict=True):
        build = bought.machine.build
        contracts(costs, bought, holding)
        if _replaced(costs, build.slug):
            continue
        if not build.support_share_per_year or (rules.counted and rules.after_warranty == "own_repair"):
            if rules.counted:
                own_repairs(costs, bought, holding)
            continue
        value = value_after(bought, holding, warranty_months(bought.machine, rules))
        costs.ledger.add(
            "opex.support",
            "machines",
            value,
            "money",
            build.support_share_per_year / 12.0,
            build.source,
            "support",
            item=build.slug,
            factors={
                "share_per_year": build.support_share_per_year,
                "warranty_months": float(warranty_months(bought.machine, rules)),
            },
            drivers=("reliability/warranty_years",),
        )
    if costs.network is not None:
        share, source = costs.books.percent("net-maintenance")
        value = np.zeros(costs.ledger.shape)
        arrive(value, np.cumsum(costs.fabric_paid, axis=1), SWITCH_WARRANTY_MONTHS)
        costs.ledger.add(
            "opex.support",
            "fabric",
            value,
            "money",
            share / 12.0,
            source,
            "support",
            item="net-maintenance",
            factors={"share_per_year": share, "warranty_months": float(SWITCH_WARRANTY_MONTHS)},
        )


def own_repairs(costs: PlanCosts, bought: Purchases, holding: Holding) -> None:
    """Parts and labour of machines out of warranty that no contract covers: failures of the month × what each takes."""
    rules, build, addon = costs.scenario.reliability, bought.machine.build, bought.machine.addon
    months = warranty_months(bought.machine, rules)
    hosts = older(holding.arrived_hosts, holding.arrived_hosts, holding.retired_hosts, holding, months)
    cards = older(holding.arrived_cards, holding.arrived_cards, holding.retired_cards, holding, months)
    years = costs.books.calendar.hours / (HOURS_PER_DAY * DAYS_PER_YEAR)
    failed_gpus = cards * rules.gpu_failures_per_year * years
    failed_servers = hosts * rules.server_failures_per_year * years
    source = costs.books.price(build.slug, build.price)[1]
    gpu_item, gpu_source = build.slug, source
    none = np.zeros(holding.shape)
    prices = prices_at(bought.machine, costs.books, none, none, none)  # parts come one by one: no volume break
    if addon is None:
        path = costs.books.paths_of(build.slug)["accelerator"]
        gpu_price = prices.today["server"] * build.accelerator_share / build.accelerator_count * path
        rest_price = prices.build - gpu_price * build.accelerator_count
    else:
        gpu_price, rest_price = prices.card, prices.host
        gpu_item, gpu_source = addon.slug, costs.books.price(addon.slug, addon.price)[1]
    factors = {"warranty_months": float(months)}
    costs.ledger.add(
        "opex.support",
        "repair_gpus",
        failed_gpus,
        "GPU",
        gpu_price,
        gpu_source,
        "repair_gpus",
        item=gpu_item,
        factors={**factors, "failures_per_year": rules.gpu_failures_per_year},
        drivers=("reliability/gpu_failures_per_year", "reliability/warranty_years", "reliability/after_warranty"),
    )
    costs.ledger.add(
        "opex.support",
        "repair_servers",
        failed_servers,
        "repair",
        rest_price * rules.server_parts_share,
        source,
        "repair_servers",
        item=build.slug,
        factors={
            **factors,
            "failures_per_year": rules.server_failures_per_year,
            "server_parts_share": rules.server_parts_share,
        },
        drivers=("reliability/server_failures_per_year", "reliability/server_parts_share"),
    )
    if rules.repair_rate_per_hour is not None:
        rate, source = rules.repair_rate_per_hour, Source(basis="own", item="remote-hands-hour")
    else:
        rate, source = costs.books.cost("remote-hands-hour")
    costs.ledger.add(
        "opex.support",
        "repair_labour",
        (failed_gpus + failed_servers) * rules.repair_hours,
        "hour",
        rate * costs.books.paths["wages"],
        source,
        "repair_labour",
        item="remote-hands-hour",
        factors={"price_today": rate},
        drivers=("reliability/repair_hours", "reliability/repair_rate_per_hour"),
        part=build.slug,
    )


def contracts(costs: PlanCosts, bought: Purchases, holding: Holding) -> None:
    """Each support contract of a machine, owed from its renewal month for its term; several add up."""
    slug, months = bought.machine.build.slug, costs.ledger.shape[1]
    for terms in costs.scenario.operations.contracts:
        if terms.build not in (None, slug):
            continue
        last = months if terms.term_months is None else terms.renewal_month + terms.term_months
        by_fee = terms.fee_per_server_year is not None
        if terms.counted_from == "service":
            owed = _between(bought, holding, terms.renewal_month, last, servers=by_fee)
        else:
            owed = _between(bought, holding, 0, months, servers=by_fee)
            owed = np.where((np.arange(months) >= terms.renewal_month) & (np.arange(months) < last), owed, 0.0)
        path = f"operations/contracts/{terms.slug}/"
        yearly = terms.fee_per_server_year if terms.fee_per_server_year is not None else terms.share_per_year
        costs.ledger.add(
            "opex.support",
            "contract",
            owed,
            "server" if by_fee else "money",
            yearly / 12.0,
            Source(basis="own", item=terms.slug),
            "contract_fee" if by_fee else "contract_share",
            item=slug,
            factors={
                "fee_per_year" if by_fee else "share_per_year": yearly,
                "renewal_month": float(terms.renewal_month),
                **({"term_months": float(terms.term_months)} if terms.term_months is not None else {}),
            },
            drivers=(
                path + ("fee_per_server_year" if by_fee else "share_per_year"),
                path + "renewal_month",
                path + "term_months",
            ),
            part=terms.name or terms.slug,
        )


def _between(bought: Purchases, holding: Holding, first: int, last: int, *, servers: bool) -> Array:
    """Price paid for machines in service that are `first` to `last` months old, or their number, (S, M)."""
    if servers:  # a chassis leaves with its cards: counted by what arrived
        none = np.zeros(holding.shape)
        counted = replace(bought, arrived_host_value=holding.arrived_hosts, arrived_card_value=none)
        return value_after(counted, holding, first) - value_after(counted, holding, last)
    return value_after(bought, holding, first) - value_after(bought, holding, last)


def _replaced(costs: PlanCosts, slug: str) -> bool:
    """Whether a contract stands in place of the support that the catalog adds."""
    return any(each.replaces_catalog and each.build in (None, slug) for each in costs.scenario.operations.contracts)


def staff(costs: PlanCosts) -> None:
    ops = costs.scenario.operations
    row = LOADED_COST[ops.region]
    if ops.loaded_cost_per_fte_year is not None:
        loaded, source = ops.loaded_cost_per_fte_year, Source(basis="own", item=row)
    else:
        loaded, source = costs.books.cost(row)
    monthly = loaded / 12.0 * costs.books.paths["wages"]
    drivers: tuple[str, ...] = ("operations/loaded_cost_per_fte_year", "operations/servers_per_fte")
    fte = costs.fte_owned
    cloud_only = costs.fte_cloud
    costs.ledger.add(
        "opex.staff",
        "servers",
        fte,
        "FTE",
        monthly,
        source,
        "staff",
        item=row,
        factors={"loaded_per_year": loaded},
        drivers=drivers,
    )
    costs.ledger.add(
        "opex.staff",
        "cloud",
        cloud_only,
        "FTE",
        monthly,
        source,
        "staff",
        item=row,
        factors={"loaded_per_year": loaded},
        drivers=drivers,
    )
    costs.ledger.add(
        "opex.staff",
        "fabric_skills",
        costs.fte_fabric,
        "FTE",
        monthly,
        source,
        "staff_fabric",
        item=row,
        factors={"loaded_per_year": loaded},
        drivers=(*drivers, "operations/fabric_fte_per_64_servers"),
    )


def transit(costs: PlanCosts) -> None:
    for site in costs.scenario.sites:
        here = np.array([where.slug == site.slug for where in costs.housing.site_of])
        present = np.where(here & (costs.hosts > 0), 1.0, 0.0)
        if not present.any():
            continue
        if site.kind == "colocation":
            terms = site.colocation or Colocation()
            if terms.cross_connect_price is not None:
                connect, source = terms.cross_connect_price, Source(basis="own", item="cross-connect")
            else:
                connect, source = costs.books.cost("cross-connect")
            per_mbps, transit_source = costs.books.cost("ip-transit-mbps")
            costs.ledger.add(
                "opex.network_transit",
                "cross_connect",
                present * terms.cross_connects,
                "month",
                connect,
                source,
                "transit",
                item="cross-connect",
                drivers=(f"sites/{site.slug}/colocation/cross_connects",),
                place=site.slug,
            )
            costs.ledger.add(
                "opex.network_transit",
                "commit_1g",
                present * 1000.0,
                "Mbit/s",
                per_mbps,
                transit_source,
                "transit",
                item="ip-transit-mbps",
                place=site.slug,
            )
        else:
            line, source = costs.books.cost("office-fibre-1g")
            costs.ledger.add(
                "opex.network_transit",
                "fibre_1g",
                present,
                "month",
                line,
                source,
                "transit",
                item="office-fibre-1g",
                place=site.slug,
            )


def load_balancer(costs: PlanCosts) -> None:
    """The load balancer of a service as a service itself, while servers are there."""
    there = behind_one_service(costs) & (costs.hosts > 0)
    if costs.scenario.operations.load_balancer != "rented" or not there.any():
        return
    price, source = costs.books.cost(LOAD_BALANCER_SERVICE)
    costs.ledger.add(
        "opex.network_transit",
        "load_balancer_service",
        np.where(there, 1.0, 0.0),
        "month",
        price,
        source,
        "transit",
        item=LOAD_BALANCER_SERVICE,
        drivers=("operations/load_balancer",),
    )


def insurance(costs: PlanCosts) -> None:
    share_of_value(costs, "opex.insurance", "insurance-property")


def property_tax(costs: PlanCosts) -> None:
    share_of_value(costs, "opex.property_tax", "property-tax-default")


def share_of_value(costs: PlanCosts, category: str, slug: str) -> None:
    """A yearly share of the price paid for what is in service."""
    value = np.zeros(costs.ledger.shape)
    for bought, holding in zip(costs.bought, costs.fleet.holdings, strict=True):
        value = value + value_after(bought, holding, 0)
    share, source = costs.books.percent(slug)
    costs.ledger.add(
        category,
        "machines",
        value,
        "money",
        share / 12.0,
        source,
        "share_per_year",
        item=slug,
        factors={"share_per_year": share},
    )
