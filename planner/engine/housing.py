"""A fleet in its room: racks, circuits, heat, the upgrades that make it fit, and what throttling costs.

Packing, circuits and throttling are formulas of `facility`; this module walks the months.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from planner.engine.calendar import Array, calendar_for, lead_in_months
from planner.engine.facility import (
    EMPTY_RACK_KG,
    LIMITS,
    METHOD_RACK_KW,
    PLANNED_CFM_PER_KW,
    Packing,
    SupplyCheck,
    check_supplies,
    circuit_kw,
    pack,
    psus_needed,
    rack_on_floor_kg,
    redundant_kw,
    throttle,
)
from planner.engine.fleet import Fleet
from planner.engine.inputs import Circuit, Plan, Scenario, Site, Upgrade
from planner.engine.prices import Build
from planner.engine.wiring import Network

# PUE by cooling method where the site gives none: catalog/data/defaults.csv, estimate; engineered air is taken as
# contained air, active doors as passive ones, immersion from facility reference 3.2 (assumption). [1]
PUE_BY_METHOD = {
    "office_air": 1.45,
    "perimeter": 1.6,
    "contained": 1.4,
    "high_flow": 1.4,
    "rear_door": 1.3,
    "rear_door_active": 1.3,
    "liquid": 1.15,
    "immersion": 1.08,
}


def pue_of(site: Site) -> float:
    """The site's own PUE, else that of its cooling method."""
    return site.pue if site.pue is not None else PUE_BY_METHOD[site.cooling_method]


HOURS_PER_DAY = 24.0

# The packing counts in 64 bits; a demand that explodes is answered up to here.
MOST_SERVERS = 2**53


@dataclass(frozen=True)
class UpgradeOrder:
    """A step of the ladder that a plan buys, or would need."""

    site: str
    upgrade: Upgrade
    ordered: int  # month
    in_service: int
    resource: str  # cooling · power · racks


@dataclass(frozen=True)
class Shortage:
    """A month in which the room is too small."""

    resource: str  # cooling · power · racks · units · kw · kg · cords · cfm
    month: int
    needed: float
    limit: float
    site: str
    months: int  # how many months
    remedy: UpgradeOrder | None = None


@dataclass
class Housing:
    """Arrays (S, M). Draws are IT kW at the socket.

    draw_max : nameplate, sizes circuits.   draw_busy : measured model without throttling.   draw : with throttling.
    held     : share of the machines that have a circuit and a place, and of the month that they are not on the move.
    slowed   : share of their rate that those keep in the heat: 1, ratio^0.5, or 0.
    """

    draw_max: Array
    draw_busy: Array
    draw: Array
    held: Array
    slowed: Array
    racks: Array
    contracted_kw: Array
    contracted_without_fabric_kw: Array
    tripped: bool = False  # too hot in some month: the machines switch themselves off
    upgrades: list[UpgradeOrder] = field(default_factory=list)
    shortages: list[Shortage] = field(default_factory=list)
    site_of: list[Site] = field(default_factory=list)  # by month
    fed: list[Site] = field(default_factory=list)  # the same with the circuits of upgrades in service
    # by resource, (M,): what the room carries with the upgrades in service; infinite where no limit is known
    limits: dict[str, Array] = field(default_factory=dict)
    moving: Array = field(default_factory=lambda: np.zeros((1, 1)))  # (S, M): share of a month between two rooms
    lost_gpu_hours: Array = field(default_factory=lambda: np.zeros((1, 1)))  # (S, M): of work that heat took

    @property
    def factor(self) -> Array:
        """Share of nominal capacity that runs."""
        return np.asarray(self.held * self.slowed)


def site_by_month(scenario: Scenario, plan: Plan) -> list[Site]:
    """The site in which a plan's fleet stands in each month."""
    ordered = sorted(scenario.sites, key=lambda site: site.from_month)
    begins = [site.from_month for site in ordered]
    if not plan.moves:
        ordered = ordered[:1]
    elif plan.move_month is not None and len(ordered) > 1:
        begins[1] = plan.move_month
    return [
        [site for site, begin in zip(ordered, begins, strict=False) if begin <= m][-1] for m in range(scenario.months)
    ]


