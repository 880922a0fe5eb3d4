"""UPS, batteries, generators, availability and the power bill. Facility reference, section 5."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, unboxed, whole, within

# Hours of a year, as tiers are quoted. [h]
HOURS_PER_YEAR = 8760.0
# Availability of the Uptime tiers. [1] Facility reference 5.
TIER_AVAILABILITY = {"I": 0.99671, "II": 0.99741, "III": 0.99982, "IV": 0.99995}
# Facility power a generator may carry of its rating. [1] Assumption of facility reference 5.
GENERATOR_LOAD = 0.8
# Energy of a US gallon of diesel in a large generator at full load. [kWh/gal] Facility reference 5.
KWH_PER_GALLON = 13.0


def ups_module_kw(critical_kw: npt.ArrayLike, modules_left: npt.ArrayLike, growth: npt.ArrayLike = 0.0) -> Values:
    """Return the least rating of a UPS module, P·(1 + growth)/modules left. [kW]

    critical_kw  : any shape. [kW]
    modules_left : those that carry the load when the spare ones fail, any shape. [1]
    growth       : of the load to plan for, any shape. [1]
    Source: facility reference 5.
    """
    load = within("critical_kw", critical_kw, 0.0, unit="kW") * (1.0 + within("growth", growth, 0.0))
    return unboxed(load / whole("modules_left", modules_left, 1))


class UpsLoad(NamedTuple):
    """Share of its rating at which a UPS runs."""

    each: Values  # all modules running [1]
    on_failure: Values  # the spare ones gone [1]


def ups_load(load_kw: npt.ArrayLike, module_kw: npt.ArrayLike, modules: int = 2, spare: int = 1) -> UpsLoad:
    """Return the load of equal UPS modules, above 1 where they cannot carry it.

    load_kw, module_kw : any shapes. [kW]
    modules, spare : installed, and how many may fail; 2N is two sides of which one may fail. [1]
    Take the efficiency at this load, not the plate value. Source: facility reference 5.
    """
    installed = int(whole("modules", modules, 1))
    gone = int(whole("spare", spare, 0, installed - 1))
    share = within("load_kw", load_kw, 0.0, unit="kW") / above("module_kw", module_kw, unit="kW")
    return UpsLoad(unboxed(share / installed), unboxed(share / (installed - gone)))


def battery_kwh(
    load_kw: npt.ArrayLike, minutes: npt.ArrayLike, efficiency: npt.ArrayLike = 1.0, depth: npt.ArrayLike = 1.0
) -> Values:
    """Return the battery that bridges a load, P·min/60/(η·DoD). [kWh]

    load_kw [kW]; minutes, 5 with a generator and 15 without (assumption) [min]; efficiency of the inverter and depth
    of discharge [1]; any shapes. Source: facility reference 5.
    """
    energy = within("load_kw", load_kw, 0.0, unit="kW") * within("minutes", minutes, 0.0, unit="min") / 60.0
    return unboxed(energy / (above("efficiency", efficiency, 1.0) * above("depth", depth, 1.0)))


def generator_kw(facility_kw: npt.ArrayLike, load_share: npt.ArrayLike = GENERATOR_LOAD) -> Values:
    """Return the least continuous rating of the generators, P/0.8; one more for N+1. [kW] Facility reference 5.

    facility_kw [kW], load_share [1] : any shapes.
    """
    return unboxed(within("facility_kw", facility_kw, 0.0, unit="kW") / above("load_share", load_share, 1.0))


def generator_fuel(gallons_per_hour: npt.ArrayLike, hours: npt.ArrayLike) -> Values:
    """Return the fuel of a generator that runs at one load, rate × hours. [gal] Any shapes. Facility reference 5."""
    rate = within("gallons_per_hour", gallons_per_hour, 0.0, unit="gal/h")
    return unboxed(rate * within("hours", hours, 0.0, unit="h"))


def downtime_hours(availability: npt.ArrayLike, hours: float = HOURS_PER_YEAR) -> Values:
    """Return the hours of a year in which a system is down, (1 − A)·8,760. [h] Any shape. Facility reference 5."""
    return unboxed((1.0 - within("availability", availability, 0.0, 1.0)) * within("hours", hours, 0.0, unit="h"))


def power_bill(
    energy_kwh: npt.ArrayLike,
    price_per_kwh: npt.ArrayLike,
    peak_kw: npt.ArrayLike = 0.0,
    demand_rate: npt.ArrayLike = 0.0,
    ratchet: npt.ArrayLike = 0.0,
    yearly_peak_kw: npt.ArrayLike = 0.0,
) -> Values:
    """Return a month's bill, energy·price + demand rate·max(peak, ratchet·yearly peak). [money]

    energy_kwh [kWh], price_per_kwh [money/kWh], peak_kw, yearly_peak_kw [kW], demand_rate [money/kW], ratchet [1] :
    any shapes. Source: facility reference 5.
    """
    floor = within("ratchet", ratchet, 0.0, 1.0) * within("yearly_peak_kw", yearly_peak_kw, 0.0, unit="kW")
    billed = np.maximum(within("peak_kw", peak_kw, 0.0, unit="kW"), floor)
    energy = within("energy_kwh", energy_kwh, 0.0, unit="kWh") * within("price_per_kwh", price_per_kwh, 0.0)
    return unboxed(energy + billed * within("demand_rate", demand_rate, 0.0))
