"""Files that must be refused: every bad cell is named with line, column, value, reason and bound."""

import random
from datetime import date
from decimal import Decimal

import pytest

from catalog.importers import FORMS, MAX_BYTES, Refused, read
from catalog.importers.shipped import DATA
from catalog.importers.table import parse_day

RATES = "base,quote,rate,date,source\n"
QUOTES = "item_slug,item_kind,description,price,currency,unit,condition,quote_date,source_type,source_url,note\n"
FACILITY = "slug,kind,vendor,model,capacity_kw,rack_units,phases,volts,amps,price,currency,price_date,source_url,note\n"
ADDRESS = "https://example.com/a"


def refused(**files):
    with pytest.raises(Refused) as caught:
        read({name + ".csv": text if isinstance(text, bytes) else text.encode() for name, text in files.items()})
    return [(bad.line, bad.column, bad.value, bad.code) for bad in caught.value.bad_cells]


def quote(
    price="1", currency="USD", unit="each", day="2026-01-01", kind="list", slug="x", condition="new", url=ADDRESS
):
    return QUOTES + f"{slug},nic,An adapter,{price},{currency},{unit},{condition},{day},{kind},{url},\n"


def test_a_good_file_with_and_without_bom_and_with_windows_lines():
    text = RATES + "USD,CNY,7.1,2026-01,x\n"
    for content in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.replace("\n", "\r\n").encode()):
        rate = read({"fx_rates.csv": content}).exchange_rate("USD", "CNY", date(2026, 2, 1))
        assert (rate.unit_price, rate.currency, rate.unit) == (Decimal("7.1"), "CNY", "USD")


@pytest.mark.parametrize(
    ("price", "code"),
    [
        ("nan", "not_finite"), ("NaN", "not_finite"), ("inf", "not_finite"), ("-Infinity", "not_finite"),
        ("-1", "out_of_bounds"), ("1000000000", "out_of_bounds"), ("1e99", "out_of_bounds"), ("", "empty"),
        ('"1,000"', "not_a_number"), ("1_000", "not_a_number"), ("$5", "not_a_number"), ("１", "not_a_number"),
        ("0.1234567", "too_many_decimals"),
    ],
)  # fmt: skip
def test_a_price_that_is_none(price, code):
    assert refused(price_quotes=quote(price=price)) == [(2, "price", price.strip('"'), code)]


def test_a_price_of_zero_is_a_price():
    assert read({"price_quotes.csv": quote(price="0").encode()}).quotes_of("x")[0].unit_price == 0


def test_a_price_without_currency_or_unit_is_refused():
    assert refused(price_quotes=quote(currency="", unit="")) == [
        (2, "unit", "", "no_unit"),
        (2, "currency", "", "no_currency"),
    ]


@pytest.mark.parametrize("currency", ["usd", "US", "XXX", "€"])
def test_a_currency_nobody_uses(currency):
    assert refused(price_quotes=quote(currency=currency)) == [(2, "currency", currency, "not_a_currency")]


@pytest.mark.parametrize("day", ["2026-13", "2026-02-30", "30.11.2026", "2026-Q5", "0026-01-01", "soon", "2026-01-00"])
def test_a_date_that_is_none(day):
    assert refused(price_quotes=quote(day=day)) == [(2, "quote_date", day, "not_a_date")]


@pytest.mark.parametrize(
    ("text", "day", "precision"),
    [
        ("2026-11-30", date(2026, 11, 30), "day"), ("2026-11", date(2026, 11, 1), "month"),
        ("2026-Q4", date(2026, 10, 1), "quarter"),
        ("2026-H2", date(2026, 7, 1), "half"), ("2026", date(2026, 1, 1), "year"),
    ],
)  # fmt: skip
def test_a_date_is_its_first_day(text, day, precision):
    assert parse_day(text) == (day, precision)


def test_every_bad_cell_of_every_file_is_listed_at_once():
    rack = FACILITY + f"r1,rack,A,Rack,x,42,,,,,,,{ADDRESS},\nr2,rack,B,Rack,,-1,9,,,5,,,{ADDRESS},\n"
    assert refused(facility_items=rack, fx_rates=RATES + "USD,CNY,nan,2026-01,x\nUSD,ABC,7,2026,x\n") == [
        (2, "capacity_kw", "x", "not_a_number"),
        (3, "currency", "", "no_currency"),
        (3, "rack_units", "-1", "out_of_bounds"),
        (3, "phases", "9", "out_of_bounds"),
        (2, "rate", "nan", "not_finite"),
        (3, "quote", "ABC", "not_a_currency"),
    ]


def test_a_message_names_field_value_bound_and_unit():
    with pytest.raises(Refused) as caught:
        read({"facility_items.csv": (FACILITY + f"r,rack,A,Rack,,101,,,,,,,{ADDRESS},\n").encode()})
    assert str(caught.value) == "facility_items.csv: line 2, column rack_units: must lie in 0 to 100 U; got '101'"


def test_a_slug_that_stands_twice_names_the_first_line():
    rack = FACILITY + f"r,rack,A,Rack,,42,,,,,,,{ADDRESS},\n" * 2
    with pytest.raises(Refused) as caught:
        read({"facility_items.csv": rack.encode()})
    [bad] = caught.value.bad_cells
    assert (bad.line, bad.column, bad.code, bad.detail) == (3, "slug", "duplicate", "2")


