"""How a price is written off: for the tax office, and in the books. Shares of the price, so that they scale."""

from __future__ import annotations

import numpy as np

from planner.engine.bounds import above, whole, within
from planner.engine.calendar import Array

# What the Chinese income tax law leaves of a machine's price when it is written off (implementing rules, art. 59
# asks for a reasonable share; 5 % is the custom). [1]
CHINA_RESIDUAL = 0.05


def straight_line(days: Array, arrived: int, life_months: int, residual_share: float = 0.0) -> Array:
    """Return the share of a price written off in each month, by the day. (M,) [1]

    days    : (M,), days of each calendar month, of the whole life at least. [d]
    arrived : month in which the machine enters service, on its first day.
    (1 − s) × days of the month ÷ days of the life.
    """
    return _by_days(days, arrived, life_months, 1.0 - within("residual_share", residual_share, 0.0, 1.0).item())


def straight_line_from_next_month(months: int, arrived: int, life_months: int, residual_share: float) -> Array:
    """Return the share written off in each month, equal months from the one after the purchase. (M,) [1]

    Source: implementing rules of the Chinese income tax law, art. 59: 直线法, 自固定资产投入使用月份的次月起.
    """
    shares = np.zeros(months)
    shares[arrived + 1 : arrived + 1 + life_months] = (1.0 - residual_share) / life_months
    return shares


def half_year_shares(years: int, factor: float = 2.0) -> Array:
    """Return the share of a price written off in each tax year, half a year in the first and the last. (years + 1,) [1]

    Declining balance at factor/years, from where it is more: straight line over the rest. Five years at factor 2 are
    20, 32, 19.2, 11.52, 11.52, 5.76 %. Source: IRS publication 946, table A-1 (MACRS), which rounds to 0.01 %.
    """
    life, rate = int(whole("years", years, 1, unit="year").item()), above("factor", factor).item() / years
    shares, left = np.zeros(life + 1), 1.0
    for year in range(life + 1):
        part = 0.5 if year in (0, life) else 1.0
        remaining = life - (year - 0.5 if year else 0.0)  # years of life not yet passed
        shares[year] = left * min(max(rate * part, min(part, remaining) / remaining), 1.0)
        left -= shares[year]
    return shares


def declining_balance(years: int, factor: float = 2.0, residual_share: float = 0.0) -> Array:
    """Return the share of a price written off in each year of service. (years,) [1]

    factor/years of what is left, never under the residual; from where it is more, straight line over the rest.
    """
    life, rate = int(whole("years", years, 1, unit="year").item()), above("factor", factor).item() / years
    shares, left = np.zeros(life), 1.0
    for year in range(life):
        open_ = left - residual_share
        shares[year] = min(open_, max(left * rate, open_ / (life - year)))
        left -= shares[year]
    return shares


def year_shares_to_months(shares: Array, days: Array, edges: list[int]) -> Array:
    """Spread the shares of years over their months by the day. (M,) [1]

    edges : first month of each year in which the machine is written off, and the month after the last. The calendar
            must reach it: a year that is cut off would be written off too early.
    """
    out = np.zeros(days.size)
    for share, start, end in zip(shares, edges[:-1], edges[1:], strict=True):
        out[start:end] = share * days[start:end] / days[start:end].sum()
    return out


def _by_days(days: Array, arrived: int, life_months: int, share: float) -> Array:
    life = slice(arrived, arrived + life_months)
    written = np.zeros(days.size)
    written[life] = share * days[life] / days[life].sum()
    return written


def book_value(paid: Array, written_off: Array) -> Array:
    """Return what the books still show at each month's end: all paid less all written off, (…, M). [money]"""
    return np.asarray(np.cumsum(paid, axis=-1) - np.cumsum(written_off, axis=-1))
