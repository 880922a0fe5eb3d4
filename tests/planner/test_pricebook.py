"""From the catalog to the prices of a scenario: which quote, which exchange rate, and what stays unsaid."""

import dataclasses
import datetime as dt
from decimal import Decimal

import pytest

from catalog.importers.shipped import shipped
from catalog.records import Break, Discount, QuoteRecord
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.prices import MissingRate
from planner.services import gallery, pinned, pricebook

BOX = "srv-8x-h200-sxm"
DAY = dt.date(2026, 11, 30)


def day(text):
    return dt.date.fromisoformat(text)


def quote(amount, quoted_on, *, slug=BOX, kind="build", currency="USD", source="quote", **more):
    return QuoteRecord(
        item_slug=slug,
        item_kind=kind,
        unit_price=Decimal(amount),
        currency=currency,
        kind=source,
        unit="each",
        quoted_on=day(quoted_on) if quoted_on else None,
        supplier="Example Systems",
        number="Q-1",
        external_id=f"{slug}-{amount}",
        **more,
    )


def rate(base, other, amount, quoted_on):
    return quote(
        amount,
        quoted_on,
        slug=f"{base}-{other}".lower(),
        kind="fx",
        currency=other,
        source="list",
        source_url="https://x.org",
    )


def catalog(*quotes, without=()):
    """The shipped catalog with these quotes in place of those it has of the same items, and no quotes of `without`."""
    held = {slug: rows for slug, rows in shipped().quotes.items() if slug not in without}
    for slug in {row.item_slug for row in quotes}:
        held[slug] = sorted(
            (row for row in quotes if row.item_slug == slug), key=lambda row: row.quoted_on or dt.date.min
        )
    return dataclasses.replace(shipped(), quotes=held)


def scenario(**changes):
    data = gallery.document("office-server")
    return Scenario.read({**data, "plans": data["plans"][:1], **changes})


def book(*quotes, without=(), **changes):
    return pricebook.build(catalog(*quotes, without=without), scenario(**changes))


def price(*quotes, **changes):
    return book(*quotes, **changes).builds[BOX].price


# ── terms of a quote ──


def test_u005_the_terms_of_a_quote_come_along():
    asked = quote(
        "100000",
        "2026-10-01",
        breaks=(Break(8, Decimal("90000")),),
        discounts=(Discount("Framework", share=Decimal("0.05")), Discount("Rebate", amount=Decimal("2000"))),
        min_quantity=2,
        min_order_value=Decimal("150000"),
        pack_size=2,
        tax_included_percent=Decimal("13"),
    )
    found = price(asked)
    assert found.terms.model_dump() == {
        "breaks": ({"min_quantity": 8, "amount": 90_000.0},),
        "discounts": (
            {"name": "Framework", "share": 0.05, "amount": None},
            {"name": "Rebate", "share": None, "amount": 2_000.0},
        ),
        "min_quantity": 2,
        "min_order_value": 150_000.0,
        "pack": 2,
    }
    assert found.tax_included == 0.13


def test_a_quote_without_terms_has_none():
    assert price(quote("100000", "2026-10-01")).terms is None


# ── units and periods ──


def offered(amount, unit):
    """Price per hour of an offer whose price is quoted in a unit."""
    slug = next(item.slug for item in shipped().of_kind("offer").values() if item.spec.billing_unit == "gpu")
    asked = dataclasses.replace(quote(amount, "2026-11-01", slug=slug, kind="offer", source="list"), unit=unit)
    data = gallery.document("office-server")
    card = shipped().item("offer", slug).spec.accelerator_slug
    plan = {"slug": "cloud", "overflow": {"accelerator": card, "offer": slug}}
    prices = pricebook.build(catalog(asked), Scenario.read({**data, "plans": [plan]}))
    return prices.offers[slug].price


@pytest.mark.parametrize(("amount", "unit"), [("2", "gpu-hour"), ("1460", "gpu-month"), ("17520", "gpu-year")])
def test_u015_a_price_per_hour_month_or_year_comes_to_the_same_in_a_year(amount, unit):
    assert offered(amount, unit).amount * 8760 == pytest.approx(17_520, rel=1e-4)


def test_u015_a_price_per_what_nobody_knows_is_no_price_of_an_hour():
    assert offered("1460", "gpu-fortnight") is None


# ── which quote ──


def test_without_a_quote_of_its_own_the_row_of_the_catalog_is_taken():
    found = pricebook.build(shipped(), scenario()).builds[BOX].price
    assert (found.amount, found.currency) == (340_000.0, "USD")
    assert found.source.basis != "quoted"


def test_a_valid_quote_goes_before_the_row():
    found = price(quote("340000", "2026-07-01", source="list"), quote("350000", "2026-02-01"))
    assert (found.amount, found.source.basis, found.source.supplier, found.source.number) == (
        350_000.0,
        "quoted",
        "Example Systems",
        "Q-1",
    )


