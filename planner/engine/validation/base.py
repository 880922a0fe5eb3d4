"""A case, what it asks for, and how near our answer must come.

A case is `{id, kind, inputs, expected}`. An input is a number, a text or a list, plain or as `{"value": …, "unit": …}`.
An expected field is plain, or `{"value": …}` with `tolerance_rel` or `tolerance_abs`; the case's `tol` holds absolute
tolerances by field, its `tolerance_rel` one for all. A unit other than that of the input's name is converted.
`known_mismatch` names fields in which the source contradicts itself, with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from planner.engine.quantities import InputError, Problem
from planner.engine.validation.units import in_unit_of_name, unit_of

# Where a case states no tolerance. [1], relative
TOLERANCE = 1e-6
# Floating point on the edge of a tolerance. [1], relative to the tolerance
EDGE = 1e-9
CENT = 0.005
# No quantity of a case is larger: above it products of a few leave what a float holds. [1]
MOST = 1e30
# Whole numbers above this lose digits as floats, below they stay whole. [1]
EXACT = 2**53


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


class Tolerance(NamedTuple):
    """How near our answer must come: a share of the expected value, or an amount in its unit."""

    amount: float
    relative: bool


class Inputs:
    """The inputs of a case, plain values; remembers which were read, so that none is ignored."""

    def __init__(self, case: Mapping[str, Any], *, signed: bool = True) -> None:
        """signed : whether numbers may be negative."""
        inputs = case.get("inputs")
        if not isinstance(inputs, dict):
            raise InputError(Problem(("inputs",), "missing"))
        for name, entry in inputs.items():
            if _plain(entry) is None or not _is_comparable(_plain(entry)):
                raise InputError(Problem(("inputs", str(name)), "not_a_number", _plain(entry), unit=unit_of(str(name))))
        self._values = {str(name): _in_own_unit(str(name), entry) for name, entry in inputs.items()}
        self._read: set[str] = set()
        self._low = -MOST if signed else 0.0
        #: Inputs that can be no number of a case, whatever asks for them.
        self.bad: dict[str, Problem] = {}

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

    def number(self, name: str, default: float | None = None, low: float | None = None) -> float:
        """A number within the bounds of a case; `default` where it is silent. Raises InputError by name."""
        value = self[name] if default is None else self.get(name, default)
        self._check(name, value, value, low)
        return float(value) if isinstance(value, int) and abs(value) > EXACT else value

    def _check(self, name: str, number: Any, value: Any, low: float | None = None) -> None:
        """Raise InputError unless `number`, of an input `value`, is one and within bounds."""
        least = self._low if low is None else low
        problem = None
        if not _is_finite(number):
            problem = Problem(("inputs", name), "not_a_number", value)
        elif not least <= number <= MOST:
            problem = Problem(("inputs", name), "out_of_bounds", value, least, MOST, unit_of(name))
        if problem is not None:
            self.bad[name] = problem
            raise InputError(problem)

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
        for value in values if isinstance(values, list) else [None]:
            self._check(name, value, values)
        return list(values)

    def either(self, *names: str, default: float | None = None) -> float:
        """The number under the one of several names that the case uses; two of them must not differ."""
        used = [name for name in names if name in self._values]
        values = [self.number(name) for name in used]
        for name, value in zip(used, values, strict=True):
            if value != values[0]:
                raise InputError(Problem(("inputs", name), "conflict", f"{value:g} beside {used[0]} {values[0]:g}"))
        return values[0] if used else self.number(names[0], default)

    def any(self, *names: str) -> bool:
        """Whether the case gives one of several names."""
        return any(name in self._values for name in names)

    def measure(self, stem: str, units: Mapping[str, float], default: float | None = None) -> float:
        """The quantity `stem_unit` in the base unit, by the one unit that the case uses; `default` is in the base unit.

        units : suffix → base units in one of it; the first suffix is named where the quantity is missing.
        """
        names = {f"{stem}_{unit}": factor for unit, factor in units.items()}
        used = [name for name in names if name in self._values]
        if len(used) > 1:
            raise InputError(Problem(("inputs", used[1]), "conflict", f"given beside {used[0]}"))
        if not used:
            return default if default is not None else self.number(next(iter(names)))
        return self.number(used[0]) * names[used[0]]

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

    def name_of(self, value: Any) -> str | None:
        """The one input of this value; None where none has it, or several."""
        same = [name for name, given in self._values.items() if _is_finite(given) and given == value]
        return same[0] if len(same) == 1 else None

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


def compare(
    case: dict[str, Any], solvers: Mapping[str, Solver], *, to_the_cent: bool = False, signed: bool = True
) -> list[Check]:
    """Every expected field of a case against ours.

    solvers     : by kind; a kind or a field that they do not know is unsupported.
    to_the_cent : figures without a tolerance are printed to the cent and may differ by half of one.
    signed      : whether inputs may be negative.
    Raises InputError for inputs that are missing, impossible or unknown.
    """
    identity, kind, expected = str(case.get("id", "")), _kind(case), _expected(case)
    if kind not in solvers:
        return [
            Check(identity, kind, name, _plain(entry), None, None, "unsupported") for name, entry in expected.items()
        ]
    answers = _answers(solvers[kind], Inputs(case, signed=signed), expected)
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


def _kind(case: Mapping[str, Any]) -> str:
    kind = case.get("kind")
    if kind is None or kind == "":
        raise InputError(Problem(("kind",), "missing"))
    if not isinstance(kind, str):
        raise InputError(Problem(("kind",), "bad_format", kind))
    return kind


def _expected(case: Mapping[str, Any]) -> dict[str, Any]:
    """The expected fields; a case without any would agree to whatever we say, and so would one that is not a number."""
    expected = case.get("expected")
    if expected is None or expected == {}:
        raise InputError(Problem(("expected",), "missing"))
    if not isinstance(expected, dict):
        raise InputError(Problem(("expected",), "bad_format", expected))
    for name, entry in expected.items():
        if not _is_comparable(_plain(entry)):
            raise InputError(Problem(("expected", str(name)), "not_a_number", _plain(entry)))
    return expected


def _is_comparable(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_comparable(part) for part in value.values())
    if isinstance(value, list):
        return all(_is_comparable(part) for part in value)
    if isinstance(value, int):
        return abs(value) <= MOST
    return not isinstance(value, float) or math.isfinite(value)


# What computing with inputs of a wrong form or size may end in.
_IMPOSSIBLE = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


def _answers(solver: Solver, inputs: Inputs, expected: Mapping[str, Any]) -> dict[str, Any]:
    """What can be computed; raises InputError where something expected cannot, or an input means nothing to us."""
    answers: dict[str, Any] = {}
    try:
        with np.errstate(all="ignore"):  # what overflows agrees with nothing
            for name, compute in solver(inputs).items():
                try:
                    answers[name] = _native(compute())
                except (InputError, *_IMPOSSIBLE):
                    if name in expected:
                        raise
    except InputError as error:
        raise InputError(*(_of_inputs(problem, inputs) for problem in error.problems)) from None
    except ZeroDivisionError:
        raise InputError(Problem(("inputs", inputs.name_of(0) or ""), "not_positive", 0)) from None
    except _IMPOSSIBLE as error:
        raise InputError(Problem(("inputs",), "bad_format", str(error))) from None
    if inputs.bad:
        raise InputError(*(_of_inputs(problem, inputs) for problem in inputs.bad.values()))
    if answers.keys() & expected.keys():
        inputs.refuse_unread()
    return answers


def _of_inputs(problem: Problem, inputs: Inputs) -> Problem:
    """The problem under the name that the case gives the input, with its unit where the problem knows none."""
    path = problem.path if problem.path[:1] == ("inputs",) else ("inputs", *problem.path)
    if not any(part in inputs for part in path[1:]) and problem.code != "missing":
        path = ("inputs", inputs.name_of(problem.value) or path[-1])
    known = problem.unit not in ("", "1")
    return replace(problem, path=path, unit=problem.unit if known else unit_of(path[-1]) or problem.unit)


def _in_own_unit(name: str, entry: Any) -> Any:
    """The plain value, in the unit that the input's name carries; raises InputError for a unit of another kind."""
    value = _plain(entry)
    unit = entry.get("unit") if isinstance(entry, dict) and "value" in entry else None
    if unit is None or not _is_finite(value):
        return value
    converted = in_unit_of_name(name, value, str(unit))
    if converted is None:
        raise InputError(Problem(("inputs", name), "not_a_choice", unit, choices=(unit_of(name),)))
    return converted


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


