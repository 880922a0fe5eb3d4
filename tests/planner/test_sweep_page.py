"""A sweep in words, figures and a file. Amounts are literals, so that each bar, lead and flip is worked in the head.

Two plans: the server costs 100 000 and the cloud 120 000 as things stand, so the server leads by 20 000.
"""

import csv
import io
import json
import xml.etree.ElementTree as ET
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from planner import charts, forms, sweep_page
from planner.charts import svg, tornado
from planner.charts import sweep as drawn
from planner.charts.sweep import SweepChart
from planner.engine.sensitivity import Curve, Flip, Sweep, as_plain, from_plain, ranged
from planner.engine.sensitivity import sweep as swept
from planner.exports.sweep import sweep_csv
from planner.services import documents, gallery
from tests.planner import sample

EVALUATION, _COMPARISON = sample.bare()
SCENARIO, BOOK = EVALUATION.scenario, EVALUATION.book


def along(path, unit, x, now, server, cloud, flips=(), *, whole=False, widened=False, fails=""):
    """A curve of the two plans; where the server has no amount it fails."""
    best = [
        "cloud" if own is None or (other is not None and other < own) else "server"
        for own, other in zip(server, cloud, strict=True)
    ]
    return Curve(
        path=path,
        paths=(path,),
        unit=unit,
        whole=whole,
        low=x[0],
        high=x[-1],
        now=now,
        holds=now,
        widened=widened,
        influence=0.0,
        x=x,
        values={"server": server, "cloud": cloud},
        reasons={"server": tuple("" if own is not None else fails for own in server), "cloud": ("",) * len(x)},
        cheapest=tuple(best),
        flips=tuple(Flip(x=at, before=before, after=after) for at, before, after in flips),
    )


GPUS = along(
    "demand/workloads/pool/gpus", "GPU", (2.0, 3.0, 4.0), 3.0,
    (100e3, 100e3, 100e3), (80e3, 120e3, 160e3), [(2.5, "cloud", "server")], widened=True,
)  # fmt: skip
RATE = along(
    "finance/discount_rate", "share/year", (0.06, 0.08, 0.12), 0.08, (105e3, 100e3, 90e3), (130e3, 120e3, 100e3)
)
LIFE = along(
    "plans/server/end_of_life/life_months", "month", (36.0, 48.0, 60.0, 72.0), 60.0,
    (140e3, 110e3, 100e3, None), (120e3,) * 4, [(47.0, "cloud", "server"), (66.0, "server", "cloud")],
    whole=True, fails="service_target",
)  # fmt: skip
HORIZON = along(
    "months", "month", (36.0, 60.0, 84.0), 60.0, (90e3, 100e3, 110e3), (60e3, 120e3, 180e3),
    [(59.0, "cloud", "server")], whole=True,
)  # fmt: skip


def answer(*curves, horizon=HORIZON, base=None, cheapest="server", rest=("sites/room/pue",)):
    base = base or {"server": 100e3, "cloud": 120e3}
    return Sweep(base=base, cheapest=cheapest, curves=curves, horizon=horizon, rest=rest)


ALL = answer(GPUS, LIFE, RATE)


def chart(sweep=ALL):
    return SweepChart(sweep, SCENARIO, BOOK)


def page(sweep=ALL, **more):
    return sweep_page.page(sweep, SCENARIO, BOOK, **more)


@pytest.fixture(autouse=True)
def english():
    with override("en"):
        yield


# ── Words ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_verdict_counts_the_assumptions_over_whose_whole_range_the_plan_stays_the_cheapest():
    assert (
        page()["verdict"]["title"]
        == "“8-GPU server now” stays the cheapest over the whole range of 1 of 3 assumptions."
    )


def test_the_verdict_names_the_change_that_is_the_least_way_off():
    # the life: (66 − 60) ÷ 36 = 0.17; the GPUs: (3 − 2.5) ÷ 2 = 0.25; the horizon, 1 ÷ 48, stands apart
    text = page()["verdict"]["text"]
    assert text == "Nearest change: Service life from 66\xa0months on (now 60\xa0months) makes “Cloud” the cheapest."


def test_the_change_of_a_number_that_is_not_whole_lies_below_or_above():
    text = page(answer(GPUS))["verdict"]["text"]
    assert text == "Nearest change: GPUs today below 2.5\xa0GPUs (now 3\xa0GPUs) makes “Cloud” the cheapest."


def test_where_nothing_else_changes_the_answer_the_horizon_may():
    assert "Horizon below 59" in page(answer(RATE))["verdict"]["text"]


