"""Heat, air, liquid, cooling units, and what too little cooling does. Facility reference, section 3."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, unboxed, whole, within
from planner.engine.rounding import SLACK, rounded_up

# Heat of one watt. [BTU/h/W]; heat one ton of refrigeration removes. [BTU/h] Facility reference 3.
BTU_H_PER_W, BTU_H_PER_TON = 3.412, 12000.0
# Air at sea level. [ft³/min·°F/W] Facility reference 3 (from Q = 1.08·CFM·ΔT).
CFM_F_PER_W = 3.16
# Fahrenheit degrees in a Celsius degree of difference. [1]
F_PER_C = 1.8
# Water. [L/min·°C/kW] and what 25 % propylene glycol takes more (assumption). [1] Facility reference 3.
WATER_L_MIN_C_PER_KW, GLYCOL_FACTOR = 14.3, 1.08


def btu_per_hour(kw: npt.ArrayLike) -> Values:
    """Return heat in BTU/h; all electrical power becomes heat. kw : any shape. [kW] Facility reference 3."""
    return unboxed(within("kw", kw, 0.0, unit="kW") * 1000.0 * BTU_H_PER_W)


def tons(kw: npt.ArrayLike) -> Values:
    """Return tons of refrigeration, 1 ton = 12,000 BTU/h = 3.517 kW. kw : any shape. [kW] Facility reference 3."""
    return unboxed(np.asarray(btu_per_hour(kw)) / BTU_H_PER_TON)


def airflow_cfm(kw: npt.ArrayLike, delta_t_c: npt.ArrayLike, density_ratio: npt.ArrayLike = 1.0) -> Values:
    """Return the air that carries heat off at a temperature rise, 1.756·W/ΔT. [ft³/min]

    kw, delta_t_c : any shapes. [kW], [°C]
    density_ratio : density of the air over that at sea level, any shape. [1]
    Source: facility reference 3.
    """
    rise_f = above("delta_t_c", delta_t_c, unit="°C") * F_PER_C
    heat = within("kw", kw, 0.0, unit="kW") * 1000.0
    return unboxed(CFM_F_PER_W * heat / rise_f / above("density_ratio", density_ratio))


def airflow_rise_c(kw: npt.ArrayLike, cfm: npt.ArrayLike, density_ratio: npt.ArrayLike = 1.0) -> Values:
    """Return by how much air of `cfm` warms. [°C] kw [kW]; cfm [ft³/min]; density_ratio as above; any shapes.

    Source: facility reference 3.
    """
    heat = within("kw", kw, 0.0, unit="kW") * 1000.0
    return unboxed(CFM_F_PER_W * heat / above("cfm", cfm, unit="CFM") / F_PER_C / above("density_ratio", density_ratio))


# Air of the standard atmosphere: what it loses with height, [1/m], and by which power. [1] ISO 2533.
LAPSE_PER_M, DENSITY_POWER = 2.25577e-5, 4.2559


def air_density_ratio(altitude_m: npt.ArrayLike) -> Values:
    """Return the density of the air over that at sea level, (1 − 2.25577e-5·h)^4.2559. [1]

    altitude_m : up to 11 km, any shape. [m] Source: standard atmosphere, ISO 2533.
    """
    height = within("altitude_m", altitude_m, -500.0, 11_000.0, "m")
    return unboxed((1.0 - LAPSE_PER_M * height) ** DENSITY_POWER)


# Air to plan for a rack, NVIDIA's facility figure. [ft³/min/kW] Facility reference 3.
PLANNED_CFM_PER_KW = 150.0
# One cubic foot a minute. [m³/h] 2.98·W/ΔT over 1.756·W/ΔT, facility reference 3.
M3_H_PER_CFM = 1.699
# Share of the heat that direct-to-chip loops take to the liquid; the rest goes to air. [1] Assumption, facility 3.
CAPTURE_RATIO = (0.70, 0.85)


def heat_split_kw(kw: npt.ArrayLike, capture_ratio: npt.ArrayLike) -> tuple[Values, Values]:
    """Return (heat to the liquid, heat left to the air) of a liquid-cooled rack. [kW]

    kw [kW], capture_ratio [1], 0.70 to 0.85 for direct-to-chip : any shapes. Source: facility reference 3.
    """
    heat = within("kw", kw, 0.0, unit="kW")
    liquid = heat * within("capture_ratio", capture_ratio, 0.0, 1.0)
    return unboxed(liquid), unboxed(heat - liquid)


def water_l_per_min(kw: npt.ArrayLike, delta_t_c: npt.ArrayLike, *, glycol: bool = False) -> Values:
    """Return the water that carries heat off, 14.3·kW/ΔT; 8 % more with 25 % propylene glycol. [L/min] Facility 3."""
    flow = WATER_L_MIN_C_PER_KW * within("kw", kw, 0.0, unit="kW") / above("delta_t_c", delta_t_c, unit="°C")
    return unboxed(flow * (GLYCOL_FACTOR if glycol else 1.0))


# What a rack may draw by cooling method, to plan with; rear doors passive. [kW] Facility reference 3.
# An office's comfort air conditioning carries one small rack at most (3.3); liquid is direct-to-chip.
METHOD_RACK_KW = {
    "office_air": 6.0,
    "perimeter": 10.0,
    "contained": 20.0,
    "high_flow": 57.2,
    "rear_door": 35.0,
    "rear_door_active": 60.0,
    "liquid": 140.0,
    "immersion": 100.0,
}

# Inlet of machines: lowest and highest recommended, lowest and highest allowable. [°C] Facility reference 3.1 (ASHRAE).
INLET_C = {
    "A1": (18.0, 27.0, 15.0, 32.0),
    "A2": (18.0, 27.0, 10.0, 35.0),
    "A3": (18.0, 27.0, 5.0, 40.0),
    "A4": (18.0, 27.0, 5.0, 45.0),
    "H1": (18.0, 22.0, 18.0, 25.0),
}


def inlet_verdict(celsius: float, air_class: str) -> str:
    """Return "recommended", "allowable" or "outside" for an inlet temperature. [°C]

    air_class : a key of `INLET_C`. Source: facility reference 3.1 (ASHRAE TC 9.9).
    """
    if air_class not in INLET_C:
        raise not_a_choice("air_class", air_class, tuple(INLET_C))
    low, high, coldest, hottest = INLET_C[air_class]
    inlet = float(within("celsius", celsius, -273.15, unit="°C"))
    return "recommended" if low <= inlet <= high else "allowable" if coldest <= inlet <= hottest else "outside"


def cooling_units(heat_kw: npt.ArrayLike, unit_kw: npt.ArrayLike, spare: npt.ArrayLike = 1) -> Values:
    """Return the units to install, ceil(Q/q) and the spare ones: N+1 where spare = 1. [1]

    heat_kw : at the hottest design hour; unit_kw : what one unit removes in that hour; any shapes. [kW]
    No heat needs no unit. Source: facility reference 3.2.
    """
    heat = within("heat_kw", heat_kw, 0.0, unit="kW")
    running = rounded_up(heat / above("unit_kw", unit_kw, unit="kW"))
    return unboxed(np.where(running > 0, running + whole("spare", spare), 0))


# Under this share of the heat removed the machines trip; above it the rate falls with this power. [1] Model page 4.
TRIP_RATIO, THROTTLE_POWER = 0.6, 0.5


def throttle(cooling_kw: npt.ArrayLike | None, draw_kw: npt.ArrayLike) -> Values:
    """Return the share of their rate that machines keep where cooling falls short, 0 to 1. [1]

    cooling_kw : heat the room can remove, any shape; None or infinite is no limit. [kW]
    draw_kw    : the room's measured draw without throttling, any shape; 0 draws nothing and keeps 1. [kW]
    ratio = cooling/draw: ≥ 1 none; 0.6 to 1 ratio^0.5; under 0.6 the machines trip, 0. Source: model page 4.
    """
    draw = within("draw_kw", draw_kw, 0.0, unit="kW")
    cooling = np.asarray(np.inf if cooling_kw is None else cooling_kw, dtype=np.float64)
    within("cooling_kw", np.where(np.isposinf(cooling), 0.0, cooling), 0.0, unit="kW")
    cooling, draw = np.broadcast_arrays(cooling, draw)
    ratio = np.where(draw > 0.0, cooling / np.where(draw > 0.0, draw, 1.0), 1.0)
    kept = np.where(ratio >= TRIP_RATIO - SLACK, np.minimum(ratio, 1.0) ** THROTTLE_POWER, 0.0)
    return unboxed(kept)
