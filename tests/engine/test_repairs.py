"""Failures in a plan, worked by hand: what waits for repair, spares on the shelf and their orders, repairs paid.

A box has 8 GPUs and costs 240 000; a chassis of 8 slots 40 000 without its cards of 30 000.
"""

import datetime as dt
import json
import math

import numpy as np
import pytest

from planner.engine import sensitivity
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.quantities import InputError
from planner.engine.reliability import short_of
from tests.engine.sample import amounts, book, build, document, evaluated, lines, only, plan, pool

NEVER = {"gpu_failures_per_year": 0.0, "server_failures_per_year": 0.0, "interruptions_per_1000_server_days": 0.0}


def failing(**rules):
    return {"counted": True, **NEVER, **rules}


def one(*plans, rules, **changes):
    return evaluated(*plans, reliability=failing(**rules), **changes).plans[0]


def boxes(quantity, **more):
    return plan(start={"build": "box", "quantity": quantity}, **more)


# Servers of which half fail within a year and are away for a tenth of it: 0.05 are away of each.
HALF = {"server_failures_per_year": 0.5, "turnaround_days": 36.5}


# ── What is missing ──


def test_without_spares_all_that_waits_for_repair_is_missing():
    # 32 servers × (8 × 0.04 + 0.044) a year × 7 ÷ 365 = 0.22339 servers of 8 GPUs
    rules = {"gpu_failures_per_year": 0.04, "server_failures_per_year": 0.044, "spares_confidence": 0.0}
    result = one(boxes(32), rules=rules, months=1)
    assert result.under_repair[0, 0] == pytest.approx(8 * 32 * 0.364 * 7 / 365)
    assert result.under_repair[0, 0] == pytest.approx(1.78709, abs=1e-5)
    assert result.capacity[0] == pytest.approx(256 - 1.78709, abs=1e-5)


def test_with_a_spare_only_a_second_failure_leaves_a_gap():
    # λ = 0.1, one spare: λ − 1 + e^−λ = 0.004837 servers
    result = one(boxes(2), rules=HALF, months=1)
    assert result.under_repair[0, 0] == pytest.approx(8 * (0.1 - 1 + math.exp(-0.1)))
    assert result.under_repair[0, 0] == pytest.approx(0.0386990, abs=1e-6)


def test_units_short_of_poisson_failures():
    # λ = 2 and 2 spares: Σ (n − 2)·p(n) = 2·(1 − 3e⁻²) − 2·(1 − 5e⁻²) = 4e⁻²
    assert short_of(2.0, 2) == pytest.approx(4 * math.exp(-2))
    assert short_of(0.3, 0) == pytest.approx(0.3)
    assert short_of([0.0, 1.0], [0, 1]).tolist() == [0.0, pytest.approx(math.exp(-1))]


def test_half_a_spare_is_refused():
    with pytest.raises(InputError) as caught:
        short_of(1.0, 0.5)
    assert [(problem.path, problem.code) for problem in caught.value.problems] == [(("stock",), "not_whole")]


def test_a_card_that_is_sold_by_itself_takes_no_other_with_it():
    # 8 cards × 0.5 × 36.5 ÷ 365 = 0.4 cards; the chassis never fails
    rules = {"gpu_failures_per_year": 0.5, "turnaround_days": 36.5, "spares_confidence": 0.0}
    result = one(plan(start={"build": "chassis", "cards": 8}), rules=rules, months=1)
    assert result.under_repair[0, 0] == pytest.approx(0.4)


def test_a_chassis_that_fails_takes_its_cards_with_it():
    # 0.05 chassis with 5 cards
    result = one(plan(start={"build": "chassis", "cards": 5}), rules={**HALF, "spares_confidence": 0.0}, months=1)
    assert result.under_repair[0, 0] == pytest.approx(0.25)


# ── What it does to work ──


def test_work_without_headroom_loses_what_is_under_repair():
    # 0.05 of 8 GPUs: 0.4 of the 8 that are asked for
    result = one(rules={**HALF, "spares_confidence": 0.0}, work=pool(8.0), months=1)
    assert result.served_share == pytest.approx(0.95)


def test_headroom_takes_the_loss_first():
    result = one(rules={**HALF, "spares_confidence": 0.0}, work=pool(7.6), months=1)
    assert result.served_share == 1.0


