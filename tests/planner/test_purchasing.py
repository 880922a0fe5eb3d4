"""Purchasing: the file alone must suffice, so most of these tests read nothing but its bytes."""

import csv
import datetime as dt
import io
import zipfile
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.importers.shipped import shipped
from catalog.importers.table import rows_of
from catalog.records import catalog_of
from planner import purchase_tables, wording
from planner.engine.evaluate import evaluate
from planner.engine.lines import Line, round_half_up
from planner.engine.orders import _shares
from planner.engine.prices import Source, Terms
from planner.exports.delimited import csv_bytes
from planner.exports.orders import orders_csv
from planner.services import documents, evaluation, gallery, scenarios
from planner.services.purchasing import fitting_price, purchase
from tests.planner import sample

TODAY = dt.date(2026, 11, 30)
COLUMNS = list(wording.order_columns())
QUOTED = {"budget-first": {"CNY"}}  # the currency of a plan's quotes, where none is in dollars
MINOR = {"JPY": 0, "KRW": 0}


@pytest.fixture(autouse=True)
def english():
    """A request leaves its language behind in the thread; each test begins in English."""
    with translation.override("en"):
        yield


def table(data):
    """The rows of a file whose headings are codes, by nothing but the csv module."""
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def half_up(amount, decimals=2):
    return amount.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def recomputed(rows):
    """(orders, rest) by multiplying: what a script of the purchasing department would do."""
    sums = defaultdict(Decimal)
    for row in rows:
        total = Decimal(row["report_line_total"])
        decimals = MINOR.get(row["report_currency"], 2)
        if row["quantity"]:
            exact = Decimal(row["quantity"]) * Decimal(row["unit_price"])
            assert half_up(exact, MINOR.get(row["currency"], 2)) == Decimal(row["line_total"]), row
            assert half_up(exact * Decimal(row["fx_rate"]), decimals) == total, row
            assert len(row["unit_price"].partition(".")[2]) <= 15
        else:
            assert row["record"] == "rest"
        sums[row["record"]] += total
    return sums["order"], sums["rest"]


def bought(plan, book=None, **changes):
    """(purchase, price book) of a plan of the sample."""
    result, _comparison = sample.evaluated(book, **changes)
    return purchase(result, plan, "S7", 3, TODAY), result.book


def exported(plan, book=None, **changes):
    """The rows of a plan of the sample."""
    found, prices = bought(plan, book, **changes)
    return table(orders_csv(found, prices, codes=True))


def address(row, name="orders_csv", **query):
    return reverse(f"planner:{name}", args=[row.pk], query=query)


# ── Totals ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("currency", ["USD", "CNY", "JPY"])
@pytest.mark.parametrize("slug", gallery.templates())
def test_a_script_that_reads_only_the_file_gets_the_capex(slug, currency):
    result = evaluate(*documents.resolve({**gallery.document(slug), "currency": currency}))
    for plan in result.plans:
        found = purchase(result, plan.slug, slug, 1, TODAY)
        rows = table(orders_csv(found, result.book, codes=True))
        orders, rest = recomputed(rows)
        capex = half_up(Decimal(repr(plan.total("capex"))), MINOR.get(currency, 2))
        assert orders + rest == capex == found.capex
        assert (orders, rest) == (found.orders_total, found.rest_total)
        assert sum(row["record"] == "order" for row in rows) == len(plan.orders)
        if plan.orders:
            quoted = {row["currency"] for row in rows if row["record"] == "order"}
            assert "USD" in quoted or quoted == QUOTED.get(slug)
            assert orders > 0


def test_terms_for_all_orders_leave_the_file_adding_up_to_the_capex():
    terms = {"on_order": 0.3, "on_delivery": 0.5, "retention": 0.1, "covers": "all_orders"}
    found, book = bought("cluster", finance={"payment": terms})
    moved = {row.line.category for row in found.rest if row.line.code == "payment_terms"}
    assert {"capex.accelerators_and_servers", "capex.fabric", "capex.racks_and_power"} <= moved
    assert sum(recomputed(table(orders_csv(found, book, codes=True)))) == found.capex


