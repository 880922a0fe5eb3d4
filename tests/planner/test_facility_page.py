"""The facility page: racks, bars, losses, what limits are passed; its words in both languages."""

import json
import re
from itertools import pairwise

import pytest
from django.urls import reverse
from django.utils import translation

from planner import facility_page
from planner.charts import racks
from planner.engine.quantities import InputError
from planner.forms import Page
from planner.services import evaluation, scenarios
from planner.services.facility import facility, feeds, first_choice, losses, read_month
from tests.planner import sample

OFFICE = {
    "slug": "office",
    "kind": "office",
    "cooling_method": "office_air",
    "cooling_kw": 5.0,
    "racks": 2,
    "upgrades": [{"slug": "split", "item": "split-ac-24k-installed", "adds_cooling_kw": 7.0, "lead_weeks": 6}],
}
# 208 V × 30 A × 80 % = 4.992 kW each
FEEDS = {
    "volts": 208,
    "amps": 30,
    "phases": "single",
    "derating": 0.8,
    "power_factor": 1.0,
    "feeds": 2,
    "redundancy": "N",
}


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def shown(plan="server", month=0, lost="", book=None, document=None, **site):
    """The page of a month of the sample: its server draws at most 7 kW, 5.3 busy, 4 U, 62 kg."""
    result, _comparison = sample.evaluated(book, sites=[{**OFFICE, **site}], **(document or {}))
    rows = Page(result.scenario, result, result.book, evaluation.catalog(), result.scenario.model_dump(mode="json"))
    page = facility_page.page(facility(result, plan, month, lost), result, rows.row_at)
    return json.loads(json.dumps(page).replace("\\u00a0", " "))  # spaces that do not break, as plain ones


def bars(page):
    return {bar["name"]: bar for bar in page["bars"]}


pytestmark = pytest.mark.django_db


# ── Limits ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_bar_holds_what_is_used_its_limit_what_is_left_and_where_the_limit_comes_from():
    bar = bars(shown(power_kw=8.6))["Power of the room"]
    assert (bar["used"], bar["limit"], bar["left"], bar["over"]) == ("7 kW", "8.6 kW", "1.6 kW", False)
    assert bar["share"] == "81.4 %"
    assert bar["path"] == "sites/office/power_kw"
    assert bar["badge"]["word"] == "template"


def test_u062_headroom_is_told_by_the_nameplate_which_decides_and_by_the_draw_expected():
    # the sample's 2.5 of 8 GPUs are busy: 1.2 + 2.5 / 8 × (5.3 − 1.2) = 2.481 kW
    assert bars(shown(power_kw=8.6))["Power of the room"]["note"] == (
        "by the nameplates, which decide; 2.481 kW expected would leave 6.119 kW"
    )


def test_u065_heat_stands_in_kilowatts_btu_and_tons():
    heat = bars(shown())["Heat"]
    assert heat["used"] == "2.481 kW"
    assert heat["note"] == "8,466 BTU/h · 0.706 tons of refrigeration"  # × 3.412; ÷ 12,000


def test_a_limit_that_nobody_knows_is_not_drawn_and_links_to_where_it_is_entered():
    bar = bars(shown())["Power of the room"]
    assert (bar["limit"], bar["left"], bar["badge"], bar["over"]) == ("", "", None, False)
    assert bar["path"] == "sites/office/power_kw"


def test_a_limit_that_is_passed_is_marked_and_named():
    page = shown(power_kw=6.0, upgrades=[])
    bar = bars(page)["Power of the room"]
    assert (bar["over"], bar["left"], bar["width"]) == (True, "−1 kW", 100.0)
    assert bar["at"] == pytest.approx(600 / 7)
    assert page["verdict"]["text"].startswith("2 limits passed: Power of the room")


def test_u067_an_office_has_a_noise_limit_whether_or_not_it_was_entered():
    noise = bars(shown())["Noise"]
    assert (noise["used"], noise["limit"], noise["over"], noise["badge"]["word"]) == (
        "80 dB(A)",
        "60 dB(A)",
        True,
        "estimate",
    )
    assert "Noise" not in bars(shown(kind="server_room"))


