"""Each kind of work → the GPUs that one kind of hardware must hold for it, month by month."""

from planner.engine.needs.answers import REPLICAS, batch_needed, replica_holding, serving_needed
from planner.engine.needs.case import Case
from planner.engine.needs.requirement import Requirement
from planner.engine.needs.runs import gang_by_memory, runs_needed
from planner.engine.needs.shares import hpc_needed, pool_needed

__all__ = [
    "REPLICAS",
    "Case",
    "Requirement",
    "batch_needed",
    "gang_by_memory",
    "hpc_needed",
    "pool_needed",
    "replica_holding",
    "runs_needed",
    "serving_needed",
]
