"""The whole document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from planner.engine.inputs.base import MAX_MONTHS, Currency, Day, Month, Name, Slug
from planner.engine.inputs.demand import Demand
from planner.engine.inputs.finance import Finance, Operations
from planner.engine.inputs.market import Market
from planner.engine.inputs.plans import Plan
from planner.engine.inputs.site import Site
from planner.engine.lines import CATEGORIES
from planner.engine.procurement import Procurement
from planner.engine.quantities import Document, Quantity, conflict
from planner.engine.upkeep import Reliability


def _known_category(name: str) -> str:
    if name not in CATEGORIES:
        raise PydanticCustomError("unknown_field", "no such cost line")
    return name


CategoryName = Annotated[str, AfterValidator(_known_category)]


class Scenario(Document):
    """Everything a planner says about one question."""

    schema_version: Literal[1] = 1
    name: Name = ""
    template: Slug | None = None
    start: Month
    months: Annotated[int, Quantity("month", 1, MAX_MONTHS, 36, 84)] = 60
    currency: Currency = "USD"
    pricing_date: Day
    demand: Demand
    plans: tuple[Plan, ...] = Field(min_length=1, max_length=12)
    sites: tuple[Site, ...] = Field(min_length=1, max_length=6)
    market: Market = Market()
    operations: Operations = Operations()
    reliability: Reliability = Reliability()
    procurement: Procurement = Procurement()
    finance: Finance = Finance()
    # Cost lines switched on or off against their default, by category.
    lines: dict[CategoryName, bool] = Field(default={}, max_length=60)

    @model_validator(mode="after")
    def _slugs_are_unique(self) -> Scenario:
        for name, group in (("demand/workloads", self.demand.workloads), ("plans", self.plans), ("sites", self.sites)):
            slugs = [element.slug for element in group]
            if len(set(slugs)) != len(slugs):
                raise conflict(name, "slugs repeat")
        listed = (
            ("market/generations", self.market.generations),
            ("operations/contracts", self.operations.contracts),
            ("operations/subscriptions", self.operations.subscriptions),
        )
        for path, elements in listed:
            if len({element.slug for element in elements}) != len(elements):
                raise conflict(path, "slugs repeat")
        for site in self.sites:
            steps = [step.slug for step in site.upgrades]
            if len(set(steps)) != len(steps):
                raise conflict(f"sites/{site.slug}/upgrades", "slugs repeat")
        if self.sites[0].from_month != 0:
            raise conflict("sites", "the first site must start in month 0")
        return self
