"""Orders that reach a threshold go out to tender, and come later for it. Expected figures are worked by hand."""

import datetime as dt

import pytest

from planner.engine.compare import by_lead_time
from planner.engine.prices import MissingRate
from tests.engine.sample import COSTS, book, cost, evaluated, plan, pool


def table(*values):
    return {"kind": "table", "values": list(values)}


def rules(**more):
    """A tender of 8 weeks, counted by budget year."""
    return {"counted": True, "threshold": 200_000.0, "tender_weeks": 8.0, **more}


def grown(*values, **more):
    """A chassis of 2 cards for 100,000; cards of 30,000 are added as demand grows, two months after their order."""
    follow = {"kind": "cards", "batch": 1}
    return evaluated(
        plan(start={"build": "chassis"}, follow_up=follow, lead_months=2),
        work=pool(1.0) | {"growth": table(*values)},
        months=len(values),
        **more,
    ).plans[0]


def ordered(result):
    """[(month, GPUs)] of every month with an order, over all machines."""
    cards = sum(holding.ordered_cards[0] for holding in result.fleet.holdings)
    return [(m, int(count)) for m, count in enumerate(cards) if count]


def found(result):
    return [(each.code, each.month, each.facts["year"]) for each in result.warnings if each.code.startswith("tender")]


def test_a_first_order_at_the_threshold_is_placed_the_weeks_of_its_tender_earlier():
    result = evaluated(procurement=rules(threshold=240_000.0)).plans[0]
    machines = next(order for order in result.orders if order.item == "box")
    assert machines.order_by == dt.date(2027, 1, 1) - dt.timedelta(weeks=8) == dt.date(2026, 11, 6)
    (tender,) = [each for each in result.warnings if each.code == "tender"]
    assert tender.facts == {
        "amount": 240_000.0,
        "threshold": 240_000.0,
        "year": "2027",
        "weeks": 8.0,
        "order_by": "2026-11-06",
        "rules": "own",
    }
    assert [each.code for each in result.warnings if each.code == "order_by_past"] == ["order_by_past"]


def test_a_cent_below_the_threshold_takes_only_the_weeks_of_smaller_orders():
    result = evaluated(procurement=rules(threshold=240_000.01, weeks_below=3.0)).plans[0]
    machines = next(order for order in result.orders if order.item == "box")
    assert machines.order_by == dt.date(2026, 12, 11)
    assert found(result) == []


def test_tenders_are_off_unless_they_are_asked_for():
    assert evaluated(procurement={"threshold": 1.0, "tender_weeks": 8.0}).as_dict() == evaluated().as_dict()


def test_orders_of_one_budget_year_count_together_so_that_splitting_evades_nothing():
    need = [2.0] * 6 + [3.0] * 6  # 100,000 and, two months before month 6, 30,000
    apart = grown(*need, procurement=rules(threshold=120_000.0, together="order"))
    assert ordered(apart) == [(0, 2), (4, 1)]
    assert found(apart) == []
    together = grown(*need, procurement=rules(threshold=120_000.0))
    # 8 weeks are 56 days, two months: the card is ordered in month 2 and there in month 6 all the same
    assert ordered(together) == [(0, 2), (2, 1)]
    assert together.capacity.tolist() == [2.0] * 6 + [3.0] * 6
    assert found(together) == [("tender_together", 0, "2027")]


def test_a_budget_year_begins_in_the_fiscal_month():
    # from April on: 30,000 alone
    result = grown(
        *[2.0] * 6,
        *[3.0] * 6,
        procurement=rules(threshold=120_000.0),
        finance={"discount_rate": 0.0, "fiscal_year_start_month": 4},
    )
    assert ordered(result) == [(0, 2), (4, 1)]


def test_only_the_year_that_reaches_the_threshold_waits_for_a_tender():
    # 6 cards, 180,000, for month 18: with 17 weeks of tender four months more, so ordered in month 12
    result = grown(*[2.0] * 18, *[8.0] * 6, procurement=rules(threshold=150_000.0, tender_weeks=17.0))
    assert ordered(result) == [(0, 2), (12, 6)]
    assert found(result) == [("tender", 12, "2028")]
    first = next(order for order in result.orders if order.item == "chassis")
    assert first.order_by == dt.date(2027, 1, 1) - dt.timedelta(days=61)  # two months, and no tender


