"""One assumption at a time over its range: points, slopes, flips and ranking worked by hand on tiny scenarios."""

import itertools
import json

import pytest

from planner.engine import sensitivity
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.quantities import InputError
from planner.engine.sensitivity import HORIZON, TOLERANCE, as_plain, from_plain, ranged, sweep
from tests.engine.sample import FLAT, book, build, cost, document, offer, only, plan, pool

CLOUD = {"slug": "cloud", "overflow": {"accelerator": "gpu"}}
GPUS = "demand/workloads/pool/gpus"
ENERGY = only("opex.energy_it", "opex.energy_overhead")
BUY_OR_RENT = only("capex.accelerators_and_servers", "opex.cloud_usage")


def scenario(*plans, **changes):
    return Scenario.read(document(*plans, **changes))


def run(*plans, prices=None, count=12, points=5, **changes):
    """(sweep, progress after each evaluation) with few points."""
    steps, seen = sweep(scenario(*plans, **changes), prices or book(), count=count, points=points), []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as end:
            return end.value, seen


def boxes(extra=None, box=240_000.0, single=30_000.0, **changes):
    """The sample's book with other prices of a box and a single GPU."""
    builds = {"box": build("box", 8, 8, box), "single": build("single", 1, 1, single), **(extra or {})}
    return book(builds=builds, addons={}, **changes)


def curve(swept, path):
    return next(each for each in swept.curves if each.path == path)


def of(path, *plans, **changes):
    return next(each for each in ranged(scenario(*plans, **changes)) if path in each.paths)


# ── Ranges ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_declared_range_of_the_document_is_found_and_nothing_else():
    assert [each.path for each in ranged(scenario())] == [
        "months",
        "demand/workloads/pool/gpus",
        "demand/workloads/pool/target_utilisation",
        "demand/software_speedup_per_year",
        "plans/plan/end_of_life/life_months",
        "sites/room/pue",
        "market/accelerator/rate_per_year",
        "market/memory_flash/rate_per_year",
        "market/rest/rate_per_year",
        "market/nic/rate_per_year",
        "market/cloud_spread",
        "market/electricity/rate_per_year",
        "market/colocation/rate_per_year",
        "market/cloud_level",
        "market/electricity_level",
        "market/colocation_level",
        "market/wages/rate_per_year",
        "market/resale_commission",
        "market/resale_factor",
        "market/sale_speed_factor",
        "finance/discount_rate",
    ]


def test_a_range_is_p10_to_p90_and_the_value_now_lies_in_it():
    rate = of("demand/workloads/pool/growth/rate_per_month", work=pool(4.0, 0.03))
    assert (rate.low, rate.now, rate.high, rate.widened) == (0.02, 0.03, 0.06, False)


@pytest.mark.parametrize(("gpus", "low", "high"), [(9.0, 2.0, 9.0), (0.5, 0.5, 3.5)])
def test_a_value_outside_its_range_widens_it(gpus, low, high):
    found = of("demand/workloads/pool/gpus", work=pool(gpus))
    assert (found.low, found.high, found.widened) == (low, high, True)


def test_an_empty_field_is_swept_around_what_stands_in_for_it():
    liquid = {"slug": "room", "cooling_method": "liquid"}
    found = of("sites/room/pue", sites=[liquid])
    assert found.now is None
    assert (found.holds, found.low, found.high, found.widened) == (1.15, 1.15, 1.7, True)


def paths_of(*plans, **changes):
    return {path for each in ranged(scenario(*plans, **changes), book()) for path in each.paths}


def test_terms_of_a_loan_and_of_a_lease_are_moved_where_there_are_any():
    terms = {f"plans/plan/financing/{name}" for name in ("rate_per_year", "buy_out_share", "rent_share_per_month")}
    contracts = {
        "cash": ({}, set()),
        "loan": ({"kind": "loan"}, {"rate_per_year"}),
        "lease": ({"kind": "lease"}, {"rate_per_year", "buy_out_share"}),
        "quoted": ({"kind": "lease", "rent_share_per_month": 0.03}, {"buy_out_share", "rent_share_per_month"}),
    }
    for name, (financing, moved) in contracts.items():
        found = paths_of(plan(financing=financing)) & terms
        assert found == {f"plans/plan/financing/{each}" for each in moved}, name


