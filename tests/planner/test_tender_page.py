"""Tenders on the pages: what is entered on the workspace moves the dates of purchasing, with its reason in words."""

import datetime as dt

import pytest
from django.urls import reverse
from django.utils.translation import override

from planner.services import scenarios
from planner.services.evaluation import evaluated
from planner.services.explain import tree
from tests.planner.test_purchasing import address, table
from tests.planner.test_views import post_edit


@pytest.fixture
def tendered(signed, row):
    """The sample with tenders counted for a university that states its threshold, entered on the page."""
    edits = (("procurement/counted", "on"), ("finance/buyer", "university"), ("procurement/threshold", "100000"))
    for base, (path, typed) in enumerate(edits, 1):
        assert post_edit(signed, row, typed, path=path, base=base).status_code == 302
    return row


def test_what_a_tender_adds_is_in_the_dates_of_purchasing_and_said_there(signed, row, tendered):
    def first(version):
        result, _comparison = evaluated(version)
        return next(order for order in result.plan("server-now").orders if order.kind == "server")

    before = first(row.versions.get(number=1)).order_by
    rows = table(signed.get(address(row, plan="server-now", headers="codes", plain="1")).content)
    server = next(each for each in rows if each["item"] == first(scenarios.newest(row)).item)
    # ten weeks, as the US row of the catalog says
    assert (server["tender_weeks"], server["order_by"]) == ("10", (before - dt.timedelta(weeks=10)).isoformat())
    said = signed.get(reverse("planner:purchasing", args=[row.pk]) + "?plan=server-now").content.decode()
    assert 'id="tenders"' in said
    assert "at or above the threshold of $100k (your own threshold): the tender adds 10\u00a0weeks." in said
    assert "10\u00a0weeks of tender or approval" in said


def test_the_rows_name_whose_threshold_holds_and_its_source(signed, row, tendered):
    post_edit(signed, row, "", path="procurement/threshold", base=4)
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    box = page[page.index('id="a-procurement--threshold"') :]
    assert 'value="350,000"' in box[:2000]
    assert "claconnect.com" in box[:4000]


def test_the_tree_of_an_order_names_the_weeks_of_its_tender(row, tendered):
    with override("en"):
        result, comparison = evaluated(scenarios.newest(row))
        said = tree(result, comparison, "server-now", "orders")["children"][0]["formula_text"]
    assert "10\u00a0weeks of tender or approval before delivery begins to count" in said


def test_a_tender_is_said_in_chinese(signed, row, tendered):
    url = reverse("planner:purchasing", args=[row.pk]) + "?plan=server-now"
    assert "招标另需 10" in signed.get(url, headers={"Accept-Language": "zh-hans"}).content.decode()
