"""Curves of demand and of prices."""

import pytest

from planner.engine.growth import driver_path, price_path
from planner.engine.inputs import (
    CompoundGrowth,
    ConstantGrowth,
    LinearGrowth,
    LogisticGrowth,
    PricePath,
    StepGrowth,
    TableGrowth,
)


def test_constant_demand_stays():
    assert driver_path(ConstantGrowth(), 2.5, 3).tolist() == [2.5, 2.5, 2.5]


def test_compound_growth_multiplies_every_month():
    assert driver_path(CompoundGrowth(rate_per_month=0.1), 100.0, 4).tolist() == pytest.approx([100, 110, 121, 133.1])


def test_compound_growth_may_shrink():
    assert driver_path(CompoundGrowth(rate_per_month=-0.2), 100.0, 3).tolist() == pytest.approx([100, 80, 64])


def test_compound_growth_stops_at_its_ceiling():
    assert driver_path(CompoundGrowth(rate_per_month=0.5, ceiling=2.0), 1.0, 4).tolist() == [1.0, 1.5, 2.0, 2.0]


def test_a_ceiling_below_today_does_not_cut_today():
    assert driver_path(CompoundGrowth(rate_per_month=0.5, ceiling=1.0), 4.0, 3).tolist() == [4.0, 4.0, 4.0]


def test_a_fade_of_everything_leaves_one_step_of_growth():
    # the rate of month 0 is whole, that of every later one is nothing
    assert driver_path(CompoundGrowth(rate_per_month=0.1, fade_per_year=1.0), 10.0, 4).tolist() == pytest.approx(
        [10, 11, 11, 11]
    )


def test_a_fade_slows_growth_and_never_turns_it():
    free = driver_path(CompoundGrowth(rate_per_month=0.05), 1.0, 60)
    faded = driver_path(CompoundGrowth(rate_per_month=0.05, fade_per_year=0.5), 1.0, 60)
    assert (faded[2:] < free[2:]).all()
    assert (faded[1:] > faded[:-1]).all()


def test_linear_growth_adds_up_to_its_ceiling():
    assert driver_path(LinearGrowth(per_month=2.0, ceiling=5.0), 1.0, 4).tolist() == [1.0, 3.0, 5.0, 5.0]


def test_demand_never_falls_below_nothing():
    assert driver_path(LinearGrowth(per_month=-2.0), 3.0, 4).tolist() == [3.0, 1.0, 0.0, 0.0]


def test_logistic_growth_is_halfway_where_the_odds_are_even():
    # 1 of 16: odds 1:15; e^(k m) = 15 at m = ln 15 / k
    path = driver_path(LogisticGrowth(rate_per_month=0.27080502011022101, ceiling=16.0), 1.0, 11)  # ln 15 / 10
    assert path[0] == pytest.approx(1.0)
    assert path[10] == pytest.approx(8.0)


def test_logistic_growth_from_nothing_stays_nothing():
    assert driver_path(LogisticGrowth(ceiling=16.0), 0.0, 3).tolist() == [0.0, 0.0, 0.0]


def test_steps_hold_until_the_next_whatever_their_order():
    growth = StepGrowth.read({"steps": [{"month": 3, "value": 7.0}, {"month": 1, "value": 4.0}]})
    assert driver_path(growth, 2.0, 5).tolist() == [2.0, 4.0, 4.0, 7.0, 7.0]


def test_a_step_after_the_horizon_changes_nothing():
    assert driver_path(StepGrowth.read({"steps": [{"month": 9, "value": 7.0}]}), 2.0, 3).tolist() == [2.0, 2.0, 2.0]


def test_a_table_is_taken_as_pasted_and_its_last_value_holds():
    assert driver_path(TableGrowth(values=(1.0, 5.0, 3.0)), 99.0, 5).tolist() == [1.0, 5.0, 3.0, 3.0, 3.0]
    assert driver_path(TableGrowth(values=(1.0, 5.0, 3.0)), 99.0, 2).tolist() == [1.0, 5.0]


def test_a_price_falls_by_its_yearly_rate_in_twelve_months():
    path = price_path(PricePath(rate_per_year=-0.1), 25)
    assert path[[0, 12, 24]].tolist() == pytest.approx([1.0, 0.9, 0.81])
    assert path[6] == pytest.approx(0.9**0.5)


def test_named_years_come_first_and_the_general_rate_after():
    path = price_path(PricePath(rate_per_year=0.0, by_year=(0.2, -0.5)), 37)
    assert path[[12, 24, 36]].tolist() == pytest.approx([1.2, 0.6, 0.6])
    assert path[18] == pytest.approx(1.2 * 0.5**0.5)


def test_a_spread_is_added_to_every_year():
    assert price_path(PricePath(rate_per_year=-0.1), 13, 0.05)[12] == pytest.approx(0.95)
    assert price_path(PricePath(by_year=(0.1,)), 13, -0.2)[12] == pytest.approx(0.9)


def test_a_price_falls_to_nothing_at_most():
    assert price_path(PricePath(rate_per_year=-0.9), 3, -0.9).tolist() == [1.0, 0.0, 0.0]
    assert price_path(PricePath(by_year=(-0.9,)), 3, -0.9).tolist() == [1.0, 0.0, 0.0]
