"""What must hold whatever the numbers: identities of cost_method section 8 and model section 10."""

import math

import numpy as np
import pytest

from planner.engine.compare import compare
from planner.engine.finance import annuity
from tests.engine.sample import COSTS, book, build, compared, cost, evaluated, offer, only, plan, pool, price

CLOUD = {"slug": "cloud", "overflow": {"accelerator": "gpu"}}
OWNED = plan("owned", follow_up={"kind": "servers"}, lead_months=2, end_of_life={"life_months": 24, "then": "renew"})
CARDS = plan("cards", start={"build": "chassis"}, follow_up={"kind": "cards"}, lead_months=1)
SITE = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10}
CHANGES = {
    "months": 36,
    "work": pool(3.0, 0.05),
    "finance": {"discount_rate": 0.08, "residual_at_horizon": True},
    "market": {"accelerator": {"rate_per_year": -0.1}},
}


def categories(result):
    return result.by_category()


def test_a_pue_of_1_has_no_overhead():
    result = evaluated(OWNED, sites=[{**SITE, "pue": 1.0}], **CHANGES).plans[0]
    assert "opex.energy_overhead" not in categories(result)
    assert result.facility_kw.tolist() == result.housing.draw[0].tolist()


def test_doubling_the_tariff_doubles_energy_and_nothing_else():
    once = evaluated(OWNED, sites=[SITE], **CHANGES).plans[0]
    twice = evaluated(OWNED, sites=[{**SITE, "electricity_price_per_kwh": 0.20}], **CHANGES).plans[0]
    for name, value in categories(once).items():
        factor = 2.0 if name.startswith("opex.energy") else 1.0
        assert categories(twice)[name] == pytest.approx(value * factor, abs=0.2 if factor == 2.0 else 0.0), (
            name
        )  # 36 rounded cells
    raw = [sum(line.amount.sum() for line in r.lines if line.category.startswith("opex.energy")) for r in (once, twice)]
    assert raw[1] == pytest.approx(2.0 * raw[0], rel=1e-14)


def times(k):
    """The sample's book with every amount of money times k."""
    rows = [(slug, likely * k if currency else likely, unit, currency) for slug, likely, unit, currency in COSTS]
    builds = {
        "box": build("box", 8, 8, 240_000.0 * k),
        "chassis": build("chassis", 2, 8, 100_000.0 * k, max_kw=3.0, typical_kw=2.4, idle_kw=0.4),
    }
    card = {**book().addons["chassis"].model_dump(mode="json"), "price": price(30_000.0 * k)}
    return book(builds=builds, addons={"chassis": card}, offers={"cheap": offer("cheap", 2.0 * k)},
                costs={row[0]: cost(*row) for row in rows})  # fmt: skip


def test_all_prices_times_k_are_all_money_times_k_and_the_same_verdict():
    plans = OWNED, CARDS, CLOUD
    one = evaluated(*plans, prices=times(1.0), sites=[SITE], **CHANGES)
    site = {**SITE, "electricity_price_per_kwh": 0.80}
    eight = evaluated(*plans, prices=times(8.0), sites=[site], **CHANGES)
    for left, right in zip(one.plans, eight.plans, strict=True):
        raw = [sum(line.amount.sum() for line in result.lines) for result in (left, right)]
        assert raw[1] == pytest.approx(8.0 * raw[0], rel=1e-12)
        assert right.present_value == pytest.approx(8.0 * left.present_value, rel=1e-6)
    before, after = compare(one), compare(eight)
    assert (before.verdict.code, before.verdict.plan) == (after.verdict.code, after.verdict.plan)
    assert before.verdict.margin_share == pytest.approx(after.verdict.margin_share, abs=1e-6)
    assert {a: {b: e.as_dict() for b, e in row.items()} for a, row in before.break_even.items()} == {
        a: {b: e.as_dict() for b, e in row.items()} for a, row in after.break_even.items()
    }


def test_at_a_rate_of_0_the_annuity_is_the_straight_line():
    assert annuity(1000.0, 0.0, 8) == 125.0
    assert annuity(1000.0, 0.0, 8, 0.2) == 100.0


def test_the_limit_towards_a_rate_of_0_is_smooth():
    line = annuity(1000.0, 0.0, 60, 0.1)
    for rate in (1e-3, 1e-6, 1e-9, 1e-12):
        # first order: P (1 − s)/n + P r ((1 − s)(n + 1)/(2n) + s)
        assert annuity(1000.0, rate, 60, 0.1) == pytest.approx(
            line + 1000 * rate * (0.9 * 61 / 120 + 0.1), abs=20 * rate + 1e-11
        )


