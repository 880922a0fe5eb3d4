"""Which offer stands for a class of provider, and what happens where no price or no rate is known."""

import datetime as dt

import pytest

from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.prices import CloudOffer, MissingRate, PriceBook, comparable_offers, median_offer
from planner.engine.quantities import InputError
from tests.engine.sample import CARD, PRICED_ON, amounts, book, build, document, evaluated, offer, plan, pool, price


def offers(*rows):
    return [CloudOffer.read(row) for row in rows]


def comparable(*rows, accelerator="gpu", provider_class="specialist", region=""):
    found = comparable_offers(offers(*rows), accelerator, provider_class, region, PRICED_ON, 180)
    return sorted(found_offer.slug for found_offer in found)


def test_spot_prices_are_not_comparable():
    assert comparable(offer("spot", 1.0, pricing_model="spot"), offer("plain", 2.0)) == ["plain"]


def test_reserved_prices_are_not_comparable():
    assert comparable(offer("reserved", 1.0, pricing_model="reserved_1y"), offer("plain", 2.0)) == ["plain"]


def test_an_index_is_no_offer():
    rows = offer("index", 1.0, provider_class="index"), offer("plain", 2.0)
    assert comparable(*rows) == ["plain"]
    assert comparable(*rows, provider_class="large_provider") == []


def test_an_offer_of_180_days_counts_and_one_of_181_does_not():
    day = PRICED_ON - dt.timedelta(days=180)
    before = day - dt.timedelta(days=1)
    assert comparable(offer("old", 1.0, dated=before.isoformat()), offer("fresh", 2.0, dated=day.isoformat())) == [
        "fresh"
    ]


def test_an_offer_of_tomorrow_does_not_count():
    assert comparable(offer("later", 1.0, dated="2027-01-01")) == []


def test_an_offer_without_a_date_or_a_price_does_not_count():
    assert comparable(offer("undated", 1.0, dated=None), offer("unpriced", None)) == []


def test_only_the_class_and_the_accelerator_asked_for_count():
    rows = offer("neo", 1.0), offer("large", 2.0, provider_class="hyperscaler"), offer("other", 3.0, accelerator="big")
    assert comparable(*rows) == ["neo"]
    assert comparable(*rows, provider_class="large_provider") == ["large"]
    assert comparable(*rows, accelerator="big") == ["other"]


def test_the_site_s_region_goes_before_any_other():
    rows = offer("here", 3.0, region="US-VA"), offer("there", 1.0, region="eu-west")
    assert comparable(*rows, region="us-va") == ["here"]
    assert comparable(*rows, region="sa-east") == ["here", "there"]


def test_the_lower_of_two_middle_offers_is_named():
    rows = offers(offer("a", 4.0), offer("b", 1.0), offer("c", 3.0), offer("d", 2.0))
    assert median_offer(rows, "USD").slug == "d"


def test_the_median_is_taken_per_gpu_hour():
    # 16 for eight is 2 a GPU: the middle of 1, 2 and 3
    rows = offers(offer("low", 1.0), offer("eight", 16.0, count=8), offer("high", 3.0))
    assert median_offer(rows, "USD").slug == "eight"


def test_of_equal_offers_the_first_name_is_taken():
    assert median_offer(offers(offer("b", 2.0), offer("a", 2.0), offer("c", 2.0)), "USD").slug == "a"


def test_no_offer_is_no_median():
    assert median_offer([], "USD") is None


def test_the_median_compares_in_one_currency():
    # 2 EUR at 1.5 are 3 USD: the middle one
    rows = offers(offer("a", 2.5), offer("b", 4.0), offer("euro", 2.0, currency="EUR", rate=1.5))
    assert median_offer(rows, "USD").slug == "euro"


def test_a_plan_names_the_median_offer_it_takes():
    result = evaluated(
        {"slug": "cloud", "overflow": {"accelerator": "gpu"}},
        prices=book(
            offers={
                "a": offer("a", 1.0),
                "b": offer("b", 2.0),
                "c": offer("c", 9.0),
                "spot": offer("spot", 0.1, pricing_model="spot"),
            }
        ),
    ).plans[0]
    assert result.offer.slug == "b"


def test_a_pinned_offer_is_taken_whatever_the_median():
    overflow = {"accelerator": "gpu", "offer": "spot"}
    result = evaluated(
        {"slug": "cloud", "overflow": overflow},
        work=pool(1.0),
        months=1,
        prices=book(
            offers={"a": offer("a", 1.0), "spot": offer("spot", 0.1, pricing_model="spot", dated="2020-01-01")}
        ),
    ).plans[0]
    assert result.offer.slug == "spot"
    assert amounts(result, "opex.cloud_usage") == [74.4]


def test_a_foreign_price_without_a_rate_stops_the_result_and_names_the_pair():  # U024
    builds = {"box": build("box", 8, 8, None, price=price(200_000.0, "EUR", rate=None))}
    with pytest.raises(MissingRate) as error:
        evaluate(Scenario.read(document(plan())), book(builds=builds))
    assert [(problem.path, problem.code) for problem in error.value.problems] == [
        (("rates", "EUR/USD"), "missing_rate")
    ]


