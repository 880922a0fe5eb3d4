"""From a peak or a month's work to what must be installed: utilisation, spares, schedulers.

Sizing reference, sections 5 and 9.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, unboxed, whole, within
from planner.engine.rounding import rounded_up

# Target utilisation of serving with autoscaling (0.60 without). [1] Sizing reference 5, default.
U_MAX = 0.80
# Spares: one up to so many active servers, then this share. [server], [1] Sizing reference 5, default.
SPARE_UP_TO, SPARE_SHARE = 20, 0.05


def servers_needed(
    peak_rate: npt.ArrayLike,
    server_rate: npt.ArrayLike,
    slo_derate: npt.ArrayLike = 1.0,
    u_max: npt.ArrayLike = U_MAX,
    spare: npt.ArrayLike = 0,
) -> Values:
    """Return servers (or replicas) for a peak: ceil(peak / (rate·derate·u_max)) + spare, 0 for a peak of 0. [server]

    peak_rate, server_rate : in the same unit, requests/s or tokens/s; the rate of one server at saturation. Where a
        model does not fit there is no rate: leave those months out, a rate of 0 is refused.
    slo_derate : value of SLO_DERATE or measured. [1]
    u_max      : target utilisation. [1]
    spare      : servers added after rounding up (N+k). [server]
    All shapes broadcast. Source: sizing reference 5.
    """
    peak = within("peak_rate", peak_rate, 0.0)
    usable = above("server_rate", server_rate) * above("slo_derate", slo_derate, 1.0) * above("u_max", u_max, 1.0)
    active = np.where(peak > 0.0, np.maximum(rounded_up(peak / usable), 1), 0)
    return unboxed(np.where(active > 0, active + whole("spare", spare, unit="server"), 0))


def default_spare(active: npt.ArrayLike) -> Values:
    """Return N+1 up to 20 active servers, then 5 % rounded up. [server] Any shape. Sizing reference 5, default."""
    count = whole("active", active, unit="server")
    return unboxed(np.where(count <= SPARE_UP_TO, np.where(count > 0, 1, 0), rounded_up(SPARE_SHARE * count)))


def k_of_n_availability(needed: int, installed: int, availability: npt.ArrayLike) -> Values:
    """Return the probability that at least `needed` of `installed` servers are up, each by itself. [1]

    availability : of one server, any shape. [1]
    Source: sizing reference 5; NIST/SEMATECH e-Handbook 8.1.8.6 (k out of n).
    """
    from scipy import special  # here, so that importing the engine stays quick

    up = within("availability", availability, 0.0, 1.0)
    count = int(whole("installed", installed))
    least = int(whole("needed", needed, 0, count))
    return unboxed(special.bdtrc(least - 1, count, up) if least else np.ones(up.shape))


# Share of a pool that a scheduler keeps allocated: none; Slurm or Kubernetes with quotas; preemption, backfill and
# sharing. [1] Sizing reference 9, default (Meta RSC 0.83 to 0.85; Alibaba PAI 0.54).
ALLOCATION_SHARE = {"none": 0.45, "quotas": 0.65, "preemption": 0.80}
# Hours lost to maintenance. [1] Sizing reference 9, default.
MAINTENANCE_SHARE = 0.03


def pool_gpus(gpu_hours: npt.ArrayLike, hours: npt.ArrayLike, scheduler: str = "none") -> Values:
    """Return the GPUs a pool must install for so many GPU-hours of work in a month, real-valued. [GPU]

    gpu_hours : work of the month, any shape. [GPU-hour]
    hours     : of that very month. [h]
    scheduler : key of ALLOCATION_SHARE.
    Source: sizing reference 9, demand / (hours · allocation · (1 − maintenance)).
    """
    if scheduler not in ALLOCATION_SHARE:
        raise not_a_choice("scheduler", scheduler, tuple(ALLOCATION_SHARE))
    usable = above("hours", hours, unit="h") * ALLOCATION_SHARE[scheduler] * (1.0 - MAINTENANCE_SHARE)
    return unboxed(within("gpu_hours", gpu_hours, 0.0, unit="GPU-hour") / usable)
