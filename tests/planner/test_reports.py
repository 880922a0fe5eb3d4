"""Frozen reports: what they keep, what changes nothing, how they are verified."""

import datetime as dt
import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from django.urls import reverse
from django.utils.translation import override

from catalog import services as catalog_services
from catalog.importers.shipped import shipped
from catalog.models import Quote
from planner.engine import ENGINE_VERSION, export
from planner.models import Report
from planner.services import evaluation, reports, scenarios, sharing
from tests.planner.conftest import GROWTH


@pytest.fixture
def frozen(row, editor):
    return reports.freeze(row.head, editor)


def content(report):
    return json.loads(report.content)


def test_the_content_is_canonical_and_its_checksum_seals_the_words_as_well(frozen):
    assert frozen.sha256 == reports.sha256(frozen.content)
    assert frozen.content == reports.canonical(content(frozen))
    assert content(frozen)["pages_sha256"] == reports.sha256(frozen.pages)


def test_the_content_holds_document_prices_and_rounded_results(frozen, row):
    kept = content(frozen)
    assert kept["document"] == row.head.document
    assert kept["prices"] == row.head.prices.book
    assert kept["results"] == json.loads(json.dumps(evaluation.evaluated(row.head)[0].as_dict()))
    assert kept["engine_version"] == evaluation.ENGINE_VERSION == frozen.engine_version
    assert (kept["version"], kept["created_by"]) == (1, "ada")
    assert kept["created_at"] == frozen.created_at.isoformat(timespec="seconds")


def test_the_results_are_of_no_language(row, editor):
    with override("en"):
        one = content(reports.freeze(row.head, editor))
    Report.objects.all().delete()
    with override("zh-hans"):
        other = content(reports.freeze(row.head, editor))
    assert {**one, "created_at": ""} == {**other, "created_at": ""}


def test_frozen_twice_by_a_double_click_it_is_one_report(signed, row):
    for _ in range(2):
        answer = signed.post(reverse("planner:freeze", args=[row.pk]), {"version": "1"}, follow=True)
        assert "Version 1 is frozen as report" in answer.content.decode()
    assert Report.objects.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        {"created_at": F("created_at") - dt.timedelta(seconds=61)},
        {"engine_version": "0"},
        {"version_number": 2},
        {"created_by": None},
    ],
)
def test_what_is_another_answer_is_another_report(frozen, row, editor, change):
    Report.objects.update(**change)
    assert reports.freeze(row.head, editor) != frozen
    assert Report.objects.count() == 2


def test_the_same_version_with_other_prices_is_another_report(frozen, row, editor):
    kept = content(frozen)
    kept["prices"]["items"] = {}
    Report.objects.update(content=reports.canonical(kept))
    assert reports.freeze(row.head, editor) != frozen


def test_the_pages_speak_both_languages_with_the_same_figures(frozen):
    english, chinese = (reports.page(frozen, code) for code in ("en", "zh-hans"))
    assert english["verdict"]["title"] != chinese["verdict"]["title"]
    exact = [[tile["exact"] for tile in said["tiles"]] for said in (english, chinese)]
    assert exact[0] == exact[1]
    for code in ("cumulative", "power", "cash"):
        drawn = [[trace["y"] for trace in said["charts"][code]["data"]] for said in (english, chinese)]
        assert drawn[0] == drawn[1]


def test_the_page_shows_the_frozen_cells(frozen):
    """Every total on the page is one of the canonical results, to the cent."""
    results, said = content(frozen)["results"], reports.page(frozen, "en")
    by_slug = {plan["slug"]: plan for plan in results["plans"]}
    for plan in said["plans"]:
        for code in ("present_value", "capex", "opex"):
            assert _amount(plan["cells"][code]["exact"]) == by_slug[plan["slug"]][code]
    assert _amount(said["gap"]["rows"][-1]["cells"][-1]["exact"]) == results["verdict"]["margin"]
    best = by_slug[results["verdict"]["plan"]]
    groups = {group["name"]: group for group in said["cash"]["groups"]}
    net = groups[said["plans"][0]["name"]]["rows"][-1]["cells"]
    assert _amount(net[-1]["exact"]) == best["nominal_total"]
    assert sum(_amount(cell["exact"]) for cell in net[:-1]) == pytest.approx(best["nominal_total"], abs=0.001)


def _amount(text):
    return float(re.sub(r"[^\d.\-]", "", text.replace("−", "-")))


# ── Nothing changes it ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def read(client, frozen, editor):
    """Everything a reader gets of the report, as bytes."""
    _link, token = sharing.create(frozen, editor)

    def read():
        client.logout()
        parts = [client.get(reverse("planner:shared_figures", args=[token]))]
        parts += [client.get(reverse("planner:shared", args=[token]), {"lang": code}) for code in ("en", "zh-hans")]
        assert {part.status_code for part in parts} == {200}
        return [part.content for part in parts]

    return read


