"""Tenders, licences and used machines entered in a real browser: what they change is there at once, on a phone too."""

import pytest

from planner.engine.inputs import Scenario
from planner.services import scenarios
from tests.browser.conftest import noise, until

pytestmark = pytest.mark.browser


def saved(page, number):
    until(page, f"() => document.getElementById('base').value === '{number}'")
    until(page, "() => !document.querySelector('.htmx-request')")


def opened_row(page, row_id):
    page.evaluate(f"() => {{ document.getElementById('{row_id}').closest('details').open = true; }}")
    return page.locator(f"[id='{row_id}']")


def test_a_tender_is_counted_from_the_page_and_said_on_purchasing(opened, axe):
    page, row = opened
    opened_row(page, "a-procurement--counted").locator("input[type=checkbox]").check()
    saved(page, 2)
    opened_row(page, "a-finance--buyer").locator("select").select_option("university")
    saved(page, 3)
    box = opened_row(page, "a-procurement--threshold").locator("input[name=value]")
    box.fill("100000")
    box.press("Tab")
    saved(page, 4)
    document = Scenario.read(scenarios.newest(row).document)
    assert (document.procurement.counted, document.procurement.threshold) == (True, 100_000.0)
    assert "the tender adds 10" in page.locator("main").inner_text()
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_role("link", name="Purchasing").first.click()
    assert "the tender adds 10" in page.locator("#tenders").inner_text()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert axe(page) == []
    assert noise(page) == []
