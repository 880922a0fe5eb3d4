"""Gangs: the GPUs that work on one job together, and the class of installation they call for.

Sizing reference, section 10.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, unboxed, whole, within
from planner.engine.rounding import SLACK, rounded_up
from planner.engine.workload.memory import (
    activation_bytes_per_layer,
    logits_bytes,
    state_bytes_per_gpu,
    usable_memory_bytes,
)

# Largest gang looked for. [GPU]
LARGEST_GANG = 65536
POWERS_OF_TWO = tuple(2**exponent for exponent in range(17))


def gang_sizes(server_gpus: int, largest: int = LARGEST_GANG) -> tuple[int, ...]:
    """Return the gangs that waste no server: powers of two inside one server, then whole servers. [GPU]

    server_gpus : GPUs of one server or of one NVLink domain, such as 4, 8, 10, 16 or 72.
    Source: sizing reference 10, step 4 ("1, 2, 4, 8, then whole servers").
    """
    size = int(whole("server_gpus", server_gpus, 1, unit="GPU"))
    inside = [power for power in POWERS_OF_TWO if power < size]
    return (*inside, *range(size, largest + 1, size))


def gang_by_memory(
    params: float,
    layers: int,
    hidden: int,
    sequence: float,
    memory_gb: float,
    setup: str | tuple[float, float, float],
    micro_batch: float = 1,
    recompute: bool | str = True,
    candidates: Sequence[int] = POWERS_OF_TWO,
    *,
    heads: int = 0,
    vocabulary: float = 0,
    largest_layer_params: float | None = None,
) -> int | None:
    """Return the smallest gang whose GPUs hold the run under ZeRO-3, or None where no candidate does. [GPU]

    The gang must satisfy states/g + activations of all layers + 4·largest layer ≤ usable memory of one GPU.
    params, layers, hidden, sequence, micro_batch : N, L, h, s, b of one GPU. Scalars.
    memory_gb  : nameplate memory of one GPU. [GB]
    setup      : key of STATE_BYTES or its tuple. [byte/param]
    recompute  : True or "full" (inputs of the layers and one live layer), "selective", False or "none" (needs heads),
        "swiglu_flash".
    candidates : gangs to try, ascending; by default the powers of two to 65,536. `gang_sizes` gives those of a server.
    vocabulary : adds the logits where given. [1]
    largest_layer_params : by default params / layers, as in a model of equal layers. [param]
    Source: sizing reference 10, steps 1 and 2.
    """
    kind = {True: "full", False: "none"}[recompute] if isinstance(recompute, bool) else recompute
    largest = params / max(layers, 1) if largest_layer_params is None else largest_layer_params
    activations = float(layers * activation_bytes_per_layer(kind, sequence, micro_batch, hidden, heads))
    if kind == "full":
        activations += float(activation_bytes_per_layer("selective", sequence, micro_batch, hidden))
    fixed = activations + float(logits_bytes(micro_batch, sequence, vocabulary))
    fixed += float(state_bytes_per_gpu(0.0, setup, 3, 1, largest))
    room = float(usable_memory_bytes(memory_gb)) - fixed
    states = float(state_bytes_per_gpu(params, setup, 0, 1))
    return _smallest_gang(states, room, candidates)


def gang_by_bytes(
    total_bytes: float, memory_gb: float, candidates: Sequence[int] = POWERS_OF_TWO, *, each_bytes: float = 0.0
) -> int | None:
    """Return the smallest gang over which `total_bytes` fit, spread evenly, or None. [GPU]

    total_bytes : such as `adapter_tuning_bytes`. [byte]
    memory_gb   : nameplate of one GPU. [GB]
    candidates  : gangs to try, ascending. [GPU]
    each_bytes  : held by every GPU besides its part, such as activations. [byte]
    Scalars. Source: sizing reference 10, steps 1 and 2.
    """
    room = float(usable_memory_bytes(memory_gb)) - float(within("each_bytes", each_bytes, 0.0, unit="byte"))
    return _smallest_gang(float(within("total_bytes", total_bytes, 0.0, unit="byte")), room, candidates)


def _smallest_gang(shared: float, room: float, candidates: Sequence[int]) -> int | None:
    """The first candidate g with shared/g ≤ room; shared/g falls as g grows."""
    if room <= 0.0:
        return None
    at = bisect_left(candidates, shared / room * (1.0 - SLACK))
    return int(candidates[at]) if at < len(candidates) else None


def gang_by_deadline(gpu_hours: npt.ArrayLike, deadline_days: npt.ArrayLike) -> Values:
    """Return the GPUs that finish a run in time, ceil(gpu_hours / (24·days)); at least 1. [GPU]

    gpu_hours, deadline_days : any shapes. [GPU-hour], [day]
    Source: sizing reference 10, step 3.
    """
    gpus = within("gpu_hours", gpu_hours, 0.0, unit="GPU-hour") / (
        24.0 * above("deadline_days", deadline_days, unit="day")
    )
    return unboxed(np.maximum(rounded_up(gpus), 1))


def round_gang(gpus: npt.ArrayLike, server_gpus: int) -> Values:
    """Return gangs rounded up to 1, 2, 4, 8, … inside a server, then to whole servers. [GPU]

    gpus        : any shape, real-valued or whole, 0 stays 0. [GPU]
    server_gpus : GPUs of one server or NVLink domain (4, 8, 10, 16, 72 …), the last step inside it. Scalar. [GPU]
    Source: sizing reference 10, step 4.
    """
    size = int(whole("server_gpus", server_gpus, 1, unit="GPU"))
    wanted = rounded_up(within("gpus", gpus, 0.0, unit="GPU"))
    steps = np.array([0, *(power for power in POWERS_OF_TWO if power < size), size], dtype=np.int64)
    inside = steps[np.searchsorted(steps, np.minimum(wanted, size))]
    return unboxed(np.where(wanted <= size, inside, -(-wanted // size) * size))


# Largest power of two that tensor parallelism uses in one server. [GPU] Sizing reference 6.4 and 10.
TENSOR_PARALLEL_STEP = 8


def tensor_parallel_gang(gpus: int, server_gpus: int) -> int:
    """Return the next count over which tensor parallelism splits a model evenly: 1, 2, 4, 8, then groups of 8. [GPU]

    gpus        : wanted, at least 1. [GPU]
    server_gpus : of one server or NVLink domain; the groups are the largest power of two in it, up to 8. [GPU]
    Attention heads come in multiples of powers of two: 3, 5, 6 or 7 GPUs rarely divide them. Scalars.
    Source: sizing reference 6.4 and 10 ("1, 2, 4, 8").
    """
    wanted = int(whole("gpus", gpus, 1, unit="GPU"))
    size = min(int(whole("server_gpus", server_gpus, 1, unit="GPU")), TENSOR_PARALLEL_STEP)
    group: int = 1 << (size.bit_length() - 1)
    return -(-wanted // group) * group if wanted > group else 1 << (wanted - 1).bit_length()


def stranded_gpus(cards: npt.ArrayLike, server_gpus: int, replica: int) -> Values:
    """Return the GPUs that complete no replica, where servers are filled one after another. [GPU]

    cards       : of all servers together, any shape. [GPU]
    server_gpus : one full server holds so many. [GPU]
    replica     : GPUs of one copy of a model, which no server shares; over one server the servers are joined. [GPU]
    """
    held = within("cards", cards, 0.0, unit="GPU")
    size, copy = int(whole("server_gpus", server_gpus, 1, unit="GPU")), int(whole("replica", replica, 1, unit="GPU"))
    if copy > size:
        return unboxed(held % copy)
    return unboxed(np.floor(held / size) * (size % copy) + (held % size) % copy)


# PCIe-only cards: a gang over 4 in one server takes this much longer. [1] Sizing reference 10, step 5, default.
PCIE_TIME_FACTOR = 1.30
PCIE_GANG = 4


def link_time_factor(gang: npt.ArrayLike, nvlink: npt.ArrayLike) -> Values:
    """Return by how much a gang runs longer for want of NVLink: 1.30 for PCIe-only gangs over 4 cards, else 1. [1]

    gang, nvlink : any shapes: GPUs of one job; whether the server joins its cards by NVLink or its like.
    Source: sizing reference 10, step 5; over 4 only, as the model page settles it.
    """
    slow = (within("gang", gang, 0, unit="GPU") > PCIE_GANG) & ~np.asarray(nvlink, dtype=bool)
    return unboxed(np.where(slow, PCIE_TIME_FACTOR, 1.0))


def installation_class(gang: float, server_gpus: float, nvlink: bool = True, gpus_needed: float | None = None) -> str:
    """Return which class of installation a workload calls for.

    gang        : GPUs one job or one replica must join. [GPU]
    server_gpus : GPUs in one server, or in one NVLink domain where that is larger (72). [GPU]
    nvlink      : the class is the same without it: PCIe-only cards carry the gang more slowly, see `link_time_factor`.
    gpus_needed : GPUs of all jobs or replicas together; by default one gang. [GPU]
    Returns "cluster" where the gang exceeds the server; else "independent_servers" where more than one is needed,
    "one_gpu" where one GPU is enough, "one_server" otherwise. Scalars.
    Source: sizing reference 10 (steps 5 and 6; serving 2 to 4).
    """
    joined = float(above("gang", gang, unit="GPU"))
    size = float(within("server_gpus", server_gpus, 1, unit="GPU"))
    everything = (
        joined if gpus_needed is None else max(joined, float(within("gpus_needed", gpus_needed, 0, unit="GPU")))
    )
    if joined > size + SLACK:
        return "cluster"
    if everything > size + SLACK:
        return "independent_servers"
    return "one_gpu" if everything <= 1.0 + SLACK else "one_server"
