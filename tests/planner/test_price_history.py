"""The price history of an item: one currency an axis, each kind by colour and marker, validity as a line."""

import xml.etree.ElementTree as ET
from datetime import date
from decimal import Decimal
from itertools import pairwise

import pytest
from django.utils.translation import override

from catalog import history as facts
from catalog.records import QUOTE_KINDS, QuoteRecord
from planner.charts import history, svg

TODAY = date(2026, 11, 30)


@pytest.fixture(autouse=True)
def english():
    with override("en"):
        yield


def quote(price, day, *, kind="list", currency="USD", unit="each", **more):
    quoted_on = date.fromisoformat(day) if day else None
    return QuoteRecord("x", "build", Decimal(price), currency, kind, unit, quoted_on, **more)


def drawn(*quotes):
    """The figure of quotes given oldest first."""
    [series] = facts.series(quotes[::-1], TODAY)
    return history.figure(series, TODAY)


def markers(figure):
    return {trace["name"]: trace for trace in figure["data"] if trace["mode"] == "markers"}


def test_currencies_and_units_are_never_on_one_axis():
    quotes = [quote("3", "2026-01-01"), quote("20", "2026-02-01", currency="CNY"), quote("1", "2026-03-01", unit="kWh")]
    quotes.append(quote("4", "2026-02-15"))
    found = facts.series(sorted(quotes, key=lambda one: one.quoted_on, reverse=True), TODAY)
    assert [(one.unit, len(one.points)) for one in found] == [("USD / kWh", 1), ("USD / each", 2), ("CNY / each", 1)]


def test_of_one_day_the_price_that_a_list_shows_counts_as_the_newest():
    shown, other = quote("20", "2026-02-01"), quote("30", "2026-02-01")
    assert "the newest is 20 (list)" in facts.series([shown, other], TODAY)[0].summary


def test_a_price_without_a_date_is_not_drawn():
    assert facts.series([quote("3", "")], TODAY) == []
    assert len(facts.series([quote("3", ""), quote("4", "2026-01-01")], TODAY)[0].points) == 1


def test_every_kind_has_a_marker_of_its_own_that_is_drawn_without_scripts_too():
    assert set(history.LOOKS) == set(QUOTE_KINDS)
    symbols = [symbol for _role, symbol in history.LOOKS.values()]
    assert len(set(symbols)) == len(symbols)
    assert {symbol for symbol in symbols if symbol not in svg.SYMBOLS} == {"circle"}


def test_kinds_differ_by_colour_and_marker_and_used_goods_are_hollow():
    found = markers(
        drawn(
            quote("30", "2026-01-01", kind="list"),
            quote("25", "2026-03-01", kind="street"),
            quote("10", "2026-06-01", kind="street", condition="used"),
        )
    )
    looks = {name: (trace["marker"]["color"], trace["marker"]["symbol"]) for name, trace in found.items()}
    assert looks == {
        "list": ("#d55e00", "square"),
        "street": ("#009e73", "triangle-up"),
        "street, used": ("#009e73", "triangle-up-open"),
    }


def test_validity_runs_from_the_day_of_the_quote_to_its_last():
    figure = drawn(quote("30", "2026-03-01", valid_until=date(2026, 5, 31)), quote("28", "2026-08-01"))
    [line] = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    assert line["x"] == ["2026-03-01", "2026-05-31", None]
    assert line["y"] == [30.0, 30.0, None]


def test_a_validity_of_decades_does_not_stretch_the_axis():
    figure = drawn(quote("30", "2026-03-01", valid_until=date(2099, 12, 31)))
    end = figure["layout"]["xaxis"]["range"][1]
    assert "2027-11-30" < end < "2028-02-01"  # a year from today, and the margin
    [line] = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    assert line["x"][1] == end


@pytest.mark.parametrize(
    ("prices", "begins"),
    [(["100"], 0.0), (["100", "100"], 0.0), (["40", "100"], 0.0), (["7.28", "6.80"], 6.6), (["0", "0"], 0.0)],
)
def test_the_axis_begins_at_zero_unless_the_differences_would_not_be_seen(prices, begins):
    figure = drawn(*(quote(price, f"2026-0{month}-01") for month, price in enumerate(prices, 1)))
    axis = figure["layout"]["yaxis"]
    assert axis["range"][0] == axis["tickvals"][0] == begins
    assert axis["range"][1] > max(map(float, prices))


