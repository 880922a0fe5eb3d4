"""A fleet in its room: heat, power, racks, weight, and the upgrades that make it fit.

A box draws 10 kW at most, 8 busy, 2 idle; all its 8 GPUs are busy unless said: the room must carry 8 kW of heat.
"""

import math

import pytest

from planner.engine.facility import circuit_kw
from planner.engine.layout import layout
from tests.engine.sample import CARD, amounts, book, build, evaluated, only, plan, pool

SITE = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10}
AIR = {"slug": "air", "item": "split-ac", "adds_cooling_kw": 5.0, "lead_weeks": 4.0}  # one month
FEED = {"slug": "feed", "item": "circuit", "adds_power_kw": 10.0, "lead_weeks": 8.0}  # two months


def room(**more):
    return [{**SITE, **more}]


def one(*plans, site, work=None, **changes):
    return evaluated(*(plans or [plan()]), work=work or pool(8.0), sites=room(**site), **changes).plans[0]


def codes(findings):
    return [(finding.code, finding.month) for finding in findings]


def rising(*values):
    return pool(1.0) | {"growth": {"kind": "table", "values": list(values)}}


TWO_THEN_FOUR = {
    "start": {"build": "box", "quantity": 1},
    "follow_up": {"kind": "schedule", "waves": [{"month": 5, "quantity": 1}]},
}


def test_a_room_that_carries_the_heat_slows_nothing():
    result = one(site={"cooling_kw": 8.0})
    assert result.capacity.tolist() == [8.0] * 12
    assert codes(result.warnings) == []


@pytest.mark.parametrize(("cooling", "ratio"), [(7.2, 0.9), (6.0, 0.75), (4.8, 0.6)])
def test_a_little_too_little_cooling_slows_by_the_root_of_the_ratio(cooling, ratio):
    result = one(site={"cooling_kw": cooling})
    assert result.capacity[0] == pytest.approx(8 * math.sqrt(ratio))


def test_under_0_6_of_the_cooling_the_machines_trip():
    result = one(site={"cooling_kw": 4.7})
    assert result.capacity.tolist() == [0.0] * 12
    assert result.served_share == 0.0
    assert next(w for w in result.warnings if w.code == "cooling_short").facts["stopped"] is True


def test_the_ratio_is_of_the_draw_without_throttling():
    # half busy: 2 + 0.5 × 6 = 5 kW, of which 4.5 can be removed
    assert one(site={"cooling_kw": 4.5}, work=pool(4.0)).capacity[0] == pytest.approx(8 * math.sqrt(0.9))


def test_a_throttled_room_draws_what_it_can_carry_away():
    assert one(site={"cooling_kw": 6.0}).housing.draw[0, 0] == 6.0


def test_lost_work_is_counted_in_gpu_hours():
    warning = next(w for w in one(site={"cooling_kw": 6.0}, months=1).warnings if w.code == "cooling_short")
    assert warning.facts["lost_gpu_hours"] == pytest.approx((8 - 8 * math.sqrt(0.75)) * 744)


def test_lost_work_overflows_where_a_cloud_is_at_hand():
    result = one(plan(overflow={"accelerator": "gpu"}), site={"cooling_kw": 6.0}, months=1)
    assert result.served_share == 1.0
    assert amounts(result, "opex.cloud_usage") == [round((8 - 8 * math.sqrt(0.75)) * 744 * 2.0, 2)]


def test_an_upgrade_is_ordered_its_lead_time_before_the_month_that_needs_it():
    result = one(plan(**TWO_THEN_FOUR), work=rising(*[8] * 5, *[16] * 7), site={"cooling_kw": 12.0, "upgrades": [AIR]})
    order = result.housing.upgrades[0]
    assert (order.ordered, order.in_service) == (4, 5)
    assert amounts(result, "capex.cooling") == [0.0] * 4 + [4000.0] + [0.0] * 7
    assert result.capacity.tolist() == [8.0] * 5 + [16.0] * 7