def test_a_verdict_that_nothing_changes_says_so_and_what_was_not_tried():
    said = page(answer(RATE, horizon=None))["verdict"]
    assert said["title"] == "“8-GPU server now” stays the cheapest, whichever assumption moves within its range."
    assert "P10 to its P90" in said["text"]


def test_a_verdict_that_everything_changes_says_so():
    assert "loses its place" in page(answer(GPUS, LIFE))["verdict"]["title"]


def test_without_a_plan_that_is_possible_the_verdict_says_what_makes_one_possible():
    none = answer(LIFE, base={"server": None, "cloud": None}, cheapest=None)
    said = page(none)["verdict"]
    assert said["title"] == "As things stand no plan is possible."
    assert said["text"] == "1 assumption makes one possible within its range."


def test_without_an_assumption_that_matters_the_verdict_says_so():
    assert page(answer())["verdict"]["title"] == "Nothing within the ranges changes the costs."


def test_a_change_to_no_plan_is_told_as_such():
    fails = along(
        "demand/workloads/pool/gpus", "GPU", (2.0, 4.0), 3.0, (90e3, None), (None, None), [(3.5, "server", None)],
        fails="service_target",
    )  # fmt: skip
    text = page(answer(fails, horizon=None))["verdict"]["text"]
    assert text == "Nearest change: GPUs today above 3.5\xa0GPUs (now 3\xa0GPUs) leaves no plan that is possible."


def test_a_row_has_range_value_amounts_at_both_ends_and_changes():
    gpus, life, *_rest, horizon = page()["rows"]
    assert (gpus["name"], gpus["range"], gpus["now"]) == ("GPUs today", "2 to 4\xa0GPUs", "3\xa0GPUs")
    assert [(cell["low"]["text"], cell["high"]["text"]) for cell in gpus["cells"]] == [
        ("$100k", "$100k"),
        ("$80.0k", "$160k"),
    ]
    assert gpus["flips"] == ["below 2.5\xa0GPUs: “Cloud”"]
    assert gpus["widened"]
    assert life["flips"] == ["below 47\xa0months: “Cloud”", "from 66\xa0months on: “Cloud”"]
    assert life["cells"][0]["high"] == {"text": "–", "exact": "not possible: it falls short of the demand"}
    assert horizon["apart"]
    assert not life["apart"]


def test_a_change_holds_as_far_as_the_next_one_on_its_side():
    growth = along(
        "finance/discount_rate", "share/year", (0.02, 0.04, 0.08, 0.12, 0.14), 0.08,
        (90e3, 120e3, 100e3, 120e3, 90e3), (100e3,) * 5,
        [(0.03, "server", "cloud"), (0.0551, "cloud", "server"), (0.1, "server", "cloud"), (0.13, "cloud", "server")],
    )  # fmt: skip
    assert page(answer(growth, horizon=None))["rows"][0]["flips"] == [
        "from 3\xa0% to 5.51\xa0% / yr: “Cloud”",
        "from 10\xa0% to 13\xa0% / yr: “Cloud”",
    ]
    life = along(
        "plans/server/end_of_life/life_months", "month", (36.0, 48.0, 60.0, 72.0), 60.0,
        (100e3, 140e3, 100e3, 140e3), (120e3,) * 4,
        [(40.0, "server", "cloud"), (55.0, "cloud", "server"), (66.0, "server", "cloud"), (67.0, "cloud", "server")],
        whole=True,
    )  # fmt: skip
    said = page(answer(life, horizon=None))
    assert said["rows"][0]["flips"] == ["from 40 to 54\xa0months: “Cloud”", "at 66\xa0months: “Cloud”"]
    assert "from 40 to 54\xa0months (now 60\xa0months)" in said["verdict"]["text"]


def test_the_notes_name_what_was_left_out_and_what_was_widened():
    notes = page()["notes"]
    assert "Of the 4 assumptions with a declared range, the 3" in notes[0]
    assert "Of less weight or none: PUE." in notes
    assert any("widened to take it in: GPUs today." in note for note in notes)


def test_a_plan_that_is_possible_nowhere_is_noted_and_has_one_dash_a_row():
    rate = along(
        "finance/discount_rate", "share/year", (0.06, 0.12), 0.08, (None, None), (130e3, 100e3), fails="memory"
    )
    said = page(answer(rate, base={"server": None, "cloud": 120e3}, cheapest="cloud"))
    assert "Not possible as things stand: “8-GPU server now”." in said["notes"]
    assert [cell["nowhere"] for cell in said["rows"][0]["cells"]] == [True, False]


