"""Training and tuning: runs with a deadline, each on a gang of GPUs. Sizing reference, sections 1, 2, 10."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from planner.engine import workload as formulas
from planner.engine.calendar import Array
from planner.engine.growth import driver_path
from planner.engine.inputs import ModelShape, TrainingWorkload, TuningWorkload
from planner.engine.needs.case import MEAN_MONTH_HOURS, Case, scaled
from planner.engine.needs.losses import run_losses
from planner.engine.needs.requirement import Requirement, most, none_fits, over
from planner.engine.needs.spread import candidates, step_flop_s
from planner.engine.rounding import SLACK

Flags = npt.NDArray[np.bool_]
Runs = TrainingWorkload | TuningWorkload
Key = tuple[float, bool, bool, float]  # size of the model, whether one server holds it, whether it is short, goodput

# Context that the memory of adapter tuning includes; longer ones add their activations. [token] Sizing reference 2.4.
ADAPTER_CONTEXT = 2048
# Activations per token and unit of width: the inputs kept of each layer, and the one layer that is recomputed. [byte]
# Sizing reference 2.3.
LAYER_INPUT, LIVE_LAYER = 2.0, 34.0
# Steps towards the gang that its own interruptions ask for; it grows by ever less, and mostly not at all.
ROUNDS = 12
# Where runs stop more often than they can start, every gang asks for a larger one: answered up to here. [GPU]
MOST_GPUS = 2.0**31


def runs_needed(work: Runs, case: Case) -> Requirement:
    """GPUs for runs of training or tuning; the gang is what memory or the deadline asks for."""
    runs, length, size = _driven(work, case)
    by_memory = _gangs_by_memory(work, case, size)
    fits = np.isfinite(by_memory)
    least = np.where(fits, by_memory, 1.0)
    single = np.where(fits, by_memory, float(formulas.LARGEST_GANG)) <= case.server_gpus
    small = _small(work) & (_tokens(work) * length < formulas.SMALL_TUNING_TOKENS)
    gang, limited = np.asarray(formulas.round_gang(least, case.server_gpus), dtype=float), case.limited()
    found: dict[Key, tuple[float, dict[str, float]]] = {}
    for _round in range(ROUNDS):  # a larger gang is interrupted more often, which may ask for a larger one
        lost = run_losses(work, case, gang, size)
        hours, factors = _hours(work, case, size, single, small, _goodput(work, single, lost), found)
        per_run = hours * length * case.software / limited  # GPU-hours, (M,)
        asked = np.minimum(per_run, MOST_GPUS * 24.0 * work.deadline_days)
        spread = case.spread(step_flop_s(factors, case.hardware, case.shape), work.batch_tokens_m * 1e6)
        before, gang = gang, spread.gang_for(asked, work.deadline_days, least)
        in_time = np.isfinite(gang)
        gang = np.where(in_time, gang, spread.at_full_speed(asked, work.deadline_days, least))
        if not case.reliability.counted or (gang == before).all():
            break
    per_run = per_run / spread.kept(gang)
    by_deadline = np.where(in_time, np.ceil(per_run / (24.0 * work.deadline_days) - SLACK), np.inf)
    per_run = np.where(small, np.maximum(per_run, gang * formulas.SMALL_TUNING_HOURS), per_run)
    mean = (runs * per_run / MEAN_MONTH_HOURS)[None, :]  # longer months see more of a run
    gang = np.where(runs > 0, gang, 0.0)[None, :]
    target = work.target_utilisation
    grows = work.driver == "model_size"
    factors |= {name: float(np.atleast_1d(value)[0]) for name, value in lost.items() if name not in _known(work)}
    factors |= {
        **case.limits_said(limited),
        "gpu_hours_per_run": float(hours[0] / limited),
        "deadline_days": work.deadline_days,
        "target_utilisation": target,
        "gang": float(gang.max()),
        **spread.factors(int(gang[0].max())),
        "run_days": float(per_run[0]) / (24.0 * max(1.0, float(gang[0, 0]))),
    }
    return Requirement(
        mean=mean,
        peak=none_fits(np.maximum(mean, gang), target),
        required=_required(work, mean, gang),
        reserve=np.zeros_like(mean),
        gang=int(gang.max()),
        gang_memory=int(least.max()),
        gang_deadline=int(np.where(in_time, by_deadline, 0.0).max()),
        fits=bool(fits[0]),
        in_time=bool(in_time[0]),
        limits={
            **case.by_memory(by_memory),
            "deadline": float(by_deadline.max()),
            "throughput": most(mean),
        },
        factors=factors,
        memory_by_month=by_memory if grows else None,
        gang_by_month=gang[0] if grows else None,
        waits=True,
    )


def _required(work: Runs, mean: Array, gang: Array) -> Array:
    """A training holds its gang and headroom on top of it; tuning runs are many, and headroom is for all of them."""
    if isinstance(work, TuningWorkload):
        return np.maximum(gang, over(mean, work.target_utilisation))
    return over(np.maximum(gang, mean), work.target_utilisation)


def _driven(work: Runs, case: Case) -> tuple[Array, Array, Array]:
    """(runs a month, length of a run, size of the model), (M,), one of which grows; the last two against today's."""
    months = case.calendar.months
    path = driver_path(work.growth, work.runs_per_month if work.driver == "runs" else 1.0, months)
    level, ones = np.full(months, work.runs_per_month), np.ones(months)
    match work.driver:
        case "runs":
            return path, ones, ones
        case "tokens":
            return level, path, ones
    return level, ones, np.maximum(path, SLACK)


