"""Facility cases: circuits, racks, cooling, floor and backup, by the functions that house a plan."""

from __future__ import annotations

import math

from planner.engine import fabric, facility
from planner.engine import workload as w
from planner.engine.bounds import above, within
from planner.engine.quantities import InputError, Problem
from planner.engine.rounding import SLACK
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.reading import count, given, number, one_of, optional

# Names of the limits of a rack in the cases.
BINDING = {"units": "u"}


def circuit(i: Inputs) -> Answer:
    """Feeds of one rating; a load is of real power, kVA where the case names no power factor."""
    volts, amps = i.number("volts"), i.number("amps")
    derating = i.number(one_of(i, "derate", "derating"), 1.0) * (
        facility.HOT_AISLE if i.flag("hot_aisle", False) else 1
    )
    power_factor = i.number(one_of(i, "pf", "power_factor"), 1.0)
    neutral = i.flag("line_to_neutral", False)
    feeds, load = count(i, one_of(i, "circuits", "feeds"), 1), number(i, "load_kw")
    scheme = i.text(one_of(i, "scheme", "redundancy"), facility.REDUNDANCY, "N")
    phases = count(i, "phases", 1)
    kva = facility.circuit_kva(volts, amps, phases, derating, line_to_neutral=neutral)
    kw = facility.circuit_kw(volts, amps, phases, derating, power_factor, line_to_neutral=neutral)
    usable = facility.redundant_kw(kw, feeds, scheme)

    def check() -> facility.FeedCheck:
        return facility.check_feeds(given("load_kw", load), kw, feeds)

    return {
        "kva": lambda: kva,
        "kw": lambda: kw,
        "watts": lambda: kw * 1000.0,
        "usable_kw": lambda: usable,
        "fits": lambda: given("load_kw", load) <= usable + SLACK,
        "fits_all_feeds": lambda: check().fits,
        "fits_one_feed_lost": lambda: check().fits_one_lost,
        "headroom_kw": lambda: usable - given("load_kw", load),
        "feed_load_fraction": lambda: check().share_each,
        "feed_load_fraction_one_lost": lambda: check().share_one_lost,
    }


def racks(i: Inputs) -> Answer:
    """A layout of so many nodes a rack: racks by its power, height and PDUs as they come out of it."""
    nodes, each, node_kw = count(i, "nodes"), count(i, "nodes_per_rack", low=1), i.number("node_kw")
    node_u, rack_u, reserved = number(i, "node_u"), number(i, "rack_u"), i.number("reserved_u", 0)
    node_kg, node_cfm = number(i, "node_kg"), number(i, "node_cfm")
    fixed_kg = i.number(one_of(i, "rack_fixed_kg", "rack_kg"), 0)
    management, pdus = count(i, one_of(i, "mgmt_racks", "management_racks"), 0), optional(i, "pdus_per_rack")
    management_pdus = optional(i, "pdus_per_mgmt_rack")
    # one position a node makes the layout's count the limit
    packed = facility.pack([(nodes, node_u or 0, node_kw, node_kg or 0, 1)], (None, None, None, each))

    def used_u() -> float:
        return each * given("node_u", node_u)

    def compute_pdus() -> int:
        return packed.racks * given("pdus_per_rack", pdus)

    def mgmt_pdus() -> int:
        return management * given("pdus_per_mgmt_rack", management_pdus) if management else 0

    return {
        "compute_racks": lambda: packed.racks,
        "mgmt_racks": lambda: management,
        "total_racks": lambda: packed.racks + management,
        "rack_kw": lambda: each * node_kw,
        "total_kw": lambda: nodes * node_kw,
        "compute_pdus": compute_pdus,
        "mgmt_pdus": mgmt_pdus,
        "total_pdus": lambda: compute_pdus() + mgmt_pdus(),
        "used_u": used_u,
        "free_u": lambda: given("rack_u", rack_u) - reserved - used_u(),
        "fits": lambda: used_u() <= given("rack_u", rack_u) - reserved + SLACK,
        "rack_kg": lambda: fixed_kg + each * given("node_kg", node_kg),
        "rack_cfm": lambda: each * given("node_cfm", node_cfm),
    }


