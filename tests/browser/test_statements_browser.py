"""Financing, taxes and statements in a real browser: rows come with their setting; clean for axe, on a phone, dark."""

import pytest

from tests.browser.conftest import noise, show, until
from tests.browser.test_purchasing_browser import in_language
from tests.browser.test_workspace import open_all

pytestmark = pytest.mark.browser


def test_a_lease_and_the_after_tax_view_bring_their_rows_and_lines(opened):
    page, row = opened
    open_all(page)
    rent, tax = "#a-plans--server-now--financing--buy_out_share", "#a-finance--profit_tax_rate"
    assert page.locator(rent).count() == page.locator(tax).count() == 0
    page.locator("#a-plans--server-now--financing--kind select").select_option("lease")
    until(page, f"() => !!document.querySelector('{rent}')")
    open_all(page)
    page.locator("#a-finance--after_tax input[type=checkbox]").check()
    until(page, f"() => !!document.querySelector('{tax}')")
    page.goto(f"/s/{row.pk}/statements/?plan=server-now")
    shown = page.locator("#annual").inner_text()
    assert "Lease" in shown
    assert "Tax shield" in shown
    with page.expect_download() as taken:
        page.click("#workbook")
    assert taken.value.suggested_filename == "plan-server-now-v3.xlsx"
    show(page, row)
    assert noise(page) == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_statements_are_clean_for_axe_and_never_scroll_sideways(signed_page, axe, make, live, language):
    page, row = signed_page, make()
    in_language(page, live, language)
    for scheme, width, asked in (("light", 390, "?plan=scale-out"), ("dark", 1440, "?plan=cloud&money=real")):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"/s/{row.pk}/statements/{asked}")
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_details_are_clean_for_axe(opened, axe):
    page, _row = opened
    open_all(page)
    until(page, "() => !!document.querySelector('#use-title')")
    assert axe(page, exclude=["#plot"]) == []
