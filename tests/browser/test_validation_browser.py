"""Our model against published cases, in a real browser."""

import csv
import io
from pathlib import Path

import pytest

from tests.browser.conftest import follow, noise
from tests.browser.crawl import in_language
from tests.browser.test_workspace import open_all

pytestmark = pytest.mark.browser


def test_from_the_footer_to_a_case_and_its_file(signed_page):
    page = signed_page
    page.goto("/")
    follow(page.locator("footer").get_by_role("link"))
    follow(page.get_by_role("navigation", name="Families of cases").get_by_role("link", name="Sizing"))
    row = page.locator("tr", has_text="llama1_65b_days")
    assert row.locator("td").nth(1).inner_text() == "21"
    assert row.locator("td").nth(2).inner_text().startswith("20.8")
    assert "agrees" in row.inner_text()
    assert row.get_by_role("link").get_attribute("href") == "https://arxiv.org/abs/2302.13971"
    assert noise(page) == []
    with page.expect_download() as file:
        page.click("#cases-csv")
    rows = list(csv.DictReader(io.StringIO(Path(file.value.path()).read_text(encoding="utf-8-sig"))))
    assert len(rows) > 500


def test_an_outcome_narrows_the_list_and_is_taken_back(signed_page):
    page = signed_page
    page.goto("/validation/?family=fabric")  # of its cases, three declare a fault
    everything = page.locator(".cases tr").count()
    follow(page.locator(".outcomes a", has_text="agrees"))
    assert page.locator(".cases tr").count() < everything
    follow(page.locator(".outcomes a[aria-current]"))
    assert page.locator(".cases tr").count() == everything


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_is_clean_for_axe_and_never_scrolls_sideways(signed_page, axe, live, language):
    page = signed_page
    in_language(page, live, language)
    for scheme, width in (("light", 1440), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("/validation/")
        open_all(page)
        assert axe(page) == [], (scheme, width)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert noise(page) == []
