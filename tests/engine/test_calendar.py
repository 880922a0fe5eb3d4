"""Months with their real hours, fiscal years, lead times."""

import numpy as np
import pytest

from planner.engine.calendar import Calendar, calendar_for, lead_in_months
from tests.engine.sample import book, build, evaluated, lines, only, plan, pool


def test_february_2028_has_696_hours_and_2028_has_8784():  # U034
    year = Calendar("2028-01", 12)
    assert year.hours[1] == 696.0
    assert year.hours.sum() == 8784.0


def test_february_of_other_years_has_672_hours():
    assert [Calendar(f"{year}-02", 1).hours[0] for year in (2026, 2027, 2028, 2029)] == [672, 672, 696, 672]


def test_flat_10_kw_bills_each_month_by_its_own_hours_and_the_year_is_their_sum():  # U034, U035
    always_on = build("single", 1, 1, 1.0, max_kw=10.0, typical_kw=10.0, idle_kw=10.0)
    result = evaluated(
        plan(start={"build": "single"}),
        work=pool(1.0),
        months=12,
        start="2028-01",
        prices=book(builds={"single": always_on}),
        lines=only("opex.energy_it"),
    ).plans[0]
    kwh = lines(result, "opex.energy_it")["machines"].quantity[0]
    assert kwh[:4].tolist() == [7440.0, 6960.0, 7440.0, 7200.0]
    assert kwh.sum() == 87_840.0


def test_months_are_named_over_the_turn_of_the_year():
    assert Calendar("2026-11", 4).labels == ["2026-11", "2026-12", "2027-01", "2027-02"]


def test_discounting_leaves_month_0_whole_and_takes_a_year_s_rate_after_12_months():
    v = Calendar("2027-01", 25).discount(0.08)
    assert v[0] == 1.0
    assert v[12] == pytest.approx(1 / 1.08, rel=1e-15)
    assert v[24] == pytest.approx(1 / 1.1664, rel=1e-15)
    assert (Calendar("2027-01", 25).discount(0.0) == 1.0).all()


def test_mid_month_moves_every_factor_by_half_a_month():
    v = Calendar("2027-01", 13).discount(0.21, mid_month=True)
    assert v[0] == pytest.approx(1.21 ** (-1 / 24))
    assert v[12] == pytest.approx(v[0] / 1.21)


def test_fiscal_years_from_april_begin_and_end_partial_and_say_so():
    years = Calendar("2026-12", 30).fiscal_years(4)
    # December to March, two whole years, April and May
    assert [(label, part.start, part.stop, partial) for label, part, partial in years] == [
        ("2027", 0, 4, True),
        ("2028", 4, 16, False),
        ("2029", 16, 28, False),
        ("2030", 28, 30, True),
    ]


def test_calendar_years_are_named_by_themselves():
    years = Calendar("2027-01", 24).fiscal_years(1)
    assert [(label, partial) for label, _, partial in years] == [("2027", False), ("2028", False)]


def test_fiscal_years_cover_every_month_once():
    for first in range(1, 13):
        parts = [part for _, part, _ in Calendar("2027-05", 61).fiscal_years(first)]
        assert np.concatenate([np.arange(61)[part] for part in parts]).tolist() == list(range(61))


@pytest.mark.parametrize(
    ("weeks", "days", "months"),
    [
        (0, 0, 0),
        (0, 1, 1),
        (4, 0, 1),
        (5, 0, 2),
        (12, 7, 3),
        (12, 14, 4),
        (16, 0, 4),
        (52, 0, 12),
        (53, 0, 13),
    ],
)
def test_lead_time_is_rounded_up_to_whole_months(weeks, days, months):
    # 4 weeks are 28 days, 5 weeks 35; 12 weeks and 7 days 91 of 91.3125; 12 and 14 are 98
    assert lead_in_months(weeks, days) == months


def test_one_month_is_a_horizon():
    assert calendar_for("2027-02", 1).hours.tolist() == [672.0]
    assert Calendar("2027-02", 1).fiscal_years(1) == [("2027", slice(0, 1), True)]
