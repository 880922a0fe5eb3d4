"""Failures where a planner meets them: orders, what the work asks for, Why, assumptions, Sizing."""

import copy
import csv
import datetime as dt
import io
from decimal import Decimal

import numpy as np
import pytest
from django.urls import reverse
from django.utils.translation import override

from catalog.importers.shipped import shipped
from planner import forms, sizing_page, tables, wording
from planner.engine.compare import compare
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.needs import Requirement
from planner.exports.orders import orders_csv
from planner.services import assumptions, documents, explain, gallery, pricebook, scenarios, sizing
from planner.services.purchasing import purchase
from planner.wording import upkeep
from tests.planner import sample

TODAY = dt.date(2026, 11, 30)


@pytest.fixture(autouse=True)
def english():
    with override("en"):
        yield


def run(slug, **reliability):
    document = copy.deepcopy(gallery.document(slug))
    document["reliability"] |= reliability
    return evaluate(*documents.resolve(document))


def advice(evaluation, workload_and_machine):
    found = next(each for each in tables.advice(evaluation) if each["title"] == workload_and_machine)
    return {row["label"]: row["text"] for row in found["rows"]}


def why(evaluation, plan):
    return explain.tree(evaluation, compare(evaluation), plan, "capacity")


# ── Orders ──


def test_the_spare_server_of_the_driving_lab_is_a_position_of_its_orders_and_they_sum_to_the_capex():
    # 32 servers × (8 × 4 % + 4.4 %) × 7 ÷ 365 = 0.223: e^−0.223 = 0.80, × 1.223 = 0.979 ≥ 0.95: one spare
    evaluation = run("driving-lab")
    found = purchase(evaluation, "cluster-now", "S1", 1, TODAY)
    rows = list(csv.DictReader(io.StringIO(orders_csv(found, evaluation.book, codes=True).decode("utf-8-sig"))))
    [spare] = [row for row in rows if row["description"].startswith("Spare server")]
    assert (spare["record"], spare["category"], spare["item"]) == ("order", "capex.spares", "srv-8x-h200-sxm")
    assert (spare["quantity"], spare["unit"], spare["order_number"]) == ("1", "server", "S1-v1-cluster-now-2027-04")
    [server] = [row for row in rows if row["category"] == "capex.accelerators_and_servers"]
    assert [spare[name] for name in ("unit_price", "order_by", "need_by", "in_service", "lead_time_weeks")] == [
        server[name] for name in ("unit_price", "order_by", "need_by", "in_service", "lead_time_weeks")
    ]
    total = sum(Decimal(row["report_line_total"]) for row in rows)
    assert total == found.capex == found.orders_total + found.rest_total


def test_spare_cards_are_ordered_by_their_part_and_a_spare_chassis_is_quoted_by_nobody():
    rules = {"counted": True, "gpu_failures_per_year": 0.9, "server_failures_per_year": 0.9, "turnaround_days": 60.0}
    result, _comparison = sample.evaluated(reliability=rules)
    found = purchase(result, "scale-out", "S1", 1, TODAY)
    of_code = {row.line.code: row for row in found.orders}
    assert of_code["spare_card"].currency == "EUR"
    assert of_code["spare_card"].quoted_price == Decimal("31000")
    assert of_code["spare_chassis"].quoted_price is None
    assert of_code["spare_chassis"].basis == "estimate"
    assert found.orders_total + found.rest_total == found.capex


@pytest.mark.parametrize(("language", "name"), [("en", "Spare server"), ("zh-hans", "备用服务器整机")])
def test_the_purchasing_page_lists_spares(signed, workspace, editor, language, name):
    row = scenarios.create_from_template(workspace, editor, "driving-lab")
    address = reverse("planner:purchasing", args=[row.pk])
    page = signed.get(address, {"plan": "cluster-now"}, headers={"Accept-Language": language}).content.decode()
    assert name in page


# ── What the work asks for ──


def test_a_training_says_how_often_it_stops_when_to_save_and_what_is_left():
    # 32 servers: 1000 ÷ 3 ÷ 32 = 10.4 days; 728 GB at 10 GB/s: √(2 × 72.8 s × 900,000 s) = 3.18 h
    said = advice(run("driving-lab"), "Training on PowerEdge XE9680 with 8x H200")["Failures"]
    assert said == (
        "One interruption every 10.4\u00a0days, 2.9 a month while a run goes on; save every 3.18\u00a0hours; "
        "84.8\u00a0% of the time is useful: interruptions and saving take 1.15\u00a0%, "
        "other time lost 14\u00a0%"
    )


def test_a_service_says_how_long_it_is_short_of_servers():
    # 2 of 3 must run, each away 0.364 × 7 ÷ 365 of the time: 3q² − 2q³ of 8,760 h
    said = advice(run("image-startup"), "Online service on DGX A100 640GB or equal HGX A100 server")["Failures"]
    assert said == (
        "With 1\u00a0spare server, enough servers are up at the peak but for 1.27\u00a0hours a year: 99.9854\u00a0%"
    )


def test_nothing_is_said_of_failures_that_are_not_counted():
    evaluation = run("driving-lab", counted=False)
    assert all(row["label"] != "Failures" for each in tables.advice(evaluation) for row in each["rows"])
    assert "Failures and repairs" in wording.left_out(evaluation.left_out)
    assert "Failures and repairs" not in wording.left_out(run("driving-lab").left_out)