def _tokens(work: Runs) -> float:
    return sum(tokens for tokens, _sequence in work.parts)


def _small(work: Runs) -> bool:
    """Whether short runs of this kind are mostly start-up, padding and evaluation; a measured rate holds those."""
    return isinstance(work, TuningWorkload) and work.measured_tokens_per_s_per_gpu is None


# ── Memory ──


def _gangs_by_memory(work: Runs, case: Case, size: Array) -> Array:
    """(M,): the smallest gang whose memory holds a run; infinity where none does."""
    found = {step: _gang_by_memory(work, case, step) for step in np.unique(size).tolist()}
    return np.array([found[step] for step in size.tolist()])


def _gang_by_memory(work: Runs, case: Case, size: float) -> float:
    if case.shape is None or case.hardware.memory_gb is None:
        return 1.0
    return gang_by_memory(work, scaled(case.shape, size), case.hardware.memory_gb, candidates(case.server_gpus))


def gang_by_memory(work: Runs, shape: ModelShape, memory_gb: float, gangs: Sequence[int]) -> float:
    """The first of some gangs whose memory holds a run, infinity where none does; memory of one card. [GPU]"""
    if isinstance(work, TuningWorkload) and work.method != "full":
        total = float(formulas.adapter_tuning_bytes(shape.params_b * 1e9, work.method))
        kept = adapter_activation_bytes(work, shape)
        gang = formulas.gang_by_bytes(total, memory_gb, gangs, each_bytes=kept)
    else:
        gang = formulas.gang_by_memory(
            shape.params_b * 1e9,
            shape.layers,
            shape.hidden,
            longest_sequence(work),
            memory_gb,
            work.states,
            micro_batch=work.micro_batch,
            recompute=recomputed(work),
            candidates=gangs,
            heads=shape.heads,
        )
    return np.inf if gang is None else float(gang)


def longest_sequence(work: Runs) -> int:
    """Tokens of the longest sequence of a run, which sizes its activations. [token]"""
    return max(sequence for _tokens, sequence in work.parts)


def recomputed(work: Runs) -> str:
    """What the memory of a run counts as computed again: all of it where it is done as published runs do it."""
    return "full" if work.recompute == "typical" else work.recompute


def adapter_activation_bytes(work: TuningWorkload, shape: ModelShape) -> float:
    """Activations of adapter tuning on each GPU for what its texts are longer than the published fit holds. [byte]"""
    beyond = max(0, longest_sequence(work) * work.micro_batch - ADAPTER_CONTEXT) * shape.hidden
    return beyond * (LAYER_INPUT * shape.layers + LIVE_LAYER)


