"""What the facility page says of limits that only some rooms name, of supplies, cards, one outlet, air and UPS."""

import pytest
from django.utils import translation

from planner import tables
from planner.services import evaluation, scenarios
from tests.planner import sample
from tests.planner.test_facility_page import FEEDS, bars, shown

pytestmark = pytest.mark.django_db

# 120 V × 15 A × 80 % = 1.44 kW
OUTLET = {**FEEDS, "volts": 120, "amps": 15, "feeds": 1}


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def machine(**changes):
    """The sample's book with its 8-GPU server changed: 7 kW at most, 5.3 busy."""
    builds = sample.book().builds
    return sample.book(builds=builds | {"srv-8x": builds["srv-8x"].model_copy(update=changes)})


def cards(**changes):
    """The accelerators of the sample as cards that stand in slots, changed."""
    known = sample.book().accelerators
    return {
        "accelerators": {
            slug: each.model_copy(update={"form_factor": "PCIe", **changes}) for slug, each in known.items()
        }
    }


def test_u032_the_power_budget_is_a_bar_with_its_kind():
    bar = bars(shown(power_budget_kw=6.0, power_budget="soft"))["Power budget"]
    assert (bar["used"], bar["limit"], bar["over"], bar["note"]) == (
        "7 kW",
        "6 kW",
        True,
        "by the nameplates; soft: a wish",
    )
    assert bar["path"] == "sites/office/power_budget_kw"
    assert "Power budget" not in bars(shown())


def test_u032_a_plan_over_a_hard_budget_is_shown_with_the_reason():
    result, _ = sample.evaluated(sites=[{"slug": "office", "power_budget_kw": 6.0}])
    (reason,) = [found for found in result.plan("server").infeasible if found.code == "limit_budget"]
    assert tables.wording.finding(reason, result).replace("\u00a0", " ") == (
        "From Dec 2026 the machines and their network draw up to 7 kW by the nameplates, and the power budget of the "
        "server room allows 6 kW."
    )
    assert tables.remedy_path(reason, result.plan("server")) == "sites/office/power_budget_kw"


def test_the_ups_is_a_bar_and_a_figure():
    page = shown(ups={"module_kw": 10.0, "modules": 2, "spare": 1, "battery_minutes": 6.0})
    assert (bars(page)["UPS"]["used"], bars(page)["UPS"]["limit"]) == ("7 kW", "10 kW")
    modules, battery = page["ups"]
    assert modules["text"] == "2 modules of 10 kW, 1 of them spare"
    assert modules["note"] == "35 % of their rating used, 70 % once the spare ones have failed"
    assert battery["text"] == "0.7 kWh"  # 7 kW for a tenth of an hour
    assert shown()["ups"] == []


def test_heat_without_the_spare_units_has_a_bar():
    bar = bars(shown(cooling_units=2, spare_cooling_units=1))["Heat without spare cooling"]
    assert (bar["used"], bar["limit"], bar["over"]) == ("2.481 kW", "2.5 kW", False)


def test_a_floor_that_is_named_bounds_the_weight_of_a_rack():
    # 4 × 60 − 134 kg
    found = bars(shown(floor_foot_kg=60.0))
    assert (found["Weight per rack"]["limit"], found["Weight per rack"]["path"]) == (
        "106 kg",
        "sites/office/floor_foot_kg",
    )
    assert (found["Load of a foot"]["used"], found["Load of a foot"]["limit"]) == ("49 kg", "60 kg")  # 196 ÷ 4


def test_a_machine_too_heavy_for_its_floor_leads_to_the_field_of_the_floor():
    result, _ = sample.evaluated(sites=[{"slug": "office", "floor_foot_kg": 40.0}])  # 4 × 40 − 134 = 26 kg
    (reason,) = [found for found in result.plan("server").infeasible if found.code == "room_kg"]
    assert tables.remedy_path(reason, result.plan("server")) == "sites/office/floor_foot_kg"
    passed = next(each for each in shown(floor_foot_kg=40.0)["passed"] if each["path"].endswith("floor_foot_kg"))
    assert passed["text"] == "A machine weighs 62 kg; a rack of the office holds 26 kg."