def test_foreign_quotes_keep_their_currency_and_the_rate_with_its_date():
    rows = exported("scale-out")
    cards = [row for row in rows if row["record"] == "order" and row["item"] == "add-1x" and row["unit_price"]]
    card = next(row for row in cards if row["currency"] == "EUR")
    assert (card["supplier"], card["quoted_unit_price"]) == ("Karten GmbH", "31000")
    assert (card["fx_rate"], card["fx_date"], card["report_currency"]) == ("1.1", "2026-11-27", "USD")
    assert card["price_basis"] == "forecast"  # it is bought after the start, when the path has moved it
    server = next(row for row in rows if row["item"] == "srv-4x")
    assert (server["currency"], server["fx_rate"], server["fx_date"]) == ("USD", "1", "")
    orders, rest = recomputed(rows)
    result, _comparison = sample.evaluated()
    assert orders + rest == half_up(Decimal(repr(result.plan("scale-out").total("capex"))))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(1, 600), min_size=1, max_size=3),
    st.floats(0.01, 5e5, allow_nan=False),
    st.sampled_from([1.0, 7.0791, 1 / 7.0791, 0.0067, 155.3]),
    st.sampled_from([0, 2]),
    st.sampled_from([0, 2]),
)
def test_every_share_of_a_cell_has_a_unit_price_that_gives_it(parts, price, rate, decimals, least):
    """A cell of several positions: their shares add up to it, and each multiplies back, whatever the currency."""
    line = Line("capex.fabric", "link", np.array([[float(sum(parts))]]), "link", np.array([[price]]), Source(), "", "x")
    line.decimals = decimals
    shares = _shares(line, 0, [float(part) for part in parts])
    assert sum(shares) == int(round_half_up(np.asarray(sum(parts) * price), decimals))
    for part, share in zip(parts, shares, strict=True):
        total, quantity, fx = Decimal(share).scaleb(-decimals), Decimal(part), Decimal(repr(rate))
        shown = fitting_price(Decimal(repr(price)), quantity, fx, total, least, decimals)
        assert half_up(quantity * shown * fx, decimals) == total
        assert shown >= 0


def test_u013_after_a_price_edit_no_unit_price_disagrees_with_its_total(signed, row, editor):
    before = signed.get(address(row, plan="scale-out", headers="codes")).content
    path = "market/own_prices/srv-4x-h200-nvl"
    scenarios.edit(row, 1, path, 151_234.565, editor)
    rows = table(signed.get(address(row, plan="scale-out", headers="codes")).content)
    recomputed(rows)
    server = next(each for each in rows if each["item"] == "srv-4x-h200-nvl")
    assert (server["unit_price"], server["line_total"]) == ("151234.57", "151234.57")
    assert server["quoted_unit_price"] == "151234.565"
    assert "-v2-" in server["order_number"]
    # the version before still says what it said
    old = row.versions.get(number=1)
    result, _comparison = evaluation.evaluated(old)
    again = orders_csv(purchase(result, "scale-out", f"S{row.pk}", 1, TODAY), result.book, codes=True)
    assert again == before


