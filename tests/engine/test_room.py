"""What a room cannot take, when, and what to do about it; one feed lost; floor and liquid.

A box draws 10 kW at most, 8 busy; 8 U, 100 kg; a chassis comes with 2 cards, 3 kW together, and takes more of 1 kW.
"""

import math

import pytest

from planner.engine.facility import btu_per_hour, rack_floor_kg_m2, redundant_kw, tons
from planner.engine.layout import layout
from planner.engine.limits import limits_passed, waves
from planner.engine.quantities import InputError
from planner.engine.room import (
    floor_limit_kg_m2,
    liquid,
    loudest,
    standing,
    without_feed,
)
from tests.engine.sample import CARD, amounts, book, build, evaluated, plan, pool

SITE = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10}
OFFICE = {**SITE, "kind": "office", "cooling_method": "office_air"}
OUTLET = {
    "volts": 120,
    "amps": 15,
    "phases": "single",
    "derating": 0.8,
    "power_factor": 1.0,
    "feeds": 1,
    "redundancy": "N",
}
CIRCUIT = {"slug": "wire", "item": "circuit", "adds_power_kw": 5.0, "lead_weeks": 8.0}  # two months, 10,000
AIR = {"slug": "air", "item": "split-ac", "adds_cooling_kw": 5.0, "lead_weeks": 4.0}  # one month, 4,000
# 400 V 32 A, three phases, power factor 1: 22.17 kW each
FEEDS = {"volts": 400, "amps": 32, "phases": "three", "power_factor": 1.0, "feeds": 3, "redundancy": "N+1"}


def rising(*values):
    return pool(1.0) | {"growth": {"kind": "table", "values": list(values)}}


def one(*plans, site, work=None, **changes):
    return evaluated(*(plans or [plan()]), work=work or pool(8.0), sites=[site], **changes).plans[0]


def codes(findings):
    return [(finding.code, finding.month) for finding in findings]


def small(**more):
    """Two cards of 0.7 kW in a tower of 1.4 kW; each further card 0.5 kW."""
    tower = build("chassis", 2, 8, 10_000.0, max_kw=1.4, typical_kw=1.0, idle_kw=0.2, in_rack=False, **more)
    return book(builds={"chassis": tower}, addons={"chassis": {**CARD, "max_kw": 0.5, "typical_kw": 0.4}})


# two GPUs for five months, then three
THIRD = {"start": {"build": "chassis"}, "follow_up": {"kind": "cards", "batch": 1}}
GROWS = rising(*[2] * 5, *[3] * 7)


# ── One outlet ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("in_rack", [False, True])
def test_u058_the_third_gpu_on_a_15_a_outlet_brings_the_circuit_before_it_comes(in_rack):
    prices = small()
    tower = prices.builds["chassis"].model_copy(update={"in_rack": in_rack})
    prices = prices.model_copy(update={"builds": {"chassis": tower}})
    result = one(plan(**THIRD), work=GROWS, site={**OFFICE, "circuit": OUTLET, "upgrades": [CIRCUIT]}, prices=prices)
    # 120 V × 15 A × 80 % = 1,440 W: two cards draw 1,400, three 1,900
    assert result.housing.limits["power"].tolist() == pytest.approx([1.44] * 5 + [6.44] * 7)
    assert result.housing.draw_max[0].tolist() == pytest.approx([1.4] * 5 + [1.9] * 7)
    (order,) = result.housing.upgrades
    assert (order.ordered, order.in_service) == (3, 5)  # eight weeks before the card runs
    assert amounts(result, "capex.facility") == [0.0] * 3 + [10_000.0] + [0.0] * 8
    warning = next(found for found in result.warnings if found.code == "upgrade_included")
    assert (warning.month, warning.facts["remedy_price"], warning.facts["remedy_lead_weeks"]) == (3, 10_000.0, 8.0)
    assert result.capacity.tolist() == [2.0] * 5 + [3.0] * 7
    assert result.feasible


def test_u058_without_the_upgrade_the_plan_is_flagged_with_its_price():
    site = {**OFFICE, "circuit": OUTLET, "upgrades": [CIRCUIT]}
    result = one(plan(**THIRD, upgrades="show"), work=GROWS, site=site, prices=small())
    reason = next(found for found in result.infeasible if found.code == "room_power")
    assert (reason.month, reason.facts["needed"], reason.facts["limit"]) == (5, 1.9, pytest.approx(1.44))
    assert (reason.facts["remedy"], reason.facts["remedy_price"]) == ("circuit", 10_000.0)


