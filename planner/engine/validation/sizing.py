"""Published sizing cases: compute and time, memory, serving, networks, failures, queues.

A kind holds several questions; which one a case asks shows in its inputs. Optional inputs that change the answer are
those of the sizing reference: parallelism, offload, recomputation, experts, windows, latency classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import count

from planner.engine import workload as w
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.failures import checkpoint, mtbf, spares
from planner.engine.validation.model import (
    SEQUENCES,
    active_params,
    adapter_of,
    all_params,
    cache_of,
    context_of,
    gpus_of,
    has_gpus,
    is_split,
    memory_gb,
    memory_limits,
    model_parallel,
    pipeline_parallel,
    sharers,
    tensor_parallel,
    usable_bytes,
    weight_width,
    weights_of,
)
from planner.engine.validation.network import allreduce
from planner.engine.validation.serving import inference_throughput, queueing
from planner.engine.validation.units import BYTES, durations, sizes

# ── Compute and time: sections 1.1 to 1.3 ────────────────────────────────────────────────────────────────────────────


def training_hours(i: Inputs) -> Answer:
    if i.any("phases", "amounts", "amount_1", "tokens_1"):
        return _phases(i)
    if i.any("mfu_new", "mfu_old"):
        return {"speedup": lambda: i.number("mfu_new") / i.positive("mfu_old")}
    banded = i.any("architecture", *(f"utilisation_{end}" for end in ("low", "base", "high")))
    return {**_run(i), **(_band(i) if banded else {})}


# How cases name the work of a phase and its speed; the last is that of one GPU.
_AMOUNTS, _RATES = ("amount", "tokens"), ("rate", "tokens_per_s", "tokens_per_s_per_gpu")


def _phases(i: Inputs) -> Answer:
    """Phases of one job, such as resolutions or contexts; the rates are those of the whole job, or of one GPU."""

    def hours() -> list[float]:
        """Of each phase, of the whole job or of one GPU of it."""
        rates = [(amount, rate) for amount, rate, _ in _phase_list(i)]
        return [float(w.measured_gpu_hours(amount, rate, _goodput(i))) for amount, rate in rates]

    def each() -> bool:
        kinds = {single for _, _, single in _phase_list(i)}
        if len(kinds) > 1:
            raise InputError(Problem(("inputs", _RATES[2]), "conflict", "rates of one GPU beside rates of the job"))
        return kinds == {True}

    def wall() -> float:
        return sum(hours()) / (gpus_of(i) if each() else 1.0)

    return {
        "gpu_hours": lambda: sum(hours()) * (1.0 if each() else gpus_of(i)),
        **durations("wall", lambda: wall() * 3600.0),
    }


def _phase_list(i: Inputs) -> list[tuple[float, float, bool]]:
    """(amount, rate, whether the rate is that of one GPU) of each phase."""
    if "amounts" in i:
        return [(amount, rate, False) for amount, rate in zip(i.numbers("amounts"), i.numbers("rates"), strict=True)]
    if "phases" not in i:
        last = next(k for k in count(1) if not i.any(*(f"{name}_{k}" for name in _AMOUNTS)))
        return [_phase(i, f"_{k}") for k in range(1, last)]
    listed = i["phases"]
    if not isinstance(listed, list) or not listed:
        raise InputError(Problem(("inputs", "phases"), "bad_format", listed))
    pairs = [dict(zip(("amount", "rate"), each, strict=True)) if isinstance(each, list) else each for each in listed]
    found = [Inputs({"inputs": pair}) for pair in pairs]
    phases = [_phase(each, "") for each in found]
    for each in found:
        each.refuse_unread()
    return phases


def _phase(i: Inputs, ending: str) -> tuple[float, float, bool]:
    amount = i.either(*(name + ending for name in _AMOUNTS))
    used = next((name for name in _RATES if name + ending in i), _RATES[0])
    return amount, i.number(used + ending), used == _RATES[2]


def _band(i: Inputs) -> Answer:
    """The planning band around a run: the more of the peak it reaches, the fewer hours."""

    def hours(end: str) -> float:
        if "architecture" in i:  # our band, of MFU times goodput
            shares = {"low": _planned(i).low, "base": _planned(i).base, "high": _planned(i).high}
            return float(w.training_gpu_hours(1.0, _work(i), i.number("peak_flops"), shares[end], 1.0, 1.0))
        return _hours_at(i, i.number("peak_flops"), i.number(f"utilisation_{end}"))

    def wall(end: str) -> Callable[[], float]:
        return lambda: float(w.wall_days(hours(end), gpus_of(i))) * 86_400.0

    ends = {"low": "high", "base": "base", "high": "low"}
    return {
        **{f"gpu_hours_{name}": partial(hours, end) for name, end in ends.items()},
        **{
            f"{field}_{name}": seconds
            for name, end in ends.items()
            for field, seconds in durations("wall", wall(end)).items()
        },
        "inside": lambda: int(hours("high") <= i.number("published_gpu_hours") <= hours("low")),
    }


def _planned(i: Inputs) -> w.TrainingBand:
    """What hardware, precision and kind of model plan with, where the case states no share of the peak."""
    experts = i.flag("moe", "params_total" in i and active_params(i) < i.number("params_total"))
    single = i.flag("single_server", False)
    return w.training_band(str(i["architecture"]), str(i.get("precision", "bf16")), experts, single)


def _goodput(i: Inputs) -> float:
    return i.number("goodput", _planned(i).goodput if "architecture" in i else 1.0)


def _flop_mult(i: Inputs) -> float:
    """FLOP per parameter and token: as the case says, or by method and recomputation."""
    if "flop_mult" in i:
        return i.number("flop_mult")
    again, method = i.flag("recompute", False), i.get("method", "full")
    if again and method != "full":
        raise InputError(Problem(("inputs", "recompute"), "conflict", f"with method {method}"))
    plain = {"full": "recompute_hw" if again else "train", "inference": "inference"}
    work = plain[method] if method in plain else "lora" if adapter_of(i) else ""
    return w.FLOP_PER_PARAM[work]


def _attention(i: Inputs) -> float:
    """The attention term, where the case gives the shape of the model."""
    if not any(name in i for name in ("layers", "hidden")):
        return 0.0
    mult = _flop_mult(i)
    work = next((name for name, flop in w.FLOP_PER_PARAM.items() if flop == mult), None)
    if work is None:
        choices = tuple(f"{flop:g}" for flop in w.FLOP_PER_PARAM.values())
        raise InputError(Problem(("inputs", "flop_mult"), "not_a_choice", mult, choices=choices))
    causal = i.flag("causal", False)
    return float(
        w.attention_flop(i.number("layers"), i.number("hidden"), i.number("seq_len"), work=work, causal=causal)
    )


def _work_per_token(i: Inputs) -> float:
    if "flops_per_token" in i:
        return i.number("flops_per_token")
    return float(w.flop_per_token(active_params(i), _flop_mult(i), _attention(i)))


def _tokens(i: Inputs) -> float:
    if "samples" in i:
        once = i.number("samples") * i.number("tokens_per_sample")
    elif "iterations" in i:
        once = i.number("iterations") * _step_tokens(i)
    else:
        once = i.either("tokens", "trained_tokens")
    return once * i.number("epochs", 1.0)


def _work(i: Inputs) -> float:
    """FLOP of the whole run; rollouts of a reinforcement-learning stage come on top."""
    if "flops_total" in i:
        return i.number("flops_total")
    work = _work_per_token(i) * _tokens(i)
    if "generated_tokens" in i:
        work += float(w.reinforcement_flop(active_params(i), i.number("generated_tokens"), 0.0))
    return work


def _hours_at(i: Inputs, flops: float, mfu: float) -> float:
    return float(w.training_gpu_hours(1.0, _work(i), flops, mfu, _goodput(i), flop_per_param=1.0))


def _mfu(i: Inputs) -> float:
    """Share of the peak to which the counted FLOP refer: HFU counts recomputation, MFU does not."""
    if "hfu" in i:
        hfu = i.number("hfu")
        recomputed = "flops_per_token" not in i and _flop_mult(i) == w.FLOP_PER_PARAM["recompute_hw"]
        return hfu if recomputed else float(w.mfu_of_hfu(hfu))
    if "architecture" in i and "utilisation" not in i and "mfu" not in i:
        return _planned(i).mfu
    return i.either("utilisation", "mfu") if i.any("utilisation", "mfu") else _stated_base(i)


def _stated_base(i: Inputs) -> float:
    """The base of a stated band; the plain share is named where a case gives neither."""
    return i.number("utilisation_base" if "utilisation_base" in i else "utilisation")


def _job_tokens_per_s(i: Inputs) -> float:
    """Measured speed of the whole job."""
    if "sequences_per_s" in i:
        return i.number("sequences_per_s") * i.number("seq_len")
    if i.has("wall", {"days": 1, "hours": 1}):
        return _tokens(i) / i.measure("wall", {"days": 86_400.0, "hours": 3600.0})
    if "iteration_s" in i:
        return _step_tokens(i) / i.positive("iteration_s")
    return i.number("tokens_per_s")


def _step_tokens(i: Inputs) -> float:
    if "batch_sequences" in i:
        return i.number("batch_sequences") * i.number("seq_len")
    return i.either("batch_tokens", "global_batch_tokens")


_JOB_SPEED = ("tokens_per_s", "sequences_per_s", "iteration_s")
_MEASURED = (*_JOB_SPEED, "wall_days", "wall_hours")


def _gpu_flops(i: Inputs) -> float:
    """Achieved by one GPU: stated, from a measured speed, from published hours, or planned."""
    for name in ("achieved_flops_per_gpu", "model_flops_per_s_per_gpu"):
        if name in i:
            return i.number(name)
    if "tokens_per_s_per_gpu" in i:
        return float(w.gpu_flops(_work_per_token(i), i.number("tokens_per_s_per_gpu")))
    if any(name in i for name in _MEASURED):
        return float(w.gpu_flops(_work_per_token(i), _job_tokens_per_s(i), gpus_of(i)))
    if "published_gpu_hours" in i:
        return _work(i) / (i.positive("published_gpu_hours") * 3600.0)
    return i.number("peak_flops") * _mfu(i)


def _gpu_hours(i: Inputs) -> float:
    if "tokens_per_s_per_gpu" in i:
        return float(w.measured_gpu_hours(_tokens(i), i.number("tokens_per_s_per_gpu"), _goodput(i)))
    if i.any(*_JOB_SPEED):
        return float(w.measured_gpu_hours(_tokens(i), _job_tokens_per_s(i), _goodput(i))) * gpus_of(i)
    for name in ("achieved_flops_per_gpu", "model_flops_per_s_per_gpu"):
        if name in i:
            return _hours_at(i, i.number(name), 1.0)
    return _hours_at(i, i.number("peak_flops"), _mfu(i))


# What each tells how fast one GPU or the job is: of two the answer would have to ignore one.
_SPEEDS = (
    *(("tokens_per_s_per_gpu",), ("tokens_per_s",), ("sequences_per_s",), ("iteration_s",)),
    *(("achieved_flops_per_gpu",), ("model_flops_per_s_per_gpu",), ("utilisation", "mfu"), ("hfu",)),
)


def _refuse_two_speeds(i: Inputs) -> None:
    given = [next(name for name in names if name in i) for names in _SPEEDS if i.any(*names)]
    if len(given) > 1:
        raise InputError(Problem(("inputs", given[1]), "conflict", f"given beside {given[0]}"))


def _run(i: Inputs) -> Answer:
    _refuse_two_speeds(i)

    def wall() -> float:
        if i.any(*_JOB_SPEED):
            return float(w.measured_gpu_hours(_tokens(i), _job_tokens_per_s(i), _goodput(i))) * 3600.0
        return float(w.wall_days(_gpu_hours(i), gpus_of(i))) * 86_400.0

    def by_deadline() -> float:
        return float(w.gang_by_deadline(_gpu_hours(i), i.measure("deadline", {"days": 1.0, "hours": 1 / 24})))

    def servers() -> float:
        size = i.number("gpus_per_node")
        return float(w.round_gang(by_deadline(), int(size))) / size

    return {
        "flops_per_token": lambda: _work_per_token(i),
        "flops_total": lambda: _work(i),
        "gpu_hours": lambda: _gpu_hours(i),
        **durations("wall", wall),
        **durations("iteration", lambda: _step_tokens(i) * _work_per_token(i) / (_gpu_flops(i) * gpus_of(i))),
        "tflops_per_gpu": lambda: _gpu_flops(i) / 1e12,
        "utilisation": lambda: _gpu_flops(i) / i.positive("peak_flops"),
        "mfu": lambda: _gpu_flops(i) / i.positive("peak_flops"),
        "tokens_per_s_per_gpu": lambda: float(w.gpu_tokens_per_s(_gpu_flops(i), _work_per_token(i))),
        "tokens_per_s": lambda: float(w.gpu_tokens_per_s(_gpu_flops(i), _work_per_token(i))) * gpus_of(i),
        "gpus": by_deadline,
        "nodes": servers,
    }


# ── Memory of training: section 2 ────────────────────────────────────────────────────────────────────────────────────


def training_memory(i: Inputs) -> Answer:
    """What one GPU keeps of a run: states, activations, or both; memory of a GPU; or so many bytes a parameter."""
    states = i.any("stage", "zero_stage", "bytes_weights")
    activations = i.any("seq_len", "micro_batch", "hidden_copies")
    if states and activations:
        return _with_activations(i, _states(i))
    if activations and i.any("method", "bytes_per_param", "setup"):
        return _with_activations(i, _bytes_per_param(i))
    if states:
        return _states(i)
    if activations:
        return _activations(i)
    if i.has("hbm", BYTES) and not i.any("params", "params_total"):
        return _usable(i)
    return _bytes_per_param(i)


def _with_activations(i: Inputs, held: Answer) -> Answer:
    """What one GPU keeps: its part of the states, or of so many bytes a parameter, and the activations."""
    kept = _activations(i)

    def states() -> float:
        return float(held["bytes_per_gpu"]())

    def activations() -> float:
        return float(kept["bytes"]())

    def together() -> float:
        return states() + activations()

    return {
        **held,
        **kept,
        **sizes("states_{}_per_gpu", states),
        **sizes("activations_{}_per_gpu", activations),
        **sizes("{}_per_gpu", together),
        **sizes("{}", lambda: together() * (sharers(i) if has_gpus(i) or is_split(i) else 1.0)),
        "fits": lambda: together() <= usable_bytes(i),
    }


def _usable(i: Inputs) -> Answer:
    share, reserve = memory_limits(i)
    memory = memory_gb(i)
    host = w.staging_host_bytes(memory, i.number("gpus_per_node")) if "gpus_per_node" in i else None
    return {
        **sizes("usable_{}", lambda: float(w.usable_memory_bytes(memory, share, reserve))),
        **(sizes("host_{}", lambda: float(host)) if host is not None else {}),
    }


def _data_parallel(i: Inputs) -> float:
    """GPUs over which states are sharded: those of the job over the parts of the model."""
    if i.any("data_parallel", "dp"):
        return i.either("data_parallel", "dp")
    gpus, parts = sharers(i), model_parallel(i)
    if parts <= 0 or gpus % parts:
        raise InputError(Problem(("inputs", "n_gpus"), "conflict", f"{gpus:g} GPUs in parts of {parts:g}"))
    return gpus / parts


def _setup(i: Inputs) -> tuple[float, float, float]:
    if "setup" in i:
        return w.STATE_BYTES[i.text("setup", tuple(w.STATE_BYTES))]
    return i.number("bytes_weights"), i.number("bytes_grads"), i.number("bytes_optimizer")


def _states(i: Inputs) -> Answer:
    """Model states of one GPU: by bytes a parameter, or by DeepSpeed's estimate where the case gives none."""
    largest = i.number("largest_layer_params", 0.0)
    shard = all_params(i) / model_parallel(i)
    named = i.any("setup", "bytes_weights")
    stage = i.whole("zero_stage" if "zero_stage" in i else "stage", 0 if named else None)
    params = _offload(i, ("offload_param", "offload_params"))
    optimizer = _offload(i, ("offload_optimizer", "optimizer_offload", "cpu_offload", "offload")) or params
    checkpoint = sizes("checkpoint_{}", lambda: float(w.checkpoint_bytes(all_params(i))))
    if named and not optimizer:
        alone = stage == 0 and not has_gpus(i)
        held = w.state_bytes_per_gpu(shard, _setup(i), stage, 1 if alone else _data_parallel(i), largest)
        i.leave("gpus_per_node")  # where nothing is kept on the host, the server does not matter
        total = sizes("{}", lambda: float(held)) if alone else {}
        return {**checkpoint, **total, **sizes("{}_per_gpu", lambda: float(held))}
    if stage not in (2, 3):
        raise InputError(Problem(("inputs", "stage"), "not_a_choice", stage, choices=("2", "3")))
    held = w.deepspeed_state_bytes(
        shard,
        stage,
        _data_parallel(i),
        i.number("gpus_per_node", gpus_of(i)),
        largest,
        offload_optimizer=optimizer,
        offload_params=params,
        sharded_loading=i.flag("zero_init", True),
        setup=_setup(i) if named else w.DEEPSPEED_BYTES,
    )
    return {
        **checkpoint,
        **sizes("{}_per_gpu", lambda: float(held.gpu_bytes)),
        **sizes("cpu_{}", lambda: float(held.host_bytes)),
        **sizes("host_{}", lambda: float(held.host_bytes)),
    }


