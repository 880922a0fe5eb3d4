"""What a budget buys, worked by hand from round quotes: how many, what they do for it, and what speaks against them."""

import math

import pytest

from planner.engine.budget import Budget, _largest, configurations, neighbours
from planner.engine.inputs import Scenario
from planner.engine.prices import MissingRate
from planner.engine.quantities import InputError
from tests.engine.sample import book, build, document, only, pool, price

HOURS = 8760.0  # of 2027
YUAN = {"currency": "CNY", "rate": 1.0}


def quoted(**amounts):
    """A book with the sample's boxes at these prices in yuan, none for None; nothing else is for sale."""
    names = {"box": (8, "gpu"), "twin": (8, "big"), "desk": (2, "gpu")}
    builds = {}
    for name, amount in amounts.items():
        cards, card = names[name]
        made = build(name, cards, cards, None, accelerator=card, workstation=name == "desk")
        builds[name] = {**made, "price": None if amount is None else price(amount, **YUAN)}
    return book(currency="CNY", builds=builds, addons={}, offers={}, tariffs=tariff())


def tariff():
    rate = {"amount": 0.10, "currency": "CNY", "rate": 1.0, "source": {"basis": "list"}}
    return {"US-VA/commercial": {"region": "US-VA", "customer_class": "commercial", "price": rate}}


def bought(prices, lines=("capex.accelerators_and_servers",), site=None, target=0.5, **asked):
    """The configurations by their slug, best first; only the machines cost money, unless said."""
    given = document(
        work=pool(1.0, target_utilisation=target),
        currency=prices.currency,
        lines=only(*lines),
        **({"sites": [site]} if site else {}),
    )
    found = configurations(Scenario.read(given), prices, Budget.read({"amount": 2_000_000.0, **asked}))
    return {each.slug: each for each in found}


def test_two_million_buys_as_many_servers_as_two_quotes_allow():
    """¥240,000 a box: 8 cost 1.92 million. ¥700,000 a twin: 2 cost 1.4 million."""
    found = bought(quoted(box=240_000.0, twin=700_000.0))
    assert [(each.servers, each.cost, each.stops) for each in found.values() if each.servers > 1] == [
        (8, 1_920_000.0, "budget"),
        (2, 1_400_000.0, "budget"),
    ]
    assert {each.state for each in found.values()} == {"fits"}


def test_the_ranking_is_by_useful_gpu_hours_of_the_reference_for_the_money():
    """A big GPU does what two of the reference do: 8 × 2 of them half busy for a year, against 8 for 240,000."""
    found = bought(quoted(box=240_000.0, twin=700_000.0))
    box, twin = found["box.x1"], found["twin.x1"]
    assert box.useful_hours == pytest.approx(8 * 0.5 * HOURS)
    assert twin.useful_hours == pytest.approx(16 * 0.5 * HOURS)
    assert box.hours_per_money == pytest.approx(8 * 0.5 * HOURS / 240_000.0)
    assert list(found) == ["box.x1", "box.x8", "twin.x1", "twin.x2"]


def test_the_rungs_lead_from_a_workstation_to_a_cluster():
    prices = quoted(desk=60_000.0, box=240_000.0)
    ported = {**prices.model_dump(mode="json")}
    ported["builds"]["box"] |= {"fabric_ports": 8, "fabric_port_gbps": 400.0}
    found = bought(book(**ported))
    groups = {each.slug: each.group for each in found.values()}
    assert groups["desk.x1"] == "workstation"
    assert groups["desk.x33"] == "servers"
    assert groups["box.x1"] == "server"
    assert groups["box.x8.fabric"] == "cluster"


def test_a_fabric_is_paid_out_of_the_budget():
    """7 servers of 8 ports hang on a pair of switches, 25,000 each: 56 links and half as many between the two, of
    1,000 and 50 to lay. An eighth would make it 1,920,000 + 50,000 + 96 × 1,050."""
    prices = quoted(box=240_000.0).model_dump(mode="json")
    prices["builds"]["box"] |= {"fabric_ports": 8, "fabric_port_gbps": 400.0}
    found = bought(book(**prices), lines=("capex.accelerators_and_servers", "capex.fabric"))
    joined = next(each for each in found.values() if each.joined)
    assert (joined.servers, joined.cost, joined.stops) == (7, 7 * 240_000.0 + 50_000.0 + 84 * 1_050.0, "budget")
    assert joined.together == 56


def test_what_must_be_paid_until_the_horizon_leaves_less_for_machines():
    """A box half busy draws 2 + 0.5 × (8 − 2) = 5 kW: with PUE 1.5 and 0.10 a kWh, 8,760 h cost 6,570."""
    lines = ("capex.accelerators_and_servers", "opex.energy_it", "opex.energy_overhead")
    found = bought(quoted(box=499_000.0), lines=lines, covers="horizon")
    assert found["box.x1"].cost == pytest.approx(499_000.0 + 6_570.0, abs=0.1)
    assert found["box.x3"].cost == pytest.approx(3 * (499_000.0 + 6_570.0), abs=0.1)
    assert "box.x4" in bought(quoted(box=499_000.0), lines=lines)


def test_what_costs_more_than_there_is_says_what_it_costs():
    found = bought(quoted(box=240_000.0, twin=2_500_000.0))
    assert found["twin.x1"].state == "over"
    assert found["twin.x1"].cost == 2_500_000.0
    assert list(found)[-1] == "twin.x1"


