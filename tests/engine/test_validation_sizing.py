"""Published sizing cases within their own tolerance, and others of the same kinds worked by hand."""

import json
from pathlib import Path

import pytest

from planner.engine.quantities import InputError
from planner.engine.validation import check

REFERENCE = Path(__file__).parents[1] / "reference"
SIZING = json.loads((REFERENCE / "sizing_cases.json").read_text(encoding="utf-8"))["cases"]
# Section 11 of the sizing reference lists faults of the sources; none of them stands in a case.
DECLARED_FAULTS: set[tuple[str, str]] = set()


@pytest.mark.parametrize("case", SIZING, ids=lambda case: case["id"])
def test_published_sizing_case(case):
    checks = {found.field: found for found in check(case)}
    assert checks.keys() == case["expected"].keys()
    for name, entry in case["expected"].items():
        got, expected = checks[name].got, entry["value"]
        if (case["id"], name) in DECLARED_FAULTS:
            assert checks[name].status == "declared"
            continue
        assert checks[name].status == "ok", (name, got)
        assert abs(got - expected) <= entry["tolerance_rel"] * abs(expected) * (1 + 1e-9)


@pytest.mark.parametrize("case", SIZING, ids=lambda case: case["id"])
def test_published_sizing_case_as_its_author_recomputed_it(case):
    """A formula has one answer; the tolerance of a case is for what the source rounds or leaves out."""
    for found in check(case):
        assert found.got == pytest.approx(case["recomputed"][found.field]["value"], rel=1e-9)


# ── worked by hand ──

RUN = {"params": 1e9, "tokens": 9e9, "achieved_flops_per_gpu": 1e13}
MOE = {
    "flop_mult": 6,
    "params_active": 3e9,
    "params_total": 30e9,
    "tokens": 1e12,
    "peak_flops": 1e15,
    "utilisation": 0.25,
    "goodput": 0.8,
}
SHAPE = {"params": 1e6, "layers": 10, "hidden": 100, "seq_len": 1000}
STATES = {"params": 8e9, "n_gpus": 16, "bytes_weights": 2, "bytes_grads": 4, "bytes_optimizer": 12}
T5 = {"params": 2.851e9, "n_gpus": 8, "gpus_per_node": 8, "largest_layer_params": 32e6}
LAYER = {"seq_len": 2048, "micro_batch": 1, "hidden": 4096}
CACHE = {"layers": 10, "kv_heads": 8, "head_dim": 128, "bytes_per_element": 2}
SERVED = {
    "params_total": 20e9,
    "params_active": 20e9,
    "weight_bytes": 1,
    "layers": 10,
    "hidden": 1000,
    "kv_heads": 1,
    "head_dim": 50,
    "kv_bytes": 1,
    "gpus": 1,
    "hbm_bytes": 100e9,
    "memory_bandwidth": 1e12,
    "peak_flops": 1e15,
    "isl": 1000,
    "osl": 1000,
    "eff_bandwidth": 1,
    "eff_compute": 0.4,
    "tp_exponent": 0,
    "t0_s": 0.00485,
    "kv_occupancy": 0.5,
    "mem_util": 1,
    "reserve_bytes": 0,
    "max_batch": 100,
}
STEP = {
    "params": 1e9,
    "weight_bytes": 2,
    "kv_bytes_per_token": 1e5,
    "context_tokens": 1000,
    "sequences": 10,
    "n_chips": 2,
    "memory_bandwidth": 1e12,
}
NETWORK = {"achieved_flops_per_gpu": 4e14, "server_bandwidth": 5e10}
JOB = {"nodes": 100, "failures_per_node_day": 0.01, "save_min": 6, "interval_h": 4}

