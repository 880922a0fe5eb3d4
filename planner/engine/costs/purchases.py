"""What purchases cost: by month of order, when they are paid, and by month of arrival, when they count as value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.engine.calendar import Array
from planner.engine.costs.books import Books
from planner.engine.demand import Machine
from planner.engine.discounts import Taken, kept, taken
from planner.engine.finance import residual_share
from planner.engine.fleet import Holding, survivors
from planner.engine.inputs import CurvePoint, ResidualCurves
from planner.engine.prices import Build
from planner.engine.repairs import Repairs


@dataclass
class Purchases:
    """What one holding costs, by month of order and by month of arrival. Arrays (S, M), money.

    builds/hosts/cards/extras are counts: whole builds, bare chassis, cards, and the memory and NIC of added cards.
    """

    machine: Machine
    builds: Array
    hosts: Array
    cards: Array
    extras: Array
    build_price: Array
    host_price: Array
    card_price: Array
    extra_price: Array
    paid: Array  # by month of order
    arrived_host_value: Array  # price paid, by month of arrival
    arrived_card_value: Array
    at_once: dict[str, Array]  # by line code, the part of the counts that serves in the month of its order
    today: dict[str, float | Array]  # by line code, today's price of one of so many as are ordered in the month
    discounts: list[Taken]  # taken off the prices above; `paid` and the values are what is left


def purchases(holding: Holding, books: Books) -> Purchases:
    """Price every purchase of a holding at the month of its order.

    A chassis bought with at least the cards of the build is a whole build; with fewer it is a bare chassis
    (build − n × card) and its cards. Cards added beyond the build bring their extra memory and NIC.
    """
    machine = holding.machine
    build, addon, base = machine.build, machine.addon, machine.base_cards
    first_hosts, first_cards = np.zeros(holding.shape), np.zeros(holding.shape)
    first_hosts[:, 0], first_cards[:, 0] = holding.first_hosts, holding.first_cards
    now = (first_hosts + holding.renewed_hosts, first_cards + holding.renewed_cards)
    later = (holding.ordered_hosts - now[0], holding.ordered_cards - now[1])
    counts = [_counts(hosts, cards, base, addon is not None) for hosts, cards in (now, later)]
    builds, bare, loose, extras = (first + other for first, other in zip(*counts, strict=True))

    prices = prices_at(machine, books, builds, bare, loose)
    build_price, host_price, card_price, extra_price = prices.build, prices.host, prices.card, prices.extra

    machines, cards_apart = builds * build_price + bare * host_price, loose * card_price
    off_machines = taken(build.slug, build.price, machines, books)
    off_cards = taken(addon.slug, addon.price, cards_apart, books) if addon is not None else []
    kept_machines, kept_cards = kept(off_machines, machines), kept(off_cards, cards_apart)
    host_value, card_value = np.zeros(holding.shape), np.zeros(holding.shape)
    for (hosts, cards), (whole_builds, alone_hosts, apart, more), delay in zip(
        (now, later), counts, (np.zeros_like(holding.leads), holding.leads), strict=True
    ):
        # memory and NIC that came with a card leave with it
        if addon is not None:
            inside = (cards - apart) * card_price * kept_machines
            of_cards = inside + apart * card_price * kept_cards + more * extra_price
        elif build.residual_class == "card":
            of_cards = hosts * build_price * build.accelerator_share * kept_machines
        else:
            of_cards = np.zeros_like(hosts)
        of_hosts = (whole_builds * build_price + alone_hosts * host_price) * kept_machines
        of_all = of_hosts + apart * card_price * kept_cards + more * extra_price
        arrive_by(card_value, of_cards, delay)
        arrive_by(host_value, of_all - of_cards, delay)
    return Purchases(
        machine,
        builds,
        bare,
        loose,
        extras,
        build_price,
        host_price,
        card_price,
        extra_price,
        machines * kept_machines + cards_apart * kept_cards + extras * extra_price,
        host_value,
        card_value,
        dict(zip(("server", "chassis", "card", "card_extra"), counts[0], strict=True)),
        prices.today,
        off_machines + off_cards,
    )


@dataclass(frozen=True)
class Prices:
    """Price of a whole build, of a bare chassis, of a card, of its memory and NIC in each month, (S, M) or (M,); and by
    line code what one costs today."""

    build: Array
    host: Array
    card: Array
    extra: Array
    today: dict[str, float | Array]


def prices_at(machine: Machine, books: Books, builds: Array, bare: Array, loose: Array) -> Prices:
    """Prices where so many builds, bare chassis and cards are ordered in each month, each as a line of its own."""
    build, addon, paths = machine.build, machine.addon, books.paths_of(machine.slug)
    share = machine.price_share  # of a new one, where the machine is not new
    whole = books.price_at(build.slug, build.price, builds) * share
    if addon is None:
        build_price = whole * _mixed(build, paths)
        none = np.zeros_like(build_price)
        return Prices(build_price, build_price, none, none, {"server": whole})
    card = books.price(addon.slug, addon.price)[0] * share
    cards_today = books.price_at(addon.slug, addon.price, loose) * share
    extra = books.price(addon.slug + "/extra", addon.extra_price)[0] if addon.extra_price is not None else 0.0
    alone = books.price_at(build.slug, build.price, bare) * share
    inside = machine.base_cards * card
    nics = addon.extra_nic_share
    return Prices(
        _host(build, whole, inside, paths) + np.minimum(whole, inside) * paths["accelerator"],
        _host(build, alone, inside, paths),
        np.asarray(cards_today * paths["accelerator"]),
        np.asarray(extra * ((1 - nics) * paths["memory"] + nics * paths["nic"])),
        {"server": whole, "chassis": alone, "card": cards_today, "card_extra": extra},
    )


def _counts(hosts: Array, cards: Array, base: int, open_slots: bool) -> tuple[Array, Array, Array, Array]:
    """(whole builds, bare chassis, loose cards, cards that bring memory and NIC), (S, M), of one month's orders."""
    if not open_slots:
        none = np.zeros_like(hosts)
        return hosts, none, none, none
    whole = np.where(cards >= hosts * base, hosts, 0.0)
    bare, loose = hosts - whole, cards - whole * base
    return whole, bare, loose, np.where(bare > 0, 0.0, loose)


