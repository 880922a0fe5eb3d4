"""How a purchase is paid: loans, leases, and the terms of a supplier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.engine.bounds import whole, within
from planner.engine.calendar import Array
from planner.engine.finance.value import annuity
from planner.engine.quantities import InputError, Problem


@dataclass(frozen=True)
class Loan:
    """Per unit of money lent, by period from the one after it is paid out: (N,). [1]"""

    interest: Array
    principal: Array

    @property
    def payment(self) -> Array:
        return np.asarray(self.interest + self.principal)


def annuity_loan(rate_per_period: float, periods: int, balloon_share: float = 0.0) -> Loan:
    """Return the interest and the repayment of a loan in equal payments in arrears, per unit lent.

    balloon_share : of the loan, repaid on top of the last payment. [1]
    Source: numpy-financial's ipmt and ppmt; a payment is `annuity` of the loan.
    """
    n = int(whole("periods", periods, 1, unit="period").item())
    level = annuity(1.0, rate_per_period, n, within("balloon_share", balloon_share, 0.0, 1.0))
    interest, principal, owed = np.zeros(n), np.zeros(n), 1.0
    for k in range(n):
        interest[k] = owed * rate_per_period
        principal[k] = level - interest[k]
        owed -= principal[k]
    principal[-1] += owed  # the balloon, and what rounding left
    return Loan(interest, principal)


def bullet_loan(rate_per_period: float, periods: int) -> Loan:
    """Return a loan of which only interest is paid until all is repaid with the last payment, per unit lent."""
    n = int(whole("periods", periods, 1, unit="period").item())
    rate = float(within("rate_per_period", rate_per_period, 0.0, unit="1/period").item())
    principal = np.zeros(n)
    principal[-1] = 1.0
    return Loan(np.full(n, rate), principal)


def lease_payment(
    price: float, rate_per_period: float, periods: int, buy_out: float = 0.0, advance: bool = True
) -> float:
    """Return the payment of a lease that leaves `buy_out` of the price at its end. [money/period]

    buy_out : share of the price. Payments at the start of each period where in advance, else at its end.
    """
    return float(annuity(price, rate_per_period, periods, buy_out, advance=advance))


def lease_payments(rent: float, periods: int, *, advance: bool, buy_out: float = 0.0) -> Array:
    """Return what a lease costs, (N + 1,), from the period in which the machine arrives. [money]

    rent, buy_out : of a period; paid after the last period to keep the machine. [money]
    """
    n = int(whole("periods", periods, 1, unit="period").item())
    flows = np.zeros(n + 1)
    flows[slice(0, n) if advance else slice(1, n + 1)] = rent
    flows[-1] += buy_out
    return flows


def payment_shares(
    prepayment: float, on_delivery: float, on_acceptance: float, retention: float, months: tuple[int, int, int, int]
) -> Array:
    """Return the shares of a price by month from the order; they must add up to 1. (N,) [1]

    months : from the order to each of the four payments. [month]
    """
    parts = (prepayment, on_delivery, on_acceptance, retention)
    for name, share in zip(("prepayment", "on_delivery", "on_acceptance", "retention"), parts, strict=True):
        within(name, share, 0.0, 1.0)
    if abs(sum(parts) - 1.0) > 1e-9:
        raise InputError(Problem(("retention",), "conflict", f"payments add up to {sum(parts):.6g} of the price"))
    when = whole("months", months, 0, unit="month")
    shares = np.zeros(int(when.max()) + 1)
    for month, share in zip(when.tolist(), parts, strict=True):
        shares[month] += share
    return shares
