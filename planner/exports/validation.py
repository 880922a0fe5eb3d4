"""Every published case with our answer, for a spreadsheet and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from planner.engine import ENGINE_VERSION
from planner.exports.delimited import csv_bytes
from planner.services.validation import Family

COLUMNS = (
    "family",
    "case",
    "kind",
    "field",
    "expected",
    "got",
    "relative_error",
    "tolerance",
    "tolerance_is",
    "status",
    "note",
    "source_url",
)


def cases_csv(families: list[Family]) -> bytes:
    """One line a field, with a BOM for spreadsheets; names are codes in every language."""
    rows = [[_cell(row[name]) for name in COLUMNS] for row in _rows(families)]
    return csv_bytes([list(COLUMNS), *rows], bom=True)


def cases_json(families: list[Family]) -> bytes:
    """The same as objects, with the engine's version."""
    data = {"engine_version": ENGINE_VERSION, "fields": list(_rows(families))}
    return json.dumps(data, ensure_ascii=False, indent=1, default=str, allow_nan=False).encode()


def _rows(families: list[Family]) -> Iterator[dict[str, Any]]:
    for family in families:
        for case in family.cases:
            about = {"family": family.code, "case": case.id, "kind": case.kind, "source_url": case.source_url}
            if case.problems:
                reason = "; ".join(f"{'/'.join(each.path)}: {each.code}" for each in case.problems)
                yield dict.fromkeys(COLUMNS) | about | {"status": "refused", "note": reason}
            for each in case.fields:
                checked = each.check
                finite = checked.error is not None and checked.error != float("inf")
                yield about | {
                    "field": checked.field,
                    "expected": checked.expected,
                    "got": checked.got,
                    "relative_error": checked.error if finite else None,
                    "tolerance": each.tolerance.amount,
                    "tolerance_is": "relative" if each.tolerance.relative else "absolute",
                    "status": checked.status,
                    "note": checked.note,
                }


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
