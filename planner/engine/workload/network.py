"""Communication of one job: collectives, what a network costs data-parallel training, scaling, parallelism.

Sizing reference, section 6. Payloads and bandwidths are in bytes, one direction.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import FloatArray, Values, above, not_a_choice, unboxed, within
from planner.engine.rounding import SLACK

# Share of the nameplate that a collective of 1 GiB and more reaches. [1] Sizing reference 6.1 and 6.2.
NETWORK_EFFICIENCY = {"rdma": 0.73, "tcp": 0.60}
# Passes of the gradient-sized payload: all-reduce once a step; ZeRO-3/FSDP once a micro-step. [1] Sizing 6.2.
GRADIENT_PASSES = {"ddp": 2.0, "fsdp": 3.0}
# Share of the communication that hides behind the backward pass; all of which is 2/3 of a step. [1] Sizing 6.2.
OVERLAP, BACKWARD_SHARE = 0.5, 2.0 / 3.0
# Communication over computation that still leaves 91 % efficiency. [1] Sizing reference 6.2.
ACCEPTABLE_RATIO = 0.2
# Efficiency kept per doubling of the servers, on a fabric that meets the above. [1] Sizing reference 6.3, default.
PER_DOUBLING = {"weak": 0.97, "strong": 0.95}
# Tensor-parallel communication over computation of a layer. [byte·…] Sizing reference 6.4.
TENSOR_PARALLEL_RATIO = 0.22

GBIT = 1e9 / 8.0
# Networks of a server from the smallest to the largest: bandwidth of all its NICs [byte/s], kind of transport.
# Table 6.2 of the sizing reference.
NETWORK_CLASSES: dict[str, tuple[float, str]] = {
    "1gbe": (1.0 * GBIT, "tcp"),
    "10gbe": (10.0 * GBIT, "tcp"),
    "25g_roce": (25.0 * GBIT, "rdma"),
    "100g_rdma": (100.0 * GBIT, "rdma"),
    "400g_rdma": (400.0 * GBIT, "rdma"),
    "8x200g_rdma": (1600.0 * GBIT, "rdma"),
    "8x400g_rdma": (3200.0 * GBIT, "rdma"),
    "8x800g_rdma": (6400.0 * GBIT, "rdma"),
}

COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather")


def _steps(collective: str, ranks: FloatArray) -> FloatArray:
    """Payloads that each rank sends: 2(n−1)/n in an all-reduce, half of that in its two parts."""
    if collective not in COLLECTIVES:
        raise not_a_choice("collective", collective, COLLECTIVES)
    return np.asarray((2.0 if collective == "all_reduce" else 1.0) * (ranks - 1.0) / ranks)


def collective_s(
    payload_bytes: npt.ArrayLike, ranks: npt.ArrayLike, bandwidth: npt.ArrayLike, collective: str = "all_reduce"
) -> Values:
    """Return the time of a bandwidth-bound collective: 2(n−1)/n·S/B, or (n−1)/n·S/B. [s]

    payload_bytes : S; below about 16 MiB latency rules and the time is longer. [byte]
    ranks         : n. [1]
    bandwidth     : of one rank, that is the bus bandwidth. [byte/s]
    collective    : "all_reduce", "reduce_scatter" or "all_gather".
    All shapes broadcast. Source: sizing reference 6.1 (NVIDIA/nccl-tests PERFORMANCE.md).
    """
    payload = within("payload_bytes", payload_bytes, 0.0, unit="byte")
    sent = _steps(collective, within("ranks", ranks, 1.0)) * payload
    return unboxed(sent / above("bandwidth", bandwidth, unit="byte/s"))


def bus_bandwidth(algorithm_bandwidth: npt.ArrayLike, ranks: npt.ArrayLike, collective: str = "all_reduce") -> Values:
    """Return the bus bandwidth of a measured payload / time, times 2(n−1)/n or (n−1)/n. [byte/s]

    All shapes broadcast. Source: sizing reference 6.1.
    """
    measured = within("algorithm_bandwidth", algorithm_bandwidth, 0.0, unit="byte/s")
    return unboxed(measured * _steps(collective, within("ranks", ranks, 1.0)))


def hierarchical_allreduce_s(
    payload_bytes: npt.ArrayLike,
    servers: npt.ArrayLike,
    gpus_per_server: npt.ArrayLike,
    nic_bandwidth: npt.ArrayLike,
    efficiency: npt.ArrayLike = NETWORK_EFFICIENCY["rdma"],
) -> Values:
    """Return the time of an all-reduce over servers whose GPUs have a NIC each, 2(k−1)/k·(S/g)/(nic·η). [s]

    nic_bandwidth : of one GPU's NIC. [byte/s]
    efficiency    : η, a value of NETWORK_EFFICIENCY or measured. [1]
    All shapes broadcast. Source: sizing reference 6.1.
    """
    share = within("payload_bytes", payload_bytes, 0.0, unit="byte") / above(
        "gpus_per_server", gpus_per_server, unit="GPU"
    )
    usable = above("nic_bandwidth", nic_bandwidth, unit="byte/s") * above("efficiency", efficiency, 1.0)
    return collective_s(share, servers, usable)


def transfer_s(payload_bytes: npt.ArrayLike, bandwidth: npt.ArrayLike) -> Values:
    """Return the time to move a payload over one link. [s] All shapes broadcast: [byte], [byte/s]."""
    payload = within("payload_bytes", payload_bytes, 0.0, unit="byte")
    return unboxed(payload / above("bandwidth", bandwidth, unit="byte/s"))


def communication_ratio(
    tokens_per_gpu: npt.ArrayLike,
    flops: npt.ArrayLike,
    servers: npt.ArrayLike,
    server_bandwidth: npt.ArrayLike,
    *,
    sharding: str = "ddp",
    gradient_bytes: npt.ArrayLike = 2.0,
    efficiency: npt.ArrayLike = NETWORK_EFFICIENCY["rdma"],
) -> Values:
    """Return communication over computation, ρ = c·b·P·MFU·(k−1)/k / (6·T·η·BWn); the model's size cancels. [1]

    tokens_per_gpu   : T, a GPU's tokens per optimizer step ("ddp", ZeRO-1/2: batch·PP/n) or per micro-step ("fsdp",
                       ZeRO-3). [token]
    flops            : P·MFU, achieved by one GPU. [FLOP/s]
    servers          : k. [server]
    server_bandwidth : BWn, of all NICs of a server. [byte/s]
    sharding         : key of GRADIENT_PASSES, c.
    gradient_bytes   : b, 2 for bf16, 4 for fp32. [byte/param]
    efficiency       : η. [1]
    All shapes broadcast. Source: sizing reference 6.2.
    """
    moved = _moved(sharding, gradient_bytes, flops, servers, server_bandwidth, efficiency)
    return unboxed(moved / (6.0 * above("tokens_per_gpu", tokens_per_gpu, unit="token")))


def tokens_for_ratio(
    flops: npt.ArrayLike,
    server_bandwidth: npt.ArrayLike,
    ratio: npt.ArrayLike = ACCEPTABLE_RATIO,
    *,
    servers: npt.ArrayLike | None = None,
    sharding: str = "ddp",
    gradient_bytes: npt.ArrayLike = 2.0,
    efficiency: npt.ArrayLike = NETWORK_EFFICIENCY["rdma"],
) -> Values:
    """Return the tokens a GPU must process per step so that ρ is no more than `ratio`. [token]

    servers : None takes (k−1)/k as 1, the limit of many. The rest as in `communication_ratio`, whose inverse this is.
    Global batch over this is the largest number of GPUs that the network supports.
    """
    moved = _moved(sharding, gradient_bytes, flops, servers, server_bandwidth, efficiency)
    return unboxed(moved / (6.0 * above("ratio", ratio)))


def _moved(
    sharding: str,
    gradient_bytes: npt.ArrayLike,
    flops: npt.ArrayLike,
    servers: npt.ArrayLike | None,
    server_bandwidth: npt.ArrayLike,
    efficiency: npt.ArrayLike,
) -> FloatArray:
    """FLOP that a GPU could do while one parameter's gradients cross the network."""
    if sharding not in GRADIENT_PASSES:
        raise not_a_choice("sharding", sharding, tuple(GRADIENT_PASSES))
    share = 1.0 if servers is None else 1.0 - 1.0 / within("servers", servers, 1.0, unit="server")
    sent = GRADIENT_PASSES[sharding] * within("gradient_bytes", gradient_bytes, 0.0, unit="byte") * share
    usable = above("server_bandwidth", server_bandwidth, unit="byte/s") * above("efficiency", efficiency, 1.0)
    return np.asarray(sent * within("flops", flops, 0.0, unit="FLOP/s") / usable)