def test_an_upgrade_needed_at_once_is_ordered_in_month_0_and_the_limit_holds_until_it_is_there():
    result = one(site={"cooling_kw": 6.0, "upgrades": [{**AIR, "lead_weeks": 8.0}]})
    order = result.housing.upgrades[0]
    assert (order.ordered, order.in_service) == (0, 2)
    assert result.capacity.tolist() == pytest.approx([8 * math.sqrt(0.75)] * 2 + [8.0] * 10)


def test_as_many_steps_of_the_ladder_are_bought_as_the_heat_needs():
    steps = [
        {**AIR, "adds_cooling_kw": 1.0},
        {**AIR, "slug": "air-2", "adds_cooling_kw": 1.0},
        {**AIR, "slug": "air-3"},
    ]
    result = one(site={"cooling_kw": 6.0, "upgrades": steps})
    assert [order.upgrade.slug for order in result.housing.upgrades] == ["air", "air-2"]


def test_an_upgrade_that_is_only_shown_is_not_bought_and_is_priced_as_the_remedy():
    result = one(plan(upgrades="show"), site={"cooling_kw": 6.0, "upgrades": [AIR]})
    assert result.housing.upgrades == []
    assert amounts(result, "capex.cooling") == [0.0] * 12
    facts = next(w for w in result.warnings if w.code == "cooling_short").facts
    assert (facts["remedy"], facts["remedy_price"], facts["remedy_lead_weeks"], facts["adds_cooling_kw"]) == (
        "split-ac",
        4000.0,
        4.0,
        5.0,
    )


def test_an_own_price_of_an_upgrade_is_taken():
    result = one(site={"cooling_kw": 6.0, "upgrades": [{**AIR, "price": 1234.5, "quantity": 2}]})
    assert amounts(result, "capex.cooling")[0] == 2469.0


def test_the_heat_passes_the_cooling_in_the_month_that_is_named():
    result = one(plan(**TWO_THEN_FOUR), work=rising(*[8] * 5, *[16] * 7), site={"cooling_kw": 12.0})
    assert [month for code, month in codes(result.warnings) if code == "cooling_short"] == [5]


def test_a_circuit_is_sized_on_the_maximum_draw():
    assert one(site={"power_kw": 10.0}).feasible
    assert codes(one(site={"power_kw": 9.9}).infeasible)[0] == ("room_power", 0)


def test_a_circuit_without_an_upgrade_makes_a_plan_infeasible_and_names_the_numbers():
    reason = next(r for r in one(site={"power_kw": 9.0}).infeasible if r.code == "room_power")
    assert (reason.facts["needed"], reason.facts["limit"], reason.facts["site"]) == (10.0, 9.0, "room")


def test_a_circuit_with_an_upgrade_is_bought_and_holds_until_it_is_there():
    result = one(
        plan(start={"build": "box", "quantity": 2}), work=pool(16.0), site={"power_kw": 15.0, "upgrades": [FEED]}
    )
    assert [(order.ordered, order.in_service) for order in result.housing.upgrades] == [(0, 2)]
    assert amounts(result, "capex.facility")[0] == 10_000.0
    # 15 of 20 kW: one of two boxes runs
    assert result.capacity.tolist() == [8.0] * 2 + [16.0] * 10