def test_assumptions_of_one_name_are_told_apart_by_what_they_belong_to():
    scenario, book = documents.load("small-team")
    found = ranged(scenario)
    names = SweepChart(answer(rest=tuple(each.path for each in found)), scenario, book).called
    assert len(set(names.values())) == len(names)
    assert names["finance/discount_rate"] == "Discount rate"
    assert names["sites/colocation/pue"] == "PUE · colocation"


@pytest.mark.parametrize("name", gallery.templates())
def test_every_assumption_with_a_range_has_its_row_in_the_workspace(name):
    scenario, _book = documents.load(name)
    rows = {each.path for each in forms.walk(scenario)}
    assert {path for each in ranged(scenario) for path in each.paths} <= rows


# ── Tornado ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def bars(figure):
    return [trace for trace in figure["data"] if trace["type"] == "bar"]


def marks(figure):
    return next(
        (list(zip(each["x"], each["y"], strict=True)) for each in figure["data"] if each.get("mode") == "markers"), []
    )


def test_the_lead_is_drawn_from_its_value_now_to_both_ends_the_widest_first():
    # GPUs: −20 000 to 60 000; life: −20 000 to 20 000, where the server fails; rate: 25 000 to 10 000
    figure = tornado.tornado(chart())
    assert [row[0] for row in figure["table"]["rows"]] == ["GPUs today", "Service life", "Discount rate"]
    low, high = bars(figure)
    assert low["base"] == high["base"] == 20_000
    assert low["x"] == [-40_000, -40_000, 5_000]
    assert high["x"] == [40_000, 0, -10_000]
    assert figure["layout"]["yaxis"]["ticktext"] == ["GPUs today", "Service life", "Discount rate"]


def test_a_lead_is_marked_at_zero_where_another_plan_becomes_the_cheapest():
    assert marks(tornado.tornado(chart())) == [(0, 0), (0, 1), (0, 1)]


def test_a_plan_is_marked_with_its_present_value_at_the_change():
    # life of 47 months: 11/12 of the way from 140 000 to 110 000; beyond 60 months the line breaks off
    figure = tornado.tornado(chart(), "server")
    assert [row[0] for row in figure["table"]["rows"]] == ["Service life", "Discount rate"]  # GPUs do not move it
    assert marks(figure) == [(112_500, 0)]


def test_an_end_at_which_the_plan_fails_is_labelled_and_tabled_as_such():
    figure = tornado.tornado(chart(), "server")
    said = [note["text"] for note in figure["layout"]["annotations"]]
    assert "fails above 60\xa0months" in said
    assert figure["table"]["rows"][0][3:5] == ["72\xa0months", "not possible"]


def test_what_lies_beyond_both_ends_is_a_thin_line():
    # 90 000 in the middle of the range, 100 000 now and at both ends
    dip = along("finance/discount_rate", "share/year", (0.06, 0.09, 0.12), 0.08, (95e3, 80e3, 105e3), (120e3,) * 3)
    figure = tornado.tornado(chart(answer(dip)), "server")
    line = next(each for each in figure["data"] if each.get("mode") == "lines")
    assert (line["x"], line["y"]) == ([95_000, 80_000, None], [0, 0, None])


def test_two_ends_on_one_side_are_two_thin_bars():
    both = along("finance/discount_rate", "share/year", (0.06, 0.08, 0.12), 0.08, (110e3, 100e3, 105e3), (120e3,) * 3)
    low, high = bars(tornado.tornado(chart(answer(both)), "server"))
    assert low["offset"][0] + low["width"][0] <= high["offset"][0]


def test_a_single_plan_has_no_lead_and_shows_its_present_value():
    alone = answer(RATE, base={"server": 100e3, "cloud": None})
    assert tornado.tornado(chart(alone))["data"] == []
    said = page(alone)
    assert said["tornado"]["title"] == "Present value of “8-GPU server now”"
    assert [each["of"] for each in said["choices"]] == ["server"]


def test_the_plan_whose_tornado_is_drawn_can_be_chosen_and_an_unknown_one_is_the_lead():
    assert [each["of"] for each in page(of="cloud")["choices"] if each["chosen"]] == ["cloud"]
    assert page(of="cloud")["tornado"]["title"] == "Present value of “Cloud”"
    assert page(of="nonsense")["tornado"]["title"] == "Lead of “8-GPU server now” over the next plan"


def test_a_bar_of_the_drawing_begins_at_the_base_and_ends_at_its_amount():
    figure = tornado.tornado(chart(answer(RATE)), "server")
    root = ET.fromstring(svg.draw(figure, 860, figure["layout"]["height"]))
    _key, _other, low, high = root.iter("rect")  # two samples of the legend, then 105 000 and 90 000 from 100 000
    assert float(high.get("x")) + float(high.get("width")) == pytest.approx(float(low.get("x")), abs=0.2)
    assert float(high.get("width")) == pytest.approx(2 * float(low.get("width")), abs=0.2)
    assert [each.find("title").text for each in (low, high)] == [
        "6\xa0% / yr: $105,000.00",
        "12\xa0% / yr: $90,000.00",
    ]