def test_u058_a_circuit_that_comes_late_holds_the_third_gpu_back():
    late = {**CIRCUIT, "lead_weeks": 30.0}  # seven months
    result = one(plan(**THIRD), work=GROWS, site={**OFFICE, "circuit": OUTLET, "upgrades": [late]}, prices=small())
    assert [(order.ordered, order.in_service) for order in result.housing.upgrades] == [(0, 7)]
    assert ("room_short", 5) in codes(result.warnings)


def test_power_of_the_room_that_is_named_holds_instead_of_its_outlet():
    result = one(site={**OFFICE, "circuit": OUTLET, "power_kw": 12.0, "racks": 1})
    assert result.housing.limits["power"].tolist() == [12.0] * 12
    assert ("room_kw", 0) in codes(result.infeasible)  # the rack still hangs on its 1.44 kW


def test_of_a_circuit_that_an_upgrade_adds_no_feed_is_claimed():
    prices = small()
    racked = prices.builds["chassis"].model_copy(update={"in_rack": True})
    prices = prices.model_copy(update={"builds": {"chassis": racked}})
    result = one(plan(**THIRD), work=GROWS, site={**OFFICE, "circuit": OUTLET, "upgrades": [CIRCUIT]}, prices=prices)
    before, after = layout(result, 4), layout(result, 5)
    assert (before.circuit.volts, before.racks[0].feeds.share_each) == (120, pytest.approx(1.4 / 1.44))
    assert (after.circuit, after.feed_loss, after.racks[0].feeds) == (None, None, None)


# ── People ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def office(site=None, **machine):
    prices = book(builds={"box": build("box", 8, 8, 240_000.0, noise_db=90.0, **machine)})
    return one(site={**OFFICE, **(site or {})}, prices=prices)


def test_u067_an_eight_gpu_server_in_an_office_is_a_blocking_warning_for_noise_and_heat():
    (warning,) = [found for found in office({"cooling_kw": 7.0}).warnings if found.code == "office_server"]
    facts = warning.facts
    assert (warning.month, facts["gpus"], facts["blocking"]) == (0, 8, True)
    assert (facts["loud"], facts["noise_db"], facts["limit"]) == (True, 90.0, 60.0)
    assert (facts["hot"], facts["heat_kw"], facts["max_kw"], facts["cooling_kw"]) == (True, 8.0, 10.0, 7.0)


def test_u067_heat_is_the_expected_draw_so_that_one_more_cooling_unit_clears_both_warnings():
    warned = {code for code, _ in codes(office({"cooling_kw": 5.0, "noise_limit_db": 95.0}).warnings)}
    assert {"office_server", "cooling_short"} <= warned
    # 9 kW carry the 8 that are drawn, though not the 10 of the nameplate
    cleared = {code for code, _ in codes(office({"cooling_kw": 9.0, "noise_limit_db": 95.0}).warnings)}
    assert cleared & {"office_server", "cooling_short"} == set()


@pytest.mark.parametrize(
    ("site", "machine", "loud", "hot"),
    [
        ({"cooling_kw": 12.0}, {}, True, False),
        ({"cooling_kw": 7.0, "noise_limit_db": 95.0}, {}, False, True),
        ({"cooling_kw": 8.0, "noise_limit_db": 95.0}, {}, None, None),
        # comfort air conditioning of unknown size carries 6 kW
        ({"noise_limit_db": 95.0}, {}, False, True),
        ({"noise_limit_db": 95.0}, {"max_kw": 6.0, "typical_kw": 5.0}, None, None),
        ({"cooling_kw": 8.0}, {"cooling": "liquid"}, None, None),
        ({"cooling_kw": 8.0, "kind": "server_room"}, {}, None, None),
    ],
)
def test_u067_noise_and_heat_are_told_apart(site, machine, loud, hot):
    found = [each.facts for each in office(site, **machine).warnings if each.code == "office_server"]
    assert [(facts["loud"], facts["hot"]) for facts in found] == ([] if loud is None else [(loud, hot)])


def test_u067_cards_that_make_eight_raise_it_when_they_come():
    loud = book(builds={"chassis": build("chassis", 2, 8, 100_000.0, max_kw=3.0, noise_db=80.0, typical_kw=2.4)})
    grown = plan(start={"build": "chassis"}, follow_up={"kind": "cards", "batch": 6})
    result = one(grown, work=rising(*[2] * 4, *[8] * 8), site={**OFFICE, "cooling_kw": 30.0}, prices=loud)
    assert ("office_server", 4) in codes(result.warnings)


