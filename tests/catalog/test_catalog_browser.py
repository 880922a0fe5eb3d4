"""The catalog in a browser: no error, clean by axe, no sideways scrolling on a phone, rules for the keyboard too."""

import pytest
from django.conf import settings

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = ("", "accelerators/", "builds/", "cloud/", "electricity/", "builds/srv-4x-l40s/", "accelerators/h100-sxm/")


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
    assert signed_in.problems == []


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
