"""Compute and time of a training run: tokens → FLOP → GPU-hours → days.

Sizing reference, sections 1.1 and 1.2.
"""

from __future__ import annotations

import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, unboxed, within

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


def flop_per_token(
    active_params: npt.ArrayLike, flop_per_param: npt.ArrayLike = 6.0, attention_flop_per_token: npt.ArrayLike = 0.0
) -> Values:
    """Return the work of one token, F·Na + attention. [FLOP/token]

    active_params  : parameters active per token (dense: all). [param]
    flop_per_param : a value of FLOP_PER_PARAM. [FLOP/(param·token)]
    attention_flop_per_token : from `attention_flop`, 0 to leave it out. [FLOP/token]
    All shapes broadcast. Source: sizing reference 1.1.
    """
    linear = within("flop_per_param", flop_per_param, 0.0) * within("active_params", active_params, 0.0, unit="param")
    return unboxed(linear + within("attention_flop_per_token", attention_flop_per_token, 0.0, unit="FLOP/token"))


def reinforcement_flop(
    active_params: npt.ArrayLike, generated_tokens: npt.ArrayLike, trained_tokens: npt.ArrayLike
) -> Values:
    """Return the work of a reinforcement-learning stage, rollouts included: 2·Na generated + 6·Na trained. [FLOP]

    All shapes broadcast: [param], [token], [token]. Source: sizing reference 1.4.
    """
    rollouts = flop_per_token(active_params, FLOP_PER_PARAM["inference"]) * within(
        "generated_tokens", generated_tokens, 0.0, unit="token"
    )
    trained = flop_per_token(active_params, FLOP_PER_PARAM["train"]) * within(
        "trained_tokens", trained_tokens, 0.0, unit="token"
    )
    return unboxed(rollouts + trained)


def mfu_of_hfu(hfu: npt.ArrayLike) -> Values:
    """Return the MFU of a run under full recomputation whose HFU is known, HFU·6/8. [1] Sizing reference 1.1."""
    return unboxed(within("hfu", hfu, 0.0, 1.0) * FLOP_PER_PARAM["train"] / FLOP_PER_PARAM["recompute_hw"])


def gpu_flops(work_per_token: npt.ArrayLike, tokens_per_s: npt.ArrayLike, gpus: npt.ArrayLike = 1) -> Values:
    """Return the speed that one of `gpus` GPUs reaches when all together do `tokens_per_s`. [FLOP/s]

    work_per_token : from `flop_per_token`. [FLOP/token]
    Over the peak it is the MFU. All shapes broadcast. Source: sizing reference 1.1 and 1.2.
    """
    speed = within("tokens_per_s", tokens_per_s, 0.0, unit="token/s") / above("gpus", gpus, unit="GPU")
    return unboxed(within("work_per_token", work_per_token, 0.0, unit="FLOP/token") * speed)


def gpu_tokens_per_s(flops: npt.ArrayLike, work_per_token: npt.ArrayLike) -> Values:
    """Return the tokens a GPU of so many achieved FLOP/s trains on in a second. [token/s]

    Source: sizing reference 1.2, the inverse of `gpu_flops`.
    """
    work = above("work_per_token", work_per_token, unit="FLOP/token")
    return unboxed(within("flops", flops, 0.0, unit="FLOP/s") / work)


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
    per_token = flop_per_token(active_params, flop_per_param, attention_flop_per_token)
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
