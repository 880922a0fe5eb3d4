"""Curves of the driver of demand, and of prices."""

from __future__ import annotations

import numpy as np

from planner.engine.calendar import Array
from planner.engine.inputs import (
    CompoundGrowth,
    ConstantGrowth,
    Growth,
    LinearGrowth,
    LogisticGrowth,
    PricePath,
    StepGrowth,
    TableGrowth,
)


def driver_path(growth: Growth, today: float, months: int) -> Array:
    """The driver in each month.

    growth : one of the six kinds of curve.
    today  : value in month 0, in the driver's unit (a table brings its own).
    Returns (M,), in the driver's unit, never negative. A ceiling below today's value does not cut today's value.
    """
    m = np.arange(months, dtype=float)
    match growth:
        case ConstantGrowth():
            path = np.full(months, today)
        case CompoundGrowth():
            if growth.fade_per_year:
                # the monthly rate itself shrinks by the fade, compounded monthly
                rates = growth.rate_per_month * (1.0 - growth.fade_per_year) ** (m / 12.0)
                path = today * np.concatenate(([1.0], np.cumprod(1.0 + rates)[:-1]))
            else:
                path = today * (1.0 + growth.rate_per_month) ** m
            path = _capped(path, growth.ceiling, today)
        case LinearGrowth():
            path = _capped(today + growth.per_month * m, growth.ceiling, today)
        case LogisticGrowth():
            if today <= 0.0 or growth.ceiling <= today:
                path = np.full(months, today)
            else:
                path = growth.ceiling / (1.0 + (growth.ceiling / today - 1.0) * np.exp(-growth.rate_per_month * m))
        case StepGrowth():
            path = np.full(months, today)
            for step in sorted(growth.steps, key=lambda item: item.month):
                path[step.month :] = step.value
        case TableGrowth():
            values = np.asarray(growth.values[:months], dtype=float)
            path = np.concatenate((values, np.full(months - values.size, values[-1])))
    return np.asarray(np.maximum(path, 0.0))


def _capped(path: Array, ceiling: float | None, today: float) -> Array:
    return path if ceiling is None else np.minimum(path, max(ceiling, today))


def price_path(path: PricePath, months: int, spread: float = 0.0) -> Array:
    """Factor on today's price in each month: the product of (1 + g_y)^(1/12) over the months so far.

    Returns (M,), 1 in month 0; `spread` is added to every year's rate. A price falls to nothing at most.
    """
    m = np.arange(months)
    if not path.by_year:
        return np.asarray(max(0.0, 1.0 + path.rate_per_year + spread) ** (m / 12.0))
    yearly = np.array(
        [(path.by_year[year] if year < len(path.by_year) else path.rate_per_year) + spread for year in m // 12]
    )
    return np.concatenate(([1.0], np.cumprod(np.maximum(0.0, 1.0 + yearly) ** (1.0 / 12.0))[:-1]))
