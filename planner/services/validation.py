"""Published cases against our model: read from the project's one folder of them, computed once per engine version.

A family is a file of cases; which kinds the model answers, the engine's registry says.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from planner.engine import ENGINE_VERSION
from planner.engine.quantities import InputError, Problem
from planner.engine.validation import Check, Tolerance, check, tolerance_of
from planner.services.evaluation import Recent

FOLDER = settings.BASE_DIR / "tests" / "reference"
ENDING = "_cases.json"
# The worst first: a case is what its worst field is.
STATUSES = ("off", "refused", "unsupported", "declared", "ok")


class CaseFileError(ValueError):
    """A file that holds no cases."""


@dataclass(frozen=True)
class Field:
    """One expected field of a case, our answer, and how near it had to come."""

    check: Check
    tolerance: Tolerance


@dataclass(frozen=True)
class Case:
    """A case and our answers. `problems` is why its inputs could not be used; it then has no fields."""

    id: str
    kind: str
    title: str
    note: str
    source_url: str
    evidence: str
    inputs: dict[str, Any] = field(default_factory=dict)  # as the case has them
    fields: list[Field] = field(default_factory=list)
    problems: tuple[Problem, ...] = ()

    @property
    def status(self) -> str:
        if self.problems:
            return "refused"
        found = {each.check.status for each in self.fields}
        return next((status for status in STATUSES if status in found), "unsupported")


@dataclass(frozen=True)
class Family:
    """The cases of one file."""

    code: str
    cases: list[Case]

    @property
    def counts(self) -> Counter[str]:
        """Fields by status; a refused case counts once."""
        refused = sum(bool(case.problems) for case in self.cases)
        return Counter(each.check.status for case in self.cases for each in case.fields) + Counter(refused=refused)

    @property
    def largest_error(self) -> float | None:
        """Of the fields that we answer and that agree; None where there is none."""
        fields = [each.check for case in self.cases for each in case.fields if each.check.status == "ok"]
        return max((each.error for each in fields if each.error is not None), default=None)


def read(path: Path) -> list[dict[str, Any]]:
    """The cases of a file: a list, or an object with one under "cases". Raises CaseFileError.

    A case without an id gets its number; an id that two cases share refuses the file, since a line of the answer could
    be of either. An entry that is no object becomes an empty case, which is refused for want of its kind.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise CaseFileError(str(error)) from None
    cases = data.get("cases") if isinstance(data, dict) else data
    if not isinstance(cases, list) or not cases:
        raise CaseFileError("a list of cases is expected")
    found = [case if isinstance(case, dict) else {} for case in cases]
    told = [{**case, "id": case.get("id") or f"case {number}"} for number, case in enumerate(found, 1)]
    twice = [name for name, times in Counter(str(case["id"]) for case in told).items() if times > 1]
    if twice:
        raise CaseFileError(f"id given to several cases: {', '.join(twice)}")
    return told


_families = Recent(2)


def families(folder: Path = FOLDER) -> list[Family]:
    """Every family of the folder with our answers; none where the program was installed without its cases."""
    files = sorted(folder.glob("*" + ENDING))
    key = (ENGINE_VERSION, *((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files))
    found: list[Family] = _families.get(key, lambda: [_family(path) for path in files])
    return found


def _family(path: Path) -> Family:
    return Family(path.name.removesuffix(ENDING), [_case(case) for case in read(path)])


def _case(case: dict[str, Any]) -> Case:
    told = Case(
        id=str(case.get("id", "")),
        kind=str(case.get("kind", "")),
        title=str(case.get("title") or case.get("row") or case.get("table") or ""),
        note=str(case.get("note") or case.get("method_notes") or ""),
        source_url=str(case.get("source_url") or ""),
        evidence=str(case.get("evidence") or case.get("provenance") or ""),
        inputs=case["inputs"] if isinstance(case.get("inputs"), dict) else {},
    )
    try:
        return replace(told, fields=[Field(each, tolerance_of(case, each.field)) for each in check(case)])
    except InputError as error:
        return replace(told, problems=error.problems)
