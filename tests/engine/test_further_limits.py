"""Limits beside those by which machines run: the owner's budget, supplies, floor, air, liquid, UPS, spare cooling.

A box draws 10 kW at most, 8 busy; 8 U, 100 kg. A second one comes in month 5.
"""

import math

import pytest

from planner.engine.demand import machine_for
from planner.engine.inputs import Site
from planner.engine.layout import layout
from planner.engine.quantities import InputError
from planner.engine.room import on_outlet
from tests.engine.sample import book, build, compared, evaluated, only, plan, pool

SITE = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10, "cooling_method": "contained"}
SECOND = {
    "start": {"build": "box", "quantity": 1},
    "follow_up": {"kind": "schedule", "waves": [{"month": 5, "quantity": 1}]},
}
WORK = pool(1.0) | {"growth": {"kind": "table", "values": [8.0] * 5 + [16.0] * 7}}
CAPEX = only("capex.accelerators_and_servers")


def two(prices=None, **site):
    """One box, and a second from month 5."""
    return evaluated(plan(**SECOND), work=WORK, sites=[{**SITE, **site}], prices=prices).plans[0]


def limits(findings):
    """{resource: (first month, needed, limit)} of the limits among findings."""
    return {
        found.facts["resource"]: (found.month, found.facts["needed"], found.facts["limit"])
        for found in findings
        if found.code.startswith("limit_")
    }


def boxes(**more):
    return book(builds={"box": build("box", 8, 8, 240_000.0, **more)})


# ── The owner's budget ───────────────────────────────────────────────────────────────────────────────────────────────

FRUGAL = {
    "box": build("box", 8, 8, 240_000.0),
    "frugal": build("frugal", 8, 8, 300_000.0, max_kw=5.0, typical_kw=4.0, idle_kw=1.0),
    "lean": build("lean", 8, 8, 500_000.0, max_kw=6.0, typical_kw=5.0, idle_kw=1.0),
}


def ranked(*builds, **site):
    plans = [plan(slug, start={"build": slug}) for slug in builds]
    return compared(*plans, work=pool(8.0), sites=[{**SITE, **site}], prices=book(builds=FRUGAL), lines=CAPEX)


def test_u032_under_a_hard_budget_no_plan_over_it_is_proposed():
    assert ranked("box", "frugal").ranking == ["box", "frugal"]
    found = ranked("box", "frugal", power_budget_kw=8.0)
    assert (found.ranking, found.verdict.plan) == (["frugal"], "frugal")


def test_u032_a_hard_budget_names_the_month_and_the_limit():
    result = two(power_budget_kw=12.0)
    assert not result.feasible
    assert limits(result.infeasible) == {"budget": (5, 20.0, 12.0)}
    assert two(power_budget_kw=20.0).feasible


def test_u032_a_soft_budget_ranks_and_hides_nothing():
    found = ranked("box", "frugal", power_budget_kw=8.0, power_budget="soft")
    assert found.ranking == ["frugal", "box"]
    assert (found.verdict.code, found.verdict.plan) == ("single", "frugal")
    over = [reason.facts["plan"] for reason in found.verdict.reasons if reason.code == "rival_over_budget"]
    assert over == ["box"]


def test_u032_plans_that_keep_a_soft_budget_are_compared_with_each_other():
    found = ranked("box", "lean", "frugal", power_budget_kw=8.0, power_budget="soft")
    assert found.ranking == ["frugal", "lean", "box"]
    assert (found.verdict.plan, found.verdict.runner_up, found.verdict.margin) == ("frugal", "lean", 200_000.0)


def test_u032_where_every_plan_passes_a_soft_budget_the_cheapest_leads():
    found = ranked("box", "frugal", power_budget_kw=4.0, power_budget="soft")
    assert (found.ranking, found.verdict.runner_up) == (["box", "frugal"], "frugal")


def test_u032_a_plan_over_a_soft_budget_is_marked():
    result = two(power_budget_kw=12.0, power_budget="soft")
    assert result.feasible
    assert limits(result.warnings)["budget"] == (5, 20.0, 12.0)


