"""Model, tokens and users → memory, gang, rate on each accelerator, class of installation.

Formulas and defaults: the sizing reference, sections 1 to 5, 9, 10; published cases in
tests/reference/sizing_cases.json. Units: bytes (GB = 1e9), seconds, dense FLOP/s, tokens; a GPU-hour is one GPU for one
hour. Functions take numbers or arrays that broadcast against each other, such as (S, M), unless they say scalars, and
return a number for numbers.
Every function raises InputError (a ValueError) naming field, value, bound and unit on an impossible argument.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, unboxed, whole, within

# Slack before rounding up, so that 51.000000001 from floating point stays 51. [1]
SLACK = 1e-9

# --- accelerator memory --------------------------------------------------------------------------------------------

# Share of the nameplate memory a job may fill. [1] Sizing reference 2.5, default.
MEMORY_SHARE = 0.90
# CUDA context, collectives, fragmentation. [byte] Sizing reference 2.5, default.
MEMORY_RESERVE_BYTES = 3e9


def usable_memory_bytes(memory_gb: npt.ArrayLike) -> Values:
    """Return the memory of one GPU that weights, states, activations and cache may fill, never below 0. [byte]

    memory_gb : any shape: nameplate memory, 1 GB = 1e9 bytes. [GB]
    Source: sizing reference 2.5 (0.90 × memory − 3 GB).
    """
    return unboxed(
        np.maximum(MEMORY_SHARE * within("memory_gb", memory_gb, 0.0, unit="GB") * 1e9 - MEMORY_RESERVE_BYTES, 0.0)
    )


# --- training compute and time (1) ---------------------------------------------------------------------------------

# Work of one token on one active parameter. [FLOP/(param·token)] Sizing reference 1.1 (arXiv 2205.05198).
FLOP_PER_PARAM = {"train": 6.0, "recompute_hw": 8.0, "lora": 4.0, "inference": 2.0}
# Attention forward pass, full matrix: QKᵀ and AV, 2·h·s each. [FLOP/(layer·hidden·token)] Sizing reference 1.1.
ATTENTION_FLOP_PER_PASS = 4.0
# Forward passes' worth of attention work. [1] Backward costs two forwards, full recomputation one more.
ATTENTION_PASSES = {"train": 3.0, "recompute_hw": 4.0, "lora": 3.0, "inference": 1.0}


def attention_flop(
    layers: npt.ArrayLike, hidden: npt.ArrayLike, sequence: npt.ArrayLike, *, work: str = "train", causal: bool = False
) -> Values:
    """Return the attention work of one token over all layers: 12·L·h·s in training. [FLOP/token]

    layers, hidden, sequence : any shapes: L, h, s. [1], [1], [token]
    work   : "train", "recompute_hw" (16·L·h·s), "lora" or "inference" (4·L·h·s).
    causal : count only the lower half of the matrix.
    Source: sizing reference 1.1. Add it when s > h/4 or when matching a published MFU.
    """
    if work not in ATTENTION_PASSES:
        raise not_a_choice("work", work, tuple(ATTENTION_PASSES))
    size = within("layers", layers, 0) * within("hidden", hidden, 0) * within("sequence", sequence, 0, unit="token")
    return unboxed(ATTENTION_FLOP_PER_PASS * ATTENTION_PASSES[work] * size * (0.5 if causal else 1.0))


def training_gpu_hours(
    active_params: npt.ArrayLike,
    tokens: npt.ArrayLike,
    peak_flops: npt.ArrayLike,
    mfu: npt.ArrayLike,
    goodput: npt.ArrayLike,
    flop_per_param: npt.ArrayLike = 6.0,
    attention_flop_per_token: npt.ArrayLike = 0.0,
) -> Values:
    """Return billed GPU-hours of a run, (F·Na + attention)·D / (P·MFU·G·3600). [GPU-hour]

    active_params  : parameters active per token (dense: all). [param]
    tokens         : tokens over all epochs. [token]
    peak_flops     : dense peak of one GPU in the precision to which `mfu` refers. [FLOP/s]
    mfu, goodput   : model FLOP share of the peak in a step; share of the wall time spent in steps. [1]
    flop_per_param : a value of FLOP_PER_PARAM. [FLOP/(param·token)]
    attention_flop_per_token : from `attention_flop`, 0 to leave it out. [FLOP/token]
    All shapes broadcast. Source: sizing reference 1.2.
    """
    per_token = within("flop_per_param", flop_per_param, 0.0) * within(
        "active_params", active_params, 0.0, unit="param"
    )
    per_token = per_token + within("attention_flop_per_token", attention_flop_per_token, 0.0, unit="FLOP/token")
    speed = above("peak_flops", peak_flops, unit="FLOP/s") * above("mfu", mfu, 1.0) * above("goodput", goodput, 1.0)
    return unboxed(per_token * within("tokens", tokens, 0.0, unit="token") / (speed * 3600.0))


def measured_gpu_hours(
    tokens: npt.ArrayLike, tokens_per_s_per_gpu: npt.ArrayLike, goodput: npt.ArrayLike = 1.0
) -> Values:
    """Return billed GPU-hours of a run whose speed was measured, D / (speed·G·3600). [GPU-hour]

    tokens, tokens_per_s_per_gpu : work and speed in the same unit, tokens or samples. [token], [token/s]
    goodput : share of the wall time spent in steps. [1]
    All shapes broadcast; a run in phases is the sum of the calls. Source: sizing reference 1.2.
    """
    speed = above("tokens_per_s_per_gpu", tokens_per_s_per_gpu, unit="token/s") * above("goodput", goodput, 1.0)
    return unboxed(within("tokens", tokens, 0.0, unit="token") / (speed * 3600.0))


def wall_days(gpu_hours: npt.ArrayLike, gpus: npt.ArrayLike) -> Values:
    """Return the days a run of `gpu_hours` takes on `gpus` GPUs. [day] Source: sizing reference 1.2."""
    return unboxed(within("gpu_hours", gpu_hours, 0.0, unit="GPU-hour") / above("gpus", gpus, unit="GPU") / 24.0)


@dataclass(frozen=True)
class TrainingBand:
    """What share of the peak a training run turns into model FLOP. All [1], of the peak of the precision trained in.

    low, high : planning band of MFU × goodput, over the whole billed time.
    mfu       : share reached in a step, base. `base` = mfu × goodput.
    goodput   : share of the billed time spent in steps, base.
    benchmark : range of tuned public benchmarks, of MFU; None where there is none.
    published : True for a row of table 1.3; False where `training_band` fell back on one.
    """

    low: float
    mfu: float
    high: float
    goodput: float
    benchmark: tuple[float, float] | None = None
    published: bool = True

    @property
    def base(self) -> float:
        return self.mfu * self.goodput


# Goodput of a run over several servers and on one server. [1] Sizing reference 1.3, default (published 0.77 to 0.95).
GOODPUT, GOODPUT_ONE_SERVER = 0.85, 0.95

# Table 1.3 of the sizing reference, keyed by (generation, precision trained in, mixture of experts). The table prints
# the base of MFU × goodput (0.40, 0.32, 0.30, 0.34, 0.33, 0.20); mfu here is that base over 0.85, and 0.38 for H100 as
# printed there. Hopper's experts are printed "of BF16 peak"; trained in FP8, whose peak is twice that, all are halved.
TRAINING_BANDS: dict[tuple[str, str, bool], TrainingBand] = {
    ("ampere", "bf16", False): TrainingBand(0.24, 0.47, 0.50, GOODPUT, (0.45, 0.60)),
    ("hopper", "bf16", False): TrainingBand(0.15, 0.38, 0.42, GOODPUT, (0.38, 0.45)),
    ("hopper", "bf16", True): TrainingBand(0.20, 0.353, 0.40, GOODPUT, (0.25, 0.39)),
    ("hopper", "fp8", True): TrainingBand(0.10, 0.1765, 0.20, GOODPUT, (0.125, 0.195)),
    ("hopper", "fp8", False): TrainingBand(0.20, 0.40, 0.42, GOODPUT, (0.41, 0.41)),
    ("blackwell", "fp8", False): TrainingBand(0.20, 0.388, 0.42, GOODPUT, (0.40, 0.40)),
    ("blackwell", "fp8", True): TrainingBand(0.12, 0.235, 0.28, GOODPUT, (0.22, 0.26)),
}
# One 8-GPU server, 1B to 13B, dense, 16 bit (printed 0.45 and 0.36). No band is printed: the multi-server one stands.
SINGLE_SERVER_BANDS: dict[str, TrainingBand] = {
    "ampere": TrainingBand(0.24, 0.474, 0.50, GOODPUT_ONE_SERVER, (0.55, 0.64)),
    "hopper": TrainingBand(0.15, 0.379, 0.42, GOODPUT_ONE_SERVER, (0.40, 0.46)),
}
# Best measured BF16 matmul, share of the peak: MI300X 51 %, H100 80 %. [1] Sizing reference section 0.
CDNA_OF_HOPPER = 0.51 / 0.80


def training_band(architecture: str, precision: str, moe: bool = False, single_server: bool = False) -> TrainingBand:
    """Return the planning band of MFU and goodput, of the peak of the precision trained in. [1]

    architecture  : the catalog's word, such as "Ampere", "Hopper", "Blackwell Ultra", "CDNA 3"; case does not matter.
    precision     : trained in: "fp8" or "fp4" (also "mxfp8", "nvfp4" …); anything else counts as 16 bit.
    moe           : mixture of experts.
    single_server : the run stays in one server: goodput 0.95, and rows of its own for A100 and H100, dense, 16 bit.
    Source: sizing reference 1.3. Where that table has no row, `published` is False and
    - Volta and Turing take Ampere's rows, Rubin Blackwell's; Ada Lovelace and every other name take Hopper's;
    - CDNA (AMD) takes Hopper's times 0.51/0.80, the ratio of the measured matmul ceilings;
    - Ampere has no FP8 and takes its 16-bit row; what else is missing (Ampere experts, Blackwell 16 bit) takes
    Hopper's;
    - FP4 takes half the FP8 row, that is the FP8 speed on a peak twice as high, until a measured figure is published.
    """
    name, word = architecture.strip().lower(), precision.strip().lower()
    old = name.startswith(("ampere", "volta", "turing"))
    generation = "ampere" if old else "blackwell" if name.startswith(("blackwell", "rubin")) else "hopper"
    kind = "fp8" if not old and ("fp8" in word or "fp4" in word) else "bf16"
    key = (generation, kind, moe)
    published = name.startswith(generation) and key in TRAINING_BANDS and "fp4" not in word
    if key not in TRAINING_BANDS:
        key = ("hopper", kind, moe)
    band = TRAINING_BANDS[key]
    if single_server:
        row = SINGLE_SERVER_BANDS.get(key[0]) if kind == "bf16" and not moe else None
        published = published and row is not None
        band = row or replace(band, goodput=GOODPUT_ONE_SERVER)
    if published:
        return band
    factor = (0.5 if kind == "fp8" and "fp4" in word else 1.0) * (CDNA_OF_HOPPER if name.startswith("cdna") else 1.0)
    return TrainingBand(
        band.low * factor, band.mfu * factor, band.high * factor, band.goodput, benchmark=None, published=False
    )


# Up to so many tokens a tuning run is start-up, padding and evaluation: at least an hour of wall time, at most a tenth
# of the peak. [token], [h], [1] Sizing reference 1.3, default.
SMALL_TUNING_TOKENS, SMALL_TUNING_HOURS, SMALL_TUNING_MFU = 1e8, 1.0, 0.10


def tuning_mfu(tokens: npt.ArrayLike, mfu: npt.ArrayLike) -> Values:
    """Return the MFU of a tuning run: at most 0.10 below 1e8 tokens, `mfu` above. [1]

    tokens, mfu : any shapes. [token], [1] Such a run also takes an hour at least, SMALL_TUNING_HOURS.
    Source: sizing reference 1.3, default (Alpaca: 52k samples, 3 epochs, about 12 % of the peak).
    """
    share = above("mfu", mfu, 1.0)
    small = within("tokens", tokens, 0.0, unit="token") < SMALL_TUNING_TOKENS
    return unboxed(np.where(small, np.minimum(share, SMALL_TUNING_MFU), share))


# --- training memory (2) -------------------------------------------------------------------------------------------

# Model states: weights, gradients, optimizer with fp32 master. [byte/param] Table 2.1 of the sizing reference, arXiv
# 1910.02054.
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
# Checkpoint with bf16 weights, fp32 master and Adam. [byte/param] Sizing reference 2.6.
CHECKPOINT_BYTES, WEIGHTS_ONLY_BYTES = 14.0, 2.0
# Buffer DeepSpeed adds to its estimate of host memory. [1] DeepSpeed, docs/code-docs/source/memory.rst.
HOST_BUFFER = 1.5
# Largest gang looked for. [GPU]
LARGEST_GANG = 65536
POWERS_OF_TWO = tuple(2**exponent for exponent in range(17))


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
) -> Values:
    """Return activations one layer keeps for the backward pass. [byte]

    kind : what is recomputed:
      "none"              nothing, 16-bit GPT layer: s·b·h·(10 + 24/t + 5·a·s/(h·t)), at t = 1 s·b·h·(34 + 5·a·s/h);
      "sequence_parallel" nothing, with sequence parallelism: s·b·h/t·(34 + 5·a·s/h);
      "selective"         attention only, or FlashAttention: 34·s·b·h/t;
      "full"              everything, the layer's input is kept: 2·s·b·h (one live layer comes on top, once per GPU);
      "swiglu_flash"      nothing, SwiGLU layer with FlashAttention, as measured: 2·28·s·b·h.
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
        each = 2.0 * HIDDEN_COPIES + 0.0 * t
    else:
        raise not_a_choice("kind", kind, ACTIVATION_KINDS)
    return unboxed(sbh * each)