def test_u067_a_server_that_no_office_bears_stands_above_everything():
    (warning,) = shown()["blocking"]
    assert (warning["month"], warning["title"]) == ("Dec 2026", "month 0 of the plan")
    # by the expected draw, not the nameplates, as where heat slows machines down
    assert warning["text"].startswith(
        "PowerEdge XE7745 with 8x H200 NVL (8 GPUs) makes 80 dB(A), and the office tolerates 60 dB(A): people cannot "
        "work beside it, even though the expected 4.89 kW of heat (nameplates: 7 kW) are carried away."
    )
    assert shown("scale-out")["blocking"] == []  # never more than seven GPUs
    assert shown(kind="server_room")["blocking"] == []


def test_u058_the_outlet_of_an_office_is_the_power_of_its_room():
    outlet = {**FEEDS, "volts": 120, "amps": 15, "feeds": 1}
    page = shown(circuit=outlet, upgrades=[])
    bar = bars(page)["Power of the room"]
    assert (bar["limit"], bar["path"]) == ("1.44 kW", "sites/office/circuit/amps")
    assert page["circuit"]["rating"] == "1 feed of 120 V × 15 A × 80 % × power factor 1 = 1.44 kW each"
    power = next(each for each in page["passed"] if each["path"].endswith("amps"))
    assert power["text"] == "The machines draw up to 7 kW; the circuits of the office carry 1.44 kW."
    assert power["none"]


def test_a_single_rack_shows_what_its_floor_bears():
    # 62 + 134 kg on 1.38 m²: (432.1 lb + 106.6 + 148.5) / 14.854 ft² = 46.27 lb/ft² = 225.9 kg/m²
    floor = bars(shown())["Floor load"]
    assert (floor["used"], floor["limit"]) == ("225.9 kg/m²", "341.8 kg/m²")
    assert bars(shown(kind="server_room"))["Floor load"]["limit"] == ""


# ── When limits are passed ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_limit_passed_names_its_month_its_assumption_and_the_upgrade_with_price_and_dates():
    page = shown(cooling_kw=2.6)
    heat = next(each for each in page["passed"] if each["path"] == "sites/office/cooling_kw")
    assert (heat["month"], heat["state"], heat["field"]) == ("Mar 2027", "lifted in time", "Cooling")
    # 2.5 × 1.04³ = 2.812 GPUs: 1.2 + 2.812 / 8 × 4.1
    assert heat["text"] == "The machines give off 2.641 kW; the office carries away 2.6 kW."
    (remedy,) = heat["remedies"]
    assert remedy["name"] == "Split air conditioner, 7 kW, installed"
    assert remedy["text"].startswith("+7 kW, $4,500, 6 weeks from order; ordered Jan 2027, in service Mar 2027")
    assert remedy["path"] == "sites/office/upgrades/split/lead_weeks"
    assert remedy["badge"]["word"] == "estimate"


def test_an_upgrade_that_the_plan_does_not_buy_is_told_as_what_it_would_take():
    plans = sample.document()["plans"]
    plans[1]["upgrades"] = "show"
    page = shown(cooling_kw=2.6, document={"plans": plans})
    heat = next(each for each in page["passed"] if each["path"] == "sites/office/cooling_kw")
    assert "not bought by this plan" in heat["remedies"][0]["text"]
    assert heat["tone"] == "bad"


def test_throttling_is_told_with_the_hours_it_costs():
    page = shown(cooling_kw=2.0, upgrades=[])
    assert page["throttle"]["text"].startswith("The heat slows the machines down to 89.8 % of their rate")  # √(2/2.481)
    assert shown()["throttle"]["tone"] == "good"
    assert "switch themselves off" in shown(cooling_kw=1.0, upgrades=[])["throttle"]["text"]
    assert "stand still" in shown(power_kw=5.0, upgrades=[])["throttle"]["text"]


OUTLET = {"volts": 120.0, "amps": 15.0, "phases": "single", "derating": 0.8, "power_factor": 1.0, "feeds": 1}
THREE_PHASE = {"volts": 208.0, "amps": 60.0, "phases": "three", "derating": 0.8, "power_factor": 1.0, "feeds": 1}


