"""Carbon of what a plan owns: GPUs count by their number, in making and in use; what is not stated is not known."""

import pytest

from planner.engine.carbon import carbon_of
from tests.engine.sample import book, build, evaluated, plan, pool, price

# 0.5 kg of the grid per kWh; a chassis of 800 kg and cards of 100 kg each; boxes whose making nobody states.
TARIFFS = {
    "US-VA/commercial": {
        "region": "US-VA",
        "customer_class": "commercial",
        "price": price(0.10),
        "grid_kgco2e_per_kwh": 0.5,
    }
}
CHASSIS = build(
    "chassis",
    2,
    8,
    100_000.0,
    max_kw=3.0,
    typical_kw=2.4,
    idle_kw=0.4,
    embodied_kgco2e=1000.0,
    embodied_gpu_kgco2e=100.0,
)
YEAR = 8760  # hours of 2027


def priced(**more):
    """The book of the sample with a grid factor and the carbon of a chassis."""
    plain = book().builds
    return book(tariffs=TARIFFS, builds={**plain, "chassis": CHASSIS, **more})


def carbon(start, prices=None, gpus=4.0, **changes):
    evaluation = evaluated(plan(start=start), work=pool(gpus), prices=prices or priced(), **changes)
    return carbon_of(evaluation.plans[0], evaluation.scenario, evaluation.book)


def test_u087_embodied_and_use_phase_carbon_scale_with_the_number_of_gpus():
    one = carbon({"build": "chassis", "cards": 1}, gpus=1.0)
    eight = carbon({"build": "chassis", "cards": 8}, gpus=8.0)
    # the chassis: 800 kg to make, 0.8 kW (2.4 − 2 × 0.8) × PUE 1.5 × 8,760 h × 0.5 kg
    host_made, host_used = 800.0, 0.8 * 1.5 * YEAR * 0.5
    assert one.embodied_kg == pytest.approx(host_made + 100.0)
    assert eight.embodied_kg == pytest.approx(host_made + 8 * 100.0)
    assert one.use_kg == pytest.approx(host_used + 0.8 * 1.5 * YEAR * 0.5)
    assert eight.use_kg - host_used == pytest.approx(8 * (one.use_kg - host_used))


def test_u087_energy_of_the_gpus_is_in_the_use_phase():
    busy, idle = carbon({"build": "chassis"}, gpus=2.0), carbon({"build": "chassis"}, gpus=0.0)
    assert busy.use_kg == pytest.approx(2.4 * 1.5 * YEAR * 0.5)
    assert idle.use_kg == pytest.approx(0.4 * 1.5 * YEAR * 0.5)


def test_the_making_nobody_states_is_not_known_and_not_zero():
    found = carbon({"build": "box"})
    assert found.embodied_kg is None
    assert found.total_kg is None
    assert found.use_kg > 0
    assert found.unknown == ("box",)


def test_added_cards_are_not_known_where_only_the_whole_server_is_stated():
    whole = build("chassis", 2, 8, 100_000.0, max_kw=3.0, typical_kw=2.4, idle_kw=0.4, embodied_kgco2e=1000.0)
    assert carbon({"build": "chassis"}, priced(chassis=whole)).embodied_kg == 1000.0
    assert carbon({"build": "chassis", "cards": 3}, priced(chassis=whole)).embodied_kg is None


def test_a_region_without_a_grid_factor_is_not_known():
    found = carbon({"build": "chassis"}, book(builds={**book().builds, "chassis": CHASSIS}))
    assert found.use_kg is None
    assert found.unknown == ("grid",)


def test_all_customers_of_a_region_share_its_grid():
    rows = {**TARIFFS, "US-VA/industrial": {**TARIFFS["US-VA/commercial"], "customer_class": "industrial"}}
    rows["US-VA/commercial"] = {**TARIFFS["US-VA/commercial"], "grid_kgco2e_per_kwh": None}
    prices = book(tariffs=rows, builds={**book().builds, "chassis": CHASSIS})
    assert carbon({"build": "chassis"}, prices, gpus=2.0).use_kg == pytest.approx(2.4 * 1.5 * YEAR * 0.5)


def test_the_grid_factor_is_one_s_own_and_moves_by_the_year():
    site = {"slug": "room", "pue": 1.0, "electricity_price_per_kwh": 0.10, "grid_kgco2e_per_kwh": 1.0}
    found = carbon(
        {"build": "chassis"},
        gpus=2.0,
        months=24,
        sites=[site],
        market={"grid_carbon": {"rate_per_year": 0.0, "by_year": [-0.19]}},
    )
    assert found.grid[0] == 1.0
    assert found.grid[6] == pytest.approx(0.9)  # 0.81^(6/12)
    assert found.grid[12:] == pytest.approx([0.81] * 12)


def test_rented_gpus_have_no_figure():
    cloud = plan(start=None, overflow={"accelerator": "gpu"})
    evaluation = evaluated(cloud, prices=priced())
    found = carbon_of(evaluation.plans[0], evaluation.scenario, evaluation.book)
    assert (found.use_kg, found.embodied_kg, found.unknown) == (None, None, ("rented",))
    assert found.as_dict() == {"use_kgco2e": None, "embodied_kgco2e": None, "not_known": ["rented"]}


def test_u087_the_making_is_counted_in_the_month_of_each_order():
    follow = {"kind": "servers", "batch": 1}
    growing = plan(start={"build": "chassis"}, follow_up=follow)
    evaluation = evaluated(growing, work=pool(2.0, growth=0.5), prices=priced(), months=3)
    making = carbon_of(evaluation.plans[0], evaluation.scenario, evaluation.book).makings[0]
    # 2, 3, 4.5 GPUs: a chassis with 2 cards at the start, a second one in month 1, a third in month 2
    assert making.kg.tolist() == [1000.0, 1000.0, 1000.0]
