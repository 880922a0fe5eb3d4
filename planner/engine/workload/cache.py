"""Memory of serving: the weights of a model and its key-value cache.

Sizing reference, section 3.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, unboxed, within
from planner.engine.rounding import rounded_up
from planner.engine.workload.memory import MEMORY_SHARE

# Weights at rest, scales included. [byte/param] Sizing reference 3; int4 is the middle of 0.53 to 0.56.
BYTES_PER_PARAM = {
    "fp32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "mxfp8": 1.03,
    "fp4": 0.5625,
    "nvfp4": 0.5625,
    "mxfp4": 0.531,
    "int4": 0.545,
}
# Overhead on the weights when no cache is counted. [1] Sizing reference 3.
OVERHEAD_WITHOUT_KV = 0.10


def weight_bytes(params: npt.ArrayLike, precision: str | float) -> Values:
    """Return the weights of a model; a mixture of experts keeps all experts, so pass all parameters. [byte]

    params    : any shape. [param]
    precision : key of BYTES_PER_PARAM, or the bytes of one parameter. [byte/param]
    Source: sizing reference 3.
    """
    if isinstance(precision, str):
        if precision not in BYTES_PER_PARAM:
            raise not_a_choice("precision", precision, tuple(BYTES_PER_PARAM))
        precision = BYTES_PER_PARAM[precision]
    each = within("precision", precision, 0.0, unit="byte/param")
    return unboxed(within("params", params, 0.0, unit="param") * each)


def gpus_for_weights(
    total_weight_bytes: npt.ArrayLike,
    memory_gb: npt.ArrayLike,
    overhead: npt.ArrayLike = OVERHEAD_WITHOUT_KV,
    share: npt.ArrayLike = MEMORY_SHARE,
) -> Values:
    """Return the GPUs that hold the weights when the cache is not counted, ceil(W·1.1 / (0.9·memory)). [GPU]

    total_weight_bytes : any shape. [byte]
    memory_gb : nameplate. [GB]
    overhead  : share added to the weights. [1]
    share     : of the nameplate that may be filled. [1]
    Source: sizing reference 3, "smallest node count".
    """
    need = within("total_weight_bytes", total_weight_bytes, 0.0, unit="byte") * (
        1.0 + within("overhead", overhead, 0.0)
    )
    room = above("share", share, 1.0) * above("memory_gb", memory_gb, unit="GB") * 1e9
    return unboxed(rounded_up(need / room))


class KvPerToken(NamedTuple):
    """Cache a token adds in layers that see the whole context, and in those that hold the last `window` tokens."""

    full_bytes: float
    windowed_bytes: float
    window: float  # tokens; infinite where no layer is windowed


ATTENTION_KINDS = ("MHA", "GQA", "MQA", "MLA")


def kv_bytes_per_token(
    attention: str,
    layers: float,
    kv_heads: float,
    head_dim: float,
    cache_bytes: float,
    kv_lora_rank: float | None = None,
    rope_head_dim: float | None = None,
    full_attention_layers: float | None = None,
    sliding_window: float | None = None,
) -> KvPerToken:
    """Return the cache bytes a token adds in full and in windowed layers. [byte/token]

    attention : "MHA", "GQA", "MQA": 2·L·kv_heads·head_dim·bytes; "MLA": (kv_lora_rank + rope_head_dim)·L·bytes.
    cache_bytes : bytes of a cached number: 2 (16 bit) or 1 (8 bit). [byte]
    full_attention_layers : layers that see the whole context; None: every layer does, whatever the window.
    sliding_window : tokens the other layers hold; None: none (linear attention, whose constant state is not counted).
    Scalars. Source: sizing reference 3 (huggingface/blog llama31.md, arXiv 2505.09343).
    """
    word = attention.strip().upper()
    count = float(within("layers", layers, 0))
    full = (
        count
        if full_attention_layers is None
        else float(within("full_attention_layers", full_attention_layers, 0, count))
    )
    width = float(above("cache_bytes", cache_bytes, unit="byte"))
    if word == "MLA":
        each = float(above("kv_lora_rank", kv_lora_rank or 0.0)) + float(
            within("rope_head_dim", rope_head_dim or 0.0, 0)
        )
    elif word in ATTENTION_KINDS:
        each = 2.0 * float(above("kv_heads", kv_heads)) * float(above("head_dim", head_dim))
    else:
        raise not_a_choice("attention", attention, ATTENTION_KINDS)
    if sliding_window is None or full == count:
        return KvPerToken(each * full * width, 0.0, math.inf)
    window = float(above("sliding_window", sliding_window, unit="token"))
    return KvPerToken(each * full * width, each * (count - full) * width, window)


def kv_bytes(per_token: KvPerToken, context: npt.ArrayLike) -> Values:
    """Return the cache of one sequence of `context` tokens; windowed layers hold min(context, window). [byte]

    context : any shape: prompt + generated so far; mean ISL + OSL/2, peak ISL + OSL. [token]
    Source: sizing reference 3.
    """
    length = within("context", context, 0.0, unit="token")
    return unboxed(per_token.full_bytes * length + per_token.windowed_bytes * np.minimum(length, per_token.window))
