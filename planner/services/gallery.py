"""The situations users bring, as scenario documents."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parents[1] / "gallery"
ORDER = ("small-team", "image-startup", "driving-lab", "office-server", "budget-first")


def templates() -> list[str]:
    """Slugs, in the order in which the gallery shows them."""
    return list(ORDER)


@lru_cache(maxsize=16)
def _read(slug: str) -> dict[str, Any]:
    return yaml.safe_load((FOLDER / f"{slug}.yaml").read_text(encoding="utf-8"))


def document(slug: str) -> dict[str, Any]:
    """The document of a template as plain data; raises KeyError for an unknown one."""
    if slug not in ORDER:
        raise KeyError(slug)
    return dict(_read(slug))
