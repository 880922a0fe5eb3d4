"""Sentences for what the engine found: warnings, reasons why a plan cannot be or wins, the verdict, bad inputs."""

from planner.wording.findings.marks import STRONG, WEAK, parts, plain, strong
from planner.wording.findings.problems import problem, say
from planner.wording.findings.room import RESOURCE_UNITS, RESOURCES
from planner.wording.findings.sentences import FINDINGS, brief, finding, sentence_space, tone, unpriced
from planner.wording.findings.verdict import break_even, left_out, verdict

__all__ = [
    "FINDINGS",
    "RESOURCES",
    "RESOURCE_UNITS",
    "STRONG",
    "WEAK",
    "break_even",
    "brief",
    "finding",
    "left_out",
    "parts",
    "plain",
    "problem",
    "say",
    "sentence_space",
    "strong",
    "tone",
    "unpriced",
    "verdict",
]