def test_an_empty_loan_rate_and_profit_tax_are_moved_around_those_of_the_catalog():
    costs = {**book().model_dump(mode="json")["costs"], "loan-rate": cost("loan-rate", 8, "percent per year")}
    costs["corporate-tax-us"] = cost("corporate-tax-us", 25, "percent of profit")
    asked = scenario(plan(financing={"kind": "loan"}), finance={"after_tax": True})
    found = {each.path: each for each in ranged(asked, book(costs=costs))}
    rate, tax = found["plans/plan/financing/rate_per_year"], found["finance/profit_tax_rate"]
    assert (rate.now, rate.holds, rate.low, rate.high) == (None, 0.08, 0.05, 0.12)
    assert (tax.now, tax.holds, tax.low, tax.high) == (None, 0.25, 0.15, 0.30)


@pytest.mark.parametrize(
    ("finance", "moved"),
    [({}, False), ({"after_tax": True}, True), ({"after_tax": True, "buyer": "university"}, False)],
)
def test_tax_is_moved_where_a_company_sees_its_costs_after_tax(finance, moved):
    tax = {"finance/profit_tax_rate", "finance/tax_life_months"}
    assert paths_of(finance=finance) & tax == (tax if moved else set())


def test_an_agreed_escalator_and_an_agreed_discount_are_moved():
    hall = {
        "slug": "room",
        "kind": "colocation",
        "colocation": {"price_per_kw_month": 200.0, "escalator_per_year": 0.03},
    }
    reserved = {"slug": "cloud", "overflow": {"accelerator": "gpu", "reserved_share": 0.5, "commit_discount": 0.3}}
    found = paths_of(reserved, sites=[hall])
    assert {"sites/room/colocation/escalator_per_year", "plans/cloud/overflow/commit_discount"} <= found
    assert not any(path.endswith("commit_discount") for path in paths_of(CLOUD))


def test_whole_numbers_take_each_whole_point_once():
    # 36 … 72 has 37 whole numbers, 41 points are asked for
    life = of("plans/plan/end_of_life/life_months", plan(end_of_life={"life_months": 60}))
    assert life.points(41) == tuple(float(month) for month in range(36, 73))
    assert life.points(5) == (36.0, 45.0, 54.0, 63.0, 72.0)


def test_points_are_even_and_end_exactly_at_both_ends():
    assert of("market/cloud_spread").points(7) == (-0.15, -0.1, -0.05, 0.0, 0.05, 0.1, 0.15)


def test_plans_with_one_value_move_together_and_others_apart():
    short, long = {"life_months": 36}, {"life_months": 60}
    plans = plan("a", end_of_life=short), plan("b", end_of_life=long), plan("c", end_of_life=short)
    found = [each.paths for each in ranged(scenario(*plans)) if each.path.endswith("life_months")]
    assert found == [
        ("plans/a/end_of_life/life_months", "plans/c/end_of_life/life_months"),
        ("plans/b/end_of_life/life_months",),
    ]


# ── Curves ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_cost_linear_in_an_assumption_is_a_straight_line_of_the_slope_worked_by_hand():
    # one box with 4 of its 8 GPUs busy: 2 + (8 − 2) × 4/8 = 5 kW; 8760 h at 0.10 a kWh: 4380 a year per unit of PUE
    swept, _seen = run(lines=ENERGY)
    pue = curve(swept, "sites/room/pue")
    assert pue.x == (1.2, 1.325, 1.45, 1.575, 1.7)
    # a year of monthly cells, IT and overhead, each rounded to the cent
    assert pue.values["plan"] == pytest.approx([4380.0 * x for x in pue.x], abs=24 * 0.005)
    assert pue.influence == pytest.approx(4380.0 * 0.5, abs=24 * 0.01)
    assert swept.base["plan"] == pytest.approx(4380.0 * 1.5, abs=24 * 0.005)


