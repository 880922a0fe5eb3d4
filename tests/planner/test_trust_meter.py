"""The trust meter beside the verdict, in the tree and on a report."""

import datetime as dt
import json

import pytest
from django.urls import reverse
from django.utils.translation import override

from planner import trust_meter
from planner.engine.prices import PriceBook
from planner.engine.trust import PARTS
from planner.services import evaluation as evaluations
from planner.services import explain, reports
from tests.planner.sample import PRICED_ON, bare, evaluated

LATER = dt.date(2027, 2, 1)  # the quotes of the sample end on 31 January


def parts(shown):
    return {part["code"]: part["percent"] for part in shown["parts"]}


def test_the_meter_adds_up_to_a_hundred():
    shown = trust_meter.meter(*evaluated(), PRICED_ON)
    assert sum(part["share"] for part in shown["parts"]) == pytest.approx(1.0)
    assert sum(int(part["percent"].partition("\u00a0")[0]) for part in shown["parts"]) == 100


def test_quotes_that_have_ended_are_expired():
    # the sample's server is quoted until 31 January 2027; only machines cost anything
    evaluation, comparison = bare(
        market={"accelerator": {"rate_per_year": 0.0}}, plans=[{"slug": "a", "start": {"build": "srv-8x"}}]
    )
    with override("en"):
        assert parts(trust_meter.meter(evaluation, comparison, PRICED_ON)) == {"quoted": "100\u00a0%"}
        assert parts(trust_meter.meter(evaluation, comparison, LATER)) == {"expired": "100\u00a0%"}


def test_when_every_quote_has_ended_new_ones_are_asked_for():
    evaluation, comparison = bare(
        market={"accelerator": {"rate_per_year": 0.0}}, plans=[{"slug": "a", "start": {"build": "srv-8x"}}]
    )
    with override("en"):
        assert trust_meter.meter(evaluation, comparison, PRICED_ON)["update"] == ""
        assert trust_meter.meter(evaluation, comparison, LATER)["update"].startswith("Every quote behind it has ended")
    rented, verdict = bare(plans=[{"slug": "cloud", "overflow": {"accelerator": "h200-nvl"}}])
    assert trust_meter.meter(rented, verdict, LATER)["update"] == ""  # which no quote stands behind


@pytest.mark.django_db
def test_the_workspace_and_a_report_say_so_with_the_way_to_the_quotes(signed, row, editor):
    """The winner's server is quoted until the middle of 2026; the page is read later."""
    book = row.head.prices.book
    for build in book["builds"].values():
        build["price"]["source"] |= {"basis": "quoted", "supplier": "Example", "valid_until": "2026-06-30"}
    version = row.head
    version.prices_id = evaluations.pin(PriceBook.read(book))
    version.document["plans"] = [each for each in version.document["plans"] if each["slug"] == "server-now"]
    version.document["market"]["own_prices"] = {}
    version.save()
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert "Every quote behind it has ended" in page
    assert f"{reverse('planner:purchasing', args=[row.pk])}?plan=server-now" in page
    shown = reports.freeze(version, editor)
    for prices in (True, False):
        assert reports.page(shown, "en", prices=prices)["trust"]["update"].startswith("Every quote")


def test_every_part_says_who_stands_behind_it_in_both_languages():
    for language, name in (("en", "yours"), ("zh-hans", "自填")):
        with override(language):
            shown = trust_meter.meter(*bare(plans=[{"slug": "a", "start": {"build": "srv-8x"}}]), PRICED_ON)
            assert (shown["parts"][0]["name"], bool(shown["parts"][0]["help"])) == (name, True)


def test_there_is_no_meter_without_a_possible_plan():
    evaluation, comparison = bare(plans=[{"slug": "none"}])
    assert trust_meter.meter(evaluation, comparison, PRICED_ON) is None


def test_a_share_opens_to_the_lines_it_comes_from():
    evaluation, comparison = evaluated()
    plan = comparison.verdict.plan
    whole = explain.tree(evaluation, comparison, plan, "trust", PRICED_ON)
    assert round(sum(node["value"] for node in whole["children"]), 2) == whole["value"]
    for part in trust_meter.meter(evaluation, comparison, PRICED_ON)["parts"]:
        tree = explain.tree(evaluation, comparison, plan, part["why"], PRICED_ON)
        assert tree["value"] / whole["value"] == pytest.approx(part["share"])
        assert round(sum(node["value"] for node in tree["children"]), 2) == tree["value"]


def test_lines_of_a_part_are_listed_with_their_present_value_on_a_report():
    evaluation, comparison = bare()
    shown = trust_meter.with_lines(trust_meter.meter(evaluation, comparison, PRICED_ON), evaluation, PRICED_ON)
    assert [(line["name"], line["text"]) for line in shown["parts"][0]["lines"]] == [
        ("8-GPU server, PowerEdge XE7745 with 8x H200 NVL", "$8,000.00")
    ]


# ── Report ──


@pytest.fixture
def frozen(row):
    return reports.freeze(row.head, None)


@pytest.mark.django_db
def test_the_figures_of_a_report_have_the_shares_of_every_plan(frozen):
    found = json.loads(reports.figures(frozen))["trust"]
    assert set(found["plans"]) == {"scale-out", "server-now", "cluster-now", "cloud"}
    for plan in found["plans"].values():
        assert set(plan) == set(PARTS)
        assert sum(plan.values()) == pytest.approx(1.0)


@pytest.mark.django_db
def test_a_report_says_it_in_both_languages(frozen):
    assert reports.page(frozen, "en")["trust"]["title"] == "What the present value rests on"
    assert reports.page(frozen, "zh-hans")["trust"]["title"] == "现值的依据"


@pytest.mark.django_db
def test_without_unit_prices_the_lines_and_their_money_stay_out(frozen):
    shown = reports.page(frozen, "en", prices=False)["trust"]
    assert {name for part in shown["parts"] for name in part} == set(reports.SAID_OF_PART)
