"""Ways to read an input of a fabric or facility case."""

from __future__ import annotations

from typing import Any, TypeVar

from planner.engine.bounds import whole, within
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Inputs

Number = TypeVar("Number", int, float)

# Counts are computed in 64 bits, products of some included.
MOST = 2**31


def count(i: Inputs, name: str, default: int | None = None, low: int = 0) -> int:
    """A whole input; raises InputError by name."""
    return int(whole(name, i.number(name, default), low, MOST))


def optional(i: Inputs, name: str, low: int = 0) -> int | None:
    """A whole input, or None where the case is silent."""
    return None if i.get(name) is None else count(i, name, low=low)


def number(i: Inputs, name: str) -> float | None:
    """A number that is not negative, or None where the case is silent. Raises InputError by name."""
    return None if i.get(name) is None else float(within(name, i.number(name), 0.0))


def given(name: str, value: Number | None) -> Number:
    """An optional input where an expected field cannot do without it; raises InputError `missing` by name."""
    if value is None:
        raise InputError(Problem(("inputs", name), "missing"))
    return value


def one_of(i: Inputs, *names: str) -> str:
    """Which spelling of an input the case uses, the first where it uses none; InputError where it uses two."""
    used = [name for name in names if name in i]
    if len(used) > 1:
        raise InputError(Problem(("inputs", used[1]), "conflict", f"the same as {used[0]}"))
    return used[0] if used else names[0]


def numbers(i: Inputs, name: str) -> list[Any]:
    """A list of numbers; raises InputError by name."""
    values = i[name]
    if not isinstance(values, list) or not all(isinstance(value, (int, float)) for value in values):
        raise InputError(Problem(("inputs", name), "bad_format", values))
    return values
