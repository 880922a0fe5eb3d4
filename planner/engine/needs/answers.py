"""Serving and offline inference: a model that answers. Sizing reference, sections 3, 4, 5, 10."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.engine import workload as formulas
from planner.engine.calendar import Array
from planner.engine.growth import driver_path
from planner.engine.inputs import BatchWorkload, ModelShape, ServingWorkload
from planner.engine.needs.case import MEAN_MONTH_HOURS, Case, scaled
from planner.engine.needs.losses import service_losses
from planner.engine.needs.requirement import Requirement, most, none_fits, over
from planner.engine.prices import Accelerator
from planner.engine.rounding import SLACK

Answering = ServingWorkload | BatchWorkload

# Replicas to try: inside a server of eight, then over whole servers. [GPU] Sizing reference 10, serving 1 and 4.
REPLICAS = (*formulas.REPLICA_SIZES, *range(16, 65, 8))
# Those that a document may ask for: any number inside a server, where the heads of the model divide.
SIZES = (*range(1, 9), *range(16, 65, 8))
# Share of the moments in which all requests under way must find a place. [1] Sizing reference 5.
QUANTILE = 0.99
# From so many requests on, Poisson's scatter is under a millionth of them. [1]
SCATTERED = 1e13


@dataclass(frozen=True)
class Rates:
    """What one GPU and one replica do in each month, (M,).

    per_gpu : requests a second of one GPU at saturation.
    replica : GPUs of one copy of the model; infinity where none holds it.
    batch   : requests a replica holds at once; infinity where the rate was measured.
    first_s : time of a prompt; empty_s, full_s: time of a step of the answer with one request and with `batch`. [s]
    prompts : share of the GPU-seconds of a request that its prompt takes.
    factors : of the first month.
    """

    per_gpu: Array
    replica: Array
    batch: Array
    first_s: Array
    empty_s: Array
    full_s: Array
    prompts: Array
    factors: dict[str, float] = field(default_factory=dict)

    @property
    def gpus(self) -> Array:
        """(M,): GPUs of one replica, 1 where none holds the model."""
        return np.where(np.isfinite(self.replica), self.replica, 1.0)

    def under_way(self, arrivals: Array, output_tokens: float) -> Array:
        """(M,): requests under way at once on a replica that so many reach in a second, at most `batch`.

        A step of the answer takes longer the more requests share it, empty_s + slope·(c − 1): with the time of the
        prompt, Little's law c = λ·(first_s + OSL·step) is solved for c. Sizing reference 4.1 and 5.
        """
        held = np.where(np.isfinite(self.batch), self.batch, formulas.MANY)
        slope = (self.full_s - self.empty_s) / np.maximum(held - 1.0, 1.0)
        stay = self.first_s + output_tokens * (self.empty_s - slope)
        room = 1.0 - arrivals * output_tokens * slope
        busy = np.where(room > 0.0, arrivals * stay / np.where(room > 0.0, room, 1.0), held)
        return np.where(np.isfinite(self.batch), np.minimum(busy, held), held)


def serving_needed(work: ServingWorkload, case: Case) -> Requirement:
    """GPUs of an online service: its peak in whole servers, or replicas where those are larger, and the spares."""
    months = case.calendar.months
    sizes = sizes_that_work(work, case)
    if sizes is not None:  # counted with the nearest size that works; the plan is told
        nearest = min(sizes, key=lambda size: (abs(size - (work.replica_gpus or 1)), size), default=None)
        work = work.model_copy(update={"replica_gpus": nearest})
    grows = work.driver == "model_size"
    path = driver_path(work.growth, 1.0 if grows else work.requests_per_day, months)
    size = np.maximum(path, SLACK) if grows else np.ones(months)
    requests = formulas.arrival_rate(np.full(months, work.requests_per_day) if grows else path) * case.software
    rates = _rates(work, case, size)
    derate, target = formulas.SLO_DERATE[work.latency], work.target_utilisation
    unit = np.maximum(rates.gpus, float(case.failure_gpus))

    def busy(kept: Array | float) -> tuple[Array, Array]:
        """(mean, at the peak) (1, M) GPUs that carry the load within its latency class at so much of the speed."""
        mean = (requests / (rates.per_gpu * kept * derate))[None, :]
        return mean, over(mean * (work.diurnal_peak * work.burst_peak), target)

    mean, load = busy(1.0)
    copies = np.where(np.isfinite(load[0]), np.maximum(np.ceil(load[0] / rates.gpus - SLACK), 1.0), 1.0)
    hour = rates.under_way(requests * work.diurnal_peak / copies, work.output_tokens)
    peak = rates.under_way(requests * (work.diurnal_peak * work.burst_peak) / copies, work.output_tokens)
    kept = case.limited(peak)
    mean, load = busy(kept)
    at_once = _at_once(work, rates, hour * copies)  # a burst and the scatter about the hour are the same waves
    places = (at_once / rates.batch * rates.gpus)[None, :]
    parts = (rates.prompts, 1.0 - rates.prompts) if work.apart else (0.0, 1.0)

    def whole(load: Array, places: Array | float) -> Array:
        """(1, M) GPUs of whole servers or replicas, of each kind where prompts have servers of their own."""
        prompts = np.ceil(load * parts[0] / unit - SLACK) if work.apart else 0.0
        return np.asarray((prompts + np.ceil(np.maximum(load * parts[1], places) / unit - SLACK)) * unit)

    kinds = 2 if work.apart else 1
    reserve = np.where(mean > 0.0, kinds * work.spare_servers * unit, 0.0)
    active = whole(load, places)
    servers = float((active / unit).max()) if np.isfinite(active).all() else math.inf
    factors = {
        **rates.factors,
        "rate_per_gpu": float(rates.per_gpu[0] * kept[0]),
        **case.limits_said(kept, peak),
        "derate": derate,
        "target_utilisation": target,
        "diurnal": work.diurnal_peak,
        "burst": work.burst_peak,
        "spare_servers": float(work.spare_servers),
        "server_gpus": float(case.failure_gpus),
        "servers_active": servers,
        **service_losses(case, servers, work.spare_servers, float(unit.max())),
    }
    limits = {"throughput": most(whole(load, 0.0)), **case.by_memory(rates.replica)}
    if np.isfinite(rates.batch).any():
        factors |= {"requests_at_once": float(at_once[0]), "batch": float(rates.batch[0])}
        limits["concurrency"] = most(np.ceil(places / unit - SLACK) * unit)
    if work.spare_servers:
        limits["redundancy"] = float(unit.max()) * kinds * (1 + work.spare_servers)
    return Requirement(
        mean=mean,
        peak=np.maximum(load, places),
        required=active + reserve,
        reserve=reserve,
        gang=int(rates.gpus.max()),
        replica=int(rates.gpus[0]),
        gang_memory=int(rates.gpus.max()),
        fits=bool(np.isfinite(rates.replica[0])),
        sizes=sizes,
        limits=limits,
        factors=factors,
        memory_by_month=rates.replica if grows else None,
        gang_by_month=rates.gpus if grows else None,
    )


def sizes_that_work(work: ServingWorkload, case: Case) -> tuple[int, ...] | None:
    """GPUs of one copy that hold the model and divide its heads; None where the document's own count does, or says
    nothing, or nothing is known of the model."""
    if work.replica_gpus is None or case.shape is None or not case.hardware.memory_gb:
        return None
    if work.replica_gpus in SIZES and _replica(work, case, 1.0) is not None:
        return None
    each = (work.model_copy(update={"replica_gpus": size}) for size in SIZES)
    return tuple(one.replica_gpus or 1 for one in each if _replica(one, case, 1.0) is not None)


def _at_once(work: ServingWorkload, rates: Rates, under_way: Array) -> Array:
    """(M,): requests that must find a place in 99 of 100 moments; 0 where the places of a replica are not known.

    By Poisson, which fits chats; where bursts are worse, by what was measured. Sizing reference 5.
    """
    known = np.isfinite(rates.batch)
    if work.concurrency_p99_to_mean is not None:
        return np.where(known, under_way * work.concurrency_p99_to_mean, 0.0)
    scattered = np.where(known & (under_way < SCATTERED), under_way, 0.0)
    places = np.asarray(formulas.poisson_quantile(scattered, QUANTILE), dtype=float)
    return np.where(known & (under_way >= SCATTERED), under_way, places)


def _rates(work: Answering, case: Case, size: Array) -> Rates:
    """What one GPU and one replica do; raises InputError `no_rate` where nothing says what they do today."""
    if isinstance(work, ServingWorkload) and work.measured_prefill_tokens_per_s_per_gpu is not None:
        prefill = work.measured_prefill_tokens_per_s_per_gpu / case.ratio()
        decode = (work.measured_decode_tokens_per_s_per_gpu or prefill) / case.ratio()
        # servers of each kind as their work asks: the GPU-seconds of a request add up
        gpu_s = formulas.disaggregated_nodes(work.input_tokens, work.output_tokens, prefill, decode)
        factors = {"prefill_rate": prefill, "decode_rate": decode}
        return _measured(work, case, size, 1.0 / gpu_s, factors, work.input_tokens / prefill / gpu_s)
    if isinstance(work, ServingWorkload) and work.measured_requests_per_s_per_gpu is not None:
        rate = work.measured_requests_per_s_per_gpu / case.ratio()
        return _measured(work, case, size, rate, {"measured_rate": rate})
    if isinstance(work, BatchWorkload) and work.measured_rate_per_gpu is not None:
        rate = work.measured_rate_per_gpu / case.ratio()
        return _measured(work, case, size, rate, {"measured_rate": rate})
    return _by_formula(work, case, size)


def _measured(
    work: Answering, case: Case, size: Array, rate: float, factors: dict[str, float], prompts: float = 0.0
) -> Rates:
    """A rate as it was measured; a larger model does as much less, and takes as many GPUs as hold it."""
    ones = np.ones(size.size)
    held = {step: replica_by_memory(work, case, step) for step in np.unique(size).tolist()}
    replica = np.array([held[step] for step in size.tolist()])
    return Rates(rate / size, replica, ones * np.inf, 0.0 * ones, 0.0 * ones, 0.0 * ones, prompts * ones, factors)


def sizes_tried(work: Answering) -> tuple[int, ...]:
    """GPUs of a copy: the document's own number, else all that are usual."""
    own = work.replica_gpus if isinstance(work, ServingWorkload) else None
    return REPLICAS if own is None else (own,)