def _moving(sites: list[Site], hosts: Array, hours: Array) -> Array:
    """Share of each month that machines stand still because they have moved, (S, M): days run over into later months.

    Where no machine was there the month before, nothing moves.
    """
    still = np.zeros(hosts.shape)
    for m in range(1, len(sites)):
        if sites[m].slug == sites[m - 1].slug:
            continue
        left = sites[m].downtime_days * HOURS_PER_DAY
        for n in range(m, len(sites)):
            if left <= 0.0:
                break
            still[:, n] += np.where(hosts[:, m - 1] > 0, min(left, hours[n]) / hours[n], 0.0)
            left -= hours[n]
    return np.minimum(still, 1.0)


def fleet_draw(
    fleet: Fleet, used: dict[str, Array], fabric_kw: tuple[Array, Array], held: float | Array = 1.0
) -> tuple[Array, Array]:
    """(maximum, busy) draw of the machines that run and of their fabric. [kW]

    busy = idle + busy share × (typical − idle), the busy share being used ÷ running GPUs (model.md 4).
    held : share of the machines that run; switches run with the first of them.
    """
    on = np.where(np.asarray(held) > 0, 1.0, 0.0)
    maximum, busy = fabric_kw[0] * on, fabric_kw[1] * on
    for holding in fleet.holdings:
        machine, hosts, cards = holding.machine, holding.hosts * held, holding.cards * held
        (host_max, host_typical, host_idle), (card_max, card_typical, card_idle) = machine.host_kw, machine.card_kw
        share = np.clip(used[machine.slug] / np.where(cards > 0, cards, 1.0), 0.0, 1.0)
        idle = hosts * host_idle + cards * card_idle
        typical = hosts * host_typical + cards * card_typical
        maximum += hosts * host_max + cards * card_max
        busy += idle + share * (typical - idle)
    return maximum, busy


def house(
    plan: Plan,
    scenario: Scenario,
    fleet: Fleet,
    used: dict[str, Array],
    network: Network | None,
    shape: tuple[int, int],
) -> Housing:
    """Put a fleet into its rooms over the horizon; buys or prices the upgrades it needs.

    used    : by build slug, GPUs busy on average before throttling.
    network : switches and optics, which draw power in the room and stand in its racks; None where there are none.
    shape   : (S, M).
    """
    months = scenario.months
    sites = site_by_month(scenario, plan)
    none = np.zeros(shape)
    fabric_kw = (network.kw_max, network.kw_typical) if network is not None else (none, none)
    draw_max, draw_busy = fleet_draw(fleet, used, fabric_kw)
    stood = _racks(fleet, sites, network, draw_max.shape)
    answer = Housing(
        draw_max=draw_max,
        draw_busy=draw_busy,
        draw=draw_busy.copy(),
        held=np.ones(draw_max.shape),
        slowed=np.ones(draw_max.shape),
        racks=stood.racks,
        contracted_kw=_contracted(sites, draw_max),
        site_of=sites,
        fed=sites,
        lost_gpu_hours=np.zeros(draw_max.shape),
        contracted_without_fabric_kw=_contracted(sites, draw_max - fabric_kw[0]),
    )
    needs = {"cooling": draw_busy, "power": draw_max, "racks": stood.racks}
    room = {resource: limits_of(resource, sites) for resource in needs}
    steps = _climb({resource: needed[0] for resource, needed in needs.items()}, room, sites)
    steps += _feeding(stood.shortages, steps, sites)
    if plan.upgrades == "buy":
        answer.fed = fed_by(sites, steps)
        if answer.fed != sites:  # stronger feeds may need fewer racks, and so fewer steps
            stood = _racks(fleet, answer.fed, network, draw_max.shape)
            needs["racks"] = answer.racks = stood.racks
            fewer = _climb({resource: needed[0] for resource, needed in needs.items()}, room, sites)
            fewer += [step for step in steps if step.resource in LIMITS]
            steps = fewer if fed_by(sites, fewer) == answer.fed else steps
        answer.upgrades.extend(steps)
    for short in stood.shortages:
        remedies = (step for step in steps if step.site == short.site and _feeds_enough(step.upgrade, short))
        answer.shortages.append(replace(short, remedy=next(remedies, None)))
    for order in answer.upgrades:
        there = [site.slug == order.site for site in sites[order.in_service :]]
        for resource, limits in room.items():
            limits[order.in_service :] += np.where(there, adds(order.upgrade, resource), 0.0)
    answer.limits = room
    hosts = np.asarray(sum((holding.hosts for holding in fleet.holdings), np.zeros(draw_max.shape)))
    # machines without a circuit or a place do not run; switches take their power first
    answer.held = np.minimum(
        _run_by(hosts, draw_max, fabric_kw[0], room["power"]),
        _run_by(hosts, stood.racks, np.zeros(draw_max.shape), room["racks"]),
    )
    if answer.fed != sites:  # until the stronger feed is there, what no rack can feed stands still
        answer.held = np.minimum(answer.held, stood.placed)
    answer.moving = _moving(sites, hosts, calendar_for(scenario.start, months).hours)
    answer.held = answer.held * (1.0 - answer.moving)
    running_kw = fleet_draw(fleet, used, fabric_kw, answer.held)[1]
    for resource, needed in (("power", draw_max), ("racks", stood.racks), ("cooling", running_kw)):
        shortage = _shortage(resource, needed[0], room[resource], sites, steps)
        if shortage is not None:
            answer.shortages.append(shortage)
    # what runs slows down: it draws no more than the room can carry away
    answer.slowed = throttle(room["cooling"], running_kw)
    answer.tripped = bool((answer.slowed <= 0).any())
    answer.draw = np.minimum(running_kw, np.where(answer.slowed > 0, room["cooling"], 0.0))
    assert len(sites) == months
    return answer


