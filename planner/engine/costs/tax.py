"""The after-tax view: what each deduction saves a company, and the tax on what machines bring.

Every running cost, rent and interest is deducted in its month, purchases by their schedule; what is sold is taxed on
what it brings above its tax value. Everything in the tax value at the horizon goes with the machines where those are
counted at their residual value, and is left out where they are not. Interest on a loan is deducted, its repayment not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from planner.engine import finance
from planner.engine.calendar import Array, Calendar, calendar_for
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.capex import PAYMENT_TERMS
from planner.engine.costs.financing import FINANCED
from planner.engine.costs.purchases import leavers
from planner.engine.fleet import survivors
from planner.engine.lines import AFTER_TAX, Ledger, Line

EXPENSED = frozenset({"capex.decommissioning"})  # deducted when paid
REPAYMENTS = frozenset({"principal", "balance"})
BUY_OUTS = frozenset({"buy_out", "early_buy_out"})
MACRS_YEARS = 5
DRIVERS = ("finance/after_tax", "finance/profit_tax_rate", "finance/tax_depreciation", "finance/tax_life_months")
INCOME = ("finance/other_income_per_year", "finance/losses_kept_years")
# Method of what a one-off deduction does not cover.
AFTER_ONE_OFF = "china_straight_line"


def written_off(calendar: Calendar, method: str, life_months: int, fiscal_month: int) -> Array:
    """(M, M): share of a price paid in the month of the row that is written off in the month of the column. [1]"""
    return _written_off(calendar.start, calendar.months, method, life_months, fiscal_month)


@lru_cache(maxsize=32)
def _written_off(start: str, months: int, method: str, life_months: int, fiscal_month: int) -> Array:
    longest = max(life_months, 12 * (MACRS_YEARS + 1)) + 24
    whole = calendar_for(start, months + longest)
    days = whole.hours / 24.0
    shares = np.zeros((months, months))
    for m in range(months if method != "none" else 0):
        shares[m] = _schedule(whole, days, m, method, life_months, fiscal_month)[:months]
    shares.setflags(write=False)
    return shares


def _schedule(whole: Calendar, days: Array, m: int, method: str, life: int, fiscal_month: int) -> Array:
    """(M,): what is written off in each month of what is bought in one."""
    match method:
        case "straight_line":
            return finance.straight_line(days, m, life)
        case "china_straight_line":
            return finance.straight_line_from_next_month(days.size, m, life, finance.CHINA_RESIDUAL)
        case "declining_balance":
            years = -(-life // 12)
            edges = [m + 12 * year for year in range(years + 1)]
            return finance.year_shares_to_months(finance.declining_balance(years), days, edges)
        case "macrs_5":
            ahead = (fiscal_month - whole.firsts[m].month - 1) % 12 + 1  # months to the next tax year
            edges = [m, *(m + ahead + 12 * year for year in range(MACRS_YEARS + 1))]
            return finance.year_shares_to_months(finance.half_year_shares(MACRS_YEARS), days, edges)
    at_once = np.zeros(days.size)  # at_once: in the month itself; the Chinese one-off deduction in the one after
    at_once[m + (1 if method == "china_one_off" else 0)] = 1.0
    return at_once


class Capitalised:
    """What is written off over a life: by month. Arrays (S, M). [money]

    added        : price of what entered service.
    depreciation : written off.
    sold         : what was left of the price of machines when they went.
    left         : in the last month, what is left at the horizon.
    """

    def __init__(self, costs: PlanCosts, method: str, life_months: int) -> None:
        self.costs, self.method, self.life_months = costs, method, life_months
        shape = costs.ledger.shape
        self.added, self.depreciation, self.sold, self.left = (np.zeros(shape) for _ in range(4))
        if costs.owns:
            self._machines()
            self._add(self._other_capex())
        self._add(self._bought_out())

    @property
    def value(self) -> Array:
        """(S, M): what the books show at each month's end."""
        return finance.book_value(self.added, self.depreciation + self.sold)

    def _tables(self, cheap: npt.NDArray[np.bool_]) -> Array:
        """(S or 1, M, M): the table of each month's purchases; `cheap`: of machines under the cap, (S, M)."""
        money, calendar = self.costs.scenario.finance, self.costs.books.calendar

        def table(method: str) -> Array:
            return written_off(calendar, method, self.life_months, money.fiscal_year_start_month)

        if self.method != "china_one_off":
            return table(self.method)[None]
        until = np.array([calendar.firsts[m] <= money.one_off_until for m in range(cheap.shape[1])])
        return np.where((cheap & until)[:, :, None], table(self.method), table(AFTER_ONE_OFF))

    def _add(self, paid: Array) -> None:
        """Purchases that stay to the horizon."""
        tables = self._tables(np.ones(paid.shape, dtype=bool))
        self.added += paid
        self.depreciation += _over(paid, tables)
        self.left[:, -1] += (paid * (1.0 - tables.sum(axis=2))).sum(axis=1)

    def _machines(self) -> None:
        """Each month's arrivals for as long as they are there; what is left of their price goes when they do."""
        terms = self.costs.plan.financing
        own = 1.0 - (terms.share if terms.kind == "lease" else 0.0)
        if not self.costs.ledger.on("capex.accelerators_and_servers") or own <= 0.0:
            return
        late = np.zeros(self.costs.ledger.shape)  # ordered, and not there before the horizon
        late[:, -1] = (self.costs.machines_paid - self.costs.machines_arrived).sum(axis=1) * own
        self.left += np.where(late > 1e-6, late, 0.0)
        for _slug, part in self.costs.parts:
            tables = self._tables(part.unit <= self.costs.scenario.finance.one_off_cap)
            unit = part.unit * own
            self.added += part.arrived * unit
            if not part.retired.any():
                self.depreciation += _over(part.arrived * unit, tables)
                self.left[:, -1] += (part.arrived * unit * (1.0 - tables.sum(axis=2))).sum(axis=1)
                continue
            done = np.cumsum(tables, axis=2)
            months = unit.shape[1]
            for m in range(months):
                there = survivors(part.arrived, part.retired, m) * unit[:, : m + 1]
                self.depreciation[:, m] += (there * tables[:, : m + 1, m]).sum(axis=1)
            for m, leaving in leavers(part):
                self.sold[:, m] += (leaving * unit[:, :m] * (1.0 - done[:, :m, m - 1])).sum(axis=1)
            there = survivors(part.arrived, part.retired, months - 1) * unit
            self.left[:, -1] += (there * (1.0 - done[:, :, -1])).sum(axis=1)

    def _other_capex(self) -> Array:
        """Everything capitalised but machines: fabric less what a lessor pays, racks, works, freight, tax on top."""
        paid = np.zeros(self.costs.ledger.shape)
        for line in self.costs.ledger.lines:
            if line.code == PAYMENT_TERMS:  # written off from the purchase on, whenever it is paid
                continue
            borrowed = line.code == FINANCED and line.part == "loan"  # the plan's own all the same
            if line.kind == "capex" and line.category not in EXPENSED and not _is_of_machines(line) and not borrowed:
                paid = paid + line.amount
        return paid

    def _bought_out(self) -> Array:
        lines = [line for line in self.costs.ledger.lines if line.category == "opex.lease" and line.code in BUY_OUTS]
        return np.asarray(sum((line.amount for line in lines), np.zeros(self.costs.ledger.shape)))


