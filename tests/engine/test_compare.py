"""Verdict, margin, break-even, gap by category, reasons. Plans are boxes and cards of the sample at plain prices."""

import numpy as np
import pytest

from planner.engine.compare import break_even, category_gap, compare
from tests.engine.sample import book, build, compared, evaluated, only, plan, pool

CLOUD = {"accelerator": "gpu"}
CAPEX = only("capex.accelerators_and_servers", "opex.cloud_usage")
JOINED = {"box": build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400.0)}


def priced(**prices):
    """Two servers, a and b, of 8 GPUs each at these prices."""
    return book(builds={slug: build(slug, 8, 8, usd) for slug, usd in prices.items()})


def two(prices, **changes):
    plans = plan("a", start={"build": "a"}), plan("b", start={"build": "b"})
    return compared(*plans, prices=prices, lines=CAPEX, months=1, **changes)


def codes(findings):
    return [finding.code for finding in findings]


# ── verdict ──


def test_the_cheaper_plan_wins_clearly():
    verdict = two(priced(a=100_000.0, b=80_000.0)).verdict
    assert (verdict.code, verdict.plan, verdict.runner_up) == ("clear", "b", "a")


def test_the_margin_share_is_of_the_dearer_one():
    verdict = two(priced(a=100_000.0, b=80_000.0)).verdict
    assert verdict.margin == 20_000.0
    assert verdict.margin_share == pytest.approx(0.2)


def test_two_plans_within_2_percent_are_close():
    assert two(priced(a=100_000.0, b=98_000.0)).verdict.code == "close"
    assert two(priced(a=100_000.0, b=97_999.0)).verdict.code == "clear"


def test_equal_plans_are_close_and_the_first_name_leads():
    verdict = two(priced(a=100_000.0, b=100_000.0)).verdict
    assert (verdict.code, verdict.plan, verdict.margin) == ("close", "a", 0.0)


def test_one_feasible_plan_is_single():
    small = plan("small", start={"build": "single"})
    verdict = compared(plan("box"), small, lines=CAPEX).verdict
    assert (verdict.code, verdict.plan, verdict.margin, verdict.margin_share) == ("single", "box", None, None)
    assert [(r.facts["plan"], r.facts["limit"]) for r in verdict.reasons if r.code == "rival_infeasible"] == [
        ("small", "service_target")
    ]


def test_without_a_feasible_plan_there_is_none_and_each_first_failure_is_named():
    growing = {"kind": "table", "values": [4, 4, 4, 9]}
    verdict = compared(
        plan("box"), plan("small", start={"build": "single"}), work=pool(1.0) | {"growth": growing}
    ).verdict
    assert (verdict.code, verdict.plan) == ("none", None)
    assert [(r.facts["plan"], r.month, r.facts["limit"]) for r in verdict.reasons] == [
        ("box", 3, "service_target"),
        ("small", 0, "service_target"),
    ]


def test_an_infeasible_plan_is_not_ranked_however_cheap():
    comparison = compared(plan("box"), plan("small", start={"build": "single"}), lines=CAPEX)
    assert comparison.ranking == ["box"]


# ── classes of provider, residual ──


def cloud(**more):
    return {"slug": "cloud", "overflow": {**CLOUD, **more}}


def test_the_verdict_is_given_for_a_specialist_and_for_a_large_provider():
    # a year of 4 GPUs: 35 040 h at 2 are 70 080, at 6 are 210 240; a box is 150 000
    comparison = compared(plan("box"), cloud(), lines=CAPEX, prices=book(builds={"box": build("box", 8, 8, 150_000.0)}))
    assert comparison.by_class["specialist"].plan == "cloud"
    assert comparison.by_class["large_provider"].plan == "box"
    assert comparison.verdict.plan == "cloud"  # the market's class is the specialist


def test_a_class_without_an_offer_has_no_verdict():
    specialists = book(offers={"cheap": book().offers["cheap"].model_dump(mode="json")})
    assert compared(plan("box"), cloud(), prices=specialists).by_class["large_provider"] is None


