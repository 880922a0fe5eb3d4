"""What a present value rests on: parts that add up to the whole."""

import datetime as dt

import pytest

from planner.engine.prices import Source
from planner.engine.trust import PARTS, part_of, shares, weights, whole_percents
from tests.engine.sample import FLAT, book, build, evaluated, only, plan, pool

DAY = dt.date(2026, 12, 31)


def quote(until=None, supplier="Dealer"):
    return Source(basis="quoted", supplier=supplier, valid_until=until)


@pytest.mark.parametrize(
    ("source", "part"),
    [
        (quote(), "quoted"),
        (quote(DAY), "quoted"),  # it holds on its last day
        (quote(dt.date(2026, 12, 30)), "expired"),
        (quote(supplier=""), "market"),  # nobody is bound by a quote without a name
        (Source(basis="list"), "market"),
        (Source(basis="market"), "market"),
        (Source(basis="sourced"), "market"),
        (Source(basis="estimate"), "estimate"),
        (Source(basis="default"), "estimate"),
        (Source(basis="unverified"), "estimate"),
        (Source(basis="own"), "own"),
    ],
)
def test_each_source_counts_in_one_part(source, part):
    assert part_of(source, DAY) == part


def test_shares_are_those_of_the_present_value_with_credits_at_their_size():
    # a box of 240,000 at list price; a year on it is worth 72 % less 15 %: 146,880, by an estimated curve
    lines = only("capex.accelerators_and_servers", "credit.residual_at_horizon")
    result = evaluated(plan(), lines=lines, finance={"discount_rate": 0.0}).plans[0]
    assert weights(result, DAY) == {**dict.fromkeys(PARTS, 0.0), "market": 240_000.0, "estimate": 146_880.0}
    assert shares(result, DAY)["market"] == pytest.approx(240_000 / 386_880)


def test_an_own_price_is_the_planner_s_own():
    lines = only("capex.accelerators_and_servers")
    result = evaluated(plan(), lines=lines, market={**FLAT, "own_prices": {"box": 9.0}}).plans[0]
    assert shares(result, DAY) == {**dict.fromkeys(PARTS, 0.0), "own": 1.0}


def test_a_quote_that_ends_moves_from_one_part_to_the_other():
    source = {"basis": "quoted", "supplier": "Dealer", "dated": "2026-12-01", "valid_until": "2027-01-15"}
    box = build("box", 8, 8, None, price={"amount": 5.0, "currency": "USD", "source": source})
    result = evaluated(
        plan(), prices=book(builds={"box": box}, addons={}), lines=only("capex.accelerators_and_servers")
    )
    assert shares(result.plans[0], DAY)["quoted"] == 1.0
    assert shares(result.plans[0], dt.date(2027, 1, 16))["expired"] == 1.0


def test_the_parts_add_up_to_everything():
    result = evaluated(plan(overflow={"accelerator": "gpu"}), work=pool(12.0)).plans[0]
    assert sum(shares(result, DAY).values()) == pytest.approx(1.0)
    sizes = [abs(line.present_value(result.discount_of(line))) for line in result.lines]
    assert sum(weights(result, DAY).values()) == pytest.approx(sum(sizes))


def test_a_plan_that_costs_nothing_rests_on_nothing():
    assert shares(evaluated(plan(), lines=only()).plans[0], DAY) == {}


@pytest.mark.parametrize(
    ("given", "percents"),
    [
        ([0.5, 0.5], [50, 50]),
        ([1 / 3, 1 / 3, 1 / 3], [34, 33, 33]),
        ([0.005, 0.995], [1, 99]),
        ([0.004, 0.996], [0, 100]),
        ([0.146, 0.246, 0.608], [14, 25, 61]),
    ],
)
def test_whole_per_cents_add_up_to_a_hundred(given, percents):
    assert whole_percents(given) == percents