@pytest.mark.parametrize(
    ("rate", "periods", "share"), [(0.08, 5, 0.0), (0.005, 60, 0.2), (0.17, 3, 0.5), (1e-9, 60, 0.3)]
)
def test_the_present_value_of_annuity_and_residual_returns_the_price(rate, periods, share):
    payment = annuity(1000.0, rate, periods, share)
    value = math.fsum(payment / (1 + rate) ** k for k in range(1, periods + 1)) + 1000 * share / (1 + rate) ** periods
    assert value == pytest.approx(1000.0, rel=1e-9)


def test_a_rate_of_0_makes_present_and_nominal_value_one():
    result = evaluated(OWNED, CARDS, CLOUD, **{**CHANGES, "finance": {"discount_rate": 0.0}}).plans
    assert [plan_result.present_value for plan_result in result] == [
        plan_result.nominal_total for plan_result in result
    ]


def test_halving_the_useful_hours_doubles_the_cost_of_each_for_fixed_lines():
    fixed = only("capex.accelerators_and_servers", "opex.staff", "opex.network_transit")
    full, half = (evaluated(plan(), work=pool(gpus), lines=fixed, months=24).plans[0] for gpus in (8.0, 4.0))
    assert half.cost_per_useful_gpu_hour == pytest.approx(2.0 * full.cost_per_useful_gpu_hour, rel=1e-12)


def test_halving_the_useful_hours_doubles_the_energy_of_each_only_where_idle_draw_is_busy_draw():
    def energy(gpus, idle):
        prices = book(builds={"box": build("box", 8, 8, 1.0, idle_kw=idle)})
        return evaluated(plan(), work=pool(gpus), lines=only("opex.energy_it"), prices=prices).plans[0]

    steady = [energy(gpus, 8.0).cost_per_useful_gpu_hour for gpus in (8.0, 4.0)]
    assert steady[1] == pytest.approx(2.0 * steady[0], rel=1e-5)
    sleepy = [energy(gpus, 2.0).cost_per_useful_gpu_hour for gpus in (8.0, 4.0)]
    assert sleepy[1] == pytest.approx(1.25 * sleepy[0], rel=1e-5)  # 5 of 8 kW for half the work


def test_cost_per_useful_hour_times_useful_hours_is_the_total():
    result = evaluated(OWNED, **CHANGES).plans[0]
    v = 1.08 ** (-np.arange(36) / 12)
    assert result.cost_per_useful_gpu_hour * (result.useful_hours * v).sum() == pytest.approx(
        result.present_value, rel=1e-12
    )


def test_the_same_plan_a_year_later_at_the_same_prices_is_worth_v_of_it():
    # bought in month 12 instead of month 0, the same 12 months of service each
    lines = only("capex.accelerators_and_servers")
    late = plan(start=None, follow_up={"kind": "servers", "build": "box"})
    table = pool(1.0) | {"growth": {"kind": "table", "values": [0] * 12 + [8] * 12}}
    now = evaluated(plan(), lines=lines, months=12, finance={"discount_rate": 0.08}).plans[0]
    then = evaluated(late, work=table, lines=lines, months=24, finance={"discount_rate": 0.08}).plans[0]
    assert then.present_value == pytest.approx(now.present_value / 1.08, abs=0.005)


def test_a_higher_discount_rate_lowers_the_value_of_costs_to_come():
    values = [
        evaluated(CLOUD, **{**CHANGES, "finance": {"discount_rate": rate}}).plans[0].present_value
        for rate in (0.0, 0.05, 0.2)
    ]
    assert values[0] > values[1] > values[2]


def test_annual_sums_add_up_to_the_life():
    result = evaluated(OWNED, **CHANGES).plans[0]
    monthly = result.monthly("capex") + result.monthly("opex") + result.monthly("credit")
    years = [monthly[part].sum() for _, part, _ in result.calendar.fiscal_years(4)]
    assert sum(years) == pytest.approx(result.nominal_total, abs=1e-6)


def test_a_longer_horizon_repeats_the_months_of_the_shorter_one():
    # no value at the horizon and no rule that looks at its end
    short = evaluated(OWNED, **{**CHANGES, "months": 20, "finance": {"residual_at_horizon": False}}).plans[0]
    long = evaluated(OWNED, **{**CHANGES, "finance": {"residual_at_horizon": False}}).plans[0]
    for kind in ("capex", "opex"):
        assert short.monthly(kind)[:18].tolist() == long.monthly(kind)[:18].tolist()


def test_one_month_is_computed_like_any_other():
    comparison = compared(OWNED, CARDS, CLOUD, months=1, work=pool(2.0))
    assert comparison.verdict.code in ("clear", "close")


def test_cumulative_value_ends_at_the_present_value():
    result = evaluated(OWNED, **CHANGES).plans[0]
    # each line's value is rounded once, the curve is not
    assert result.cumulative[-1] == pytest.approx(result.present_value, abs=0.005 * len(result.lines))
