"""What lies in the memory of one GPU, part by part."""

import numpy as np
import pytest

from planner.engine.demand import Requirement
from planner.engine.footprint import footprint
from planner.engine.inputs import ModelShape, PoolWorkload, ServingWorkload, TrainingWorkload, TuningWorkload
from planner.engine.prices import Accelerator

CONTEXT, BUFFERS = 1.25 * 2**30, 1.5 * 2**30  # middles of 0.5 to 2 and 1 to 2 GiB
KEPT_FREE = {"framework": CONTEXT, "communication": BUFFERS, "overhead": 11e9 - CONTEXT - BUFFERS}  # of 80 GB
ZERO = np.zeros((1, 1))
TEN_B = ModelShape(params_b=10, layers=40, hidden=4096, heads=32)
# 8 heads for keys and values of width 128 in 80 layers, one byte: 2 × 80 × 8 × 128 = 163,840 bytes a token.
LLAMA_70B = ModelShape(params_b=70, layers=80, hidden=8192, heads=64, kv_heads=8, attention="GQA")


def card(memory_gb, **more):
    return Accelerator(slug="gpu", name="GPU", memory_gb=memory_gb, bf16_tflops=1000, fp8_tflops=2000, **more)


def need(gang, **factors):
    return Requirement(ZERO, ZERO, ZERO, ZERO, gang=gang, replica=gang, gang_memory=gang, factors=factors)


def training(**more):
    return TrainingWorkload(slug="w", accelerator="gpu", model=TEN_B, sequence=2048, **more)


def serving(**more):
    given = {"input_tokens": 1000, "output_tokens": 300, **more}
    return ServingWorkload(slug="w", accelerator="gpu", model=LLAMA_70B, **given)


def test_training_keeps_states_over_the_gang_and_activations_on_each_gpu():
    held = footprint(training(), TEN_B, card(80), need(8))
    # 2, 4 and 12 bytes a parameter over 8 GPUs; 40 layers × 2·s·b·h and one of 34·s·b·h; 4 bytes of 1/40 of the model
    assert held.parts == pytest.approx(
        {
            "weights": 2.5e9,
            "gradients": 5e9,
            "optimizer": 15e9,
            "activations": 671_088_640 + 285_212_672,
            "gathered": 1e9,
            **KEPT_FREE,  # 80 GB less 0.9 × 80 − 3 GB are 11 GB
        }
    )
    assert held.free == pytest.approx(80e9 - 35_456_301_312)
    assert held.usable == pytest.approx(69e9)


def test_serving_keeps_the_cache_of_all_requests_under_way():
    held = footprint(serving(), LLAMA_70B, card(141), need(2, batch=100.0))
    assert held.parts == pytest.approx(
        {
            "weights": 35e9,
            "kv_cache": 100 * 1195 * 163_840 / 2,
            **KEPT_FREE,
            "overhead": 141e9 - 123.9e9 - CONTEXT - BUFFERS,
        }
    )
    assert held.least == pytest.approx(35e9 + 1300 * 163_840 / 2 + 17.1e9)
    assert (held.sequences, held.gpus) == (100.0, 2)


def test_a_card_without_8_bit_arithmetic_keeps_a_cache_of_16_bits():
    plain = Accelerator(slug="old", name="Old", memory_gb=80, bf16_tflops=300)
    held = footprint(serving(), LLAMA_70B, plain, need(2, batch=10.0))
    assert held.parts["kv_cache"] == pytest.approx(10 * 1195 * 327_680 / 2)


def test_one_gpu_alone_needs_no_buffers_for_others():
    alone = footprint(serving(), LLAMA_70B, card(141), need(1, batch=1.0))
    assert "communication" not in alone.parts
    assert alone.parts["framework"] + alone.parts["overhead"] == pytest.approx(17.1e9)


def tuning(**more):
    return TuningWorkload(slug="w", accelerator="gpu", model=LLAMA_70B, **more)


