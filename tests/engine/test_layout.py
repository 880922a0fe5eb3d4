"""Racks of a month, unit by unit, their feeds, and what one lost feed or cooling unit does.

A box draws 10 kW at most, 8 busy; 8 U, 100 kg. A rack of 42 U has 40 to use.
"""

import pytest

from planner.engine.layout import layout
from planner.engine.quantities import InputError
from tests.engine.sample import book, build, evaluated, plan, pool

SITE = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10}
# 400 V 32 A, three phases, power factor 1: 22.17 kW each
FEEDS = {"volts": 400, "amps": 32, "phases": "three", "power_factor": 1.0, "feeds": 2, "redundancy": "N"}
# DGX B200: 14.3 kW, 10 U, six supplies of which five are needed
B200 = build(
    "b200",
    8,
    8,
    400_000.0,
    max_kw=14.3,
    typical_kw=11.0,
    idle_kw=2.0,
    rack_units=10,
    weight_kg=142.4,
    psus=6,
    psus_needed=5,
)


def boxes(number, site, slug="box", **machine):
    prices = (
        book()
        if slug == "box" and not machine
        else book(
            builds={
                "box": build("box", 8, 8, 240_000.0, **machine),
                "b200": B200,
                "chassis": build("chassis", 2, 8, 100_000.0),
            }
        )
    )
    start = {"build": slug, "quantity": number}
    return evaluated(plan(start=start), work=pool(8.0 * number), sites=[{**SITE, **site}], prices=prices).plans[0]


def stacks(rack):
    return [(stack.item, stack.count, stack.bottom, stack.units) for stack in rack.stacks]


def test_machines_stand_on_each_other_from_the_floor_up():
    (rack,) = layout(boxes(3, {}), 0).racks
    assert stacks(rack) == [("box", 3, 1, 8)]
    assert (rack.count, rack.machines, rack.units, rack.kw, rack.kg) == (1, 3, 24, 30, 300)


def test_racks_filled_alike_are_one_group_and_the_rest_another():
    found = layout(boxes(12, {}), 0)  # five a rack
    assert [(rack.first, rack.count, rack.machines) for rack in found.racks] == [(1, 2, 5), (3, 1, 2)]
    assert (found.count, found.limit_by, found.fits) == (3, "units", True)


def test_machines_of_unknown_size_are_counted_without_end():
    found = layout(boxes(10_000, {"rack_kg": None}, rack_units=0), 0)
    assert (found.count, found.racks[0].machines, found.limit_by) == (1, 10_000, None)


@pytest.mark.parametrize(
    ("site", "machine", "limit", "racks"),
    [
        ({"rack_kw": 25.0}, {}, "kw", 2),
        ({"rack_kg": 250.0}, {}, "kg", 2),
        ({"circuit": {**FEEDS, "outlets": 6}}, {"psus": 6}, "cords", 2),
        ({"rack_cfm": 2500.0}, {"airflow_cfm": 1105.0}, "cfm", 2),
        # both feeds together carry 44.3 kW, one side 22.2: four machines or two
        ({"circuit": FEEDS}, {}, "kw", 1),
        ({"circuit": {**FEEDS, "redundancy": "2N"}}, {}, "kw", 2),
    ],
)
def test_the_limit_that_decides_is_named(site, machine, limit, racks):
    found = layout(boxes(4, site, **machine), 0)
    assert (found.limit_by, found.count) == (limit, racks)


def test_a_rack_of_two_b200_passes_with_both_feeds_and_overloads_with_one():
    found = layout(boxes(2, {"circuit": {**FEEDS, "redundancy": "N"}}, "b200"), 0)
    feeds = found.racks[0].feeds
    assert found.racks[0].kw == 28.6
    assert (feeds.fits, feeds.fits_one_lost) == (True, False)
    assert (feeds.share_each, feeds.share_one_lost) == pytest.approx((0.645, 1.29), abs=0.0005)
    assert not found.feed_loss.survives
    assert (found.feed_loss.racks_over, found.feed_loss.machines_off) == (1, 2)
    assert found.feed_loss.worst_share == pytest.approx(1.29, abs=0.0005)