def test_the_verdict_without_the_residual_is_given_too():
    # 240 000 less 85 % of 72 % leaves 93 120; a year in the cloud costs 105 120
    finance = {"discount_rate": 0.0, "residual_at_horizon": True}
    lines = only("capex.accelerators_and_servers", "opex.cloud_usage", "credit.residual_at_horizon")
    comparison = compared(plan("box"), cloud(), work=pool(6.0), finance=finance, lines=lines)
    assert comparison.verdict.plan == "box"
    assert comparison.without_residual.plan == "cloud"


# ── break-even ──


def state(a, b):
    found = break_even(np.array(a, dtype=float), np.array(b, dtype=float))
    return found.state, list(found.months)


def test_a_plan_that_is_never_dearer_is_always_cheaper():
    assert state([1, 2, 3], [2, 3, 4]) == ("always", [])
    assert state([1, 2, 3], [1, 3, 3]) == ("always", [])


def test_a_plan_that_is_never_cheaper_never_breaks_even():
    assert state([2, 3, 4], [1, 2, 3]) == ("never", [])
    assert state([2, 3, 4], [2, 2, 4]) == ("never", [])


def test_the_month_in_which_the_sign_changes_is_the_crossing():
    assert state([10, 11, 12, 13], [4, 8, 12.5, 17]) == ("crossings", [2])


def test_several_crossings_are_all_reported():
    assert state([10, 10, 10, 10, 30], [4, 12, 9, 20, 20]) == ("crossings", [1, 2, 3, 4])


def test_a_touch_is_no_crossing():
    assert state([5, 5, 5], [4, 5, 4]) == ("never", [])
    assert state([5, 5, 5], [4, 5, 6]) == ("crossings", [2])


def test_differences_under_half_a_cent_are_none():
    assert state([1.004, 2, 3], [1, 2, 3.1]) == ("always", [])


def test_buying_breaks_even_against_the_cloud_in_the_month_worked_by_hand():
    # 8 GPUs at 2: 11 904 in January, then 10 752, 11 904 …; a box at 50 000 is passed in May:
    # 11 904, 22 656, 34 560, 46 080, 57 984
    cheap = book(builds={"box": build("box", 8, 8, 50_000.0)})
    found = compared(plan("box"), cloud(), work=pool(8.0), lines=CAPEX, prices=cheap).break_even
    assert (found["box"]["cloud"].state, found["box"]["cloud"].months) == ("crossings", (4,))
    assert found["cloud"]["box"].months == (4,)
    assert found["box"]["cloud"].cheaper_after is True
    assert found["cloud"]["box"].cheaper_after is False


def test_costs_change_sides_at_the_break_even():
    evaluation = evaluated(plan("box"), cloud(), work=pool(8.0), lines=CAPEX, months=36)
    months = compare(evaluation).break_even["box"]["cloud"].months
    difference = (
        evaluation.plan("box").cumulative_without_residual - evaluation.plan("cloud").cumulative_without_residual
    )
    assert months
    for m in months:
        assert difference[m - 1] > 0 > difference[m]


def test_break_even_is_before_the_value_at_the_horizon():
    finance = {"discount_rate": 0.0, "residual_at_horizon": True}
    lines = only("capex.accelerators_and_servers", "opex.cloud_usage", "credit.residual_at_horizon")
    comparison = compared(plan("box"), cloud(), work=pool(6.0), finance=finance, lines=lines)
    assert comparison.verdict.plan == "box"
    assert comparison.break_even["box"]["cloud"].state == "never"


def test_rent_below_running_costs_never_breaks_even():  # cost_method, section 8, identity 5
    dear = {"slug": "room", "pue": 1.0, "electricity_price_per_kwh": 5.0}
    lines = only("capex.accelerators_and_servers", "opex.cloud_usage", "opex.energy_it")
    found = compared(plan("box"), cloud(), work=pool(8.0), sites=[dear], lines=lines, months=120).break_even
    assert found["box"]["cloud"].state == "never"


# ── gap ──


