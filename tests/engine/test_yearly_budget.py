"""Budgets by fiscal year: which plan passes one, in which year and month, worked by hand.

A box costs 240,000; nothing counts but machines and the cloud, at flat prices, without discounting.
"""

import pytest

from planner.engine.quantities import InputError
from tests.engine.sample import compared, evaluated, only, plan

COUNTED = only("capex.accelerators_and_servers", "opex.cloud_usage")
BOX = plan("box")
# Two boxes in month 5 (June 2027) and one in month 14 (March 2028).
WAVES = plan(
    "waves", follow_up={"kind": "schedule", "waves": [{"month": 5, "quantity": 2}, {"month": 14, "quantity": 1}]}
)
RENTED = plan("rented", start=None, overflow={"accelerator": "gpu", "offer": "cheap"})


def finance(*per_year, **more):
    fiscal = {name: more.pop(name) for name in ("fiscal_year_start_month",) if name in more}
    return {"discount_rate": 0.0, "residual_at_horizon": False, "budget": {"per_year": per_year, **more}, **fiscal}


def judged(one, *per_year, **more):
    return evaluated(one, lines=COUNTED, months=24, finance=finance(*per_year, **more)).plans[0]


def ranked(*plans, per_year, **more):
    return compared(*plans, lines=COUNTED, months=24, finance=finance(*per_year, **more))


def passed(findings):
    return [(each.facts["fiscal_year"], each.month, each.facts["spent"], each.facts["allowed"]) for each in findings]


def test_a_budget_is_kept_to_the_cent():
    assert judged(BOX, 240_000.0).feasible
    assert not judged(BOX, 239_999.99).feasible


def test_a_hard_budget_names_the_year_the_month_and_both_amounts():
    # 2027: 240,000 in January and 480,000 in June
    assert passed(judged(WAVES, 500_000.0).infeasible) == [("2027", 5, 720_000.0, 500_000.0)]


def test_the_last_amount_holds_for_the_years_after():
    assert passed(judged(WAVES, 720_000.0, 100_000.0).infeasible) == [("2028", 14, 240_000.0, 100_000.0)]
    assert judged(WAVES, 720_000.0).feasible


def test_what_is_left_of_a_year_does_not_carry_over():
    assert not judged(WAVES, 2_000_000.0, 239_000.0).feasible


def test_years_are_fiscal_years():
    # From July on: the year that ends in June 2027 holds January to June, the next one March 2028.
    one = judged(WAVES, 720_000.0, 0.0, fiscal_year_start_month=7)
    assert passed(one.infeasible) == [("2028", 14, 240_000.0, 0.0)]


def test_rent_counts_only_where_the_budget_covers_all_spending():
    # 4 GPUs at 2 dollars through 8,760 hours of 2027: 70,080
    assert judged(RENTED, 1_000.0).feasible
    assert judged(RENTED, 1_000.0, covers="all").infeasible[0].facts["spent"] == pytest.approx(70_080.0, abs=0.005)


def test_a_hard_budget_takes_a_plan_out_of_the_ranking():
    found = ranked(BOX, RENTED, per_year=[100_000.0])
    assert (found.ranking, found.verdict.plan) == (["rented"], "rented")


def test_a_soft_budget_ranks_and_hides_nothing():
    dear = plan("dear", start=None, overflow={"accelerator": "gpu", "offer": "large"})
    found = ranked(BOX, dear, per_year=[100_000.0], rule="soft")
    assert found.ranking == ["dear", "box"]  # 420,480 of rent in two years against 240,000
    over = [reason.facts["plan"] for reason in found.verdict.reasons if reason.code == "rival_over_money"]
    assert over == ["box"]


def test_a_budget_below_zero_is_refused():
    with pytest.raises(InputError) as refused:
        judged(BOX, -1.0)
    (problem,) = refused.value.problems
    assert problem.code == "out_of_bounds"
    assert problem.path[:3] == ("finance", "budget", "per_year")
