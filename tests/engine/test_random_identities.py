"""Identities of model section 10 over random valid scenarios: whatever is asked, the figures must hang together.

The engine computes one future; what is built to take a batch of them is tested on batches.
"""

import datetime as dt
import itertools

import numpy as np
import numpy_financial as npf
import pytest
import pyxirr
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from planner.engine import finance
from planner.engine.appraisal import by_discount_rate, cash, level_payment
from planner.engine.break_even_use import break_even_use
from planner.engine.calendar import calendar_for
from planner.engine.compare import category_gap, compare
from planner.engine.energy import TariffTerms, billed_kw, charges
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.statements import months, statement, years
from tests.engine.random_scenarios import PERIODS, TARIFF, rivals, scenarios

RANDOM = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
HALF_A_CENT = 0.005


def changed(scenario, change):
    """The scenario with its plain data changed in place by a function."""
    data = scenario.model_dump(mode="json")
    change(data)
    return Scenario.read(data)


# ── Lines and totals ─────────────────────────────────────────────────────────────────────────────────────────────────


@RANDOM
@given(scenarios(taxed=True))
def test_lines_add_up_to_every_total(asked):
    evaluation = evaluate(*asked)
    for plan in evaluation.plans:
        lines = [round(line.total() * 100) for line in plan.lines]
        assert len({line.key for line in plan.lines}) == len(plan.lines)
        assert sum(lines) == round(plan.nominal_total * 100)
        assert sum(round(plan.total(kind) * 100) for kind in ("capex", "opex", "credit")) == sum(lines)
        assert round(cash(plan).sum() * 100) == sum(lines)
        values = sum(round(value * 100) for value in plan.by_category().values())
        assert values == round(plan.present_value * 100)
        for periods in (years(evaluation), months(evaluation)):
            made = statement(plan, periods)
            assert made.net.sum() == sum(lines)
            assert made.present_value.sum() == round(plan.present_value * 100)
        assert plan.cumulative[-1] == pytest.approx(plan.present_value, abs=1e-6)


@RANDOM
@given(scenarios(taxed=True))
def test_the_gap_of_two_plans_is_the_sum_of_its_categories(asked):
    plans = evaluate(*asked).plans
    for one, other in itertools.pairwise(plans):
        gap = sum(round(amount * 100) for amount in category_gap(one, other).values())
        assert gap == round(other.present_value * 100) - round(one.present_value * 100)


@RANDOM
@given(scenarios(taxed=True))
def test_a_plan_is_worth_what_other_programs_make_of_its_cash(asked):
    scenario, book = asked
    scenario = changed(scenario, lambda data: data["finance"].update(running_costs_mid_month=False))
    evaluation = evaluate(scenario, book)
    rate = (1 + scenario.finance.discount_rate) ** (1 / 12) - 1
    for plan in evaluation.plans:
        flows = cash(plan)
        rounding = HALF_A_CENT * len(plan.lines) + 1e-9 * np.abs(flows).sum()
        assert plan.present_value == pytest.approx(npf.npv(rate, flows), abs=rounding)
        assert plan.present_value == pytest.approx(pyxirr.npv(rate, flows), abs=rounding)


# ── Discounting ──────────────────────────────────────────────────────────────────────────────────────────────────────


@RANDOM
@given(scenarios(taxed=True, rate=0.0))
def test_at_a_rate_of_0_the_level_payment_is_the_straight_line(asked):
    evaluation = evaluate(*asked)
    for plan in evaluation.plans:
        assert plan.present_value == plan.nominal_total
        assert level_payment(plan) == pytest.approx(plan.nominal_total / asked[0].months, rel=1e-12, abs=1e-9)


@RANDOM
@given(scenarios(taxed=True))
def test_the_present_value_of_the_level_payments_is_the_plan_s(asked):
    scenario, _book = asked
    assume(scenario.months > 1)
    v = (1 + scenario.finance.discount_rate) ** (-np.arange(1, scenario.months + 1) / 12)
    for plan in evaluate(*asked).plans:
        assert (level_payment(plan) * v).sum() == pytest.approx(plan.present_value, rel=1e-9, abs=1e-6)


@given(
    st.floats(0.0, 1e7), st.floats(1e-9, 0.5) | st.just(0.0), st.integers(1, 360), st.floats(0.0, 0.99), st.booleans()
)
def test_the_present_value_of_an_annuity_returns_the_price(price, rate, periods, share, advance):
    payment = finance.annuity(price, rate, periods, share, advance=advance)
    v = (1 + rate) ** -(np.arange(periods) + (0.0 if advance else 1.0))
    # an annuity in advance ends with what is left of the price one period after its last payment
    worth = (payment * v).sum() + price * share * (1 + rate) ** -periods
    assert worth == pytest.approx(price, rel=1e-6, abs=1e-9)


