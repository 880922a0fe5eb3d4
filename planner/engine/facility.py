"""Circuits, redundancy, heat, airflow, PUE, floor load, racks, throttling.

Formulas and defaults: the facility reference, sections 2 to 4; published cases in tests/reference/facility_cases.json.
Functions take numbers or broadcasting arrays such as (S, M), unless they say so, and return a number for numbers.
Impossible input raises InputError (a ValueError) naming field, value, bound and unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, unboxed, whole, within
from planner.engine.rounding import SLACK

# --- circuits (2.2) ------------------------------------------------------------------------------------------------

# Power factor of server supplies. [1] Facility reference 2.2, reproduces NVIDIA's B200 slide.
POWER_FACTOR = 0.95


def circuit_kva(
    volts: npt.ArrayLike,
    amps: npt.ArrayLike,
    phases: int = 1,
    derating: npt.ArrayLike = 1.0,
    *,
    line_to_neutral: bool = False,
) -> Values:
    """Return the apparent power a circuit may carry continuously, k·V·A·derating/1000. [kVA]

    volts, amps : any shapes. [V], [A]
    derating : 0.80 for continuous loads on North American breakers (NEC), 1 for IEC cords, and a further 0.87 in a hot
        aisle above about 40 °C; any shape. [1]
    phases : 1 (k = 1) or 3 (k = √3).
    line_to_neutral : three phases whose `volts` is line to neutral (230 V rather than 400 V): k = 3.
    Source: facility reference 2.2.
    """
    if phases not in (1, 3):
        raise not_a_choice("phases", phases, ("1", "3"))
    k = 1.0 if phases == 1 else 3.0 if line_to_neutral else math.sqrt(3.0)
    power = within("volts", volts, 0.0, unit="V") * within("amps", amps, 0.0, unit="A")
    return unboxed(k * power * within("derating", derating, 0.0, 1.0) / 1000.0)


def circuit_kw(
    volts: npt.ArrayLike,
    amps: npt.ArrayLike,
    phases: int = 1,
    derating: npt.ArrayLike = 1.0,
    power_factor: npt.ArrayLike = POWER_FACTOR,
    *,
    line_to_neutral: bool = False,
) -> Values:
    """Return the real power a circuit may carry, kVA × power factor. [kW]

    Arguments as in `circuit_kva`; power_factor : any shape. [1]
    Source: facility reference 2.2.
    """
    kva = circuit_kva(volts, amps, phases, derating, line_to_neutral=line_to_neutral)
    return unboxed(kva * within("power_factor", power_factor, 0.0, 1.0))


def path_limit(*ratings: npt.ArrayLike | None) -> Values:
    """Return the weakest rating along a path such as feed → UPS → PDU; None is no limit, no limit at all is infinite.

    ratings : any shapes, one unit throughout. Source: facility reference 2.5.
    """
    weakest = np.asarray(np.inf)
    for rating in ratings:
        if rating is not None:
            weakest = np.minimum(weakest, within("rating", rating, 0.0))
    return unboxed(weakest)


REDUNDANCY = ("N", "N+1", "2N")


def redundant_kw(feed_kw: npt.ArrayLike, feeds: npt.ArrayLike, scheme: str = "N") -> Values:
    """Return what equal feeds may carry so that a rack survives what the scheme promises. [kW]

    feed_kw : one feed, any shape. [kW]
    feeds   : how many reach the rack. [1]
    scheme  : "N" all together; "N+1" any one may fail, (m − 1)·P; "2N" either side alone carries it, floor(m/2)·P.
    A load on A and B feeds counts once. Source: facility reference 2.3.
    """
    count = whole("feeds", feeds)
    power = within("feed_kw", feed_kw, 0.0, unit="kW")
    if scheme == "N":
        carrying = count
    elif scheme == "N+1":
        carrying = np.maximum(count - 1, 0)
    elif scheme == "2N":
        carrying = count // 2
    else:
        raise not_a_choice("scheme", scheme, REDUNDANCY)
    return unboxed(carrying * power)


def psus_left(psus: npt.ArrayLike, feeds: npt.ArrayLike) -> Values:
    """Return the supplies of a node still fed when one of `feeds` PDUs dies, n − ceil(n/m). [1]

    psus, feeds : whole, any shapes. [1] Source: facility reference 2.3.
    """
    count = whole("psus", psus)
    return unboxed(count - -(-count // whole("feeds", feeds, 1)))


def psu_ok(psus: npt.ArrayLike, feeds: npt.ArrayLike, needed: npt.ArrayLike) -> Values:
    """Return whether a node keeps full power when one feed or PDU dies. Facility reference 2.3.

    psus, needed : supplies of the node, and how many carry its full draw.
    feeds : PDUs its cords are spread over.
    H100 (6, 4 needed) on 3 PDUs passes; B200 (6, 5 needed) on 3 does not: check cords, not only kW.
    """
    return unboxed(np.asarray(psus_left(psus, feeds)) >= whole("needed", needed))


def psu_input_kw(output_kw: npt.ArrayLike, efficiency: npt.ArrayLike) -> Values:
    """Return the AC input of a supply; input − output is heat. [kW]

    output_kw [kW], efficiency [1] : any shapes. Published system maxima are AC already: do not divide those again.
    Source: facility reference 2.3.
    """
    return unboxed(within("output_kw", output_kw, 0.0, unit="kW") / above("efficiency", efficiency, 1.0))


# Typical draw over maximum where a build names none: 8 × H100, heavy training. [1] Facility 2.4 (arXiv 2506.14551).
TYPICAL_SHARE = 0.76


def measured_draw_kw(idle_kw: npt.ArrayLike, typical_kw: npt.ArrayLike, busy_share: npt.ArrayLike) -> Values:
    """Return the mean draw for energy, idle + busy share × (typical − idle). [kW]

    idle_kw, typical_kw : draw when idle and when busy, any shapes. [kW]
    busy_share : of the time, any shape. [1]
    Circuits and racks are sized on maximum draw instead. Source: facility reference 2.4; model page 4.
    """
    idle = within("idle_kw", idle_kw, 0.0, unit="kW")
    span = within("typical_kw", typical_kw, 0.0, unit="kW") - idle
    return unboxed(idle + within("busy_share", busy_share, 0.0, 1.0) * span)


# --- heat, air, liquid, PUE (3) ------------------------------------------------------------------------------------

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


def airflow_rise_c(kw: npt.ArrayLike, cfm: npt.ArrayLike) -> Values:
    """Return by how much air of `cfm` warms at sea level. [°C] kw [kW]; cfm [ft³/min]; any shapes. Facility 3."""
    heat = within("kw", kw, 0.0, unit="kW") * 1000.0
    return unboxed(CFM_F_PER_W * heat / above("cfm", cfm, unit="CFM") / F_PER_C)


def water_l_per_min(kw: npt.ArrayLike, delta_t_c: npt.ArrayLike, *, glycol: bool = False) -> Values:
    """Return the water that carries heat off, 14.3·kW/ΔT; 8 % more with 25 % propylene glycol. [L/min] Facility 3."""
    flow = WATER_L_MIN_C_PER_KW * within("kw", kw, 0.0, unit="kW") / above("delta_t_c", delta_t_c, unit="°C")
    return unboxed(flow * (GLYCOL_FACTOR if glycol else 1.0))


def pue(
    ups_efficiency: npt.ArrayLike,
    distribution_efficiency: npt.ArrayLike,
    cop: npt.ArrayLike,
    fan_pump_share: npt.ArrayLike = 0.0,
    misc_share: npt.ArrayLike = 0.0,
) -> Values:
    """Return PUE = 1 + e + (1 + e)/COP + f + m, e = 1/(η_ups·η_dist) − 1. [1]

    Efficiencies and COP [1]; fans and pumps, lights and the rest as shares of IT power. [1] Any shapes.
    Source: facility reference 3.2.
    """
    loss = 1.0 / (
        above("ups_efficiency", ups_efficiency, 1.0) * above("distribution_efficiency", distribution_efficiency, 1.0)
    )
    rest = within("fan_pump_share", fan_pump_share, 0.0) + within("misc_share", misc_share, 0.0)
    return unboxed(loss + loss / above("cop", cop) + rest)


def yearly_cop(economiser_share: npt.ArrayLike, cop_free: npt.ArrayLike, cop_mechanical: npt.ArrayLike) -> Values:
    """Return the COP over a year with a share of economiser hours, harmonic mean. [1] Any shapes. Facility 3.2."""
    free = within("economiser_share", economiser_share, 0.0, 1.0)
    return unboxed(1.0 / (free / above("cop_free", cop_free) + (1.0 - free) / above("cop_mechanical", cop_mechanical)))


# --- floor (4) -----------------------------------------------------------------------------------------------------

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


# --- racks (2.5) ---------------------------------------------------------------------------------------------------

LIMITS = ("units", "kw", "kg", "cords")
#: (rack units, maximum kW, kg, cords) of one machine, or of one rack, where None is no limit.
Sizes = tuple[float | None, float | None, float | None, float | None]


@dataclass(frozen=True)
class RackGroup:
    """Racks filled alike: how many, and what stands in each."""

    racks: int
    items: tuple[tuple[int, int], ...]  # (place in the list of nodes, machines of that kind in each rack)
    units: float  # used in each rack [U]
    kw: float
    kg: float
    cords: float


@dataclass(frozen=True)
class Packing:
    """Racks for a fleet. Where a machine fits no rack, `fits` is False, `limit_by` its limit, the rest is packed."""

    racks: int
    limit_by: str | None  # "units" | "kw" | "kg" | "cords": the limit that decides; None where nothing limits
    fits: bool
    layout: tuple[RackGroup, ...]


def pack(nodes: Sequence[Sequence[float]], rack: Sequence[float | None]) -> Packing:
    """Return racks for a fleet, first-fit decreasing by maximum kW.

    nodes : a row (count, units, max_kw, kg, cords) for each kind of machine. [1], [U], [kW], [kg], [1]
    rack  : (units, kw, kg, cords) one rack may hold: units and kg after what is reserved, kW the smallest of feed after
        redundancy, cooling and contract; None or infinite is no limit. Scalars.
    limit_by is the limit which, alone, needs the most racks, on a tie the one used most. The work grows with the kinds,
    not with the machines: thousands of equal ones cost nothing. Source: facility reference 2.5; model page 4.
    """
    for row in nodes:
        within("nodes", row, 0.0)
        whole("nodes", row[0])
    kinds = tuple((int(row[0]), *(float(size) for size in row[1:])) for row in nodes)
    room = tuple(
        None if size is None or size == math.inf else float(within(name, size, 0.0))
        for name, size in zip(LIMITS, rack, strict=True)
    )
    return _pack(kinds, room)


@lru_cache(maxsize=4096)
def _pack(kinds: tuple[tuple[int, float, float, float, float], ...], rack: Sizes) -> Packing:
    groups, left_over = _first_fit(kinds, rack)
    racks = sum(number for number, _, _ in groups)
    layout = tuple(RackGroup(number, tuple(sorted(items.items())), *_used(kinds, items)) for number, items, _ in groups)
    return Packing(racks, left_over or _deciding(kinds, rack), left_over is None, layout)


def _per_rack(sizes: Sequence[float], room: Sequence[float | None]) -> tuple[int, str | None]:
    """How many machines of one kind go into what is left of a rack, and the limit that stops one more."""
    most, stop = 2**62, None
    for name, size, free in zip(LIMITS, sizes, room, strict=True):
        if free is not None and size > 0.0:
            number = max(math.floor(free / size + SLACK), 0)
            if number < most:
                most, stop = number, name
    return most, stop


# Racks filled alike: how many, machines by kind in each, room left in each.
_Groups = list[tuple[int, dict[int, int], list[float | None]]]


def _first_fit(kinds: Sequence[tuple[int, float, float, float, float]], rack: Sizes) -> tuple[_Groups, str | None]:
    """First-fit decreasing, racks filled alike kept together; also the limit of the first kind that fits no rack."""
    groups: _Groups = []
    left_over = None
    for kind in sorted(range(len(kinds)), key=lambda at: tuple(-size for size in (kinds[at][2], *kinds[at][1:]))):
        wanted, *sizes = kinds[kind]
        filled: _Groups = []
        for number, items, room in groups:
            each = _per_rack(sizes, room)[0] if wanted else 0
            full, rest = divmod(wanted, each) if each else (0, 0)
            if full >= number:
                full, rest = number, 0
            for racks, machines in ((full, each), (1 if rest else 0, rest), (number - full - bool(rest), 0)):
                if racks:
                    filled.append(
                        (racks, items | {kind: machines} if machines else items, _less(room, sizes, machines))
                    )
            wanted -= full * each + rest
        if wanted:
            each, stop = _per_rack(sizes, rack)
            if each == 0:
                left_over = left_over or stop
            else:
                each = min(each, wanted)
                full, rest = divmod(wanted, each)
                for racks, machines in ((full, each), (1 if rest else 0, rest)):
                    if racks:
                        filled.append((racks, {kind: machines}, _less(rack, sizes, machines)))
        groups = filled
    return groups, left_over


def _less(room: Sequence[float | None], sizes: Sequence[float], machines: int) -> list[float | None]:
    return [None if free is None else free - machines * size for free, size in zip(room, sizes, strict=True)]


def _used(kinds: Sequence[tuple[int, float, float, float, float]], items: dict[int, int]) -> tuple[float, ...]:
    return tuple(sum(kinds[kind][1 + place] * number for kind, number in items.items()) for place in range(4))


def _deciding(kinds: Sequence[tuple[int, float, float, float, float]], rack: Sizes) -> str | None:
    """The limit that alone needs the most racks; on a tie the one whose share of all racks' room is used most."""
    best: tuple[int, float, str] | None = None
    for place, (name, room) in enumerate(zip(LIMITS, rack, strict=True)):
        total = sum(row[0] * row[1 + place] for row in kinds)
        if room is None or total <= 0.0:
            continue
        alone: list[float | None] = [None] * 4
        alone[place] = room
        groups, _ = _first_fit(kinds, tuple(alone))  # type: ignore[arg-type]  # four of them
        rank = (sum(number for number, _, _ in groups), total / room if room else math.inf, name)
        if best is None or rank[:2] > best[:2]:
            best = rank
    return None if best is None else best[2]


# --- cooling that falls short (model 4) ----------------------------------------------------------------------------

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
