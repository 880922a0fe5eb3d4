"""Purchase rules → orders, deliveries, GPUs in service, month by month.

All arrays are (S, M). Counts are chassis ("hosts") and GPUs ("cards"); without an add-on the cards are built in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from planner.engine.calendar import Array, lead_in_months
from planner.engine.demand import Machine, Requirement
from planner.engine.generations import bought_in, successors
from planner.engine.inputs import Plan, Scenario
from planner.engine.rounding import SLACK
from planner.engine.workload import stranded_gpus

DEFAULT_MIN_SERVICE = 18  # months, where an overflow offer can bridge instead (model.md 3)


def survivors(arrived: Array, retired: Array, month: int) -> Array:
    """(S, month + 1): of each month's arrivals, how many are there at the end of `month`; oldest leave first."""
    come = np.cumsum(arrived[:, : month + 1], axis=1)
    gone = np.sum(retired[:, : month + 1], axis=1, keepdims=True)
    return np.asarray(np.clip(come - gone, 0.0, arrived[:, : month + 1]))


@dataclass
class Holding:
    """One kind of machine in one plan.

    ordered_* : by the month of order, which is the month of payment.
    arrived_* : by the month of service.
    retired_* : by the month in which they leave.
    hosts, cards : in service in each month.
    renewed_hosts/cards : the part of `ordered_*` that replaces retired ones like for like.
    inside : cards that sit in the chassis that arrived in each month, as far as the months have been walked.
    added  : cards of each month's arrivals that go into slots of older chassis.
    """

    machine: Machine
    shape: tuple[int, int]
    leads: npt.NDArray[np.int64]  # (M,): months from order to service, by the month of the order
    ordered_hosts: Array = field(init=False)
    ordered_cards: Array = field(init=False)
    arrived_hosts: Array = field(init=False)
    arrived_cards: Array = field(init=False)
    retired_hosts: Array = field(init=False)
    retired_cards: Array = field(init=False)
    renewed_hosts: Array = field(init=False)
    renewed_cards: Array = field(init=False)
    inside: Array = field(init=False)
    added: Array = field(init=False)
    first_hosts: int = 0
    first_cards: int = 0

    def __post_init__(self) -> None:
        for name in (
            "ordered_hosts",
            "ordered_cards",
            "arrived_hosts",
            "arrived_cards",
            "retired_hosts",
            "retired_cards",
            "renewed_hosts",
            "renewed_cards",
            "inside",
            "added",
        ):
            setattr(self, name, np.zeros(self.shape))

    @property
    def lead(self) -> int:
        """Months from an order in the first month to its service."""
        return int(self.leads[0])

    @property
    def hosts(self) -> Array:
        return np.cumsum(self.arrived_hosts - self.retired_hosts, axis=1)

    @property
    def cards(self) -> Array:
        return np.cumsum(self.arrived_cards - self.retired_cards, axis=1)

    def stranded(self, needs: Iterable[Requirement]) -> Array:
        """GPUs in service that serve nothing, (S, M): left over where all work comes in whole replicas."""
        replica = min((need.replica for need in needs), default=1)
        return np.asarray(stranded_gpus(np.clip(self.cards, 0.0, None), self.machine.slots, replica))

    def buy(self, order_month: int, service_month: int, hosts: Array, cards: Array, added: Array | float = 0.0) -> None:
        """Record a purchase, `added` of whose cards go into free slots; no rule delivers past the horizon."""
        self.ordered_hosts[:, order_month] += hosts
        self.ordered_cards[:, order_month] += cards
        self.arrived_hosts[:, service_month] += hosts
        self.arrived_cards[:, service_month] += cards
        self.added[:, service_month] += added

    def receive(self, inside: Array, month: int, oldest: int) -> None:
        """Put what arrives in a month into `inside`: into its own chassis, the rest into free slots, oldest first.

        oldest : month of arrival of the oldest chassis still there.
        """
        renewed = self.renewed_cards[:, month]  # in place already
        inside[:, month] += self.arrived_cards[:, month] - renewed - self.added[:, month]
        if self.added[:, month].any():
            present = slice(oldest, month + 1)
            free = np.clip(self.arrived_hosts[:, present] * self.machine.slots - inside[:, present], 0.0, None)
            before = np.cumsum(free, axis=1) - free
            inside[:, present] += np.clip(self.added[:, month, None] - before, 0.0, free)

    def at(self, month: int, now: int, life: int | None) -> tuple[Array, Array]:
        """(servers, cards) there in `month` by what is ordered so far: orders under way counted, leavers not, (S,).

        now  : the month up to whose start `inside` has been walked.
        life : months after which a chassis leaves with its cards for good; None where it stays or is renewed.
        """
        if life is None or month < life:
            hosts = self.arrived_hosts.sum(axis=1) - self.retired_hosts.sum(axis=1)
            return hosts, self.arrived_cards.sum(axis=1) - self.retired_cards.sum(axis=1)
        inside = self.inside.copy()
        for step in range(now, month + 1):
            oldest = max(0, step - life + 1)
            inside[:, :oldest] = 0.0
            self.receive(inside, step, oldest)
        return self.arrived_hosts[:, max(0, month - life + 1) : month + 1].sum(axis=1), inside.sum(axis=1)


