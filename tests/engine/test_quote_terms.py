"""Volume breaks, discounts, least quantities, packs and included tax, worked by hand."""

import numpy as np
import pytest

from planner.engine.lines import round_half_up
from planner.engine.prices import PriceBook
from tests.engine.sample import CARD, FLAT, amounts, book, build, evaluated, lines, only, plan, pool, price

MACHINES = only("capex.accelerators_and_servers")
BREAKS = {"breaks": [{"min_quantity": 4, "amount": 95_000.0}, {"min_quantity": 8, "amount": 90_000.0}]}


def quoted(amount, currency="USD", *, rate=1.0, tax_included=0.0, **terms):
    source = {"basis": "quoted", "supplier": "Dealer", "number": "Q-7", "dated": "2026-12-01"}
    return {
        "amount": amount,
        "currency": currency,
        "rate": rate,
        "source": source,
        "tax_included": tax_included,
        "terms": terms or None,
    }


def boxes(quantity, asked, **changes):
    """The plan that buys so many boxes at once under a quote; only machines cost anything."""
    prices = book(builds={"box": build("box", 8, 8, None, price=asked)}, addons={})
    start = {"build": "box", "quantity": quantity}
    result = evaluated(plan(start=start), prices=prices, work=pool(1.0), lines=MACHINES, **changes)
    return result.plans[0]


def unit_price(result):
    return float(lines(result, "capex.accelerators_and_servers")["server"].unit_price[0, 0])


@pytest.mark.parametrize(("quantity", "each"), [(3, 100_000), (4, 95_000), (7, 95_000), (8, 90_000), (20, 90_000)])
def test_u005_the_highest_break_that_the_quantity_reaches_is_paid(quantity, each):
    result = boxes(quantity, quoted(100_000.0, **BREAKS))
    assert unit_price(result) == each
    assert result.total("capex") == quantity * each


def test_u005_each_order_has_the_break_of_its_own_quantity():
    # eight boxes at once at the break of 8; two more in March at the price of one
    asked = quoted(100_000.0, **BREAKS)
    prices = book(builds={"box": build("box", 8, 8, None, price=asked)}, addons={})
    follow = {"kind": "schedule", "waves": [{"month": 2, "quantity": 2}]}
    many = plan(start={"build": "box", "quantity": 8}, follow_up=follow)
    result = evaluated(many, prices=prices, lines=MACHINES).plans[0]
    paid = amounts(result, "capex.accelerators_and_servers")
    assert (paid[0], paid[2]) == (720_000.0, 200_000.0)


def test_the_break_of_a_card_counts_the_cards_ordered():
    card = {**CARD, "price": quoted(30_000.0, breaks=[{"min_quantity": 2, "amount": 28_000.0}])}
    prices = book(addons={"chassis": card})
    result = evaluated(
        plan(start={"build": "chassis", "cards": 4}), prices=prices, work=pool(1.0), lines=MACHINES
    ).plans[0]
    # a chassis with its two cards at 100,000, and two cards at the break of 2
    assert result.total("capex") == 156_000.0


def test_a_switch_has_its_break_too():
    items = {
        "qm9700": {
            **book().items["qm9700"].model_dump(),
            "price": quoted(25_000.0, breaks=[{"min_quantity": 2, "amount": 24_000.0}]),
        }
    }
    ported = build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400)
    prices = book(builds={"box": ported}, addons={}, items=items)
    two = plan(start={"build": "box", "quantity": 2}, fabric={"when": "always"})
    result = evaluated(two, prices=prices, lines=only("capex.fabric")).plans[0]
    assert lines(result, "capex.fabric")["switch"].amount[0, 0] == 48_000.0


@pytest.mark.parametrize(("quantity", "named"), [(3, True), (4, False)])
def test_u006_below_the_minimum_quantity_is_named_and_nothing_is_rounded_up(quantity, named):
    result = boxes(quantity, quoted(100_000.0, min_quantity=4))
    found = [
        (each.month, each.facts["least"], each.facts["ordered"]) for each in result.warnings if each.code == "below_moq"
    ]
    assert found == ([(0, 4, 3.0)] if named else [])
    assert lines(result, "capex.accelerators_and_servers")["server"].quantity[0, 0] == quantity
    assert result.feasible


