"""A tariff pasted into its rows in a real browser, and the cards of use and carbon: accessible, on a phone too."""

import pytest

from planner.engine.inputs import Scenario
from planner.services import scenarios
from tests.browser.conftest import noise, show, until

pytestmark = pytest.mark.browser
SITE = "#a-sites--office--tariff"


def saved(page, number):
    until(page, f"() => document.getElementById('base').value === '{number}'")
    until(page, "() => !document.querySelector('.htmx-request')")


def test_a_pasted_tariff_changes_the_verdict_and_a_bad_hour_is_named(opened):
    page, row = opened
    before = page.locator("#verdict").inner_text()
    page.evaluate(f"() => {{ document.querySelector('{SITE}').closest('details').open = true; }}")
    page.locator(f"{SITE} input[type=checkbox]").check()
    until(page, f"() => document.querySelector('{SITE}--periods')")
    saved(page, 2)
    box = page.locator(f"{SITE}--periods textarea")
    box.fill("peak\t6-9\tweekdays\t14-26\t0.32")
    until(page, f"() => document.querySelector('{SITE}--periods .error')")
    assert "entry 1: Hours" in page.locator(f"{SITE}--periods .error").inner_text()
    box.fill("peak\t1-12\tevery day\t8-20\t9.50")
    saved(page, 3)
    until(page, f"() => !document.querySelector('{SITE}--periods .error')")
    assert Scenario.read(scenarios.newest(row).document).sites[0].tariff.periods[0].price_per_kwh == 9.5
    assert page.locator("#verdict").inner_text() != before
    assert noise(page) == []


def test_the_cards_of_use_and_carbon_are_accessible_and_fit_a_phone(opened, axe):
    page, row = opened
    page.set_viewport_size({"width": 390, "height": 800})
    show(page, row)
    for title in ("Use from which owning pays", "Carbon of the machines"):
        assert page.get_by_role("heading", name=title).is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert axe(page, exclude=["#plot"]) == []
