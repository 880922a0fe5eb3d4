"""A tariff typed or pasted into its rows: what is read, what is refused, and how the Why tells periods apart."""

import copy

import pytest
from django.utils.translation import override

from catalog.importers.shipped import shipped
from catalog.tariff_periods import schedules
from planner import forms, tables, wording
from planner.engine.compare import compare
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.quantities import InputError
from planner.services import documents, explain, gallery, pricebook, scenarios
from tests.planner.sample import document, evaluated

PERIODS, DEMAND, TIERS = (f"sites/office/tariff/{name}" for name in ("periods", "demand", "tiers"))
PASTED = "period\tmonths\tdays\thours\tprice\npeak\t6-9\tweekdays\t14-20\t0.32\nnight\t\t\t22-6\t×0.5\n"


def with_tariff(**terms):
    data = copy.deepcopy(gallery.document("small-team"))
    data["sites"][0] |= {"tariff": terms, "electricity_price_per_kwh": 0.10}
    return Scenario.read(data)


@pytest.fixture(scope="module")
def scenario():
    return with_tariff(basis="energy_only")


def typed(scenario, path, text):
    return forms.read(forms.declared(scenario, path), text)


def said(scenario, path, text):
    with pytest.raises(InputError) as caught, override("en"):
        typed(scenario, path, text)
    with override("en"):
        return wording.say(caught.value, "USD", scenario)


def test_a_time_zone_that_was_entered_can_be_taken_back():
    named = with_tariff(basis="energy_only", time_zone="America/Chicago")
    assert typed(named, "sites/office/tariff/time_zone", "") is None
    assert typed(named, "sites/office/tariff/time_zone", "Europe/Berlin") == "Europe/Berlin"


def test_a_table_pasted_from_a_spreadsheet_is_read_without_its_head(scenario):
    assert typed(scenario, PERIODS, PASTED) == [
        {"name": "peak", "months": "6-9", "days": "weekdays", "hours": "14-20", "price_per_kwh": 0.32},
        {"name": "night", "hours": "22-6", "times": 0.5},
    ]


@pytest.mark.parametrize(
    "line",
    ["peak; 6-9; weekdays; 14-20; 0.32", "peak | 6-9 | weekdays | 14-20 | 0.32", 'peak,6-9,weekdays,"14-20",0.32'],
)
def test_cells_are_apart_by_what_people_use(scenario, line):
    assert typed(scenario, PERIODS, line)[0]["price_per_kwh"] == 0.32


@pytest.mark.parametrize(("cell", "times"), [("×1.7", 1.7), ("1.7x", 1.7), ("1.7倍", 1.7), ("170 %", 1.7)])
def test_a_multiple_is_written_in_several_ways(scenario, cell, times):
    assert typed(scenario, PERIODS, f"peak; 1-12; all; 8-20; {cell}")[0]["times"] == pytest.approx(times)


def test_what_is_paid_on_top_of_the_price_is_written_with_a_plus(scenario):
    assert typed(scenario, PERIODS, "red; 1-12; weekdays; 16-19; +0.0463")[0]["adds_per_kwh"] == 0.0463


def test_full_width_characters_are_read(scenario):
    rows = typed(scenario, PERIODS, "尖峰；7-9；每天；11-12、15-17；×2.125")
    read = with_tariff(periods=rows).sites[0].tariff.periods[0]
    assert (read.name, read.days, read.hours) == ("critical_peak", "all", "11-12,15-17")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_what_is_written_reads_back_the_same(language):
    periods = [
        {"name": "critical_peak", "months": "7-9", "days": "all", "hours": "11-12, 15-17", "times": 2.125},
        {"name": "Super off-peak", "months": "1-12", "days": "weekends", "hours": "22:30-6", "price_per_kwh": 0.05},
        {"name": "network", "hours": "16-19", "adds_per_kwh": 0.046274},
    ]
    before = with_tariff(basis="energy_only", periods=periods, demand=[{"name": "peak", "price_per_kw": 12.5}])
    with override(language):
        rows = {
            path: forms.write(forms.declared(before, path), forms.declared(before, path).value)
            for path in (PERIODS, DEMAND)
        }
        after = with_tariff(
            basis="energy_only",
            periods=typed(before, PERIODS, rows[PERIODS]),
            demand=typed(before, DEMAND, rows[DEMAND]),
        )
    assert after.sites[0].tariff == before.sites[0].tariff


def test_tiers_are_pairs(scenario):
    assert typed(scenario, TIERS, "1000: 0.02; 5000: −0.01") == [
        {"from_kwh": 1000.0, "adds_per_kwh": 0.02},
        {"from_kwh": 5000.0, "adds_per_kwh": -0.01},
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("peak; 6-9; weekdays", "Prices by hour, entry 1: Hours is missing."),
        ("a; 1; all; 0-8; 0.1\nb; 1; all; 8-20; cheap", "Prices by hour, entry 2: Price must be a number in 0–1,000"),
    ],
)
def test_a_bad_cell_is_named_by_row_and_column(scenario, text, sentence):
    assert said(scenario, PERIODS, text).startswith(sentence)


