"""Which field of the document a path names."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from planner.engine.budget import Budget
from planner.engine.inputs import Scenario


@dataclass(frozen=True)
class Place:
    """Where a path leads: the class that holds the field, the field, and what follows it (the key of a dict, a
    position)."""

    owner: type[BaseModel]
    field: str
    rest: str = ""
    element: bool = False  # an element of a list of documents, by its slug or position


def documents_inside(annotation: Any) -> tuple[list[type[BaseModel]], bool]:
    """The document classes inside an annotation, and whether they stand in a list."""
    found: list[type[BaseModel]] = []
    listed = False
    stack = [annotation]
    while stack:
        item = stack.pop(0)
        if isinstance(item, type) and issubclass(item, BaseModel):
            found.append(item)
        listed = listed or get_origin(item) in (tuple, list)
        stack.extend(get_args(item))
    return found, listed


def _narrowed(classes: list[type[BaseModel]], node: Any) -> list[type[BaseModel]]:
    kind = node.get("kind") if isinstance(node, dict) else getattr(node, "kind", None)
    if kind is None or len(classes) < 2:
        return classes
    return [each for each in classes if kind in typing.get_args(each.model_fields["kind"].annotation)] or classes


def step_into(node: Any, key: str) -> Any:
    if isinstance(node, (list, tuple)):

        def slug(element: Any) -> Any:
            return element.get("slug") if isinstance(element, dict) else getattr(element, "slug", None)

        return next(
            (each for each in node if slug(each) == key),
            node[int(key)] if key.isdigit() and int(key) < len(node) else None,
        )
    return node.get(key) if isinstance(node, dict) else getattr(node, key, None)


def node_at(path: str, document: Any) -> Any:
    """What stands at a path of a scenario or of its plain data; None where nothing does."""
    node = document
    for step in path.split("/"):
        node = None if node is None else step_into(node, step)
    return node


def locate(path: str, document: Any = None) -> Place | None:
    """The field a path names; `document`, a scenario or its plain data, tells variants of the same name apart."""
    return _locate(path) if document is None else _walk(path, document)


@lru_cache(maxsize=4096)
def _locate(path: str) -> Place | None:
    return _walk(path, None)


def _walk(path: str, node: Any) -> Place | None:
    classes: list[type[BaseModel]] = [Scenario]
    place: Place | None = None
    listed = False
    steps = [step for step in path.split("/") if step]
    if steps[:1] == ["budget"]:  # what is asked about beside a scenario
        classes, steps, node = [Budget], steps[1:], None
    for position, step in enumerate(steps):
        node = None if node is None else step_into(node, step)
        if listed and classes and place is not None:  # this step picks an element
            classes, listed = _narrowed(classes, node), False
            place = Place(place.owner, place.field, step, element=True)
            continue
        owner = next((each for each in classes if step in each.model_fields), None)
        if owner is None:
            return None
        place = Place(owner, step)
        classes, listed = documents_inside(owner.model_fields[step].annotation)
        if not classes:
            return Place(owner, step, "/".join(steps[position + 1 :]))
        if not listed:
            classes = _narrowed(classes, node)
    return place