# ── One assumption ───────────────────────────────────────────────────────────────────────────────────────────────────


def lines(figure):
    return [each for each in figure["data"] if each.get("mode") == "lines" and each["line"]["width"] == 2]


def test_a_curve_has_every_plan_over_the_range_in_its_colour_and_dash():
    server, cloud = lines(drawn.curve(chart(), GPUS))
    assert (server["x"], server["y"]) == ([2, 3, 4], [100_000, 100_000, 100_000])
    assert cloud["y"] == [80_000, 120_000, 160_000]
    assert [(each["line"]["color"], each["line"]["dash"]) for each in (server, cloud)] == [
        ("#0072b2", "solid"),
        ("#d55e00", "dash"),
    ]


def test_a_share_stands_in_per_cent_on_the_axis():
    figure = drawn.curve(chart(), RATE)
    assert lines(figure)[0]["x"] == [6, 8, 12]
    assert figure["layout"]["xaxis"]["range"] == [6, 12]
    assert figure["title"] == "Discount rate, 6\xa0% to 12\xa0% / yr"


def test_a_line_breaks_off_where_the_plan_fails_with_a_mark_and_a_reason():
    figure = drawn.curve(chart(), LIFE)
    assert lines(figure)[0]["y"] == [140_000, 110_000, 100_000, None]
    crosses = [each for each in figure["data"] if each.get("marker", {}).get("symbol") == "x"]
    assert [(each["x"], each["y"]) for each in crosses] == [([60], [100_000])]
    assert (
        "“8-GPU server now” is not possible on a part of the range: it falls short of the demand." in figure["summary"]
    )


def test_the_band_is_in_the_colour_of_the_cheapest_plan():
    bands = [each for each in drawn.curve(chart(), LIFE)["data"] if each.get("line", {}).get("width") == 6]
    assert [(each["x"], each["line"]["color"]) for each in bands] == [
        ([36, 47], "#d55e00"),
        ([47, 66], "#0072b2"),
        ([66, 72], "#d55e00"),
    ]


def test_the_words_of_a_curve_go_along_it():
    summary = drawn.curve(chart(), GPUS)["summary"]
    assert summary == "Cheapest: “Cloud” below 2.5\xa0GPUs; “8-GPU server now” beyond."
    assert drawn.curve(chart(), RATE)["summary"] == "“8-GPU server now” is the cheapest over the whole range."


def test_the_value_now_stands_in_the_table_among_the_points():
    rows = drawn.curve(chart(), RATE)["table"]["rows"]
    assert [row[0] for row in rows] == ["6\xa0% / yr", "8\xa0% / yr, now", "12\xa0% / yr"]
    assert rows[1][1:] == ["$100,000.00", "$120,000.00", "8-GPU server now"]


def test_labels_of_changes_close_together_do_not_overlap():
    x = tuple(float(n) for n in range(11))
    close = [(0.5, "cloud", "server"), (0.9, "server", "cloud"), (6.0, "cloud", "server")]
    crowded = along("demand/workloads/pool/gpus", "GPU", x, 7.0, (1e5,) * 11, (2e5,) * 11, close)
    said = [note["text"] for note in drawn.curve(chart(answer(crowded)), crowded)["layout"]["annotations"]]
    assert said == ["now 7", "0.5", "6"]


def test_where_no_plan_is_possible_there_is_nothing_to_draw():
    none = along("finance/discount_rate", "share/year", (0.06, 0.12), 0.08, (None, None), (None, None), fails="memory")
    figure = drawn.curve(chart(answer(none)), none)
    assert figure["data"] == []
    assert "No plan is possible" in figure["summary"]


# ── The whole, of a computed sweep ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def computed():
    """A sweep of the sample with few points: (sweep, scenario, book)."""
    evaluation, _comparison = sample.evaluated()
    steps = swept(evaluation.scenario, evaluation.book, count=5, points=7)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, evaluation.scenario, evaluation.book