def _mixed(build: Build, paths: dict[str, Array]) -> Array:
    """Factor on a build's price in each month: each share on its own path, (M,)."""
    shares = (build.accelerator_share, build.memory_share, build.nic_share)
    moved = sum(share * paths[name] for share, name in zip(shares, ("accelerator", "memory", "nic"), strict=True))
    return np.asarray(moved + (1 - sum(shares)) * paths["rest"])


def _host(build: Build, whole: float | Array, cards: float, paths: dict[str, Array]) -> Array:
    """Price of a chassis without its cards in each month; a build quoted below the sum of its cards has none."""
    host = np.maximum(0.0, whole - cards)
    memory = np.minimum(build.memory_share * whole, host)
    nics = np.minimum(build.nic_share * whole, host - memory)
    return np.asarray(memory * paths["memory"] + nics * paths["nic"] + (host - memory - nics) * paths["rest"])


@dataclass(frozen=True)
class Part:
    """Chassis or cards of a holding, which are worth something of their own. Arrays (S, M)."""

    code: str
    unit: Array  # price paid for one, by month of arrival
    arrived: Array
    retired: Array
    curve: tuple[CurvePoint, ...]  # of what a sale brings


def parts_of(bought: Purchases, holding: Holding, curves: ResidualCurves) -> tuple[Part, Part]:
    """Chassis and cards of a holding, with the price paid for one by month of arrival."""
    age = bought.machine.condition.age
    whole_system = bought.machine.build.residual_class == "system" and bought.machine.addon is None

    def unit(value: Array, arrived: Array) -> Array:
        return np.where(arrived > 0, value / np.where(arrived > 0, arrived, 1.0), 0.0)

    return (
        Part("hosts", unit(bought.arrived_host_value, holding.arrived_hosts), holding.arrived_hosts,
             holding.retired_hosts, aged(curves.system if whole_system else curves.host, age)),
        Part("cards", unit(bought.arrived_card_value, holding.arrived_cards), holding.arrived_cards,
             holding.retired_cards, aged(curves.card, age)),
    )  # fmt: skip


def aged(curve: tuple[CurvePoint, ...], age: int) -> tuple[CurvePoint, ...]:
    """What a sale brings of the price paid for a machine that was bought at an age: the curve from there on."""
    if age == 0:
        return curve
    ages = np.array([0, *(point.month - age for point in curve if point.month > age)], dtype=float)
    shares = np.asarray(residual_share(curve, ages + age))
    kept = shares / shares[0] if shares[0] > 0 else np.zeros(shares.shape)
    points = zip(ages.tolist(), np.minimum(kept, 1.0).tolist(), strict=True)
    return tuple(CurvePoint(month=int(month), share=share) for month, share in points)


