"""What contracts say on the page: usable beside headline price, fees that nobody quoted, regions to choose from."""

import copy

from django.utils.translation import override

from catalog.importers.shipped import shipped
from planner import forms
from planner.engine.inputs import Scenario
from planner.services import explain, gallery, pricebook
from tests.planner.sample import evaluated

HALL = {
    "slug": "hall",
    "kind": "colocation",
    "electricity_price_per_kwh": 0.10,
    "colocation": {"price_per_kw_month": 195.0, "usable_share": 0.8},
}


def rent_line(**terms):
    sample = evaluated(sites=[{**HALL, "colocation": {**HALL["colocation"], **terms}}])
    with override("en"):
        opex = explain.tree(*sample, "server", "opex")
        return next(node for node in opex["children"] if node["key"] == "opex.colocation")["children"][0]


def test_u071_the_why_shows_the_price_of_a_usable_kw_beside_the_headline_price():
    shown = {node["label"]: node["value_text"] for node in rent_line()["related"]}
    assert shown["Today's price"].startswith("$195")
    assert shown["Today's price of a usable kW"].replace("\u00a0", " ").startswith("$243.75")


def test_u073_a_fee_that_is_not_quoted_is_named():
    assert "not quoted, and not counted: Set-up fee, Redundant feed" in rent_line()["formula_text"]
    assert "not quoted" not in rent_line(setup_fee=0.0, redundant_feed_per_month=0.0)["formula_text"]


def test_u073_an_empty_fee_reads_not_quoted():
    data = copy.deepcopy(gallery.document("small-team"))
    scenario = Scenario.read(data)
    page = forms.Page(scenario, None, pricebook.build(shipped(), scenario), shipped(), data)
    with override("en"):
        fee = page.rows()["sites/colocation/colocation/setup_fee"]
    assert (fee.text, fee.placeholder) == ("", "not quoted")


def test_bands_and_cabinets_are_typed_as_pairs():
    scenario = Scenario.read(copy.deepcopy(gallery.document("small-team")))
    base = "sites/colocation/colocation/"
    bands = forms.read(forms.declared(scenario, base + "bands"), "0: 275; 100: 195.5")
    assert bands == [{"from_kw": 0.0, "price_per_kw_month": 275.0}, {"from_kw": 100.0, "price_per_kw_month": 195.5}]
    cabinets = forms.read(forms.declared(scenario, base + "cabinets"), "20: 1200; 30: 1600")
    assert cabinets[1] == {"amps": 30.0, "price_per_month": 1600.0}


def test_the_regions_to_choose_from_are_those_in_which_the_gpu_is_sold():
    data = copy.deepcopy(gallery.document("small-team"))
    scenario = Scenario.read(data)
    page = forms.Page(scenario, None, pricebook.build(shipped(), scenario), shipped(), data)
    row = page.rows()["plans/cloud/overflow/region"]
    assert row.options[0][0] == ""
    assert {"us-central1", "eu-north1"} <= {value for value, _words in row.options}
    assert row.seldom
