"""One server, several or a cluster: the table in words, for a scenario and for what Sizing was asked."""

import re

import pytest
from django.urls import reverse
from django.utils.translation import override

from planner import ways_table
from planner.services import scenarios, ways
from tests.planner.conftest import GROWTH


def cells(version, label):
    with override("en"):
        table = ways_table.ways(ways.of_version(version))
    found = next(line["cells"] for line in table["rows"] if line["label"] == label)
    spaced = [{name: text.replace("\u00a0", " ") for name, text in cell.items()} for cell in found]
    return spaced, [head.replace("\u00a0", " ") for head in table["head"]]


@pytest.fixture
def lab(workspace, editor):
    return scenarios.create_from_template(workspace, editor, "driving-lab").head


def test_a_driving_lab_needs_the_cluster_and_memory_says_why(lab):
    does, head = cells(lab, "Does the work")
    assert head == ["One server of 8 GPUs", "32 servers, each for itself", "Cluster of 32 with a fabric"]
    assert [cell["tone"] for cell in does] == ["bad", "bad", "good"]
    assert [cell["text"] for cell in does[:2]] == ["memory: needs 16 GPUs at once"] * 2
    jobs, _head = cells(lab, "Largest job")
    assert [cell["text"] for cell in jobs] == ["8 GPUs", "8 GPUs", "256 GPUs"]


def test_image_servers_fail_one_at_a_time_and_need_no_fabric(workspace, editor):
    version = scenarios.create_from_template(workspace, editor, "image-startup").head
    does, _head = cells(version, "Does the work")
    assert does[0]["text"] == "no spare: one failure stops it"
    assert does[1]["tone"] == "good"
    lost, _head = cells(version, "Lost with one server")
    assert (lost[0]["text"], lost[1]["text"]) == ("everything", "33.3 %")
    share, _head = cells(version, "of which network between servers")
    assert share[0]["text"] == share[1]["text"] == "–"
    assert re.fullmatch(r"\d+(\.\d)? %", share[2]["text"])


def test_the_table_follows_an_edit(row, editor):
    before, _head = cells(row.head, "Servers and GPUs")
    edited = scenarios.edit(row, 1, GROWTH, 0.0, editor)
    after, _head = cells(edited, "Servers and GPUs")
    assert (before[1]["text"], after[1]["text"]) == ("3 servers", "2 servers")


def test_plans_that_buy_nothing_have_no_ways(signed, row, editor):
    document = {**row.head.document, "plans": [row.head.document["plans"][-1]], "name": "Rented"}
    rented = scenarios.create(row.workspace, editor, document)
    html = signed.get(reverse("planner:ways", args=[rented.pk])).content.decode()
    assert "No server is bought here" in html


def test_sizing_tells_it_for_the_accelerator_that_is_picked(signed):
    html = signed.get(reverse("planner:sizing_ways"), {"kind": "training", "pick": "h200-sxm"}).content.decode()
    assert "8x H200" in html or "H200 SXM" in html
    assert "yes, in every month" in html
    assert signed.get(reverse("planner:sizing_ways"), {"kind": "training", "pick": "nobody"}).status_code == 404


def test_a_part_of_a_page_is_the_table_alone(signed, row):
    html = signed.get(reverse("planner:ways", args=[row.pk]), headers={"hx-request": "true"}).content.decode()
    assert html.startswith('<div class="ways"')
    assert "<html" not in html