WORKED = [
    # 6·3e9·1e12 = 1.8e22 FLOP; 1e15·0.25·0.8·3600 = 7.2e17 an hour; experts count by what a token uses
    ("training_hours", {**MOE, "n_gpus": 100}, {"gpu_hours": 25_000, "wall_days": 10.4166666667}),
    # 25,000 h / 720 h = 34.7; whole servers of eight: 5
    ("training_hours", {**MOE, "deadline_days": 30, "gpus_per_node": 8}, {"gpus": 35, "nodes": 5}),
    # 8, 6 and 4 FLOP of a parameter: 7.2e19, 5.4e19, 3.6e19 at 3.6e16 an hour
    ("training_hours", {**RUN, "recompute": True}, {"gpu_hours": 2000}),
    ("training_hours", RUN, {"gpu_hours": 1500, "flops_total": 5.4e19}),
    ("training_hours", {**RUN, "method": "lora"}, {"gpu_hours": 1000}),
    ("training_hours", {**RUN, "epochs": 3}, {"gpu_hours": 4500}),
    # rollouts: 2·1e9·9e9 = 1.8e19 more
    ("training_hours", {**RUN, "generated_tokens": 9e9}, {"gpu_hours": 2000}),
    # an HFU of 0.4 under recomputation is an MFU of 0.3: 1.08e20 / (3e13·3600)
    ("training_hours", {"params": 1e9, "tokens": 1.8e10, "peak_flops": 1e14, "hfu": 0.4}, {"gpu_hours": 1000}),
    # 6e6 + 12·10·100·1000; the lower half of the matrix only; 8e6 + 16e6 where everything is recomputed
    ("training_hours", SHAPE, {"flops_per_token": 18e6}),
    ("training_hours", {**SHAPE, "causal": True}, {"flops_per_token": 12e6}),
    ("training_hours", {**SHAPE, "flop_mult": 8}, {"flops_per_token": 24e6}),
    # Alpaca: 52k samples of 512 tokens, three times, 3 h on 8 A100: an eighth of the peak
    (
        "training_hours",
        {
            "params": 7e9,
            "samples": 52_000,
            "tokens_per_sample": 512,
            "epochs": 3,
            "wall_hours": 3,
            "n_gpus": 8,
            "peak_flops": 312e12,
        },
        {"mfu": 0.1244444444},
    ),
    # planned with what H100 experts reach in 16 bit: 0.353·0.85 of the peak, 0.20 to 0.40
    (
        "training_hours",
        {"params_active": 3e9, "params_total": 30e9, "tokens": 1e12, "peak_flops": 1e15, "architecture": "Hopper"},
        {"gpu_hours": 1.8e22 / (0.353 * 0.85 * 3.6e18), "gpu_hours_low": 12_500, "gpu_hours_high": 25_000},
    ),
    # published hours turned into a share of the peak: 5.4e19 / (1500·3600·4e13)
    (
        "training_hours",
        {"params": 1e9, "tokens": 9e9, "published_gpu_hours": 1500, "peak_flops": 4e13},
        {"utilisation": 0.25, "tflops_per_gpu": 10},
    ),
    # three phases of ten days each, three quarters of the time in steps, four GPUs
    (
        "training_hours",
        {
            "amount_1": 864_000,
            "rate_1": 1,
            "amount_2": 1_728_000,
            "rate_2": 2,
            "amount_3": 2_592_000,
            "rate_3": 3,
            "goodput": 0.75,
            "n_gpus": 4,
        },
        {"wall_days": 40, "gpu_hours": 3840},
    ),
    ("training_hours", {"amounts": [3600, 7200], "rates": [1, 1]}, {"wall_hours": 3}),
    # a quarter of the model on each of four tensor-parallel GPUs, sharded over 16/4: 2e9·(2 + 4 + 12/4)
    ("training_memory", {**STATES, "stage": 1, "tensor_parallel": 4}, {"gb_per_gpu": 18}),
    ("training_memory", {**STATES, "stage": 1, "tensor_parallel": 4, "n_gpus": 4}, {"gb_per_gpu": 36}),
    ("training_memory", {**STATES, "stage": 1, "tp": 2, "pp": 2}, {"gb_per_gpu": 18}),
    # 2e9·18/4 + 4·1e8
    (
        "training_memory",
        {**STATES, "stage": 3, "tensor_parallel": 2, "pipeline_parallel": 2, "largest_layer_params": 1e8},
        {"gb_per_gpu": 9.4},
    ),
    ("training_memory", {"params": 1e9, "n_gpus": 4, "stage": 2, "setup": "adam_8bit"}, {"gb_per_gpu": 4}),
    # two servers of eight: 2e9/16 + 4·1e8 on the GPU, 16e9·8/16·1.5 on the host
    (
        "training_memory",
        {
            "params": 1e9,
            "n_gpus": 16,
            "gpus_per_node": 8,
            "stage": 3,
            "largest_layer_params": 1e8,
            "offload_optimizer": True,
        },
        {"gb_per_gpu": 0.525, "cpu_gb": 12},
    ),
    # 10 + 24/8 + 80/8 = 23 of s·b·h = 2^23; four layers; with sequence parallelism (34 + 80)/8
    (
        "training_memory",
        {**LAYER, "heads": 32, "tensor_parallel": 8, "layers": 4},
        {"gib_per_layer": 23 / 128, "gib": 92 / 128},
    ),
    (
        "training_memory",
        {**LAYER, "heads": 32, "tensor_parallel": 8, "sequence_parallel": True},
        {"gib_per_layer": 14.25 / 128},
    ),
    # the inputs of four layers, 2 each, and one layer of 34 being computed
    ("training_memory", {**LAYER, "recompute": "full", "layers": 4}, {"gib": 42 / 128}),
    # two stages hold half of the layers each, the first one two micro-batches
    ("training_memory", {**LAYER, "hidden_copies": 32, "layers": 4, "pipeline_parallel": 2}, {"gib": 2}),
    ("training_memory", {"seq_len": 8192, "micro_batch": 1, "vocab": 128_256}, {"logits_bytes": 4_202_692_608}),
    ("training_memory", {"params": 70e9, "method": "qlora4"}, {"gb": 47.5}),
    # 0.9·141 − 3, and twice the memory of eight for the host
    ("training_memory", {"hbm_bytes": 141e9, "gpus_per_node": 8}, {"usable_gb": 123.9, "host_gb": 2256}),
    # 4,096 bytes a layer and token: two layers of 10,000 tokens, eight of 1,000
    (
        "kv_cache",
        {**CACHE, "full_attention_layers": 2, "sliding_window": 1000, "tokens": 10_000},
        {"mb": 114.688, "kb_per_token": 40.96},
    ),
    # multi-head attention keeps every head: 10·2·32·128·1
    ("kv_cache", {"layers": 10, "heads": 32, "head_dim": 128, "kv_bytes": 1}, {"bytes_per_token": 81_920}),
    # 20 GB of weights, 100 sequences of 2,000 tokens at 40.96 kB, shared by two GPUs of 0.9·20 − 3 = 15 GB
    (
        "kv_cache",
        {**CACHE, "params": 10e9, "precision": "bf16", "tokens": 2000, "sequences": 100, "gpus": 2, "hbm_gb": 20},
        {"gb": 28.192, "gb_per_gpu": 14.096, "fits": True},
    ),
    ("kv_cache", {"layers": 10, "kv_heads": 8, "head_dim": 128, "kv_precision": "fp8"}, {"kb_per_token": 20.48}),
    ("kv_cache", {**CACHE, "isl": 1000, "osl": 500}, {"mb_mean": 51.2, "mb_peak": 61.44}),
    # experts are all kept: 671e9 whatever is active
    (
        "weights_memory",
        {"params_total": 671e9, "params_active": 37e9, "precision": "fp8", "hbm_bytes": 141e9, "gpus_per_node": 8},
        {"gb": 671, "gpus": 6, "nodes": 1},
    ),
    # 405e9·0.5625·1.1 / 72e9 = 3.48
    ("weights_memory", {"params": 405e9, "precision": "nvfp4", "hbm_bytes": 80e9}, {"gpus": 4}),
    # B = 100; step = 20.15e9/1e12 + 4e12/4e14 + 4.85 ms = 35 ms; prefill = 4.002e13/4e14; 1000/(0.10005 + 0.35)
    (
        "inference_throughput",
        SERVED,
        {"step_ms": 35, "prefill_ms": 100.05, "tokens_per_s": 2221.975336, "total_tokens_per_s": 4443.950672},
    ),
    # ten of twenty active: 20.15e9/0.6e12 + 2e12/2e14 + 4.85 ms = 48.4333 ms; 2.002e13/2e14; 1000/(0.1001 + 0.484333)
    (
        "inference_throughput",
        {**SERVED, "params_active": 10e9, "moe": True},
        {"step_ms": 48.43333333, "tokens_per_s": 1711.059145},
    ),
    # half a second in the queue and three prefills
    ("inference_throughput", {**SERVED, "queue_wait_s": 0.5, "requests_ahead": 3}, {"ttft_ms": 800.15}),
    ("inference_throughput", {**SERVED, "stack_factor": 0.5}, {"tokens_per_s": 1110.987668}),
    # reading alone 3e9/2e12; computing 2e10/1e15 on top, and 5 ms
    ("inference_throughput", STEP, {"step_ms": 1.5}),
    (
        "inference_throughput",
        {**STEP, "peak_flops": 1e15, "eff_compute": 0.5, "tp_exponent": 0, "t0_s": 0.005},
        {"step_ms": 6.52, "tokens_per_s": 1533.742331},
    ),
    # 989e12·2/(2·3.35e12)
    (
        "inference_throughput",
        {"peak_flops": 989e12, "memory_bandwidth": 3.35e12, "weight_bytes": 2},
        {"critical_batch": 295.2238806},
    ),
    # 20,000/(4,150·0.9·0.8) = 6.7
    (
        "inference_throughput",
        {"peak_tokens_per_s": 20_000, "replica_tokens_per_s": 4150, "latency": "relaxed", "u_max": 0.8},
        {"servers_active": 7, "servers": 8},
    ),
    (
        "queueing",
        {
            "requests_per_day": 864_000,
            "diurnal": 2,
            "burst": 1.5,
            "osl": 300,
            "server_tokens_per_s": 5000,
            "slo_derate": 0.6,
            "u_max": 0.6,
            "spare": 2,
        },
        {"tokens_per_s_needed": 9000, "servers_active": 5, "servers": 7},
    ),
    ("inference_throughput", {"usd_per_gpu_hour": 3.6, "gpus": 8, "tokens_per_s": 8000}, {"usd_per_mtok": 1}),
    # 4/5 of 8 GB at 1 GB/s, twice for an all-reduce
    ("allreduce", {"bytes": 8e9, "ranks": 5, "bus_bandwidth": 1e9}, {"seconds": 12.8}),
    ("allreduce", {"bytes": 8e9, "ranks": 5, "bus_bandwidth": 1e9, "collective": "all_gather"}, {"time_s": 6.4}),
    ("allreduce", {"bytes": 8e9, "ranks": 5, "time_s": 12.8}, {"bus_bandwidth": 1e9}),
    # table 6.2 of the reference, 400 Gb/s: 1.6e15 / (6·0.2·0.73·5e10), and what a batch of 4 Mi tokens supports
    ("allreduce", {**NETWORK, "global_batch_tokens": 2**22}, {"tokens_per_gpu": 36_529.68037, "max_gpus": 114.819072}),
    # rho = 2·2·4e14·(3/4)/(6·2e5·0.73·5e10); half of it hides
    (
        "allreduce",
        {**NETWORK, "nodes": 4, "tokens_per_gpu": 2e5},
        {"rho": 0.02739726027, "efficiency": 0.9864864865},
    ),
    # sharded fully: 3/2 as much; beyond 2/3 of a step nothing hides
    (
        "allreduce",
        {**NETWORK, "nodes": 4, "tokens_per_gpu": 2e3, "sharding": "fsdp", "overlap": 1},
        {"rho": 4.109589041, "efficiency": 1 / (1 + 4.109589041 - 2 / 3)},
    ),
    ("allreduce", {"stages": 4, "micro_batches": 12}, {"bubble": 0.2}),
    ("allreduce", {"stages": 4, "micro_batches": 12, "chunks": 2}, {"bubble": 0.125}),
    ("allreduce", {"nodes_small": 2, "nodes_large": 16}, {"efficiency": 0.97**3}),
    # 128 servers at 6.5 per 1000 server-days: 0.832 a day; users of small jobs see three times that
    ("mtbf", {"nodes": 128, "failures_per_node_day": 0.0065}, {"job_mtbf_h": 28.84615385}),
    (
        "mtbf",
        {"n_gpus": 1024, "gpus_per_node": 8, "fleet": "first_year", "user_visible": True},
        {"job_mtbf_h": 9.615384615},
    ),
    # a day between interruptions: (1 h + 2 h)/24 h + 6 min/4 h
    ("checkpoint", {**JOB, "restart_min": 60}, {"goodput": 0.85, "overhead": 0.025}),
    # (6 h + 2 h)/24 h + 0.025 = 0.358: what is lost no longer adds up
    ("checkpoint", {**JOB, "restart_h": 6}, {"goodput": 0.7361963190}),
    # sqrt(2·1·8) = 4; ·(1 + sqrt(1/16)/3) − 1
    ("checkpoint", {"save_h": 1, "mtbf_h": 8}, {"interval_h": 10 / 3, "young_interval_h": 4}),
    ("checkpoint", {"params": 1e9, "interval_s": 100}, {"gb": 14, "storage_write_bandwidth": 1.4e10}),
    # lambda 1000·0.04·0.2 = 8: P(12) = 0.936, P(13) = 0.966
    ("spares", {"units": 1000, "afr": 0.04, "lead_time_days": 73}, {"lambda": 8, "spares": 13}),
    ("spares", {"nodes": 48, "failures_per_node_day": 0.003, "turnaround_days": 7}, {"lambda": 1.008, "spares": 4}),
    # 0.99 each: 3·0.99²·0.01 + 0.99³
    ("spares", {"k": 2, "n": 3, "failures_per_node_day": 0.01, "repair_days": 1}, {"availability": 0.999702}),
    # 2 a second at the mean, 6 at the peak, 5.5 s each
    (
        "queueing",
        {
            "requests_per_day": 172_800,
            "diurnal": 2,
            "burst": 1.5,
            "ttft_s": 0.5,
            "osl": 100,
            "user_rate": 20,
            "measured_quantile_ratio": 8.5,
        },
        {"mean_concurrency": 33, "quantile_concurrency": 281},
    ),
]


