"""The use from which owning pays, on the page: both readings named, against the offer named."""

import pytest
from django.utils.translation import override

from planner import tables
from planner.services import explain
from tests.planner.sample import document, evaluated


@pytest.fixture(scope="module")
def sample():
    return evaluated()


def rows(sample, slug):
    with override("en"):
        return [row for row in tables.use(*sample).rows if row["slug"] == slug]


def test_each_owning_plan_is_set_against_each_offer_by_name(sample):
    named = [(row["offer"], row["region"]) for row in rows(sample, "server")]
    assert named == [("Nimbus", "us-east"), ("Large Cloud", "us-east")]
    assert rows(sample, "cloud") == []


def test_both_readings_are_named_and_open_the_same_why(sample):
    with override("en"):
        table = tables.use(*sample)
        assert table.head[2:] == ["Idle hours charged", "Idle hours free"]
        tree = explain.tree(*sample, "server", "break_even_use")
    cells = rows(sample, "server")[0]["cells"]
    readings = tree["children"][0]["children"]
    assert [cell.why for cell in cells] == ["break_even_use"] * 3
    assert [node["value_text"] for node in readings] == [cell.text for cell in cells[1:]]
    assert [node["label"].partition(":")[0] for node in readings] == ["Idle hours charged", "Idle hours free"]


def test_never_where_renting_costs_no_more_than_running():
    dear = {**document()["sites"][0], "electricity_price_per_kwh": 9.0}  # more than 3.00 a GPU-hour to run
    sample = evaluated(sites=[dear])
    assert [cell.text for cell in rows(sample, "server")[0]["cells"][1:]] == ["never", "never"]
    with override("en"):
        tree = explain.tree(*sample, "server", "break_even_use")
    assert tree["children"][0]["children"][0]["value"] is None
    assert tree["children"][0]["children"][0]["formula_text"].startswith("never: renting at $")


def test_a_scenario_that_owns_nothing_has_no_such_table():
    plans = [plan for plan in document()["plans"] if plan["slug"] == "cloud"]
    assert tables.use(*evaluated(plans=plans)) is None
