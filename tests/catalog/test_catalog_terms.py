"""Terms of a quote: volume breaks, discounts, least quantities, and the tax inside the price."""

from decimal import Decimal

import pytest

from catalog import services, terms, wording
from catalog.importers import Refused, read
from catalog.models import Quote
from catalog.records import Break, Discount, catalog_of
from tests.catalog.test_catalog_admin import errors_of, quote_data

HEAD = (
    "item_slug,item_kind,description,price,currency,unit,condition,quote_date,source_type,source_url,note,"
    "supplier,number,valid_until,breaks,discounts,min_quantity,min_order_value,pack_size,tax_included_percent\n"
)
ROW = "srv-4x-l40s,build,,65600,USD,each,new,2026-11-30,quote,,,Dealer,Q-9,2026-12-31,"


def test_breaks_are_read_smallest_first():
    assert terms.read_breaks("16: 40,000 ; 8:41500.50") == (
        Break(8, Decimal("41500.5")),
        Break(16, Decimal("40000")),
    )


def test_discounts_keep_their_names():
    assert terms.read_discounts("Framework: 5 %; Rebate: 2,000") == (
        Discount("Framework", share=Decimal("0.05")),
        Discount("Rebate", amount=Decimal("2000")),
    )


@pytest.mark.parametrize("text", ["8: 41500.5; 16: 40000", ""])
def test_what_is_written_of_breaks_reads_back(text):
    assert terms.write_breaks(terms.read_breaks(text)) == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("8", "bad_break"),
        ("1: 5", "break_quantity"),
        ("8: x", "term_amount"),
        ("8: 1e9", "term_amount"),
        ("8: 5; 8: 4", "break_twice"),
    ],
)
def test_a_bad_break_is_named(text, code):
    with pytest.raises(terms.BadTerm) as error:
        terms.read_breaks(text)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("5 %", "bad_discount"),
        ("A: 0 %", "discount_share"),
        ("A: 60 %; B: 40 %", "discount_share"),
        ("A: 5 %; A: 1", "discount_twice"),
        ("A: -5", "term_amount"),
    ],
)
def test_a_bad_discount_is_named(text, code):
    with pytest.raises(terms.BadTerm) as error:
        terms.read_discounts(text)
    assert error.value.code == code


def imported(cells):
    catalog = read({"price_quotes.csv": (HEAD + ROW + cells + "\n").encode()}, known=[("build", "srv-4x-l40s")])
    return catalog.quotes_of("srv-4x-l40s")[0]


def test_a_file_of_quotes_may_bring_terms():
    quote = imported('"4: 64000; 8: 62500",Framework: 5 %,2,100000,2,13')
    assert quote.breaks == (Break(4, Decimal("64000")), Break(8, Decimal("62500")))
    assert quote.discounts == (Discount("Framework", share=Decimal("0.05")),)
    assert (quote.min_quantity, quote.pack_size) == (2, 2)
    assert (quote.min_order_value, quote.tax_included_percent) == (Decimal("100000"), Decimal("13"))


@pytest.mark.parametrize(
    ("cells", "error"),
    [
        ("4 : dear,,,,,", "column breaks: “4 : dear”: must be a plain number"),
        (",,0,,,", "column min_quantity: must lie in 1 to 1,000,000"),
        (",,,,2.5,", "column pack_size: must be a whole number"),
        (",,,,,130", "column tax_included_percent: must lie in 0 to 100"),
    ],
)
def test_a_bad_term_of_a_file_is_named_and_nothing_is_read(cells, error):
    with pytest.raises(Refused) as refused:
        imported(cells)
    assert error in str(refused.value.bad_cells[0])


@pytest.mark.django_db
def test_terms_survive_the_database(facts):
    quote = imported('"4: 64000","Framework: 5 %; Rebate: 2000",2,100000,2,13')
    services.load(catalog_of([], [quote]))
    stored = services.stored(slugs=["srv-4x-l40s"]).quotes_of("srv-4x-l40s")
    assert quote in stored


@pytest.mark.django_db
def test_u005_a_steward_types_volume_breaks_and_reads_them_back(steward, facts):
    quote = Quote.objects.get(item__slug="srv-4x-l40s")
    address = f"/admin/catalog/quote/{quote.pk}/change/"
    data = quote_data(quote, breaks="4: 64000; 8: 62500", discounts="Framework: 5 %", min_quantity="2")
    assert steward.post(address, data).status_code == 302
    [stored] = services.stored(slugs=["srv-4x-l40s"]).quotes_of("srv-4x-l40s")
    assert stored.breaks == (Break(4, Decimal("64000")), Break(8, Decimal("62500")))
    page = steward.get(address).content.decode()
    assert 'value="4: 64000; 8: 62500"' in page
    assert 'value="Framework: 5 %"' in page


@pytest.mark.django_db
def test_a_steward_s_bad_break_is_refused_in_words(steward, facts):
    quote = Quote.objects.get(item__slug="srv-4x-l40s")
    response = steward.post(f"/admin/catalog/quote/{quote.pk}/change/", quote_data(quote, breaks="4 dear"))
    assert "“4 dear” is no volume break: write quantity: price, as in 8: 41500; 16: 40000." in errors_of(response)


def test_the_terms_are_said_in_one_line():
    quote = imported('"4: 64000",Framework: 5 %,2,100000,3,13')
    assert wording.terms(quote) == (
        "from 4: 64,000 · at least 2 · in packs of 3 · orders from 100,000 USD · Framework \u22125\u00a0% · "
        "tax of 13 % included"
    )
