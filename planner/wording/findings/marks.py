"""Marks of the figures that a page sets in bold."""

from __future__ import annotations

import re
from typing import Any

# No character of any text.
STRONG, WEAK = "\x02", "\x03"


def strong(text: str) -> str:
    return f"{STRONG}{text}{WEAK}"


def plain(text: str) -> str:
    """A sentence without its marks."""
    return text.replace(STRONG, "").replace(WEAK, "")


def parts(text: str) -> list[dict[str, Any]]:
    """A marked sentence in pieces: [{"text", "strong"}]."""
    pieces = re.split(f"{STRONG}(.*?){WEAK}", text)
    return [{"text": piece, "strong": bool(index % 2)} for index, piece in enumerate(pieces) if piece]
