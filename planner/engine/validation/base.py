"""A case, what it asks for, and how near our answer must come.

A case is `{id, kind, inputs, expected}`. An input is a number, a text or a list, plain or as `{"value": …, "unit": …}`.
An expected field is plain, or `{"value": …, "tolerance_rel": …}`; a plain one may have an absolute tolerance in the
case's `tol`. `known_mismatch` names fields in which the source contradicts itself, with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from planner.engine.quantities import InputError, Problem

# Where a case states no tolerance. [1], relative
TOLERANCE = 1e-6
# Floating point on the edge of a tolerance. [1], relative to the tolerance
EDGE = 1e-9
CENT = 0.005


@dataclass(frozen=True)
class Check:
    """One field of one case."""

    case: str
    kind: str
    field: str
    expected: Any
    got: Any
    error: float | None  # relative
    status: str  # ok · off · declared (off, and the source says why) · unsupported
    note: str = ""  # the source's own words on a declared fault


class Inputs:
    """The inputs of a case, plain values; remembers which were read, so that none is ignored."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        inputs = case.get("inputs")
        if not isinstance(inputs, dict):
            raise InputError(Problem(("inputs",), "missing"))
        self._values = {str(name): _plain(entry) for name, entry in inputs.items()}
        self._read: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __getitem__(self, name: str) -> Any:
        """The value as the case has it; raises InputError `missing` by name."""
        self._read.add(name)
        if name not in self._values:
            raise InputError(Problem(("inputs", name), "missing"))
        return self._values[name]

    def get(self, name: str, default: Any = None) -> Any:
        self._read.add(name)
        return self._values.get(name, default)

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number; `default` where the case is silent. Raises InputError by name."""
        value = self[name] if default is None else self.get(name, default)
        if not _is_finite(value):
            raise InputError(Problem(("inputs", name), "not_a_number", value))
        return value

    def positive(self, name: str, default: float | None = None) -> float:
        """A number above 0, for what divides; raises InputError by name."""
        value = self.number(name, default)
        if value <= 0:
            raise InputError(Problem(("inputs", name), "not_positive", value))
        return value

    def whole(self, name: str, default: int | None = None) -> int:
        """A whole number, never rounded; raises InputError by name."""
        value = self.number(name, default)
        if value != math.floor(value):
            raise InputError(Problem(("inputs", name), "not_whole", value))
        return int(value)

    def numbers(self, name: str) -> list[float]:
        """A list of finite numbers; raises InputError by name."""
        values = self[name]
        if not isinstance(values, list) or not all(_is_finite(value) for value in values):
            raise InputError(Problem(("inputs", name), "not_a_number", values))
        return values

    def either(self, *names: str, default: float | None = None) -> float:
        """The number under the one of several names that the case uses; two at once contradict each other."""
        used = [name for name in names if name in self._values]
        if len(used) > 1:
            raise InputError(Problem(("inputs", used[1]), "conflict", f"given beside {used[0]}"))
        return self.number(used[0] if used else names[0], default)

    def measure(self, stem: str, units: Mapping[str, float], default: float | None = None) -> float:
        """The quantity `stem_unit` in the base unit, by the one unit that the case uses; `default` is in the base unit.

        units : suffix → base units in one of it; the first suffix is named where the quantity is missing.
        """
        names = {f"{stem}_{unit}": factor for unit, factor in units.items()}
        used = next((name for name in names if name in self._values), None)
        if used is None and default is not None:
            return default
        return self.either(*names) * (names[used] if used else 1.0)

    def has(self, stem: str, units: Mapping[str, float]) -> bool:
        """Whether the case gives `stem_unit` in any of the units."""
        return any(f"{stem}_{unit}" in self._values for unit in units)

    def text(self, name: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """One of `choices`; raises InputError by name."""
        value = self[name] if default is None else self.get(name, default)
        if value not in choices:
            raise InputError(Problem(("inputs", name), "not_a_choice", value, choices=choices))
        return str(value)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false, also as 1 or 0; raises InputError by name."""
        value = self[name] if default is None else self.get(name, default)
        if value not in (0, 1):
            raise InputError(Problem(("inputs", name), "not_a_choice", value, choices=("true", "false")))
        return bool(value)

    def names(self) -> tuple[str, ...]:
        """The names that the case uses."""
        return tuple(self._values)

    def leave(self, *names: str) -> None:
        """Accept inputs that only fields we do not answer would need."""
        self._read.update(names)

    def refuse_unread(self) -> None:
        """Raise InputError naming every input that no answer reads."""
        unread = [name for name in self._values if name not in self._read]
        if unread:
            raise InputError(
                *(Problem(("inputs", name), "unknown_field", self._values[name]) for name in unread),
            )


class Leading(list[Any]):
    """A series of which a case may print the first entries only."""


