"""Published cases of collectives, of networks under training, and of scaling."""

from __future__ import annotations

from planner.engine import workload as w
from planner.engine.validation.base import Answer, Inputs
from planner.engine.validation.model import gpus_of, has_gpus, pipeline_parallel, servers_of
from planner.engine.validation.units import durations

# ZeRO stage that shards the weights too, and so moves them every micro-step.
FULL_SHARD = 3
# Names under which cases give the bytes of one gradient, and the stages of a pipeline.
_GRADIENT = ("grad_bytes", "gradient_bytes")
_STAGES = ("stages", "pipeline_parallel", "pp")


def allreduce(i: Inputs) -> Answer:
    if i.any("time_small", "rate_small", "mfu_small", "nodes_small"):
        return _scaling(i)
    if i.any("stages", "micro_batches"):
        return {"bubble": lambda: float(_bubble(i))}
    if "link_bandwidth" in i:
        return {"ratio": lambda: float(_tensor_parallel(i))}
    if "bytes" not in i and i.any("server_bandwidth", "tokens_per_gpu", "samples_per_s_one_gpu"):
        return _data_parallel(i)
    return _collective(i)


def _payload(i: Inputs) -> float:
    """Bytes that every rank holds: as stated, or the gradients of a model."""
    return i.number("bytes") if "bytes" in i else i.number("params") * i.either(*_GRADIENT)


def _ranks(i: Inputs) -> float:
    return i.number("ranks") if "ranks" in i or not has_gpus(i) else gpus_of(i)


def _collective(i: Inputs) -> Answer:
    """One payload: over ranks at a bus bandwidth, over servers by their NICs, or over one link."""
    payload = _payload(i)

    def collective() -> str:
        return i.text("collective", w.COLLECTIVES, "all_reduce")

    def nic() -> float:
        """Of one GPU: its own, or its share of the server's."""
        if "nic_bandwidth_per_gpu" in i:
            return i.number("nic_bandwidth_per_gpu")
        return i.number("server_bandwidth") / i.positive("gpus_per_node")

    def seconds() -> float:
        if i.any("nic_bandwidth_per_gpu", "server_bandwidth"):
            eta = i.either("efficiency", "eta", default=w.NETWORK_EFFICIENCY["rdma"])
            return float(w.hierarchical_allreduce_s(payload, servers_of(i), i.number("gpus_per_node"), nic(), eta))
        eta = i.either("efficiency", "eta", default=1.0)
        speed = i.either("bus_bandwidth", "bandwidth") * eta
        if "bus_bandwidth" in i or "ranks" in i or has_gpus(i):
            return float(w.collective_s(payload, _ranks(i), speed, collective()))
        return float(w.transfer_s(payload, speed))

    def moved_per_s() -> float:
        taken = i.measure("time", {"s": 1.0, "ms": 1e-3}) if i.has("time", {"s": 1.0, "ms": 1e-3}) else seconds()
        return payload / taken

    return {
        **durations("time", seconds),
        "seconds": seconds,
        "algorithm_bandwidth": moved_per_s,
        "algbw": moved_per_s,
        "bus_bandwidth": lambda: float(w.bus_bandwidth(moved_per_s(), _ranks(i), collective())),
    }


def _data_parallel(i: Inputs) -> Answer:
    """Communication over computation of a step, and what the job keeps of its speed."""

    def passed() -> str:
        if i.any("stage", "zero_stage"):
            return "fsdp" if i.either("stage", "zero_stage") == FULL_SHARD else "ddp"
        return i.text("sharding", tuple(w.GRADIENT_PASSES), "ddp")

    def gradient() -> float:
        return i.either(*_GRADIENT, default=2.0)

    def eta() -> float:
        return i.either(
            "efficiency", "eta", default=1.0 if "samples_per_s_one_gpu" in i else w.NETWORK_EFFICIENCY["rdma"]
        )

    def flops() -> float:
        if "achieved_flops_per_gpu" in i:
            return i.number("achieved_flops_per_gpu")
        return i.number("peak_flops") * i.either("utilisation", "mfu")

    def servers() -> float:
        i.leave("gpus_per_node")  # servers alone may be given
        return servers_of(i)

    def tokens() -> float:
        if "tokens_per_gpu" in i:
            return i.number("tokens_per_gpu")
        return i.number("global_batch_tokens") * pipeline_parallel(i) / gpus_of(i)

    def ratio() -> float:
        if "samples_per_s_one_gpu" in i:  # a measured step of one GPU in place of its FLOP
            step = i.number("batch_per_gpu") / i.positive("samples_per_s_one_gpu")
            half = w.GRADIENT_PASSES[passed()] / 2.0
            payload = half * gradient() * i.number("params")
            return float(w.collective_s(payload, _ranks(i), i.number("server_bandwidth") * eta())) / step
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
                servers=servers() if i.any("nodes", "servers") or has_gpus(i) else None,
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
        "max_gpus": lambda: i.number("global_batch_tokens") * pipeline_parallel(i) / needed(),
    }


def _scaling(i: Inputs) -> Answer:
    """Speed per GPU kept from a smaller to a larger run, measured; or expected of more servers."""

    def efficiency() -> float:
        if "nodes_small" in i:
            growth = i.number("nodes_large") / i.positive("nodes_small")
            return float(w.expected_scaling(growth, i.text("scaling", tuple(w.PER_DOUBLING), "weak")))
        if "mfu_small" in i:
            i.leave("gpus_small", "gpus_large")  # a share of the peak is of one GPU already
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
    stages = i.either(*_STAGES)
    return float(w.pipeline_bubble(stages, i.number("micro_batches"), i.either("chunks", "virtual_stages", default=1)))


def _tensor_parallel(i: Inputs) -> float:
    flops = i.number("peak_flops") * i.either("utilisation", "mfu")
    return float(
        w.tensor_parallel_ratio(
            i.either("tensor_parallel", "tp"), flops, i.number("link_bandwidth"), i.number("hidden")
        )
    )