def test_the_cloud_takes_what_repairs_leave_undone():
    renting = plan(overflow={"accelerator": "gpu"})
    result = one(renting, rules={**HALF, "spares_confidence": 0.0}, work=pool(8.0), months=1)
    assert result.allocation.rented["pool"][0, 0] == pytest.approx(0.4)


SERVICE = {
    "kind": "serving",
    "slug": "service",
    "accelerator": "gpu",
    "measured_requests_per_s_per_gpu": 1.0,
    "requests_per_day": 86_400.0 * 14.4,  # 14.4 / 0.9 = 16 GPUs: two servers
    "diurnal_peak": 1.0,
    "burst_peak": 1.0,
    "target_utilisation": 1.0,
    "latency": "relaxed",
    "growth": {"kind": "constant"},
}


def test_spare_servers_of_a_service_stand_in_and_are_not_lost_twice():
    # 0.15 of 3 servers are away, and one of them is spare
    rules = {**HALF, "spares_confidence": 0.0}
    result = one(boxes(3), rules=rules, work=SERVICE, months=1)
    assert result.under_repair[0, 0] == pytest.approx(1.2)
    assert result.served_share == 1.0
    alone = one(boxes(2), rules=rules, work={**SERVICE, "spare_servers": 0}, months=1)
    assert alone.served_share == pytest.approx((16 - 0.8) / 16)


def training(**more):
    return {
        "kind": "training",
        "slug": "run",
        "accelerator": "gpu",
        "measured_tokens_per_s_per_gpu": 1000.0,
        "tokens_b": 16.0,
        "deadline_days": 29.0,
        "runs_per_month": 0.5,
        **more,
    }


def test_a_run_that_needs_all_its_gpus_loses_time_and_not_its_place():
    # 16e9 ÷ (1000 × 3600) = 4,444 GPU-hours: 6.4 GPUs for 29 days, so a box; half a run a month leaves it time
    rules = {**HALF, "spares_confidence": 0.0, "other_time_lost": 0.0}
    result = one(rules=rules, work=training(), months=1)
    assert result.requirements["box"]["run"].required[0, 0] == 8.0
    assert result.served_share == 1.0
    assert result.allocation.met.all()
    # 2.6 runs a month keep 4444.4 × 2.6 ÷ 730.5 = 15.8 GPUs busy; of 16, 0.8 are away
    busy = one(boxes(2), rules=rules, work=training(runs_per_month=2.6), months=1)
    mean = 16e9 / 3.6e6 * 2.6 / 730.5
    assert busy.served_share == pytest.approx((16 - 0.8) / mean)


# ── Spares and their orders ──


# Poisson of 0.05 a server, 95 %, by hand. P(0) = e^−λ: 0.951 of one server and 0.905 of two; λ = 0.35: P(≤ 1) =
# 1.35e^−0.35 = 0.9513; 0.4: 1.4e^−0.4 = 0.938, P(≤ 2) = 0.992; 1.0: P(≤ 2) = 2.5e⁻¹ = 0.920, P(≤ 3) = 0.981.
@pytest.mark.parametrize(("servers", "spares"), [(1, 0), (2, 1), (7, 1), (8, 2), (20, 3)])
def test_spares_last_with_the_confidence_asked_for(servers, spares):
    result = one(boxes(servers), rules=HALF, months=1)
    bought = lines(result, "capex.spares")
    assert sum(float(line.quantity.sum()) for line in bought.values()) == spares
    assert amounts(result, "capex.spares") == [240_000.0 * spares]


def test_spares_are_a_line_of_their_own_at_the_break_of_their_own_number():
    # eight boxes reach the break of 4, their two spares do not
    asked = {"amount": 240_000.0, "currency": "USD", "rate": 1.0}
    asked["terms"] = {"breaks": [{"min_quantity": 4, "amount": 200_000.0}]}
    prices = book(builds={"box": build("box", 8, 8, None, price=asked)}, addons={})
    result = one(
        boxes(8), rules=HALF, prices=prices, months=1, lines=only("capex.accelerators_and_servers", "capex.spares")
    )
    server = lines(result, "capex.accelerators_and_servers")["server"]
    spare = lines(result, "capex.spares")["spare_server"]
    assert (server.unit_price[0, 0], spare.unit_price[0, 0]) == (200_000.0, 240_000.0)
    assert spare.factors["price_today"] == 240_000.0


