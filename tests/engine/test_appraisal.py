"""Plans as investments, and the verdict at other discount rates, worked by hand on whole boxes and rent."""

import math

import numpy as np
import pytest

from planner.engine.appraisal import appraise, by_discount_rate, cost_by_life, level_payment, unit_costs
from planner.engine.break_even_use import break_even_use
from planner.engine.calendar import calendar_for
from planner.engine.compare import compare
from tests.engine.sample import FLAT, book, evaluated, offer, only, plan, pool

LINES = only("capex.accelerators_and_servers", "opex.cloud_usage")
CLOUD = {"slug": "cloud", "overflow": {"accelerator": "gpu"}}
WORK = pool(8.0, measure="installed")


def owned_and_rented(per_hour, months=24, rate=0.08):
    """A server of 240,000 against 8 GPUs rented around the clock, in months of their own hours."""
    prices = book(offers={"one": offer("one", per_hour)})
    finance = {"discount_rate": rate, "residual_at_horizon": False}
    return evaluated(plan("buy"), CLOUD, lines=LINES, work=WORK, months=months, prices=prices, finance=finance)


def test_a_plan_instead_of_another_as_an_investment():
    # 2 an hour: 11,904 in a month of 31 days; 240,000 − 11,904 are paid at the start
    evaluation = owned_and_rented(2.0)
    found = appraise(evaluation.plan("buy"), evaluation.plan("cloud"))
    hours = evaluation.calendar.hours
    saved = 16.0 * hours
    saved[0] -= 240_000
    assert found.irr.state == "one"
    value = (saved * (1 + found.irr.annual()[0]) ** (-np.arange(24) / 12)).sum()
    assert value == pytest.approx(0.0, abs=1e-3)
    sums = np.cumsum(saved)  # −4,608 after month 20, in which 8,928 … more come
    k = int(np.flatnonzero(sums < 0)[-1])
    assert found.payback == pytest.approx(k - sums[k] / saved[k + 1])
    assert found.discounted_payback > found.payback
    assert found.plan == "buy"
    assert appraise(evaluation.plan("cloud"), evaluation.plan("buy")) == found  # whichever is named first


def test_u048_a_cloud_whose_price_falls_is_overtaken_later():
    def month(change):
        market = {**FLAT, "cloud_spread": change}
        prices = book(offers={"one": offer("one", 2.0)})
        evaluation = evaluated(plan("buy"), CLOUD, lines=LINES, work=WORK, months=60, prices=prices, market=market)
        return compare(evaluation).break_even["buy"]["cloud"].months

    # 240,000 ÷ 11,680 a month: in the 21st; at −28 % a year a sum that grows more slowly
    assert month(0.0) == (20,)
    rent = 16.0 * calendar_for("2027-01", 60).hours * 0.72 ** (np.arange(60) / 12)
    assert month(-0.28) == (int(np.flatnonzero(np.cumsum(rent) > 240_000)[0]),)
    assert month(-0.28) > (20,)


def test_what_never_pays_back_says_so():
    evaluation = owned_and_rented(1.0, months=12)
    found = appraise(evaluation.plan("buy"), evaluation.plan("cloud"))
    assert (found.payback, found.discounted_payback) == (None, None)
    assert found.irr.rates[0] < 0  # 70,080 back of 240,000


def test_equal_plans_earn_nothing_and_owe_nothing():
    evaluation = owned_and_rented(2.0)
    found = appraise(evaluation.plan("buy"), evaluation.plan("buy"))
    assert (found.irr.state, found.payback) == ("none", 0.0)


def test_the_level_payment_is_worth_the_plan():
    result = owned_and_rented(2.0, rate=0.12).plan("buy")
    monthly = 1.12 ** (1 / 12)
    assert sum(level_payment(result) / monthly**k for k in range(1, 25)) == pytest.approx(240_000, rel=1e-9)


def test_the_discount_rate_at_which_the_verdict_flips():
    # 1.85 an hour over two years: 259,296 in all; owning wins while money is cheap
    evaluation = owned_and_rented(1.85)
    found = by_discount_rate(evaluation)
    assert found.below is None or found.below.rate < 0.08
    flip = found.above or found.below
    assert (flip.before, flip.after) == ("buy", "cloud")
    rent = 14.8 * evaluation.calendar.hours
    years = np.arange(24) / 12
    assert (rent * (1 + flip.rate) ** -years).sum() == pytest.approx(240_000, abs=5.0)
    assert found.presets == {"public": "buy", "enterprise": "buy" if flip.rate > 0.08 else "cloud", "startup": "cloud"}


