"""Rows of the planner: who works here (accounts) and what they work on (scenarios)."""

from planner.models.accounts import Membership, User, Workspace
from planner.models.scenarios import PinnedPrices, Scenario, ScenarioVersion

__all__ = ["Membership", "PinnedPrices", "Scenario", "ScenarioVersion", "User", "Workspace"]