def smallest_network(
    tokens_per_gpu: float, flops: float, servers: int, ratio: float = ACCEPTABLE_RATIO, *, sharding: str = "ddp"
) -> str | None:
    """Return the smallest of NETWORK_CLASSES over which a job keeps ρ ≤ `ratio`, or None where none is enough.

    One server needs none of it, so any is enough. Where none is: more batch, else fewer GPUs and a longer run.
    Scalars, as in `communication_ratio`. Source: sizing reference 6.2 and 10, step 5.
    """
    for name, (bandwidth, transport) in NETWORK_CLASSES.items():
        efficiency = NETWORK_EFFICIENCY[transport]
        rho = communication_ratio(tokens_per_gpu, flops, servers, bandwidth, sharding=sharding, efficiency=efficiency)
        if rho <= ratio * (1.0 + SLACK):
            return name
    return None


def data_parallel_efficiency(ratio: npt.ArrayLike, overlap: npt.ArrayLike = OVERLAP) -> Values:
    """Return the share of its speed that a job keeps, 1 / (1 + max((1 − o)·ρ, ρ − 2/3)). [1]

    ratio   : ρ, communication over computation. [1]
    overlap : o, share of the communication that hides behind computation; never more than the backward pass. [1]
    All shapes broadcast. Source: sizing reference 6.2.
    """
    rho = within("ratio", ratio, 0.0)
    exposed = np.maximum((1.0 - within("overlap", overlap, 0.0, 1.0)) * rho, rho - BACKWARD_SHARE)
    return unboxed(1.0 / (1.0 + exposed))