def test_u058_the_card_that_passes_an_office_socket_has_its_circuit_ordered_before_it_is_there():
    # 120 V, 15 A, 80 %: 1,440 W. A rig of 0.4 kW and two cards of 0.45 takes 1.3; the third passes it in month 5
    socket = circuit_kw(120, 15, 1, 0.8, 1.0)
    assert socket == pytest.approx(1.44)
    rig = build("chassis", 2, 4, 10_000.0, max_kw=1.3, typical_kw=1.0, idle_kw=0.2, in_rack=False)
    card = {**CARD, "max_kw": 0.45, "typical_kw": 0.35, "idle_kw": 0.03}
    growing = plan(
        start={"build": "chassis", "quantity": 1, "cards": 2}, follow_up={"kind": "cards", "build": "chassis"}
    )
    result = one(
        growing,
        work={**rising(*[2] * 5, *[3] * 7), "target_utilisation": 1.0},
        site={"kind": "office", "power_kw": socket, "upgrades": [FEED]},
        prices=book(builds={"chassis": rig}, addons={"chassis": card}),
    )
    assert [(order.ordered, order.in_service) for order in result.housing.upgrades] == [(3, 5)]
    assert amounts(result, "capex.facility")[3] == 10_000.0
    assert result.capacity.tolist() == [2.0] * 5 + [3.0] * 7


def test_one_step_that_adds_cooling_and_power_is_bought_once():
    both = {**AIR, "slug": "both", "adds_power_kw": 10.0}
    result = one(site={"cooling_kw": 6.0, "power_kw": 9.0, "upgrades": [both]})
    assert [order.upgrade.slug for order in result.housing.upgrades] == ["both"]
    assert sum(amounts(result, "capex.cooling") + amounts(result, "capex.facility")) == 4000.0


def test_power_that_came_with_the_cooling_is_not_bought_again():
    both = {**AIR, "slug": "both", "adds_power_kw": 10.0}
    result = one(site={"cooling_kw": 6.0, "power_kw": 9.0, "upgrades": [FEED, both]})
    assert [order.upgrade.slug for order in result.housing.upgrades] == ["both"]
    assert result.capacity.tolist()[2:] == [8.0] * 10


def test_racks_are_packed_by_the_limit_that_decides():
    four = plan(start={"build": "box", "quantity": 4})
    work = pool(32.0)
    assert one(four, work=work, site={}).housing.racks[0, 0] == 1  # 32 of 40 U
    assert one(four, work=work, site={"rack_units": 20}).housing.racks[0, 0] == 2  # 16 of 18 U each
    assert one(four, work=work, site={"rack_kw": 15.0}).housing.racks[0, 0] == 4  # 10 of 15 kW each
    assert one(four, work=work, site={"rack_kg": 300.0}).housing.racks[0, 0] == 2  # 3 and 1


@pytest.mark.parametrize(
    ("limit", "code"),
    [({"rack_kw": 9.0}, "room_kw"), ({"rack_kg": 99.0}, "room_kg"), ({"rack_units": 9}, "room_units")],
)
def test_a_server_that_fits_no_rack_makes_the_plan_infeasible_and_the_limit_is_named(limit, code):
    assert code in [reason.code for reason in one(site=limit).infeasible]


def test_more_racks_than_the_room_has_make_a_plan_infeasible():
    result = one(plan(start={"build": "box", "quantity": 2}), work=pool(16.0), site={"rack_units": 10, "racks": 1})
    assert codes(result.infeasible) == [("room_racks", 0), ("service_target", 0)]


def test_a_rack_more_is_bought_and_until_then_only_what_has_a_place_runs():
    more = {"slug": "place", "item": "circuit", "adds_racks": 1, "lead_weeks": 8.0}
    result = one(
        plan(start={"build": "box", "quantity": 2}),
        work=pool(16.0),
        site={"rack_units": 10, "racks": 1, "upgrades": [more]},
    )
    assert result.capacity.tolist() == [8.0] * 2 + [16.0] * 10


def test_a_tower_takes_no_rack():
    tower = book(builds={"box": build("box", 8, 8, 240_000.0, in_rack=False)})
    result = one(site={"racks": 0}, prices=tower, lines=only("capex.racks_and_power"))
    assert result.housing.racks[0].tolist() == [0.0] * 12
    assert amounts(result, "capex.racks_and_power") == [150.0] + [0.0] * 11


