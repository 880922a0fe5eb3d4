"""The networks of a plan's cluster: what joins its servers, what stands beside it, what it costs, wave by wave."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from planner.engine import fabric
from planner.engine.calendar import Array
from planner.engine.discounts import Taken, taken
from planner.engine.fabric import Wiring, wire
from planner.engine.fleet import Fleet, Holding
from planner.engine.inputs import Fabric, Plan
from planner.engine.lines import Ledger
from planner.engine.links import CLASSES, DEFAULT_SWITCH, Ports, ports_of, radix
from planner.engine.prices import Item, NoQuote, Source
from planner.engine.quantities import InputError, Problem

if TYPE_CHECKING:
    from planner.engine.costs.books import Books

LINK_COST = {400: "cable-400g-link", 800: "cable-800g-link"}
LABOUR = "cabling-labour-link"
# Fabric managers: a pair of appliances, which take four ports of leaves. Facility reference 1.4 (NVIDIA H100 bill).
MANAGER, MANAGERS, MANAGER_PORTS = "ufm-enterprise-ndr", 2, 4
# In-band network: a port of each server on each of two switches, links up to two more once a pair is full; 127 servers
# then take 8 switches, as in NVIDIA's H100 bill. Facility reference 1.4.
IN_BAND_SWITCH, IN_BAND_DOWN, IN_BAND_UP, IN_BAND_LINK = "sn4600c", 48, 8, "cable-100g-link"
OOB_SWITCH, OOB_LINK = "sn2201", "cable-1g-link"
# Power strips with a port for management: two for every four servers. Estimate.
STRIPS_PER_SERVER = 0.5
# Ports of a server on the storage network, and the least links to the storage. Facility reference 1.4.
STORAGE_PORTS, STORAGE_LINKS = 2, 2
# Codes of what is a cable, pulled by somebody.
LINKS = ("link", "storage_link", "in_band_link", "oob_link")
# Codes of what draws power, and is sold by quote.
DEVICES = ("switch", "storage_switch", "in_band_switch", "oob_switch", "manager")
# Codes of the goods of a network.
GOODS = frozenset({*LINKS, *DEVICES, "nic"})


def items_asked(asked: Fabric) -> set[str]:
    """Items that a fabric may be made of: what a price book must hold of switches and appliances."""
    own = asked.switch or (DEFAULT_SWITCH if asked.network == "ports" else CLASSES[asked.network].switch)
    beside = {MANAGER} if asked.ufm else set()
    if asked.in_band or (asked.storage_network and not _carries_storage(asked)):
        beside.add(IN_BAND_SWITCH)
    return {own} | beside | ({OOB_SWITCH} if asked.out_of_band else set())


def rows_asked(asked: Fabric) -> set[str]:
    """Rows of other costs that a fabric needs besides those every price book holds."""
    rows = {IN_BAND_LINK} if asked.in_band or asked.storage_network or asked.out_of_band else set()
    rows |= {OOB_LINK} if asked.out_of_band else set()
    if asked.network != "ports":
        rows |= {CLASSES[asked.network].link, CLASSES[asked.network].nic}
    if asked.cabling == "by_distance":
        rows |= {row for rows_of in MEDIUM_ROWS.values() for row in rows_of.values()}
    return rows - {""}


# ── Counts ──


@lru_cache(maxsize=4096)
def _wired(nodes: int, rails: int, ports: int, asked: Fabric) -> Wiring:
    if asked.network != "ports" and rails == 1 and nodes <= ports and not asked.ufm:
        return Wiring("single", 1, 0, 0, 1, nodes, 0, nodes, 2 * nodes)
    return wire(
        nodes,
        rails,
        ports,
        oversubscription=asked.oversubscription,
        ufm=MANAGER_PORTS if asked.ufm else 0,
        planes=asked.planes,
        even_links=asked.spread == "even",
        rails_apart=asked.topology == "rail_only",
    )


# Row of other costs of one link by what it is made of, by speed of the link [Gbit/s].
MEDIUM_ROWS: dict[int, dict[str, str]] = {
    100: {"dac": "cable-100g-dac", "aoc": "cable-100g-link", "optics": "cable-100g-link"},
    200: {"dac": "cable-200g-dac", "aoc": "cable-200g-link"},
    400: {
        "dac": "cable-400g-dac",
        "active_copper": "cable-400g-active",
        "multimode": "cable-400g-link",
        "single_mode": "cable-400g-single-mode",
    },
    800: {"active_copper": "cable-800g-link", "single_mode": "cable-800g-single-mode"},
}
FAMILY = {100: "HDR", 200: "HDR", 400: "NDR", 800: "XDR"}
OPTICAL = ("aoc", "multimode", "single_mode")


@dataclass(frozen=True)
class Cable:
    """One kind of link: its row of other costs, and the draw of an end in a switch."""

    row: str
    end_kw: float = 0.0


def _cable(asked: Fabric, ports: Ports, metres: float, path: tuple[str, ...]) -> Cable:
    """The link of a length; raises InputError `no_cable` where none of that speed reaches it."""
    row = LINK_COST.get(int(ports.gbps), LINK_COST[400]) if asked.network == "ports" else CLASSES[asked.network].link
    speed = min((step for step in FAMILY if step >= ports.gbps), default=max(FAMILY))
    if asked.cabling == "per_link" or ports.gbps < min(FAMILY):
        return Cable(row)
    try:
        medium = fabric.medium_for(metres, FAMILY[speed])
    except InputError:
        raise InputError(Problem(path, "no_cable", f"{speed}G, {metres:g} m")) from None
    watts = medium.watts_per_end or 0.0
    return Cable(MEDIUM_ROWS[speed][medium.name], watts / 1000.0 if medium.name in OPTICAL else 0.0)


def _carries_storage(asked: Fabric) -> bool:
    """Whether storage has the same switches as jobs; beside a plain Ethernet it has switches of 100G."""
    return asked.network == "ports" or CLASSES[asked.network].gbps >= 200.0


@dataclass(frozen=True)
class _Bill:
    """What a number of servers takes, by (code, item or row); and the draw of optics in switches. [kW]"""

    pieces: dict[tuple[str, str], int]
    optics_kw: float


@dataclass(frozen=True)
class _Kit:
    """What the bill of any number of servers is made from."""

    asked: Fabric
    ports: Ports
    radix: int
    leaf: Cable
    spine: Cable
    storage_switch: str
    storage_radix: int
    storage_links: int
    in_band_radix: int


@lru_cache(maxsize=4096)
def _bill(nodes: int, kit: _Kit) -> _Bill:
    asked, ports = kit.asked, kit.ports
    wired = _wired(nodes, ports.count, kit.radix, asked)
    pieces: Counter[tuple[str, str]] = Counter()
    pieces["switch", ports.switch] += wired.switches
    pieces["link", kit.leaf.row] += wired.endpoint_links
    pieces["link", kit.spine.row] += wired.switch_links
    if ports.missing:
        pieces["nic", CLASSES[ports.name].nic] += nodes * ports.missing
    if asked.ufm:
        pieces["manager", MANAGER] += MANAGERS
    if asked.storage_network:
        switches, links = _storage(nodes, kit)
        pieces["storage_switch", kit.storage_switch] += switches
        pieces["storage_link", IN_BAND_LINK if kit.storage_switch == IN_BAND_SWITCH else LINK_COST[400]] += links
    if asked.in_band:
        switches, links = _in_band(nodes, kit.in_band_radix)
        pieces["in_band_switch", IN_BAND_SWITCH] += switches
        pieces["in_band_link", IN_BAND_LINK] += links
    if asked.out_of_band:
        devices = sum(count for (code, _item), count in pieces.items() if code.endswith(("switch", "manager")))
        reached = nodes + devices + -(-nodes // int(1 / STRIPS_PER_SERVER))
        switches, up = fabric.out_of_band(reached)
        pieces["oob_switch", OOB_SWITCH] += switches
        pieces["oob_link", OOB_LINK] += reached
        pieces["oob_link", IN_BAND_LINK] += up
    optics = wired.endpoint_links * kit.leaf.end_kw + 2 * wired.switch_links * kit.spine.end_kw
    return _Bill({key: count for key, count in pieces.items() if count}, optics)


def _storage(nodes: int, kit: _Kit) -> tuple[int, int]:
    """(switches, links) of the storage network: a pair while its ports suffice, else leaves and spines."""
    ends = nodes * STORAGE_PORTS + kit.storage_links
    pair = fabric.spineless_pair(ends, 1, kit.storage_radix)
    if pair is not None:
        return pair[0], ends + pair[1]
    down = kit.storage_radix // 2
    found = fabric.storage_fabric(
        nodes, kit.storage_links, STORAGE_PORTS, down, -(-3 * down // 4), radix=kit.storage_radix
    )
    return found.fewest_switches, found.cables


def _in_band(nodes: int, ports: int) -> tuple[int, int]:
    """(switches, links) of the in-band network."""
    ends = int(fabric.in_band(nodes))
    if nodes <= ports - 1:  # a port joins the two
        return 2, ends + 1
    pairs = -(-nodes // IN_BAND_DOWN)
    return 2 * pairs + 2, ends + 2 * pairs * IN_BAND_UP


# ── Over the months ──


@dataclass
class Part:
    """One kind of goods of the networks, by month of order. Arrays (S, M)."""

    code: str
    item: str
    bought: Array
    unit: str
    price: Array
    source: Source
    formula: str
    today: float  # today's price in the first month that buys

    @property
    def service(self) -> bool:
        """Work of others, and no value."""
        return self.code == "link_labour"


@dataclass(frozen=True)
class Device:
    """Switches or appliances of one kind in racks. count : (S, M), of those that run; the rest is of each."""

    item: str
    count: Array
    units: float  # [U]
    kw: float  # maximum
    typical_kw: float  # without its optics


@dataclass
class Network:
    """The networks of a cluster over the horizon. Arrays (S, M).

    switches : rack units that they take.   devices : switches and appliances that draw power.
    racked   : the same devices by kind; their draws, with the optics in them, are kw_max and kw_typical.
    """

    switch: Item
    rails: int
    parts: list[Part]
    switches: Array
    devices: Array
    kw_max: Array
    kw_typical: Array
    racked: list[Device]
    final: Wiring
    factors: dict[str, float] = field(default_factory=dict)
    discounts: list[Taken] = field(default_factory=list)  # on switches and appliances

    @property
    def goods(self) -> Array:
        """Price paid for switches and links by month of order; pulling the cables is a service and no value."""
        off = sum((each.amount for each in self.discounts), np.zeros(self.switches.shape))
        return np.asarray(sum(part.bought * part.price for part in self.parts if not part.service) - off)

    def devices_bought(self) -> dict[str, tuple[Array, Array]]:
        """By item, (pieces, price of all of them) of the switches and appliances ordered in each month."""
        return _by_item(self.parts)

    def write(self, ledger: Ledger, plan: Plan) -> None:
        drivers = tuple(
            f"plans/{plan.slug}/fabric/{name}"
            for name in ("when", "network", "topology", "oversubscription", "spread", "cabling")
        )
        for part in self.parts:
            ledger.add(
                "capex.fabric",
                part.code,
                part.bought,
                part.unit,
                part.price,
                part.source,
                part.formula,
                item=part.item,
                factors={"price_today": part.today, **self.factors},
                drivers=drivers,
            )
        for each in self.discounts:
            each.write(ledger, "capex.fabric")


def _after_delivery(holding: Holding) -> Array:
    """Servers in service once what is ordered in a month has arrived, (S, M)."""
    months = holding.shape[1]
    return holding.hosts[:, np.minimum(np.arange(months) + holding.leads, months - 1)]


def network_for(plan: Plan, fleet: Fleet, books: Books, storage_gb_s: float = 0.0) -> Network:
    """Wire a plan's servers: a pair of switches while ports suffice, else a rail-optimised tree; grown wave by wave.

    storage_gb_s : speed of the shared storage, which sizes the links to it. [GB/s]
    Raises InputError where the servers have no ports for it, NoQuote where something has no price.
    """
    asked, kit = plan.fabric, _kit(plan, fleet, books, storage_gb_s)
    shape = fleet.holdings[0].shape
    present: Array = sum((holding.hosts for holding in fleet.holdings), np.zeros(shape))
    # ports are bought with the order of the servers that use them; a server that replaces another takes its ports
    nodes = np.maximum.accumulate(
        np.maximum(present, sum(map(_after_delivery, fleet.holdings), np.zeros(shape))), axis=1
    )
    if asked.final_nodes:
        nodes = np.where(nodes > 0, np.maximum(nodes, asked.final_nodes), 0.0)
    counts: dict[tuple[str, str], Array] = {}
    optics = np.zeros(shape)
    for number in np.unique(nodes):
        if number > 0:
            bill = _bill(int(number), kit)
            optics[nodes == number] = bill.optics_kw
            for key, pieces in bill.pieces.items():
                counts.setdefault(key, np.zeros(shape))[nodes == number] = pieces
    on = np.where(present > 0, 1.0, 0.0)
    maximum, typical, units, devices = (np.zeros(shape) for _name in range(4))
    racked: dict[str, Device] = {}
    for (code, slug), count in counts.items():
        if code.endswith(("switch", "manager")):
            item, running = _device(slug, plan, books), count * on
            most, usual = _power(item)
            maximum += running * most
            typical += running * usual
            height = max(1.0, item.rack_units or 1.0)
            units += running * height
            devices += running
            before = racked[slug].count if slug in racked else 0.0
            racked[slug] = Device(slug, before + running, height, most, usual)
    typical = np.minimum(typical + optics * on, np.maximum(maximum, typical))
    final = _wired(max(1, int(nodes.max())), kit.ports.count, kit.radix, asked)
    parts = _parts(counts, plan, books)
    return Network(
        switch=_device(kit.ports.switch, plan, books),
        rails=kit.ports.count,
        parts=parts,
        switches=units,
        devices=devices,
        kw_max=maximum,
        kw_typical=typical,
        racked=list(racked.values()),
        final=final,
        factors={
            "nodes": float(nodes.max()),
            "rails": float(kit.ports.count),
            "ports": float(kit.radix),
            "leaf": float(final.leaf),
            "spine": float(final.spine),
        },
        discounts=_discounts(parts, books),
    )


def _kit(plan: Plan, fleet: Fleet, books: Books, storage_gb_s: float) -> _Kit:
    asked = plan.fabric
    found = [ports_of(asked, holding.machine.build) for holding in fleet.holdings]
    known = [ports for ports in found if ports is not None]
    if not known:
        slug = fleet.holdings[0].machine.slug if fleet.holdings else ""
        raise InputError(Problem(("plans", plan.slug, "fabric"), "no_fabric_ports", slug))
    # of several kinds of server the one with the most ports decides, at the highest speed
    ports = max(known, key=lambda each: (each.count, each.gbps))
    ports = replace(ports, gbps=max(each.gbps for each in known), there=min(each.there for each in known))
    switch = _device(ports.switch, plan, books)
    path = ("plans", plan.slug, "fabric")
    storage = ports.switch if _carries_storage(asked) else IN_BAND_SWITCH
    links = math.ceil(storage_gb_s * 8.0 / (switch.port_gbps or ports.gbps)) if asked.storage_network else 0
    return _Kit(
        asked=asked,
        ports=ports,
        radix=radix(switch.ports or 0, switch.port_gbps, ports.gbps / asked.planes),
        leaf=_cable(asked, ports, asked.leaf_m, (*path, "leaf_m")),
        spine=_cable(asked, ports, asked.spine_m, (*path, "spine_m")),
        storage_switch=storage,
        storage_radix=(_device(storage, plan, books).ports or 0) if asked.storage_network else 0,
        storage_links=max(STORAGE_LINKS, links),
        in_band_radix=(_device(IN_BAND_SWITCH, plan, books).ports or 0) if asked.in_band else 0,
    )


def _device(slug: str, plan: Plan, books: Books) -> Item:
    """A switch or appliance whose ports and power are known; raises NoQuote, or InputError `unknown_power`."""
    item = books.book.items.get(slug)
    if item is None or (slug != MANAGER and not item.ports):
        raise NoQuote(slug)
    if item.typical_kw is None and item.max_kw is None:
        raise InputError(Problem(("plans", plan.slug, "fabric", "switch"), "unknown_power", slug))
    return item


def _power(item: Item) -> tuple[float, float]:
    """(maximum, typical) draw; the one for the other where only one is known. [kW]"""
    typical = item.typical_kw if item.typical_kw is not None else item.max_kw or 0.0
    return (item.max_kw if item.max_kw is not None else typical), typical


def _parts(counts: dict[tuple[str, str], Array], plan: Plan, books: Books) -> list[Part]:
    """What is bought in each month, priced; labour for every link last."""
    found = []
    pulled: Array = np.zeros(1)
    for (code, slug), count in counts.items():
        bought = np.clip(np.diff(count, axis=1, prepend=0.0), 0.0, None)
        if code in DEVICES:
            quoted = _device(slug, plan, books).price
            unit, formula = ("each" if code == "manager" else "switch"), "fabric_switches"
            today, source = books.price_at(slug, quoted, bought), books.price(slug, quoted)[1]
        else:
            unit, formula = ("each" if code == "nic" else "link"), "fabric_links"
            today, source = books.cost(slug)
        if code in LINKS:
            pulled = pulled + bought
        path = books.paths["nic" if code == "nic" else "rest"]
        found.append(Part(code, slug, bought, unit, today * path, source, formula, _first(today, bought)))
    price, source = books.cost(LABOUR)
    wages = price * books.paths["wages"]
    return [*found, Part("link_labour", LABOUR, pulled, "link", wages, source, "fabric_links", price)]


def _first(price: float | Array, bought: Array) -> float:
    """A price in the first month that buys."""
    return float(np.broadcast_to(price, bought.shape)[0, int(np.argmax(bought[0] > 0))])


def _by_item(parts: list[Part]) -> dict[str, tuple[Array, Array]]:
    found: dict[str, tuple[Array, Array]] = {}
    for part in parts:
        if part.code in DEVICES:
            pieces, paid = found.get(part.item, (0.0, 0.0))
            found[part.item] = pieces + part.bought, paid + part.bought * part.price
    return found


def _discounts(parts: list[Part], books: Books) -> list[Taken]:
    items = books.book.items
    return [
        each
        for slug, (_pieces, paid) in _by_item(parts).items()
        for each in taken(slug, items[slug].price, paid, books)
    ]
