"""The main job in a real browser: edit, undo, conflict, refuse; and the look: CSP, axe, phone, dark, Chinese."""

import json
import re

import pytest
from django.conf import settings

from catalog.importers.shipped import shipped
from planner import wording
from planner.engine.inputs import get_at
from planner.services import gallery, scenarios
from tests.browser.conftest import GROWTH, expect, follow, noise, settle, show, type_into, until

pytestmark = pytest.mark.browser
ROW = "#a-demand--workloads--pool--growth--rate_per_month"


def figures(page):
    """Everything the results show, as text."""
    return page.eval_on_selector_all(
        "#verdict, #kpis tbody tr th, #kpis .figure, #details .figure",
        "all => all.map(each => each.textContent.trim())",
    )


def drawn(page):
    return page.evaluate("() => JSON.stringify(document.getElementById('plot').data.map(trace => trace.y))")


def test_growth_changes_verdict_figures_and_chart_without_a_page_load(opened):
    page, row = opened
    page.evaluate("() => { window.stayed = true }")
    before, curve = figures(page), drawn(page)
    box = type_into(page, "Growth", "8")
    assert page.evaluate("() => window.stayed") is True
    after = figures(page)
    assert after != before
    assert after[0] != before[0]
    assert drawn(page) != curve
    assert page.locator("#kpis .delta").count() == 4
    assert page.locator("#announce").inner_text().strip()
    assert box.evaluate("box => document.activeElement === box")
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.08
    assert noise(page) == []

    page.click("#undo")
    until(page, "() => document.getElementById('base').value === '3'")
    settle(page)
    assert figures(page) == before
    assert drawn(page) == curve
    assert box.input_value() == "4"
    page.click("#redo")
    until(page, "() => document.getElementById('base').value === '4'")
    assert figures(page) == after

    page.reload()
    page.wait_for_selector("#plot .main-svg")
    assert figures(page) == after
    assert page.get_by_label("Growth", exact=True).input_value() == "8"


def test_keyboard_undo_and_redo_outside_a_field(opened):
    page, _row = opened
    type_into(page, "Growth", "8")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Control+z")
    until(page, "() => document.getElementById('base').value === '3'")
    page.keyboard.press("Control+Shift+z")
    until(page, "() => document.getElementById('base').value === '4'")


def test_typing_keeps_focus_and_cursor(opened):
    page, row = opened
    box = page.get_by_label("Growth", exact=True)
    box.click()
    box.press("Control+a")
    for key in "6.25":
        box.press(key)
        page.wait_for_timeout(220)  # longer than the pause after which an edit is sent
    settle(page)
    assert box.input_value() == "6.25"
    assert box.evaluate("box => document.activeElement === box && box.selectionStart") == 4
    page.wait_for_timeout(300)
    settle(page)
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.0625


def test_arrow_keys_step(opened):
    page, row = opened
    box = page.get_by_label("Growth", exact=True)
    box.focus()
    with page.expect_response(lambda response: "/edit/" in response.url) as answer:
        box.press("ArrowUp")
    answer.value.finished()
    assert box.input_value() == "5"
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.05


def test_fast_edits_of_two_fields_are_both_saved(opened):
    page, row = opened
    page.get_by_label("Growth", exact=True).fill("7")
    page.get_by_label("GPUs today", exact=True).fill("3")
    until(page, "() => document.getElementById('base').value === '3'")
    document = scenarios.newest(row).document
    assert get_at(document, GROWTH) == 0.07
    assert get_at(document, "demand/workloads/pool/gpus") == 3.0
    assert page.locator("#conflict").inner_text() == ""


def test_a_second_tab_with_a_stale_version_gets_a_conflict(opened):
    page, row = opened
    other = page.context.new_page()
    show(other, row)
    type_into(page, "Growth", "8")
    type_into(other, "Growth", "2")
    notice = other.locator("#conflict")
    assert "Nothing was saved" in notice.inner_text()
    text = notice.inner_text().replace("\u00a0", " ")
    assert "it was 4 % / mo, now it is 8 % / mo; you asked for 2 % / mo" in text
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.08
    follow(other.get_by_role("button", name="Apply my change on top of the newest"))
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.02


