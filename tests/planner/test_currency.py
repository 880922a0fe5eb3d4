"""Prices in several currencies in one plan, and a switch of the reporting currency, as the user sees them."""

import csv
import io
import re
from decimal import ROUND_HALF_UP, Decimal
from html import unescape

import pytest
from django.urls import reverse
from django.utils import translation

from catalog import services as catalog_services
from catalog.importers.shipped import shipped
from catalog.models import Item, Quote
from planner.services import evaluation, scenarios

BUILD, CARD = "srv-4x-h200-nvl", "add-1x-h200-nvl-to-srv-4x-h200-nvl"
RATES = {"EUR": (Decimal("1.1"), "2026-11-20"), "CNY": (Decimal("0.14"), "2026-11-21")}  # in USD
PLAN = "scale-out"
CENT = Decimal("0.01")


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def quoted(kind, slug, amount, currency):
    item = Item.objects.get(kind=kind, slug=slug)
    item.quotes.all().delete()
    terms = {"unit": "each", "kind": "quote", "supplier": f"{currency} Supplies", "quoted_on": "2026-11-10"}
    Quote.objects.create(item=item, unit_price=Decimal(amount), currency=currency, **terms)


@pytest.fixture
def three(workspace, editor):
    """A plan whose server is quoted in euros, its cards in yuan, all else in dollars."""
    catalog_services.load(shipped())
    for currency, (rate, day) in RATES.items():
        pair = f"{currency}-usd".lower()
        terms = {"kind": "fx", "slug": pair, "spec": {"base": currency, "quote": "USD"}}
        item, _created = Item.objects.get_or_create(slug=pair, defaults={"name": pair, **terms})
        Quote.objects.create(item=item, unit_price=rate, unit="rate", kind="index", quoted_on=day)
    quoted("build", BUILD, "160000.33", "EUR")
    quoted("addon", CARD, "233333.77", "CNY")
    return scenarios.create_from_template(workspace, editor, "small-team")


def page(client, row, name="workspace", **asked):
    text = client.get(reverse(f"planner:{name}", args=[row.pk]), asked).content.decode()
    return unescape(text).replace("\u00a0", " ")


def switched(client, row, currency):
    """The answer to choosing a reporting currency on the workspace."""
    base = scenarios.newest(row).number
    edit = {"path": "currency", "value": currency, "base": base}
    return client.post(reverse("planner:edit", args=[row.pk]), edit)


def positions(client, row):
    """The rows of the plan's purchasing file."""
    asked = {"plan": PLAN, "plain": "1", "headers": "codes"}
    text = client.get(reverse("planner:orders_csv", args=[row.pk]), asked).content.decode()
    return list(csv.DictReader(io.StringIO(text)))


def half_up(amount):
    return amount.quantize(CENT, ROUND_HALF_UP)


def figures(row):
    """Everything that was computed, and every amount that is stored."""
    head = scenarios.newest(row)
    return evaluation.evaluated(head)[0].as_dict(), head.document, head.prices.book


def amounts(book):
    """Every stored price as (amount, currency)."""
    prices = [each["price"] for part in ("builds", "addons", "offers", "items") for each in book[part].values()]
    return [(price["amount"], price["currency"]) for price in prices if price is not None]


def test_u021_quotes_in_three_currencies_survive_a_switch_and_back_to_the_last_digit(signed, three):
    assert {line["currency"] for line in positions(signed, three)} >= {"CNY", "EUR", "USD"}
    before = figures(three)
    for currency in ("CNY", "EUR", "JPY"):
        assert switched(signed, three, currency).status_code == 302
        result, _document, book = figures(three)
        assert result["currency"] == currency
        assert amounts(book) == amounts(before[2])
    assert switched(signed, three, "USD").status_code == 302
    assert figures(three) == before


def test_u022_a_switch_converts_at_a_dated_rate_that_stands_on_the_pages(signed, three):
    dollars = figures(three)[0]
    assert "CNY/USD 0.14 (21 Nov 2026), EUR/USD 1.1 (20 Nov 2026)" in page(signed, three)
    switched(signed, three, "EUR")
    for name in ("workspace", "statements"):
        shown = page(signed, three, name).partition("Exchange rates: ")[2].partition("</p>")[0]
        assert "CNY/EUR 0.127273 (20 Nov 2026)" in shown, name  # over the dollar: the older of both dates
        assert "USD/EUR 0.909091 (20 Nov 2026)" in shown, name
    for before, after in zip(dollars["plans"], figures(three)[0]["plans"], strict=True):
        assert after["present_value"] == pytest.approx(
            before["present_value"] / 1.1, rel=1e-6
        )  # each cell is rounded anew
        assert f"€{after['present_value']:,.2f}" in page(signed, three)


def test_u022_without_a_rate_a_switch_is_refused_and_the_page_keeps_its_currency(signed, three):
    before = figures(three)
    answer = switched(signed, three, "XOF")
    assert answer.status_code == 422
    assert "XOF" in answer.content.decode()
    assert figures(three) == before
    assert f"${before[0]['plans'][0]['present_value']:,.2f}" in page(signed, three)
    assert "amounts in USD" in page(signed, three)


def test_u026_converted_lines_add_up_to_the_converted_total_by_the_rule_on_the_page(signed, three):
    """quantity × unit price × exchange rate, rounded once, half up, is the line; the total is the sum of the lines."""
    lines = positions(signed, three)
    foreign = [line for line in lines if line["currency"] in RATES]
    assert {line["currency"] for line in foreign} == set(RATES)
    for line in lines:
        if line["quantity"]:
            exact = Decimal(line["quantity"]) * Decimal(line["unit_price"])
            assert half_up(exact) == Decimal(line["line_total"])
            assert half_up(exact * Decimal(line["fx_rate"])) == Decimal(line["report_line_total"])
    total = sum(Decimal(line["report_line_total"]) for line in lines)
    assert total == Decimal(repr(figures(three)[0]["plans"][0]["capex"]))
    shown = page(signed, three, "purchasing", plan=PLAN)
    assert f"${total:,}" in re.sub(r"<[^>]*>", "", shown.split("Capex of the plan")[1])[:40]
    assert "quantity × unit price × exchange rate, rounded once" in shown
