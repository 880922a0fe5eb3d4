"""What several kinds of case say alike: the model, its precision, the GPUs and their memory."""

from __future__ import annotations

import math

from planner.engine import workload as w
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Inputs
from planner.engine.validation.units import BYTES

# Names under which cases give the same thing.
GPUS = ("n_gpus", "gpus", "n_chips", "chips")
SERVERS = ("nodes", "servers")
SEQUENCES = ("sequences", "concurrency", "batch", "batch_size")
CONTEXT = ("tokens", "context_tokens", "context", "seq_len")
WINDOW = ("sliding_window", "window")
WINDOWED = ("sliding_window_layers", "windowed_layers", "window_layers", "sliding_layers", "layers_sliding")
UNWINDOWED = ("full_attention_layers", "full_layers", "global_layers")
ROPE = ("rope_head_dim", "qk_rope_head_dim", "rope_dim")
WEIGHT_BYTES = ("weight_bytes", "bytes_per_param")
# A stated width and that of its precision may differ by so much, for scales that one of them leaves out. [1]
WIDTH_SLACK = 0.15
# Adapter methods as cases spell them.
ADAPTERS = {
    **{name: name for name in w.ADAPTER_BYTES},
    **dict.fromkeys(("qlora", "qlora_4bit", "qlora_4"), "qlora4"),
    **dict.fromkeys(("qlora_8bit", "qlora_8"), "qlora8"),
}


def has_gpus(i: Inputs) -> bool:
    return i.any(*GPUS) or (i.any(*SERVERS) and "gpus_per_node" in i)


def gpus_of(i: Inputs) -> float:
    """GPUs of the job: by number, or servers times what each holds; both where they agree."""
    if not i.any(*SERVERS) or "gpus_per_node" not in i:
        return i.either(*GPUS)
    together = i.either(*SERVERS) * i.number("gpus_per_node")
    given = i.either(*GPUS, default=together)
    if given != together:
        raise InputError(Problem(("inputs", "gpus_per_node"), "conflict", f"{together:g} GPUs beside {given:g}"))
    return given


def servers_of(i: Inputs) -> float:
    """Servers of the job: by number, or the GPUs over what each holds."""
    if not i.any(*SERVERS):
        return gpus_of(i) / i.positive("gpus_per_node")
    if i.any(*GPUS):
        gpus_of(i)  # refuses GPUs that the servers do not hold
    return i.either(*SERVERS)


def active_params(i: Inputs) -> float:
    """Parameters active per token: all of a dense model, whatever the case calls them."""
    if "params_active" not in i:
        return i.either("params", "params_total")
    active = i.number("params_active")
    total = i.either("params_total", "params", default=active)
    if active > total:
        raise InputError(Problem(("inputs", "params_active"), "out_of_bounds", active, 0.0, total, "param"))
    return active


def tensor_parallel(i: Inputs) -> float:
    return i.either("tensor_parallel", "tp", default=1)


def pipeline_parallel(i: Inputs) -> float:
    return i.either("pipeline_parallel", "pp", default=1)


def model_parallel(i: Inputs) -> float:
    """Parts into which tensor and pipeline parallelism cut the model."""
    return tensor_parallel(i) * pipeline_parallel(i)


def is_split(i: Inputs) -> bool:
    return i.any("tensor_parallel", "tp", "pipeline_parallel", "pp")


def sharers(i: Inputs) -> float:
    """GPUs that share a model: those of the case, else its tensor and pipeline parallelism."""
    parts = model_parallel(i)  # read even where the GPUs are given
    gpus = gpus_of(i) if has_gpus(i) or not is_split(i) else parts
    if gpus <= 0:
        raise InputError(Problem(("inputs", GPUS[0]), "not_positive", gpus, unit="GPU"))
    return gpus


def memory_gb(i: Inputs) -> float:
    """Nameplate memory of one GPU. [GB]"""
    return i.measure("hbm", BYTES) / 1e9


def memory_limits(i: Inputs) -> tuple[float, float]:
    """(share of the memory that may be filled, bytes held back of it)."""
    share = i.either("mem_util", "memory_utilisation", default=w.MEMORY_SHARE)
    return share, i.number("reserve_bytes", w.MEMORY_RESERVE_BYTES)


def usable_bytes(i: Inputs) -> float:
    """What one GPU may hold."""
    return float(w.usable_memory_bytes(memory_gb(i), *memory_limits(i)))


def cache_of(i: Inputs) -> w.KvPerToken:
    """The cache that a model adds per token: as stated, or from its shape."""
    if "kv_bytes_per_token" in i:
        return w.KvPerToken(i.number("kv_bytes_per_token"), 0.0, math.inf)
    if "kv_precision" in i:
        width = w.BYTES_PER_PARAM[i.text("kv_precision", tuple(w.BYTES_PER_PARAM))]
    else:
        width = i.either("bytes_per_element", "kv_bytes")
    layers = i.number("layers")
    window = i.either(*WINDOW) if i.any(*WINDOW) else None
    full = i.either(*UNWINDOWED) if i.any(*UNWINDOWED) else None
    if full is None and window is not None:
        full = layers - i.either(*WINDOWED, default=layers)
    if "kv_lora_rank" in i:
        rank, rope = i.number("kv_lora_rank"), i.either(*ROPE)
        return w.kv_bytes_per_token("MLA", layers, 1, 1, width, rank, rope, full, window)
    heads = i.number("kv_heads") if "kv_heads" in i else i.number("heads")
    size = i.number("head_dim") if "head_dim" in i or "hidden" not in i else i.number("hidden") / i.positive("heads")
    return w.kv_bytes_per_token("GQA", layers, heads, size, width, None, None, full, window)


def context_of(i: Inputs) -> float:
    """Tokens of one sequence: as stated, or prompt and answer at their full length."""
    if i.any(*CONTEXT):
        return i.either(*CONTEXT)
    if "prompt_tokens" in i:
        return i.number("prompt_tokens") + i.number("generated_tokens", 0.0)
    if "isl" in i:
        return i.number("isl") + i.number("osl")
    return i.either(*CONTEXT)


def weight_width(i: Inputs) -> float:
    """Bytes of one parameter: as stated, or of a precision; the two may not contradict each other."""
    if "precision" not in i:
        return i.either(*WEIGHT_BYTES)
    named = w.BYTES_PER_PARAM[i.text("precision", tuple(w.BYTES_PER_PARAM))]
    stated = i.either(*WEIGHT_BYTES, default=named)
    if abs(stated - named) > WIDTH_SLACK * named:
        raise InputError(Problem(("inputs", "precision"), "conflict", f"{i['precision']} beside {stated:g} byte/param"))
    return stated


def weights_of(i: Inputs) -> float:
    """All weights, by bytes a parameter or a precision."""
    return float(w.weight_bytes(all_params(i), weight_width(i)))


def all_params(i: Inputs) -> float:
    """Every parameter: a mixture of experts keeps all of them in memory, however few a token uses."""
    active = i.get("params_active")
    if active is not None and not i.any("params", "params_total"):
        raise InputError(Problem(("inputs", "params_total"), "missing"))
    return i.either("params_total", "params")


def adapter_of(i: Inputs) -> str:
    """Key of ADAPTER_BYTES, by any of its spellings."""
    spelt = i["method"]
    known = ADAPTERS.get(spelt.lower().replace("-", "_")) if isinstance(spelt, str) else None
    if known is None:
        raise InputError(Problem(("inputs", "method"), "not_a_choice", spelt, choices=tuple(w.ADAPTER_BYTES)))
    return known
