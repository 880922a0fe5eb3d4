"""The use at which owning costs what renting does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, unboxed, within


def break_even_hours(capex: npt.ArrayLike, rent_per_hour: npt.ArrayLike, opex_per_hour: npt.ArrayLike = 0.0) -> Values:
    """Return the hours after which buying has cost what renting the same hours has; infinite means never. [h]

    capex/(rent − opex): both run the same hours, idle owned hours cost nothing. "Never" where rent ≤ opex.
    Source: cost_method, section 3 (Lenovo LP2368, case 1).
    """
    price = within("capex", capex, 0.0, unit="money")
    saved = np.asarray(rent_per_hour, dtype=float) - np.asarray(opex_per_hour, dtype=float)
    return unboxed(np.where(saved > 0, price / np.where(saved > 0, saved, 1.0), np.inf))


def break_even_use(
    capex: npt.ArrayLike,
    rent_per_hour: npt.ArrayLike,
    hours: npt.ArrayLike,
    opex_per_hour: npt.ArrayLike = 0.0,
    *,
    idle_charged: bool,
) -> Values:
    """Return the share of the hours owned from which owning is cheaper; infinite means never. [1]

    hours        : of the life, used or not. [h]
    idle_charged : running costs are due around the clock, (capex + opex·H)/(rent·H); otherwise only for the hours
                   used, capex/((rent − opex)·H). A share above 1 is out of reach within the life; never where
                   rent ≤ opex.
    Source: cost_method, sections 3 and 5 (Lenovo LP2368, case 3: 4.3 against 2.0 hours a day).
    """
    life = above("hours", hours, unit="h")
    if not idle_charged:
        return unboxed(np.asarray(break_even_hours(capex, rent_per_hour, opex_per_hour)) / life)
    rent, opex = np.asarray(rent_per_hour, dtype=float), np.asarray(opex_per_hour, dtype=float)
    pays = rent > opex
    share = (np.asarray(capex) + opex * life) / np.where(pays, rent * life, 1.0)
    return unboxed(np.where(pays, share, np.inf))
