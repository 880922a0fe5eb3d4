"""Numbers at the ends of their bounds: an answer or a named refusal, within seconds, without a warning of NumPy."""

import json
import time

import numpy as np
import pytest

from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.quantities import InputError
from tests.engine.sample import book, build, document, plan, pool

CLOUD = {"accelerator": "gpu"}
WIDE = {"kind": "compound", "rate_per_month": 0.5}
JOINED = {
    "box": build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400.0),
    "chassis": build("chassis", 2, 8, 100_000.0, fabric_ports=8, fabric_port_gbps=400.0),
}
SHAPE = {"params_b": 20_000.0, "layers": 1000, "hidden": 200_000, "heads": 2048}


def answer(*plans, seconds=2.0, **changes):
    """The plain result; every number in it is finite."""
    scenario = Scenario.read(document(*plans, **changes))
    begin = time.perf_counter()
    with np.errstate(all="raise", under="ignore"):
        plain = evaluate(scenario, book(builds=JOINED)).as_dict()
    took = time.perf_counter() - begin
    json.dumps(plain, allow_nan=False)
    assert took < seconds
    return plain


def growing(**more):
    return plan("grow", start={"build": "chassis"}, follow_up={"kind": "cards", "batch": 1}, **more)


def test_100_000_gpus_bought_one_by_one_over_120_months_take_under_2_seconds():
    answer(growing(), months=120, work=pool(100_000.0))


@pytest.mark.parametrize("overflow", [None, CLOUD])
@pytest.mark.parametrize("joined", ["never", "always"])
def test_demand_that_explodes_is_answered(joined, overflow):
    # 100 000 × 1.5^119 GPUs
    answer(growing(fabric={"when": joined}, overflow=overflow), months=120, work=pool(100_000.0) | {"growth": WIDE})


def test_a_fabric_of_more_nodes_than_any_tree_carries_is_a_finding_and_no_price():
    plain = answer(plan("huge", start={"build": "box", "quantity": 10_000}, fabric={"when": "always"}), months=2)
    (huge,) = plain["plans"]
    assert not huge["feasible"]
    assert huge["present_value"] is None


def test_a_schedule_of_10_000_servers_a_month_is_answered():
    waves = [{"month": month, "quantity": 10_000} for month in range(120)]
    answer(plan(follow_up={"kind": "schedule", "waves": waves}, end_of_life={"life_months": 12}), months=120)


def test_linear_growth_at_its_bound_is_answered():
    answer(growing(overflow=CLOUD), months=120, work=pool(1.0) | {"growth": {"kind": "linear", "per_month": 1e9}})


@pytest.mark.parametrize("kind", ["serving", "training"])
def test_the_largest_models_are_answered_or_refused_by_name(kind):
    work = {"kind": kind, "slug": "work", "accelerator": "gpu", "model": SHAPE, "growth": WIDE}
    work |= (
        {"requests_per_day": 1e12, "output_tokens": 1e6, "input_tokens": 1e7}
        if kind == "serving"
        else {
            "tokens_b": 1e6,
            "runs_per_month": 1000.0,
            "deadline_days": 0.1,
            "sequence": 10_000_000,
            "micro_batch": 4096,
        }
    )
    try:
        answer(growing(overflow=CLOUD), months=120, work=work)
    except InputError as error:
        assert error.problems[0].code == "no_rate"  # noqa: PT017


def test_the_smallest_measured_rate_is_answered():
    work = {
        "kind": "serving",
        "slug": "work",
        "accelerator": "gpu",
        "measured_requests_per_s_per_gpu": 1e-9,
        "requests_per_day": 1e12,
        "growth": WIDE,
    }
    answer(growing(overflow=CLOUD), months=120, work=work)


def test_twenty_workloads_and_twelve_plans_are_answered():
    work = [pool(5_000.0, 0.05, slug=f"w{n}", priority=1 + n % 9) for n in range(20)]
    plans = [growing(overflow=CLOUD) | {"slug": f"p{n}"} for n in range(12)]
    answer(*plans, months=120, work=work, seconds=10.0)


