"""What deductions save in tax, and losses that wait for income."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import within
from planner.engine.calendar import Array


@dataclass(frozen=True)
class Relief:
    """By tax year, (…, Y). saved: tax not paid, negative where a gain is taxed. carried: loss left at year's end."""

    saved: Array
    carried: Array


def tax_relief(
    deductions: Array, rate: npt.ArrayLike, income: npt.ArrayLike = np.inf, years_kept: int | None = None
) -> Relief:
    """Return the tax that deductions save against other income, year by year. [money]

    deductions : (…, Y), costs and depreciation of each tax year; a gain is negative. [money]
    rate       : tax rate. [1]
    income     : other taxable income of a year, (…) or (…, Y): infinite where there is always enough. [money]
    years_kept : how long a loss may wait for income; None: for good.
    A loss is what deductions exceed the income by; the oldest is used first.
    Source: model, section 6; IRC §172 and the Chinese income tax law, art. 18, for what is kept.
    """
    amounts = np.asarray(deductions, dtype=float)
    share = within("rate", rate, 0.0, 1.0)
    room = np.broadcast_to(np.asarray(income, dtype=float), amounts.shape)
    used, carried = np.zeros(amounts.shape), np.zeros(amounts.shape)
    waiting: list[Array] = []  # losses by year, the oldest first
    for year in range(amounts.shape[-1]):
        if years_kept is not None:
            waiting = waiting[-years_kept:] if years_kept else []
        left = room[..., year] - amounts[..., year]  # income that this year's deductions leave
        took = np.zeros(amounts.shape[:-1])
        for k, loss in enumerate(waiting):
            part = np.clip(np.minimum(loss, left - took), 0.0, None)
            waiting[k] = loss - part
            took = took + part
        this_year = np.minimum(amounts[..., year], np.maximum(room[..., year], 0.0))
        used[..., year] = this_year + took
        waiting.append(np.maximum(amounts[..., year] - this_year, 0.0))
        carried[..., year] = sum(waiting)
    return Relief(np.asarray(used * share[..., None] if share.ndim else used * share), carried)