def test_no_quote_is_no_zero():
    found = bought(quoted(box=240_000.0, twin=None))
    twin = found["twin.x1"]
    assert (twin.state, twin.cost, twin.hours_per_money) == ("unpriced", None, None)
    assert [reason.code for reason in twin.reasons] == ["no_quote"]
    assert not any(each.build.slug == "twin" and each.servers > 1 for each in found.values())


def test_u026_a_missing_exchange_rate_is_named_and_prices_nothing():
    prices = quoted(box=240_000.0, twin=700_000.0).model_dump(mode="json")
    prices["builds"]["twin"]["price"] |= {"currency": "EUR", "rate": None}
    twin = bought(book(**prices))["twin.x1"]
    assert (twin.state, twin.missing, twin.cost) == ("unpriced", "EUR", None)


def test_u026_a_rate_that_all_of_them_lack_stops_the_answer():
    prices = quoted(box=240_000.0).model_dump(mode="json")
    prices["builds"]["box"]["price"] |= {"currency": "EUR", "rate": None}
    with pytest.raises(MissingRate, match="EUR"):
        bought(book(**prices))


def test_a_room_that_powers_no_more_stops_before_the_budget_does():
    """35 kW carry three boxes of 10 kW at most."""
    room = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10, "power_kw": 35.0}
    found = bought(quoted(box=240_000.0), site=room)
    assert [(each.servers, each.stops) for each in found.values()] == [(1, ""), (3, "room")]


def test_one_server_that_the_room_cannot_power_is_told_with_its_reason():
    room = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10, "power_kw": 9.0}
    found = bought(quoted(box=240_000.0), site=room)
    assert [(each.state, each.reasons[0].code) for each in found.values()] == [("fails", "room_power")]


def test_a_model_that_fits_no_server_of_a_kind_fails_there():
    """70 B in 8 bits are 70 GB and a cache; 2 × 80 GB of a desk hold it, one card of 80 GB does not."""
    prices = quoted(box=240_000.0, desk=60_000.0).model_dump(mode="json")
    prices["builds"]["desk"] |= {"accelerator_count": 1, "chassis_slots": 1}
    prices["models"] = {"m70": model("m70", 70.0)}
    found = bought(book(**prices), model="m70")
    assert found["box.x1"].state == "fits"
    assert (found["desk.x1"].state, found["desk.x1"].reasons[0].code) == ("fails", "model_memory")
    assert not any(each.build.slug == "desk" and each.servers > 1 for each in found.values())  # more would not help


def model(slug, params_b):
    """Llama's shape: 80 layers, 8192 wide, 64 heads, 8 of them for the cache."""
    shape = {"layers": 80, "hidden": 8192, "heads": 64, "kv_heads": 8, "attention": "GQA"}
    return {"slug": slug, "name": slug, "params_b": params_b, **shape}


def test_the_largest_model_follows_from_the_memory_that_works_together():
    """Usable are 0.9 × 80 − 3 = 69 GB of a card. In 8 bits 8 cards hold 552 GB: 405 B, not 600 B. LoRA takes 2.15
    bytes a parameter and 2 GB: 256 B at most. Training takes 18 bytes a parameter: under 30 B."""
    prices = quoted(box=240_000.0).model_dump(mode="json")
    sizes = (600.0, 405.0, 200.0, 20.0)
    prices["models"] = {f"m{size:.0f}": model(f"m{size:.0f}", size) for size in sizes}
    box = bought(book(**prices))["box.x1"]
    found = {use: ability.model.slug for use, ability in box.abilities.items()}
    assert found == {"serving": "m405", "tuning": "m200", "training": "m20"}


def test_a_model_that_the_catalog_does_not_know_is_refused_by_its_name():
    with pytest.raises(InputError, match="budget/model"):
        bought(quoted(box=240_000.0), model="nobody")


def test_second_hand_machines_count_where_they_are_asked_for():
    prices = quoted(box=240_000.0).model_dump(mode="json")
    prices["builds"]["used-box"] = {**prices["builds"]["box"], "slug": "used-box"}
    assert not any(slug.startswith("used-") for slug in bought(book(**prices)))
    assert "used-box.x1" in bought(book(**prices), used=True)


def test_what_may_not_be_sold_there_fails_by_the_rule():
    prices = quoted(box=240_000.0).model_dump(mode="json")
    rule = {"country": "US", "verdict": "prohibited", "effective": "2023-11-17"}
    prices["accelerators"]["gpu"]["export_rules"] = [rule]
    found = bought(book(**prices))
    assert [(each.state, each.reasons[0].code) for each in found.values()] == [("fails", "export_prohibited")]


@pytest.mark.parametrize(("at", "expected"), [(0, [0, 1, 2]), (1, [0, 1, 2]), (3, [1, 2, 3])])
def test_a_configuration_comes_with_the_two_beside_it(at, expected):
    found = list(bought(quoted(box=240_000.0, twin=700_000.0)).values())
    assert [found.index(each) for each in neighbours(found, found[at].slug)] == expected


@pytest.mark.parametrize(("budget", "expected"), [(9.9, 0), (10.0, 1), (29.9, 2), (1000.0, 40), (54.9, 4)])
def test_the_largest_number_is_found_where_the_cost_jumps(budget, expected):
    """10 a piece, and 5 more from the fifth on."""
    assert _largest(lambda n: 10.0 * n + (5.0 if n >= 5 else 0.0), budget, 1, 40, 10.0) == expected


def test_the_largest_number_is_found_below_one_that_cannot_be_had():
    assert _largest(lambda n: 10.0 * n if n <= 7 else math.inf, 1000.0, 1, 40, 10.0) == 7
