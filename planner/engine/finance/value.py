"""Values: of flows today, of a price spread over its life, of a machine at an age."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, unboxed, within
from planner.engine.calendar import Array
from planner.engine.inputs import CurvePoint

# Below this rate powers of 1 + r lose what the limit r → 0 keeps. [1/period]
RATE_IS_ZERO = 1e-12


def present_value(flows: Array, discount: Array) -> Array:
    """(S,): Σ v[m] · flow[m] of flows (S, M) and discount factors (M,) or (S, M)."""
    return np.asarray((flows * discount).sum(axis=-1))


def npv(rate: npt.ArrayLike, flows: npt.ArrayLike, *, mid_period: bool = False) -> Values:
    """Return the net present value Σ flow[t] / (1 + rate)^t. [money]

    rate       : per period, any shape (…). [1/period]
    flows      : (…, T), the first at time 0 and undiscounted (a spreadsheet's NPV discounts it). [money]
    mid_period : each flow falls half a period later.
    Source: Brealey, Myers, Allen, Principles of Corporate Finance, chapter 2; numpy-financial's npv.
    """
    amounts = np.asarray(flows, dtype=float)
    base = above("rate", np.asarray(rate, dtype=float) + 1.0, unit="1/period")
    times = np.arange(amounts.shape[-1]) + (0.5 if mid_period else 0.0)
    return unboxed((amounts * base[..., None] ** -times).sum(axis=-1))


def periodic_rate(annual: npt.ArrayLike, periods: int = 12, *, nominal: bool = False) -> Values:
    """Return the rate of one of `periods` periods of a year. [1/period]

    (1 + r)^(1/n) − 1 of an effective rate, r/n where a contract states a nominal one; model, section 6.
    """
    rate = above("annual", np.asarray(annual, dtype=float) + 1.0, unit="share/year") - 1.0
    return unboxed(rate / periods if nominal else np.expm1(np.log1p(rate) / periods))


def real_rate(nominal: npt.ArrayLike, inflation: npt.ArrayLike) -> Values:
    """Return the rate in money of constant value, (1 + nominal)/(1 + inflation) − 1. [1/yr] Fisher's equation."""
    prices = above("inflation", np.asarray(inflation, dtype=float) + 1.0, unit="share/year")
    return unboxed((1.0 + np.asarray(nominal, dtype=float)) / prices - 1.0)


def annuity(
    price: npt.ArrayLike,
    rate_per_period: npt.ArrayLike,
    periods: npt.ArrayLike,
    residual_share: npt.ArrayLike = 0.0,
    *,
    advance: bool = False,
) -> Values:
    """Return the constant payment that repays a price over n periods. [money/period]

    P (1 − s vⁿ) r / (1 − vⁿ); at r = 0, P (1 − s) / n. `advance` has each payment a period earlier: × v.
    price, residual_share : [money], share of the price that is left after n periods. [1]
    rate_per_period       : of the period of the payments. [1/period]

    Source: cost_method, section 3; checked against Hamilton (2008) and Epoch (2026).
    """
    cost, n = np.asarray(price, dtype=float), above("periods", periods, unit="period")
    rate = within("rate_per_period", rate_per_period, 0.0, unit="1/period")
    share = within("residual_share", residual_share, 0.0)
    flat = rate < RATE_IS_ZERO
    safe = np.where(flat, 1.0, rate)
    v = (1.0 + safe) ** -n
    level = cost * (1.0 - share * v) * safe / -np.expm1(-n * np.log1p(safe))
    payment = np.where(flat, cost * (1.0 - share) / n, level)
    return unboxed(payment / (1.0 + rate) if advance else payment)


def compounded(rate: npt.ArrayLike, periods: npt.ArrayLike, start: npt.ArrayLike, per_period: npt.ArrayLike) -> Values:
    """Return what a start and a payment at each period's end have grown to. [money]

    S (1 + r)ⁿ + p ((1 + r)ⁿ − 1)/r; at r = 0, S + n p. Source: numpy-financial's fv, in the saver's signs.
    """
    growth = np.expm1(np.asarray(periods, dtype=float) * np.log1p(np.asarray(rate, dtype=float)))
    flat = np.abs(rate) < RATE_IS_ZERO
    sums = np.where(flat, periods, growth / np.where(flat, 1.0, rate))
    return unboxed(np.asarray(start, dtype=float) * (1.0 + growth) + np.asarray(per_period, dtype=float) * sums)


def periods_to_repay(principal: npt.ArrayLike, rate: npt.ArrayLike, payment: npt.ArrayLike) -> Values:
    """Return after how many periods a payment in arrears has repaid a loan; infinite where it never does. [period]

    −ln(1 − P r / p) / ln(1 + r); at r = 0, P / p. Source: numpy-financial's nper.
    """
    owed, level = np.asarray(principal, dtype=float), above("payment", payment, unit="money/period")
    interest = within("rate", rate, 0.0, unit="1/period")
    flat = interest < RATE_IS_ZERO
    share = np.where(flat, 0.0, owed * interest / level)
    ends = share < 1.0
    with np.errstate(divide="ignore"):
        many = -np.log1p(-np.where(ends, share, 0.0)) / np.where(flat, 1.0, np.log1p(interest))
    return unboxed(np.where(flat, owed / level, np.where(ends, many, np.inf)))


def levelised_cost(costs: npt.ArrayLike, units: npt.ArrayLike, discount: npt.ArrayLike) -> Values:
    """Return the price per unit that recovers the costs: PV(costs) ÷ PV(units). [money/unit]

    costs, units : (…, T), such as GPU-hours, million tokens or runs of each period; infinite where nothing is made.
    discount     : (T,), 1 where money has no cost.
    Source: model, section 6; IEA, Projected Costs of Generating Electricity, for the same ratio.
    """
    made = np.asarray((np.asarray(units, dtype=float) * discount).sum(axis=-1))
    paid = np.asarray((np.asarray(costs, dtype=float) * discount).sum(axis=-1))
    return unboxed(np.where(made > 0, paid / np.where(made > 0, made, 1.0), np.inf))


def residual_share(curve: tuple[CurvePoint, ...], age_months: Array) -> Array:
    """Share of the price paid that a sale brings at an age: linear between the points, the last one is the floor."""
    return np.asarray(np.interp(age_months, [point.month for point in curve], [point.share for point in curve]))


def declining_value(price: npt.ArrayLike, years: npt.ArrayLike, decades_per_year: npt.ArrayLike) -> Values:
    """Return the market value of a machine at an age, P · 10^(−d·t). [money]

    decades_per_year : orders of magnitude that performance per price gains in a year. [1/yr]
    Source: cost_method, section 3; Cottier et al., The rising costs of training frontier AI models (2024).
    """
    return unboxed(np.asarray(price, dtype=float) * 10.0 ** -(np.asarray(decades_per_year) * np.asarray(years)))


def declining_rent(value: npt.ArrayLike, decades_per_year: npt.ArrayLike) -> Values:
    """Return what a machine loses of its value in a year at that moment, value · d · ln 10. [money/yr]

    Source: as `declining_value`, whose derivative it is.
    """
    return unboxed(np.asarray(value, dtype=float) * np.asarray(decades_per_year) * math.log(10.0))
