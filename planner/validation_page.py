"""Published cases against our model as the words and tables of their page, in the language that is active."""

from __future__ import annotations

from typing import Any

from planner import wording
from planner.services.validation import STATUSES, Case, Family


def page(families: list[Family], *, family: str = "", status: str = "") -> dict[str, Any]:
    """Everything the page says. `family` and `status` narrow the list; what is not known narrows nothing."""
    family = family if family in {each.code for each in families} else ""
    status = status if status in STATUSES else ""
    shown = [each for each in families if not family or each.code == family]
    return {
        "family": family,
        "status": status,
        "totals": [_total(code, families) for code in reversed(STATUSES)],
        "count": sum(len(each.cases) for each in families),
        "families": [_family(each, status, narrowed=bool(family or status)) for each in shown],
        "choices": [{"code": each.code, "name": wording.family(each.code)[0]} for each in families],
        "weaknesses": wording.weaknesses(),
    }


def _total(code: str, families: list[Family]) -> dict[str, Any]:
    word, tone = wording.case_status(code)
    count = sum(each.counts[code] for each in families)
    return {"code": code, "word": word, "tone": tone, "count": wording.number(count), "some": count > 0}


def _family(found: Family, status: str, *, narrowed: bool) -> dict[str, Any]:
    title, text = wording.family(found.code)
    counts = [(code, found.counts[code]) for code in reversed(STATUSES) if found.counts[code]]
    cases = [case for case in found.cases if not status or status in _statuses(case)]
    return {
        "code": found.code,
        "title": title,
        "text": text,
        "cases": [_case(case, status) for case in cases],
        "count": len(found.cases),
        "counts": [(*wording.case_status(code), wording.number(count)) for code, count in counts],
        "largest": wording.case_error(found.largest_error) if found.largest_error is not None else "",
        "open": narrowed and bool(cases),
    }


def _statuses(case: Case) -> set[str]:
    return {each.check.status for each in case.fields} | ({"refused"} if case.problems else set())


def _case(case: Case, status: str) -> dict[str, Any]:
    fields = [_field(each) for each in case.fields if not status or each.check.status == status]
    said = [wording.problem(each.as_dict()) for each in case.problems]
    return {
        "id": case.id,
        "kind": case.kind,
        "title": case.title,
        "note": case.note,
        "url": case.source_url,
        "evidence": case.evidence,
        "inputs": [{"name": name, "value": wording.case_input(entry)} for name, entry in case.inputs.items()],
        "fields": fields,
        "problem": " ".join(said),
        "refused": wording.case_status("refused") if case.problems else None,
        "span": max(1, len(fields)),
    }


def _field(found: Any) -> dict[str, Any]:
    checked = found.check
    word, tone = wording.case_status(checked.status)
    return {
        "name": checked.field,
        "expected": wording.case_value(checked.expected),
        "got": wording.case_value(checked.got),
        "error": wording.case_error(checked.error),
        "tolerance": wording.tolerance(found.tolerance.amount, found.tolerance.relative),
        "word": word,
        "tone": tone,
        "note": checked.note,
    }