def test_a_bad_hour_is_refused_by_name_when_the_edit_is_saved(signed, row):
    number = scenarios.newest(row).number
    signed.post(f"/s/{row.pk}/edit/", {"path": "sites/office/tariff", "value": "on", "base": number})
    number = scenarios.newest(row).number
    answer = signed.post(
        f"/s/{row.pk}/edit/",
        {"path": PERIODS, "value": "peak; 6-9; weekdays; 14-26; 0.32", "base": number},
        HTTP_HX_REQUEST="true",
    )
    assert "Prices by hour, entry 1: Hours has a form that is not understood; got “14-26”." in answer.content.decode()
    assert scenarios.newest(row).number == number  # nothing is half-saved


def test_an_energy_price_is_asked_for_before_a_demand_charge_is_put_beside_it(signed, row):
    for path, value in (("sites/office/tariff", "on"), ("sites/office/tariff/basis", "energy_only")):
        number = scenarios.newest(row).number
        answer = signed.post(
            f"/s/{row.pk}/edit/", {"path": path, "value": value, "base": number}, HTTP_HX_REQUEST="true"
        )
    assert "Electricity: the catalog’s price" in answer.content.decode().replace("&#x27;", "’")
    assert Scenario.read(scenarios.newest(row).document).sites[0].tariff.basis == "all_in"


def test_a_tariff_is_saved_row_by_row_and_priced(signed, row):
    for path, value in (
        ("sites/office/tariff", "on"),
        ("sites/office/electricity_price_per_kwh", "0.09"),
        ("sites/office/tariff/basis", "energy_only"),
        (PERIODS, "peak; 6-9; weekdays; 14-20; 0.32"),
        (DEMAND, "all; 1-12; all; 0-24; 12"),
    ):
        number = scenarios.newest(row).number
        answer = signed.post(f"/s/{row.pk}/edit/", {"path": path, "value": value, "base": number})
        assert answer.status_code in (200, 302, 204), path
    tariff = Scenario.read(scenarios.newest(row).document).sites[0].tariff
    assert tariff.periods[0].price_per_kwh == 0.32
    assert tariff.demand[0].price_per_kw == 12.0


def test_switching_the_currency_converts_the_prices_of_a_tariff_and_back():
    from planner.forms.edits import changes

    periods = [
        {"name": "peak", "hours": "8-20", "price_per_kwh": 0.32},
        {"name": "night", "hours": "0-6", "times": 0.5},
        {"name": "network", "hours": "6-8", "adds_per_kwh": 0.02},
    ]
    before = with_tariff(periods=periods, tiers=[{"from_kwh": 1000, "adds_per_kwh": 0.02}])
    currency = forms.declared(before, "currency")
    written = dict(changes(before, currency, "EUR", {}, shipped()))
    converted = written["sites/office/tariff/periods"]
    assert 0 < converted[0]["price_per_kwh"] != 0.32
    assert converted[1]["times"] == 0.5
    assert converted[2]["adds_per_kwh"] == pytest.approx(converted[0]["price_per_kwh"] / 16)
    there = before.model_copy(update={"currency": "EUR"})
    data = there.model_dump(mode="json")
    data["sites"][0]["tariff"] |= {"periods": converted, "tiers": written["sites/office/tariff/tiers"]}
    there = Scenario.read(data)
    back = dict(changes(there, forms.declared(there, "currency"), "USD", {}, shipped()))
    assert back["sites/office/tariff/periods"] == [
        period.model_dump(mode="json") for period in before.sites[0].tariff.periods
    ]


# ── what the Why says ──


def test_the_why_shows_kwh_of_each_period_times_its_price():
    site = {**document()["sites"][0], "electricity_price_per_kwh": 0.10}
    site["tariff"] = {"periods": [{"name": "peak", "months": "6-9", "hours": "14-20", "price_per_kwh": 0.32}]}
    sample = evaluated(sites=[site])
    with override("en"):
        opex = explain.tree(*sample, "server", "opex")
    energy = next(node for node in opex["children"] if node["key"] == "opex.energy_it")
    labels = {node["label"]: node for node in energy["children"]}
    assert set(labels) == {"Machines · other hours", "Machines · peak"}
    peak = labels["Machines · peak"]
    assert [cell["month"] for cell in peak["months"]][:4] == [6, 7, 8, 9]  # June to September 2027
    assert peak["months"][0]["unit_price"] == pytest.approx(0.32 * 1.02**0.5)
    assert sum(round(node["value"] * 100) for node in energy["children"]) == round(energy["value"] * 100)


