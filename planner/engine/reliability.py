"""Interruptions, checkpoints, goodput, spares and availability.

Sizing reference, section 7. Functions take numbers or arrays that broadcast, return a number for numbers, and raise
InputError naming field, value, bound and unit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, unboxed, whole, within
from planner.engine.workload.memory import checkpoint_bytes
from planner.engine.workload.queueing import poisson_quantile

DAYS_PER_YEAR = 365.0

# Interruptions of a job per server-day. [1/(server·d)] Sizing reference 7.1, default (Meta RSC-1/2, BLOOM, OPT-175B).
INTERRUPTION_RATE = {"mature": 0.0030, "first_year": 0.0065, "rented": 0.0150}
# Below so many GPUs users see so many times more interruptions than the model says. [GPU], [1] Sizing reference 7.1.
SMALL_JOB_GPUS, SMALL_JOB_FACTOR = 2000.0, 3.0
# Failures a year of one unit. [1/yr] Sizing reference 7.1 (Llama 3 table, Delta, Alibaba HPN, Azure).
FAILURES_PER_YEAR = {
    "gpu_interruption": 0.061,
    "gpu_replacement": 0.04,
    "gpu_memory_error_h100": 0.099,
    "gpu_memory_error_a100": 0.031,
    "nic": 0.0029,
    "switch_or_cable_per_gpu": 0.014,
    "link": 0.007,
    "switch": 0.006,
    "dimm": 0.001,
    "ssd": 0.002,
    "server_rest": 0.024,
    "power_supply_per_server": 0.010,
    "ssd_per_server": 0.010,
}
# Time to start again after an interruption (5 to 20, 5 with automation). [min] Sizing reference 7.2, default.
RESTART_MINUTES = 10.0
# Turnaround of a failed server, on site and in a cloud. [d] Sizing reference 7.3, default.
TURNAROUND_DAYS = {"on_site": 7.0, "cloud": 1.0}
# Probability that the shelf does not run out: of servers, of parts. [1] Sizing reference 7.3.
SERVER_CONFIDENCE, PART_CONFIDENCE = 0.99, 0.95
# Save time over MTBF from which Daly's correction is applied. [1] Sizing reference 7.2.
DALY_FROM = 0.02
# Goodput under which the loss no longer adds up linearly. [1] Sizing reference 7.2.
LINEAR_GOODPUT = 0.7
# Share of the time that saving may take. [1] Sizing reference 7.2.
SAVE_SHARE = 0.01


def interruption_rate(rate: npt.ArrayLike, gpus: npt.ArrayLike, *, user_visible: bool = False) -> Values:
    """Return the rate at which a job of `gpus` is interrupted, per server; three times for users of small jobs.

    rate : a value of INTERRUPTION_RATE or measured. [1/(server·d)]
    user_visible : count every failure a user sees, not only those of the hardware.
    Source: sizing reference 7.1 (RSC-1: 7.9 h at 1,024 GPUs where the rate alone gives 28.8 h).
    """
    base = within("rate", rate, 0.0, unit="1/(server·d)")
    small = within("gpus", gpus, 0.0, unit="GPU") < SMALL_JOB_GPUS
    return unboxed(base * np.where(small & user_visible, SMALL_JOB_FACTOR, 1.0))


def job_mtbf_days(servers: npt.ArrayLike, rate: npt.ArrayLike) -> Values:
    """Return the mean time between interruptions of a job, 1/(servers·r_f). [d]

    servers, rate : [server], [1/(server·d)]. Source: sizing reference 7.1.
    """
    interruptions = above("servers", servers, unit="server") * above("rate", rate, unit="1/(server·d)")
    return unboxed(1.0 / interruptions)


def observed_rate(failures: npt.ArrayLike, units: npt.ArrayLike, days: npt.ArrayLike) -> Values:
    """Return failures of one unit in a day, as counted. [1/(unit·d)] Times 365 a year. Sizing reference 7.1."""
    return unboxed(
        within("failures", failures, 0.0) / (above("units", units, unit="1") * above("days", days, unit="day"))
    )


def save_s(params: npt.ArrayLike, write_bandwidth: npt.ArrayLike) -> Values:
    """Return the time a checkpoint takes to write, 14·N/bandwidth. [s] [param], [byte/s]. Sizing reference 7.2."""
    return unboxed(np.asarray(checkpoint_bytes(params)) / above("write_bandwidth", write_bandwidth, unit="byte/s"))


def write_bandwidth_for(params: npt.ArrayLike, interval_s: npt.ArrayLike, share: npt.ArrayLike = SAVE_SHARE) -> Values:
    """Return the storage bandwidth that keeps saving under `share` of the time, 14·N/(share·T). [byte/s]

    params, interval_s, share : [param], [s], [1]. Source: sizing reference 7.2.
    """
    return unboxed(
        np.asarray(checkpoint_bytes(params)) / (above("share", share, 1.0) * above("interval_s", interval_s, unit="s"))
    )


def young_interval(save: npt.ArrayLike, mtbf: npt.ArrayLike) -> Values:
    """Return Young's best time between checkpoints, sqrt(2·C·M), in the unit of both. Sizing reference 7.2."""
    return unboxed(np.sqrt(2.0 * within("save", save, 0.0) * above("mtbf", mtbf)))


