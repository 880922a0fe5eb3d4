"""Loans and leases: what a lender or lessor pays in place of the plan, and what it is owed for that.

A price is lent in the month in which it is paid. A lessor pays it too; its rent begins when the machine arrives. What
is still owed at the horizon is settled in the last month, as the machine's value there is counted in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.engine import finance
from planner.engine.calendar import Array
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.books import LOAN_RATE
from planner.engine.costs.purchases import spread
from planner.engine.fleet import survivors
from planner.engine.inputs import Financing
from planner.engine.prices import Source

FINANCED = "lender"  # code of the lines that take off what a lender or lessor pays


@dataclass(frozen=True)
class Terms:
    """A contract with its monthly rate; `schedule` is per unit of money, by month since it began."""

    terms: Financing
    rate_per_year: float
    rate: float  # of a month
    source: Source


def terms_of(costs: PlanCosts) -> Terms:
    """The plan's contract; raises NoQuote where the catalog has no rate."""
    own = costs.plan.financing
    if own.rate_per_year is not None:
        yearly, source = own.rate_per_year, Source(basis="own", item=LOAN_RATE)
    else:
        yearly, source = costs.books.percent(LOAN_RATE)
    return Terms(own, yearly, float(finance.periodic_rate(yearly, nominal=own.rate_is == "nominal")), source)


def financing(costs: PlanCosts) -> None:
    """Take off what is financed, and write what it costs instead."""
    if costs.plan.financing.kind == "cash":
        return
    contract = terms_of(costs)
    lent, arrived = _financed(costs, contract)
    if not lent.any():
        return
    if contract.terms.kind == "loan":
        _loan(costs, contract, lent)
    else:
        _lease(costs, contract, arrived, lent)


def _financed(costs: PlanCosts, contract: Terms) -> tuple[Array, Array]:
    """(by month of payment, by month of arrival), (S, M): prices of machines and fabric that another pays. [money]"""
    share, months = contract.terms.share, costs.ledger.shape
    lent, arrived = np.zeros(months), np.zeros(months)
    parts = (
        ("capex.accelerators_and_servers", costs.machines_cash, costs.machines_arrived),
        ("capex.fabric", costs.fabric_cash, costs.fabric_paid),
    )
    for category, paid, there in parts:
        if not costs.ledger.on(category) or not paid.any():
            continue
        costs.ledger.add(
            category,
            FINANCED,
            paid,
            "money",
            share,
            Source(basis="own"),
            "financed",
            factors={"share": share},
            drivers=_drivers(costs, "kind", "share"),
            credit=True,
            part=contract.terms.kind,
        )
        lent += paid * share
        arrived += there * share
    return lent, arrived


def _drivers(costs: PlanCosts, *names: str) -> tuple[str, ...]:
    return tuple(f"plans/{costs.plan.slug}/financing/{name}" for name in names)


def _owe(costs: PlanCosts, contract: Terms, code: str, amounts: Array, share: float, formula: str, *names: str) -> None:
    """Write what is owed: amounts of money, of which a share falls due."""
    terms = contract.terms
    if share == 0.0:
        return
    costs.ledger.add(
        "opex.lease" if terms.kind == "lease" else "opex.loan_interest_and_principal",
        code,
        amounts,
        "money",
        share,
        contract.source,
        formula,
        item=LOAN_RATE if terms.rent_share_per_month is None else "",
        factors={"rate_per_year": contract.rate_per_year, "term_months": float(terms.term_months)},
        drivers=_drivers(costs, "rate_per_year", "term_months", *names),
    )


def _loan(costs: PlanCosts, contract: Terms, lent: Array) -> None:
    terms, months = contract.terms, lent.shape[1]
    loan = (finance.annuity_loan if terms.repayment == "annuity" else finance.bullet_loan)(
        contract.rate, terms.term_months
    )
    owed = 1.0 - np.concatenate(([0.0], np.cumsum(loan.principal)))  # after so many payments
    owed[-1] = 0.0
    _owe(costs, contract, "interest", spread(lent, owed[:-1], 1), contract.rate, "loan_interest", "repayment")
    _owe(costs, contract, "principal", spread(lent, loan.principal, 1), 1.0, "loan_principal", "repayment")
    paid = np.minimum(months - 1 - np.arange(months), terms.term_months)
    balance = np.zeros(lent.shape)
    balance[:, -1] = (lent * owed[paid]).sum(axis=1)
    _owe(costs, contract, "balance", balance, 1.0, "loan_balance", "repayment")


def _lease(costs: PlanCosts, contract: Terms, arrived: Array, lent: Array) -> None:
    terms, months = contract.terms, lent.shape[1]
    advance = terms.payment == "advance"
    rent = terms.rent_share_per_month
    if rent is None:
        rent = finance.lease_payment(1.0, contract.rate, terms.term_months, terms.buy_out_share, advance)
    names = ("payment", "buy_out_share", "at_end", "rent_share_per_month")
    due = finance.lease_payments(1.0, terms.term_months, advance=advance)
    leased = spread(arrived, due)
    if terms.at_end == "extend":
        leased = leased + _extended(costs, contract) * terms.share
    _owe(costs, contract, "rent", leased, rent, "lease_rent", *names)
    left = terms.buy_out_share if terms.at_end == "buy_out" else 0.0
    ended = np.zeros(terms.term_months + 1)
    ended[-1] = 1.0
    _owe(costs, contract, "buy_out", spread(arrived, ended), left, "lease_buy_out", *names)
    # Contracts that run past the horizon: their payments to come, at their own rate.
    to_come, bought = np.zeros(lent.shape), np.zeros(lent.shape)
    for m in range(months):
        passed = months - 1 - m
        if passed >= terms.term_months:
            continue
        v = (1.0 + contract.rate) ** -np.arange(1.0, terms.term_months - passed + 1.0)
        to_come[:, -1] += arrived[:, m] * float((due[passed + 1 :] * v).sum()) * rent
        bought[:, -1] += arrived[:, m] * left * float(v[-1])
    late = lent.sum(axis=1) - arrived.sum(axis=1)  # what was ordered and arrives after the horizon is paid in full
    to_come[:, -1] += np.where(late > 1e-9 * lent.sum(axis=1), late, 0.0)
    _owe(costs, contract, "settlement", to_come, 1.0, "lease_settlement", *names)
    _owe(costs, contract, "early_buy_out", bought, 1.0, "lease_early_buy_out", *names)


def _extended(costs: PlanCosts, contract: Terms) -> Array:
    """Price of leased machines that serve on after the term of their lease, (S, M). [money]"""
    term, months = contract.terms.term_months, costs.ledger.shape[1]
    first = term if contract.terms.payment == "advance" else term + 1
    out = np.zeros(costs.ledger.shape)
    for _slug, part in costs.parts:
        for m in range(first, months):
            there = survivors(part.arrived, part.retired, m)[:, : m - first + 1]
            out[:, m] += (there * part.unit[:, : m - first + 1]).sum(axis=1)
    out[:, first:] += np.cumsum(costs.fabric_paid, axis=1)[:, : max(0, months - first)]
    return out