@pytest.mark.parametrize("slug", gallery.templates())
def test_every_template_counts_failures(slug):
    assert gallery.document(slug)["reliability"]["counted"] is True


# ── Why ──


def test_why_names_what_waits_for_repair_once_with_its_assumptions():
    evaluation = run("driving-lab")
    tree = why(evaluation, "cluster-now")
    [missing] = [node for node in explain.walk(tree) if node["key"] == "under_repair"]
    # λ − 1 + e^−λ of 32 servers with one spare, 8 GPUs each
    assert missing["value"] == pytest.approx(8 * 0.0231921, rel=1e-5)
    assert missing["unit"] == "GPU"
    [away] = missing["children"]
    assert away["value"] == pytest.approx(32 * 0.364 * 7 / 365)
    assert away["formula_text"] == "32\u00a0servers × 0.364 failures a year × 7\u00a0days ÷ 365; spares: 1"
    assert [driver["path"] for driver in missing["drivers"]] == [
        "reliability/gpu_failures_per_year",
        "reliability/server_failures_per_year",
        "reliability/turnaround_days",
        "reliability/spares_confidence",
    ]


def test_why_opens_goodput_into_its_formula_and_its_assumptions():
    nodes = {node["key"]: node for node in explain.walk(why(run("driving-lab"), "cluster-now"))}
    assert nodes["goodput"]["value"] == pytest.approx(0.848, abs=5e-4)
    assert "other time lost" in nodes["goodput"]["formula_text"]
    assert (nodes["mtbf_h"]["value_text"], nodes["save_s"]["value_text"]) == ("250\u00a0hours", "72.8\u00a0seconds")
    assert nodes["mtbf_h"]["drivers"][0]["path"] == "reliability/interruptions_per_1000_server_days"


def test_why_gives_no_formula_for_a_goodput_that_was_typed():
    document = copy.deepcopy(gallery.document("driving-lab"))
    document["demand"]["workloads"][0]["goodput"] = 0.8
    evaluation = evaluate(*documents.resolve(document))
    nodes = {node["key"]: node for node in explain.walk(why(evaluation, "cluster-now"))}
    assert (nodes["goodput"]["value"], nodes["goodput"]["formula_text"]) == (0.8, "")


# ── Assumptions ──


def rows(counted):
    document = Scenario.read({**gallery.document("small-team"), "reliability": {"counted": counted}})
    return {each.path: each for each in forms.fields.walk(document) if each.path.startswith("reliability/")}


def test_the_group_shows_its_switch_alone_until_failures_are_counted():
    assert list(rows(counted=False)) == ["reliability/counted"]
    shown = rows(counted=True)
    assert {path for path, each in shown.items() if not each.seldom} == {
        f"reliability/{name}"
        for name in (
            "counted",
            "gpu_failures_per_year",
            "server_failures_per_year",
            "turnaround_days",
            "spares_confidence",
        )
    }


def test_failures_are_switched_off_and_on_again_on_the_page(signed, row):
    def edit(value):
        number = scenarios.newest(row).number
        path = "reliability/counted"
        answer = signed.post(reverse("planner:edit", args=[row.pk]), {"path": path, "value": value, "base": number})
        assert answer.status_code == 302
        return scenarios.newest(row).document["reliability"]["counted"]

    assert [edit("false"), edit("true")] == [False, True]
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert "GPUs replaced a year" in page


def test_a_bad_turnaround_is_refused_with_its_bounds_and_unit(signed, row):
    data = {"path": "reliability/turnaround_days", "value": "400", "base": scenarios.newest(row).number}
    answer = signed.post(reverse("planner:edit", args=[row.pk]), data)
    assert "Time to repair must lie in 0–365" in answer.content.decode()
    assert scenarios.newest(row).number == 1


def test_the_rate_of_a_technician_is_the_catalog_s_until_typed():
    document = Scenario.read(gallery.document("small-team"))
    book = pricebook.build(shipped(), document)
    amount, source = assumptions.effective(document, book, "reliability/repair_rate_per_hour")
    assert (amount, source.item) == (180.0, "remote-hands-hour")


# ── Sizing ──


def test_sizing_answers_with_interruptions_and_goodput():
    catalog = shipped()
    blank = sizing.blank("training", catalog, TODAY)
    answer = sizing.answer(Scenario.read(blank), catalog)
    factors = dict(sizing_page.page(answer)["picked"]["factors"])
    names = {"Time between interruptions of a run", "Best time between checkpoints", "Goodput", "Time to restart"}
    assert names <= set(factors)
    assert factors["Time to restart"] == "10\u00a0minutes"


def test_what_a_run_loses_adds_up_to_all_of_its_time():
    # a run over several servers: (1 − 0.14) × 98.6 % is useful; the stops take 0.86 × 1.4 % of the time
    factors = {"mtbf_h": 249.6, "interruptions": 2.93, "checkpoint_every_h": 3.18}
    none = np.zeros((1, 1))
    lost = Requirement(none, none, none, none, factors={**factors, "other_time_lost": 0.14, "goodput": 0.848})
    typed = Requirement(none, none, none, none, factors={**factors, "goodput": 0.9})
    said, short = (upkeep.reliability(each).replace("\u00a0", " ") for each in (lost, typed))
    assert said.endswith("84.8 % of the time is useful: interruptions and saving take 1.2 %, other time lost 14 %")
    assert short.endswith("90 % of the time is useful")