# ── Electricity ──────────────────────────────────────────────────────────────────────────────────────────────────────


@RANDOM
@given(scenarios())
def test_a_pue_of_1_has_no_overhead(asked):
    def efficient(data):
        for site in data["sites"]:
            site["pue"] = 1.0

    for plan in evaluate(changed(asked[0], efficient), asked[1]).plans:
        assert "opex.energy_overhead" not in plan.by_category()
        assert plan.facility_kw == pytest.approx(plan.housing.draw[0], rel=1e-12)


def _doubled(data):
    """Every price of every meter twice as high: energy, tiers, demand, capacity and fixed fees."""
    for site in data["sites"]:
        site["electricity_price_per_kwh"] *= 2
        tariff = site.get("tariff") or {}
        for rows in ("periods", "tiers", "demand"):
            for row in tariff.get(rows, ()):
                for name in ("price_per_kwh", "adds_per_kwh", "price_per_kw"):
                    if row.get(name) is not None:
                        row[name] *= 2
        for name in ("fixed_per_month", "capacity_price_per_kw"):
            if name in tariff:
                tariff[name] *= 2


@RANDOM
@given(scenarios())
def test_doubling_the_tariff_doubles_energy_and_nothing_else(asked):
    scenario, book = asked
    once, twice = evaluate(scenario, book), evaluate(changed(scenario, _doubled), book)
    for left, right in zip(once.plans, twice.plans, strict=True):
        assert [line.key for line in left.lines] == [line.key for line in right.lines]
        for before, after in zip(left.lines, right.lines, strict=True):
            metered = before.category.startswith("opex.energy") or before.code in ("demand", "capacity")
            event("metered" if metered else "other")
            factor = 2.0 if metered else 1.0
            assert after.amount == pytest.approx(factor * before.amount, rel=1e-12, abs=1e-9), before.key


@settings(max_examples=25, deadline=None)
@given(
    TARIFF.filter(bool) | PERIODS.map(lambda rows: {"periods": rows}),
    st.floats(0.01, 0.5),
    st.lists(st.tuples(st.floats(0.0, 500.0), st.floats(0.0, 1.0)), min_size=1, max_size=5),
    st.sampled_from(["2027-03", "2027-10", "2028-02"]),
)
def test_a_batch_of_futures_is_billed_like_each_alone(terms, base, loads, start):
    calendar, terms = calendar_for(start, 3), TariffTerms.read(terms)
    mean = np.array([[kw * share] * 3 for kw, share in loads])
    peak = np.array([[kw, kw / 2, kw] for kw, _share in loads])

    def bill(rows):
        found = charges(terms, base, "America/New_York", calendar, mean[rows], peak[rows])
        return sum((charge.amount for charge in found), np.zeros((len(rows), 3)))

    together = bill(list(range(len(loads))))
    for row in range(len(loads)):
        assert together[row] == pytest.approx(bill([row])[0], rel=1e-12, abs=1e-9)
    ratchet = billed_kw(peak, terms.ratchet_share, terms.ratchet_months)
    assert (ratchet >= peak).all()


# ── A batch equals single runs ───────────────────────────────────────────────────────────────────────────────────────


@given(
    st.integers(1, 5).flatmap(
        lambda size: st.lists(
            st.tuples(st.floats(0.0, 0.4), st.lists(st.floats(-1e5, 1e5), min_size=12, max_size=12)),
            min_size=size,
            max_size=size,
        )
    )
)
def test_a_batch_of_futures_is_discounted_and_taxed_like_each_alone(futures):
    rates, flows = np.array([rate for rate, _row in futures]), np.array([row for _rate, row in futures])
    values = finance.npv(rates, flows)
    relief = finance.tax_relief(flows, rates, 1e4, 3)
    for k, (rate, row) in enumerate(futures):
        assert values[k] == pytest.approx(finance.npv(rate, row), rel=1e-12, abs=1e-6)
        alone = finance.tax_relief(np.array(row), rate, 1e4, 3)
        assert relief.saved[k] == pytest.approx(alone.saved, abs=1e-6)


