"""Cases of the published kinds as others would ask them: other values, optional inputs, units, bad numbers."""

import json
import math
from pathlib import Path

import pytest

from planner.engine import workload as w
from planner.engine.quantities import InputError
from planner.engine.validation import check
from planner.engine.validation.units import in_unit_of_name, unit_of

REFERENCE = Path(__file__).parents[1] / "reference"
VARIANTS = json.loads((REFERENCE / "variant_cases.json").read_text(encoding="utf-8"))["cases"]


def published():
    for family in ("sizing", "fabric", "facility"):
        data = json.loads((REFERENCE / f"{family}_cases.json").read_text(encoding="utf-8"))
        yield from data["cases"] if isinstance(data, dict) else data


@pytest.mark.parametrize("case", VARIANTS, ids=lambda case: case["id"])
def test_variant_worked_from_the_formulas(case):
    assert [(found.field, found.got) for found in check(case) if found.status != "ok"] == []


def test_every_published_kind_has_a_variant():
    assert {case["kind"] for case in published()} <= {case["kind"] for case in VARIANTS}


def got(kind, inputs, *fields):
    answers = check({"kind": kind, "inputs": inputs, "expected": dict.fromkeys(fields, 0)})
    return [found.got for found in answers]


def refusal(kind, inputs, field):
    with pytest.raises(InputError) as error:
        check({"kind": kind, "inputs": inputs, "expected": {field: 1.0}})
    return [("/".join(problem.path), problem.code) for problem in error.value.problems]


# ── units that an input carries ──


@pytest.mark.parametrize(
    ("name", "value", "unit", "expected"),
    [
        ("hbm_bytes", 141, "GB", 141e9),
        ("reserve_bytes", 2, "GiB", 2**31),
        ("peak_flops", 989, "Tflop/s", 989e12),
        ("nic_bandwidth_per_gpu", 400, "Gbit/s", 50e9),
        ("memory_bandwidth", 3.35, "TB/s", 3.35e12),
        ("save_s", 2, "min", 120),
        ("load_kw", 500, "W", 0.5),
        ("hours", 2, "day", 48),
        ("tokens", 3, "token", 3),  # a label
        ("units", 45, "drive", 45),
        ("save_s", 2, "GB", None),
    ],
)
def test_a_unit_other_than_that_of_the_name_is_converted(name, value, unit, expected):
    found = in_unit_of_name(name, value, unit)
    assert found is None if expected is None else found == pytest.approx(expected)


def test_a_unit_of_another_kind_is_refused():
    inputs = {"save_s": {"value": 40, "unit": "GB"}, "interval_s": 10_800}
    assert refusal("checkpoint", inputs, "overhead") == [("inputs/save_s", "not_a_choice")]


def test_a_rate_is_no_time():
    assert (unit_of("arrivals_per_s"), unit_of("ttft_s"), unit_of("rack_kw")) == ("", "s", "kW")


# ── inputs that contradict each other, or that nobody could mean ──

RUN = {"params": 7e9, "tokens": 1e12, "peak_flops": 989e12, "utilisation": 0.4}
PAIR = {"nodes": 2, "gpus_per_node": 8}
LAYER = {"layers": 32, "kv_heads": 8, "head_dim": 128, "kv_bytes": 1}
FEED = {"volts": 400, "amps": 32, "phases": 3}


@pytest.mark.parametrize(
    ("kind", "inputs", "field", "path", "code"),
    [
        ("training_hours", {**RUN, "tokens_per_s_per_gpu": 9}, "gpu_hours", "utilisation", "conflict"),
        ("training_hours", {**RUN, "n_gpus": 9, **PAIR}, "wall_days", "gpus_per_node", "conflict"),
        ("training_hours", {**RUN, "peak_flops": -1}, "gpu_hours", "peak_flops", "out_of_bounds"),
        ("training_hours", {**RUN, "tokens": 1e40}, "gpu_hours", "tokens", "out_of_bounds"),
        ("training_hours", {**RUN, "tokens": 10**400}, "gpu_hours", "tokens", "not_a_number"),
        ("training_hours", {**RUN, "epochs": None}, "gpu_hours", "epochs", "not_a_number"),
        # read by a field that is not asked for, and no number all the same
        ("training_hours", {**RUN, "batch_tokens": "4M", "n_gpus": 8}, "gpu_hours", "batch_tokens", "not_a_number"),
        ("training_hours", {"phases": [{"amount": 1, "rate": 2, "colour": 3}]}, "wall_s", "colour", "unknown_field"),
        ("training_memory", {"params": 7e9, "bytes_per_param": 2, "precision": "fp8"}, "gb", "precision", "conflict"),
        ("weights_memory", {"params": 7e9, "weight_bytes": -1}, "gb", "weight_bytes", "out_of_bounds"),
        ("kv_cache", {**LAYER, "tokens": 9, "sequences": -1}, "gb", "sequences", "out_of_bounds"),
        ("spares", {"k": 9, "n": 5, "availability": 0.9}, "availability", "k", "out_of_bounds"),
        ("circuit", {**FEED, "pf": 1.1}, "kw", "pf", "out_of_bounds"),
        ("circuit", {**FEED, "circuits": 2, "feeds": 3, "load_kw": 1}, "fits", "feeds", "conflict"),
        ("mtbf", {"days": 0, "failures": 3}, "job_mtbf_h", "days", "not_positive"),
    ],
)
def test_what_cannot_be_is_refused_under_the_name_that_the_case_gives_it(kind, inputs, field, path, code):
    assert refusal(kind, inputs, field) == [(f"inputs/{path}", code)]