def _offload(i: Inputs, names: tuple[str, ...]) -> bool:
    """A switch that cases spell true, "cpu" or "optimizer"; off where absent."""
    name = next((name for name in names if name in i), None)
    if name is None:
        return False
    value = i[name]
    if value not in (0, 1, "cpu", "none", "optimizer"):
        raise InputError(Problem(("inputs", name), "not_a_choice", value, choices=("true", "false", "cpu", "none")))
    return value not in (0, "none")


def _activations(i: Inputs) -> Answer:
    """Activations of one layer, and of all with the logits where layers or a vocabulary are given."""
    s, b = i.number("seq_len"), i.number("micro_batch", 1)
    i.leave("heads", "sequence_parallel")  # without attention scores to keep they change nothing

    def layer() -> float:
        h = i.number("hidden")
        if "hidden_copies" in i:
            copies, width = i.number("hidden_copies"), i.number("bytes_per_element", 2)
            parts = tensor_parallel(i)
            kept = w.activation_bytes_per_layer("swiglu_flash", s, b, h, 0, parts, copies=copies, element_bytes=width)
            return float(kept)
        kind = i.text("recompute", ("none", "selective", "full"), "none")
        if kind == "full":
            return float(w.activation_bytes_per_layer("full", s, b, h))
        parallel = tensor_parallel(i)
        if kind == "selective" or i.flag("flash_attention", False):
            return float(w.activation_bytes_per_layer("selective", s, b, h, 0, parallel))
        spread = "sequence_parallel" if i.flag("sequence_parallel", False) else "none"
        return float(w.activation_bytes_per_layer(spread, s, b, h, i.number("heads"), parallel))

    def live() -> float:
        """Of full recomputation: the one layer that is being computed."""
        if "hidden_copies" in i or i.get("recompute") != "full":
            return 0.0
        return float(w.activation_bytes_per_layer("selective", s, b, i.number("hidden")))

    def logits() -> float:
        return float(w.logits_bytes(b, s, i.either("vocab", "vocabulary")))

    def everything() -> float:
        spare = logits() if "vocab" in i or "vocabulary" in i else 0.0
        stages = pipeline_parallel(i)
        under_way = min(stages, i.number("micro_batches", stages))  # micro-batches that the first stage holds
        return layer() * i.number("layers") / stages * under_way + live() + spare

    return {**sizes("{}_per_layer", layer), **sizes("logits_{}", logits), **sizes("{}", everything)}