def logits_bytes(micro_batch: npt.ArrayLike, sequence: npt.ArrayLike, vocabulary: npt.ArrayLike) -> Values:
    """Return the fp32 logits of a micro-batch, 4·b·s·vocab; at long context more than all else. [byte] Sizing reference
    2.3.
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
    Longer contexts add activations. Source: sizing reference 2.4, within 11 % of the LLaMA-Factory table from 7B to
    70B.
    """
    if method not in ADAPTER_BYTES:
        raise not_a_choice("method", method, tuple(ADAPTER_BYTES))
    return unboxed(ADAPTER_BYTES[method] * within("params", params, 0.0, unit="param") + ADAPTER_FIXED_BYTES)


def checkpoint_bytes(params: npt.ArrayLike, *, weights_only: bool = False) -> Values:
    """Return the size of one checkpoint: 14 bytes a parameter, weights alone 2. [byte] Source: sizing reference 2.6."""
    return unboxed(
        (WEIGHTS_ONLY_BYTES if weights_only else CHECKPOINT_BYTES) * within("params", params, 0.0, unit="param")
    )


# --- gangs: GPUs that work on one job together (10) ----------------------------------------------------------------


def gang_sizes(server_gpus: int, largest: int = LARGEST_GANG) -> tuple[int, ...]:
    """Return the gangs that waste no server: powers of two inside one server, then whole servers. [GPU]

    server_gpus : GPUs of one server or of one NVLink domain, such as 4, 8, 10, 16 or 72.
    Source: sizing reference 10, step 4 ("1, 2, 4, 8, then whole servers").
    """
    size = int(whole("server_gpus", server_gpus, 1, unit="GPU"))
    inside = [power for power in POWERS_OF_TWO if power < size]
    return (*inside, *range(size, largest + 1, size))


