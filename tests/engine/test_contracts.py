"""Support contracts with renewal months of their own."""

import pytest

from planner.engine.inputs import Scenario
from planner.engine.quantities import InputError
from tests.engine.sample import amounts, book, build, document, evaluated, lines, only, plan

SUPPORT = only("opex.support")


def supported(*contracts, months=60, prices=None, buying=None):
    return evaluated(
        buying or plan(), lines=SUPPORT, months=months, prices=prices, operations={"contracts": list(contracts)}
    ).plans[0]


def contract(slug="gold", **more):
    return {"slug": slug, "renewal_month": 36, "share_per_year": 0.1, **more}


def test_u009_a_contract_costs_nothing_before_its_renewal_month():
    # a tenth of 240,000 a year is 2,000 a month
    paid = amounts(supported(contract()), "opex.support")
    assert paid[:36] == [0.0] * 36
    assert paid[36:] == [2_000.0] * 24


def test_u009_two_overlapping_contracts_are_both_counted_and_shown():
    result = supported(contract(), contract("onsite", renewal_month=48, share_per_year=0.05))
    assert {line.part: line.total() for line in result.lines} == {"gold": 48_000.0, "onsite": 12_000.0}
    paid = amounts(result, "opex.support")
    assert (paid[47], paid[48]) == (2_000.0, 3_000.0)


def test_a_contract_ends_with_its_term():
    paid = amounts(supported(contract(term_months=12)), "opex.support")
    assert (paid[35], paid[36], paid[47], paid[48]) == (0.0, 2_000.0, 2_000.0, 0.0)


def test_each_purchase_has_its_own_renewal():
    waves = plan(follow_up={"kind": "schedule", "waves": [{"month": 12, "quantity": 1}]})
    paid = amounts(supported(contract(renewal_month=24), buying=waves, months=48), "opex.support")
    assert (paid[23], paid[24], paid[35], paid[36]) == (0.0, 2_000.0, 2_000.0, 4_000.0)


def test_a_contract_may_be_renewed_on_one_day_for_all():
    waves = plan(follow_up={"kind": "schedule", "waves": [{"month": 12, "quantity": 1}]})
    paid = amounts(supported(contract(renewal_month=24, counted_from="start"), buying=waves, months=48), "opex.support")
    assert (paid[23], paid[24], paid[47]) == (0.0, 4_000.0, 4_000.0)


def test_a_fee_is_owed_for_each_server():
    two = plan(start={"build": "box", "quantity": 2})
    result = supported(contract(renewal_month=6, fee_per_server_year=1_200.0), buying=two, months=12)
    assert amounts(result, "opex.support") == [0.0] * 6 + [200.0] * 6
    assert lines(result, "opex.support")["contract"].quantity_unit == "server"


def test_a_contract_for_one_build_leaves_others_alone():
    assert supported(contract(build="twin")).lines == []


@pytest.mark.parametrize(("replaces", "last"), [(False, 4_000.0), (True, 2_000.0)])
def test_a_contract_may_stand_in_place_of_the_catalog_s_support(replaces, last):
    prices = book(builds={"box": build("box", 8, 8, 240_000.0, support_share_per_year=0.1)}, addons={})
    paid = amounts(
        supported(contract(renewal_month=6, replaces_catalog=replaces), prices=prices, months=12), "opex.support"
    )
    assert paid[-1] == last


def test_two_contracts_of_one_name_are_refused():
    with pytest.raises(InputError, match="operations/contracts"):
        Scenario.read(document(operations={"contracts": [contract(), contract()]}))