def test_the_feeds_that_an_upgrade_brings_are_shown_from_the_month_in_which_they_are_there():
    step = {"slug": "feed", "item": "split-ac-24k-installed", "lead_weeks": 8.0, "price": 6700.0}
    step |= {"circuit": THREE_PHASE | {"redundancy": "N"}}
    room = {"power_kw": 20.0, "circuit": OUTLET | {"redundancy": "N"}, "upgrades": [step]}
    before, after = shown(month=1, **room), shown(month=2, **room)
    assert before["verdict"]["text"] == "A machine fits in no rack of this room."
    assert (before["throttle"]["tone"], after["throttle"]["tone"]) == ("bad", "good")
    assert before["throttle"]["text"].startswith("No machine fits in a rack of this room")
    assert before["circuit"]["path"] == "sites/office/circuit/amps"
    assert after["circuit"]["rating"] == "1 feed of 208 V × 60 A × √3 × 80 % × power factor 1 = 17.29 kW each"
    assert after["circuit"]["path"] == "sites/office/upgrades/feed/circuit/amps"
    assert len(after["racks"]) == 1
    (passed,) = [each for each in after["passed"] if each["path"].endswith("circuit/amps")]
    (remedy,) = passed["remedies"]
    assert remedy["text"].startswith("feeds of 208 V, 60 A, ")


# ── Racks ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_rack_is_drawn_to_scale_with_each_machine_where_it_stands():
    page = shown("cluster")
    (rack,) = page["racks"]
    assert rack["name"] == "Rack 1"
    assert rack["facts"] == ["10 U of 40 U", "17.4 kW", "154 kg of 1,300 kg"]  # 2 × 7 + 2 × 1.7 kW
    boxes = re.findall(
        r'<rect class="machine[^"]*" x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', rack["svg"]
    )
    assert [float(height) for _y, height in boxes] == [32, 32, 8, 8]  # 8 px a unit: 4 U and 1 U
    floor = 6 + 42 * 8
    assert [floor - float(y) for y, _height in boxes] == [32, 64, 72, 80]  # on each other from the floor up
    assert rack["svg"].count("PowerEdge XE7745") >= 2
    assert "7 kW · 62 kg" in rack["svg"]
    assert "30 U free" in rack["svg"]


def test_the_table_says_what_the_drawing_shows():
    rows = shown("cluster")["machines"]
    assert [(row["place"], row["name"], row["count"], row["kw"], row["kg"]) for row in rows] == [
        ("U1–U8", "PowerEdge XE7745 with 8x H200 NVL", "2", "7 kW", "62 kg"),
        ("U9–U10", "QM9700", "2", "1.7 kW", "15 kg"),
    ]


def test_labels_that_would_lie_on_each_other_are_moved_apart():
    boxes = [racks.Box(bottom, 1, 1, ("x",), all_lines=(f"machine {bottom}", "1 U")) for bottom in (1, 2, 3)]
    svg = racks.draw(boxes, 10, 0, "words", "free", "kept")
    heights = [float(y) for y in re.findall(r'<text class="name" x="[\d.]+" y="([\d.]+)">', svg)]
    assert heights == sorted(heights, reverse=True)
    assert all(one - other >= 2 * racks.LINE for one, other in pairwise(heights))


def test_what_is_drawn_is_escaped():
    svg = racks.draw([racks.Box(1, 4, 1, ("<b>",))], 10, 0, '"&', "free", "kept")
    assert "<b>" not in svg
    assert "&quot;&amp;" in svg


# ── Losses ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_one_of_two_feeds_lost_overloads_the_other():
    page = shown(circuit=FEEDS, power_kw=20.0, lost="A")
    assert page["loss"]["text"] == "Feed A lost. 1 rack overloads its remaining feeds. 1 machine goes down."
    (row,) = page["circuit"]["rows"]
    assert (row["share"], row["state"], row["usable"]) == ("140 %", "overloaded: trips", "4.992 kW")  # 7 of 4.992
    assert "machine off" in page["racks"][0]["svg"]
    assert [each["code"] for each in page["losses"]] == ["", "A", "B"]


