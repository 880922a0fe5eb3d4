"""Configurations by budget in a real browser: from the money to a scenario; without scripts, on a phone."""

import pytest

from planner.models import Scenario
from tests.browser.conftest import expect, follow, noise, settle
from tests.browser.crawl import in_language

pytestmark = pytest.mark.browser

YUAN = "/budget/?amount=%C2%A5200%E4%B8%87&region=CN"


def test_two_million_yuan_become_a_scenario_of_three_plans(signed_page, axe):
    page = signed_page
    page.goto(YUAN)
    assert page.locator("#budget-title").inner_text().startswith("Best value for ¥2.00M")
    assert axe(page) == []
    follow(page, "#rung-server a:has-text('more')")
    assert page.locator("#rung-cluster").count() == 0
    follow(page, "#c-srv-8x-h20-cn\\.x1 button")
    row = Scenario.objects.latest("pk")
    assert f"/s/{row.pk}/" in page.url
    assert row.head.document["plans"][0]["start"]["build"] == "srv-8x-h20-cn"
    assert row.head.document["currency"] == "CNY"
    assert noise(page) == []


def test_an_amount_is_typed_and_a_figure_opens_to_its_lines(signed_page):
    page = signed_page
    page.goto("/budget/")
    page.fill("[name='amount']", "¥100万")
    page.select_option("[name='region']", "CN")
    follow(page, "#show-configurations")
    assert page.input_value("[name='amount']") == "1,000,000"
    assert page.input_value("[name='currency']") == "CNY"
    follow(page, ".ladder tbody tr[id] a[href*='/capex/']")
    assert "Freight and duty" in page.locator("main").inner_text()
    page.go_back()
    page.fill("[name='amount']", "much")
    follow(page, "#show-configurations")
    assert "I have must be a number" in page.locator("#budget-answer").inner_text()
    assert page.input_value("[name='amount']") == "much"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_in_chinese_nothing_runs_out_of_the_page(signed_page, live, axe, scheme):
    page = signed_page
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme=scheme)
    in_language(page, live, "zh-hans")
    page.goto("/budget/")
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
    assert "从入门到集群" in page.locator("#list-title").inner_text()
    assert axe(page) == []
    assert noise(page) == []


def test_one_server_several_or_a_cluster_is_read_in_the_workspace_and_on_sizing(opened, axe):
    page, _row = opened
    page.locator("#ways-title").scroll_into_view_if_needed()
    expect(page.locator(".ways-table")).to_be_visible()
    assert page.locator(".ways-table thead th").count() == 4
    page.goto("/sizing/?kind=training&pick=h200-sxm")
    page.locator("#ways-fold summary").click()
    expect(page.locator("#ways-fold .ways-table")).to_be_visible()
    settle(page)
    first = page.locator("#ways-fold .ways-table tbody tr").first.inner_text()
    assert "memory: needs" in first
    assert "yes, in every month" in first
    assert axe(page) == []
    assert noise(page) == []


def test_all_of_it_works_without_scripts(browser, live, sign_in, people, make):
    row = make()
    context = browser.new_context(base_url=live, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, people[1]["ada"])
    page.goto("/budget/")
    page.fill("[name='amount']", "50k")
    page.click("#show-configurations")
    assert page.locator("#rung-workstation tr[id]").count() > 0
    page.goto(f"/s/{row.pk}/")
    page.click("a[href$='/ways/']")
    assert page.locator(".ways-table").count() == 1
    context.close()