def test_few_kinds_are_named_beside_their_newest_point():
    figure = drawn(
        quote("30000", "2025-01-01"), quote("8000", "2026-02-01", kind="auction"), quote("32000", "2026-06-01")
    )
    notes = {note["text"]: (note["x"], note["y"]) for note in figure["layout"]["annotations"]}
    assert notes["list 32,000"] == ("2026-06-01", 32000.0)
    assert notes["auction 8,000"] == ("2026-02-01", 8000.0)
    assert not figure["layout"]["showlegend"]
    narrow = figure["layout"]["meta"]["narrow"]
    assert narrow["showlegend"]
    assert [note["text"] for note in narrow["annotations"]] == ["today"]


def test_labels_that_would_cover_something_give_way_to_a_legend():
    close = [quote("50", "2025-06-01"), quote("100", "2026-06-01"), quote("104", "2026-06-03", kind="street")]
    figure = drawn(*close)
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["today"]
    assert figure["layout"]["showlegend"]


@pytest.mark.parametrize(
    "days", [("2026-11-01",), ("2026-07-21", "2026-10-01"), ("2016-03-01", "2026-10-01"), ("0001-01-01", "9999-12-31")]
)
def test_dates_on_the_axis_are_few_and_in_order(days):
    axis = drawn(*(quote("5", day) for day in days))["layout"]["xaxis"]
    assert 1 <= len(axis["tickvals"]) <= 7
    assert all(one < other for one, other in pairwise(axis["tickvals"]))
    assert axis["range"][0] <= axis["tickvals"][0]
    assert axis["tickvals"][-1] <= axis["range"][1]


@pytest.mark.parametrize("narrow", [False, True])
def test_the_drawing_without_scripts_shows_points_names_and_validity(narrow):
    figure = drawn(
        quote("30000", "2025-01-01", valid_until=date(2025, 6, 1)), quote("8000", "2026-02-01", kind="auction")
    )
    root = ET.fromstring(svg.draw(figure, 350 if narrow else 680, 220, narrow=narrow))
    texts = [each.text for each in root.iter("text")]
    assert "today" in texts
    assert {"list", "auction"} <= set(texts) if narrow else {"list 30,000", "auction 8,000"} <= set(texts)
    shapes = [(each.tag, each.get("class")) for each in root.iter("path")]
    assert shapes.count(("path", "f-plan2")) == (2 if narrow else 1)  # narrow: in the legend too
    assert ("path", "s-plan2") in shapes  # the line of validity
    assert not [each for each in root.iter() if "style" in each.attrib]


def test_u107_hostile_text_stays_text_in_figure_and_drawing():
    figure = drawn(
        quote(
            "1", "2026-01-01", kind="quote", supplier="<img src=x onerror=alert(1)>", unit="<script>alert(2)</script>"
        )
    )
    [trace] = markers(figure).values()
    assert trace["customdata"][0].endswith("&lt;img src=x onerror=alert(1)&gt;")
    root = ET.fromstring(svg.draw(figure, 680, 220))
    assert not [each.tag for each in root.iter() if each.tag in ("img", "script")]


def test_the_summary_says_what_a_reader_of_the_picture_would_see():
    many = [quote("20", "2026-07-01", kind="street", date_precision="quarter"), quote("30", "2025-01-01")]
    assert facts.series(many, TODAY)[0].summary == (
        "2 prices in USD / each from 2025-01-01 to 2026-Q3, between 20 and 30; the newest is 20 (street)."
    )
    assert facts.series(many[1:], TODAY)[0].summary == "One price in USD / each: 30 (list), 2025-01-01."
    with override("zh-hans"):
        assert facts.series(many, TODAY)[0].summary == (
            "USD / 件：2 个价格，2025-01-01 至 2026-Q3，介于 20 与 30 之间；最新为 20（市价）。"
        )