def replica_by_memory(work: Answering, case: Case, size: float) -> float:
    """GPUs that hold one copy of the model and one request, else infinity; where model or memory is not known, the
    document's own number or 1."""
    if case.shape is None or not case.hardware.memory_gb:
        return float((isinstance(work, ServingWorkload) and work.replica_gpus) or 1)
    return replica_holding(work, scaled(case.shape, size), case.hardware, sizes_tried(work))


def replica_holding(work: Answering, shape: ModelShape, hardware: Accelerator, sizes: Sequence[int]) -> float:
    """The first of some sizes of a copy whose memory holds it and one request, infinity where none does. [GPU]"""
    gpus = formulas.replica_size(
        weights=float(formulas.weight_bytes(shape.params_b * 1e9, work.precision)),
        kv=cache_per_token(work, shape, hardware),
        memory_gb=hardware.memory_gb or 0.0,
        input_tokens=work.input_tokens,
        output_tokens=work.output_tokens,
        sizes=sizes,
    )
    return math.inf if gpus is None else float(gpus)


def cache_per_token(work: Answering, shape: ModelShape, hardware: Accelerator) -> formulas.KvPerToken:
    """Cache that a token of a request takes, in the width in which the card computes."""
    peaks = {"bf16": hardware.bf16_tflops, "fp8": hardware.fp8_tflops, "fp4": hardware.fp4_tflops}
    width = formulas.CACHE_BYTES[formulas.computed_in(work.precision, peaks)]
    return formulas.cache_of(shape.model_dump(), width)


