"""What every part of the page says alike: months, names, sources, heat."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext

from planner import wording
from planner.engine.facility import btu_per_hour, tons
from planner.engine.housing import Kind, kinds_in_service, kinds_of_network
from planner.engine.prices import Build, Source
from planner.engine.result import Evaluation
from planner.services.facility import Facility
from planner.wording.numbers import counted, month_label

ESTIMATE = Source(basis="estimate")


class Said:
    """One month of one plan, and the words that every part of the page uses."""

    def __init__(self, found: Facility, evaluation: Evaluation, row_at: Callable[[str], Any]) -> None:
        self.found, self.evaluation, self.row_at = found, evaluation, row_at
        self.plan, self.now, self.month = found.plan, found.now, found.month
        self.scenario, self.book, self.calendar = evaluation.scenario, evaluation.book, evaluation.calendar
        self.site, self.base = found.now.site, f"sites/{found.now.site.slug}"
        self.housing = found.plan.housing

    @property
    def feeds_path(self) -> str:
        """Path of the circuit that feeds the racks in the month: the room's own, or that of an upgrade in service."""
        orders = [
            order
            for order in self.housing.upgrades
            if order.site == self.site.slug and order.in_service <= self.month and order.upgrade.circuit is not None
        ]
        if self.site.circuit is None or not orders:
            return f"{self.base}/circuit"
        latest = max(reversed(orders), key=lambda order: order.in_service)
        return f"{self.base}/upgrades/{latest.upgrade.slug}/circuit"

    def when(self, month: int) -> str:
        """A month as everywhere: "Mar 2028"; it may be the one after the last."""
        return month_label(self.calendar, month)

    @staticmethod
    def month_title(month: int) -> str:
        """What a month is called in addresses and files, for its title: the first is month 0."""
        return gettext("month {number} of the plan").format(number=month)

    def wave(self, month: int | None) -> dict[str, Any] | None:
        return None if month is None else {"month": month, "text": self.when(month), "title": self.month_title(month)}

    def badge(self, path: str) -> dict[str, Any] | None:
        """The badge of the assumption at a path; nothing where the row has none."""
        row = self.row_at(path)
        return row.badge if row is not None else None

    def build(self, slug: str) -> Build | None:
        return self.book.builds.get(slug)

    def name(self, slug: str) -> str:
        return wording.item(slug, self.book)

    @staticmethod
    def heat(kw: float) -> str:
        """Heat in the units in which air conditioners are sold."""
        return f"{counted(float(btu_per_hour(kw)), 'BTU/h', digits=5)} · {counted(float(tons(kw)), 'ton', digits=3)}"

    @staticmethod
    def figure(name: str, text: str, note: str, source: Source | None) -> dict[str, Any]:
        return {"name": name, "text": text, "note": note, "badge": None if source is None else wording.source(source)}

    def kinds(self) -> list[Kind]:
        """Machines that are there in the month, in racks or beside them."""
        return kinds_in_service(self.plan.fleet, 0, self.month)

    def air_cfm(self) -> float:
        moving = [*self.kinds(), *kinds_of_network(self.plan.network, 0, self.month)]
        return math.fsum(kind.count * kind.cfm for kind in moving)
