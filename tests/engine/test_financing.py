"""Loans and leases in a plan: capex cash gives way to what they cost, and at their own rate nothing is gained."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.engine.inputs import Scenario
from planner.engine.quantities import InputError
from tests.engine.sample import COSTS, amounts, book, build, cost, document, evaluated, lines, only, plan, pool

LOAN, LEASE = "opex.loan_interest_and_principal", "opex.lease"
MACHINES = only("capex.accelerators_and_servers", "credit.resale", "credit.residual_at_horizon")


def financed(kind, **terms):
    return plan(financing={"kind": kind, "rate_per_year": 0.12, "rate_is": "nominal", **terms})


def result(the_plan, **changes):
    return evaluated(the_plan, lines=MACHINES, **changes).plans[0]


def test_a_loan_replaces_the_capex_cash():
    # 240,000 at 1 % a month over 6: 41,411.61 a month; interest of the first 2,400
    found = result(financed("loan", term_months=6))
    assert found.monthly("capex").tolist() == [0.0] * 12
    assert found.monthly("opex")[1:7] == pytest.approx([41_408.08] * 6, abs=5.0)
    assert amounts(found, LOAN, "interest")[:3] == [0.0, 2400.0, pytest.approx(2009.9, abs=0.1)]
    assert sum(amounts(found, LOAN, "principal")) == pytest.approx(240_000.0, abs=0.03)
    assert "balance" not in lines(found, LOAN)


def test_a_bullet_loan_pays_interest_until_its_end():
    found = result(financed("loan", term_months=6, repayment="bullet"))
    assert amounts(found, LOAN, "interest") == [0.0] + [2400.0] * 6 + [0.0] * 5
    assert amounts(found, LOAN, "principal") == [0.0] * 6 + [240_000.0] + [0.0] * 5


def test_half_a_loan_leaves_half_the_cash():
    found = result(financed("loan", term_months=6, share=0.5))
    assert found.monthly("capex")[0] == 120_000.0
    assert amounts(found, LOAN, "interest")[1] == 1200.0


def test_what_is_owed_at_the_horizon_is_settled_in_the_last_month():
    found = result(financed("loan", term_months=36, repayment="bullet"))
    assert amounts(found, LOAN, "interest") == [0.0] + [2400.0] * 11
    assert amounts(found, LOAN, "balance") == [0.0] * 11 + [240_000.0]


@pytest.mark.parametrize("term", [5, 11, 12, 36])
@pytest.mark.parametrize(
    "terms",
    [
        {"kind": "loan"},
        {"kind": "loan", "repayment": "bullet"},
        {"kind": "loan", "share": 0.4},
        {"kind": "lease", "payment": "advance"},
        {"kind": "lease", "payment": "arrears", "buy_out_share": 0.3},
    ],
)
def test_at_its_own_rate_a_contract_is_worth_the_price(terms, term):
    contract = plan(financing={"rate_per_year": 0.12, "term_months": term, **terms})
    discount = {"discount_rate": 0.12, "residual_at_horizon": True}
    bought, other = (result(each, finance=discount) for each in (plan(), contract))
    assert other.present_value == pytest.approx(bought.present_value, abs=0.1)  # cells are rounded


def test_the_rent_of_a_lease_in_advance_and_in_arrears():
    # 240,000 × (1 − 0.2/1.01⁶) × 0.01/(1 − 1.01⁻⁶) = 33,609.10 in arrears; ÷ 1.01 in advance
    late = result(financed("lease", term_months=6, payment="arrears"))
    early = result(financed("lease", term_months=6))
    assert amounts(late, LEASE, "rent") == [0.0] + [pytest.approx(33_609.29, abs=5.0)] * 6 + [0.0] * 5
    assert amounts(early, LEASE, "rent")[0] == pytest.approx(amounts(late, LEASE, "rent")[1] / 1.01, abs=0.01)
    assert amounts(early, LEASE, "buy_out") == [0.0] * 6 + [48_000.0] + [0.0] * 5


def test_what_a_lessor_asks_replaces_the_rate():
    found = result(financed("lease", term_months=6, rent_share_per_month=0.05))
    assert amounts(found, LEASE, "rent")[:7] == [12_000.0] * 6 + [0.0]


def test_an_extended_lease_goes_on_as_long_as_the_machine_and_leaves_nothing():
    extended = financed("lease", term_months=6, at_end="extend", rent_share_per_month=0.05)
    found = result(extended, finance={"discount_rate": 0.0, "residual_at_horizon": True})
    assert amounts(found, LEASE, "rent") == [12_000.0] * 12
    assert not lines(found, "credit.residual_at_horizon")


def test_a_lease_that_is_bought_out_leaves_the_residual_of_a_purchase():
    counted = {"discount_rate": 0.0, "residual_at_horizon": True}
    bought, leased = (result(each, finance=counted) for each in (plan(), financed("lease", term_months=6)))
    assert amounts(leased, "credit.residual_at_horizon") == amounts(bought, "credit.residual_at_horizon")


def test_an_extended_lease_ends_with_the_machine():
    contract = financed("lease", term_months=12, at_end="extend", rent_share_per_month=0.01)
    found = result({**contract, "end_of_life": {"life_months": 18, "then": "let_go"}}, months=24)
    assert amounts(found, LEASE, "rent") == [2400.0] * 18 + [0.0] * 6


def test_financing_leaves_the_orders_as_they_are():
    bought, leased = (result(each).orders for each in (plan(), financed("lease", term_months=6)))
    assert [order.as_dict() for order in leased] == [order.as_dict() for order in bought]


def test_the_catalog_knows_the_rate_where_the_plan_says_none():
    rows = [*COSTS, ("loan-rate", 12, "percent per year", "")]
    prices = book(costs={row[0]: cost(*row) for row in rows})
    found = evaluated(plan(financing={"kind": "loan", "term_months": 6}), lines=MACHINES, prices=prices).plans[0]
    assert amounts(found, LOAN, "interest")[1] == pytest.approx(240_000 * (1.12 ** (1 / 12) - 1), abs=0.01)


def test_without_a_rate_there_is_no_total():
    found = evaluated(plan(financing={"kind": "loan"}), lines=MACHINES).plans[0]
    assert [(reason.code, reason.facts["item"]) for reason in found.infeasible] == [("no_quote", "loan-rate")]
    assert not found.priced


def test_a_lease_longer_than_the_service_life_is_refused_by_name():
    with pytest.raises(InputError, match="plans/plan/financing/term_months"):
        Scenario.read(document({**financed("lease", term_months=72), "end_of_life": {"life_months": 60}}))


def test_a_plan_that_pays_in_cash_has_no_such_lines_and_none_is_called_left_out():
    evaluation = evaluated(plan(), lines=MACHINES)
    assert not any(line.category in (LOAN, LEASE) or line.code == "lender" for line in evaluation.plans[0].lines)
    assert not {LOAN, LEASE} & set(evaluation.left_out)


# ── Terms of the supplier ──


def paid(months=12, the_plan=None, **terms):
    """Capex cash of each month of a box of 240,000."""
    finance = {"discount_rate": 0.0, "residual_at_horizon": False, "payment": terms}
    return evaluated(the_plan or plan(), lines=MACHINES, finance=finance, months=months).plans[0]


def test_a_supplier_is_paid_in_parts():
    # 30 % with the order, 50 % on delivery: both in month 0; 10 % on acceptance in month 1; 10 % after 6 months
    found = paid(on_order=0.3, on_delivery=0.5, retention=0.1, retention_months=6)
    assert found.monthly("capex").tolist() == [192_000.0, 24_000.0, 0, 0, 0, 0, 24_000.0, 0, 0, 0, 0, 0]
    assert found.total("capex") == 240_000.0


def test_what_is_ordered_ahead_is_paid_on_its_delivery():
    later = {"slug": "late", "follow_up": {"kind": "schedule", "build": "box", "waves": [{"month": 2, "quantity": 1}]},
             "lead_months": 3}  # fmt: skip
    found = paid(the_plan=later, on_order=0.2, on_delivery=0.8)
    assert found.monthly("capex").tolist() == [0, 0, 48_000.0, 0, 0, 192_000.0, 0, 0, 0, 0, 0, 0]


def test_a_bank_acceptance_defers_every_payment_and_the_horizon_ends_it():
    assert paid(bill_months=6).monthly("capex").tolist() == [0.0] * 6 + [240_000.0] + [0.0] * 5
    assert paid(months=4, bill_months=6).monthly("capex").tolist() == [0.0, 0.0, 0.0, 240_000.0]
    assert paid(months=4, on_order=0.9, retention=0.1).monthly("capex")[-1] == 24_000.0


def test_terms_leave_orders_and_sums_as_they_are_and_a_loan_follows_the_payments():
    assert [order.as_dict() for order in paid(bill_months=3).orders] == [order.as_dict() for order in paid().orders]
    loan = paid(the_plan=financed("loan", term_months=6), bill_months=3)
    assert loan.monthly("capex").tolist() == [0.0] * 12
    assert amounts(loan, LOAN, "interest")[3:5] == [0.0, 2400.0]


ROOM = only("capex.racks_and_power", "capex.cooling")
ORDERS = {"on_order": 0.0, "on_delivery": 0.6, "retention": 0.4, "retention_months": 3}


def of_the_room(**terms):
    """A rack of 2,000 and two strips of 1,500 in month 0; air conditioning of 4,000, ordered then, there in month 2."""
    air = {"slug": "air", "item": "split-ac", "adds_cooling_kw": 5.0, "lead_weeks": 8.0}
    room = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.1, "cooling_kw": 6.0, "upgrades": [air]}
    finance = {"discount_rate": 0.0, "residual_at_horizon": False, "payment": terms}
    return evaluated(work=pool(8.0), lines=ROOM, finance=finance, months=8, sites=[room]).plans[0]


def test_terms_for_all_orders_move_racks_and_works_of_the_room_too():
    racks, air = (amounts(of_the_room(**ORDERS, covers="all_orders"), f"capex.{name}") for name in
                  ("racks_and_power", "cooling"))  # fmt: skip
    assert racks == [3000.0, 0, 0, 2000.0, 0, 0, 0, 0]
    assert air == [0, 0, 2400.0, 0, 0, 1600.0, 0, 0]


def test_terms_for_machines_leave_the_room_as_it_is():
    found = of_the_room(**ORDERS)
    assert amounts(found, "capex.racks_and_power") == [5000.0] + [0.0] * 7
    assert amounts(found, "capex.cooling") == [4000.0] + [0.0] * 7


def test_a_network_is_paid_by_the_terms_of_all_orders_and_a_lender_follows():
    fabric = {"fabric": {"when": "always"}, "start": {"build": "box", "quantity": 2}}
    prices = book(builds={"box": build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400)})

    def network(**terms):
        own = plan(**fabric, financing=terms.pop("financing", {}))
        finance = {"discount_rate": 0.0, "residual_at_horizon": False, "payment": terms}
        found = evaluated(own, lines=only("capex.fabric"), finance=finance, months=6, prices=prices).plans[0]
        return found, amounts(found, "capex.fabric")

    plain, at_once = network()
    _found, later = network(bill_months=2, covers="all_orders")
    goods = float(plain.network.goods[0, 0])
    # labour of pulling the links is no order
    assert later == [at_once[0] - goods, 0.0, goods, 0.0, 0.0, 0.0]
    lent, left = network(bill_months=2, covers="all_orders", financing={"kind": "loan", "rate_per_year": 0.0})
    assert left == [at_once[0] - goods, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert amounts(lent, LOAN, "principal")[2:4] == [0.0, pytest.approx(goods / 36, abs=0.01)]


def test_shares_above_the_price_are_refused_by_name():
    with pytest.raises(InputError, match="finance/payment/retention"):
        paid(on_order=0.9, retention=0.2)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["loan", "lease"]),
    st.floats(0.0, 0.4),
    st.integers(1, 60),
    st.floats(0.05, 1.0),
    st.sampled_from(["annuity", "bullet"]),
    st.sampled_from(["advance", "arrears"]),
    st.floats(0.0, 0.6),
    st.integers(1, 40),
)
def test_no_contract_at_its_own_rate_gains_or_loses(kind, rate, term, share, repayment, payment, left, months):
    terms = {"kind": kind, "rate_per_year": rate, "term_months": term, "share": share, "repayment": repayment,
             "payment": payment, "buy_out_share": left}  # fmt: skip
    discount = {"discount_rate": rate, "residual_at_horizon": True}
    bought, other = (result(each, finance=discount, months=months) for each in (plan(), plan(financing=terms)))
    assert other.present_value == pytest.approx(bought.present_value, abs=0.01 * months + 0.05)
