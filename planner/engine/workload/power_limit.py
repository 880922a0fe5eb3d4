"""What a power limit of the GPU costs in speed: little with few requests at once, much with many.

Measured on four RTX PRO 6000 of 600 W, MiniMax-M2.5 in NVFP4: github.com/voipmonitor/rtx6kpro,
hardware/gpu-configs.md, "Power Limit Scaling".
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, unboxed, within

# Limits over the cards' 600 W. [1]
LIMIT_SHARES = (300 / 600, 400 / 600, 500 / 600, 1.0)
# Requests under way on the four cards. [1]
LIMIT_CONCURRENCY = (4.0, 16.0, 32.0, 64.0)
# Tokens a second over those at 300 W: a row for each concurrency, a column for each limit. [1]
LIMIT_GAINS = (
    (1.00, 1.02, 1.03, 1.04),
    (1.00, 1.10, 1.16, 1.17),
    (1.00, 1.18, 1.25, 1.26),
    (1.00, 1.22, 1.29, 1.30),
)


# Requests at once from which more lose no more; work that fills the GPU, such as training, counts as so many. [1]
MANY = LIMIT_CONCURRENCY[-1]


def limit_measured(share: float) -> bool:
    """Whether a limit lies where speeds were measured: from half the nameplate power of the card on.

    share : limit over the nameplate power of the card. [1]
    """
    return share >= LIMIT_SHARES[0]


def limited_rate(share: npt.ArrayLike, concurrency: npt.ArrayLike = MANY) -> Values:
    """Return the speed under a power limit over that without one. [1]

    share       : limit over the nameplate power of the card; from 1 on nothing is lost. [1]
    concurrency : requests under way at once on one copy of the model. [1]
    Linear between the limits measured, and between their concurrencies by the logarithm; beyond them the nearest holds.
    Under half the nameplate nothing was measured: the speed falls in proportion to the power.
    All shapes broadcast. Source: see the module.
    """
    allowed = np.minimum(within("share", share, 0.0), 1.0)
    busy = np.clip(within("concurrency", concurrency, 0.0), LIMIT_CONCURRENCY[0], MANY)
    allowed, busy = np.broadcast_arrays(allowed, busy)
    rates = [np.interp(allowed, LIMIT_SHARES, np.array(gains) / gains[-1]) for gains in LIMIT_GAINS]
    place = np.interp(np.log2(busy), np.log2(LIMIT_CONCURRENCY), np.arange(float(len(rates))))
    kept = sum(rate * np.clip(1.0 - np.abs(place - at), 0.0, 1.0) for at, rate in enumerate(rates))
    return unboxed(kept * np.minimum(1.0, allowed / LIMIT_SHARES[0]))
