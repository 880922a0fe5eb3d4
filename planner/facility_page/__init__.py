"""A room in one month as the words, tables and drawings of its page, in the language that is active."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner import wording
from planner.engine.result import Evaluation
from planner.facility_page.circuits import Circuits
from planner.facility_page.cooling import Cooling
from planner.facility_page.limits import Limits
from planner.facility_page.losses import Losses
from planner.facility_page.machines import Machines
from planner.facility_page.months import Months
from planner.facility_page.racks import Racks
from planner.facility_page.said import Said
from planner.services.facility import Facility

PARTS = (Limits, Racks, Losses, Circuits, Machines, Cooling, Months)


def page(found: Facility, evaluation: Evaluation, row_at: Callable[[str], Any]) -> dict[str, Any]:
    """Everything the page says of one month. `row_at` gives the row of an assumption, or None."""
    said = Said(found, evaluation, row_at)
    answer = {
        "owns": found.owns,
        "refusals": [wording.finding(reason, evaluation) for reason in found.plan.infeasible],
        "month": found.month,
        "month_text": said.when(found.month),
        "month_title": said.month_title(found.month),
        "last": evaluation.calendar.months - 1,
        "labels": [[said.when(month), said.month_title(month)] for month in range(evaluation.calendar.months)],
        "before": said.wave(found.before),
        "after": said.wave(found.after),
        "room": wording.site_name(found.now.site),
    }
    for part in PARTS:
        answer |= part(found, evaluation, row_at).parts()
    return answer