def test_with_both_feeds_the_rack_runs_and_the_loss_of_one_is_foretold():
    (row,) = shown(circuit=FEEDS, power_kw=20.0)["circuit"]["rows"]
    assert (row["share"], row["state"], row["other"], row["fragile"]) == ("70.1 %", "carries it", "140 %", True)


def test_supplies_are_counted_against_what_full_power_needs():
    builds = sample.book().builds
    prices = sample.book(builds=builds | {"srv-8x": builds["srv-8x"].model_copy(update={"psus": 6, "psus_needed": 5})})
    page = shown(book=prices, circuit={**FEEDS, "amps": 60, "feeds": 3, "redundancy": "N+1"}, power_kw=20.0, lost="B")
    (supply,) = page["supplies"]
    assert (supply["failed"]["text"], supply["failed"]["tone"]) == ("5 left of 5 needed", "good")
    assert (supply["feed"]["text"], supply["feed"]["tone"]) == ("4 left of 5 needed", "bad")
    assert page["loss"]["text"] == "Feed B lost. 1 machine has too few supplies left for full power."
    assert "machine short" in page["racks"][0]["svg"]


@pytest.mark.parametrize(
    ("units", "words"),
    [(5, "The others carry 4 kW"), (2, "slow down to"), (1, "switch themselves off")],
)
def test_a_lost_cooling_unit_is_told_by_what_is_left(units, words):
    cooling = 5.0 if units != 2 else 4.0
    assert words in shown(cooling_units=units, cooling_kw=cooling, lost="cooling")["loss"]["text"]


def test_what_a_room_does_not_have_is_not_lost():
    page = shown(lost="A")
    assert (page["loss"], page["losses"][0]["chosen"]) == (None, True)
    assert page["circuit"]["missing"].startswith("No circuit is named")


# ── The next wave, months, plans ─────────────────────────────────────────────────────────────────────────────────────


def test_what_the_next_wave_changes_is_told_before_and_after():
    page = shown("scale-out", racks=None, cooling_kw=None)
    rows = {row["name"]: (row["before"], row["after"], row["change"]) for row in page["next"]["rows"]}
    assert rows["GPUs"] == ("4 GPUs", "5 GPUs", "+1 GPU")
    assert rows["Highest draw by the nameplates"] == ("4.1 kW", "4.8 kW", "+0.7 kW")
    assert rows["Servers"] == ("1 server", "1 server", "–")
    assert page["after"]["text"] == page["next"]["month"]


def test_a_plan_in_the_cloud_owns_nothing():
    assert shown("cloud")["owns"] is False


def test_a_plan_whose_machine_is_unknown_says_why_it_has_no_room():
    builds = {slug: build for slug, build in sample.book().builds.items() if slug != "srv-8x"}
    page = shown(book=sample.book(builds=builds))
    assert page["owns"] is False
    assert page["refusals"] == ["Srv-8x is not in the catalog."]
    assert shown("cloud")["refusals"] == []


def test_liquid_machines_have_their_flow():
    builds = sample.book().builds
    prices = sample.book(builds=builds | {"srv-8x": builds["srv-8x"].model_copy(update={"cooling": "hybrid"})})
    facts = {each["name"]: each["text"] for each in shown(book=prices)["air"]}
    assert facts["Water through the loops"] == "7.01 to 8.51 L/min"  # 70 to 85 % of 7 kW, 1.43 L/min a kW
    assert facts["Heat left to the air"] == "1.05 to 2.1 kW"
    assert "Water through the loops" not in {each["name"] for each in shown()["air"]}


def test_air_stands_in_both_units():
    # no maker's figure: 150 CFM a kW of 7 kW; × 1.699
    assert shown()["air"][0]["text"] == "1,050 CFM · 1,784 m³/h"


@pytest.mark.parametrize(("text", "month"), [("", None), ("15", 15), ("m15", 15), ("2028-03", 15), (" 0 ", 0)])
def test_a_month_is_read_both_ways(text, month):
    result, _comparison = sample.evaluated()  # begins in December 2026
    assert read_month(text, result) == month


