"""Cost lines and service lives on a report."""

import pytest
from django.urls import reverse
from django.utils.translation import override

from planner import report_lines
from planner.engine import ENGINE_VERSION
from planner.services import reports
from tests.planner.sample import PRICED_ON, bare, evaluated


def line_of(found, plan, name):
    [lines] = [each for each in found if each["slug"] == plan]
    return next(line for group in lines["groups"] for line in group["lines"] if line["name"].startswith(name))


def test_u011_a_line_opens_to_formula_inputs_record_rate_with_its_date_and_engine():
    with override("en"):
        found = report_lines.cost_lines(*evaluated(), PRICED_ON)
        card = line_of(found, "scale-out", "Added GPU card")
    assert card["formula"].startswith("cards × today's price × price path: ")
    assert {each["name"] for each in card["inputs"]} >= {"Today's price", "GPU price change"}
    assert card["source"]["record"] == "add-1x"
    assert card["source"]["rate"] == "exchange rate 1.1 · 27 Nov 2026 · ECB"
    assert found[0]["engine_version"] == ENGINE_VERSION


def test_u007_a_line_opens_to_quote_number_date_currency_and_link():
    with override("en"):
        server = line_of(report_lines.cost_lines(*evaluated(), PRICED_ON), "server", "8-GPU server")
        card = line_of(report_lines.cost_lines(*evaluated(), PRICED_ON), "scale-out", "Added GPU card")
    assert server["source"]["text"] == "Example Systems · no. Q-1042 · 2 Nov 2026 · valid until 31 Jan 2027"
    assert server["source"]["url"] == "https://example.org/quote/q-1042"
    assert card["source"]["quoted"] == "€31,000.00"


def test_the_lines_of_a_plan_add_up_to_its_present_value():
    evaluation, comparison = bare()
    with override("en"):
        found = report_lines.cost_lines(evaluation, comparison, PRICED_ON)
    assert {each["slug"]: each["total"] for each in found} == {"server": "$8,000.00", "cloud": "$26,280.00"}
    assert [line["value"] for each in found for group in each["groups"] for line in group["lines"]] == [
        "$8,000.00",
        "$26,280.00",
    ]


def test_u049_three_to_six_years_stand_side_by_side():
    flat = {"rate_per_year": 0.0}
    market = {"accelerator": flat, "memory_flash": flat, "own_prices": {"srv-8x": 8000.0}}
    with override("en"):
        table = report_lines.lives(*bare(months=48, market=market))
    assert table["head"] == ["Plan", "3 years", "4 years", "5 years", "6 years", "Service life set"]
    server = next(row for row in table["rows"] if row["name"] == "8-GPU server now")
    # one GPU busy for four years of 35,064 hours: a server of 8,000, renewed after three years; later, past the horizon
    assert [cell["text"] for cell in server["cells"]] == ["$0.46", "$0.23", "$0.23", "$0.23"]
    assert server["set"].replace("\u00a0", " ") == "60 months"


@pytest.mark.django_db
def test_a_frozen_report_has_both_and_a_copy_without_prices_only_the_lives(row, signed):
    frozen = reports.freeze(row.head, None)
    page = signed.get(reverse("planner:report", args=[frozen.pk])).content.decode()
    assert "Cost lines, each down to its quote" in page
    assert "Cost per useful GPU-hour by service life" in page
    assert "price record <code>" in page
    without = reports.page(frozen, "en", prices=False)
    assert "lines" not in without
    assert [row["cells"] for row in without["lives"]["rows"]]
