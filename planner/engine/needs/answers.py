"""Serving and offline inference: a model that answers. Sizing reference, sections 3, 4, 5, 10."""

from __future__ import annotations

import math

import numpy as np

from planner.engine import workload as formulas
from planner.engine.calendar import Array
from planner.engine.growth import driver_path
from planner.engine.inputs import BatchWorkload, ServingWorkload
from planner.engine.needs.case import MEAN_MONTH_HOURS, Case, scaled
from planner.engine.needs.requirement import Requirement, most, none_fits, over
from planner.engine.rounding import SLACK

# Replicas to try: inside a server of eight, then over whole servers. [GPU] Sizing reference 10, serving 1 and 4.
REPLICAS = (*formulas.REPLICA_SIZES, *range(16, 65, 8))
# Those that a document may ask for: any number inside a server, where the heads of the model divide.
SIZES = (*range(1, 9), *range(16, 65, 8))


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
    per_gpu, replica, factors = _rates(work, case, size)
    fits = np.isfinite(replica)
    gpus = np.where(fits, replica, 1.0)
    derate = formulas.SLO_DERATE[work.latency]
    mean = (requests / (per_gpu * derate))[None, :]  # requests/s a GPU carries within its latency class
    target = work.target_utilisation
    peak = over(mean * (work.diurnal_peak * work.burst_peak), target)
    unit = np.maximum(gpus, float(case.failure_gpus))
    active = np.ceil(peak / unit - SLACK)
    reserve = np.where(mean > 0.0, work.spare_servers * unit, 0.0)
    required = active * unit + reserve
    servers = float(active.max()) if np.isfinite(active).all() else math.inf
    factors |= {
        "rate_per_gpu": float(per_gpu[0]),
        "derate": derate,
        "target_utilisation": target,
        "diurnal": work.diurnal_peak,
        "burst": work.burst_peak,
        "spare_servers": float(work.spare_servers),
        "server_gpus": float(case.failure_gpus),
        "servers_active": servers,
    }
    limits = {"throughput": most(active * unit), "memory": float(replica.max())}
    if work.spare_servers:
        limits["redundancy"] = float(unit.max()) * (1 + work.spare_servers)
    return Requirement(
        mean=mean,
        peak=peak,
        required=required,
        reserve=reserve,
        gang=int(gpus.max()),
        replica=int(gpus[0]),
        gang_memory=int(gpus.max()),
        fits=bool(fits[0]),
        sizes=sizes,
        limits=limits,
        factors=factors,
        memory_by_month=replica if grows else None,
        gang_by_month=gpus if grows else None,
    )


def sizes_that_work(work: ServingWorkload, case: Case) -> tuple[int, ...] | None:
    """GPUs of one copy that hold the model and divide its heads; None where the document's own count does, or says
    nothing, or nothing is known of the model."""
    if work.replica_gpus is None or case.shape is None or not case.hardware.memory_gb:
        return None
    if work.replica_gpus in SIZES and model_rate(work, case) is not None:
        return None
    each = (work.model_copy(update={"replica_gpus": size}) for size in SIZES)
    return tuple(one.replica_gpus or 1 for one in each if model_rate(one, case) is not None)


def _rates(work: ServingWorkload, case: Case, size: Array) -> tuple[Array, Array, dict[str, float]]:
    """(M,) requests a second of one GPU at saturation, (M,) GPUs of one replica, and the factors of the first month.

    Where no replica holds a grown model, it has infinitely many GPUs, and the work is counted at the last known rate.
    """
    copy = float(work.replica_gpus or 1)  # a measured rate says nothing of the GPUs that a copy takes
    if work.measured_prefill_tokens_per_s_per_gpu is not None:
        prefill = work.measured_prefill_tokens_per_s_per_gpu / case.ratio()
        decode = (work.measured_decode_tokens_per_s_per_gpu or prefill) / case.ratio()
        # servers of each kind as their work asks: the GPU-seconds of a request add up
        gpu_s = formulas.disaggregated_nodes(work.input_tokens, work.output_tokens, prefill, decode)
        return 1.0 / gpu_s / size, np.full(size.size, copy), {"prefill_rate": prefill, "decode_rate": decode}
    if work.measured_requests_per_s_per_gpu is not None:
        rate = work.measured_requests_per_s_per_gpu / case.ratio()
        return rate / size, np.full(size.size, copy), {"measured_rate": rate}
    found = {}
    for step in np.unique(size).tolist():
        found[step] = model_rate(work, case, step)
    first = found[float(size[0])]
    if first is None:
        raise case.no_rate("precision")
    rates, replicas, last = [], [], first[0]
    for step in size.tolist():
        answer = found[step]
        last = answer[0] if answer is not None else last
        rates.append(last)
        replicas.append(answer[1] if answer is not None else np.inf)
    return np.array(rates), np.array(replicas), first[2]


def model_rate(
    work: ServingWorkload | BatchWorkload, case: Case, size: float = 1.0
) -> tuple[float, float, dict[str, float]] | None:
    """(requests a second of one GPU at saturation, GPUs of one replica, factors); None where nothing gives a rate."""
    assert case.shape is not None  # the document is refused without a model or a measured rate
    hardware = case.hardware
    own = work.replica_gpus if isinstance(work, ServingWorkload) else None
    answer = formulas.smallest_replica(
        scaled(case.shape, size).model_dump(),
        work.precision,
        work.input_tokens,
        work.output_tokens,
        memory_gb=hardware.memory_gb or 0.0,
        bandwidth_gbps=case.bandwidth_gbps,
        bf16_tflops=hardware.bf16_tflops,
        fp8_tflops=hardware.fp8_tflops,
        fp4_tflops=hardware.fp4_tflops,
        architecture=hardware.architecture,
        sizes=REPLICAS if own is None else (own,),
    )
    if answer is None:
        return None
    gpus, replica = answer
    factors = {
        "replica_gpus": float(gpus),
        "replica_rate": float(replica.requests_per_s),
        "step_s": float(replica.t_step),
        "prefill_s": float(replica.t_prefill),
        "batch": float(replica.batch),
    }
    return float(replica.requests_per_s) / gpus, float(gpus), factors


def batch_needed(work: BatchWorkload, case: Case) -> Requirement:
    """GPUs of work that may wait: the month's amount at the saturated rate, nearly full; one replica at least."""
    in_tokens = work.tokens_b_per_month is not None
    each = work.input_tokens + work.output_tokens
    today = work.tokens_b_per_month if work.tokens_b_per_month is not None else work.items_m_per_month
    amount = driver_path(work.growth, today, case.calendar.months) * (1e9 if in_tokens else 1e6)
    if work.measured_rate_per_gpu is not None:
        rate, replica = work.measured_rate_per_gpu / case.ratio(), 1.0
        factors = {"measured_rate": rate}
    else:
        answer = model_rate(work, case)
        if answer is None:
            raise case.no_rate("precision")
        per_gpu, replica, factors = answer
        rate = per_gpu * (each if in_tokens else 1.0)
        factors["batch_rate"] = rate
    mean = (amount * case.software / rate / (MEAN_MONTH_HOURS * 3600.0))[None, :]
    target = work.target_utilisation
    least = np.where(mean > 0.0, replica, 0.0)
    required = np.maximum(over(mean, target), least)
    factors["target_utilisation"] = target
    return Requirement(
        mean=mean,
        peak=none_fits(np.maximum(mean, least), target),
        required=required,
        reserve=np.zeros_like(mean),
        gang=int(replica),
        replica=int(replica),
        gang_memory=int(replica),
        limits={"throughput": most(over(mean, target)), "memory": replica},
        factors=factors,
    )