def _bytes_per_param(i: Inputs) -> Answer:
    """So many bytes a parameter and a fixed part; adapters by their method."""
    params = all_params(i)
    if "method" in i:
        total = float(w.adapter_tuning_bytes(params, adapter_of(i)))
    elif "setup" in i:
        total = float(w.state_bytes_per_gpu(params, _setup(i), 0, 1))
    else:
        weights = float(w.weight_bytes(params, weight_width(i)))
        total = weights * (1.0 + i.number("overhead", 0.0)) + i.number("fixed_bytes", 0.0)
    return {
        **sizes("{}", lambda: total),
        **sizes("{}_per_gpu", lambda: total / (sharers(i) if has_gpus(i) or is_split(i) else 1.0)),
        **sizes("checkpoint_{}", lambda: float(w.checkpoint_bytes(params))),
        "fits": lambda: total <= sharers(i) * usable_bytes(i),
        **_smallest(i, lambda: total),
    }


def _smallest(i: Inputs, total: Callable[[], float]) -> Answer:
    """GPUs of one kind that hold a total, in whole steps of a server."""

    def gpus() -> int:
        found = w.gang_by_bytes(total(), memory_gb(i))
        if found is None:
            raise InputError(Problem(("inputs", "hbm_bytes"), "not_positive", i["hbm_bytes"], unit="byte"))
        return found

    return {"gpus": gpus}


