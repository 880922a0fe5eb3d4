"""What the program around the catalog adds to an item's page: the drawing of its prices, and what uses the item.

Facts know nothing of scenarios, so the catalog imports no planner. Its pages ask the module that
settings.CATALOG_NEIGHBOUR names; only the settings, which wire the program, know both sides.
"""

from dataclasses import dataclass
from datetime import date
from importlib import import_module
from typing import Any, Protocol, cast

from django.conf import settings

from catalog.history import Series
from catalog.models import Item


@dataclass(frozen=True)
class Use:
    """One thing that uses an item, as a link."""

    name: str
    address: str


@dataclass(frozen=True)
class Uses:
    """Things of one kind that use an item; `more` of them, or all, are not listed here, but stand at `more_at`."""

    title: str
    links: list[Use]
    more: int = 0
    more_at: str = ""


@dataclass(frozen=True)
class Drawing:
    """A chart three times: the figure a script draws, and as SVG for a page without scripts, wide and for a phone."""

    figure: dict[str, Any]  # "data" and "layout" of Plotly
    wide: str
    narrow: str


class Neighbour(Protocol):
    def price_history(self, series: Series, today: date) -> Drawing: ...

    def uses(self, user: Any, item: Item) -> list[Uses]:
        """Only what this user may see: of the rest not even a number."""

    def colleagues(self, user: Any, other: Any) -> bool:
        """Whether the two share a workspace: what one uploads, the other may see."""


def ask() -> Neighbour:
    return cast(Neighbour, import_module(settings.CATALOG_NEIGHBOUR))