# ── Supplies ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("supplies", "usable"),
    # six of 3 kW: the maker needs four of them
    [("as_built", None), ("N", None), ("N+1", None), ("N+N", 9.0)],
)
def test_u060_half_of_the_watts_count_where_half_of_the_supplies_may_fail(supplies, usable):
    result = two(boxes(psus=6, psus_needed=4, psu_kw=3.0), supplies=supplies)
    assert limits(result.warnings).get("sustained") == (None if usable is None else (0, 10.0, usable))


def test_u060_one_supply_has_no_spare():
    result = two(boxes(psus=1, psus_needed=1, psu_kw=20.0), supplies="N+1")
    assert limits(result.warnings)["sustained"] == (0, 10.0, 0.0)


def test_u060_spikes_are_set_against_all_supplies_apart_from_the_long_draw():
    enough = {"psus": 4, "psus_needed": 4, "psu_kw": 3.0}  # 12 kW: 10 for long, 14 for an instant
    assert limits(two(boxes(**enough)).warnings) == {"transient": (0, 14.0, 12.0)}
    assert limits(two(boxes(**enough), transient_ratio=1.2).warnings) == {}


def test_u060_supplies_of_unknown_rating_are_not_judged():
    assert limits(two(boxes(psus=4, psus_needed=4)).warnings) == {}


# 400 V 32 A, three phases, power factor 0.95: 21.06 kW each
FEEDS = {"volts": 400, "amps": 32, "phases": "three", "power_factor": 0.95, "feeds": 3, "redundancy": "N+1"}
B200 = {"max_kw": 14.3, "typical_kw": 11.0, "idle_kw": 3.0, "rack_units": 10, "psus": 6, "psus_needed": 5}


def test_a_b200_on_three_pdus_fails_the_loss_of_one_although_its_kilowatts_are_fine():
    result = two(boxes(**B200), cooling_method="rear_door", circuit=FEEDS)
    assert limits(result.warnings) == {"psus": (0, 5, 4.0)}  # six cords, two on each: four are left
    assert layout(result, 0).racks[0].feeds.fits_one_lost


def test_what_no_redundancy_promises_is_no_warning():
    assert limits(two(boxes(**B200), cooling_method="rear_door", circuit=FEEDS | {"redundancy": "N"}).warnings) == {}


def test_two_b200_on_two_feeds_pass_with_both_and_overload_with_one():
    site = {"cooling_method": "rear_door", "circuit": FEEDS | {"feeds": 2, "redundancy": "N"}}
    result = evaluated(
        plan(start={"build": "box", "quantity": 2}), work=pool(16.0), sites=[{**SITE, **site}], prices=boxes(**B200)
    ).plans[0]
    (rack,) = layout(result, 0).racks
    each = 400 * 32 * math.sqrt(3) * 0.95 / 1000
    assert rack.kw == pytest.approx(28.6)
    assert (rack.feeds.fits, rack.feeds.fits_one_lost) == (True, False)
    assert rack.feeds.share_one_lost == pytest.approx(28.6 / each)  # 136 %


# ── Floor, air, liquid, UPS, spare cooling ───────────────────────────────────────────────────────────────────────────


def test_a_floor_that_is_named_spreads_the_machines_over_more_racks():
    # 300 kg/m² = 61.45 lb/ft² × 14.854 ft² − 106.6 − 148.5 = 657.6 lb = 298.3 kg, less 134: one box of 100 kg in each
    assert two(floor_kg_m2=300.0).housing.racks[0].tolist() == [1.0] * 5 + [2.0] * 7
    assert two().housing.racks[0].tolist() == [1.0] * 12


def test_a_foot_bears_a_quarter_of_the_rack():
    # 4 × 60 − 134 = 106 kg
    assert two(floor_foot_kg=60.0).housing.racks[0].tolist() == [1.0] * 5 + [2.0] * 7


