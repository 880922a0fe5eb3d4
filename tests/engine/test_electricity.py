"""A site's tariff in a plan's bill: kWh of each period × its price, IT and overhead apart, and what goes by the peak.

One box of 8 kW when busy and 10 kW at most stands at PUE 1.5: 12 kW on average and 15 kW at most at the meter.
"""

import pytest

from planner.engine.inputs import Scenario
from planner.engine.prices import MissingRate
from planner.engine.quantities import InputError
from tests.engine.sample import amounts, book, document, evaluated, lines, only, pool

ENERGY = only("opex.energy_it", "opex.energy_overhead")
PEAK = {"name": "peak", "days": "weekdays", "hours": "8-20", "price_per_kwh": 0.30}
SCHEDULE = {
    "slug": "tou",
    "name": "TOU",
    "region": "US-VA",
    "periods": [{"name": "valley", "hours": "0-8", "times": 0.5}],
    "source": {"basis": "unverified", "item": "tou"},
}


def site(**changes):
    return {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10, **changes}


def one(terms, *, prices=None, lines=ENERGY, months=1, **changes):
    sites = [site(tariff=terms, **changes)]
    return evaluated(work=pool(8.0), months=months, sites=sites, lines=lines, prices=prices).plans[0]


def parts(result, category):
    return {line.part: line.quantity[0].tolist() for line in result.lines if line.category == category}


def test_each_period_is_a_line_of_kwh_times_its_price():
    result = one({"periods": [PEAK]})
    # January 2027: 21 weekdays × 12 h = 252 h of 744
    assert parts(result, "opex.energy_it") == {"base": [3936.0], "peak": [2016.0]}
    assert amounts(result, "opex.energy_it") == [393.60 + 604.80]
    assert amounts(result, "opex.energy_overhead") == [(393.60 + 604.80) / 2]


def test_one_price_for_every_hour_is_as_before():
    plain = evaluated(work=pool(8.0), months=1, lines=ENERGY).plans[0]
    named = one({})
    assert [(line.key, line.amount.tolist()) for line in named.lines] == [
        (line.key, line.amount.tolist()) for line in plain.lines
    ]


def test_u037_a_plan_pays_for_the_25th_hour():
    night = {"name": "night", "hours": "1-2", "price_per_kwh": 1.00}
    result = evaluated(
        work=pool(8.0), start="2027-11", months=1, sites=[site(tariff={"periods": [night]})], lines=ENERGY
    ).plans[0]
    assert parts(result, "opex.energy_it") == {"base": [690 * 8.0], "night": [31 * 8.0]}


def test_u034_the_months_of_a_leap_year_sum_to_8784_hours():
    result = evaluated(
        work=pool(8.0), start="2028-01", months=12, sites=[site(tariff={"periods": [PEAK]})], lines=ENERGY
    ).plans[0]
    monthly = [sum(cells) for cells in zip(*parts(result, "opex.energy_it").values(), strict=True)]
    assert monthly[1] == 696 * 8.0
    assert sum(monthly) == 8784 * 8.0


def test_u069_a_demand_charge_of_an_energy_only_contract_is_owed_for_the_peak():
    terms = {"basis": "energy_only", "demand": [{"name": "peak", "price_per_kw": 10}]}
    busy = one(terms, lines={})
    assert amounts(busy, "opex.demand_charge") == [15.0 * 10.0]
    idle = evaluated(work=pool(1.0), months=1, sites=[site(tariff=terms)]).plans[0]
    assert amounts(idle, "opex.demand_charge") == [15.0 * 10.0]  # the mean draw is another, the peak is not


def test_one_site_s_demand_charge_is_not_put_on_another_s_average_price():
    charged = site(tariff={"basis": "energy_only", "demand": [{"name": "peak", "price_per_kw": 10}]})
    other = {"slug": "other", "from_month": 1, "pue": 1.5, "electricity_price_per_kwh": 0.10}
    result = evaluated(work=pool(8.0), months=2, sites=[charged, other]).plans[0]
    assert amounts(result, "opex.demand_charge") == [150.0, 0.0]


def test_a_demand_charge_that_is_switched_off_is_left_out():
    terms = {"basis": "energy_only", "demand": [{"name": "peak", "price_per_kw": 10}]}
    evaluation = evaluated(months=1, sites=[site(tariff=terms)], lines={"opex.demand_charge": False})
    assert amounts(evaluation.plans[0], "opex.demand_charge") == [0.0]
    assert "opex.demand_charge" in evaluation.left_out


