"""Circuits, redundancy, supplies and draw. Facility reference, sections 2.2 to 2.4."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, refusal, unboxed, whole, within
from planner.engine.quantities import InputError, Problem
from planner.engine.rounding import SLACK, rounded_up

# Share of a breaker that a continuous load may take: North America (NEC), and cords rated by IEC. [1]
# What is left of it in a hot aisle above about 40 °C. [1] Facility reference 2.2.
DERATING = {"nec": 0.8, "iec": 1.0}
HOT_AISLE = 0.87
# Power factor of server supplies. [1] Facility reference 2.2, reproduces NVIDIA's B200 slide.
POWER_FACTOR = 0.95


def circuit_kva(
    volts: npt.ArrayLike,
    amps: npt.ArrayLike,
    phases: int = 1,
    derating: npt.ArrayLike = 1.0,
    *,
    line_to_neutral: bool = False,
) -> Values:
    """Return the apparent power a circuit may carry continuously, k·V·A·derating/1000. [kVA]

    volts, amps : any shapes. [V], [A]
    derating : 0.80 for continuous loads on North American breakers (NEC), 1 for IEC cords, and a further 0.87 in a hot
        aisle above about 40 °C; any shape. [1]
    phases : 1 (k = 1) or 3 (k = √3).
    line_to_neutral : three phases whose `volts` is line to neutral (230 V rather than 400 V): k = 3.
    Source: facility reference 2.2.
    """
    if phases not in (1, 3):
        raise not_a_choice("phases", phases, ("1", "3"))
    k = 1.0 if phases == 1 else 3.0 if line_to_neutral else math.sqrt(3.0)
    power = within("volts", volts, 0.0, unit="V") * within("amps", amps, 0.0, unit="A")
    return unboxed(k * power * within("derating", derating, 0.0, 1.0) / 1000.0)


def circuit_kw(
    volts: npt.ArrayLike,
    amps: npt.ArrayLike,
    phases: int = 1,
    derating: npt.ArrayLike = 1.0,
    power_factor: npt.ArrayLike = POWER_FACTOR,
    *,
    line_to_neutral: bool = False,
) -> Values:
    """Return the real power a circuit may carry, kVA × power factor. [kW]

    Arguments as in `circuit_kva`; power_factor : any shape. [1]
    Source: facility reference 2.2.
    """
    kva = circuit_kva(volts, amps, phases, derating, line_to_neutral=line_to_neutral)
    return unboxed(kva * within("power_factor", power_factor, 0.0, 1.0))


def path_limit(*ratings: npt.ArrayLike | None) -> Values:
    """Return the weakest rating along a path such as feed → UPS → PDU; None is no limit, no limit at all is infinite.

    ratings : any shapes, one unit throughout. Source: facility reference 2.5.
    """
    weakest = np.asarray(np.inf)
    for rating in ratings:
        if rating is not None:
            weakest = np.minimum(weakest, within("rating", rating, 0.0))
    return unboxed(weakest)


REDUNDANCY = ("N", "N+1", "2N")


def redundant_kw(feed_kw: npt.ArrayLike, feeds: npt.ArrayLike, scheme: str = "N") -> Values:
    """Return what equal feeds may carry so that a rack survives what the scheme promises. [kW]

    feed_kw : one feed, any shape. [kW]
    feeds   : how many reach the rack. [1]
    scheme  : "N" all together; "N+1" any one may fail, (m − 1)·P; "2N" either side alone carries it, floor(m/2)·P.
    A load on A and B feeds counts once. Source: facility reference 2.3.
    """
    count = whole("feeds", feeds)
    power = within("feed_kw", feed_kw, 0.0, unit="kW")
    if scheme == "N":
        carrying = count
    elif scheme == "N+1":
        carrying = np.maximum(count - 1, 0)
    elif scheme == "2N":
        carrying = count // 2
    else:
        raise not_a_choice("scheme", scheme, REDUNDANCY)
    return unboxed(carrying * power)


@dataclass(frozen=True)
class FeedCheck:
    """Whether a load fits on equal feeds, all of them and one of them lost."""

    usable_kw: float  # all feeds together [kW]
    left_kw: float  # with one feed lost [kW]
    fits: bool
    fits_one_lost: bool
    share_each: float  # of a feed's rating with all feeds [1]
    share_one_lost: float  # of each remaining feed's rating, above 1: overload; infinite: none left [1]


def check_feeds(load_kw: float, feed_kw: float, feeds: int) -> FeedCheck:
    """Return how a load sits on equal feeds that share it evenly.

    load_kw : maximum draw. [kW]   feed_kw : one feed. [kW]   feeds : how many reach it. [1]
    Source: facility reference 2.3: N needs all feeds, N+1 needs (m − 1)·P ≥ load.
    """
    load = float(within("load_kw", load_kw, 0.0, unit="kW"))
    everything, left = (float(redundant_kw(feed_kw, feeds, scheme)) for scheme in ("N", "N+1"))

    def share(kw: float) -> float:
        return load / kw if kw > 0.0 else (0.0 if load == 0.0 else math.inf)

    return FeedCheck(
        everything,
        left,
        load <= everything + SLACK,
        load <= left + SLACK,
        share(everything),
        share(left),
    )


def psus_left(psus: npt.ArrayLike, feeds: npt.ArrayLike, lost: npt.ArrayLike = 1) -> Values:
    """Return the supplies of a node still fed when `lost` of its PDUs die, those with the most cords. [1]

    psus, feeds, lost : whole, any shapes; lost ≤ feeds. [1]
    n cords spread evenly over m PDUs: one dead PDU takes ceil(n/m). Source: facility reference 2.3.
    """
    count, ways = whole("psus", psus), whole("feeds", feeds, 1)
    dead = whole("lost", lost, 0, float(ways.min()))
    return unboxed(count - dead * (count // ways) - np.minimum(dead, count % ways))


def psu_ok(psus: npt.ArrayLike, feeds: npt.ArrayLike, needed: npt.ArrayLike, lost: npt.ArrayLike = 1) -> Values:
    """Return whether a node keeps full power when one feed or PDU dies. Facility reference 2.3.

    psus, needed : supplies of the node, and how many carry its full draw.
    feeds : PDUs its cords are spread over.   lost : how many of them die.
    H100 (6, 4 needed) on 3 PDUs passes; B200 (6, 5 needed) on 3 does not: check cords, not only kW.
    """
    return unboxed(np.asarray(psus_left(psus, feeds, lost)) >= whole("needed", needed))


def psus_needed(max_kw: npt.ArrayLike, psu_kw: npt.ArrayLike) -> Values:
    """Return the supplies that carry a node's maximum draw, ceil(P/P_psu). [1]

    max_kw, psu_kw : any shapes. [kW] Source: facility reference 2.3 (B200: 14.3 kW on 3.3 kW, 5).
    """
    draw = within("max_kw", max_kw, 0.0, unit="kW") / above("psu_kw", psu_kw, unit="kW")
    return unboxed(rounded_up(draw))


# Peak of a synchronous swing over steady draw, at microseconds. [1] Facility reference 2.4 (GB300 racks).
TRANSIENT_RATIO = 1.4


@dataclass(frozen=True)
class SupplyCheck:
    """Whether supplies carry what a machine draws for long, and what it draws for an instant."""

    usable_kw: float  # of the supplies that may not fail [kW]
    sustained: bool
    transient: bool  # the swing, on all supplies that run
    headroom_kw: float  # usable over sustained draw [kW]


def check_supplies(
    max_kw: float, psus: int, psu_kw: float, spare: int = 0, transient_ratio: float = TRANSIENT_RATIO
) -> SupplyCheck:
    """Return whether supplies carry sustained draw without the spare ones, and swings with all of them.

    max_kw : sustained maximum. [kW]   psus : supplies. [1]   psu_kw : rating of one. [kW]
    spare  : supplies that may fail; half of them for N+N, which halves the usable watts. [1]
    transient_ratio : swing over sustained draw. [1]
    Source: facility reference 2.3, 2.4.
    """
    draw, rating = float(within("max_kw", max_kw, 0.0, unit="kW")), float(within("psu_kw", psu_kw, 0.0, unit="kW"))
    count = int(whole("psus", psus, 1))
    usable = (count - int(whole("spare", spare, 0, count - 1))) * rating
    swing = draw * float(within("transient_ratio", transient_ratio, 1.0))
    return SupplyCheck(usable, draw <= usable + SLACK, swing <= count * rating + SLACK, usable - draw)


def gpus_on_circuit(circuit_kw: npt.ArrayLike, host_kw: npt.ArrayLike, gpu_kw: npt.ArrayLike) -> Values:
    """Return the most GPUs that one circuit carries beside their host, floor((P − host)/GPU). [GPU]

    circuit_kw, host_kw, gpu_kw : what the circuit carries continuously, the machine without its cards, a card at its
        power limit; any shapes. [kW]
    Source: facility reference 2.2.
    """
    room = within("circuit_kw", circuit_kw, 0.0, unit="kW") - within("host_kw", host_kw, 0.0, unit="kW")
    return unboxed(np.maximum(np.floor(room / above("gpu_kw", gpu_kw, unit="kW") + SLACK), 0.0).astype(np.int64))


# Efficiency of a supply at 10, 20, 50 and 100 % load, 230 V redundant; None where the class demands nothing. [1]
# Facility reference 2.3 (80 PLUS).
EIGHTY_PLUS: dict[str, tuple[float | None, float, float, float]] = {
    "titanium": (0.90, 0.94, 0.96, 0.91),
    "platinum": (None, 0.90, 0.94, 0.91),
    "gold": (None, 0.88, 0.92, 0.88),
}
EIGHTY_PLUS_LOADS = (0.1, 0.2, 0.5, 1.0)


def psu_efficiency(rating: str, load: npt.ArrayLike) -> Values:
    """Return the efficiency an 80 PLUS class demands at a load, straight lines between its points. [1]

    rating : "titanium", "platinum" or "gold".
    load   : share of the supply's rating, any shape, within the points the class names. [1]
    Source: facility reference 2.3.
    """
    if rating not in EIGHTY_PLUS:
        raise not_a_choice("rating", rating, tuple(EIGHTY_PLUS))
    points = [(at, eta) for at, eta in zip(EIGHTY_PLUS_LOADS, EIGHTY_PLUS[rating], strict=True) if eta is not None]
    share = within("load", load, points[0][0], points[-1][0])
    return unboxed(np.interp(share, [at for at, _ in points], [eta for _, eta in points]))


def psu_input_kw(output_kw: npt.ArrayLike, efficiency: npt.ArrayLike) -> Values:
    """Return the AC input of a supply; input − output is heat. [kW]

    output_kw [kW], efficiency [1] : any shapes. Published system maxima are AC already: do not divide those again.
    Source: facility reference 2.3.
    """
    return unboxed(within("output_kw", output_kw, 0.0, unit="kW") / above("efficiency", efficiency, 1.0))


# Typical draw over maximum where a build names none: 8 × H100, heavy training. [1] Facility 2.4 (arXiv 2506.14551).
TYPICAL_SHARE = 0.76


def check_power_chain(idle_kw: float, typical_kw: float, max_kw: float, path: tuple[str, ...] = ()) -> None:
    """Raise InputError unless 0 ≤ idle ≤ typical ≤ maximum. [kW]

    path : where the machine stands in its document, for the error.
    A maximum summed from supplies or an idle draw above the typical one is a fault in the data: facility reference 8.1.
    """
    for name, value, most in (("typical_kw", typical_kw, max_kw), ("idle_kw", idle_kw, typical_kw)):
        if not 0.0 <= value <= most + SLACK:
            raise InputError(Problem((*path, name), "out_of_bounds", value, 0.0, most, "kW"))


def measured_draw_kw(idle_kw: npt.ArrayLike, typical_kw: npt.ArrayLike, busy_share: npt.ArrayLike) -> Values:
    """Return the mean draw for energy, idle + busy share × (typical − idle). [kW]

    idle_kw, typical_kw : draw when idle and when busy, any shapes; idle ≤ typical. [kW]
    busy_share : of the time, any shape. [1]
    Circuits and racks are sized on maximum draw instead. Source: facility reference 2.4; model page 4.
    """
    idle = within("idle_kw", idle_kw, 0.0, unit="kW")
    span = within("typical_kw", typical_kw, 0.0, unit="kW") - idle
    if (span < 0.0).any():
        worst = np.unravel_index(np.argmin(span), span.shape)
        typical = np.broadcast_to(np.asarray(typical_kw, dtype=np.float64), span.shape)[worst]
        raise refusal("idle_kw", float(np.broadcast_to(idle, span.shape)[worst]), 0.0, float(typical), "kW")
    return unboxed(idle + within("busy_share", busy_share, 0.0, 1.0) * span)
