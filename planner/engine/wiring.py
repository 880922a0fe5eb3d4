"""The fabric of a plan: which servers it joins, what it needs, what it costs, wave by wave."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from planner.engine.calendar import Array
from planner.engine.discounts import Taken, taken
from planner.engine.fabric import Wiring, wire
from planner.engine.fleet import Fleet, Holding
from planner.engine.inputs import Fabric, Plan
from planner.engine.lines import Ledger
from planner.engine.prices import Item, NoQuote, Source
from planner.engine.quantities import InputError, Problem

if TYPE_CHECKING:
    from planner.engine.costs.books import Books

DEFAULT_SWITCH = "qm9700"
LINK_COST = {400: "cable-400g-link", 800: "cable-800g-link"}


@lru_cache(maxsize=4096)
def _wired(nodes: int, rails: int, radix: int, asked: Fabric) -> Wiring:
    return wire(
        nodes,
        rails,
        radix,
        oversubscription=asked.oversubscription,
        even_links=asked.spread == "even",
        rails_apart=asked.topology == "rail_only",
    )


@dataclass
class Network:
    """A fabric over the horizon. Arrays (S, M)."""

    switch: Item
    rails: int
    switches_bought: Array
    links_bought: Array
    switches: Array  # in service
    switch_price: Array
    link_price: Array
    labour_price: Array
    link_slug: str
    source: Source
    link_source: Source
    labour_source: Source
    kw_max: Array
    kw_typical: Array
    final: Wiring
    factors: dict[str, float] = field(default_factory=dict)
    discounts: list[Taken] = field(default_factory=list)  # on the switches

    @property
    def goods(self) -> Array:
        """Price paid for switches and links by month of order; pulling the cables is a service and no value."""
        off = sum((each.amount for each in self.discounts), np.zeros(self.switches_bought.shape))
        return np.asarray(self.switches_bought * self.switch_price - off + self.links_bought * self.link_price)

    def write(self, ledger: Ledger, plan: Plan) -> None:
        drivers = tuple(
            f"plans/{plan.slug}/fabric/{name}" for name in ("when", "topology", "oversubscription", "spread")
        )
        ledger.add(
            "capex.fabric",
            "switch",
            self.switches_bought,
            "switch",
            self.switch_price,
            self.source,
            "fabric_switches",
            item=self.switch.slug,
            factors=self.factors,
            drivers=drivers,
        )
        for each in self.discounts:
            each.write(ledger, "capex.fabric")
        ledger.add(
            "capex.fabric",
            "link",
            self.links_bought,
            "link",
            self.link_price,
            self.link_source,
            "fabric_links",
            item=self.link_slug,
            factors=self.factors,
            drivers=drivers,
        )
        ledger.add(
            "capex.fabric",
            "link_labour",
            self.links_bought,
            "link",
            self.labour_price,
            self.labour_source,
            "fabric_links",
            item="cabling-labour-link",
            factors=self.factors,
            drivers=drivers,
        )


def _after_delivery(holding: Holding) -> Array:
    """Servers in service once what is ordered in a month has arrived, (S, M)."""
    months = holding.shape[1]
    return holding.hosts[:, np.minimum(np.arange(months) + holding.lead, months - 1)]


def network_for(plan: Plan, fleet: Fleet, books: Books) -> Network:
    """Wire a plan's servers: a pair of switches while ports suffice, else a rail-optimised tree; grown wave by wave.

    Raises InputError where the servers have no fabric ports, NoQuote where the switch has no price.
    """
    rails = max((holding.machine.build.fabric_ports for holding in fleet.holdings), default=0)
    speed = max((holding.machine.build.fabric_port_gbps for holding in fleet.holdings), default=0.0)
    if rails == 0:
        raise InputError(
            Problem(
                ("plans", plan.slug, "fabric"),
                "no_fabric_ports",
                fleet.holdings[0].machine.slug if fleet.holdings else "",
            )
        )
    slug = plan.fabric.switch or DEFAULT_SWITCH
    switch = books.book.items.get(slug)
    if switch is None or not switch.ports:
        raise NoQuote(slug)
    if switch.typical_kw is None and switch.max_kw is None:
        raise InputError(Problem(("plans", plan.slug, "fabric", "switch"), "unknown_power", slug))
    _price, source = books.price(slug, switch.price)
    link_slug = LINK_COST.get(int(speed), LINK_COST[400])
    link, link_source = books.cost(link_slug)
    labour, labour_source = books.cost("cabling-labour-link")

    shape = fleet.holdings[0].shape
    present = sum((holding.hosts for holding in fleet.holdings), np.zeros(shape))
    # ports are bought with the order of the servers that use them; a server that replaces another takes its ports
    nodes = np.maximum.accumulate(
        np.maximum(present, sum(map(_after_delivery, fleet.holdings), np.zeros(shape))), axis=1
    )
    if plan.fabric.final_nodes:
        nodes = np.where(nodes > 0, np.maximum(nodes, plan.fabric.final_nodes), 0.0)

    count, links = np.zeros(nodes.shape), np.zeros(nodes.shape)
    for number in np.unique(nodes):
        if number > 0:
            wired = _wired(int(number), rails, switch.ports, plan.fabric)
            count[nodes == number] = wired.switches
            links[nodes == number] = wired.links
    bought = np.clip(np.diff(count, axis=1, prepend=0.0), 0.0, None)
    links_bought = np.clip(np.diff(links, axis=1, prepend=0.0), 0.0, None)
    running = np.where(present > 0, count, 0.0)
    final = _wired(max(1, int(nodes.max())), rails, switch.ports, plan.fabric)
    typical = switch.typical_kw if switch.typical_kw is not None else switch.max_kw or 0.0
    maximum = switch.max_kw if switch.max_kw is not None else typical
    rest = books.paths["rest"]
    switch_price = np.asarray(books.price_at(slug, switch.price, bought) * rest)
    return Network(
        switch=switch,
        rails=rails,
        switches_bought=bought,
        links_bought=links_bought,
        switches=running,
        switch_price=switch_price,
        link_price=link * rest,
        labour_price=labour * books.paths["wages"],
        link_slug=link_slug,
        source=source,
        link_source=link_source,
        labour_source=labour_source,
        kw_max=running * maximum,
        kw_typical=running * typical,
        final=final,
        factors={
            "nodes": float(nodes.max()),
            "rails": float(rails),
            "ports": float(switch.ports),
            "leaf": float(final.leaf),
            "spine": float(final.spine),
        },
        discounts=taken(slug, switch.price, bought * switch_price, books),
    )
