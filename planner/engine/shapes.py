"""One server, several independent servers or a cluster for the same work: what each can do, costs and takes.

Each way is a plan of the scenario's own rooms, prices and dates on one kind of server, bought at the start and large
enough for the last month; nothing is rented, so that what a way cannot do is seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.engine.calendar import calendar_for
from planner.engine.demand import Machine, Sizing, machine_for
from planner.engine.evaluate import Finding, PlanResult, evaluate
from planner.engine.findings import CANNOT_RUN
from planner.engine.inputs import Fabric, FollowUp, Plan, Scenario, ServingWorkload, Start
from planner.engine.links import link_of
from planner.engine.needs import Requirement
from planner.engine.prices import Build, PriceBook
from planner.engine.result import Evaluation
from planner.engine.rounding import SLACK

WAYS = ("one_server", "independent_servers", "cluster")
# Servers of a way at most: work that asks for more is told what so many do.
MOST_SERVERS = 10_000


@dataclass(frozen=True)
class Shape:
    """One way, and the plan that it is.

    way     : one of WAYS.
    reasons : why it does not do the work, the first failure first; empty where it does.
    kept    : of their speed, what the jobs that spread widest keep; 1 inside a server. None where they do not run. [1]
    fabric  : of the present value, what the network between the servers and its upkeep take; 0 without one. [1]
    """

    way: str
    servers: int
    result: PlanResult
    reasons: tuple[Finding, ...]
    kept: float | None

    @property
    def does_it(self) -> bool:
        return not self.reasons

    @property
    def fabric(self) -> float:
        value = self.result.present_value
        lines = [
            line
            for line in self.result.lines
            if line.category == "capex.fabric" or line.code == "fabric" or line.code.startswith("fabric_")
        ]
        return sum(line.present_value(self.result.discount_of(line)) for line in lines) / value if value > 0 else 0.0

    @property
    def weeks(self) -> float:
        """Likely time from order to service. [week]"""
        build = self.result.fleet.holdings[0].machine.build
        return build.lead_weeks[1] + self.result.commissioning_days / 7.0

    @property
    def lost_with_one(self) -> float:
        """Of the servers, what one failure takes. [1]"""
        return 1.0 / self.servers


@dataclass(frozen=True)
class Shapes:
    build: Build
    evaluation: Evaluation
    ways: tuple[Shape, ...]


def shapes(scenario: Scenario, book: PriceBook, slug: str) -> Shapes:
    """The three ways on one build; a build without ports for a fabric has no third. Raises InputError, MissingRate."""
    machine = machine_for(book, slug)
    sizing = Sizing(scenario, book, calendar_for(scenario.start, scenario.months))
    fabric = next((plan.fabric for plan in scenario.plans if plan.fabric.when != "never"), Fabric())
    joined = fabric.model_copy(update={"when": "always", "final_nodes": None})
    needs = {
        False: _needs(sizing, machine, None),
        True: _needs(sizing, machine, joined),
    }
    several = max(2, _servers(needs[False], machine))
    plans = [_plan("one_server", slug, 1, None), _plan("independent_servers", slug, several, None)]
    if machine.build.fabric_ports:
        plans.append(_plan("cluster", slug, max(2, _servers(needs[True], machine)), joined))
    evaluation = evaluate(scenario.model_copy(update={"plans": tuple(plans)}), book)
    return Shapes(
        machine.build,
        evaluation,
        tuple(_judged(result, scenario, needs[result.slug == "cluster"]) for result in evaluation.plans),
    )


def _plan(way: str, slug: str, servers: int, fabric: Fabric | None) -> Plan:
    strategies = {"one_server": "server_now", "independent_servers": "servers_now", "cluster": "cluster_now"}
    return Plan(
        slug=way,
        strategy=strategies[way],  # type: ignore[arg-type]
        start=Start(build=slug, quantity=servers),
        follow_up=FollowUp(kind="none"),
        fabric=fabric or Fabric(when="never"),
    )


def _needs(sizing: Sizing, machine: Machine, fabric: Fabric | None) -> dict[str, Requirement]:
    """What each workload asks of the machine; over a network where there is one. Raises InputError `no_rate`."""
    link = None if fabric is None else link_of(fabric, machine.build, sizing.book)
    return {work.slug: sizing.on_machine(work, machine, link=link) for work in sizing.workloads}


def _servers(needs: dict[str, Requirement], machine: Machine) -> int:
    """Servers that all the work asks for when it asks most; what no number can do is left out. [server]"""
    gpus = sum(np.where(np.isfinite(need.required[0]), need.required[0], 0.0) for need in needs.values())
    most = float(np.max(gpus, initial=0.0))
    return min(MOST_SERVERS, math.ceil(most / machine.base_cards - SLACK))


def _judged(result: PlanResult, scenario: Scenario, needs: dict[str, Requirement]) -> Shape:
    assert result.plan.start is not None
    servers, reasons = result.plan.start.quantity, list(result.infeasible)
    if any(reason.code == "service_target" for reason in reasons):  # what the room lacks before what it leads to
        reasons = [*(each for each in result.warnings if each.code in ("cooling_short", "room_short")), *reasons]
    spares = [
        work
        for work in scenario.demand.workloads
        if isinstance(work, ServingWorkload) and work.spare_servers >= servers and needs[work.slug].mean.any()
    ]
    if spares:  # it is the spare that is lacking, and not the speed
        reasons = [reason for reason in reasons if reason.code != "service_target"]
        facts = {"workload": spares[0].slug, "servers": servers, "spares": spares[0].spare_servers}
        reasons.append(Finding("redundancy", 0, facts))
    return Shape(result.slug, servers, result, tuple(reasons), _kept(needs, result, reasons))


def _kept(needs: dict[str, Requirement], result: PlanResult, reasons: list[Finding]) -> float | None:
    if any(reason.code in CANNOT_RUN for reason in reasons) or not result.fleet.holdings:
        return None
    shares = [
        need.factors.get("scaling_share", 1.0) * need.factors.get("network_share", 1.0) for need in needs.values()
    ]
    return min(shares, default=1.0)


def servers_to_compare(scenario: Scenario, book: PriceBook) -> str | None:
    """The build on which the ways are compared: of those the plans may buy, one of eight GPUs with ports, else the
    largest; None where the plans buy nothing."""
    named = [plan.start.build for plan in scenario.plans if plan.start is not None]
    named += [plan.follow_up.build for plan in scenario.plans if plan.follow_up.build is not None]
    builds = [book.builds[slug] for slug in dict.fromkeys(named) if slug in book.builds]
    if not builds:
        return None
    return max(builds, key=_suits).slug


def _suits(build: Build) -> tuple[bool, bool, bool, int]:
    size = build.accelerator_count
    return build.price is not None, size == 8, bool(build.fabric_ports), size
