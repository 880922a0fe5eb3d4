"""Every plan of every template on one page: light and dark, on a phone and wide, in either language."""

from django.conf import settings

from planner.services import gallery
from tests.browser.conftest import noise
from tests.browser.test_workspace import english, open_all


def in_language(page, live, language):
    page.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": live}])


def crawl_plans(page, axe, make, address):
    """Check that a page of a plan has no fault for axe, no untranslated word and no sideways scroll.

    address : of a scenario's row, a plan's slug and its place in the template, what to open.
    """
    chinese = any(cookie["value"] == "zh-hans" for cookie in page.context.cookies())
    for slug in gallery.templates():
        row = make(slug)
        for number, plan in enumerate(gallery.document(slug)["plans"]):
            page.emulate_media(color_scheme="dark" if number % 2 else "light")
            page.set_viewport_size({"width": 390 if number < 2 else 1440, "height": 844})
            page.goto(address(row, plan["slug"], number))
            open_all(page)
            assert axe(page) == [], (slug, plan["slug"])
            assert not chinese or english(page) == [], (slug, plan["slug"])
            width = page.evaluate("() => innerWidth")
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width, (slug, plan["slug"])
    assert noise(page) == []
