"""What joins the servers of a plan: its classes of network, and the bandwidth that one server gets.

Sizing reference 6.2 (classes, transports), facility reference 1.1 (ports of a switch at the speed of the nodes).
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.engine.fabric import leaf_ports
from planner.engine.inputs import Fabric
from planner.engine.prices import Build, PriceBook
from planner.engine.workload import GBIT

DEFAULT_SWITCH = "qm9700"


@dataclass(frozen=True)
class NetworkClass:
    """A network by what a server has of it.

    ports, gbps : of a server. transport: key of NETWORK_EFFICIENCY.
    switch      : item bought where the plan names none.
    link        : row of other costs, one link with both its ends.   nic: row of a port, where the server lacks it.
    """

    ports: int
    gbps: float
    transport: str
    switch: str
    link: str
    nic: str = ""


CLASSES: dict[str, NetworkClass] = {
    "1gbe": NetworkClass(1, 1.0, "tcp", "sn2201", "cable-1g-link"),
    "10gbe": NetworkClass(1, 10.0, "tcp", "eth-48x10g", "cable-25g-link"),
    "25gbe": NetworkClass(1, 25.0, "tcp", "eth-48x25g", "cable-25g-link"),
    "25g_roce": NetworkClass(1, 25.0, "rdma", "eth-48x25g", "cable-25g-link"),
    "100gbe": NetworkClass(1, 100.0, "tcp", "sn4600c", "cable-100g-link", "nic-100g"),
    "100g_rdma": NetworkClass(1, 100.0, "rdma", "sn4600c", "cable-100g-link", "nic-100g"),
    "400g_rdma": NetworkClass(1, 400.0, "rdma", DEFAULT_SWITCH, "cable-400g-link", "nic-400g"),
    "8x200g_rdma": NetworkClass(8, 200.0, "rdma", DEFAULT_SWITCH, "cable-200g-link", "nic-200g"),
    "8x400g_rdma": NetworkClass(8, 400.0, "rdma", DEFAULT_SWITCH, "cable-400g-link", "nic-400g"),
    "8x800g_rdma": NetworkClass(8, 800.0, "rdma", "q3400-ra", "cable-800g-link", "nic-800g"),
}


@dataclass(frozen=True)
class Ports:
    """The ports by which a server is on the network. `there` of them at that speed come with it."""

    name: str  # key of CLASSES, or "ports" where they are the server's own
    count: int
    gbps: float
    transport: str
    switch: str
    there: int

    @property
    def missing(self) -> int:
        return self.count - self.there


def ports_of(asked: Fabric, build: Build) -> Ports | None:
    """The ports of a server on the network of a plan; None where the plan asks for those it has not got."""
    if asked.network == "ports":
        if not build.fabric_ports:
            return None
        switch = asked.switch or DEFAULT_SWITCH
        return Ports("ports", build.fabric_ports, build.fabric_port_gbps, "rdma", switch, build.fabric_ports)
    kind = CLASSES[asked.network]
    there = kind.ports  # a server has ports of up to 25 GbE on its board
    if kind.nic:
        there = min(kind.ports, build.fabric_ports) if build.fabric_port_gbps >= kind.gbps else 0
    return Ports(asked.network, kind.ports, kind.gbps, kind.transport, asked.switch or kind.switch, there)


@dataclass(frozen=True)
class Link:
    """The network between the servers of one job, as the job sees it.

    name      : key of CLASSES, or "ports".
    bandwidth : of all ports of a server, one direction. [byte/s]
    transport : key of NETWORK_EFFICIENCY.
    oversubscription : beyond `leaf_servers` the bandwidth is divided by it. [1]
    leaf_servers : that one leaf of each rail joins. [server]
    """

    name: str
    bandwidth: float
    transport: str
    oversubscription: float = 1.0
    leaf_servers: float = float("inf")


def radix(ports: int, port_gbps: float | None, gbps: float) -> int:
    """Ports of a switch at the speed of the nodes: a faster port splits. [port] Facility reference 1.1."""
    return ports * max(1, int((port_gbps or gbps) // gbps)) if gbps > 0.0 else ports


def link_of(asked: Fabric, build: Build, book: PriceBook) -> Link | None:
    """The network that a plan's fabric gives a server; None where the server has no ports for it."""
    ports = ports_of(asked, build)
    if ports is None:
        return None
    gbps, switch, leaf = ports.gbps, book.items.get(ports.switch), float("inf")
    if switch is not None and switch.ports:
        gbps = min(gbps, switch.port_gbps or gbps)
        leaf = float(leaf_ports(radix(switch.ports, switch.port_gbps, gbps / asked.planes), asked.oversubscription)[0])
    return Link(ports.name, ports.count * gbps * GBIT, ports.transport, asked.oversubscription, leaf)
