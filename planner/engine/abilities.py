"""The largest model that GPUs which work together can hold, by what is done with it.

The memory rules are those by which plans are sized (sizing reference 2.1 to 2.4, 3 and 10), with the usual settings of
each kind of work: weights in 8 bits to serve, adapters on a 16-bit base to tune, mixed precision to train.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from planner.engine.inputs import ModelShape, ServingWorkload, TrainingWorkload, TuningWorkload
from planner.engine.needs import REPLICAS, gang_by_memory, replica_holding
from planner.engine.needs.spread import candidates
from planner.engine.prices import Accelerator, ModelPreset
from planner.engine.workload import REPLICA_SIZES

Use = Literal["serving", "tuning", "training"]
USES: tuple[Use, ...] = ("serving", "tuning", "training")


@dataclass(frozen=True)
class Ability:
    """The largest model of the catalog that fits, and the fewest GPUs that hold it together; None where none fits."""

    model: ModelPreset | None
    gpus: int = 0


class Abilities:
    """What models ask of cards; worked out once a use, model, memory and size of server."""

    def __init__(self, models: Iterable[ModelPreset]) -> None:
        ordered = sorted(models, key=lambda model: (-model.params_b, model.slug))
        self._models = {model.slug: (model, _shape(model)) for model in ordered}
        self._gangs: dict[tuple[str, str, float, bool, int], float] = {}

    def gang(self, use: Use, slug: str, card: Accelerator, server_gpus: int) -> float:
        """Fewest GPUs of that card that hold a model for that use; infinity where none do. [GPU]

        Raises KeyError for a model that is not among them.
        """
        _model, shape = self._models[slug]
        if not card.memory_gb:
            return math.inf
        key = (use, slug, card.memory_gb, bool(card.fp8_tflops), server_gpus)
        if key not in self._gangs:
            self._gangs[key] = _gang(use, shape, card, server_gpus)
        return self._gangs[key]

    def largest(self, use: Use, card: Accelerator, server_gpus: int, gpus: int) -> Ability:
        """The largest model that at most so many GPUs hold, which work together."""
        for slug, (model, _shape) in self._models.items():
            gang = self.gang(use, slug, card, server_gpus)
            if gang <= gpus:
                return Ability(model, int(gang))
        return Ability(None)


def _gang(use: Use, shape: ModelShape, card: Accelerator, server_gpus: int) -> float:
    memory, gangs = card.memory_gb or 0.0, candidates(server_gpus)
    match use:
        case "serving":
            serving = ServingWorkload(slug=use, accelerator=card.slug, model=shape)
            # the heads divide among the GPUs of a copy, see `workload.smallest_replica`
            sizes = [size for size in REPLICAS if shape.heads % min(size, REPLICA_SIZES[-1]) == 0]
            return replica_holding(serving, shape, card, sizes)
        case "tuning":
            return gang_by_memory(TuningWorkload(slug=use, accelerator=card.slug, model=shape), shape, memory, gangs)
    return gang_by_memory(TrainingWorkload(slug=use, accelerator=card.slug, model=shape), shape, memory, gangs)


def _shape(model: ModelPreset) -> ModelShape:
    return ModelShape.read(model.model_dump(exclude={"slug", "name", "source"}))