@pytest.mark.parametrize("text", ["36", "-1", "2020-01", "x", "1e3", "²"])
def test_a_month_outside_the_horizon_is_refused_with_its_bounds(text):
    result, _comparison = sample.evaluated()
    with pytest.raises(InputError) as refused:
        read_month(text, result)
    assert (refused.value.problems[0].low, refused.value.problems[0].high) == (0, 35)


def test_the_first_plan_is_the_best_that_owns_machines():
    result, comparison = sample.evaluated()
    ranked = [result.plan(slug) for slug in comparison.ranking]
    assert first_choice(ranked) == next(plan.slug for plan in ranked if plan.slug != "cloud")
    assert first_choice([result.plan("cloud")]) == "cloud"


def test_feeds_have_letters_only_where_there_are_racks():
    result, _comparison = sample.evaluated(sites=[{**OFFICE, "circuit": FEEDS, "power_kw": 20.0}])
    assert feeds(facility(result, "server", 0, "").now) == ["A", "B"]
    assert losses(facility(result, "cloud", 0, "").now) == []


# ── Over HTTP ────────────────────────────────────────────────────────────────────────────────────────────────────────


def address(row, **query):
    return reverse("planner:facility", args=[row.pk], query=query)


def test_the_page_names_the_month_and_links_the_waves(signed, row):
    page = signed.get(address(row, plan="scale-out", month="2028-03")).content.decode()
    assert "Mar 2028" in page
    assert 'name="month" min="0" max="59" step="1" value="11"' in page
    assert re.search(r'id="wave-after" title="month \d+ of the plan" href="\?plan=scale-out&amp;month=\d+"', page)
    assert 'aria-current="page">Facility</a>' in page


def test_htmx_gets_the_room_alone_with_the_controls_beside_it(signed, row):
    page = signed.get(address(row, plan="scale-out", month=3), headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in page
    assert 'id="room" data-month="3"' in page
    assert 'id="steps" hx-swap-oob="true"' in page
    assert 'type="range"' not in page  # the slider stays as it is, with its focus


def test_history_gets_the_whole_page(signed, row):
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in signed.get(address(row), headers=headers).content.decode()


def test_a_month_that_is_not_there_is_said_and_the_page_is_shown(signed, row):
    answer = signed.get(address(row, month="99"))
    assert answer.status_code == 422
    assert "must lie in 0–59 months; got “99”." in answer.content.decode().replace("\u00a0", " ")
    assert 'id="room"' in answer.content.decode()


def test_an_unknown_plan_is_not_found(signed, row):
    assert signed.get(address(row, plan="nothing")).status_code == 404


def test_links_lead_to_assumptions_that_are_there(signed, row):
    workspace = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    known = set(re.findall(r'id="(a-[^"]+)"', workspace))
    for plan in ("scale-out", "server-now", "cluster-now"):
        for month in (0, 30):
            page = signed.get(address(row, plan=plan, month=month)).content.decode()
            wanted = set(re.findall(rf'href="/s/{row.pk}/#(a-[^"]+)"', page))
            assert wanted
            assert {each.removesuffix("-i") for each in wanted} <= known, plan


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("template", ["small-team", "image-startup", "driving-lab", "office-server"])
def test_every_template_is_shown_in_both_languages_without_a_gap(signed, workspace, editor, template, language):
    row = scenarios.create_from_template(workspace, editor, template)
    for plan in row.head.document["plans"]:
        for lost in ("", "A", "cooling"):
            answer = signed.get(
                address(row, plan=plan["slug"], month=20, lost=lost), headers={"Accept-Language": language}
            )
            page = answer.content.decode()
            assert answer.status_code == 200
            body = page[page.index("<main") : page.index("</main")]
            assert not re.search(r"\{\w+\}|None(?!:)|nan\b|\binf\b", body), (plan["slug"], lost)
            if language == "zh-hans" and 'id="nothing-owned"' not in body:
                assert "机柜" in body


def test_the_cloud_plan_says_that_it_needs_no_room(signed, row):
    page = signed.get(address(row, plan="cloud")).content.decode()
    assert "This plan owns no machines." in page
    assert 'id="room"' not in page
