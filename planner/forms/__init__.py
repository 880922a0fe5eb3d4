"""Assumption rows, generated from the declarations of the scenario document, and what people type into them."""

from planner.forms.budget import BudgetForm
from planner.forms.draft import Draft
from planner.forms.edits import (
    KINDS,
    LISTS,
    STRATEGIES,
    changes,
    copied_plan,
    copied_work,
    new_part,
    new_plan,
    new_work,
    parts_of,
)
from planner.forms.fields import MAX_TYPED, Declared, declared, first_value, section_of, walk
from planner.forms.rows import SECTIONS, Page, Row, anchor
from planner.forms.typed import read, write

__all__ = [
    "KINDS",
    "LISTS",
    "MAX_TYPED",
    "SECTIONS",
    "STRATEGIES",
    "BudgetForm",
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
    "new_part",
    "new_plan",
    "new_work",
    "parts_of",
    "read",
    "section_of",
    "walk",
    "write",
]
