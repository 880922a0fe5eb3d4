"""Facility cases: circuits, racks, cooling, floor and backup, by the functions that house a plan."""

from __future__ import annotations

import math
from functools import partial

from planner.engine import fabric, facility
from planner.engine import workload as w
from planner.engine.bounds import above, within
from planner.engine.quantities import InputError, Problem
from planner.engine.rounding import SLACK
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.reading import count, given, number, one_of, optional
from planner.engine.validation.units import SECONDS, durations, unit_of

# Deeper than any town. [m]
LOWEST_M = -500.0
# Square feet in a square metre, pounds in a kilogram.
FT2_PER_M2, LB_PER_KG = 10.76391042, 2.20462262
# Names of the limits of a rack in the cases.
BINDING = {"units": "u"}


# Names under which cases give the feeds of a rack, how they are shared, and the share a power factor leaves.
FEEDS, SCHEMES, POWER_FACTORS = ("circuits", "feeds"), ("scheme", "redundancy"), ("pf", "power_factor")


def power_kw(i: Inputs) -> float | None:
    """What the case loads: in watts or kilowatts, or so many nodes; None where it names none."""
    if i.any("watts", "kw", "load_kw"):
        known = {"watts": 1e-3, "kw": 1.0, "load_kw": 1.0}
        used = one_of(i, *known)
        return float(within(used, i.number(used), 0.0, unit=unit_of(used))) * known[used]
    if "node_kw" in i and "nodes" in i:
        return count(i, "nodes") * i.number("node_kw")
    return None


def feed_kw(i: Inputs) -> float:
    """Real power of one circuit, the whole apparent power where the case names no power factor."""
    power_factor = i.number(one_of(i, *POWER_FACTORS), 1.0)
    return float(facility.circuit_kw(*_breaker(i), power_factor, line_to_neutral=i.flag("line_to_neutral", False)))


def _breaker(i: Inputs) -> tuple[float, float, int, float]:
    """(volts, amps, phases, share of the breaker that a continuous load may take)."""
    hot = facility.HOT_AISLE if i.flag("hot_aisle", False) else 1.0
    derating = i.number(one_of(i, "derate", "derating"), 1.0) * hot
    return i.number("volts"), i.number("amps"), count(i, "phases", 1), derating


def circuit(i: Inputs) -> Answer:
    """Feeds of one rating; a load is of real power, kVA where the case names no power factor."""
    feeds, load = count(i, one_of(i, *FEEDS), 1), power_kw(i)
    scheme = i.text(one_of(i, *SCHEMES), facility.REDUNDANCY, "N")
    kva = facility.circuit_kva(*_breaker(i), line_to_neutral=i.flag("line_to_neutral", False))
    kw = feed_kw(i)
    usable = facility.redundant_kw(kw, feeds, scheme)
    lost = count(i, one_of(i, "feeds_lost", "circuits_lost"), 1)

    def check() -> facility.FeedCheck:
        return facility.check_feeds(given("load_kw", load), kw, feeds)

    def fits_without(gone: int) -> bool:
        return bool(given("load_kw", load) <= facility.redundant_kw(kw, max(feeds - gone, 0)) + SLACK)

    def amps() -> float:
        """Of each feed, that share the load evenly."""
        return given("load_kw", load) / feeds / kw * i.number("amps") * _breaker(i)[3]

    return {
        "kva": lambda: kva,
        "kw": lambda: kw,
        "watts": lambda: kw * 1000.0,
        "total_kva": lambda: kva * feeds,
        "total_kw": lambda: kw * feeds,
        "usable_kw": lambda: usable,
        "fits": lambda: given("load_kw", load) <= usable + SLACK,
        "fits_all_feeds": lambda: check().fits,
        "fits_one_feed_lost": lambda: check().fits_one_lost,
        "fits_two_feeds_lost": lambda: fits_without(2),
        "fits_feeds_lost": lambda: fits_without(lost),
        "headroom_kw": lambda: usable - given("load_kw", load),
        "load_fraction": lambda: check().share_each,
        "feed_load_fraction": lambda: check().share_each,
        "load_fraction_one_feed_lost": lambda: check().share_one_lost,
        "feed_load_fraction_one_lost": lambda: check().share_one_lost,
        "amps_drawn": amps,
        "max_nodes": lambda: facility.gpus_on_circuit(usable, 0.0, i.number("node_kw")),
        "gpus": lambda: facility.gpus_on_circuit(usable, i.number("host_kw", 0.0), i.number("gpu_kw")),
    }