@dataclass
class Fleet:
    """All machines of a plan."""

    holdings: list[Holding]
    follow_lead: int
    due_at_start: bool = False  # growth makes the next order due in month 0

    def capacity(self) -> Array:
        """GPUs in service, over all kinds."""
        return np.asarray(sum(holding.cards for holding in self.holdings))


def lead_months(
    plan: Plan, machine: Machine, commissioning_days: float, which: int = 1, tender_days: float = 0.0
) -> int:
    """Months from order to service of a follow-up; `which` picks the low, likely or high lead time.

    tender_days : before the supplier is asked to deliver; they add to a plan's own lead time too.
    """
    if plan.lead_months is not None:
        return plan.lead_months + lead_in_months(0.0, tender_days)
    return lead_in_months(machine.build.lead_weeks[which], commissioning_days + tender_days)


def simulate(
    plan: Plan,
    machines: dict[str, Machine],
    needs: dict[str, Array],
    *,
    scenario: Scenario,
    commissioning_days: float,
    trials: int = 1,
    lead_case: int = 1,
    tender_days: Array | None = None,
) -> Fleet:
    """Run a plan's purchase rules over the horizon (model.md 3).

    machines : by build slug, those the plan may buy.
    needs    : by build slug, GPUs of that machine that planning asks for in each month, (S, M).
    tender_days : (M,), days that a tender takes before delivery, by the month of the order; None: none. [d]
    """
    months = scenario.months
    shape = (trials, months)
    before = np.zeros(months) if tender_days is None else tender_days
    holdings: dict[str, Holding] = {}
    for slug, machine in machines.items():
        leads = {days: lead_months(plan, machine, commissioning_days, lead_case, days) for days in set(before.tolist())}
        holdings[slug] = Holding(machine, shape, np.array([leads[days] for days in before.tolist()]))

    if plan.start is not None:
        first = holdings[plan.start.build]
        first.first_hosts = plan.start.quantity
        first.first_cards = plan.start.cards or plan.start.quantity * first.machine.base_cards
        first.buy(0, 0, np.full(trials, float(first.first_hosts)), np.full(trials, float(first.first_cards)))

    rule = plan.follow_up
    bought = bought_in(plan, scenario)
    target = holdings.get(bought[0]) if rule.kind != "none" else None
    minimum = rule.min_service_months
    if minimum is None:
        minimum = DEFAULT_MIN_SERVICE if plan.overflow is not None else 0
    life = plan.service_months
    waves = {wave.month: wave.quantity for wave in rule.waves} if rule.kind == "schedule" else {}
    fleet = Fleet(list(holdings.values()), target.lead if target else 0)
    shares = {slug: _shares(needs, holding) for slug, holding in holdings.items()} if len(holdings) > 1 else {}

    renew = plan.end_of_life.then == "renew"
    leave = None if renew or life >= months else life
    for m in range(months):
        if m:
            for holding in fleet.holdings:  # what came last month
                holding.receive(holding.inside, m - 1, max(0, m - life))
                if m >= life:
                    after = holdings[bought[m]] if renew and _succeeds(holding, bought[m], scenario) else holding
                    _retire(holding, m, life, renew=renew, after=after, worth=shares.get(after.machine.slug))
        if target is None:
            continue
        target = holdings[bought[m]]
        share = shares.get(target.machine.slug)
        if rule.kind == "schedule":
            if m in waves and m + target.leads[m] < months:
                _order(target, m, np.full(trials, float(waves[m])), leave, whole_servers=True)
            continue
        delivery = m + int(target.leads[m])
        if delivery >= months or months - delivery < minimum:
            continue
        short = np.zeros(trials)
        for month in range(delivery, max(delivery, _next_delivery(target, m) - 1) + 1):
            need = needs[target.machine.slug][:, month]
            missing = np.where(np.isfinite(need), need, 0.0) - _owned(fleet, target, month, m, share, leave)
            short = np.maximum(short, np.where(missing > SLACK, missing, 0.0))
        if not short.any():
            continue
        if m == 0:
            fleet.due_at_start = True
        step = rule.batch * (1 if rule.kind == "cards" else target.machine.base_cards)
        batches = np.ceil(short / step - SLACK)
        _order(target, m, batches * rule.batch, leave, whole_servers=rule.kind == "servers")
    return fleet


