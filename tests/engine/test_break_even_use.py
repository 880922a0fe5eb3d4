"""From which use on owning pays, worked by hand: a box of 8 GPUs for 240,000, over the 8,760 hours of 2027.

Half busy it draws 2 + 0.5 × 6 = 5 kW: at 0.10 a kWh that is 0.50 an hour, 0.0625 for each of its GPU-hours.
"""

import pytest

from planner.engine.break_even_use import break_even_use
from tests.engine.sample import book, evaluated, offer, only, plan, pool

HOURS = 8 * 8760
LINES = only("capex.accelerators_and_servers", "opex.energy_it", "opex.cloud_usage")


def uses(overflow=None, *, price=0.10, **changes):
    """{slug of the offer: its answer} of a plan that owns a box."""
    site = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": price}
    evaluation = evaluated(plan(overflow=overflow or {"accelerator": "gpu"}), sites=[site], lines=LINES, **changes)
    return {use.offer.slug: use for use in break_even_use(evaluation.plans[0], evaluation)}


def test_both_readings_against_each_class_of_provider():
    found = uses()
    assert set(found) == {"cheap", "large"}  # 2.00 and 6.00 a GPU-hour
    large = found["large"]
    assert large.idle_charged == pytest.approx((240_000 + 4_380) / (6 * HOURS))
    assert large.idle_free == pytest.approx(240_000 / (5.9375 * HOURS))
    assert large.used == pytest.approx(0.5)


def test_at_the_break_even_both_cost_the_same_and_beside_it_the_sign_differs():
    large = uses()["large"]

    def gap(share):  # owning less renting, idle hours charged
        return 240_000 + 0.0625 * HOURS - 6.0 * share * HOURS

    assert gap(large.idle_charged) == pytest.approx(0.0, abs=1e-6)
    assert gap(large.idle_charged - 0.01) > 0 > gap(large.idle_charged + 0.01)


def test_full_use_may_be_too_little():
    cheap = uses()["cheap"]
    assert cheap.pays
    assert cheap.idle_charged == pytest.approx(244_380 / (2 * HOURS))
    assert cheap.idle_charged > 1.0


def test_never_where_renting_costs_no_more_than_running():
    found = uses(price=10.0)  # 6.25 a GPU-hour to run against 6.00 to rent
    assert not found["large"].pays
    assert found["large"].as_dict()["idle_charged"] is None
    assert found["large"].as_dict()["idle_free"] is None
    edge = uses(price=9.6)["large"]  # 6.00 to run: no less than the rent
    assert (edge.opex, edge.pays) == (pytest.approx(6.0), False)


def test_a_rented_gpu_that_is_twice_as_fast_is_half_the_rent():
    prices = book(offers={"fast": offer("fast", 6.0) | {"accelerator": "big"}})
    fast = uses({"accelerator": "big"}, prices=prices)["fast"]
    assert (fast.converts, fast.rent) == (0.5, pytest.approx(3.0))


def test_a_plan_that_rents_nothing_is_compared_with_the_offer_of_another():
    cloud = {"slug": "cloud", "overflow": {"accelerator": "gpu"}}
    evaluation = evaluated(plan(), cloud, work=pool(4.0))
    owned, rented = (break_even_use(evaluation.plan(slug), evaluation) for slug in ("plan", "cloud"))
    assert [use.offer.slug for use in owned] == ["cheap", "large"]
    assert rented == []


def test_without_any_offer_there_is_nothing_to_compare():
    evaluation = evaluated(plan())
    assert break_even_use(evaluation.plans[0], evaluation) == []