def leavers(part: Part) -> Iterator[tuple[int, Array]]:
    """(month, (S, month): of each earlier month's arrivals, how many leave in it)."""
    for m in np.flatnonzero(part.retired.any(axis=0)).tolist():
        before = survivors(part.arrived, part.retired, m - 1)
        yield m, before - survivors(part.arrived, part.retired, m)[:, :m]


def arrive(into: Array, value: Array, delay: int) -> None:
    if delay == 0:
        into += value
    elif delay < value.shape[1]:
        into[:, delay:] += value[:, :-delay]


def arrive_by(into: Array, value: Array, delays: npt.NDArray[np.int64]) -> None:
    """Add each month's value as many months later as its own delay says; what comes after the horizon is not in."""
    for m in np.flatnonzero(value.any(axis=0)).tolist():
        if m + delays[m] < value.shape[1]:
            into[:, m + int(delays[m])] += value[:, m]


def spread(amounts: Array, schedule: Array, first: int = 0) -> Array:
    """Amounts by month, (S, M), each followed by its schedule from `first` months later: (S, M)."""
    months = amounts.shape[1]
    out = np.zeros(amounts.shape)
    for m in np.flatnonzero(amounts.any(axis=0)).tolist():
        begin = m + first
        part = schedule[: max(0, months - begin)]
        out[:, begin : begin + part.size] += amounts[:, m, None] * part
    return out


def value_after(bought: Purchases, holding: Holding, months: int) -> Array:
    """Price paid for what is in service and older than `months`, (S, M)."""
    value = bought.arrived_host_value + bought.arrived_card_value
    if bought.machine.addon:
        return older(value, holding.arrived_cards, holding.retired_cards, holding, months)
    return older(value, holding.arrived_hosts, holding.retired_hosts, holding, months)


def older(value: Array, arrived: Array, retired: Array, holding: Holding, months: int) -> Array:
    """Of a value that arrived with so many units, what is in service and older than `months`, (S, M)."""
    running = np.zeros(value.shape)
    if not retired.any():
        arrive(running, np.cumsum(value, axis=1), months)
        return running
    unit = np.where(arrived > 0, value / np.where(arrived > 0, arrived, 1.0), 0.0)
    for m in range(months, value.shape[1]):
        there = survivors(arrived, retired, m)
        running[:, m] = (there[:, : m - months + 1] * unit[:, : m - months + 1]).sum(axis=1)
    return running


@dataclass
class Spare:
    """Spares of one kind bought with a holding, by month of order. Arrays (S, M)."""

    code: str  # spare_server · spare_chassis · spare_card
    item: str
    unit: str
    quantity: Array
    price: Array
    today: float | Array  # what one costs today
    at_once: Array  # those that are there in the month of their order


def spares_bought(holding: Holding, repairs: Repairs, books: Books) -> list[Spare]:
    """The spares that stand on the shelf when what they are for begins to serve, ordered together with it."""
    machine = holding.machine
    servers, servers_at_once = _shelved(repairs.spare_servers, holding)
    if machine.addon is None:
        prices = prices_at(machine, books, servers, servers, servers)
        whole = prices.today["server"]
        return [Spare("spare_server", machine.slug, "server", servers, prices.build, whole, servers_at_once)]
    cards, cards_at_once = _shelved(repairs.spare_cards, holding)
    prices = prices_at(machine, books, servers, servers, cards)
    chassis, card = prices.today["chassis"], prices.today["card"]
    return [
        Spare("spare_chassis", machine.slug, "chassis", servers, prices.host, chassis, servers_at_once),
        Spare("spare_card", machine.addon.slug, "GPU", cards, prices.card, card, cards_at_once),
    ]


def _shelved(shelf: Array, holding: Holding) -> tuple[Array, Array]:
    """(ordered in each month, there in that very month) so that the shelf holds what it must, (S, M)."""
    added = np.diff(shelf, axis=1, prepend=0.0)
    at_once, later = np.zeros(added.shape), np.zeros(added.shape)
    at_once[:, 0] = added[:, 0]
    comes = np.arange(added.shape[1]) + holding.leads  # a fleet grows by what was ordered the lead time before
    ordered_in = {int(month): m for m, month in enumerate(comes) if 0 < month < added.shape[1]}
    for month, m in ordered_in.items():
        later[:, m] = added[:, month]
    return at_once + later, at_once
