"""What a budget buys: configurations from one workstation to a small cluster, each priced as a plan of its own.

A configuration is a number of like servers, each for itself or joined by a fabric. It is evaluated as any plan is, with
as much work as fills it to the utilisation that the scenario plans with, so that its cost holds all that the plan's
does: network, racks, circuits and upgrades of the room, and over the horizon energy, site and people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Literal

from planner.engine.abilities import USES, Abilities, Ability, Use
from planner.engine.calendar import calendar_for
from planner.engine.demand import Sizing, machine_for
from planner.engine.eligibility import country_of, export_rule
from planner.engine.evaluate import Evaluation, Finding, PlanResult, evaluate
from planner.engine.inputs import (
    ConstantGrowth,
    Demand,
    EndOfLife,
    Fabric,
    FollowUp,
    Plan,
    PoolWorkload,
    Scenario,
    Slug,
    Start,
)
from planner.engine.links import link_of
from planner.engine.prices import Accelerator, Build, ExportRule, MissingRate, PriceBook
from planner.engine.quantities import Choice, Document, InputError, Problem, Quantity

GROUPS = ("workstation", "server", "servers", "cluster")
# Servers of one configuration at most: beyond that a table of configurations is not what one plans with.
MOST_SERVERS = 512
# By what a kind of work binds: its GPUs are compared by it, as those of a shared pool are.
BOUND: dict[str, Literal["compute", "memory_bandwidth", "fp64"]] = {
    "serving": "memory_bandwidth",
    "tuning": "compute",
    "training": "compute",
    "simulation": "fp64",
}
# Findings that follow from the work, which is set here, and those of a start that is not ordered yet.
_OF_THE_WORK = frozenset({"service_target"})
# A configuration that breaks one of these cannot stand where the scenario puts it.
_ROOM = ("room_", "limit_", "cooling_short")


class Budget(Document):
    """What there is to spend, what it must pay for, and what for."""

    amount: Annotated[float, Quantity("money", 0.0, 1e12)]
    covers: Literal["purchase", "horizon"] = "purchase"  # the purchase, or all that is paid until the horizon
    use: Literal["serving", "tuning", "training", "simulation"] = "serving"
    model: Annotated[Slug | None, Choice("model")] = None  # that must fit; None: any
    used: bool = False  # whether second-hand machines count


@dataclass(frozen=True)
class Configuration:
    """So many servers of one kind, each for itself or joined by a fabric.

    state   : "fits" · "fails" (affordable, and something else is against it) · "over" (one of it, or two with their
              fabric, cost more than there is) · "unpriced".
    reasons : why it fails or has no price, the first failure first.
    stops   : what keeps it from being larger: "budget" · "room" · "" (it is the smallest of its kind, or the largest
              that is looked for).
    missing : currency of a price without an exchange rate; "" where there is none.
    """

    build: Build
    card: Accelerator
    servers: int
    joined: bool
    state: str
    covers: str
    reasons: tuple[Finding, ...] = ()
    stops: str = ""
    missing: str = ""
    evaluation: Evaluation | None = None
    abilities: dict[Use, Ability] = field(default_factory=dict)
    export: ExportRule | None = None

    @property
    def slug(self) -> str:
        return configuration_slug(self.build.slug, self.servers, self.joined)

    @property
    def group(self) -> str:
        """The rung of the ladder from entry to cluster, one of GROUPS."""
        if self.joined:
            return "cluster"
        if self.servers > 1:
            return "servers"
        return "workstation" if self.build.workstation else "server"

    @property
    def gpus(self) -> int:
        return self.servers * self.build.accelerator_count

    @property
    def together(self) -> int:
        """GPUs that can work on one job. [GPU]"""
        return self.gpus if self.joined else self.build.accelerator_count

    @property
    def memory_gb(self) -> float | None:
        """Nameplate memory of all GPUs; None where that of the card is not known. [GB]"""
        return None if not self.card.memory_gb else self.card.memory_gb * self.gpus

    @property
    def result(self) -> PlanResult | None:
        """The plan, where it has a price."""
        if self.evaluation is None or not self.evaluation.plans[0].priced:
            return None
        return self.evaluation.plans[0]

    @property
    def cost(self) -> float | None:
        """What the budget must pay for. [money]"""
        return None if self.result is None else paid(self.result, self.covers)

    @cached_property
    def useful_hours(self) -> float:
        """GPU-hours of work over the horizon, in GPUs of the reference. [GPU-hour]"""
        return 0.0 if self.result is None else float(self.result.useful_hours.sum())

    @property
    def work(self) -> PoolWorkload | None:
        """The work that fills it, in GPUs of the reference; None where it could not be tried."""
        found = None if self.evaluation is None else self.evaluation.scenario.demand.workloads[0]
        return found if isinstance(found, PoolWorkload) else None

    @property
    def same_as(self) -> float:
        """GPUs of the reference that would do the same work. [GPU]"""
        return self.work.gpus / self.work.target_utilisation if self.work and self.work.target_utilisation else 0.0

    @property
    def hours_per_money(self) -> float | None:
        """Useful GPU-hours for each unit of what the budget pays. [GPU-hour/money]"""
        return self.useful_hours / self.cost if self.cost else None

    @property
    def weeks(self) -> float:
        """Likely time from order to service, installation included. [week]"""
        days = self.evaluation.plans[0].commissioning_days if self.evaluation is not None else 0.0
        return self.build.lead_weeks[1] + days / 7.0


def configuration_slug(build: str, servers: int, joined: bool) -> str:
    """Names a configuration, and its plan: "srv-8x-h200-sxm.x2.fabric"."""
    return f"{build}.x{servers}{'.fabric' if joined else ''}"


def paid(result: PlanResult, covers: str) -> float:
    """The purchase, or all payments until the horizon; what a later sale brings is not counted on. [money]"""
    bought = result.total("capex")
    return bought if covers == "purchase" else result.money([bought, result.total("opex")])


def configurations(
    scenario: Scenario, book: PriceBook, budget: Budget, abilities: Abilities | None = None
) -> list[Configuration]:
    """Every configuration of the book's servers: those that fit the budget, best first; then the others.

    scenario : rooms, prices, people and dates; its first workload, a pool, names the reference GPU, the utilisation and
               what binds.
    abilities : of the book's models, where they are known already.
    Raises InputError where the reference or the model is unknown, and MissingRate where for want of an exchange rate no
    configuration has a price.
    """
    if budget.model is not None and budget.model not in book.models:
        raise InputError(Problem(("budget", "model"), "not_in_catalog", budget.model))
    shop = _Shop(scenario, book, budget, abilities or Abilities(book.models.values()))
    found = [each for build in book.builds.values() for each in shop.of(build)]
    lacking = [each.missing for each in found if each.missing]
    if lacking and all(each.result is None for each in found):
        raise MissingRate(lacking[0], book.currency)
    return sorted(found, key=_rank)


def _rank(found: Configuration) -> tuple[int, float, str]:
    order = ("fits", "fails", "over", "unpriced").index(found.state)
    if found.state == "over":
        return order, found.cost or 0.0, found.slug
    return order, -(found.hours_per_money or 0.0), found.slug


def neighbours(found: list[Configuration], slug: str) -> list[Configuration]:
    """A configuration that can be bought and the two beside it in the ranking; raises KeyError where it is none."""
    able = [each for each in found if each.state == "fits"]
    at = next((n for n, each in enumerate(able) if each.slug == slug), None)
    if at is None:
        raise KeyError(slug)
    first = max(0, min(at - 1, len(able) - 3))
    return able[first : first + 3]


class _Shop:
    """One budget, asked about server after server."""

    def __init__(self, scenario: Scenario, book: PriceBook, budget: Budget, abilities: Abilities) -> None:
        self.scenario, self.book, self.budget, self.abilities = scenario, book, budget, abilities
        self.pool = _pool(scenario, budget)
        self.country = country_of(scenario)
        self.known: dict[tuple[str, int, bool], Evaluation] = {}
        self.one = _with(scenario, self.pool.model_copy(update={"gpus": 1.0}), scenario.plans)
        self.sizing = Sizing(self.one, book, calendar_for(scenario.start, scenario.months))
        self.sizing.accelerator(self.pool.accelerator)

    def of(self, build: Build) -> Iterator[Configuration]:
        """One server of a kind, as many as budget and room take, and as many joined by a fabric.

        More of what may not be sold there, does not stand there, or does not hold the model, is not looked for.
        """
        if build.slug.startswith("used-") and not self.budget.used:
            return
        alone = self._judged(build, 1, joined=False)
        yield alone
        barred = alone.export is not None and alone.export.verdict == "prohibited"
        if barred or alone.state in ("unpriced", "over") or any(_of_the_room(reason) for reason in alone.reasons):
            return
        gang = self._gang(build)
        if gang <= build.accelerator_count:
            most, stops = self._most(build, alone.cost or 0.0, joined=False)
            if most > 1:
                yield self._judged(build, most, joined=False, stops=stops)
        if build.fabric_ports and math.isfinite(gang):
            most, stops = self._most(build, alone.cost or 0.0, joined=True)
            yield self._judged(build, max(2, most), joined=True, stops=stops)

    def _judged(self, build: Build, servers: int, *, joined: bool, stops: str = "") -> Configuration:
        card = self.book.accelerators[build.accelerator]
        rule = export_rule(card, self.country)
        made = Configuration(
            build,
            card,
            servers,
            joined,
            "unpriced",
            self.budget.covers,
            stops=stops,
            export=None if rule is None or rule.verdict == "allowed" else rule,
        )
        made = replace(made, abilities=self._abilities(made))
        try:
            evaluation = self._evaluated(build, servers, joined)
        except MissingRate as error:
            return replace(made, missing=str(error.problems[0].value))
        except InputError as error:
            return replace(made, reasons=tuple(_problem(each.code, build) for each in error.problems))
        made = replace(made, evaluation=evaluation)
        if made.result is None:
            return replace(made, reasons=tuple(evaluation.plans[0].infeasible))
        reasons = (*self._model(made), *_against(evaluation.plans[0]))
        if (made.cost or 0.0) > self.budget.amount:
            return replace(made, state="over", reasons=reasons)
        if made.export is not None and made.export.verdict == "prohibited":
            reasons = (*reasons, Finding("export_prohibited", 0, self._rule(made.card, made.export)))
        return replace(made, state="fails" if reasons else "fits", reasons=reasons)

    def _rule(self, card: Accelerator, rule: ExportRule) -> dict[str, str]:
        return {"item": card.slug, "country": self.country, "dated": rule.effective.isoformat()}

    def _abilities(self, made: Configuration) -> dict[Use, Ability]:
        size = made.build.accelerator_count
        return {use: self.abilities.largest(use, made.card, size, made.together) for use in USES}

    def _gang(self, build: Build) -> float:
        """GPUs that hold the model that must fit; 1 where none is named, infinity where none do. [GPU]"""
        use = next((use for use in USES if use == self.budget.use), None)
        if use is None or self.budget.model is None:
            return 1.0
        card = self.book.accelerators[build.accelerator]
        return self.abilities.gang(use, self.budget.model, card, build.accelerator_count)

    def _model(self, made: Configuration) -> list[Finding]:
        """Why the model that must fit does not: too little memory in one server, or in all of them."""
        gang = self._gang(made.build)
        if gang <= made.together:
            return []
        facts = {"model": self.budget.model, "gpus": made.together}
        if not math.isfinite(gang):
            return [Finding("model_never", 0, facts)]
        return [Finding("model_memory", 0, {**facts, "needed_gpus": int(gang)})]

    def _evaluated(self, build: Build, servers: int, joined: bool) -> Evaluation:
        """The plan of a configuration with as much work as fills it. Raises InputError."""
        key = (build.slug, servers, joined)
        if key not in self.known:
            plan, work = plan_of(build, servers, joined), self._work(build, servers, joined)
            gpus = servers * build.accelerator_count * work.target_utilisation / self._each(work, build, plan)
            work = work.model_copy(update={"gpus": gpus})
            self.known[key] = evaluate(_with(self.scenario, work, (plan,)), self.book)
        return self.known[key]

    def _work(self, build: Build, servers: int, joined: bool) -> PoolWorkload:
        """Work on GPUs each for itself; jobs of the model that must fit, where they need several servers."""
        gang = self._gang(build)
        if not joined or not build.accelerator_count < gang <= servers * build.accelerator_count:
            return self.pool
        return self.pool.model_copy(update={"gang_gpus": int(gang)})

    def _each(self, work: PoolWorkload, build: Build, plan: Plan) -> float:
        """GPUs of a build that do the work of one GPU of the reference. [GPU] Raises InputError."""
        one = work.model_copy(update={"gpus": 1.0, "slug": f"gang-{work.gang_gpus}"})
        link = link_of(plan.fabric, build, self.book) if plan.fabric.when == "always" else None
        return float(self.sizing.on_machine(one, machine_for(self.book, build.slug), link=link).mean[0, 0])

    def _most(self, build: Build, each: float, *, joined: bool) -> tuple[int, str]:
        """(servers, what stops more): as many as can be paid and as the room takes; 0 where two joined are too many.

        each : what one of them costs by itself. [money]
        """
        least = 2 if joined else 1
        room: list[int] = []

        def cost(servers: int) -> float:
            plan = self._evaluated(build, servers, joined).plans[0]
            if not plan.priced:
                return math.inf
            if any(_of_the_room(reason) for reason in _against(plan)):
                room.append(servers)
                return math.inf
            return paid(plan, self.budget.covers)

        most = _largest(cost, self.budget.amount, least, self._cap(build), each)
        if most >= MOST_SERVERS:
            return most, ""
        return most, "room" if most + 1 in room else "budget"

    def _cap(self, build: Build) -> int:
        """Servers whose bare price alone would use up the budget; the limits of a search. [server]"""
        price = build.price
        assert price is not None  # priced before
        lowest = min([price.amount, *(each.amount for each in price.breaks)]) * price.to_book(self.book.currency)
        lowest *= math.prod(1.0 - (each.share or 0.0) for each in (price.terms.discounts if price.terms else ()))
        return MOST_SERVERS if lowest <= 0 else min(MOST_SERVERS, int(self.budget.amount / lowest) + 1)


def _largest(cost: Callable[[int], float], budget: float, least: int, cap: int, each: float) -> int:
    """The largest number up to `cap` that costs no more than the budget; 0 where `least` does. Cost grows with it.

    each : about what one more costs, where the search begins. [money]
    """
    low, spent = least, cost(least)
    if spent > budget:
        return 0
    high, above = cap + 1, math.inf
    guess = low + int((budget - spent) / each) if each > 0 else cap
    while high - low > 1:
        guess = min(max(guess, low + 1), high - 1)
        asked = cost(guess)
        if asked <= budget:
            step = (asked - spent) / (guess - low)
            low, spent = guess, asked
            guess = low + 1 if step <= 0 else low + int((budget - spent) / step)
        else:
            high, above = guess, asked
            finite = math.isfinite(above) and above > spent
            guess = low + int((high - low) * (budget - spent) / (above - spent)) if finite else (low + high) // 2
    return low


def plan_of(build: Build, servers: int, joined: bool) -> Plan:
    """The plan that buys a configuration at the start, once."""
    one = servers == 1
    return Plan(
        slug=configuration_slug(build.slug, servers, joined),
        strategy="cluster_now" if joined else "server_now" if one else "servers_now",
        start=Start(build=build.slug, quantity=servers),
        follow_up=FollowUp(kind="none"),
        fabric=Fabric(when="always" if joined else "never"),
        end_of_life=EndOfLife(then="let_go"),
    )


def _pool(scenario: Scenario, budget: Budget) -> PoolWorkload:
    work = scenario.demand.workloads[0]
    assert isinstance(work, PoolWorkload)
    return work.model_copy(update={"bound": BOUND[budget.use], "growth": ConstantGrowth()})


def _with(scenario: Scenario, work: PoolWorkload, plans: tuple[Plan, ...]) -> Scenario:
    demand = Demand(workloads=(work,), scaling=scenario.demand.scaling)
    return scenario.model_copy(update={"demand": demand, "plans": plans})


def _against(result: PlanResult) -> list[Finding]:
    """What is against a plan whose work fills it: its failures, heat that slows it, and warnings that block."""
    failing = [reason for reason in result.infeasible if reason.code not in _OF_THE_WORK]
    hot = [each for each in result.warnings if each.code == "cooling_short" or each.facts.get("blocking")]
    return [*failing, *hot]


def _of_the_room(reason: Finding) -> bool:
    return reason.code.startswith(_ROOM) or bool(reason.facts.get("blocking"))


def _problem(code: str, build: Build) -> Finding:
    return Finding(code, None, {"item": build.slug})
