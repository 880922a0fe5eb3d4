"""Reading the inputs of cost cases: several runs, tiers or assets of one case, told apart by their names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from planner.engine.validation.base import Inputs

HOURS_PER_YEAR = 8760.0
HOURS_PER_MONTH = HOURS_PER_YEAR / 12.0


def stems(i: Inputs, ending: str, start: str = "") -> Iterator[str]:
    """What stands between `start` and `ending` in the names of the inputs, in their order."""
    for name in i.names():
        if name.startswith(start) and name.endswith(ending) and len(name) > len(start) + len(ending):
            yield name.removeprefix(start).removesuffix(ending)


def joined(*parts: str) -> str:
    """A name of its parts, without those that are empty."""
    return "_".join(part for part in parts if part)


def first_of(i: Inputs, names: Iterable[str], default: float | None = None) -> float:
    """The number under the first of the names that the case uses; the last one is named where it uses none."""
    options = list(names)
    return i.number(next((name for name in options if name in i), options[-1]), default)


def or_never(value: float) -> float | str:
    """An infinite break-even in the word of model.md 7."""
    return "never" if math.isinf(value) else float(value)