def test_a_b200_on_three_feeds_has_the_kilowatts_and_not_the_supplies():
    # 22.2 kW a feed carry 28.6 on the two that are left, and four supplies are fed of five needed
    found = layout(boxes(2, {"circuit": {**FEEDS, "feeds": 3, "redundancy": "N+1"}}, "b200"), 0)
    assert found.racks[0].feeds.fits_one_lost
    assert found.racks[0].short == ("b200",)
    assert (found.feed_loss.survives, found.feed_loss.racks_over, found.feed_loss.machines_short) == (False, 0, 2)


def test_on_six_feeds_a_b200_keeps_its_power():
    found = layout(boxes(2, {"circuit": {**FEEDS, "feeds": 6, "redundancy": "N+1"}}, "b200"), 0)
    assert (found.feed_loss.survives, found.racks[0].short) == (True, ())


def test_u051_a_load_on_two_feeds_counts_once_and_each_alone_must_carry_it():
    found = layout(boxes(2, {"circuit": {**FEEDS, "redundancy": "2N"}}), 0)
    (rack,) = found.racks
    assert rack.kw == 20.0  # not twice
    assert rack.feeds.fits_one_lost
    assert found.feed_loss.survives
    assert (rack.kw, rack.typical_kw) == (20.0, 16.0)  # maximum and expected draw stand apart


def test_u055_a_rating_never_blanks_the_load():
    loads = [layout(boxes(2, {"rack_kw": rating}), 0).racks[0].kw for rating in (None, 25.0, 40.0)]
    assert loads == [20.0, 20.0, 20.0]
    # 20 kW over two feeds of 22.17
    share = layout(boxes(2, {"circuit": FEEDS}), 0).racks[0].feeds.share_each
    assert share == pytest.approx(20 / 44.34, abs=0.0005)


def test_u062_headroom_is_shown_on_maximum_and_on_expected_draw():
    found = layout(boxes(2, {"power_kw": 24.0, "rack_kw": 21.0}), 0)
    power, rack = (next(bar for bar in found.bars if bar.resource == name) for name in ("power", "kw"))
    assert (power.used, power.expected, power.limit) == (20.0, 16.0, 24.0)
    assert (rack.used, rack.expected, rack.limit) == (20.0, 16.0, 21.0)


def test_u063_what_arrives_later_takes_units_power_and_weight_from_its_month_on():
    waves = [{"month": 5, "quantity": 2}]
    later = plan(start={"build": "box", "quantity": 1}, follow_up={"kind": "schedule", "build": "box", "waves": waves})
    result = evaluated(later, work=pool(8.0), sites=[SITE]).plans[0]
    racks = [layout(result, month).racks[0] for month in (4, 5, 11)]
    assert [(rack.units, rack.kw, rack.kg) for rack in racks] == [(8, 10, 100), (24, 30, 300), (24, 30, 300)]


def test_on_a_single_feed_everything_stops_with_it():
    found = layout(boxes(1, {"circuit": {**FEEDS, "feeds": 1}}), 0)
    assert (found.feed_loss.survives, found.feed_loss.machines_off) == (False, 1)


def test_without_a_circuit_nothing_is_said_about_feeds():
    found = layout(boxes(1, {}), 0)
    assert (found.feed_loss, found.racks[0].feeds, found.cooling_loss) == (None, None, None)


@pytest.mark.parametrize(("units", "left", "kept"), [(4, 9.0, 1.0), (3, 8.0, 1.0), (2, 6.0, 0.75**0.5), (1, 0.0, 0.0)])
def test_one_cooling_unit_of_several_is_lost(units, left, kept):
    loss = layout(boxes(1, {"cooling_kw": 12.0, "cooling_units": units}), 0).cooling_loss  # 8 kW of heat
    assert (loss.cooling_kw, loss.heat_kw) == (left, 8.0)
    assert loss.kept == pytest.approx(kept)
    assert loss.survives is (kept == 1.0)


def test_the_largest_cooling_unit_is_the_one_that_is_lost():
    air = {"slug": "air", "item": "split-ac", "adds_cooling_kw": 5.0, "lead_weeks": 0.0}
    found = layout(boxes(1, {"cooling_kw": 6.0, "cooling_units": 3, "upgrades": [air]}), 0)
    assert found.cooling_loss.cooling_kw == 6.0  # 2 + 2 + 2 + 5, the five gone
    cooling = next(bar for bar in found.bars if bar.resource == "cooling")
    assert (cooling.used, cooling.limit, cooling.over) == (8.0, 11.0, False)


