"""How busy owned GPUs must be to cost less than renting: with idle hours charged, and with idle hours free.

Idle hours charged: the running costs are due around the clock. Idle hours free: they are due for the hours used alone,
as if the machines were switched off otherwise. Neither is the truth; the reader is told which is which.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.engine import finance
from planner.engine.costs.books import Books
from planner.engine.lines import AFTER_TAX, FINANCING
from planner.engine.prices import CloudOffer

if TYPE_CHECKING:
    from planner.engine.result import Evaluation, PlanResult


@dataclass(frozen=True)
class Use:
    """A plan's own machines against one offer. Money and hours are discounted like the plan's cost.

    capex    : paid for the machines and their room, less what they bring back. [money]
    opex     : of an owned GPU-hour as the plan runs, cloud apart. [money/GPU-hour]
    rent     : of as much work as an owned GPU does in an hour, on the offer's hardware. [money/GPU-hour]
    converts : GPUs of the offer that do the work of one owned GPU. [1]
    hours    : owned, used or not. [GPU-hour]
    used     : share of them that does useful work. [1]
    """

    provider_class: str
    offer: CloudOffer
    capex: float
    opex: float
    rent: float
    converts: float
    hours: float
    used: float

    @property
    def pays(self) -> bool:
        """False where renting an hour costs no more than running an owned one: then owning never pays."""
        return self.rent > self.opex

    @property
    def idle_charged(self) -> float:
        """(capex + opex × hours) ÷ (rent × hours); infinite is never, above 1 is beyond full use. [1]"""
        return self._from(idle_charged=True)

    @property
    def idle_free(self) -> float:
        """capex ÷ ((rent − opex) × hours); infinite is never, above 1 is beyond full use. [1]"""
        return self._from(idle_charged=False)

    def _from(self, *, idle_charged: bool) -> float:
        return float(finance.break_even_use(self.capex, self.rent, self.hours, self.opex, idle_charged=idle_charged))

    def as_dict(self) -> dict[str, Any]:
        """Plain data; None is never."""
        return {
            "provider_class": self.provider_class,
            "offer": self.offer.slug,
            "rent_per_gpu_hour": self.rent,
            "opex_per_gpu_hour": self.opex,
            "idle_charged": self.idle_charged if self.pays else None,
            "idle_free": self.idle_free if self.pays else None,
            "used": self.used,
        }


def break_even_use(plan: PlanResult, evaluation: Evaluation) -> list[Use]:
    """One answer an offer: the plan's own, or another plan's where it rents nothing; of each class of provider.

    Before tax; what a loan or a lease costs stands for a purchase. Empty where nothing is owned, priced or comparable.
    """
    renting = next((each for each in (plan, *evaluation.plans) if each.offer is not None), None)
    owned = np.asarray(sum((holding.cards[0] for holding in plan.fleet.holdings), np.zeros(plan.calendar.months)))
    if renting is None or not plan.priced or not owned.any():
        return []
    hours = owned * plan.calendar.hours * plan.running_discount
    total = float(hours.sum())
    useful = plan.allocation.used
    busy = float(sum((gpus[0] * plan.calendar.hours * plan.running_discount).sum() for gpus in useful.values()))
    kinds: dict[str, float] = {"capex": 0.0, "credit": 0.0, "opex": 0.0}
    for line in plan.lines:
        if line.code == "cloud" or line.category.startswith(("opex.cloud", AFTER_TAX)):
            continue
        kind = "capex" if line.category in FINANCING else line.kind
        kinds[kind] += line.present_value(plan.discount_of(line))
    books = Books(evaluation.scenario, evaluation.book, evaluation.calendar)
    converts = _converts(plan, renting)
    found = []
    for name, offer in _offers(renting):
        price, _source = books.price(offer.slug, offer.price)
        rent = float((price / offer.count * books.paths["cloud"] * hours).sum()) / total * converts
        capex, opex = max(0.0, kinds["capex"] + kinds["credit"]), kinds["opex"] / total
        found.append(Use(name, offer, capex, opex, rent, converts, total, busy / total))
    return found


def _offers(renting: PlanResult) -> Iterator[tuple[str, CloudOffer]]:
    """The plan's offer and those of the other classes, each once."""
    seen = set()
    for name, offer in (("", renting.offer), *renting.offers_by_class.items()):
        if offer is not None and offer.slug not in seen:
            seen.add(offer.slug)
            yield name, offer


def _converts(plan: PlanResult, renting: PlanResult) -> float:
    """GPUs of the offer's hardware that do the work of one of the plan's, by the whole demand."""
    machine = plan.requirements[plan.fleet.holdings[0].machine.slug]
    mine = float(sum(need.mean[0].sum() for need in machine.values()))
    theirs = float(sum(need.mean[0].sum() for need in renting.requirements["offer"].values()))
    return theirs / mine if mine > 0 and math.isfinite(mine) and math.isfinite(theirs) else 1.0