def test_a_move_changes_the_room_the_tariff_and_the_pue_in_its_month():
    sites = [
        {**SITE},
        {**SITE, "slug": "hall", "from_month": 6, "pue": 1.2, "electricity_price_per_kwh": 0.05, "moving_cost": 7000.0},
    ]
    result = evaluated(plan(), work=pool(8.0), sites=sites).plans[0]
    # 8 kW × 744 h × 0.10 in January; × 744 h × 0.05 in July; overhead half of it, then a fifth
    assert [amounts(result, "opex.energy_it")[m] for m in (0, 6)] == [595.2, 297.6]
    assert [amounts(result, "opex.energy_overhead")[m] for m in (0, 6)] == [297.6, 59.52]
    assert amounts(result, "capex.facility") == [0.0] * 6 + [7000.0] + [0.0] * 5


def test_an_upgrade_of_the_room_left_does_not_cool_the_next_one():
    sites = [
        {**SITE, "cooling_kw": 6.0, "upgrades": [AIR]},
        {**SITE, "slug": "next", "from_month": 6, "cooling_kw": 6.0},
    ]
    result = evaluated(plan(), work=pool(8.0), sites=sites).plans[0]
    assert result.capacity.tolist() == pytest.approx([8 * math.sqrt(0.75)] + [8.0] * 5 + [8 * math.sqrt(0.75)] * 6)


def test_the_order_of_an_upgrade_says_when_it_serves():
    result = one(site={"cooling_kw": 6.0, "upgrades": [{**AIR, "lead_weeks": 8.0}]})
    assert [(o.month, o.in_service, o.quantity, o.unit_price) for o in result.orders if o.kind == "upgrade"] == [
        (0, 2, 1, 4000.0)
    ]


def test_a_server_too_loud_for_the_office_is_warned_of():
    loud = book(builds={"box": build("box", 8, 8, 240_000.0, noise_db=80.0)})
    assert ("noise", 0) in codes(one(site={"noise_limit_db": 60.0}, prices=loud).warnings)
    assert codes(one(site={"noise_limit_db": 80.0}, prices=loud).warnings) == []


def test_an_office_left_before_the_server_comes_is_not_disturbed():
    loud = book(builds={"box": build("box", 8, 8, 240_000.0, noise_db=80.0)})
    late = plan(start=None, follow_up={"kind": "servers", "build": "box"})
    sites = [{**SITE, "noise_limit_db": 60.0}, {**SITE, "slug": "hall", "from_month": 6}]
    work = rising(*[0] * 6, *[8] * 6)
    assert codes(evaluated(late, work=work, sites=sites, prices=loud).plans[0].warnings) == []
    work = rising(*[0] * 4, *[8] * 8)
    assert codes(evaluated(late, work=work, sites=sites, prices=loud).plans[0].warnings) == [("noise", 4)]


OUTLET = {"volts": 120.0, "amps": 15.0, "phases": "single", "derating": 0.8, "power_factor": 1.0, "feeds": 1}
THREE_PHASE = {"volts": 208.0, "amps": 60.0, "phases": "three", "derating": 0.8, "power_factor": 1.0, "feeds": 1}
OFFICE = {"kind": "office", "circuit": OUTLET | {"redundancy": "N"}}
STRONGER = {"slug": "stronger", "item": "circuit", "lead_weeks": 8.0, "circuit": THREE_PHASE | {"redundancy": "N"}}


def test_the_circuit_that_an_upgrade_brings_feeds_the_racks_once_it_is_there():
    # 10 kW on an outlet of 1.44 kW stand still for two months; then √3 × 208 V × 60 A × 80 % = 17.3 kW a rack
    step = STRONGER | {"adds_power_kw": 17.3}
    result = one(site=OFFICE | {"power_kw": 8.6, "upgrades": [step]})
    assert result.capacity.tolist() == [0.0] * 2 + [8.0] * 10
    assert result.housing.racks[0].tolist() == [0.0] * 2 + [1.0] * 10
    assert "room_kw" not in [finding.code for finding in result.infeasible]
    before, after = layout(result, 1), layout(result, 2)
    assert (before.fits, before.circuit.volts) == (False, 120.0)
    assert (after.fits, after.circuit.volts, after.racks[0].feeds.usable_kw) == (
        True,
        208.0,
        pytest.approx(17.293, abs=0.001),
    )


