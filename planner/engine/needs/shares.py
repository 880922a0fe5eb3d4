"""Pools and simulation: work stated in GPUs, GPU-hours or FP64 operations. Sizing reference, section 9; model.md 2."""

from __future__ import annotations

import numpy as np

from planner.engine import workload as formulas
from planner.engine.growth import driver_path
from planner.engine.inputs import HpcWorkload, PoolWorkload
from planner.engine.needs.case import MEAN_MONTH_HOURS, Case
from planner.engine.needs.requirement import Requirement, most, none_fits, over
from planner.engine.needs.spread import BATCH_TOKENS, step_flop_s


def pool_needed(work: PoolWorkload, case: Case) -> Requirement:
    """GPUs of a shared pool; a scheduler counts only where the work is in GPU-hours."""
    convert = case.ratio()
    spread = case.spread(step_flop_s({}, case.hardware, None), BATCH_TOKENS)
    kept = float(spread.kept(np.array(float(work.gang_gpus))))
    if work.gpu_hours_per_month is not None:
        hours = driver_path(work.growth, work.gpu_hours_per_month, case.calendar.months)
        busy = hours / case.calendar.hours
        allocation = formulas.ALLOCATION_SHARE[work.scheduler]
        available = allocation * (1.0 - formulas.MAINTENANCE_SHARE)
    else:
        busy = driver_path(work.growth, work.gpus, case.calendar.months)
        allocation, available = 1.0, 1.0
    limited = case.limited()
    mean = (busy * case.software * convert / kept / limited)[None, :]
    needed = mean * work.peak_to_mean / available
    target = 1.0 if work.measure == "installed" and work.gpu_hours_per_month is None else work.target_utilisation
    required = over(needed, target)
    return Requirement(
        mean=mean,
        peak=none_fits(needed, target),
        required=required,
        reserve=np.zeros_like(mean),
        gang=work.gang_gpus,
        gang_memory=work.gang_gpus,
        limits={"throughput": most(required), "job": float(work.gang_gpus)},
        factors={
            "convert": convert,
            **case.limits_said(limited),
            "peak_to_mean": work.peak_to_mean,
            "target_utilisation": target,
            "allocation": allocation,
            "available": available,
            **spread.factors(work.gang_gpus),
        },
    )


def hpc_needed(work: HpcWorkload, case: Case) -> Requirement:
    """GPUs of FP64 work: operations a month at a share of the peak, and the largest job at once."""
    if work.measured_tflops_per_gpu is not None:
        rate = work.measured_tflops_per_gpu * 1e12 / case.ratio()
        factors = {"measured_rate": rate}
    else:
        peak = case.hardware.fp64_tflops
        if not peak:
            raise case.no_rate("efficiency")
        rate = peak * 1e12 * work.efficiency
        factors = {"fp64_flops": peak * 1e12, "efficiency": work.efficiency}
    amount = driver_path(work.growth, work.exaflop_per_month, case.calendar.months) * 1e18 * case.software
    mean = (amount / rate / (MEAN_MONTH_HOURS * 3600.0))[None, :]
    spread, limited = case.spread(), case.limited()  # no formula says what its network costs
    mean = mean / float(spread.kept(np.array(float(work.gang_gpus)))) / limited
    job = np.where(mean > 0.0, float(work.gang_gpus), 0.0)
    target = work.target_utilisation
    needed = over(mean, target)
    return Requirement(
        mean=mean,
        peak=none_fits(np.maximum(mean, job), target),
        required=np.maximum(needed, job),
        reserve=np.zeros_like(mean),
        gang=work.gang_gpus,
        gang_memory=work.gang_gpus,
        limits={"throughput": most(needed), "job": float(work.gang_gpus)},
        factors={
            **factors,
            **case.limits_said(limited),
            "target_utilisation": target,
            "gang": float(work.gang_gpus),
            **spread.factors(work.gang_gpus),
        },
        waits=True,
    )