# ── What a row says ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_u118_a_row_has_what_an_order_needs():
    row = exported("server")[0]
    assert row["record"] == "order"
    wanted = {
        "order_number": "S7-v3-server-2026-12",
        "position": "1",
        "phase": "1",
        "month": "2026-12",
        "order_by": "2026-09-01",  # twelve weeks and seven days of burn-in before the start
        "need_by": "2026-11-24",
        "in_service": "2026-12-01",
        "supplier": "Example Systems",
        "item": "srv-8x",
        "description": "8-GPU server, PowerEdge XE7745 with 8x H200 NVL",
        "quantity": "1",
        "unit": "server",
        "unit_price": "328000.00",
        "currency": "USD",
        "line_total": "328000.00",
        "price_basis": "quoted",
        "quoted_unit_price": "328000",
        "quote_number": "Q-1042",
        "quoted_on": "2026-11-02",
        "valid_until": "2027-01-31",
        "source": "https://example.org/quote/q-1042",
        "report_line_total": "328000.00",
        "report_currency": "USD",
        "lead_time_weeks": "12",
        "cost_centre": "",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert list(row) == COLUMNS


def test_a_price_path_makes_a_forecast_and_a_chassis_is_quoted_by_nobody():
    rows = [row for row in exported("server", months=60) if row["item"] == "srv-8x"]
    assert [row["price_basis"] for row in rows] == ["quoted"] + ["forecast"] * (len(rows) - 1)
    assert len(rows) > 1
    assert all(row["quoted_unit_price"] == "328000" for row in rows)

    plans = sample.document()["plans"]
    plans[0]["start"]["cards"] = 2  # fewer than the build comes with: a chassis and two loose cards
    rows = exported("scale-out", months=60, plans=plans)
    chassis, card = (next(row for row in rows if row["description"].startswith(name)) for name in ("Chassis", "Added"))
    assert (chassis["price_basis"], chassis["quoted_unit_price"]) == ("estimate", "")
    assert chassis["unit_price"] == "39600.00"  # 176,000 − 4 × 31,000 EUR at 1.1
    assert (card["price_basis"], card["quantity"], card["unit_price"], card["currency"]) == (
        "list",
        "2",
        "31000.00",
        "EUR",
    )
    assert card["report_line_total"] == "68200.00"
    recomputed(rows)


def test_a_quote_without_a_supplier_is_no_more_than_a_list_price():
    found, book = bought("server", sample.book(builds={**sample.book().builds, "srv-8x": nameless()}))
    row = table(orders_csv(found, book, codes=True))[0]
    assert (row["supplier"], row["price_basis"]) == ("no quote", "list")
    assert [(doubt.codes, doubt.basis) for doubt in found.doubts if doubt.line.item == "srv-8x"] == [
        (("no_supplier",), "list")
    ]


def nameless():
    build = sample.book().builds["srv-8x"]
    source = build.price.source.model_copy(update={"supplier": ""})
    return build.model_copy(update={"price": build.price.model_copy(update={"source": source})})


def test_order_numbers_are_stable_and_one_a_month():
    first, second = exported("scale-out"), exported("scale-out")
    assert first == second
    orders = [row for row in first if row["record"] == "order"]
    assert len({(row["order_number"], row["position"]) for row in orders}) == len(orders)
    assert all(row["order_number"].endswith(row["month"]) for row in orders)
    phases = [int(row["phase"]) for row in orders]
    assert phases == sorted(phases)
    assert set(phases) == set(range(1, max(phases) + 1))


@pytest.mark.parametrize(("language", "words"), [("en", "no quote"), ("zh-hans", "无报价")])
def test_a_blank_supplier_reads_no_quote(language, words):
    found, book = bought("cluster")
    with translation.override(language):
        data = orders_csv(found, book).decode("utf-8-sig")
        head, *rows = csv.reader(io.StringIO(data, newline=""))
        supplier = head.index(wording.order_columns()["supplier"])
    switch = next(row for row in rows if "qm9700" in row)
    assert switch[supplier] == words


def with_terms(slug="srv-8x", **terms):
    """The price book of the sample, with terms in the quote of a server."""
    prices = sample.book()
    asked = prices.builds[slug].price.model_copy(update={"terms": Terms.read(terms)})
    return prices.model_copy(
        update={"builds": {**prices.builds, slug: prices.builds[slug].model_copy(update={"price": asked})}}
    )


def test_u005_the_file_has_the_price_of_the_volume_break():
    breaks = [{"min_quantity": 2, "amount": 310_000.0}]
    rows = exported("cluster", with_terms(breaks=breaks, discounts=[{"name": "Framework", "share": 0.05}]))
    first = next(row for row in rows if row["item"] == "srv-8x" and row["record"] == "order")
    assert (first["quantity"], first["unit_price"], first["quoted_unit_price"]) == ("2", "310000.00", "310000")
    assert first["price_basis"] == "quoted"  # another quantity, no forecast
    off = next(row for row in rows if row["item"] == "srv-8x" and row["record"] == "rest")
    assert (off["report_line_total"], off["quantity"]) == ("-31000.00", "")
    orders, rest = recomputed(rows)
    found, _prices = bought("cluster", with_terms(breaks=breaks, discounts=[{"name": "Framework", "share": 0.05}]))
    assert orders + rest == found.capex


def test_u005_lead_time_and_freight_stand_beside_the_price():
    # 0.7 % of two servers of 328,000; delivered twelve weeks after the order
    result, _comparison = sample.evaluated()
    page = purchase_tables.page(purchase(result, "cluster", "S7", 3, TODAY), result)
    servers = next(row for row in page["orders"][0]["rows"] if row["name"].startswith("8-GPU server"))
    assert servers["beside"].replace("\u00a0", " ") == "12 weeks, freight $4,592.00"


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"min_quantity": 3}, "below the minimum quantity of 3: PowerEdge XE7745 with 8x H200 NVL"),
        ({"pack": 4}, "not whole packs of 4: PowerEdge XE7745 with 8x H200 NVL"),
        ({"min_order_value": 1e6}, "order too small: PowerEdge XE7745 with 8x H200 NVL"),
    ],
)
def test_u006_what_the_quote_does_not_allow_is_named_beside_the_order(terms, said):
    result, _comparison = sample.evaluated(with_terms(**terms))
    page = purchase_tables.page(purchase(result, "cluster", "S7", 3, TODAY), result)
    assert said in [lack["text"] for doubt in page["doubts"] for lack in doubt["lacks"]]