def tolerance_of(case: Mapping[str, Any], name: str) -> Tolerance:
    """What a case states for a field, else for all its fields, else `TOLERANCE`; InputError where it is no number."""
    entry, beside = case.get("expected", {}).get(name), case.get("tol") or {}
    stated = entry if isinstance(entry, dict) and "value" in entry else {}
    if not isinstance(beside, dict):
        raise InputError(Problem(("tol",), "bad_format", beside))
    for where, amount, relative in (
        ("tolerance_rel", stated.get("tolerance_rel"), True),
        ("tolerance_abs", stated.get("tolerance_abs"), False),
        ("tol", beside.get(name), False),
        ("tolerance_rel", case.get("tolerance_rel"), True),
    ):
        if amount is not None:
            return Tolerance(_amount(where, amount), relative)
    return Tolerance(TOLERANCE, relative=True)


def _amount(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise InputError(Problem((where,), "not_a_number", value))
    return float(value)


def _agrees(case: Mapping[str, Any], name: str, entry: Any, got: Any, error: float) -> bool:
    """Within the tolerance of this field, relative or absolute; 0 is exact."""
    value, tolerance = _plain(entry), tolerance_of(case, name)
    if tolerance.relative:
        return error <= tolerance.amount * (1 + EDGE)
    if _is_number(value) and _is_number(got):
        return abs(value - got) <= tolerance.amount * (1 + EDGE)
    return error <= TOLERANCE


def _is_finite(value: Any) -> TypeGuard[float]:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


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
    if not math.isfinite(difference):
        return math.inf
    printed = to_the_cent and isinstance(expected, float) and round(expected, 2) == expected  # a count is an integer
    if printed and difference <= CENT + 1e-9:
        return min(difference / max(abs(expected), 1.0), TOLERANCE)
    return difference / max(abs(float(expected)), 1e-12) if difference > 1e-12 else 0.0