def figures(computed):
    sweep = computed[0]
    found = [tornado.tornado(SweepChart(*computed), of) for of in (None, *sweep.base)]
    return found + [drawn.curve(SweepChart(*computed), each) for each in (*sweep.curves, sweep.horizon)]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_figure_is_json_has_a_table_and_uses_the_colours_of_both_themes(computed, language):
    with override(language):
        for figure in figures(computed):
            text = json.dumps(figure, allow_nan=False)
            used = {text[at : at + 7] for at in range(len(text)) if text[at] == "#" and text[at - 1] == '"'}
            assert used <= {*charts.LIGHT.values(), *charts.DARK.values()}
            assert {len(row) for row in figure["table"]["rows"]} == {len(figure["table"]["head"])}
            assert figure["summary"].endswith((".", "。"))


def assert_inside(text, width, height):
    for each in ET.fromstring(text).iter("text"):
        room = svg.text_width(each.text)
        begins = float(each.get("x")) - room * {"end": 1.0, "middle": 0.5}.get(each.get("text-anchor"), 0.0)
        assert begins >= -2, each.text
        assert begins + room <= width + 2, each.text
        assert 0 <= float(each.get("y")) <= height, each.text


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_word_of_a_drawing_stays_inside_its_frame(computed, language):
    sweep = computed[0]
    with override(language):
        for of in (None, *sweep.base):
            layout = (figure := tornado.tornado(SweepChart(*computed), of))["layout"]
            assert_inside(svg.draw(figure, sweep_page.WIDE, layout["height"]), sweep_page.WIDE, layout["height"])
            narrow, tall = sweep_page.NARROW, layout["meta"]["narrow"]["height"]
            assert_inside(svg.draw(figure, narrow, tall, narrow=True), narrow, tall)
        for each in (*sweep.curves, sweep.horizon):
            figure = drawn.curve(SweepChart(*computed), each)
            assert_inside(svg.draw(figure, *sweep_page.SMALL), *sweep_page.SMALL)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.django_db
def test_the_page_is_rendered_in_both_languages(computed, language):
    with override(language):
        said = sweep_page.page(*computed)
        html = render_to_string(
            "planner/_sweep.html", {"sweep": said, "row": SimpleNamespace(pk=7), "csv_url": "/f.csv"}
        )
    assert said["verdict"]["title"] in html
    assert html.count('<svg class="drawn"') == 2 + len(said["curves"])
    assert "None" not in html
    assert "style=" not in html  # the page's policy would refuse it
    path = said["rows"][0]["path"]
    assert f"#{forms.anchor(path)}" in html
    assert path not in html.replace(forms.anchor(path), "")  # never the raw path
    assert ("Show data" in html) is (language == "en")


def test_a_sweep_whose_stored_keys_were_sorted_reads_the_same(computed):
    sweep, scenario, book = computed
    stored = from_plain(json.loads(json.dumps(as_plain(sweep), sort_keys=True)))
    assert sweep_page.page(stored, scenario, book) == sweep_page.page(*computed)


# ── The file ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def read(**more):
    text = sweep_csv(ALL, SCENARIO, BOOK, **more).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_file_has_every_point_the_value_now_and_every_change():
    rows = read(codes=True)
    assert [row["record"] for row in rows].count("point") == 3 + 4 + 3 + 3
    assert [row["record"] for row in rows].count("now") == 4
    (flip,) = [row for row in rows if row["record"] == "flip" and row["field"] == GPUS.path]
    assert (Decimal(flip["value"]), flip["cheapest_before"], flip["cheapest"]) == (Decimal("2.5"), "cloud", "server")
    assert (flip["server"], flip["cloud"]) == ("", "")


def test_the_file_has_an_empty_cell_where_a_plan_is_not_possible():
    last = [row for row in read(codes=True) if row["field"] == LIFE.path and row["record"] == "point"][-1]
    assert (last["value"], last["server"], last["cloud"]) == ("72", "", "120000.00")


def test_a_share_is_in_per_cent_where_the_unit_says_so_and_a_fraction_beside_its_code():
    (shown,) = [row for row in read() if row["Field"] == RATE.path and row["Record"] == "now"]
    assert (shown["Value"], shown["Unit"]) == ("8", "% / yr")
    (plain,) = [row for row in read(codes=True) if row["field"] == RATE.path and row["record"] == "now"]
    assert (plain["value"], plain["unit"]) == ("0.08", "share/year")


def test_the_horizon_has_no_rank():
    assert {row["rank"] for row in read(codes=True) if row["field"] == "months"} == {""}


def test_a_plan_named_like_a_formula_is_disarmed():
    plans = [plan.model_copy(update={"name": "=1+1"}) if plan.slug == "cloud" else plan for plan in SCENARIO.plans]
    text = sweep_csv(ALL, SCENARIO.model_copy(update={"plans": tuple(plans)}), BOOK).decode("utf-8-sig")
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell.startswith("=")]
    assert any("=1+1" in cell for cell in cells)
