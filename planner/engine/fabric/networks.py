"""Storage, in-band and out-of-band networks beside the compute fabric. Facility reference, sections 1.3 and 1.4."""

from __future__ import annotations

from typing import NamedTuple

import numpy.typing as npt

from planner.engine.bounds import Values, refusal, unboxed, whole
from planner.engine.fabric.optics import TWIN_PORT, twin_port_optics
from planner.engine.fabric.topologies import spineless_pair

# Usable ports and links up of a 48-port out-of-band switch. [port], [link] Facility reference 1.4, fits three bills.
OOB_PORTS, OOB_UPLINKS = 40, 2

# Ports of a node on the in-band network, one to each of two switches. [port] Facility reference 1.4.
IN_BAND_PORTS = 2


def out_of_band(
    ports: npt.ArrayLike, usable_ports: int = OOB_PORTS, uplinks: int = OOB_UPLINKS
) -> tuple[Values, Values]:
    """Return (switches, links up) of the management network: ceil(ports/40), two links each. [switch], [link]

    ports : any shape: BMC ports of nodes, and every switch, PDU and server. [port]
    usable_ports : of a switch of 48. [port]   uplinks : of each switch. [link]
    Source: facility reference 1.4.
    """
    switches = -(-whole("ports", ports, unit="port") // int(whole("usable_ports", usable_ports, 1, unit="port")))
    return unboxed(switches), unboxed(switches * int(whole("uplinks", uplinks, unit="link")))


class StorageFabric(NamedTuple):
    """An InfiniBand storage fabric. NVIDIA's bills hold more switches than the fewest that would do: a policy."""

    cables: int
    node_optics: int
    switch_optics: int
    node_leaves: int
    fewest_switches: int  # node leaves, storage leaves and spines


def storage_fabric(
    nodes: int,
    storage_links: int,
    ports_per_node: int = 2,
    leaf_down: int = 32,
    leaf_up: int = 24,
    ufm: int = 0,
    radix: int = 64,
) -> StorageFabric:
    """Return cables, optics and the fewest switches of a storage fabric, 4:3 on the node side, 1:1 on storage's.

    storage_links : links up of the storage leaves. [link]
    leaf_down, leaf_up : ports of a node leaf. [port]
    ufm : links of fabric managers. [link]   radix : ports of a switch. [port]
    Cables = ports·N + ceil(ports·N/32)·24 + storage links.
    Source: facility reference 1.4 (NVIDIA RA-11333-001 table 8: 494 cables, 369 switch optics; 16 switches, 14 do).
    """
    ends = int(whole("nodes", nodes, unit="node")) * int(whole("ports_per_node", ports_per_node, unit="port"))
    storage = int(whole("storage_links", storage_links, unit="link"))
    ports = int(whole("radix", radix, 2, unit="port"))
    leaves = -(-ends // int(whole("leaf_down", leaf_down, 1, unit="port")))
    up = leaves * int(whole("leaf_up", leaf_up, unit="port")) + storage
    fewest = leaves - (-storage // (ports // 2)) - (-up // ports)
    managers = int(whole("ufm", ufm, unit="link"))
    return StorageFabric(ends + up, ends, -(-ends // TWIN_PORT) + up + managers, leaves, fewest)


def in_band(nodes: npt.ArrayLike, ports_per_node: int = IN_BAND_PORTS) -> Values:
    """Return the cables between nodes and the in-band switches; how many of those is policy. [cable]

    nodes : whole, any shape. [node]   ports_per_node : [port]. Source: facility reference 1.4.
    """
    return unboxed(whole("nodes", nodes, unit="node") * int(whole("ports_per_node", ports_per_node, unit="port")))


# Management servers of a BasePOD, and the ports of each on the in-band network. [server], [port]
# NVIDIA BasePOD RA-11127-001: two head nodes and three for Slurm, Kubernetes or log-in.
BASEPOD_SERVERS, SERVER_PORTS = 5, 2
# Out-of-band ports: four per node (BMC, and DPUs or NICs), and 13 of servers and switches. [port] Facility 1.4.
OOB_PER_NODE, OOB_FIXED = 4, 13


class BasePod(NamedTuple):
    """Bill of a BasePOD: a pair of switches without spine, in-band and out-of-band networks."""

    switches: int
    links: int  # node to switch; a fibre with one MPO carries one
    switch_links: int  # between the two switches
    switch_cables: int  # of twin ports, two links each
    node_optics: int
    switch_optics: int
    in_band_cables: int
    management_cables: int
    oob_cables: int
    oob_switches: int
    oob_uplinks: int


def basepod(nodes: int, rails: int = 8, radix: int = 64, servers: int = BASEPOD_SERVERS) -> BasePod:
    """Return the bill of `nodes` on a pair of switches; InputError where they exceed it.

    rails, radix : as in `fat_tree`.   servers : of the management plane. [server]
    Source: facility reference 1.3 and 1.4 (NVIDIA RA-11127-001, bills of 4 and 8 nodes).
    """
    pair = spineless_pair(nodes, rails, radix)
    if pair is None:
        raise refusal("nodes", nodes, 0, radix // rails, "node")
    node_optics, switch_optics = twin_port_optics(nodes, rails, pair[0], radix, direct=True)
    ports = OOB_PER_NODE * nodes + OOB_FIXED + int(whole("servers", servers, unit="server")) - BASEPOD_SERVERS
    oob_switches, oob_uplinks = out_of_band(ports)
    return BasePod(
        switches=pair[0],
        links=nodes * rails,
        switch_links=pair[1],
        switch_cables=-(-pair[1] // TWIN_PORT),
        node_optics=node_optics,
        switch_optics=switch_optics,
        in_band_cables=in_band(nodes),
        management_cables=servers * SERVER_PORTS,
        oob_cables=ports,
        oob_switches=oob_switches,
        oob_uplinks=oob_uplinks,
    )
