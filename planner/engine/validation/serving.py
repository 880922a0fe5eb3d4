"""Published cases of serving speed, fleets and queues."""

from __future__ import annotations

import math

from planner.engine import workload as w
from planner.engine.validation.base import Answer, Inputs
from planner.engine.validation.model import active_params, all_params, cache_of, memory_gb, memory_limits, weights_of
from planner.engine.validation.units import SECONDS, durations


def inference_throughput(i: Inputs) -> Answer:
    if "numerator" in i:
        return {"ratio": lambda: i.number("numerator") / i.positive("denominator")}
    if "tokens_per_s_many" in i:
        return {"efficiency": lambda: _replicas(i)}
    if "input_tokens_per_day" in i or "prefill_tokens_per_s_per_node" in i:
        return {"nodes": lambda: _disaggregated(i)}
    if "usd_per_gpu_hour" in i:
        return {"usd_per_mtok": lambda: _cost(i)}
    if any(name in i for name in ("server_tokens_per_s", "replica_tokens_per_s")):
        return _fleet(i)
    if "isl" in i or "osl" in i:
        return _roofline(i)
    return _decode(i)


def _replicas(i: Inputs) -> float:
    """Independent replicas: speed per GPU of many over that of one."""
    one, many = i.number("tokens_per_s_one"), i.number("tokens_per_s_many")
    return float(w.scaling_efficiency(one, i.number("n_one", 1), many, i.number("n_many")))


def _disaggregated(i: Inputs) -> float:
    day = 86_400.0
    return float(
        w.disaggregated_nodes(
            i.number("input_tokens_per_day") / day,
            i.number("output_tokens_per_day") / day,
            i.number("prefill_tokens_per_s_per_node"),
            i.number("decode_tokens_per_s_per_node"),
        )
    )


def _cost(i: Inputs) -> float:
    hourly = i.number("usd_per_gpu_hour") * i.either("gpus", "n_gpus", default=1)
    return float(w.cost_per_million_tokens(hourly, i.number("tokens_per_s")))


def _is_mixture(i: Inputs) -> bool:
    """Named so, or with fewer active parameters than there are."""
    return i.flag("moe", False) or active_params(i) < all_params(i)


def _efficiencies(i: Inputs) -> tuple[float | None, float, bool]:
    """(e_c before any factor or None for the precision's own, e_b before any factor, whether experts' factors apply).

    The factors for experts apply to our own constants, and to the case's where it says `moe` besides.
    """
    named = i.flag("moe", False)
    given = "eff_compute" in i or "eff_bandwidth" in i
    compute = i.number("eff_compute") if "eff_compute" in i else None
    return compute, i.number("eff_bandwidth", w.BANDWIDTH_EFFICIENCY), named or (not given and _is_mixture(i))


def _precision(i: Inputs) -> str:
    """Of the weights: chooses e_c where the case gives none."""
    if "precision" in i:
        return i.text("precision", tuple(w.BYTES_PER_PARAM))
    each = i.number("weight_bytes")
    return next((name for name, size in (("bf16", 2.0), ("fp8", 1.0), ("nvfp4", 0.5625)) if each >= size), "nvfp4")


def _roofline(i: Inputs) -> Answer:
    """One replica under saturation, by the roofline of the engine."""
    share, reserve = memory_limits(i)
    compute, bandwidth, experts = _efficiencies(i)
    isl, osl, gpus = i.number("isl"), i.number("osl"), i.either("gpus", "n_gpus")
    rate = w.serving_rate(
        active_params=active_params(i),
        weights=weights_of(i),
        layers=i.number("layers"),
        hidden=i.number("hidden"),
        kv=cache_of(i),
        gpus=gpus,
        memory_gb=memory_gb(i),
        memory_bandwidth=i.number("memory_bandwidth"),
        peak_flops=i.number("peak_flops"),
        input_tokens=isl,
        output_tokens=osl,
        precision="fp8" if compute is not None else _precision(i),
        moe=experts,
        compute_efficiency=compute,
        bandwidth_efficiency=bandwidth,
        batch_limit=i.either("max_batch", "concurrency", default=w.BATCH_LIMIT),
        step_overhead_s=i.number("t0_s", w.STEP_OVERHEAD_S),
        tensor_parallel_exponent=i.number("tp_exponent", w.TENSOR_PARALLEL_EXPONENT),
        output_occupancy=i.number("kv_occupancy", w.OUTPUT_OCCUPANCY),
        memory_share=share,
        reserve_bytes=reserve,
    )
    factor = i.number("stack_factor", 1.0)  # of another serving stack, or of AMD cards
    output = float(rate.out_tok_per_s) * factor
    return {
        "tokens_per_s": lambda: output,
        "tokens_per_s_per_gpu": lambda: output / gpus,
        "total_tokens_per_s": lambda: float(rate.requests_per_s) * factor * (isl + osl),
        "requests_per_s": lambda: float(rate.requests_per_s) * factor,
        "batch": lambda: float(rate.batch),
        "concurrency": lambda: float(rate.batch),
        "fits": lambda: bool(rate.fits),
        **durations("step", lambda: float(rate.t_step)),
        **durations("tpot", lambda: float(rate.t_step)),
        **durations("prefill", lambda: float(rate.t_prefill)),
    }