def _run_by(hosts: Array, needed: Array, fixed: Array, limits: Array) -> Array:
    """Share of the machines that a limit lets run: whole servers, after what is fixed has taken its part."""
    machines = needed - fixed
    room = np.clip((limits - fixed) / np.where(machines > 0, machines, 1.0), 0.0, 1.0)
    whole = np.floor(hosts * room + 1e-9) / np.where(hosts > 0, hosts, 1.0)
    return np.where((needed > limits + 1e-9) & (hosts > 0), whole, 1.0)


def _shortage(
    resource: str, needed: Array, limits: Array, sites: list[Site], steps: list[UpgradeOrder]
) -> Shortage | None:
    """The first month in which a limit is passed, and the step of the ladder that lifts it; None where it never is."""
    over = needed > limits + 1e-9
    if not over.any():
        return None
    first = int(np.argmax(over))
    remedy = next((step for step in steps if step.site == sites[first].slug and adds(step.upgrade, resource) > 0), None)
    months = int(over.sum())
    return Shortage(resource, first, float(needed[first]), float(limits[first]), sites[first].slug, months, remedy)


def adds(upgrade: Upgrade, resource: str) -> float:
    """What a step of the ladder adds to cooling, power or racks. [kW] or [1]"""
    return {"cooling": upgrade.adds_cooling_kw, "power": upgrade.adds_power_kw, "racks": float(upgrade.adds_racks)}[
        resource
    ]


def limits_of(resource: str, sites: list[Site]) -> Array:
    """(M,): the room's limit in each month before any upgrade, infinity where none is known."""
    values = [
        power_limit(site) if resource == "power" else site.cooling_kw if resource == "cooling" else site.racks
        for site in sites
    ]
    return np.array([np.inf if value is None else float(value) for value in values])


def _climb(needs: dict[str, Array], limits: dict[str, Array], sites: list[Site]) -> list[UpgradeOrder]:
    """The steps of the ladder that the needs ask for, each once, ordered at max(0, m − its lead).

    A step may raise several limits: whichever is passed first has it bought, and the others gain by it.
    """
    orders: list[UpgradeOrder] = []
    have = {(site.slug, resource): 0.0 for site in sites for resource in needs}
    for m, site in enumerate(sites):
        for resource, needed in needs.items():
            while needed[m] > limits[resource][m] + have[site.slug, resource] + 1e-9:
                taken = {order.upgrade.slug for order in orders if order.site == site.slug}
                step = next((up for up in site.upgrades if up.slug not in taken and adds(up, resource) > 0), None)
                if step is None:
                    break
                lead = lead_in_months(step.lead_weeks)
                ordered = max(0, m - lead)
                orders.append(UpgradeOrder(site.slug, step, ordered, min(ordered + lead, len(sites)), resource))
                for other in needs:
                    have[site.slug, other] += adds(step, other)
    return orders