def test_the_cheapest_plan_flips_where_the_two_costs_are_equal():
    # renting g GPUs for a year, 8760 h at 2.00: 17 520 g; a box at 52 560 costs as much as renting 3 GPUs
    swept, _seen = run(plan("own"), CLOUD, prices=boxes(box=52_560.0), lines=BUY_OR_RENT, work=pool(2.0))
    gpus = curve(swept, GPUS)
    assert gpus.values["own"] == (52_560.0,) * 5
    assert gpus.values["cloud"] == pytest.approx([17_520.0 * x for x in (2.0, 2.375, 2.75, 3.125, 3.5)], abs=12 * 0.005)
    assert gpus.cheapest == ("cloud", "cloud", "cloud", "own", "own")
    (flip,) = gpus.flips
    assert (flip.before, flip.after) == ("cloud", "own")
    assert flip.x == pytest.approx(3.0, abs=TOLERANCE * 1.5)


def test_owning_pays_from_the_level_of_cloud_prices_worked_by_hand():
    # renting 4 GPUs for a year at 2.00 is 70,080; a box at 63,072 costs as much at nine tenths of that
    swept, _seen = run(plan("own"), CLOUD, prices=boxes(box=63_072.0), lines=BUY_OR_RENT)
    level = curve(swept, "market/cloud_level")
    assert level.x == (0.8, 0.9, 1.0, 1.1, 1.2)
    assert level.values["cloud"] == pytest.approx([70_080.0 * x for x in level.x], abs=12 * 0.005)
    (flip,) = level.flips
    assert (flip.before, flip.after) == ("cloud", "own")
    assert flip.x == pytest.approx(0.9, abs=TOLERANCE)


def test_levels_of_electricity_and_of_a_hall_multiply_each_of_their_prices():
    hall = {
        "slug": "room",
        "kind": "colocation",
        "pue": 1.5,
        "electricity_price_per_kwh": 0.10,
        "tariff": {"basis": "energy_only", "demand": [{"name": "all", "price_per_kw": 6.0}], "fixed_per_month": 30.0},
        "colocation": {"price_per_kw_month": 100.0, "power_included": False, "setup_fee": 500.0},
    }
    lines = only(
        "opex.energy_it", "opex.energy_overhead", "opex.demand_charge", "opex.colocation", "capex.installation"
    )
    once, twice = (
        evaluate(
            scenario(lines=lines, sites=[hall], market={**FLAT, "electricity_level": x, "colocation_level": 3 * x}),
            book(),
        )
        for x in (1.0, 2.0)
    )
    before, after = (each.plans[0].by_category() for each in (once, twice))
    metered = {"opex.energy_it", "opex.energy_overhead", "opex.demand_charge"}
    for name in (*metered, "opex.colocation"):
        assert before[name] > 0
        assert after[name] == pytest.approx(2.0 * before[name], rel=1e-9), name


def test_the_rate_of_a_loan_moves_its_interest_alone():
    # 240,000 for a year of bullet interest at 0.05 … 0.12, effective: 12 × the monthly rate × the price
    loan = plan(financing={"kind": "loan", "rate_per_year": 0.08, "term_months": 12, "repayment": "bullet"})
    lines = only("capex.accelerators_and_servers", "opex.loan_interest_and_principal")
    swept, _seen = run(loan, lines=lines, prices=boxes(box=240_000.0))
    rate = curve(swept, "plans/plan/financing/rate_per_year")
    interest = [12 * ((1 + x) ** (1 / 12) - 1) * 240_000 for x in rate.x]
    # twelve interest payments fall due in months 1 to 12, the last with the principal beyond the horizon
    steps = [b - a for a, b in itertools.pairwise(rate.values["plan"])]
    assert steps == pytest.approx([(b - a) * 11 / 12 for a, b in itertools.pairwise(interest)], rel=1e-3)


def test_a_plan_cheapest_only_between_two_points_is_found_at_both_its_ends():
    # mixed owns one GPU at 31 536 and rents the rest at 1.00: 31 536 + 8760 (g − 1), as much as the cloud at g = 2.6;
    # a box at 46 428 costs as much as mixed at g = 2.7; both lie between the points 2.375 and 2.75
    mixed = plan("mixed", start={"build": "single"}, overflow={"accelerator": "gpu", "offer": "half"})
    prices = boxes(box=46_428.0, single=31_536.0, offers={"cheap": offer("cheap", 2.0), "half": offer("half", 1.0)})
    pinned = {"slug": "cloud", "overflow": {"accelerator": "gpu", "offer": "cheap"}}
    swept, _seen = run(plan("own"), pinned, mixed, prices=prices, lines=BUY_OR_RENT, work=pool(2.0))
    gpus = curve(swept, GPUS)
    assert gpus.cheapest == ("cloud", "cloud", "own", "own", "own")
    assert [(flip.before, flip.after) for flip in gpus.flips] == [("cloud", "mixed"), ("mixed", "own")]
    assert [flip.x for flip in gpus.flips] == pytest.approx([2.6, 2.7], abs=TOLERANCE * 1.5)