# ── Memory of serving: section 3 ─────────────────────────────────────────────────────────────────────────────────────


def kv_cache(i: Inputs) -> Answer:
    """Cache of one token, of all sequences, and with the weights where the case gives the model."""
    per_token = cache_of(i)
    each = per_token.full_bytes + per_token.windowed_bytes
    sequences = i.either(*SEQUENCES, default=1)

    def sequence(context: Callable[[], float]) -> float:
        return float(w.kv_bytes(per_token, context()))

    def context() -> float:
        return context_of(i)

    def weights() -> float:
        return weights_of(i) if i.any("params", "params_total") else 0.0

    def whole(length: Callable[[], float]) -> Callable[[], float]:
        return lambda: sequence(length) * sequences + weights()

    def most() -> int:
        free = sharers(i) * usable_bytes(i) - weights()
        return max(0, math.floor(free / sequence(context)))

    return {
        **sizes("{}_per_token", lambda: each),
        **sizes("{}_per_sequence", lambda: sequence(context)),
        **sizes("kv_{}", lambda: sequence(context) * sequences),
        **sizes("weights_{}", weights),
        **sizes("{}", whole(context)),
        **sizes("{}_mean", whole(lambda: i.number("isl") + i.number("osl") / 2)),
        **sizes("{}_peak", whole(lambda: i.number("isl") + i.number("osl"))),
        **sizes("{}_per_gpu", lambda: whole(context)() / sharers(i)),
        "fits": lambda: whole(context)() <= sharers(i) * usable_bytes(i),
        "max_sequences": most,
    }