def _next_delivery(target: Holding, month: int) -> int:
    """The month in which what is ordered a month later would serve: what is needed before must be ordered now."""
    following = min(month + 1, target.shape[1] - 1)
    return min(month + 1 + int(target.leads[following]), target.shape[1])


def _shares(needs: dict[str, Array], target: Holding) -> dict[str, Array]:
    """What one GPU of each machine is worth in GPUs of the follow-up's machine, by the whole demand, (S, M)."""
    wanted = needs[target.machine.slug]
    worth = {}
    for slug, need in needs.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            worth[slug] = np.where((need > 0) & np.isfinite(need), wanted / np.where(need > 0, need, 1.0), 1.0)
    return worth


def _owned(
    fleet: Fleet, target: Holding, month: int, now: int, share: dict[str, Array] | None, leave: int | None
) -> Array:
    """GPUs, in those of the target, that will be in service in `month`: orders under way counted, leavers not."""
    total = np.zeros(target.shape[0])
    for holding in fleet.holdings:
        _hosts, cards = holding.at(month, now, leave)
        total += cards if share is None else cards * share[holding.machine.slug][:, month]
    return total


def _order(target: Holding, month: int, amount: Array, leave: int | None, *, whole_servers: bool) -> None:
    """Order `amount` servers, or cards into free slots first and then into new chassis with only the cards needed."""
    machine = target.machine
    added: Array | float = 0.0
    if whole_servers or machine.addon is None:
        hosts = amount if whole_servers else np.ceil(amount / machine.base_cards - SLACK)
        cards = hosts * machine.base_cards
    else:
        pack = machine.addon.pack
        cards = np.ceil(amount / pack - SLACK) * pack
        there, filled = target.at(month + int(target.leads[month]), month, leave)
        added = np.minimum(cards, np.clip(there * machine.slots - filled, 0.0, None))
        hosts = np.ceil((cards - added) / machine.slots - SLACK)
    target.buy(month, month + int(target.leads[month]), hosts, cards, added)


def _succeeds(holding: Holding, build: str, scenario: Scenario) -> bool:
    """Whether a build is of a later generation than a holding's."""
    return build in {coming.slug for coming in successors(holding.machine.slug, scenario)}


def _retire(
    holding: Holding, month: int, life: int, *, renew: bool, after: Holding, worth: dict[str, Array] | None
) -> None:
    """Chassis reach the end of their life with the cards in them; renewal buys the same again in that month, or as
    many servers of a later generation as do the same work.

    worth : what one GPU of each machine is worth in GPUs of `after`, (S, M).
    """
    hosts, cards = holding.arrived_hosts[:, month - life].copy(), holding.inside[:, month - life].copy()
    if not hosts.any():
        return
    holding.retired_hosts[:, month] += hosts
    holding.retired_cards[:, month] += cards
    holding.inside[:, month - life] = 0.0
    if not renew:
        return
    if after is not holding and worth is not None:
        wanted = cards * worth[holding.machine.slug][:, month]
        hosts = np.ceil(wanted / after.machine.base_cards - SLACK)
        cards = hosts * after.machine.base_cards
    after.buy(month, month, hosts, cards)
    after.renewed_hosts[:, month] += hosts
    after.renewed_cards[:, month] += cards
    after.inside[:, month] += cards


def total_need(requirements: list[Requirement]) -> Array:
    """GPUs of one machine that the whole demand asks for, (S, M)."""
    return np.asarray(sum(requirement.required for requirement in requirements))