@pytest.mark.parametrize("typed", ["abc", "", "−900", "1e9", "NaN", "inf", "9" * 10_000, "5 apples", "4,5"])
def test_a_refused_entry_has_its_message_beside_it_and_the_last_good_result_stays(opened, typed):
    page, row = opened
    before = figures(page)
    box = type_into(page, "Growth", typed)
    message = page.locator(f"{ROW} .error")
    assert message.inner_text().startswith("Growth")
    assert box.get_attribute("aria-invalid") == "true"
    assert page.locator(".stale-note").is_visible()
    assert page.locator("#kpis").evaluate("each => getComputedStyle(each).filter") == "grayscale(1)"
    assert figures(page) == before
    assert scenarios.newest(row).number == 1
    type_into(page, "Growth", "4")  # the saved value again
    assert message.count() == 0
    assert not page.locator(".stale-note").is_visible()


def test_a_minus_beyond_the_bounds_names_them(opened):
    page, _row = opened
    type_into(page, "GPUs today", "-5")
    text = page.locator("#a-demand--workloads--pool--gpus .error").inner_text().replace("\u00a0", " ")
    assert text == "GPUs today must lie in 0–100,000 GPU; got −5."


@pytest.mark.parametrize("typed", ["1,000", "１０００", "1 000", "1000.0"])
def test_numbers_as_people_write_them(opened, typed):
    page, row = opened
    type_into(page, "Ceiling", typed)
    assert get_at(scenarios.newest(row).document, "demand/workloads/pool/growth/ceiling") == 1000.0


def test_an_offline_edit_is_kept_and_sent_again(opened):
    page, row = opened
    page.context.set_offline(True)
    page.get_by_label("Growth", exact=True).fill("8")
    page.wait_for_selector("#banner:not([hidden])")
    assert page.get_by_label("Growth", exact=True).input_value() == "8"
    page.context.set_offline(False)
    until(page, "() => document.getElementById('base').value === '2'")
    expect(page.locator("#banner")).to_be_hidden()
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.08


def test_an_edit_of_a_deleted_scenario_is_sent_once_and_says_why(opened):
    page, row = opened
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/edit/" in request.url else None)
    scenarios.delete(row)
    page.get_by_label("Growth", exact=True).fill("8")
    page.wait_for_selector("#banner:not([hidden])")
    assert "It may have been deleted" in page.locator("#banner").inner_text()
    assert page.get_by_label("Growth", exact=True).input_value() == "8"
    page.wait_for_timeout(5000)  # longer than any wait before a second try
    assert len(asked) == 1
    page.problems.clear()  # the 404 that was asked for


@pytest.mark.parametrize(("status", "words"), [(403, "You may not edit"), (413, "too long"), (400, "refused")])
def test_what_the_server_refuses_is_not_sent_again(opened, status, words):
    page, _row = opened
    asked = []
    page.route("**/edit/", lambda route: (asked.append(1), route.fulfill(status=status, body="")))
    page.get_by_label("Growth", exact=True).fill("8")
    page.wait_for_selector("#banner:not([hidden])")
    assert words in page.locator("#banner").inner_text()
    page.wait_for_timeout(2500)
    assert len(asked) == 1
    page.problems.clear()


def test_a_fault_of_the_server_is_tried_again_more_and_more_seldom(opened):
    page, row = opened
    page.clock.install()
    asked = []
    page.route("**/edit/", lambda route: (asked.append(1), route.fulfill(status=503, body="")))
    page.get_by_label("Growth", exact=True).fill("8")
    page.clock.run_for(200)
    page.wait_for_selector("#banner:not([hidden])")
    for wait in (1, 2, 4, 8, 16, 32):
        before = len(asked)
        page.clock.run_for(wait * 1000 - 300)
        assert len(asked) == before
        with page.expect_response("**/edit/"):
            page.clock.run_for(400)
        page.evaluate("() => 0")
    again = page.get_by_role("button", name="Try again")
    again.wait_for()
    page.clock.run_for(300_000)
    assert len(asked) == 7
    page.unroute("**/edit/")
    again.click()
    until(page, "() => document.getElementById('base').value === '2'")
    expect(page.locator("#banner")).to_be_hidden()
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.08
    page.problems.clear()


