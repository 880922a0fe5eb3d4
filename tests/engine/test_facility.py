"""Circuits, heat, racks and backup by figures worked by hand, and packing one machine at a time."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from planner.engine import facility as f
from planner.engine.quantities import InputError
from planner.engine.workload import k_of_n_availability

# --- circuits ---


def test_circuits_of_the_reference_table():
    # facility reference 2.2: volts, amps, phases, derating, kVA
    table = np.array([
        [208, 30, 1, 0.8, 5.0], [208, 30, 3, 0.8, 8.6], [208, 60, 3, 0.8, 17.3], [415, 30, 3, 0.8, 17.3],
        [415, 60, 3, 0.8, 34.5], [240, 30, 1, 0.8, 5.8], [400, 16, 3, 1.0, 11.1], [400, 32, 3, 1.0, 22.2],
        [415, 32, 3, 1.0, 23.0]])
    for phases in (1, 3):
        rows = table[table[:, 2] == phases]
        assert_allclose(f.circuit_kva(rows[:, 0], rows[:, 1], phases, rows[:, 3]), rows[:, 4], atol=0.05)


def test_u052_which_voltage_is_meant():
    """400 V line to line and 230 V line to neutral, 32 A at 80 %: both about 17.7 kVA."""
    assert f.circuit_kva(400, 32, 3, 0.8) == pytest.approx(17.7, rel=0.005)
    assert f.circuit_kva(230, 32, 3, 0.8, line_to_neutral=True) == pytest.approx(17.7, rel=0.005)
    assert f.circuit_kva(120, 15, 1, 0.8) * 1000 == pytest.approx(1440)  # a domestic socket, continuously


def test_nvidias_b200_slide():
    # two feeds of 380 V 32 A at 80 % leave 3.4 kW over 28.6 (facility reference 2.2, power factor 0.95)
    assert 2 * f.circuit_kw(380, 32, 3, 0.8) - 28.6 == pytest.approx(3.4, abs=0.05)
    assert f.circuit_kw(380, 32, 3, power_factor=0.0) == 0


def test_redundancy_by_hand():
    assert [f.redundant_kw(17.3, 3, scheme) for scheme in ("N", "N+1", "2N")] == pytest.approx([51.9, 34.6, 17.3])
    assert_array_equal(f.redundant_kw(10, [0, 1, 2, 4], "2N"), [0, 0, 10, 20])
    assert_array_equal(f.redundant_kw(10, [0, 1, 2, 4], "N+1"), [0, 0, 10, 30])


def test_u054_the_weakest_part_of_a_path_decides():
    assert f.path_limit(30, 20, None, 15) == 15
    assert f.path_limit(None) == math.inf
    assert_array_equal(f.path_limit([30, 10], 20), [20, 10])


def test_supplies_when_a_pdu_dies():
    # facility reference 2.3: H100 4+2 on 3 PDUs passes, B200 5+1 does not: 4 left of 5
    assert f.psu_ok(6, 3, 4) is True
    assert f.psu_ok(6, 3, 5) is False
    assert_array_equal(f.psus_left([6, 6, 5, 1], [2, 3, 2, 1]), [3, 4, 2, 0])


def test_a_load_on_feeds_of_which_one_is_lost():
    # 30 kW on three feeds of 16: 62.5 %, 93.75 % on two; on one feed nothing is left
    check = f.check_feeds(30, 16, 3)
    assert (check.usable_kw, check.left_kw, check.fits, check.fits_one_lost) == (48, 32, True, True)
    assert (check.share_each, check.share_one_lost) == (0.625, 0.9375)
    alone = f.check_feeds(10, 16, 1)
    assert (alone.fits, alone.fits_one_lost, alone.share_one_lost) == (True, False, math.inf)
    assert f.check_feeds(0, 16, 1).share_one_lost == 0


def test_a_b200_loses_full_power_with_a_pdu_though_its_kilowatts_fit():
    # 14.3 kW on three feeds of 17.25 kVA: two carry it; of six cords two hang on the dead one, five are needed
    assert f.check_feeds(14.3, f.circuit_kw(415, 30, 3, 0.8), 3).fits_one_lost
    assert f.psus_needed(14.3, 3.3) == 5
    assert not f.psu_ok(6, 3, 5)


def test_u060_supplies_carry_the_sustained_draw_and_the_swing_apart():
    # 8.4 kW on six supplies of 3 kW; N+N leaves nine, which carry it; a swing of 1.4 is 11.76 of 18
    check = f.check_supplies(8.4, 6, 3.0, spare=3)
    assert (check.usable_kw, check.sustained, check.transient) == (9, True, True)
    assert check.headroom_kw == pytest.approx(0.6)
    # a rig sized on its draw: 1.5 kW on one supply of 1.6 runs, and its swing of 2.1 trips it
    rig = f.check_supplies(1.5, 1, 1.6)
    assert (rig.sustained, rig.transient) == (True, False)
    assert f.check_supplies(1.5, 1, 1.6, transient_ratio=1.0).transient


def test_u059_cards_that_one_outlet_carries_at_each_power_limit():
    # 1.44 kW less 0.2 for the host: two at 575 W, three at 400, four at 300
    assert_array_equal(f.gpus_on_circuit(1.44, 0.2, [0.575, 0.4, 0.3]), [2, 3, 4])
    assert f.gpus_on_circuit(0.1, 0.2, 0.3) == 0


def test_efficiency_of_a_supply_between_its_points():
    assert f.psu_efficiency("titanium", [0.1, 0.2, 0.35, 1.0]) == pytest.approx([0.90, 0.94, 0.95, 0.91])


@pytest.mark.parametrize(("chain", "field", "most"), [((1, 9, 8), "typical_kw", 8), ((5, 4, 8), "idle_kw", 4)])
def test_a_power_chain_that_does_not_rise_is_refused(chain, field, most):
    with pytest.raises(InputError) as caught:
        f.check_power_chain(*chain, ("builds", "odd"))
    problem = caught.value.problems[0]
    assert (problem.path, problem.code, problem.high, problem.unit) == (
        ("builds", "odd", field), "out_of_bounds", most, "kW")
    f.check_power_chain(2, 8, 8)


def test_draw_follows_the_busy_share():
    assert f.measured_draw_kw(2, 8, 1.0) == 8
    assert_array_equal(f.measured_draw_kw(2, 8, [[0, 0.5]]), [[2, 5]])


# --- heat ---


def test_u065_heat_of_six_kilowatts():
    # facility reference 3.3: 20,472 BTU/h, 1.71 tons; 10.2 kW: 34,800 and 2.9
    assert_allclose(f.btu_per_hour([6, 10.2]), [20_472, 34_802.4])
    assert_allclose(f.tons([6, 10.2]), [1.71, 2.9], atol=0.005)
    assert f.tons(3.517) == pytest.approx(1, abs=1e-4)


def test_air_and_water_by_hand():
    # 1.756·W/ΔT(°C): 10 kW at 10 °C take 1,756 CFM, a fifth more where air is 5/6 as dense; water 14.3·10/10 L/min
    assert f.airflow_cfm(10, 10) == pytest.approx(1756, abs=0.6)
    assert f.airflow_cfm(10, 10, 5 / 6) == pytest.approx(2107, abs=1)
    assert f.water_l_per_min(10, 10) == pytest.approx(14.3)
    assert f.water_l_per_min(10, 10, glycol=True) == pytest.approx(15.444)


def test_pue_by_hand():
    # no losses and cooling for free: 1; COP 4 alone: 1.25; losses are cooled too: 1/0.8·1.25 = 1.5625
    assert f.pue(1, 1, 1e12) == pytest.approx(1)
    assert f.pue(1, 1, 4) == 1.25
    assert f.pue(0.8, 1, 4) == pytest.approx(1.5625)
    # half the hours at COP 20, half at 4: 1/(0.025 + 0.125)
    assert f.yearly_cop(0.5, 20, 4) == pytest.approx(6.6667, abs=1e-4)


def test_water_by_hand():
    # US mean 0.36 L/kWh (facility reference 3.2)
    assert f.water_litres(1000, 0.36) == pytest.approx(360)


def test_liquid_takes_its_share_and_air_the_rest():
    assert f.heat_split_kw(100, 0.8) == (80, 20)
    assert_allclose(f.heat_split_kw([100, 50], 0.7), [[70, 35], [30, 15]])


def test_cooling_units_with_one_to_spare():
    assert_array_equal(f.cooling_units([0, 30, 60, 61], 30), [0, 2, 3, 4])
    assert f.cooling_units(60, 30, 0) == 2


def test_inlets_of_ashrae():
    # facility reference 3.1: 18-27 recommended, A1 15-32 and A4 5-45 allowable, H1 18-22 and up to 25
    assert [f.inlet_verdict(celsius, "A1") for celsius in (17, 18, 27, 32, 33)] == [
        "allowable", "recommended", "recommended", "allowable", "outside"]
    assert [f.inlet_verdict(24, name) for name in ("A4", "H1")] == ["recommended", "allowable"]
    assert f.inlet_verdict(26, "H1") == "outside"


# --- space, backup ---


def test_area_of_a_rack_with_its_aisles():
    # facility reference 4: 0.6 × (1.2 + 0.6 + 0.5) = 1.38 m²; 40.8 kW are 29.6 kW/m²
    assert f.rack_area_m2(0.6, 1.2) == pytest.approx(1.38)
    assert 40.8 / f.rack_area_m2(0.6, 1.2) == pytest.approx(29.6, abs=0.05)


def test_backup_by_hand():
    # 100 kW for 15 min at 0.95 and 80 %: 25/0.76; 1 MW on 80 % of a generator; 600 kW and a tenth more on three
    assert f.battery_kwh(100, 15, 0.95, 0.8) == pytest.approx(32.895, abs=0.001)
    assert f.generator_kw(1000) == 1250
    assert f.ups_module_kw(600, 3, 0.1) == pytest.approx(220)


def test_a_bill_with_a_ratchet():
    # 1,000 kWh at 0.1 and 12 a kW: of 50 kW, or 80 % of the year's 100
    assert f.power_bill(1000, 0.1, 50, 12) == pytest.approx(700)
    assert f.power_bill(1000, 0.1, [50, 90], 12, 0.8, 100) == pytest.approx([1060, 1180])


def test_availability_of_units_together():
    # one of two at 0.9: 0.99; both: 0.81; none needed: always
    assert [k_of_n_availability(k, 2, 0.9) for k in (1, 2, 0)] == pytest.approx([0.99, 0.81, 1])
    # tiers of facility reference 5: 28.8, 22.7, 1.6 and 0.44 hours
    assert_allclose(f.downtime_hours(list(f.TIER_AVAILABILITY.values())), [28.8, 22.7, 1.6, 0.44], atol=0.05)


# --- racks ---


def test_racks_of_nvidias_layouts():
    # facility reference 2.5: a unit of 32 at 28.6 kW a rack: 16 racks; at 40.8 kW of H100: 8; B300 four a rack: 8
    def count(nodes, units, kw, kg, limit):
        return f.pack([(nodes, units, kw, kg, 6)], (48, limit, 1701, None)).racks

    assert count(32, 10, 14.3, 142.4, 28.6) == 16
    assert count(32, 8, 10.2, 130.45, 40.8) == 8
    assert count(32, 10, 14.5, 168, 58.0) == 8


@pytest.mark.parametrize(("rack", "limit", "racks"), [
    ((42, 100, 1000, 100), "units", 2), ((42, 12, 1000, 100), "kw", 8), ((42, 100, 299, 100), "kg", 4),
    ((42, 100, 1000, 7), "cords", 8), ((None, None, None, None), None, 1), ((42, None, None, None), "units", 2),
    ((42, math.inf, None, None), "units", 2)])
def test_the_limit_that_decides_is_named(rack, limit, racks):
    packed = f.pack([(8, 8, 10, 100, 4)], rack)
    assert (packed.limit_by, packed.racks, packed.fits) == (limit, racks, True)


def test_airflow_limits_a_rack_too():
    # 2,500 CFM a tile, 1,105 a machine
    packed = f.pack([(8, 8, 10.2, 130, 6, 1105)], (48, 60, None, None, 2500))
    assert (packed.limit_by, packed.racks, packed.layout[0].cfm) == ("cfm", 4, 2210)


def test_machines_of_one_kind_per_rack():
    assert f.per_rack((10, 14.3, 142.4), (38, 60, 1701)) == (3, "units")
    assert f.per_rack((8, 10.2, 130), (32, 40.8, None)) == (4, "units")  # both stop the fifth: the first is named
    assert f.per_rack((8, 10.2, 130), (None, None, None)) == (None, None)


def test_a_machine_that_fits_no_rack_is_named_and_the_rest_packed():
    packed = f.pack([(2, 8, 10, 100, 4), (1, 10, 70, 100, 4)], (42, 60, 1000, 100))
    assert (packed.fits, packed.limit_by, packed.racks) == (False, "kw", 1)
    assert packed.layout[0].items == ((0, 2),)
    assert f.pack([(1, 50, 1, 1, 1)], (42, 60, 1000, 100)).limit_by == "units"
    assert f.pack([(1, 1, 1, 1, 1)], (42, 0, 1000, 100)) == f.Packing(0, "kw", False, ())


def test_nothing_needs_no_rack():
    assert f.pack([], (42, 60, 1000, 100)) == f.Packing(0, None, True, ())
    assert f.pack([(0, 8, 10, 100, 4)], (42, 60, 1000, 100)) == f.Packing(0, None, True, ())


def test_small_machines_fill_the_gaps_that_large_ones_leave():
    # three 14.3 kW machines of 10U leave 12U and 17.1 kW; twelve 1U machines of 1 kW go there
    packed = f.pack([(12, 1, 1.0, 20, 2), (3, 10, 14.3, 142, 6)], (42, 60, 1701, None))
    assert packed.racks == 1
    assert packed.layout == (f.RackGroup(1, ((0, 12), (1, 3)), 42, pytest.approx(54.9), 666, 42),)


def test_floating_point_leaves_no_machine_outside():
    assert f.pack([(4, 8, 10.2, 130, 6)], (48, 40.8, None, None)).racks == 1
    assert f.pack([(3, 1, 0.1, 1, 0)], (48, 0.3, None, None)).racks == 1


def test_two_thousand_machines_cost_no_more_than_one():
    packed = f.pack([(2000, 8, 10.2, 130, 6), (300, 10, 14.3, 142, 6)], (42, 40.8, 1300, 24))
    assert packed.fits
    assert len(packed.layout) <= 8
    assert sum(group.racks for group in packed.layout) == packed.racks


def one_by_one(kinds, rack):
    """First-fit decreasing as the textbook has it: each machine into the first rack with room, else a new one."""
    machines = [row[1:] for row in kinds for _ in range(row[0])]
    machines.sort(key=lambda sizes: (-sizes[1], -sizes[0], -sizes[2], -sizes[3]))
    racks = []
    for units, kw, kg, cords in machines:
        sizes = (units, kw, kg, cords)
        for used in racks:
            if all(u + s <= limit + 1e-9 for u, s, limit in zip(used, sizes, rack, strict=True)):
                used[:] = [u + s for u, s in zip(used, sizes, strict=True)]
                break
        else:
            racks.append(list(sizes))
    return sorted(tuple(used) for used in racks)


machine = st.tuples(st.integers(0, 30), st.integers(1, 12), st.integers(1, 20), st.integers(1, 200), st.integers(0, 6))


@settings(max_examples=200, deadline=None)
@given(kinds=st.lists(machine, max_size=4), rack=st.tuples(
    st.integers(12, 48), st.integers(20, 60), st.integers(200, 1700), st.integers(6, 24)))
def test_packing_by_kinds_equals_packing_one_by_one(kinds, rack):
    packed = f.pack(kinds, rack)
    assert packed.fits
    ours = [(group.units, group.kw, group.kg, group.cords) for group in packed.layout for _ in range(group.racks)]
    assert sorted(ours) == one_by_one(kinds, rack)
    placed = np.zeros(len(kinds))
    for group in packed.layout:
        for kind, number in group.items:
            placed[kind] += group.racks * number
    assert_array_equal(placed, [row[0] for row in kinds])


# --- throttling ---


def test_throttling_by_hand():
    # ratio 0.64 → 0.8, 0.81 → 0.9; at 0.6 still running, just below tripped; more cooling than heat: all of it
    cooling = np.array([[6.4, 8.1, 10, 20, 6.0, 5.9, 0]])
    assert_allclose(f.throttle(cooling, 10), [[0.8, 0.9, 1, 1, math.sqrt(0.6), 0, 0]])
    assert [f.throttle(None, 10), f.throttle(math.inf, 10), f.throttle(0, 0), f.throttle(7.3 * 0.6, 7.3)] == [
        1, 1, 1, pytest.approx(math.sqrt(0.6))]


def test_throttling_never_falls_with_more_cooling_and_batches_equal_singles():
    cooling = np.linspace(0, 15, 31)
    kept = f.throttle(cooling, 10)
    assert (np.diff(kept) >= 0).all()
    assert_array_equal(kept, [f.throttle(float(kw), 10) for kw in cooling])


@pytest.mark.parametrize(("call", "field"), [
    (lambda: f.circuit_kva(400, 32, 2), "phases"),
    (lambda: f.circuit_kva(400, 32, 3, 1.2), "derating"),
    (lambda: f.circuit_kw(400, 32, 3, 1, 1.1), "power_factor"),
    (lambda: f.redundant_kw(10, 2, "N+2"), "scheme"),
    (lambda: f.redundant_kw(10, 1.5), "feeds"),
    (lambda: f.psus_left(6, 0), "feeds"),
    (lambda: f.btu_per_hour(math.nan), "kw"),
    (lambda: f.airflow_cfm(1, 0), "delta_t_c"),
    (lambda: f.pue(0, 1, 3), "ups_efficiency"),
    (lambda: f.pack([(1.5, 1, 1, 1, 1)], (42, 1, 1, 1)), "nodes"),
    (lambda: f.pack([(1, -1, 1, 1, 1)], (42, 1, 1, 1)), "nodes"),
    (lambda: f.pack([(1, 1, 1, 1, 1)], (-42, 1, 1, 1)), "units"),
    (lambda: f.check_feeds(-1, 10, 2), "load_kw"),
    (lambda: f.check_supplies(1, 2, 3, 2), "spare"),
    (lambda: f.gpus_on_circuit(1, 0, 0), "gpu_kw"),
    (lambda: f.psus_left(6, 3, 4), "lost"),
    (lambda: f.psu_efficiency("bronze", 0.5), "rating"),
    (lambda: f.measured_draw_kw([1, 5], [2, 4], 0.5), "idle_kw"),
    (lambda: f.inlet_verdict(20, "B"), "air_class"),
    (lambda: f.cooling_units(10, 0), "unit_kw"),
    (lambda: f.ups_load(10, 10, 2, 2), "spare"),
    (lambda: k_of_n_availability(3, 2, 0.9), "needed"),
    (lambda: f.battery_kwh(10, 5, 0), "efficiency"),
    (lambda: f.throttle(-1, 10), "cooling_kw"),
    (lambda: f.throttle(math.nan, 10), "cooling_kw"),
    (lambda: f.throttle(1, -10), "draw_kw"),
])
def test_impossible_input_is_refused_by_name(call, field):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.problems[0].path == (field,)
