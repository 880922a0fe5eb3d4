"""Worked cases through the public path: those of the project, and others worked by an independent program.

The program below follows the "rules" of hand_cases.json month by month in plain Python; it uses nothing of the engine.
"""

import calendar
import json
import math
from pathlib import Path

import pytest

from planner.engine.quantities import InputError
from planner.engine.validation import check

HAND = json.loads((Path(__file__).parents[1] / "reference" / "hand_cases.json").read_text(encoding="utf-8"))


def statuses(case):
    return {found.field: (found.status, found.expected, found.got) for found in check(case)}


def all_ok(case):
    wrong = {name: row for name, row in statuses(case).items() if row[0] != "ok"}
    assert wrong == {}


@pytest.mark.parametrize("case", HAND["cases"], ids=lambda case: case["id"])
def test_hand_worked_cases_agree_to_a_millionth(case):
    checks = check(case)
    assert {found.field for found in checks} == set(case["expected"])
    assert [(found.field, found.got) for found in checks if found.status != "ok"] == []
    assert all(found.error <= 1e-6 for found in checks)


# ── the independent program ──


def hours_of(start, months):
    year, month = map(int, start.split("-"))
    out = []
    for _ in range(months):
        out.append(24 * calendar.monthrange(year, month)[1])
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return out


def discounted(flows, rate):
    return math.fsum(flow * (1 + rate) ** (-m / 12) for m, flow in enumerate(flows))


def energy(i):
    hours = hours_of(i["start"], i["months"])
    draw = i["idle_kw"] + i["n_gpu_busy_share"] * (i["typical_kw"] - i["idle_kw"])
    it = [draw * h * i["tariff"] * (1 + i.get("esc", 0.0)) ** (m / 12) for m, h in enumerate(hours)]
    over = [cost * (i["pue"] - 1) for cost in it]
    flows = [a + b for a, b in zip(it, over, strict=True)]
    bills = list(flows)
    flows[0] += i["price"]
    return {
        "hours_total": sum(hours),
        "it_energy_kwh": draw * sum(hours),
        "facility_kwh": draw * sum(hours) * i["pue"],
        "energy_it_cost": sum(it),
        "energy_overhead_cost": sum(over),
        "energy_month_cost": bills[:14],
        "capex": i["price"],
        "nominal_total": sum(flows),
        "present_value": discounted(flows, i["rate"]),
    }


def served(i, capacity, hours):
    demand = [i["d0"] * (1 + i["g"]) ** m for m in range(i["months"])]
    return demand, [min(d, c) * h for d, c, h in zip(demand, capacity, hours, strict=True)]


def draw_cost(cards, slots, hours):
    return [(0.7 * n + 1.0 * math.ceil(n / slots)) * h * 1.3 * 0.10 for n, h in zip(cards, hours, strict=True)]


def scale_out(i):
    months, slots, lead = i["months"], i["chassis_slots"], i["lead"]
    hours = hours_of(i["start"], months)
    capacity = [i["init"]] * months
    chassis_owned = math.ceil(i["init"] / slots)
    owned = i["init"]
    orders = [{"month": 0, "cards": owned, "chassis": chassis_owned, "in_service": 0}] if owned else []
    paid = [0.0] * months
    paid[0] = owned * i["card0"] + chassis_owned * i["chassis0"]
    for m in range(months - lead):
        due = m + lead
        bought = 0
        while i["d0"] * (1 + i["g"]) ** due > i["thr"] * (capacity[due] + bought) * (1 + 1e-12) + 1e-9:
            bought += i.get("batch", 1)
        if not bought:
            continue
        new = max(0, math.ceil((owned + bought) / slots) - chassis_owned)
        owned, chassis_owned = owned + bought, chassis_owned + new
        paid[m] += (bought * i["card0"] + new * i["chassis0"]) * (1 - i["decline"]) ** (m / 12)
        orders.append({"month": m, "cards": bought, "chassis": new, "in_service": due})
        for later in range(due, months):
            capacity[later] += bought
    bills = draw_cost(capacity, slots, hours)
    demand, useful = served(i, capacity, hours)
    return {
        "orders": orders,
        "capacity": capacity,
        "unmet_months": [m for m in range(months) if demand[m] > capacity[m] + 1e-9],
        "capex_total": sum(paid),
        "energy_total": sum(bills),
        "present_value": discounted([a + b for a, b in zip(paid, bills, strict=True)], i["rate"]),
        "useful_gpu_hours": sum(useful),
        "discounted_useful_gpu_hours": discounted(useful, i["rate"]),
    }