def test_u010_a_price_edit_leaves_a_report_byte_identical(workspace, editor, client):
    catalog_services.load(shipped())
    row = scenarios.create_from_template(workspace, editor, "small-team")
    report = reports.freeze(row.head, editor)
    _link, token = sharing.create(report, editor)
    addresses = [reverse("planner:shared_figures", args=[token]), reverse("planner:shared", args=[token])]
    before = [client.get(address).content for address in addresses]
    Quote.objects.update(unit_price=F("unit_price") * 2)
    Quote.objects.first().save()  # the catalog is read again
    assert [client.get(address).content for address in addresses] == before
    assert reports.verify(Report.objects.get().content.encode(), report.sha256).reproduced
    dearer = scenarios.create_from_template(workspace, editor, "small-team")
    assert dearer.last_verdict["present_value"] > row.last_verdict["present_value"] * 1.5


def test_an_edit_of_the_scenario_changes_no_report(read, row, editor):
    before = read()
    scenarios.edit(row, 1, GROWTH, 0.08, editor)
    assert read() == before


def test_the_deletion_of_the_scenario_changes_no_report(read, row, frozen):
    before = read()
    scenarios.delete(row)
    frozen.refresh_from_db()
    assert frozen.scenario is None
    assert read() == before


def test_u104_a_new_engine_changes_no_report(read, frozen, monkeypatch):
    before = read()
    for module in (evaluation, export):
        monkeypatch.setattr(module, "ENGINE_VERSION", "99.0.0")
    monkeypatch.setattr(evaluation, "evaluated", None)  # nothing of a report is computed again
    assert read() == before
    page = before[1].decode()
    assert f"engine {ENGINE_VERSION}" in page
    assert frozen.sha256 in page
    assert "As of " in page
    assert "prices of 30 Nov 2026" in page
    assert f'price book <code title="{frozen.scenario.head.prices_id}">' in page


# ── Verifying ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_report_verifies(frozen):
    answer = reports.verify(frozen.content.encode(), frozen.sha256)
    assert answer.genuine
    assert answer.reproduced
    assert answer.same_engine
    assert answer.cells > 5000


def changed(report, change):
    data = content(report)
    change(data)
    return reports.canonical(data).encode()


def test_another_figure_is_found_and_named(frozen):
    def dearer(data):
        data["results"]["plans"][0]["lines"][0]["monthly"][0] += 0.02

    answer = reports.verify(changed(frozen, dearer), frozen.sha256)
    assert not answer.genuine
    assert answer.differing == 1
    assert answer.differences[0][0] == "plans/0/lines/0/monthly/0"


def test_a_cent_a_cell_is_tolerated_and_the_bytes_are_still_others(frozen):
    def cent(data):
        data["results"]["plans"][0]["lines"][0]["monthly"][0] += 0.01

    answer = reports.verify(changed(frozen, cent), frozen.sha256)
    assert (answer.genuine, answer.reproduced) == (False, True)


def test_a_share_is_no_money_and_gets_no_cent(frozen):
    def less(data):
        data["results"]["plans"][0]["served_share"] -= 0.005

    assert reports.verify(changed(frozen, less), frozen.sha256).differing == 1


def test_a_report_of_another_engine_says_so(frozen, monkeypatch):
    monkeypatch.setattr(evaluation, "ENGINE_VERSION", "99.0.0")
    answer = reports.verify(frozen.content.encode(), frozen.sha256)
    assert answer.reproduced
    assert not answer.same_engine


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"results": {}, "engine_version": "1"}', b"[" * 5000])
def test_what_is_no_report_is_refused_without_a_crash(data):
    answer = reports.verify(data, "0" * 64)
    assert not answer.genuine
    assert answer.problem


def test_the_command_prints_both_answers(frozen, tmp_path, capsys):
    file = tmp_path / "report.json"
    file.write_bytes(frozen.content.encode())
    call_command("verify_report", str(file), sha256=frozen.sha256)
    assert "the very bytes of the report" in capsys.readouterr().out
    with pytest.raises(CommandError):
        call_command("verify_report", str(file), sha256="0" * 64)
    out = capsys.readouterr().out
    assert "NOT those of the report" in out
    assert "all as frozen" in out
    with pytest.raises(CommandError, match="No such file"):
        call_command("verify_report", str(tmp_path / "none.json"), sha256="0" * 64)


def test_a_scenario_in_which_no_plan_is_possible_can_be_reported(workspace, editor):
    row = scenarios.create_from_template(workspace, editor, "driving-lab")
    for slug in ("cluster-now", "cloud"):
        if any(plan["slug"] == slug for plan in scenarios.newest(row).document["plans"]):
            scenarios.edit(row, scenarios.newest(row).number, f"plans/{slug}", None, editor)
    report = reports.freeze(scenarios.newest(row), editor)
    said = reports.page(report, "en")
    assert content(report)["results"]["verdict"]["code"] == "none"
    assert said["tiles"] == []
    assert said["flips"]