def test_a_switch_and_a_choice(opened):
    page, row = opened
    page.locator("#part-finance > summary").click()
    with page.expect_response(lambda response: "/edit/" in response.url):
        page.get_by_label("Count resale at the end", exact=True).uncheck()
    until(page, "() => document.getElementById('base').value === '2'")
    assert get_at(scenarios.newest(row).document, "finance/residual_at_horizon") is False
    with page.expect_response(lambda response: "/edit/" in response.url):
        page.get_by_label("Growth curve", exact=True).focus()
        page.get_by_label("Growth curve", exact=True).select_option("linear")
    page.get_by_label("Added each month", exact=True).wait_for()
    settle(page)
    assert page.get_by_label("Growth curve", exact=True).evaluate("each => document.activeElement === each")


def test_a_part_of_a_plan_is_switched_off_where_one_stands(opened):
    page, row = opened
    page.locator(".planrow summary").first.click()
    box = page.get_by_role("group", name="Start with 4, scale out").get_by_label("Cloud overflow", exact=True)
    page.evaluate("() => { window.stayed = true }")
    box.focus()
    box.press("Space")
    until(page, "() => document.getElementById('base').value === '2'")
    page.get_by_role("group", name="Start with 4, scale out").get_by_label("Rented GPU").wait_for(state="detached")
    settle(page)
    assert box.is_visible()  # the plan is still open
    assert not box.is_checked()
    assert box.evaluate("box => document.activeElement === box")
    assert page.evaluate("() => window.stayed") is True
    assert scenarios.newest(row).document["plans"][0]["overflow"] is None
    assert noise(page) == []


def test_a_plan_is_copied_after_an_edit_in_the_same_page(opened):
    page, row = opened
    type_into(page, "Growth", "8")
    page.locator(".planrow summary").first.click()
    follow(page.locator(".planrow").first.get_by_role("button", name="Duplicate").first)
    assert len(scenarios.newest(row).document["plans"]) == 5
    assert page.locator("#kpis tbody tr").count() == 5


def test_find_an_assumption_and_only_changed(opened):
    page, _row = opened
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.id") == "find"
    page.keyboard.type("discount")
    visible = page.locator(".arow:visible label").all_inner_texts()
    assert "Discount rate" in visible
    assert "Growth" not in visible
    assert all("discount" in label.lower() for label in visible)
    page.fill("#find", "")
    type_into(page, "Growth", "8")
    assert page.inner_text("#only-changed") == "1 changed"
    page.click("#only-changed")
    assert page.locator(".arow:visible label").all_inner_texts() == ["Growth"]


def test_reset_brings_the_default_back(opened):
    page, row = opened
    type_into(page, "Growth", "8")
    page.locator(f"{ROW} .reset").click()
    until(page, "() => document.getElementById('base').value === '3'")
    settle(page)
    assert page.get_by_label("Growth", exact=True).input_value() == "4"
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.04


def test_why_opens_beside_the_figures_and_leads_to_the_field(opened):
    page, _row = opened
    page.locator("#kpis .figure").first.click()
    dialog = page.locator("dialog#why")
    dialog.wait_for()
    assert "Present value" in dialog.inner_text()
    assert dialog.locator(".node").count() > 2
    dialog.locator("[data-driver]", has_text="Discount rate").first.click()
    assert not dialog.is_visible()
    assert page.evaluate("() => document.activeElement.id") == "a-finance--discount_rate-i"


def to_chart(page, code):
    with page.expect_response(lambda response: f"/chart/{code}/" in response.url):
        page.click(f"#tab-{code}")
    until(page, f"() => document.querySelector('#chart[data-code={code}] #plot:not([aria-busy]) .main-svg') !== null")
    settle(page)


