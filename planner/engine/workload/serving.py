"""Speed of serving: what one replica carries, by a roofline.

Sizing reference, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import FloatArray, Values, above, not_a_choice, unboxed, within
from planner.engine.workload.cache import KvPerToken, kv_bytes
from planner.engine.workload.memory import MEMORY_RESERVE_BYTES, MEMORY_SHARE, usable_memory_bytes

# e_c: usable share of the dense peak under saturation, by the precision computed in. [1]
# Sizing reference 4.1, fitted on the TensorRT-LLM v1.0 maximum-load table (mean error 7 %); 16 bit 0.65 is a default.
COMPUTE_EFFICIENCY = {"fp8": 0.60, "fp4": 0.34, "bf16": 0.65}
# e_b: share of the nameplate bandwidth, 8-bit cache. [1] Sizing reference 4.1.
BANDWIDTH_EFFICIENCY = 1.0
# Factors for mixtures of experts (mean error 26 %: prefer a measurement). [1] Sizing reference 4.1.
MOE_COMPUTE_FACTOR, MOE_BANDWIDTH_FACTOR = 0.5, 0.6
# Loss of tensor parallelism, C ∝ n·n^-0.25; fixed time of a step; largest batch. [1], [s], [sequence] Sizing 4.1.
TENSOR_PARALLEL_EXPONENT, STEP_OVERHEAD_S, BATCH_LIMIT = 0.25, 0.005, 2048.0
# Mean share of the output that a sequence's reserved cache holds when many are under way. [1] Sizing reference 4.1.
OUTPUT_OCCUPANCY = 0.65
# CDNA cards (AMD) reach 0.5 to 0.7 of the roofline in the 2024-25 MLPerf results; the middle. [1] Sizing 4.1.
CDNA_SERVING_FACTOR = 0.6
# The precision at whose peak weights of a kind are computed; int4 weights are widened to 16 bit. Sizing 3 and 4.1.
COMPUTE_PRECISION = {
    "fp32": "bf16",
    "bf16": "bf16",
    "fp16": "bf16",
    "fp8": "fp8",
    "int8": "fp8",
    "mxfp8": "fp8",
    "fp4": "fp4",
    "nvfp4": "fp4",
    "mxfp4": "fp4",
    "int4": "bf16",
}
# Rate under a latency target over that at saturation. [1]
# Sizing reference 4.3, MLPerf Inference v5.1: Server (TTFT 2 s, TPOT 200 ms) and Interactive (TTFT 450 ms, TPOT 40 ms;
# MI300X only 0.32). A batch has no target.
SLO_DERATE = {"relaxed": 0.90, "interactive": 0.60, "batch": 1.0}


@dataclass(frozen=True)
class ServingRate:
    """What one replica carries under saturation. Arrays where an argument was one; all 0 where it does not fit."""

    requests_per_s: Values  # [1/s]
    out_tok_per_s: Values  # [token/s]
    batch: Values  # sequences under way [1]
    t_step: Values  # one decode step of the whole batch = time per output token [s]
    t_prefill: Values  # prefill of one request [s]
    fits: Values  # weights and one sequence at full length fit the usable memory
    bound: Values  # "memory_bandwidth" | "compute": which takes the larger part of a request's time


def decode_read_s(
    weights: npt.ArrayLike, cache_bytes: npt.ArrayLike, sequences: npt.ArrayLike, bandwidth: npt.ArrayLike
) -> Values:
    """Return the time a decode step takes to read the weights and the cache once, (W + B·KV) / bandwidth. [s]

    weights, cache_bytes : of the model; of one sequence. [byte]
    sequences : of the batch; 1 gives the lower bound of latency. [1]
    bandwidth : of the whole replica. [byte/s]
    All shapes broadcast. Source: sizing reference 4.1.
    """
    cache = within("sequences", sequences, 0.0) * within("cache_bytes", cache_bytes, 0.0, unit="byte")
    read = within("weights", weights, 0.0, unit="byte") + cache
    return unboxed(read / above("bandwidth", bandwidth, unit="byte/s"))


def compute_bound_batch(
    peak_flops: npt.ArrayLike, memory_bandwidth: npt.ArrayLike, bytes_per_param: npt.ArrayLike
) -> Values:
    """Return the batch at which reading and multiplying a dense model take the same time, P·bytes/(2·BW). [1]

    peak_flops, memory_bandwidth : of one GPU. [FLOP/s], [byte/s] All shapes broadcast. Source: sizing reference 4.1.
    """
    flops = within("peak_flops", peak_flops, 0.0, unit="FLOP/s") * above(
        "bytes_per_param", bytes_per_param, unit="byte"
    )
    return unboxed(flops / (2.0 * above("memory_bandwidth", memory_bandwidth, unit="byte/s")))


def cost_per_million_tokens(cost_per_hour: npt.ArrayLike, tokens_per_s: npt.ArrayLike) -> Values:
    """Return what a million tokens cost on hardware that is paid by the hour. [money]

    cost_per_hour : of all GPUs that make `tokens_per_s` together. [money/h]
    All shapes broadcast. Source: sizing reference 4.4.
    """
    hourly = within("cost_per_hour", cost_per_hour, 0.0, unit="money/h")
    return unboxed(hourly / (above("tokens_per_s", tokens_per_s, unit="token/s") * 3600.0) * 1e6)


def serving_rate(
    *,
    active_params: npt.ArrayLike,
    weights: npt.ArrayLike,
    layers: npt.ArrayLike,
    hidden: npt.ArrayLike,
    kv: KvPerToken,
    gpus: npt.ArrayLike,
    memory_gb: npt.ArrayLike,
    memory_bandwidth: npt.ArrayLike,
    peak_flops: npt.ArrayLike,
    input_tokens: npt.ArrayLike,
    output_tokens: npt.ArrayLike,
    precision: str = "fp8",
    moe: bool = False,
    compute_efficiency: npt.ArrayLike | None = None,
    bandwidth_efficiency: npt.ArrayLike = BANDWIDTH_EFFICIENCY,
    batch_limit: npt.ArrayLike = BATCH_LIMIT,
    step_overhead_s: npt.ArrayLike = STEP_OVERHEAD_S,
    tensor_parallel_exponent: npt.ArrayLike = TENSOR_PARALLEL_EXPONENT,
    output_occupancy: npt.ArrayLike = OUTPUT_OCCUPANCY,
    memory_share: npt.ArrayLike = MEMORY_SHARE,
    reserve_bytes: npt.ArrayLike = MEMORY_RESERVE_BYTES,
) -> ServingRate:
    """Return the saturated rate of one replica of `gpus` GPUs by the roofline of section 4.1. All shapes broadcast.

    active_params : parameters active per token (dense: all). [param]
    weights       : bytes of all weights, from `weight_bytes`. [byte]
    layers, hidden, kv : of the model; kv from `kv_bytes_per_token`.
    gpus          : GPUs of the replica, tensor parallel. [GPU]
    memory_gb, memory_bandwidth, peak_flops : of one GPU: nameplate, nameplate, dense peak of the precision computed in
                    (COMPUTE_PRECISION). [GB], [byte/s], [FLOP/s]
    input_tokens, output_tokens : means of a request, ISL and OSL. [token]
    precision     : of the weights, chooses e_c; `compute_efficiency` overrides it (before the factor for experts). [1]
    moe           : mixture of experts, e_c × 0.5 and e_b × 0.6.
    batch_limit   : sequences under way at most; a concurrency target goes here too. [1]
    step_overhead_s, tensor_parallel_exponent, output_occupancy : fixed time of a decode step [s]; loss n^-exponent of
                    n GPUs [1]; mean share of the output that a sequence's cache holds [1].
    memory_share, reserve_bytes : of one GPU, as in `usable_memory_bytes`. [1], [byte]

    Decode adds memory time and compute time, they do not overlap; bound names the larger of the two over a request,
    prefill being compute. Errors on the published table (80 dense points): mean 7 %, 90th percentile 14 %, largest
    20 %; experts 26 % in the mean. Prefer a measurement where there is one.
    Source: sizing reference 4.1, fitted on NVIDIA/TensorRT-LLM perf-overview.md v1.0.
    """
    n = above("gpus", gpus, unit="GPU")
    na = within("active_params", active_params, 0.0, unit="param")
    w = within("weights", weights, 0.0, unit="byte")
    isl = within("input_tokens", input_tokens, 0.0, unit="token")
    osl = within("output_tokens", output_tokens, 0.0, unit="token")
    flops = n * above("peak_flops", peak_flops, unit="FLOP/s") * _compute_share(compute_efficiency, precision, moe)
    flops = flops * n ** -within("tensor_parallel_exponent", tensor_parallel_exponent, 0.0, 1.0)
    bandwidth = n * above("memory_bandwidth", memory_bandwidth, unit="byte/s")
    bandwidth = bandwidth * above("bandwidth_efficiency", bandwidth_efficiency, 1.0)
    bandwidth = bandwidth * (MOE_BANDWIDTH_FACTOR if moe else 1.0)
    free = n * usable_memory_bytes(memory_gb, memory_share, reserve_bytes) - w
    held = isl + within("output_occupancy", output_occupancy, 0.0, 1.0) * osl
    batch, fits = _batch(kv, isl + osl, held, free, within("batch_limit", batch_limit, 0.0))
    at_work = np.where(batch > 0.0, batch, 1.0)  # keeps the divisions below clean; cleared again by `carries`

    read_s = decode_read_s(w, kv_bytes(kv, isl + osl / 2.0), at_work, bandwidth)
    multiply_s = 2.0 * na * at_work / flops
    t_step = read_s + multiply_s + within("step_overhead_s", step_overhead_s, 0.0, unit="s")
    prefill_flop = 2.0 * na * isl + 2.0 * within("layers", layers, 0) * within("hidden", hidden, 0) * isl**2
    t_prefill = prefill_flop / flops
    request_s = t_prefill + osl * t_step / at_work
    carries = (batch > 0.0) & (request_s > 0.0)
    with np.errstate(divide="ignore"):
        requests = np.where(carries, 1.0 / request_s, 0.0)
    memory_s, compute_s = osl * read_s / at_work, t_prefill + osl * multiply_s / at_work
    bound = np.where(memory_s > compute_s, "memory_bandwidth", "compute")
    parts = np.broadcast_arrays(
        requests,
        requests * osl,
        batch,
        np.where(fits, t_step, 0.0),
        np.where(fits, t_prefill, 0.0),
        fits,
        bound,
    )
    return ServingRate(*(unboxed(part) for part in parts))


def _compute_share(efficiency: npt.ArrayLike | None, precision: str, moe: bool) -> FloatArray:
    """e_c: of the precision computed in unless given, less for a mixture of experts."""
    if efficiency is None:
        if precision not in COMPUTE_PRECISION:
            raise not_a_choice("precision", precision, tuple(COMPUTE_PRECISION))
        efficiency = COMPUTE_EFFICIENCY[COMPUTE_PRECISION[precision]]
    return above("compute_efficiency", efficiency, 1.0) * (MOE_COMPUTE_FACTOR if moe else 1.0)


def _batch(
    kv: KvPerToken, full: FloatArray, held: FloatArray, free: FloatArray, limit: FloatArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """(sequences of mean length `held` under way, whether one of `full` length fits) in what the weights leave free."""
    fits = np.asarray(free >= kv_bytes(kv, full))
    cached = np.asarray(kv_bytes(kv, held))
    with np.errstate(divide="ignore", invalid="ignore"):
        batch = np.where(cached > 0.0, np.minimum(limit, free / cached), limit)
    return np.where(fits, batch, 0.0), fits