# Names under which cases give what a rack may weigh and draw.
MAX_KG, MAX_KW = ("rack_max_kg", "rack_kg_limit"), ("rack_kw", "rack_max_kw", "rack_kw_limit")


def racks(i: Inputs) -> Answer:
    """A layout of so many nodes a rack: racks by its power, height and PDUs as they come out of it."""
    nodes, each, node_kw = count(i, "nodes"), count(i, "nodes_per_rack", low=1), i.number("node_kw")
    node_u, rack_u, reserved = number(i, "node_u"), number(i, "rack_u"), i.number("reserved_u", 0)
    node_kg, node_cfm = number(i, "node_kg"), number(i, "node_cfm")
    fixed_kg = i.number(one_of(i, "rack_fixed_kg", "rack_kg"), 0)
    most_kg, most_kw = number(i, one_of(i, *MAX_KG)), number(i, one_of(i, *MAX_KW))
    management_kw = i.number(one_of(i, "mgmt_rack_kw", "management_rack_kw"), 0)
    management, pdus = count(i, one_of(i, "mgmt_racks", "management_racks"), 0), optional(i, "pdus_per_rack")
    management_pdus = optional(i, "pdus_per_mgmt_rack")
    # one position a node makes the layout's count the limit
    packed = facility.pack([(nodes, node_u or 0, node_kw, node_kg or 0, 1)], (None, None, None, each))

    def used_u() -> float:
        return each * given("node_u", node_u)

    def rack_kg() -> float:
        return fixed_kg + each * given("node_kg", node_kg)

    def fits() -> bool:
        """Every limit that the case gives."""
        checks = []
        if rack_u is not None or (most_kg is None and most_kw is None):
            checks.append(used_u() <= given("rack_u", rack_u) - reserved + SLACK)
        if most_kg is not None:
            checks.append(rack_kg() <= most_kg + SLACK)
        if most_kw is not None:
            checks.append(each * node_kw <= most_kw + SLACK)
        return all(checks)

    def compute_pdus() -> int:
        return packed.racks * given("pdus_per_rack", pdus)

    def mgmt_pdus() -> int:
        return management * given("pdus_per_mgmt_rack", management_pdus) if management else 0

    return {
        "compute_racks": lambda: packed.racks,
        "mgmt_racks": lambda: management,
        "total_racks": lambda: packed.racks + management,
        "rack_kw": lambda: each * node_kw,
        "total_kw": lambda: nodes * node_kw + management * management_kw,
        "compute_pdus": compute_pdus,
        "mgmt_pdus": mgmt_pdus,
        "total_pdus": lambda: compute_pdus() + mgmt_pdus(),
        "used_u": used_u,
        "free_u": lambda: given("rack_u", rack_u) - reserved - used_u(),
        "fits": fits,
        "rack_kg": rack_kg,
        "rack_cfm": lambda: each * given("node_cfm", node_cfm),
    }


def sum_kw(i: Inputs) -> Answer:
    items = i["items"]
    if not isinstance(items, list):
        raise InputError(Problem(("inputs", "items"), "bad_format", items))
    pairs = [[item.get("count"), item.get("kw")] if isinstance(item, dict) else item for item in items]
    if not all(isinstance(pair, list) and len(pair) == 2 and None not in pair for pair in pairs):
        raise InputError(Problem(("inputs", "items"), "bad_format", items))
    kw = [within("items", list(pair), 0.0, unit="kW") for pair in pairs]

    def total() -> float:
        return math.fsum(float(pair[0] * pair[1]) for pair in kw)

    return {"total_kw": total, "facility_kw": lambda: total() * float(within("pue", i.number("pue"), 1.0))}


