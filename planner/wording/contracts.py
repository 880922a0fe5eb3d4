"""Words for energy, colocation and cloud contracts: their fields and choices, and what carbon leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.prices import PriceBook
from planner.wording.lines import item
from planner.wording.words import Words

FIELD_WORDS: dict[str, Words] = {
    "Site.grid_kgco2e_per_kwh": Words(
        _("Grid carbon"),
        _("Greenhouse gas of a kilowatt-hour from the grid, of a contract or of the region."),
        _("the region's grid"),
    ),
    "Market.grid_carbon": Words(_("Grid carbon"), _("How the carbon of a kilowatt-hour moves over the years.")),
    "GridPath.rate_per_year": Words(
        _("Grid carbon change"), _("Change of the carbon of a kilowatt-hour per year; minus means cleaner.")
    ),
}

CHOICE_WORDS: dict[tuple[str, Any], Any] = {}

_UNKNOWN = {
    "grid": _("the grid where the machines stand"),
    "switches": _("switches and their cables"),
    "rented": _("rented GPUs"),
}


def carbon_unknown(names: Iterable[str], book: PriceBook) -> str:
    """What nobody states the carbon of: "not known, and not counted: rented GPUs"."""
    listed = gettext(", ").join(str(_UNKNOWN.get(name) or item(name, book)) for name in names)
    return gettext("not known, and not counted: {what}").format(what=listed)
