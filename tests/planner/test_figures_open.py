"""Every figure of a table or of the verdict opens its own tree: crawled on the pages as they are drawn."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import resolve, reverse
from django.utils import translation

from planner import tables
from planner.services import evaluation, explain, reports, scenarios
from planner.views import paper

TEMPLATES = ("small-team", "driving-lab")


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


@pytest.fixture(params=TEMPLATES)
def row(request, workspace, editor):
    return scenarios.create_from_template(workspace, editor, request.param)


def page(client, name, *args, **asked):
    answer = client.get(reverse(f"planner:{name}", args=args), asked)
    assert answer.status_code == 200
    return answer.content.decode()


def closed(html):
    """Cells of tables that hold a figure and open nothing, what only numbers or dates them left out."""
    found = []
    for cell in re.findall(r'<td class="num[^"]*"[^>]*>(.*?)</td>', html, re.DOTALL):
        text = re.sub(r"<a .*?</a>|<span class=\"delta.*?</span>", "", cell, flags=re.DOTALL)
        text = unescape(re.sub(r"<[^>]*>", "", text)).strip()
        if re.search(r"\d", text):
            found.append(text)
    return found


def without(html, *tables):
    """The page without the tables of that id."""
    for name in tables:
        html = re.sub(rf'<table[^>]*id="{name}".*?</table>', "", html, flags=re.DOTALL)
    return html


def test_every_figure_in_a_table_of_the_workspace_opens(signed, row):
    names = set(tables.names(evaluation.evaluated(row.head)[0]).values())  # which may hold digits
    assert set(closed(without(page(signed, "workspace", row.pk), "chart-table"))) <= names


def test_the_share_beside_a_present_value_stands_in_the_tree_it_opens(signed, row):
    found = re.findall(r'<a class="figure more bad" href="([^"]*)"[^>]*>([^<]*)</a>', page(signed, "workspace", row.pk))
    assert found
    for address, text in found:
        assert text in signed.get(address).content.decode()


def test_every_figure_of_the_verdict_opens(signed, row):
    verdict = re.search(r'<section[^>]*id="verdict".*?</section>', page(signed, "workspace", row.pk), re.DOTALL)[0]
    sentence = re.search(r'<p class="muted">(.*?)</p>', verdict, re.DOTALL)[1]
    bold = re.findall(r"(<a [^>]*>)?<strong>([^<]*)</strong>", sentence)
    assert bold
    assert all(link for link, _text in bold)


def test_every_figure_of_statements_opens_but_the_book_value(signed, row):
    html = page(signed, "statements", row.pk)
    html = re.sub(r"<tr><th[^>]*>Book value at the end.*?</tr>", "", html, flags=re.DOTALL)
    monthly = re.search(r'<table[^>]*id="monthly".*?</table>', html, re.DOTALL)[0]
    lines = re.findall(r"<tr>.*?</tr>", monthly, re.DOTALL)
    assert closed("".join(re.sub(r"<td[^>]*>[^<]*</td></tr>", "</tr>", line) for line in lines)) == []
    assert closed(without(html, "monthly")) == []


def linked(html, name):
    """(address, text) of the figures in a table."""
    body = re.search(rf'<table[^>]*id="{name}".*?</table>', html, re.DOTALL)[0]
    return [(unescape(to), unescape(text)) for to, text in re.findall(r'href="([^"]*)">([^<]*)</a>', body)]


@pytest.mark.parametrize("table", ["annual", "monthly", "gap-table"])
def test_what_a_figure_of_statements_opens_is_that_very_figure(signed, row, table):
    result, comparison = evaluation.evaluated(row.head)
    cells = linked(page(signed, "statements", row.pk), table)
    assert len(cells) > 20
    for address, text in cells:
        where, asked = urlsplit(address), {}
        for name, [value] in parse_qs(urlsplit(address).query).items():
            asked[name] = value
        if "first" in asked:
            asked["months"] = (int(asked.pop("first")), int(asked.pop("last")))
        of = resolve(where.path).kwargs
        tree = explain.tree(result, comparison, of["plan"], of["kpi"], **asked)
        nodes = [tree, *tree["children"]] if table == "gap-table" else [tree]
        assert text.removeprefix("+") in [node["value_text"] for node in nodes], address
        assert round(sum(node["value"] for node in tree["children"]), 2) == tree["value"], address


@pytest.mark.parametrize(
    ("kpi", "asked"),
    [
        ("capex", {"category": "capex.nothing"}),
        ("opex", {"first": "0", "last": "60"}),
        ("opex", {"first": "3", "last": "2"}),
        ("opex", {"first": "x", "last": "2"}),
        ("peak_kw", {"first": "0", "last": "2"}),
        ("capex", {"against": "nobody"}),
    ],
)
def test_a_part_that_is_not_there_is_not_found(signed, row, kpi, asked):
    plan = scenarios.read(row.head.document).plans[0].slug
    assert signed.get(reverse("planner:why", args=[row.pk, plan, kpi]), asked).status_code == 404


def test_a_part_names_its_category_and_its_months(signed, row):
    plan = scenarios.read(row.head.document).plans[0].slug
    asked = {"category": "opex.staff", "first": 0, "last": 8}
    html = page(signed, "why", row.pk, plan, "nominal_total", **asked)
    assert "<h1>Nominal total · Staff · Apr 2027–Dec 2027: $" in html


def test_the_money_of_a_report_leads_to_its_lines_where_prices_are_shown(row, editor):
    report = reports.freeze(row.head, editor)
    for prices in (True, False):
        html = paper.page(report, "en", prices=prices)
        anchors = re.findall(r'<a href="#(lines-[^"]*)">', html)
        assert bool(anchors) == prices
        assert all(html.count(f'id="{anchor}"') == 1 for anchor in set(anchors))
    for section in ("plans", "cash"):
        part = paper.page(report, "en").split(f'aria-labelledby="{section}"')[1].split("</section>")[0]
        assert not re.findall(r'<td class="num"[^>]*>[^<]*[0-9]', part), section
