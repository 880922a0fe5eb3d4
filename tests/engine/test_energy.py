"""Electricity bills worked by hand: real month lengths, the clock's odd days, periods, tiers and ratchets."""

import calendar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.engine.calendar import calendar_for
from planner.engine.energy import ZONES, TariffTerms, billed_kw, charges, local_hours, zone_of
from planner.engine.quantities import InputError

NEW_YORK, CHINA = "America/New_York", "Asia/Shanghai"


def bill(terms, mean_kw, start, months=1, *, base=0.10, zone=None, peak_kw=None):
    """(total of each month, {kind:name: quantities of each month}) of a constant load."""
    mean = np.full((1, months), float(mean_kw))
    peak = np.array([peak_kw], dtype=float) if peak_kw is not None else mean
    found = charges(TariffTerms.read(terms), base, zone, calendar_for(start, months), mean, peak)
    quantities = {}
    for charge in found:  # a name may stand for several prices
        name = f"{charge.kind}:{charge.name}".rstrip(":")
        quantities[name] = (quantities.get(name, 0.0) + charge.quantity[0]).tolist()
    return sum(charge.amount[0] for charge in found), quantities


# ── months as long as they are ──


@pytest.mark.parametrize(("start", "kwh"), [("2027-01", 7440.0), ("2027-04", 7200.0), ("2027-02", 6720.0)])
def test_u035_a_flat_10_kw_load_is_billed_by_the_real_length_of_the_month(start, kwh):
    total, quantities = bill({}, 10.0, start)
    assert quantities == {"energy:base": [kwh]}
    assert total.tolist() == [kwh * 0.10]


def test_u034_a_leap_february_has_696_hours_and_the_months_sum_to_the_year():
    for zone in (None, NEW_YORK, CHINA):
        terms = {"periods": [{"name": "peak", "hours": "8-20", "times": 2}]} if zone else {}
        _total, quantities = bill(terms, 1.0, "2028-01", 12, zone=zone)
        months = np.sum(list(quantities.values()), axis=0)
        assert months[1] == 696.0
        assert months.sum() == 8784.0


def test_u034_prices_of_a_leap_day_are_those_of_february():
    terms = {"periods": [{"name": "winter", "months": "12-2", "hours": "17-20", "price_per_kwh": 0.40}]}
    total, quantities = bill(terms, 100.0, "2028-02", 2, zone=NEW_YORK)
    # 29 days × 3 h × 100 kW; then March by the base price, a 743-hour month
    assert quantities == {"energy:base": [60_900.0, 74_300.0], "energy:winter": [8_700.0, 0.0]}
    assert total.tolist() == pytest.approx([6_090.0 + 3_480.0, 7_430.0])


# ── the clock changes ──


def test_u037_on_the_25_hour_day_the_repeated_hour_is_billed_twice():
    terms = {"periods": [{"name": "night", "hours": "1-2", "price_per_kwh": 1.00}]}
    total, quantities = bill(terms, 100.0, "2027-11", zone=NEW_YORK)
    # 7 November 2027 has 1:00 to 2:00 twice: 31 such hours in 30 days, 721 hours in all
    assert quantities == {"energy:base": [69_000.0], "energy:night": [3_100.0]}
    assert total.tolist() == pytest.approx([6_900.0 + 3_100.0])


def test_u037_with_24_prices_the_bill_is_the_sum_of_every_hour_the_clock_shows():
    periods = [{"name": f"h{h}", "hours": f"{h}-{h + 1}", "price_per_kwh": h / 100} for h in range(24)]
    total, _quantities = bill({"periods": periods}, 1.0, "2027-11", zone=NEW_YORK)
    # 30 days × (0.00 + 0.01 + … + 0.23) = 30 × 2.76, and the second 1:00 at 0.01
    assert total.tolist() == pytest.approx([82.80 + 0.01])


