"""Money over time: values, returns, depreciation, tax, contracts and the use at which owning pays.

Flows are (…, M), nominal, month 0 first; rates are fractions. Functions broadcast over trials where they can, and raise
InputError naming field, value, bound and unit.
"""

from planner.engine.finance.breakeven import break_even_hours, break_even_use
from planner.engine.finance.contracts import (
    Loan,
    annuity_loan,
    bullet_loan,
    lease_payment,
    lease_payments,
    payment_shares,
)
from planner.engine.finance.depreciation import (
    CHINA_RESIDUAL,
    book_value,
    declining_balance,
    half_year_shares,
    straight_line,
    straight_line_from_next_month,
    year_shares_to_months,
)
from planner.engine.finance.returns import Irr, irr, mirr, payback
from planner.engine.finance.tax import Relief, tax_relief
from planner.engine.finance.value import (
    RATE_IS_ZERO,
    annuity,
    compounded,
    declining_rent,
    declining_value,
    levelised_cost,
    npv,
    periodic_rate,
    periods_to_repay,
    present_value,
    real_rate,
    residual_share,
)

__all__ = [
    "CHINA_RESIDUAL",
    "RATE_IS_ZERO",
    "Irr",
    "Loan",
    "Relief",
    "annuity",
    "annuity_loan",
    "book_value",
    "break_even_hours",
    "break_even_use",
    "bullet_loan",
    "compounded",
    "declining_balance",
    "declining_rent",
    "declining_value",
    "half_year_shares",
    "irr",
    "lease_payment",
    "lease_payments",
    "levelised_cost",
    "mirr",
    "npv",
    "payback",
    "payment_shares",
    "periodic_rate",
    "periods_to_repay",
    "present_value",
    "real_rate",
    "residual_share",
    "straight_line",
    "straight_line_from_next_month",
    "tax_relief",
    "year_shares_to_months",
]