@pytest.mark.parametrize("slug", sorted(schedules()))
def test_every_shipped_schedule_is_understood_and_says_how_far_it_can_be_trusted(slug):
    rows = schedules()[slug].rows
    row = pricebook.build(shipped(), with_tariff(schedule=slug)).schedules[slug]
    counts = [len(schedules()[slug].of_kind(kind)) for kind in ("energy", "demand", "fixed")]
    assert [len(row.periods), len(row.demand), int(row.fixed_per_month > 0)] == counts
    assert sum(counts) == len(rows)
    assert all(row.status in ("sourced", "estimate", "unverified") for row in rows)
    assert all(row.source_url.startswith("https://") or row.status == "unverified" for row in rows)


def told(scenario, path):
    evaluation = evaluate(*documents.resolve(scenario.model_dump(mode="json")))
    groups = tables.findings(evaluation, compare(evaluation))
    return [item.text for group in groups for item in group.items if item.path == path]


def in_beijing(**changes):
    data = copy.deepcopy(gallery.document("office-server"))
    data["sites"][0] |= {"region": "CN-BJ", "customer_class": "commercial", **changes}
    return Scenario.read(data)


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Electricity in Beijing (CN-BJ), commercial has no quote"), ("zh-hans", "北京（CN-BJ）商业用户的电价")],
)
def test_a_region_without_an_electricity_price_is_named_and_led_to_the_field_of_the_site(language, words):
    with override(language):
        texts = told(in_beijing(), "sites/office/electricity_price_per_kwh")
    assert texts
    assert all(words in text for text in texts)
    assert told(in_beijing(electricity_price_per_kwh=0.12), "sites/office/electricity_price_per_kwh") == []


@pytest.mark.parametrize(("language", "words"), [("en", "the energy alone"), ("zh-hans", "电能本身")])
def test_network_charges_on_top_of_an_average_price_are_warned_of(language, words):
    spain = {"region": "ES", "customer_class": "industrial", "tariff": {"schedule": "es-6-1td"}}
    path = "sites/office/electricity_price_per_kwh"
    with override(language):
        texts = told(in_beijing(**spain), path)
        assert [words in text for text in texts] == [True]
        assert told(in_beijing(**spain, electricity_price_per_kwh=0.08), path) == []


def test_hours_of_a_tariff_of_another_region_are_warned_of():
    path, hours = "sites/office/tariff/schedule", {"schedule": "cn-bj-tou"}
    with override("en"):
        (text,) = told(in_beijing(region="US-VA", tariff=hours), path)
    assert "Beijing (CN-BJ)" in text
    assert "Virginia (US-VA)" in text
    assert "America/New_York" in text
    at_home = in_beijing(tariff=hours, electricity_price_per_kwh=0.12)
    assert told(at_home, path) == []
    assert len(told(in_beijing(tariff={**hours, "time_zone": "Asia/Tokyo"}, electricity_price_per_kwh=0.12), path)) == 1


# ── the switch of a line that a contract turns on ──

SWITCH = "lines/opex.demand_charge"


def switch_of(row):
    """(label, whether it is on) as the page shows it."""
    scenario = Scenario.read(scenarios.newest(row).document)
    book = pricebook.build(shipped(), scenario)
    with override("en"):
        found = forms.Page(scenario, None, book, shipped(), scenario.model_dump(mode="json")).rows()[SWITCH]
    return found.label, found.on


def edited(signed, row, path, value):
    number = scenarios.newest(row).number
    return signed.post(f"/s/{row.pk}/edit/", {"path": path, "value": value, "base": number})


def test_a_line_that_a_contract_names_reads_on_by_the_contract_and_can_be_switched_off(signed, row):
    assert switch_of(row) == ("Demand charge", False)
    edited(signed, row, "sites/office/tariff", "on")
    edited(signed, row, "sites/office/tariff/schedule", "us-ca-pge-b-19")
    assert switch_of(row) == ("Demand charge, on by the contract", True)
    edited(signed, row, SWITCH, "")
    assert scenarios.newest(row).document["lines"] == {"opex.demand_charge": False}
    assert switch_of(row) == ("Demand charge", False)
    edited(signed, row, SWITCH, "on")
    assert "opex.demand_charge" not in scenarios.newest(row).document["lines"]  # what the contract says holds again
    assert switch_of(row) == ("Demand charge, on by the contract", True)


def test_without_a_contract_the_switch_is_as_before(signed, row):
    edited(signed, row, SWITCH, "on")
    assert scenarios.newest(row).document["lines"]["opex.demand_charge"] is True
    assert switch_of(row) == ("Demand charge", True)
    edited(signed, row, SWITCH, "")
    assert "opex.demand_charge" not in scenarios.newest(row).document["lines"]
