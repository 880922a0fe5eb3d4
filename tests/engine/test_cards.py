"""Cards in their chassis: slots, length, and what nobody says. Places of 2 slots unless said; 22 slots in 4U."""

import pytest

from planner.engine.cards import card_room
from planner.engine.prices import Accelerator, Build
from tests.engine.sample import book, build, evaluated, plan, pool, price

WIDE = {"slug": "gpu", "name": "GPU", "memory_gb": 24, "form_factor": "consumer", "slot_width": 3}


def chassis(**more):
    return Build.read(build("chassis", 2, 8, None, **{"rack_units": 4} | more))


def room(cards, *, card=WIDE, **more):
    return card_room(chassis(**more), Accelerator.read(card), cards)


def plan_of(start, card=WIDE, addon=None, work=None, **more):
    """A plan on a chassis of 8 places in 4U."""
    kept = {"rack_units": 4} | more
    prices = book(
        accelerators={"gpu": card},
        builds={"chassis": build("chassis", 2, 8, 100_000.0, **kept)},
        addons={"chassis": addon} if addon else {},
    )
    return evaluated(plan(**start), work=work or pool(8.0), prices=prices).plans[0]


CARD = {
    "slug": "card",
    "build": "chassis",
    "accelerator": "gpu",
    "max_kw": 1.0,
    "typical_kw": 0.8,
    "idle_kw": 0.1,
    "price": price(2_000.0),
}


def test_u066_eight_cards_of_three_slots_are_refused_in_a_4u_chassis():
    prices = book(accelerators={"gpu": WIDE}, builds={"rig": build("rig", 8, 8, 50_000.0, rack_units=4)})
    result = evaluated(plan(start={"build": "rig"}), work=pool(8.0), prices=prices).plans[0]
    (reason,) = [found for found in result.infeasible if found.code == "cards_too_wide"]
    facts = reason.facts  # 22 slots: seven of three
    assert (reason.month, facts["gpus"], facts["slots"], facts["most_gpus"], facts["height"]) == (0, 8, 3, 7, 4)


@pytest.mark.parametrize(("units", "most"), [(4, 7), (6, 11), (8, 14)])
def test_u066_a_higher_chassis_has_room_for_more(units, most):
    assert room(8, rack_units=units, chassis_slots=16).most == most


def test_u066_more_cards_than_places_never_go_in():
    assert room(2, card=WIDE | {"slot_width": 1}).most == 8


def test_u066_a_wide_card_takes_two_places_of_two_slots():
    assert (room(4, card_slot_width=2).most, room(5, card_slot_width=2).too_wide) == (4, True)
    assert room(8, card=WIDE | {"slot_width": 2}, card_slot_width=2).too_wide is False


def test_u066_cards_added_later_are_refused_in_the_month_in_which_they_no_longer_go_in():
    start = {"start": {"build": "chassis"}, "follow_up": {"kind": "cards", "batch": 3}}
    growing = pool(1.0) | {"growth": {"kind": "table", "values": [2.0] * 4 + [5.0] * 8}}
    result = plan_of(start, addon=CARD, work=growing, card_slot_width=2)
    assert [(found.code, found.month) for found in result.infeasible] == [("cards_too_wide", 4)]


def test_u066_a_card_longer_than_the_chassis_takes_is_refused():
    result = plan_of(
        {"start": {"build": "chassis"}},
        card=WIDE | {"card_length_mm": 313.0},
        work=pool(2.0),
        card_slot_width=3,
        card_length_max_mm=300.0,
    )
    (reason,) = result.infeasible
    assert (reason.code, reason.facts["length_mm"], reason.facts["length_max_mm"]) == ("cards_too_long", 313.0, 300.0)


def test_u066_a_wide_card_in_a_chassis_that_names_no_width_is_not_taken_to_go_in():
    result = plan_of({"start": {"build": "chassis"}}, work=pool(2.0))
    assert result.feasible
    assert [found.facts["gpus"] for found in result.warnings if found.code == "cards_unknown"] == [2]


def test_u066_of_a_card_of_unknown_width_nothing_is_claimed():
    nothing = room(2, card=WIDE | {"slot_width": None}, card_slot_width=2)
    assert (nothing.most, nothing.too_wide, nothing.unknown) == (None, False, False)


def test_u066_an_ordinary_card_of_two_slots_is_no_doubt():
    assert not room(2, card=WIDE | {"slot_width": 2}).unknown


def test_u066_boards_have_no_cards():
    assert room(8, card=WIDE | {"form_factor": "SXM"}) is None
