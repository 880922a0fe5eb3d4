"""Where the buttons for language and theme lead back to: also from a page that is the answer to a form."""

import re

import pytest
from django.urls import reverse

from planner.services import reports
from tests.planner.conftest import GROWTH


@pytest.fixture
def places(row, editor):
    """Address of each form → (what it sends so that a page is the answer, where its buttons lead back to)."""
    report = reports.freeze(row.head, editor)
    list_of = reverse("planner:reports_of", args=[row.pk])
    make = reverse("planner:link_create", args=[report.pk])
    return {
        "link made": (make, {"expires": "7"}, list_of),
        "link refused": (make, {"expires": "7", "views": "0"}, list_of),
        "report to be deleted": (reverse("planner:report_delete", args=[report.pk]), {}, list_of),
        "scenario to be deleted": (reverse("planner:delete", args=[row.pk]), {}, "/"),
        "edit refused": (
            reverse("planner:edit", args=[row.pk]),
            {"path": GROWTH, "value": "x", "base": "1"},
            reverse("planner:workspace", args=[row.pk]),
        ),
    }


@pytest.mark.parametrize(
    "name", ["link made", "link refused", "report to be deleted", "scenario to be deleted", "edit refused"]
)
def test_the_buttons_on_the_answer_to_a_form_lead_to_a_page(signed, places, name):
    address, sent, back = places[name]
    page = signed.post(address, sent, headers={"referer": f"http://testserver{address}"}).content.decode()
    assert re.findall('name="next" value="([^"]*)"', page) == [back, back]
    for button, choice in (("/i18n/setlang/", {"language": "zh-hans"}), (reverse("planner:theme"), {"theme": "dark"})):
        answer = signed.post(button, {"next": back, **choice}, follow=True)
        assert answer.status_code == 200
        assert answer.redirect_chain == [(back, 302)]


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://testserver/reports/?page=2#x", "/reports/?page=2"),
        ("https://attacker.example/reports/", "/"),
        ("http://[", "/"),
        ("", "/"),
    ],
)
def test_a_form_that_is_refused_leads_back_to_the_page_it_was_on(signed, referer, back):
    answer = signed.post("/new/", {"template": "none"}, headers={"referer": referer, "host": "testserver"})
    assert answer.status_code == 404
    assert re.findall('name="next" value="([^"]*)"', answer.content.decode()) == [back, back]


def test_on_any_other_page_they_lead_back_to_itself(signed):
    page = signed.get("/catalog/builds/?q=h200").content.decode()
    assert re.findall('name="next" value="([^"]*)"', page) == ["/catalog/builds/?q=h200"] * 2
