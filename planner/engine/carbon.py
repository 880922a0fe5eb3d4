"""Greenhouse gas of what a plan owns: energy drawn × the grid's factor, and the making of the machines.

What nobody states is not known, never 0: it is named, and the total is then the least it can be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.engine.calendar import Array
from planner.engine.demand import Machine
from planner.engine.fleet import Holding
from planner.engine.growth import price_path
from planner.engine.inputs import Scenario, Site
from planner.engine.prices import PriceBook, Source
from planner.engine.rounding import SLACK

if TYPE_CHECKING:
    from planner.engine.result import PlanResult


@dataclass(frozen=True)
class Making:
    """The making of the machines of one kind, by month of purchase. Arrays (M,).

    hosts, cards : servers and GPUs bought.
    host_kg, gpu_kg : of a server without its GPUs, and of one GPU; None where only the whole is known, or nothing.
    kg : of the purchases; None where it is not known. [kg CO2e]
    """

    machine: Machine
    hosts: Array
    cards: Array
    host_kg: float | None
    gpu_kg: float | None
    kg: Array | None


@dataclass(frozen=True)
class Carbon:
    """Greenhouse gas of a plan's own machines over the horizon. Arrays (M,).

    energy_kwh : of the facility, machines with their GPUs, switches, cooling and losses. [kWh]
    grid : the grid's factor; NaN where nobody states it. [kg CO2e/kWh]
    unknown : what has no figure: "grid", "rented", "switches", or slugs of builds.
    """

    energy_kwh: Array
    grid: Array
    makings: tuple[Making, ...]
    unknown: tuple[str, ...]

    @property
    def use_kg(self) -> float | None:
        """Of the energy in months whose grid is known; None where no energy that is used has a figure."""
        drawn = self.energy_kwh > 0
        known = drawn & np.isfinite(self.grid)
        if known.any():
            return float((self.energy_kwh * self.grid)[known].sum())
        return None if drawn.any() or "rented" in self.unknown else 0.0

    @property
    def embodied_kg(self) -> float | None:
        """Of the making of what is bought; None where nothing that is used has a figure."""
        known = [float(making.kg.sum()) for making in self.makings if making.kg is not None]
        return sum(known) if known or not (self.makings or self.unknown) else None

    @property
    def total_kg(self) -> float | None:
        """Both together; None where either is not known at all."""
        return None if self.use_kg is None or self.embodied_kg is None else self.use_kg + self.embodied_kg

    def as_dict(self) -> dict[str, Any]:
        """Plain data: kilograms, None where not known, and what is not counted."""
        return {
            "use_kgco2e": self.use_kg,
            "embodied_kgco2e": self.embodied_kg,
            "not_known": list(self.unknown),
        }


def carbon_of(plan: PlanResult, scenario: Scenario, book: PriceBook) -> Carbon:
    """Carbon of a plan: kWh × grid factor of the month, and the making of machines in the month of their order.

    The energy is the facility's, whoever pays for it; nobody states the carbon of switches and of rented GPUs.
    """
    sites, energy_kwh = plan.housing.site_of, plan.facility_kw * plan.calendar.hours
    today = {site.slug: grid_factor(site, book)[0] for site in scenario.sites}
    factors = np.array([np.nan if today[site.slug] is None else today[site.slug] for site in sites], dtype=float)
    grid = factors * price_path(scenario.market.grid_carbon, scenario.months)
    makings = tuple(made(holding) for holding in plan.fleet.holdings if holding.ordered_hosts.any())
    unknown = [making.machine.slug for making in makings if making.kg is None]
    if np.isnan(grid[energy_kwh > 0]).any():
        unknown.insert(0, "grid")
    if plan.network is not None and plan.network.switches.any():
        unknown.append("switches")
    if any(gpus.any() for gpus in plan.allocation.rented.values()):
        unknown.append("rented")
    return Carbon(energy_kwh, grid, makings, tuple(unknown))


def grid_factor(site: Site, book: PriceBook) -> tuple[float | None, Source]:
    """The grid's factor where a site is, as of its tariff's year: one's own figure, else the region's. [kg CO2e/kWh]

    All customers of a region draw from one grid: where the row of the site's class has none, another's holds.
    """
    if site.grid_kgco2e_per_kwh is not None:
        return site.grid_kgco2e_per_kwh, Source(basis="own", item=site.region)
    here = [row for row in book.tariffs.values() if row.region == site.region and row.grid_kgco2e_per_kwh is not None]
    here.sort(key=lambda row: (row.customer_class != site.customer_class, row.customer_class))
    return (here[0].grid_kgco2e_per_kwh, here[0].grid_source) if here else (None, Source())


def made(holding: Holding) -> Making:
    """The making of a holding's purchases: servers without GPUs, and GPUs, each by the number bought."""
    build, base = holding.machine.build, holding.machine.base_cards
    hosts, cards = holding.ordered_hosts[0], holding.ordered_cards[0]
    whole, gpu = build.embodied_kgco2e, build.embodied_gpu_kgco2e
    if whole is None:
        return Making(holding.machine, hosts, cards, None, None, None)
    if gpu is not None:
        host = max(0.0, whole - base * gpu)
        return Making(holding.machine, hosts, cards, host, gpu, hosts * host + cards * gpu)
    complete = np.abs(cards - hosts * base).max(initial=0.0) < SLACK
    return Making(holding.machine, hosts, cards, None, None, hosts * whole if complete else None)
