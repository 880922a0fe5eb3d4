"""Bills of tariffs that are shipped, worked by hand: 100 kW day and night, 120 kW at the highest, one month."""

import copy
import math

import numpy as np
import pytest

from catalog.importers.shipped import shipped
from catalog.tariff_periods import schedules
from planner.engine.calendar import calendar_for
from planner.engine.costs import contract_of
from planner.engine.energy import charges
from planner.engine.inputs import Scenario
from planner.services import gallery, pricebook


def bill(slug, start, *, region, base=0.0, currency="USD"):
    """(money by kind of charge, in the currency) of one month; raises MissingRate."""
    data = copy.deepcopy(gallery.document("small-team"))
    data |= {"currency": currency, "market": {}}
    data["sites"][0] |= {"region": region, "tariff": {"schedule": slug}, "electricity_price_per_kwh": base}
    scenario = Scenario.read(data)
    book, site = pricebook.build(shipped(), scenario), scenario.sites[0]
    row, calendar = book.schedules[slug].in_book(currency), calendar_for(start, 1)
    mean, peak = np.array([[100.0]]), np.array([[120.0]])
    found = charges(contract_of(site, book), base, site.zone, calendar, mean, peak, row.periods)
    kinds = {}
    for charge in found:
        kinds[charge.kind] = kinds.get(charge.kind, 0.0) + float(charge.amount.sum())
    return kinds


def test_a_july_in_jiangsu():
    # 31 days with 8 hours each at 1.8, 0.35 and 1 times 0.60: 100 kW × 248 h × 0.60 × 3.15
    assert bill("cn-js-tou", "2027-07", region="CN", base=0.60, currency="CNY") == {"energy": pytest.approx(46_872.0)}


def test_a_july_of_southern_california_edison_with_its_demand_and_customer_charges():
    # 22 weekdays, 9 days of weekends: 110 h on-peak, 45 h mid-peak, 589 h off-peak
    energy = 11_000 * 0.1531 + 4_500 * 0.14254 + 58_900 * 0.11238
    assert bill("us-ca-sce-tou-8-d", "2027-07", region="US-CA") == {
        "energy": pytest.approx(energy),
        "demand": pytest.approx(120 * (30.29 + 42.23)),
        "fixed": pytest.approx(525.16),
    }


def test_a_november_of_southern_california_edison_has_an_hour_more_off_peak():
    # 721 h: 30 × 5 mid-peak, 30 × 8 super off-peak, 331 off-peak
    energy = 15_000 * 0.12403 + 24_000 * 0.08735 + 33_100 * 0.12284
    found = bill("us-ca-sce-tou-8-d", "2027-11", region="US-CA")
    assert found["energy"] == pytest.approx(energy)
    assert found["demand"] == pytest.approx(120 * (30.29 + 9.73))


def test_an_april_of_pacific_gas_and_electric_has_super_off_peak_hours():
    # 30 days: 150 h at the peak, 150 h super off-peak, 420 h others
    assert bill("us-ca-pge-b-19", "2028-04", region="US-CA") == {
        "energy": pytest.approx(2428.20 + 966.30 + 5050.92),
        "demand": pytest.approx(120 * (37.37 + 2.31)),
        "fixed": pytest.approx(1783.28),
    }


def test_a_june_in_spain_adds_tolls_and_charges_to_the_energy():
    # 22 weekdays of 9 hours P3 and 7 hours P4; the other 368 hours are P6; the energy itself costs 0.08
    energy = 19_800 * (0.08 + 0.012928) + 15_400 * (0.08 + 0.006678) + 36_800 * (0.08 + 0.001588)
    assert bill("es-6-1td", "2027-06", region="ES", base=0.08, currency="EUR") == {
        "energy": pytest.approx(energy),
        "demand": pytest.approx(120 * 60.435081 / 12, rel=1e-6),
    }


def test_a_tariff_in_another_currency_is_paid_at_the_exchange_rate():
    rate = pricebook.exchange_rate(shipped(), "USD", "EUR", Scenario.read(gallery.document("small-team")).pricing_date)
    home = bill("us-ca-pge-b-20", "2027-08", region="US-CA")
    abroad = bill("us-ca-pge-b-20", "2027-08", region="US-CA", currency="EUR")
    assert abroad == {kind: pytest.approx(amount * float(rate)) for kind, amount in home.items()}


def test_periods_of_a_priced_tariff_leave_no_hour_to_the_base_price():
    for slug in ("us-ca-sce-tou-8-d", "us-ca-pge-b-19", "us-ca-pge-b-20"):
        for month in range(1, 13):
            start = f"2027-{month:02d}"
            cheap, dear = (bill(slug, start, region="US-CA", base=base)["energy"] for base in (0.0, 9.0))
            assert math.isclose(cheap, dear), (slug, start)


def test_the_shipped_tariffs_span_china_the_united_states_and_europe():
    places = {found.region_code for found in schedules().values()}
    assert len([code for code in places if code.startswith("CN-")]) >= 11
    assert {"US-CA", "ES"} <= places
