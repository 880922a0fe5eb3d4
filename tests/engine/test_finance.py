"""Money over time, against numpy-financial and pyxirr and against tables worked by hand."""

import datetime as dt
import math
from fractions import Fraction

import numpy as np
import numpy_financial as npf
import pytest
import pyxirr
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.engine import finance as f
from planner.engine.calendar import calendar_for
from planner.engine.quantities import InputError

RATES = st.floats(0.0, 0.9)
FLOWS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)


def earns(flows):
    return max(flows) > 1e-3


@given(RATES, FLOWS)
def test_npv_is_that_of_two_other_programs(rate, flows):
    scale = sum(map(abs, flows)) + 1.0
    assert f.npv(rate, flows) == pytest.approx(npf.npv(rate, flows), abs=1e-12 * scale)
    assert f.npv(rate, flows) == pytest.approx(pyxirr.npv(rate, flows), abs=1e-12 * scale)


def test_npv_of_a_batch_is_that_of_each():
    flows = np.array([[-100.0, 60.0, 60.0], [-50.0, 0.0, 80.0]])
    assert f.npv([0.1, 0.2], flows).tolist() == [f.npv(0.1, flows[0]), f.npv(0.2, flows[1])]


def test_u045_npv_is_the_first_flow_and_a_spreadsheets_npv_of_the_rest():
    # a spreadsheet's NPV takes its first flow for one period later
    flows = [-40_000.0, 5_000.0, 8_000.0, 12_000.0, 30_000.0]
    spreadsheet = sum(flow / 1.08**k for k, flow in enumerate(flows[1:], 1))
    assert round(f.npv(0.08, flows), 2) == round(flows[0] + spreadsheet, 2) == 3065.22


def test_mid_period_discounts_by_half_a_period_more():
    # 121 in the middle of the second period at 21 %: 121 / 1.21^1.5 = 121 / 1.331
    assert f.npv(0.21, [0.0, 121.0], mid_period=True) == pytest.approx(121 / 1.331, rel=1e-12)


@given(st.floats(1e-6, 0.5), st.integers(1, 360), st.floats(1.0, 1e7), st.floats(0.0, 0.9), st.booleans())
def test_the_annuity_is_the_payment_of_another_program(rate, periods, price, share, advance):
    other = -npf.pmt(rate, periods, price, -share * price, "begin" if advance else "end")
    assert f.annuity(price, rate, periods, share, advance=advance) == pytest.approx(other, rel=1e-7)


def test_the_annuity_takes_arrays():
    both = f.annuity(1000.0, [0.0, 0.01], [8, 12])
    assert both.tolist() == [125.0, f.annuity(1000.0, 0.01, 12)]


@pytest.mark.parametrize("field", ["rate_per_period", "periods"])
def test_an_impossible_annuity_is_refused_by_name(field):
    given_ = {"price": 1.0, "rate_per_period": 0.1, "periods": 12, field: -1.0}
    with pytest.raises(InputError, match=field):
        f.annuity(**given_)


def test_the_monthly_rate_of_an_effective_and_of_a_nominal_year():
    assert f.periodic_rate(0.08) == pytest.approx(0.00643403011, abs=1e-11)  # 1.08^(1/12) − 1
    assert f.periodic_rate(0.08, nominal=True) == pytest.approx(0.08 / 12)
    assert (1 + f.periodic_rate(0.08)) ** 12 == pytest.approx(1.08, rel=1e-14)


def test_the_real_rate():
    assert f.real_rate(0.08, 0.02) == pytest.approx(0.06 / 1.02, rel=1e-14)  # Fisher


@given(st.floats(0.001, 0.2), st.integers(1, 240), st.floats(0.0, 1e5), st.floats(0.0, 1e4))
def test_savings_grow_as_in_another_program(rate, periods, start, monthly):
    assert f.compounded(rate, periods, start, monthly) == pytest.approx(
        -npf.fv(rate, periods, monthly, start), rel=1e-9
    )


def test_savings_without_interest_add_up():
    assert f.compounded(0.0, 10, 100.0, 5.0) == 150.0


def test_how_long_a_loan_takes():
    assert f.periods_to_repay(8000, 0.07 / 12, 150) == pytest.approx(float(npf.nper(0.07 / 12, -150, 8000)), rel=1e-12)
    assert f.periods_to_repay(1000, 0.0, 50) == 20.0
    assert f.periods_to_repay(1000, 0.10, 100) == math.inf  # the payment is the interest


