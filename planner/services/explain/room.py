"""The room: what draws power, and what fills the racks."""

from typing import Any

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.engine.fleet import Holding
from planner.engine.prices import Build, Source
from planner.services.explain.nodes import Node, Subject
from planner.services.explain.work import power_limit_path


def peak_kw(subject: Subject) -> Node:
    housing = subject.plan.housing
    m = int(np.argmax(housing.draw[0]))
    it_kw, facility_kw = float(housing.draw[0, m]), float(subject.plan.facility_kw[m])
    site = housing.site_of[m] if housing.site_of else None
    related = [
        subject.figure(
            "facility_kw",
            gettext("With cooling and losses"),
            facility_kw,
            "kW",
            expression="it_kw * pue",
            inputs={"it_kw": it_kw, "pue": facility_kw / it_kw if it_kw else 1.0},
            formula=gettext("{it} kW × PUE {pue}").format(
                it=wording.number(it_kw), pue=wording.number(facility_kw / it_kw if it_kw else 1.0)
            ),
            drivers=subject.drivers([f"sites/{site.slug}/pue", f"sites/{site.slug}/cooling_method"] if site else []),
        ),
        subject.figure(
            "max_kw",
            gettext("Highest draw by the nameplates"),
            float(housing.draw_max[0].max(initial=0.0)),
            "kW",
            formula=gettext("all machines at their maximum; circuits are sized for it"),
        ),
    ]
    return subject.figure(
        "peak_kw",
        gettext("Highest mean draw"),
        subject.plan.peak_kw,
        "kW",
        combine="sum",
        children=_draws(subject, m),
        related=related,
        formula=gettext("mean of {month}, the month with the highest draw").format(month=subject.month(m)),
    )


def _draws(subject: Subject, m: int) -> list[Node]:
    """What draws power in a month: each kind of machine, the fabric, less what throttling takes."""
    housing, network = subject.plan.housing, subject.plan.network
    parts = [
        _machine(subject, holding, m)
        for holding in subject.plan.fleet.holdings
        if holding.hosts[0, m] or holding.cards[0, m]
    ]
    fabric = float(network.kw_typical[0, m]) if network is not None else 0.0
    unthrottled = float(housing.draw_busy[0, m])
    machines = unthrottled - fabric
    if parts and abs(machines - sum(part["value"] for part in parts)) > 1e-6:
        # the work was moved when the room throttled: one sum for all machines
        formula = gettext("idle + busy share × (typical − idle), before throttling")
        parts = [subject.figure("machines", gettext("Machines"), machines, "kW", formula=formula)]
    if network is not None and fabric:
        switches = float(network.devices[0, m])
        formula = gettext("{switches} × {kw} kW").format(
            switches=subject.counted(switches, "switch"), kw=wording.number(fabric / switches if switches else 0.0)
        )
        parts.append(
            subject.figure(
                "fabric",
                wording.category("capex.fabric"),
                fabric,
                "kW",
                formula=formula,
                expression="switches * kw",
                inputs={"switches": switches, "kw": fabric / switches if switches else 0.0},
            )
        )
    cut = float(housing.draw[0, m]) - unthrottled
    if abs(cut) > 1e-9:
        parts.append(subject.figure("throttling", gettext("Cut by the limits of the room"), cut, "kW"))
    return parts


def _machine(subject: Subject, holding: Holding, m: int) -> Node:
    """Power that the machines of one kind draw in a month."""
    machine = holding.machine
    hosts, cards = float(holding.hosts[0, m]), float(holding.cards[0, m])
    _host_max, host_typical, host_idle = machine.host_kw
    _card_max, card_typical, card_idle = machine.card_kw
    busy = float(np.clip(subject.plan.allocation.used[machine.slug][0, m] / cards, 0.0, 1.0)) if cards else 0.0
    idle, typical = hosts * host_idle + cards * card_idle, hosts * host_typical + cards * card_typical
    return subject.figure(
        machine.slug,
        wording.item(machine.slug, subject.book),
        idle + busy * (typical - idle),
        "kW",
        expression="idle + busy * (typical - idle)",
        inputs={"idle": idle, "busy": busy, "typical": typical},
        formula=gettext("{servers} with {gpus}: idle {idle} kW + busy share {busy} × ({typical} − {idle}) kW").format(
            servers=subject.counted(hosts, "server"),
            gpus=subject.counted(cards, "GPU"),
            idle=wording.number(idle),
            busy=wording.percent(busy),
            typical=wording.number(typical),
        ),
        source=_power_source(subject, machine.build),
        drivers=subject.drivers([power_limit_path(subject)]) if machine.power_share < 1.0 else [],
    )


def _power_source(subject: Subject, build: Build) -> dict[str, Any] | None:
    """Who gives the power figures; nobody rather than the support contract's source."""
    origin = build.power_source
    return subject.source(origin) if origin != Source() else None


def racks(subject: Subject) -> Node:
    filled, network = subject.plan.housing.racks[0], subject.plan.network
    m = int(np.argmax(filled))
    parts = [_servers(subject, holding, m) for holding in subject.plan.fleet.holdings if holding.hosts[0, m]]
    if network is not None and network.devices[0, m]:
        parts.append(subject.figure("switches", gettext("Switches"), float(network.devices[0, m]), "switch"))
    site = subject.plan.housing.site_of[m]
    limits = ["rack_units", "reserved_units", "rack_kw", "rack_kg", "rack_cfm", "racks"]
    limits += [name for name in ("floor_kg_m2", "floor_foot_kg") if getattr(site, name) is not None]
    if site.circuit is not None:
        limits += [f"circuit/{name}" for name in ("volts", "amps", "feeds", "redundancy")]
    return subject.figure(
        "racks",
        gettext("Racks"),
        float(filled.max(initial=0.0)),
        "rack",
        children=parts,
        drivers=subject.drivers(f"sites/{site.slug}/{name}" for name in limits),
        formula=gettext("packed in {month}, the largest draw first, within height, power and weight of a rack").format(
            month=subject.month(m)
        ),
    )


def _servers(subject: Subject, holding: Holding, m: int) -> Node:
    build = holding.machine.build
    return subject.figure(
        build.slug,
        wording.item(build.slug, subject.book),
        float(holding.hosts[0, m]),
        "server",
        formula=gettext("{height} U, {kw} kW and {kg} kg each").format(
            height=wording.number(build.rack_units),
            kw=wording.number(build.max_kw),
            kg=wording.number(build.weight_kg or 0.0),
        ),
        source=_power_source(subject, build),
    )
