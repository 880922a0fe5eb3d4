"""A plan in its room in one month: what stands where, against which limits, and what a loss does to it."""

from __future__ import annotations

import string
from dataclasses import dataclass

from planner.engine import limits, room
from planner.engine.housing import UpgradeOrder
from planner.engine.inputs import Scenario
from planner.engine.layout import Layout, layout
from planner.engine.prices import PriceBook, Source
from planner.engine.quantities import InputError, Problem
from planner.engine.result import Evaluation, PlanResult
from planner.services import assumptions

COOLING = "cooling"  # the loss of a cooling unit, beside those of the feeds A, B, C …


@dataclass(frozen=True)
class Facility:
    """A month of a plan, and the whole horizon where its limits are concerned."""

    plan: PlanResult
    month: int
    now: Layout
    waves: tuple[int, ...]  # months in which the room or what stands in it changes
    passed: tuple[limits.Passed, ...]
    lost: str  # "", the letter of a feed, or `COOLING`
    without: tuple[room.RackWithout, ...] | None  # with that feed lost; None where none is
    coming: Layout | None  # of the next wave

    @property
    def standing(self) -> room.Standing:
        return room.standing(self.plan, self.now)

    @property
    def standing_then(self) -> room.Standing | None:
        return None if self.coming is None else room.standing(self.plan, self.coming)

    @property
    def before(self) -> int | None:
        """The wave before this month."""
        return max((month for month in self.waves if month < self.month), default=None)

    @property
    def after(self) -> int | None:
        return min((month for month in self.waves if month > self.month), default=None)

    @property
    def owns(self) -> bool:
        """Whether the plan puts any machine anywhere in the horizon."""
        return any(holding.hosts.any() for holding in self.plan.fleet.holdings)


def first_choice(plans: list[PlanResult]) -> str:
    """The plan that is shown first: the best of those that own machines."""
    return next((plan for plan in plans if plan.fleet.holdings), plans[0]).slug


def facility(evaluation: Evaluation, slug: str, month: int | None, lost: str) -> Facility:
    """A month of a plan; raises KeyError for an unknown plan, InputError for a month outside the horizon.

    month : None is the first in which a machine is there.
    lost  : "", the letter of a feed, or `COOLING`; what this month's room does not have is not lost.
    """
    plan = next((each for each in evaluation.plans if each.slug == slug), None)
    if plan is None:
        raise KeyError(slug)
    waves = tuple(limits.waves(plan))
    if month is None:
        month = next((wave for wave in waves if _servers(plan, wave)), 0)
    now = layout(plan, month)
    if lost not in losses(now):
        lost = ""
    after = min((wave for wave in waves if wave > month), default=None)
    return Facility(
        plan=plan,
        month=month,
        now=now,
        waves=waves,
        passed=tuple(limits.limits_passed(plan)),
        lost=lost,
        without=room.without_feed(now, feeds(now).index(lost)) if lost and lost != COOLING else None,
        coming=None if after is None else layout(plan, after),
    )


def _servers(plan: PlanResult, month: int) -> float:
    return sum(float(holding.hosts[0, month]) for holding in plan.fleet.holdings)


def feeds(now: Layout) -> list[str]:
    """Letters of the feeds of a rack: A, B, C …"""
    return list(string.ascii_uppercase[: now.circuit.feeds]) if now.circuit is not None and now.racks else []


def losses(now: Layout) -> list[str]:
    """What of this month's room can be lost."""
    return [*feeds(now), *([COOLING] if now.cooling_loss is not None else [])]


def read_month(text: str, evaluation: Evaluation) -> int | None:
    """A month as an address has it: "15", "m15" or "2028-03"; None for "". Raises InputError naming the bounds."""
    text = text.strip()
    labels = evaluation.calendar.labels
    if not text:
        return None
    if text in labels:
        return labels.index(text)
    number = text.removeprefix("m")
    if number.isascii() and number.isdigit() and len(number) < 5 and int(number) < len(labels):
        return int(number)
    raise InputError(Problem(("month",), "out_of_bounds", text, 0, len(labels) - 1, "month"))


def price_of(order: UpgradeOrder, scenario: Scenario, book: PriceBook) -> tuple[float, Source]:
    """(money for all its pieces, source) of a step of the ladder, in the scenario's currency."""
    path = f"sites/{order.site}/upgrades/{order.upgrade.slug}/price"
    amount, source = order.upgrade.price, Source(basis="own")
    if amount is None:
        found = assumptions.effective(scenario, book, path)
        if found is None:
            raise InputError(Problem(("prices", order.upgrade.item), "no_quote", order.upgrade.item))
        amount, source = found
    return amount * order.upgrade.quantity, source