def pack(i: Inputs) -> Answer:
    """Equal nodes into equal racks: each limit in its turn, the smallest decides."""
    nodes = count(i, "nodes")
    units, kg, kw = number(i, "rack_u"), number(i, one_of(i, *MAX_KG)), _rack_kw(i)
    reserved, fixed = i.number("reserved_u", 0), i.number("rack_fixed_kg", 0)
    cords, cfm = _cords(i), number(i, "rack_cfm")
    node = (
        i.number("node_u", 0),
        i.number("node_kw", 0),
        i.number("node_kg", 0),
        i.number(one_of(i, "node_cords", "psus"), 0),
        i.number("node_cfm", 0),
    )
    rack = (_less(units, reserved, "reserved_u", "U"), kw, _less(kg, fixed, "rack_fixed_kg", "kg"), cords, cfm)
    each, limit = facility.per_rack(node, rack)
    packed = facility.pack([(nodes, *node)], rack)
    most = min(each, nodes) if each is not None else nodes
    return {
        "nodes_per_rack": lambda: each,
        "binding": lambda: BINDING.get(limit, limit) if limit else None,
        "fits": lambda: packed.fits,
        "racks": lambda: packed.racks if packed.fits else None,
        "used_u": lambda: most * node[0],
        "used_kw": lambda: most * node[1],
        "used_kg": lambda: fixed + most * node[2],
        "used_cords": lambda: most * node[3],
        "used_cfm": lambda: most * node[4],
        "free_u": lambda: given("rack_u", units) - reserved - most * node[0],
        **{f"limit_{BINDING.get(name, name)}": partial(_alone, node, rack, name) for name in facility.LIMITS},
    }


def _alone(node: tuple[float, ...], rack: tuple[float | None, ...], limit: str) -> int | None:
    """Machines that a rack holds by one limit alone; None where the case does not give it."""
    return facility.per_rack(
        node, [room if name == limit else None for name, room in zip(facility.LIMITS, rack, strict=True)]
    )[0]


def _less(limit: float | None, taken: float, name: str, unit: str) -> float | None:
    """A limit less what is taken already; no more than all of it can be."""
    return None if limit is None else limit - float(within(name, taken, 0.0, limit, unit))


def _rack_kw(i: Inputs) -> float | None:
    """The smallest of the rack's own limit, its feeds after redundancy, cooling and contract."""
    limits = [number(i, name) for name in (one_of(i, *MAX_KW), "cooling_kw", "contract_kw")]
    feed, feeds = feed_kw(i) if i.any("volts", "amps") else number(i, "feed_kw"), count(i, one_of(i, *FEEDS), 1)
    scheme = i.text(one_of(i, *SCHEMES), facility.REDUNDANCY, "N")
    if feed is not None:
        limits.append(facility.redundant_kw(feed, feeds, scheme))
    elif i.any(*FEEDS, *SCHEMES):
        raise InputError(Problem(("inputs", "feed_kw"), "missing"))
    limit = float(facility.path_limit(*limits))
    return None if limit == math.inf else limit


def _cords(i: Inputs) -> float | None:
    """Outlets of a rack: its own count, or those of its PDUs."""
    names = "rack_cords", one_of(i, "pdus_per_rack", "pdus"), "outlets_per_pdu"
    cords, pdus, outlets = (optional(i, name) for name in names)
    if (pdus is None) != (outlets is None):
        raise InputError(Problem(("inputs", "outlets_per_pdu" if outlets is None else "pdus_per_rack"), "missing"))
    limits = [float(cords)] if cords is not None else []
    if pdus is not None and outlets is not None:
        limits.append(float(pdus * outlets))
    return min(limits, default=None)


