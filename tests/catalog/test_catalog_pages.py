"""The read-only pages: what a reader finds, and how far each figure says it can be trusted."""

import csv
import io
import re
from datetime import date, timedelta

import pytest
from django.conf import settings
from django.utils import translation

from catalog import pages, specs, wording
from catalog.importers.table import REASONS, BadCell
from catalog.models import Item, Quote
from catalog.records import FRESHNESS

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def today(monkeypatch):
    """The day of the shipped data, so that the age of a price does not depend on the calendar."""
    monkeypatch.setattr("catalog.views.timezone.localdate", lambda: date(2026, 11, 30))


def text_of(response):
    """The text of a page, spaces made one."""
    body = response.content.decode().partition("<main")[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def row_of(response, name):
    """The text of the table row that holds `name`."""
    rows = re.findall(r"<tr>.*?</tr>", response.content.decode(), re.S)
    [row] = [row for row in rows if name in row]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).strip()


@pytest.mark.parametrize("path", ["", *(f"{path}/" for path in pages.PAGES), "builds/srv-4x-l40s/", "builds.csv"])
def test_pages_are_for_those_signed_in(client, path):
    assert client.get(f"/catalog/{path}").status_code == 302


@pytest.mark.parametrize("path", pages.PAGES)
def test_every_list_opens_and_so_does_the_first_item_of_it(reader, facts, path):
    response = reader.get(f"/catalog/{path}/")
    assert response.status_code == 200
    first = re.search(r'<th scope="row"><a href="([^"]+)"', response.content.decode())[1]
    assert reader.get(first).status_code == 200


def test_nothing_loaded_is_said_not_left_blank(reader):
    assert "Nothing has been loaded yet" in text_of(reader.get("/catalog/"))
    assert "Nothing matches" in text_of(reader.get("/catalog/builds/"))


def test_a_data_sheet_calls_another_item_by_its_name_with_a_link(reader, facts):
    page = reader.get("/catalog/accelerators/h100-sxm/").content.decode()
    successor = Item.objects.get(kind="accelerator", slug="h100-sxm").spec["successor_slug"]
    name = Item.objects.get(kind="accelerator", slug=successor).name
    assert f'<a href="/catalog/accelerators/{successor}/">{name}</a>' in page
    assert f">{successor}</a>" not in page
    listed = reader.get("/catalog/builds/", {"q": "srv-8x-h100-sxm"}).content.decode()
    card = Item.objects.get(kind="accelerator", slug="h100-sxm").name
    assert f'<a href="/catalog/accelerators/h100-sxm/">{card}</a>' in listed
    assert f'<option value="h100-sxm">{card}</option>' in listed


def test_money_of_a_data_sheet_names_its_currency(reader, facts):
    text = text_of(reader.get("/catalog/builds/srv-4x-h200-nvl/"))
    assert "Price of what comes with it 4,800 USD / each" in text
    assert "money" not in text
    assert "Currency of that price" not in text


def test_search_finds_by_words_in_any_order(reader, facts):
    response = reader.get("/catalog/accelerators/", {"q": "sxm5 h100"})
    assert "1 item" in text_of(response)
    assert [row["item"].slug for row in response.context["rows"]] == ["h100-sxm"]


def test_filters_and_their_choices(reader, facts):
    response = reader.get("/catalog/builds/", {"tier": "workstation"})
    assert "7 items" in text_of(response)
    assert "8 items" in text_of(reader.get("/catalog/builds/", {"expandable": "True"}))
    [tiers] = [f for f in response.context["filters"] if f.name == "tier"]
    assert [value for value, _label in tiers.choices] == ["entry", "high", "mid", "rack-scale", "workstation"]


def test_pages_of_25_keep_search_and_filters(reader, facts):
    response = reader.get("/catalog/cloud/", {"pricing_model": "spot", "page": "2"})
    assert "81 items · page 2 of 4" in text_of(response)
    assert len(response.context["rows"]) == 25
    assert "?pricing_model=spot&amp;page=3" in response.content.decode()
    assert "page 34 of 34" in text_of(reader.get("/catalog/cloud/", {"page": "999"}))