@pytest.mark.parametrize("basis", ["all_in", "resale"])
def test_an_all_in_price_holds_its_demand_charge_already(basis):
    result = one({"basis": basis}, lines={"opex.demand_charge": True})
    assert amounts(result, "opex.demand_charge") == [0.0]


def test_an_energy_only_price_without_a_charge_of_its_own_takes_the_default():
    result = one({"basis": "energy_only"}, lines={"opex.demand_charge": True})
    assert amounts(result, "opex.demand_charge") == [15.0 * 10.0]


def test_u069_a_ratchet_outlasts_the_machines_that_made_the_peak():
    terms = {"basis": "energy_only", "demand": [{"name": "peak", "price_per_kw": 10}], "ratchet_share": 0.5}
    shrinking = {
        "slug": "plan",
        "start": {"build": "box", "quantity": 4},
        "follow_up": {"kind": "schedule", "batch": 1, "waves": [{"month": 11, "quantity": 1}]},
        "end_of_life": {"life_months": 12, "then": "let_go"},
        "lead_months": 0,
    }
    result = evaluated(shrinking, months=13, work=pool(8.0), sites=[site(tariff=terms)]).plans[0]
    # four boxes of 15 kW, five in month 11, one in month 12: half of 75 kW is billed
    assert amounts(result, "opex.demand_charge")[10:] == [600.0, 750.0, 375.0]


def test_tiers_and_the_fixed_fee_stand_in_lines_of_their_own():
    terms = {"tiers": [{"from_kwh": 8000, "adds_per_kwh": 0.06}], "fixed_per_month": 40}
    result = one(terms)
    # 744 h × 12 kW = 8,928 kWh at the meter, 928 of them beyond the tier: two thirds are the machines'
    assert amounts(result, "opex.energy_it") == [595.20 + 37.12 + 40.0]
    assert amounts(result, "opex.energy_overhead") == [297.60 + 18.56]
    assert set(lines(result, "opex.energy_it")) == {"machines", "tier", "fixed"}


def test_a_schedule_of_the_catalog_multiplies_the_base_price():
    result = one({"schedule": "tou"}, prices=book(schedules={"tou": SCHEDULE}))
    assert amounts(result, "opex.energy_it") == [8 * (496 * 0.10 + 248 * 0.05)]
    by_part = {line.part: line.source.basis for line in result.lines if line.category == "opex.energy_it"}
    assert by_part == {"base": "own", "valley": "unverified"}


PUBLISHED = {
    **SCHEDULE,
    "periods": [{"name": "night", "hours": "0-8", "price_per_kwh": 0.05}],
    "demand": [{"name": "peak", "months": "1-6", "price_per_kw": 8.0}],
    "fixed_per_month": 40.0,
    "currency": "EUR",
    "rate": 1.25,
}


def published(terms, lines=(), **changes):
    prices = book(schedules={"tou": {**PUBLISHED, **changes}})
    switches = {**ENERGY, **dict.fromkeys(lines, True)}
    del switches["opex.demand_charge"]
    return one({"schedule": "tou", **terms}, prices=prices, lines=switches)


def test_a_published_tariff_charges_its_prices_demand_and_fee_at_their_exchange_rate():
    result = published({})
    # January: 248 of 744 hours at 0.05 × 1.25; 15 kW at most × 8.00 × 1.25; 40.00 × 1.25 a month
    assert amounts(result, "opex.energy_it") == [8 * (496 * 0.10 + 248 * 0.0625) + 50.0]
    assert amounts(result, "opex.demand_charge") == [150.0]
    sources = {line.source.basis for line in result.lines if line.category == "opex.demand_charge"}
    assert sources == {"unverified"}


def test_what_the_contract_itself_names_goes_before_the_published_charges():
    own = {"basis": "energy_only", "demand": [{"name": "all", "price_per_kw": 2.0}], "fixed_per_month": 10.0}
    result = published(own)
    assert amounts(result, "opex.demand_charge") == [30.0]
    assert amounts(result, "opex.energy_it", "fixed") == [10.0]


def test_a_landlord_s_price_holds_what_the_published_tariff_charges():
    result = published({"basis": "resale"})
    assert amounts(result, "opex.demand_charge") == amounts(result, "opex.energy_it", "fixed") == [0.0]


def test_a_published_tariff_without_an_exchange_rate_stops_the_result_and_names_it():
    with pytest.raises(MissingRate, match="EUR"):
        published({}, rate=None)


