"""PUE, its yearly mean, and water. Facility reference, section 3.2."""

from __future__ import annotations

import numpy.typing as npt

from planner.engine.bounds import Values, above, unboxed, within


def pue(
    ups_efficiency: npt.ArrayLike,
    distribution_efficiency: npt.ArrayLike,
    cop: npt.ArrayLike,
    fan_pump_share: npt.ArrayLike = 0.0,
    misc_share: npt.ArrayLike = 0.0,
) -> Values:
    """Return PUE = 1 + e + (1 + e)/COP + f + m, e = 1/(η_ups·η_dist) − 1. [1]

    Efficiencies and COP [1]; fans and pumps, lights and the rest as shares of IT power. [1] Any shapes.
    Source: facility reference 3.2.
    """
    loss = 1.0 / (
        above("ups_efficiency", ups_efficiency, 1.0) * above("distribution_efficiency", distribution_efficiency, 1.0)
    )
    rest = within("fan_pump_share", fan_pump_share, 0.0) + within("misc_share", misc_share, 0.0)
    return unboxed(loss + loss / above("cop", cop) + rest)


def yearly_cop(economiser_share: npt.ArrayLike, cop_free: npt.ArrayLike, cop_mechanical: npt.ArrayLike) -> Values:
    """Return the COP over a year with a share of economiser hours, harmonic mean. [1] Any shapes. Facility 3.2."""
    free = within("economiser_share", economiser_share, 0.0, 1.0)
    return unboxed(1.0 / (free / above("cop_free", cop_free) + (1.0 - free) / above("cop_mechanical", cop_mechanical)))


# Water that evaporates where all heat leaves by evaporation: an upper bound. [L/kWh of heat] Facility reference 3.2.
EVAPORATION_L_PER_KWH = 1.47


def water_litres(it_kwh: npt.ArrayLike, wue: npt.ArrayLike) -> Values:
    """Return the water a site uses for cooling. [L]

    it_kwh : IT energy, any shape. [kWh]
    wue    : water usage effectiveness, 0 for air-cooled or closed loops, 0.36 the US mean of 2023; any shape. [L/kWh]
    Source: facility reference 3.2.
    """
    return unboxed(within("it_kwh", it_kwh, 0.0, unit="kWh") * within("wue", wue, 0.0, unit="L/kWh"))
