"""Running costs. One function a group of lines, in the order of model.md section 5."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.books import (
    LOADED_COST,
    RETAIL_COLOCATION,
    RETAIL_UNDER_KW,
    SWITCH_WARRANTY_MONTHS,
)
from planner.engine.costs.purchases import Purchases, arrive, value_after
from planner.engine.fleet import Holding
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
        contracts(costs, bought, holding)
        if not build.support_share_per_year or _replaced(costs, build.slug):
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
    drivers = ("operations/loaded_cost_per_fte_year", "operations/servers_per_fte")
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
        drivers=drivers,
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
