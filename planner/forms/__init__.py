"""Assumption rows, generated from the declarations of the scenario document, and what people type into them."""

from planner.forms.draft import Draft
from planner.forms.edits import KINDS, STRATEGIES, changes, copied_plan, copied_work, new_plan, new_work
from planner.forms.fields import MAX_TYPED, Declared, declared, first_value, section_of, walk
from planner.forms.rows import SECTIONS, Page, Row, anchor
from planner.forms.typed import read, write

__all__ = [
    "KINDS",
    "MAX_TYPED",
    "SECTIONS",
    "STRATEGIES",
    "Declared",
    "Draft",
    "Page",
    "Row",
    "anchor",
    "changes",
    "copied_plan",
    "copied_work",
    "declared",
    "first_value",
    "new_plan",
    "new_work",
    "read",
    "section_of",
    "walk",
    "write",
]
