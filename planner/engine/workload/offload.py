"""States kept on the host: DeepSpeed's estimate of GPU and host memory, with and without offload.

Sizing reference, section 2.2; DeepSpeed, docs/code-docs/source/memory.rst.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, not_a_choice, unboxed, within
from planner.engine.quantities import InputError, Problem
from planner.engine.workload.memory import HOST_BUFFER, LIVE_LAYER_BYTES, loading_host_bytes


class StateMemory(NamedTuple):
    """Model states by place."""

    gpu_bytes: Values  # of one GPU
    host_bytes: Values  # of one server


# Weights, gradients, optimizer with fp32 master, as the estimator has them. [byte/param]
DEEPSPEED_BYTES = (2.0, 4.0, 12.0)


def deepspeed_state_bytes(
    params: npt.ArrayLike,
    stage: int,
    gpus: npt.ArrayLike,
    gpus_per_server: npt.ArrayLike,
    largest_layer_params: npt.ArrayLike = 0.0,
    *,
    offload_optimizer: bool = False,
    offload_params: bool = False,
    sharded_loading: bool = True,
    setup: tuple[float, float, float] = DEEPSPEED_BYTES,
) -> StateMemory:
    """Return the memory that DeepSpeed's estimator foresees for model states, mixed precision with Adam.

    params : of the model, divided by tensor × pipeline parallel. [param]
    stage  : ZeRO stage, 2 or 3.
    gpus, gpus_per_server : data-parallel GPUs of the job; those in one server. [GPU]
    largest_layer_params  : the layer gathered while it is computed, stage 3. [param]
    offload_optimizer     : optimizer and fp32 master live on the host. offload_params: the weights too (stage 3).
    sharded_loading       : stage 3 loads each shard by itself ("zero_init"); else every process holds the fp32 model.
    setup : weights, gradients and optimizer of what is offloaded, of which the host keeps the last two. [byte/param]
    Stage 2: 4N + 16N/n, host 4·N·g·1.5; offloaded 2N, host max(4n, 16)·N·1.5.
    Stage 3: 18N/n + 4·largest, host 4·largest·g·1.5; optimizer offloaded 2N/n + 4·largest, host 16·N·(g/n)·1.5;
    weights too 4·largest, host 18·N·(g/n)·1.5. All shapes broadcast.
    """
    n_params = within("params", params, 0.0, unit="param")
    weights, kept = setup[0], setup[1] + setup[2]
    n, g = above("gpus", gpus, unit="GPU"), above("gpus_per_server", gpus_per_server, unit="GPU")
    if offload_params and (stage != 3 or not offload_optimizer):
        raise InputError(Problem(("offload_params",), "conflict", "needs stage 3 and offload_optimizer"))
    if stage == 2:
        if not offload_optimizer:
            return StateMemory(unboxed(n_params * (4.0 + 16.0 / n)), loading_host_bytes(n_params, g))
        return StateMemory(unboxed(weights * n_params + 0.0 * n), unboxed(_host(n_params, np.maximum(4.0 * n, kept))))
    if stage != 3:
        raise not_a_choice("stage", stage, ("2", "3"))
    largest = within("largest_layer_params", largest_layer_params, 0.0, unit="param")
    live = LIVE_LAYER_BYTES * largest
    if not offload_optimizer:
        loaded = largest if sharded_loading else n_params
        return StateMemory(unboxed(n_params * 18.0 / n + live), loading_host_bytes(loaded, g))
    on_gpu = live + (0.0 if offload_params else weights) * n_params / n
    on_host = (kept + weights if offload_params else kept) * g / n
    if not sharded_loading:
        on_host = np.maximum(on_host, 4.0 * g)
    return StateMemory(unboxed(on_gpu), unboxed(_host(n_params, on_host)))


def _host(params: npt.ArrayLike, bytes_per_param: npt.ArrayLike) -> Values:
    return np.asarray(params) * np.asarray(bytes_per_param) * HOST_BUFFER