# ── Returns ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(st.floats(10.0, 1e6), st.lists(st.floats(0.0, 1e5), min_size=1, max_size=120).filter(any))
def test_one_outlay_followed_by_income_has_one_rate_as_in_two_other_programs(outlay, income):
    flows = [-outlay, *income]
    found, theirs = f.irr(flows), pyxirr.irr(flows)
    assume(theirs is not None and -0.99 < theirs < 100)
    assert found.state == "one"
    assert found.rate == pytest.approx(theirs, abs=1e-7)
    assert npf.npv(found.rate, flows) == pytest.approx(0.0, abs=1e-6 * outlay)


def test_two_rates_are_both_reported_and_neither_is_the_rate():
    # −100, +230, −132: 10 % and 20 %
    found = f.irr([-100.0, 230.0, -132.0])
    assert (found.state, found.rate, found.sign_changes) == ("multiple", None, 2)
    assert found.rates == pytest.approx((0.10, 0.20), abs=1e-9)


def test_a_rate_at_which_the_value_only_touches_nought_is_found():
    found = f.irr([-100.0, 220.0, -121.0])  # −(10 − 11·v)²: 10 % twice
    assert found.rates == pytest.approx((0.10,), abs=1e-6)


def test_without_a_change_of_sign_there_is_no_rate():
    assert f.irr([-1.0, -2.0, 0.0]).state == "none"
    assert f.irr([0.0]).state == "none"
    assert f.irr([100.0, -210.0, 111.0]) == f.Irr("none", (), 2)  # signs change, the value never does


def test_a_monthly_rate_as_a_yearly_one():
    # 1000 lent, 12 times 100: Excel's RATE(12; 100; −1000)
    found = f.irr([-1000.0] + [100.0] * 12)
    assert found.rate == pytest.approx(npf.rate(12, 100, -1000, 0), abs=1e-9)
    assert found.annual() == pytest.approx(((1 + found.rate) ** 12 - 1,))


def test_irr_agrees_with_dated_flows_of_another_program():
    dates = [dt.date(2027, 1, 1) + dt.timedelta(days=365 * k) for k in range(4)]
    flows = [-1000.0, 400.0, 400.0, 400.0]
    assert f.irr(flows).rate == pytest.approx(pyxirr.xirr(dates, flows), abs=1e-7)


@given(st.floats(1.0, 1e4), st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20).filter(earns), RATES, RATES)
def test_the_modified_rate_is_that_of_another_program(outlay, rest, finance_rate, reinvest_rate):
    flows = [-outlay, *rest]
    assert f.mirr(flows, finance_rate, reinvest_rate) == pytest.approx(
        npf.mirr(np.array(flows), finance_rate, reinvest_rate), rel=1e-9
    )


def test_payback_between_two_periods():
    assert f.payback([-100.0, 40.0, 40.0, 40.0]) == pytest.approx(2.5)
    # at 10 %: 36.36, 33.06, 30.05 of 100: back 99.47 → never
    discount = 1.1 ** -np.arange(4)
    assert f.payback([-100.0, 40.0, 40.0, 40.0], discount) is None
    # with one more: 0.526 of 27.32
    assert f.payback([-100.0] + [40.0] * 4, 1.1 ** -np.arange(5)) == pytest.approx(3 + 0.52592036 / 27.3205382)


def test_u047_discounted_payback_is_where_the_sum_that_npv_adds_up_crosses_nought():
    flows, rate = np.array([-1000.0] + [90.0] * 20), 0.01
    discount = 1.01 ** -np.arange(21)
    months = f.payback(flows, discount)
    before, after = (f.npv(rate, flows[: count + 1]) for count in (math.floor(months), math.ceil(months)))
    assert before < 0 <= after
    assert before + (months - math.floor(months)) * (after - before) == pytest.approx(0.0, abs=1e-9)


def test_what_falls_below_nought_again_has_not_paid_back():
    assert f.payback([-100.0, 150.0, -80.0, 10.0, 40.0]) == pytest.approx(3.5)
    assert f.payback([5.0, 1.0]) == 0.0


@pytest.mark.parametrize(("rent", "hours"), [(30.0, 4000.0), (10.0, math.inf), (5.0, math.inf)])
def test_break_even_hours_or_never(rent, hours):
    assert f.break_even_hours(80_000.0, rent, 10.0) == hours


def test_break_even_use_with_idle_hours_charged_and_free():
    # 87,600 h, 80,000 + 1/h owned, 4/h rented: (80,000 + 87,600)/350,400 and 80,000/(3 × 87,600)
    asked = (80_000.0, 4.0, 87_600.0, 1.0)
    assert f.break_even_use(*asked, idle_charged=True) == pytest.approx(167_600 / 350_400)
    assert f.break_even_use(*asked, idle_charged=False) == pytest.approx(80_000 / 262_800)
    assert f.break_even_use(80_000.0, 1.0, 87_600.0, 1.0, idle_charged=True) == math.inf


