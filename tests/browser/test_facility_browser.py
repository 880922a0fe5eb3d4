"""The facility page in a real browser: the month follows the slider, losses are tried, nothing is reloaded."""

import copy

import pytest

from planner.services import gallery, scenarios
from tests.browser.conftest import expect, follow, noise
from tests.browser.crawl import crawl_plans, in_language
from tests.browser.test_workspace import english, open_all

pytestmark = pytest.mark.browser


def visit(page, row, query=""):
    page.goto(f"/s/{row.pk}/facility/{query}")
    page.evaluate("() => { window.stayed = true; }")


def stayed(page):
    """Whether the page is still the one that was opened."""
    return page.evaluate("() => window.stayed === true")


def test_the_room_follows_the_slider_without_a_reload_and_keeps_focus_and_address(signed_page, make):
    page, row = signed_page, make()
    visit(page, row, "?plan=scale-out&month=0")
    expect(page.locator("#month-text")).to_have_text("Apr 2027")
    expect(page.locator("#month-text")).to_have_attribute("title", "month 0 of the plan")
    slider = page.get_by_role("slider", name="Month")
    slider.focus()
    for _step in range(18):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#limits-title")).to_have_text("colocation, Oct 2028")  # the move to the hall
    assert slider.get_attribute("aria-valuetext") == "Oct 2028"
    expect(page.locator("#month-text")).to_have_attribute("title", "month 18 of the plan")
    assert page.evaluate("() => document.activeElement.id") == "month"
    assert "month=18" in page.url
    assert "plan=scale-out" in page.url
    assert stayed(page)
    page.reload()
    expect(page.locator("#limits-title")).to_have_text("colocation, Oct 2028")
    assert slider.input_value() == "18"
    assert noise(page) == []


def test_wave_buttons_take_the_slider_along(signed_page, make):
    page, row = signed_page, make()
    visit(page, row, "?plan=scale-out&month=0")
    month = page.locator("#wave-after").get_attribute("title").split()[1]
    page.locator("#wave-after").click()
    expect(page.locator("#room")).to_have_attribute("data-month", month)
    expect(page.locator("#month")).to_have_value(month)
    assert page.evaluate("() => document.activeElement.id") == "wave-after"
    page.locator("#wave-before").click()
    expect(page.locator("#room")).to_have_attribute("data-month", "0")
    assert stayed(page)
    assert noise(page) == []


def test_a_lost_feed_is_tried_and_stays_lost_over_the_months(signed_page, make):
    page, row = signed_page, make("office-server")
    visit(page, row, "?plan=cooled&month=12")
    assert page.locator("svg.rack .machine.off").count() == 0
    page.get_by_label("Simulate a loss").focus()
    page.get_by_label("Simulate a loss").select_option("A")
    expect(page.locator("#loss")).to_have_text(
        "Feed A lost. 1 rack overloads its remaining feeds. 1 machine goes down."
    )
    expect(page.locator("svg.rack .machine.off")).to_have_count(1)
    assert "lost=A" in page.url
    assert page.evaluate("() => document.activeElement.id") == "lost"
    page.locator("#month").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#room")).to_have_attribute("data-month", "13")
    assert page.locator("#loss").inner_text().startswith("Feed A lost.")
    page.get_by_label("Simulate a loss").select_option("cooling")
    expect(page.locator("#loss")).to_contain_text("A cooling unit lost.")
    assert stayed(page)
    assert noise(page) == []


def test_from_the_workspace_to_a_limit_and_back_to_its_assumption(opened):
    page, _row = opened
    follow(page.get_by_role("link", name="Facility"))
    assert page.get_by_role("link", name="Facility").get_attribute("aria-current") == "page"
    follow(page.get_by_role("link", name="2 servers with fabric now"))
    follow(page.locator(".passed").get_by_role("link", name="Three-phase circuit").first)
    page.wait_for_selector("#a-sites--office--upgrades--circuit-60a--lead_weeks")
    assert page.locator(".arow:target").count() == 1


def test_a_rack_is_reached_by_keyboard_and_says_what_stands_in_it(signed_page, make):
    page, row = signed_page, make()
    visit(page, row, "?plan=cluster-now&month=0")
    rack = page.locator("svg.rack").first
    rack.focus()
    assert page.evaluate("() => document.activeElement.classList.contains('rack')")
    heard = rack.get_attribute("aria-label").replace("\u00a0", " ")
    assert heard.startswith("Rack 1: 24 U; U1–U8 2 × PowerEdge XE7745 with 8x H200 NVL, 4 U · 6.986 kW · 68.5 kg")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_plan_is_clean_for_axe_and_never_scrolls_sideways(signed_page, axe, make, live, language):
    in_language(signed_page, live, language)

    def address(row, plan, number):
        return f"/s/{row.pk}/facility/?plan={plan}&month=24&lost={'A' if number % 2 else 'cooling'}"

    crawl_plans(signed_page, axe, make, address)


def test_it_works_without_scripts(browser, live, sign_in, people, make):
    row = make("office-server")
    context = browser.new_context(base_url=live, locale="en-GB", java_script_enabled=False)
    page = context.new_page()
    sign_in(page, people[1]["ada"])
    page.goto(f"/s/{row.pk}/facility/?plan=cooled&month=0")
    follow(page, "#wave-after")
    assert page.locator("#limits-title").inner_text().endswith("Mar 2028")  # the air conditioner is there
    page.get_by_label("Simulate a loss").select_option("A")
    follow(page.get_by_role("button", name="Show this month"))
    assert page.locator("#limits-title").inner_text().endswith("Mar 2028")
    assert page.locator("#loss").inner_text().startswith("Feed A lost.")
    page.locator(".as-table summary").click()
    assert page.locator(".as-table table").is_visible()
    context.close()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_room_that_names_all_its_limits_is_clean_for_axe_on_a_phone(signed_page, axe, people, live, language):
    workspace, users = people
    document = copy.deepcopy(gallery.document("small-team"))
    office = document["sites"][0]
    del office["power_kw"]
    office |= {
        "power_budget_kw": 2.0,
        "power_budget": "soft",
        "floor_foot_kg": 200.0,
        "supply_c": 24.0,
        "air_cfm": 200.0,
        "cooling_units": 2,
        "spare_cooling_units": 1,
        "ups": {"module_kw": 2.0, "modules": 2, "spare": 1},
        "circuit": {"volts": 120, "amps": 15, "phases": "single", "derating": 0.8, "feeds": 1, "redundancy": "N"},
    }
    row = scenarios.create(workspace, users["ada"], document)
    page = signed_page
    in_language(page, live, language)
    for scheme, width in (("light", 390), ("dark", 1440)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"/s/{row.pk}/facility/?plan=scale-out&month=0")
        open_all(page)
        for part in ("#not-possible", "#supplies", "#ups-title", "#outlet", "#cards"):
            assert page.locator(part).is_visible(), part
        assert axe(page) == []
        assert language == "en" or english(page) == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert noise(page) == []
