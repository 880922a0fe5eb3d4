"""Published cases of serving speed, fleets and queues."""

from __future__ import annotations

import math

from planner.engine import workload as w
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Answer, Inputs
from planner.engine.validation.model import (
    GPUS,
    SEQUENCES,
    active_params,
    all_params,
    cache_of,
    context_of,
    gpus_of,
    has_gpus,
    is_split,
    memory_gb,
    memory_limits,
    model_parallel,
    usable_bytes,
    weight_width,
    weights_of,
)
from planner.engine.validation.units import SECONDS, durations

# Names under which cases give the speed of one server, and the peak that all must carry. [token/s]
_SERVER_RATE = ("server_tokens_per_s", "replica_tokens_per_s", "server_tok_s")
_PEAK_RATE = ("peak_tokens_per_s", "tokens_per_s_needed", "peak_tok_s")


def inference_throughput(i: Inputs) -> Answer:
    if "numerator" in i:
        return {"ratio": lambda: i.number("numerator") / i.positive("denominator")}
    if "tokens_per_s_many" in i:
        return {"efficiency": lambda: _replicas(i)}
    if i.any("input_tokens_per_day", "output_tokens_per_day", "prefill_tokens_per_s_per_node"):
        return _disaggregated(i)
    if i.any(*_SERVER_RATE):
        return _fleet(i)
    if i.any("isl", "osl"):
        return _roofline(i)
    if "tokens_per_s" in i:
        return {"usd_per_mtok": lambda: _cost(i, i.number("tokens_per_s"), i.either(*GPUS, default=1))}
    return _decode(i)


def _replicas(i: Inputs) -> float:
    """Independent replicas: speed per GPU of many over that of one."""
    one, many = i.number("tokens_per_s_one"), i.number("tokens_per_s_many")
    return float(w.scaling_efficiency(one, i.number("n_one", 1), many, i.number("n_many")))


def _disaggregated(i: Inputs) -> Answer:
    """Servers that prefill and servers that decode; a part that the case does not name needs none."""

    def nodes(demand: str, rate: str) -> float:
        speed = i.positive(rate) if demand in i else i.number(rate, 1.0)
        return float(w.disaggregated_nodes(i.number(demand, 0.0) / SECONDS["days"], 0.0, speed, 1.0))

    def prefill() -> float:
        return nodes("input_tokens_per_day", "prefill_tokens_per_s_per_node")

    def decode() -> float:
        return nodes("output_tokens_per_day", "decode_tokens_per_s_per_node")

    return {
        "nodes": lambda: prefill() + decode(),
        "prefill_nodes": prefill,
        "decode_nodes": decode,
        "gpus": lambda: (prefill() + decode()) * i.number("gpus_per_node"),
    }


def _cost(i: Inputs, tokens_per_s: float, gpus: float) -> float:
    return float(w.cost_per_million_tokens(i.number("usd_per_gpu_hour") * gpus, tokens_per_s))


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
    each = weight_width(i)
    return next((name for name, size in (("bf16", 2.0), ("fp8", 1.0), ("nvfp4", 0.5625)) if each >= size), "nvfp4")


def _replica(i: Inputs) -> tuple[float, float]:
    """(GPUs of one replica, replicas): tensor times pipeline parallelism, and how often it goes into the GPUs."""
    if not is_split(i):
        return gpus_of(i), 1.0
    each = model_parallel(i)
    together = gpus_of(i) if has_gpus(i) else each
    if each <= 0 or together % each:
        raise InputError(Problem(("inputs", "tensor_parallel"), "conflict", f"{each:g} beside {together:g} GPUs"))
    return each, together / each


def _derate(i: Inputs) -> float:
    """Share of the saturated rate that a latency target leaves."""
    if "latency" in i:
        return w.SLO_DERATE[i.text("latency", tuple(w.SLO_DERATE))]
    return i.number("slo_derate", 1.0)


