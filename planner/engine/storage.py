"""Memory and storage that work asks for, by rules that can be edited: in a server, and shared by all.

Sizing reference, sections 2.6 and 7.2; what they leave open is an estimate (catalog/data/other_costs.csv).
"""

from __future__ import annotations

import numpy as np

from planner.engine import workload as formulas
from planner.engine.calendar import Array
from planner.engine.inputs import (
    BatchWorkload,
    HpcWorkload,
    ModelShape,
    Operations,
    ServingWorkload,
    TrainingWorkload,
    TuningWorkload,
    Workload,
)

GB, TB = 1e9, 1e12
# Share of the time that saving may stall a run. [1] Sizing reference 7.2.
STALL = 0.01


def is_job(work: Workload) -> bool:
    """Whether the work is runs that read data and save states, and not a service, a pool or a queue."""
    return isinstance(work, (TrainingWorkload, TuningWorkload, HpcWorkload))


def checkpoint_bytes(work: Workload, shape: ModelShape | None) -> float:
    """Of one checkpoint; 0 for work that saves none of size: adapters, services. [byte]"""
    saves = isinstance(work, TrainingWorkload) or (isinstance(work, TuningWorkload) and work.method == "full")
    return float(formulas.checkpoint_bytes(shape.params_b * 1e9)) if shape is not None and saves else 0.0


def host_gb(work: Workload, gpu_memory_gb: float, server_gpus: int, rules: Operations) -> float:
    """Host memory of a server: jobs stage their checkpoints (twice the GPU memory, section 2.6), others half of it."""
    return gpu_memory_gb * server_gpus * rules.host_memory_factor * (1.0 if is_job(work) else 0.5)


def local_tb(work: Workload, shape: ModelShape | None, server_gpus: int, rules: Operations) -> float:
    """Fast storage in a server: scratch for each GPU, and three versions of the weights that are served."""
    scratch = rules.local_flash_tb_per_gpu * server_gpus
    if shape is None or not isinstance(work, (ServingWorkload, BatchWorkload)):
        return scratch
    return scratch + 3.0 * float(formulas.weight_bytes(shape.params_b * 1e9, work.precision)) / TB


def shared_tb(work: Workload, shape: ModelShape | None, gpus: Array, rules: Operations) -> Array:
    """Data for each GPU and the checkpoints kept; nothing where no GPU is asked for.

    gpus : that planning asks for, any shape; infinity, where none suffices, asks for nothing. Returns TB.
    """
    asked = np.where(np.isfinite(gpus), gpus, 0.0)
    per_gpu = rules.shared_tb_per_job_gpu if is_job(work) else rules.shared_tb_per_service_gpu
    kept = rules.checkpoints_kept * checkpoint_bytes(work, shape) / TB
    return np.where(asked > 0.0, asked * per_gpu + kept, 0.0)


def shared_gb_s(work: Workload, shape: ModelShape | None, rules: Operations) -> float:
    """A checkpoint saved within 1 % of the time between two, or a model read by one server in the time it may take."""
    if shape is not None and isinstance(work, (ServingWorkload, BatchWorkload)):
        return float(formulas.weight_bytes(shape.params_b * 1e9, work.precision)) / rules.model_load_s / GB
    return checkpoint_bytes(work, shape) / (STALL * rules.checkpoint_minutes * 60.0) / GB
