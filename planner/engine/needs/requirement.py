"""What one workload asks of one kind of hardware."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from planner.engine.calendar import Array


@dataclass(frozen=True)
class Requirement:
    """What one workload asks of one kind of hardware. Arrays (S, M) in GPUs of that hardware.

    mean     : busy on average: what energy, cloud bills and useful hours count.
    peak     : must work at once for the month to be met.
    required : what planning asks for: headroom, rounding to servers and spare servers included.
    reserve  : held back as spare servers, part of `required`.
    gang     : GPUs one job needs at once; 1 for work that splits.
    replica  : GPUs of one copy of a model that answers; what is left of a server serves nothing. 1 for other work.
    limits   : GPUs that each limit alone asks for, where it asks most: memory · job · deadline · throughput ·
               concurrency · redundancy; infinity where no number suffices.
    memory_by_month, gang_by_month : (M,), of a model that grows; None where they are the same in every month.
    in_time  : False where no number of GPUs meets the deadline over the network there is.
    sizes    : of a copy that work, where the document asks for one that does not; None where it does. [GPU]
    runs     : (M,) of 0 and 1, months in which it can run at all; None for every month.
    waits    : the peak is that of one job: while a GPU of it is repaired the job waits, so that repairs take of its
               time and not of its size.
    """

    mean: Array
    peak: Array
    required: Array
    reserve: Array
    gang: int = 1
    replica: int = 1
    gang_memory: int = 1
    gang_deadline: int = 1
    fits: bool = True
    in_time: bool = True
    sizes: tuple[int, ...] | None = None
    limits: dict[str, float] = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)
    memory_by_month: Array | None = None
    gang_by_month: Array | None = None
    runs: Array | None = None
    waits: bool = False

    @property
    def sharing(self) -> bool:
        """True where jobs larger than one GPU exist."""
        return self.gang > 1

    @property
    def gang_today(self) -> int:
        """GPUs one job needs at once in the first month; a model that grows needs more later."""
        if self.gang_by_month is None:
            return max(1, self.gang, self.gang_memory)
        return max(1, int(self.gang_by_month[0]))

    @property
    def ranked(self) -> list[tuple[str, float]]:
        """(limit, GPUs), the one that decides first."""
        return sorted(self.limits.items(), key=lambda entry: -entry[1])

    @property
    def limit(self) -> str:
        """What decides."""
        return self.ranked[0][0] if self.limits else "throughput"

    @property
    def runner_up(self) -> str:
        """What would decide next."""
        return self.ranked[1][0] if len(self.limits) > 1 else ""

    @property
    def least(self) -> Array | float:
        """GPUs without which no job finds enough memory, (M,) where the model grows."""
        return float(self.gang_memory) if self.memory_by_month is None else self.memory_by_month

    def where_it_runs(self, server_gpus: int, *, joined: bool) -> Requirement:
        """The same, asking for nothing in the months in which servers of that size cannot run it."""
        runs = self.runs_in(server_gpus, joined=joined)
        return self if runs.all() else replace(self, required=np.where(runs > 0, self.required, 0.0), runs=runs)

    def runs_in(self, server_gpus: int, *, joined: bool) -> Array:
        """(M,) of 0 and 1: months in which one job finds enough memory and GPUs on servers of that size."""
        months = self.mean.shape[1]
        gang = np.full(months, float(self.gang)) if self.gang_by_month is None else self.gang_by_month
        enough = np.isfinite(self.least + np.zeros(months)) & (joined | (gang <= server_gpus))
        return np.asarray(enough & self.fits & self.in_time, dtype=float)


def over(amount: Array, share: float) -> Array:
    """amount / share; where the share is 0 no number of GPUs suffices: infinity, except where nothing is asked."""
    if share > 0.0:
        return np.asarray(amount / share)
    return np.where(amount > 0.0, np.inf, 0.0)


def none_fits(peak: Array, share: float) -> Array:
    """A target of 0 means that nothing may run on owned GPUs."""
    return peak if share > 0.0 else np.where(peak > 0.0, np.inf, 0.0)


def most(amount: Array) -> float:
    """The largest figure of a path; 0 where there is none."""
    return float(amount.max(initial=0.0))
