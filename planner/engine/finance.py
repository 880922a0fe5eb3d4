"""Present values and curves of value. Monthly flows, nominal, discounted by (1 + r)^(−m/12)."""

from __future__ import annotations

import numpy as np

from planner.engine.calendar import Array
from planner.engine.inputs import CurvePoint


def present_value(flows: Array, discount: Array) -> Array:
    """(S,): Σ v[m] · flow[m] of flows (S, M) and discount factors (M,) or (S, M)."""
    return np.asarray((flows * discount).sum(axis=-1))


def annuity(price: float, rate_per_period: float, periods: int, residual_share: float = 0.0) -> float:
    """Constant payment in arrears that repays a price over n periods.

    P (1 − s vⁿ) r / (1 − vⁿ); at r = 0, P (1 − s) / n.

    Source: cost_method, section 3; checked against Hamilton (2008) and Epoch (2026).
    """
    if rate_per_period == 0.0:
        return price * (1.0 - residual_share) / periods
    v = (1.0 + rate_per_period) ** -periods
    return float(price * (1.0 - residual_share * v) * rate_per_period / -np.expm1(-periods * np.log1p(rate_per_period)))


def residual_share(curve: tuple[CurvePoint, ...], age_months: Array) -> Array:
    """Share of the price paid that a sale brings at an age: linear between the points, the last one is the floor."""
    return np.asarray(np.interp(age_months, [point.month for point in curve], [point.share for point in curve]))