def _by_formula(work: Answering, case: Case, size: Array) -> Rates:
    """The roofline of section 4.1. Where no replica holds a grown model, it needs infinitely many GPUs, and the work is
    counted at the last known rate."""
    found = {step: _replica(work, case, step) for step in np.unique(size).tolist()}
    first = found[float(size[0])]
    if first is None:
        raise case.no_rate("precision")
    rows, last = [], first
    for step in size.tolist():
        answer = found[step]
        last = answer or last
        gpus, full, empty = last
        rows.append(
            (
                full.requests_per_s / gpus,
                gpus if answer else math.inf,
                full.batch,
                full.t_prefill,
                empty.t_step,
                full.t_step,
                full.t_prefill * full.requests_per_s,
            )
        )
    gpus, full, _empty = first
    factors = {
        "replica_gpus": float(gpus),
        "replica_rate": float(full.requests_per_s),
        "step_s": float(full.t_step),
        "prefill_s": float(full.t_prefill),
        "batch": float(full.batch),
    }
    per_gpu, replica, batch, first_s, empty_s, full_s, prompts = np.array(rows, dtype=float).T
    return Rates(per_gpu, replica, batch, first_s, empty_s, full_s, prompts, factors)


def _replica(work: Answering, case: Case, size: float) -> tuple[int, formulas.ServingRate, formulas.ServingRate] | None:
    """(GPUs of the smallest replica, its rate when full, with one request); None where nothing gives a rate."""
    assert case.shape is not None  # the document is refused without a model or a measured rate
    hardware, shape = case.hardware, scaled(case.shape, size).model_dump()

    def carried(most_at_once: float) -> tuple[int, formulas.ServingRate] | None:
        return formulas.smallest_replica(
            shape,
            work.precision,
            work.input_tokens,
            work.output_tokens,
            memory_gb=hardware.memory_gb or 0.0,
            bandwidth_gbps=case.bandwidth_gbps,
            bf16_tflops=hardware.bf16_tflops,
            fp8_tflops=hardware.fp8_tflops,
            fp4_tflops=hardware.fp4_tflops,
            architecture=hardware.architecture,
            sizes=sizes_tried(work),
            batch_limit=most_at_once,
        )

    full, empty = carried(formulas.BATCH_LIMIT), carried(1.0)
    return None if full is None or empty is None else (*full, empty[1])