def fed_by(sites: list[Site], orders: list[UpgradeOrder]) -> list[Site]:
    """The rooms by month, the circuit they name replaced by that of an upgrade in service; the last one counts."""
    fed = list(sites)
    for order in sorted(orders, key=lambda order: order.in_service):
        for m in range(order.in_service, len(fed)):
            if order.upgrade.circuit is not None and fed[m].slug == order.site and fed[m].circuit is not None:
                fed[m] = fed[m].model_copy(update={"circuit": order.upgrade.circuit})
    return fed


def _feeds_enough(upgrade: Upgrade, short: Shortage) -> bool:
    """Whether the circuit of an upgrade carries the machine that the feeds of a rack do not."""
    circuit = upgrade.circuit
    return short.resource == "kw" and circuit is not None and _usable_kw(circuit) >= short.needed - 1e-9


def _feeding(shortages: list[Shortage], taken: list[UpgradeOrder], sites: list[Site]) -> list[UpgradeOrder]:
    """Steps whose circuit feeds a machine that fits in no rack for want of power, where none of those taken does."""
    orders = []
    for short in shortages:
        site = sites[short.month]
        if site.circuit is None or (site.rack_kw is not None and site.rack_kw < short.needed):
            continue
        if any(order.site == site.slug and _feeds_enough(order.upgrade, short) for order in taken):
            continue
        step = next((upgrade for upgrade in site.upgrades if _feeds_enough(upgrade, short)), None)
        if step is not None:
            lead = lead_in_months(step.lead_weeks)
            ordered = max(0, short.month - lead)
            orders.append(UpgradeOrder(site.slug, step, ordered, min(ordered + lead, len(sites)), "kw"))
    return orders


def _contracted(sites: list[Site], draw_max: Array) -> Array:
    """kW to contract in a colocation hall: maximum draw ÷ usable share, in whole steps; never given back."""
    contracted = np.zeros(draw_max.shape)
    begin = 0
    for end in range(1, len(sites) + 1):
        if end < len(sites) and sites[end].slug == sites[begin].slug:
            continue
        terms, stay = sites[begin].colocation, slice(begin, end)
        if terms is not None:
            draw = draw_max[:, stay]
            wanted = np.ceil(draw / terms.usable_share / terms.step_kw - 1e-9) * terms.step_kw
            wanted = np.where(draw > 0, np.maximum(wanted, terms.committed_kw), 0.0)
            if terms.committed_kw and terms.overage_price_per_kw is not None:  # what is above is paid as it is drawn
                wanted = np.minimum(wanted, terms.committed_kw)
            contracted[:, stay] = np.maximum.accumulate(wanted, axis=1)
        begin = end
    return contracted


# ── Racks ────────────────────────────────────────────────────────────────────────────────────────────────────────────

SWITCH_KG = 15.0  # of each U of a switch, with its cables [kg]
SWITCH_CORDS = 2  # switches have two supplies, either of which carries them. Assumption.
_PHASES = {"single": 1, "three": 3}


def feed_kw(circuit: Circuit) -> float:
    """What one feed may carry continuously. [kW]"""
    return float(
        circuit_kw(circuit.volts, circuit.amps, _PHASES[circuit.phases], circuit.derating, circuit.power_factor)
    )


def on_one_circuit(site: Site) -> bool:
    """Whether the circuit is all the power there is: an office that names one, and no power of the room."""
    return site.kind == "office" and site.circuit is not None and site.power_kw is None


def power_limit(site: Site) -> float | None:
    """What the circuits of a room carry before any upgrade; None where no limit is known. [kW]

    120 V × 15 A × 80 % is 1.44 kW: an office on one circuit has that and no more, in a rack or beside it.
    """
    if site.circuit is not None and on_one_circuit(site):
        return _usable_kw(site.circuit)
    return site.power_kw


# Speech at one metre: in a louder office people raise their voices. [dB(A)] Assumption.
OFFICE_NOISE_DB = 60.0