def test_the_gap_by_category_adds_up_exactly():
    evaluation = evaluated(plan("box"), cloud(), months=36, finance={"discount_rate": 0.0777})
    one, other = evaluation.plan("box"), evaluation.plan("cloud")
    gap = category_gap(one, other)
    assert round(sum(round(part * 100) for part in gap.values())) == round(other.present_value * 100) - round(
        one.present_value * 100
    )
    assert gap["opex.cloud_usage"] == other.by_category()["opex.cloud_usage"]
    assert gap["capex.accelerators_and_servers"] == -240_000.0


def test_the_gap_of_the_verdict_is_its_margin():
    comparison = compared(plan("box"), cloud(), months=36, finance={"discount_rate": 0.0777})
    assert round(sum(comparison.gap.values()), 2) == comparison.verdict.margin


# ── reasons ──


def test_no_gang_exceeds_a_server_is_a_reason_against_a_fabric():
    joined = plan("joined", start={"build": "box", "quantity": 2}, fabric={"when": "always"})
    apart = plan("apart", start={"build": "box", "quantity": 2}, fabric={"when": "never"})
    comparison = compared(joined, apart, prices=book(builds=JOINED))
    assert comparison.verdict.plan == "apart"
    reason = next(r for r in comparison.verdict.reasons if r.code == "no_gang_exceeds_server")
    assert (reason.facts["gpus"], reason.facts["server_gpus"]) == (1, 8)


def test_a_gang_over_a_server_is_a_reason_for_a_fabric():
    joined = plan("joined", start={"build": "box", "quantity": 2}, fabric={"when": "always"})
    apart = plan("apart", start={"build": "box", "quantity": 2}, fabric={"when": "never"})
    comparison = compared(joined, apart, work=pool(16.0, gang_gpus=16), prices=book(builds=JOINED))
    assert comparison.verdict.plan == "joined"
    assert "gang_exceeds_server" in codes(comparison.verdict.reasons)
    assert "no_gang_exceeds_server" not in codes(comparison.verdict.reasons)


def test_where_most_is_saved_and_less_is_tied_up_is_said():
    reasons = two(priced(a=100_000.0, b=80_000.0)).verdict.reasons
    saves = next(r for r in reasons if r.code == "saves_most_on")
    assert (saves.facts["category"], saves.facts["amount"]) == ("capex.accelerators_and_servers", 20_000.0)
    assert next(r for r in reasons if r.code == "less_capital_at_start").facts["amount"] == 20_000.0


def test_the_plain_table_compares_cost_capacity_jobs_failures_skills_and_room():
    joined = plan("joined", start={"build": "box", "quantity": 2}, fabric={"when": "always"})
    chassis = plan("chassis", start={"build": "chassis", "cards": 5})
    comparison = compared(
        joined, chassis, cloud(), prices=book(builds={**JOINED, "chassis": build("chassis", 2, 8, 100_000.0)})
    )
    rows = {row["plan"]: row for row in comparison.table}
    assert (rows["joined"]["gpus_at_end"], rows["joined"]["largest_job_gpus"]) == (16, 16)
    assert (rows["joined"]["lost_with_one_server"], rows["joined"]["fte_at_end"]) == (0.5, 0.35)
    assert (rows["chassis"]["free_slots_at_end"], rows["chassis"]["fabric"]) == (3, None)
    assert rows["chassis"]["largest_job_gpus"] == 5
    assert (rows["cloud"]["gpus_at_end"], rows["cloud"]["rents"], rows["cloud"]["lost_with_one_server"]) == (
        0,
        True,
        None,
    )


def test_a_plan_alone_equals_the_plan_among_others():
    plans = plan("box", follow_up={"kind": "servers"}), cloud(), plan("chassis", start={"build": "chassis", "cards": 8})
    together = {p["slug"]: p for p in evaluated(*plans, work=pool(4.0, 0.05), months=24).as_dict()["plans"]}
    for one in plans:
        alone = evaluated(one, work=pool(4.0, 0.05), months=24).as_dict()["plans"][0]
        for figures in (alone, together[one["slug"]]):
            figures.pop("break_even", None)
        assert alone == together[one["slug"]]