def batch_needed(work: BatchWorkload, case: Case) -> Requirement:
    """GPUs of work that may wait: the month's amount at the saturated rate, nearly full; in whole replicas.

    A replica of one GPU is not rounded: the rest of that GPU may do other work, and the fleet buys whole ones anyway.
    """
    months = case.calendar.months
    in_tokens, grows = work.tokens_b_per_month is not None, work.driver == "model_size"
    today = work.tokens_b_per_month if work.tokens_b_per_month is not None else work.items_m_per_month
    path = driver_path(work.growth, 1.0 if grows else today, months)
    size = np.maximum(path, SLACK) if grows else np.ones(months)
    amount = (np.full(months, today) if grows else path) * (1e9 if in_tokens else 1e6)
    rates = _rates(work, case, size)
    kept = case.limited()
    # a rate of the formula is in requests, a measured one in what the work is stated in
    each = work.input_tokens + work.output_tokens if in_tokens and "measured_rate" not in rates.factors else 1.0
    rate = rates.per_gpu * each * kept
    mean = (amount * case.software / rate / (MEAN_MONTH_HOURS * 3600.0))[None, :]
    target = work.target_utilisation
    least = np.where(mean > 0.0, rates.gpus, 0.0)
    load = over(mean, target)
    whole = np.where(rates.gpus > 1.0, np.ceil(load / rates.gpus - SLACK) * rates.gpus, load)
    return Requirement(
        mean=mean,
        peak=none_fits(np.maximum(mean, least), target),
        required=np.maximum(whole, least),
        reserve=np.zeros_like(mean),
        gang=int(rates.gpus.max()),
        replica=int(rates.gpus[0]),
        gang_memory=int(rates.gpus.max()),
        fits=bool(np.isfinite(rates.replica[0])),
        limits={**case.by_memory(rates.replica), "throughput": most(whole)},  # of one copy alone, memory decides
        factors={
            **rates.factors,
            **({} if "measured_rate" in rates.factors else {"batch_rate": float(rate[0])}),
            **case.limits_said(kept),
            "target_utilisation": target,
        },
        memory_by_month=rates.replica if grows else None,
        gang_by_month=rates.gpus if grows else None,
    )
