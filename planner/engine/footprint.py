"""What one GPU must hold for a workload, part by part, against its memory.

The parts are those by which the gang was chosen (`workload.gang_by_memory`, `workload.smallest_replica`): where a gang
fits, they fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.engine import workload as formulas
from planner.engine.demand import Requirement
from planner.engine.inputs import BatchWorkload, ModelShape, ServingWorkload, TrainingWorkload, Workload
from planner.engine.needs.answers import REPLICAS
from planner.engine.prices import Accelerator
from planner.engine.rounding import SLACK

# In the order in which they are drawn.
# Share of the card left free under which a fit is called tight. [1] Our own choice.
TIGHT = 0.10
PARTS = ("weights", "gradients", "optimizer", "activations", "gathered", "kv_cache", "overhead")


@dataclass(frozen=True)
class Footprint:
    """Memory of one GPU.

    gpus      : over which the work is spread. [GPU]
    sequences : requests whose cache is counted; 0 where there is none. [1]
    least     : of all parts with the cache of one request at its full length: what must fit. [byte]
    nameplate : of the card. [byte]
    parts     : by PARTS, without those the work does not have. `overhead` is what is kept free for the context,
                collectives and fragmentation: nameplate − usable memory. [byte]
    """

    gpus: int
    nameplate: float
    parts: dict[str, float]
    least: float
    sequences: float = 0.0

    @property
    def used(self) -> float:
        """Of all parts. [byte]"""
        return sum(self.parts.values())

    @property
    def free(self) -> float:
        """What is left; negative where it does not fit. [byte]"""
        return self.nameplate - self.used

    @property
    def fit(self) -> str:
        """ "none" where what must fit does not, "tight" where it leaves under a tenth of the card, else "fits"."""
        left = self.nameplate - self.least
        return "none" if left < -SLACK * self.nameplate else "tight" if left < TIGHT * self.nameplate else "fits"


def footprint(
    work: Workload, shape: ModelShape | None, hardware: Accelerator, need: Requirement | None = None
) -> Footprint | None:
    """The memory of one GPU; None where the card's memory, or what the work keeps in it, is not known.

    shape : the model, see `Sizing.shape`.
    need  : the requirement on that card, see `Sizing.on`; without one the work is spread as far as it goes.
    """
    if shape is None or not hardware.memory_gb:
        return None
    match work:
        case TrainingWorkload():
            gpus = max(need.gang, need.gang_memory) if need is not None else formulas.LARGEST_GANG
            return _training(work, shape, hardware.memory_gb, gpus)
        case ServingWorkload() | BatchWorkload():
            return _serving(work, shape, hardware, need)
    return None


def _training(work: TrainingWorkload, shape: ModelShape, memory_gb: float, gpus: int) -> Footprint:
    """ZeRO-3: states spread over the gang, full recomputation. Sizing reference 10, steps 1 and 2."""
    params = shape.params_b * 1e9
    weights, gradients, optimizer = (each * params / gpus for each in formulas.STATE_BYTES[work.states])

    def layer(kind: str) -> float:
        return float(formulas.activation_bytes_per_layer(kind, work.sequence, work.micro_batch, shape.hidden))

    return _footprint(
        memory_gb,
        gpus,
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        activations=shape.layers * layer("full") + layer("selective"),
        gathered=formulas.LIVE_LAYER_BYTES * params / shape.layers,
    )


def _serving(
    work: ServingWorkload | BatchWorkload, shape: ModelShape, hardware: Accelerator, need: Requirement | None
) -> Footprint:
    """A replica with as many sequences under way as it carries; without a rate, one at its full length."""
    peaks = {"bf16": hardware.bf16_tflops, "fp8": hardware.fp8_tflops, "fp4": hardware.fp4_tflops}
    cache_bytes = formulas.CACHE_BYTES[formulas.computed_in(work.precision, peaks)]
    per_token = formulas.cache_of(shape.model_dump(), cache_bytes)
    weights = float(formulas.weight_bytes(shape.params_b * 1e9, work.precision))
    one = float(formulas.kv_bytes(per_token, work.input_tokens + work.output_tokens))
    sequences = need.factors.get("batch", 0.0) if need is not None else 0.0
    memory_gb = hardware.memory_gb or 0.0
    if need is not None and sequences:
        gpus = need.gang
        held = work.input_tokens + formulas.OUTPUT_OCCUPANCY * work.output_tokens
        cache = sequences * float(formulas.kv_bytes(per_token, held))
    else:
        gpus = formulas.gang_by_bytes(weights + one, memory_gb, REPLICAS) or max(REPLICAS)
        sequences, cache = 1.0, one
    found = _footprint(memory_gb, gpus, weights=weights / gpus, kv_cache=cache / gpus)
    return replace(found, sequences=sequences, least=found.used + (one - cache) / gpus)


def _footprint(memory_gb: float, gpus: int, **parts: float) -> Footprint:
    nameplate = memory_gb * 1e9
    parts = {**parts, "overhead": nameplate - float(formulas.usable_memory_bytes(memory_gb))}
    return Footprint(gpus, nameplate, parts, sum(parts.values()))
