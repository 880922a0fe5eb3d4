"""A power limit of the GPUs: what it takes from speed and draw, and how that reaches a plan."""

import numpy as np
import pytest

from planner.engine.demand import machine_for, power_share
from planner.engine.workload import limited_rate
from tests.engine.sample import amounts, book, evaluated, only, plan, pool

# github.com/voipmonitor/rtx6kpro, hardware/gpu-configs.md: tokens a second over those at 300 of 600 W, with 4, 16, 32
# and 64 requests at once.
PUBLISHED = {300: (1.0, 1.0, 1.0, 1.0), 400: (1.02, 1.10, 1.18, 1.22), 500: (1.03, 1.16, 1.25, 1.29)}
FULL = (1.04, 1.17, 1.26, 1.30)
EIGHT = {"params_b": 8.0, "layers": 32, "hidden": 4096, "heads": 32}


def warm(**more):
    """The sample's book with a card of 1000 W: eight of the box's 10 kW, six of its typical 8 kW."""
    known = book().model_dump(mode="json")["accelerators"]
    return book(accelerators={**known, "gpu": {**known["gpu"], "tdp_w": 1000.0, **more}})


@pytest.mark.parametrize("watts", PUBLISHED)
def test_u030_the_published_table_is_met(watts):
    expected = [gain / full for gain, full in zip(PUBLISHED[watts], FULL, strict=True)]
    assert limited_rate(watts / 600, np.array([4.0, 16.0, 32.0, 64.0])) == pytest.approx(expected)


def test_u030_one_user_loses_little_and_many_lose_much():
    assert limited_rate(0.5, 1.0) == pytest.approx(1 / 1.04)  # "only ~4 %"
    assert limited_rate(0.5, 64.0) == pytest.approx(1 / 1.30)
    assert limited_rate(0.5, 500.0) == limited_rate(0.5, 64.0) == limited_rate(0.5)


def test_a_limit_between_those_measured_lies_between_their_speeds():
    assert limited_rate(450 / 600, 64.0) == pytest.approx((1.22 + 1.29) / 2 / 1.30)
    assert limited_rate(0.5, 8.0) == pytest.approx((1 / 1.04 + 1 / 1.17) / 2)  # halfway from 4 to 16, by doublings


def test_no_limit_takes_nothing_and_under_half_the_power_speed_falls_with_it():
    assert limited_rate(1.0) == limited_rate(2.0) == 1.0
    assert limited_rate(0.25, 64.0) == pytest.approx(0.5 / 1.30)
    assert limited_rate(0.0) == 0.0


def test_a_batch_of_limits_is_as_many_single_ones():
    shares, busy = np.array([[0.3], [0.6], [0.9]]), np.array([1.0, 10.0, 100.0])
    both = limited_rate(shares, busy)
    assert both.shape == (3, 3)
    assert both[1, 1] == limited_rate(0.6, 10.0)


def test_a_server_draws_less_by_what_its_cards_may_not():
    # cards may draw 600 of 1000 W: 8 × 400 W less at most; typically they draw 1000 × 8 ÷ 10 W, 200 W less each
    limited = machine_for(warm(), "box", 600.0)
    assert (limited.build.max_kw, limited.build.typical_kw, limited.build.idle_kw) == pytest.approx((6.8, 6.4, 2.0))
    assert limited.power_share == pytest.approx(0.6)


def test_a_card_in_a_free_slot_is_limited_as_those_that_came_with_the_chassis():
    # the chassis' host keeps 3 − 2 × 1 kW, 2.4 − 2 × 0.8 kW
    limited = machine_for(warm(), "chassis", 600.0)
    assert limited.card_kw == pytest.approx((0.6, 0.6, 0.1))
    assert limited.host_kw == pytest.approx((1.0, 0.8, 0.2))


def test_a_limit_changes_nothing_above_the_nameplate_or_where_it_is_not_known():
    assert machine_for(warm(), "box", 1000.0) == machine_for(warm(), "box")
    assert power_share(book().accelerators["gpu"], 300.0) == 1.0


def test_u030_both_power_and_speed_of_a_plan_change():
    full, limited = (
        evaluated(
            plan(gpu_power_limit_w=watts),
            work=pool(4.0),
            months=1,
            prices=warm(),
            lines=only("opex.energy_it"),
        ).plans[0]
        for watts in (None, 500.0)
    )
    # a pool fills its GPUs: 4 GPUs of work take 4 × 1.3 at half the power
    assert limited.requirements["box"]["pool"].mean[0, 0] == pytest.approx(4 * 1.30)
    # January: 2 kW idle + 4 ÷ 8 × (8 − 2); then typically 8 − 8 × 0.3 kW, 5.2 of 8 GPUs busy
    assert amounts(full, "opex.energy_it") == [round(5.0 * 744 * 0.10, 2)]
    assert amounts(limited, "opex.energy_it") == [round((2 + 5.2 / 8 * (5.6 - 2)) * 744 * 0.10, 2)]
    assert limited.housing.draw_max[0, 0] == pytest.approx(10 - 8 * 0.5)


def test_u030_a_service_with_few_requests_loses_less_than_one_with_many():
    def lost(per_day):
        work = {"kind": "serving", "slug": "work", "accelerator": "gpu", "model": EIGHT, "growth": {"kind": "constant"}}
        work |= {"requests_per_day": per_day, "precision": "bf16"}
        full, limited = (
            evaluated(plan(gpu_power_limit_w=watts), work=work, months=1, prices=warm())
            .plans[0]
            .requirements["box"]["work"]
            for watts in (None, 500.0)
        )
        assert limited.factors["under_way"] >= 0.0
        return 1 - limited.factors["rate_per_gpu"] / full.factors["rate_per_gpu"]

    few, many = lost(1000.0), lost(1e7)
    assert few == pytest.approx(1 - 1 / 1.04)
    assert 3 * few < many < 1 - 1 / 1.30


def test_the_limit_of_the_scenario_holds_for_plans_without_their_own_and_for_nobody_elses_gpus():
    both = evaluated(
        plan("own", gpu_power_limit_w=1000.0),
        plan("common", overflow={"accelerator": "gpu", "offer": "cheap"}),
        months=1,
        prices=warm(),
        operations={"gpu_power_limit_w": 500.0},
    )
    needs = [each.requirements["box"]["pool"].mean[0, 0] for each in both.plans]
    assert needs == pytest.approx([4.0, 5.2])
    assert both.plans[1].requirements["offer"]["pool"].mean[0, 0] == pytest.approx(4.0)


@pytest.mark.parametrize(("watts", "warned"), [(499.0, True), (500.0, False), (1000.0, False)])
def test_a_limit_under_half_the_nameplate_is_warned_of_and_still_counted(watts, warned):
    found = evaluated(plan(gpu_power_limit_w=watts), work=pool(4.0), months=1, prices=warm()).plans[0]
    facts = [each.facts for each in found.warnings if each.code == "power_limit_low"]
    assert facts == ([{"item": "gpu", "limit_w": 499.0, "nameplate_w": 1000.0}] if warned else [])
    assert found.feasible
