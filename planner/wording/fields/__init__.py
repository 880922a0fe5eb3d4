"""Words for every field of the scenario document: its label, one sentence of help, what an empty field means.

A path names a field by class: `demand/workloads/pool/growth/rate_per_month` is CompoundGrowth.rate_per_month
wherever it stands.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from planner.engine.inputs import Scenario
from planner.engine.quantities import Quantity, quantity_of
from planner.wording.fields.choices import CHOICES, choice, section
from planner.wording.fields.paths import Place, documents_inside, locate, node_at, step_into
from planner.wording.fields.table import FIELDS
from planner.wording.lines import category
from planner.wording.numbers import quantity
from planner.wording.words import Words

__all__ = [
    "CHOICES",
    "choice",
    "declaration",
    "empty_text",
    "help_text",
    "label",
    "locate",
    "node_at",
    "section",
    "value_text",
    "words",
    "words_of",
]


def words(path: str, document: Any = None) -> Words | None:
    """The words of the field that a path names."""
    place = locate(path, document)
    return None if place is None else words_of(place.owner, place.field)


def words_of(owner: type[BaseModel], field: str) -> Words | None:
    """The words of a field, told by its class or the nearest one above it that has words for it."""
    names = (f"{base.__name__}.{field}" for base in owner.__mro__)
    return next((FIELDS[name] for name in names if name in FIELDS), None)


def label(path: str, document: Any = None) -> str:
    """What a field is called."""
    place = locate(path, document)
    if place is not None and place.rest and place.owner is Scenario and place.field == "lines":
        return category(place.rest)
    if place is not None and place.rest and place.field == "own_prices":
        return gettext("Own price of {item}").format(item=place.rest)
    found = words(path, document)
    if found is None or place is None:
        return path.rpartition("/")[2]
    if place.element:
        return _element(place, path, document)
    return str(found.label)


def _element(place: Place, path: str, document: Any) -> str:
    """An element of a list: its own name where it has one, else its kind and slug."""
    node = node_at(path, document)
    name = (node.get("name") if isinstance(node, dict) else getattr(node, "name", "")) if node is not None else ""
    if name:
        return str(name)
    pattern = {
        "workloads": _("Workload {name}"),
        "plans": _("Plan {name}"),
        "sites": _("Room {name}"),
        "upgrades": _("Upgrade {name}"),
        "generations": _("Generation {name}"),
        "contracts": _("Contract {name}"),
        "subscriptions": _("Licence or assessment {name}"),
        "waves": _("Wave {name}"),
        "steps": _("Step {name}"),
    }.get(place.field, _("Point {name}"))
    shown = str(int(place.rest) + 1) if place.rest.isdigit() else place.rest
    return str(pattern).format(name=shown)


def help_text(path: str, document: Any = None) -> str:
    """One sentence of what a field means; bounds and source stand elsewhere."""
    place = locate(path, document)
    if place is not None and place.rest and place.owner is Scenario and place.field == "lines":
        return gettext("Whether this line is counted; a line that is off is listed as left out.")
    found = words(path, document)
    return "" if found is None else str(found.help)


def declaration(path: str, document: Any = None) -> Quantity | None:
    """Unit, bounds and source of the field a path names; None where it is no quantity."""
    place = locate(path, document)
    if place is None:
        return None
    if place.field == "own_prices":
        return Quantity("money", 0.0, 1e9)
    return None if place.element else quantity_of(place.owner.model_fields[place.field])


def value_text(path: str, value: Any, currency: str = "", document: Any = None) -> str:
    """A field's value with its unit, a choice in words, an empty field by what then holds."""
    if value is None:
        return empty_text(path, document) or gettext("not given")
    if isinstance(value, (list, tuple)):
        return gettext("; ").join(_entry(path, entry, currency, document) for entry in value)
    declared = declaration(path, document)
    if declared is not None and not isinstance(value, bool):
        return quantity(value, declared.unit, currency, _workload_of(path, document))
    return choice(path, value)


def _entry(path: str, entry: Any, currency: str, document: Any) -> str:
    """An entry of a list: a value, or the two of a point: "8 GPUs: 95 %"."""
    place = locate(path, document)
    models = [] if place is None else documents_inside(place.owner.model_fields[place.field].annotation)[0]
    if not models or not isinstance(entry, (dict, BaseModel)):
        return str(entry)
    plain = entry if isinstance(entry, dict) else entry.model_dump()
    units = {name: quantity_of(info) for name, info in models[0].model_fields.items()}
    work = _workload_of(path, document)
    return ": ".join(
        quantity(value, unit.unit if unit is not None else "1", currency, work)
        for value, unit in ((plain[name], units[name]) for name in units if name in plain)
    )


def _workload_of(path: str, document: Any) -> Any:
    """The workload in which a path lies, for the unit of its driver."""
    steps = path.split("/")
    if document is None or steps[:2] != ["demand", "workloads"] or len(steps) < 3:
        return None
    return step_into(step_into(step_into(document, "demand"), "workloads"), steps[2])


def empty_text(path: str, document: Any = None) -> str:
    """What holds while the field is empty."""
    found = words(path, document)
    return "" if found is None else str(found.empty)