def test_a_flip_of_whole_numbers_is_the_first_with_the_other_plan():
    # 4 GPUs rented: 192 a day; January to March 2027 are 90 days and 17 280, with April 23 040: a box at 20 000 is
    # cheaper from 4 months on
    swept, _seen = run(plan("own"), CLOUD, prices=boxes(box=20_000.0), lines=BUY_OR_RENT, months=2)
    (flip,) = swept.horizon.flips
    assert (flip.x, flip.before, flip.after) == (4.0, "cloud", "own")


def test_the_horizon_stands_apart_from_what_is_ranked():
    swept, _seen = run(lines=ENERGY)
    assert swept.horizon.path == HORIZON
    assert (swept.horizon.low, swept.horizon.high, swept.horizon.widened) == (12.0, 84.0, True)
    assert HORIZON not in [each.path for each in swept.curves] + list(swept.rest)


def test_where_a_plan_fails_there_is_a_gap_with_its_reason_and_a_flip_to_no_plan():
    # a server of 3 GPUs cannot serve more than 3
    small = plan(start={"build": "three"})
    prices = boxes(extra={"three": build("three", 3, 3, 90_000.0)})
    swept, _seen = run(small, prices=prices, lines=only("opex.energy_it"), work=pool(2.5))
    gpus = curve(swept, GPUS)
    assert [value is None for value in gpus.values["plan"]] == [False, False, False, True, True]
    assert gpus.reasons["plan"] == ("", "", "", "service_target", "service_target")
    (flip,) = gpus.flips
    assert (flip.before, flip.after) == ("plan", None)
    assert flip.x == pytest.approx(3.0, abs=TOLERANCE * 1.5)


def test_what_the_engine_refuses_is_a_gap_with_its_code():
    # above 3 GPUs a second server of 10 kW needs a circuit, whose price in EUR has no exchange rate
    grows = plan(start={"build": "three"}, follow_up={"kind": "servers", "build": "box"})
    circuit = {**cost("circuit", 10_000, "each", "EUR"), "rate": None}
    prices = boxes(
        extra={"three": build("three", 3, 3, 90_000.0)},
        costs={**book().model_dump(mode="json")["costs"], "circuit": circuit},
    )
    room = {"slug": "room", "power_kw": 15.0, "upgrades": [{"slug": "step", "item": "circuit", "adds_power_kw": 20.0}]}
    swept, _seen = run(grows, prices=prices, sites=[room], work=pool(2.5))
    gpus = curve(swept, GPUS)
    assert gpus.reasons["plan"] == ("", "", "", "missing_rate", "missing_rate")
    assert [value is None for value in gpus.values["plan"]] == [False, False, False, True, True]
    assert gpus.cheapest == ("plan", "plan", "plan", None, None)


def test_a_scenario_that_cannot_be_computed_is_refused_before_anything_is_swept():
    with pytest.raises(InputError):
        next(sweep(scenario(currency="EUR"), book()))


def test_the_changes_next_to_the_value_now_are_found_on_both_sides():
    # mixed, which owns one GPU and rents the rest at 1.00, is the cheapest between 2.6 and 2.7 GPUs, as above
    mixed = plan("mixed", start={"build": "single"}, overflow={"accelerator": "gpu", "offer": "half"})
    prices = boxes(box=46_428.0, single=31_536.0, offers={"cheap": offer("cheap", 2.0), "half": offer("half", 1.0)})
    pinned = {"slug": "cloud", "overflow": {"accelerator": "gpu", "offer": "cheap"}}
    swept, _seen = run(plan("own"), pinned, mixed, prices=prices, lines=BUY_OR_RENT, work=pool(2.65))
    gpus = curve(swept, GPUS)
    assert swept.cheapest == "mixed"
    assert gpus.around("mixed") == gpus.flips
    assert gpus.around("own") == (gpus.flips[1], None)
    spans = gpus.spans()
    assert [best for _low, _high, best in spans] == ["cloud", "mixed", "own"]
    assert (spans[0][0], spans[-1][1]) == (2.0, 3.5)
    assert spans[0][1] == spans[1][0] == gpus.flips[0].x


