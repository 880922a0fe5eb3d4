"""What a network costs training: table 6.2 of the sizing reference, limits, and batches against singles."""

import pytest
from numpy.testing import assert_allclose

from planner.engine import workload as w

GBIT = 1e9 / 8
# Network of a server, tokens of a GPU and step for rho <= 0.2 with H100 at 4e14 FLOP/s, GPUs at a batch of 4 Mi tokens.
TABLE = [
    (1, "tcp", 17.8e6, 0),
    (10, "tcp", 1.78e6, 2),
    (25, "rdma", 584e3, 7),
    (100, "rdma", 146e3, 28),
    (400, "rdma", 36.5e3, 115),
    (8 * 200, "rdma", 9.1e3, 460),
    (8 * 400, "rdma", 4.6e3, 920),
    (8 * 800, "rdma", 2.3e3, 1800),
]


@pytest.mark.parametrize(("gbit", "kind", "tokens", "gpus"), TABLE)
def test_tokens_needed_are_those_of_the_table(gbit, kind, tokens, gpus):
    needed = w.tokens_for_ratio(4e14, gbit * GBIT, efficiency=w.NETWORK_EFFICIENCY[kind])
    assert needed == pytest.approx(tokens, rel=0.01)
    # counts are printed to two or three digits, and cut: 28.7 as 28, 1,837 as 1,800
    assert 2**22 / needed == pytest.approx(gpus, rel=0.025, abs=0.75)


def test_full_sharding_needs_about_a_terabit_per_h100_server():
    # 6.2: c = 3, 8k tokens, rho 0.5
    assert w.tokens_for_ratio(4e14, 1.1e12 / 8, 0.5, sharding="fsdp") == pytest.approx(8192, rel=0.05)


def test_ratio_and_tokens_are_inverse():
    tokens = w.tokens_for_ratio(4e14, 5e10, 0.3, servers=6, gradient_bytes=4)
    assert w.communication_ratio(tokens, 4e14, 6, 5e10, gradient_bytes=4) == pytest.approx(0.3)


def test_one_server_has_nothing_to_send():
    assert w.communication_ratio(1e4, 4e14, 1, 5e10) == 0
    assert w.data_parallel_efficiency(0.0) == 1
    assert w.collective_s(1e9, 1, 1e9) == 0


def test_no_more_than_the_backward_pass_hides():
    # rho 0.2 → 1/1.1; rho 2 → 1/(1 + 4/3) although half of it would be 1
    assert_allclose(w.data_parallel_efficiency([0.2, 2.0]), [1 / 1.1, 3 / 7])


def test_an_all_reduce_is_its_two_halves():
    whole = w.collective_s(3e9, [2, 8, 64], 4e10)
    halves = [w.collective_s(3e9, [2, 8, 64], 4e10, kind) for kind in ("reduce_scatter", "all_gather")]
    assert_allclose(whole, halves[0] + halves[1])


def test_bus_bandwidth_undoes_the_collective():
    seconds = w.collective_s(3e9, 16, 4e10)
    assert w.bus_bandwidth(3e9 / seconds, 16) == pytest.approx(4e10)


def test_tensor_parallel_ratio_of_nvlink_and_of_nics():
    # 6.4: h = 8192, t = 8, 4e14 FLOP/s: about 0.2 on 450 GB/s, about 2 on 400 Gb/s
    assert w.tensor_parallel_ratio(8, 4e14, 450e9, 8192) == pytest.approx(0.2, abs=0.04)
    assert w.tensor_parallel_ratio(8, 4e14, 50e9, 8192) == pytest.approx(1.5, abs=0.5)


def test_scaling_by_defaults_and_as_measured():
    assert_allclose(w.expected_scaling([1, 2, 8], "strong"), [1, 0.95, 0.95**3])
    assert w.scaling_efficiency(43, 8192, 41 * 2, 16384) == pytest.approx(41 / 43)
    with pytest.raises(ValueError, match="not_a_choice"):
        w.expected_scaling(2, "super")
