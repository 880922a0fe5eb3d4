"""Machines bought used or refurbished: price, life, warranty and resale. Expected figures are worked by hand."""

import pytest

from planner.engine.inputs import Scenario
from planner.engine.quantities import InputError
from tests.engine.sample import amounts, book, build, document, evaluated, lines, only, plan, price

MACHINES = only("capex.accelerators_and_servers")
CURVE = [{"month": 0, "share": 1.0}, {"month": 24, "share": 0.5}, {"month": 48, "share": 0.2}]
USED = {"kind": "used", "price_share": 0.4, "age_months": 24}


def second_hand(condition, **more):
    changes = {"lines": MACHINES, **more}
    return evaluated(plan(**changes.pop("of", {}), condition=condition), **changes).plans[0]


def test_a_used_server_costs_its_share_of_a_new_one_on_the_planners_word():
    result = second_hand(USED)
    assert amounts(result, "capex.accelerators_and_servers") == [96_000.0] + [0.0] * 11  # 0.4 × 240,000
    line = lines(result, "capex.accelerators_and_servers")["server"]
    assert (line.source.basis, line.part, line.factors["price_share"]) == ("own", "used", 0.4)


def test_a_new_server_stays_as_it_was_whatever_else_is_said():
    result = second_hand({"kind": "new", "price_share": 0.4, "age_months": 24}, lines={})
    plain = evaluated().plans[0]
    assert [(line.key, line.minor.tolist()) for line in result.lines] == [
        (line.key, line.minor.tolist()) for line in plain.lines
    ]
    assert [each.code for each in result.warnings] == [each.code for each in plain.warnings]


def test_a_quote_of_that_condition_goes_before_nothing_and_no_quote_is_no_price():
    quoted = build("box", 8, 8, 240_000.0, used_price=price(110_000.0))
    prices = book(builds={"box": quoted})
    result = second_hand({"kind": "used"}, prices=prices)
    assert amounts(result, "capex.accelerators_and_servers")[0] == 110_000.0
    assert lines(result, "capex.accelerators_and_servers")["server"].source.basis == "list"
    none = second_hand({"kind": "refurbished"}, prices=prices)
    assert [(each.code, each.facts["item"]) for each in none.infeasible] == [("no_quote", "box")]
    assert not none.priced


def test_cards_and_chassis_keep_their_parts_of_the_price():
    result = second_hand(USED, of={"start": {"build": "chassis", "cards": 3}})
    # 0.4 × (100,000 + a card of 30,000)
    assert amounts(result, "capex.accelerators_and_servers")[0] == 52_000.0


def test_it_serves_what_is_left_of_its_life():
    end = {"life_months": 30, "then": "let_go"}
    result = second_hand(USED, of={"end_of_life": end})
    assert result.capacity.tolist() == [8.0] * 6 + [0.0] * 6
    (told,) = [each for each in result.warnings if each.code == "second_hand"]
    assert told.facts == {
        "item": "box",
        "condition": "used",
        "age_months": 24,
        "service_months": 6,
        "warranty_months": 0,
    }


def test_one_whose_life_is_over_is_refused():
    late = plan(condition={**USED, "age_months": 60}, end_of_life={"life_months": 60})
    with pytest.raises(InputError):
        Scenario.read(document(late))


def test_a_sale_brings_what_one_of_its_age_brings():
    market = {"residual": {"system": CURVE, "card": CURVE, "host": CURVE}, "resale_commission": 0.0}
    result = second_hand(
        USED,
        market=market,
        finance={"discount_rate": 0.0, "residual_at_horizon": True},
        lines=only("credit.residual_at_horizon"),
        months=24,
    )
    # bought at 24 months for 96,000; two years on it is worth 0.2 ÷ 0.5 of that
    assert amounts(result, "credit.residual_at_horizon")[-1] == -38_400.0


@pytest.mark.parametrize(("warranty", "paid"), [(0, 12), (6, 6)])
def test_support_begins_when_the_sellers_warranty_ends(warranty, paid):
    prices = book(builds={"box": build("box", 8, 8, 240_000.0, warranty_months=36, support_share_per_year=0.1)})
    result = second_hand(
        {**USED, "warranty_months": warranty},
        prices=prices,
        lines=only("opex.support"),
        reliability={"warranty_years": 3.0},
    )
    # a tenth of 96,000 a year
    assert amounts(result, "opex.support") == [0.0] * (12 - paid) + [800.0] * paid


def test_repairs_outside_warranty_are_paid_in_parts_of_used_machines():
    rules = {"counted": True, "after_warranty": "own_repair", "spares_confidence": 0.0}
    new, used = (
        second_hand(condition, lines=only("opex.support"), reliability=rules, work=None)
        for condition in ({"kind": "new"}, USED)
    )
    bills = [lines(result, "opex.support")["repair_gpus"].total() for result in (new, used)]
    assert bills[1] == pytest.approx(0.4 * bills[0], abs=0.1)


def test_without_quote_and_share_the_missing_price_names_the_condition():
    plain = plan(condition={"kind": "refurbished"})
    (found,) = evaluated(plain).plans[0].infeasible
    assert (found.code, found.facts["item"], found.facts["condition"]) == ("no_quote", "box", "refurbished")