def test_u006_a_quote_that_ends_before_the_order_is_named():
    late = {"start": "2027-12", "pricing_date": "2026-11-30"}
    found, _book = bought("server", **late)
    doubt = next(doubt for doubt in found.doubts if doubt.line.item == "srv-8x")
    assert "expired" in doubt.codes
    assert doubt.path == "market/own_prices/srv-8x"
    assert all(row["valid_until"] == "2027-01-31" for row in exported("server", **late) if row["item"] == "srv-8x")


def test_a_stale_price_is_listed_with_the_field_that_mends_it():
    old = sample.build("srv-8x", "Old quote", 8, 8, (7.0, 5.3, 1.2), usd=328_000.0)
    source = old.price.source.model_copy(update={"dated": dt.date(2025, 1, 1)})
    old = old.model_copy(update={"price": old.price.model_copy(update={"source": source})})
    builds = {**sample.book().builds, "srv-8x": old}
    found, _book = bought("server", sample.book(builds=builds))
    assert [(doubt.line.item, doubt.codes[0], doubt.path) for doubt in found.doubts if "stale" in doubt.codes] == [
        ("srv-8x", "stale", "market/own_prices/srv-8x")
    ]


# ── Prices that nobody knows ─────────────────────────────────────────────────────────────────────────────────────────


def unpriced_book(*slugs):
    plain = sample.book()
    builds = {
        slug: build.model_copy(update={"price": None}) if slug in slugs else build
        for slug, build in plain.builds.items()
    }
    addons = {
        slug: card.model_copy(update={"price": None}) if card.slug in slugs else card
        for slug, card in plain.addons.items()
    }
    items = {
        slug: item.model_copy(update={"price": None}) if slug in slugs else item for slug, item in plain.items.items()
    }
    return sample.book(builds=builds, addons=addons, items=items)


def test_an_item_without_a_quote_is_ordered_without_a_price_and_there_is_no_total():
    result, _comparison = sample.evaluated(unpriced_book("srv-8x", "qm9700"))
    assert result.plan("cluster").orders == []  # the plan has no totals
    found = purchase(result, "cluster", "S7", 3, TODAY)
    assert found.missing == {"srv-8x", "qm9700"}
    assert (found.capex, found.orders_total, found.rest_total) == (None, None, None)
    rows = table(orders_csv(found, result.book, codes=True))
    server = next(row for row in rows if row["item"] == "srv-8x")
    assert (server["quantity"], server["supplier"], server["order_by"]) == ("2", "no quote", "2026-09-01")
    money = ("unit_price", "line_total", "report_line_total", "quoted_unit_price", "price_basis")
    assert [server[name] for name in money] == [""] * 5
    assert [row["unit_price"] for row in rows if row["item"] == "qm9700"] == [""]
    assert "1.00" not in [row["unit_price"] for row in rows]  # the stand-in never shows
    freight = next(row for row in rows if row["item"] == "freight-domestic")
    assert freight["report_line_total"] == ""  # a share of what is not known
    link = next(row for row in rows if row["item"] == "cable-400g-link")
    assert link["unit_price"] == "1230.00"
    assert [doubt.codes[0] for doubt in found.doubts if doubt.line.item == "srv-8x"] == ["no_price"]
    said = purchase_tables.page(found, result)
    assert [each["text"] for each in said["totals"]] == ["–", "–", "–"]
    assert said["refusals"]