def test_a_queue_that_never_empties_makes_everybody_wait():
    assert got("queueing", {"arrivals_per_s": 1e9, "service_s": 9, "servers": 3}, "p_wait") == [1.0]


def test_two_names_of_one_number_may_agree():
    assert got("kv_cache", {**LAYER, "bytes_per_element": 1}, "kb_per_token") == [65.536]


@pytest.mark.parametrize(
    ("kind", "inputs", "expected"),
    [
        # a server a day of a hundred fails: thirty in a month
        ("mtbf", {"nodes": 100, "failures_per_node_day": 0.01, "days": 30}, {"expected_failures": 30}),
        ("spares", {"units": 1000, "afr": 0.04, "lead_time_days": 73}, {"expected_failures": 8}),
        # (5 + 2.5)/108 min
        ("checkpoint", {"mtbf_h": 1.8, "restart_min": 5, "interval_min": 5}, {"loss": 7.5 / 108}),
        # 2.15·8 + 2 GB, and 32 layers of 34·8192·4096 bytes
        (
            "training_memory",
            {"params": 8e9, "method": "lora", "seq_len": 8192, "hidden": 4096, "layers": 32, "recompute": "selective"},
            {"gb": 19.2 + 32 * 34 * 8192 * 4096 / 1e9, "states_gb_per_gpu": 19.2},
        ),
        # half of the states on each of two, and one layer of 2·28·4096·4096 bytes
        (
            "training_memory",
            {
                "params": 1e9,
                "bytes_per_param": 16,
                "n_gpus": 2,
                "seq_len": 4096,
                "hidden": 4096,
                "layers": 1,
                "hidden_copies": 28,
            },
            {"gb_per_gpu": 8 + 56 * 4096**2 / 1e9},
        ),
    ],
)
def test_fields_beside_those_that_are_published(kind, inputs, expected):
    assert got(kind, inputs, *expected) == pytest.approx(list(expected.values()))


def test_serving_on_amd_reaches_six_tenths():
    case = next(case for case in VARIANTS if case["kind"] == "inference_throughput" and "eff_compute" in case["inputs"])
    plain, amd = (
        got("inference_throughput", {**case["inputs"], **more}, "tokens_per_s")[0]
        for more in ({}, {"architecture": "CDNA 3"})
    )
    assert amd == pytest.approx(0.6 * plain)


# ── large fleets ──


def test_erlang_c_of_a_large_fleet_is_searched_once_upwards():
    # A = 40,000: the fewest servers of which half the calls wait no longer than a tenth of their service
    found = w.servers_for_service_level(40_000.0, 1.0, 0.1, 0.5)
    assert w.service_level(found, 40_000.0, 1.0, 0.1) >= 0.5 > w.service_level(found - 1, 40_000.0, 1.0, 0.1)


def test_a_fleet_beyond_queueing_theory_is_refused():
    inputs = {"arrivals_per_s": 1e9, "service_s": 100, "target_s": 1, "service_level": 0.99}
    assert refusal("queueing", inputs, "servers") == [("inputs/offered", "out_of_bounds")]


def test_many_units_of_which_nearly_all_must_run():
    # 2,000 at 0.999: P(all run) = 0.999^2000; at most one down adds 2000·0.001·0.999^1999
    every = math.exp(2000 * math.log(0.999))
    assert w.k_of_n_availability(2000, 2000, 0.999) == pytest.approx(every)
    assert w.k_of_n_availability(1999, 2000, 0.999) == pytest.approx(every * (1 + 2 / 0.999))


def test_states_offloaded_with_other_bytes_keep_gradients_and_optimizer_on_the_host():
    # stage 3 on 8 of one server: weights 2/8 of 4e9; host (2 + 12)·4e9·8/8·1.5
    inputs = {"params": 4e9, "n_gpus": 8, "gpus_per_node": 8, "stage": 3, "setup": "mixed_bf16_grads", "offload": "cpu"}
    assert got("training_memory", inputs, "gb_per_gpu", "cpu_gb") == [1.0, 84.0]


def test_thin_air_carries_less():
    # 1,600 m: (1 − 0.036092)^4.2559 = 0.8552
    thin, thick = (got("airflow", {"watts": 10_000, "delta_t_c": 15, "altitude_m": h}, "cfm")[0] for h in (1600, 0))
    assert thick / thin == pytest.approx(0.8552, abs=5e-5)


@pytest.mark.parametrize("case", list(published()), ids=lambda case: case["id"])
@pytest.mark.parametrize("value", [-1, "abc", None, math.nan, 1e31])
def test_no_input_of_a_published_case_takes_what_is_no_number(case, value):
    for name, entry in case["inputs"].items():
        plain = entry["value"] if isinstance(entry, dict) and "value" in entry else entry
        if isinstance(plain, (int, float)):
            with pytest.raises(InputError, match=name):
                check({**case, "inputs": {**case["inputs"], name: value}})
