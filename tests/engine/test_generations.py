"""New generations, end of sale, network adapters' own path, and speed of sale, worked by hand."""

import pytest

from planner.engine.generations import bought_in, last_sale, successors
from planner.engine.inputs import Scenario
from planner.engine.quantities import InputError
from tests.engine.sample import FLAT, amounts, book, build, document, evaluated, lines, only, plan, pool

MACHINES = only("capex.accelerators_and_servers")
DOUBLES = {"kind": "steps", "steps": [{"month": 8, "value": 16.0}]}
NEXT = {"slug": "next", "like": "box", "from_month": 6, "price": 300_000.0, "performance": 2.0, "power": 1.5}


def grown(follow="newest", *, months=24, generations=(NEXT,), market=FLAT, **changes):
    """Eight GPUs busy, sixteen from September on; a box now, and what later purchases take."""
    buying = plan(follow_up={"kind": "servers", "batch": 1, "generation": follow}, **changes)
    return evaluated(
        buying,
        work=pool(8.0) | {"growth": DOUBLES},
        months=months,
        lines=MACHINES,
        market={**market, "generations": list(generations)},
    ).plans[0]


def bought(result):
    """{month: money} of purchases."""
    return {m: paid for m, paid in enumerate(amounts(result, "capex.accelerators_and_servers")) if paid}


def test_later_purchases_stay_with_the_build_unless_they_may_switch():
    assert bought(grown("same")) == {0: 240_000.0, 8: 240_000.0}


def test_later_purchases_take_the_newest_that_is_sold_with_its_price_and_rate():
    # eight GPUs more are four of twice the speed: one server of eight at its own price
    result = grown()
    assert bought(result) == {0: 240_000.0, 8: 300_000.0}
    assert {holding.machine.slug: holding.cards[0, -1] for holding in result.fleet.holdings} == {
        "box": 8.0,
        "next": 8.0,
    }


def test_a_generation_is_not_bought_before_its_launch():
    assert bought(grown(generations=[{**NEXT, "from_month": 9}])) == {0: 240_000.0, 8: 240_000.0}


def test_a_generation_is_not_bought_after_its_last_sale():
    assert bought(grown(generations=[{**NEXT, "until_month": 8}])) == {0: 240_000.0, 8: 240_000.0}


def test_a_price_of_the_launch_moves_from_there():
    falling = {
        **FLAT,
        "accelerator": {"rate_per_year": -0.5},
        "rest": {"rate_per_year": -0.5},
        "memory_flash": {"rate_per_year": -0.5},
    }
    later = {"kind": "steps", "steps": [{"month": 18, "value": 16.0}]}
    buying = plan(follow_up={"kind": "servers", "batch": 1, "generation": "newest"})
    result = evaluated(
        buying,
        work=pool(8.0) | {"growth": later},
        months=24,
        lines=MACHINES,
        market={**falling, "generations": [NEXT]},
    ).plans[0]
    assert bought(result)[18] == 150_000.0  # a year after its launch at half of 300,000


def test_without_a_price_of_its_own_it_costs_what_its_like_costs_then():
    assert bought(grown(generations=[{**NEXT, "price": None}])) == {0: 240_000.0, 8: 240_000.0}


def test_its_power_is_that_of_its_like_times_its_own_factor():
    machine = next(holding.machine for holding in grown().fleet.holdings if holding.machine.slug == "next")
    assert (machine.build.max_kw, machine.build.typical_kw) == (15.0, 12.0)


def test_renewal_takes_as_many_of_the_newest_as_do_the_same_work():
    # the box of month 0 leaves after a year: four GPUs of twice the speed stand in for its eight, one server
    two = plan(
        start={"build": "box", "quantity": 2},
        end_of_life={"life_months": 12, "then": "renew"},
        follow_up={"kind": "servers", "generation": "newest"},
    )
    market = {**FLAT, "generations": [NEXT]}
    result = evaluated(two, work=pool(16.0), months=18, lines=MACHINES, market=market).plans[0]
    assert bought(result) == {0: 480_000.0, 12: 300_000.0}


def test_what_is_no_longer_sold_cannot_be_ordered():
    result = grown("same", generations=[{**NEXT, "old_sold_months": 1}])
    [reason] = result.infeasible
    assert (reason.code, reason.month, reason.facts) == ("end_of_sale", 8, {"item": "box", "sold_until": 7})
    assert grown("newest", generations=[{**NEXT, "old_sold_months": 1}]).feasible