# What a kind can say, by field. A field is computed when asked for, so that what it alone needs may be absent.
Answer = Mapping[str, Callable[[], Any]]
# How a kind answers.
Solver = Callable[[Inputs], Answer]


def compare(case: dict[str, Any], solvers: Mapping[str, Solver], *, to_the_cent: bool = False) -> list[Check]:
    """Every expected field of a case against ours.

    solvers     : by kind; a kind or a field that they do not know is unsupported.
    to_the_cent : figures without a tolerance are printed to the cent and may differ by half of one.
    Raises InputError for inputs that are missing, impossible or unknown.
    """
    identity, kind, expected = str(case.get("id", "")), str(case.get("kind", "")), case.get("expected", {})
    if not isinstance(expected, dict):
        raise InputError(Problem(("expected",), "bad_format", expected))
    if kind not in solvers:
        return [
            Check(identity, kind, name, _plain(entry), None, None, "unsupported") for name, entry in expected.items()
        ]
    answers = _answers(solvers[kind], Inputs(case), expected)
    checks = []
    for name, entry in expected.items():
        value = _plain(entry)
        if name not in answers:
            checks.append(Check(identity, kind, name, value, None, None, "unsupported"))
            continue
        got = answers[name]
        if isinstance(got, Leading) and isinstance(value, list):
            got = list(got[: len(value)])
        error = _relative(value, got, to_the_cent)
        status, note = "ok" if _agrees(case, name, entry, got, error) else "off", ""
        declared = _declared(case)
        if status == "off" and name in declared:
            status, note = "declared", str(declared[name])
        checks.append(Check(identity, kind, name, value, got, error, status, note))
    return checks


def _answers(solver: Solver, inputs: Inputs, expected: Mapping[str, Any]) -> dict[str, Any]:
    """What can be computed; raises InputError where something expected cannot, or an input means nothing to us."""
    answers: dict[str, Any] = {}
    try:
        for name, compute in solver(inputs).items():
            try:
                answers[name] = _native(compute())
            except InputError:
                if name in expected:
                    raise
    except InputError as error:
        raise InputError(*(_of_inputs(problem) for problem in error.problems)) from None
    except (ArithmeticError, TypeError, ValueError) as error:
        raise InputError(Problem(("inputs",), "bad_format", str(error))) from None
    if answers.keys() & expected.keys():
        inputs.refuse_unread()
    return answers


def _of_inputs(problem: Problem) -> Problem:
    if problem.path[:1] == ("inputs",):
        return problem
    return Problem(
        ("inputs", *problem.path), problem.code, problem.value, problem.low, problem.high, problem.unit, problem.choices
    )


def _plain(entry: Any) -> Any:
    return entry["value"] if isinstance(entry, dict) and "value" in entry else entry


def _native(value: Any) -> Any:
    """A NumPy number or array as plain Python."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _declared(case: Mapping[str, Any]) -> Mapping[str, Any]:
    declared = case.get("known_mismatch") or {}
    if not isinstance(declared, dict):
        raise InputError(Problem(("known_mismatch",), "bad_format", declared))
    return declared


def _tolerance(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise InputError(Problem((where,), "not_a_number", value))
    return float(value) * (1 + EDGE)


def _agrees(case: Mapping[str, Any], name: str, entry: Any, got: Any, error: float) -> bool:
    """Within the tolerance that the case states for this field, relative or absolute; 0 is exact."""
    if isinstance(entry, dict) and "value" in entry:
        return error <= _tolerance("tolerance_rel", entry.get("tolerance_rel", TOLERANCE))
    absolute = (case.get("tol") or {}).get(name)
    if absolute is not None and _is_number(entry) and _is_number(got):
        return abs(entry - got) <= _tolerance("tol", absolute)
    return error <= TOLERANCE


def _is_finite(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float))


def _relative(expected: Any, got: Any, to_the_cent: bool) -> float:
    """Largest relative difference; infinite for other shapes."""
    if isinstance(expected, dict):
        if not isinstance(got, dict) or expected.keys() != got.keys():
            return math.inf
        return max((_relative(expected[key], got[key], to_the_cent) for key in expected), default=0.0)
    if isinstance(expected, list):
        if not isinstance(got, (list, tuple)) or len(expected) != len(got):
            return math.inf
        pairs = zip(expected, got, strict=True)
        return max((_relative(one, other, to_the_cent) for one, other in pairs), default=0.0)
    if not _is_number(expected) or not _is_number(got):
        return 0.0 if expected == got else math.inf
    difference = abs(float(expected) - float(got))
    printed = to_the_cent and isinstance(expected, float) and round(expected, 2) == expected  # a count is an integer
    if printed and difference <= CENT + 1e-9:
        return min(difference / max(abs(expected), 1.0), TOLERANCE)
    return difference / max(abs(float(expected)), 1e-12) if difference > 1e-12 else 0.0