def test_the_page_of_a_plan_without_a_price_says_so_and_still_gives_the_quantities(
    signed, workspace, editor, monkeypatch
):
    whole = shipped()
    quotes = [quote for quote in whole.all_quotes() if quote.item_slug not in ("srv-8x-a100-sxm", "qm9700")]
    less = catalog_of(whole.all_items(), quotes)
    monkeypatch.setattr(evaluation, "catalog", lambda: less)
    made = scenarios.create_from_template(workspace, editor, "image-startup")
    answer = signed.get(address(made, "purchasing", plan="cluster-now"))
    page = answer.content.decode()
    assert "There are no totals: a price is missing." in page
    assert "#a-market--own_prices--srv-8x-a100-sxm" in page
    assert [row["quantity"] for order in answer.context["orders"] for row in order["rows"]].count("3 servers") == 1
    assert {order["total"] for order in answer.context["orders"]} == {"–"}
    rows = table(signed.get(address(made, plan="cluster-now", headers="codes")).content)
    assert next(row for row in rows if row["item"] == "srv-8x-a100-sxm")["unit_price"] == ""
    other = signed.get(address(made, "purchasing", plan="scale-out")).content.decode()
    assert "There are no totals" not in other


def test_a_cloud_offer_that_nobody_quotes_is_no_matter_of_purchasing():
    found, _book = bought("server", sample.book(offers={}))
    assert not found.plan.priced
    assert (found.missing, found.possible) == (frozenset(), True)
    assert found.orders_total + found.rest_total == found.capex > 0
    result, _comparison = sample.evaluated(sample.book(offers={}))
    assert purchase_tables.page(found, result)["refusals"] == []


def test_a_plan_that_cannot_be_built_has_no_file(signed, row, editor):
    """More cards than slots: what would have to be bought is not known."""
    document = scenarios.newest(row).document
    assert document["plans"][0]["slug"] == "scale-out"
    changed, _old, _new = scenarios.put(document, "plans/scale-out/start/cards", 99)
    result = evaluate(*documents.resolve({"scenario": changed, "prices": row.head.prices.book}))
    found = purchase(result, "scale-out", "S1", 1, TODAY)
    assert (found.possible, found.orders, found.rest) == (False, [], [])
    assert purchase_tables.page(found, result)["refusals"]


def test_what_hangs_on_the_price_of_a_card_is_not_known_without_it():
    rows = [row for row in exported("scale-out", unpriced_book("add-1x")) if row["record"] == "order"]
    first = rows[0]
    assert (first["item"], first["month"], first["unit_price"]) == ("srv-4x", "2026-12", "176000.00")
    assert {row["unit_price"] for row in rows if row["unit"] == "GPU" and "Added" in row["description"]} == {""}


def test_a_part_without_a_number_leaves_the_cell_empty():
    plain = sample.book()
    card = plain.addons["srv-4x"].model_copy(update={"part_number": "00367901234567890323"})
    with_number = exported("scale-out", sample.book(addons={"srv-4x": card}))
    assert {row["part_number"] for row in with_number if row["item"] == "srv-4x"} == {""}
    numbers = {row["part_number"] for row in with_number if row["item"] == "add-1x" and row["record"] == "order"}
    assert numbers == {"00367901234567890323", ""}  # its memory and network card have none
    assert {row["part_number"] for row in exported("scale-out")} == {""}


# ── The file ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1"])
def test_u110_text_that_a_spreadsheet_would_run_is_disarmed_headings_included(text):
    assert list(csv.reader(io.StringIO(csv_bytes([[text], [text]], bom=False).decode(), newline=""))) == [
        [f"'{text}"],
        [f"'{text}"],
    ]


def test_u111_a_negative_number_stays_a_number():
    data = csv_bytes([["amount", "text"], [Decimal("-1250.50"), "-1250.50"]], bom=False)
    assert data == b"amount,text\r\n-1250.50,'-1250.50\r\n"