def gang_by_memory(
    params: float,
    layers: int,
    hidden: int,
    sequence: float,
    memory_gb: float,
    setup: str | tuple[float, float, float],
    micro_batch: float = 1,
    recompute: bool | str = True,
    candidates: Sequence[int] = POWERS_OF_TWO,
    *,
    heads: int = 0,
    vocabulary: float = 0,
    largest_layer_params: float | None = None,
) -> int | None:
    """Return the smallest gang whose GPUs hold the run under ZeRO-3, or None where no candidate does. [GPU]

    The gang must satisfy states/g + activations of all layers + 4·largest layer ≤ usable memory of one GPU.
    params, layers, hidden, sequence, micro_batch : N, L, h, s, b of one GPU. Scalars.
    memory_gb  : nameplate memory of one GPU. [GB]
    setup      : key of STATE_BYTES or its tuple. [byte/param]
    recompute  : True or "full" (inputs of the layers and one live layer), "selective", False or "none" (needs heads),
        "swiglu_flash".
    candidates : gangs to try, ascending; by default the powers of two to 65,536. `gang_sizes` gives those of a server.
    vocabulary : adds the logits where given. [1]
    largest_layer_params : by default params / layers, as in a model of equal layers. [param]
    Source: sizing reference 10, steps 1 and 2.
    """
    kind = {True: "full", False: "none"}[recompute] if isinstance(recompute, bool) else recompute
    largest = params / max(layers, 1) if largest_layer_params is None else largest_layer_params
    activations = float(layers * activation_bytes_per_layer(kind, sequence, micro_batch, hidden, heads))
    if kind == "full":
        activations += float(activation_bytes_per_layer("selective", sequence, micro_batch, hidden))
    fixed = activations + float(logits_bytes(micro_batch, sequence, vocabulary))
    fixed += float(state_bytes_per_gpu(0.0, setup, 3, 1, largest))
    room = float(usable_memory_bytes(memory_gb)) - fixed
    states = float(state_bytes_per_gpu(params, setup, 0, 1))
    return _smallest_gang(states, room, candidates)


