"""Which work runs where: owned GPUs first, the overflow offer for the rest, what is left is unmet."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from planner.engine.calendar import Array
from planner.engine.demand import Machine, Requirement

# A month is met when peak ≤ capacity, within this relative hair.
SLACK = 1e-9


@dataclass
class Allocation:
    """Arrays (S, M).

    used       : by build slug, GPUs of that machine that are busy on average.
    owned_share: by workload slug, share of the work that owned GPUs carry.
    rented     : by workload slug, GPUs rented on average, in GPUs of the offer's hardware.
    useful_owned, useful_rented, unmet : reference GPUs, on average.
    served     : share of the whole demand that is served.
    """

    used: dict[str, Array]
    owned_share: dict[str, Array] = field(default_factory=dict)
    rented: dict[str, Array] = field(default_factory=dict)
    useful_owned: Array = field(default_factory=lambda: np.zeros((1, 1)))
    useful_rented: Array = field(default_factory=lambda: np.zeros((1, 1)))
    unmet: Array = field(default_factory=lambda: np.zeros((1, 1)))
    served: Array = field(default_factory=lambda: np.ones((1, 1)))
    met: Array = field(default_factory=lambda: np.ones((1, 1), dtype=bool))  # owned and rented together carry the peak


def allocate(
    workloads: list[str],
    reference: dict[str, Requirement],
    on: dict[str, list[tuple[Machine, Requirement]]],
    capacity: dict[str, Array],
    offered: dict[str, Requirement] | None,
    installed: dict[str, Array] | None = None,
    under_repair: dict[str, Array] | None = None,
) -> Allocation:
    """Give each workload, in order of priority, the machines on which it can run, cheapest first; the rest overflows.

    reference : each workload in GPUs of its own reference hardware.
    on        : the machines a workload may use, in the order of their running cost, with what it asks of them.
    capacity  : GPUs in service by build slug, (S, M), throttling already taken off.
    offered   : each workload on the overflow offer's hardware; None where the plan has no overflow.
    installed : GPUs in service before throttling; a job whose memory needs more of them than there are does not run.
    under_repair : GPUs of `capacity` that wait for repair, on average. Spare servers held back stand in for them first;
        a job that needs all its GPUs at once loses time by them and not size.
    """
    missing = dict(under_repair or {})
    left = {slug: cards.copy() for slug, cards in capacity.items()}
    shape = next(iter(reference.values())).mean.shape
    if capacity:
        shape = np.broadcast_shapes(shape, next(iter(capacity.values())).shape)
    result = Allocation(used={slug: np.zeros(shape) for slug in capacity})
    useful_owned, useful_rented, unmet = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    met = np.ones(shape, dtype=bool)
    for slug in workloads:
        todo = np.ones(shape)  # share of the workload's peak still to be placed
        for machine, need in on.get(slug, []):
            free, away = left[machine.slug], np.clip(missing.get(machine.slug, 0.0) - need.reserve, 0.0, None)
            usable = np.clip(free - need.reserve - (0.0 if need.waits else away), 0.0, None)
            usable = np.where((installed or capacity)[machine.slug] >= need.least, usable, 0.0)
            if need.runs is not None:
                usable = usable * need.runs
            fraction = _carried(need.peak * todo, usable)
            if need.waits and missing:
                time_left = np.clip(free - away, 0.0, None)
                fraction = np.minimum(fraction, _carried(need.mean * todo, time_left))
            taken = todo * np.clip(fraction, 0.0, 1.0)
            result.used[machine.slug] = result.used[machine.slug] + need.mean * taken
            peak_taken = np.where(np.isfinite(need.peak), need.peak, 0.0) * taken
            left[machine.slug] = np.clip(free - peak_taken - np.where(taken > 0, need.reserve, 0.0), 0.0, None)
            if machine.slug in missing:
                missing[machine.slug] = np.where(taken > 0, away, missing[machine.slug])
            todo = todo - taken
        todo = np.where(todo < SLACK, 0.0, todo)
        result.owned_share[slug] = 1.0 - todo
        mean = reference[slug].mean
        useful_owned = useful_owned + mean * (1.0 - todo)
        if offered is not None:
            # cloud bills use the mean: headroom and spare servers are the provider's (model.md 2)
            result.rented[slug] = offered[slug].mean * todo
            useful_rented = useful_rented + mean * todo
        else:
            unmet = unmet + mean * todo
            met = met & (todo <= 0.0)
    total = np.asarray(sum(reference[slug].mean for slug in workloads)) + np.zeros(shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        served = np.where(total > 0, 1.0 - unmet / np.where(total > 0, total, 1.0), 1.0)
    result.useful_owned, result.useful_rented, result.unmet = useful_owned, useful_rented, unmet
    result.served, result.met = served, met
    return result


def _carried(asked: Array, there: Array) -> Array:
    """Share of what is asked that can be had; all of it within the slack."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(asked <= there * (1.0 + SLACK) + SLACK, 1.0, there / np.where(asked > 0, asked, 1.0))