def test_every_chart_has_its_title_legend_or_labels_and_a_table(opened):
    """The strict policy makes plotly's titles and legends vanish without an error unless the empty style is allowed."""
    page, row = opened
    for code in ("cumulative", "category", "capacity", "power", "cash"):
        to_chart(page, code)
        assert page.inner_text("#chart-text h3")
        names = page.locator("#plot .legendtext, #plot .annotation-text").all_text_contents()
        assert len(names) >= 2, code
        size = page.locator("#plot .legendtext, #plot .annotation-text, #plot .xtick text").first.bounding_box()
        assert size["width"] > 10
        assert size["height"] > 5
        page.click("#chart details summary")
        assert page.locator("#chart-table tbody tr").count() > 1
    assert noise(page) == []
    show(page, row, "?chart=power")
    assert page.locator("#chart").get_attribute("data-code") == "power"


def open_all(page):
    page.evaluate("() => document.querySelectorAll('details').forEach(each => { each.open = true })")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_is_clean_on_home_workspace_and_why(opened, axe, scheme):
    page, row = opened
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto("/")
    assert axe(page) == []
    show(page, row)
    open_all(page)
    other = page.context.new_page()
    show(other, row)
    type_into(other, "Growth", "8")
    type_into(page, "GPUs today", "abc")
    assert axe(page) == []
    type_into(page, "Growth", "2")
    assert "Nothing was saved" in page.inner_text("#conflict")
    assert axe(page) == []
    page.goto(f"/s/{row.pk}/why/scale-out/present_value/")
    open_all(page)
    assert axe(page) == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_phone_never_scrolls_the_page_sideways(signed_page, make, live, language):
    page = signed_page
    page.set_viewport_size({"width": 390, "height": 844})
    page.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": live}])
    for slug in gallery.templates():
        row = make(slug)
        for path in ("/", f"/s/{row.pk}/", f"/s/{row.pk}/why/cloud/present_value/"):
            page.goto(path)
            page.wait_for_timeout(150)
            open_all(page)
            assert page.evaluate("() => document.documentElement.scrollWidth") <= 390, path
        page.goto(f"/s/{row.pk}/")
        page.locator(".views a").first.click()
        assert page.locator("#assumptions").is_visible()
        assert not page.locator("#results").is_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_an_address_of_a_row_opens_and_focuses_it(signed_page, make):
    page = signed_page
    page.goto(f"/s/{make().pk}/#a-finance--discount_rate")
    until(page, "document.activeElement?.closest('#a-finance--discount_rate') !== null")


def test_dark_follows_the_system_and_the_button(opened):
    page, _row = opened
    ground = "() => getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == "rgb(15, 19, 23)"
    line = "[...document.querySelectorAll('#plot .scatterlayer .js-line')].some(line => line.style.stroke === '{}')"
    until(page, line.format("rgb(86, 180, 233)"))  # Plotly draws again in its own time
    page.click("#theme-button")  # system → light
    assert page.evaluate(ground) == "rgb(247, 248, 249)"
    until(page, line.format("rgb(0, 114, 178)"))
    page.reload()
    assert page.evaluate(ground) == "rgb(247, 248, 249)"


# Names of products, units and codes that are written in Latin letters in Chinese too.
LATIN = re.compile(
    r"https?://\S+|tinybox (?:red|green|pro)|RTX|GeForce|"
    r"RDMA|GbE|RoCE|Ray Serve|Celery|Slurm|Kubernetes|CUDA|ROCm|CANN|XLA|Neuron|oneAPI|Q?LoRA|PyTorch|token|"
    r"[0-9a-f]{12}|Outlay|Excel|ASHRAE|English|Transformer|GPU|CFM|NVL?|SXM\d?|PCIe|NVLink|PUE|USD|CSV|PDU|UPS|kW(?:h)?|TB|GB|BF16|FP8|FP64|AMD|NVIDIA|Dell|HPE|HGX|DGX|FTE|TCO|"
    r"PowerEdge|XE\d+\w*|H\d{2,3}|A\d{2,3}|B\d{3}|MIG|MFU|dB|kg|IEC|BTU|lb|ft|QM\d+|Adam|Gbit/s|400G|800G|CBRE|EIA|GPUs?|v\d+|m\d+|Q\d|N\+1|IT|U|A|V|N|Ctrl|Shift|Z|PV|"
    r"us-va[\w-]*|US-VA|Virginia|[a-z0-9]+(?:-[a-z0-9.]+)+|[\w.]+/[\w./-]+|SaaS|NDR|OSFP|QSFP\w*|DAC|AOC|InfiniBand|Ethernet|Spectrum|Quantum|k"
)