def pdu_loss(i: Inputs) -> Answer:
    psus, pdus = count(i, "psus"), count(i, one_of(i, "pdus", "feeds"), low=1)
    lost, psu_kw, node_kw = (
        count(i, one_of(i, "pdus_lost", "lost"), 1),
        number(i, "psu_kw"),
        number(i, one_of(i, "node_kw", "load_kw")),
    )
    needed = optional(i, one_of(i, "psus_needed", "needed"))
    if needed is None:
        if psu_kw is None or node_kw is None:
            raise InputError(Problem(("inputs", "psus_needed"), "missing"))
        needed = facility.psus_needed(node_kw, psu_kw)
    left = facility.psus_left(psus, pdus, lost)
    return {
        "psus_left": lambda: left,
        "psus_lost": lambda: psus - left,
        "psus_needed": lambda: needed,
        "keeps_full_power": lambda: facility.psu_ok(psus, pdus, needed, lost),
        "kw_left": lambda: left * given("psu_kw", psu_kw),
        "headroom_kw": lambda: left * given("psu_kw", psu_kw) - given("node_kw", node_kw),
        "kw_short": lambda: max(given("node_kw", node_kw) - left * given("psu_kw", psu_kw), 0.0),
    }


def airflow(i: Inputs) -> Answer:
    """From the air, in all or for each kilowatt, the rise; or from the rise the air."""
    kw = given("watts", power_kw(i)) * float(within("margin", i.number("margin", 1.0), 0.0))
    if "altitude_m" in i:
        density = facility.air_density_ratio(i.number("altitude_m", low=LOWEST_M))
    else:
        density = i.number("density_ratio", 1.0)
    if "cfm" in i or "cfm_per_kw" in i:
        cfm = i.number("cfm") if "cfm" in i else kw * i.number("cfm_per_kw")
        rise_c = facility.airflow_rise_c(kw, cfm, density)
    else:
        fahrenheit = "delta_t_f" in i
        rise_c = i.number("delta_t_f") / facility.F_PER_C if fahrenheit else i.number("delta_t_c")
        cfm = facility.airflow_cfm(kw, rise_c, density)
    return {
        "cfm": lambda: cfm,
        "m3_h": lambda: cfm * facility.M3_H_PER_CFM,
        "cfm_per_kw": lambda: cfm / float(above("watts", kw, unit="kW")),
        "delta_t_c": lambda: rise_c,
        "delta_t_f": lambda: rise_c * facility.F_PER_C,
    }


def heat(i: Inputs) -> Answer:
    kw, margin = given("watts", power_kw(i)), i.number("margin", 1.0)
    scheme = i.text(one_of(i, *SCHEMES), facility.REDUNDANCY, "N")

    def units() -> int:
        unit_kw = i.measure("unit", {"kw": 1.0, "tons": facility.BTU_H_PER_TON / facility.BTU_H_PER_W / 1000.0})
        running = int(facility.cooling_units(kw * margin, unit_kw, 0))
        spare = {"N": 0, "N+1": 1, "2N": running}[scheme]
        return int(facility.cooling_units(kw * margin, unit_kw, count(i, "spare_units", spare)))

    def split() -> tuple[float, float]:
        """To the liquid and to the air; all to either where the case names no share."""
        liquid, air = facility.heat_split_kw(kw * margin, i.number("capture_ratio"))
        return float(liquid), float(air)

    def flow() -> float:
        carried = split()[0] if "capture_ratio" in i else kw * margin
        return float(facility.water_l_per_min(carried, i.number("delta_t_c"), glycol=i.flag("glycol", False)))

    return {
        "btu_h": lambda: facility.btu_per_hour(kw),
        "tons": lambda: facility.tons(kw),
        "btu_h_with_margin": lambda: facility.btu_per_hour(kw * margin),
        "tons_with_margin": lambda: facility.tons(kw * margin),
        "kw_with_margin": lambda: kw * margin,
        "units": units,
        "liquid_kw": lambda: split()[0],
        "air_kw": lambda: split()[1],
        "l_per_min": flow,
    }


