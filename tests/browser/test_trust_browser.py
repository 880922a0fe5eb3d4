"""The trust meter in a real browser: its shares open, its parts are legible on a phone, in the dark and in Chinese."""

import pytest

from tests.browser.conftest import expect, noise, until

pytestmark = pytest.mark.browser


def test_a_share_opens_its_lines_beside_the_verdict(opened):
    page, _row = opened
    share = page.locator(".trust a").first
    said = share.inner_text().split("\u00a0")[0]
    share.click()
    until(page, "() => document.querySelector('dialog#why').open && document.querySelector('dialog#why .tree')")
    dialog = page.locator("dialog#why")
    expect(dialog.locator("h2")).to_contain_text(said)
    assert dialog.locator(".tree > .node").count() > 1
    assert noise(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_meter_is_clean_and_fits_a_phone(opened, axe, scheme):
    page, _row = opened
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#tab-results").click() if page.locator("#tab-results").count() else None
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= 390")


def test_parts_are_told_apart_by_mark_and_words_and_fill_the_bar(opened):
    page, _row = opened
    marks = page.locator(".trust .key").all_inner_texts()
    assert len(set(marks)) == len(marks) == page.locator(".trust-bar rect").count()
    widths = page.eval_on_selector_all(".trust-bar rect", "all => all.map(each => each.width.baseVal.value)")
    assert 98 < sum(widths) <= 100