def test_the_shelf_takes_the_place_of_a_share_of_the_purchase():
    assert set(lines(one(boxes(8), rules=HALF, months=1), "capex.spares")) == {"spare_server"}
    assert set(lines(evaluated(boxes(8), months=1).plans[0], "capex.spares")) == {"spares"}


def test_cards_and_chassis_have_spares_of_their_own():
    # λ = 16 × 0.05 = 0.8 cards: P(≤ 1) = 0.809, P(≤ 2) = 0.953; 2 × 0.05 = 0.1 chassis: one
    rules = {**HALF, "gpu_failures_per_year": 0.5}
    result = one(plan(start={"build": "chassis", "quantity": 2, "cards": 16}), rules=rules, months=1)
    bought = {code: (float(line.quantity.sum()), line.total()) for code, line in lines(result, "capex.spares").items()}
    assert bought == {"spare_card": (2.0, 60_000.0), "spare_chassis": (1.0, 40_000.0)}


GROWING = pool(1.0) | {"growth": {"kind": "table", "values": [8, 8, 8, 8, 16, 16]}}


def test_a_spare_is_ordered_with_the_wave_that_needs_it():
    # the second box serves from month 4, ordered in month 2; two ask for a spare
    result = one(boxes(1, follow_up={"kind": "servers"}, lead_months=2), rules=HALF, work=GROWING, months=6)
    spares = [order for order in result.orders if order.kind == "spare_server"]
    assert [(order.month, order.in_service, order.item, order.quantity) for order in spares] == [(2, 4, "box", 1.0)]
    server = next(order for order in result.orders if order.kind == "server" and order.month == 2)
    assert spares[0].order_by == server.order_by == dt.date(2027, 3, 1)


def test_a_start_that_needs_spares_has_them_at_once():
    result = one(boxes(2, lead_months=3), rules=HALF, months=4)
    assert [(o.month, o.in_service) for o in result.orders if o.kind == "spare_server"] == [(0, 0)]


def test_a_lead_time_past_the_horizon_orders_no_spares():
    growing = boxes(2, follow_up={"kind": "servers"}, lead_months=9)
    result = one(growing, rules=HALF, work=GROWING, months=6)
    assert [order.month for order in result.orders if order.kind == "spare_server"] == [0]


def test_renewal_and_letting_go_buy_no_spares():
    for then in ("renew", "let_go"):
        result = one(boxes(2, end_of_life={"life_months": 12, "then": then}), rules=HALF, months=24)
        assert amounts(result, "capex.spares") == [240_000.0] + [0.0] * 23


def test_orders_and_other_capex_are_the_capex():
    result = one(boxes(8), rules=HALF, months=2, operations={"tax_region": "tax", "recoverable_tax_share": 0.5})
    ordered = {(order.line, order.month) for order in result.orders}
    rest = sum(
        int(line.minor[m])
        for line in result.lines
        if line.kind == "capex"
        for m in range(2)
        if (line.key, m) not in ordered
    )
    assert sum(order.minor for order in result.orders) + rest == round(result.total("capex") * 100)
    assert "spare_server" in {order.kind for order in result.orders}


def test_freight_and_tax_are_paid_on_spares_too():
    half = {"tax_region": "tax", "recoverable_tax_share": 0.5}
    result = one(boxes(2), rules=HALF, months=1, operations=half)
    assert amounts(result, "capex.freight_and_duty", "spares_freight") == [2400.0]
    assert amounts(result, "capex.sales_tax_or_vat", "spares_tax") == [24_000.0]


def test_spares_that_are_switched_off_cost_nothing_and_bear_no_freight():
    result = one(boxes(2), rules=HALF, months=1, lines={"capex.spares": False})
    assert amounts(result, "capex.spares") == [0.0]
    assert amounts(result, "capex.freight_and_duty", "spares_freight") == [0.0]


# ── Repairs ──


REPAIRS = {
    "gpu_failures_per_year": 0.365,
    "server_failures_per_year": 0.73,
    "repair_hours": 5.0,
    "server_parts_share": 0.1,
    "spares_confidence": 0.0,
}