def test_what_next_years_tender_would_bring_too_late_is_ordered_this_year_with_its_own_tender():
    # Needed in month 16: next year's tender takes six months from month 12. This year's orders then come to 280,000,
    # reach the threshold themselves and take six months too: month 10.
    result = grown(*[2.0] * 16, *[8.0] * 8, procurement=rules(threshold=150_000.0, tender_weeks=17.0))
    assert ordered(result) == [(0, 2), (10, 6)]
    assert found(result) == [("tender", 0, "2027")]
    assert result.capacity.tolist() == [2.0] * 16 + [8.0] * 8


def test_a_year_that_reaches_the_threshold_only_without_its_tender_is_put_out_to_tender_all_the_same():
    # One box for month 14, two for month 20. Without a tender both are ordered in 2028: 720,000. With one, the first is
    # ordered in month 11, since month 12 would be too late, and 480,000 are left in 2028: under 600,000 again.
    result = evaluated(
        plan(follow_up={"kind": "servers", "batch": 1}, lead_months=2),
        work=pool(1.0) | {"growth": table(*[8.0] * 14, *[16.0] * 6, *[32.0] * 4)},
        months=24,
        procurement=rules(threshold=600_000.0, tender_weeks=17.0),
    ).plans[0]
    assert ordered(result) == [(0, 8), (11, 8), (14, 16)]
    assert found(result) == [("tender_swings", 14, "2028")]


def test_waves_at_fixed_months_serve_later_by_their_tender():
    waves = [{"month": 3, "quantity": 1}]
    result = evaluated(
        plan(follow_up={"kind": "schedule", "waves": waves}, lead_months=1), procurement=rules(tender_weeks=8.0)
    ).plans[0]
    assert result.capacity.tolist() == [8.0] * 6 + [16.0] * 6  # month 3, a month of delivery, two of tender
    wave = next(order for order in result.orders if order.month == 3 and order.item == "box")
    assert (wave.in_service, wave.order_by) == (6, dt.date(2027, 4, 1))


def rows(rate, low=4.0, likely=8.0, high=12.0):
    """The sample's book with a threshold of 2,000,000 yuan and the weeks of its tender."""
    threshold = cost("tender-cn-threshold", 2_000_000, "each", "CNY") | {"rate": rate}
    weeks = cost("tender-cn-weeks", likely, "weeks") | {"low": low, "high": high}
    prices = book().model_dump(mode="json")["costs"]
    assert len(prices) == len(COSTS)
    more = {row["slug"]: row for row in (threshold, weeks)} | {
        "staff-cn-hpc-loaded": cost("staff-cn-hpc-loaded", 1, "FTE-year", "USD"),
        "duty-cn": cost("duty-cn", 0, "percent"),
    }
    return book(costs=prices | more)


CHINESE = {"procurement": {"counted": True}, "operations": {"region": "CN"}}
UNIVERSITY = {"finance": {"discount_rate": 0.0, "buyer": "university"}}


@pytest.mark.parametrize(("rate", "codes"), [(0.12, ["tender"]), (0.121, [])])
def test_a_threshold_in_another_currency_is_converted_at_the_dated_rate(rate, codes):
    # 2,000,000 yuan at 0.12 are the 240,000 dollars of the box
    result = evaluated(prices=rows(rate), **CHINESE, **UNIVERSITY).plans[0]
    assert [code for code, _month, _year in found(result)] == codes


def test_a_threshold_without_an_exchange_rate_stops_the_result_and_names_the_rate():
    with pytest.raises(MissingRate) as stopped:
        evaluated(prices=rows(None), **CHINESE, **UNIVERSITY)
    assert "CNY" in str(stopped.value)


def test_a_company_has_no_threshold_unless_it_states_one():
    own_weeks = {"tender-company-weeks": cost("tender-company-weeks", 4, "weeks")}
    prices = book(costs=rows(0.1).model_dump(mode="json")["costs"] | own_weeks)
    assert found(evaluated(prices=prices, **CHINESE).plans[0]) == []
    stated = {"counted": True, "threshold": 100_000.0}
    result = evaluated(prices=prices, procurement=stated).plans[0]
    assert found(result) == [("tender", 0, "2027")]
    assert result.tender_days[0] == 28.0


def test_the_verdict_is_given_for_short_and_long_tenders_too():
    more = {**CHINESE, **UNIVERSITY}
    waves = plan(follow_up={"kind": "schedule", "waves": [{"month": 1, "quantity": 1}]}, lead_months=1)
    assert set(by_lead_time(evaluated(waves, prices=rows(0.1), **more))) == {"low", "high"}
    assert by_lead_time(evaluated(waves, prices=rows(0.1, 8.0, 8.0, 8.0), **more)) == {}