def gang_by_bytes(total_bytes: float, memory_gb: float, candidates: Sequence[int] = POWERS_OF_TWO) -> int | None:
    """Return the smallest gang over which `total_bytes` fit, spread evenly, or None. [GPU]

    total_bytes : such as `adapter_tuning_bytes`. [byte]
    memory_gb   : nameplate of one GPU. [GB]
    candidates  : gangs to try, ascending. [GPU]
    Scalars. Source: sizing reference 10, steps 1 and 2.
    """
    return _smallest_gang(
        float(within("total_bytes", total_bytes, 0.0, unit="byte")), float(usable_memory_bytes(memory_gb)), candidates
    )


def _smallest_gang(shared: float, room: float, candidates: Sequence[int]) -> int | None:
    """The first candidate g with shared/g ≤ room; shared/g falls as g grows."""
    if room <= 0.0:
        return None
    at = bisect_left(candidates, shared / room * (1.0 - SLACK))
    return int(candidates[at]) if at < len(candidates) else None


def gang_by_deadline(gpu_hours: npt.ArrayLike, deadline_days: npt.ArrayLike) -> Values:
    """Return the GPUs that finish a run in time, ceil(gpu_hours / (24·days)); at least 1. [GPU]

    gpu_hours, deadline_days : any shapes. [GPU-hour], [day]. Source: sizing reference 10, step 3.
    """
    gpus = within("gpu_hours", gpu_hours, 0.0, unit="GPU-hour") / (
        24.0 * above("deadline_days", deadline_days, unit="day")
    )
    return unboxed(np.maximum(_ceil(gpus), 1))