# ── Time ──


def _hours(
    work: Runs,
    case: Case,
    size: Array,
    single: Flags,
    small: Flags,
    goodput: Array,
    found: dict[Key, tuple[float, dict[str, float]]],
) -> tuple[Array, dict[str, float]]:
    """(M,): GPU-hours of one run of today's length, and the factors of the first month.

    found : what has been worked out already, to which this adds.
    """
    keys = list(zip(size.tolist(), single.tolist(), small.tolist(), goodput.tolist(), strict=True))
    for key in dict.fromkeys(keys):
        if key not in found:
            found[key] = _run_hours(work, case, *key)
    return np.array([found[key][0] for key in keys]), found[keys[0]][1]


def _goodput(work: Runs, single: Flags, lost: dict[str, Array | float]) -> Array:
    """(M,): what was measured, else what interruptions leave, else that of published runs. [1]"""
    if work.goodput is not None:
        return np.full(single.shape, work.goodput)
    return np.asarray(lost.get("goodput", np.where(single, formulas.GOODPUT_ONE_SERVER, formulas.GOODPUT)))


def _known(work: Runs) -> set[str]:
    """Losses that are no factors of their own: goodput is one already, and one that was measured holds all others."""
    return {"goodput"} if work.goodput is None else {"goodput", "other_time_lost"}


def _run_hours(
    work: Runs, case: Case, size: float, single: bool, small: bool, goodput: float
) -> tuple[float, dict[str, float]]:
    """GPU-hours of one run on this hardware, and the factors that made them."""
    tokens = _tokens(work)
    if work.measured_tokens_per_s_per_gpu is not None:
        rate = work.measured_tokens_per_s_per_gpu / case.ratio() / size
        hours = float(formulas.measured_gpu_hours(tokens, rate, goodput))
        return hours, {"tokens": tokens, "measured_rate": rate, "goodput": goodput}
    assert case.shape is not None  # the document is refused without a model or a measured rate
    shape = scaled(case.shape, size)
    peak = case.hardware.bf16_tflops if work.precision == "bf16" else case.hardware.fp8_tflops
    if not peak:
        raise case.no_rate("precision")
    mfu, factors = _mfu(work, case, shape, single, goodput)
    if small:
        mfu = float(formulas.tuning_mfu(0.0, mfu))
    flop = formulas.FLOP_PER_PARAM["train" if isinstance(work, TrainingWorkload) or work.method == "full" else "lora"]
    attention = [_attention(shape, sequence) for _tokens, sequence in work.parts]
    hours = sum(
        float(
            formulas.training_gpu_hours(
                shape.active, part, peak * 1e12, mfu, goodput, flop, attention_flop_per_token=more
            )
        )
        for (part, _sequence), more in zip(work.parts, attention, strict=True)
    )
    return hours, {
        "tokens": tokens,
        "active_params": shape.active,
        "flop_per_param": flop,
        "peak_flops": peak * 1e12,
        "mfu": mfu,
        "goodput": goodput,
        **factors,
        "attention_flop": max(attention),
    }


def _attention(shape: ModelShape, sequence: int) -> float:
    """Attention work of one token, causal, where the sequence is long enough to count. [FLOP/token]"""
    if sequence <= shape.hidden / 4:
        return 0.0
    return float(formulas.attention_flop(shape.layers, shape.hidden, sequence)) / 2.0


def _mfu(work: Runs, case: Case, shape: ModelShape, single: bool, goodput: float) -> tuple[float, dict[str, float]]:
    """The share of the peak a step reaches, and the band it is taken from."""
    if work.mfu is not None:
        return work.mfu, {}
    band = formulas.training_band(case.hardware.architecture, work.precision, shape.moe, single)
    mfu = {"low": band.low / goodput, "base": band.mfu, "high": band.high / goodput}[work.band]
    if work.recompute == "full":
        mfu = float(formulas.mfu_of_hfu(min(1.0, mfu)))
    return min(1.0, mfu), {"band_low": band.low, "band_high": band.high}
