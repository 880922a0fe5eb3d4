"""What an outlay earns: internal rates of return, modified rate, payback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from planner.engine.calendar import Array

# Rates looked at lie between losing all but this share in a period and gaining its inverse. [1]
LEAST_KEPT = 1e-4
# Steps over them, and how much denser they lie around 0: there 0.03 % a period apart, at 10 % 0.2 %. [1]
STEPS, DENSER = 801, 7.0
# An extreme of the value this near to 0, against the size of the flows, touches it. [1]
TOUCH = 1e-12


@dataclass(frozen=True)
class Irr:
    """state: one · none · multiple. rates: every rate at which the value is 0, rising. [1/period]

    sign_changes: how often the flows change their sign: no more rates than that (Descartes).
    """

    state: str
    rates: tuple[float, ...]
    sign_changes: int

    @property
    def rate(self) -> float | None:
        """The rate where there is exactly one."""
        return self.rates[0] if self.state == "one" else None

    def annual(self, periods: int = 12) -> tuple[float, ...]:
        """The rates as effective yearly ones. [1/yr]"""
        return tuple(float(np.expm1(periods * np.log1p(rate))) for rate in self.rates)


def irr(flows: Sequence[float] | Array) -> Irr:
    """Return every rate at which the flows are worth nothing today.

    flows : (T,), money in is positive, the first flow at time 0. [money]
    More than one rate is no answer to what is earned; the state then says so.
    Source: Brealey, Myers, Allen, Principles of Corporate Finance, chapter 5.
    """
    amounts = np.asarray(flows, dtype=float)
    signs = np.sign(amounts[amounts != 0.0])
    changes = int((signs[1:] != signs[:-1]).sum())
    if changes == 0:
        return Irr("none", (), 0)
    grid = -np.log(LEAST_KEPT) * np.sinh(DENSER * np.linspace(-1.0, 1.0, STEPS)) / np.sinh(DENSER)
    values = _values(amounts, grid)
    found = [float(grid[k]) for k in np.flatnonzero(values == 0.0)]
    found += [_root(amounts, grid[k], grid[k + 1]) for k in np.flatnonzero(values[1:] * values[:-1] < 0.0)]
    found += _touching(amounts, grid, values)
    rates = tuple(sorted(float(np.expm1(x)) for x in found))
    return Irr({0: "none", 1: "one"}.get(len(rates), "multiple"), rates, changes)


def _values(amounts: Array, log_rates: Array) -> Array:
    """(K,): values at rates e^x − 1, each over the largest power in it, so that none overflows; the sign is kept."""
    powers = -log_rates[:, None] * np.arange(amounts.size)
    return np.asarray((amounts * np.exp(powers - powers.max(axis=1, keepdims=True))).sum(axis=1))


def _root(amounts: Array, low: float, high: float) -> float:
    return float(brentq(lambda x: float(_values(amounts, np.array([x]))[0]), low, high, xtol=1e-15))


def _touching(amounts: Array, grid: Array, values: Array) -> list[float]:
    """Places where the value touches 0 without crossing it: roots of its slope at which it vanishes."""
    falling = -np.arange(amounts.size) * amounts
    slopes = _values(falling, grid)
    turns = np.flatnonzero((slopes[1:] * slopes[:-1] < 0.0) & (values[1:] * values[:-1] > 0.0))
    places = np.array([_root(falling, grid[k], grid[k + 1]) for k in turns])
    near = np.abs(_values(amounts, places)) <= TOUCH * np.abs(amounts).max() if places.size else np.zeros(0, dtype=bool)
    return [float(x) for x in places[near]]


def mirr(flows: npt.ArrayLike, finance_rate: float, reinvest_rate: float) -> float | None:
    """Return the modified rate: outlays financed at one rate, income put out at another; None without both.

    (FV of income at `reinvest_rate` ÷ −PV of outlays at `finance_rate`)^(1/(T − 1)) − 1. [1/period]
    Source: numpy-financial's mirr.
    """
    amounts = np.asarray(flows, dtype=float)
    last = amounts.size - 1
    times = np.arange(amounts.size)
    income = (np.maximum(amounts, 0.0) * (1.0 + reinvest_rate) ** (last - times)).sum()
    outlay = -(np.minimum(amounts, 0.0) * (1.0 + finance_rate) ** -times).sum()
    return float((income / outlay) ** (1.0 / last) - 1.0) if income > 0 and outlay > 0 and last > 0 else None


def payback(flows: npt.ArrayLike, discount: npt.ArrayLike | None = None) -> float | None:
    """Return when an outlay has come back for good; discounted where factors are given; None: never. [period]

    flows    : (T,), money in is positive, the first flow at time 0. [money]
    discount : (T,) or None.
    Between two periods linearly. A running sum that turns negative again has not paid back: the last crossing counts.
    Source: Brealey, Myers, Allen, Principles of Corporate Finance, chapter 5.
    """
    worth = np.asarray(flows, dtype=float) * (1.0 if discount is None else np.asarray(discount))
    sums = np.cumsum(worth)
    below = np.flatnonzero(sums < 0.0)
    if below.size == 0:
        return 0.0
    k = int(below[-1])
    return None if k == sums.size - 1 else k + float(-sums[k] / worth[k + 1])