def test_a_machine_too_heavy_for_the_floor_makes_the_plan_impossible():
    result = two(floor_foot_kg=50.0)  # 66 kg
    (reason,) = [found for found in result.infeasible if found.code == "room_kg"]
    assert (reason.facts["needed"], reason.facts["limit"]) == (100.0, pytest.approx(66.0))


def test_the_floor_of_an_office_that_nobody_named_is_a_warning():
    # two boxes: (200 + 134) kg = 736.3 lb, + 106.6 + 148.5, over 14.854 ft²: 66.75 lb/ft²; three: 81.6
    heavy = boxes(weight_kg=150.0)  # 300 kg: 81.6 lb/ft² = 398.4 kg/m² over 341.8
    result = two(heavy, kind="office", cooling_kw=30.0)
    month, needed, limit = limits(result.warnings)["floor"]
    assert (month, needed, limit) == (5, pytest.approx(398.4, abs=0.2), pytest.approx(341.8, abs=0.1))


def test_air_warmer_than_a_machine_may_breathe_is_found():
    assert limits(two(boxes(inlet_max_c=30.0), supply_c=32.0).warnings) == {"inlet": (0, 32.0, 30.0)}
    assert limits(two(boxes(inlet_max_c=30.0), supply_c=30.0).warnings) == {}


def test_air_of_the_room_is_what_all_machines_need():
    # 150 CFM a kW
    assert limits(two(air_cfm=1600.0).warnings) == {"air": (5, 3000.0, 1600.0)}


def test_liquid_is_what_all_loops_need():
    # 85 % of 10 kW × 1.43 L/min at ten degrees
    found = limits(two(boxes(cooling="hybrid"), liquid_l_per_min=12.0).warnings)
    assert found["liquid"] == (0, pytest.approx(12.155), 12.0)


def test_spare_cooling_is_there_only_as_long_as_the_others_carry_the_heat():
    # four units of 5 kW, one spare: 15 carry 8 kW, not 16
    assert limits(two(cooling_kw=20.0, cooling_units=4, spare_cooling_units=1).warnings) == {
        "spare_cooling": (5, 16.0, 15.0)
    }


def test_a_ups_that_cannot_carry_the_load_without_its_spare_module_rules_the_plan_out():
    ups = {"module_kw": 10.0, "modules": 2, "spare": 1}
    result = two(ups=ups)
    assert limits(result.infeasible) == {"ups": (5, 20.0, 10.0)}
    assert two(ups=ups | {"modules": 3}).feasible


def test_a_ups_of_spare_modules_alone_is_refused():
    with pytest.raises(InputError, match="spare"):
        Site.read({"slug": "room", "ups": {"module_kw": 10.0, "modules": 1, "spare": 1}})


@pytest.mark.parametrize(
    ("method", "boxes_that_fit"),
    # 10, 20, 57.2, 35, 60 kW from a rack, boxes of 8 kW busy; facility reference 3
    [("perimeter", 1), ("contained", 2), ("rear_door", 4), ("high_flow", 5), ("rear_door_active", 5)],
)
def test_each_method_carries_so_much_from_one_rack(method, boxes_that_fit):
    def passes(number):
        many = plan(start={"build": "box", "quantity": number})
        result = evaluated(many, work=pool(8.0 * number), sites=[{**SITE, "cooling_method": method}]).plans[0]
        return "method" in limits(result.warnings)

    assert not passes(boxes_that_fit)
    assert passes(boxes_that_fit + 1) is (boxes_that_fit < 5)  # no more than five stand in a rack of 42 U


def test_an_office_whose_cooling_is_named_has_no_assumed_limit_beside_it():
    office = {"kind": "office", "cooling_method": "office_air"}
    assert limits(two(**office).warnings)["method"] == (0, 8.0, 6.0)
    assert "method" not in limits(two(**office, cooling_kw=20.0).warnings)


