"""Machines of a plan that fail: how many wait for repair, and the spares on the shelf, month by month.

Sizing reference, section 7.3. Failures are Poisson, and what has failed is away for the turnaround (Palm's theorem),
so the number away has the mean λ = units × rate × turnaround. The shelf holds the fewest spares that last with the
confidence asked for; a spare takes the place of what failed at once, and only what finds none is missing: the mean
number of units short is E[(N − s)⁺] (C. C. Sherbrooke, METRIC, Operations Research 16, 1968).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.engine.calendar import Array
from planner.engine.demand import Machine
from planner.engine.fleet import Holding
from planner.engine.reliability import DAYS_PER_YEAR, short_of, spares
from planner.engine.upkeep import Reliability


@dataclass(frozen=True)
class Repairs:
    """Failures of one kind of machine in one plan. Arrays (S, M).

    Where a card is sold by itself, cards and chassis fail and are replaced apart; else the whole server is.

    server_rate  : failures of one server a year, those of its built-in GPUs included. [1/yr]
    card_rate    : of one card that is sold by itself; 0 where none is. [1/yr]
    under_repair : GPUs missing on average: what failed and found no spare. [GPU]
    spare_servers, spare_cards : on the shelf, for the most that has been in service so far.
    """

    server_rate: float
    card_rate: float
    under_repair: Array
    spare_servers: Array
    spare_cards: Array


def repairs_of(holding: Holding, rules: Reliability) -> Repairs:
    """Failures, spares and GPUs missing of a holding."""
    hosts, cards = np.clip(holding.hosts, 0.0, None), np.clip(holding.cards, 0.0, None)
    apart = holding.machine.addon is not None
    card_rate = rules.gpu_failures_per_year if apart else 0.0
    server_rate = rules.failures_per_server(0 if apart else holding.machine.base_cards)
    spare_servers, servers_short = _shelf(hosts, server_rate, rules)
    spare_cards, cards_short = _shelf(cards, card_rate, rules)
    per_server = cards / np.where(hosts > 0.0, hosts, 1.0)
    missing = np.minimum(servers_short * per_server + cards_short, cards)
    return Repairs(server_rate, card_rate, missing, spare_servers, spare_cards)


def _shelf(units: Array, rate: float, rules: Reliability) -> tuple[Array, Array]:
    """(spares kept, units short on average): nobody sells spares when the fleet shrinks."""
    away = units * rate * rules.turnaround_days / DAYS_PER_YEAR
    if not away.any():
        return np.zeros(units.shape), np.zeros(units.shape)
    kept = np.maximum.accumulate(np.asarray(spares(away, rules.spares_confidence), dtype=float), axis=1)
    return kept, np.asarray(short_of(away, kept))


def warranty_months(machine: Machine, rules: Reliability) -> int:
    """Months without a bill for repairs: by the maker, as stated or the build's own; by the seller of a used one."""
    if machine.used:
        return machine.condition.warranty_months
    build = machine.build
    return build.warranty_months if rules.warranty_years is None else round(rules.warranty_years * 12)
