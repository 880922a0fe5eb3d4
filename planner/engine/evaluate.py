"""Scenario + price book → evaluation: each module of the engine in its order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from planner.engine.allocation import Allocation, allocate
from planner.engine.calendar import Array, calendar_for
from planner.engine.cliff import cliffs
from planner.engine.costs import Books, PlanCosts, write_cloud, write_owned
from planner.engine.costs.purchases import Purchases
from planner.engine.demand import Machine, Requirement, Sizing, machine_for
from planner.engine.eligibility import judge_eligibility, runs_software
from planner.engine.findings import judge, stale_prices
from planner.engine.fleet import Fleet, simulate
from planner.engine.generations import bought_in, with_generations
from planner.engine.housing import Housing, house
from planner.engine.inputs import Plan, Scenario, Workload
from planner.engine.lines import CATEGORIES, Ledger, Line, minor_unit, switched_on
from planner.engine.orders import orders_of
from planner.engine.prices import Accelerator, CloudOffer, MissingRate, PriceBook
from planner.engine.quantities import InputError, Problem
from planner.engine.quote_terms import broken_terms
from planner.engine.result import Evaluation, Finding, Order, PlanResult
from planner.engine.storage import shared_tb
from planner.engine.unsold import unsold
from planner.engine.wiring import Network, network_for

__all__ = ["Evaluation", "Finding", "Order", "PlanResult", "evaluate"]

SLACK = 1e-9
PROVIDER_CLASSES = ("specialist", "large_provider")  # the two whose verdicts are always shown


def evaluate(scenario: Scenario, book: PriceBook, *, lead_case: int = 1) -> Evaluation:
    """Compute every plan of a scenario.

    lead_case : 0, 1, 2 for the low, likely or high lead time.
    Raises MissingRate where a price has no exchange rate, InputError where the document asks for the impossible.
    """
    if scenario.currency != book.currency:
        raise MissingRate(book.currency, scenario.currency)
    pinned, book = book, with_generations(book, scenario)
    calendar = calendar_for(scenario.start, scenario.months)
    books = Books(scenario, book, calendar)
    sizing = Sizing(scenario, book, calendar)
    on = switched_on(scenario.lines)
    plans = [_PlanRun(plan, books, sizing, on, lead_case).result() for plan in scenario.plans]
    left_out = [name for name in CATEGORIES if name not in on]
    return Evaluation(scenario, book, calendar, plans, left_out, stale_prices(scenario, plans), pinned)


@dataclass
class _PlanRun:
    """One plan on its way through the engine: sizing → orders → room → allocation → lines → findings."""

    plan: Plan
    books: Books
    sizing: Sizing
    on: frozenset[str]
    lead_case: int
    machines: dict[str, Machine] = field(default_factory=dict)
    requirements: dict[str, dict[str, Requirement]] = field(default_factory=dict)
    problems: list[Finding] = field(default_factory=list)
    no_offer: Finding | None = None
    offers_by_class: dict[str, CloudOffer | None] = field(default_factory=dict)
    cloud_by_class: dict[str, list[Line]] = field(default_factory=dict)
    stranded: dict[str, Array] = field(default_factory=dict)

    @property
    def scenario(self) -> Scenario:
        return self.books.scenario

    @property
    def shape(self) -> tuple[int, int]:
        return (1, self.books.calendar.months)

    def result(self) -> PlanResult:
        """Everything about the plan; what it cannot do is a finding. Raises MissingRate."""
        reference = {work.slug: self.sizing.reference(work) for work in self.sizing.workloads}
        self._size_machines()
        joined = self._joined()
        usable = self._usable(joined)
        fleet = self._fleet(usable)
        self.problems.extend(unsold(fleet, self.scenario))
        network = self._network(fleet) if joined and fleet.holdings else None
        offer, offered = self._offer()
        allocation, housing, lost = self._place(fleet, network, reference, usable, offered)
        if self.no_offer is not None and (allocation.unmet > 0).any():
            self.problems.append(self.no_offer)
        ledger = Ledger(self.shape, self.on, minor_unit(self.scenario.currency))
        fte, bought = self._write(ledger, fleet, network, housing, allocation, offer)
        result = PlanResult(
            plan=self.plan,
            calendar=self.books.calendar,
            discount=self.books.calendar.discount(self.scenario.finance.discount_rate),
            running_discount=self.books.calendar.discount(
                self.scenario.finance.discount_rate, self.scenario.finance.running_costs_mid_month
            ),
            currency=self.scenario.currency,
            decimals=ledger.decimals,
            lines=ledger.lines,
            demand=np.asarray(sum(need.mean for need in reference.values())),
            needed=self._needed(reference),
            fleet=fleet,
            housing=housing,
            allocation=allocation,
            network=network,
            offer=offer,
            offers_by_class=self.offers_by_class,
            orders=[],
            infeasible=self.problems,
            warnings=[],
            requirements=self.requirements,
            fte=fte,
            commissioning_days=self.books.commissioning_days,
            cloud_by_class=self.cloud_by_class,
            stranded=self.stranded,
        )
        result.orders = orders_of(result, bought)
        result.warnings.extend(cliffs(result, self.scenario, bought))
        result.warnings.extend(broken_terms(bought, network, self.books))
        judge_eligibility(result, self.scenario)
        judge(result, self.scenario, self.books, lost)
        return result

    def _refused(self, error: InputError) -> None:
        """Turn what the plan asks for and cannot have into findings; a missing exchange rate stops everything."""
        if isinstance(error, MissingRate):
            raise error
        self.problems.extend(
            Finding(problem.code, None, {"item": str(problem.value), "field": "/".join(problem.path)})
            for problem in error.problems
        )

    def _size_machines(self) -> None:
        """The machines the plan may buy, and what each workload asks of them."""
        plan = self.plan
        wanted = [
            plan.start.build if plan.start else None,
            plan.follow_up.build if plan.follow_up.kind != "none" else None,
        ]
        if plan.follow_up.kind != "none" or plan.end_of_life.then == "renew":
            wanted += bought_in(plan, self.scenario) if plan.follow_up.generation == "newest" else []
        slugs = dict.fromkeys(slug for slug in wanted if slug)
        for slug in slugs:
            try:
                machine = machine_for(self.books.book, slug)
                self._check_start(machine)
                filled = self._fills(machine)
                self.requirements[slug] = {
                    work.slug: self.sizing.on_machine(work, machine, filled) for work in self.sizing.workloads
                }
                self.machines[slug] = machine
            except InputError as error:
                self._refused(error)
        if len(self.machines) < len(slugs):  # a plan one of whose builds is unknown cannot be half simulated
            self.machines.clear()
            self.requirements.clear()

    def _check_start(self, machine: Machine) -> None:
        """Refuse more cards than there are slots, and other than the built-in ones where a build takes no cards."""
        start = self.plan.start
        if start is None or start.build != machine.slug or start.cards is None:
            return
        least = 1 if machine.addon else start.quantity * machine.base_cards
        most = start.quantity * machine.slots
        if not least <= start.cards <= most:
            path = ("plans", self.plan.slug, "start", "cards")
            raise InputError(Problem(path, "out_of_bounds", start.cards, least, most, "GPU"))

    def _fills(self, machine: Machine) -> bool:
        """Whether the plan puts more cards into a chassis than it comes with."""
        start, rule = self.plan.start, self.plan.follow_up
        if rule.kind == "cards" and machine.slug == (rule.build or (start.build if start else "")):
            return True
        if start is None or start.build != machine.slug or start.cards is None:
            return False
        return start.cards > start.quantity * machine.base_cards

    def _joined(self) -> bool:
        """Whether the plan's servers share a fabric."""
        if self.plan.fabric.when == "always":
            return True
        return self.plan.fabric.when == "when_needed" and any(
            need.gang > self.machines[slug].server_gpus
            for slug, needs in self.requirements.items()
            for need in needs.values()
        )

    def _usable(self, joined: bool) -> dict[str, list[tuple[Machine, Requirement]]]:
        """By workload, the machines that can run it, cheapest to run first.

        A workload without any is a problem of a plan that has no overflow offer to run it.
        """
        usable: dict[str, list[tuple[Machine, Requirement]]] = {}
        for work in self.sizing.workloads:
            refusals, able = [], []
            for machine in sorted(self.machines.values(), key=lambda machine: self._power_for(work, machine)):
                need = self.requirements[machine.slug][work.slug]
                refusal = _cannot_run(work, need, machine, joined)
                if refusal is None:
                    able.append((machine, need.where_it_runs(machine.server_gpus, joined=joined)))
                else:
                    refusals.append(refusal)
            usable[work.slug] = able
            if not able and self.plan.overflow is None:
                self.problems.extend(refusals)
        return usable

    def _fleet(self, usable: dict[str, list[tuple[Machine, Requirement]]]) -> Fleet:
        """The machines over the months; nothing is bought for work that only the overflow offer can run."""
        if not self.machines:
            return Fleet([], 0)
        wanted = [work for work in self.sizing.workloads if usable[work.slug] or self.plan.overflow is None]
        running = {(work, machine.slug): need for work, able in usable.items() for machine, need in able}
        needs = {
            slug: sum(
                (running.get((work.slug, slug), needs[work.slug]).required for work in wanted), np.zeros(self.shape)
            )
            for slug, needs in self.requirements.items()
        }
        return simulate(
            self.plan,
            self.machines,
            needs,
            scenario=self.scenario,
            commissioning_days=self.books.commissioning_days,
            lead_case=self.lead_case,
        )

    def _network(self, fleet: Fleet) -> Network | None:
        try:
            return network_for(self.plan, fleet, self.books)
        except InputError as error:
            self._refused(error)
            return None

    def _offer(self) -> tuple[CloudOffer | None, dict[str, Requirement] | None]:
        """The plan's cloud offer and what each workload asks of its hardware."""
        if self.plan.overflow is None:
            return None, None
        try:
            offer = self.books.offer(self.plan)
            if offer is None:
                # a problem only for a plan that comes to need it
                wanted = self.plan.overflow.provider_class or self.scenario.market.provider_class
                days = self.scenario.market.stale_after_days
                facts = {"item": self.plan.overflow.accelerator, "provider_class": wanted, "days": days}
                self.no_offer = Finding("no_offer", None, facts)
                return None, None
            hardware = self.sizing.accelerator(offer.accelerator)
            strangers = [work for work in self.sizing.workloads if not runs_software(work, hardware)]
            if strangers:
                self.problems.extend(_other_software(work, hardware) for work in strangers)
                return None, None
            offered = {
                work.slug: self.sizing.on(work, hardware, server_gpus=8, one_domain=True)
                for work in self.sizing.workloads
            }
        except InputError as error:
            self._refused(error)
            return None, None
        self.requirements["offer"] = offered
        return offer, offered

    def _place(
        self,
        fleet: Fleet,
        network: Network | None,
        reference: dict[str, Requirement],
        usable: dict[str, list[tuple[Machine, Requirement]]],
        offered: dict[str, Requirement] | None,
    ) -> tuple[Allocation, Housing, float]:
        """Put work on the fleet and the fleet in its room; a hot room slows it, and the work is placed again.

        Returns the allocation, the room, and the GPU-hours of work that heat took from owned machines.
        """
        order = [work.slug for work in self.sizing.workloads]
        for holding in fleet.holdings:
            slug = holding.machine.slug
            needs = [need for able in usable.values() for machine, need in able if machine.slug == slug]
            self.stranded[slug] = holding.stranded(needs)
        installed = {
            holding.machine.slug: holding.cards - self.stranded[holding.machine.slug] for holding in fleet.holdings
        }
        allocation = allocate(order, reference, usable, installed, offered)
        none = np.zeros(self.shape)
        fabric_kw = (network.kw_max, network.kw_typical) if network is not None else (none, none)
        switches = network.switches if network is not None else none
        housing = house(self.plan, self.scenario, fleet, allocation.used, fabric_kw, switches)
        if (housing.held < 1.0 - SLACK).any():
            installed = {slug: cards * housing.held for slug, cards in installed.items()}
            allocation = allocate(order, reference, usable, installed, offered)
        if not (housing.slowed < 1.0 - SLACK).any():
            return allocation, housing, 0.0
        running = {slug: cards * housing.slowed for slug, cards in installed.items()}
        slowed = allocate(order, reference, usable, running, offered, installed=installed)
        housing.lost_gpu_hours = (allocation.useful_owned - slowed.useful_owned) * self.books.calendar.hours
        return slowed, housing, float(housing.lost_gpu_hours[0].sum())

    def _write(
        self,
        ledger: Ledger,
        fleet: Fleet,
        network: Network | None,
        housing: Housing,
        allocation: Allocation,
        offer: CloudOffer | None,
    ) -> tuple[Array, list[Purchases]]:
        """Write the lines; returns the staff the fleet needs, (S, M) [FTE], and the purchases behind the lines."""
        bought: list[Purchases] = []
        try:
            costs = PlanCosts(self.plan, self.books, fleet, network, housing, allocation, ledger, self._storage())
            bought = costs.bought
            write_owned(costs)
            if offer is not None and self.plan.overflow is not None:
                write_cloud(self.plan, self.books, allocation.rented, offer, ledger)
                for name in PROVIDER_CLASSES:
                    other = self.books.offer(self.plan, name) if self.plan.overflow.offer is None else offer
                    self.offers_by_class[name] = other
                    if other is not None:
                        lines = Ledger(self.shape, self.on, ledger.decimals)
                        write_cloud(self.plan, self.books, allocation.rented, other, lines)
                        self.cloud_by_class[name] = lines.lines
        except InputError as error:
            self._refused(error)
            return np.zeros(self.shape), bought
        return np.asarray(costs.fte_owned + costs.fte_fabric + costs.fte_cloud), bought

    def _storage(self) -> Array:
        """Shared storage in each month, (S, M): as stated, else as the work on the plan's first machine asks. [TB]"""
        rules = self.scenario.operations
        if rules.storage_tb is not None:
            return np.full(self.shape, rules.storage_tb)
        needs = next((needs for slug, needs in self.requirements.items() if slug in self.machines), {})
        asked = [
            shared_tb(work, self.sizing.shape(work), needs[work.slug].required, rules)
            for work in self.sizing.workloads
            if work.slug in needs
        ]
        return np.asarray(sum(asked, np.zeros(self.shape)))

    def _power_for(self, work: Workload, machine: Machine) -> float:
        """Power that a workload would take on a machine: the running cost that differs between machines. [kW]"""
        gpus = float(self.requirements[machine.slug][work.slug].mean.max(initial=0.0))
        return gpus * machine.build.typical_kw / machine.base_cards

    def _needed(self, reference: dict[str, Requirement]) -> Array:
        """GPUs that planning asks for, on the plan's first machine; without one, on the reference hardware."""
        first = self.plan.start.build if self.plan.start else next(iter(self.requirements), "")
        needs = self.requirements.get(first, reference)
        return np.asarray(sum(need.required for need in needs.values()))