def test_a_stronger_feed_is_bought_for_a_machine_that_no_rack_feeds():
    result = one(site=OFFICE | {"power_kw": 20.0, "upgrades": [STRONGER]})
    assert [(order.upgrade.slug, order.in_service, order.resource) for order in result.housing.upgrades] == [
        ("stronger", 2, "kw")
    ]
    assert result.capacity.tolist() == [0.0] * 2 + [8.0] * 10
    (short,) = [short for short in result.housing.shortages if short.resource == "kw"]
    assert (short.needed, short.limit, short.months) == (10.0, 1.44, 2)


def test_a_stronger_feed_that_is_not_bought_is_the_remedy():
    result = one(plan(upgrades="show"), site=OFFICE | {"power_kw": 20.0, "upgrades": [STRONGER]})
    (found,) = [finding for finding in result.infeasible if finding.code == "room_kw"]
    assert found.facts["remedy"] == "circuit"
    assert result.housing.upgrades == []


def test_an_upgrade_without_a_circuit_leaves_the_racks_their_feed():
    result = one(site=OFFICE | {"power_kw": 8.6, "upgrades": [FEED]})
    (found,) = [finding for finding in result.infeasible if finding.code == "room_kw"]
    assert (found.facts["limit"], found.facts["without_feeds"]) == (1.44, "circuit")


def test_a_machine_without_circuit_and_place_is_held_back_once():
    # two boxes in 10 kW and one rack of one box: the same one stands still
    more = {"slug": "room", "item": "circuit", "adds_racks": 1, "adds_power_kw": 10.0, "lead_weeks": 8.0}
    site = {"rack_units": 10, "racks": 1, "power_kw": 10.0, "upgrades": [more]}
    result = one(plan(start={"build": "box", "quantity": 2}), work=pool(16.0), site=site)
    assert result.capacity.tolist() == [8.0] * 2 + [16.0] * 10


def test_facility_power_is_the_draw_times_the_pue():
    assert one(site={"pue": 1.3}).facility_kw.tolist() == pytest.approx([10.4] * 12)


@pytest.mark.parametrize(
    ("method", "pue"),
    [
        *[("office_air", 1.45), ("perimeter", 1.6), ("contained", 1.4), ("high_flow", 1.4), ("rear_door", 1.3)],
        *[("rear_door_active", 1.3), ("liquid", 1.15), ("immersion", 1.08)],
    ],
)
def test_the_pue_follows_the_cooling_method_where_none_is_given(method, pue):  # data/defaults.csv
    assert one(site={"cooling_method": method, "pue": None}).facility_kw[0] == pytest.approx(8 * pue)


def test_the_first_failing_month_leads_the_reasons():
    # the second box, in month 5, passes the circuit; demand passes the fleet in month 3
    result = one(plan(**TWO_THEN_FOUR), work=rising(8, 8, 8, 9, 9, 16, 16, 16, 16, 16, 16, 16), site={"power_kw": 10.0})
    assert codes(result.infeasible) == [("service_target", 3), ("room_power", 5)]


def test_machines_without_a_circuit_give_off_no_heat():
    # two boxes of 10 kW at 9 kW of power: neither runs, so 5 kW of cooling is not short
    two = plan(start={"build": "box", "quantity": 2})
    result = one(two, work=pool(16.0), site={"power_kw": 9.0, "cooling_kw": 5.0})
    assert result.capacity.tolist() == [0.0] * 12
    assert result.housing.draw[0].tolist() == [0.0] * 12
    assert "cooling_short" not in [warning.code for warning in result.warnings]
