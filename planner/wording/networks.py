"""Words for what joins servers and stands around them: fields, choices, findings, lines; `fields`, `findings` and
`lines` take them in."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

# Class and field → label, help, what holds where the field is empty.
FIELDS: dict[str, tuple[Any, ...]] = {
    "Demand.scaling": (_("Scaling efficiency"), _("What jobs keep of their speed as they spread over GPUs.")),
    "Scaling.joined": (
        _("Scaling efficiency over NVLink"),
        _(
            "Share of the published speed that each GPU keeps in jobs of so many GPUs joined by NVLink or its like, as "
            "in “1: 100; 8: 95”. Published speeds were measured on servers of 8 such GPUs, so 100 % is the start; "
            "lower it where your own runs show less."
        ),
    ),
    "Scaling.pcie": (
        _("Scaling efficiency over PCIe"),
        _(
            "The same for GPUs that share only PCIe, as in “4: 100; 8: 77”; a job over more than 4 of them takes "
            "30 % longer unless you know better."
        ),
    ),
    "Scaling.between_servers": (
        _("Scaling efficiency over servers"),
        _(
            "The same for jobs over several servers on a network that is fast enough; the loss over a slower one is "
            "computed besides, from its bandwidth and the tokens per step."
        ),
    ),
    "ScalingPoint.gpus": (_("GPUs of a job"), _("GPUs over which one job spreads.")),
    "ScalingPoint.share": (_("Speed kept"), _("Share of the published speed that each of them keeps.")),
    "Fabric.network": (
        _("Network"),
        _(
            "What joins the servers: their own fabric ports, or another class of network; a slower one makes jobs over "
            "several servers take longer, or more GPUs."
        ),
    ),
    "Fabric.planes": (
        _("Planes"),
        _("Separate fabrics over which each port is split; more of them survive the loss of one."),
    ),
    "Fabric.ufm": (
        _("Fabric managers"),
        _("A pair of appliances that manage the fabric (UFM); they need spines, so a pair of switches is not enough."),
    ),
    "Fabric.cabling": (
        _("Price of links"),
        _("One planning price for every link, or by what its length asks for: copper in the rack, optics beyond."),
    ),
    "Fabric.leaf_m": (
        _("Server to leaf"),
        _("Length of these links: 2 m in the rack, up to 30 m in the row; it decides copper or optics."),
    ),
    "Fabric.spine_m": (_("Leaf to spine"), _("Length of the links between switches.")),
    "Fabric.storage_network": (
        _("Storage network"),
        _("A second network to shared storage, two ports of each server."),
    ),
    "Fabric.in_band": (
        _("In-band network"),
        _("100G Ethernet for log-in, images and services, a port of each server on each of two switches."),
    ),
    "Fabric.out_of_band": (
        _("Out-of-band network"),
        _("1G Ethernet to the management port of every server, switch and power strip."),
    ),
    "Fabric.commissioning_days": (
        _("Commissioning of the fabric"),
        _("Days to cable, test and accept the fabric on top of the servers' burn-in; orders are placed earlier."),
    ),
    "ServingWorkload.replica_gpus": (
        _("GPUs per copy"),
        _("GPUs over which each copy of the model is split; a number that does not divide its heads is refused."),
        _("the fewest that hold it"),
    ),
    "Operations.host_memory": (
        _("Host memory"),
        _("Whether memory is added where the work asks for more than the servers come with."),
    ),
    "Operations.local_flash": (
        _("Local storage"),
        _("Whether fast storage is added where the work asks for more than the servers come with."),
    ),
    "Operations.load_balancer": (
        _("Load balancer"),
        _("Whether several servers behind one service get one, bought or rented by the month."),
    ),
    "Operations.rented_storage": (
        _("Storage beside rented GPUs"),
        _("Whether the shared storage of rented work is counted, in an object store by the month."),
    ),
    "Operations.fabric_fte_per_64_servers": (
        _("Fabric skills"),
        _("Extra staff for a fabric, for every 64 servers joined."),
        _("the catalog's figure"),
    ),
    "Operations.fabric_acceptance_share": (
        _("Acceptance of a cluster"),
        _("Burn-in and acceptance as a share of what servers and fabric cost."),
        _("the catalog's figure"),
    ),
    "Operations.shared_gb_s_per_tb": (
        _("Speed of shared storage per terabyte"),
        _("Rule for what is bought: where the work asks for more speed than its terabytes bring, more are bought."),
    ),
}

SECTIONS = {"scaling": _("Scaling efficiency")}

NETWORKS: dict[str, Any] = {
    "ports": _("the servers' own ports"),
    "1gbe": _("1G Ethernet"),
    "10gbe": _("10G Ethernet"),
    "25gbe": _("25G Ethernet"),
    "25g_roce": _("25G RDMA (RoCE)"),
    "100gbe": _("100G Ethernet"),
    "100g_rdma": "100G RDMA",
    "400g_rdma": "400G RDMA",
    "8x200g_rdma": "8 × 200G RDMA",
    "8x400g_rdma": "8 × 400G RDMA",
    "8x800g_rdma": "8 × 800G RDMA",
}
CHOICES: dict[tuple[str, Any], Any] = {
    **{("network", code): words for code, words in NETWORKS.items()},
    ("cabling", "per_link"): _("the same for all"),
    ("cabling", "by_distance"): _("by length"),
    ("host_memory", "as_built"): _("as built"),
    ("host_memory", "as_advised"): _("as the work asks"),
    ("local_flash", "as_built"): _("as built"),
    ("local_flash", "as_advised"): _("as the work asks"),
    ("load_balancer", "bought"): _("bought"),
    ("load_balancer", "rented"): _("rented"),
    ("load_balancer", "none"): _("none"),
}
CONFLICTS = {"Fabric": _("Rails apart have no spine for fabric managers: choose one of the two.")}

# code → (sentence, a few words for a chip, tone), as in `findings.FINDINGS`.
FINDINGS: dict[str, tuple[Any, Any, str]] = {
    "scaling_assumed": (
        _(
            "A job of {workload} over {gpus} GPUs of {item} is counted at {share} of the published speed per GPU: "
            "weights sharded over the GPUs of one server. Measure yours and set it under “Scaling efficiency”."
        ),
        _("{gpus} GPUs at {share} of the published speed"),
        "neutral",
    ),
    "scaling_assumed_servers": (
        _(
            "A job of {workload} over {gpus} GPUs in {servers} of {item} is counted at {share} of the published speed "
            "per GPU: weights sharded inside each server, data parallel between servers, gradients exchanged once a "
            "step over {network}. Measure yours and set it under “Scaling efficiency”."
        ),
        _("{gpus} GPUs at {share} of the published speed"),
        "neutral",
    ),
    "deadline_never": (
        _(
            "{workload} meets its deadline on no number of {item} over {network}: more GPUs would only wait longer for "
            "each other. Take a faster network, larger steps or more time."
        ),
        _("deadline out of reach over this network"),
        "bad",
    ),
    "replica_size": (
        _(
            "{workload} is to take {gpus} GPUs of {item} for each copy of its model, and that does not work: its "
            "attention heads must divide evenly, and the copy must fit into memory. Sizes that work: {sizes}."
        ),
        _("copies over {gpus} GPUs do not work"),
        "bad",
    ),
    "slow_copies": (
        _(
            "Each copy of {workload} spans {servers} of {item}, and its rate is that of GPUs joined by 400 Gb/s each: "
            "over {network} it will be slower. Measure the rate, or take a faster network or a larger server."
        ),
        _("copies over {servers} on a slow network"),
        "warn",
    ),
    "no_cable": (
        _("No cable of that speed reaches so far ({item}): shorten the distance or choose another network."),
        _("no cable reaches: {item}"),
        "bad",
    ),
}

# (category, code of a line) → its name.
LINES: dict[tuple[str, str], Any] = {
    ("", "manager"): _("Fabric manager"),
    ("", "nic"): _("Network card"),
    ("", "storage_switch"): _("Switch of the storage network"),
    ("", "storage_link"): _("Link of the storage network"),
    ("", "in_band_switch"): _("Switch of the in-band network"),
    ("", "in_band_link"): _("Link of the in-band network"),
    ("", "oob_switch"): _("Switch of the out-of-band network"),
    ("", "oob_link"): _("Link of the out-of-band network"),
    ("", "host_memory"): _("Host memory added"),
    ("", "local_flash"): _("Local storage added"),
    ("", "load_balancer_service"): _("Load balancer, rented"),
    ("", "object_storage"): _("Object storage, rented"),
}
ITEMS = {
    "cable-400g-dac": _("400G copper link, to 3 m"),
    "cable-400g-active": _("400G active copper link, to 5 m"),
    "cable-400g-single-mode": _("400G single-mode link, to 500 m"),
    "cable-800g-single-mode": _("800G single-mode link, to 500 m"),
    "cable-200g-dac": _("200G copper link, to 2 m"),
    "cable-200g-link": _("200G link, both ends"),
    "cable-100g-dac": _("100G copper link, to 3 m"),
    "cable-100g-link": _("100G link, both ends"),
    "cable-25g-link": _("10G or 25G link"),
    "cable-1g-link": _("1G patch cable"),
    "nic-100g": _("100G network card"),
    "nic-200g": _("200G network card"),
    "nic-400g": _("400G network card"),
    "nic-800g": _("800G network card"),
    "eth-48x10g": _("48-port 10GbE switch"),
    "eth-48x25g": _("48-port 25GbE switch"),
    "memory-ddr5-gb": _("Server memory, DDR5"),
    "ssd-tlc-raw-tb": _("Enterprise NVMe flash"),
    "load-balancer-service": _("Load balancer as a service"),
    "object-storage-cloud-gb": _("Cloud object storage"),
}
FORMULAS = {
    "in_servers": _("servers × (asked per server − there) × today's price × price path"),
}
FACTORS = {
    "scaling_share": _("Speed kept inside a server"),
    "network_share": _("Speed kept over the network"),
    "run_days": _("Days per run"),
    "asked_per_server": _("Asked per server"),
    "there_per_server": _("There in each server"),
}
