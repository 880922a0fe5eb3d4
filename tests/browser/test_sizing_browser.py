"""What do I need, in a real browser: typing, picking, reloading, making a scenario; without scripts, on a phone."""

import pytest

from planner.models import Scenario
from planner.services import sizing
from tests.browser.conftest import follow, noise, settle, until
from tests.browser.crawl import in_language
from tests.browser.test_workspace import open_all

pytestmark = pytest.mark.browser

BOX = "[name='gpus']"


def shown(page, slug):
    return page.locator(f"#need-{slug} td").first.inner_text()


def edit(page, act):
    """Do something that asks the server, and wait until its answer is on the page."""
    with page.expect_response(lambda response: "/sizing/" in response.url) as answer:
        act()
    answer.value.finished()
    settle(page)


def test_an_edit_is_answered_without_a_page_load_and_the_address_keeps_it(signed_page):
    page = signed_page
    page.goto("/sizing/?kind=pool&growth/kind=constant")
    page.evaluate("() => { window.same = true }")
    before = shown(page, "h200-sxm")
    edit(page, lambda: page.fill(BOX, "6"))
    assert page.evaluate("() => window.same") is True
    assert before.startswith("4")
    assert shown(page, "h200-sxm").startswith("8")  # 6 / 0.8
    assert page.evaluate("() => document.activeElement.name") == "gpus"
    assert "gpus=6" in page.url
    assert "accelerators fit" in page.locator("#announce").inner_text()
    page.reload()
    assert shown(page, "h200-sxm").startswith("8")
    assert page.input_value(BOX) == "6"
    assert noise(page) == []


def test_u030_a_power_limit_changes_draw_and_speed_as_it_is_typed(signed_page):
    page = signed_page
    page.goto("/sizing/?kind=training&pick=h200-sxm")
    power, rate = (page.locator(f"#need-h200-sxm td:nth-of-type({place})") for place in (5, 4))
    full = power.inner_text(), rate.inner_text()
    edit(page, lambda: page.fill("[name='operations/gpu_power_limit_w']", "350"))
    until(page, "() => document.querySelector('.beside')?.innerText.includes('76.9')")
    assert "350\u00a0W of 700\u00a0W" in page.locator(".beside").inner_text()
    assert (power.inner_text(), rate.inner_text()) != full
    page.reload()
    assert page.input_value("[name='operations/gpu_power_limit_w']") == "350"
    assert noise(page) == []


def test_u028_work_with_a_model_shows_its_memory_and_without_one_says_so(signed_page):
    page = signed_page
    page.goto("/sizing/?kind=batch&preset=&measured_rate_per_gpu=500")
    assert page.locator("#need-h200-sxm .memory").is_visible()
    edit(page, lambda: page.locator("[name='model'][type='checkbox']").uncheck())
    until(page, "() => !document.querySelector('#need-h200-sxm .memory')")
    assert "not stated for this work" in page.locator("#need-h200-sxm").inner_text()
    assert page.locator("[name='model/params_b']").count() == 0
    edit(page, lambda: page.locator("[name='model'][type='checkbox']").check())
    until(page, "() => !!document.querySelector('#need-h200-sxm .memory')")
    assert page.locator("[name='model/params_b']").count() == 1
    assert noise(page) == []


def test_a_refused_entry_stands_beside_its_reason_and_the_answer_stays(signed_page):
    page = signed_page
    page.goto("/sizing/?kind=pool&gpus=6&growth/kind=constant")
    edit(page, lambda: page.fill(BOX, "many"))
    assert "must be a number" in page.locator(".error").inner_text()
    assert shown(page, "h200-sxm").startswith("8")
    assert page.locator(".stale-note").is_visible()
    edit(page, lambda: page.fill(BOX, "3"))
    assert page.locator(".error").count() == 0
    assert shown(page, "h200-sxm").startswith("4")
    assert not page.locator(".stale-note").is_visible()
    assert noise(page) == []