def test_a_row_that_stands_twice_is_refused_but_two_prices_of_one_day_are_not():
    assert refused(price_quotes=quote() + quote().split("\n")[1] + "\n")[0][3] == "duplicate"
    two = read({"price_quotes.csv": (quote(price="1") + quote(price="2").split("\n")[1] + "\n").encode()}).quotes_of(
        "x"
    )
    assert sorted(q.unit_price for q in two) == [1, 2]
    assert len({q.external_id for q in two}) == 2


def test_a_corrected_price_is_the_same_quote():
    before, after = (read({"price_quotes.csv": quote(price=p).encode()}).quotes_of("x")[0] for p in ("1", "2"))
    assert before.external_id == after.external_id


def test_columns_missing_unknown_and_twice():
    assert refused(fx_rates="base,quote,rate,rate,when,source\nUSD,CNY,7,7,2026,x\n") == [
        (1, "date", "", "missing_column"),
        (1, "when", "", "unknown_column"),
        (1, "rate", "", "duplicate_column"),
    ]


def test_a_row_of_another_width():
    assert refused(fx_rates=RATES + "USD,CNY,7\n")[0][3] == "wrong_width"


def test_the_line_is_the_first_of_a_row_that_spans_lines():
    text = RATES + 'USD,CNY,7,2026,"two\nlines"\nUSD,EUR,-1,2026,x\n'
    assert refused(fx_rates=text) == [(4, "rate", "-1", "out_of_bounds")]


def test_other_encodings_broken_quotes_and_control_characters():
    assert refused(fx_rates=RATES.encode() + "USD,CNY,7,2026,人民币\n".encode("gb18030"))[0][3] == "not_utf8"
    assert refused(fx_rates=RATES + 'USD,CNY,7,2026,"open\n')[0][3] == "broken_csv"
    assert refused(fx_rates=RATES + "USD,CNY,7,2026,a\x00b\n")[0][3] == "control_character"
    assert refused(fx_rates="")[0][3] == "no_header"


def test_size_is_limited():
    assert refused(fx_rates=b"x" * (MAX_BYTES + 1)) == [(1, "", f"{MAX_BYTES + 1:,}", "too_large")]
    assert refused(fx_rates=RATES + f"USD,CNY,7,2026,{'x' * 6000}\n")[0][3] == "cell_too_long"


def test_rows_are_limited(monkeypatch):
    monkeypatch.setattr("catalog.importers.table.MAX_ROWS", 1)
    assert refused(fx_rates=RATES + "USD,CNY,7,2026,x\nUSD,EUR,7,2026,x\n")[0][3] == "too_many_rows"


def test_a_file_of_another_name_is_refused():
    assert refused(prices="a,b\n")[0][3] == "unknown_file"


def test_a_word_or_script_is_not_an_address():
    assert refused(price_quotes=quote(url="javascript:alert(1)"))[0][3] == "not_a_url"


def test_a_kind_or_condition_nobody_knows():
    assert refused(price_quotes=quote(kind="rumour", condition="shiny")) == [
        (2, "source_type", "rumour", "not_a_choice"),
        (2, "condition", "shiny", "not_a_choice"),
    ]


def test_quotes_alone_find_items_that_are_known_already():
    content = {"price_quotes.csv": quote(slug="cx7-400-osfp").encode()}
    assert read(content, known=[("nic", "cx7-400-osfp")]).quotes_of("cx7-400-osfp")[0].item_kind == "nic"
    assert read(content).quotes_of("cx7-400-osfp")[0].item_kind == "other"


def test_a_supplier_quote_keeps_supplier_number_and_validity():
    header, row = quote(kind="quote", url="").strip().split("\n")
    text = f"{header},supplier,number,valid_until\n{row},Dealer,Q-17,2026-12-31\n"
    [found] = read({"price_quotes.csv": text.encode()}).quotes_of("x")
    assert (found.supplier, found.number, found.valid_until, found.status) == (
        "Dealer",
        "Q-17",
        date(2026, 12, 31),
        "sourced",
    )
    assert found.effective_on(date(2026, 12, 31))
    assert not found.effective_on(date(2027, 1, 1))


def test_whatever_a_file_holds_it_is_read_or_refused_with_reasons():
    """Shipped rows with cells overwritten by nonsense, the same nonsense each time."""
    nonsense = [
        b"",
        b"nan",
        b"-1",
        b"1e999",
        b'"',
        b"\n",
        b",",
        b"\x00",
        b"\xff",
        b"2026-00",
        b"9" * 400,
        b"1e-400",
        b"0",
        b"y",
    ]
    nonsense += [
        b"http://",
        b"http://[",
        b"\xe5\x85\x83",
        b'"a""b"',
        b"1E5000000",
        b"0e99999999999999999999",
        b"(((;",
        b": ",
    ]
    draw, reasons = random.Random(5), []
    for _ in range(400):
        name = draw.choice(list(FORMS))
        header, *lines = (DATA / name).read_bytes().split(b"\n")
        cells = [line.split(b",") for line in [header, *draw.sample(lines[:-1], 4)]]
        for _ in range(draw.randint(1, 4)):
            row = draw.choice(cells[1:] if draw.random() < 0.9 else cells)
            row[draw.randrange(len(row))] = draw.choice(nonsense)
        try:
            read({name: b"\n".join(b",".join(row) for row in cells)})
        except Refused as error:
            reasons.append(str(error))
    assert reasons
    assert all(reasons)
