"""What a planner says about optional licences, and about assessments that law or customers ask for: each off until it
is named."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from planner.engine.quantities import Choice, Document, Quantity

Per = Literal["gpu", "server", "assessment"]
# What one price covers, by the unit of its row in the catalog.
PER: dict[str, Per] = {"GPU-year": "gpu", "node-year": "server", "assessment": "assessment"}


class Subscription(Document):
    """A licence by GPU or server and year, or an assessment that is paid whenever it falls due."""

    slug: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=160)]
    name: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=120, strip_whitespace=True)] = ""
    item: Annotated[str | None, Choice("subscription"), StringConstraints(max_length=160)] = None
    per: Per = "gpu"  # where no item of the catalog says it
    # Of one GPU or server for a year, or of one assessment; None: the catalog's, and without one there is no total.
    price: Annotated[float | None, Quantity("money", 0.0, 1e9)] = None
    from_month: Annotated[int, Quantity("month", 0, 119)] = 0
    every_months: Annotated[int, Quantity("month", 1, 120)] = 12  # between assessments
    rented: bool = False  # whether rented GPUs need the licence too