@RANDOM
@given(scenarios(taxed=True))
def test_a_plan_costs_the_same_alone_and_beside_others(asked):
    scenario, book = asked
    together = evaluate(scenario, book)
    financed = any(plan.financing.kind != "cash" for plan in scenario.plans)
    stated = any(plan.overflow is not None and plan.overflow.states_data for plan in scenario.plans)
    assume(not financed and not stated)  # which lines there are goes by all plans
    for place, plan in enumerate(scenario.plans):
        alone = evaluate(scenario.model_copy(update={"plans": (plan,)}), book).plans[0]
        assert alone.present_value == together.plans[place].present_value


# ── Break-even ───────────────────────────────────────────────────────────────────────────────────────────────────────


@RANDOM
@given(rivals() | scenarios(taxed=True))
def test_costs_are_equal_at_the_returned_months_and_nowhere_else(asked):
    evaluation = evaluate(*asked)
    found = compare(evaluation).break_even
    for one in evaluation.plans:
        for other in evaluation.plans:
            if one is other or not (one.feasible and other.feasible):
                continue
            gap = one.cumulative_without_residual - other.cumulative_without_residual
            answer = found[one.slug][other.slug]
            event(answer.state)
            signs = np.sign(np.where(np.abs(gap) <= HALF_A_CENT, 0.0, gap))
            parts = np.split(signs, answer.months)  # between two crossings one of the two is never the dearer one
            ruling = [set(part[part != 0]) for part in parts]
            assert all(len(each) <= 1 for each in ruling)
            decided = [each.pop() for each in ruling if each]
            assert all(left != right for left, right in itertools.pairwise(decided))
            if answer.state != "crossings":
                assert set(decided) <= ({-1.0} if answer.state == "always" else {1.0})


@RANDOM
@given(rivals())
def test_costs_are_equal_at_the_discount_rate_at_which_the_verdict_flips(asked):
    scenario, book = asked
    evaluation = evaluate(scenario, book)
    by_rate = by_discount_rate(evaluation)
    for flip in (by_rate.below, by_rate.above) if by_rate is not None else ():
        if flip is None:
            continue
        event("flip")
        there = evaluate(changed(scenario, lambda data, at=flip.rate: data["finance"].update(discount_rate=at)), book)
        before, after = there.plan(flip.before), there.plan(flip.after)
        scale = np.abs(cash(before)).sum() + np.abs(cash(after)).sum()
        # known to 1e-5 of a year's rate, by cells rounded to the cent
        assert before.present_value == pytest.approx(after.present_value, abs=1e-4 * scale + 1.0)


@RANDOM
@given(rivals() | scenarios())
def test_owning_costs_as_much_as_renting_at_the_returned_use(asked):
    evaluation = evaluate(*asked)
    for plan in evaluation.plans:
        for use in break_even_use(plan, evaluation):
            if not use.pays:
                assert use.idle_free == float("inf")
                continue
            event("pays")
            rented = use.rent * use.hours
            assert rented * use.idle_charged == pytest.approx(use.capex + use.opex * use.hours, rel=1e-9, abs=1e-6)
            assert rented * use.idle_free == pytest.approx(
                use.capex + use.opex * use.hours * use.idle_free, rel=1e-9, abs=1e-6
            )


# ── Tax ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@RANDOM
@given(
    scenarios(), st.sampled_from([{"buyer": "university"}, {"buyer": "state_funded"}, {"other_income_per_year": 0.0}])
)
def test_who_pays_no_tax_gets_no_shield(asked, who):
    scenario, book = asked
    taxed = changed(
        scenario,
        lambda data: data["finance"].update(after_tax=True, profit_tax_rate=0.25, residual_at_horizon=False, **who),
    )
    plain = changed(scenario, lambda data: data["finance"].update(residual_at_horizon=False))
    for before, after in zip(evaluate(plain, book).plans, evaluate(taxed, book).plans, strict=True):
        # who only lost so far is still taxed on what a sale brings above the value for tax
        if "buyer" in who or "credit.resale" not in before.by_category():
            assert after.present_value == before.present_value


def test_a_loss_carried_forward_is_dated_as_the_flows_are():
    # pyxirr's dated value at whole years is the engine's at years, within a day of a leap year
    dates = [dt.date(2027, 1, 1), dt.date(2028, 1, 1), dt.date(2030, 1, 1)]
    flows = [-100.0, 60.0, 60.0]
    ours = finance.npv(0.10, [-100.0, 60.0, 0.0, 60.0])
    assert pyxirr.xnpv(0.10, dates, flows) == pytest.approx(ours, abs=0.02)
