"""Scenario documents in files: JSON or YAML in, bundles of scenario and prices out."""

import json
from pathlib import Path
from typing import Any

import yaml

from catalog.importers.shipped import shipped
from catalog.records import Catalog
from planner.engine.inputs import Scenario
from planner.engine.prices import PriceBook
from planner.engine.quantities import InputError, Problem
from planner.services import gallery, pricebook

MAX_BYTES = 5_000_000


class _NoAliases(yaml.SafeLoader):
    """Safe YAML whose aliases are refused: they can blow a small file up to gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def read_file(path: Path) -> dict[str, Any]:
    """The plain data of a JSON or YAML file; raises InputError with the reason and, where known, the line."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(Problem((str(path),), "too_long", f"{path.stat().st_size} bytes", 0, MAX_BYTES, "byte"))
        text = path.read_text(encoding="utf-8-sig")
        data = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=_NoAliases)
    except InputError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem((str(path),), "unreadable", str(error))) from None
    # besides their own, the readers raise these on a number of 5000 digits, deep nesting, a tag on the wrong scalar
    except (yaml.YAMLError, ValueError, RecursionError, AttributeError, LookupError, TypeError) as error:
        raise InputError(Problem((str(path),), "bad_format", str(error))) from None
    if not isinstance(data, dict):
        raise InputError(Problem((str(path),), "bad_format", type(data).__name__))
    return data


def resolve(data: dict[str, Any], catalog: Catalog | None = None) -> tuple[Scenario, PriceBook]:
    """Scenario and prices of a document: a bundle brings its own price book, a bare scenario takes the catalog's."""
    if "scenario" in data:
        if "prices" not in data:
            raise InputError(Problem(("prices",), "missing"))
        return Scenario.read(data["scenario"]), PriceBook.read(data["prices"])
    scenario = Scenario.read(data)
    return scenario, pricebook.build(catalog or shipped(), scenario)


def named(name: str) -> dict[str, Any] | None:
    """A document by the name of a template or, where a database is at hand, of a stored scenario (number or name)."""
    if name in gallery.templates():
        return gallery.document(name)
    return _stored(name)


def _stored(name: str) -> dict[str, Any] | None:
    row = _row(name)
    return None if row is None or row.head is None else {"scenario": row.head.document, "prices": row.head.prices.book}


def _row(name: str):
    """The stored scenario of that number or name; None where there is none, or no database yet."""
    from django.db import DatabaseError

    from planner.models import Scenario as Row

    try:
        rows = Row.objects.filter(head__isnull=False).select_related("head__prices")
        number = int(name) if name.isascii() and name.isdigit() and len(name) < 19 else None  # a key has 64 bits
        if number is not None:
            return rows.filter(pk=number).first()
        return rows.filter(name=name).first() if name else None
    except DatabaseError:  # not migrated yet: only the templates are there
        return None


def reference(name: str) -> tuple[str, int]:
    """What order numbers of a document begin with: of a stored scenario its key and version, else the name and 0."""
    path = Path(name)
    if path.suffix in (".json", ".yaml", ".yml"):
        return path.stem, 0
    row = None if name in gallery.templates() else _row(name)
    return (name, 0) if row is None or row.head is None else (f"S{row.pk}", row.head.number)


def bundle(scenario: Scenario, prices: PriceBook) -> dict[str, Any]:
    """What `evaluate` reads back to identical results, whatever the catalog has become by then."""
    return {"scenario": scenario.model_dump(mode="json"), "prices": prices.model_dump(mode="json")}


def load(name_or_file: str) -> tuple[Scenario, PriceBook]:
    """A template, a stored scenario, or a file; raises InputError where there is none or it is refused."""
    path = Path(name_or_file)
    if path.suffix in (".json", ".yaml", ".yml"):
        return resolve(read_file(path))
    data = named(name_or_file)
    if data is None:
        raise InputError(Problem(("scenario",), "not_a_choice", name_or_file, choices=tuple(gallery.templates())))
    return resolve(data)
