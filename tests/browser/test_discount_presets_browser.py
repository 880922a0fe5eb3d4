"""Choosing a usual discount rate beside its field, in a browser: the figure, its source, and on a phone."""

import pytest
from django.conf import settings

from tests.browser.conftest import noise, until

pytestmark = pytest.mark.browser
ROW = "#a-finance--discount_rate"
BADGE = f"document.querySelector('{ROW}-t .badge').title"


def choose(page, words):
    options = page.locator(f"{ROW}-p option").all_inner_texts()
    page.locator(f"{ROW}-p").select_option(label=next(each for each in options if words in each))


def test_a_usual_rate_fills_the_field_and_the_field_says_whose_it_is(opened, axe):
    page, _row = opened
    page.locator("#part-finance > summary").click()
    choose(page, "Green Book")
    until(page, f"() => document.querySelector('{ROW}-i').value === '6.09' && {BADGE}.includes('Green Book')")
    assert "Green Book" in page.locator(f"{ROW}-p option:checked").inner_text()
    page.locator(f"{ROW}-i").fill("7")
    until(page, f"() => !{BADGE}.includes('Green Book')")
    assert page.locator(f"{ROW}-p").input_value() == ""
    choose(page, "Green Book")  # once more, after another rate
    until(page, f"() => document.querySelector('{ROW}-i').value === '6.09'")
    assert axe(page) == []
    assert noise(page) == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_choice_fits_a_phone(signed_page, make, live, language):
    page = signed_page
    page.set_viewport_size({"width": 390, "height": 844})
    page.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": live}])
    page.goto(f"/s/{make().pk}/")
    page.locator(".views a").first.click()
    page.locator("#part-finance > summary").click()
    box = page.locator(f"{ROW}-p").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
