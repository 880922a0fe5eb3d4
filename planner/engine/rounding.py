"""Rounding up without rounding up noise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import IntArray

# Slack before rounding a real number, so that 51.000000001 from floating point stays 51. [1]
SLACK = 1e-9


def rounded_up(values: npt.ArrayLike) -> IntArray:
    """The next whole numbers, any shape."""
    return np.ceil(np.asarray(values, dtype=np.float64) - SLACK).astype(np.int64)
