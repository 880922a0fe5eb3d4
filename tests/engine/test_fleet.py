"""Purchase rules: what is ordered when, where it goes, how long it serves. Expected figures are worked by hand."""

import pytest

from tests.engine.sample import CARD, amounts, book, build, cost, evaluated, plan, pool


def holding(result, slug="chassis"):
    return next(held for held in result.fleet.holdings if held.machine.slug == slug)


def bought(result, slug="chassis"):
    """[(month, servers, GPUs)] of every month with an order."""
    held = holding(result, slug)
    return [
        (m, int(held.ordered_hosts[0, m]), int(held.ordered_cards[0, m]))
        for m in range(result.calendar.months)
        if held.ordered_cards[0, m] or held.ordered_hosts[0, m]
    ]


def table(*values):
    return {"kind": "table", "values": list(values)}


def cards(batch=1, **more):
    """Starts with a chassis of 2 cards; cards are added when demand asks."""
    follow = {
        "kind": "cards",
        "batch": batch,
        **{key: more.pop(key) for key in list(more) if key in ("min_service_months", "build")},
    }
    return plan(**{"start": {"build": "chassis"}, "follow_up": follow, **more})


def test_a_first_wave_is_in_service_and_paid_in_month_0_whatever_its_lead_time():
    result = evaluated(plan(lead_months=7)).plans[0]
    assert result.capacity.tolist() == [8.0] * 12
    assert amounts(result, "capex.accelerators_and_servers") == [240_000.0] + [0.0] * 11


def test_nothing_is_ordered_while_capacity_covers_the_forecast():
    assert bought(evaluated(cards(), work=pool(2.0)).plans[0]) == [(0, 1, 2)]


def test_an_order_is_placed_its_lead_time_before_the_month_that_needs_it():
    work = pool(1.0, growth=None) | {"growth": table(*[2.0] * 6, *[3.0] * 6)}
    result = evaluated(cards(lead_months=2), work=work).plans[0]
    assert bought(result) == [(0, 1, 2), (4, 0, 1)]
    assert result.capacity.tolist() == [2.0] * 6 + [3.0] * 6


def test_orders_under_way_are_counted_and_not_placed_twice():
    work = pool(1.0) | {"growth": table(*[2.0] * 6, *[3.0] * 6)}
    assert bought(evaluated(cards(lead_months=5), work=work).plans[0]) == [(0, 1, 2), (1, 0, 1)]


def test_demand_exactly_met_asks_for_nothing_more():
    # 2.4 wanted at 0.8 is 3.0000000000000004 in binary: three cards, not four
    work = pool(2.4, target_utilisation=0.8)
    assert bought(evaluated(cards(), work=work, months=1).plans[0]) == [(0, 1, 3)]


def test_the_fewest_batches_that_cover_the_need_are_ordered():
    # 5.5 wanted, 2 owned, batches of 2: two of them
    assert bought(evaluated(cards(batch=2), work=pool(5.5), months=1).plans[0]) == [(0, 1, 6)]


def test_free_slots_are_filled_before_a_chassis_is_bought():
    work = pool(1.0) | {"growth": table(2, 4, 8, 9)}
    assert bought(evaluated(cards(), work=work, months=4).plans[0]) == [(0, 1, 2), (1, 0, 2), (2, 0, 4), (3, 1, 1)]


def test_a_full_chassis_is_followed_by_one_with_only_the_cards_needed():
    work = pool(1.0) | {"growth": table(8, 9)}
    result = evaluated(cards(start={"build": "chassis", "cards": 8}), work=work, months=2).plans[0]
    assert bought(result) == [(0, 1, 8), (1, 1, 1)]
    # host = 100 000 − 2 × 30 000, and one card of 30 000
    assert amounts(result, "capex.accelerators_and_servers")[1] == 70_000.0


def test_one_order_may_fill_slots_and_open_a_chassis():
    # 7 of 8 slots taken, 3 more wanted: 1 into the free slot, 2 into a new chassis
    work = pool(1.0) | {"growth": table(7, 10)}
    result = evaluated(cards(start={"build": "chassis", "cards": 7}), work=work, months=2).plans[0]
    assert bought(result) == [(0, 1, 7), (1, 1, 3)]
    assert amounts(result, "capex.accelerators_and_servers")[1] == 130_000.0


def test_slots_of_chassis_under_way_count_as_owned():
    work = pool(1.0) | {"growth": table(8, 8, 9, 10)}
    result = evaluated(cards(start={"build": "chassis", "cards": 8}, lead_months=2), work=work, months=4).plans[0]
    assert bought(result) == [(0, 2, 9), (1, 0, 1)]


