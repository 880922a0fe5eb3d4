"""What a job keeps of its speed as it spreads over GPUs and servers: never taken for all of it without saying so.

Sizing reference, sections 6.2, 6.3 and 10. Two parts multiply: a curve by GPUs and by what joins them, which the
document declares and anybody may edit, and what the network between the servers costs by its bandwidth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from planner.engine import workload as formulas
from planner.engine.calendar import Array
from planner.engine.inputs import ModelShape, Scaling, ScalingPoint
from planner.engine.links import Link
from planner.engine.prices import Accelerator
from planner.engine.rounding import SLACK

# Efficiency of the fabrics on which the published rates of several servers were reached: ρ ≤ 0.2. [1] Sizing 6.2.
PUBLISHED = float(formulas.data_parallel_efficiency(formulas.ACCEPTABLE_RATIO))

# Tokens of one optimiser step where the work names none. [token] Sizing reference 6.2, table.
BATCH_TOKENS = 4e6


@lru_cache(maxsize=32)
def candidates(server_gpus: int) -> tuple[int, ...]:
    """Gangs to try on servers of that size. [GPU]"""
    return formulas.gang_sizes(server_gpus)


def step_flop_s(factors: dict[str, float], hardware: Accelerator, shape: ModelShape | None) -> float:
    """What one GPU achieves in a step, P × MFU; 0 where nothing tells it. [FLOP/s]

    factors : of a requirement: peak and MFU by formula, or the measured rate.
    """
    if "mfu" in factors:
        return factors["peak_flops"] * factors["mfu"]
    if "measured_rate" in factors and shape is not None:
        return float(formulas.flop_per_token(shape.active)) * factors["measured_rate"]
    if not hardware.bf16_tflops:
        return 0.0
    return hardware.bf16_tflops * 1e12 * formulas.training_band(hardware.architecture, "bf16").mfu


def curve(points: tuple[ScalingPoint, ...], gpus: Array) -> Array:
    """The share at each count of GPUs: straight between points by the logarithm of the count, flat outside them."""
    ordered = sorted(points, key=lambda point: point.gpus)
    counts = np.log2([float(point.gpus) for point in ordered])
    return np.asarray(np.interp(np.log2(np.maximum(gpus, 1.0)), counts, [point.share for point in ordered]))


@dataclass(frozen=True)
class Spread:
    """How jobs of one workload spread on one kind of server.

    scaling     : the document's curves; None where no loss is counted: the reference in which work is stated.
    one_domain  : whether the GPUs of a server share an NVLink-class domain.
    link        : the network between servers; None for one that costs nothing beyond the published rates.
    step_flop_s : P·MFU of one GPU; 0 where no formula says what its network costs. [FLOP/s]
    batch_tokens : of one optimiser step, all GPUs. [token]
    """

    scaling: Scaling | None
    server_gpus: int
    one_domain: bool
    link: Link | None = None
    step_flop_s: float = 0.0
    batch_tokens: float = 0.0

    def inside(self, gpus: Array) -> Array:
        """By GPUs and what joins them inside a server. [1]"""
        if self.scaling is None:
            return np.ones(np.shape(gpus))
        return curve(self.scaling.joined if self.one_domain else self.scaling.pcie, gpus)

    def between(self, gpus: Array) -> Array:
        """By the network between servers; 1 inside one. [1]"""
        if self.scaling is None:
            return np.ones(np.shape(gpus))
        share = curve(self.scaling.between_servers, gpus) * self.over_network(gpus)
        return np.where(gpus > self.server_gpus, share, 1.0)

    def over_network(self, gpus: Array) -> Array:
        """What the bandwidth of the network leaves, beside the fabrics of the published rates. [1]"""
        if self.link is None or self.step_flop_s <= 0.0 or self.batch_tokens <= 0.0:
            return np.ones(np.shape(gpus))
        servers = np.maximum(np.ceil(gpus / self.server_gpus), 1.0)
        bandwidth = self.link.bandwidth / np.where(servers > self.link.leaf_servers, self.link.oversubscription, 1.0)
        ratio = formulas.communication_ratio(
            self.batch_tokens / np.maximum(gpus, 1.0),
            self.step_flop_s,
            servers,
            bandwidth,
            efficiency=formulas.NETWORK_EFFICIENCY[self.link.transport],
        )
        return np.minimum(1.0, np.asarray(formulas.data_parallel_efficiency(ratio)) / PUBLISHED)

    def kept(self, gpus: Array) -> Array:
        """Of the speed of the same number of GPUs at the published rate. [1]"""
        return self.inside(gpus) * self.between(gpus)

    def at_full_speed(self, gpu_hours: Array, days: float, least: Array) -> Array:
        """The gang that would do at the published rate. [GPU] Arguments as in `gang_for`."""
        wanted = np.maximum(np.ceil(gpu_hours / (24.0 * days) - SLACK), least)
        return np.asarray(formulas.round_gang(wanted, self.server_gpus), dtype=float)

    def gang_for(self, gpu_hours: Array, days: float, least: Array) -> Array:
        """The smallest gang of at least `least` GPUs that finishes in time; infinity where none does. [GPU]

        gpu_hours : at the published rate, (M,).   days : of the deadline.
        Counts inside a server are powers of two, then whole servers (sizing reference 10, step 4).
        """
        asked = gpu_hours / (24.0 * days)
        first = self.at_full_speed(gpu_hours, days, least)
        if (self.kept(first) >= 1.0 - SLACK).all():
            return first
        counts = np.array(candidates(self.server_gpus), dtype=float)
        fastest = np.maximum.accumulate(counts * self.kept(counts))
        at = np.maximum(np.searchsorted(fastest, asked * (1.0 - SLACK)), np.searchsorted(counts, least * (1.0 - SLACK)))
        return np.where(at < counts.size, counts[np.minimum(at, counts.size - 1)], np.inf)

    def factors(self, gpus: int) -> dict[str, float]:
        """The parts by name, for jobs over that many GPUs; none for work on single GPUs."""
        if gpus <= 1 or self.scaling is None:
            return {}
        count = np.array(float(gpus))
        found = {"scaling_share": float(self.inside(count))}
        return found | ({"network_share": float(self.between(count))} if gpus > self.server_gpus else {})