def test_u006_a_broken_pack_is_named_with_the_packs_that_would_be_whole():
    [found] = [each for each in boxes(6, quoted(100_000.0, pack=4)).warnings if each.code == "broken_pack"]
    assert (found.facts["ordered"], found.facts["packs"], found.facts["offered"]) == (6.0, 2, 8)


@pytest.mark.parametrize("quantity", [4, 8])
def test_whole_packs_are_not_named(quantity):
    assert not [each for each in boxes(quantity, quoted(100_000.0, pack=4)).warnings if each.code == "broken_pack"]


@pytest.mark.parametrize(("quantity", "named"), [(1, True), (2, False)])
def test_u006_an_order_under_the_minimum_value_is_named_in_the_currency_of_the_quote(quantity, named):
    # 90,000 EUR each, tax included, so 180,000 EUR for two
    result = boxes(quantity, quoted(90_000.0, "EUR", rate=1.1, tax_included=0.2, min_order_value=180_000.0))
    found = [each.facts for each in result.warnings if each.code == "below_order_value"]
    assert bool(found) is named
    if named:
        assert found[0]["value_ordered"] == pytest.approx(90_000.0)
        assert found[0]["currency"] == "EUR"


def test_discounts_are_taken_once_each_on_lines_of_their_own():
    # 8 × 90,000 = 720,000; 5 % off is 36,000; the rebate of 10,000 once
    off = [{"name": "Framework", "share": 0.05}, {"name": "Rebate", "amount": 10_000.0}]
    result = boxes(8, quoted(100_000.0, **BREAKS, discounts=off))
    paid = {(line.code, line.part): line.total() for line in result.lines}
    assert paid == {("server", ""): 720_000.0, ("discount", "Framework"): -36_000.0, ("discount", "Rebate"): -10_000.0}
    assert result.total("capex") == 674_000.0


def test_an_amount_is_taken_off_the_first_order_and_a_share_off_each():
    off = [{"name": "Framework", "share": 0.1}, {"name": "Rebate", "amount": 7_000.0}]
    asked = quoted(100_000.0, discounts=off)
    prices = book(builds={"box": build("box", 8, 8, None, price=asked)}, addons={})
    follow = {"kind": "schedule", "waves": [{"month": 2, "quantity": 1}]}
    result = evaluated(plan(follow_up=follow), prices=prices, lines=MACHINES).plans[0]
    paid = amounts(result, "capex.accelerators_and_servers")
    assert (paid[0], paid[2]) == (83_000.0, 90_000.0)


def test_what_a_machine_is_worth_follows_from_what_was_paid_after_discounts():
    # 200,000 less 10 %; after twelve months 72 % of it, less 15 % commission: 110,160
    asked = quoted(200_000.0, discounts=[{"name": "Framework", "share": 0.1}])
    result = boxes(
        1,
        asked,
        finance={"discount_rate": 0.0},
        months=12,
    )
    assert result.total("capex") == 180_000.0
    with_credit = only("capex.accelerators_and_servers", "credit.residual_at_horizon")
    prices = book(builds={"box": build("box", 8, 8, None, price=asked)}, addons={})
    result = evaluated(plan(), prices=prices, lines=with_credit, finance={"discount_rate": 0.0}).plans[0]
    assert result.total("credit") == pytest.approx(-110_160.0)


def test_freight_is_a_share_of_what_is_paid_after_discounts():
    asked = quoted(200_000.0, discounts=[{"name": "Framework", "share": 0.1}])
    prices = book(builds={"box": build("box", 8, 8, None, price=asked)}, addons={})
    result = evaluated(plan(), prices=prices, lines=only("capex.freight_and_duty")).plans[0]
    assert result.total("capex") == 1_800.0


def test_a_price_with_tax_counts_before_tax():
    # 113,000 yuan with 13 % inside is 100,000 before tax, at 0.14 a dollar price of 14,000
    result = boxes(2, quoted(113_000.0, "CNY", rate=0.14, tax_included=0.13))
    assert result.total("capex") == 28_000.0


