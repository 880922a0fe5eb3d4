"""A sensitivity run in a real browser, computed by a real worker: asked for, cancelled, run again, read."""

import pytest

from tests.browser.conftest import follow, until
from tests.browser.test_workspace import english, open_all

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("program", ["embedded"], indirect=True)]


@pytest.fixture
def page(browser, program):
    """A browser that `start` has let in by its page."""
    running = program.start(sign_in=False)
    context = browser.new_context(base_url=running.address, locale="en-GB", viewport={"width": 1440, "height": 900})
    fresh = context.new_page()
    fresh.set_default_timeout(60_000)
    fresh.goto(running.file().as_uri())
    fresh.wait_for_url(running.address)
    yield fresh
    context.close()


def test_ask_cancel_run_again_and_read_in_both_languages(page, axe):
    page.goto("/s/1/")
    follow(page, "text=What would change this?")
    until(page, "document.querySelector('progress')?.value > 3", 30)
    assert "left" in page.wait_for_selector("#progress-text").inner_text()
    assert axe(page) == []
    page.click("#cancel-run")
    page.wait_for_selector("text=nothing was kept")
    assert axe(page) == []
    page.click("text=Run again")
    page.wait_for_selector(".sweep")  # by itself, once it has ended
    assert page.locator(".curves figure").count() == 13  # twelve assumptions, and the horizon
    amounts = page.locator(".ranges td.num span").evaluate_all("all => all.map(each => each.title)")
    assert len(amounts) == 13 * 4 * 2
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        open_all(page)
        assert axe(page) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    follow(page, "button[name=language]")
    assert page.evaluate("() => document.documentElement.lang") == "zh-hans"
    assert page.locator(".ranges td.num span").evaluate_all("all => all.map(each => each.title)") == amounts
    assert english(page) == []
    assert axe(page) == []
    page.goto("/s/1/sensitivity/")
    assert page.locator("tbody tr").count() == 2
    assert english(page) == []
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
