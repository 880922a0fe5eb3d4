"""Sizing against tables worked by hand, limits, batches against singles (published cases: test_validation_sizing)."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from planner.engine import workload as w
from planner.engine.quantities import InputError


@pytest.mark.parametrize(("latency", "bound", "offline"), [
    ("relaxed", 33_244.3, 35_316.7),  # MLPerf Inference v5.1, Llama 2 70B, 8 GPUs: H200 Server; B200 Interactive
    ("interactive", 59_545.4, 101_527.0),
])
def test_latency_classes_keep_what_the_published_results_keep(latency, bound, offline):
    assert bound / offline == pytest.approx(w.SLO_DERATE[latency], rel=0.1)


# --- training ---


def test_usable_memory_by_hand():
    # 0.9·80 − 3 = 69; 0.9·141 − 3 = 123.9; 0.9·180 − 3 = 159; a 2 GB card has nothing left
    assert_allclose(w.usable_memory_bytes([80, 141, 180, 2]), [69e9, 123.9e9, 159e9, 0])


def test_attention_matters_as_much_as_the_reference_says():
    # +8 % for 7B at 2k: 12·32·4096·2048 = 3.22e9 on 6·6.74e9; causal counting halves it; forward alone is a third
    full = w.attention_flop(32, 4096, 2048)
    assert full == 3_221_225_472
    assert full / (6 * 6.74e9) == pytest.approx(0.08, abs=0.002)
    assert w.attention_flop(32, 4096, 2048, causal=True) == full / 2
    assert w.attention_flop(32, 4096, 2048, work="inference") == 1_073_741_824


BANDS = [  # table 1.3 of the sizing reference: what it prints as base of MFU × goodput, low, high
    ("Ampere", "bf16", False, False, 0.40, 0.24, 0.50),
    ("Hopper", "bf16", False, False, 0.32, 0.15, 0.42),
    ("Hopper", "bf16", True, False, 0.30, 0.20, 0.40),
    ("Hopper", "fp8", False, False, 0.34, 0.20, 0.42),
    ("Hopper", "fp8", True, False, 0.15, 0.10, 0.20),  # printed 0.30 (0.20 to 0.40) of the BF16 peak, half the FP8 peak
    ("Blackwell", "fp8", False, False, 0.33, 0.20, 0.42),
    ("Blackwell Ultra", "mxfp8", True, False, 0.20, 0.12, 0.28),
    ("Ampere", "bf16", False, True, 0.45, 0.24, 0.50),
    ("Hopper", "bf16", False, True, 0.36, 0.15, 0.42),
]


@pytest.mark.parametrize(("architecture", "precision", "moe", "one", "base", "low", "high"), BANDS)
def test_training_bands_are_those_of_the_table(architecture, precision, moe, one, base, low, high):
    row = w.training_band(architecture, precision, moe, single_server=one)
    assert row.published
    assert round(row.base, 2) == base
    assert (row.low, row.high) == (low, high)
    assert row.goodput == (0.95 if one else 0.85)
    assert row.low <= row.base <= row.high


def test_training_band_falls_back_as_documented():
    ampere, hopper = w.training_band("Ampere", "bf16"), w.training_band("Hopper", "bf16")
    hopper8, blackwell8 = w.training_band("Hopper", "fp8"), w.training_band("Blackwell", "fp8")
    for ours, like in [
        (w.training_band("Volta", "fp16"), ampere), (w.training_band("Ada Lovelace", "bf16"), hopper),
        (w.training_band("TPU v5p", "bf16"), hopper), (w.training_band("", ""), hopper),
        (w.training_band("Ampere", "fp8"), ampere),
        (w.training_band("Blackwell", "bf16"), hopper), (w.training_band("Rubin", "fp8"), blackwell8),
        (w.training_band("Gaudi 3", "fp8"), hopper8),
    ]:
        assert not ours.published or like is ampere
        assert (ours.low, ours.mfu, ours.high) == (like.low, like.mfu, like.high)
    # 0.38·0.51/0.80 = 0.24225; FP4 at half of 0.388
    assert w.training_band("CDNA 3", "bf16").mfu == pytest.approx(0.24225)
    assert w.training_band("Blackwell Ultra", "nvfp4").mfu == pytest.approx(0.194)
    assert w.training_band("Hopper", "fp8", single_server=True).goodput == 0.95


def test_small_tuning_runs_reach_a_tenth_of_the_peak_at_most():
    assert_array_equal(w.tuning_mfu([1e6, 1e8, 1e6], [0.4, 0.4, 0.05]), [0.10, 0.4, 0.05])


def test_states_by_hand():
    # table 2.1 in bytes a parameter
    totals = {"mixed_bf16_grads": 16, "mixed_fp32_grads": 18, "amp_extra_copies": 20, "fp32_adam": 16, "pure_bf16": 8,
              "bf16_fp32_adam": 12, "adam_8bit": 10}
    assert {name: sum(parts) for name, parts in w.STATE_BYTES.items()} == totals
    # 1e9 parameters, 2+4+12, 4 GPUs: 18, 6+12/4 = 9, 2+16/4 = 6, 18/4 = 4.5 GB, and 4 B of a 1e8 layer = 0.4 GB
    held = [w.state_bytes_per_gpu(1e9, "mixed_fp32_grads", stage, 4, 1e8) / 1e9 for stage in range(4)]
    assert held == pytest.approx([18, 9, 6, 4.9])


def test_activations_by_hand():
    # s = 2048, b = 1, h = 4096, a = 32: s·b·h = 8,388,608; 5·a·s/h = 80; t = 8: 10 + 3 + 10 = 23
    sbh = 8_388_608
    ask = lambda kind, t: w.activation_bytes_per_layer(kind, 2048, 1, 4096, 32, t)  # noqa: E731
    assert [ask("none", 1) / sbh, ask("none", 8) / sbh] == [114, 23]
    assert [ask("sequence_parallel", 8) / sbh, ask("selective", 2) / sbh] == [14.25, 17]
    assert [ask("full", 8) / sbh, ask("swiglu_flash", 8) / sbh] == [2, 7]
    assert w.logits_bytes(1, 8192, 128256) == 4_202_692_608


def test_checkpoints_by_hand():
    # BLOOM: 2.3 TB with optimizer (14·176e9 = 2.46 TB), 329 GiB of weights
    assert w.checkpoint_bytes(176.247e9) == pytest.approx(2.3e12, rel=0.08)
    assert w.checkpoint_bytes(176.247e9, weights_only=True) / 2**30 == pytest.approx(329, rel=0.01)


# --- section 10: what the test vectors of the sizing reference say besides the class (test_validation_installation) ---


def llama(params, layers, hidden, memory_gb, setup, gangs):
    return w.gang_by_memory(params, layers, hidden, 2048, memory_gb, setup, candidates=gangs)


def test_vector_full_tuning_70b():
    eight = w.gang_sizes(8)
    assert llama(70.55e9, 80, 8192, 80, "mixed_fp32_grads", eight) == 24  # three servers; two give 1.10 of 1.27 TB
    assert llama(70.55e9, 80, 8192, 141, "mixed_fp32_grads", eight) == 16  # two H200 servers
    assert llama(70.55e9, 80, 8192, 180, "mixed_fp32_grads", eight) == 16  # one B200 server does not hold 18 B/param …
    assert llama(70.55e9, 80, 8192, 180, "mixed_bf16_grads", eight) == 8  # … but 16
    assert llama(70.55e9, 80, 8192, 80, "mixed_fp32_grads", w.POWERS_OF_TWO) == 32
    assert w.installation_class(24, 8) == "cluster"
    assert w.installation_class(24, 72) == "one_server"


def h100(params, layers, hidden, gpus, isl, osl):
    return w.serving_rate(
        active_params=params, weights=w.weight_bytes(params, "fp8"), layers=layers, hidden=hidden,
        kv=w.kv_bytes_per_token("GQA", layers, 8, 128, 1), gpus=gpus, memory_gb=80, memory_bandwidth=3.35e12,
        peak_flops=1979e12, input_tokens=isl, output_tokens=osl)


def test_vector_serve_8b():
    rate = h100(8.03e9, 32, 4096, 1, 1000, 300).out_tok_per_s
    assert rate == pytest.approx(10_950, rel=0.005)
    assert w.servers_needed(3000, 10_950, w.SLO_DERATE["relaxed"], 0.8, spare=1) == 2
    assert w.installation_class(1, 8, gpus_needed=1) == "one_gpu"


def test_vector_serve_70b():
    rate = h100(70.55e9, 80, 8192, 2, 1000, 1000).out_tok_per_s
    assert rate == pytest.approx(4_150, rel=0.005)
    pairs = w.servers_needed(20_000, 4_150, 0.9, 0.8)
    assert pairs == 7
    assert w.servers_needed(2 * pairs, 8, u_max=1.0) == 2
    assert w.servers_needed(2 * pairs, 8, u_max=1.0, spare=w.default_spare(2)) == 3
    assert w.installation_class(2, 8, gpus_needed=14) == "independent_servers"


DEEPSEEK = {"params_b": 671, "active_params_b": 37, "layers": 61, "hidden": 7168, "heads": 128, "kv_heads": 128,
            "head_dim": 128, "attention": "MLA", "kv_lora_rank": 512, "rope_head_dim": 64, "sliding_window": None,
            "full_attention_layers": 61, "moe": True}


def test_vector_serve_671b():
    def smallest(memory, sizes=w.REPLICA_SIZES):
        found = w.smallest_replica(DEEPSEEK, "fp8", 1000, 1000, memory_gb=memory, bandwidth_gbps=3350,
                                   bf16_tflops=989, fp8_tflops=1979, sizes=sizes)
        return found and found[0]

    assert [smallest(141), smallest(180)] == [8, 8]
    assert smallest(80) is None
    assert smallest(80, w.gang_sizes(8, 64)) == 16  # two H100 servers with RDMA


def test_vector_pretrain_7b_and_70b():
    hours = w.training_gpu_hours([7e9, 70e9], [1e12, 2e12], 989e12, 0.32, 1.0)
    assert_allclose(hours, [36.9e3, 737e3], rtol=0.002)
    gangs = w.gang_by_deadline([36.9e3, 737e3], [30, 60])
    assert_array_equal(gangs, [52, 512])
    assert_array_equal(w.round_gang(gangs, 8), [56, 512])
    # 0.38 × 0.85, unrounded, asks a GPU less for the first and the same servers for both
    row = w.training_band("Hopper", "bf16")
    hours = w.training_gpu_hours([7e9, 70e9], [1e12, 2e12], 989e12, row.mfu, row.goodput)
    assert_array_equal(w.round_gang(w.gang_by_deadline(hours, [30, 60]), 8), [56, 512])


# --- gangs ---


def test_gangs_round_to_powers_of_two_then_whole_servers():
    assert_array_equal(w.round_gang([0, 1, 2, 3, 5, 8, 9, 17], 8), [0, 1, 2, 4, 8, 8, 16, 24])
    assert_array_equal(w.round_gang([3, 4, 5, 9], 4), [4, 4, 8, 12])
    assert_array_equal(w.round_gang([9, 16, 17], 16), [16, 16, 32])
    assert_array_equal(w.round_gang([9, 33, 65, 72, 73], 72), [16, 64, 72, 72, 144])
    assert_array_equal(w.round_gang([9, 10, 11], 10), [10, 10, 20])
    assert w.round_gang(2.0000000001, 8) == 2
    assert w.gang_sizes(10, 30) == (1, 2, 4, 8, 10, 20, 30)


def test_a_deadline_met_exactly_takes_no_further_gpu():
    assert_array_equal(w.gang_by_deadline([720 * 7, 720 * 7 + 1, 0], 30), [7, 8, 1])


def test_gang_by_memory_grows_with_the_model_until_none_fits():
    sizes = [llama(n, 80, 8192, 80, "mixed_fp32_grads", w.POWERS_OF_TWO) for n in (1e9, 1e10, 1e11, 1e12)]
    assert sizes == sorted(sizes)
    assert llama(1e13, 80, 8192, 80, "mixed_fp32_grads", w.POWERS_OF_TWO) is None  # one layer alone is 500 GB
    assert llama(1e9, 80, 8192, 3, "mixed_fp32_grads", w.POWERS_OF_TWO) is None  # nothing usable
    fits = w.gang_by_memory(8e9, 32, 4096, 8192, 80, "mixed_fp32_grads", recompute="selective")
    assert fits >= w.gang_by_memory(8e9, 32, 4096, 8192, 80, "mixed_fp32_grads", recompute=True)


def test_the_gang_found_fits_and_the_next_smaller_does_not():
    params, layers, hidden, sequence, memory = 34e9, 48, 8192, 4096, 80
    found = w.gang_by_memory(params, layers, hidden, sequence, memory, "mixed_bf16_grads")

    def held(gpus):  # 16 bytes spread; a layer of params/layers gathered at 4; 2·s·h a layer and 34·s·h live
        return params * 16 / gpus + 4 * params / layers + sequence * hidden * (2 * layers + 34)

    assert held(found) <= 69e9 < held(found / 2)


def test_pcie_cards_pay_over_four():
    assert_array_equal(w.link_time_factor([1, 4, 5, 8, 8], [False, False, False, False, True]), [1, 1, 1.3, 1.3, 1])


# --- inference memory ---


def test_kv_cache_of_grouped_query_attention_counts_the_groups():
    # Llama 3.1 405B: 2·126 layers·8 heads·128·2 bytes = 516,096 (arXiv 2505.09343); 128 heads would give 16 times that
    assert w.kv_bytes_per_token("GQA", 126, 8, 128, 2) == (516_096, 0, math.inf)
    # Llama 3.1 8B: 131,072 (huggingface llama31.md); DeepSeek-V3: 70,272 (arXiv 2505.09343); 8-bit halves
    assert w.kv_bytes_per_token("gqa", 32, 8, 128, 2).full_bytes == 131_072
    assert w.kv_bytes_per_token("MLA", 61, 128, 128, 2, 512, 64).full_bytes == 70_272
    assert w.kv_bytes_per_token("GQA", 126, 8, 128, 1).full_bytes == 258_048
    assert w.kv_bytes_per_token("MQA", 32, 1, 128, 2).full_bytes == 16_384


def test_windowed_layers_hold_no_more_than_their_window():
    # gpt-oss-20b: 24 layers, 12 full, window 128; 2·8·64·2 = 2,048 bytes a layer and token
    per_token = w.kv_bytes_per_token("GQA", 24, 8, 64, 2, full_attention_layers=12, sliding_window=128)
    assert per_token == (24_576, 24_576, 128)
    assert_array_equal(w.kv_bytes(per_token, [0, 100, 1128]), [0, 4_915_200, 24_576 * 1128 + 24_576 * 128])
    # linear attention: the other layers hold a state that does not grow with the context
    assert w.kv_bytes_per_token("GQA", 64, 4, 256, 2, full_attention_layers=16) == (65_536, 0, math.inf)
    # nobody says how many layers are full: all
    assert w.kv_bytes_per_token("GQA", 61, 1, 512, 1, sliding_window=128) == (62_464, 0, math.inf)


# --- inference speed ---

LLAMA70 = {"active_params": 70.55e9, "weights": 70.55e9, "layers": 80, "hidden": 8192,
           "kv": w.kv_bytes_per_token("GQA", 80, 8, 128, 1), "memory_bandwidth": 3.35e12, "peak_flops": 1979e12}


def test_roofline_of_one_step_by_hand():
    """Round numbers: 100 GB of weights read at 10 TB/s, 1 sequence, 1e11 parameters on 6e14 usable FLOP/s."""
    rate = w.serving_rate(
        active_params=1e11, weights=1e11, layers=0, hidden=1, kv=w.KvPerToken(1e6, 0, math.inf), gpus=1, memory_gb=1000,
        memory_bandwidth=1e13, peak_flops=1e15, input_tokens=0, output_tokens=100, batch_limit=1)
    # 0.01 s + 50 tokens·1e6/1e13 + 2e11/6e14 + 0.005
    assert rate.t_step == pytest.approx(0.01 + 5e-6 + 1 / 3000 + 0.005)
    assert rate.requests_per_s == pytest.approx(1 / (100 * rate.t_step))
    assert (rate.batch, rate.t_prefill, rate.fits, rate.bound) == (1, 0, True, "memory_bandwidth")


def test_long_prompts_are_bound_by_compute_and_long_answers_by_memory():
    prompts = w.serving_rate(**LLAMA70, gpus=4, memory_gb=80, input_tokens=8000, output_tokens=10)
    assert prompts.bound == "compute"
    answers = w.serving_rate(**LLAMA70, gpus=4, memory_gb=80, input_tokens=10, output_tokens=8000)
    assert answers.bound == "memory_bandwidth"


def test_a_replica_that_does_not_fit_serves_nothing():
    rate = w.serving_rate(**LLAMA70, gpus=1, memory_gb=80, input_tokens=1000, output_tokens=1000)
    assert (rate.fits, rate.requests_per_s, rate.out_tok_per_s, rate.batch) == (False, 0, 0, 0)


def test_prefill_alone_has_a_rate():
    rate = w.serving_rate(**LLAMA70, gpus=2, memory_gb=80, input_tokens=1000, output_tokens=0)
    assert rate.out_tok_per_s == 0
    assert rate.requests_per_s == pytest.approx(1 / rate.t_prefill)


def test_a_batch_of_replicas_equals_single_ones():
    gpus, isl, osl = np.array([[1], [2], [8]]), np.array([128, 1000, 20_000, 0]), np.array([2048, 1000, 2000, 0])
    many = w.serving_rate(**LLAMA70, gpus=gpus, memory_gb=80, input_tokens=isl, output_tokens=osl)
    for row, column in np.ndindex(3, 4):
        one = w.serving_rate(**LLAMA70, gpus=int(gpus[row, 0]), memory_gb=80, input_tokens=int(isl[column]),
                             output_tokens=int(osl[column]))
        for name in vars(one):
            assert getattr(many, name).shape == (3, 4)
            assert getattr(many, name)[row, column] == getattr(one, name)


def test_more_bandwidth_memory_or_compute_never_serves_less():
    base = LLAMA70 | {"gpus": 2, "memory_gb": 80, "input_tokens": 1000, "output_tokens": 1000}
    rate = w.serving_rate(**base).requests_per_s
    for better in ({"memory_bandwidth": 4.8e12}, {"memory_gb": 141}, {"peak_flops": 4500e12}, {"gpus": 4}):
        assert w.serving_rate(**(base | better)).requests_per_s > rate
    for worse in ({"moe": True}, {"precision": "fp4"}, {"batch_limit": 8}):
        assert w.serving_rate(**(base | worse)).requests_per_s < rate


def test_replicas_grow_with_concurrency_and_with_a_latency_target():
    ask = {"weights": 70.55e9, "kv": LLAMA70["kv"], "memory_gb": 80, "input_tokens": 1000, "output_tokens": 1000}
    # W + 163,840 B·2,000 tokens·c in 69e9·n: c = 1 fits two; 67.45e9 are left there, room for 205 sequences
    assert [w.replica_size(**ask, concurrency=c) for c in (1, 205, 206, 1e6)] == [2, 2, 4, None]
    speed = {name: LLAMA70[name] for name in ("active_params", "layers", "hidden", "memory_bandwidth", "peak_flops")}
    assert w.replica_size(**ask, **speed, tpot_target_s=0.020) == 2  # 70.55 GB over 6.7 TB/s = 10.5 ms, + 5 ms
    assert w.replica_size(**ask, **speed, tpot_target_s=0.010) == 8
    assert w.replica_size(**ask, **speed, tpot_target_s=0.006) is None


def test_smallest_replica_computes_in_16_bit_where_the_card_has_no_fp8():
    llama8 = {"params_b": 8.03, "layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "attention": "GQA"}
    gpus, old = w.smallest_replica(llama8, "fp8", 1000, 300, memory_gb=80, bandwidth_gbps=3350, bf16_tflops=989)
    _, new = w.smallest_replica(llama8, "fp8", 1000, 300, memory_gb=80, bandwidth_gbps=3350, bf16_tflops=989,
                                fp8_tflops=1979)
    assert gpus == 1
    assert new.out_tok_per_s == pytest.approx(10_950, rel=0.005)
    assert old.out_tok_per_s < new.out_tok_per_s
    assert w.smallest_replica(llama8, "fp8", 1000, 300, memory_gb=80, bandwidth_gbps=3350) is None


def test_cdna_cards_reach_six_tenths_of_the_roofline():
    card = {"memory_gb": 192, "bandwidth_gbps": 5300, "bf16_tflops": 1307, "fp8_tflops": 2614}
    llama8 = {"params_b": 8.03, "layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "attention": "GQA"}
    _, plain = w.smallest_replica(llama8, "fp8", 1000, 300, **card)
    _, amd = w.smallest_replica(llama8, "fp8", 1000, 300, **card, architecture="CDNA 3")
    assert amd.requests_per_s == pytest.approx(0.6 * plain.requests_per_s)
    assert amd.batch == plain.batch


# --- servers ---


def test_servers_for_a_peak():
    # 10 / (1·0.9·0.8) = 13.9 → 14; exactly 10 servers stay 10; no demand needs no spare either
    assert w.servers_needed(10, 1, 0.9, 0.8) == 14
    assert w.servers_needed(0.7 * 10, 0.7, 1.0, 1.0) == 10
    assert_array_equal(w.servers_needed([[0.0, 1e-9, 7.2, 7.3]], 10, 0.9, 0.8, spare=1), [[0, 2, 2, 3]])
    assert_array_equal(w.default_spare([0, 1, 20, 21, 100, 101]), [0, 1, 1, 2, 5, 6])


def test_poisson_quantile_is_the_smallest_that_suffices():
    for mean in (0.0, 0.01, 1.0, 6.0, 61.15, 400.0):
        for quantile in (0.5, 0.95, 0.99, 0.999):
            term = total = math.exp(-mean)
            count = 0
            while total < quantile:
                count += 1
                term *= mean / count
                total += term
            assert w.poisson_quantile(mean, quantile) == count
    assert_array_equal(w.poisson_quantile([1.0, 6.0], 0.99), [4, 12])


def test_erlang_c_by_its_definition():
    # A^n/n!·n/(n−A), over that plus the sum of A^j/j! below n. n = 2, A = 1: 1/(1 + 1 + 1); n = 1: A itself;
    # n = 2, A = 0.3: 0.05294/(1.3 + 0.05294); n = 3: A = 1 0.25/2.75, A = 0.3 0.005/1.35
    assert w.erlang_c(2, 1.0) == pytest.approx(1 / 3)
    assert w.erlang_c(1, 0.3) == pytest.approx(0.3)
    assert_allclose(w.erlang_c([[2], [1], [3]], [1.0, 0.3]), [[1 / 3, 9 / 230], [1, 0.3], [1 / 11, 1 / 270]])
    assert w.erlang_c(3, 3.0) == 1
    assert w.mean_wait_s(3, 3.0, 10) == math.inf
    assert w.service_level(3, 4.0, 10, 20) == 0


def test_pool_gpus_by_hand():
    # 1,000 GPU-hours in a month of 720 h: 1000/(720·0.65·0.97) = 2.202837
    assert w.pool_gpus(1000, 720, "quotas") == pytest.approx(2.202837, abs=1e-6)
    # quotas carry about 1.4 times the work, preemption 1.8 times
    nothing, quotas, preemption = (w.pool_gpus(1000, 720, scheduler) for scheduler in w.ALLOCATION_SHARE)
    assert [round(nothing / quotas, 1), round(nothing / preemption, 1)] == [1.4, 1.8]


# --- refusals ---


@pytest.mark.parametrize(("call", "field"), [
    (lambda: w.training_gpu_hours(7e9, 1e12, 989e12, 0.0, 1.0), "mfu"),
    (lambda: w.training_gpu_hours(7e9, 1e12, 989e12, 1.2, 1.0), "mfu"),
    (lambda: w.training_gpu_hours(7e9, [1e12, math.nan], 989e12, 0.3, 1.0), "tokens"),
    (lambda: w.wall_days(10, 0), "gpus"),
    (lambda: w.usable_memory_bytes(-1), "memory_gb"),
    (lambda: w.weight_bytes(1e9, "fp3"), "precision"),
    (lambda: w.state_bytes_per_gpu(1e9, "sgd", 3, 8), "setup"),
    (lambda: w.state_bytes_per_gpu(1e9, "adam_8bit", 4, 8), "stage"),
    (lambda: w.activation_bytes_per_layer("none", 2048, 1, 4096), "heads"),
    (lambda: w.kv_bytes_per_token("MLA", 61, 128, 128, 2), "kv_lora_rank"),
    (lambda: w.kv_bytes_per_token("linear", 61, 128, 128, 2), "attention"),
    (lambda: w.servers_needed(1.0, 0.0), "server_rate"),
    (lambda: w.servers_needed(1.0, 1.0, spare=0.5), "spare"),
    (lambda: w.poisson_quantile(1.0, 1.0), "quantile"),
    (lambda: w.erlang_c(2.5, 1.0), "servers"),
    (lambda: w.pool_gpus(1, 720, "cron"), "scheduler"),
    (lambda: w.mfu_of_hfu(1.1), "hfu"),
    (lambda: w.weight_bytes(1e9, -1.0), "precision"),
    (lambda: w.arrival_rate(100, diurnal=0.5), "diurnal"),
    (lambda: w.deepspeed_state_bytes(1e9, 1, 8, 8), "stage"),
    (lambda: w.deepspeed_state_bytes(1e9, 3, 8, 8, offload_params=True), "offload_params"),
    (lambda: w.collective_s(1e9, 0, 1e9), "ranks"),
    (lambda: w.collective_s(1e9, 8, 1e9, "broadcast"), "collective"),
    (lambda: w.communication_ratio(1e5, 4e14, 4, 5e10, sharding="zero"), "sharding"),
    (lambda: w.data_parallel_efficiency(0.5, 1.5), "overlap"),
    (lambda: w.expected_scaling(0.5), "growth"),
    (lambda: w.pipeline_bubble(4, 0), "micro_batches"),
    (lambda: w.replica_size(weights=1, kv=LLAMA70["kv"], memory_gb=80, input_tokens=1, output_tokens=1,
                            tpot_target_s=1), "memory_bandwidth"),
])
def test_impossible_input_is_refused_by_name(call, field):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.problems[0].path == (field,)
