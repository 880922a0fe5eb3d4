"""Units by the suffix that names of inputs and fields carry."""

from __future__ import annotations

from collections.abc import Callable, Mapping

SECONDS = {"s": 1.0, "ms": 1e-3, "min": 60.0, "h": 3600.0, "hours": 3600.0, "days": 86_400.0}
BYTES = {
    "bytes": 1.0,
    "kb": 1e3,
    "mb": 1e6,
    "gb": 1e9,
    "tb": 1e12,
    "kib": 2.0**10,
    "mib": 2.0**20,
    "gib": 2.0**30,
    "tib": 2.0**40,
}


def durations(stem: str, seconds: Callable[[], float]) -> dict[str, Callable[[], float]]:
    """A time as `stem_s`, `stem_h`, `stem_days` and so on."""
    return {f"{stem}_{unit}": _in(seconds, factor) for unit, factor in SECONDS.items()}


def sizes(pattern: str, total: Callable[[], float]) -> dict[str, Callable[[], float]]:
    """An amount of memory in every unit, at the place of `{}`: "{}_per_gpu" gives `gb_per_gpu`, `gib_per_gpu`, …"""
    return {pattern.format(unit): _in(total, factor) for unit, factor in BYTES.items()}


def _in(amount: Callable[[], float], factor: float) -> Callable[[], float]:
    return lambda: amount() / factor


def scaled(units: Mapping[str, float], base: float) -> dict[str, float]:
    """The same suffixes with another base unit, such as days instead of seconds."""
    return {unit: factor / base for unit, factor in units.items()}
