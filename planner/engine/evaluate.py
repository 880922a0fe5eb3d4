"""Scenario + price book → evaluation: each module of the engine in its order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from planner.engine import workload as formulas
from planner.engine.allocation import Allocation, allocate
from planner.engine.calendar import Array, calendar_for
from planner.engine.cliff import cliffs
from planner.engine.costs import AfterTax, Books, PlanCosts, category_of, contract_of, write_cloud, write_owned
from planner.engine.demand import Machine, Requirement, Sizing, in_condition, machine_for, power_share
from planner.engine.eligibility import judge_eligibility, runs_software, tell_of_precision
from planner.engine.findings import foreign_schedules, judge, stale_prices
from planner.engine.fleet import Fleet, simulate
from planner.engine.generations import bought_in, with_generations
from planner.engine.housing import Housing, house
from planner.engine.inputs import Plan, Scenario, ServingWorkload, Workload
from planner.engine.lines import CATEGORIES, FINANCING, Ledger, Line, minor_unit, switched_on
from planner.engine.links import Link, link_of
from planner.engine.moves import tell_of_moves
from planner.engine.orders import orders_of
from planner.engine.prices import Accelerator, CloudOffer, MissingRate, PriceBook
from planner.engine.quantities import InputError, Problem
from planner.engine.quote_terms import broken_terms
from planner.engine.repairs import Repairs, repairs_of
from planner.engine.result import Evaluation, Finding, Order, PlanResult
from planner.engine.storage import host_gb, local_tb, shared_gb_s, shared_tb
from planner.engine.tenders import tender_of, tendered
from planner.engine.unsold import unsold
from planner.engine.wiring import Network, network_for

__all__ = ["Evaluation", "Finding", "Order", "PlanResult", "evaluate"]

SLACK = 1e-9
FAILURES = "failures"  # what is left out where a scenario counts none: no category of its own
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
    on = lines_on(scenario, book)
    plans = [_planned(plan, books, sizing, on, lead_case) for plan in scenario.plans]
    left_out = [name for name in CATEGORIES if name not in on | FINANCING]  # without a contract there is no such cost
    if not scenario.reliability.counted:
        left_out.append(FAILURES)
    warnings = [*stale_prices(scenario, plans), *foreign_schedules(scenario, book)]
    return Evaluation(scenario, book, calendar, plans, left_out, warnings, pinned)


def _planned(plan: Plan, books: Books, sizing: Sizing, on: frozenset[str], lead_case: int) -> PlanResult:
    """One plan, its tenders included."""
    tender = tender_of(books.scenario, books, lead_case)
    if tender is None:
        return _PlanRun(plan, books, sizing, on, lead_case).result()
    return tendered(books, tender, lambda days: _PlanRun(plan, books, sizing, on, lead_case, days).result())


def _due(scenario: Scenario, book: PriceBook) -> frozenset[str]:
    """Lines that are off by default and that a contract names or a plan states."""
    named = {
        "opex.demand_charge": any(contract_of(site, book).charges_demand for site in scenario.sites),
        "opex.cloud_data": any(plan.overflow is not None and plan.overflow.states_data for plan in scenario.plans),
    }
    named |= {category_of(terms, book): True for terms in scenario.operations.subscriptions}
    return frozenset(name for name, found in named.items() if found)


def owed(scenario: Scenario, book: PriceBook) -> frozenset[str]:
    """Lines that are off by default and computed because a contract names them, without a word of the document."""
    return _due(scenario, book) - scenario.lines.keys()


def lines_on(scenario: Scenario, book: PriceBook) -> frozenset[str]:
    """Lines that are computed: what a contract names or a plan states is owed unless the document switches it off."""
    financed = any(plan.financing.kind != "cash" for plan in scenario.plans)
    chosen = switched_on(scenario.lines, financed=financed, after_tax=scenario.finance.after_tax)
    return chosen | {name for name in _due(scenario, book) if scenario.lines.get(name, True)}


@dataclass
class _PlanRun:
    """One plan on its way through the engine: sizing → orders → room → allocation → lines → findings."""

    plan: Plan
    books: Books
    sizing: Sizing
    on: frozenset[str]
    lead_case: int
    tender_days: Array | None = None  # (M,), by the month of an order [d]
    machines: dict[str, Machine] = field(default_factory=dict)
    requirements: dict[str, dict[str, Requirement]] = field(default_factory=dict)
    problems: list[Finding] = field(default_factory=list)
    refused: list[Finding] = field(default_factory=list)  # why owned machines cannot run what is rented
    joined: bool = False  # whether the servers share a fabric
    no_offer: Finding | None = None
    offers_by_class: dict[str, CloudOffer | None] = field(default_factory=dict)
    cloud_by_class: dict[str, list[Line]] = field(default_factory=dict)
    stranded: dict[str, Array] = field(default_factory=dict)
    repairs: dict[str, Repairs] = field(default_factory=dict)
    costs: PlanCosts | None = None
    taxes: AfterTax | None = None

    @property
    def scenario(self) -> Scenario:
        return self.books.scenario

    @property
    def commissioning_days(self) -> float:
        """Days from delivery to service, those of the fabric included."""
        return self.books.commissioning_days + (self.plan.fabric.commissioning_days if self.joined else 0.0)

    @property
    def shape(self) -> tuple[int, int]:
        return (1, self.books.calendar.months)

    def result(self) -> PlanResult:
        """Everything about the plan; what it cannot do is a finding. Raises MissingRate."""
        reference = {work.slug: self.sizing.reference(work) for work in self.sizing.workloads}
        self._size_machines()
        joined = self.joined = self._joined()
        usable = self._usable(joined)
        fleet = self._fleet(usable)
        self.problems.extend(unsold(fleet, self.scenario))
        network = self._network(fleet) if joined and fleet.holdings else None
        offer, offered = self._offer()
        allocation, housing, lost = self._place(fleet, network, reference, usable, offered)
        if self.no_offer is not None and (allocation.unmet > 0).any():
            self.problems.append(self.no_offer)
        ledger = Ledger(self.shape, self.on, minor_unit(self.scenario.currency))
        fte = self._write(ledger, fleet, network, housing, allocation, offer)
        bought = self.costs.bought if self.costs is not None else []
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
            warnings=self.refused,
            requirements=self.requirements,
            fte=fte,
            commissioning_days=self.commissioning_days,
            cloud_by_class=self.cloud_by_class,
            stranded=self.stranded,
            repairs=self.repairs,
            costs=self.costs,
            taxes=self.taxes,
            reference=reference,
            tender_days=np.zeros(self.scenario.months) if self.tender_days is None else self.tender_days,
        )
        result.orders = orders_of(result, bought)
        result.warnings.extend(cliffs(result, self.scenario, bought))
        result.warnings.extend(self._limits_doubted())
        result.warnings.extend(broken_terms(bought, network, self.books))
        judge_eligibility(result, self.scenario)
        tell_of_precision(result, self.scenario, self.books.book)
        judge(result, self.scenario, self.books, lost)
        tell_of_moves(result, self.scenario)
        return result

    def _refused(self, error: InputError) -> None:
        """Turn what the plan asks for and cannot have into findings; a missing exchange rate stops everything."""
        if isinstance(error, MissingRate):
            raise error
        condition = self.plan.condition.kind
        for problem in error.problems:
            facts = {"item": str(problem.value), "field": "/".join(problem.path)}
            if problem.code == "no_quote" and condition != "new" and problem.value in self.machines:
                facts["condition"] = condition
            self.problems.append(Finding(problem.code, None, facts))

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
                machine = machine_for(self.books.book, slug, self._power_limit())
                machine = in_condition(machine, plan.condition)
                self._check_start(machine)
                filled, link = self._fills(machine), self._link(machine)
                self.requirements[slug] = {
                    work.slug: self.sizing.on_machine(work, machine, filled, link) for work in self.sizing.workloads
                }
                self.machines[slug] = machine
            except InputError as error:
                self._refused(error)
        if len(self.machines) < len(slugs):  # a plan one of whose builds is unknown cannot be half simulated
            self.machines.clear()
            self.requirements.clear()

    def _power_limit(self) -> float | None:
        """Power limit of every GPU that the plan owns. [W]"""
        own = self.plan.gpu_power_limit_w
        return self.scenario.operations.gpu_power_limit_w if own is None else own

    def _limits_doubted(self) -> list[Finding]:
        """Cards whose own power is not known, on which a power limit does nothing, and limits below all measured."""
        limit, found = self._power_limit(), list[Finding]()
        if limit is None:
            return found
        cards = {each.accelerator.slug: each.accelerator for each in self.machines.values()}
        for slug, card in sorted(cards.items()):
            if not card.tdp_w:
                found.append(Finding("power_limit_unknown", None, {"item": slug, "limit_w": limit}))
            elif not formulas.limit_measured(power_share(card, limit)):
                facts = {"item": slug, "limit_w": limit, "nameplate_w": card.tdp_w}
                found.append(Finding("power_limit_low", None, facts))
        return found

    def _link(self, machine: Machine) -> Link | None:
        """The network over which jobs larger than a server run; None where the plan has none for them."""
        fabric = self.plan.fabric
        return None if fabric.when == "never" else link_of(fabric, machine.build, self.books.book)

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
                refusal = _cannot_run(work, need, machine, joined, self.plan.fabric.network)
                if refusal is None:
                    able.append((machine, need.where_it_runs(machine.server_gpus, joined=joined)))
                else:
                    refusals.append(refusal)
            usable[work.slug] = able
            if not able and self.plan.overflow is None:
                self.problems.extend(refusals)
            elif not able:  # all of it is rented; what no number of these machines could do is said all the same
                self.refused.extend(
                    found
                    for found in refusals
                    if found.code == "wrong_software" or found.facts.get("needed_gpus", 0) is None
                )
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
            commissioning_days=self.commissioning_days,
            lead_case=self.lead_case,
            tender_days=self.tender_days,
        )

    def _network(self, fleet: Fleet) -> Network | None:
        try:
            return network_for(self.plan, fleet, self.books, self._storage_gb_s())
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
        if self.scenario.reliability.counted:
            self.repairs = {
                holding.machine.slug: repairs_of(holding, self.scenario.reliability) for holding in fleet.holdings
            }
        away = {slug: repairs.under_repair for slug, repairs in self.repairs.items()}
        allocation = allocate(order, reference, usable, installed, offered, under_repair=away)
        housing = house(self.plan, self.scenario, fleet, allocation.used, network, self.shape)
        if (housing.held < 1.0 - SLACK).any():
            installed = {slug: cards * housing.held for slug, cards in installed.items()}
            away = {slug: cards * housing.held for slug, cards in away.items()}
            allocation = allocate(order, reference, usable, installed, offered, under_repair=away)
        if not (housing.slowed < 1.0 - SLACK).any():
            return allocation, housing, 0.0
        running = {slug: cards * housing.slowed for slug, cards in installed.items()}
        away = {slug: cards * housing.slowed for slug, cards in away.items()}
        slowed = allocate(order, reference, usable, running, offered, installed=installed, under_repair=away)
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
    ) -> Array:
        """Write the lines; returns the staff the fleet needs, (S, M) [FTE]."""
        try:
            storage, within = self._storage(), self._in_servers()
            costs = PlanCosts(
                self.plan, self.books, fleet, network, housing, allocation, ledger, storage, self.repairs, within
            )
            self.costs = costs
            write_owned(costs)
            own, taxes = list(ledger.lines), AfterTax(costs)
            self.taxes = taxes
            if offer is not None and self.plan.overflow is not None:
                data = np.where(costs.hosts > 0, 0.0, storage)  # owned storage serves rented machines too
                write_cloud(self.plan, self.books, allocation.rented, offer, ledger, data)
                for name in PROVIDER_CLASSES:
                    other = self.books.offer(self.plan, name) if self.plan.overflow.offer is None else offer
                    self.offers_by_class[name] = other
                    if other is not None:
                        lines = Ledger(self.shape, self.on, ledger.decimals)
                        lines.lines = list(own)
                        write_cloud(self.plan, self.books, allocation.rented, other, lines, data)
                        taxes.write(lines)
                        self.cloud_by_class[name] = lines.lines[len(own) :]
            taxes.write(ledger)
        except InputError as error:
            self._refused(error)
            return np.zeros(self.shape)
        return np.asarray(costs.fte_owned + costs.fte_fabric + costs.fte_cloud)

    def _storage(self) -> Array:
        """Shared storage in each month, (S, M): as stated, else as the work on the plan's first machine asks. [TB]

        What is bought must be large enough and fast enough.
        """
        rules = self.scenario.operations
        if rules.storage_tb is not None:
            return np.full(self.shape, rules.storage_tb)
        needs = next((needs for slug, needs in self.requirements.items() if slug in self.machines), {})
        needs = needs or self.requirements.get("offer", {})
        asked = [
            shared_tb(work, self.sizing.shape(work), needs[work.slug].required, rules)
            for work in self.sizing.workloads
            if work.slug in needs
        ]
        held = np.asarray(sum(asked, np.zeros(self.shape)))
        return np.where(held > 0.0, np.maximum(held, self._storage_gb_s() / rules.shared_gb_s_per_tb), 0.0)

    def _storage_gb_s(self) -> float:
        """Speed of shared storage that the most demanding work asks for. [GB/s]"""
        rules = self.scenario.operations
        return max(shared_gb_s(work, self.sizing.shape(work), rules) for work in self.sizing.workloads)

    def _in_servers(self) -> dict[str, tuple[float, float]]:
        """By machine, the (host memory [GB], fast local storage [TB]) that its work asks for in each server."""
        rules = self.scenario.operations
        found = {}
        for slug, machine in self.machines.items():
            works = [work for work in self.sizing.workloads if self.requirements[slug][work.slug].fits]
            memory = machine.accelerator.memory_gb or 0.0
            found[slug] = (
                max((host_gb(work, memory, machine.slots, rules) for work in works), default=0.0),
                max((local_tb(work, self.sizing.shape(work), machine.slots, rules) for work in works), default=0.0),
            )
        return found

    def _power_for(self, work: Workload, machine: Machine) -> float:
        """Power that a workload would take on a machine: the running cost that differs between machines. [kW]"""
        gpus = float(self.requirements[machine.slug][work.slug].mean.max(initial=0.0))
        return gpus * machine.build.typical_kw / machine.base_cards

    def _needed(self, reference: dict[str, Requirement]) -> Array:
        """GPUs that planning asks for, on the plan's first machine; without one, on the reference hardware."""
        first = self.plan.start.build if self.plan.start else next(iter(self.requirements), "")
        needs = self.requirements.get(first, reference)
        return np.asarray(sum(need.required for need in needs.values()))


def _cannot_run(work: Workload, need: Requirement, machine: Machine, joined: bool, network: str) -> Finding | None:
    """Why a machine cannot run a workload, or None: memory first, then deadline (model.md 2 and 3).

    A growing model is judged by its first month; when it outgrows the machine later is found by the month.
    """
    facts = {"workload": work.slug, "item": machine.slug, "server_gpus": machine.server_gpus}
    if not runs_software(work, machine.accelerator):
        return _other_software(work, machine.accelerator)
    if need.sizes is not None:
        asked = work.replica_gpus if isinstance(work, ServingWorkload) else None
        inside = [size for size in need.sizes if size <= machine.server_gpus]
        sizes = inside or list(need.sizes)
        return Finding("replica_size", 0, {**facts, "gpus": asked, "sizes": sizes, "needed_gpus": None})
    if not need.fits:
        return Finding("memory", 0, {**facts, "needed_gpus": None})
    if not need.in_time:
        return Finding("deadline", 0, {**facts, "needed_gpus": None, "network": network})
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