def noise_limit(site: Site) -> float | None:
    """How loud a machine may be; None where nobody works beside it. [dB(A)]"""
    if site.noise_limit_db is None and site.kind == "office":
        return OFFICE_NOISE_DB
    return site.noise_limit_db


def rack_heat_limit(site: Site) -> float | None:
    """Heat the cooling carries from one rack: as named, else what its method is assumed to carry. [kW]

    None in an office whose cooling is named: there the room's limit is that of its rack too.
    """
    if site.rack_heat_kw is not None:
        return site.rack_heat_kw
    if site.cooling_method == "office_air" and site.cooling_kw is not None:
        return None
    return METHOD_RACK_KW[site.cooling_method]


def supplies_needed(build: Build, kw: float) -> int | None:
    """Supplies that carry a machine's maximum; more where cards were added since. None where unknown. [1]"""
    if build.psus_needed is None or not build.psu_kw:
        return build.psus_needed
    return max(build.psus_needed, int(psus_needed(kw, build.psu_kw)))


def supply_check(site: Site, build: Build, kw: float) -> SupplyCheck | None:
    """Return whether a machine's supplies carry its draw without those that may fail; None where they are unknown.

    kw : maximum of the machine with its cards. [kW] As built, those may fail that its maximum does not need.
    """
    if not build.psus or not build.psu_kw:
        return None
    built = max(0, build.psus - (supplies_needed(build, kw) or build.psus))
    spare = {"as_built": built, "N": 0, "N+1": 1, "N+N": math.ceil(build.psus / 2)}[site.supplies]
    if spare < build.psus:
        return check_supplies(kw, build.psus, build.psu_kw, spare, site.transient_ratio)
    every = check_supplies(kw, build.psus, build.psu_kw, 0, site.transient_ratio)
    return replace(every, usable_kw=0.0, sustained=kw <= 0.0, headroom_kw=-kw)


@lru_cache(maxsize=4096)
def _usable_kw(circuit: Circuit) -> float:
    """All feeds of a rack after what its redundancy keeps free. [kW]"""
    return float(redundant_kw(feed_kw(circuit), circuit.feeds, circuit.redundancy))


def rack_limits(site: Site) -> tuple[float | None, ...]:
    """What one rack of a site may hold, in the order of `facility.LIMITS`; None is no limit known.

    Units after what is reserved; kW the smaller of the rack's own limit and its feeds after redundancy; kg the smallest
    of the rack's own and what a floor bears that is named. Where the feeds are the room's only circuit they limit the
    room, whose ladder may add another.
    """
    kw, cords = site.rack_kw, None
    if site.circuit is not None:
        if not on_one_circuit(site):
            kw = min(kw if kw is not None else math.inf, _usable_kw(site.circuit))
        if site.circuit.outlets is not None:
            cords = float(site.circuit.feeds * site.circuit.outlets)
    kg = min(rack_loads(site).values(), default=None)
    return float(site.rack_units - site.reserved_units), kw, kg, cords, site.rack_cfm


def rack_loads(site: Site) -> dict[str, float]:
    """What bounds the load of one rack, by the field that says so: the rack's own, and a floor that is named. [kg]"""
    loads = {}
    if site.rack_kg is not None:
        loads["rack_kg"] = site.rack_kg
    if site.floor_kg_m2 is not None:
        loads["floor_kg_m2"] = rack_on_floor_kg(site.floor_kg_m2)
    if site.floor_foot_kg is not None:
        loads["floor_foot_kg"] = max(0.0, 4.0 * site.floor_foot_kg - EMPTY_RACK_KG)
    return loads


def rack_load_field(site: Site) -> str:
    """The field that bounds the load of a rack most."""
    loads = rack_loads(site)
    return min(loads, key=lambda name: loads[name], default="rack_kg")


@dataclass(frozen=True)
class Kind:
    """Machines of one kind that go into racks, as they are filled in one month."""

    item: str
    count: int
    units: float
    kw: float  # maximum
    typical_kw: float  # expected when busy
    kg: float
    cords: int
    cfm: float
    build: Build | None  # None for devices of the network

    @property
    def row(self) -> tuple[float, ...]:
        return self.count, self.units, self.kw, self.kg, self.cords, self.cfm