def test_levelised_cost_recovers_the_costs():
    costs, units, discount = np.array([100.0, 10.0, 10.0]), np.array([0.0, 50.0, 50.0]), 1.1 ** -np.arange(3)
    each = f.levelised_cost(costs, units, discount)
    assert (each * units * discount).sum() == pytest.approx((costs * discount).sum(), rel=1e-14)
    assert f.levelised_cost([1.0], [0.0], 1.0) == math.inf


def test_a_declining_price_and_its_rent():
    # 0.14 decades a year: 72.4 % left after one, 52.5 % after two; 32.2 % of it a year
    assert f.declining_value(100.0, [1.0, 2.0], 0.14).round(1).tolist() == [72.4, 52.5]
    assert f.declining_rent(100.0, 0.14) == pytest.approx(32.2, abs=0.05)


# ── Depreciation ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("years", "table"),
    [  # IRS publication 946, table A-1: half-year convention, per cent
        (3, [33.33, 44.45, 14.81, 7.41]),
        (5, [20.00, 32.00, 19.20, 11.52, 11.52, 5.76]),
        (7, [14.29, 24.49, 17.49, 12.49, 8.93, 8.92, 8.93, 4.46]),
        (10, [10.00, 18.00, 14.40, 11.52, 9.22, 7.37, 6.55, 6.55, 6.56, 6.55, 3.28]),
    ],
)
def test_the_half_year_table_of_the_irs(years, table):
    shares = f.half_year_shares(years) * 100
    assert shares == pytest.approx(np.array(table), abs=0.0101)
    assert shares.sum() == pytest.approx(100.0, abs=1e-12)


def test_the_half_year_table_at_one_and_a_half_times():
    # table A-1, 15 years: 5.00, 9.50, 8.55, 7.70, 6.93, 6.23, then 5.90 or 5.91, half at the end
    shares = f.half_year_shares(15, 1.5) * 100
    assert shares[:7] == pytest.approx([5.0, 9.5, 8.55, 7.7, 6.93, 6.23, 5.9], abs=0.0101)
    assert shares[-1] == pytest.approx(2.95, abs=0.01)


@given(st.integers(2, 30), st.sampled_from([Fraction(2), Fraction(3, 2)]))
def test_the_half_year_convention_in_exact_fractions(years, factor):
    # each year the larger of the declining balance and the straight line over the life that is left, half a year first
    left, written = Fraction(1), []
    for k in range(years + 1):
        span = Fraction(1, 2) if k in (0, years) else Fraction(1)
        remains = Fraction(years) - (k - Fraction(1, 2) if k else 0)
        written.append(left if k == years else max(left * factor / years, left / remains) * span)
        left -= written[-1]
    assert f.half_year_shares(years, float(factor)) == pytest.approx([float(share) for share in written], abs=1e-12)


def test_straight_line_by_the_day_of_a_leap_year():
    days = np.array([31.0, 29.0, 31.0, 30.0])  # January 2028 on; a life of 3 months from February
    assert f.straight_line(days, 1, 3, 0.1).tolist() == pytest.approx(
        [0.0, 0.9 * 29 / 90, 0.9 * 31 / 90, 0.9 * 30 / 90]
    )


def test_u042_five_years_with_a_leap_day_write_off_exactly_cost_less_salvage():
    # July 2026 to June 2031; 2028 has its 29 February
    days = calendar_for("2026-07", 72).hours / 24
    written = 12_345.67 * f.straight_line(days, 0, 60, 0.10)
    assert written.sum() == pytest.approx(12_345.67 * 0.9, abs=1e-9)
    assert np.flatnonzero(written).tolist() == list(range(60))
    assert written[19] == pytest.approx(12_345.67 * 0.9 * 29 / 1826)


def test_china_begins_in_the_month_after_and_leaves_a_residual():
    shares = f.straight_line_from_next_month(40, 0, 36, 0.05)
    assert shares[0] == 0.0
    assert shares[1:37] == pytest.approx(0.95 / 36)
    assert shares[37:].tolist() == [0.0, 0.0, 0.0]


def test_declining_balance_switches_to_the_straight_line():
    # 40 %, 24 %, 14.4 %, then the last 21.6 % in halves
    assert f.declining_balance(5).tolist() == pytest.approx([0.4, 0.24, 0.144, 0.108, 0.108])
    assert f.declining_balance(4, 2.0, 0.2).tolist() == pytest.approx([0.5, 0.25, 0.05, 0.0])


def test_years_are_spread_over_their_months_by_the_day():
    days = np.array([31.0, 28.0, 31.0, 30.0])
    assert f.year_shares_to_months(np.array([0.6, 0.4]), days, [1, 2, 4]).tolist() == pytest.approx(
        [0.0, 0.6, 0.4 * 31 / 61, 0.4 * 30 / 61]
    )


