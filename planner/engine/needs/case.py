"""One workload on one kind of hardware: what every kind of work is sized with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.engine import workload as formulas
from planner.engine.calendar import DAYS_PER_MONTH, Array, Calendar
from planner.engine.inputs import ModelShape, Scaling
from planner.engine.links import Link
from planner.engine.needs.spread import Spread
from planner.engine.prices import Accelerator
from planner.engine.quantities import InputError, Problem
from planner.engine.upkeep import Reliability

# Achieved bandwidth of the B200 is 7.7 TB/s of the printed 8.0 (catalog/data notes of 2026-11-30). [GB/s]
ROOFLINE_BANDWIDTH = {"b200-sxm": 7700.0}

# "Runs a month" are runs in a mean month, so that constant work stays constant through February. [h]
MEAN_MONTH_HOURS = DAYS_PER_MONTH * 24.0


@dataclass(frozen=True)
class Case:
    """One workload on one kind of hardware.

    slug         : of the workload.
    shape        : the model's architecture; None where the work names none.
    server_gpus  : GPUs of one server. one_domain: whether they share one NVLink-class domain.
    failure_gpus : GPUs lost with one server, the unit of N+k.
    software     : work per unit that better software leaves, (M,).
    ratio        : GPUs of this hardware that do the work of one GPU of the reference; raises InputError `no_rate`.
    reliability  : how often machines fail. checkpoint_minutes: between checkpoints whose size is not known.
    power_share  : what a power limit leaves of the card's nameplate power; 1 where none is set. [1]
    scaling      : what jobs keep of their speed as they spread; None counts no loss: the reference of the work.
    link         : the network between servers; None for one as good as those of the published rates.
    """

    slug: str
    hardware: Accelerator
    shape: ModelShape | None
    server_gpus: int
    one_domain: bool
    failure_gpus: int
    calendar: Calendar
    software: Array
    ratio: Callable[[], float]
    reliability: Reliability
    checkpoint_minutes: float
    power_share: float = 1.0
    scaling: Scaling | None = None
    link: Link | None = None

    def spread(self, step_flop_s: float = 0.0, batch_tokens: float = 0.0) -> Spread:
        """How jobs spread here; see `Spread` for the arguments."""
        return Spread(self.scaling, self.server_gpus, self.one_domain, self.link, step_flop_s, batch_tokens)

    def limited(self, concurrency: Array | float = formulas.MANY) -> Array:
        """What the power limit leaves of the speed, with so many requests under way on a replica. [1]"""
        return np.asarray(formulas.limited_rate(self.power_share, concurrency))

    def by_memory(self, gpus: Array) -> dict[str, float]:
        """The limit that memory sets, where it asks most; none without a model to hold."""
        return {} if self.shape is None else {"memory": float(gpus.max())}

    def limits_said(self, kept: Array, concurrency: Array | None = None) -> dict[str, float]:
        """Factors of the first month that say what a power limit does; none where none is set."""
        if self.power_share >= 1.0:
            return {}
        under_way = {} if concurrency is None else {"under_way": float(concurrency[0])}
        return {**under_way, "power_share": self.power_share, "power_limit": float(np.ravel(kept)[0])}

    @property
    def bandwidth_gbps(self) -> float:
        """Memory bandwidth of one GPU. [GB/s]"""
        return ROOFLINE_BANDWIDTH.get(self.hardware.slug, self.hardware.memory_bw_gbps or 0.0)

    def no_rate(self, field: str) -> InputError:
        """The refusal where nothing gives a rate of this hardware."""
        return InputError(Problem(("demand", "workloads", self.slug, field), "no_rate", self.hardware.slug))


def scaled(shape: ModelShape, size: float) -> ModelShape:
    """The model grown to `size` times its parameters; layers and width grow by the cube root, as 12·L·h² does."""
    if size == 1.0:
        return shape
    by = size ** (1.0 / 3.0)
    layers, full = max(1, round(shape.layers * by)), shape.full_attention_layers
    return shape.model_copy(
        update={
            "params_b": shape.params_b * size,
            "active_params_b": None if shape.active_params_b is None else shape.active_params_b * size,
            "layers": layers,
            "full_attention_layers": None if full is None else round(full / shape.layers * layers),
            "hidden": max(1, round(shape.hidden * by)),
        }
    )