def _roofline(i: Inputs) -> Answer:
    """Replicas under saturation, by the roofline of the engine; derated where the case has a latency target."""
    share, reserve = memory_limits(i)
    compute, bandwidth, experts = _efficiencies(i)
    isl, osl = i.number("isl"), i.number("osl")
    gpus, replicas = _replica(i)
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
        batch_limit=min(i.number("max_batch", w.BATCH_LIMIT), i.either(*SEQUENCES, default=w.BATCH_LIMIT)),
        step_overhead_s=i.number("t0_s", w.STEP_OVERHEAD_S),
        tensor_parallel_exponent=i.number("tp_exponent", w.TENSOR_PARALLEL_EXPONENT),
        output_occupancy=i.number("kv_occupancy", w.OUTPUT_OCCUPANCY),
        memory_share=share,
        reserve_bytes=reserve,
    )
    # of another serving stack, and of AMD cards
    cdna = str(i.get("architecture", "")).strip().lower().startswith("cdna")
    factor = (
        i.number("stack_factor", w.CDNA_SERVING_FACTOR if cdna else 1.0)
        * _derate(i)
        * i.number("u_max", 1.0)
        * replicas
    )
    output = float(rate.out_tok_per_s) * factor

    def first_token() -> float:
        wait = i.measure("queue_wait", SECONDS, 0.0)
        return float(w.first_token_s(wait, rate.t_prefill, i.number("requests_ahead", 1)))

    return {
        "tokens_per_s": lambda: output,
        "tokens_per_s_per_gpu": lambda: output / (gpus * replicas),
        "replicas": lambda: replicas,
        "usd_per_mtok": lambda: _cost(i, output, gpus * replicas),
        "total_tokens_per_s": lambda: float(rate.requests_per_s) * factor * (isl + osl),
        "requests_per_s": lambda: float(rate.requests_per_s) * factor,
        "batch": lambda: float(rate.batch),
        "concurrency": lambda: float(rate.batch),
        "fits": lambda: bool(rate.fits),
        **durations("step", lambda: float(rate.t_step)),
        **durations("tpot", lambda: float(rate.t_step)),
        **durations("prefill", lambda: float(rate.t_prefill)),
        **durations("ttft", first_token),
    }


def _decode(i: Inputs) -> Answer:
    """One decode step of a batch: reading alone, with compute and a fixed time where the case gives them."""

    def gpus() -> float:
        return gpus_of(i) if has_gpus(i) else model_parallel(i)

    def sequences() -> float:
        return i.either(*SEQUENCES, default=1)

    def cache() -> float:
        if i.any("kv_bytes_per_token", "layers"):
            return float(w.kv_bytes(cache_of(i), context_of(i)))
        return 0.0

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
        return float(w.compute_bound_batch(i.number("peak_flops"), i.number("memory_bandwidth"), weight_width(i)))

    return {
        **durations("step", step),
        **durations("tpot", step),
        "tokens_per_s": lambda: sequences() / step(),
        "tokens_per_s_per_gpu": lambda: sequences() / step() / gpus(),
        "fits": lambda: weights_of(i) + sequences() * cache() <= gpus() * usable_bytes(i),
        "compute_bound_batch": balance,
        "critical_batch": balance,
    }


# ── Demand, fleets, queues: section 5 ────────────────────────────────────────────────────────────────────────────────


# Arrivals a second in one of each.
_RATES = {"s": 1.0, "min": 1.0 / 60.0, "h": 1.0 / 3600.0, "day": 1.0 / SECONDS["days"]}


def _arrivals(i: Inputs) -> float:
    """Requests a second at the peak: as stated, or of a day with its peaks."""
    diurnal, burst = i.either("diurnal", "diurnal_peak", default=1.0), i.either("burst", "burst_peak", default=1.0)
    if "requests_per_day" in i:
        return float(w.arrival_rate(i.number("requests_per_day"), diurnal, burst))
    return i.measure("arrivals_per", _RATES) * diurnal * burst


def _fleet(i: Inputs) -> Answer:
    """Servers or replicas for a peak of output tokens, spares included."""

    def peak() -> float:
        if i.any(*_PEAK_RATE):
            return i.either(*_PEAK_RATE)
        return _arrivals(i) * i.either("osl", "mean_output_tokens")

    def active() -> int:
        rate = i.either(*_SERVER_RATE)
        return int(w.servers_needed(peak(), rate, _derate(i), i.number("u_max", w.U_MAX)))

    def servers() -> int:
        given = next((name for name in ("spare", "spare_servers") if name in i), None)
        return active() + (i.whole(given) if given else int(w.default_spare(active())))

    return {
        "tokens_per_s_needed": peak,
        "input_tokens_per_s_needed": lambda: _arrivals(i) * i.number("isl"),
        "servers_active": active,
        "servers": servers,
        "gpus": lambda: servers() * i.number("gpus_per_node"),
    }


def queueing(i: Inputs) -> Answer:
    if i.any(*_SERVER_RATE):
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