def test_u037_on_the_23_hour_day_the_hour_that_is_skipped_costs_nothing():
    terms = {"periods": [{"name": "night", "hours": "2-3", "price_per_kwh": 1.00}]}
    total, quantities = bill(terms, 100.0, "2027-03", zone=NEW_YORK)
    # 14 March 2027 has no 2:00: 30 such hours in 31 days, 743 hours in all
    assert quantities == {"energy:base": [71_300.0], "energy:night": [3_000.0]}
    assert total.tolist() == pytest.approx([7_130.0 + 3_000.0])


def test_a_place_whose_clock_moves_by_half_an_hour_has_days_of_24_and_a_half():
    hours = local_hours("Australia/Lord_Howe", 2027, 4)
    assert hours.sum() == 30 * 24 + 0.5


def test_a_us_summer_month_of_weekday_peaks():
    terms = {
        "basis": "energy_only",
        "periods": [{"name": "peak", "months": "6-9", "days": "weekdays", "hours": "14-20", "price_per_kwh": 0.30}],
        "demand": [
            {"name": "all hours", "price_per_kw": 8},
            {"name": "summer", "months": "6-9", "hours": "14-20", "price_per_kw": 12},
        ],
        "fixed_per_month": 500,
    }
    total, quantities = bill(terms, 200.0, "2027-07", peak_kw=[250.0], zone=NEW_YORK)
    # July 2027: 22 weekdays × 6 h = 132 h of 744 at the peak price
    assert quantities == {
        "energy:base": [122_400.0],
        "energy:peak": [26_400.0],
        "demand:all hours": [250.0],
        "demand:summer": [250.0],
        "fixed": [1.0],
    }
    assert total.tolist() == pytest.approx([12_240.0 + 7_920.0 + 2_000.0 + 3_000.0 + 500.0])


# ── periods ──

GUANGDONG = [
    {"name": "谷", "hours": "0-8", "times": 0.38},
    {"name": "峰", "hours": "10-12, 14-19", "times": 1.7},
    {"name": "尖峰", "months": "7-9", "hours": "11-12, 15-17", "times": 2.125},
]


def test_peak_flat_valley_and_critical_peak_by_month():
    total, quantities = bill({"periods": GUANGDONG}, 1.0, "2027-07", base=0.70, zone=CHINA)
    # of 24 hours 3 are critical, 4 peak, 8 valley and 9 flat, on each of 31 days
    assert quantities == {
        "energy:base": [279.0],
        "energy:valley": [248.0],
        "energy:peak": [124.0],
        "energy:critical_peak": [93.0],
    }
    assert total.tolist() == pytest.approx([0.70 * (279 + 248 * 0.38 + 124 * 1.7 + 93 * 2.125)])
    total, quantities = bill({"periods": GUANGDONG}, 1.0, "2027-10", base=0.70, zone=CHINA)
    assert quantities["energy:peak"] == [217.0]  # no critical peak in October


def test_weekdays_and_weekends_are_counted_by_the_calendar():
    terms = {"periods": [{"name": "weekend", "days": "周末", "price_per_kwh": 0.05}]}
    _total, quantities = bill(terms, 1.0, "2027-01", zone=CHINA)
    assert quantities["energy:weekend"] == [240.0]  # 5 Saturdays and 5 Sundays


def test_hours_over_midnight_and_half_hours():
    terms = {"periods": [{"name": "night", "hours": "22:30-6", "price_per_kwh": 0.05}]}
    _total, quantities = bill(terms, 1.0, "2027-01", zone=CHINA)
    assert quantities["energy:night"] == [31 * 7.5]


def test_a_later_period_replaces_an_earlier_one():
    terms = {
        "periods": [
            {"name": "day", "hours": "8-20", "price_per_kwh": 0.20},
            {"name": "noon", "hours": "12-13", "price_per_kwh": 0.50},
        ]
    }
    _total, quantities = bill(terms, 1.0, "2027-01", zone=CHINA)
    assert quantities["energy:day"] == [31 * 11.0]
    assert quantities["energy:noon"] == [31.0]


def test_one_name_with_several_prices_is_told_apart_by_its_months():
    terms = {
        "periods": [
            {"name": "peak", "months": "1", "hours": "8-20", "price_per_kwh": 0.20},
            {"name": "peak", "months": "2", "hours": "8-20", "price_per_kwh": 0.30},
        ]
    }
    _total, quantities = bill(terms, 1.0, "2027-01", 2, zone=CHINA)
    assert quantities["energy:peak:1"] == [31 * 12.0, 0.0]
    assert quantities["energy:peak:2"] == [0.0, 28 * 12.0]


