"""The catalog in a browser: no error, clean by axe, no sideways scrolling on a phone, rules for the keyboard too."""

from datetime import date

import pytest
from django.conf import settings

from tests.browser.conftest import noise

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = ("", "accelerators/", "builds/", "cloud/", "electricity/", "builds/srv-4x-l40s/", "accelerators/h100-sxm/")
TWO_CURRENCIES = "/catalog/electricity/cn-industrial/"


@pytest.fixture(autouse=True)
def today(monkeypatch):
    """The day of the shipped data: the axis of a price history ends today."""
    monkeypatch.setattr("catalog.views.timezone.localdate", lambda: date(2026, 11, 30))


@pytest.fixture
def signed_in(page, sign_in, django_user_model, facts):
    sign_in(page, django_user_model.objects.create_user("reader", password="x"))
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_the_console_is_empty(signed_in, axe, scheme):
    signed_in.emulate_media(color_scheme=scheme)
    for path in PAGES:
        signed_in.goto(f"/catalog/{path}")
        assert axe(signed_in, exclude=["header.top"]) == [], path  # the frame has tests of its own
    assert noise(signed_in) == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_phone_never_scrolls_sideways(signed_in, live, language):
    signed_in.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": live}])
    signed_in.set_viewport_size({"width": 390, "height": 844})
    for path in PAGES:
        signed_in.goto(f"/catalog/{path}")
        assert signed_in.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_the_rule_of_an_estimate_shows_on_hover_and_on_focus(signed_in):
    signed_in.goto("/catalog/builds/?q=xe7740")
    badge = signed_in.locator(".badge.estimate[tabindex]").first
    rule = badge.locator(".tip")
    assert not rule.is_visible()
    badge.focus()
    assert rule.is_visible()
    badge.blur()
    assert not rule.is_visible()
    badge.hover()
    assert rule.is_visible()
    box = rule.bounding_box()
    assert box["x"] >= 0
    assert box["y"] + box["height"] <= 900


@pytest.mark.parametrize(("language", "words"), [("en", ("street", "today")), ("zh-hans", ("市价", "今天"))])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_price_history_is_drawn_with_its_kinds_and_dates(signed_in, live, language, words, width):
    signed_in.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": live}])
    signed_in.set_viewport_size({"width": width, "height": 844})
    signed_in.goto("/catalog/accelerators/h100-sxm/")
    plot = signed_in.locator("[data-figure]")
    plot.locator(".main-svg").first.wait_for()
    drawn = plot.inner_text()
    assert all(word in drawn for word in (*words, "2025", "40,000"))
    assert plot.locator(".scatterlayer .point").count() == 19
    assert plot.locator(".drawn").count() == 0  # the drawing for a page without scripts has gone
    assert plot.get_attribute("role") == "img"
    assert "19" in plot.get_attribute("aria-label")
    box = plot.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_two_currencies_are_two_charts(signed_in):
    signed_in.goto(TWO_CURRENCIES)
    signed_in.locator("[data-figure] .main-svg").nth(3).wait_for()  # Plotly makes two an image
    assert signed_in.locator("figure h3").all_inner_texts() == ["Price history, CNY / kWh", "Price history, USD / kWh"]
    assert "0.63" in signed_in.locator("[data-figure]").first.inner_text()


def test_the_charts_follow_the_theme_on_a_phone_too(signed_in):
    signed_in.set_viewport_size({"width": 390, "height": 844})
    signed_in.emulate_media(color_scheme="dark")
    signed_in.goto(TWO_CURRENCIES)
    note = signed_in.locator("[data-figure] .annotation-text").first
    note.wait_for()
    assert note.evaluate("each => getComputedStyle(each).fill") == "rgb(163, 174, 187)"  # ink2 of the dark theme


def test_the_price_history_is_there_without_javascript(browser, live, sign_in, django_user_model, facts):
    context = browser.new_context(base_url=live, java_script_enabled=False, viewport={"width": 390, "height": 844})
    plain = context.new_page()
    sign_in(plain, django_user_model.objects.create_user("reader", password="x"))
    plain.goto("/catalog/accelerators/h100-sxm/")
    drawing = plain.locator("svg.drawn:visible")
    assert drawing.count() == 1
    assert "19 prices in USD / each" in drawing.get_attribute("aria-label")
    assert "street, used" in drawing.inner_html()
    rows = plain.locator(".history-data tbody tr")
    assert not rows.first.is_visible()
    plain.click(".history-data summary")
    assert rows.first.is_visible()
    assert rows.count() == 19
    context.close()


def test_search_works_without_javascript(browser, live, sign_in, django_user_model, facts):
    context = browser.new_context(base_url=live, java_script_enabled=False)
    plain = context.new_page()
    sign_in(plain, django_user_model.objects.create_user("reader", password="x"))
    plain.goto("/catalog/builds/")
    plain.fill("input[name=q]", "dgx h100")
    plain.click("button:has-text('Show')")
    assert "q=dgx+h100" in plain.url
    assert plain.locator("tbody tr").count() == 1
    context.close()
