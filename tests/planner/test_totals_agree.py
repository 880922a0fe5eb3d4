"""One plan, one total: its lines, the workspace, Statements, their files and the charts agree to the cent."""

import csv
import io
import re
import zipfile
from decimal import Decimal
from html import unescape
from xml.etree import ElementTree

import pytest
from django.urls import reverse
from django.utils import translation

from planner import tables, wording
from planner.services import evaluation, explain, gallery, scenarios

KINDS = ("capex", "opex", "credit")
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def amount(text):
    """Money as a page writes it; "–" is nothing."""
    digits = re.sub(r"[^\d.−-]", "", unescape(text)).replace("−", "-")
    return Decimal(digits) if digits not in ("", "-", "–") else Decimal(0)


def table(html, name):
    """The rows of a table on a page as texts, by the name of the row."""
    body = re.search(rf'<table[^>]*id="{name}".*?</table>', html, re.DOTALL)[0]
    rows = {}
    for line in re.findall(r"<tr.*?</tr>", body, re.DOTALL):
        cells = [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL)]
        rows[unescape(cells[0])] = cells[1:]
    return rows


def sheets(data):
    """A workbook's cells as a program shows them that computes no formula: {sheet: rows of values}."""
    file = zipfile.ZipFile(io.BytesIO(data))
    said = ElementTree.fromstring(file.read("xl/sharedStrings.xml")).iter(f"{SHEET}si")
    texts = ["".join(part.text or "" for part in each.iter(f"{SHEET}t")) for each in said]

    def value(cell):
        held = cell.find(f"{SHEET}v").text
        return texts[int(held)] if cell.get("t") == "s" else Decimal(held)

    def rows(number):
        drawn = ElementTree.fromstring(file.read(f"xl/worksheets/sheet{number}.xml")).iter(f"{SHEET}row")
        return [[value(cell) for cell in line if cell.find(f"{SHEET}v") is not None] for line in drawn]

    return {name: rows(number) for number, name in enumerate(("Summary", "Annual", "Lines"), 1)}


class Opened:
    """A situation of the gallery: its pages, and the totals of its plans as sums over the rounded cells of lines."""

    def __init__(self, client, row):
        self.client, self.row = client, row
        self.result, self.comparison = evaluation.evaluated(row.head)
        self.plans = [plan for plan in self.result.plans if plan.priced]

    def get(self, name, *args, **asked):
        return self.client.get(reverse(f"planner:{name}", args=[self.row.pk, *args]), asked).content

    def chart(self, code):
        return [*csv.reader(io.StringIO(self.get("chart_csv", code).decode("utf-8-sig")))][1:]

    def totals(self, plan):
        """[capex, opex, credits]"""
        lines = [sum(int(line.minor.sum()) for line in plan.lines if line.kind == kind) for kind in KINDS]
        return [Decimal(cents).scaleb(-plan.decimals) for cents in lines]

    def value(self, plan):
        return Decimal(repr(plan.present_value))


@pytest.fixture(params=gallery.templates())
def opened(request, workspace, editor, signed):
    row = scenarios.create_from_template(workspace, editor, request.param)
    with translation.override("en"):
        yield Opened(signed, row)


def test_the_figures_of_the_workspace_are_the_sums_of_their_lines(opened):
    page = opened.get("workspace").decode()
    for plan in opened.plans:
        capex, opex, _credits = opened.totals(plan)
        for kpi, total in (("present_value", opened.value(plan)), ("capex", capex), ("opex", opex)):
            tree = explain.tree(opened.result, opened.comparison, plan.slug, kpi)
            lines = [Decimal(repr(line["value"])) for group in tree["children"] for line in group["children"]]
            assert sum(lines) == total
            address = reverse("planner:why", args=[opened.row.pk, plan.slug, kpi])
            titles = re.findall(rf'<a class="figure" href="{address}"[^>]*title="([^"]*)"', page)
            assert total in map(amount, titles), (plan.slug, kpi)


def test_statements_give_the_totals_of_the_lines(opened):
    for plan in opened.plans:
        page, totals = opened.get("statements", plan=plan.slug).decode(), opened.totals(plan)
        annual, monthly = table(page, "annual"), table(page, "monthly")
        assert [amount(cell) for cell in monthly["Total"][:3]] == totals
        assert [amount(annual.get(wording.kind(kind), ["–"])[-1]) for kind in KINDS] == totals
        assert amount(annual["Net"][-1]) == amount(monthly["Total"][3]) == sum(totals)
        assert amount(annual["Present value"][-1]) == amount(monthly["Total"][5]) == opened.value(plan)


@pytest.mark.parametrize("by", ["year", "month"])
def test_the_file_of_statements_gives_the_totals_of_the_lines(opened, by):
    for plan in opened.plans:
        text = opened.get("statement_csv", plan=plan.slug, by=by, plain="1", headers="codes").decode()
        rows = {line[0]: line[1:] for line in csv.reader(io.StringIO(text))}
        assert [Decimal(rows[kind][-1]) for kind in KINDS] == opened.totals(plan)
        assert Decimal(rows["net"][-1]) == sum(opened.totals(plan))
        assert Decimal(rows["present_value"][-1]) == opened.value(plan)


def test_the_workbook_shows_the_totals_of_the_lines_even_where_nothing_is_computed(opened):
    for plan in opened.plans:
        book, totals = sheets(opened.get("statement_xlsx", plan=plan.slug)), opened.totals(plan)
        summary = {cells[0]: cells[1] for cells in book["Summary"] if len(cells) > 1}
        assert [summary[wording.kind(kind)] for kind in KINDS] == totals
        assert (summary["Present value"], summary["Nominal total"]) == (opened.value(plan), sum(totals))
        annual = {cells[0]: cells[1:] for cells in book["Annual"][1:]}
        shown = table(opened.get("statements", plan=plan.slug).decode(), "annual")
        assert annual["Net"][-1] == sum(totals)
        for name, cells in annual.items():
            assert cells == [amount(cell) for cell in shown[name]], name


def test_the_data_of_the_charts_give_the_totals_of_the_lines(opened):
    cash, by_category, curves = map(opened.chart, ("cash", "category", "cumulative"))
    for position, plan in enumerate(opened.plans, 1):
        totals, value = opened.totals(plan), opened.value(plan)
        name = tables.names(opened.result)[plan.slug]
        sums = {line[1]: Decimal(line[-1]) for line in cash if line[0] == name}
        assert [sums[wording.kind(kind)] for kind in KINDS] == totals
        assert sums["Net"] == sum(totals)
        column = [Decimal(line[position]) for line in by_category]
        assert column[-1] == sum(column[:-1]) == value
        assert Decimal(curves[-1][position]) + Decimal(repr(plan.value_at_horizon)) == value
