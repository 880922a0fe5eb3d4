"""Running costs. One function a group of lines, in the order of model.md section 5."""

from __future__ import annotations

import numpy as np

from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.books import (
    LOAD_BALANCER_SERVICE,
    LOADED_COST,
    RETAIL_COLOCATION,
    RETAIL_UNDER_KW,
    SWITCH_WARRANTY_MONTHS,
)
from planner.engine.costs.capex import behind_one_service
from planner.engine.costs.purchases import arrive, value_after
from planner.engine.housing import pue_of
from planner.engine.inputs import Site
from planner.engine.prices import NoQuote, Source


def tariff_of(costs: PlanCosts, site: Site) -> tuple[float, Source]:
    if site.electricity_price_per_kwh is not None:
        return site.electricity_price_per_kwh, Source(basis="own", item=site.region)
    tariff = costs.books.book.tariffs.get(f"{site.region}/{site.customer_class}")
    if tariff is None or tariff.price is None:
        raise NoQuote(f"{site.region}/{site.customer_class}")
    return tariff.price.value(costs.books.book.currency), tariff.price.source


def energy(costs: PlanCosts) -> None:
    """IT line = kWh × tariff; overhead line = IT line × (PUE − 1). Site by site; the fabric's share stands apart."""
    kwh = costs.metered_kw * costs.books.calendar.hours
    switches = np.zeros(costs.ledger.shape)
    if costs.network is not None:
        switches = np.minimum(costs.network.kw_typical * costs.books.calendar.hours, kwh)
    for site in costs.scenario.sites:
        here = costs.by_site({other.slug: float(other.slug == site.slug) for other in costs.scenario.sites})
        if not (kwh * here).any():
            continue  # power included in the rent passes no meter and needs no tariff
        today, source = tariff_of(costs, site)
        tariff = today * costs.books.paths["electricity"]
        pue = pue_of(site)
        drivers = (f"sites/{site.slug}/electricity_price_per_kwh", "market/electricity/rate_per_year")
        factors = {"tariff_today": today, "pue": pue}
        for code, amount in (("machines", (kwh - switches) * here), ("fabric", switches * here)):
            costs.ledger.add(
                "opex.energy_it",
                code,
                amount,
                "kWh",
                tariff,
                source,
                "energy_it",
                item=source.item,
                factors=factors,
                drivers=drivers,
                place=site.slug,
            )
            costs.ledger.add(
                "opex.energy_overhead",
                code,
                amount * (pue - 1.0),
                "kWh",
                tariff,
                source,
                "energy_overhead",
                item=source.item,
                factors=factors,
                drivers=(f"sites/{site.slug}/pue", *drivers),
                place=site.slug,
            )


def demand_charge(costs: PlanCosts) -> None:
    rate, source = costs.books.cost("demand-charge")
    costs.ledger.add(
        "opex.demand_charge",
        "peak",
        np.where(costs.metered_kw > 0, costs.housing.draw_max, 0.0) * costs.pue,
        "kW",
        rate * costs.books.paths["electricity"],
        source,
        "demand_charge",
        item="demand-charge",
        factors={"price_today": rate},
    )


def water(costs: PlanCosts) -> None:
    litres = costs.books.book.cost("water-use-wue").likely
    rate, source = costs.books.cost("water-us-m3")
    costs.ledger.add(
        "opex.water",
        "cooling",
        costs.housing.draw * costs.books.calendar.hours * litres / 1000.0,
        "m3",
        rate,
        source,
        "water",
        item="water-us-m3",
        factors={"wue": litres},
    )


def colocation(costs: PlanCosts) -> None:
    for site in costs.scenario.sites:
        terms = site.colocation
        if terms is None:
            continue
        here = np.array([where.slug == site.slug for where in costs.housing.site_of])
        kw = np.where(here, costs.housing.contracted_kw, 0.0)
        machines_kw = np.where(here, costs.housing.contracted_without_fabric_kw, 0.0)
        if not kw.any():
            continue
        if terms.price_per_kw_month is not None:
            price, source = terms.price_per_kw_month, Source(basis="own", item=terms.market or "")
        else:
            row = costs.books.book.colocation.get(terms.market or "")
            if row is None:
                raise NoQuote(terms.market or site.slug)
            retail = costs.books.book.colocation.get(RETAIL_COLOCATION)
            if "retail" not in row.size_band and retail is not None and float(kw.max()) < RETAIL_UNDER_KW:
                row = retail  # a wholesale rate is not offered to a small tenant (defaults.csv, opex.colocation)
            if row.price is None:
                raise NoQuote(row.market)
            price, source = row.price.value(costs.books.book.currency), row.price.source
        for code, part in (("contracted_power", machines_kw), ("fabric_power", kw - machines_kw)):
            costs.ledger.add(
                "opex.colocation",
                code,
                part,
                "kW",
                price * costs.books.paths["colocation"],
                source,
                "colocation",
                item=source.item,
                factors={"usable_share": terms.usable_share, "price_today": price},
                drivers=(
                    f"sites/{site.slug}/colocation/price_per_kw_month",
                    f"sites/{site.slug}/colocation/usable_share",
                ),
                place=site.slug,
            )


def support(costs: PlanCosts) -> None:
    for bought, holding in zip(costs.bought, costs.fleet.holdings, strict=True):
        build = bought.machine.build
        if not build.support_share_per_year:
            continue
        value = value_after(bought, holding, build.warranty_months)
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
                "warranty_months": float(build.warranty_months),
            },
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
            connect, source = costs.books.cost("cross-connect")
            per_mbps, transit_source = costs.books.cost("ip-transit-mbps")
            costs.ledger.add(
                "opex.network_transit",
                "cross_connect",
                present,
                "month",
                connect,
                source,
                "transit",
                item="cross-connect",
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
