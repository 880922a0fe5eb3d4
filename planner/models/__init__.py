"""Rows of the planner: who works here (accounts), what they work on (scenarios), what they hand on (reports)."""

from planner.models.accounts import Membership, User, Workspace
from planner.models.reports import Report, ShareLink
from planner.models.scenarios import PinnedPrices, Scenario, ScenarioVersion
from planner.models.throttle import Attempts

__all__ = [
    "Attempts",
    "Membership",
    "PinnedPrices",
    "Report",
    "Scenario",
    "ScenarioVersion",
    "ShareLink",
    "User",
    "Workspace",
]
