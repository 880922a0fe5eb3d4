"""Memory of a GPU, and what training keeps in it: states, activations, logits, adapters, checkpoints.

Sizing reference, section 2.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, unboxed, within

# Share of the nameplate memory a job may fill. [1] Sizing reference 2.5, default.
MEMORY_SHARE = 0.90
# CUDA context, collectives, fragmentation. [byte] Sizing reference 2.5, default.
MEMORY_RESERVE_BYTES = 3e9
# What that reserve is for: context and libraries (0.5 to 2 GiB), buffers of collectives where GPUs work together (1 to
# 2 GiB); the middles of both. What they leave of it is for fragmentation. [byte] Sizing reference 2.5.
CONTEXT_BYTES, COLLECTIVE_BYTES = 1.25 * 2**30, 1.5 * 2**30


def usable_memory_bytes(
    memory_gb: npt.ArrayLike,
    share: npt.ArrayLike = MEMORY_SHARE,
    reserve_bytes: npt.ArrayLike = MEMORY_RESERVE_BYTES,
) -> Values:
    """Return the memory of one GPU that weights, states, activations and cache may fill, never below 0. [byte]

    memory_gb     : nameplate memory, 1 GB = 1e9 bytes. [GB]
    share         : of the nameplate that a job may fill. [1]
    reserve_bytes : held back of that share. [byte]
    All shapes broadcast. Source: sizing reference 2.5 (0.90 × memory − 3 GB).
    """
    filled = within("share", share, 0.0, 1.0) * within("memory_gb", memory_gb, 0.0, unit="GB") * 1e9
    return unboxed(np.maximum(filled - within("reserve_bytes", reserve_bytes, 0.0, unit="byte"), 0.0))


# Host memory over GPU memory of a server, for staging checkpoints. [1] Sizing reference 2.6, default.
HOST_STAGING = 2.0


def staging_host_bytes(memory_gb: npt.ArrayLike, gpus_per_server: npt.ArrayLike) -> Values:
    """Return the host memory that a server needs to stage a checkpoint, twice its GPU memory. [byte]

    memory_gb : nameplate of one GPU. [GB] All shapes broadcast. Source: sizing reference 2.6, default.
    """
    memory = within("memory_gb", memory_gb, 0.0, unit="GB") * 1e9
    return unboxed(HOST_STAGING * memory * within("gpus_per_server", gpus_per_server, 0.0, unit="GPU"))


# Model states: weights, gradients, optimizer with fp32 master. [byte/param]
# Table 2.1 of the sizing reference, arXiv 1910.02054.
STATE_BYTES: dict[str, tuple[float, float, float]] = {
    "mixed_bf16_grads": (2.0, 2.0, 12.0),
    "mixed_fp32_grads": (2.0, 4.0, 12.0),
    "amp_extra_copies": (2.0, 4.0, 14.0),
    "fp32_adam": (4.0, 4.0, 8.0),
    "pure_bf16": (2.0, 2.0, 4.0),
    "bf16_fp32_adam": (2.0, 2.0, 8.0),
    "adam_8bit": (2.0, 2.0, 6.0),
}
# Gathered fp16 weights and gradients of the layer being computed under ZeRO-3. [byte/param] Sizing reference 2.2.
LIVE_LAYER_BYTES = 4.0
# Copies of the hidden state, of 2 bytes, that a SwiGLU layer with FlashAttention keeps. [1] Sizing reference 2.3.
HIDDEN_COPIES = 28.0
# Adapter tuning: bytes per parameter and fixed part. [byte/param], [byte] Sizing reference 2.4 (LLaMA-Factory table).
ADAPTER_BYTES = {"lora": 2.15, "qlora8": 1.15, "qlora4": 0.65}
ADAPTER_FIXED_BYTES = 2e9
# Of those the frozen base itself; the rest are the adapters, their gradients and optimizer. [byte/param]
ADAPTER_BASE_BYTES = {"lora": 2.0, "qlora8": 1.0, "qlora4": 0.5}
# Checkpoint with bf16 weights, fp32 master and Adam. [byte/param] Sizing reference 2.6.
CHECKPOINT_BYTES, WEIGHTS_ONLY_BYTES = 14.0, 2.0
# Buffer DeepSpeed adds to its estimate of host memory. [1] DeepSpeed, docs/code-docs/source/memory.rst.
HOST_BUFFER = 1.5


def _state_bytes(setup: str | tuple[float, float, float]) -> tuple[float, float, float]:
    if not isinstance(setup, str):
        return setup
    if setup not in STATE_BYTES:
        raise not_a_choice("setup", setup, tuple(STATE_BYTES))
    return STATE_BYTES[setup]


def state_bytes_per_gpu(
    params: npt.ArrayLike,
    setup: str | tuple[float, float, float],
    stage: int,
    gpus: npt.ArrayLike,
    largest_layer_params: npt.ArrayLike = 0.0,
) -> Values:
    """Return weights, gradients and optimizer held by each of `gpus` data-parallel GPUs. [byte]

    params : all parameters, experts included; divide by tensor × pipeline parallel first. [param]
    setup  : key of STATE_BYTES, or its (weights, gradients, optimizer). [byte/param]
    stage  : ZeRO stage 0 to 3 (3 = FSDP full shard).
    largest_layer_params : the layer gathered while it is computed, stage 3 only. [param]
    Source: sizing reference 2.2 (arXiv 1910.02054; DeepSpeed memory.rst).
    """
    weights, grads, optimizer = _state_bytes(setup)
    n = above("gpus", gpus, unit="GPU")
    held = {
        0: weights + grads + optimizer + 0.0 * n,
        1: weights + grads + optimizer / n,
        2: weights + (grads + optimizer) / n,
        3: (weights + grads + optimizer) / n,
    }
    if stage not in held:
        raise not_a_choice("stage", stage, ("0", "1", "2", "3"))
    live = (
        LIVE_LAYER_BYTES * within("largest_layer_params", largest_layer_params, 0.0, unit="param")
        if stage == 3
        else 0.0
    )
    return unboxed(within("params", params, 0.0, unit="param") * held[stage] + live)


def loading_host_bytes(params: npt.ArrayLike, gpus_per_server: npt.ArrayLike) -> Values:
    """Return host memory of a server whose every process loads the fp32 weights, 4·N·g·1.5. [byte]

    Source: DeepSpeed estimator, docs/code-docs/source/memory.rst (ZeRO-2 without offload).
    """
    return unboxed(4.0 * within("params", params, 0.0) * within("gpus_per_server", gpus_per_server, 0.0) * HOST_BUFFER)


ACTIVATION_KINDS = ("none", "sequence_parallel", "selective", "full", "swiglu_flash")


def activation_bytes_per_layer(
    kind: str,
    sequence: npt.ArrayLike,
    micro_batch: npt.ArrayLike,
    hidden: npt.ArrayLike,
    heads: npt.ArrayLike = 0,
    tensor_parallel: npt.ArrayLike = 1,
    *,
    copies: npt.ArrayLike = HIDDEN_COPIES,
    element_bytes: npt.ArrayLike = 2.0,
) -> Values:
    """Return activations one layer keeps for the backward pass. [byte]

    kind : what is recomputed:
      "none"              nothing, 16-bit GPT layer: s·b·h·(10 + 24/t + 5·a·s/(h·t)), at t = 1 s·b·h·(34 + 5·a·s/h);
      "sequence_parallel" nothing, with sequence parallelism: s·b·h/t·(34 + 5·a·s/h);
      "selective"         attention only, or FlashAttention: 34·s·b·h/t;
      "full"              everything, the layer's input is kept: 2·s·b·h (one live layer comes on top, once per GPU);
      "swiglu_flash"      nothing, SwiGLU layer with FlashAttention, as measured: 2·28·s·b·h/t (20 to 50 across models;
                          with tensor and sequence parallelism each GPU keeps its part, as it does of "selective").
    copies, element_bytes : of the hidden state that a "swiglu_flash" layer keeps, and their width. [1], [byte]
    sequence, micro_batch, hidden, heads, tensor_parallel : s, b, h, a, t. Any shapes.
    Source: sizing reference 2.3 (arXiv 2205.05198; stas00/ml-engineering).
    """
    t = within("tensor_parallel", tensor_parallel, 1)
    s, h = within("sequence", sequence, 0, unit="token"), above("hidden", hidden)
    sbh = s * within("micro_batch", micro_batch, 0) * h
    if kind in ("none", "sequence_parallel"):
        scores = 5.0 * above("heads", heads) * s / h  # attention scores and their dropout mask
        each = 10.0 + 24.0 / t + scores / t if kind == "none" else (34.0 + scores) / t
    elif kind == "selective":
        each = 34.0 / t
    elif kind == "full":
        each = 2.0 + 0.0 * t
    elif kind == "swiglu_flash":
        width = above("element_bytes", element_bytes, unit="byte")
        each = width * within("copies", copies, 0.0) / t
    else:
        raise not_a_choice("kind", kind, ACTIVATION_KINDS)
    return unboxed(sbh * each)


def logits_bytes(micro_batch: npt.ArrayLike, sequence: npt.ArrayLike, vocabulary: npt.ArrayLike) -> Values:
    """Return the fp32 logits of a micro-batch, 4·b·s·vocab; at long context more than all else. [byte]

    Source: sizing reference 2.3.
    """
    return unboxed(
        4.0
        * within("micro_batch", micro_batch, 0)
        * within("sequence", sequence, 0)
        * within("vocabulary", vocabulary, 0)
    )


def adapter_tuning_bytes(params: npt.ArrayLike, method: str) -> Values:
    """Return memory to tune adapters on a frozen base, batch 1, context up to 2k. [byte]

    params : parameters of the base. [param]
    method : "lora" (16-bit base), "qlora8", "qlora4".
    Longer contexts add activations.
    Source: sizing reference 2.4, within 11 % of the LLaMA-Factory table from 7B to 70B.
    """
    if method not in ADAPTER_BYTES:
        raise not_a_choice("method", method, tuple(ADAPTER_BYTES))
    return unboxed(ADAPTER_BYTES[method] * within("params", params, 0.0, unit="param") + ADAPTER_FIXED_BYTES)


def checkpoint_bytes(params: npt.ArrayLike, *, weights_only: bool = False) -> Values:
    """Return the size of one checkpoint: 14 bytes a parameter, weights alone 2. [byte] Source: sizing reference 2.6."""
    return unboxed(
        (WEIGHTS_ONLY_BYTES if weights_only else CHECKPOINT_BYTES) * within("params", params, 0.0, unit="param")
    )
