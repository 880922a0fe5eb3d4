"""Kinds of fields that all parts of the document share."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, StringConstraints
from pydantic_core import PydanticCustomError

from planner.engine.quantities import Choice, Quantity

SCHEMA_VERSION = 1
MAX_MONTHS = 120

DEFAULTS = "catalog/data/defaults.csv"
COSTS = "catalog/data/other_costs.csv"


def _visible(text: str) -> str:
    """A name of nothing but invisible characters is no name."""
    return text if any(unicodedata.category(character) not in ("Cf", "Zs") for character in text) else ""


def _iso_day(value: Any) -> Any:
    """A date of this century is a date or its ISO text; numbers are not taken for seconds since 1970."""
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        value = value.isoformat()
    if isinstance(value, str) and re.fullmatch(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", value.strip()):
        return value.strip()
    raise PydanticCustomError("bad_format", "no date")


Slug = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=160)]
Name = Annotated[
    str,
    AfterValidator(_visible),
    StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=120, strip_whitespace=True),
]
Month = Annotated[str, StringConstraints(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])$")]
Day = Annotated[dt.date, BeforeValidator(_iso_day)]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]

AcceleratorSlug = Annotated[Slug, Choice("accelerator")]
BuildSlug = Annotated[Slug, Choice("build")]
OfferSlug = Annotated[Slug, Choice("cloud_offer")]

Share = Annotated[float, Quantity("share", 0.0, 1.0)]