def test_another_model_another_curve_and_a_model_by_hand_change_the_rows(signed_page):
    page = signed_page
    page.goto("/sizing/?kind=serving")
    edit(page, lambda: page.select_option("[name='growth/kind']", "linear"))
    assert page.locator("[name='growth/per_month']").is_visible()
    edit(page, lambda: page.select_option("[name='preset']", "llama-3.1-8b"))
    edit(page, lambda: page.select_option("[name='preset']", ""))
    assert page.input_value("[name='model/params_b']") == "8.03"
    edit(page, lambda: page.fill("[name='model/params_b']", "70"))
    page.reload()
    assert page.input_value("[name='model/params_b']") == "70"
    assert page.input_value("[name='growth/kind']") == "linear"
    assert noise(page) == []


def test_sorting_and_picking_keep_what_was_typed(signed_page):
    page = signed_page
    page.goto("/sizing/?kind=pool&gpus=6&growth/kind=constant")
    edit(page, lambda: page.locator(".needs thead").get_by_role("link", name="GPUs").click())
    assert page.locator("[aria-sort='ascending']").inner_text().startswith("GPUs")
    edit(page, lambda: page.locator("#need-b200-sxm a").first.click())
    assert "B200" in page.locator("#pick-title").inner_text()
    edit(page, lambda: page.fill(BOX, "12"))
    assert "B200" in page.locator("#pick-title").inner_text()
    assert page.locator("[aria-sort='ascending']").inner_text().startswith("GPUs")
    for part in ("gpus=12", "sort=gpus", "pick=b200-sxm"):
        assert part in page.url
    assert noise(page) == []


def test_from_the_home_page_to_a_scenario(signed_page):
    page = signed_page
    page.goto("/")
    follow(page.locator("main").get_by_role("link", name="What do I need?"))
    follow(page.get_by_role("link", name="online service"))
    edit(page, lambda: page.locator("#need-h100-sxm a").first.click())
    follow(page, "#make-scenario")
    made = Scenario.objects.get()
    assert page.url.endswith(f"/s/{made.pk}/")
    assert [plan["slug"] for plan in made.head.document["plans"]][-2:] == ["servers-now", "cloud"]
    follow(page.get_by_role("link", name="Sizing"))
    assert page.url.endswith(f"/s/{made.pk}/sizing/")
    assert page.locator("#pick-title").is_visible()


def test_it_works_without_scripts(browser, live, sign_in, people):
    context = browser.new_context(base_url=live, locale="en-GB", java_script_enabled=False)
    page = context.new_page()
    sign_in(page, people[1]["ada"])
    page.goto("/sizing/?kind=pool&growth/kind=constant")
    page.fill(BOX, "6")
    follow(page.get_by_role("button", name="Recalculate"))
    assert shown(page, "h200-sxm").startswith("8")
    follow(page.locator("#need-h100-nvl a").first)
    follow(page, "#make-scenario")
    assert Scenario.objects.count() == 1
    context.close()


@pytest.mark.parametrize("kind", sizing.KINDS)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_is_clean_for_axe_and_never_scrolls_sideways(signed_page, axe, live, kind, language):
    page = signed_page
    in_language(page, live, language)
    for scheme, width, query in (("light", 1440, "&show=all"), ("dark", 390, ""), ("dark", 1440, "&preset=")):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"/sizing/?kind={kind}{query}")
        open_all(page)
        assert axe(page) == [], (kind, scheme, width)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert noise(page) == []


def test_the_parts_of_a_bar_are_as_long_as_they_are_large(signed_page):
    page = signed_page
    page.goto("/sizing/?kind=training&pick=h200-sxm")
    until(page, "() => !!document.querySelector('.memory-full .memory')")
    parts = page.locator(".memory-full .memory rect").all()
    named = {part.get_attribute("class"): float(part.get_attribute("width")) for part in parts}
    assert named["m-card"] == 1000
    # 2, 4 and 12 bytes a parameter
    assert named["m-gradients"] == pytest.approx(2 * named["m-weights"], abs=0.2)
    assert named["m-optimizer"] == pytest.approx(6 * named["m-weights"], abs=0.5)
