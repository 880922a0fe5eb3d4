"""Purchasing in a real browser: choose a plan, read it, take the file; without scripts, on a phone, in the dark."""

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest

from tests.browser.conftest import follow, noise, show
from tests.browser.crawl import crawl_plans, in_language

pytestmark = pytest.mark.browser


def test_from_the_workspace_to_the_file(opened):
    page, row = opened
    follow(page.get_by_role("link", name="Purchasing"))
    assert page.get_by_role("link", name="Purchasing").get_attribute("aria-current") == "page"
    follow(page.get_by_role("link", name="2 servers with fabric now"))
    assert page.locator(".order").count() == 2
    assert "31 Dec 2026" in page.locator(".order").first.inner_text()  # April less 12 weeks and 7 days
    with page.expect_download() as excel:
        page.click("#csv-excel")
    assert excel.value.suggested_filename == "orders-cluster-now-v1.csv"
    content = Path(excel.value.path()).read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    capex = sum(Decimal(each["Line total in report currency"]) for each in rows)
    assert page.locator(".totals dd").nth(2).inner_text() == f"${capex:,.2f}"
    with page.expect_download() as plain:
        page.click("#csv-plain")
    assert Path(plain.value.path()).read_bytes() == content[3:]
    follow(page.get_by_role("link", name="Enter the price").first)
    page.wait_for_selector("#a-market--own_prices--srv-8x-h200-nvl")
    assert page.locator(".arow:target").count() == 1
    show(page, row)
    assert noise(page) == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_plan_is_clean_for_axe_and_never_scrolls_sideways(signed_page, axe, make, live, language):
    in_language(signed_page, live, language)
    crawl_plans(signed_page, axe, make, lambda row, plan, _number: f"/s/{row.pk}/purchasing/?plan={plan}")


def test_it_works_without_scripts(browser, live, sign_in, people, make):
    row = make()
    context = browser.new_context(base_url=live, locale="en-GB", java_script_enabled=False)
    page = context.new_page()
    sign_in(page, people[1]["ada"])
    page.goto(f"/s/{row.pk}/purchasing/")
    follow(page.get_by_role("link", name="8-GPU server now"))
    page.locator(".rest summary").first.click()
    assert page.locator(".rest table").first.is_visible()
    with page.expect_download() as packed:
        page.click("#csv-zip")
    assert Path(packed.value.path()).read_bytes()[:2] == b"PK"
    context.close()
