"""What deductions save in tax, and losses that wait for income."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import within
from planner.engine.calendar import Array


@dataclass(frozen=True)
class Relief:
    """By tax year, (…, Y). [money]

    own         : deductions of the year used in it; negative where a gain is taxed.
    from_losses : losses of earlier years used in it.
    carried     : losses left at its end.
    saved       : tax not paid, (own + from_losses) × rate.
    """

    own: Array
    from_losses: Array
    carried: Array
    saved: Array


def tax_relief(
    deductions: Array, rate: npt.ArrayLike, income: npt.ArrayLike = np.inf, years_kept: int | None = None
) -> Relief:
    """Return what deductions save against other income, year by year.

    deductions : (…, Y), costs and depreciation of each tax year; a gain is negative. [money]
    rate       : tax rate, (…). [1]
    income     : other taxable income of a year, (…, Y) or what broadcasts to it: infinite where there is always
                 enough. [money]
    years_kept : how long a loss may wait for income; None: for good.
    A loss is what deductions exceed the income by; the oldest is used first.
    Source: model, section 6; IRC §172 and the Chinese income tax law, art. 18, for what is kept.
    """
    amounts = np.asarray(deductions, dtype=float)
    share = within("rate", rate, 0.0, 1.0)
    room = np.broadcast_to(np.asarray(income, dtype=float), amounts.shape)
    own, from_losses, carried = (np.zeros(amounts.shape) for _ in range(3))
    waiting: list[Array] = []  # losses by year, the oldest first
    for year in range(amounts.shape[-1]):
        if years_kept is not None:
            waiting = waiting[-years_kept:] if years_kept else []
        own[..., year] = np.minimum(amounts[..., year], np.maximum(room[..., year], 0.0))
        left = room[..., year] - amounts[..., year]  # income that this year's deductions leave
        took = np.zeros(amounts.shape[:-1])
        for k, loss in enumerate(waiting):
            part = np.clip(np.minimum(loss, left - took), 0.0, None)
            waiting[k] = loss - part
            took = took + part
        from_losses[..., year] = took
        waiting.append(np.maximum(amounts[..., year] - own[..., year], 0.0))
        carried[..., year] = sum(waiting)
    return Relief(
        own, from_losses, carried, np.asarray((own + from_losses) * (share[..., None] if share.ndim else share))
    )