def kinds_in_service(fleet: Fleet, future: int, month: int) -> list[Kind]:
    """Every kind of machine there in one month, in racks or beside them."""
    kinds = []
    for holding in fleet.holdings:
        machine, build = holding.machine, holding.machine.build
        number = min(round(float(holding.hosts[future, month])), MOST_SERVERS)
        if number == 0:
            continue
        full = holding.cards[future, month] / number
        kw = round(float(machine.host_kw[0] + full * machine.card_kw[0]), 6)
        kg = round(float(machine.host_kg + full * (machine.addon.weight_kg if machine.addon else 0.0)), 3)
        air = build.airflow_cfm or (PLANNED_CFM_PER_KW * kw if build.cooling == "air" else 0.0)
        typical = round(float(machine.host_kw[1] + full * machine.card_kw[1]), 6)
        kinds.append(Kind(machine.slug, number, build.rack_units, kw, typical, kg, build.psus, air, build))
    return kinds


def kinds_of_network(network: Network | None, future: int, month: int) -> list[Kind]:
    """Switches and appliances of one month; what their optics draw when typical is spread over them by their draw."""
    if network is None:
        return []
    bare = math.fsum(float(device.count[future, month]) * device.typical_kw for device in network.racked)
    optics = float(network.kw_typical[future, month]) / bare if bare else 1.0
    kinds = []
    for device in network.racked:
        number = min(round(float(device.count[future, month])), MOST_SERVERS)
        if number:
            kw, typical = round(device.kw, 6), round(device.typical_kw * optics, 6)
            kg, air = SWITCH_KG * device.units, PLANNED_CFM_PER_KW * kw
            kinds.append(Kind(device.item, number, device.units, kw, typical, kg, SWITCH_CORDS, air, None))
    return kinds


def kinds_in_racks(fleet: Fleet, network: Network | None, future: int, month: int) -> list[Kind]:
    """What stands in racks in one month, devices of the network last."""
    kinds = [kind for kind in kinds_in_service(fleet, future, month) if kind.build is not None and kind.build.in_rack]
    return [*kinds, *kinds_of_network(network, future, month)]


@lru_cache(maxsize=65_536)
def packed(nodes: tuple[tuple[float, ...], ...], rack: tuple[float | None, ...]) -> Packing:
    """Fleets repeat from month to month and from edit to edit."""
    return pack(nodes, rack)


@dataclass(frozen=True)
class _Stood:
    """The packing of every month. placed : share of the machines that fit in a rack or stand beside them, (S, M)."""

    racks: Array
    placed: Array
    shortages: list[Shortage]  # machines that fit in no rack, the first month of each site


def _racks(fleet: Fleet, sites: list[Site], network: Network | None, shape: tuple[int, int]) -> _Stood:
    """Pack each month with the feeds that are there, `sites` by month."""
    racks, placed = np.zeros(shape), np.ones(shape)
    shortages: dict[str, Shortage] = {}
    whose: dict[str, int] = {}  # the future in which a shortage is counted
    for s in range(shape[0]):
        for m, site in enumerate(sites):
            kinds = kinds_in_racks(fleet, network, s, m)
            rows = tuple(kind.row for kind in kinds)
            if not rows:
                continue
            limits = rack_limits(site)
            result = packed(rows, limits)
            racks[s, m] = result.racks
            if result.fits or not result.limit_by:
                continue
            stood = sum(
                group.racks * number
                for group in result.layout
                for place, number in group.items
                if kinds[place].build is not None
            )
            machines = sum(kind.count for kind in kinds if kind.build is not None)
            everywhere = sum(kind.count for kind in kinds_in_service(fleet, s, m))
            placed[s, m] = 1.0 - (machines - stood) / max(everywhere, 1)
            place = LIMITS.index(result.limit_by)
            first = shortages.get(site.slug)
            if first is None:
                most = max(float(row[1 + place]) for row in rows)
                first = Shortage(result.limit_by, m, most, float(limits[place] or 0.0), site.slug, 0)
            if whose.setdefault(site.slug, s) == s:
                shortages[site.slug] = replace(first, months=first.months + 1)
    return _Stood(racks, placed, list(shortages.values()))
