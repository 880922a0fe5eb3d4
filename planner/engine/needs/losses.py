"""What failures take from work: the time of runs, and the availability of services. Sizing reference, sections 5, 7.

Every figure is a factor of the requirement, by name, so that it stands in Why and on Sizing.
"""

from __future__ import annotations

import math

import numpy as np

from planner.engine import reliability
from planner.engine import workload as formulas
from planner.engine.calendar import Array
from planner.engine.inputs import TrainingWorkload, TuningWorkload
from planner.engine.needs.case import MEAN_MONTH_HOURS, Case
from planner.engine.storage import GB, checkpoint_bytes

# Lost to all but interruptions, over several servers and on one. [1] Such that a run over 32 servers, which the rates
# of section 7 leave 98.7 % of its time, and one on a single server come to the defaults of section 1.3: 0.85 and 0.95.
OTHER_TIME_LOST, OTHER_TIME_LOST_ONE_SERVER = 0.14, 0.05
HOURS_PER_DAY, SECONDS_PER_HOUR = 24.0, 3600.0


def run_losses(
    work: TrainingWorkload | TuningWorkload, case: Case, gang: Array, size: Array
) -> dict[str, Array | float]:
    """What interruptions take from a run on so many GPUs: factors, "goodput" among them; none where nothing is counted.

    gang, size : (M,): GPUs of the run; size of the model against today's. [GPU], [1]
    Where no model tells the size of a checkpoint, one is taken as often as the document's rule says, and costs nothing.
    """
    rules = case.reliability
    if not rules.counted:
        return {}
    servers = np.ceil(gang / case.server_gpus)
    other = np.where(servers <= 1.0, OTHER_TIME_LOST_ONE_SERVER, OTHER_TIME_LOST)
    if rules.other_time_lost is not None:
        other = np.full(gang.shape, rules.other_time_lost)
    if not rules.interruptions_per_1000_server_days:
        return {"other_time_lost": other, "goodput": 1.0 - other}
    mtbf_h = HOURS_PER_DAY * reliability.job_mtbf_days(servers, rules.interruptions_per_1000_server_days / 1e3)
    saved = checkpoint_bytes(work, case.shape) * size
    save_h = saved / (rules.checkpoint_write_gb_per_s * GB) / SECONDS_PER_HOUR
    every_h = np.full(gang.shape, case.checkpoint_minutes / 60.0)
    if saved.any():
        every_h = np.asarray(reliability.best_interval(save_h, mtbf_h))
    left = np.asarray(reliability.goodput(mtbf_h, rules.restart_minutes / 60.0, every_h, save_h))
    return {
        "mtbf_h": mtbf_h,
        "interruptions": MEAN_MONTH_HOURS / mtbf_h,
        "restart_minutes": rules.restart_minutes,
        "save_s": save_h * SECONDS_PER_HOUR,
        "checkpoint_every_h": every_h,
        "other_time_lost": other,
        "goodput": left * (1.0 - other),
    }


def service_losses(case: Case, active: float, spare: int, unit: float) -> dict[str, float]:
    """Hours a year in which a service that needs `active` servers or replicas at its peak has fewer, with `spare` more.

    unit : GPUs of each, one server or the servers of one replica. [GPU]
    Factors; none where nothing is counted. A server is away for the turnaround after each failure; spares on a shelf
    are not counted upon.
    """
    rules = case.reliability
    if not rules.counted or not 0.0 < active < math.inf:
        return {}
    rate = rules.failures_per_server(case.failure_gpus) / reliability.DAYS_PER_YEAR
    up = float(reliability.availability(rate, rules.turnaround_days)) ** (unit / case.failure_gpus)
    needed = round(active)
    enough = min(1.0, float(formulas.k_of_n_availability(needed, needed + spare, up)))
    return {"short_h": (1.0 - enough) * HOURS_PER_DAY * reliability.DAYS_PER_YEAR}
