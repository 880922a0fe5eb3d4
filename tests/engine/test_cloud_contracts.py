"""Ways of renting, worked by hand: January 2027 has 744 hours; "cheap" costs 2.00 a GPU-hour on demand."""

import pytest

from tests.engine.sample import amounts, book, evaluated, lines, offer, pool

JANUARY = 744


def cloud(gpus=4.0, *, prices=None, months=1, work=None, lines=None, market=None, **terms):
    plan = {"slug": "cloud", "overflow": {"accelerator": "gpu", **terms}}
    more = {"lines": lines} if lines is not None else {}
    if market is not None:
        more["market"] = market
    return evaluated(plan, prices=prices, months=months, work=work or pool(gpus), **more).plans[0]


def offers(*rows):
    return book(offers={row["slug"]: row for row in (*book_offers(), *rows)})


def book_offers():
    return [offer("cheap", 2.0), offer("large", 6.0, provider_class="hyperscaler")]


def used(result, code):
    return lines(result, "opex.cloud_usage")[code]


# ── region ──


def sold_in(*regions):
    """The book with an offer at 1.00, 2.00, … in each region."""
    rows = [offer(f"in-{n}", float(n + 1)) | {"region": region} for n, region in enumerate(regions)]
    return book(offers={row["slug"]: row for row in rows})


def test_only_offers_of_the_region_asked_for_are_compared():
    prices = sold_in("eu-north1", "us-east", "us-east")
    assert cloud(prices=prices).offer.slug == "in-1"  # the median of all three
    assert cloud(prices=prices, region="eu-north1").offer.slug == "in-0"
    assert cloud(prices=prices, region="us-east").offer.slug == "in-1"  # the lower of the two


def test_without_an_offer_in_the_region_there_is_none():
    result = cloud(prices=sold_in("us-east"), region="eu-north1")
    assert [reason.code for reason in result.infeasible] == ["no_offer"]


# ── spot ──

SPOT = offer("cheap-spot", 1.0, pricing_model="spot") | {"provider": "cheap"}


def test_spot_takes_its_share_and_does_interrupted_hours_again():
    result = cloud(prices=offers(SPOT), spot_share=0.5, spot_interruption_share=0.2)
    assert amounts(result, "opex.cloud_usage", "on_demand") == [2 * JANUARY * 2.0]
    assert amounts(result, "opex.cloud_usage", "spot") == [2 * JANUARY / 0.8 * 1.0]
    assert used(result, "spot").item == "cheap-spot"


def test_the_nearest_spot_offer_is_of_the_same_provider_then_of_its_class_then_any():
    rival = offer("rival-spot", 0.5, pricing_model="spot")
    large = offer("large-spot", 0.1, pricing_model="spot", provider_class="hyperscaler")
    assert used(cloud(prices=offers(SPOT, rival, large), spot_share=1.0), "spot").item == "cheap-spot"
    assert used(cloud(prices=offers(rival, large), spot_share=1.0), "spot").item == "rival-spot"
    assert used(cloud(prices=offers(large), spot_share=1.0), "spot").item == "large-spot"


def test_without_a_spot_offer_there_is_no_quote():
    result = cloud(spot_share=0.5)
    assert [(reason.code, reason.facts["item"]) for reason in result.infeasible] == [("no_quote", "gpu spot")]


def test_a_stale_or_indexed_spot_price_is_no_offer():
    old = offer("old-spot", 1.0, pricing_model="spot", dated="2026-01-01")
    index = offer("index-spot", 1.0, pricing_model="spot", provider_class="index")
    assert not cloud(prices=offers(old, index), spot_share=0.5).priced


def test_spot_of_whole_instances_is_priced_for_all_their_gpus():
    eight = offer("eight", 16.0, count=8, billing_unit="instance")
    prices = book(offers={"eight": eight, "cheap-spot": SPOT})
    result = cloud(8.0, prices=prices, spot_share=1.0, spot_interruption_share=0.0)
    assert amounts(result, "opex.cloud_usage", "spot") == [JANUARY * 8.0]


# ── reserved ──


@pytest.mark.parametrize(("term", "price"), [(12, 1.4), (36, 1.0)])
def test_a_reservation_without_an_offer_takes_the_usual_discount(term, price):
    result = cloud(reserved_share=1.0, reserved_term_months=term)
    assert amounts(result, "opex.cloud_commitment") == pytest.approx([4 * JANUARY * price])


def test_five_years_have_a_discount_of_their_own():
    five = {"slug": "cloud-commit-discount-5y", "low": 60, "likely": 60, "high": 60, "unit": "percent"}
    costs = {slug: row.model_dump(mode="json") for slug, row in book().costs.items()}
    result = cloud(prices=book(costs={**costs, five["slug"]: five}), reserved_share=1.0, reserved_term_months=60)
    assert amounts(result, "opex.cloud_commitment") == pytest.approx([4 * JANUARY * 0.8])