def test_an_expired_quote_is_not_taken():
    expired = quote("100000", "2026-10-01", valid_until=day("2026-11-29"))
    assert price(expired, quote("340000", "2026-07-01", source="list")).amount == 340_000.0


def test_a_quote_holds_on_its_last_day():
    last = quote("100000", "2026-10-01", valid_until=DAY)
    assert price(last, quote("340000", "2026-07-01", source="list")).amount == 100_000.0


def test_a_quote_of_tomorrow_is_not_taken():
    assert price(quote("100000", "2026-12-01"), quote("340000", "2026-07-01", source="list")).amount == 340_000.0


def test_an_undated_quote_is_never_taken():
    assert price(quote("100000", None)) is None


def test_of_two_valid_quotes_the_newer_is_taken():
    assert price(quote("100000", "2026-10-01"), quote("90000", "2026-09-01")).amount == 100_000.0


def test_a_used_machine_s_price_is_not_that_of_a_new_one():
    assert (
        price(quote("100000", "2026-10-01", condition="used"), quote("340000", "2026-07-01", source="list")).amount
        == 340_000.0
    )


def test_the_pricing_date_decides_not_today():
    rows = quote("340000", "2026-07-01", source="list"), quote("300000", "2026-11-15")
    assert price(*rows, pricing_date="2026-11-14").amount == 340_000.0
    assert price(*rows, pricing_date="2026-11-15").amount == 300_000.0


def test_no_quote_is_no_price_and_never_0():
    prices = book(without=(BOX,))
    assert prices.builds[BOX].price is None
    result = evaluate(scenario(), prices).plans[0]
    assert [(reason.code, reason.facts["item"]) for reason in result.infeasible] == [("no_quote", BOX)]


def test_an_own_price_goes_before_a_quote():
    asked = scenario(market={"own_prices": {BOX: 111_111.0}})
    result = evaluate(asked, pricebook.build(catalog(quote("350000", "2026-11-01")), asked)).plans[0]
    line = next(line for line in result.lines if line.item == BOX and line.category == "capex.accelerators_and_servers")
    assert (line.total(), line.source.basis) == (111_111.0, "own")


def test_every_offer_of_the_book_is_on_demand_and_no_index():
    offers = pricebook.build(shipped(), scenario()).offers.values()
    assert offers
    assert {offer.pricing_model for offer in offers} == {"on_demand"}
    assert "index" not in {offer.provider_class for offer in offers}


# ── exchange rates ──


def test_the_latest_rate_on_or_before_the_pricing_date_is_taken_and_shown():
    rates = [
        rate("USD", "EUR", amount, on)
        for amount, on in (("0.80", "2026-01-01"), ("0.90", "2026-11-30"), ("0.50", "2026-12-01"))
    ]
    found = price(quote("100000", "2026-11-01"), *rates, currency="EUR")
    assert (found.amount, found.currency, found.rate) == (100_000.0, "USD", 0.90)
    assert (found.source.rate, found.source.rate_dated, found.source.rate_source) == (0.90, DAY, "https://x.org")
    assert price(quote("100000", "2026-11-01"), *rates, currency="EUR", pricing_date="2026-11-29").rate == 0.80


def test_a_pair_quoted_the_other_way_round_is_divided():
    found = price(quote("100000", "2026-11-01", currency="EUR"), rate("USD", "EUR", "0.80", "2026-11-01"))
    assert found.rate == pytest.approx(1.25)


def test_the_newer_of_both_directions_is_taken():
    both = rate("EUR", "USD", "2.00", "2026-01-01"), rate("USD", "EUR", "0.80", "2026-11-01")
    assert price(quote("100000", "2026-11-01", currency="EUR"), *both).rate == pytest.approx(1.25)


def test_a_pair_that_nobody_quotes_goes_over_the_dollar_with_the_older_date():
    rates = rate("USD", "EUR", "0.80", "2026-11-01"), rate("USD", "CNY", "6.40", "2026-05-01")
    found = price(quote("640000", "2026-11-01", currency="CNY"), *rates, currency="EUR")
    assert found.rate == pytest.approx(0.125)
    assert found.source.rate_dated == day("2026-05-01")


def test_a_currency_without_a_rate_is_named_and_nothing_is_computed():  # U024
    asked = scenario()
    prices = pricebook.build(catalog(quote("100000", "2026-11-01", currency="XAF")), asked)
    assert prices.builds[BOX].price.rate is None
    with pytest.raises(MissingRate) as error:
        evaluate(asked, prices)
    assert error.value.problems[0].path == ("rates", "XAF/USD")


def test_a_rate_after_the_pricing_date_is_a_missing_rate():  # U024
    asked = scenario(currency="EUR")
    prices = pricebook.build(catalog(rate("USD", "EUR", "0.80", "2026-12-01")), asked)
    with pytest.raises(MissingRate):
        evaluate(asked, prices)