def test_what_a_network_asks_is_added_to_the_price_of_the_energy():
    red = {"name": "red", "days": "weekdays", "hours": "16-19", "adds_per_kwh": 0.05}
    result = one({"periods": [red]})
    # January 2027: 21 weekdays × 3 h of 744
    assert amounts(result, "opex.energy_it") == [620.40]
    (line,) = [line for line in result.lines if line.category == "opex.energy_it" and line.part == "red"]
    assert (line.factors["base_price"], line.factors["adds"]) == (0.10, 0.05)


def test_a_period_has_one_price_of_its_three():
    with pytest.raises(InputError, match="price_per_kwh"):
        one({"periods": [{"name": "red", "price_per_kwh": 0.2, "adds_per_kwh": 0.05}]})


def test_prices_of_one_name_and_the_same_months_are_lines_apart():
    rows = [
        {"name": "peak", "hours": "0-12", "price_per_kwh": 0.5},
        {"name": "peak", "hours": "12-24", "price_per_kwh": 0.25},
    ]
    result = one({"periods": rows})
    half = [31 * 12 * 8.0]
    assert parts(result, "opex.energy_it") == {"peak:1-12 · 0-12": half, "peak:1-12 · 12-24": half}


def test_charges_of_one_name_and_price_are_lines_apart():
    rows = [{"name": "peak", "hours": hours, "price_per_kw": 5.0} for hours in ("8-12", "14-20")]
    result = one({"basis": "energy_only", "demand": rows}, lines={})
    assert len({line.key for line in result.lines if line.category == "opex.demand_charge"}) == 2
    assert amounts(result, "opex.demand_charge") == [150.0]


def test_charges_of_one_name_are_lines_apart():
    rows = [
        {"name": "peak", "months": "6-9", "price_per_kw": 30.0},
        {"name": "peak", "months": "10-5", "price_per_kw": 5.0},
    ]
    terms = {"basis": "energy_only", "demand": rows}
    result = evaluated(work=pool(8.0), months=12, sites=[site(tariff=terms)]).plans[0]
    keys = [line.key for line in result.lines if line.category == "opex.demand_charge"]
    assert len(set(keys)) == len(keys) == 2
    assert amounts(result, "opex.demand_charge") == [75.0] * 5 + [450.0] * 4 + [75.0] * 3


def test_own_periods_go_before_those_of_the_schedule():
    result = one({"schedule": "tou", "periods": [PEAK]}, prices=book(schedules={"tou": SCHEDULE}))
    assert set(parts(result, "opex.energy_it")) == {"base", "peak"}


def test_a_schedule_that_is_not_in_the_book_has_no_quote():
    result = one({"schedule": "tou"})
    assert [(reason.code, reason.facts["item"]) for reason in result.infeasible] == [("no_quote", "tou")]


def test_every_price_of_the_bill_follows_the_path_of_electricity():
    terms = {
        "basis": "energy_only",
        "periods": [PEAK],
        "demand": [{"name": "peak", "price_per_kw": 10}],
        "fixed_per_month": 100,
    }
    market = {"electricity": {"rate_per_year": 0.10}}
    result = evaluated(work=pool(8.0), months=13, sites=[site(tariff=terms)], market=market).plans[0]
    for line in result.lines:
        if line.category in ("opex.energy_it", "opex.energy_overhead", "opex.demand_charge"):
            assert line.unit_price[0, 12] == pytest.approx(1.1 * line.unit_price[0, 0])


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"region": "US", "tariff": {"periods": [PEAK]}}, "sites/room/tariff/time_zone"),
        ({"tariff": {"basis": "resale"}, "electricity_price_per_kwh": None}, "sites/room/electricity_price_per_kwh"),
        (
            {"tariff": {"basis": "energy_only"}, "electricity_price_per_kwh": None},
            "sites/room/electricity_price_per_kwh",
        ),
    ],
)
def test_a_site_names_the_clock_and_the_price_that_its_contract_needs(changes, path):
    with pytest.raises(InputError) as caught:
        Scenario.read(document(sites=[site(**changes)]))
    assert [("/".join(problem.path), problem.code) for problem in caught.value.problems] == [(path, "conflict")]


def test_water_goes_by_each_site_s_own_use_and_price():
    wet = site(water_l_per_kwh=2.0, water_price_per_m3=5.0)
    dry = {"slug": "dry", "from_month": 1, "electricity_price_per_kwh": 0.10, "water_l_per_kwh": 0.0}
    result = evaluated(work=pool(8.0), months=2, sites=[wet, dry], lines={"opex.water": True}).plans[0]
    # 744 h × 8 kW × 2 L = 11.904 m³ at 5.00; nothing in the dry room
    assert amounts(result, "opex.water") == [59.52, 0.0]