def _decode(i: Inputs) -> Answer:
    """One decode step of a batch: reading alone, with compute and a fixed time where the case gives them."""

    def gpus() -> float:
        return i.either("n_chips", "gpus", "n_gpus", default=1)

    def sequences() -> float:
        return i.either("sequences", "batch", default=1)

    def cache() -> float:
        if "layers" in i:
            return float(w.kv_bytes(cache_of(i), i.either("context_tokens", "tokens")))
        return i.number("kv_bytes_per_token", 0.0) * i.either("context_tokens", "tokens", default=0.0)

    def step() -> float:
        bandwidth = i.number("memory_bandwidth") * gpus() * i.number("eff_bandwidth", w.BANDWIDTH_EFFICIENCY)
        read = float(w.decode_read_s(weights_of(i), cache(), sequences(), bandwidth))
        multiply = 0.0
        if "peak_flops" in i:
            speed = gpus() ** -i.number("tp_exponent", w.TENSOR_PARALLEL_EXPONENT) * i.number("eff_compute", 1.0)
            work = float(w.flop_per_token(active_params(i), w.FLOP_PER_PARAM["inference"])) * sequences()
            multiply = work / (i.number("peak_flops") * gpus() * speed)
        return read + multiply + i.number("t0_s", 0.0)

    def balance() -> float:
        return float(
            w.compute_bound_batch(i.number("peak_flops"), i.number("memory_bandwidth"), i.number("weight_bytes"))
        )

    return {
        **durations("step", step),
        "tokens_per_s": lambda: sequences() / step(),
        "compute_bound_batch": balance,
        "critical_batch": balance,
    }


# ── Demand, fleets, queues: section 5 ────────────────────────────────────────────────────────────────────────────────


def _arrivals(i: Inputs) -> float:
    """Requests a second at the peak: as stated, or of a day with its peaks."""
    diurnal, burst = i.either("diurnal", "diurnal_peak", default=1.0), i.either("burst", "burst_peak", default=1.0)
    if "requests_per_day" in i:
        return float(w.arrival_rate(i.number("requests_per_day"), diurnal, burst))
    return i.number("arrivals_per_s") * diurnal * burst


def _fleet(i: Inputs) -> Answer:
    """Servers or replicas for a peak of output tokens, spares included."""

    def peak() -> float:
        for name in ("peak_tokens_per_s", "tokens_per_s_needed"):
            if name in i:
                return i.number(name)
        return _arrivals(i) * i.either("osl", "mean_output_tokens")

    def active() -> int:
        derate = w.SLO_DERATE[i.text("latency", tuple(w.SLO_DERATE))] if "latency" in i else i.number("slo_derate", 1.0)
        rate = i.either("server_tokens_per_s", "replica_tokens_per_s")
        return int(w.servers_needed(peak(), rate, derate, i.number("u_max", w.U_MAX)))

    def servers() -> int:
        given = next((name for name in ("spare", "spare_servers") if name in i), None)
        return active() + (i.whole(given) if given else int(w.default_spare(active())))

    return {"tokens_per_s_needed": peak, "servers_active": active, "servers": servers}


def queueing(i: Inputs) -> Answer:
    if any(name in i for name in ("server_tokens_per_s", "replica_tokens_per_s")):
        return _fleet(i)
    if i.has("service", SECONDS):
        return _erlang(i)
    return _concurrency(i)


def _erlang(i: Inputs) -> Answer:
    """Waits behind so many servers, or the fewest servers that keep a service level."""
    service = i.measure("service", SECONDS)

    def offered() -> float:
        return _arrivals(i) * service

    def target() -> float:
        return i.measure("target", SECONDS)

    def given() -> int:
        if "servers" in i:
            return i.whole("servers")
        return w.servers_for_service_level(offered(), service, target(), i.number("service_level"))

    return {
        "offered_erlangs": offered,
        "utilisation": lambda: offered() / given(),
        "p_wait": lambda: float(w.erlang_c(given(), offered())),
        **durations("mean_wait", lambda: float(w.mean_wait_s(given(), offered(), service))),
        "service_level": lambda: float(w.service_level(given(), offered(), service, target())),
        "servers": given,
    }


def _concurrency(i: Inputs) -> Answer:
    """Requests under way: the mean by Little's law, and a quantile, Poisson or as measured against the mean."""

    def mean() -> float:
        output, speed = i.either("mean_output_tokens", "osl"), i.either("tokens_per_s_per_user", "user_rate")
        return float(w.concurrency(_arrivals(i), i.measure("ttft", SECONDS, 0.0), output, speed))

    def quantile() -> int:
        if "measured_quantile_ratio" in i:  # traffic that comes in bunches is not Poisson
            return math.ceil(mean() * i.number("measured_quantile_ratio"))
        return int(w.poisson_quantile(mean(), i.number("quantile", 0.99)))

    return {
        "arrivals_per_s": lambda: _arrivals(i),
        "mean_concurrency": mean,
        "quantile_concurrency": quantile,
    }
