"""The figures that several cost lines of a plan share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from planner.engine.allocation import Allocation
from planner.engine.calendar import Array
from planner.engine.costs.books import CLOUD_FTE, MIN_FABRIC_FTE, STAFF_STEPS, Books
from planner.engine.costs.purchases import (
    Part,
    Purchases,
    Spare,
    arrive_by,
    parts_of,
    purchases,
    spares_bought,
    spread,
)
from planner.engine.finance import payment_shares
from planner.engine.fleet import Fleet
from planner.engine.housing import Housing, pue_of
from planner.engine.inputs import Plan, Scenario
from planner.engine.lines import Ledger
from planner.engine.repairs import Repairs
from planner.engine.wiring import Network


@dataclass
class PlanCosts:
    """Everything the lines of one plan are made of."""

    plan: Plan
    books: Books
    fleet: Fleet
    network: Network | None
    housing: Housing
    allocation: Allocation
    ledger: Ledger
    storage_tb: Array  # shared storage in place in each month, (S, M) [TB]
    repairs: dict[str, Repairs] = field(default_factory=dict)  # by build slug; empty where failures are not counted
    in_servers: dict[str, tuple[float, float]] = field(default_factory=dict)  # by build: host [GB], local flash [TB]
    bought: list[Purchases] = field(init=False)
    spares: list[Spare] = field(init=False)

    def __post_init__(self) -> None:
        self.bought = [purchases(holding, self.books) for holding in self.fleet.holdings]
        self.spares = []
        for bought, holding in zip(self.bought, self.fleet.holdings, strict=True):
            if holding.machine.slug in self.repairs:
                spares = spares_bought(holding, self.repairs[holding.machine.slug], self.books)
                bought.at_once |= {spare.code: spare.at_once for spare in spares}
                self.spares += spares

    @cached_property
    def hosts(self) -> Array:
        """Servers in service, (S, M)."""
        return np.zeros(self.ledger.shape) + sum(holding.hosts for holding in self.fleet.holdings)

    @cached_property
    def new_hosts(self) -> Array:
        return np.zeros(self.ledger.shape) + sum(holding.ordered_hosts for holding in self.fleet.holdings)

    @cached_property
    def machines_paid(self) -> Array:
        """Money paid for machines in each month, (S, M)."""
        return np.zeros(self.ledger.shape) + sum(bought.paid for bought in self.bought)

    @cached_property
    def machines_arrived(self) -> Array:
        """The same money by the month in which the machines enter service; what comes after the horizon is not in."""
        return np.zeros(self.ledger.shape) + sum(
            bought.arrived_host_value + bought.arrived_card_value for bought in self.bought
        )

    @cached_property
    def machines_cash(self) -> Array:
        """The price of machines by the month in which the supplier is paid, (S, M); all is paid by the horizon."""
        return self.cash_of(self.machines_paid, self.machines_arrived)

    def cash_of(self, price: Array, arrived: Array) -> Array:
        """When a price is paid under the terms of the suppliers, (S, M); all by the horizon.

        price, arrived : by month of order and by month of delivery, (S, M).
        """
        terms = self.scenario.finance.payment
        if terms.on_order >= 1.0 and terms.bill_months == 0:
            return price
        later = 1.0 - terms.on_order
        cash = price * terms.on_order
        if later > 0.0:
            delivered, kept = (min(1.0, share / later) for share in (terms.on_delivery, terms.retention))
            accepted = max(0.0, 1.0 - delivered - kept)
            when = (0, 0, terms.acceptance_months, terms.retention_months)
            shares = payment_shares(0.0, delivered, accepted, kept, when)
            cash = cash + spread(arrived, shares) * later
        if terms.bill_months:
            cash = spread(cash, np.ones(1), terms.bill_months)
        cash[:, -1] += (price - cash).sum(axis=1)
        return np.asarray(cash)

    @cached_property
    def parts(self) -> list[tuple[str, Part]]:
        """(build, part): chassis and cards of all machines."""
        curves = self.scenario.market.residual
        return [
            (bought.machine.build.slug, part)
            for bought, holding in zip(self.bought, self.fleet.holdings, strict=True)
            for part in parts_of(bought, holding, curves)
        ]

    def owned(self, month: int, *, at_horizon: bool = False) -> Array:
        """(month + 1,): share that is the plan's own in a month, of what arrived in each before; a lessor's is not.

        at_horizon : what a contract still owes has been settled, and the machine bought where that was agreed.
        """
        terms = self.plan.financing
        if terms.kind != "lease":
            return np.ones(month + 1)
        buys = terms.at_end == "buy_out"
        age = month - np.arange(month + 1)
        mine = (age >= terms.term_months) | at_horizon if buys else np.zeros(month + 1, dtype=bool)
        return np.where(mine, 1.0, 1.0 - terms.share)

    @cached_property
    def fabric_paid(self) -> Array:
        """Money paid for switches and links in each month, their labour apart, (S, M)."""
        return np.zeros(self.ledger.shape) + (self.network.goods if self.network is not None else 0.0)

    def delivered(self, price: Array) -> Array:
        """A price by month of order, by the month in which machines ordered with it come, (S, M); those of the start
        are there at once."""
        delays = np.max([holding.leads for holding in self.fleet.holdings], axis=0)
        delays[0] = 0
        found = np.zeros(price.shape)
        arrive_by(found, price, delays)
        return found

    @cached_property
    def fabric_cash(self) -> Array:
        """The price of switches and links by the month in which the supplier is paid, (S, M)."""
        if self.scenario.finance.payment.covers == "machines":
            return self.fabric_paid
        return self.cash_of(self.fabric_paid, self.delivered(self.fabric_paid))

    @cached_property
    def spares_paid(self) -> Array:
        """Money paid for spares in each month, (S, M)."""
        paid = np.zeros(self.ledger.shape) + sum(spare.quantity * spare.price for spare in self.spares)
        return np.asarray(paid if self.ledger.on("capex.spares") else 0.0 * paid)

    @property
    def owns(self) -> bool:
        return bool(self.new_hosts.any())

    @property
    def scenario(self) -> Scenario:
        return self.books.scenario

    def by_site(self, figure: dict[str, float]) -> Array:
        """(M,): a figure of the site in which the fleet stands in each month."""
        return np.array([figure[site.slug] for site in self.housing.site_of])

    @cached_property
    def metered_kw(self) -> Array:
        """IT draw whose energy is billed by the meter: all but that of colocation with power included. [kW]"""
        metered = {site.slug: float(not self.books.power_included(site)) for site in self.scenario.sites}
        return np.asarray(self.housing.draw * self.by_site(metered))

    @cached_property
    def pue(self) -> Array:
        """(M,): PUE of the site in each month."""
        return self.by_site({site.slug: pue_of(site) for site in self.scenario.sites})

    @cached_property
    def fte_owned(self) -> Array:
        """Staff for the servers in service: steps, then servers ÷ servers per FTE. [FTE]"""
        per_fte = self.scenario.operations.servers_per_fte
        if per_fte is not None:
            return np.asarray(self.hosts / per_fte)
        many = self.books.book.costs.get("staff-nodes-per-fte-small")
        fte = self.hosts / (many.likely if many else 20.0)
        for limit, share in reversed(STAFF_STEPS):
            fte = np.where(self.hosts <= limit, share, fte)
        return np.where(self.hosts > 0, fte, 0.0)

    @cached_property
    def fte_cloud(self) -> Array:
        """Staff of a plan that only rents, in the months in which it does. [FTE]"""
        rents = sum(self.allocation.rented.values(), np.zeros(self.ledger.shape))
        return np.where((self.fte_owned <= 0) & (rents > 0), CLOUD_FTE, 0.0)

    @cached_property
    def fte_fabric(self) -> Array:
        """Extra skill for a fabric: a share per 64 nodes, a quarter at least unless the document states it. [FTE]"""
        if self.network is None:
            return np.zeros(self.ledger.shape)
        row, own = (
            self.books.book.costs.get("staff-fabric-skill-fte"),
            self.scenario.operations.fabric_fte_per_64_servers,
        )
        share = own if own is not None else row.likely if row else 0.5
        least = MIN_FABRIC_FTE if own is None else 0.0
        return np.where(self.hosts > 0, np.maximum(least, share * self.hosts / 64.0), 0.0)
