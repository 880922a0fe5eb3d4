"""Published rooms, racks and circuits through the validation path, and variants worked by hand."""

import json
from pathlib import Path

import pytest

from planner.engine.quantities import InputError
from planner.engine.validation import check

CASES = json.loads((Path(__file__).parents[1] / "reference" / "facility_cases.json").read_text(encoding="utf-8"))
# 30·0.8·0.87·230·0.8 = 3,842 W; the source prints 3,848.
DECLARED = {("derate-hot-aisle", "kw"): 3.84192}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_published_facility(case):
    tolerances = case.get("tol", {})
    for found in check(case):
        if (found.case, found.field) in DECLARED:
            assert (found.status, found.got) == ("declared", pytest.approx(DECLARED[found.case, found.field]))
        elif isinstance(found.expected, str):
            assert (found.got, found.status) == (found.expected, "ok")
        else:
            assert found.got == pytest.approx(found.expected, rel=1e-6, abs=tolerances.get(found.field, 0))
            assert found.status == "ok"


def test_the_faults_of_the_sources_are_those_they_declare():
    assert {(case["id"], name) for case in CASES for name in case.get("known_mismatch", {})} == set(DECLARED)


H100 = {"node_u": 8, "node_kw": 10.2, "node_kg": 130.45}
B200 = {"psus": 6, "psu_kw": 3.3, "pdus": 3}
VARIANTS = {
    "us-208v-3ph": ("circuit", {"volts": 208, "amps": 30, "phases": 3, "derate": 0.8}, {"kva": 8.6}, {"kva": 0.05}),
    "office-120v-15a": (
        "circuit",
        {"volts": 120, "amps": 15, "phases": 1, "derate": 0.8},
        {"kva": 1.44, "watts": 1440},
        {},
    ),
    # 22.17 kVA each: 64.5 % with both feeds, 129 % on the one that is left
    "two-b200-on-two-feeds": (
        "circuit",
        {"volts": 400, "amps": 32, "phases": 3, "circuits": 2, "load_kw": 28.6},
        {
            "kva": 22.17,
            "fits_all_feeds": True,
            "fits_one_feed_lost": False,
            "feed_load_fraction": 0.645,
            "feed_load_fraction_one_lost": 1.29,
        },
        {"kva": 0.005, "feed_load_fraction": 0.0005, "feed_load_fraction_one_lost": 0.0005},
    ),
    "four-feeds-lose-one": (
        "circuit",
        {"volts": 400, "amps": 32, "phases": 3, "circuits": 4, "load_kw": 66.5},
        {"fits_all_feeds": True, "fits_one_feed_lost": True},
        {},
    ),
    "one-side-of-2n": (
        "circuit",
        {"volts": 400, "amps": 32, "phases": 3, "circuits": 4, "load_kw": 66.5, "scheme": "2N"},
        {"usable_kw": 44.34, "fits": False},
        {"usable_kw": 0.005},
    ),
    "single-feed-lost": (
        "circuit",
        {"volts": 230, "amps": 16, "phases": 1, "load_kw": 3},
        {"fits_all_feeds": True, "fits_one_feed_lost": False},
        {},
    ),
    # facility reference 2.2: NVIDIA's B200 slide, 3.4 kW over 28.6
    "b200-slide": (
        "circuit",
        {"volts": 380, "amps": 32, "phases": 3, "derate": 0.8, "pf": 0.95, "circuits": 2, "load_kw": 28.6},
        {"headroom_kw": 3.4},
        {"headroom_kw": 0.05},
    ),
    # 230·32·0.8·0.87
    "hot-aisle": (
        "circuit",
        {"volts": 230, "amps": 32, "phases": 1, "derate": 0.8, "hot_aisle": True},
        {"kva": 5.12256},
        {},
    ),
    "line-to-neutral": (
        "circuit",
        {"volts": 230, "amps": 32, "phases": 3, "line_to_neutral": True},
        {"kva": 22.08},
        {},
    ),
    "b200-2-per-rack": (
        "racks",
        {
            "nodes": 63,
            "nodes_per_rack": 2,
            "node_kw": 14.3,
            "node_u": 10,
            "rack_u": 52,
            "reserved_u": 2,
            "mgmt_racks": 3,
            "pdus_per_rack": 3,
            "pdus_per_mgmt_rack": 2,
            "node_kg": 142.4,
            "rack_fixed_kg": 134,
        },
        {
            "compute_racks": 32,
            "rack_kw": 28.6,
            "total_racks": 35,
            "compute_pdus": 96,
            "mgmt_pdus": 6,
            "total_pdus": 102,
            "used_u": 20,
            "free_u": 30,
            "rack_kg": 418.8,
            "total_kw": 900.9,
        },
        {},
    ),
    "layout-too-high": (
        "racks",
        {"nodes": 5, "nodes_per_rack": 5, "node_kw": 14.3, "node_u": 10, "rack_u": 48},
        {"free_u": -2, "fits": False},
        {},
    ),
    "sum": ("sum_kw", {"items": [[3, 2.5], [1, 0.5]]}, {"total_kw": 8}, {}),
    # 48/8, 40.8/10.2, 1360/130.45: six, four, ten
    "pack-by-kw": (
        "pack",
        {"nodes": 32, **H100, "rack_u": 48, "rack_kw": 40.8, "rack_max_kg": 1360},
        {"nodes_per_rack": 4, "binding": "kw", "racks": 8, "used_u": 32, "free_u": 16},
        {},
    ),
    # (700 − 134)/130.45 = 4.3
    "pack-by-kg": (
        "pack",
        {"nodes": 9, **H100, "rack_u": 48, "rack_kw": 60, "rack_max_kg": 700, "rack_fixed_kg": 134},
        {"nodes_per_rack": 4, "binding": "kg", "racks": 3},
        {},
    ),
    # two PDUs of nine C19 for nodes of six cords
    "pack-by-cords": (
        "pack",
        {"nodes": 9, **H100, "rack_u": 48, "rack_kw": 60, "node_cords": 6, "pdus_per_rack": 2, "outlets_per_pdu": 9},
        {"nodes_per_rack": 3, "binding": "cords", "racks": 3},
        {},
    ),
    # 2,500 CFM a tile, 1,105 a node
    "pack-by-air": (
        "pack",
        {"nodes": 9, **H100, "rack_u": 48, "node_cfm": 1105, "rack_cfm": 2500},
        {"nodes_per_rack": 2, "binding": "cfm", "racks": 5},
        {},
    ),
    # of four feeds of 17.3 kW one side carries 34.6: three nodes
    "pack-by-feeds": (
        "pack",
        {"nodes": 9, **H100, "rack_u": 48, "rack_kw": 60, "feed_kw": 17.3, "feeds": 4, "scheme": "2N"},
        {"nodes_per_rack": 3, "binding": "kw", "racks": 3},
        {},
    ),
    "pack-by-cooling": (
        "pack",
        {"nodes": 9, **H100, "rack_u": 48, "rack_kw": 60, "cooling_kw": 20, "contract_kw": 40},
        {"nodes_per_rack": 1, "binding": "kw", "racks": 9},
        {},
    ),
    "pack-nothing-fits": (
        "pack",
        {"nodes": 1, **H100, "rack_u": 48, "rack_kw": 10},
        {"nodes_per_rack": 0, "binding": "kw", "fits": False, "racks": None},
        {},
    ),
    # facility reference 2.3: 13.2 of 14.3 kW
    "b200-on-3-pdus": (
        "pdu_loss",
        {**B200, "psus_needed": 5},
        {"psus_left": 4, "keeps_full_power": False, "kw_left": 13.2},
        {},
    ),
    "b200-by-its-draw": ("pdu_loss", {**B200, "node_kw": 14.3}, {"psus_needed": 5, "keeps_full_power": False}, {}),
    "b200-on-6-pdus": (
        "pdu_loss",
        {**B200, "pdus": 6, "psus_needed": 5},
        {"psus_left": 5, "keeps_full_power": True},
        {},
    ),
    "b300-two-lost": (
        "pdu_loss",
        {"psus": 12, "pdus": 4, "psus_needed": 6, "pdus_lost": 2},
        {"psus_left": 6, "keeps_full_power": True},
        {},
    ),
    # seven cords on three PDUs are 3, 2, 2
    "uneven-cords": (
        "pdu_loss",
        {"psus": 7, "pdus": 3, "psus_needed": 3, "pdus_lost": 2},
        {"psus_left": 2, "psus_lost": 5, "keeps_full_power": False},
        {},
    ),
    # 3.16·10,000/20
    "air-for-a-rise": (
        "airflow",
        {"watts": 10_000, "delta_t_f": 20},
        {"cfm": 1580, "cfm_per_kw": 158, "delta_t_c": 11.111},
        {"delta_t_c": 0.001},
    ),
    "air-by-the-kilowatt": (
        "airflow",
        {"watts": 28_600, "cfm_per_kw": 150},
        {"cfm": 4290, "delta_t_f": 21.07},
        {"delta_t_f": 0.05},
    ),
    "air-high-up": (
        "airflow",
        {"watts": 10_000, "delta_t_c": 10, "density_ratio": 0.8},
        {"cfm": 2194.4, "m3_h": 3728},
        {"cfm": 0.1, "m3_h": 5},
    ),
    # facility reference 3.3: 6 kW are 1.71 tons; two units of 3.5 kW and a spare
    "office": (
        "heat",
        {"watts": 6000, "unit_kw": 3.5, "spare_units": 1},
        {"btu_h": 20_472, "tons": 1.71, "units": 3},
        {"tons": 0.005},
    ),
    "point-load-too-much": (
        "point_load",
        {"weight": 1000, "feet": 4, "limit": 200},
        {"load_per_foot": 250, "ok": False},
        {},
    ),
    # (1000 + 15·8 + 10·16)/16
    "floor": (
        "floor_ibm",
        {"machine_lb": 1000, "machine_ft2": 8, "service_ft2": 16, "limit": 80},
        {"lb_ft2": 80, "ok": True},
        {},
    ),
    "tier-four": ("availability", {"tier": "IV"}, {"downtime_h": 0.44}, {"downtime_h": 0.005}),
    # 0.99³ + 3·0.99²·0.01 = 0.999702
    "two-of-three": (
        "availability",
        {"availability_pct": 99, "n": 3, "k": 2},
        {"availability_pct": 99.9702, "downtime_h": 2.61},
        {"downtime_h": 0.005},
    ),
    "ups-with-growth": (
        "ups_2n",
        {"load_kw": 400, "ups_kw": 500, "growth": 0.2},
        {"load_fraction_on_failure": 0.96, "load_fraction_each": 0.48, "ok": True, "min_ups_kw": 480},
        {},
    ),
    "ups-too-small": ("ups_2n", {"load_kw": 700, "ups_kw": 500}, {"load_fraction_on_failure": 1.4, "ok": False}, {}),
    "ups-n-plus-1": (
        "ups_2n",
        {"load_kw": 900, "ups_kw": 500, "modules": 4},
        {"load_fraction_each": 0.45, "load_fraction_on_failure": 0.6},
        {},
    ),
    "titanium-20": (
        "psu",
        {"dc_w": 4700, "rating": "titanium", "load_fraction": 0.2},
        {"ac_w": 5000, "heat_w": 300},
        {},
    ),
    "platinum-between": ("psu", {"dc_w": 920, "rating": "platinum", "load_fraction": 0.35}, {"ac_w": 1000}, {}),
    # 13 kWh a gallon
    "fuel-of-1300-kw": ("fuel", {"kw": 1300, "hours": 10}, {"gal": 1000, "kwh_per_gal": 13}, {}),
    # no losses: 1 + 1/4 + 0.05 + 0.02
    "pue-simple": (
        "pue",
        {"eta_ups": 1, "eta_dist": 1, "cop": 4, "fan_pump_frac": 0.05, "misc_frac": 0.02},
        {"pue": 1.32},
        {},
    ),
    # half the hours at 20, half at 4: 1/0.15
    "pue-with-free-cooling": (
        "pue",
        {"eta_ups": 1, "eta_dist": 1, "economiser_share": 0.5, "cop_free": 20, "cop_mech": 4},
        {"cop_year": 6.6667, "pue": 1.15},
        {"cop_year": 0.0001},
    ),
    "optics": ("optic_power", {"w_loaded": 1000, "w_empty": 600, "optics": 32}, {"w_per_optic": 12.5}, {}),
    "fibre": ("cable_mass", {"count": 100, "metres": 10, "medium": "optical"}, {"kg": 9}, {}),
    "ratio": ("ratio", {"part": 3, "whole": 4}, {"below": 0.25, "ratio": 0.75}, {}),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_worked_by_hand(name):
    kind, inputs, expected, tolerances = VARIANTS[name]
    answer = check({"id": name, "kind": kind, "inputs": inputs, "expected": expected, "tol": tolerances})
    assert {found.field for found in answer} == set(expected)
    assert [(found.field, found.got, found.expected) for found in answer if found.status != "ok"] == []


CIRCUIT = {"volts": 400, "amps": 32, "phases": 3}
PACK = {"nodes": 8, **H100, "rack_u": 42}


@pytest.mark.parametrize(
    ("kind", "inputs", "named"),
    [
        ("circuit", {**CIRCUIT, "frequency": 50}, "inputs/frequency: unknown_field"),
        ("circuit", {**CIRCUIT, "phases": 2}, "inputs/phases: not_a_choice"),
        ("circuit", {**CIRCUIT, "derate": 1.2}, "inputs/derate: out_of_bounds"),
        ("circuit", {**CIRCUIT, "pf": 1.1}, "inputs/pf: out_of_bounds"),
        ("circuit", {**CIRCUIT, "circuits": 1.5, "load_kw": 1}, "inputs/circuits: not_whole"),
        ("circuit", {**CIRCUIT, "scheme": "N+2"}, "inputs/scheme: not_a_choice"),
        ("circuit", {"volts": 400, "phases": 3}, "inputs/amps: missing"),
        ("racks", {"nodes": 8, "nodes_per_rack": 0, "node_kw": 1}, "inputs/nodes_per_rack: out_of_bounds"),
        ("racks", {"nodes": 8, "nodes_per_rack": 4, "node_kw": 1, "colour": "red"}, "inputs/colour: unknown_field"),
        ("point_load", {"weight": 100}, "inputs/limit: missing"),
        ("sum_kw", {"items": [[1, 2, 3]]}, "inputs/items: bad_format"),
        ("pack", {**PACK, "reserved_u": 43}, "inputs/reserved_u: out_of_bounds"),
        ("pack", {**PACK, "feeds": 2}, "inputs/feed_kw: missing"),
        ("pack", {**PACK, "pdus_per_rack": 2}, "inputs/outlets_per_pdu: missing"),
        ("pack", {**PACK, "noise_db": 90}, "inputs/noise_db: unknown_field"),
        ("pdu_loss", {"psus": 6, "pdus": 0, "psus_needed": 4}, "inputs/pdus: out_of_bounds"),
        ("pdu_loss", {"psus": 6, "pdus": 3}, "inputs/psus_needed: missing"),
        ("pdu_loss", {"psus": 6, "pdus": 3, "psus_needed": 4, "pdus_lost": 4}, "inputs/lost: out_of_bounds"),
        ("airflow", {"watts": 1000, "cfm": 100, "delta_t_c": 10}, "inputs/delta_t_c: unknown_field"),
        ("airflow", {"watts": 1000, "cfm": 0}, "inputs/cfm: not_positive"),
        ("airflow", {"watts": 1000}, "inputs/delta_t_c: missing"),
        ("availability", {"availability_pct": 101}, "inputs/availability: out_of_bounds"),
        ("availability", {"tier": "V"}, "inputs/tier: not_a_choice"),
        ("ups_2n", {"load_kw": 100, "ups_kw": 0}, "inputs/ups_kw: not_positive"),
        ("psu", {"dc_w": 1000, "eta": 0}, "inputs/eta: not_positive"),
        ("psu", {"dc_w": 1000, "rating": "gold", "load_fraction": 0.1}, "inputs/load_fraction: out_of_bounds"),
        ("optic_power", {"w_loaded": 500, "w_empty": 600, "optics": 32}, "inputs/w_loaded: out_of_bounds"),
        ("pue", {"eta_ups": 1.2, "eta_dist": 1, "cop": 4}, "inputs/eta_ups: out_of_bounds"),
        ("pue", {"eta_ups": 1, "eta_dist": 1, "climate": "tropical", "cop": 4}, "inputs/climate: unknown_field"),
        ("fuel", {"kw": 2000, "hours": -1}, "inputs/hours: out_of_bounds"),
        ("ratio", {"part": 1, "whole": 0}, "inputs/whole: not_positive"),
    ],
)
def test_an_input_that_is_unknown_missing_or_impossible_is_refused_by_name(kind, inputs, named):
    wanted = {
        "circuit": "fits" if "load_kw" in inputs else "kva",
        "point_load": "ok",
        "racks": "compute_racks",
        "sum_kw": "total_kw",
        "pack": "racks",
        "pdu_loss": "psus_left",
        "airflow": "delta_t_c",
        "availability": "downtime_h",
        "ups_2n": "ok",
        "psu": "ac_w",
        "optic_power": "w_per_optic",
        "pue": "pue",
        "fuel": "gal",
        "ratio": "below",
    }
    with pytest.raises(InputError) as error:
        check({"id": "bad", "kind": kind, "inputs": inputs, "expected": {wanted[kind]: 1}})
    assert str(error.value).startswith(named)