def _over(paid: Array, tables: Array) -> Array:
    return np.asarray((paid[:, None, :] @ tables)[:, 0])


def _is_of_machines(line: Line) -> bool:
    return line.category == "capex.accelerators_and_servers" and line.code != "load_balancer"


class AfterTax:
    """Tax on a plan. Made once its own lines are written, so that it can be written for several cloud offers."""

    def __init__(self, costs: PlanCosts) -> None:
        money = costs.scenario.finance
        self.costs, self.money = costs, money
        # a university and a state-funded buyer pay no profit tax, and save none
        self.applies = costs.ledger.on(AFTER_TAX) and money.buyer == "company"
        self.basis = Capitalised(costs, money.tax_depreciation, money.tax_life_months) if self.applies else None
        self.rate: Array | None = None  # (S, M): tax rate × share of the deductions that is used, of the last ledger

    def write(self, ledger: Ledger) -> None:
        """Add what the lines of a ledger save in tax; raises NoQuote where the rate is not known."""
        deductions = self._deductions(ledger) if self.applies else {}
        if not deductions:
            return
        rate, source = self.costs.books.profit_tax()
        losses, share = self._relief(sum(deductions.values(), np.zeros(ledger.shape)), rate)
        self.rate = rate * share
        lines = [(code, amounts, self.rate, DRIVERS) for code, amounts in deductions.items()]
        for code, amounts, price, why in (*lines, ("losses", losses, rate, (*INCOME, *DRIVERS))):
            ledger.add(
                AFTER_TAX,
                code,
                amounts,
                "money",
                price,
                source,
                FORMULAS.get(code, "tax_shield"),
                item=source.item,
                factors={"rate": rate},
                drivers=why,
                credit=True,
            )

    def _relief(self, deducted: Array, rate: float) -> tuple[Array, Array]:
        """(losses of earlier years used, in the last month of a year; share of a month's deductions that is used)."""
        years = self.costs.books.calendar.fiscal_years(self.money.fiscal_year_start_month)
        yearly = np.stack([deducted[:, part].sum(axis=1) for _label, part, _partial in years], axis=1)
        lengths = np.array([(part.stop - part.start) / 12.0 for _label, part, _partial in years])
        income = np.inf if self.money.other_income_per_year is None else self.money.other_income_per_year * lengths
        relief = finance.tax_relief(yearly, rate, income, self.money.losses_kept_years)
        losses, share = np.zeros(deducted.shape), np.zeros(deducted.shape)
        for year, (_label, part, _partial) in enumerate(years):
            whole = yearly[:, year]
            used = np.where(whole != 0.0, relief.own[:, year] / np.where(whole != 0.0, whole, 1.0), 1.0)
            share[:, part] = used[:, None]
            losses[:, part.stop - 1] = relief.from_losses[:, year]
        return losses, share

    def _deductions(self, ledger: Ledger) -> dict[str, Array]:
        """By code, (S, M): running costs, what is written off, gains on what is sold (negative)."""
        assert self.basis is not None
        found = {"running_costs": _sum(ledger, _is_running), "depreciation": self.basis.depreciation}
        if self.money.tax_depreciation != "none":
            found["sale_gain"] = _sum(ledger, lambda line: line.category == "credit.resale") + self.basis.sold
            if self.money.residual_at_horizon:
                value = _sum(ledger, lambda line: line.category == "credit.residual_at_horizon")
                found["residual_gain"] = value + self.basis.left
        return {code: amounts for code, amounts in found.items() if amounts.any()}


FORMULAS = {"sale_gain": "tax_gain", "residual_gain": "tax_gain", "losses": "tax_losses"}


def _is_running(line: Line) -> bool:
    return line.category in EXPENSED or (line.kind == "opex" and line.code not in REPAYMENTS | BUY_OUTS)


def _sum(ledger: Ledger, wanted: Callable[[Line], bool]) -> Array:
    """(S, M): the amounts of some lines of a ledger; credits are negative."""
    return np.asarray(sum((line.amount for line in ledger.lines if wanted(line)), np.zeros(ledger.shape)))
