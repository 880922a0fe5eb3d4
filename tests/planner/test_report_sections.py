"""What a report says beside its costs: verdicts under other assumptions, use, carbon, trust, and what is left out."""

import json
import re
from html import unescape

import pytest
from django.urls import reverse
from django.utils import translation

from planner import wording
from planner.models import Report
from planner.services import evaluation, gallery, reports, scenarios, sharing

LINES = [
    "Machines worth nothing at the horizon",
    "Machines worth their market price there",
    "Machines worth the service left in them",
    "Shortest lead times",
    "Likely lead times",
    "Longest lead times",
    "Cloud: specialist GPU cloud",
    "Cloud: large provider",
]
NEW = ("verdicts", "agreement", "use", "carbon")


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def text(answer):
    assert answer.status_code == 200
    return unescape(answer.content.decode()).replace("\u00a0", " ")


def verdicts(html, title):
    """{assumption: (plan, whether it differs)} of the table under a heading."""
    table = re.search(rf"{title}.*?<table.*?</table>", html, re.DOTALL)[0]
    rows = re.findall(r'<th scope="row"[^>]*>(.*?)</th><td>(.*?)</td>', table, re.DOTALL)
    plain = [(label, re.sub(r"<[^>]*>", "", cell).strip()) for label, cell in rows]
    return {label: (cell.removesuffix("differs").strip(), cell.endswith("differs")) for label, cell in plain}


@pytest.fixture(params=gallery.templates())
def frozen(request, workspace, editor):
    row = scenarios.create_from_template(workspace, editor, request.param)
    return row, reports.freeze(row.head, editor)


@pytest.fixture
def read(frozen, editor, signed, client):
    """The report as its maker sees it, and as readers of a link do: with unit prices and without."""
    _row, report = frozen
    pages = {"own": text(signed.get(reverse("planner:report", args=[report.pk])))}
    client.logout()
    for name, hides in (("shared", False), ("without prices", True)):
        _link, token = sharing.create(report, editor, hides_prices=hides)
        pages[name] = text(client.get(reverse("planner:shared", args=[token])))
    return pages


def test_lines_left_out_are_listed_on_every_copy(frozen, read):
    row, _report = frozen
    result, _comparison = evaluation.evaluated(row.head)
    names = ", ".join(wording.category(name) for name in result.left_out)
    assert names
    for page in read.values():
        assert f"<h3>Left out</h3><p>{names}</p>" in page


def test_one_line_each_says_which_plan_is_cheapest_and_where_it_differs(frozen, read, signed, editor):
    row, _report = frozen
    _result, comparison = evaluation.evaluated(row.head)
    signed.force_login(editor)
    workspace = text(signed.get(reverse("planner:workspace", args=[row.pk])))
    shown = verdicts(workspace, "Cheapest plan under other assumptions")
    assert [*shown][: len(LINES)] == LINES
    assert not shown["Likely lead times"][1]
    others = sum(differs for _plan, differs in shown.values())
    assert {differs: plan for plan, differs in shown.values()}[False] == shown["Likely lead times"][0]
    said = "Each of these leads to the same plan." if not others else f"{others} of these lead"
    assert said in workspace
    for page in read.values():
        assert verdicts(page, "What would change the verdict") == shown
        assert said in page
    assert comparison.verdict.plan


def test_carbon_is_on_every_copy_and_use_where_prices_are(read):
    for page in read.values():
        assert 'id="carbon">Carbon of the machines</h2>' in page
    for name in ("own", "shared"):
        assert 'id="use">Use from which owning pays</h2>' in read[name]
    assert "Use from which owning pays" not in read["without prices"]


def test_the_trust_meter_is_on_every_copy(read):
    for page in read.values():
        assert 'id="trust">What the present value rests on</h2>' in page


def test_use_and_carbon_are_frozen_as_the_workspace_said_them(frozen, signed):
    row, report = frozen
    kept = json.loads(report.pages)["en"]
    workspace = text(signed.get(reverse("planner:workspace", args=[row.pk])))
    for section in ("use", "carbon"):
        for line in kept[section]["rows"]:
            assert all(f">{cell['text'].replace(chr(160), ' ')}<" in workspace for cell in line["cells"])


def test_a_report_of_an_earlier_version_has_no_such_sections(workspace, editor, signed):
    row = scenarios.create_from_template(workspace, editor, "small-team")
    report = reports.freeze(row.head, editor)
    pages = json.loads(report.pages)
    for said in pages.values():
        for name in NEW:
            del said[name]
    Report.objects.filter(pk=report.pk).update(pages=reports.canonical(pages))
    page = text(signed.get(reverse("planner:report", args=[report.pk])))
    assert "What would change the verdict" in page
    for words in ("Carbon of the machines", "Use from which owning pays", "Likely lead times", "of these lead"):
        assert words not in page
