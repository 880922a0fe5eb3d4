"""Space and floor. Facility reference, section 4."""

from __future__ import annotations

import numpy.typing as npt

from planner.engine.bounds import Values, above, unboxed, within

# Aisles of a hall: cold and hot, each shared by two rows. [m] Facility reference 4.
COLD_AISLE_M, HOT_AISLE_M = 1.2, 1.0
# Floor area that plant takes beside the racks, least and most. [1] Assumption of facility reference 4.
PLANT_SHARE = (0.3, 0.6)
# One kilonewton per square metre. [kg/m²] One pound per square foot. [kg/m²]
KG_M2_PER_KN_M2, KG_M2_PER_LB_FT2 = 102.0, 4.8824


def rack_area_m2(
    width_m: npt.ArrayLike,
    depth_m: npt.ArrayLike,
    cold_aisle_m: npt.ArrayLike = COLD_AISLE_M,
    hot_aisle_m: npt.ArrayLike = HOT_AISLE_M,
) -> Values:
    """Return the floor one rack takes with its share of the aisles, w·(depth + cold/2 + hot/2). [m²]

    All in metres, any shapes. Plant comes on top, see `PLANT_SHARE`. Source: facility reference 4 (0.6 × 1.2 m: 1.38).
    """
    aisles = within("cold_aisle_m", cold_aisle_m, 0.0, unit="m") + within("hot_aisle_m", hot_aisle_m, 0.0, unit="m")
    depth = within("depth_m", depth_m, 0.0, unit="m")
    return unboxed(within("width_m", width_m, 0.0, unit="m") * (depth + aisles / 2.0))


# Ordinary building floor. [lb/ft²] Facility reference 4 (IBM).
FLOOR_LIMIT_LB_FT2 = 70.0


def floor_load_lb_ft2(machine_lb: npt.ArrayLike, machine_ft2: npt.ArrayLike, service_ft2: npt.ArrayLike) -> Values:
    """Return the load of a rack on its floor, (M + 15·0.5·service + 10·A)/A, A = machine + 0.5·service. [lb/ft²]

    machine_lb [lb]; machine_ft2, service_ft2 [ft²]; any shapes. Half the service area is shared with neighbours.
    Source: facility reference 4 (IBM), with its allowances of 15 and 10 lb/ft².
    """
    shared = 0.5 * within("service_ft2", service_ft2, 0.0, unit="ft²")
    area = above("machine_ft2", machine_ft2, unit="ft²") + shared
    return unboxed((within("machine_lb", machine_lb, 0.0, unit="lb") + 15.0 * shared + 10.0 * area) / area)


def point_load(weight: npt.ArrayLike, feet: npt.ArrayLike = 4) -> Values:
    """Return the load on each foot of a rack, in the unit of `weight`. Any shapes. Facility reference 4."""
    return unboxed(within("weight", weight, 0.0) / above("feet", feet))


# A rack as NVIDIA and APC make it: 600 × 1200 mm, 134 kg empty, on four feet. [m], [kg] APC AR3300.
RACK_M, EMPTY_RACK_KG = (0.6, 1.2), 134.0
KG_PER_LB, M2_PER_FT2 = 0.45359237, 0.09290304


def rack_floor_kg_m2(machines_kg: float) -> float:
    """Return the load of a rack on its floor, its own mass and half of the aisles before and behind it counted.

    machines_kg : what stands in the rack. [kg] Returns [kg/m²]. Source: facility reference 4 (IBM).
    """
    width, depth = RACK_M
    aisles = width * (COLD_AISLE_M + HOT_AISLE_M)
    pounds = (machines_kg + EMPTY_RACK_KG) / KG_PER_LB
    load = floor_load_lb_ft2(pounds, width * depth / M2_PER_FT2, aisles / M2_PER_FT2)
    return float(load) * KG_M2_PER_LB_FT2


def rack_on_floor_kg(floor_kg_m2: float) -> float:
    """Return what may stand in a rack on a floor that bears so much; the inverse of `rack_floor_kg_m2`. [kg]"""
    empty = rack_floor_kg_m2(0.0)
    return max(0.0, (floor_kg_m2 - empty) / (rack_floor_kg_m2(1.0) - empty))


def rack_foot_kg(machines_kg: float) -> float:
    """Return the load on each of a rack's four feet. [kg]"""
    return float(point_load(machines_kg + EMPTY_RACK_KG))