def point_load(i: Inputs) -> Answer:
    load, limit = facility.point_load(i.number("weight"), count(i, "feet", 4, 1)), number(i, "limit")
    return {"load_per_foot": lambda: load, "ok": lambda: load <= given("limit", limit) + SLACK}


def floor_ibm(i: Inputs) -> Answer:
    areas = {"ft2": 1.0, "m2": FT2_PER_M2}
    mass = i.measure("machine", {"lb": 1.0, "kg": LB_PER_KG})
    load = facility.floor_load_lb_ft2(mass, i.measure("machine", areas), i.measure("service", areas))
    if "limit" in i:
        limit = i.number("limit")
    else:
        per = {"lb_ft2": 1.0, "kg_m2": 1.0 / facility.KG_M2_PER_LB_FT2}
        limit = i.measure("limit", per, facility.FLOOR_LIMIT_LB_FT2)
    return {
        "lb_ft2": lambda: load,
        "kg_m2": lambda: load * facility.KG_M2_PER_LB_FT2,
        "ok": lambda: load <= limit + SLACK,
    }


def availability(i: Inputs) -> Answer:
    """One system as printed, or n equal units of which k must run."""
    if "tier" in i:
        tiers = tuple(facility.TIER_AVAILABILITY)
        tier = i["tier"]
        if tier in range(1, len(tiers) + 1):
            tier = tiers[int(tier) - 1]
        if tier not in tiers:
            raise InputError(Problem(("inputs", "tier"), "not_a_choice", tier, choices=tiers))
        single = facility.TIER_AVAILABILITY[tier]
    elif i.has("mtbf", SECONDS) or i.has("mttr", SECONDS):
        up, down = (float(above(name, i.measure(name, SECONDS), unit="s")) for name in ("mtbf", "mttr"))
        single = up / (up + down)
    else:
        single = i.number("availability") if "availability" in i else i.number("availability_pct") / 100.0
    hours, installed = i.number("hours", facility.HOURS_PER_YEAR), count(i, one_of(i, "n", "installed"), 1, 1)
    needed = count(i, one_of(i, "k", "needed"), installed)
    together = w.k_of_n_availability(needed, installed, single)
    down = float(facility.downtime_hours(together, hours))
    return {
        "availability": lambda: together,
        "availability_pct": lambda: together * 100.0,
        **durations("downtime", lambda: down * 3600.0),
    }