def test_a_smaller_server_in_an_office_is_only_loud():
    loud = book(builds={"single": build("single", 1, 1, 30_000.0, noise_db=80.0)})
    result = one(plan(start={"build": "single"}), work=pool(1.0), site=OFFICE, prices=loud)
    assert [code for code, _ in codes(result.warnings) if code in ("noise", "office_server")] == ["noise"]


# ── When limits are passed ───────────────────────────────────────────────────────────────────────────────────────────

SECOND = {
    "start": {"build": "box", "quantity": 1},
    "follow_up": {"kind": "schedule", "waves": [{"month": 5, "quantity": 1}]},
}


def passed(result):
    return {each.resource: each for each in limits_passed(result)}


def test_a_limit_that_an_upgrade_lifts_in_time_is_passed_and_holds_nothing_back():
    site = {**SITE, "cooling_method": "contained", "cooling_kw": 12.0, "upgrades": [AIR]}
    found = passed(one(plan(**SECOND), work=rising(*[8] * 5, *[16] * 7), site=site))
    assert set(found) == {"cooling"}
    cooling = found["cooling"]
    assert (cooling.month, cooling.needed, cooling.limit, cooling.months) == (5, 16.0, 12.0, 0)
    assert [(order.ordered, order.in_service) for order in cooling.bought] == [(4, 5)]
    assert cooling.remedy is None


def test_a_limit_whose_upgrade_is_only_shown_holds_back_and_names_the_remedy():
    site = {**SITE, "cooling_method": "contained", "cooling_kw": 12.0, "upgrades": [AIR]}
    cooling = passed(one(plan(**SECOND, upgrades="show"), work=rising(*[8] * 5, *[16] * 7), site=site))["cooling"]
    assert (cooling.months, cooling.bought, cooling.remedy.upgrade.slug) == (7, (), "air")


def test_racks_above_their_cooling_method_are_passed_in_their_month():
    method = passed(one(plan(**SECOND), work=pool(16.0), site=SITE))["method"]
    # two of 8 kW busy; perimeter air carries 10 kW from a rack
    assert (method.month, method.needed, method.limit, method.months) == (5, 16.0, 10.0, 7)


def test_a_rack_that_one_lost_feed_overloads_is_passed_in_its_month():
    site = {**SITE, "cooling_method": "contained", "circuit": {**FEEDS, "feeds": 2, "redundancy": "N"}}
    waves_of = {"kind": "schedule", "waves": [{"month": 3, "quantity": 2}]}
    found = passed(one(plan(start={"build": "box", "quantity": 1}, follow_up=waves_of), work=pool(24.0), site=site))
    assert (found["feeds"].month, found["feeds"].needed) == (3, 30.0)
    assert found["feeds"].limit == pytest.approx(400 * 32 * math.sqrt(3) / 1000)


def test_a_machine_too_large_for_a_rack_and_a_loud_one_are_passed():
    found = passed(office({"rack_kw": 9.0, "cooling_kw": 20.0}))
    assert (found["kw"].needed, found["kw"].limit) == (10.0, 9.0)
    assert (found["noise"].month, found["noise"].needed, found["noise"].limit, found["noise"].months) == (0, 90, 60, 12)


def test_a_room_that_takes_everything_passes_nothing():
    site = {**SITE, "cooling_method": "contained", "cooling_kw": 20.0, "power_kw": 20.0, "racks": 1}
    assert limits_passed(one(site=site)) == []


def test_waves_are_the_months_in_which_the_room_changes():
    sites = [SITE, {**SITE, "slug": "hall", "from_month": 9}]
    result = evaluated(plan(**SECOND), work=pool(16.0), sites=sites).plans[0]
    assert waves(result) == [0, 5, 9]


def test_lost_gpu_hours_are_those_of_their_month():
    site = {**SITE, "cooling_kw": 6.0, "upgrades": [{**AIR, "lead_weeks": 8.0}]}
    lost = one(site=site).housing.lost_gpu_hours[0]
    kept = 8 * math.sqrt(0.75)
    assert lost.tolist() == pytest.approx([(8 - kept) * 744, (8 - kept) * 672, *[0.0] * 10])


def test_u063_a_machine_reserves_its_room_from_the_month_in_which_it_comes():
    result = one(plan(**SECOND), work=pool(16.0), site=SITE)
    before, after = (standing(result, layout(result, month)) for month in (4, 5))
    assert (before.servers, before.units, before.max_kw, before.kg) == (1, 8, 10, 100)
    assert (after.servers, after.units, after.max_kw, after.kg) == (2, 16, 20, 200)
    assert (before.gpus, after.gpus) == (8, 16)