def test_a_room_at_its_bounds_is_answered():
    steps = [
        {
            "slug": f"s{n}",
            "item": "split-ac",
            "adds_cooling_kw": 1e5,
            "adds_power_kw": 1e5,
            "adds_racks": 10_000,
            "lead_weeks": 200.0,
            "price": 1e9,
            "quantity": 1000,
        }
        for n in range(20)
    ]
    site = {
        "slug": "room",
        "cooling_kw": 0.0,
        "power_kw": 0.0,
        "racks": 0,
        "upgrades": steps,
        "moving_cost": 1e9,
        "electricity_price_per_kwh": 10.0,
        "pue": 3.0,
    }
    answer(growing(), months=120, work=pool(100_000.0), sites=[site])


@pytest.mark.parametrize("rate", [0.0, 1.0])
@pytest.mark.parametrize("path", [-0.9, 2.0])
def test_rates_at_their_bounds_are_answered(rate, path):
    market = {name: {"rate_per_year": path} for name in ("accelerator", "memory_flash", "rest", "electricity", "wages")}
    answer(
        growing(overflow={**CLOUD, "reserved_share": 1.0}),
        months=120,
        work=pool(100.0, 0.1),
        market=market,
        finance={"discount_rate": rate},
    )


def test_a_spread_that_would_turn_prices_negative_is_answered_or_refused():
    market = {"accelerator": {"rate_per_year": -0.9}, "cloud_spread": -0.9}
    try:
        plain = answer({"slug": "cloud", "overflow": CLOUD}, months=36, market=market)
    except InputError:
        return
    assert min(plain["plans"][0]["monthly"]["opex"]) >= 0.0


@pytest.mark.parametrize("life", [12, 240])
@pytest.mark.parametrize("then", ["renew", "let_go"])
@pytest.mark.parametrize("lead", [0, 60])
def test_lives_and_lead_times_at_their_bounds_are_answered(life, then, lead):
    answer(
        growing(end_of_life={"life_months": life, "then": then}, lead_months=lead), months=120, work=pool(50.0, 0.02)
    )


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_shares_at_their_bounds_are_answered(share):
    demand = {
        "workloads": [pool(4.0, target_utilisation=share)],
        "service_target": share,
        "software_speedup_per_year": share,
    }
    market = {"resale_commission": share}
    answer(growing(overflow={**CLOUD, "reserved_share": share}), months=24, demand=demand, market=market)


def test_one_month_of_nothing_is_answered():
    plain = answer(growing(overflow=CLOUD), {"slug": "cloud", "overflow": CLOUD}, months=1, work=pool(0.0))
    cloud = plain["plans"][1]
    assert (cloud["nominal_total"], cloud["cost_per_useful_gpu_hour"], cloud["served_share"]) == (0.0, None, 1.0)
    assert plain["verdict"]["plan"] == "cloud"


def test_the_own_prices_at_their_bounds_are_answered():
    for amount in (0.0, 1e9):
        answer(
            growing(overflow=CLOUD),
            months=24,
            market={"own_prices": {"chassis": amount, "card": amount, "cheap": amount}},
        )


def test_more_requests_under_way_than_anyone_counts_are_answered():
    model = {"params_b": 8.0, "layers": 32, "hidden": 4096, "heads": 32}
    work = {"kind": "serving", "slug": "work", "accelerator": "gpu", "model": model, "precision": "bf16"}
    work |= {"requests_per_day": 1e12, "input_tokens": 10_000.0, "output_tokens": 1e6, "growth": WIDE}
    for ratio in (None, 100.0):
        found = answer(growing(overflow=CLOUD), months=120, work={**work, "concurrency_p99_to_mean": ratio})
        assert all(row["limits"]["concurrency"] > 0 for plan in found["plans"] for row in plan["sizing"])