def test_repairs_out_of_warranty_take_parts_and_labour():
    # January: 8 × 0.365 × 31/365 = 0.248 GPUs of 0.75 × 240 000 ÷ 8 = 22 500; 0.062 servers at 10 % of 60 000;
    # 0.31 repairs × 5 h × 200
    result = one(rules=REPAIRS, months=2)
    assert amounts(result, "opex.support", "repair_gpus") == [5580.0, 5040.0]
    assert amounts(result, "opex.support", "repair_servers") == [372.0, 336.0]
    assert amounts(result, "opex.support", "repair_labour") == [310.0, 280.0]


def test_a_stated_rate_of_a_technician_replaces_the_catalog_s():
    result = one(rules={**REPAIRS, "repair_rate_per_hour": 100.0}, months=1)
    assert amounts(result, "opex.support", "repair_labour") == [155.0]


def test_repairs_begin_after_the_warranty_and_end_with_the_machine():
    covered = book(builds={"box": build("box", 8, 8, 240_000.0, warranty_months=12)})
    leaving = boxes(1, end_of_life={"life_months": 14, "then": "let_go"})
    paid = amounts(one(leaving, rules=REPAIRS, months=16, prices=covered), "opex.support", "repair_labour")
    assert [month for month, amount in enumerate(paid) if amount] == [12, 13]


def test_a_stated_warranty_holds_for_contract_and_repairs():
    covered = book(
        builds={"box": build("box", 8, 8, 240_000.0, warranty_months=36, support_share_per_year=0.06)},
    )
    result = one(rules={"warranty_years": 1.0}, months=14, prices=covered)
    assert amounts(result, "opex.support") == [0.0] * 12 + [1200.0, 1200.0]


def test_a_contract_holds_the_repairs_and_without_it_they_are_paid():
    covered = book(builds={"box": build("box", 8, 8, 240_000.0, support_share_per_year=0.06)})
    assert set(lines(one(rules=REPAIRS, months=1, prices=covered), "opex.support")) == {"machines"}
    paid = one(rules={**REPAIRS, "after_warranty": "own_repair"}, months=1, prices=covered)
    assert set(lines(paid, "opex.support")) == {"repair_gpus", "repair_servers", "repair_labour"}


def test_cards_are_replaced_at_their_own_price():
    # 2 × 0.365 × 31/365 = 0.062 cards of 30 000; 0.062 chassis at 10 % of 40 000
    result = one(plan(start={"build": "chassis"}), rules=REPAIRS, months=1, work=pool(1.0))
    assert amounts(result, "opex.support", "repair_gpus") == [1860.0]
    assert amounts(result, "opex.support", "repair_servers") == [248.0]


# ── Runs and services ──


MODEL = {"params_b": 100.0, "layers": 80, "hidden": 9000, "heads": 72}
LONG = training(
    measured_tokens_per_s_per_gpu=None, model=MODEL, tokens_b=2000.0, deadline_days=60.0, mfu=0.4, runs_per_month=0.3
)
JOINED = book(builds={"box": build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400.0)})


def factors(work, **rules):
    result = one(boxes(1), rules=rules, work=work, months=1, prices=JOINED)
    return result.requirements["box"]["run"].factors


def test_goodput_of_a_run_follows_from_its_interruptions():
    facts = factors(LONG, interruptions_per_1000_server_days=3.0, other_time_lost=0.1)
    servers = facts["gang"] / 8
    mtbf = 86_400.0 * 1000 / 3 / servers  # s
    save = 14 * 100e9 / 10e9  # 140 s
    every = math.sqrt(2 * save * mtbf)
    assert facts["mtbf_h"] == pytest.approx(mtbf / 3600)
    assert facts["save_s"] == pytest.approx(140.0)
    assert facts["checkpoint_every_h"] == pytest.approx(every / 3600)
    assert facts["interruptions"] == pytest.approx(730.5 * 3600 / mtbf)
    assert facts["goodput"] == pytest.approx((1 - (600 + every / 2) / mtbf - save / every) * 0.9)


def test_the_gang_is_large_enough_for_what_its_own_interruptions_take():
    facts = factors(LONG, interruptions_per_1000_server_days=30.0)
    hours = facts["gpu_hours_per_run"]
    assert facts["gang"] == math.ceil(hours / (24 * 60) / 8) * 8
    calm = factors(LONG, interruptions_per_1000_server_days=3.0)
    assert facts["gang"] > calm["gang"]
    assert facts["goodput"] < calm["goodput"]