# ── One feed lost ────────────────────────────────────────────────────────────────────────────────────────────────────


def fed(psus, needed, **circuit):
    prices = book(builds={"box": build("box", 8, 8, 240_000.0, psus=psus, psus_needed=needed)})
    result = one(site={**SITE, "circuit": {**FEEDS, **circuit}}, prices=prices)
    return layout(result, 0)


def test_cords_go_to_the_feeds_in_turn_so_that_the_last_one_is_missed_least():
    # seven cords over three feeds: 3, 2, 2; five supplies are needed
    found = [without_feed(fed(7, 5), feed)[0].supplies[0] for feed in range(3)]
    assert [(each.left, each.keeps) for each in found] == [(4, False), (5, True), (5, True)]


def test_u060_two_sides_of_which_one_may_die_carry_half():
    assert redundant_kw(11.0, 2, "2N") == 11.0
    assert redundant_kw(11.0, 2, "N") == 22.0


def test_one_failed_supply_is_not_a_lost_feed():
    (rack,) = without_feed(fed(6, 5), 0)
    assert (rack.supplies[0].one_failed, rack.supplies[0].keeps_one_failed, rack.supplies[0].keeps) == (5, True, False)
    assert (rack.off, rack.short, rack.over) == (0, 1, False)


def test_machines_whose_every_cord_hangs_on_the_lost_feed_go_off():
    (rack,) = without_feed(fed(1, 1, feeds=2, redundancy="N"), 0)
    assert (rack.off, rack.short) == (1, 0)
    (rack,) = without_feed(fed(1, 1, feeds=2, redundancy="N"), 1)
    assert (rack.off, rack.short) == (0, 0)


def test_feeds_that_trip_take_the_whole_rack():
    (rack,) = without_feed(fed(6, 3, amps=10), 0)  # 6.93 kW each: 20.8 carry ten, 13.9 do
    assert (rack.over, rack.off) == (False, 0)
    (rack,) = without_feed(fed(6, 3, amps=10, feeds=2, redundancy="N"), 0)
    assert (rack.over, rack.off, rack.share) == (True, 1, pytest.approx(10 / 6.928, abs=0.001))


@pytest.mark.parametrize("feed", [-1, 3])
def test_a_feed_that_is_not_there_cannot_be_lost(feed):
    with pytest.raises(InputError, match="lost"):
        without_feed(fed(6, 3), feed)


def test_without_a_circuit_no_feed_can_be_lost():
    with pytest.raises(InputError, match="lost"):
        without_feed(layout(one(site=SITE), 0), 0)


# ── Floor, liquid, noise, units ──────────────────────────────────────────────────────────────────────────────────────


def test_the_floor_carries_the_rack_with_half_of_its_aisles():
    # 0.72 m² and half of 1.32 m² of aisle: 1.38 m² = 14.854 ft²; (100 + 134) kg = 515.88 lb
    # (515.88 + 15 × 7.104 + 10 × 14.854) / 14.854 = 51.90 lb/ft² = 253.4 kg/m²
    assert rack_floor_kg_m2(100.0) == pytest.approx(253.4, abs=0.1)


def test_only_an_ordinary_building_has_a_known_floor():
    offices = one(site=OFFICE).housing.site_of[0]
    assert floor_limit_kg_m2(offices) == pytest.approx(341.8, abs=0.1)  # 70 lb/ft²
    assert floor_limit_kg_m2(one(site=SITE).housing.site_of[0]) is None


def test_direct_liquid_takes_its_share_of_the_heat_at_ten_degrees():
    cooled = book(builds={"box": build("box", 8, 8, 240_000.0, cooling="hybrid")})
    found = liquid(one(site=SITE, prices=cooled), 0)
    assert found.kw == pytest.approx((7.0, 8.5))  # 70 to 85 % of 10 kW
    assert found.l_per_min == pytest.approx((10.01, 12.155))  # 1.43 L/min a kW
    assert found.kw_to_air == pytest.approx((3.0, 1.5))
    assert liquid(one(site=SITE), 0) is None


def test_the_loudest_machine_in_service_is_heard():
    assert loudest(office(), 0) == 90.0
    assert loudest(one(site=SITE), 0) is None


def test_u065_heat_in_btu_and_tons_is_the_same_heat():
    assert btu_per_hour(6.0) == pytest.approx(6000 * 3.41214, rel=1e-4)
    assert tons(3.517) == pytest.approx(1.0, abs=1e-3)
    assert tons(6.0) * 12_000 == pytest.approx(btu_per_hour(6.0), rel=1e-12)