def test_order_by_a_figure_puts_the_unknown_last(reader, facts):
    rows = reader.get("/catalog/accelerators/", {"sort": "-memory_gb"}).context["rows"]
    assert [row["item"].slug for row in rows[:1]] == ["mi455x"]
    last = reader.get("/catalog/accelerators/", {"sort": "tdp_w", "page": "3"}).context["rows"][-1]
    assert last["cells"][5].text == ""


def test_prices_are_ordered_within_one_currency_and_unit(reader, facts):
    rows = reader.get("/catalog/builds/", {"sort": "price"}).context["rows"]
    assert [row["price"].currency for row in rows[:3]] == ["CNY", "CNY", "USD"]
    dollars = [float(row["price"].amount.replace(",", "")) for row in rows[2:]]
    assert dollars == sorted(dollars)


def test_a_row_says_price_currency_unit_date_and_that_it_is_an_estimate(reader, facts):
    row = row_of(reader.get("/catalog/builds/", {"q": "xe7740 8x"}), "PowerEdge XE7740 with 8x L40S")
    assert "100,000 USD / each 2026-07-21 estimate" in row


def test_an_estimated_cell_carries_a_word_and_its_rule(reader, facts):
    page = reader.get("/catalog/builds/", {"q": "xe7740 8x"}).content.decode()
    assert re.search(
        r'class="badge estimate" tabindex="0" aria-describedby="(tip-[\w-]+)">estimate<span class="tip"', page
    )
    assert "1.15 x (8 x 350 W + CPUs 700" in page


def test_a_sourced_cell_carries_no_badge(reader, facts):
    row = row_of(reader.get("/catalog/servers/", {"q": "nvidia-dgx-h100"}), "DGX H100")
    assert "10,200" in row
    assert "10,200 estimate" not in row


def test_no_quote_is_said_and_is_never_zero(reader, facts):
    row = row_of(reader.get("/catalog/network/", {"q": "qm9790"}), "Quantum-2 QM9790")
    assert "no quote" in row
    assert " 0 " not in row


def test_a_price_older_than_180_days_is_stale(reader, facts):
    old = row_of(reader.get("/catalog/builds/", {"q": "srv-8x-a100-sxm"}), "builds/srv-8x-a100-sxm/")
    new = row_of(reader.get("/catalog/builds/", {"q": "xe7740 8x"}), "XE7740 with 8x")
    assert ("stale" in old, "stale" in new) == (True, False)


TODAY = date(2026, 11, 30)


@pytest.fixture
def bare(db):
    """An item without prices."""
    return Item.objects.create(kind="switch", slug="bare", name="Bare switch", spec={"model": "Bare switch"})


def quoted(item, age, left=None, **more):
    """A quote so many days old, valid for so many more (negative: expired)."""
    until = None if left is None else TODAY + timedelta(days=left)
    given = {"unit_price": 100, "currency": "USD", "unit": "each", "kind": "quote", "supplier": "Acme", **more}
    return Quote.objects.create(item=item, quoted_on=TODAY - timedelta(days=age), valid_until=until, **given)


@pytest.mark.parametrize(
    ("quotes", "state"),
    [
        ([], "none"),
        ([(0, None)], "fresh"),
        ([(90, None)], "fresh"),
        ([(91, None)], "ageing"),
        ([(180, None)], "ageing"),
        ([(181, None)], "stale"),
        ([(30, 0)], "fresh"),  # valid on its last day
        ([(30, -1)], "expired"),
        ([(30, -1), (100, None)], "ageing"),  # the newest has expired: that of the price that still stands
        ([(-5, None)], "none"),  # not issued yet
        ([(400, 10)], "stale"),  # valid, yet old
    ],
)
def test_u003_freshness_is_that_of_the_price_that_can_be_accepted_today(reader, bare, quotes, state):
    for age, left in quotes:
        quoted(bare, age, left)
    row = row_of(reader.get("/catalog/network/"), "Bare switch")
    word = {"none": "no quote"}.get(state, state)
    assert word in row
    assert not [other for other in ("fresh", "ageing", "stale", "expired") if other != state and other in row]
    detail = text_of(reader.get("/catalog/network/bare/")).partition("Price")[2].partition("A price is fresh")[0]
    assert word in detail
    for code in FRESHNESS:
        assert ("Bare switch" in text_of(reader.get("/catalog/network/", {"freshness": code}))) is (code == state), code