def round_gang(gpus: npt.ArrayLike, server_gpus: int) -> Values:
    """Return gangs rounded up to 1, 2, 4, 8, … inside a server, then to whole servers. [GPU]

    gpus        : any shape, real-valued or whole, 0 stays 0. [GPU]
    server_gpus : GPUs of one server or NVLink domain (4, 8, 10, 16, 72 …), the last step inside it. Scalar. [GPU]
    Source: sizing reference 10, step 4.
    """
    size = int(whole("server_gpus", server_gpus, 1, unit="GPU"))
    wanted = _ceil(within("gpus", gpus, 0.0, unit="GPU"))
    steps = np.array([0, *(power for power in POWERS_OF_TWO if power < size), size], dtype=np.int64)
    inside = steps[np.searchsorted(steps, np.minimum(wanted, size))]
    return unboxed(np.where(wanted <= size, inside, -(-wanted // size) * size))


def _ceil(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    return np.ceil(np.asarray(values, dtype=np.float64) - SLACK).astype(np.int64)


# PCIe-only cards: a gang over 4 in one server takes this much longer. [1] Sizing reference 10, step 5, default.
PCIE_TIME_FACTOR = 1.30
PCIE_GANG = 4


def link_time_factor(gang: npt.ArrayLike, nvlink: npt.ArrayLike) -> Values:
    """Return by how much a gang runs longer for want of NVLink: 1.30 for PCIe-only gangs over 4 cards, else 1. [1]

    gang, nvlink : any shapes: GPUs of one job; whether the server joins its cards by NVLink or its like.
    Source: sizing reference 10, step 5; over 4 only, as the model page settles it.
    """
    slow = (within("gang", gang, 0, unit="GPU") > PCIE_GANG) & ~np.asarray(nvlink, dtype=bool)
    return unboxed(np.where(slow, PCIE_TIME_FACTOR, 1.0))


def installation_class(gang: float, server_gpus: float, nvlink: bool = True, gpus_needed: float | None = None) -> str:
    """Return which class of installation a workload calls for.

    gang        : GPUs one job or one replica must join. [GPU]
    server_gpus : GPUs in one server, or in one NVLink domain where that is larger (72). [GPU]
    nvlink      : the class is the same without it: PCIe-only cards carry the gang more slowly, see `link_time_factor`.
    gpus_needed : GPUs of all jobs or replicas together; by default one gang. [GPU]
    Returns "cluster" where the gang exceeds the server; else "independent_servers" where more than one is needed,
    "one_gpu" where one GPU is enough, "one_server" otherwise. Scalars.
    Source: sizing reference 10 (steps 5 and 6; serving 2 to 4).
    """
    joined = float(above("gang", gang, unit="GPU"))
    size = float(within("server_gpus", server_gpus, 1, unit="GPU"))
    everything = (
        joined if gpus_needed is None else max(joined, float(within("gpus_needed", gpus_needed, 0, unit="GPU")))
    )
    if joined > size + SLACK:
        return "cluster"
    if everything > size + SLACK:
        return "independent_servers"
    return "one_gpu" if everything <= 1.0 + SLACK else "one_server"


# --- inference memory (3) ------------------------------------------------------------------------------------------

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


def weight_bytes(params: npt.ArrayLike, precision: str) -> Values:
    """Return the weights of a model; a mixture of experts keeps all experts, so pass all parameters. [byte]

    params : any shape. [param] precision : key of BYTES_PER_PARAM. Source: sizing reference 3.
    """
    if precision not in BYTES_PER_PARAM:
        raise not_a_choice("precision", precision, tuple(BYTES_PER_PARAM))
    return unboxed(within("params", params, 0.0, unit="param") * BYTES_PER_PARAM[precision])


def gpus_for_weights(
    total_weight_bytes: npt.ArrayLike, memory_gb: npt.ArrayLike, overhead: npt.ArrayLike = OVERHEAD_WITHOUT_KV
) -> Values:
    """Return the GPUs that hold the weights when the cache is not counted, ceil(W·1.1 / (0.9·memory)). [GPU]

    total_weight_bytes : any shape. [byte] memory_gb : nameplate. [GB] overhead : share added to the weights. [1]
    Source: sizing reference 3, "smallest node count".
    """
    need = within("total_weight_bytes", total_weight_bytes, 0.0, unit="byte") * (
        1.0 + within("overhead", overhead, 0.0)
    )
    return unboxed(_ceil(need / (MEMORY_SHARE * above("memory_gb", memory_gb, unit="GB") * 1e9)))


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

    context : any shape: prompt + generated so far; mean ISL + OSL/2, peak ISL + OSL. [token] Source: sizing 3.
    """
    length = within("context", context, 0.0, unit="token")
    return unboxed(per_token.full_bytes * length + per_token.windowed_bytes * np.minimum(length, per_token.window))


# --- inference speed (4) -------------------------------------------------------------------------------------------

# e_c: usable share of the dense peak under saturation, by the precision computed in. [1] Sizing reference 4.1, fitted
# on the TensorRT-LLM v1.0 maximum-load table (mean error 7 %); 16 bit 0.65 is a default.
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
# Rate under a latency target over that at saturation. [1] Sizing reference 4.3, MLPerf Inference v5.1: Server (TTFT
# 2 s, TPOT 200 ms) and Interactive (TTFT 450 ms, TPOT 40 ms; MI300X only 0.32). A batch has no target.
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


def _compute_flops(gpus: Values, peak_flops: npt.ArrayLike, efficiency: npt.ArrayLike) -> Values:
    peak, share = above("peak_flops", peak_flops, unit="FLOP/s"), above("compute_efficiency", efficiency, 1.0)
    return gpus * peak * share * gpus**-TENSOR_PARALLEL_EXPONENT


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
    if compute_efficiency is None:
        if precision not in COMPUTE_PRECISION:
            raise not_a_choice("precision", precision, tuple(COMPUTE_PRECISION))
        compute_efficiency = COMPUTE_EFFICIENCY[COMPUTE_PRECISION[precision]]
    flops = _compute_flops(n, peak_flops, compute_efficiency) * (MOE_COMPUTE_FACTOR if moe else 1.0)
    bandwidth = n * above("memory_bandwidth", memory_bandwidth, unit="byte/s")
    bandwidth = (
        bandwidth * above("bandwidth_efficiency", bandwidth_efficiency, 1.0) * (MOE_BANDWIDTH_FACTOR if moe else 1.0)
    )

    free = n * usable_memory_bytes(memory_gb) - w
    fits = free >= kv_bytes(kv, isl + osl)
    cached = kv_bytes(kv, isl + OUTPUT_OCCUPANCY * osl)
    limit = within("batch_limit", batch_limit, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        batch = np.where(cached > 0.0, np.minimum(limit, free / cached), limit)
    batch = np.where(fits, batch, 0.0)
    at_work = np.where(batch > 0.0, batch, 1.0)  # keeps the division below clean; cleared again by `carries`

    read_s = (w + at_work * kv_bytes(kv, isl + osl / 2.0)) / bandwidth
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
    shape = np.broadcast_shapes(*(np.shape(part) for part in (requests, osl, batch, t_step, t_prefill, fits)))

    def out(part: Any) -> Values:
        return unboxed(np.broadcast_to(part, shape))

    return ServingRate(
        out(requests),
        out(requests * osl),
        out(batch),
        out(np.where(fits, t_step, 0.0)),
        out(np.where(fits, t_prefill, 0.0)),
        out(fits),
        out(bound),
    )


REPLICA_SIZES = (1, 2, 4, 8)


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
) -> tuple[int, ServingRate] | None:
    """Return the smallest replica that holds the model, and its saturated rate; None where none does, or no peak known.

    shape : the model as the catalog has it: params_b, active_params_b [1e9 param]; layers, hidden, heads, kv_heads,
        head_dim, attention, kv_lora_rank, rope_head_dim, sliding_window, full_attention_layers, moe.
    precision : of the weights, key of BYTES_PER_PARAM. The card computes in it where it has a peak for it, else in 16
        bit, into which the weights are widened.
    memory_gb, bandwidth_gbps, *_tflops : of one GPU. [GB], [GB/s], [1e12 FLOP/s]
    architecture : the catalog's word; "CDNA …" (AMD) takes 0.6 of the roofline's rate, CDNA_SERVING_FACTOR.
    cache_bytes : bytes of a cached number; by default 1 (8 bit) where the card computes in 8 or 4 bits, else 2. [byte]
    Scalars. Source: `replica_size` and `serving_rate`.
    """
    if precision not in BYTES_PER_PARAM:
        raise not_a_choice("precision", precision, tuple(BYTES_PER_PARAM))
    peaks = {"bf16": bf16_tflops, "fp8": fp8_tflops, "fp4": fp4_tflops}
    computed = COMPUTE_PRECISION[precision] if peaks[COMPUTE_PRECISION[precision]] else "bf16"
    peak = peaks[computed]
    if not peak:
        return None
    heads = shape["heads"]
    kv = kv_bytes_per_token(
        shape["attention"],
        shape["layers"],
        shape.get("kv_heads") or heads,
        shape.get("head_dim") or shape["hidden"] / heads,
        cache_bytes or (2.0 if computed == "bf16" else 1.0),
        shape.get("kv_lora_rank"),
        shape.get("rope_head_dim"),
        shape.get("full_attention_layers"),
        shape.get("sliding_window"),
    )
    weights = weight_bytes(shape["params_b"] * 1e9, precision)
    gpus = replica_size(
        weights=weights, kv=kv, memory_gb=memory_gb, input_tokens=input_tokens, output_tokens=output_tokens, sizes=sizes
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
    )
    return gpus, rate


def disaggregated_nodes(
    input_tokens_per_s: npt.ArrayLike,
    output_tokens_per_s: npt.ArrayLike,
    prefill_rate: npt.ArrayLike,
    decode_rate: npt.ArrayLike,
) -> Values:
    """Return the servers a fleet with separate prefill and decode needs, real-valued. [server]

    Demands and rates of one server, any shapes. [token/s] Source: sizing reference 5 (deepseek-ai/open-infra-index).
    """
    prefill = within("input_tokens_per_s", input_tokens_per_s, 0.0) / above(
        "prefill_rate", prefill_rate, unit="token/s"
    )
    return unboxed(
        prefill
        + within("output_tokens_per_s", output_tokens_per_s, 0.0) / above("decode_rate", decode_rate, unit="token/s")
    )


# --- from demand to servers (5) ------------------------------------------------------------------------------------

# Target utilisation of serving with autoscaling (0.60 without). [1] Sizing reference 5, default.
U_MAX = 0.80
# Spares: one up to so many active servers, then this share. [server], [1] Sizing reference 5, default.
SPARE_UP_TO, SPARE_SHARE = 20, 0.05


def servers_needed(
    peak_rate: npt.ArrayLike,
    server_rate: npt.ArrayLike,
    slo_derate: npt.ArrayLike = 1.0,
    u_max: npt.ArrayLike = U_MAX,
    spare: npt.ArrayLike = 0,
) -> Values:
    """Return servers (or replicas) for a peak: ceil(peak / (rate·derate·u_max)) + spare, 0 for a peak of 0. [server]

    peak_rate, server_rate : in the same unit, requests/s or tokens/s; the rate of one server at saturation. Where a
        model does not fit there is no rate: leave those months out, a rate of 0 is refused.
    slo_derate : value of SLO_DERATE or measured. [1] u_max : target utilisation. [1]
    spare      : servers added after rounding up (N+k). All shapes broadcast. Source: sizing reference 5.
    """
    peak = within("peak_rate", peak_rate, 0.0)
    usable = above("server_rate", server_rate) * above("slo_derate", slo_derate, 1.0) * above("u_max", u_max, 1.0)
    active = np.where(peak > 0.0, np.maximum(_ceil(peak / usable), 1), 0)
    return unboxed(np.where(active > 0, active + whole("spare", spare, unit="server"), 0))


def default_spare(active: npt.ArrayLike) -> Values:
    """Return N+1 up to 20 active servers, then 5 % rounded up. [server] Any shape. Sizing reference 5, default."""
    count = whole("active", active, unit="server")
    return unboxed(np.where(count <= SPARE_UP_TO, np.where(count > 0, 1, 0), _ceil(SPARE_SHARE * count)))


def concurrency(
    rate: npt.ArrayLike, ttft_s: npt.ArrayLike, output_tokens: npt.ArrayLike, user_tokens_per_s: npt.ArrayLike
) -> Values:
    """Return the mean number of requests under way, λ·(TTFT + OSL / speed), by Little's law. [request]

    rate : arrivals. [1/s] ttft_s : time to the first token. [s] output_tokens : mean. [token]
    user_tokens_per_s : speed at which one user receives. [token/s] All shapes broadcast. Source: sizing reference 5.
    """
    stay = within("ttft_s", ttft_s, 0.0, unit="s")
    stay = stay + within("output_tokens", output_tokens, 0.0) / above(
        "user_tokens_per_s", user_tokens_per_s, unit="token/s"
    )
    return unboxed(within("rate", rate, 0.0, unit="1/s") * stay)


def poisson_quantile(mean: npt.ArrayLike, quantile: npt.ArrayLike = 0.99) -> Values:
    """Return the smallest whole q with PoissonCDF(q; mean) ≥ quantile: p99 concurrency, spares on the shelf. [1]

    mean : any shape, ≥ 0. quantile : any shape, in [0, 1). Source: sizing reference 5 and 7.3.
    """
    from scipy import special  # here, so that importing the engine stays quick

    average = within("mean", mean, 0.0)
    share = within("quantile", quantile, 0.0, 1.0 - 1e-15)
    average, share = np.broadcast_arrays(average, share)
    guess = np.nan_to_num(special.pdtrik(share, np.where(average > 0.0, average, 1.0)), nan=0.0)
    answer = np.where(average > 0.0, np.maximum(np.ceil(guess), 0.0), 0.0)
    # the inverse is continuous and may miss by one either way at a step
    answer = np.where((answer > 0) & (special.pdtr(np.maximum(answer - 1, 0), average) >= share), answer - 1, answer)
    answer = np.where(special.pdtr(answer, average) < share, answer + 1, answer)
    return unboxed(answer.astype(np.int64))


def erlang_c(servers: npt.ArrayLike, offered: npt.ArrayLike) -> Values:
    """Return the probability that a request waits in M/M/n; 1 where the offered load reaches the servers. [1]

    servers : whole, any shape, ≥ 0. [server] offered : λ·S, any shape. [erlang]
    B_0 = 1; B_j = A·B/(j + A·B); C = n·B_n / (n − A·(1 − B_n)). Source: sizing reference 5 (Erlang 1917).
    """
    n, a = np.broadcast_arrays(whole("servers", servers, unit="server"), within("offered", offered, 0.0, unit="erlang"))
    blocked = np.ones(a.shape)
    for j in range(1, int(n.max(initial=0)) + 1):
        blocked = np.where(j <= n, a * blocked / (j + a * blocked), blocked)
    stable = a < n
    waits = n * blocked / np.where(stable, n - a * (1.0 - blocked), 1.0)
    return unboxed(np.where(stable, waits, 1.0))


def mean_wait_s(servers: npt.ArrayLike, offered: npt.ArrayLike, service_s: npt.ArrayLike) -> Values:
    """Return the mean wait over all requests, C·S/(n − A); infinite where the load reaches the servers. [s] Sizing
    reference 5.
    """
    spare = np.asarray(servers, dtype=np.float64) - np.asarray(offered, dtype=np.float64)
    waits = erlang_c(servers, offered) * within("service_s", service_s, 0.0, unit="s")
    return unboxed(np.where(spare > 0.0, waits / np.where(spare > 0.0, spare, 1.0), np.inf))


def service_level(
    servers: npt.ArrayLike, offered: npt.ArrayLike, service_s: npt.ArrayLike, target_s: npt.ArrayLike
) -> Values:
    """Return the share of requests that wait no longer than `target_s`, 1 − C·exp(−(n − A)·t/S). [1] Sizing reference
    5.
    """
    spare = np.asarray(servers, dtype=np.float64) - np.asarray(offered, dtype=np.float64)
    ratio = within("target_s", target_s, 0.0, unit="s") / above("service_s", service_s, unit="s")
    level = 1.0 - erlang_c(servers, offered) * np.exp(-np.maximum(spare, 0.0) * ratio)
    return unboxed(np.where(spare > 0.0, level, 0.0))


def servers_for_service_level(offered: float, service_s: float, target_s: float, level: float) -> int:
    """Return the fewest servers that keep a service level, searched upwards from floor(A) + 1. [server] Sizing
    reference 5.

    offered : [erlang] service_s, target_s : [s] level : in [0, 1). Scalars.
    """
    wanted = float(within("level", level, 0.0, 1.0 - 1e-12))
    count = math.floor(float(within("offered", offered, 0.0, unit="erlang"))) + 1
    while service_level(count, offered, service_s, target_s) < wanted:
        count += 1
    return count


def k_of_n_availability(needed: int, installed: int, availability: npt.ArrayLike) -> Values:
    """Return the probability that at least `needed` of `installed` servers are up, each by itself. [1]

    availability : of one server, any shape. [1] Source: sizing reference 5; NIST/SEMATECH e-Handbook 8.1.8.6 (k out of
        n).
    """
    up = within("availability", availability, 0.0, 1.0)
    least, count = int(whole("needed", needed)), int(whole("installed", installed))
    terms = (math.comb(count, j) * up**j * (1.0 - up) ** (count - j) for j in range(least, count + 1))
    return unboxed(sum(terms, np.zeros(up.shape)))


# --- scheduling (9) ------------------------------------------------------------------------------------------------

# Share of a pool that a scheduler keeps allocated: none; Slurm or Kubernetes with quotas; preemption, backfill and
# sharing. [1]
# Sizing reference 9, default (Meta RSC 0.83 to 0.85; Alibaba PAI 0.54).
ALLOCATION_SHARE = {"none": 0.45, "quotas": 0.65, "preemption": 0.80}
# Hours lost to maintenance. [1] Sizing reference 9, default.
MAINTENANCE_SHARE = 0.03


def pool_gpus(gpu_hours: npt.ArrayLike, hours: npt.ArrayLike, scheduler: str = "none") -> Values:
    """Return the GPUs a pool must install for so many GPU-hours of work in a month, real-valued. [GPU]

    gpu_hours : work of the month, any shape. [GPU-hour] hours : of that very month. [h] scheduler : key of
        ALLOCATION_SHARE.
    Source: sizing reference 9, demand / (hours · allocation · (1 − maintenance)).
    """
    if scheduler not in ALLOCATION_SHARE:
        raise not_a_choice("scheduler", scheduler, tuple(ALLOCATION_SHARE))
    usable = above("hours", hours, unit="h") * ALLOCATION_SHARE[scheduler] * (1.0 - MAINTENANCE_SHARE)
    return unboxed(within("gpu_hours", gpu_hours, 0.0, unit="GPU-hour") / usable)