def test_hostile_quotes_reach_the_file_disarmed_and_whole():
    source = {"supplier": '=HYPERLINK("http://x","y")', "number": "@1,\n2", "url": "+cmd|'/c calc'!A0"}
    build = sample.book().builds["srv-8x"]
    price = build.price.model_copy(update={"source": build.price.source.model_copy(update=source)})
    hostile = build.model_copy(update={"price": price, "name": "=cmd\t中文"})
    rows = exported("server", sample.book(builds={**sample.book().builds, "srv-8x": hostile}))
    row = next(row for row in rows if row["item"] == "srv-8x")
    assert row["supplier"] == '\'=HYPERLINK("http://x","y")'
    assert row["quote_number"] == "'@1,\n2"
    assert row["source"] == "'+cmd|'/c calc'!A0"
    assert row["description"] == "8-GPU server, =cmd\t中文"  # does not begin with it
    recomputed(rows)


def test_u108_u109_with_and_without_the_mark_of_utf_8_the_first_heading_is_intact(signed, row):
    excel = signed.get(address(row, plan="server-now", headers="codes"))
    plain = signed.get(address(row, plan="server-now", headers="codes", plain="1"))
    assert excel.content[:3] == b"\xef\xbb\xbf"
    assert plain.content[:3] != b"\xef\xbb\xbf"
    assert excel.content[3:] == plain.content
    assert excel["Content-Type"] == "text/csv; charset=utf-8"
    assert excel["Content-Disposition"] == 'attachment; filename="orders-server-now-v1.csv"'
    for content in (excel.content, plain.content):  # our own importer's reader takes both
        bad = []
        found = list(rows_of("orders.csv", content, COLUMNS, (), bad))
        assert bad == []
        assert found[0].text("record") == "order"


@pytest.mark.parametrize(("language", "words"), [("en", "entered in the scenario"), ("zh-hans", "在情景中填入")])
def test_a_price_of_a_template_is_not_called_the_users_own(language, words):
    result = evaluate(*documents.resolve(gallery.document("small-team")))
    with translation.override(language):
        rows = table(orders_csv(purchase(result, "server-now", "S7", 1, TODAY), result.book, codes=True))
        state = wording.price_state("own", Source(basis="own"))
    sources = {row["source"] for row in rows}
    assert words in sources
    assert state == words
    assert not any("your" in each or "您" in each for each in sources)


def test_u113_a_part_number_survives_being_written_and_read():
    number = "00367901234567890323"
    data = csv_bytes([["part_number", "trailing"], [number, "4.50"]], bom=True)
    again = next(rows_of("parts.csv", data, ["part_number", "trailing"], (), []))
    assert (again.text("part_number"), again.text("trailing")) == (number, "4.50")


def test_u115_amounts_are_plain_numbers_beside_an_iso_currency():
    amounts = ("quantity", "unit_price", "line_total", "report_line_total", "quoted_unit_price", "fx_rate")
    for row in exported("cluster"):
        for name in amounts:
            if row[name]:
                assert f"{Decimal(row[name]):f}" == row[name]
        assert row["currency"] in ("USD", "EUR")
        for name in ("order_by", "need_by", "in_service", "valid_until", "quoted_on", "fx_date"):
            if row[name]:
                assert dt.date.fromisoformat(row[name]).isoformat() == row[name]


