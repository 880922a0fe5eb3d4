"""What a field of the scenario document is called, and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Words:
    label: Any
    help: Any
    empty: Any = ""  # what holds where the field is empty
