"""What a planner says about tenders: from which sum orders must be put out to one, and how long that takes.

A document that says nothing counts none, so that one saved before there was this group keeps its dates.
"""

from __future__ import annotations

from typing import Annotated, Literal

from planner.engine.quantities import Document, Quantity


class Procurement(Document):
    """Tenders for machines, spares and networks; building work has thresholds of its own and is not counted."""

    counted: bool = False
    # Whose threshold and weeks hold; "by_buyer" takes those of the buyer in the country of the operations.
    rules: Literal[
        "by_buyer", "cn", "eu_central", "eu_other", "uk_central", "uk_other", "us_federal", "in", "company"
    ] = "by_buyer"
    threshold: Annotated[float | None, Quantity("money", 0.0, 1e12)] = None  # None: that of the rules
    tender_weeks: Annotated[float | None, Quantity("week", 0.0, 104.0)] = None  # None: those of the rules
    weeks_below: Annotated[float, Quantity("week", 0.0, 104.0)] = 0.0  # quotations and approval of smaller orders
    together: Literal["budget_year", "order"] = "budget_year"  # what is held against the threshold