def test_a_load_profile_moves_energy_into_its_hours_and_keeps_the_sum():
    profile = [1] * 12 + [3] * 12
    terms = {"periods": [{"name": "pm", "hours": "12-24", "price_per_kwh": 0.20}], "load_profile": profile}
    _total, quantities = bill(terms, 10.0, "2027-01", zone=CHINA)
    assert quantities["energy:pm"] == pytest.approx([5_580.0])  # three quarters of 7,440 kWh
    assert quantities["energy:base"] == pytest.approx([1_860.0])


# ── tiers, demand, capacity ──


def test_tiers_add_to_the_price_of_what_is_beyond_them():
    terms = {"tiers": [{"from_kwh": 1000, "adds_per_kwh": 0.02}, {"from_kwh": 5000, "adds_per_kwh": 0.05}]}
    total, quantities = bill(terms, 10.0, "2027-01")
    assert quantities["tier:1000"] == [4000.0]
    assert quantities["tier:5000"] == [2440.0]
    assert total.tolist() == pytest.approx([744.0 + 80.0 + 122.0])


def test_u069_a_demand_charge_goes_by_the_month_s_peak_and_never_by_the_mean():
    terms = {"basis": "energy_only", "demand": [{"name": "peak", "price_per_kw": 10}]}
    _total, low = bill(terms, 10.0, "2027-01", 3, peak_kw=[100, 60, 80])
    _total, high = bill(terms, 50.0, "2027-01", 3, peak_kw=[100, 60, 80])
    assert low["demand:peak"] == high["demand:peak"] == [100.0, 60.0, 80.0]


def test_u069_a_ratchet_bills_a_share_of_past_peaks_for_as_long_as_it_looks_back():
    terms = {
        "basis": "energy_only",
        "demand": [{"name": "peak", "price_per_kw": 10}],
        "ratchet_share": 0.8,
        "ratchet_months": 3,
    }
    total, quantities = bill(terms, 1.0, "2027-01", 6, base=0.0, peak_kw=[100, 60, 90, 50, 50, 50])
    # 80 % of 100 holds in months 1 to 3, then 80 % of 90 for its last two months
    assert quantities["demand:peak"] == [100.0, 80.0, 90.0, 80.0, 72.0, 72.0]
    assert total.tolist() == pytest.approx([1000.0, 800.0, 900.0, 800.0, 720.0, 720.0])


def test_u069_a_share_of_the_nameplate_may_stand_for_the_peak():
    terms = {"basis": "energy_only", "peak_share": 0.9, "demand": [{"name": "peak", "price_per_kw": 10}]}
    assert bill(terms, 1.0, "2027-01", peak_kw=[100])[1]["demand:peak"] == [90.0]


def test_a_demand_window_without_load_bills_its_part_of_the_profile():
    profile = [1] * 8 + [4] * 12 + [2] * 4
    terms = {
        "basis": "energy_only",
        "load_profile": profile,
        "demand": [{"name": "evening", "hours": "20-24", "price_per_kw": 10}],
    }
    assert bill(terms, 1.0, "2027-01", zone=CHINA, peak_kw=[100])[1]["demand:evening"] == [50.0]


def test_a_capacity_charge_is_owed_for_what_is_contracted():
    terms = {"basis": "energy_only", "capacity_kw": 315, "capacity_price_per_kw": 23}
    total, quantities = bill(terms, 1.0, "2027-01", base=0.0, peak_kw=[100])
    assert quantities["capacity"] == [315.0]
    assert total.tolist() == [7245.0]


def test_the_months_billed_do_not_change_what_was_billed():
    peaks = np.array([[100.0, 60.0]])
    assert billed_kw(peaks, 0.0, 11).tolist() == peaks.tolist()
    assert billed_kw(peaks, 1.0, 11).tolist() == [[100.0, 100.0]]


# ── identities ──

