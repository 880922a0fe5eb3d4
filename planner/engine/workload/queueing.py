"""Requests under way, waiting and service levels.

Sizing reference, section 5.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, unboxed, whole, within

SECONDS_PER_DAY = 86_400.0
# Larger fleets need no queueing theory, and the recursion visits every server. [server]
MOST_SERVERS = 100_000


def arrival_rate(requests_per_day: npt.ArrayLike, diurnal: npt.ArrayLike = 1.0, burst: npt.ArrayLike = 1.0) -> Values:
    """Return requests a second: the day's mean, times the peaks of the day and of a burst where given. [1/s]

    requests_per_day : [1/d]; diurnal, burst : peak over mean, at least 1. [1]
    All shapes broadcast. Source: sizing reference 5.
    """
    mean = within("requests_per_day", requests_per_day, 0.0, unit="1/d") / SECONDS_PER_DAY
    return unboxed(mean * within("diurnal", diurnal, 1.0) * within("burst", burst, 1.0))


def concurrency(
    rate: npt.ArrayLike, ttft_s: npt.ArrayLike, output_tokens: npt.ArrayLike, user_tokens_per_s: npt.ArrayLike
) -> Values:
    """Return the mean number of requests under way, λ·(TTFT + OSL / speed), by Little's law. [request]

    rate   : arrivals. [1/s]
    ttft_s : time to the first token. [s]
    output_tokens : mean. [token]
    user_tokens_per_s : speed at which one user receives. [token/s]
    All shapes broadcast. Source: sizing reference 5.
    """
    stay = within("ttft_s", ttft_s, 0.0, unit="s")
    stay = stay + within("output_tokens", output_tokens, 0.0) / above(
        "user_tokens_per_s", user_tokens_per_s, unit="token/s"
    )
    return unboxed(within("rate", rate, 0.0, unit="1/s") * stay)


# Beyond it a count is no longer told from its neighbours; larger means are answered with it.
LARGEST_COUNT = 2.0**62


def poisson_quantile(mean: npt.ArrayLike, quantile: npt.ArrayLike = 0.99) -> Values:
    """Return the smallest whole q with PoissonCDF(q; mean) ≥ quantile: p99 concurrency, spares on the shelf. [1]

    mean     : any shape, ≥ 0.
    quantile : any shape, in [0, 1).
    Source: sizing reference 5 and 7.3.
    """
    from scipy import special  # here, so that importing the engine stays quick

    average = within("mean", mean, 0.0)
    share = within("quantile", quantile, 0.0, 1.0 - 1e-15)
    average, share = np.broadcast_arrays(average, share)
    guess = np.nan_to_num(special.pdtrik(share, np.where(average > 0.0, average, 1.0)), nan=0.0)
    answer = np.where(average > 0.0, np.maximum(np.ceil(guess), 0.0), 0.0)
    # the inverse is continuous and may miss by one either way at a step
    answer = np.where((answer > 0) & (special.pdtr(np.maximum(answer - 1, 0), average) >= share), answer - 1, answer)
    answer = np.where(special.pdtr(answer, average) < share, answer + 1, answer)
    return unboxed(np.minimum(answer, LARGEST_COUNT).astype(np.int64))


def erlang_c(servers: npt.ArrayLike, offered: npt.ArrayLike) -> Values:
    """Return the probability that a request waits in M/M/n; 1 where the offered load reaches the servers. [1]

    servers : whole, any shape, ≥ 0. [server]
    offered : λ·S, any shape. [erlang]
    B_0 = 1; B_j = A·B/(j + A·B); C = n·B_n / (n − A·(1 − B_n)). Source: sizing reference 5 (Erlang 1917).
    """
    count = whole("servers", servers, 0, MOST_SERVERS, "server")
    n, a = np.broadcast_arrays(count, within("offered", offered, 0.0, unit="erlang"))
    blocked = np.ones(a.shape)
    for j in range(1, int(n.max(initial=0)) + 1):
        blocked = np.where(j <= n, a * blocked / (j + a * blocked), blocked)
    stable = a < n
    waits = n * blocked / np.where(stable, n - a * (1.0 - blocked), 1.0)
    return unboxed(np.where(stable, waits, 1.0))


def mean_wait_s(servers: npt.ArrayLike, offered: npt.ArrayLike, service_s: npt.ArrayLike) -> Values:
    """Return the mean wait over all requests, C·S/(n − A); infinite where the load reaches the servers. [s]

    Source: sizing reference 5.
    """
    spare = np.asarray(servers, dtype=np.float64) - np.asarray(offered, dtype=np.float64)
    waits = erlang_c(servers, offered) * within("service_s", service_s, 0.0, unit="s")
    return unboxed(np.where(spare > 0.0, waits / np.where(spare > 0.0, spare, 1.0), np.inf))


def service_level(
    servers: npt.ArrayLike, offered: npt.ArrayLike, service_s: npt.ArrayLike, target_s: npt.ArrayLike
) -> Values:
    """Return the share of requests that wait no longer than `target_s`, 1 − C·exp(−(n − A)·t/S). [1]

    Source: sizing reference 5.
    """
    spare = np.asarray(servers, dtype=np.float64) - np.asarray(offered, dtype=np.float64)
    ratio = within("target_s", target_s, 0.0, unit="s") / above("service_s", service_s, unit="s")
    level = 1.0 - erlang_c(servers, offered) * np.exp(-np.maximum(spare, 0.0) * ratio)
    return unboxed(np.where(spare > 0.0, level, 0.0))


def servers_for_service_level(offered: float, service_s: float, target_s: float, level: float) -> int:
    """Return the fewest servers that keep a service level, searched upwards from floor(A) + 1. [server]

    offered : λ·S. [erlang]
    service_s, target_s : mean time of service; longest wait that counts as kept. [s]
    level   : share of the requests, in [0, 1). [1]
    Scalars. Source: sizing reference 5.
    """
    wanted = float(within("level", level, 0.0, 1.0 - 1e-12))
    load = float(within("offered", offered, 0.0, MOST_SERVERS, "erlang"))
    patience = float(within("target_s", target_s, 0.0, unit="s")) / float(above("service_s", service_s, unit="s"))
    blocked, count = 1.0, 0
    while True:  # Erlang B of one server more, from that of those before it
        count += 1
        blocked = load * blocked / (count + load * blocked)
        spare = count - load
        if spare <= 0.0:
            continue
        waits = count * blocked / (count - load * (1.0 - blocked))
        if 1.0 - waits * math.exp(-spare * patience) >= wanted:
            return count
