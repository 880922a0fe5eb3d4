"""Interruptions, checkpoints and spares: published figures, limits, batches against singles, refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from planner.engine import reliability as r
from planner.engine.quantities import InputError


def test_time_between_interruptions_by_fleet():
    # 2,048 servers: 3.8 per 1000 server-days is Llama 3's 3.1 h; the rates of table 7.1
    assert r.job_mtbf_days(2048, 0.0038) * 24 == pytest.approx(3.1, abs=0.05)
    assert_allclose(r.job_mtbf_days([10, 100], [0.01, 0.001]), [10, 10])


def test_small_jobs_see_three_times_the_interruptions_where_users_count_them():
    assert_allclose(r.interruption_rate(0.0065, [1024, 1999, 2000], user_visible=True), [0.0195, 0.0195, 0.0065])
    assert r.interruption_rate(0.0065, 1024) == 0.0065


def test_rates_as_counted():
    # Llama 3: 148 faulty GPUs of 16,384 in 54 days; 7 NICs in as many
    assert r.observed_rate(148, 16_384, 54) * 365 == pytest.approx(r.FAILURES_PER_YEAR["gpu_interruption"], rel=0.01)
    assert r.observed_rate(7, 16_384, 54) * 365 == pytest.approx(r.FAILURES_PER_YEAR["nic"], rel=0.01)


def test_best_interval_is_a_minimum_of_what_is_lost():
    save, mtbf = 40.0, 604_800.0
    best = r.best_interval(save, mtbf)
    around = r.goodput(mtbf, 0.0, np.array([0.8, 1.0, 1.25]) * best, save)
    assert around[1] == around.max()


def test_daly_corrects_young_only_where_saving_is_long():
    assert r.best_interval(2.0, 100.0) == r.young_interval(2.0, 100.0) == 20
    # 2.5 % of the MTBF: sqrt(500)·(1 + sqrt(0.0125)/3) − 2.5
    assert r.best_interval(2.5, 100.0) == pytest.approx(20.694, abs=0.001)


def test_where_saving_takes_as_long_as_two_failures_the_interval_is_their_mean():
    # Daly 2006, equation 37; at C = M: sqrt(2)·(1 + sqrt(1/2)/3) − 1
    assert_allclose(r.best_interval([100.0, 200.0, 5000.0], 100.0), [74.755, 100.0, 100.0], atol=0.001)


def test_bloom_saves_2300_gb_in_forty_seconds():
    # 14 bytes of 176e9 parameters at 57 GB/s
    assert r.save_s(176.247e9, 57e9) == pytest.approx(43.3, abs=0.1)
    assert r.save_s(176.247e9, r.write_bandwidth_for(176.247e9, 10_800.0)) == pytest.approx(108)


def test_goodput_is_linear_down_to_seven_tenths():
    # 16k GPUs at RSC-1's rate; then losses of 0.3 and of 0.4 in a job of one day between failures
    assert r.goodput(108.2, 5.0, 5.0) == pytest.approx(0.93, abs=0.001)
    assert_allclose(r.goodput(1.0, [0.1, 0.2], 0.4), [0.7, 1 / 1.4])
    assert r.goodput(1.0, 0.1, 0.2, 0.01) == pytest.approx(1 - 0.2 - 0.05)


def test_goodput_of_a_batch_equals_single_calls():
    mtbf, restart, interval = np.array([5.0, 50.0]), np.array([0.1, 0.2]), np.array([1.0, 2.0])
    singles = [r.goodput(*row, 0.05) for row in zip(mtbf, restart, interval, strict=True)]
    assert_array_equal(r.goodput(mtbf, restart, interval, 0.05), singles)


def test_spares_hold_with_the_confidence_asked_for():
    # BLOOM kept 4 of 52 servers, OPT asked for 12: one and six failures until a server is back
    assert_array_equal(r.spares([1.0, 6.0, 0.0]), [4, 12, 0])
    assert r.spares(45 * 2160 / 1e5, r.PART_CONFIDENCE) == 3


def test_availability_falls_with_the_repair_and_never_below_nothing():
    assert_allclose(r.availability(0.01, [0, 1, 10, 200]), [1, 0.99, 0.9, 0])


def test_a_failure_is_noticed_after_half_an_interval_at_the_earliest():
    # 64 GPUs, 25,000 GPU-hours: max(0.25, 0.5) + 1/6 + 0.25 h; then detection rules
    assert r.restart_loss(64, 25_000, 1.0, 0.25, 1 / 6, 0.25) == pytest.approx(0.00234667, rel=1e-5)
    assert r.restart_loss(64, 15_000, 1.0, 1.0, 0.25, 1.0) == pytest.approx(0.0096)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: r.job_mtbf_days(0, 0.01), "servers"),
        (lambda: r.job_mtbf_days(8, 0.0), "rate"),
        (lambda: r.observed_rate(-1, 8, 54), "failures"),
        (lambda: r.save_s(1e9, 0.0), "write_bandwidth"),
        (lambda: r.write_bandwidth_for(1e9, 0.0), "interval_s"),
        (lambda: r.young_interval(1.0, 0.0), "mtbf"),
        (lambda: r.goodput(1.0, -1.0, 1.0), "restart"),
        (lambda: r.goodput(1.0, 0.1, 0.0, 0.1), "interval"),
        (lambda: r.spares(1.0, 1.0), "quantile"),
        (lambda: r.restart_loss(8, 0, 1, 1, 1), "mtbf_gpu_hours"),
    ],
)
def test_impossible_input_is_refused_by_name(call, field):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.problems[0].path == (field,)