def test_cards_added_later_need_more_supplies_than_the_chassis_did_when_it_came():
    # two cards draw 3 kW, eight 9: three supplies of 3 kW instead of one
    chassis = build("chassis", 2, 8, 100_000.0, max_kw=3.0, typical_kw=2.4, psus=4, psus_needed=1, psu_kw=3.0)
    circuit = FEEDS | {"feeds": 2, "redundancy": "2N"}
    grown = plan(start={"build": "chassis"}, follow_up={"kind": "cards", "batch": 6})
    work = pool(1.0) | {"growth": {"kind": "table", "values": [2.0] * 5 + [8.0] * 7}}
    prices = book(builds={"chassis": chassis})
    result = evaluated(grown, work=work, sites=[{**SITE, "circuit": circuit}], prices=prices).plans[0]
    assert limits(result.warnings)["psus"] == (5, 3, 2.0)  # a lost feed leaves two of four


def test_heat_of_a_rack_that_is_named_holds_instead_of_the_methods():
    assert limits(two(cooling_method="perimeter").warnings) == {"method": (5, 16.0, 10.0)}  # 8 kW each when busy
    assert limits(two(cooling_method="perimeter", rack_heat_kw=20.0).warnings) == {}


# ── One outlet ───────────────────────────────────────────────────────────────────────────────────────────────────────

OUTLET = {"volts": 120, "amps": 15, "phases": "single", "derating": 0.8, "power_factor": 1.0, "feeds": 1}


def tower():
    """Two cards of 500 W in a tower of 1.4 kW: 0.4 kW without them."""
    gpu = {"slug": "gpu", "name": "GPU", "memory_gb": 80, "tdp_w": 500.0}
    chassis = build("chassis", 2, 8, 10_000.0, max_kw=1.4, typical_kw=1.0, idle_kw=0.2, in_rack=False)
    return machine_for(book(accelerators={"gpu": gpu}, builds={"chassis": chassis}, addons=BOOK_ADDON), "chassis")


BOOK_ADDON = {"chassis": book().addons["chassis"].model_dump()}


def test_u059_a_power_limit_lets_more_gpus_hang_on_one_outlet_and_costs_each_some_speed():
    site = Site.read({"slug": "flat", "kind": "office", "circuit": OUTLET | {"redundancy": "N"}})
    rows = on_outlet(site, tower())
    # 1.44 − 0.4 = 1.04 kW for cards of 500, 450, 400, 350, 300 and 250 W
    assert [row.gpus for row in rows] == [2, 2, 2, 2, 3, 4]
    assert rows[0].rate == 1.0
    assert rows[-1].rate == pytest.approx(1 / 1.30)  # measured with many requests
    assert rows[-1].kw == pytest.approx(1.4)
    assert rows[-1].work == pytest.approx(4 / 1.30)


def test_u059_a_room_with_more_than_one_circuit_has_no_such_table():
    site = Site.read({"slug": "flat", "kind": "office", "circuit": OUTLET | {"redundancy": "N"}, "power_kw": 9.0})
    assert on_outlet(site, tower()) == ()


def test_spikes_are_told_once_for_each_machine_and_site():
    weak = {"psus": 4, "psus_needed": 4, "psu_kw": 3.0}
    other = build("other", 8, 8, 240_000.0, **weak)
    prices = book(builds={"box": build("box", 8, 8, 240_000.0, **weak), "other": other}, addons={})
    mixed = plan(
        start={"build": "box", "quantity": 1},
        follow_up={"kind": "schedule", "build": "other", "waves": [{"month": 2, "quantity": 1}]},
    )
    later = SITE | {"slug": "later", "from_month": 6}
    result = evaluated(mixed, work=pool(16.0), sites=[SITE, later], prices=prices).plans[0]
    spikes = [
        (finding.facts["item"], finding.facts["site"], finding.month)
        for finding in result.warnings
        if finding.code == "limit_transient"
    ]
    assert spikes == [("box", SITE["slug"], 0), ("other", SITE["slug"], 2), ("box", "later", 6), ("other", "later", 6)]