WINDOWS = st.tuples(st.integers(0, 23), st.integers(1, 24)).filter(lambda pair: pair[0] != pair[1] % 24)
ROWS = st.builds(
    lambda n, months, days, hours, price: {
        "name": f"p{n}",
        "months": f"{months[0]}-{months[1]}",
        "days": days,
        "hours": f"{hours[0]}-{hours[1]}",
        "price_per_kwh": price,
    },
    st.integers(0, 3),
    st.tuples(st.integers(1, 12), st.integers(1, 12)),
    st.sampled_from(["all", "weekdays", "weekends"]),
    WINDOWS,
    st.floats(0.01, 1.0),
)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(ROWS, max_size=5),
    zone=st.sampled_from([NEW_YORK, CHINA, "Europe/Berlin", "Australia/Lord_Howe"]),
    year=st.integers(2026, 2035),
    profile=st.one_of(st.just([]), st.lists(st.floats(0.1, 5.0), min_size=24, max_size=24)),
)
def test_whatever_the_tariff_every_hour_of_the_year_is_billed_once(rows, zone, year, profile):
    terms = {"periods": rows, "load_profile": profile}
    total, quantities = bill(terms, 1.0, f"{year}-01", 12, zone=zone)
    hours = 8784.0 if calendar.isleap(year) else 8760.0
    assert np.sum(list(quantities.values())) == pytest.approx(hours)
    prices = [0.10, *(row["price_per_kwh"] for row in rows)]
    assert min(prices) * hours - 1e-6 <= total.sum() <= max(prices) * hours + 1e-6


@pytest.mark.parametrize("region", sorted(ZONES))
def test_the_clock_of_every_region_is_known(region):
    assert zone_of(region) == ZONES[region]


# ── what is refused ──


@pytest.mark.parametrize(
    ("terms", "path", "code"),
    [
        ({"periods": [{"name": "a", "hours": "8-25", "times": 1}]}, "periods/0/hours", "bad_format"),
        ({"periods": [{"name": "a", "hours": "8-8", "times": 1}]}, "periods/0/hours", "bad_format"),
        ({"periods": [{"name": "a", "hours": "8:15-9", "times": 1}]}, "periods/0/hours", "bad_format"),
        ({"periods": [{"name": "a", "months": "0-3", "times": 1}]}, "periods/0/months", "bad_format"),
        ({"periods": [{"name": "a", "months": "summer", "times": 1}]}, "periods/0/months", "bad_format"),
        ({"periods": [{"name": "a", "days": "holidays", "times": 1}]}, "periods/0/days", "not_a_choice"),
        ({"periods": [{"name": "a"}]}, "periods/0/price_per_kwh", "conflict"),
        ({"periods": [{"name": "a", "times": 1, "price_per_kwh": 1}]}, "periods/0/price_per_kwh", "conflict"),
        ({"periods": [{"name": "a", "price_per_kwh": -1}]}, "periods/0/price_per_kwh", "out_of_bounds"),
        ({"time_zone": "Mars/Olympus"}, "time_zone", "bad_format"),
        ({"load_profile": [1, 2, 3]}, "load_profile", "conflict"),
        ({"demand": [{"name": "peak", "price_per_kw": 10}]}, "demand", "conflict"),
        ({"basis": "resale", "capacity_kw": 100}, "capacity_kw", "conflict"),
        ({"tiers": [{"from_kwh": 5, "adds_per_kwh": 0}, {"from_kwh": 5, "adds_per_kwh": 1}]}, "tiers", "conflict"),
    ],
)
def test_a_bad_tariff_names_the_cell(terms, path, code):
    with pytest.raises(InputError) as caught:
        TariffTerms.read(terms)
    assert [("/".join(problem.path), problem.code) for problem in caught.value.problems] == [(path, code)]


@pytest.mark.parametrize(
    ("region", "zone"), [("US-VA", NEW_YORK), ("US-CA", "America/Los_Angeles"), ("CN-GD", CHINA), ("US", None)]
)
def test_a_region_knows_its_clock_where_it_has_one(region, zone):
    assert zone_of(region) == zone