def test_generations_follow_each_other():
    after = {**NEXT, "slug": "after", "like": "next", "from_month": 12}
    scenario = Scenario.read(
        document(
            plan(follow_up={"kind": "servers", "generation": "newest"}),
            months=15,
            market={**FLAT, "generations": [after, NEXT]},
        )
    )
    assert [each.slug for each in successors("box", scenario)] == ["next", "after"]
    assert bought_in(scenario.plans[0], scenario) == ["box"] * 6 + ["next"] * 6 + ["after"] * 3
    assert last_sale("box", scenario) is None


@pytest.mark.parametrize(("changes", "code"), [({"slug": "box"}, "conflict"), ({"like": "nothing"}, "not_in_catalog")])
def test_a_generation_of_a_taken_name_or_like_nothing_is_refused(changes, code):
    with pytest.raises(InputError) as error:
        grown(generations=[{**NEXT, **changes}])
    assert error.value.problems[0].code == code


def test_a_generation_that_ends_before_it_begins_is_refused():
    with pytest.raises(InputError, match="until_month"):
        grown(generations=[{**NEXT, "until_month": 6}])


def test_the_pinned_book_stays_as_it_was():
    evaluation = evaluated(plan(), market={**FLAT, "generations": [NEXT]})
    assert "next" not in evaluation.pinned.builds
    assert "next" in evaluation.book.builds


# ── Paths ──


def test_each_share_of_a_price_has_its_own_path():
    # of 100: GPUs 60 % falling to half, memory 20 % doubling, adapters 10 % × 1.5, the rest 10 % as it is → 95
    shares = {"accelerator_share": 0.6, "memory_share": 0.2, "nic_share": 0.1}
    prices = book(builds={"box": build("box", 8, 8, 100.0, **shares)}, addons={})
    market = {
        **FLAT,
        "accelerator": {"rate_per_year": -0.5},
        "memory_flash": {"rate_per_year": 1.0},
        "nic": {"rate_per_year": 0.5},
    }
    waves = plan(follow_up={"kind": "schedule", "waves": [{"month": 12, "quantity": 1}]})
    result = evaluated(waves, prices=prices, lines=MACHINES, months=18, market=market).plans[0]
    assert bought(result) == {0: 100.0, 12: 95.0}


def test_a_path_may_rise_in_one_year_and_fall_in_the_next():
    market = {**FLAT, **{key: {"by_year": [0.2, -0.5]} for key in ("accelerator", "memory_flash", "rest")}}
    waves = plan(follow_up={"kind": "schedule", "waves": [{"month": 12, "quantity": 1}, {"month": 24, "quantity": 1}]})
    result = evaluated(waves, lines=MACHINES, months=30, market=market).plans[0]
    assert bought(result) == {0: 240_000.0, 12: 288_000.0, 24: 144_000.0}


def test_resale_is_age_times_condition_times_speed_of_sale():
    # a year old: 72 % of 240,000, less 15 %, × 0.9 for its condition × 0.8 for a quick sale
    market = {**FLAT, "resale_factor": 0.9, "sale_speed_factor": 0.8}
    lines_on = only("credit.residual_at_horizon")
    result = evaluated(plan(), lines=lines_on, market=market, finance={"discount_rate": 0.0}).plans[0]
    assert result.total("credit") == pytest.approx(-240_000 * 0.72 * 0.85 * 0.9 * 0.8)


def test_u048_break_even_moves_later_when_cloud_prices_fall_28_per_cent_a_year():
    # a box of 40,000 against one GPU at 2.00 an hour for its one GPU of work
    prices = book(builds={"box": build("box", 8, 8, 40_000.0)}, addons={})
    lines_on = only("capex.accelerators_and_servers", "opex.cloud_usage")

    def crossing(spread):
        from planner.engine.compare import compare

        found = compare(
            evaluated(
                plan("own"),
                plan("cloud", start=None, overflow={"accelerator": "gpu"}),
                prices=prices,
                work=pool(1.0),
                months=60,
                lines=lines_on,
                market={**FLAT, "cloud_spread": spread},
            )
        )
        return found.break_even["own"]["cloud"].months

    assert crossing(0.0) == (27,)  # 1,460 a month on average
    [later] = crossing(-0.28)
    assert later > 27


def test_what_is_reserved_keeps_its_price_for_the_term():
    market = {**FLAT, "cloud_spread": -0.5}
    renting = plan(start=None, overflow={"accelerator": "gpu", "reserved_share": 1.0, "reserved_term_months": 12})
    result = evaluated(renting, work=pool(1.0), months=24, lines=only("opex.cloud_commitment"), market=market).plans[0]
    price = lines(result, "opex.cloud_commitment")["reserved"].unit_price[0]
    assert set(price[:12]) == {1.4}  # 2.00 less 30 %
    assert set(price[12:]) == {0.7}