def sum_kw(i: Inputs) -> Answer:
    items = i["items"]
    if not isinstance(items, list) or not all(isinstance(item, list) and len(item) == 2 for item in items):
        raise InputError(Problem(("inputs", "items"), "bad_format", items))
    kw = [within("items", item, 0.0, unit="kW") for item in items]
    return {"total_kw": lambda: math.fsum(float(pair[0] * pair[1]) for pair in kw)}


def pack(i: Inputs) -> Answer:
    """Equal nodes into equal racks: each limit in its turn, the smallest decides."""
    nodes = count(i, "nodes")
    units, kg, kw = number(i, "rack_u"), number(i, one_of(i, "rack_max_kg", "rack_kg_limit")), _rack_kw(i)
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
    }


def _less(limit: float | None, taken: float, name: str, unit: str) -> float | None:
    """A limit less what is taken already; no more than all of it can be."""
    return None if limit is None else limit - float(within(name, taken, 0.0, limit, unit))


def _rack_kw(i: Inputs) -> float | None:
    """The smallest of the rack's own limit, its feeds after redundancy, cooling and contract."""
    limits = [number(i, name) for name in ("rack_kw", "cooling_kw", "contract_kw")]
    feed, feeds = number(i, "feed_kw"), count(i, "feeds", 1)
    scheme = i.text(one_of(i, "scheme", "redundancy"), facility.REDUNDANCY, "N")
    if feed is not None:
        limits.append(facility.redundant_kw(feed, feeds, scheme))
    elif "feeds" in i or "scheme" in i or "redundancy" in i:
        raise InputError(Problem(("inputs", "feed_kw"), "missing"))
    limit = float(facility.path_limit(*limits))
    return None if limit == math.inf else limit


def _cords(i: Inputs) -> float | None:
    """Outlets of a rack: its own count, or those of its PDUs."""
    cords, pdus, outlets = (optional(i, name) for name in ("rack_cords", "pdus_per_rack", "outlets_per_pdu"))
    if (pdus is None) != (outlets is None):
        raise InputError(Problem(("inputs", "outlets_per_pdu" if outlets is None else "pdus_per_rack"), "missing"))
    limits = [float(cords)] if cords is not None else []
    if pdus is not None and outlets is not None:
        limits.append(float(pdus * outlets))
    return min(limits, default=None)


def pdu_loss(i: Inputs) -> Answer:
    psus, pdus = count(i, "psus"), count(i, one_of(i, "pdus", "feeds"), low=1)
    lost, psu_kw, node_kw = count(i, one_of(i, "pdus_lost", "lost"), 1), number(i, "psu_kw"), number(i, "node_kw")
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
    }


def airflow(i: Inputs) -> Answer:
    """From the air, in all or for each kilowatt, the rise; or from the rise the air."""
    kw, density = i.number("watts") / 1000.0, i.number("density_ratio", 1.0)
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
    kw, margin = i.number("watts") / 1000.0, i.number("margin", 1.0)
    unit_kw, spare = number(i, "unit_kw"), count(i, "spare_units", 0)
    return {
        "btu_h": lambda: facility.btu_per_hour(kw),
        "tons": lambda: facility.tons(kw),
        "btu_h_with_margin": lambda: facility.btu_per_hour(kw * margin),
        "tons_with_margin": lambda: facility.tons(kw * margin),
        "kw_with_margin": lambda: kw * margin,
        "units": lambda: facility.cooling_units(kw * margin, given("unit_kw", unit_kw), spare),
    }


def point_load(i: Inputs) -> Answer:
    load, limit = facility.point_load(i.number("weight"), count(i, "feet", 4, 1)), number(i, "limit")
    return {"load_per_foot": lambda: load, "ok": lambda: load <= given("limit", limit) + SLACK}