def test_the_provider_s_own_reserved_price_goes_before_the_usual_discount():
    own = offer("cheap-1y", 1.5, pricing_model="reserved_1y") | {"provider": "cheap"}
    other = offer("other-1y", 0.1, pricing_model="reserved_1y")
    result = cloud(prices=offers(own, other), reserved_share=1.0)
    assert amounts(result, "opex.cloud_commitment") == [4 * JANUARY * 1.5]
    assert lines(result, "opex.cloud_commitment")["reserved"].item == "cheap-1y"
    assert amounts(cloud(prices=offers(other), reserved_share=1.0), "opex.cloud_commitment") == pytest.approx(
        [4 * JANUARY * 1.4]
    )


def test_an_own_discount_goes_before_both():
    own = offer("cheap-1y", 1.5, pricing_model="reserved_1y") | {"provider": "cheap"}
    result = cloud(prices=offers(own), reserved_share=1.0, commit_discount=0.6)
    assert amounts(result, "opex.cloud_commitment") == pytest.approx([4 * JANUARY * 0.8])


def test_what_is_reserved_is_owed_when_idle():
    table = pool(4.0, growth=0.0) | {"growth": {"kind": "table", "values": [4, 0]}}
    result = cloud(work=table, months=2, reserved_share=1.0)
    assert amounts(result, "opex.cloud_commitment") == pytest.approx([4 * 744 * 1.4, 4 * 672 * 1.4])
    assert amounts(result, "opex.cloud_usage") == [0.0, 0.0]


# ── blocks ──

BLOCK = offer("cheap-block", 24.0, pricing_model="capacity_block", count=8, billing_unit="instance") | {
    "provider": "cheap"
}


def test_a_block_is_paid_ahead_and_serves_first():
    result = cloud(4.0, prices=offers(BLOCK), blocks=[{"month": 0, "gpus": 4}], block_days=15.5)
    # 4 GPUs × 15.5 days × 24 h at 3.00; half of January's 31 days is then left to rent
    assert amounts(result, "opex.cloud_commitment", "capacity_block") == [4 * 372 * 3.0]
    assert amounts(result, "opex.cloud_usage") == [4 * 372 * 2.0]


def test_a_block_over_the_end_of_a_month_serves_the_next():
    result = cloud(4.0, prices=offers(BLOCK), months=2, blocks=[{"month": 0, "gpus": 4}], block_days=45)
    assert amounts(result, "opex.cloud_commitment") == [4 * 45 * 24 * 3.0, 0.0]
    assert amounts(result, "opex.cloud_usage") == [0.0, 4 * 14 * 24 * 2.0]


def test_a_block_is_owed_when_idle():
    result = cloud(0.0, prices=offers(BLOCK), blocks=[{"month": 0, "gpus": 8}], block_days=10)
    assert amounts(result, "opex.cloud_commitment") == [8 * 240 * 3.0]


# ── data ──

DATA = [("egress-aws", 0.085), ("egress-neocloud", 0.0), ("object-storage-cloud-gb", 0.02)]


def with_data():
    costs = {slug: row.model_dump(mode="json") for slug, row in book().costs.items()}
    for slug, usd in DATA:
        costs[slug] = {"slug": slug, "low": usd, "likely": usd, "high": usd, "unit": "GB", "currency": "USD"}
    return book(costs=costs)


def test_stated_data_is_charged_by_the_amount_without_being_asked_for():
    result = cloud(prices=with_data(), provider_class="large_provider", egress_tb_per_month=10.0, stored_tb=50.0)
    assert amounts(result, "opex.cloud_data", "data_out") == [850.0]
    assert amounts(result, "opex.cloud_data", "data_stored") == [1000.0]
    assert "egress" not in lines(result, "opex.cloud_data")


def test_stated_data_that_is_switched_off_is_left_out():
    result = cloud(prices=with_data(), egress_tb_per_month=10.0, stored_tb=1.0, lines={"opex.cloud_data": False})
    assert amounts(result, "opex.cloud_data") == [0.0]


def test_one_plan_s_data_puts_no_share_on_another_s_bill():
    one = {"slug": "one", "overflow": {"accelerator": "gpu", "provider_class": "large_provider", "stored_tb": 1.0}}
    other = {"slug": "other", "overflow": {"accelerator": "gpu", "provider_class": "large_provider"}}
    evaluation = evaluated(one, other, prices=with_data(), months=1)
    assert amounts(evaluation.plan("one"), "opex.cloud_data") == [20.0]
    assert amounts(evaluation.plan("other"), "opex.cloud_data") == [0.0]