def test_cards_come_in_packs():
    pack_of_4 = book(addons={"chassis": {**CARD, "pack": 4}})
    work = pool(1.0) | {"growth": table(2, 3)}
    assert bought(evaluated(cards(), work=work, months=2, prices=pack_of_4).plans[0]) == [(0, 1, 2), (1, 0, 4)]


def test_servers_are_bought_whole():
    growing = plan(follow_up={"kind": "servers", "batch": 1})
    work = pool(1.0) | {"growth": table(8, 8.1, 17)}
    assert bought(evaluated(growing, work=work, months=3).plans[0], "box") == [(0, 1, 8), (1, 1, 8), (2, 1, 8)]


def test_batches_of_servers_are_bought_whole():
    growing = plan(follow_up={"kind": "servers", "batch": 3})
    work = pool(1.0) | {"growth": table(8, 8.1)}
    assert bought(evaluated(growing, work=work, months=2).plans[0], "box") == [(0, 1, 8), (1, 3, 24)]


def test_a_plan_may_start_with_nothing_and_buy_when_needed():
    late = plan(start=None, follow_up={"kind": "servers", "build": "box"})
    work = pool(1.0) | {"growth": table(0, 0, 3)}
    assert bought(evaluated(late, work=work, months=3).plans[0], "box") == [(2, 1, 8)]


def test_follow_ups_may_be_of_another_build_and_are_counted_by_their_work():
    # 12 GPUs wanted, 8 owned; one `big` does the work of two, so 2 of the 8 in a twin would do
    mixed = plan(follow_up={"kind": "servers", "build": "twin"})
    result = evaluated(mixed, work=pool(12.0), months=2).plans[0]
    assert bought(result, "twin") == [(0, 1, 8)]
    # 8 + 2 × 8 = 24 of the reference's GPUs
    assert evaluated(mixed, work=pool(24.0), months=2).plans[0].served_share == 1.0
    assert bought(evaluated(mixed, work=pool(24.0), months=2).plans[0], "twin") == [(0, 1, 8)]
    assert bought(evaluated(mixed, work=pool(24.1), months=2).plans[0], "twin") == [(0, 2, 16)]


def test_without_overflow_an_order_for_the_last_month_is_still_placed():
    work = pool(1.0) | {"growth": table(*[2.0] * 11, 3.0)}
    assert bought(evaluated(cards(), work=work).plans[0]) == [(0, 1, 2), (11, 0, 1)]


def test_no_order_is_placed_that_would_arrive_after_the_horizon():
    work = pool(1.0) | {"growth": table(*[2.0] * 11, 9.0)}
    assert bought(evaluated(cards(lead_months=12), work=work).plans[0]) == [(0, 1, 2)]


@pytest.mark.parametrize(("month", "served"), [(6, True), (7, False)])
def test_with_overflow_nothing_is_bought_for_less_than_18_months(month, served):
    # 24 months: what arrives in month 6 serves 18, in month 7 only 17
    work = pool(1.0) | {"growth": table(*[2.0] * month, *[3.0] * (24 - month))}
    result = evaluated(cards(overflow={"accelerator": "gpu"}), work=work, months=24).plans[0]
    assert (len(bought(result)) == 2) is served
    assert result.served_share == 1.0  # the cloud bridges


def test_a_shorter_service_may_be_asked_for():
    work = pool(1.0) | {"growth": table(*[2.0] * 20, *[3.0] * 4)}
    result = evaluated(cards(overflow={"accelerator": "gpu"}, min_service_months=4), work=work, months=24).plans[0]
    assert bought(result) == [(0, 1, 2), (20, 0, 1)]


def test_a_schedule_is_kept_whatever_the_demand():
    fixed = plan(
        follow_up={"kind": "schedule", "waves": [{"month": 5, "quantity": 2}, {"month": 3, "quantity": 1}]},
        lead_months=1,
    )
    result = evaluated(fixed, work=pool(0.0)).plans[0]
    assert bought(result, "box") == [(0, 1, 8), (3, 1, 8), (5, 2, 16)]
    assert result.capacity.tolist() == [8.0] * 4 + [16.0] * 2 + [32.0] * 6


def test_a_wave_that_would_arrive_after_the_horizon_is_not_ordered():
    fixed = plan(follow_up={"kind": "schedule", "waves": [{"month": 11, "quantity": 1}]}, lead_months=1)
    assert bought(evaluated(fixed).plans[0], "box") == [(0, 1, 8)]


