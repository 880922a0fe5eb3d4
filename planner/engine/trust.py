"""What a present value rests on: quotes that hold, quotes that have expired, market prices, estimates, own figures."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from planner.engine.lines import Line
from planner.engine.prices import Source
from planner.engine.result import PlanResult

QUOTED, EXPIRED, MARKET, ESTIMATE, OWN = "quoted", "expired", "market", "estimate", "own"
PARTS = (QUOTED, EXPIRED, MARKET, ESTIMATE, OWN)  # the firmest first
PUBLISHED = frozenset({"list", "market", "sourced"})


def part_of(source: Source, day: dt.date) -> str:
    """The part in which a line with this source counts on a day. A quote that names no supplier binds nobody."""
    if source.basis == "own":
        return OWN
    if source.basis == "quoted" and source.supplier:
        return EXPIRED if source.valid_until is not None and source.valid_until < day else QUOTED
    return MARKET if source.basis in PUBLISHED or source.basis == "quoted" else ESTIMATE


def parts_of(plan: PlanResult, day: dt.date) -> dict[str, list[Line]]:
    """The lines of a plan by what their price rests on."""
    found: dict[str, list[Line]] = {part: [] for part in PARTS}
    for line in plan.lines:
        found[part_of(line.source, day)].append(line)
    return found


def weights(plan: PlanResult, day: dt.date) -> dict[str, float]:
    """Present value of each part; costs and credits both count at their size, so nothing cancels out. [money]"""
    return {
        part: plan.money(abs(line.present_value(plan.discount_of(line))) for line in lines)
        for part, lines in parts_of(plan, day).items()
    }


def shares(plan: PlanResult, day: dt.date) -> dict[str, float]:
    """Share of each part, which add up to 1; none where a plan costs nothing."""
    found = weights(plan, day)
    whole = sum(found.values())
    return {part: weight / whole for part, weight in found.items()} if whole > 0 else {}


def percents(plan: PlanResult, day: dt.date) -> dict[str, int]:
    """Shares of the parts there are as whole per cents, which add up to 100."""
    found = {part: share for part, share in shares(plan, day).items() if share > 0}
    return dict(zip(found, whole_percents(list(found.values())), strict=True))


def whole_percents(given: Sequence[float]) -> list[int]:
    """Shares that add up to 1 as whole per cents that add up to 100: the largest remainders are rounded up."""
    floors = [int(share * 100 + 1e-9) for share in given]
    order = sorted(range(len(floors)), key=lambda place: floors[place] - given[place] * 100)
    for place in order[: 100 - sum(floors)]:
        floors[place] += 1
    return floors