def daly_interval(save: npt.ArrayLike, mtbf: npt.ArrayLike) -> Values:
    """Return Daly's correction of it, sqrt(2·C·M)·(1 + sqrt(C/(2·M))/3) − C, in the unit of both; M from C = 2·M on.

    Source: sizing reference 7.2; J. T. Daly, Future Generation Computer Systems 22 (2006).
    """
    cost, mean = within("save", save, 0.0), above("mtbf", mtbf)
    corrected = young_interval(cost, mean) * (1.0 + np.sqrt(cost / (2.0 * mean)) / 3.0) - cost
    return unboxed(np.where(cost < 2.0 * mean, corrected, mean))


def best_interval(save: npt.ArrayLike, mtbf: npt.ArrayLike) -> Values:
    """Return the best time between checkpoints: Young's, or Daly's where saving takes over 2 % of the MTBF.

    save, mtbf : in one unit, which is that of the answer. Source: sizing reference 7.2.
    """
    long = within("save", save, 0.0) > DALY_FROM * above("mtbf", mtbf)
    return unboxed(np.where(long, daly_interval(save, mtbf), young_interval(save, mtbf)))


def save_overhead(save: npt.ArrayLike, interval: npt.ArrayLike) -> Values:
    """Return the share of the time that saving takes, C/T, in any one unit. [1] Sizing reference 7.2."""
    return unboxed(within("save", save, 0.0) / above("interval", interval))


def goodput(mtbf: npt.ArrayLike, restart: npt.ArrayLike, interval: npt.ArrayLike, save: npt.ArrayLike = 0.0) -> Values:
    """Return the useful share of a job's wall time, 1 − (restart + T/2)/MTBF − C/T. [1]

    All in one unit of time, any shapes. Where the loss x leaves less than 0.7, 1/(1 + x).
    Source: sizing reference 7.2 (arXiv 2410.21680).
    """
    lost = (within("restart", restart, 0.0) + within("interval", interval, 0.0) / 2.0) / above("mtbf", mtbf)
    lost = lost + np.asarray(save_overhead(save, interval) if np.any(save) else 0.0)
    return unboxed(np.where(1.0 - lost >= LINEAR_GOODPUT, 1.0 - lost, 1.0 / (1.0 + lost)))


def spares(expected_failures: npt.ArrayLike, confidence: npt.ArrayLike = SERVER_CONFIDENCE) -> Values:
    """Return the fewest spares that last with `confidence`, of Poisson failures. [1]

    expected_failures : until a failed unit is back: servers·r_f·turnaround, or units·AFR·lead time. [1]
    Source: sizing reference 7.3.
    """
    return poisson_quantile(expected_failures, confidence)


