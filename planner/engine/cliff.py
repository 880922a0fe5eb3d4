"""The fit cliff: the month in which a growing model no longer fits the GPUs owned, and what then stands idle."""

from __future__ import annotations

import math

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.credits import worth_in
from planner.engine.costs.purchases import Purchases
from planner.engine.fleet import Holding
from planner.engine.inputs import Scenario
from planner.engine.result import Finding, PlanResult


def cliffs(result: PlanResult, scenario: Scenario, bought: list[Purchases]) -> list[Finding]:
    """One finding for each workload and machine that it outgrows.

    Stranded are the GPUs that no other workload asks for in that month, and of their servers the whole ones. They are
    valued at what they would bring if sold in that month (price paid × residual share at their age, after commission
    and condition), discounted to the start; their share of the whole holding is by number of GPUs.
    """
    found = []
    for work in scenario.demand.workloads:
        for place, holding in enumerate(result.fleet.holdings):
            memory = result.requirements[holding.machine.slug][work.slug].memory_by_month
            month = None if memory is None else _month(memory, holding, joined=result.network is not None)
            if memory is None or month is None:
                continue
            idle = _idle(result, work.slug, holding, month)
            cards, hosts = float(holding.cards[0, month]), float(holding.hosts[0, month])
            facts = {
                "workload": work.slug,
                "item": holding.machine.slug,
                "needed_gpus": int(memory[month]) if math.isfinite(memory[month]) else None,
                "server_gpus": _within_reach(holding, joined=result.network is not None)[month],
                "stranded_gpus": idle,
                "stranded_servers": math.floor(idle / cards * hosts + 1e-9),
            }
            if bought:
                worth = worth_in(bought[place], holding, scenario.market, month) * idle / cards
                facts["amount"] = worth * float(result.discount[month])
            found.append(Finding("fit_cliff", month, facts))
    return found


def _within_reach(holding: Holding, *, joined: bool) -> Array:
    """(M,): GPUs that one job can have at most."""
    cards = holding.cards[0]
    return cards if joined else np.asarray(np.minimum(cards, float(holding.machine.server_gpus)))


def _month(memory: Array, holding: Holding, *, joined: bool) -> int | None:
    """The first month after one in which the model fitted, in which it does not fit what is there; None if none is."""
    fits = (memory <= _within_reach(holding, joined=joined)) & (holding.cards[0] > 0)
    if not fits.any():
        return None
    over = ~fits & (holding.cards[0] > 0) & (np.arange(fits.size) > int(np.argmax(fits)))
    return int(np.argmax(over)) if over.any() else None


def _idle(result: PlanResult, outgrown: str, holding: Holding, month: int) -> int:
    """GPUs of a holding that no other workload asks for."""
    others = sum(
        float(
            need.required[0, month]
            * need.runs_in(holding.machine.server_gpus, joined=result.network is not None)[month]
        )
        for slug, need in result.requirements[holding.machine.slug].items()
        if slug != outgrown and np.isfinite(need.required[0, month])
    )
    return max(0, int(holding.cards[0, month]) - math.ceil(others - 1e-9))
