"""Units by the suffix that names of inputs and fields carry."""

from __future__ import annotations

import re
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


_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}


def _scales() -> dict[str, tuple[str, float]]:
    """Unit → (what it measures, how many base units it is)."""
    known = {"byte": ("byte", 1.0), "byte/s": ("byte/s", 1.0), "bit/s": ("byte/s", 0.125)}
    for prefix, factor in (_PREFIXES | _BINARY).items():
        known |= {f"{prefix}B": ("byte", factor), f"{prefix}B/s": ("byte/s", factor)}
        known |= {f"{prefix}byte": ("byte", factor), f"{prefix}byte/s": ("byte/s", factor)}
    for prefix, factor in _PREFIXES.items():
        known |= {f"{prefix}bit/s": ("byte/s", factor / 8.0), f"{prefix}b/s": ("byte/s", factor / 8.0)}
        known |= {f"{prefix}bps": ("byte/s", factor / 8.0)}
        known |= {f"{prefix}{word}": ("flop/s", factor) for word in ("flop/s", "FLOP/s", "FLOPS", "flops")}
        known |= {f"{prefix}W": ("W", factor), f"{prefix}V": ("V", factor), f"{prefix}A": ("A", factor)}
        known |= {f"{prefix}VA": ("VA", factor), f"{prefix}USD": ("money", factor)}
        known |= {f"{prefix}{noun}": (noun, factor) for noun in ("token", "param")}
    known |= {"parameter": ("param", 1.0), "%": ("1", 0.01), **dict.fromkeys(("1", "ratio", "fraction"), ("1", 1.0))}
    known |= {"kg": ("kg", 1.0), "g": ("kg", 1e-3), "t": ("kg", 1e3), "lb": ("kg", 0.45359237)}
    known |= {"m": ("m", 1.0), "km": ("m", 1e3), "cm": ("m", 0.01), "mm": ("m", 1e-3), "ft": ("m", 0.3048)}
    known |= {"CFM": ("ft³/min", 1.0), "ft³/min": ("ft³/min", 1.0), "m³/h": ("ft³/min", 1.0 / 1.699010796)}
    times = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0, "hour": 3600.0, "hours": 3600.0}
    times |= {"d": 86_400.0, "day": 86_400.0, "days": 86_400.0, "week": 604_800.0, "weeks": 604_800.0}
    return known | {unit: ("time", factor) for unit, factor in times.items()}


_SCALES = _scales()
# Unit of an input by its whole name, else by how it ends; what is in neither has none that we could convert.
_NAMED = {
    **dict.fromkeys(("bytes", "hbm_bytes", "reserve_bytes", "fixed_bytes"), "byte"),
    **dict.fromkeys(("bandwidth", "memory_bandwidth", "bus_bandwidth", "server_bandwidth", "link_bandwidth"), "byte/s"),
    **dict.fromkeys(("nic_bandwidth_per_gpu", "storage_write_bandwidth"), "byte/s"),
    **dict.fromkeys(("peak_flops", "achieved_flops_per_gpu", "model_flops_per_s_per_gpu"), "flop/s"),
    **dict.fromkeys(("watts", "w_loaded", "w_empty", "dc_w", "ac_w"), "W"),
    **{"hours": "h", "days": "day", "kw": "kW", "volts": "V", "amps": "A", "it_kw": "kW", "count": "1"},
    **dict.fromkeys(("nodes", "servers"), "node"),
    **dict.fromkeys(("n_gpus", "gpus"), "GPU"),
    **dict.fromkeys(("params", "params_total", "params_active"), "param"),
    **dict.fromkeys(("tokens", "isl", "osl", "seq_len", "context_tokens"), "token"),
    **{"radix": "port", "metres": "m"},
    **dict.fromkeys(("time_large", "time_small"), "min"),
}
_ENDINGS = {
    **{f"_{unit}": unit for unit in ("ms", "min", "h", "days", "hours")},
    **{"_kw": "kW", "_kva": "kVA", "_kg": "kg", "_lb": "lb", "_u": "U", "_cfm": "ft³/min", "_ft2": "ft²", "_pct": "%"},
    **{"_gb": "GB", "_gib": "GiB", "_tb": "TB", "_mb": "MB"},
    **{"_w": "W", "_mw": "MW", "_v": "V", "_volts": "V", "_amps": "A", "_usd": "USD", "_musd": "MUSD"},
}
# Time that devices run: "GPU-hour", "A100-h", "GPU-h per failure".
_DEVICE_TIME = re.compile(r"\w+-(h|hours?)( per \w+)?")


def unit_of(name: str) -> str:
    """Unit of an input by its name; empty where the name does not tell."""
    if name in _NAMED:
        return _NAMED[name]
    if "_per_" in name:
        return ""
    if name.endswith("_s"):
        return "s"
    return next((unit for ending, unit in _ENDINGS.items() if name.endswith(ending)), "")


def in_unit_of_name(name: str, value: float, unit: str) -> float | None:
    """The value in the unit of the input's name; None where its own unit measures something else.

    What counts things, such as GPUs, takes any noun. Where the name tells no unit, one with a prefix would be read as
    one without: only the plain one fits, or the one whose word is in the name, as in `server_kw_per_chip`.
    """
    stated, named = re.split(r"[(,]", unit)[0].strip(), unit_of(name)
    own, wanted = _SCALES.get(stated), _SCALES.get(named)
    if wanted is None:
        fits = own is None or (not named and (own[1] == 1.0 or _says(name, stated)))
        return value if fits else None
    if own is None:
        return value if stated in ("", named) or (wanted[0] == "time" and _DEVICE_TIME.fullmatch(stated)) else None
    if own == wanted:
        return value
    return value * own[1] / wanted[1] if own[0] == wanted[0] else None


def _says(name: str, unit: str) -> bool:
    """Whether a unit is a word of the name, in the singular or the plural."""
    return bool({unit.lower(), f"{unit.lower()}s"} & set(name.split("_")))


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