def ups_2n(i: Inputs) -> Answer:
    load = i.number("load_kw") * (1.0 + float(within("growth", i.number("growth", 0.0), 0.0)))
    apparent = "ups_kva" in i
    rating = i.number("ups_kva") * i.number(one_of(i, *POWER_FACTORS)) if apparent else i.number("ups_kw")
    modules = count(i, "modules", 2, 1)
    scheme = i.text(one_of(i, *SCHEMES), facility.REDUNDANCY, "N+1")
    spare = count(i, "spare_modules", {"N": 0, "N+1": 1, "2N": modules // 2}[scheme])

    def battery() -> float:
        eta, depth = i.either("eta", "efficiency", default=1.0), i.either("dod", "depth", default=1.0)
        return float(facility.battery_kwh(load, i.number("minutes"), eta, depth))

    share = facility.ups_load(load, rating, modules, spare)
    return {
        "load_fraction_each": lambda: share.each,
        "load_fraction_on_failure": lambda: share.on_failure,
        "ok": lambda: share.on_failure <= 1.0 + SLACK,
        "min_ups_kw": lambda: facility.ups_module_kw(load, modules - spare),
        "battery_kwh": battery,
    }


def optic_power(i: Inputs) -> Answer:
    empty, optics, switches = i.number("w_empty"), count(i, "optics", low=1), count(i, "switches", 1)
    known = number(i, "w_per_optic")
    watts = fabric.optic_watts(i.number("w_loaded"), empty, optics) if known is None else known
    return {
        "w_per_optic": lambda: watts,
        "w_loaded": lambda: fabric.fabric_kw(empty, 1, optics, watts) * 1000.0,
        "kw": lambda: fabric.fabric_kw(empty, switches, optics * switches, watts),
    }


# What a cable is made of, as cases name it.
CABLES = {
    **{name: name for name in fabric.CABLE_KG_PER_M},
    **dict.fromkeys(("dac", "active_copper"), "copper"),
    **dict.fromkeys(("aoc", "fibre", "fiber", "multimode", "single_mode"), "optical"),
}


def cable_mass(i: Inputs) -> Answer:
    stated = number(i, "kg_per_m")
    each = fabric.CABLE_KG_PER_M[CABLES[i.text("medium", tuple(CABLES))]] if stated is None else stated
    kg = fabric.cable_kg(count(i, "count"), i.number("metres"), each)
    return {"kg": lambda: kg}


def psu(i: Inputs) -> Answer:
    """Output and efficiency, that of an 80 PLUS class at a load where the case names one."""

    def load() -> float:
        """Share of the rating of all supplies that run."""
        if i.any("load_fraction", "load"):
            return i.number(one_of(i, "load_fraction", "load"))
        rated = float(above("psu_kw", i.number("psu_kw"), unit="kW")) * count(i, "psus", 1, 1)
        return i.number("dc_w") / 1000.0 / rated

    if "rating" in i:
        eta = facility.psu_efficiency(i.text("rating", tuple(facility.EIGHTY_PLUS)), load())
    else:
        eta = i.number("eta")
    if "dc_w" in i or "ac_w" not in i:
        out_w = i.number("dc_w")
        in_w = facility.psu_input_kw(out_w / 1000.0, eta) * 1000.0
    else:
        in_w = i.number("ac_w")
        out_w = in_w * float(above("eta", eta, 1.0))
    return {
        "ac_w": lambda: in_w,
        "dc_w": lambda: out_w,
        "heat_w": lambda: in_w - out_w,
        "eta": lambda: eta,
        "load_fraction": load,
    }


def fuel(i: Inputs) -> Answer:
    kw = float(above("kw", i.number("kw"), unit="kW"))
    rate = i.number("gal_per_h_full") if "gal_per_h_full" in i else kw / facility.KWH_PER_GALLON
    hours, sets = i.number("hours"), count(i, "generators", 1)
    return {
        "gal": lambda: facility.generator_fuel(rate, hours) * sets,
        "kwh": lambda: kw * hours * sets,
        "kwh_per_gal": lambda: kw / float(above("gal_per_h_full", rate, unit="gal/h")),
    }


def pue(i: Inputs) -> Answer:
    """With a share of economiser hours, by the COP over the year."""
    losses = i.number("eta_ups"), i.number("eta_dist")
    shares = i.number("fan_pump_frac", 0.0), i.number("misc_frac", 0.0)
    free = one_of(i, "economiser_share", "economizer_share", "free_cooling_share", "h")
    if free in i:
        cop = facility.yearly_cop(i.number(free), i.number("cop_free"), i.number(one_of(i, "cop_mech", "cop")))
    else:
        cop = i.number("cop")
    overall = facility.pue(*losses, cop, *shares)

    def facility_kw() -> float:
        return float(overall * given("it_kw", number(i, one_of(i, "it_kw", "load_kw", "kw"))))

    return {"pue": lambda: overall, "cop_year": lambda: cop, "facility_kw": facility_kw}


def ratio(i: Inputs) -> Answer:
    share = i.number("part") / float(above("whole", i.number("whole")))
    return {"ratio": lambda: share, "below": lambda: 1.0 - share}


SOLVERS: dict[str, Solver] = {
    "circuit": circuit,
    "racks": racks,
    "sum_kw": sum_kw,
    "pack": pack,
    "pdu_loss": pdu_loss,
    "ratio": ratio,
    "airflow": airflow,
    "heat": heat,
    "point_load": point_load,
    "floor_ibm": floor_ibm,
    "availability": availability,
    "optic_power": optic_power,
    "cable_mass": cable_mass,
    "ups_2n": ups_2n,
    "psu": psu,
    "fuel": fuel,
    "pue": pue,
}