@pytest.mark.parametrize(
    ("method", "base", "all_of"), [("lora", 2.0, 2.15), ("qlora8", 1.0, 1.15), ("qlora4", 0.5, 0.65)]
)
def test_adapters_lie_beside_their_frozen_base(method, base, all_of):
    # sizing reference 2.4: so many bytes a parameter and 2 GB, over four GPUs
    held = footprint(tuning(method=method), LLAMA_70B, card(80), need(4))
    assert held.parts["weights"] == pytest.approx(base * 70e9 / 4)
    assert held.parts["adapters"] == pytest.approx(0.15 * 70e9 / 4)
    assert held.filled == pytest.approx((all_of * 70e9 + 2e9) / 4)


def test_long_texts_add_their_activations_to_every_gpu_of_an_adapter_run():
    # 2048 tokens more × 8192 wide × (2 × 80 + 34) bytes
    short, long = (footprint(tuning(sequence=tokens), LLAMA_70B, card(80), need(4)) for tokens in (2048, 4096))
    assert long.filled - short.filled == pytest.approx(2048 * 8192 * 194)
    assert {name for name in long.parts if long.parts[name] != short.parts[name]} == {"activations"}


def test_tuning_all_weights_keeps_what_training_keeps():
    trained = footprint(training(), TEN_B, card(80), need(8))
    tuned = footprint(tuning(method="full", sequence=2048), TEN_B, card(80), need(8))
    assert tuned.parts == trained.parts


def test_what_is_recomputed_and_the_longest_phase_size_the_activations():
    # 34 bytes × 4096 tokens × 4096 wide in each of 40 layers
    held = footprint(training(recompute="selective"), TEN_B, card(80), need(8))
    assert held.parts["activations"] == pytest.approx(40 * 34 * 2048 * 4096)
    phases = ({"tokens_b": 10.0, "sequence": 1024}, {"tokens_b": 1.0, "sequence": 4096})
    longer = footprint(TrainingWorkload.read({**training().model_dump(), "phases": phases}), TEN_B, card(80), need(8))
    assert longer.parts["activations"] == pytest.approx(40 * 2 * 4096 * 4096 + 34 * 4096 * 4096)


def test_u027_the_cache_counts_grouped_heads_only():
    alone = footprint(serving(), LLAMA_70B, card(141))
    assert alone.parts["kv_cache"] * alone.gpus == pytest.approx(1300 * 163_840)  # with all 64 heads it were 8 times


def test_u028_a_longer_context_moves_the_cache_or_the_activations_and_nothing_else():
    for work, shape, longer, moved in (
        (serving(), LLAMA_70B, {"input_tokens": 4000.0}, {"kv_cache"}),
        (training(), TEN_B, {"sequence": 8192}, {"activations"}),
        (tuning(), LLAMA_70B, {"sequence": 8192}, {"activations"}),
    ):
        before = footprint(work, shape, card(141)).parts
        after = footprint(work.model_copy(update=longer), shape, card(141)).parts
        assert {name for name in before if before[name] != after[name]} == moved


def test_u028_a_fit_is_called_tight_and_what_does_not_fit_none():
    # 70 GB of weights over n GPUs, 0.2 GB of cache, and a tenth of the card with 3 GB kept free
    assert footprint(serving(), LLAMA_70B, card(141)).fit == "fits"
    assert footprint(serving(), LLAMA_70B, card(82)).fit == "tight"  # 82 − 70.2 − 11.2 = 0.6 GB on one GPU
    assert footprint(serving(), LLAMA_70B, card(4)).fit == "none"  # 64 × 0.6 GB usable = 38 GB


def test_nothing_is_said_where_the_model_or_the_card_is_not_known():
    pool = PoolWorkload(slug="w", accelerator="gpu")
    assert footprint(pool, None, card(80)) is None
    assert footprint(training(), None, card(80)) is None
    assert footprint(training(), TEN_B, Accelerator(slug="gpu", name="GPU")) is None