def floor_ibm(i: Inputs) -> Answer:
    load = facility.floor_load_lb_ft2(i.number("machine_lb"), i.number("machine_ft2"), i.number("service_ft2"))
    limit = i.number(one_of(i, "limit_lb_ft2", "limit"), facility.FLOOR_LIMIT_LB_FT2)
    return {
        "lb_ft2": lambda: load,
        "kg_m2": lambda: load * facility.KG_M2_PER_LB_FT2,
        "ok": lambda: load <= limit + SLACK,
    }


def availability(i: Inputs) -> Answer:
    """One system as printed, or n equal units of which k must run."""
    if "tier" in i:
        single = facility.TIER_AVAILABILITY[i.text("tier", tuple(facility.TIER_AVAILABILITY))]
    else:
        single = i.number("availability_pct") / 100.0
    hours, installed = i.number("hours", facility.HOURS_PER_YEAR), count(i, one_of(i, "n", "installed"), 1, 1)
    needed = count(i, one_of(i, "k", "needed"), installed)
    together = w.k_of_n_availability(needed, installed, single)
    down = facility.downtime_hours(together, hours)
    return {
        "availability_pct": lambda: together * 100.0,
        "downtime_h": lambda: down,
        "downtime_min": lambda: down * 60.0,
    }


def ups_2n(i: Inputs) -> Answer:
    load = i.number("load_kw") * (1.0 + float(within("growth", i.number("growth", 0.0), 0.0)))
    rating, modules, spare = i.number("ups_kw"), count(i, "modules", 2, 1), count(i, "spare_modules", 1)
    share = facility.ups_load(load, rating, modules, spare)
    return {
        "load_fraction_each": lambda: share.each,
        "load_fraction_on_failure": lambda: share.on_failure,
        "ok": lambda: share.on_failure <= 1.0 + SLACK,
        "min_ups_kw": lambda: facility.ups_module_kw(load, modules - spare),
    }


def optic_power(i: Inputs) -> Answer:
    watts = fabric.optic_watts(i.number("w_loaded"), i.number("w_empty"), count(i, "optics", low=1))
    return {"w_per_optic": lambda: watts}


def cable_mass(i: Inputs) -> Answer:
    if "medium" in i:
        each = fabric.CABLE_KG_PER_M[i.text("medium", tuple(fabric.CABLE_KG_PER_M))]
    else:
        each = i.number("kg_per_m")
    kg = fabric.cable_kg(count(i, "count"), i.number("metres"), each)
    return {"kg": lambda: kg}


def psu(i: Inputs) -> Answer:
    """Output and efficiency, that of an 80 PLUS class at a load where the case names one."""
    out_w = i.number("dc_w")
    if "rating" in i:
        rating = i.text("rating", tuple(facility.EIGHTY_PLUS))
        eta = facility.psu_efficiency(rating, i.number(one_of(i, "load_fraction", "load")))
    else:
        eta = i.number("eta")
    in_w = facility.psu_input_kw(out_w / 1000.0, eta) * 1000.0
    return {"ac_w": lambda: in_w, "heat_w": lambda: in_w - out_w, "eta": lambda: eta}


def fuel(i: Inputs) -> Answer:
    kw = float(above("kw", i.number("kw"), unit="kW"))
    rate = i.number("gal_per_h_full") if "gal_per_h_full" in i else kw / facility.KWH_PER_GALLON
    hours = i.number("hours")
    return {
        "gal": lambda: facility.generator_fuel(rate, hours),
        "kwh": lambda: kw * hours,
        "kwh_per_gal": lambda: kw / float(above("gal_per_h_full", rate, unit="gal/h")),
    }


def pue(i: Inputs) -> Answer:
    """With a share of economiser hours, by the COP over the year."""
    losses = i.number("eta_ups"), i.number("eta_dist")
    shares = i.number("fan_pump_frac", 0.0), i.number("misc_frac", 0.0)
    free = one_of(i, "economiser_share", "economizer_share", "h")
    if free in i:
        cop = facility.yearly_cop(i.number(free), i.number("cop_free"), i.number(one_of(i, "cop_mech", "cop")))
    else:
        cop = i.number("cop")
    overall = facility.pue(*losses, cop, *shares)
    return {"pue": lambda: overall, "cop_year": lambda: cop}


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
