"""Rows of the planner: who works here (accounts), what they work on (scenarios), what they hand on (reports),
what is computed in the background (runs)."""

from planner.models.accounts import Membership, User, Workspace
from planner.models.reports import Report, ShareLink
from planner.models.runs import Run
from planner.models.scenarios import PinnedPrices, Scenario, ScenarioVersion

__all__ = [
    "Membership",
    "PinnedPrices",
    "Report",
    "Run",
    "Scenario",
    "ScenarioVersion",
    "ShareLink",
    "User",
    "Workspace",
]