def _cannot_run(work: Workload, need: Requirement, machine: Machine, joined: bool) -> Finding | None:
    """Why a machine cannot run a workload, or None: memory first, then deadline (model.md 2 and 3).

    A growing model is judged by its first month; when it outgrows the machine later is found by the month.
    """
    facts = {"workload": work.slug, "item": machine.slug, "server_gpus": machine.server_gpus}
    if not runs_software(work, machine.accelerator):
        return _other_software(work, machine.accelerator)
    if not need.fits:
        return Finding("memory", 0, {**facts, "needed_gpus": None})
    gang = need.gang if need.gang_by_month is None else int(need.gang_by_month[0])
    if joined or gang <= machine.server_gpus:
        return None
    memory = need.gang_memory if need.memory_by_month is None else int(need.memory_by_month[0])
    by = "memory" if memory > machine.server_gpus else "deadline"
    deadline = need.gang_deadline if need.gang_by_month is None else gang
    return Finding(by, 0, {**facts, "needed_gpus": memory if by == "memory" else deadline})


def _other_software(work: Workload, hardware: Accelerator) -> Finding:
    facts = {"workload": work.slug, "item": hardware.slug, "framework": work.framework}
    return Finding("wrong_software", 0, {**facts, "software_stack": hardware.software_stack})
