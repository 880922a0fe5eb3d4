"""Moving to another room: by plan and month, with days lost and what is stranded. Expected figures worked by hand."""

import pytest

from planner.engine.statements import statement, years
from tests.engine.sample import amounts, evaluated, only, plan, pool

OFFICE = {"slug": "office", "pue": 1.5, "electricity_price_per_kwh": 0.10}
HALL = {
    "slug": "hall",
    "kind": "colocation",
    "from_month": 6,
    "moving_cost": 7000.0,
    "electricity_price_per_kwh": 0.10,
    "colocation": {"price_per_kw_month": 100.0, "usable_share": 1.0, "power_included": True},
}
AIR = {"slug": "air", "item": "split-ac", "adds_cooling_kw": 5.0, "lead_weeks": 0.0}  # 4,000


def moved(*plans, office=None, hall=None, **more):
    sites = [{**OFFICE, **(office or {})}, {**HALL, **(hall or {})}]
    return evaluated(*plans, sites=sites, work=more.pop("work", pool(8.0)), **more)


def warned(result, code):
    return [each for each in result.warnings if each.code == code]


def test_a_plan_moves_in_its_own_month_and_pays_the_hall_from_then_on():
    stays, early, usual = moved(
        plan("stays", moves=False), plan("early", move_month=3), plan("usual"), lines=only("opex.colocation")
    ).plans
    # 10 kW at most, at 100 a kW and month
    assert amounts(stays, "opex.colocation") == [0.0] * 12
    assert amounts(early, "opex.colocation") == [0.0] * 3 + [1000.0] * 9
    assert amounts(usual, "opex.colocation") == [0.0] * 6 + [1000.0] * 6


def test_the_cost_of_the_move_falls_in_its_month_and_on_who_moves():
    stays, early = moved(plan("stays", moves=False), plan("early", move_month=3), lines=only("capex.facility")).plans
    assert amounts(stays, "capex.facility") == [0.0] * 12
    assert amounts(early, "capex.facility") == [0.0] * 3 + [7000.0] + [0.0] * 8


def test_the_limits_after_the_move_are_those_of_the_new_room():
    result = moved(plan(move_month=3), office={"cooling_kw": 4.0}, hall={"cooling_kw": 8.0}).plans[0]
    # 8 kW on 4 kW of cooling is a ratio of a half: under 0.6 the machines trip
    assert result.capacity.tolist() == [0.0] * 3 + [8.0] * 9


def test_days_of_the_move_are_lost_capacity_and_draw_no_power():
    result = moved(hall={"downtime_days": 6.2}).plans[0]
    # July has 31 days: a fifth of the month
    assert result.capacity.tolist() == pytest.approx([8.0] * 6 + [6.4] + [8.0] * 5)
    assert result.housing.draw[0].tolist() == pytest.approx([8.0] * 6 + [6.4] + [8.0] * 5)
    (told,) = warned(result, "move_downtime")
    assert (told.month, told.facts["days"]) == (6, 6.2)
    assert told.facts["gpu_hours"] == pytest.approx(8 * 6.2 * 24)
    assert [reason.code for reason in result.infeasible] == ["service_target"]


def test_a_long_move_runs_over_into_the_next_month():
    result = moved(hall={"downtime_days": 46.5}).plans[0]  # all of July, half of August
    assert result.capacity.tolist() == pytest.approx([8.0] * 6 + [0.0, 4.0] + [8.0] * 4)


def test_without_machines_nothing_moves():
    late = plan(start=None, follow_up={"kind": "schedule", "build": "box", "waves": [{"month": 6, "quantity": 1}]})
    result = moved(late, hall={"downtime_days": 31.0}).plans[0]
    assert result.capacity.tolist() == [0.0] * 6 + [8.0] * 6
    assert warned(result, "move_downtime") == warned(result, "left_room") == []


def test_what_was_spent_on_the_left_room_is_stranded_as_far_as_it_is_not_written_off():
    office = {"cooling_kw": 4.0, "upgrades": [AIR]}
    found = moved(
        plan(move_month=6),
        office=office,
        hall={"cooling_kw": None},
        finance={"discount_rate": 0.0, "residual_at_horizon": False, "book_life_months": 60},
    )
    result = found.plans[0]
    # air conditioning 4,000, a rack 2,000 and two strips of 1,500, all in month 0; 54 of 60 months are left
    (told,) = warned(result, "left_room")
    assert (told.month, told.facts["site"], told.facts["next_site"]) == (6, "office", "hall")
    assert (told.facts["paid"], told.facts["amount"]) == (9000.0, 8100.0)
    assert statement(result, years(found)).stranded.tolist() == [810_000.0]


def test_racks_go_along_into_another_room_of_ones_own():
    office = {"cooling_kw": 4.0, "upgrades": [AIR]}
    result = moved(plan(move_month=6), office=office, hall={"kind": "server_room", "colocation": None}).plans[0]
    (told,) = warned(result, "left_room")
    assert told.facts["paid"] == 4000.0


def test_what_is_stranded_is_in_no_total():
    office = {"cooling_kw": 4.0, "upgrades": [AIR]}
    result = moved(plan(move_month=6), office=office, lines=only("capex.cooling")).plans[0]
    assert result.nominal_total == 4000.0