def test_a_foreign_offer_without_a_rate_stops_the_result():  # U024
    offers_ = {"euro": offer("euro", 2.0, currency="EUR", rate=None)}
    with pytest.raises(MissingRate):
        evaluated({"slug": "cloud", "overflow": {"accelerator": "gpu"}}, prices=book(offers=offers_))


def test_a_foreign_price_is_converted_by_its_rate():
    builds = {"box": build("box", 8, 8, None, price=price(200_000.0, "EUR", rate=1.1))}
    result = evaluated(plan(), months=1, prices=book(builds=builds)).plans[0]
    assert amounts(result, "capex.accelerators_and_servers") == [220_000.0]


def test_a_book_in_another_currency_is_refused():
    with pytest.raises(MissingRate):
        evaluate(Scenario.read(document(plan(), currency="EUR")), book())


def test_an_item_without_a_quote_is_no_quote_and_never_0():
    result = evaluated(plan(), prices=book(builds={"box": build("box", 8, 8, None)})).plans[0]
    assert [(reason.code, reason.facts["item"]) for reason in result.infeasible] == [("no_quote", "box")]
    assert not result.priced


def test_a_plan_without_a_quote_has_no_totals_and_no_rank():
    plain = evaluated(
        plan("unpriced"),
        plan("cloud", start=None, overflow={"accelerator": "gpu"}),
        prices=book(builds={"box": build("box", 8, 8, None)}),
    ).as_dict()
    unpriced = plain["plans"][0]
    assert [
        unpriced[key]
        for key in ("present_value", "nominal_total", "capex", "opex", "credits", "cost_per_useful_gpu_hour")
    ] == [None] * 6
    assert plain["verdict"]["code"] == "single"
    assert plain["verdict"]["plan"] == "cloud"


def test_a_plan_without_a_quote_is_compared_with_nobody():
    plain = evaluated(
        plan("unpriced"),
        plan("cloud", start=None, overflow={"accelerator": "gpu"}),
        prices=book(builds={"box": build("box", 8, 8, None)}),
    ).as_dict()
    assert [entry["break_even"] for entry in plain["plans"]] == [{}, {}]


def test_a_plan_that_needs_an_offer_and_finds_none_has_no_total():
    result = evaluated({"slug": "cloud", "overflow": {"accelerator": "gpu"}}, prices=book(offers={})).plans[0]
    assert [reason.code for reason in result.infeasible] == ["no_offer"]
    assert not result.priced


def test_a_plan_that_never_overflows_needs_no_offer():
    result = evaluated(plan(overflow={"accelerator": "gpu"}), months=1, prices=book(offers={})).plans[0]
    assert result.feasible


def test_an_own_price_goes_before_the_quote_and_says_so():
    result = evaluated(plan(), months=1, market={"own_prices": {"box": 123_456.5}}).plans[0]
    line = next(line for line in result.lines if line.category == "capex.accelerators_and_servers")
    assert line.total() == 123_456.5
    assert line.source.basis == "own"


def test_a_book_has_one_hash_for_one_content():
    assert book().sha256() == PriceBook.read(book().model_dump(mode="json")).sha256()
    assert book().sha256() != book(offers={}).sha256()


def test_a_build_without_its_accelerator_is_refused():
    with pytest.raises(InputError):
        book(builds={"odd": build("odd", 8, 8, 1.0, accelerator="nobody")})


@pytest.mark.parametrize(
    ("changes", "field", "most"),
    [
        ({"typical_kw": 10.5}, "typical_kw", 10.0),
        ({"max_kw": 2.1}, "typical_kw", 2.1),  # as the sum of two supplies of a machine that draws more
        ({"idle_kw": 8.5}, "idle_kw", 8.0),
    ],
)
def test_a_machine_whose_power_does_not_rise_from_idle_to_maximum_is_refused(changes, field, most):
    with pytest.raises(InputError) as error:
        book(builds={"box": build("box", 8, 8, 240_000.0, **changes)}, addons={})
    problem = error.value.problems[0]
    assert (problem.path, problem.code, problem.high, problem.unit) == (
        ("builds", "box", field),
        "out_of_bounds",
        most,
        "kW",
    )


def test_a_card_whose_power_does_not_rise_is_refused():
    with pytest.raises(InputError, match="addons/chassis/idle_kw"):
        book(addons={"chassis": {**CARD, "idle_kw": 0.9}})


def test_a_plan_does_not_buy_a_machine_whose_power_does_not_rise():
    odd = book()
    box = odd.builds["box"].model_copy(update={"typical_kw": 12.0})
    odd = odd.model_copy(update={"builds": {**odd.builds, "box": box}})
    result = evaluated(plan(), prices=odd).plans[0]
    assert next((finding.code, finding.facts["item"]) for finding in result.infeasible) == ("power_not_rising", "box")
