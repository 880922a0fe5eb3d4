"""Statements, financing and taxes on the pages: the totals of the plan, to the cent, and every line explained."""

import csv
import datetime as dt
import io
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import translation

from planner import finance_tables, forms, tables
from planner.services import evaluation, explain, scenarios
from planner.services.purchasing import purchase


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def answer(row):
    return evaluation.evaluated(scenarios.newest(row))


def change(row, user, *edits):
    scenarios.change(row, scenarios.newest(row).number, list(edits), user)


def read(client, row, **asked):
    page = client.get(reverse("planner:statement_csv", args=[row.pk]), {"plain": "1", "headers": "codes", **asked})
    rows = list(csv.reader(io.StringIO(page.content.decode())))
    return rows[0], {line[0]: [Decimal(cell) if cell else None for cell in line[1:]] for line in rows[1:]}


@pytest.mark.parametrize("by", ["year", "month"])
def test_the_file_gives_the_totals_of_the_plan(signed, row, by):
    result, _comparison = answer(row)
    for plan in result.plans:
        head, rows = read(signed, row, plan=plan.slug, by=by)
        assert len(head) == 2 + (60 if by == "month" else len(result.calendar.fiscal_years(1)))
        assert rows["present_value"][-1] == Decimal(str(plan.present_value))
        assert rows["net"][-1] == Decimal(str(plan.nominal_total))
        for kind in ("capex", "opex", "credit"):
            assert rows[kind][-1] == Decimal(str(plan.total(kind)))
            parts = [cells for name, cells in rows.items() if name.startswith(kind + ".")]
            assert [sum(cells) for cells in zip(*parts, strict=True)] == (rows[kind] if parts else [])
        assert all(sum(cells[:-1]) == cells[-1] for name, cells in rows.items() if name != "book_value")


def test_the_page_shows_the_same_amounts(signed, row):
    result, comparison = answer(row)
    page = signed.get(reverse("planner:statements", args=[row.pk])).content.decode()
    best = result.plan(comparison.verdict.plan)
    assert f"{best.present_value:,.2f}" in page
    assert f"{best.nominal_total:,.2f}" in page
    assert "FY 2027" in page


def test_money_of_the_start_is_less_and_its_present_value_the_same(signed, row):
    slug = answer(row)[0].plans[0].slug
    (_head, nominal), (_same, real) = read(signed, row, plan=slug), read(signed, row, plan=slug, money="real")
    assert real["opex"][-1] < nominal["opex"][-1]
    assert real["present_value"] == nominal["present_value"]
    assert (
        "divided by the rise of prices"
        in signed.get(reverse("planner:statements", args=[row.pk]), {"plan": slug, "money": "real"}).content.decode()
    )


@pytest.mark.parametrize("asked", [{"plan": "nobody"}, {"plan": "cloud", "by": "week"}])
def test_an_unknown_plan_or_period_is_not_there(signed, row, asked):
    assert signed.get(reverse("planner:statement_csv", args=[row.pk]), asked).status_code == 404


@pytest.fixture
def financed(row, editor):
    """A lease, a loan, and the after-tax view; the country and the catalog know the rates."""
    change(
        row,
        editor,
        ("plans/scale-out/financing/kind", "lease"),
        ("plans/server-now/financing/kind", "loan"),
        ("finance/after_tax", True),
    )
    return row


def test_every_line_of_contracts_and_taxes_is_explained_and_adds_up(financed):
    result, comparison = answer(financed)
    found = set()
    for plan in result.plans:
        assert plan.priced, plan.infeasible
        tree = explain.tree(result, comparison, plan.slug, "present_value")
        assert sum(round(child["value"] * 100) for child in tree["children"]) == round(tree["value"] * 100)
        for node in explain.walk(tree):
            if node["key"].startswith(("opex.lease:", "opex.loan_interest_and_principal:", "credit.tax_shield:")):
                found.add(node["key"].split(":")[1])
                assert node["formula_text"]
                if node["months"]:
                    assert sum(round(cell["value"] * 100) for cell in node["months"]) == round(node["value"] * 100)
    assert {"rent", "interest", "principal", "running_costs", "depreciation"} <= found


def test_a_lender_pays_no_order_and_the_orders_stay(financed):
    result, _comparison = answer(financed)
    bought = purchase(result, "server-now", "S1", 1, dt.date(2026, 11, 30))
    assert all(row.line.code != "lender" for row in bought.orders)
    assert sum(row.total for row in [*bought.orders, *bought.rest]) == bought.capex


def test_the_rates_of_the_catalog_stand_in_the_empty_fields(financed):
    version = scenarios.newest(financed)
    document = scenarios.read(version.document)
    page = forms.Page(document, *answer(financed)[:1], evaluation.book_of(version.prices_id), evaluation.catalog(), {})
    rows = page.rows()
    assert rows["plans/server-now/financing/rate_per_year"].text == "8"
    assert rows["finance/profit_tax_rate"].text == "25"


def test_the_verdict_is_given_for_each_value_at_the_horizon_and_each_preset(row):
    result, comparison = answer(row)
    lines = finance_tables.verdicts(result, comparison, evaluation.by_lead_time(result))
    assert [line["label"].replace("\u00a0", " ") for line in lines] == [
        "Machines worth nothing at the horizon",
        "Machines worth their market price there",
        "Machines worth the service left in them",
        "Shortest lead times",
        "Likely lead times",
        "Longest lead times",
        "Cloud: specialist GPU cloud",
        "Cloud: large provider",
        "Discount rate of a public body, 4 %",
        "Discount rate of an enterprise, 8 %",
        "Discount rate of a start-up, 17 %",
    ]
    assert all(line["plan"] for line in lines)
    assert "discount rate" in finance_tables.rate_flip(result)


def test_the_best_plan_is_appraised_against_each_other(row):
    result, comparison = answer(row)
    table = finance_tables.investment(result, comparison)
    assert [line["slug"] for line in table.rows] == [
        *comparison.ranking,
        *(plan.slug for plan in result.plans if plan.slug not in comparison.ranking and plan.priced),
    ]
    assert [cell.text for cell in table.rows[0]["cells"][1:]] == ["–"] * 4
    cloud = next(line for line in table.rows if line["slug"] == "scale-out")
    assert cloud["cells"][1].text == "Start with 4, scale out"  # buys first what the cloud rents later


def test_the_use_from_which_owning_pays_is_given_both_ways(row):
    table = tables.use(*answer(row))
    assert table.head[2:] == ["Idle hours charged", "Idle hours free"]
    assert {line["slug"] for line in table.rows} == {"scale-out", "server-now", "cluster-now"}
    assert all(cell.text for line in table.rows for cell in line["cells"])


def test_a_million_tokens_and_a_run_have_their_cost_under_each_plan(workspace, editor):
    row = scenarios.create_from_template(workspace, editor, "driving-lab")
    result, comparison = answer(row)
    table = finance_tables.unit_costs(result, comparison)
    assert table.head[0] == "Plan"
    assert any(head.endswith((": a run", ": a million tokens", ": a million items")) for head in table.head[1:])
    assert all(len(line["cells"]) == len(table.head) - 1 for line in table.rows)
