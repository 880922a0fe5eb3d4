"""Published cases of collectives, of networks under training, and of scaling."""

from __future__ import annotations

from planner.engine import workload as w
from planner.engine.validation.base import Answer, Inputs
from planner.engine.validation.model import gpus_of
from planner.engine.validation.units import durations


def allreduce(i: Inputs) -> Answer:
    if any(name in i for name in ("time_small", "rate_small", "mfu_small", "nodes_small")):
        return _scaling(i)
    if "stages" in i or "micro_batches" in i:
        return {"bubble": lambda: float(_bubble(i))}
    if "link_bandwidth" in i:
        return {"ratio": lambda: float(_tensor_parallel(i))}
    if "grad_bytes" in i or "gradient_bytes" in i or "server_bandwidth" in i:
        return _data_parallel(i)
    return _collective(i)


def _collective(i: Inputs) -> Answer:
    """One payload: over ranks at a bus bandwidth, over servers by their NICs, or over one link."""
    payload = i.number("bytes")

    def collective() -> str:
        return i.text("collective", w.COLLECTIVES, "all_reduce")

    def seconds() -> float:
        if "nic_bandwidth_per_gpu" in i:
            eta = i.number("efficiency", w.NETWORK_EFFICIENCY["rdma"])
            servers, size = i.number("nodes"), i.number("gpus_per_node")
            return float(w.hierarchical_allreduce_s(payload, servers, size, i.number("nic_bandwidth_per_gpu"), eta))
        if "ranks" in i:
            return float(w.collective_s(payload, i.number("ranks"), i.number("bus_bandwidth"), collective()))
        return float(w.transfer_s(payload, i.number("bandwidth")))

    def bus() -> float:
        return float(
            w.bus_bandwidth(payload / i.measure("time", {"s": 1.0, "ms": 1e-3}), i.number("ranks"), collective())
        )

    return {**durations("time", seconds), "seconds": seconds, "bus_bandwidth": bus}


def _data_parallel(i: Inputs) -> Answer:
    """Communication over computation of a step, and what the job keeps of its speed."""

    def passed() -> str:
        return i.text("sharding", tuple(w.GRADIENT_PASSES), "ddp")

    def gradient() -> float:
        return i.either("grad_bytes", "gradient_bytes", default=2.0)

    def eta() -> float:
        return i.either(
            "efficiency", "eta", default=1.0 if "samples_per_s_one_gpu" in i else w.NETWORK_EFFICIENCY["rdma"]
        )

    def flops() -> float:
        if "achieved_flops_per_gpu" in i:
            return i.number("achieved_flops_per_gpu")
        return i.number("peak_flops") * i.either("utilisation", "mfu")

    def servers() -> float:
        return i.number("nodes") if "nodes" in i else gpus_of(i) / i.positive("gpus_per_node")

    def tokens() -> float:
        if "tokens_per_gpu" in i:
            return i.number("tokens_per_gpu")
        return i.number("global_batch_tokens") * i.number("pipeline_parallel", 1) / gpus_of(i)

    def ratio() -> float:
        if "samples_per_s_one_gpu" in i:  # a measured step of one GPU in place of its FLOP
            step = i.number("batch_per_gpu") / i.positive("samples_per_s_one_gpu")
            half = w.GRADIENT_PASSES[passed()] / 2.0
            payload = half * gradient() * i.number("params")
            return float(w.collective_s(payload, i.number("ranks"), i.number("server_bandwidth") * eta())) / step
        return float(
            w.communication_ratio(
                tokens(),
                flops(),
                servers(),
                i.number("server_bandwidth"),
                sharding=passed(),
                gradient_bytes=gradient(),
                efficiency=eta(),
            )
        )

    def needed() -> float:
        return float(
            w.tokens_for_ratio(
                flops(),
                i.number("server_bandwidth"),
                i.either("target_ratio", "rho", default=w.ACCEPTABLE_RATIO),
                servers=servers() if "nodes" in i or "n_gpus" in i else None,
                sharding=passed(),
                gradient_bytes=gradient(),
                efficiency=eta(),
            )
        )

    return {
        "rho": ratio,
        "ratio": ratio,
        "efficiency": lambda: float(w.data_parallel_efficiency(ratio(), i.number("overlap", w.OVERLAP))),
        "tokens_per_gpu": needed,
        "tokens_needed": needed,
        "max_gpus": lambda: i.number("global_batch_tokens") * i.number("pipeline_parallel", 1) / needed(),
    }


def _scaling(i: Inputs) -> Answer:
    """Speed per GPU kept from a smaller to a larger run, measured; or expected of more servers."""

    def efficiency() -> float:
        if "nodes_small" in i:
            growth = i.number("nodes_large") / i.positive("nodes_small")
            return float(w.expected_scaling(growth, i.text("scaling", tuple(w.PER_DOUBLING), "weak")))
        if "mfu_small" in i:
            return i.number("mfu_large") / i.positive("mfu_small")
        small, large = _rates(i)
        return float(w.scaling_efficiency(small, i.number("gpus_small"), large, i.number("gpus_large")))

    return {"efficiency": efficiency, "speedup": lambda: _quotient(_rates(i))}


def _rates(i: Inputs) -> tuple[float, float]:
    if "time_small" in i:
        return 1.0 / i.positive("time_small"), 1.0 / i.positive("time_large")
    return i.number("rate_small"), i.number("rate_large")


def _quotient(rates: tuple[float, float]) -> float:
    return rates[1] / rates[0]


def _bubble(i: Inputs) -> float:
    stages = i.either("stages", "pipeline_parallel")
    return float(w.pipeline_bubble(stages, i.number("micro_batches"), i.either("chunks", "virtual_stages", default=1)))


def _tensor_parallel(i: Inputs) -> float:
    flops = i.number("peak_flops") * i.either("utilisation", "mfu")
    return float(
        w.tensor_parallel_ratio(i.number("tensor_parallel"), flops, i.number("link_bandwidth"), i.number("hidden"))
    )
