"""What one GPU must hold for a workload, part by part, against its memory.

The parts are those by which the gang was chosen (`workload.gang_by_memory`, `workload.gang_by_bytes`,
`workload.smallest_replica`): where a gang fits, they fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.engine import workload as formulas
from planner.engine.demand import Requirement
from planner.engine.inputs import (
    BatchWorkload,
    ModelShape,
    ServingWorkload,
    TrainingWorkload,
    TuningWorkload,
    Workload,
)
from planner.engine.needs.answers import REPLICAS, cache_per_token
from planner.engine.needs.runs import adapter_activation_bytes, longest_sequence, recomputed
from planner.engine.prices import Accelerator
from planner.engine.rounding import SLACK

# Share of the card left free under which a fit is called tight. [1] Our own choice.
TIGHT = 0.10
# In the order in which they are drawn; the last three are what no workload may fill.
KEPT_FREE = ("framework", "communication", "overhead")
PARTS = ("weights", "gradients", "optimizer", "adapters", "activations", "gathered", "kv_cache", *KEPT_FREE)


@dataclass(frozen=True)
class Footprint:
    """Memory of one GPU.

    gpus      : over which the work is spread. [GPU]
    sequences : requests whose cache is counted; 0 where there is none. [1]
    kv_token  : cache of one token of a request while all layers still see the whole of it; 0 where there is none.
                [byte/token]
    least     : of all parts with the cache of one request at its full length: what must fit. [byte]
    nameplate : of the card. [byte]
    parts     : by PARTS, without those the work does not have. `framework` is context and libraries, `communication`
                the buffers of GPUs that work together, `overhead` what else is kept free for fragmentation; the three
                are nameplate − usable memory. [byte]
    """

    gpus: int
    nameplate: float
    parts: dict[str, float]
    least: float
    sequences: float = 0.0
    kv_token: float = 0.0

    @property
    def used(self) -> float:
        """Of all parts. [byte]"""
        return sum(self.parts.values())

    @property
    def usable(self) -> float:
        """Of the card, what a workload may fill. [byte]"""
        return self.nameplate - sum(self.parts[code] for code in KEPT_FREE if code in self.parts)

    @property
    def filled(self) -> float:
        """Of the usable memory, what this work fills. [byte]"""
        return sum(size for code, size in self.parts.items() if code not in KEPT_FREE)

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
    gpus = need.gang_today if need is not None else formulas.LARGEST_GANG
    match work:
        case TuningWorkload() if work.method != "full":
            return _adapters(work, shape, hardware.memory_gb, gpus)
        case TrainingWorkload() | TuningWorkload():
            return _training(work, shape, hardware.memory_gb, gpus)
        case ServingWorkload() | BatchWorkload():
            return _serving(work, shape, hardware, need)
    return None


def _training(work: TrainingWorkload | TuningWorkload, shape: ModelShape, memory_gb: float, gpus: int) -> Footprint:
    """ZeRO-3: states spread over the gang, activations by what is recomputed. Sizing reference 10, steps 1 and 2."""
    params, kind = shape.params_b * 1e9, recomputed(work)
    weights, gradients, optimizer = (each * params / gpus for each in formulas.STATE_BYTES[work.states])

    def layer(kind: str) -> float:
        sequence = longest_sequence(work)
        return float(formulas.activation_bytes_per_layer(kind, sequence, work.micro_batch, shape.hidden, shape.heads))

    return _footprint(
        memory_gb,
        gpus,
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        activations=shape.layers * layer(kind) + (layer("selective") if kind == "full" else 0.0),
        gathered=formulas.LIVE_LAYER_BYTES * params / shape.layers,
    )


def _adapters(work: TuningWorkload, shape: ModelShape, memory_gb: float, gpus: int) -> Footprint:
    """A frozen base and its adapters, spread over the gang. Sizing reference 2.4.

    The fixed part of the published fit holds the activations of contexts up to 2k; longer ones add theirs on each GPU.
    """
    params = shape.params_b * 1e9
    base = formulas.ADAPTER_BASE_BYTES[work.method]
    return _footprint(
        memory_gb,
        gpus,
        weights=base * params / gpus,
        adapters=(formulas.ADAPTER_BYTES[work.method] - base) * params / gpus,
        activations=formulas.ADAPTER_FIXED_BYTES / gpus + adapter_activation_bytes(work, shape),
    )


def _serving(
    work: ServingWorkload | BatchWorkload, shape: ModelShape, hardware: Accelerator, need: Requirement | None
) -> Footprint:
    """A replica with as many sequences under way as it carries; without a rate, one at its full length."""
    per_token = cache_per_token(work, shape, hardware)
    weights = float(formulas.weight_bytes(shape.params_b * 1e9, work.precision))
    one = float(formulas.kv_bytes(per_token, work.input_tokens + work.output_tokens))
    sequences = need.factors.get("batch", 0.0) if need is not None else 0.0
    memory_gb = hardware.memory_gb or 0.0
    if need is not None and sequences:
        gpus = need.replica
        held = work.input_tokens + formulas.OUTPUT_OCCUPANCY * work.output_tokens
        cache = sequences * float(formulas.kv_bytes(per_token, held))
    else:
        gpus = formulas.gang_by_bytes(weights + one, memory_gb, REPLICAS) or max(REPLICAS)
        sequences, cache = 1.0, one
    found = _footprint(memory_gb, gpus, weights=weights / gpus, kv_cache=cache / gpus)
    token = float(formulas.kv_bytes(per_token, 1.0))
    return replace(found, sequences=sequences, least=found.used + (one - cache) / gpus, kv_token=token)


def _footprint(memory_gb: float, gpus: int, **parts: float) -> Footprint:
    nameplate = memory_gb * 1e9
    kept = nameplate - float(formulas.usable_memory_bytes(memory_gb))
    framework = min(formulas.CONTEXT_BYTES, kept)
    buffers = {"communication": min(formulas.COLLECTIVE_BYTES, kept - framework)} if gpus > 1 else {}
    rest = kept - framework - sum(buffers.values())
    parts = {**parts, "framework": framework, **buffers, "overhead": rest}
    return Footprint(gpus, nameplate, parts, sum(parts.values()))