@pytest.mark.parametrize(("kind", "inputs", "expected"), WORKED)
def test_case_worked_by_hand(kind, inputs, expected):
    found = {one.field: one.got for one in check({"kind": kind, "inputs": inputs, "expected": expected})}
    assert found == pytest.approx(expected, rel=1e-8)


# DeepSpeed, docs/code-docs/source/memory.rst, t5-3b on one server of eight: host and GPU memory in GiB, two digits.
DEEPSPEED = [
    ({"stage": 2, "offload_optimizer": "cpu"}, 127.48, 5.31),
    ({"stage": 2, "offload_optimizer": "none"}, 127.48, 15.93),
    ({"stage": 3, "offload_param": "cpu", "offload_optimizer": "cpu", "zero_init": 1}, 71.71, 0.12),
    ({"stage": 3, "offload_param": "cpu", "offload_optimizer": "cpu", "zero_init": 0}, 127.48, 0.12),
    ({"stage": 3, "offload_param": "none", "offload_optimizer": "cpu", "zero_init": 1}, 63.74, 0.79),
    ({"stage": 3, "offload_param": "none", "offload_optimizer": "cpu", "zero_init": 0}, 127.48, 0.79),
    ({"stage": 3, "zero_init": 1}, 1.47, 6.10),
    ({"stage": 3, "zero_init": 0}, 127.48, 6.10),
]


