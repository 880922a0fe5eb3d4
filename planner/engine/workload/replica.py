"""How many GPUs one replica of a served model takes, and what it then carries.

Sizing reference, sections 3, 5 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, unboxed, within
from planner.engine.rounding import SLACK
from planner.engine.workload.cache import BYTES_PER_PARAM, KvPerToken, kv_bytes, kv_bytes_per_token, weight_bytes
from planner.engine.workload.gang import TENSOR_PARALLEL_STEP
from planner.engine.workload.memory import usable_memory_bytes
from planner.engine.workload.serving import (
    BANDWIDTH_EFFICIENCY,
    BATCH_LIMIT,
    CDNA_SERVING_FACTOR,
    COMPUTE_EFFICIENCY,
    COMPUTE_PRECISION,
    STEP_OVERHEAD_S,
    ServingRate,
    serving_rate,
)

REPLICA_SIZES = (1, 2, 4, 8)
# A cached number by what the card computes in. [byte] Sizing reference 4.1 ("8-bit KV") and 3.
CACHE_BYTES = {"bf16": 2.0, "fp8": 1.0, "fp4": 1.0}


def replica_size(
    *,
    weights: float,
    kv: KvPerToken,
    memory_gb: float,
    input_tokens: float,
    output_tokens: float,
    concurrency: float = 1.0,
    tpot_target_s: float | None = None,
    sizes: Sequence[int] = REPLICA_SIZES,
    active_params: float = 0.0,
    layers: float = 0.0,
    hidden: float = 0.0,
    memory_bandwidth: float | None = None,
    peak_flops: float | None = None,
    precision: str = "fp8",
    moe: bool = False,
) -> int | None:
    """Return the smallest replica that holds the weights and the cache of `concurrency` sequences, or None. [GPU]

    concurrency   : sequences under way at once, each counted at its full length ISL + OSL. [1]
    tpot_target_s : the decode step of that batch must not take longer; needs active_params, memory_bandwidth and
        peak_flops. [s]
    sizes         : replicas to try, ascending. A size beyond one server or NVLink domain needs RDMA.
    The rest as in `serving_rate`; scalars. Source: sizing reference 10, serving 1, and 3 (W + KV ≤ n·usable).
    """
    need = weights + float(within("concurrency", concurrency, 1.0)) * float(kv_bytes(kv, input_tokens + output_tokens))
    for size in sizes:
        if need > size * float(usable_memory_bytes(memory_gb)) * (1.0 + SLACK):
            continue
        if tpot_target_s is None:
            return int(size)
        if memory_bandwidth is None or peak_flops is None:
            raise not_a_choice("memory_bandwidth", None, ("a number, with peak_flops, to check tpot_target_s",))
        rate = serving_rate(
            active_params=active_params,
            weights=weights,
            layers=layers,
            hidden=hidden,
            kv=kv,
            gpus=size,
            memory_gb=memory_gb,
            memory_bandwidth=memory_bandwidth,
            peak_flops=peak_flops,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            precision=precision,
            moe=moe,
            batch_limit=concurrency,
        )
        if rate.t_step <= tpot_target_s:
            return int(size)
    return None


def smallest_replica(
    shape: Mapping[str, Any],
    precision: str,
    input_tokens: float,
    output_tokens: float,
    *,
    memory_gb: float,
    bandwidth_gbps: float,
    bf16_tflops: float | None = None,
    fp8_tflops: float | None = None,
    fp4_tflops: float | None = None,
    architecture: str = "",
    cache_bytes: float | None = None,
    sizes: Sequence[int] = REPLICA_SIZES,
    batch_limit: float = BATCH_LIMIT,
) -> tuple[int, ServingRate] | None:
    """Return the smallest replica that holds the model, and its saturated rate; None where none does, or where the peak
    or the bandwidth is not known.

    shape : the model as the catalog has it: params_b, active_params_b [1e9 param]; layers, hidden, heads, kv_heads,
        head_dim, attention, kv_lora_rank, rope_head_dim, sliding_window, full_attention_layers, moe.
    precision : of the weights, key of BYTES_PER_PARAM. The card computes in it where it has a peak for it, else in 16
        bit, into which the weights are widened.
    memory_gb, bandwidth_gbps, *_tflops : of one GPU, 0 or None where not known. [GB], [GB/s], [1e12 FLOP/s]
    architecture : the catalog's word; "CDNA …" (AMD) takes 0.6 of the roofline's rate, CDNA_SERVING_FACTOR.
    sizes : replicas to try; those whose tensor parallelism, up to 8, does not divide the heads are left out. [GPU]
    batch_limit : sequences under way at most. [1]
    cache_bytes : bytes of a cached number; by default 1 (8 bit) where the card computes in 8 or 4 bits, else 2. [byte]
    Scalars. Source: `replica_size` and `serving_rate`.
    """
    if precision not in BYTES_PER_PARAM:
        raise not_a_choice("precision", precision, tuple(BYTES_PER_PARAM))
    peaks = {"bf16": bf16_tflops, "fp8": fp8_tflops, "fp4": fp4_tflops}
    computed = computed_in(precision, peaks)
    peak = peaks[computed]
    if not peak or not bandwidth_gbps:
        return None
    kv = cache_of(shape, cache_bytes or CACHE_BYTES[computed])
    weights = weight_bytes(shape["params_b"] * 1e9, precision)
    gpus = replica_size(
        weights=weights,
        kv=kv,
        memory_gb=memory_gb,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        sizes=[size for size in sizes if shape["heads"] % min(size, TENSOR_PARALLEL_STEP) == 0],
    )
    if gpus is None:
        return None
    factor = CDNA_SERVING_FACTOR if architecture.strip().lower().startswith("cdna") else 1.0
    rate = serving_rate(
        active_params=(shape.get("active_params_b") or shape["params_b"]) * 1e9,
        weights=weights,
        layers=shape["layers"],
        hidden=shape["hidden"],
        kv=kv,
        gpus=gpus,
        memory_gb=memory_gb,
        memory_bandwidth=bandwidth_gbps * 1e9,
        peak_flops=peak * 1e12,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        compute_efficiency=COMPUTE_EFFICIENCY[computed] * factor,
        bandwidth_efficiency=BANDWIDTH_EFFICIENCY * factor,
        step_overhead_s=STEP_OVERHEAD_S / factor,
        moe=bool(shape.get("moe")),
        batch_limit=batch_limit,
    )
    return gpus, rate


def computed_in(precision: str, peaks: Mapping[str, float | None]) -> str:
    """Return in what a card computes with weights of a precision: itself where the card has a peak for it, else "bf16".

    peaks : "bf16", "fp8", "fp4" → dense peak, None or 0 where the card has none. [1e12 FLOP/s]
    """
    wanted = COMPUTE_PRECISION[precision]
    return wanted if peaks.get(wanted) else "bf16"


def cache_of(shape: Mapping[str, Any], cache_bytes: float) -> KvPerToken:
    """Return the cache of a token of a model of the catalog, see `smallest_replica`."""
    return kv_bytes_per_token(
        shape["attention"],
        shape["layers"],
        shape.get("kv_heads") or shape["heads"],
        shape.get("head_dim") or shape["hidden"] / shape["heads"],
        cache_bytes,
        shape.get("kv_lora_rank"),
        shape.get("rope_head_dim"),
        shape.get("full_attention_layers"),
        shape.get("sliding_window"),
    )


def disaggregated_nodes(
    input_tokens_per_s: npt.ArrayLike,
    output_tokens_per_s: npt.ArrayLike,
    prefill_rate: npt.ArrayLike,
    decode_rate: npt.ArrayLike,
) -> Values:
    """Return the servers a fleet with separate prefill and decode needs, real-valued. [server]

    Demands and rates of one server, any shapes. [token/s]
    Source: sizing reference 5 (deepseek-ai/open-infra-index).
    """
    prefill = within("input_tokens_per_s", input_tokens_per_s, 0.0)
    prefill = prefill / above("prefill_rate", prefill_rate, unit="token/s")
    decode = within("output_tokens_per_s", output_tokens_per_s, 0.0)
    decode = decode / above("decode_rate", decode_rate, unit="token/s")
    return unboxed(prefill + decode)
