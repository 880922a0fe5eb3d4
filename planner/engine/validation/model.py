"""What several kinds of case say alike: the model, its precision, the GPUs and their memory."""

from __future__ import annotations

from planner.engine import workload as w
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Inputs
from planner.engine.validation.units import BYTES


def gpus_of(i: Inputs) -> float:
    if "nodes" in i and "n_gpus" not in i:
        return i.number("nodes") * i.number("gpus_per_node")
    return i.number("n_gpus")


def active_params(i: Inputs) -> float:
    """Parameters active per token: all of a dense model, whatever the case calls them."""
    if "params_active" in i:
        if "params_total" in i and i.number("params_active") > i.number("params_total"):
            raise InputError(
                Problem(
                    ("inputs", "params_active"), "out_of_bounds", i["params_active"], 0.0, i["params_total"], "param"
                )
            )
        return i.number("params_active")
    return i.either("params", "params_total")


def memory_gb(i: Inputs) -> float:
    """Nameplate memory of one GPU. [GB]"""
    return i.measure("hbm", BYTES) / 1e9


def memory_limits(i: Inputs) -> tuple[float, float]:
    """(share of the memory that may be filled, bytes held back of it)."""
    share = i.either("mem_util", "memory_utilisation", default=w.MEMORY_SHARE)
    return share, i.number("reserve_bytes", w.MEMORY_RESERVE_BYTES)


def cache_of(i: Inputs) -> w.KvPerToken:
    """The cache that a model adds per token, from its shape."""
    width = i.either("bytes_per_element", "kv_bytes")
    full, window = i.get("full_attention_layers"), i.get("sliding_window")
    if full is None and window is not None:
        full = i.number("layers") - i.number("sliding_window_layers") if "sliding_window_layers" in i else 0
    if "kv_lora_rank" in i:
        rank, rope = i.number("kv_lora_rank"), i.number("rope_head_dim")
        return w.kv_bytes_per_token("MLA", i.number("layers"), 1, 1, width, rank, rope, full, window)
    heads = i.either("kv_heads", "heads")
    return w.kv_bytes_per_token("GQA", i.number("layers"), heads, i.number("head_dim"), width, None, None, full, window)


def weights_of(i: Inputs) -> float:
    """All weights, by bytes a parameter or a precision."""
    precision = i["precision"] if "precision" in i else i.either("weight_bytes", "bytes_per_param")
    return float(w.weight_bytes(all_params(i), precision))


def all_params(i: Inputs) -> float:
    """Every parameter: a mixture of experts keeps all of them in memory, however few a token uses."""
    active = i.get("params_active")
    if active is not None and not ("params" in i or "params_total" in i):
        raise InputError(Problem(("inputs", "params_total"), "missing"))
    return i.either("params_total", "params")