def test_no_rate_changes_a_plan_that_is_cheaper_at_any():
    found = by_discount_rate(owned_and_rented(0.1))
    assert (found.below, found.above, set(found.presets.values())) == (None, None, {"cloud"})


def test_without_a_feasible_plan_there_is_no_answer():
    assert by_discount_rate(evaluated({"slug": "nothing"}, lines=LINES)) is None


def test_u049_cost_per_gpu_hour_at_lives_of_three_to_six_years():
    # a box of 240,000 for 8 GPUs over six years, renewed like for like whenever its life ends, nothing left
    evaluation = evaluated(plan("buy"), lines=LINES, work=WORK, months=72)
    hours = 8 * evaluation.calendar.hours.sum()
    bought = {36: 2, 48: 2, 60: 2, 72: 1}
    found = cost_by_life(evaluation)
    assert {life: costs["buy"] for life, costs in found.items()} == pytest.approx(
        {life: boxes * 240_000 / hours for life, boxes in bought.items()}
    )


def use(per_hour, *names, **changes):
    """Break-even use of a box of 240,000 with 8 GPUs over a year against rent: 70,080 GPU-hours."""
    prices = book(offers={"one": offer("one", per_hour)})
    evaluation = evaluated(plan("buy"), CLOUD, lines=only("capex.accelerators_and_servers", *names), work=WORK,
                           prices=prices, **changes)  # fmt: skip
    return break_even_use(evaluation.plan("buy"), evaluation)[0]


def test_break_even_use_against_the_cloud_is_read_both_ways():
    # without running costs both are 240,000 ÷ (70,080 × 5)
    found = use(5.0)
    assert (found.idle_charged, found.idle_free) == pytest.approx((240_000 / 350_400,) * 2)
    # staff of 0.1 × 240,000 a year: charged for idle hours, or by the hour worked
    found = use(5.0, "opex.staff")
    assert found.idle_charged == pytest.approx(264_000 / 350_400)
    assert found.idle_free == pytest.approx(240_000 / (350_400 - 24_000))


def test_what_a_loan_costs_counts_as_a_purchase():
    prices = book(offers={"one": offer("one", 5.0)})
    loan = plan("buy", financing={"kind": "loan", "rate_per_year": 0.0, "term_months": 12})
    evaluation = evaluated(loan, CLOUD, lines=only("capex.accelerators_and_servers"), work=WORK, prices=prices)
    assert break_even_use(evaluation.plan("buy"), evaluation)[0].idle_free == pytest.approx(240_000 / 350_400)


def test_owning_never_pays_where_rent_is_under_its_running_costs():
    found = use(0.3, "opex.staff")  # 24,000 ÷ 70,080 are 0.342 an hour
    assert (found.idle_charged, found.idle_free) == (math.inf, math.inf)


def test_without_machines_or_an_offer_there_is_no_such_use():
    evaluation = owned_and_rented(2.0)
    assert break_even_use(evaluation.plan("cloud"), evaluation) == []
    alone = evaluated(plan("buy"), lines=LINES)
    assert break_even_use(alone.plan("buy"), alone) == []


def batch(**more):
    return {"kind": "batch", "slug": "batch", "accelerator": "gpu", "measured_rate_per_gpu": 1e4, **more}


def test_what_a_million_tokens_cost_is_the_cost_of_all_over_all_tokens():
    # 24 billion a month of 730.5 h, all of it served by a box for a year: 8760 h
    work = batch(tokens_b_per_month=24.0)
    evaluation = evaluated(plan("buy"), lines=LINES, work=work, months=12)
    [found] = unit_costs(evaluation, evaluation.plan("buy"))
    assert (found.workload, found.unit) == ("batch", "1e6 token")
    assert found.cost == pytest.approx(240_000 / (24_000 * 8760 / 730.5), rel=1e-9)


def test_two_workloads_share_the_cost_by_their_gpu_hours():
    # the same hours for 10 million items as for 10 billion tokens at a thousandth of the rate
    works = [batch(tokens_b_per_month=10.0), batch(slug="items", items_m_per_month=10.0, measured_rate_per_gpu=10.0)]
    evaluation = evaluated(plan("buy"), lines=LINES, work=works, months=12)
    tokens, items = unit_costs(evaluation, evaluation.plan("buy"))
    assert items.unit == "1e6 item"
    assert items.cost == pytest.approx(1000 * tokens.cost)
    spent = (tokens.cost * 10_000 + items.cost * 10) * 8760 / 730.5
    assert spent == pytest.approx(240_000, rel=1e-9)


def test_work_stated_in_gpus_has_no_unit():
    evaluation = owned_and_rented(2.0)
    assert unit_costs(evaluation, evaluation.plan("buy")) == []
