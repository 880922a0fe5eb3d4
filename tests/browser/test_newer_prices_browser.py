"""A price changes in the catalog while a scenario is open: notice, page, adoption and undo in a real browser."""

from decimal import Decimal

import pytest
from django.utils.timezone import now

from catalog import services as catalog_services
from catalog.importers.shipped import shipped
from catalog.models import Quote
from tests.browser.conftest import follow, noise, settle, show, until
from tests.browser.test_workspace import english

pytestmark = pytest.mark.browser
CHASSIS = "srv-4x-h200-nvl"


@pytest.fixture
def dearer(people, make, signed_page):
    """(page, scenario): small team, whose first server has since gone from 173,600 to 200,000 in the catalog."""
    catalog_services.load(shipped())
    row = make()
    prices = Quote.objects.filter(item__slug=CHASSIS, item__kind="build")
    prices.update(unit_price=Decimal(200_000), updated_at=now())
    return signed_page, row


def present_values(page):
    return dict(
        page.locator("#kpis tbody tr").evaluate_all(
            "rows => rows.map(row => [row.cells[0].textContent.trim(), row.cells[1].querySelector('[title]').title])"
        )
    )


def test_u010_notice_page_adopt_and_undo(dearer, axe):
    page, row = dearer
    show(page, row)
    before = present_values(page)
    assert "1 price has changed in the catalog" in page.inner_text("#newer-prices")
    assert axe(page) == []
    follow(page, "#newer-prices a")
    assert page.inner_text("#moved tbody tr td:nth-child(3)").startswith("$200,000.00 / server")
    follow(page, "#adopt")
    assert page.locator("#newer-prices p").count() == 0
    after = present_values(page)
    assert {name for name in before if after[name] != before[name]} == {"Start with 4, scale out"}
    page.click("#undo")
    page.wait_for_selector("#newer-prices p")
    settle(page)
    assert present_values(page) == before
    page.click("#redo")
    until(page, "document.querySelector('#newer-prices p') === null")
    settle(page)
    assert present_values(page) == after
    assert noise(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_in_both_languages_and_axe_is_clean(dearer, axe, scheme):
    page, row = dearer
    page.emulate_media(color_scheme=scheme)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"/s/{row.pk}/prices/")
        assert axe(page) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    follow(page, "button[name=language]")
    assert page.evaluate("() => document.documentElement.lang") == "zh-hans"
    assert english(page) == []
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_without_scripts_the_prices_are_read_and_adopted(browser, live, dearer):
    page, row = dearer
    plain = browser.new_context(base_url=live, java_script_enabled=False)
    plain.add_cookies(page.context.cookies())
    bare = plain.new_page()
    bare.goto(f"/s/{row.pk}/prices/")
    follow(bare, "#adopt")
    assert "The newer prices are adopted" in bare.inner_text("body")
    bare.goto(f"/s/{row.pk}/prices/")
    assert bare.locator("#nothing").count() == 1
    plain.close()
