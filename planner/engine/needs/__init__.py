"""Each kind of work → the GPUs that one kind of hardware must hold for it, month by month."""

from planner.engine.needs.answers import batch_needed, serving_needed
from planner.engine.needs.case import Case
from planner.engine.needs.requirement import Requirement
from planner.engine.needs.runs import runs_needed
from planner.engine.needs.shares import hpc_needed, pool_needed

__all__ = ["Case", "Requirement", "batch_needed", "hpc_needed", "pool_needed", "runs_needed", "serving_needed"]
