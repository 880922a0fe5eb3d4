"""The after-tax view: what is deducted when, what is sold, and who saves nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.engine.compare import compare
from planner.engine.lines import CATEGORIES
from tests.engine.sample import amounts, book, evaluated, lines, offer, only, plan, pool

SHIELD = "credit.tax_shield"
BUY = only("capex.accelerators_and_servers", "credit.resale", "credit.residual_at_horizon", "opex.cloud_usage")
CLOUD = {"slug": "cloud", "overflow": {"accelerator": "gpu"}}


def taxed(**more):
    return {
        "discount_rate": 0.0,
        "residual_at_horizon": False,
        "after_tax": True,
        "profit_tax_rate": 0.25,
        "tax_life_months": 12,
        **more,
    }


def before_and_after(*plans, finance=None, **changes):
    finance = finance or taxed()
    once = evaluated(*plans, lines=BUY, finance={**finance, "after_tax": False}, **changes).plans
    return once, evaluated(*plans, lines=BUY, finance=finance, **changes).plans


def test_without_discounting_buying_and_renting_both_cost_one_minus_the_tax():
    for pre, post in zip(*before_and_after(plan(), CLOUD), strict=True):
        assert post.present_value == pytest.approx(0.75 * pre.present_value, abs=0.1)  # 12 rounded cells


def test_buying_and_renting_the_same_hours_at_the_same_cost_differ_by_the_timing_of_depreciation():
    # 8 GPUs for 8760 hours at 240,000 ÷ 70,080 each: what the server costs; months by their days on both sides
    prices = book(offers={"same": offer("same", 240_000 / 70_080)})
    finance = taxed(discount_rate=0.10)
    pre, post = before_and_after(plan(), CLOUD, finance=finance, prices=prices, work=pool(8.0, measure="installed"))
    v, days = 1.1 ** (-np.arange(12) / 12), np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) / 365
    shield = 0.25 * 240_000 * (v * days).sum()  # of a straight line by the day, and of rent by the hour alike
    for before, after in zip(pre, post, strict=True):
        assert before.present_value - after.present_value == pytest.approx(shield, abs=0.1)


@pytest.mark.parametrize(
    "who",
    [
        {"buyer": "university"},
        {"buyer": "state_funded"},
        {"other_income_per_year": 0.0},
    ],
)
def test_a_loss_maker_a_university_and_a_state_funded_buyer_get_no_shield(who):
    pre, post = before_and_after(plan(), CLOUD, finance=taxed(discount_rate=0.1, **who))
    assert [each.present_value for each in post] == [each.present_value for each in pre]
    assert not any(amounts(each, SHIELD) != [0.0] * 12 for each in post)


def test_losses_wait_for_the_income_of_a_later_year():
    # 240,000 deducted in 2027; 60,000 of income a year: 15,000 saved in each of 4 years, the later ones in December
    found = before_and_after(plan(), months=48, finance=taxed(other_income_per_year=60_000.0))[1][0]
    yearly = np.array(amounts(found, SHIELD)).reshape(4, 12)
    assert yearly.sum(axis=1) == pytest.approx([-15_000.0] * 4, abs=0.1)
    assert amounts(found, SHIELD, "losses")[23] == -15_000.0
    lapsed = taxed(other_income_per_year=60_000.0, losses_kept_years=1)
    yearly = np.array(amounts(before_and_after(plan(), months=48, finance=lapsed)[1][0], SHIELD)).reshape(4, 12)
    assert yearly.sum(axis=1) == pytest.approx([-15_000.0, -15_000.0, 0.0, 0.0], abs=0.1)


def written_off(method, months=72, **more):
    """{month: price written off} of a server of 240,000, from the tax that it saves at 25 %."""
    finance = taxed(tax_depreciation=method, tax_life_months=36, **more)
    found = before_and_after(plan(end_of_life={"life_months": 120}), months=months, finance=finance)[1][0]
    return np.array(amounts(found, SHIELD)) / -0.25


def test_macrs_in_the_years_of_the_table():
    yearly = written_off("macrs_5").reshape(6, 12).sum(axis=1)
    assert yearly / 240_000 == pytest.approx([0.20, 0.32, 0.192, 0.1152, 0.1152, 0.0576], abs=1e-6)


def test_macrs_follows_the_fiscal_year():
    # from January to September, then twelve months each
    found = written_off("macrs_5", fiscal_year_start_month=10) / 240_000
    assert (found[:9].sum(), found[9:21].sum()) == pytest.approx((0.20, 0.32), abs=1e-6)


def test_the_chinese_straight_line_begins_a_month_later_and_leaves_a_twentieth():
    found = written_off("china_straight_line")
    assert found[0] == 0.0
    assert found[1:37] == pytest.approx([240_000 * 0.95 / 36] * 36, abs=0.03)
    assert found[37:].sum() == 0.0


@pytest.mark.parametrize(
    ("terms", "at_once"),
    [({}, True), ({"one_off_cap": 200_000.0}, False), ({"one_off_until": "2026-12-31"}, False)],
)
def test_the_one_off_deduction_has_a_cap_and_an_end(terms, at_once):
    found = written_off("china_one_off", **terms)
    assert found[1] == pytest.approx(240_000 if at_once else 240_000 * 0.95 / 36, abs=0.03)


def test_declining_balance_by_years_of_service():
    # two thirds, then two ninths, then what is left
    yearly = written_off("declining_balance").reshape(6, 12).sum(axis=1)
    assert yearly / 240_000 == pytest.approx([2 / 3, 2 / 9, 1 / 9, 0, 0, 0], abs=1e-6)


def test_at_once_and_never():
    assert written_off("at_once")[0] == 240_000.0
    assert written_off("none").sum() == 0.0


SOLD = plan(end_of_life={"life_months": 12, "then": "let_go"})
HALF = {
    "market": {"resale_commission": 0.0, "residual": {"system": [{"month": 0, "share": 1}, {"month": 24, "share": 0}]}}
}


def test_a_gain_on_a_sale_is_taxed_above_the_tax_value():
    # after 12 of 24 months a sale brings 120,000
    def sale(life):
        finance = taxed(tax_life_months=life)
        return before_and_after(SOLD, months=24, finance=finance, **HALF)[1][0]

    assert amounts(sale(12), SHIELD, "sale_gain")[12] == 30_000.0  # all written off: a quarter of 120,000
    # 2027 has 365 of the 1,096 days of three years: 160,072.99 left
    assert amounts(sale(36), SHIELD, "sale_gain")[12] == pytest.approx(
        -0.25 * (240_000 * 731 / 1096 - 120_000), abs=0.01
    )


def test_what_is_left_at_the_horizon_goes_with_the_machines_that_are_counted():
    finance = taxed(residual_at_horizon=True, tax_life_months=24)
    found = before_and_after(plan(end_of_life={"life_months": 60}), finance=finance, **HALF)[1][0]
    left = 240_000 * 366 / 731  # of the days of 2027 and 2028
    assert amounts(found, SHIELD, "residual_gain")[11] == pytest.approx(0.25 * (120_000 - left), abs=0.01)
    assert sum(amounts(found, SHIELD)) == pytest.approx(-0.25 * 120_000, abs=0.05)  # what the year cost


def test_interest_is_deducted_and_repayment_is_not():
    loan = plan(financing={"kind": "loan", "rate_per_year": 0.12, "term_months": 6})
    cash, lent = (before_and_after(each)[1][0] for each in (plan(), loan))
    interest = sum(amounts(lent, "opex.loan_interest_and_principal", "interest"))
    assert sum(amounts(lent, SHIELD)) - sum(amounts(cash, SHIELD)) == pytest.approx(-0.25 * interest, abs=0.1)


def test_rent_of_a_lease_is_deducted_and_its_buy_out_written_off():
    lease = plan(financing={"kind": "lease", "rate_per_year": 0.0, "term_months": 6})
    found = before_and_after(lease, months=24)[1][0]
    assert amounts(found, SHIELD, "running_costs")[:6] == [-0.25 * 240_000 * 0.8 / 6] * 6
    assert sum(amounts(found, SHIELD, "depreciation")) == pytest.approx(-0.25 * 48_000, abs=0.05)


def test_each_class_of_provider_has_its_own_tax():
    work = pool(12.0)
    hybrid = plan("hybrid", overflow={"accelerator": "gpu"})
    pre, post = before_and_after(hybrid, CLOUD, work=work)
    for before, after in zip(pre, post, strict=True):
        for name in ("specialist", "large_provider"):
            assert after.present_value_with(name) == pytest.approx(0.75 * before.present_value_with(name), abs=0.2)


def test_a_country_without_a_known_rate_has_no_total():
    finance = {**taxed(), "profit_tax_rate": None}
    found = evaluated(plan(), lines=BUY, finance=finance, operations={"region": "IN"}).plans[0]
    assert [reason.facts["item"] for reason in found.infeasible] == ["corporate-tax-in"]


def test_book_value_follows_the_book_life_and_what_is_sold():
    found = evaluated(plan(), lines=BUY, months=24, finance=taxed(book_life_months=24)).plans[0]
    # 2027 and 2028: 731 days
    assert found.book_value[[0, 11, 23]] == pytest.approx([240_000 * 700 / 731, 240_000 * 366 / 731, 0.0], abs=1e-6)
    gone = evaluated(SOLD, lines=BUY, months=24, finance=taxed(book_life_months=24)).plans[0]
    assert gone.book_value[12] == pytest.approx(0.0, abs=1e-6)


def test_the_verdict_with_machines_worth_nothing_and_worth_their_remaining_service():
    # a server of 240,000 with 4 of 5 years left, against a year of rent at 8 × 2 × 8760 = 140,160
    prices = book(offers={"cheap": offer("cheap", 2.0)})
    finance = {"discount_rate": 0.0, "residual_at_horizon": True}
    long = plan("buy", end_of_life={"life_months": 60})
    comparison = compare(
        evaluated(long, CLOUD, lines=BUY, finance=finance, prices=prices, work=pool(8.0, measure="installed"))
    )
    assert comparison.without_residual.plan == "cloud"
    assert (comparison.remaining_service.plan, comparison.remaining_service.margin) == ("buy", 140_160 - 48_000)


def test_after_tax_the_remaining_service_is_taxed_like_a_sale():
    finance = taxed(residual_at_horizon=True, tax_life_months=60)
    found = before_and_after(plan(end_of_life={"life_months": 60}), finance=finance)[1][0]
    # 2027 to 2031 have 1,826 days: 365 written off; worth four fifths of the price
    left, worth = 240_000 * 1461 / 1826, 192_000
    tax = 0.25 * (worth - left)
    shield = 0.25 * (240_000 - left)
    assert found.present_value_with_remaining_service == pytest.approx(240_000 - shield - worth + tax, abs=0.1)


def test_the_shield_is_left_out_unless_asked_for():
    assert SHIELD in evaluated(plan()).left_out
    assert SHIELD not in evaluated(plan(), finance=taxed()).left_out
    assert not lines(evaluated(plan()).plans[0], SHIELD)


METHODS = ["straight_line", "declining_balance", "macrs_5", "at_once", "china_straight_line", "china_one_off"]
CONTRACTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["cash", "loan", "lease"]),
        "share": st.sampled_from([1.0, 0.4]),
        "rate_per_year": st.sampled_from([0.0, 0.09]),
        "term_months": st.integers(1, 24),
        "repayment": st.sampled_from(["annuity", "bullet"]),
        "payment": st.sampled_from(["advance", "arrears"]),
        "buy_out_share": st.sampled_from([0.0, 0.2]),
        "at_end": st.sampled_from(["buy_out", "extend"]),
    }
)


@settings(max_examples=60, deadline=None)
@given(
    method=st.sampled_from(METHODS),
    life=st.integers(12, 80),
    contract=CONTRACTS,
    served=st.integers(24, 40),
    then=st.sampled_from(["renew", "let_go"]),
    month=st.integers(0, 30),
    growing=st.booleans(),
)
def test_without_discounting_every_plan_costs_one_minus_the_tax(method, life, contract, served, then, month, growing):
    """All that is paid is deducted by the horizon, whatever the schedule, the contract and the fleet."""
    the_plan = {
        "slug": "plan",
        "start": {"build": "chassis" if growing else "box"},
        "follow_up": {"kind": "schedule", "build": "box", "waves": [{"month": month, "quantity": 1}]},
        "end_of_life": {"life_months": served, "then": then},
        "lead_months": 2,
        "financing": contract,
    }
    finance = taxed(residual_at_horizon=True, tax_depreciation=method, tax_life_months=life)
    changes = {"months": 36, "work": pool(3.0, 0.02)}
    every = {name: name != "opex.software" for name in CATEGORIES}
    once, taxed_one = (
        evaluated(the_plan, CLOUD, lines=every, finance={**finance, "after_tax": after}, **changes).plans
        for after in (False, True)
    )
    for before, after in zip(once, taxed_one, strict=True):
        assert after.present_value == pytest.approx(0.75 * before.present_value, abs=5.0)  # rounded cells