def test_an_expired_price_is_not_shown_as_the_price(reader, bare):
    quoted(bare, 30, -1, unit_price=777)
    row = row_of(reader.get("/catalog/network/"), "Bare switch")
    assert "no quote expired" in row
    assert "777" not in row


@pytest.mark.parametrize("path", [path for path, page in pages.PAGES.items() if page.price])
def test_the_filter_by_freshness_finds_what_the_badges_say(facts, path):
    page = pages.PAGES[path]
    items = list(Item.objects.of_kind(*page.kinds).with_quotes())
    assert [code for code, _word in pages.choices(page, "freshness")] == list(FRESHNESS)
    for code in FRESHNESS:
        found = {item.pk for item in pages.found(page, "", {"freshness": code}, "", TODAY)}
        assert found == {item.pk for item in items if pages.freshness(item.quotes.all(), TODAY) == code}, code
    assert not pages.found(page, "", {"freshness": "odd"}, "", TODAY).exists()


def test_the_rule_of_freshness_is_said_wherever_a_badge_is(reader, facts):
    for path in ("", "builds/", "builds/srv-8x-l40s/"):
        assert "fresh for 90 days, a quarter, " in text_of(reader.get(f"/catalog/{path}")), path
    assert "after 180 days" in text_of(reader.get("/catalog/"))


def test_an_unknown_cell_says_so(reader, facts):
    row = row_of(reader.get("/catalog/servers/", {"q": "nvidia-dgx-2"}), "DGX-2")
    assert "unknown" in row


def test_the_detail_page_holds_the_whole_data_sheet_with_its_sources(reader, facts):
    page = reader.get("/catalog/builds/srv-4x-l40s/")
    text = text_of(page)
    for piece in (
        *(
            "Maximum power 2,789 W",
            "Rack units 4 U",
            "Lead time, likely 12 weeks",
            "Warranty 3 years",
            "Weight 64.59 kg",
        ),
        *("65,600 USD / each", "One more card", "8,600 USD / each", "Adds to maximum power 416.75 W"),
        "Price of what comes with it 800",
    ):
        assert piece in text
    assert 'href="https://arxiv.org/abs/2506.14551"' in page.content.decode()
    assert "0.76 x maximum (training average" in text


def test_the_page_says_how_old_the_price_is_and_how_long_it_holds(reader, bare):
    quoted(bare, 12, 20, number="Q-7", source_url="https://acme.example/q7", basis="by phone")
    page = reader.get("/catalog/network/bare/")
    text = text_of(page)
    assert "100 USD / each 2026-11-18 · valid until 2026-12-20" in text
    assert "12 days old." in text
    row = row_of(page, "Q-7")
    assert row == "2026-11-18 fresh 100 USD each quote new Acme Q-7 2026-12-20 by phone acme.example"


def test_prices_of_two_currencies_are_two_charts_and_one_table(reader, bare):
    quoted(bare, 10)
    quoted(bare, 5, currency="CNY", unit_price=700)
    quoted(bare, 1, kind="list")
    Quote.objects.create(item=bare, unit_price=5, currency="USD", unit="each", kind="news")  # undated
    page = reader.get("/catalog/network/bare/")
    assert [chart["series"].unit for chart in page.context["charts"]] == ["USD / each", "CNY / each"]
    body = page.content.decode()
    assert body.count('class="drawn"') == 4  # wide and narrow
    assert re.findall(r'<script id="(history-\d)" type="application/json">', body) == ["history-1", "history-2"]
    assert "Show data: 4 prices" in text_of(page)
    assert "undated stale" in text_of(page)


def test_without_a_price_there_is_no_chart_and_no_script(reader, bare):
    page = reader.get("/catalog/network/bare/")
    assert page.context["charts"] == []
    assert "plotly" not in page.content.decode()
    assert "no quote" in text_of(page)


def test_u107_hostile_words_of_a_quote_stay_text(reader, bare):
    evil = "<script>alert(1)</script>"
    quoted(
        bare, 1, supplier=evil, number="</script><img src=x onerror=alert(2)>", basis=evil, source_url="javascript:x"
    )
    body = reader.get("/catalog/network/bare/").content.decode()
    assert "<script>alert" not in body
    assert "<img src=x" not in body
    assert "javascript:x" not in body
    assert body.count("&lt;script&gt;alert(1)") == 3  # supplier and basis in the table, the basis in the tip too


