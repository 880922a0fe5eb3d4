"""Running costs. One function a group of lines, in the order of model.md section 5."""

from __future__ import annotations

import numpy as np

from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.books import (
    LOADED_COST,
    SWITCH_WARRANTY_MONTHS,
)
from planner.engine.costs.purchases import arrive, value_after
from planner.engine.inputs import Colocation
from planner.engine.prices import Source


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