@pytest.mark.parametrize(("switches", "host", "gpu"), DEEPSPEED)
def test_deepspeed_table_with_and_without_offload(switches, host, gpu):
    case = {"kind": "training_memory", "inputs": {**T5, **switches}, "expected": {"cpu_gib": host, "gib_per_gpu": gpu}}
    found = {one.field: one.got for one in check(case)}
    # the parameters are printed as 2851M, the largest layer as 32M
    assert found["cpu_gib"] == pytest.approx(host, rel=0.03)
    assert found["gib_per_gpu"] == pytest.approx(gpu, abs=0.011)


def refusal(kind, inputs, expected):
    with pytest.raises(InputError) as error:
        check({"kind": kind, "inputs": inputs, "expected": expected})
    return [("/".join(problem.path), problem.code) for problem in error.value.problems]


REFUSED = [
    ("training_hours", {**RUN, "tempo": 3}, "gpu_hours", "tempo", "unknown_field"),
    ("training_hours", {"params": 1e9, "tokens": 9e9, "peak_flops": 1e15}, "gpu_hours", "utilisation", "missing"),
    ("training_hours", RUN, "wall_days", "n_gpus", "missing"),
    ("training_hours", {**MOE, "params_active": 40e9}, "gpu_hours", "params_active", "out_of_bounds"),
    ("training_hours", {**MOE, "utilisation": 1.2}, "gpu_hours", "utilisation", "out_of_bounds"),
    ("training_hours", {**RUN, "method": "dora"}, "gpu_hours", "method", "not_a_choice"),
    ("training_hours", {**SHAPE, "flop_mult": 7}, "flops_per_token", "flop_mult", "not_a_choice"),
    ("training_hours", {"amount_1": 5, "rate_1": 0}, "wall_days", "rate_1", "not_positive"),
    ("training_memory", {**STATES, "stage": 4}, "gb_per_gpu", "stage", "not_a_choice"),
    ("training_memory", {**STATES, "stage": 1.5}, "gb_per_gpu", "stage", "not_whole"),
    ("training_memory", {**STATES, "stage": 1, "tensor_parallel": 3}, "gb_per_gpu", "n_gpus", "conflict"),
    ("training_memory", {**T5, "stage": 2, "offload_param": "cpu"}, "gib_per_gpu", "offload_params", "conflict"),
    (
        "training_memory",
        {**T5, "stage": 2, "offload_optimizer": "disk"},
        "gib_per_gpu",
        "offload_optimizer",
        "not_a_choice",
    ),
    ("kv_cache", {**CACHE, "kv_bytes": 1, "tokens": 5}, "gb", "kv_bytes", "conflict"),
    ("weights_memory", {"params": 1e9, "precision": "fp6"}, "gb", "precision", "not_a_choice"),
    ("inference_throughput", {**SERVED, "kv_occupancy": 1.5}, "tokens_per_s", "kv_occupancy", "out_of_bounds"),
    (
        "allreduce",
        {"bytes": 8e9, "ranks": 5, "bus_bandwidth": 1, "collective": "all_to_all"},
        "seconds",
        "collective",
        "not_a_choice",
    ),
    ("mtbf", {"mtbe_a_hours": 5, "mtbe_b_hours": 0}, "ratio", "mtbe_b_hours", "not_positive"),
    ("checkpoint", {"save_s": 5, "save_min": 5, "mtbf_h": 5}, "interval_s", "save_min", "conflict"),
    ("spares", {"k": 4, "n": 5.5, "availability": 0.9}, "availability", "n", "not_whole"),
    ("queueing", {"arrivals_per_s": 1, "service_s": 2, "servers": 3.2}, "p_wait", "servers", "not_whole"),
]


@pytest.mark.parametrize(("kind", "inputs", "field", "path", "code"), REFUSED)
def test_inputs_that_cannot_be_or_that_nobody_reads_are_refused_by_name(kind, inputs, field, path, code):
    assert refusal(kind, inputs, {field: 1.0}) == [(f"inputs/{path}", code)]