def test_the_detail_page_of_an_accelerator_lists_every_price_and_the_builds(reader, facts):
    page = reader.get("/catalog/accelerators/h100-sxm/")
    assert len(page.context["prices"]) == 19
    assert 'href="/catalog/builds/srv-8x-h100-dgx/"' in page.content.decode()


def test_a_price_edited_by_hand_is_marked_yours(reader, facts):
    Quote.objects.filter(item__slug="srv-8x-l40s").update(edited_by_hand=True)
    assert "each 2026-07-21 yours" in row_of(reader.get("/catalog/builds/", {"q": "xe7740 8x"}), "XE7740 with 8x")


def test_an_address_that_is_no_web_address_is_no_link(reader, facts):
    Quote.objects.filter(item__slug="srv-8x-l40s").update(source_url="javascript:alert(1)")
    assert "javascript:" not in reader.get("/catalog/builds/srv-8x-l40s/").content.decode()


@pytest.mark.parametrize("path", ["builds/no-such/", "nothing/", "builds/h100-sxm/"])
def test_what_does_not_exist_is_404(reader, facts, path):
    assert reader.get(f"/catalog/{path}").status_code == 404


def test_odd_addresses_do_no_harm(reader, facts):
    query = {"q": "\0' OR 1=1 --", "sort": "-spec__x", "page": "-1", "tier": "<b>"}
    assert "Nothing matches" in text_of(reader.get("/catalog/builds/", query))


def test_the_file_names_units_in_its_headers_and_currency_and_unit_in_every_row(reader, facts):
    """U014: unit and period stand in export headers."""
    response = reader.get("/catalog/builds.csv", {"tier": "workstation"})
    assert response.content.startswith("\ufeff".encode())
    header, *rows = csv.reader(io.StringIO(response.content.decode("utf-8-sig")))
    assert {"max_power_w [W]", "lead_time_weeks_likely [weeks]", "price [USD/each]", "currency", "unit"} <= set(header)
    assert len(rows) == 7
    assert {row[header.index("unit")] for row in rows} == {"each"}
    [hourly] = [
        name
        for name in next(csv.reader(io.StringIO(reader.get("/catalog/cloud.csv").content.decode())))
        if "price [" in name
    ]
    assert hourly == "price [currency/unit]"


def test_a_text_that_looks_like_a_formula_is_harmless_in_the_file(reader, facts):
    Item.objects.filter(slug="srv-8x-l40s").update(name='=HYPERLINK("x")')
    assert "\"'=HYPERLINK" in reader.get("/catalog/builds.csv").content.decode()


def test_the_pages_speak_chinese(reader, facts):
    reader.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    text = text_of(reader.get("/catalog/builds/", {"q": "xe7740 8x"}))
    assert "整机配置" in text
    assert "100,000 USD / 件 2026-07-21 估算" in text
    assert row_of(reader.get("/catalog/builds/", {"q": "xe7740 8x"}), "with 8x L40S").count("渐旧") == 1
    assert "无报价" in text_of(reader.get("/catalog/network/", {"q": "qm9790"}))


def test_every_field_and_unit_has_words_in_both_languages():
    for kind, spec in specs.KINDS.items():
        assert kind in wording.KINDS
        for name in spec.model_fields:
            assert name in wording.FIELDS or name in pages.HIDDEN, name
    with translation.override("zh-hans"):
        assert wording.field("lead_time_weeks_likely") == "交货期（最可能）"
        assert not [r for c, r in REASONS.items() if c != "invalid" and translation.gettext(r) == r]


def test_a_bad_cell_is_said_in_either_language():
    bad = BadCell("builds.csv", 12, "max_power_w", "-5", "out_of_bounds", 0, 500_000, "W")
    with translation.override("en"):
        assert wording.say(bad) == "builds.csv: line 12, column max_power_w: must lie in 0 to 500,000 W; got “-5”"
    with translation.override("zh-hans"):
        assert wording.say(bad) == "builds.csv：第 12 行，max_power_w 列：必须在 0 到 500,000 W 之间；收到“-5”"
