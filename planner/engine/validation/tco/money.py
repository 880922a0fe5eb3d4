"""Published arithmetic of money: break-even against a cloud, primitives of finance, depreciation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from planner.engine import finance
from planner.engine.calendar import Array
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.tco.names import HOURS_PER_MONTH, HOURS_PER_YEAR, joined, or_never, stems


def buy_vs_rent_breakeven(i: Inputs) -> Answer:
    """Hours and months from which buying is cheaper, for each price of a cloud; totals over a life."""
    prices = {name.removesuffix("_usd_per_hour"): name for name in i.names() if name.endswith("_usd_per_hour")}
    tiers = {name.removeprefix("cloud").lstrip("_"): full for name, full in prices.items() if name.startswith("cloud")}

    def opex() -> float:
        if "onprem_opex_usd_per_hour" in i:
            return i.number("onprem_opex_usd_per_hour")
        return sum(i.number(full) for name, full in prices.items() if not name.startswith("cloud"))

    def hours(tier: str) -> float:
        return float(finance.break_even_hours(i.number("capex_usd"), i.number(tiers[tier]), opex()))

    def life_h() -> float:
        return i.number("years") * HOURS_PER_YEAR * i.number("utilisation", 1.0)

    def owned() -> float:
        return i.number("capex_usd") + opex() * life_h()

    def rented(tier: str) -> float:
        return i.number(tiers[tier]) * life_h()

    def saved(tier: str) -> float:
        return rented(tier) - owned()

    def turns_at(tier: str, per: float) -> float | str:
        return or_never(hours(tier) / per)

    def saved_share(tier: str) -> float:
        return saved(tier) / rented(tier) if rented(tier) else 0.0

    answer: dict[str, Callable[[], Any]] = {"onprem_opex_usd_per_hour": opex, "onprem_total_usd": owned}
    for tier in tiers:
        answer |= {
            joined("breakeven_hours", tier): partial(turns_at, tier, 1.0),
            joined("breakeven_months", tier): partial(turns_at, tier, HOURS_PER_MONTH),
            joined("cloud_total", tier, "usd"): partial(rented, tier),
            joined("cloud", tier, "total_usd"): partial(rented, tier),
            joined("savings", tier, "usd"): partial(saved, tier),
            joined("savings", tier, "share"): partial(saved_share, tier),
        }
    return answer


def breakeven_utilisation(i: Inputs) -> Answer:
    """Hours a day from which an owner whose costs run around the clock is cheaper than a cloud paid by the hour."""

    def life_h() -> float:
        return i.positive("years") * HOURS_PER_YEAR

    def share(idle_charged: bool) -> float:
        capex, rent = i.number("capex_usd"), i.number("cloud_usd_per_hour")
        opex = i.number("onprem_opex_usd_per_hour")
        return float(finance.break_even_use(capex, rent, life_h(), opex, idle_charged=idle_charged))

    return {
        "onprem_total_usd": lambda: i.number("capex_usd") + i.number("onprem_opex_usd_per_hour") * life_h(),
        "cloud_total_usd": lambda: i.number("cloud_usd_per_hour") * life_h(),
        "threshold_hours_per_day": lambda: or_never(share(True) * 24.0),
        "threshold_utilisation": lambda: or_never(share(True)),
        "threshold_hours_per_day_idle_free": lambda: or_never(share(False) * 24.0),
        "threshold_utilisation_idle_free": lambda: or_never(share(False)),
    }


def finance_primitives(i: Inputs) -> Answer:
    """Payments, values and rates; what is paid is negative, as in the source."""

    def monthly(name: str) -> float:
        return float(finance.periodic_rate(i.number(name), nominal=True))

    def interest() -> float:
        loan = finance.annuity_loan(monthly("ipmt_rate_per_year"), i.whole("ipmt_months", 12))
        return -i.number("ipmt_principal") * float(loan.interest.sum())

    def rate(flows: str) -> float | str | None:
        found = finance.irr(i.numbers(flows))
        return found.rate if found.state == "one" else found.state

    def back(*, discounted: bool) -> float | str:
        flows = i.numbers("npv_cashflows")
        discount = (1.0 + i.number("npv_rate")) ** -np.arange(len(flows)) if discounted else None
        periods = finance.payback(flows, discount)
        return "never" if periods is None else periods

    return {
        "pmt": lambda: (
            -float(finance.annuity(i.number("loan_usd"), monthly("loan_rate_per_year"), i.positive("loan_months")))
        ),
        "npv": lambda: float(finance.npv(i.number("npv_rate"), i.numbers("npv_cashflows"))),
        "irr": lambda: rate("irr_cashflows"),
        **{f"irr_{n}": partial(rate, f"irr_cashflows_{n}") for n in stems(i, "", "irr_cashflows_")},
        "nper": lambda: float(
            finance.periods_to_repay(
                i.number("nper_principal"), monthly("nper_rate_per_year"), i.number("nper_payment")
            )
        ),
        "fv": lambda: float(
            finance.compounded(
                monthly("fv_rate_per_year"), i.number("fv_months"), i.number("fv_initial"), i.number("fv_monthly")
            )
        ),
        "mirr": lambda: finance.mirr(
            i.numbers("mirr_cashflows"), i.number("mirr_finance_rate"), i.number("mirr_reinvest_rate")
        ),
        "total_interest": interest,
        "payback_periods": lambda: back(discounted=False),
        "discounted_payback_periods": lambda: back(discounted=True),
    }


def depreciation_schedule(i: Inputs) -> Answer:
    """What is written off in each year, what the books still show, and the tax that it saves."""

    def shares() -> Array:
        left = i.number("residual_fraction", 0.0)
        method = i.text("method", ("macrs", "straight_line", "declining_balance"), "macrs")
        years = i.whole("recovery_years") if "recovery_years" in i else i.whole("life_years")
        if method == "straight_line":
            return np.full(years, (1.0 - left) / years)
        factor = i.positive("declining_balance_factor", 2.0)
        return (
            finance.half_year_shares(years, factor)
            if method == "macrs"
            else finance.declining_balance(years, factor, left)
        )

    def written() -> Array:
        return np.asarray(i.number("basis_usd") * shares())

    def year(k: int) -> float:
        return float(written()[k])

    def saved(k: int) -> float:
        return float(finance.tax_relief(written(), i.number("tax_rate")).saved[k])

    def book(k: int) -> float:
        return float(finance.book_value(np.eye(1, written().size)[0] * i.number("basis_usd"), written())[k])

    def at_once() -> float:
        return float(finance.tax_relief(np.array([i.number("basis_usd")]), i.number("tax_rate")).saved[0])

    def value_of_shield() -> float:
        relief = finance.tax_relief(written(), i.number("tax_rate"))
        return float(finance.npv(i.number("discount_rate_per_year"), [0.0, *relief.saved]))

    years = range(int(shares().size))
    return {
        **{f"year_{k + 1}_usd": partial(year, k) for k in years},
        **{f"tax_shield_year_{k + 1}_usd": partial(saved, k) for k in years},
        **{f"book_value_year_{k + 1}_usd": partial(book, k) for k in years},
        "total_usd": lambda: float(written().sum()),
        "tax_shield_total_usd": lambda: sum(saved(k) for k in years),
        "tax_shield_present_value_usd": value_of_shield,
        "tax_shield_100pct_first_year_usd": at_once,
    }


SOLVERS: dict[str, Solver] = {
    "buy_vs_rent_breakeven": buy_vs_rent_breakeven,
    "breakeven_utilisation": breakeven_utilisation,
    "finance_primitives": finance_primitives,
    "depreciation_schedule": depreciation_schedule,
}