def test_without_a_change_there_is_none_around_the_value_now():
    swept, _seen = run(lines=ENERGY)
    assert curve(swept, "sites/room/pue").around("plan") == (None, None)


# ── Ranking ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_most_hangs_on_comes_first_and_what_changes_nothing_is_not_swept():
    # per year: 5 kW × 1.5 × 876 × (1.2 − 0.8) by the level of prices; PUE 5 kW × 876 × (1.7 − 1.2); GPUs from 2 to the
    # 4 of now: draw 3.5 to 5 kW × 876 × 1.5
    swept, _seen = run(lines=ENERGY)
    assert [(each.path, round(each.influence)) for each in swept.curves[:3]] == [
        ("market/electricity_level", 2628),
        ("sites/room/pue", 2190),
        (GPUS, 1971),
    ]
    assert "market/cloud_spread" in swept.rest
    assert len(swept.curves) + len(swept.rest) == len(ranged(scenario())) - 1


def test_no_more_than_the_wanted_number_is_swept_and_the_next_one_is_named_first():
    swept, _seen = run(lines=ENERGY, count=1)
    assert [each.path for each in swept.curves] == ["market/electricity_level"]
    assert swept.rest[:2] == ("sites/room/pue", GPUS)


def test_equal_influence_is_ranked_by_path():
    work = [{**pool(2.0), "slug": slug} for slug in ("b", "a")]
    swept, _seen = run(lines=ENERGY, work=work)
    amounts = [each for each in swept.curves if each.path.endswith("/gpus")]
    assert amounts[0].influence == amounts[1].influence
    assert [each.path for each in amounts] == ["demand/workloads/a/gpus", "demand/workloads/b/gpus"]


def test_a_plan_that_fails_as_things_stand_lends_no_influence():
    # 3 GPUs cannot serve 4, so only the box counts: PUE 5 kW × 876 × 0.5, not the small server's 8 kW
    small = plan("small", start={"build": "three"})
    prices = boxes(extra={"three": build("three", 3, 3, 90_000.0)})
    swept, _seen = run(plan(), small, prices=prices, lines=ENERGY)
    pue = curve(swept, "sites/room/pue")
    assert round(pue.influence) == 2190
    assert pue.values["small"] == (None,) * 5


# ── Progress and plain data ──────────────────────────────────────────────────────────────────────────────────────────


def test_progress_never_falls_and_ends_at_the_total():
    _swept, seen = run(plan("own"), CLOUD, prices=boxes(box=52_560.0), lines=BUY_OR_RENT, work=pool(2.0))
    shares = [each.done / each.total for each in seen]
    assert shares == sorted(shares)
    assert seen[0].done == 1
    assert seen[-1].done == seen[-1].total
    assert {each.stage for each in seen} == {"base", "screening", "sweeping", "refining"}


def test_each_step_of_a_sweep_is_one_evaluation_at_most(monkeypatch):
    asked = []

    def counted(scenario, book):
        asked.append(scenario)
        return evaluate(scenario, book)

    monkeypatch.setattr(sensitivity, "evaluate", counted)
    steps, before = sweep(scenario(lines=ENERGY), book(), points=5), 0
    for _step in steps:
        assert len(asked) - before <= 1
        before = len(asked)
    assert before > 5


def test_a_sweep_left_half_way_leaves_the_next_one_as_it_would_be():
    whole, _seen = run(lines=ENERGY)
    given = scenario(lines=ENERGY)
    steps = sweep(given, book(), points=5)
    for _step in range(20):
        next(steps)
    steps.close()
    assert given == scenario(lines=ENERGY)
    assert run(lines=ENERGY)[0] == whole


def test_a_sweep_survives_json_exactly():
    swept, _seen = run(plan("own"), CLOUD, prices=boxes(box=52_560.0), lines=BUY_OR_RENT, work=pool(2.0))
    assert from_plain(json.loads(json.dumps(as_plain(swept), allow_nan=False))) == swept


def test_a_sweep_needs_two_points():
    with pytest.raises(ValueError, match="both ends"):
        next(sweep(scenario(), book(), points=1))