def short_of(expected_failures: npt.ArrayLike, stock: npt.ArrayLike) -> Values:
    """Return how many failed units find no spare, on average, E[(N − s)⁺] of Poisson N; all of them without spares.

    expected_failures : mean number of units away for repair, λ, any shape. [1]
    stock             : spares, whole, broadcasting with it. [1]
    λ·P(N ≥ s) − s·P(N ≥ s + 1), never below 0. Source: C. C. Sherbrooke, METRIC, Operations Research 16 (1968).
    """
    from scipy import special  # here, so that importing the engine stays quick

    mean, kept = within("expected_failures", expected_failures, 0.0), whole("stock", stock)
    below = np.where(kept > 0, special.pdtr(np.maximum(kept - 1, 0), mean), 0.0)
    short = mean * (1.0 - below) - kept * (1.0 - special.pdtr(kept, mean))
    return unboxed(np.maximum(short, 0.0))


def availability(rate: npt.ArrayLike, repair_days: npt.ArrayLike) -> Values:
    """Return the availability of one server, 1 − r_f·MTTR, never below 0. [1]

    rate, repair_days : [1/(server·d)], [d]. Source: sizing reference 5.
    """
    down = within("rate", rate, 0.0, unit="1/(server·d)") * within("repair_days", repair_days, 0.0, unit="day")
    return unboxed(np.maximum(1.0 - down, 0.0))


def restart_loss(
    job_gpus: npt.ArrayLike,
    mtbf_gpu_hours: npt.ArrayLike,
    interval_h: npt.ArrayLike,
    detect_h: npt.ArrayLike,
    init_h: npt.ArrayLike,
    repair_h: npt.ArrayLike = 0.0,
    *,
    blast_gpus: npt.ArrayLike | None = None,
) -> Values:
    """Return the share of GPU-hours lost to failures of a job that starts again from its checkpoint. [1]

    A failure costs the whole job max(detect, half the checkpoint interval) + start, and the repair: of the whole job
    where a spare is cold, of the `blast_gpus` that one failure takes where a hot spare steps in.
    job_gpus, mtbf_gpu_hours : [GPU], GPU-hours between failures [GPU-hour]; times in hours. All shapes broadcast.
    Source: newsletter.semianalysis.com/p/how-much-do-gpu-clusters-really-cost; its figures are met with the larger of
    the first two only, not with their sum.
    """
    noticed = np.maximum(
        within("detect_h", detect_h, 0.0, unit="h"), within("interval_h", interval_h, 0.0, unit="h") / 2
    )
    job = within("job_gpus", job_gpus, 0.0, unit="GPU")
    waiting = job if blast_gpus is None else within("blast_gpus", blast_gpus, 0.0, unit="GPU")
    lost = (noticed + within("init_h", init_h, 0.0, unit="h")) * job
    lost = lost + within("repair_h", repair_h, 0.0, unit="h") * waiting
    return unboxed(lost / above("mtbf_gpu_hours", mtbf_gpu_hours, unit="h"))


def failover_loss(
    job_gpus: npt.ArrayLike,
    mtbf_gpu_hours: npt.ArrayLike,
    detect_h: npt.ArrayLike,
    failover_h: npt.ArrayLike,
    repair_h: npt.ArrayLike,
    blast_gpus: npt.ArrayLike,
) -> Values:
    """Return the share of GPU-hours lost where a job goes on without the failed machines. [1]

    ((detect + failover)·job + repair·blast)/MTBF; the spares it needs come on top.
    Units and source: as `restart_loss`.
    """
    stopped = within("detect_h", detect_h, 0.0, unit="h") + within("failover_h", failover_h, 0.0, unit="h")
    lost = stopped * within("job_gpus", job_gpus, 0.0, unit="GPU")
    lost = lost + within("repair_h", repair_h, 0.0, unit="h") * within("blast_gpus", blast_gpus, 0.0, unit="GPU")
    return unboxed(lost / above("mtbf_gpu_hours", mtbf_gpu_hours, unit="h"))
