"""Colocation contracts worked by hand: a box draws 10 kW at most; all prices are flat unless said."""

import pytest

from planner.engine.inputs import Scenario
from planner.engine.quantities import InputError
from tests.engine.sample import FLAT, amounts, document, evaluated, lines, plan

OWN = {"slug": "own", "from_month": 6, "electricity_price_per_kwh": 0.10}


def hall(*more_sites, months=1, boxes=1, market=None, **terms):
    """The plan of so many boxes in a hall on these terms, 100 a kW and month unless said."""
    terms = {"usable_share": 1.0, "price_per_kw_month": 100.0, **terms}
    site = {"slug": "hall", "kind": "colocation", "electricity_price_per_kwh": 0.10, "colocation": terms}
    return evaluated(
        plan(start={"build": "box", "quantity": boxes}),
        months=months,
        sites=[site, *more_sites],
        market={**FLAT, **(market or {})},
    ).plans[0]


def rent(result, code=None):
    return amounts(result, "opex.colocation", code)


def test_what_is_drawn_above_the_commitment_has_its_own_price():
    result = hall(committed_kw=8.0, overage_price_per_kw=150.0)
    assert rent(result, "contracted_power") == [800.0]
    assert rent(result, "overage") == [300.0]


def test_without_an_overage_price_all_of_it_is_contracted():
    assert rent(hall(committed_kw=8.0)) == [1000.0]


def test_a_commitment_is_owed_when_less_is_drawn():
    result = hall(committed_kw=40.0, overage_price_per_kw=150.0)
    assert rent(result) == [4000.0]


@pytest.mark.parametrize(("boxes", "money"), [(1, 13 * 275.0), (2, 25 * 200.0)])
def test_the_band_of_the_contract_s_size_prices_all_of_it(boxes, money):
    bands = [{"from_kw": 0, "price_per_kw_month": 275}, {"from_kw": 15, "price_per_kw_month": 200}]
    # 10 kW ÷ 80 % in steps of 1 kW are 13, 20 kW are 25
    assert rent(hall(boxes=boxes, usable_share=0.8, bands=bands)) == [money]


CABINETS = [{"amps": 20, "price_per_month": 1200}, {"amps": 30, "price_per_month": 1500}]


def test_cabinets_are_priced_by_amps_and_the_cheapest_number_of_them_is_taken():
    result = hall(billing="cabinet", usable_share=0.8, cabinets=CABINETS)
    # 208 V × 20 A × 80 % = 3.328 kW: four of them, 4,800; 30 A carries 4.992 kW: three of them, 4,500
    line = lines(result, "opex.colocation")["cabinets"]
    assert (line.quantity[0, 0], line.unit_price[0, 0]) == (3.0, 1500.0)
    assert line.factors["usable_kw"] == pytest.approx(4.992)


def test_three_phases_carry_more_in_a_cabinet():
    result = hall(billing="cabinet", usable_share=0.8, cabinets=CABINETS, cabinet_phases="three")
    # √3 × 208 V × 20 A × 80 % = 5.764 kW: two of them at 1,200; 30 A carries 8.646 kW: also two
    assert rent(result) == [2400.0]


def test_u073_set_up_feed_hands_and_cross_connects_are_lines_of_their_own():
    result = hall(
        months=2,
        setup_fee=5000.0,
        redundant_feed_per_month=300.0,
        remote_hands_hours=2.0,
        cross_connects=3,
        cross_connect_price=200.0,
    )
    assert amounts(result, "capex.installation", "colocation_setup") == [5000.0, 0.0]
    assert rent(result, "redundant_feed") == [300.0, 300.0]
    assert rent(result, "remote_hands") == [400.0, 400.0]  # at the catalog's 200 an hour
    assert amounts(result, "opex.network_transit", "cross_connect") == [600.0, 600.0]


def test_u073_a_fee_that_is_not_quoted_makes_no_line():
    result = hall()
    assert set(lines(result, "opex.colocation")) == {"contracted_power"}
    assert "colocation_setup" not in lines(result, "capex.installation")


def test_u071_a_line_knows_the_price_of_a_usable_kw_beside_the_headline_price():
    factors = lines(hall(usable_share=0.8, price_per_kw_month=195.0), "opex.colocation")["contracted_power"].factors
    assert (factors["price_today"], factors["usable_price"]) == (195.0, 243.75)


def test_an_escalator_steps_on_each_anniversary():
    result = hall(months=25, escalator_per_year=0.03)
    assert rent(result)[0] == rent(result)[11] == 1000.0
    assert rent(result)[12] == rent(result)[23] == 1030.0
    assert rent(result)[24] == 1060.90


def test_a_term_locks_the_price_and_is_renewed_at_the_market_s():
    result = hall(months=25, term_months=12, market={"colocation": {"rate_per_year": 0.10}})
    assert rent(result)[11] == 1000.0
    assert rent(result)[12] == rent(result)[23] == 1100.0
    assert rent(result)[24] == 1210.0


def test_who_leaves_before_the_term_owes_the_rest_of_it():
    result = hall(OWN, months=18, term_months=12)
    assert rent(result, "contracted_power") == [1000.0] * 6 + [0.0] * 12
    assert rent(result, "term_owed") == [0.0] * 6 + [1000.0] * 6 + [0.0] * 6


def test_who_leaves_at_the_end_of_the_term_owes_nothing_more():
    assert "term_owed" not in lines(hall(OWN, months=18, term_months=6), "opex.colocation")


def test_a_later_machine_starts_the_contract_later():
    late = plan(start=None, follow_up={"kind": "schedule", "build": "box", "waves": [{"month": 2, "quantity": 1}]})
    terms = {"usable_share": 1.0, "price_per_kw_month": 100.0, "setup_fee": 700.0, "term_months": 12}
    site = {"slug": "hall", "kind": "colocation", "electricity_price_per_kwh": 0.10, "colocation": terms}
    result = evaluated(late, months=15, sites=[site], market={**FLAT, "colocation": {"rate_per_year": 0.10}}).plans[0]
    assert amounts(result, "capex.installation", "colocation_setup")[:4] == [0.0, 0.0, 711.21, 0.0]  # × 1.1^(2/12)
    price = round(100.0 * 1.1 ** (2 / 12) * 10, 2)
    assert rent(result)[2] == rent(result)[13] == price


def test_pue_counts_only_where_power_is_metered():
    metered, included = hall(), hall(power_included=True)
    assert amounts(metered, "opex.energy_overhead")[0] > 0
    assert amounts(included, "opex.energy_overhead") == amounts(included, "opex.energy_it") == [0.0]


@pytest.mark.parametrize(
    ("terms", "path"),
    [
        ({"billing": "cabinet"}, "cabinets"),
        ({"bands": [{"from_kw": 5, "price_per_kw_month": 1}]}, "bands"),
        ({"cabinets": [{"amps": 30, "price_per_month": 1}, {"amps": 20, "price_per_month": 1}]}, "cabinets"),
    ],
)
def test_a_contract_that_contradicts_itself_names_the_field(terms, path):
    site = {"slug": "hall", "kind": "colocation", "colocation": terms}
    with pytest.raises(InputError) as caught:
        Scenario.read(document(sites=[site]))
    assert ["/".join(problem.path) for problem in caught.value.problems] == [f"sites/hall/colocation/{path}"]