PROVIDERS = re.compile(
    "|".join(
        sorted(
            {re.escape(item.spec.provider) for item in shipped().of_kind("offer").values()}
            | {re.escape(str(name)) for name in wording.sources.PROVIDERS.values()},
            key=len,
            reverse=True,
        )
    )
)


def english(page):
    """Text a reader sees that holds an English word: choices of the catalog and quoted notes (lang=en) aside."""
    texts = page.evaluate("""() => {
      const found = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (parent.closest('script, style, option, noscript, [lang="en"], a[href^="http"]')) continue;
        found.push(walker.currentNode.textContent);
      }
      for (const each of document.querySelectorAll('[title], [aria-label], [placeholder]'))
        if (!each.closest('[lang="en"]'))
          found.push(each.getAttribute('title') || '', each.getAttribute('aria-label') || '', each.placeholder || '');
      for (const each of document.querySelectorAll('.arow select')) {
        const item = each.options.length > 8;
        if (!item) for (const option of each.options) found.push(option.textContent);
      }
      return found; }""")
    left = []
    for text in texts:
        rest = LATIN.sub(" ", PROVIDERS.sub(" ", text))
        if re.search(r"[A-Za-z]{3,}", rest):
            left.append(text.strip()[:120])
    return sorted(set(left))


@pytest.mark.parametrize("slug", gallery.templates())
def test_chinese_pages_hold_no_english_sentence(signed_page, make, live, slug):
    page = signed_page
    page.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": "zh-hans", "url": live}])
    row = make(slug)
    page.goto("/")
    assert english(page) == []
    show(page, row)
    open_all(page)
    assert english(page) == []
    for code in ("category", "capacity", "power", "cash"):
        to_chart(page, code)
        assert english(page) == [], code
    for kpi in ("present_value", "cost_per_useful_gpu_hour", "peak_kw", "served_share", "break_even"):
        page.goto(f"/s/{row.pk}/why/cloud/{kpi}/")
        open_all(page)
        assert english(page) == [], kpi


@pytest.mark.parametrize("slug", gallery.templates())
def test_every_displayed_figure_of_a_plan_is_a_link(signed_page, make, slug):
    """No number in the tables of the results stands without its Why, but for those that are none of a plan's."""
    page = signed_page
    show(page, make(slug))
    names = [text.strip() for text in page.locator("#kpis tbody th").all_text_contents()]
    loose = page.evaluate("""() => [...document.querySelectorAll('#kpis td, #details td, #verdict strong')]
      .filter(cell => /\\d/.test(cell.textContent) && !cell.querySelector('[data-why]') && !cell.closest('[data-why]'))
      .map(cell => cell.textContent.trim())""")
    loose = [text for text in loose if text.removesuffix("differs").strip() not in names]  # names have numbers in them
    assert loose == []


def test_no_script_still_edits(browser, live, sign_in, make, people):
    row = make()
    context = browser.new_context(base_url=live, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, people[1]["ada"])
    page.goto(f"/s/{row.pk}/")
    box = page.get_by_label("Growth", exact=True)
    box.fill("8")
    box.press("Enter")
    page.wait_for_url("**/#a-demand*")
    assert page.get_by_label("Growth", exact=True).input_value() == "8"
    assert page.locator("#chart-table").count() == 1
    follow(page, "#undo")
    assert page.get_by_label("Growth", exact=True).input_value() == "4"
    context.close()
    assert json.dumps(scenarios.newest(row).patch)
