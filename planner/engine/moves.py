"""Moves from one room to another: days without machines, and what was spent on the room that is left.

What is stranded was paid in its own month and is no cost again: it is told beside the totals, never in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.capex import PAYMENT_TERMS
from planner.engine.inputs import Scenario, Site
from planner.engine.lines import round_half_up
from planner.engine.result import Finding, PlanResult

HOURS_PER_DAY = 24.0
ROOM = ("capex.cooling", "capex.facility")  # what upgrades of a room cost
RACKS = "capex.racks_and_power"


@dataclass(frozen=True)
class Move:
    """One move of a plan's machines."""

    month: int
    left: Site
    to: Site
    paid: float  # for the room that is left [money]
    stranded: float  # of that, what the books have not written off at the move [money]
    gpu_hours: float  # that machines stand still


def moves_of(result: PlanResult, scenario: Scenario) -> Iterator[Move]:
    """The moves of a plan that owns machines then."""
    cards = sum((holding.cards[0] for holding in result.fleet.holdings), np.zeros(result.calendar.months))
    sites = result.housing.site_of
    begun = 0
    for m in range(1, len(sites)):
        if sites[m].slug == sites[m - 1].slug:
            continue
        left, to = sites[m - 1], sites[m]
        if cards[m - 1] > 0:
            spent = _spent(result, left, to, begun, m)
            kept = np.clip(1.0 - (m - np.arange(m)) / scenario.finance.book_life_months, 0.0, None)
            end = next((n for n in range(m, len(sites)) if sites[n].slug != to.slug), len(sites))
            still = result.housing.moving[0, m:end] * cards[m:end] * result.calendar.hours[m:end]
            paid, stranded = (_rounded(amount, result) for amount in (spent.sum(), (spent * kept).sum()))
            yield Move(m, left, to, paid, stranded, float(still.sum()))
        begun = m


def _spent(result: PlanResult, left: Site, to: Site, begun: int, month: int) -> Array:
    """(month,): what was paid for a room until it is left; racks stay behind where a hall has its own. [money]"""
    found = np.zeros(month)
    for line in result.lines:
        if line.code == PAYMENT_TERMS:  # paid sooner or later, it is spent
            continue
        if line.category in ROOM and line.place == left.slug:
            found += line.minor[:month]
        elif line.category == RACKS and left.kind != "colocation" and to.kind == "colocation":
            found[begun:] += line.minor[begun:month]
    return found / 10.0**result.decimals


def _rounded(amount: float, result: PlanResult) -> float:
    return float(round_half_up(np.asarray(amount), result.decimals)) / 10.0**result.decimals


def tell_of_moves(result: PlanResult, scenario: Scenario) -> None:
    """What a move leaves behind, and for how long machines stand still."""
    for move in moves_of(result, scenario):
        facts = {"site": move.left.slug, "next_site": move.to.slug}
        if move.paid > 0:
            found = {"amount": move.stranded, "paid": move.paid, "book_months": scenario.finance.book_life_months}
            result.warnings.append(Finding("left_room", move.month, facts | found))
        if move.gpu_hours > 0:
            found = {"days": move.to.downtime_days, "gpu_hours": move.gpu_hours}
            result.warnings.append(Finding("move_downtime", move.month, facts | found))


def stranded_by_month(result: PlanResult, scenario: Scenario) -> Array:
    """(M,): what each move strands, in the month of the move. [money]"""
    found = np.zeros(result.calendar.months)
    for move in moves_of(result, scenario):
        found[move.month] += move.stranded
    return found