def test_bars_hold_the_room_and_its_fullest_rack():
    found = layout(boxes(7, {"power_kw": 60.0, "racks": 2, "rack_kw": 45.0}), 0)  # four and three
    bars = {bar.resource: (bar.used, bar.limit, bar.over) for bar in found.bars}
    assert bars["power"] == (70.0, 60.0, True)
    assert bars["racks"] == (2, 2, False)
    assert bars["units"] == (32, 40, False)
    assert bars["kw"] == (40.0, 45.0, False)
    assert bars["cooling"][1:] == (None, False)


def test_a_rack_over_what_its_cooling_method_carries_is_marked():
    # perimeter air is assumed to carry 10 kW a rack, containment 20
    assert layout(boxes(2, {"rack_kw": 20.0}), 0).racks[0].above_method
    assert not layout(boxes(2, {"rack_kw": 20.0, "cooling_method": "contained"}), 0).racks[0].above_method


def test_air_is_the_makers_figure_or_150_cfm_a_kilowatt():
    assert layout(boxes(2, {}), 0).airflow_cfm == 2 * 1500
    assert layout(boxes(2, {}, airflow_cfm=1105.0), 0).airflow_cfm == 2 * 1105
    assert layout(boxes(2, {}, cooling="liquid"), 0).airflow_cfm == 0


def joined(site):
    """Two servers of 10 kW, joined by two switches of at most 1.5 kW."""
    pair = plan(start={"build": "box", "quantity": 2}, fabric={"when": "always"})
    box = build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400.0, psus=4)
    return evaluated(pair, work=pool(16.0), sites=[SITE | site], prices=book(builds={"box": box}, addons={})).plans[0]


def test_switches_stand_on_top_of_the_machines_they_join():
    assert stacks(layout(joined({}), 0).racks[0]) == [("box", 2, 1, 8), ("qm9700", 2, 17, 1)]


def test_switches_take_kw_cords_and_air_in_their_rack_and_count_once_in_the_room():
    result = joined({"circuit": FEEDS | {"outlets": 6}})
    found = layout(result, 0)
    (rack,) = found.racks
    assert (rack.kw, rack.cords, rack.cfm) == (23.0, 2 * 4 + 2 * 2, 23.0 * 150)
    assert found.airflow_cfm == 23.0 * 150
    assert {bar.resource: bar.used for bar in found.bars}["power"] == result.housing.draw_max[0, 0] == 23.0


@pytest.mark.parametrize(
    ("site", "limit"),
    [
        ({"rack_kw": 22.0}, "kw"),  # 2 × 10 + 1.5 kW leave too little for the other switch
        ({"circuit": FEEDS | {"feeds": 2, "outlets": 5}}, "cords"),  # 2 × 4 + 2 of 10 outlets
        ({"rack_cfm": 3300.0}, "cfm"),  # 2 × 1,500 + 225 CFM
    ],
)
def test_a_switch_that_a_full_rack_cannot_feed_stands_in_another(site, limit):
    found = layout(joined(site), 0)
    assert (found.count, found.limit_by) == (2, limit)
    assert [stacks(rack)[-1][:2] for rack in found.racks] == [("qm9700", 1), ("qm9700", 1)]


def test_a_tower_stands_beside_the_racks():
    found = layout(boxes(2, {}, in_rack=False), 0)
    assert (found.racks, found.beside, found.count) == ((), (("box", 2),), 0)


def test_a_machine_that_fits_no_rack_is_said():
    found = layout(boxes(1, {"rack_kw": 9.0}), 0)
    assert (found.fits, found.limit_by, found.racks) == (False, "kw", ())


def test_the_racks_drawn_are_those_that_were_counted():
    waves = [{"month": 3, "quantity": 2}, {"month": 7, "quantity": 5}]
    grown = plan(start={"build": "box", "quantity": 3}, follow_up={"kind": "schedule", "build": "box", "waves": waves})
    result = evaluated(grown, work=pool(80.0), sites=[SITE]).plans[0]
    assert [layout(result, month).count for month in range(12)] == result.housing.racks[0].tolist()
    assert layout(result, 11).count > layout(result, 0).count


@pytest.mark.parametrize("month", [-1, 12])
def test_a_month_outside_the_horizon_is_refused(month):
    with pytest.raises(InputError, match="month"):
        layout(boxes(1, {}), month)
