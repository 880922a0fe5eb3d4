"""Figures as plain SVG: every line, bar and name of the figure is in the picture."""

import itertools
import xml.etree.ElementTree as ET

import pytest
from django.utils.translation import override

from planner import charts
from planner.charts import svg
from tests.planner.sample import evaluated


@pytest.fixture(scope="module")
def answer():
    with override("en"):
        return evaluated(months=60)


def drawn(answer, code, **more):
    text = svg.draw(charts.figure(code, *answer), 680, 300, **more)
    return text, ET.fromstring(text)


def texts(root):
    return [each.text for each in root.iter("text")]


@pytest.mark.parametrize("code", ["cumulative", "capacity", "power", "cash"])
@pytest.mark.parametrize("narrow", [False, True])
def test_every_figure_is_well_formed_and_stays_inside(answer, code, narrow):
    text, root = drawn(answer, code, narrow=narrow)
    assert "nan" not in text
    assert "style=" not in text  # the page's policy would refuse it
    assert root.get("aria-label")
    for each in root.iter("text"):
        assert -1 <= float(each.get("x")) <= 680, each.text
        assert 0 <= float(each.get("y")) <= 300, each.text
    for each in root.iter("rect"):
        assert float(each.get("x")) + float(each.get("width")) <= 680


@pytest.mark.parametrize("code", ["cumulative", "capacity", "power", "cash"])
def test_labels_below_the_axis_keep_apart_on_a_phone_in_chinese(code):
    with override("zh-hans"):
        root = ET.fromstring(svg.draw(charts.figure(code, *evaluated(months=60)), 350, 320, narrow=True))
    below = [each for each in root.iter("text") if each.get("y") == "314"]
    assert len(below) >= 3
    begins = {"middle": 0.5, "end": 1.0, "start": 0.0}
    spans = []
    for each in below:
        width = sum(11 if ord(letter) > 0x2E80 else 6 for letter in each.text)
        left = float(each.get("x")) - width * begins[each.get("text-anchor")]
        spans.append((left, left + width))
    assert all(one[1] < other[0] for one, other in itertools.pairwise(spans))


def test_each_plan_has_its_line_in_its_colour_and_its_name_at_the_end(answer):
    _text, root = drawn(answer, "cumulative")
    paths = [each.get("class") for each in root.iter("path") if each.get("fill") == "none"]
    assert paths == ["s-plan1", "s-plan2", "s-plan3", "s-plan4"]
    figure = charts.figure("cumulative", *answer)
    names = [trace["name"] for trace in figure["data"] if trace.get("mode") == "lines"]
    assert set(names) <= set(texts(root))
    heights = sorted(float(each.get("y")) for each in root.iter("text") if each.text in names)
    assert all(after - before >= svg.LINE - 0.2 for before, after in itertools.pairwise(heights))


def test_a_curve_ends_where_its_last_value_lies(answer):
    figure = charts.figure("cumulative", *answer)
    _text, root = drawn(answer, "cumulative")
    low, high = figure["layout"]["yaxis"]["range"]
    grid = [each for each in root.iter("line") if each.get("class") == "s-line"]  # the line of zero
    zero = float(grid[0].get("y1"))
    top_tick = figure["layout"]["yaxis"]["tickvals"][-1]
    top = min(float(each.get("y1")) for each in root.iter("line") if each.get("class") == "s-line2")
    trace = next(trace for trace in figure["data"] if trace.get("mode") == "lines")
    path = next(each for each in root.iter("path") if each.get("fill") == "none").get("d")
    end = float(path.split(" ")[-1])
    assert low == 0
    assert high >= trace["y"][-1]
    assert end == pytest.approx(zero - trace["y"][-1] / top_tick * (zero - top), abs=0.2)


def test_narrow_has_a_legend_instead_of_labels(answer):
    _text, root = drawn(answer, "cumulative", narrow=True)
    names = {trace["name"] for trace in charts.figure("cumulative", *answer)["data"] if trace.get("mode") == "lines"}
    assert names <= set(texts(root))


def test_bars_of_a_plan_stand_on_zero_or_on_each_other(answer):
    figure = charts.figure("cash", *answer)
    bars = sum(1 for trace in figure["data"] if "offsetgroup" in trace for value in trace["y"] if value is not None)
    _text, root = drawn(answer, "cash")
    legend = sum(1 for trace in figure["data"] if trace.get("showlegend", True))
    assert len(list(root.iter("rect"))) == bars + legend


def test_u107_html_in_a_name_is_text(answer):
    figure = charts.figure("cumulative", *answer)
    figure["layout"]["annotations"][0]["text"] = "&lt;script&gt;alert(1)&lt;/script&gt;"
    figure["summary"] = '"><script>alert(2)</script>'
    text = svg.draw(figure, 680, 300)
    assert "<script" not in text
    assert "<script>alert(1)</script>" in texts(ET.fromstring(text))


def test_a_figure_without_curves_draws_nothing():
    with override("en"):
        figure = charts.figure("power", *evaluated(plans=[{"slug": "cloud", "overflow": {"accelerator": "h200-nvl"}}]))
    assert svg.draw(figure, 680, 300) == ""
    assert figure["summary"] == "No plan owns machines."
