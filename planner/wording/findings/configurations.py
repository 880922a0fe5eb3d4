"""What is against a configuration that a budget might buy."""

from __future__ import annotations

from planner.engine.budget import Configuration
from planner.engine.result import Finding
from planner.wording.findings.problems import problem
from planner.wording.findings.sentences import brief, finding


def against(found: Configuration, reason: Finding) -> tuple[str, str]:
    """(a few words, a sentence) of one reason."""
    if found.evaluation is None:  # it could not even be tried
        said = problem({"code": reason.code, "value": str(reason.facts.get("item", found.build.slug))})
        return said, said
    return brief(reason, found.evaluation), finding(reason, found.evaluation)