def test_u122_numbers_do_not_follow_the_language_and_chinese_is_whole(signed, row):
    english = signed.get(address(row, plan="scale-out")).content.decode("utf-8-sig")
    signed.cookies[django_settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    chinese = signed.get(address(row, plan="scale-out")).content.decode("utf-8-sig")
    codes = signed.get(address(row, plan="scale-out", headers="codes")).content.decode("utf-8-sig")
    (head, *ours), (kopf, *theirs) = (list(csv.reader(io.StringIO(text, newline=""))) for text in (english, chinese))
    assert len(head) == len(kopf) == len(set(kopf))
    assert {"供应商", "部件号", "单价", "最迟下单"} <= set(kopf)
    assert "�" not in chinese
    assert "无报价" in chinese
    numeric = [COLUMNS.index(name) for name in ("quantity", "unit_price", "line_total", "fx_rate", "order_by")]
    assert [[row[n] for n in numeric] for row in ours] == [[row[n] for n in numeric] for row in theirs]
    assert codes.splitlines()[0] == ",".join(COLUMNS)
    assert {row["price_basis"] for row in table(codes.encode())} <= {"quoted", "list", "estimate", "forecast", ""}


def test_u119_one_file_a_supplier_and_all_of_them_are_the_capex(signed, row):
    answer = signed.get(address(row, "orders_zip", plan="cluster-now", headers="codes"))
    packed = zipfile.ZipFile(io.BytesIO(answer.content))
    files = {name: table(packed.read(name)) for name in packed.namelist()}
    whole = table(signed.get(address(row, plan="cluster-now", headers="codes")).content)
    by_phase, wanted = defaultdict(Decimal), defaultdict(Decimal)
    for each in [each for rows in files.values() for each in rows]:
        by_phase[each["phase"]] += Decimal(each["report_line_total"])
    for each in whole:
        wanted[each["phase"]] += Decimal(each["report_line_total"])
    assert by_phase == wanted
    assert all(len({each["supplier"] for each in rows}) == 1 for rows in files.values())
    assert answer.content == signed.get(address(row, "orders_zip", plan="cluster-now", headers="codes")).content


# ── Page, access, command ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("slug", gallery.templates())
def test_the_page_shows_every_plan_of_every_template(signed, workspace, editor, slug, language):
    signed.cookies[django_settings.LANGUAGE_COOKIE_NAME] = language
    made = scenarios.create_from_template(workspace, editor, slug)
    for plan in gallery.document(slug)["plans"]:
        answer = signed.get(address(made, "purchasing", plan=plan["slug"]))
        assert answer.status_code == 200
        page = answer.content.decode()
        for order in answer.context["orders"]:
            assert order["number"] in page
            assert order["total"] in page
        assert answer.context["totals"][2]["text"] in page


def test_a_past_date_is_red_and_says_so_and_a_lack_leads_to_its_field(signed, row, editor):
    scenarios.edit(row, 1, "start", "2026-12", editor)
    page = signed.get(address(row, "purchasing", plan="server-now")).content.decode()
    assert '<span class="bad">1 Sep 2026 · past</span>' in page
    assert f"{reverse('planner:workspace', args=[row.pk])}#a-market--own_prices--srv-8x-h200-nvl" in page
    field = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert 'id="a-market--own_prices--srv-8x-h200-nvl"' in field
    assert address(row, "purchasing") in field


def test_a_stranger_learns_nothing_and_a_viewer_may_export(client, row, viewer, django_user_model):
    pages = [address(row, name, plan="server-now") for name in ("purchasing", "orders_csv", "orders_zip")]
    assert [client.get(page).status_code for page in pages] == [302] * 3
    client.force_login(django_user_model.objects.create_user("eve"))
    assert [client.get(page).status_code for page in pages] == [404] * 3
    client.force_login(viewer)
    assert [client.get(page).status_code for page in pages] == [200] * 3
    assert client.post(pages[1]).status_code == 405
    assert client.get(address(row, plan="nonsense")).status_code == 404
    assert client.get(address(row, "purchasing", plan="nonsense")).status_code == 404


def test_the_command_writes_the_bytes_of_the_page(signed, row, tmp_path, capfdbinary):
    wanted = signed.get(address(row, plan="scale-out")).content
    file = tmp_path / "orders.csv"
    call_command("export_orders", str(row.pk), "--plan", "scale-out", "--output", str(file))
    assert file.read_bytes() == wanted
    call_command("export_orders", "small-team", "--plan", "scale-out", "--plain", "--headers", "codes")
    rows = table(capfdbinary.readouterr().out)
    assert rows[0]["order_number"] == "small-team-v0-scale-out-2027-04"
    call_command("export_orders", "small-team", "--plan", "scale-out", "--language", "zh-hans", "--output", str(file))
    assert "供应商" in file.read_text("utf-8-sig")
    with pytest.raises(CommandError, match="one of scale-out, server-now"):
        call_command("export_orders", "small-team", "--plan", "nonsense")