def test_planning_defaults_are_converted_too():
    found = book(rate("USD", "EUR", "0.50", "2026-11-01"), currency="EUR").costs["office-fibre-1g"]
    assert found.value("EUR") == pytest.approx(found.likely * (0.50 if found.currency == "USD" else 1.0))
    assert found.currency == "USD"


def test_a_planning_default_that_nobody_filled_in_is_missing_and_not_0():
    row = shipped().item("cost", "office-fibre-1g")
    empty = dataclasses.replace(row, spec=row.spec.model_copy(update={"likely": None}))
    rows = {**shipped().items, "cost": {**shipped().of_kind("cost"), row.slug: empty}}
    asked = scenario()
    result = evaluate(asked, pricebook.build(dataclasses.replace(shipped(), items=rows), asked)).plans[0]
    assert [(reason.code, reason.facts["item"]) for reason in result.infeasible] == [("no_quote", "office-fibre-1g")]


def test_a_share_is_never_converted():
    found = book(rate("USD", "EUR", "0.50", "2026-11-01"), currency="EUR").costs["spares-stock"]
    assert found.value("EUR") == found.likely


def figures(**changes):
    asked = scenario(**changes)
    return evaluate(asked, pricebook.build(shipped(), asked)).as_dict()


def test_another_currency_and_back_gives_identical_figures():  # U021
    before = figures(currency="USD")
    euro = figures(currency="EUR")
    assert euro["currency"] == "EUR"
    assert figures(currency="USD") == before


def test_no_currency_alters_the_amount_of_a_quote():  # U021
    held = {slug: list(rows) for slug, rows in shipped().quotes.items()}
    amounts = {currency: pricebook.build(shipped(), scenario(currency=currency)) for currency in ("USD", "EUR", "JPY")}
    for prices in amounts.values():
        found = prices.builds[BOX].price
        assert (found.amount, found.currency) == (340_000.0, "USD")
    assert {slug: list(rows) for slug, rows in shipped().quotes.items()} == held


def test_all_money_is_converted_at_the_one_rate():
    dollars, euros = figures(currency="USD")["plans"][0], figures(currency="EUR")["plans"][0]
    shown = euros["lines"][0]["source"]["rate"]
    assert shown == pytest.approx(float(shipped().exchange_rate("USD", "EUR", DAY).unit_price))
    assert euros["present_value"] == pytest.approx(dollars["present_value"] * shown, rel=1e-5)


def test_a_currency_without_cents_is_rounded_to_whole_units():
    plan = figures(currency="JPY")["plans"][0]
    cells = [cell for line in plan["lines"] for cell in line["monthly"]]
    assert all(float(cell).is_integer() for cell in cells)
    assert plan["capex"] == sum(line["total"] for line in plan["lines"] if line["category"].startswith("capex."))


# ── what a build is made of ──


def test_typical_and_idle_draw_are_taken_from_the_row_and_derived_only_where_it_is_empty():
    spec = shipped().item("build", BOX).spec
    found = pricebook.build(shipped(), scenario()).builds[BOX]
    assert found.max_kw == spec.max_power_w / 1000
    assert found.typical_kw == (
        spec.typical_power_w / 1000 if spec.typical_power_w is not None else pytest.approx(0.76 * found.max_kw)
    )
    assert 0 < found.idle_kw < found.typical_kw < found.max_kw


def test_the_shares_of_a_price_leave_something_for_the_rest():
    for slug in shipped().of_kind("build"):
        asked = scenario(plans=[{"slug": "one", "start": {"build": slug}}])
        found = pricebook.build(shipped(), asked).builds[slug]
        assert 0 <= found.accelerator_share + found.memory_share <= 1 + 1e-12, slug


def test_no_card_costs_more_than_the_server_it_comes_with():
    for addon in shipped().of_kind("addon").values():
        asked = scenario(plans=[{"slug": "one", "start": {"build": addon.spec.build_slug}}])
        prices = pricebook.build(shipped(), asked)
        build = prices.builds[addon.spec.build_slug]
        host = build.price.amount - build.accelerator_count * prices.addons[build.slug].price.amount
        assert host > 0, addon.slug


@pytest.mark.parametrize("name", gallery.templates())
def test_the_book_of_a_template_is_complete(name):
    asked = Scenario.read(gallery.document(name))
    prices = pricebook.build(shipped(), asked)
    assert all(build.price is not None for build in prices.builds.values())
    assert all(addon.price is not None for addon in prices.addons.values())
    assert pricebook.build(shipped(), asked).sha256() == prices.sha256()


def test_a_scenario_saved_before_books_held_the_power_of_a_card_gets_it_and_no_other_figure():
    asked = scenario()
    now = pricebook.build(shipped(), asked)
    bare = {slug: card.model_copy(update={"tdp_w": None}) for slug, card in now.accelerators.items()}
    assert now.accelerators["h200-sxm"].tdp_w == 700.0
    assert pinned.carried(shipped(), asked, now.model_copy(update={"accelerators": bare}), asked) == now
