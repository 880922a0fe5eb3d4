"""Paths into a document."""

from __future__ import annotations

from typing import Any

from planner.engine.quantities import InputError, Problem


def get_at(data: Any, path: str) -> Any:
    """The value at a path of slugs and keys in plain data; None where a key is absent."""
    for step in path.split("/"):
        if isinstance(data, (list, tuple)):
            data = next((element for element in data if element.get("slug") == step), None)
        elif isinstance(data, dict):
            data = data.get(step)
        if data is None:
            return None
    return data


def set_at(data: Any, path: str, value: Any) -> Any:
    """A copy of plain data with the value at the path replaced; raises InputError where the path leads nowhere."""
    head, _, rest = path.partition("/")
    if isinstance(data, (list, tuple)):
        if not any(element.get("slug") == head for element in data):
            raise InputError(Problem((head,), "unknown_field"))
        return [
            (set_at(element, rest, value) if rest else value) if element.get("slug") == head else element
            for element in data
        ]
    if not isinstance(data, dict):
        raise InputError(Problem((head,), "unknown_field"))
    if not rest:
        if value is None and head not in data:
            return data
        return {**data, head: value}
    if data.get(head) is None:
        data = {**data, head: {}}
    return {**data, head: set_at(data[head], rest, value)}
