"""What a planner says about failures: how often machines break, how they are repaired, what a stopped run loses.

A document that says nothing counts no failures, so that one saved before there was this group keeps its results, and
the worked cases, which know of none, hold. The gallery's templates count them, and so does what begins on Sizing.
"""

from __future__ import annotations

from typing import Annotated, Literal

from planner.engine.quantities import Document, Quantity

# What fails, over 16,384 GPUs in 54 days, and servers without GPUs; sizing reference 7.1.
COMPONENTS = "https://glennklockwood.com/garden/component-reliability"
SERVER_PARTS = "https://github.com/Azure/AzurePublicDataset/tree/master/analysis/GreenSKU-Framework"
# Interruptions of jobs, and the goodput that follows; sizing reference 7.1 and 7.2.
CLUSTERS = "https://arxiv.org/abs/2410.21680"


class Reliability(Document):
    """Failures and repairs. Rates are of units in service, a year of 365 days."""

    counted: bool = False
    gpu_failures_per_year: Annotated[
        float, Quantity("share/year", 0.0, 1.0, 0.025, 0.06, "estimate", COMPONENTS)  # replaced, not merely restarted
    ] = 0.04
    # The rest of a server 2.4 %, its power supplies 1 %, its disks 1 %.
    server_failures_per_year: Annotated[
        float, Quantity("share/year", 0.0, 1.0, 0.02, 0.09, "estimate", SERVER_PARTS)
    ] = 0.044
    turnaround_days: Annotated[float, Quantity("day", 0.0, 365.0, 2.0, 21.0, "estimate")] = 7.0
    # Probability that the shelf has a spare for every failure; 0: no spares are kept.
    spares_confidence: Annotated[float, Quantity("share", 0.0, 0.9999, None, None, "estimate")] = 0.95
    warranty_years: Annotated[float | None, Quantity("year", 0.0, 20.0)] = None  # None: the build's own
    after_warranty: Literal["contract", "own_repair"] = "contract"  # a yearly contract holds parts and labour
    repair_hours: Annotated[float, Quantity("hour", 0.0, 200.0, 2.0, 8.0, "estimate")] = 4.0
    repair_rate_per_hour: Annotated[float | None, Quantity("money/hour", 0.0, 1e5)] = None  # None: the catalog's hour
    # Of the price of a server without its GPUs: a board, memory, a supply or a disk.
    server_parts_share: Annotated[float, Quantity("share", 0.0, 1.0, 0.02, 0.15, "estimate")] = 0.05
    # Jobs stop more often than parts break: software, links, errors that a restart heals.
    interruptions_per_1000_server_days: Annotated[
        float, Quantity("1/1000 server-day", 0.0, 1000.0, 2.3, 6.5, "sourced", CLUSTERS)
    ] = 3.0
    restart_minutes: Annotated[float, Quantity("minute", 0.0, 1440.0, 5.0, 20.0, "sourced", CLUSTERS)] = 10.0
    checkpoint_write_gb_per_s: Annotated[float, Quantity("GB/s", 0.01, 100_000.0, 2.0, 40.0, "estimate")] = 10.0
    # Evaluation, tests, waiting for people. None: what brings runs to the goodput that published ones had.
    other_time_lost: Annotated[float | None, Quantity("share", 0.0, 0.9)] = None

    def failures_per_server(self, gpus: int) -> float:
        """Failures a year of a server and of the GPUs in it. [1/yr]"""
        return gpus * self.gpu_failures_per_year + self.server_failures_per_year