def up_front(i):
    hours = hours_of(i["start"], i["months"])
    capacity = [i["n"]] * i["months"]
    price = i["n"] * i["card0"] + math.ceil(i["n"] / i["chassis_slots"]) * i["chassis0"]
    bills = draw_cost(capacity, i["chassis_slots"], hours)
    demand, _ = served(i, capacity, hours)
    return {
        "capex_total": price,
        "energy_total": sum(bills),
        "present_value": price + discounted(bills, i["rate"]),
        "unmet_months": [m for m, d in enumerate(demand) if d > i["n"] + 1e-9],
    }


def cloud(i):
    hours = hours_of(i["start"], i["months"])
    flows = [i["d0"] * (1 + i["g"]) ** m * h * i["price"] * (1 - i["decline"]) ** (m / 12) for m, h in enumerate(hours)]
    return {
        "nominal_total": sum(flows),
        "present_value": discounted(flows, i["rate"]),
        "first_month": flows[0],
        "last_month": flows[-1],
    }


WORK = {"energy": energy, "scale_out": scale_out, "up_front": up_front, "cloud": cloud}


def cents(value):
    """As the cases print it: money and hours to the cent, counts whole."""
    if isinstance(value, float):
        return round(value, 2)
    return [cents(entry) for entry in value] if isinstance(value, list) else value


@pytest.mark.parametrize("case", HAND["cases"], ids=lambda case: case["id"])
def test_the_independent_program_reproduces_the_hand_worked_cases(case):
    got = WORK[case["kind"]](case["inputs"])
    for name, expected in case["expected"].items():
        assert (
            cents(got[name]) == pytest.approx(expected, abs=0.011)
            if not isinstance(expected, list) or (expected and not isinstance(expected[0], dict))
            else got[name] == expected
        ), name


ENERGY = {
    "start": "2027-01",
    "months": 24,
    "n_gpu_busy_share": 1.0,
    "idle_kw": 2.0,
    "typical_kw": 8.0,
    "max_kw": 10.2,
    "pue": 1.3,
    "tariff": 0.1,
    "price": 300_000.0,
    "rate": 0.08,
    "esc": 0.0,
}
SCALE = {
    "start": "2027-01",
    "months": 48,
    "d0": 1.6,
    "g": 0.05,
    "thr": 0.8,
    "init": 2,
    "chassis_slots": 8,
    "card0": 30_000.0,
    "chassis0": 40_000.0,
    "decline": 0.1,
    "lead": 2,
    "rate": 0.08,
}
UP = {
    "start": "2027-01",
    "months": 48,
    "d0": 1.6,
    "g": 0.05,
    "n": 8,
    "card0": 30_000.0,
    "chassis0": 40_000.0,
    "chassis_slots": 8,
    "rate": 0.08,
}
RENT = {"start": "2027-01", "months": 48, "d0": 1.6, "g": 0.05, "price": 2.5, "decline": 0.15, "rate": 0.08}

