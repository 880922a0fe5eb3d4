"""Two plans against each other by category: the drawing, its table, the page on which the pair is chosen, the file."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from decimal import Decimal
from html import unescape
from itertools import permutations

import pytest
from django.urls import reverse
from django.utils.translation import override

from planner import charts
from planner.charts import svg
from planner.services import evaluation, explain
from tests.planner.sample import bare, evaluated


@pytest.fixture(scope="module")
def answer():
    return evaluated()


def drawn(answer, one="scale-out", other="cloud"):
    with override("en"):
        return charts.waterfall(*answer, one, other)


def cents(text):
    digits = re.sub(r"[^\d.−]", "", unescape(text)).replace("−", "-")
    return int(Decimal(digits) * 100) if digits else 0


def steps(figure):
    """{row: (from, to)} of all bars."""
    bars = [trace for trace in figure["data"] if trace["type"] == "bar"]
    return {
        row: (base, base + length)
        for trace in bars
        for row, base, length in zip(trace["y"], trace["base"], trace["x"], strict=True)
    }


@pytest.mark.parametrize(("one", "other"), [*permutations(("scale-out", "server", "cluster", "cloud"), 2)])
def test_the_parts_of_a_gap_add_up_to_it_exactly(answer, one, other):
    *parts, whole = drawn(answer, one, other)["table"]["rows"]
    for column in (1, 2, 3):
        assert sum(cents(line[column]) for line in parts) == cents(whole[column])
    values = {plan.slug: round(plan.present_value * 100) for plan in answer[0].plans}
    assert [cents(cell) for cell in whole[1:]] == [values[one], values[other], values[other] - values[one]]


def test_each_bar_begins_where_the_one_before_ended_and_the_last_at_nothing(answer):
    found = steps(drawn(answer))
    assert [*sorted(found)] == [*range(len(found))]
    last = len(found) - 1
    ends = [0.0, *(found[row][1] for row in range(last))]
    assert [found[row][0] for row in range(last)] == pytest.approx(ends[:-1], abs=1.0)
    assert found[last] == pytest.approx((0.0, ends[-1]), abs=2.0)  # whole money on a screen


def test_a_bar_has_the_colour_of_the_plan_that_costs_more(answer):
    figure = drawn(answer, "server", "cloud")
    for trace in figure["data"]:
        if trace["type"] == "bar":
            plan, sign = ("plan4", 1) if trace["legendgroup"] == "cloud" else ("plan2", -1)
            assert trace["marker"]["color"] == charts.LIGHT[plan]
            assert all(length * sign > 0 for length in trace["x"])
    named = [trace["name"] for trace in figure["data"] if trace["type"] == "bar" and trace["showlegend"]]
    assert named == ["“Cloud” costs more", "“8-GPU server now” costs more"]


def test_the_summary_says_who_costs_more_and_where_most_of_it_lies():
    # the server costs 8,000 at once, the cloud 26,280 of use in a year of 8,760 hours at 3.00
    figure = drawn(bare(), "server", "cloud")
    said, part = figure["summary"].split(". ")
    assert said == "“Cloud” costs $18.3k more than “8-GPU server now” in present value"
    assert part == "The largest part is Cloud, as used, +$26.3k."
    assert [line[1:] for line in figure["table"]["rows"]] == [
        ["$8,000.00", "–", "−$8,000.00"],
        ["–", "$26,280.00", "+$26,280.00"],
        ["$8,000.00", "$26,280.00", "+$18,280.00"],
    ]


def test_a_plan_against_itself_says_that_nothing_differs(answer):
    figure = drawn(answer, "cloud", "cloud")
    assert (figure["data"], figure["summary"]) == ([], "Both plans cost the same in every category.")
    assert svg.draw(figure, 860, 200) == ""


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize(("width", "narrow"), [(860, False), (350, True)])
def test_the_drawing_is_well_formed_in_roles_of_the_theme_and_stays_inside(answer, language, width, narrow):
    with override(language):
        figure = charts.waterfall(*answer, "cloud", "cluster")
        height = figure["layout"]["meta"]["narrow"]["height"] if narrow else figure["layout"]["height"]
        text = svg.draw(figure, width, height, narrow=narrow)
    json.dumps(figure)
    root = ET.fromstring(text)
    assert root.get("aria-label") == figure["summary"]
    assert "style=" not in text
    for each in root.iter("text"):
        long = sum(11 if ord(letter) > 0x2E80 else 6.4 for letter in each.text)
        begins = {"middle": 0.5, "end": 1.0}.get(each.get("text-anchor"), 0.0)
        left = float(each.get("x")) - begins * long
        assert -2 < left < width + 6 - long, each.text
    for each in root.iter("rect"):
        assert 0 <= float(each.get("x")) <= width
        assert re.fullmatch(r"f-plan[1-6]", each.get("class"))


def test_a_name_is_text_not_markup():
    plans = [
        {"slug": "a", "name": "<b>x", "start": {"build": "srv-4x"}},
        {"slug": "b", "name": "y & z", "start": {"build": "srv-8x"}},
    ]
    figure = drawn(evaluated(plans=plans), "a", "b")
    assert {trace["name"] for trace in figure["data"] if "name" in trace} <= {
        "“&lt;b&gt;x” costs more",
        "“y &amp; z” costs more",
    }


# ── On Statements ──


def page(client, row, **asked):
    answer = client.get(reverse("planner:statements", args=[row.pk]), asked)
    return answer, unescape(answer.content.decode())


def test_the_pair_is_chosen_by_a_plain_form_and_each_figure_opens(signed, row):
    answer, text = page(signed, row, plan="cloud", against="cluster-now")
    assert answer.status_code == 200
    assert '<option value="cloud" selected>' in text
    assert '<option value="cluster-now" selected>' in text
    table = re.search(r'<table[^>]*id="gap-table".*?</table>', text, re.DOTALL)[0]
    links = set(re.findall(r'href="([^"]+)"', table))
    assert any(link.endswith("/why/cloud/margin/?against=cluster-now") for link in links)
    for link in links:
        assert signed.get(link).status_code == 200
    for cell in re.findall(r'<td class="num nowrap">(.*?)</td>', table, re.DOTALL):
        assert cell.strip() == "–" or "<a" in cell


def test_without_a_choice_the_plan_stands_against_the_best_other_one(signed, row):
    _result, comparison = evaluation.evaluated(row.head)
    best, second = comparison.ranking[:2]
    assert f'<option value="{second}" selected>' in page(signed, row)[1]
    assert f'<option value="{best}" selected>' in page(signed, row, plan=second)[1]


@pytest.mark.parametrize("asked", [{"against": "nobody"}, {"plan": "cloud", "against": "no"}])
def test_an_unknown_plan_to_compare_with_is_not_there(signed, row, asked):
    assert page(signed, row, **asked)[0].status_code == 404
    address = reverse("planner:statement_csv", args=[row.pk])
    assert signed.get(address, {"plan": "cloud", "by": "gap", **asked}).status_code == 404


def test_the_file_of_a_gap_adds_up_and_gives_both_present_values(signed, row):
    asked = {"plan": "scale-out", "against": "cloud", "by": "gap", "plain": "1", "headers": "codes"}
    text = signed.get(reverse("planner:statement_csv", args=[row.pk]), asked).content.decode()
    head, *rows = csv.reader(io.StringIO(text))
    assert head == ["category", "scale-out", "cloud", "difference"]
    amounts = [[Decimal(cell) for cell in line[1:]] for line in rows]
    assert [sum(column) for column in zip(*amounts[:-1], strict=True)] == amounts[-1]
    result, _comparison = evaluation.evaluated(row.head)
    assert amounts[-1][:2] == [Decimal(repr(result.plan(slug).present_value)) for slug in ("scale-out", "cloud")]


def test_a_margin_against_any_plan_opens_to_the_difference_of_both(answer):
    tree = explain.tree(*answer, "cloud", "margin", against="cluster")
    values = {plan.slug: plan.present_value for plan in answer[0].plans}
    assert tree["value"] == round(values["cluster"] - values["cloud"], 2)
    with pytest.raises(KeyError):
        explain.tree(*answer, "cloud", "margin", against="nobody")
