"""Optics, cables and the power of a fabric. Facility reference, section 1.5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from planner.engine.bounds import Values, not_a_choice, refusal, unboxed, whole, within

# Links per optic on switches with twin-port cages (QM9700, SN5600, Q3400). [1] Facility reference 1.5.
TWIN_PORT = 2


def twin_port_optics(
    nodes: int, rails: int, switches: int, radix: int, links_per_optic: int = TWIN_PORT, *, direct: bool = False
) -> tuple[int, int]:
    """Return optics of a full fabric: (node side N·K/2, switch side switches·r/2). [optic]

    Every cage populated, as NVIDIA's bill for H100 4 SU (508 and 1,536).
    links_per_optic : 2 on twin-port cages, 1 on single ones. [link]
    direct : switches without spine, whose only optics face the nodes: as many as on the node side.
    Source: facility reference 1.5.
    """
    per_optic = int(whole("links_per_optic", links_per_optic, 1, unit="link"))
    ends = int(whole("nodes", nodes, unit="node")) * int(whole("rails", rails, unit="port"))
    node_side = -(-ends // per_optic)
    ports = int(whole("switches", switches, unit="switch")) * int(whole("radix", radix, unit="port"))
    return node_side, node_side if direct else -(-ports // per_optic)


@dataclass(frozen=True)
class Medium:
    """What a link is made of at some length."""

    name: str  # "dac" | "active_copper" | "multimode" | "single_mode" | "aoc"
    reach_m: float  # longest that it takes [m]
    watts_per_end: float | None  # of a 400G link's end; None where no figure was found [W]


# Shortest reach first. Facility reference 1.5 (NVIDIA LinkX portfolios of 100G- and 200G-PAM4). The power of a
# 2x400G optic is 15–17 W multimode, 16–17 W single mode, 17 W over 2 km; half of it is one link's end.
MEDIA: dict[str, tuple[Medium, ...]] = {
    "HDR": (Medium("dac", 2.0, 0.1), Medium("aoc", 30.0, 12.0)),
    "NDR": (
        Medium("dac", 2.0, 0.1),
        Medium("active_copper", 5.0, 1.5),
        Medium("multimode", 50.0, 8.0),
        Medium("single_mode", 500.0, 8.5),
        Medium("single_mode", 2000.0, 8.5),
    ),
    # no DAC, no multimode, no active optical cable at 200G-PAM4
    "XDR": (
        Medium("active_copper", 5.0, None),
        Medium("single_mode", 500.0, None),
        Medium("single_mode", 2000.0, None),
    ),
}
# A splitter of two ends from one cage reaches further than a switch-to-switch DAC. [m] Facility reference 1.5.
SPLITTER_DAC_M = 3.0

# Lengths to plan with: in the rack; to a leaf in the same row; leaf to spine. [m] Assumption of facility reference 1.5.
PLANNED_M = {"rack": 2.0, "row": 30.0, "spine": 50.0}


def medium_for(metres: float, speed: str = "NDR", *, splitter: bool = False) -> Medium:
    """Return the cheapest medium that reaches `metres`: copper first, then multimode, then single mode.

    speed    : "HDR" (200G), "NDR" (400G, 400GbE) or "XDR" (800G). InputError beyond the longest reach of that speed.
    splitter : from a twin-port cage to two ports, which a passive cable does over 3 m.
    Source: facility reference 1.5.
    """
    if speed not in MEDIA:
        raise not_a_choice("speed", speed, tuple(MEDIA))
    length = float(within("metres", metres, 0.0, unit="m"))
    for medium in MEDIA[speed]:
        if length <= max(medium.reach_m, SPLITTER_DAC_M if splitter and medium.name == "dac" else 0.0):
            return medium
    raise refusal("metres", length, 0.0, MEDIA[speed][-1].reach_m, "m")


# Mass of a cable. [kg/m] Facility reference 1.5 (NVIDIA SuperPOD design guide, H100).
CABLE_KG_PER_M = {"copper": 0.045, "optical": 0.009}


def cable_kg(count: npt.ArrayLike, metres: npt.ArrayLike, kg_per_m: npt.ArrayLike) -> Values:
    """Return the mass of `count` cables of `metres` each. [kg]

    count [1], metres [m], kg_per_m [kg/m], see `CABLE_KG_PER_M` : any shapes. Source: facility reference 1.5.
    """
    length = within("count", count, 0.0) * within("metres", metres, 0.0, unit="m")
    return unboxed(length * within("kg_per_m", kg_per_m, 0.0, unit="kg/m"))


def fabric_kw(
    switch_w: npt.ArrayLike, switches: npt.ArrayLike, optics: npt.ArrayLike = 0, optic_w: npt.ArrayLike = 0
) -> Values:
    """Return the draw of a fabric: switches and optics. [kW]

    switch_w : draw of a switch without optics; where the figure is "with active cables", pass no optics. [W]
    switches, optics : counts. [1]
    optic_w  : draw of one optic. [W]
    All shapes broadcast. Source: facility reference 1.5.
    """
    boxes = within("switch_w", switch_w, 0.0, unit="W") * within("switches", switches, 0.0)
    return unboxed((boxes + within("optics", optics, 0.0) * within("optic_w", optic_w, 0.0, unit="W")) / 1000.0)


def optic_watts(loaded_w: npt.ArrayLike, empty_w: npt.ArrayLike, optics: npt.ArrayLike) -> Values:
    """Return the draw of one optic from a switch measured with and without `optics` of them. [W]

    loaded_w, empty_w [W], optics [1] : any shapes; loaded ≥ empty. Source: facility reference 1.5 (SN5610: 18.4 W).
    """
    empty = within("empty_w", empty_w, 0.0, unit="W")
    loaded = within("loaded_w", loaded_w, float(empty.max()), unit="W")
    return unboxed((loaded - empty) / whole("optics", optics, 1))