def weights_memory(i: Inputs) -> Answer:
    """Weights alone, and the fewest GPUs and servers that hold them with 10 % of overhead."""
    fixed = i.number("fixed_bytes", 0.0)

    def total() -> float:
        return weights_of(i) + fixed

    def overhead() -> float:
        return i.number("overhead", w.OVERHEAD_WITHOUT_KV)

    def share() -> float:
        return i.either("memory_utilisation", "mem_util", default=w.MEMORY_SHARE)

    def gpus() -> float:
        return float(w.gpus_for_weights(total(), memory_gb(i), overhead(), share()))

    return {
        **sizes("{}", total),
        **sizes("{}_per_gpu", lambda: total() / sharers(i)),
        **sizes("{}_with_overhead", lambda: total() * (1.0 + overhead())),
        "gpus": gpus,
        "nodes": lambda: float(w.servers_needed(gpus(), i.number("gpus_per_node"), u_max=1.0)),
        "fits": lambda: gpus() <= sharers(i),
    }


SOLVERS: dict[str, Solver] = {
    "training_hours": training_hours,
    "training_memory": training_memory,
    "kv_cache": kv_cache,
    "weights_memory": weights_memory,
    "inference_throughput": inference_throughput,
    "queueing": queueing,
    "allreduce": allreduce,
    "mtbf": mtbf,
    "checkpoint": checkpoint,
    "spares": spares,
}
