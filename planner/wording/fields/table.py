"""The words of all fields in one table, by class and field."""

from __future__ import annotations

from planner.wording import budget, networks, subscriptions, tenders, upkeep
from planner.wording.contracts import FIELD_WORDS
from planner.wording.fields import demand, market, operations, plans, sites
from planner.wording.words import Words

FIELDS: dict[str, Words] = {
    **demand.FIELDS,
    **plans.FIELDS,
    **sites.FIELDS,
    **market.FIELDS,
    **operations.FIELDS,
    **{
        name: Words(*texts)
        for table in (networks.FIELDS, upkeep.FIELDS, tenders.FIELDS, subscriptions.FIELDS)
        for name, texts in table.items()
    },
    **FIELD_WORDS,
    **budget.FIELDS,
}

# Fields that several kinds of work have in common, with the words of the first.
_COMMON: dict[str, dict[str, tuple[str, ...]]] = {
    "TrainingWorkload": {
        "TuningWorkload": (
            "kind",
            "preset",
            "model",
            "precision",
            "deadline_days",
            "sequence",
            "micro_batch",
            "batch_tokens_m",
            "states",
            "recompute",
            "mfu",
            "band",
            "goodput",
            "measured_tokens_per_s_per_gpu",
            "target_utilisation",
            "driver",
            "growth",
        ),
        "BatchWorkload": ("kind", "preset", "model"),
        "HpcWorkload": ("kind", "target_utilisation"),
    },
    "PoolWorkload": {"HpcWorkload": ("gang_gpus",)},
}
FIELDS |= {
    f"{owner}.{name}": FIELDS[f"{first}.{name}"]
    for first, others in _COMMON.items()
    for owner, names in others.items()
    for name in names
}