def test_runs_that_stop_before_they_start_have_an_answer_that_no_plan_can_buy():
    rules = {
        "interruptions_per_1000_server_days": 1000.0,
        "restart_minutes": 1440.0,
        "checkpoint_write_gb_per_s": 0.01,
    }
    result = one(boxes(1), rules=rules, work=LONG, months=1)
    assert result.requirements["box"]["run"].gang > 1e9
    assert not result.feasible


def test_a_measured_goodput_stands():
    facts = factors({**LONG, "goodput": 0.7}, interruptions_per_1000_server_days=3.0)
    assert facts["goodput"] == 0.7
    assert "mtbf_h" in facts
    assert "other_time_lost" not in facts


def test_jobs_that_are_never_interrupted_lose_other_time_only():
    assert factors(LONG)["goodput"] == pytest.approx(0.86)
    assert factors(training())["goodput"] == pytest.approx(0.95)


def test_a_checkpoint_of_unknown_size_is_taken_as_often_as_the_rule_says():
    # one server: 1000/3 days between interruptions, an hour between checkpoints: 1 − (10 + 30) min ÷ 480,000 min
    facts = factors(training(), interruptions_per_1000_server_days=3.0)
    assert facts["checkpoint_every_h"] == 1.0
    assert facts["goodput"] == pytest.approx((1 - 40 / 480_000) * 0.95)


def test_a_service_is_short_while_more_than_its_spare_servers_are_away():
    # 3 servers of which 2 must run, each away 5 % of the time: 3 × 0.05² × 0.95 + 0.05³ = 0.00725 of 8,760 h
    result = one(boxes(3), rules=HALF, work=SERVICE, months=1)
    assert result.requirements["box"]["service"].factors["short_h"] == pytest.approx(0.00725 * 8760)


# ── Off ──


def test_a_document_that_says_nothing_counts_no_failures():
    quiet = evaluated(boxes(8), months=14)
    result = quiet.plans[0]
    assert "failures" in quiet.left_out
    assert not result.under_repair.any()
    assert result.capacity.tolist() == [64.0] * 14
    assert not any(line.code.startswith(("spare_", "repair_")) for line in result.lines)


def test_what_is_counted_is_not_left_out():
    assert "failures" not in evaluated(boxes(1), reliability=failing()).left_out


def test_failures_that_never_happen_change_nothing():
    quiet, counted = evaluated(boxes(3)).plans[0], one(boxes(3), rules={})
    assert counted.present_value == quiet.present_value
    assert counted.served_share == quiet.served_share == 1.0


def test_rates_are_uncertain_only_where_they_count():
    def paths(**rules):
        scenario = Scenario.read(document(reliability=rules))
        return {each.path for each in sensitivity.ranged(scenario) if each.path.startswith("reliability/")}

    assert paths(counted=False) == set()
    assert "reliability/turnaround_days" in paths(counted=True)


def test_bounds_are_refused_by_name():
    with pytest.raises(InputError) as caught:
        Scenario.read(document(reliability={"turnaround_days": 400.0, "spares_confidence": 1.0}))
    found = [(problem.path, problem.code, problem.high, problem.unit) for problem in caught.value.problems]
    assert found == [
        (("reliability", "turnaround_days"), "out_of_bounds", 365.0, "day"),
        (("reliability", "spares_confidence"), "out_of_bounds", 0.9999, "share"),
    ]


def test_an_evaluation_with_failures_is_plain_data():
    data = document(boxes(8), reliability=failing(**HALF), months=2, lines=only("capex.spares"))
    plain = evaluate(Scenario.read(data), book()).as_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert np.allclose(plain["plans"][0]["monthly"]["under_repair_gpu"], 8 * short_of(0.4, 2))


def test_a_spare_costs_what_its_month_does():
    # a year later everything has become 20 % cheaper
    market = {name: {"rate_per_year": -0.2} for name in ("accelerator", "memory_flash", "rest")}
    late = pool(1.0) | {"growth": {"kind": "table", "values": [8] * 12 + [16]}}
    growing = boxes(1, follow_up={"kind": "servers"})
    result = one(growing, rules=HALF, work=late, months=13, market=market)
    assert amounts(result, "capex.spares")[12] == pytest.approx(192_000.0)
