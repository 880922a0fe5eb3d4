"""Cases worked by others, answered by the functions that scenarios use; what we cannot answer is never agreed to.

One module a family of cases, each with a table from kind to solver (see `base`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from planner.engine.validation import fabric, facility, hand, installation, sizing, tco
from planner.engine.validation.base import TOLERANCE, Check, Inputs, Solver, Tolerance, compare, tolerance_of

__all__ = ["SOLVERS", "TOLERANCE", "Check", "Inputs", "Solver", "Tolerance", "check", "check_all", "tolerance_of"]

FAMILIES = (hand, sizing, installation, fabric, facility, tco)
SOLVERS: dict[str, Solver] = {kind: solver for family in FAMILIES for kind, solver in family.SOLVERS.items()}


def check(case: dict[str, Any]) -> list[Check]:
    """Every expected field of a case against ours; raises InputError for inputs missing, impossible or unknown."""
    kind = case.get("kind")
    money = (*hand.SOLVERS, *tco.SOLVERS)  # may lose value, or grow less
    return compare(case, SOLVERS, to_the_cent=kind in tuple(hand.SOLVERS), signed=kind in money)


def check_all(cases: Iterable[dict[str, Any]]) -> Iterator[Check]:
    for case in cases:
        yield from check(case)