def scaling_efficiency(
    rate_small: npt.ArrayLike, gpus_small: npt.ArrayLike, rate_large: npt.ArrayLike, gpus_large: npt.ArrayLike
) -> Values:
    """Return the speed per GPU of the larger run over that of the smaller, measured. [1]

    rate_small, rate_large : in any one unit; of two times to the same end, their inverses.
    All shapes broadcast. Source: sizing reference 6.3.
    """
    large = within("rate_large", rate_large, 0.0) / above("gpus_large", gpus_large, unit="GPU")
    return unboxed(large / (above("rate_small", rate_small) / above("gpus_small", gpus_small, unit="GPU")))


def expected_scaling(growth: npt.ArrayLike, kind: str = "weak") -> Values:
    """Return the efficiency expected of so many times the servers, 0.97 (weak) or 0.95 (strong) per doubling. [1]

    growth : servers over servers at which the speed is known, at least 1. [1]
    kind   : "weak" (batch grows along) or "strong" (batch stays).
    Source: sizing reference 6.3, default.
    """
    if kind not in PER_DOUBLING:
        raise not_a_choice("kind", kind, tuple(PER_DOUBLING))
    return unboxed(PER_DOUBLING[kind] ** np.log2(within("growth", growth, 1.0)))


def tensor_parallel_ratio(
    tensor_parallel: npt.ArrayLike, flops: npt.ArrayLike, link_bandwidth: npt.ArrayLike, hidden: npt.ArrayLike
) -> Values:
    """Return tensor-parallel communication over computation of a layer, 0.22·(t − 1)·P·MFU/(BW·h). [1]

    flops          : P·MFU, achieved by one GPU. [FLOP/s]
    link_bandwidth : of one GPU inside the domain. [byte/s]
    All shapes broadcast. Source: sizing reference 6.4 (0.2 on NVLink 4 at h = 8192).
    """
    others = within("tensor_parallel", tensor_parallel, 1.0) - 1.0
    link = above("link_bandwidth", link_bandwidth, unit="byte/s") * above("hidden", hidden)
    return unboxed(TENSOR_PARALLEL_RATIO * others * within("flops", flops, 0.0, unit="FLOP/s") / link)


def pipeline_bubble(stages: npt.ArrayLike, micro_batches: npt.ArrayLike, chunks: npt.ArrayLike = 1) -> Values:
    """Return the share of a step that pipeline stages idle: (p−1)/(m+p−1); interleaved (p−1)/(v·m). [1]

    stages, micro_batches : p, m; keep m ≥ 4p.
    chunks : v, chunks of a stage; 1 is not interleaved.
    All shapes broadcast. Source: sizing reference 6.4.
    """
    idle = within("stages", stages, 1.0) - 1.0
    m, v = above("micro_batches", micro_batches), within("chunks", chunks, 1.0)
    return unboxed(np.where(v > 1.0, idle / (v * m), idle / (m + idle)))