def test_air_leaves_warmer_by_the_heat_it_takes():
    # 757 CFM of the maker: 1.756 × 2,481 ÷ 757 = 5.755 °C
    named = machine(airflow_cfm=757.0)
    supply, leaves = shown(book=named, supply_c=24.0)["air"][2:4]
    assert (supply["name"], supply["text"]) == ("Supply air", "24 °C")
    assert supply["note"].startswith("within what ASHRAE recommends")
    assert (leaves["name"], leaves["text"]) == ("Air that leaves", "29.8 °C")
    assert shown(book=named)["air"][2]["text"] == "5.75 °C"
    assert shown(book=named, supply_c=30.0)["air"][2]["note"].startswith("ASHRAE allows it")
    assert shown(book=named, supply_c=40.0)["air"][2]["note"].startswith("outside what ASHRAE allows")


def test_u060_sustained_draw_and_spikes_are_told_apart_with_half_of_the_supplies_gone():
    book, circuit = machine(psus=4, psus_needed=3, psu_kw=2.8), {**FEEDS, "amps": 60}
    (built,) = shown(book=book, circuit=circuit, power_kw=20.0)["supplies"]
    assert (built["rating"], built["sustained"]["text"], built["sustained"]["tone"]) == (
        "2.8 kW",
        "7 kW of 8.4 kW",
        "good",
    )
    assert (built["transient"]["text"], built["transient"]["tone"]) == ("9.8 kW of 11.2 kW", "good")
    (halved,) = shown(book=book, circuit=circuit, power_kw=20.0, supplies="N+N", transient_ratio=2.0)["supplies"]
    assert (halved["sustained"]["text"], halved["sustained"]["tone"]) == ("7 kW of 5.6 kW", "bad")
    assert (halved["transient"]["text"], halved["transient"]["tone"]) == ("14 kW of 11.2 kW", "bad")


def test_u066_cards_in_their_chassis_are_told_with_what_is_not_known():
    book = machine(card_slot_width=2)
    (row,) = shown(book=book.model_copy(update=cards(slot_width=2)))["cards"]
    assert (row["cards"], row["width"], row["place"], row["most"]) == ("8 GPUs", "2 slots", "2 slots", "8 GPUs")
    assert (row["length"], row["state"]["text"]) == ("not known", "wide enough; the length is not known")
    wide = shown(book=book.model_copy(update=cards(slot_width=3)))["cards"][0]
    assert (wide["most"], wide["state"]) == ("4 GPUs", {"tone": "bad", "text": "too wide"})
    (unknown,) = shown(book=book.model_copy(update=cards()))["cards"]
    assert (unknown["width"], unknown["most"], unknown["state"]["tone"]) == ("not known", "not known", "warn")


def test_u059_gpus_on_one_outlet_stand_by_power_limit():
    book = machine(max_kw=1.0, typical_kw=0.8, idle_kw=0.2, accelerator_count=2, chassis_slots=2)
    page = shown(book=book.model_copy(update=cards(tdp_w=300.0)), circuit=OUTLET)
    rows = page["outlet"]["rows"]
    assert [row["limit"] for row in rows[:2]] == ["300 W (100 %)", "270 W (90 %)"]
    assert (rows[0]["gpus"], rows[0]["kw"], rows[0]["lost"]) == ("2 GPUs", "1 kW", "0 %")  # 0.4 kW and two of 0.3
    assert [row["best"] for row in rows] == [True, *[False] * 5]
    assert shown()["outlet"] is None


def test_every_check_of_a_room_can_be_edited(row, editor):
    head = row.head
    for name, value in (("power_budget_kw", 8.0), ("power_budget", "soft"), ("ups", {}), ("supplies", "N+N")):
        head = scenarios.edit(row, head.number, f"sites/office/{name}", value, editor)
    found = evaluation.evaluated(head)[0].scenario.sites[0]
    assert (found.power_budget_kw, found.power_budget, found.supplies) == (8.0, "soft", "N+N")
    assert found.ups.modules == 2