def test_an_order_due_at_the_start_is_said():
    warnings = evaluated(cards(lead_months=2), work=pool(3.0)).plans[0].warnings
    assert [(warning.code, warning.month) for warning in warnings if warning.code == "next_order_due_at_start"] == [
        ("next_order_due_at_start", 0)
    ]
    calm = evaluated(cards(lead_months=2), work=pool(2.0)).plans[0].warnings
    assert "next_order_due_at_start" not in [warning.code for warning in calm]


def test_lead_time_is_that_of_the_build_and_its_commissioning():
    # 12 weeks are 84 days, and 14 to commission: 98 of 30.4375 are 3.2 months
    builds = {"chassis": build("chassis", 2, 8, 100_000.0, lead_weeks=[4, 12, 20])}
    days = {
        **{row.slug: row.model_dump() for row in book().costs.values()},
        "commissioning-days": cost("commissioning-days", 14, "days"),
    }
    work = pool(1.0) | {"growth": table(*[2.0] * 6, *[3.0] * 6)}
    result = evaluated(cards(lead_months=None), work=work, prices=book(builds=builds, costs=days)).plans[0]
    assert bought(result) == [(0, 1, 2), (2, 0, 1)]


def test_at_the_end_of_its_life_a_server_is_renewed_like_for_like_at_that_month_s_price():
    falling = {
        "accelerator": {"rate_per_year": -0.5},
        "memory_flash": {"rate_per_year": 0.0},
        "rest": {"rate_per_year": 0.0},
    }
    result = evaluated(plan(end_of_life={"life_months": 12, "then": "renew"}), months=25, market=falling).plans[0]
    assert bought(result, "box") == [(0, 1, 8), (12, 1, 8), (24, 1, 8)]
    assert result.capacity.tolist() == [8.0] * 25
    # three quarters of the price follow the accelerators: 240 000 × (0.75 × 0.5 + 0.25), then × 0.25
    paid = amounts(result, "capex.accelerators_and_servers")
    assert [paid[0], paid[12], paid[24]] == [240_000.0, 150_000.0, 105_000.0]


def test_let_go_means_that_capacity_falls():
    result = evaluated(plan(end_of_life={"life_months": 12, "then": "let_go"}), months=24).plans[0]
    assert result.capacity.tolist() == [8.0] * 12 + [0.0] * 12


def test_a_life_as_long_as_the_horizon_ends_nothing_inside_it():
    result = evaluated(plan(end_of_life={"life_months": 12, "then": "let_go"}), months=12).plans[0]
    assert result.capacity.tolist() == [8.0] * 12
    assert amounts(result, "credit.resale") == [0.0] * 12


def test_a_follow_up_replaces_what_is_let_go_in_time():
    growing = plan(end_of_life={"life_months": 12, "then": "let_go"}, follow_up={"kind": "servers"}, lead_months=3)
    result = evaluated(growing, work=pool(8.0), months=20).plans[0]
    assert bought(result, "box") == [(0, 1, 8), (9, 1, 8)]
    assert result.capacity.tolist() == [8.0] * 20


def test_cards_retire_with_their_chassis():
    # 2 cards at the start, 3 more in month 6; all 5 leave with the chassis in month 12
    work = pool(1.0) | {"growth": table(*[2.0] * 6, *[5.0] * 6, *[0.0] * 6)}
    result = evaluated(cards(end_of_life={"life_months": 12, "then": "let_go"}), work=work, months=18).plans[0]
    assert result.capacity.tolist() == [2.0] * 6 + [5.0] * 6 + [0.0] * 6


def test_nothing_is_bought_for_a_target_of_0():  # U083: no number of GPUs would do
    result = evaluated(cards(), work=pool(4.0, target_utilisation=0.0)).plans[0]
    assert bought(result) == [(0, 1, 2)]


def test_a_missing_start_build_is_named_even_where_the_follow_up_is_known():
    result = evaluated(plan(start={"build": "nowhere"}, follow_up={"kind": "servers", "build": "box"})).plans[0]
    assert [(reason.code, reason.facts["item"]) for reason in result.infeasible] == [("not_in_catalog", "nowhere")]
    assert not result.priced


def test_orders_list_what_the_lines_charge():
    work = pool(1.0) | {"growth": table(2, 4, 9, 12, 17, 17)}
    result = evaluated(cards(lead_months=1), work=work, months=6).plans[0]
    charged = sum(amounts(result, "capex.accelerators_and_servers"))
    assert sum(order.quantity * order.unit_price for order in result.orders) == pytest.approx(charged)