UNSEEN = {
    "energy": [
        {**ENERGY, "n_gpu_busy_share": 0.0, "start": "2028-02", "months": 1},
        {**ENERGY, "n_gpu_busy_share": 0.4, "esc": 0.037, "start": "2027-11", "months": 120, "pue": 1.57},
        {**ENERGY, "n_gpu_busy_share": 0.4, "esc": -0.05, "rate": 0.0, "tariff": 0.3127, "price": 0.0},
        {**ENERGY, "idle_kw": 0.0, "typical_kw": 119.3, "max_kw": 132.0, "pue": 1.0, "rate": 0.17, "months": 37},
    ],
    "scale_out": [
        {**SCALE, "init": 11, "chassis_slots": 4, "d0": 9.0, "g": 0.03},
        {**SCALE, "lead": 0, "thr": 1.0, "g": 0.07, "start": "2027-10"},
        {**SCALE, "g": 0.0, "d0": 6.3, "lead": 3},
        {**SCALE, "g": -0.02, "d0": 7.7, "months": 120, "rate": 0.0},
        {**SCALE, "months": 1, "lead": 0, "init": 1, "d0": 5.0, "start": "2028-02"},
        {**SCALE, "months": 120, "g": 0.04, "decline": 0.0, "lead": 7, "chassis_slots": 3, "thr": 0.65},
        {**SCALE, "batch": 4, "init": 4, "d0": 3.1},
        {**SCALE, "init": 0, "d0": 0.5, "lead": 1},
        {**SCALE, "chassis_slots": 1, "init": 3, "decline": 0.3, "months": 24},
        {**SCALE, "lead": 60},
    ],
    "up_front": [
        {**UP, "n": 13, "chassis_slots": 4, "start": "2027-07", "months": 120, "g": 0.02, "rate": 0.0},
        {**UP, "n": 1, "d0": 3.0, "g": -0.03, "months": 60},
        {**UP, "months": 1, "n": 16},
        {**UP, "d0": 8.0, "g": 0.0},
    ],
    "cloud": [
        {**RENT, "start": "2028-02", "months": 1, "d0": 7.25, "decline": 0.0},
        {**RENT, "g": -0.04, "decline": 0.33, "months": 120, "rate": 0.0, "start": "2026-12"},
        {**RENT, "g": 0.0, "d0": 0.37, "price": 11.77, "rate": 0.17},
    ],
}


@pytest.mark.parametrize(("kind", "inputs"), [(kind, row) for kind, rows in UNSEEN.items() for row in rows])
def test_unseen_cases_agree_to_a_millionth(kind, inputs):
    all_ok({"id": "unseen", "kind": kind, "inputs": inputs, "expected": WORK[kind](inputs)})


@pytest.mark.parametrize(
    ("kind", "inputs"), [("energy", ENERGY), ("scale_out", SCALE), ("up_front", UP), ("cloud", RENT)]
)
def test_a_wrong_figure_is_off(kind, inputs):
    expected = WORK[kind](inputs)
    for name, value in expected.items():
        if isinstance(value, (int, float)) and value:
            # a part in 3 million more, and a cent
            case = {"id": "wrong", "kind": kind, "inputs": inputs, "expected": {name: value * (1 + 3e-6) + 0.01}}
            assert [found.status for found in check(case)] == ["off"], name


def test_a_figure_that_nobody_computes_is_unsupported_and_never_agreed():
    case = {"id": "odd", "kind": "cloud", "inputs": RENT, "expected": {"carbon": 1.0}}
    assert [found.status for found in check(case)] == ["unsupported"]


def test_a_kind_that_nobody_computes_is_unsupported():
    assert [found.status for found in check({"id": "odd", "kind": "tide", "inputs": {}, "expected": {"x": 1}})] == [
        "unsupported"
    ]


@pytest.mark.parametrize(("printed", "status"), [(2976.0, "ok"), (2976.01, "off"), (2975.99, "off"), (2976, "ok")])
def test_a_figure_printed_to_the_cent_is_met_within_half_of_one(printed, status):
    # 1.6 GPUs × 744 h × 2.5 are 2976
    case = {"id": "cent", "kind": "cloud", "inputs": RENT, "expected": {"first_month": printed}}
    assert [found.status for found in check(case)] == [status]


def test_a_whole_amount_may_have_been_rounded_to_it():
    # 1.6 GPUs × 744 h × 2.49999663 are 2975.99599: printed 2976.00
    case = {
        "id": "whole",
        "kind": "cloud",
        "inputs": {**RENT, "price": 2.49999663},
        "expected": {"first_month": 2976.0},
    }
    assert [found.status for found in check(case)] == ["ok"]


def test_a_list_of_another_length_is_off():
    case = {"id": "short", "kind": "scale_out", "inputs": SCALE, "expected": {"unmet_months": [1]}}
    assert [found.status for found in check(case)] == ["off"]


@pytest.mark.parametrize(
    "change", [{"months": None}, {"months": 0}, {"start": "soon"}, {"chassis_slots": 0}, {"lead": 1.5}]
)
def test_a_case_that_cannot_be_computed_is_refused_by_name(change):
    inputs = {**SCALE, **change}
    if change.get("months", 1) is None:
        del inputs["months"]
    with pytest.raises(InputError) as error:
        check({"id": "bad", "kind": "scale_out", "inputs": inputs, "expected": {"capex_total": 1.0}})
    assert next(iter(change)) in str(error.value)