def test_the_user_s_own_price_has_no_terms():
    asked = quoted(100_000.0, **BREAKS, min_quantity=4, discounts=[{"name": "Framework", "share": 0.1}])
    result = boxes(8, asked, market={**FLAT, "own_prices": {"box": 50_000.0}})
    assert result.total("capex") == 400_000.0
    assert not [
        each
        for each in boxes(1, asked, market={**FLAT, "own_prices": {"box": 1.0}}).warnings
        if each.code == "below_moq"
    ]


def test_a_discount_leaves_nothing_below_nothing():
    result = boxes(1, quoted(5_000.0, discounts=[{"name": "Rebate", "amount": 9_000.0}]))
    assert result.total("capex") == 0.0


def test_the_price_path_moves_a_break_like_the_price():
    falling = {
        **FLAT,
        "accelerator": {"rate_per_year": -0.5},
        "memory_flash": {"rate_per_year": -0.5},
        "rest": {"rate_per_year": -0.5},
    }
    asked = quoted(100_000.0, **BREAKS)
    prices = book(builds={"box": build("box", 8, 8, None, price=asked)}, addons={})
    follow = {"kind": "schedule", "waves": [{"month": 12, "quantity": 4}]}
    result = evaluated(plan(follow_up=follow), prices=prices, lines=MACHINES, months=24, market=falling).plans[0]
    assert amounts(result, "capex.accelerators_and_servers")[12] == 190_000.0


def test_a_book_without_terms_keeps_its_bytes():
    # books pinned before quotes had terms keep their hash, by which versions and reports name them
    written = book().model_dump(mode="json")["builds"]["box"]["price"]
    assert set(written) == {"amount", "currency", "rate", "source"}


def test_a_book_with_terms_reads_back():
    prices = book(builds={"box": build("box", 8, 8, None, price=quoted(1.0, **BREAKS, tax_included=0.1))}, addons={})
    again = PriceBook.read(prices.model_dump(mode="json"))
    assert again == prices
    assert again.sha256() == prices.sha256()


def test_orders_carry_the_price_of_their_break():
    result = boxes(8, quoted(100_000.0, **BREAKS, discounts=[{"name": "Framework", "share": 0.1}]))
    assert [(order.quantity, order.unit_price, order.source.number) for order in result.orders] == [
        (8.0, 90_000.0, "Q-7")
    ]


def test_quoted_prices_of_a_batch_are_those_of_each_quantity():
    asked = PriceBook.read(book().model_dump()).builds["box"].price.read(quoted(100_000.0, **BREAKS))
    quantities = np.array([[0.0, 3.0, 4.0, 8.0]])
    assert round_half_up(asked.values("USD", quantities), 0).tolist() == [[100_000.0, 100_000.0, 95_000.0, 90_000.0]]


def test_list_prices_stay_as_they_are():
    prices = book(builds={"box": build("box", 8, 8, None, price=price(100_000.0))}, addons={})
    result = evaluated(plan(start={"build": "box", "quantity": 8}), prices=prices, lines=MACHINES).plans[0]
    assert result.total("capex") == 800_000.0


def test_each_network_is_a_line_at_its_own_break_and_a_discount_of_the_switch_is_taken_once():
    # two switches join the servers and two the storage, each at the break of 2; 1,000 off the first order
    off = [{"name": "Rebate", "amount": 1000.0}]
    asked = quoted(25_000.0, breaks=[{"min_quantity": 2, "amount": 20_000.0}], discounts=off)
    items = {"qm9700": {**book().items["qm9700"].model_dump(), "price": asked}}
    ported = build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400)
    prices = book(builds={"box": ported}, addons={}, items=items)
    two = plan(start={"build": "box", "quantity": 2}, fabric={"when": "always", "storage_network": True})
    result = evaluated(two, prices=prices, lines=only("capex.fabric")).plans[0]
    found = lines(result, "capex.fabric")
    assert (found["switch"].amount[0, 0], found["storage_switch"].amount[0, 0]) == (40_000.0, 40_000.0)
    assert found["discount"].amount[0, 0] == -1000.0
    assert result.network.goods[0, 0] == sum(
        found[code].amount[0, 0] for code in ("switch", "storage_switch", "link", "storage_link", "discount")
    )
