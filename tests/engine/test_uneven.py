"""Counts of GPUs that a model does not split over: 3, 5, 6 and 7 are never accepted in silence."""

import pytest
from numpy.testing import assert_array_equal

from planner.engine import workload as w
from tests.engine.sample import evaluated, plan, pool

LLAMA = {
    "params_b": 70.0,
    "layers": 80,
    "hidden": 8192,
    "heads": 64,
    "kv_heads": 8,
    "head_dim": 128,
    "attention": "GQA",
}


def serving(**more):
    """A 70B model in 16 bit: 140 GB of weights take four of the sample's GPUs of 69 usable GB."""
    return {
        "kind": "serving",
        "slug": "chat",
        "accelerator": "gpu",
        "model": LLAMA,
        "precision": "bf16",
        "requests_per_day": 1000.0,
        "growth": {"kind": "constant"},
        "spare_servers": 0,
        **more,
    }


def placed(cards, work=None):
    start = {"build": "chassis", "quantity": -(-cards // 8), "cards": cards}
    return evaluated(plan(start=start), work=work or serving()).plans[0]


def warned(result, code):
    return [finding.facts for finding in result.warnings if finding.code == code]


@pytest.mark.parametrize(("cards", "left"), [(3, 3), (5, 1), (6, 2), (7, 3), (11, 3), (13, 1)])
def test_gpus_that_complete_no_replica_are_named_and_carry_nothing(cards, left):
    result = placed(cards)
    (facts,) = warned(result, "stranded_gpus")
    assert (facts["gpus"], facts["left_gpus"], facts["needed_gpus"]) == (cards, left, 4)
    assert facts["months"] == 12
    assert result.feasible == (cards > left)


@pytest.mark.parametrize("cards", [4, 8, 12, 16])
def test_whole_replicas_strand_nothing(cards):
    assert warned(placed(cards), "stranded_gpus") == []


def test_seven_gpus_serve_no_more_than_four():
    busy = serving(requests_per_day=200_000.0)
    four, seven, eight = (placed(cards, busy).allocation.served[0, 0] for cards in (4, 7, 8))
    assert 0 < four == seven < eight


def test_what_is_left_of_a_server_carries_work_that_splits():
    result = placed(7, [serving(), pool(2.0)])
    assert warned(result, "stranded_gpus") == []
    assert result.feasible


@pytest.mark.parametrize(("gpus", "needed"), [(3, 4), (5, 8), (6, 8), (7, 8), (12, 16)])
def test_a_job_over_a_count_that_splits_no_model_is_named(gpus, needed):
    result = evaluated(work=pool(4.0, gang_gpus=gpus)).plans[0]
    assert warned(result, "uneven_gang") == [{"workload": "pool", "gpus": gpus, "needed_gpus": needed}]


@pytest.mark.parametrize("gpus", [1, 2, 4, 8, 16, 24])
def test_a_job_over_an_even_count_is_not(gpus):
    assert warned(evaluated(work=pool(4.0, gang_gpus=gpus)).plans[0], "uneven_gang") == []


@pytest.mark.parametrize(
    ("server_gpus", "expected"),
    [(8, [1, 2, 4, 4, 8, 8, 8, 8, 16]), (4, [1, 2, 4, 4, 8, 8, 8, 8, 12]), (10, [1, 2, 4, 4, 8, 8, 8, 8, 16])],
)
def test_next_count_that_splits_evenly(server_gpus, expected):
    assert [w.tensor_parallel_gang(gpus, server_gpus) for gpus in range(1, 10)] == expected


def test_stranded_gpus_by_hand():
    # servers of 8 hold two replicas of 3 and leave 2; a third of 5 GPUs holds one; over two servers nothing is left
    assert_array_equal(w.stranded_gpus([8, 16, 21, 0], 8, 3), [2, 4, 6, 0])
    assert_array_equal(w.stranded_gpus([16, 24], 8, 16), [0, 8])


def test_a_replica_is_never_split_over_more_gpus_than_divide_its_heads():
    # 28 heads: two and four divide them, eight do not; 140 GB on 24 GB cards would need eight
    small = {**LLAMA, "heads": 28}
    card = {"memory_gb": 24, "bandwidth_gbps": 900, "bf16_tflops": 165}
    assert w.smallest_replica(LLAMA, "bf16", 500, 100, **card) is not None
    assert w.smallest_replica(small, "bf16", 500, 100, **card) is None


# ── Copies of a model over a number of GPUs that somebody typed ──


@pytest.mark.parametrize("gpus", [3, 5, 6, 7])
def test_a_copy_over_gpus_that_do_not_divide_the_heads_is_refused_with_the_sizes_that_work(gpus):
    result = placed(8, serving(replica_gpus=gpus))
    (reason,) = [found for found in result.infeasible if found.code == "replica_size"]
    assert reason.facts["gpus"] == gpus
    assert reason.facts["sizes"] == [4, 8]  # 64 heads; 140 GB fit over four GPUs of 69 usable GB, not over two


def test_a_copy_over_three_gpus_is_not_rented_in_silence_either():
    start = {"build": "chassis", "cards": 3}
    result = evaluated(plan(start=start, overflow={"accelerator": "gpu"}), work=serving(replica_gpus=3)).plans[0]
    (told,) = warned(result, "replica_size")
    assert told["sizes"] == [4, 8]


def test_a_copy_over_too_few_gpus_for_its_memory_is_refused_too():
    assert [found.code for found in placed(8, serving(replica_gpus=2)).infeasible] == ["replica_size"]


def test_a_copy_over_three_gpus_is_fine_where_three_divide_the_heads():
    twelve = {**LLAMA, "params_b": 60.0, "heads": 48, "kv_heads": 8}
    result = placed(6, serving(model=twelve, replica_gpus=3))
    assert result.feasible
    assert result.requirements["chassis"]["chat"].replica == 3
    assert warned(result, "stranded_gpus") == []


def test_a_larger_copy_than_needed_is_what_is_asked_for():
    assert placed(8, serving(replica_gpus=8)).requirements["chassis"]["chat"].replica == 8


def test_a_measured_service_over_three_gpus_a_copy_is_warned_of():
    measured = serving(model=None, measured_requests_per_s_per_gpu=1.0, replica_gpus=3)
    result = placed(6, measured)
    assert warned(result, "uneven_gang") == [{"workload": "chat", "gpus": 3, "needed_gpus": 4}]
    assert result.requirements["chassis"]["chat"].replica == 3


@pytest.mark.parametrize("servers", [1, 3, 5])
def test_independent_servers_of_one_gpu_hold_no_copy_over_four(servers):
    apart = plan(start={"build": "single", "quantity": servers}, fabric={"when": "never"})
    result = evaluated(apart, work=serving()).plans[0]
    assert [reason.code for reason in result.infeasible] == ["memory"]