def test_book_value_falls_to_the_residual():
    paid = np.array([[1000.0, 0.0, 0.0]])
    assert f.book_value(paid, np.array([[300.0, 300.0, 300.0]])).tolist() == [[700.0, 400.0, 100.0]]


# ── Tax ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_with_enough_income_each_year_saves_its_tax():
    relief = f.tax_relief(np.array([100.0, -20.0]), 0.25)
    assert relief.saved.tolist() == [25.0, -5.0]
    assert relief.carried.tolist() == [0.0, 0.0]


def test_without_income_nothing_is_saved_and_losses_wait():
    relief = f.tax_relief(np.array([100.0, 50.0]), 0.25, 0.0)
    assert relief.saved.tolist() == [0.0, 0.0]
    assert relief.carried.tolist() == [100.0, 150.0]


def test_losses_are_used_when_there_is_income():
    # income 0, 30, 500: 100 wait; 30 − 50 leaves 20 more; then 500 − 10 takes all 120
    relief = f.tax_relief(np.array([100.0, 50.0, 10.0]), 0.2, np.array([0.0, 30.0, 500.0]))
    assert relief.saved.tolist() == pytest.approx([0.0, 6.0, 26.0])
    assert relief.carried.tolist() == pytest.approx([100.0, 120.0, 0.0])


def test_losses_lapse_after_their_years():
    relief = f.tax_relief(np.array([100.0, 0.0, 0.0]), 0.2, np.array([0.0, 0.0, 500.0]), years_kept=1)
    assert relief.saved.tolist() == [0.0, 0.0, 0.0]
    assert f.tax_relief(np.array([100.0, 0.0, 0.0]), 0.2, np.array([0.0, 0.0, 500.0]), 2).saved.tolist() == [0, 0, 20.0]


def test_a_gain_uses_up_waiting_losses_before_it_is_taxed():
    relief = f.tax_relief(np.array([100.0, -160.0]), 0.25, 0.0)
    assert relief.saved.tolist() == [0.0, -15.0]  # 60 of gain over the loss


def test_relief_of_a_batch_is_that_of_each():
    deductions = np.array([[100.0, 50.0, -30.0], [10.0, -80.0, 20.0]])
    income = np.array([[20.0, 0.0, 90.0], [0.0, 0.0, 5.0]])
    both = f.tax_relief(deductions, np.array([0.2, 0.3]), income, 1)
    for k, rate in enumerate((0.2, 0.3)):
        alone = f.tax_relief(deductions[k], rate, income[k], 1)
        assert both.saved[k] == pytest.approx(alone.saved, abs=1e-12)
        assert both.carried[k] == pytest.approx(alone.carried, abs=1e-12)


# ── Contracts ────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(st.floats(0.0001, 0.1), st.integers(1, 120))
def test_interest_and_principal_are_those_of_another_program(rate, periods):
    loan, per = f.annuity_loan(rate, periods), np.arange(1, periods + 1)
    assert loan.interest == pytest.approx(-npf.ipmt(rate, per, periods, 1.0), abs=1e-9)
    assert loan.principal == pytest.approx(-npf.ppmt(rate, per, periods, 1.0), abs=1e-9)
    assert loan.principal.sum() == pytest.approx(1.0, abs=1e-12)


@given(st.floats(0.0, 0.1), st.integers(1, 60), st.floats(0.0, 0.5))
def test_what_a_loan_costs_is_worth_what_was_lent_at_its_own_rate(rate, periods, balloon):
    discount = (1.0 + rate) ** -np.arange(1.0, periods + 1)
    for loan in (f.annuity_loan(rate, periods, balloon), f.bullet_loan(rate, periods)):
        assert (loan.payment * discount).sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("advance", [True, False])
def test_what_a_lease_costs_is_worth_the_price_at_its_own_rate(advance):
    rent = f.lease_payment(100_000.0, 0.01, 36, 0.10, advance)
    flows = f.lease_payments(rent, 36, advance=advance, buy_out=10_000.0)
    assert f.npv(0.01, flows) == pytest.approx(100_000.0, rel=1e-12)
    assert flows[0] == (rent if advance else 0.0)


def test_the_terms_of_a_supplier_by_month():
    # 30 % with the order, 60 % on delivery after 3 months, nothing on acceptance, 10 % kept for a year after
    assert f.payment_shares(0.3, 0.6, 0.0, 0.1, (0, 3, 4, 15)).tolist() == [
        0.3, 0, 0, 0.6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.1,
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"retention.*0\.9"):
        f.payment_shares(0.3, 0.6, 0.0, 0.0, (0, 1, 1, 1))
