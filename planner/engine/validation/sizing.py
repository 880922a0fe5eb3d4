"""Published sizing cases: compute and time, memory, serving, networks, failures, queues.

A kind holds several questions; which one a case asks shows in its inputs. Optional inputs that change the answer are
those of the sizing reference: parallelism, offload, recomputation, experts, windows, latency classes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from planner.engine import workload as w
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.failures import checkpoint, mtbf, spares
from planner.engine.validation.model import (
    active_params,
    all_params,
    cache_of,
    gpus_of,
    memory_gb,
    memory_limits,
    weights_of,
)
from planner.engine.validation.network import allreduce
from planner.engine.validation.serving import inference_throughput, queueing
from planner.engine.validation.units import durations, sizes

# ── Compute and time: sections 1.1 to 1.3 ────────────────────────────────────────────────────────────────────────────


def training_hours(i: Inputs) -> Answer:
    if "amount_1" in i or "amounts" in i:
        return _phases(i)
    if "mfu_new" in i or "mfu_old" in i:
        return {"speedup": lambda: i.number("mfu_new") / i.positive("mfu_old")}
    if "utilisation_low" in i or "utilisation_high" in i:
        return _band(i)
    return _run(i)


def _phases(i: Inputs) -> Answer:
    """Phases of one job, such as resolutions or contexts; the rates are those of the whole job."""

    def hours() -> float:
        if "amounts" in i:
            pairs = list(zip(i.numbers("amounts"), i.numbers("rates"), strict=True))
        else:
            last = next(k for k in count(1) if f"amount_{k}" not in i)
            pairs = [(i.number(f"amount_{k}"), i.number(f"rate_{k}")) for k in range(1, last)]
        return float(sum(w.measured_gpu_hours(amount, rate, _goodput(i)) for amount, rate in pairs))

    return {"gpu_hours": lambda: hours() * gpus_of(i), **durations("wall", lambda: hours() * 3600.0)}


def _band(i: Inputs) -> Answer:
    """The planning band around a published run: the more of the peak it reaches, the fewer hours."""

    def hours(utilisation: str) -> float:
        return _hours_at(i, i.number("peak_flops"), i.number(utilisation))

    return {
        "gpu_hours_low": lambda: hours("utilisation_high"),
        "gpu_hours_base": lambda: hours("utilisation_base"),
        "gpu_hours_high": lambda: hours("utilisation_low"),
        "inside": lambda: int(hours("utilisation_high") <= i.number("published_gpu_hours") <= hours("utilisation_low")),
    }


def _goodput(i: Inputs) -> float:
    return i.number("goodput", 1.0)


def _flop_mult(i: Inputs) -> float:
    """FLOP per parameter and token: as the case says, or by method and recomputation."""
    if "flop_mult" in i:
        return i.number("flop_mult")
    method = i.text("method", ("full", "lora", "qlora", "inference"), "full")
    again = i.flag("recompute", False)
    if again and method != "full":
        raise InputError(Problem(("inputs", "recompute"), "conflict", f"with method {method}"))
    work = {"full": "recompute_hw" if again else "train", "qlora": "lora"}.get(method, method)
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
    once = i.number("samples") * i.number("tokens_per_sample") if "samples" in i else i.number("tokens")
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
    return i.either("utilisation", "mfu")


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


_MEASURED = ("tokens_per_s", "sequences_per_s", "iteration_s", "wall_days", "wall_hours")


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
    if "tokens_per_s" in i or "sequences_per_s" in i:
        return float(w.measured_gpu_hours(_tokens(i), _job_tokens_per_s(i) / gpus_of(i), _goodput(i)))
    for name in ("achieved_flops_per_gpu", "model_flops_per_s_per_gpu"):
        if name in i:
            return _hours_at(i, i.number(name), 1.0)
    return _hours_at(i, i.number("peak_flops"), _mfu(i))


def _run(i: Inputs) -> Answer:
    def wall() -> float:
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
    if "stage" in i:
        return _states(i)
    if any(name in i for name in ("seq_len", "micro_batch", "hidden_copies")):
        return _activations(i)
    if "hbm_bytes" in i and "params" not in i:
        return _usable(i)
    return _bytes_per_param(i)


def _usable(i: Inputs) -> Answer:
    share, reserve = memory_limits(i)
    memory = memory_gb(i)
    host = w.staging_host_bytes(memory, i.number("gpus_per_node")) if "gpus_per_node" in i else None
    return {
        **sizes("usable_{}", lambda: float(w.usable_memory_bytes(memory, share, reserve))),
        **(sizes("host_{}", lambda: float(host)) if host is not None else {}),
    }


def _model_parallel(i: Inputs) -> float:
    """Parts into which tensor and pipeline parallelism cut the model."""
    return i.number("tensor_parallel", 1) * i.number("pipeline_parallel", 1)


def _data_parallel(i: Inputs) -> float:
    """GPUs over which states are sharded: those of the job over the parts of the model."""
    if "data_parallel" in i:
        return i.number("data_parallel")
    gpus, parts = gpus_of(i), _model_parallel(i)
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
    shard = all_params(i) / _model_parallel(i)
    stage = i.whole("stage")
    if "setup" in i or "bytes_weights" in i:
        held = w.state_bytes_per_gpu(shard, _setup(i), stage, _data_parallel(i), largest)
        return sizes("{}_per_gpu", lambda: float(held))
    params = _offload(i, ("offload_param", "offload_params"))
    optimizer = _offload(i, ("offload_optimizer", "optimizer_offload", "cpu_offload", "offload")) or params
    held = w.deepspeed_state_bytes(
        shard,
        stage,
        _data_parallel(i),
        i.number("gpus_per_node", gpus_of(i)),
        largest,
        offload_optimizer=optimizer,
        offload_params=params,
        sharded_loading=i.flag("zero_init", True),
    )
    return {**sizes("{}_per_gpu", lambda: float(held.gpu_bytes)), **sizes("cpu_{}", lambda: float(held.host_bytes))}


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

    def layer() -> float:
        h = i.number("hidden")
        if "hidden_copies" in i:
            copies, width = i.number("hidden_copies"), i.number("bytes_per_element", 2)
            return float(w.activation_bytes_per_layer("swiglu_flash", s, b, h, copies=copies, element_bytes=width))
        kind = i.text("recompute", ("none", "selective", "full"), "none")
        if kind == "full":
            return float(w.activation_bytes_per_layer("full", s, b, h))
        parallel = i.number("tensor_parallel", 1)
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
        return layer() * i.number("layers") + live() + spare

    return {**sizes("{}_per_layer", layer), **sizes("logits_{}", logits), **sizes("{}", everything)}


def _bytes_per_param(i: Inputs) -> Answer:
    """So many bytes a parameter and a fixed part; adapters by their method."""
    params = all_params(i)
    if "method" in i:
        total = float(w.adapter_tuning_bytes(params, i.text("method", tuple(w.ADAPTER_BYTES))))
    elif "setup" in i:
        total = float(w.state_bytes_per_gpu(params, _setup(i), 0, 1))
    else:
        each = i["precision"] if "precision" in i else i.either("bytes_per_param", "weight_bytes")
        total = float(w.weight_bytes(params, each)) * (1.0 + i.number("overhead", 0.0)) + i.number("fixed_bytes", 0.0)
    gpus = i.number("n_gpus", 1)
    return {**sizes("{}", lambda: total), **sizes("{}_per_gpu", lambda: total / gpus), **_smallest(i, lambda: total)}


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
    sequences = i.number("sequences", 1)

    def cache(context: Callable[[], float]) -> float:
        return float(w.kv_bytes(per_token, context())) * sequences

    def context() -> float:
        return i.either("tokens", "context_tokens", "context")

    def whole(length: Callable[[], float]) -> Callable[[], float]:
        return lambda: cache(length) + (weights_of(i) if "params" in i or "params_total" in i else 0.0)

    def shared() -> float:
        return whole(context)() / i.either("gpus", "n_gpus")

    def fits() -> bool:
        share, reserve = memory_limits(i)
        usable = float(w.usable_memory_bytes(memory_gb(i), share, reserve))
        return whole(context)() <= i.either("gpus", "n_gpus") * usable

    return {
        **sizes("{}_per_token", lambda: each),
        **sizes("kv_{}", lambda: cache(context)),
        **sizes("{}", whole(context)),
        **sizes("{}_mean", whole(lambda: i.number("isl") + i.number("osl") / 2)),
        **sizes("{}_peak", whole(lambda: i.number("isl") + i.number("osl"))),
        **sizes("{}_per_gpu", shared),
        "fits": fits,
    }


def weights_memory(i: Inputs) -> Answer:
    """Weights alone, and the fewest GPUs and servers that hold them with 10 % of overhead."""
    fixed = i.number("fixed_bytes", 0.0)

    def total() -> float:
        return weights_of(i) + fixed

    def gpus() -> float:
        overhead = i.number("overhead", w.OVERHEAD_WITHOUT_KV)
        share = i.either("memory_utilisation", "mem_util", default=w.MEMORY_SHARE)
        return float(w.gpus_for_weights(total(), memory_gb(i), overhead, share))

    return {
        **sizes("{}", total),
        **sizes("{}_per_gpu", lambda: total() / i.either("n_gpus", "gpus")),
        "gpus": gpus,
        "nodes": lambda: float(w.servers_needed(gpus(), i.number("gpus_per_node"), u_max=1.0)),
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