def test_an_order_serves_its_lead_time_later_and_the_first_wave_at_once():
    work = pool(1.0) | {"growth": table(2, 3, 3)}
    result = evaluated(cards(lead_months=1), work=work, months=3).plans[0]
    assert [(order.kind, order.month, order.in_service, order.quantity) for order in result.orders] == [
        ("server", 0, 0, 1),
        ("card", 0, 1, 1),
    ]


def test_the_first_wave_is_ordered_its_lead_time_before_the_start_and_red_when_that_is_past():
    builds = {"box": build("box", 8, 8, 240_000.0, lead_weeks=[4, 12, 20])}
    result = evaluated(plan(lead_months=None), prices=book(builds=builds)).plans[0]
    assert result.orders[0].order_by.isoformat() == "2026-10-09"  # 84 days before 2027-01-01
    assert [warning.facts["item"] for warning in result.warnings if warning.code == "order_by_past"] == ["box"]


def test_a_renewal_and_a_growth_order_of_one_month_are_told_apart():
    # month 12: the first server is renewed at once; another, for month 14, is ordered
    work = pool(1.0) | {"growth": table(*[8.0] * 14, *[16.0] * 4)}
    result = evaluated(
        plan(end_of_life={"life_months": 12, "then": "renew"}, follow_up={"kind": "servers"}, lead_months=2),
        work=work,
        months=18,
    ).plans[0]
    orders = [(order.month, order.in_service, order.quantity) for order in result.orders if order.kind == "server"]
    assert orders == [(0, 0, 1), (12, 12, 1), (12, 14, 1)]


def test_a_chassis_that_leaves_takes_its_own_cards_and_no_others():
    # two chassis of 2 cards, six months apart, both with free slots
    waves = {"kind": "schedule", "waves": [{"month": 6, "quantity": 1}]}
    leaving = plan(start={"build": "chassis"}, follow_up=waves, end_of_life={"life_months": 12, "then": "let_go"})
    result = evaluated(leaving, work=pool(0.0), months=24).plans[0]
    assert result.capacity.tolist() == [2.0] * 6 + [4.0] * 6 + [2.0] * 6 + [0.0] * 6


def test_no_card_is_ordered_into_a_chassis_that_leaves_before_it_arrives():
    # the chassis leaves in month 12 with its 2 cards; its 6 free slots are of no use to the 2 that arrive then
    leaving = cards(end_of_life={"life_months": 12, "then": "let_go"}, lead_months=2)
    result = evaluated(leaving, work=pool(2.0), months=20).plans[0]
    assert bought(result) == [(0, 1, 2), (10, 1, 2)]
    assert result.capacity.tolist() == [2.0] * 20


def test_cards_under_way_are_renewed_with_nobody_and_arrive_once():
    # a third card is ordered in month 11 for month 13; the chassis is renewed in month 12 with the 2 it has
    renewing = cards(end_of_life={"life_months": 12, "then": "renew"}, lead_months=2)
    work = pool(1.0) | {"growth": table(*[2.0] * 13, *[3.0] * 5)}
    result = evaluated(renewing, work=work, months=18).plans[0]
    assert bought(result) == [(0, 1, 2), (11, 0, 1), (12, 1, 2)]
    assert result.capacity.tolist() == [2.0] * 13 + [3.0] * 5


def test_a_replacement_counts_what_leaves_later_too():
    # 10 cards in two chassis: 8 leave in month 12, 2 in month 18; each time as many are there in time
    work = pool(1.0) | {"growth": table(*[8.0] * 6, *[10.0] * 24)}
    leaving = cards(
        start={"build": "chassis", "cards": 8}, end_of_life={"life_months": 12, "then": "let_go"}, lead_months=3
    )
    result = evaluated(leaving, work=work, months=30).plans[0]
    assert min(result.capacity[6:]) >= 10.0


@pytest.mark.parametrize(
    ("start", "held"),
    [
        ({"build": "chassis", "cards": 8}, True),
        ({"build": "chassis", "cards": 9}, False),
        ({"build": "chassis", "quantity": 2, "cards": 16}, True),
        ({"build": "box", "cards": 8}, True),
        ({"build": "box", "cards": 4}, False),  # its 8 are built in
    ],
)
def test_a_start_has_no_more_cards_than_slots(start, held):
    result = evaluated(plan(start=start), work=pool(1.0)).plans[0]
    assert result.priced is held
    if not held:
        assert [reason.facts["field"] for reason in result.infeasible] == ["plans/plan/start/cards"]
