"""What purchases cost: by month of order, when they are paid, and by month of arrival, when they count as value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.books import Books
from planner.engine.demand import Machine
from planner.engine.fleet import Holding, survivors
from planner.engine.inputs import CurvePoint, ResidualCurves
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


def purchases(holding: Holding, books: Books) -> Purchases:
    """Price every purchase of a holding at the month of its order.

    A chassis bought with at least the cards of the build is a whole build; with fewer it is a bare chassis
    (build − n × card) and its cards. Cards added beyond the build bring their extra memory and NIC.
    """
    machine, paths = holding.machine, books.paths
    build, addon = machine.build, machine.addon
    whole, _source = books.price(build.slug, build.price)
    if addon is None:
        share, memory = build.accelerator_share, build.memory_share
        build_price = whole * (
            share * paths["accelerator"] + memory * paths["memory"] + (1 - share - memory) * paths["rest"]
        )
        host_price, card_price, extra_price = build_price, np.zeros_like(build_price), np.zeros_like(build_price)
    else:
        card, _ = books.price(addon.slug, addon.price)
        extra = books.price(addon.slug + "/extra", addon.extra_price)[0] if addon.extra_price is not None else 0.0
        host = max(0.0, whole - machine.base_cards * card)
        memory = min(build.memory_share * whole, host)
        host_price = memory * paths["memory"] + (host - memory) * paths["rest"]
        card_price, extra_price = card * paths["accelerator"], extra * paths["memory"]
        # a build quoted below the sum of its cards costs its quote
        build_price = host_price + (whole - host) * paths["accelerator"]

    base = machine.base_cards
    lead = holding.lead
    first_hosts, first_cards = np.zeros(holding.shape), np.zeros(holding.shape)
    first_hosts[:, 0], first_cards[:, 0] = holding.first_hosts, holding.first_cards
    streams = [  # (hosts, cards, months from order to arrival)
        (first_hosts + holding.renewed_hosts, first_cards + holding.renewed_cards, 0),
        (
            holding.ordered_hosts - first_hosts - holding.renewed_hosts,
            holding.ordered_cards - first_cards - holding.renewed_cards,
            lead,
        ),
    ]
    counts = []
    totals = [np.zeros(holding.shape) for _ in range(4)]
    host_value, card_value = np.zeros(holding.shape), np.zeros(holding.shape)
    for hosts, cards, delay in streams:
        if addon is None:
            whole_builds, bare, loose, extras = hosts, np.zeros_like(hosts), np.zeros_like(hosts), np.zeros_like(hosts)
        else:
            whole_builds = np.where(cards >= hosts * base, hosts, 0.0)
            bare = hosts - whole_builds
            loose = cards - whole_builds * base
            extras = np.where(bare > 0, 0.0, loose)
        counts.append((whole_builds, bare, loose, extras))
        for total, part in zip(totals, (whole_builds, bare, loose, extras), strict=True):
            total += part
        # memory and NIC that came with a card leave with it
        of_cards = (
            cards * card_price + extras * extra_price
            if addon
            else (
                hosts * build_price * build.accelerator_share
                if build.residual_class == "card"
                else np.zeros_like(hosts)
            )
        )
        of_all = whole_builds * build_price + bare * host_price + loose * card_price + extras * extra_price
        arrive(card_value, of_cards, delay)
        arrive(host_value, of_all - of_cards, delay)
    builds, bare, loose, extras = totals
    paid = builds * build_price + bare * host_price + loose * card_price + extras * extra_price
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
        paid,
        host_value,
        card_value,
        dict(zip(("server", "chassis", "card", "card_extra"), counts[0], strict=True)),
    )


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
    whole_system = bought.machine.build.residual_class == "system" and bought.machine.addon is None

    def unit(value: Array, arrived: Array) -> Array:
        return np.where(arrived > 0, value / np.where(arrived > 0, arrived, 1.0), 0.0)

    return (
        Part("hosts", unit(bought.arrived_host_value, holding.arrived_hosts), holding.arrived_hosts,
             holding.retired_hosts, curves.system if whole_system else curves.host),
        Part("cards", unit(bought.arrived_card_value, holding.arrived_cards), holding.arrived_cards,
             holding.retired_cards, curves.card),
    )  # fmt: skip


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
    at_once: Array  # those that are there in the month of their order


def spares_bought(bought: Purchases, holding: Holding, repairs: Repairs) -> list[Spare]:
    """The spares that stand on the shelf when what they are for begins to serve, ordered together with it."""
    machine = holding.machine
    if machine.addon is None:
        kinds = [("spare_server", machine.slug, "server", repairs.spare_servers, bought.build_price)]
    else:
        kinds = [
            ("spare_chassis", machine.slug, "chassis", repairs.spare_servers, bought.host_price),
            ("spare_card", machine.addon.slug, "GPU", repairs.spare_cards, bought.card_price),
        ]
    found = []
    for code, item, unit, kept, price in kinds:
        added = np.diff(kept, axis=1, prepend=0.0)
        at_once, later = np.zeros(added.shape), np.zeros(added.shape)
        at_once[:, 0] = added[:, 0]
        grown = added[:, max(1, holding.lead) :]  # a fleet grows by what was ordered the lead time before
        first = max(0, 1 - holding.lead)
        later[:, first : first + grown.shape[1]] = grown
        found.append(Spare(code, item, unit, at_once + later, price, at_once))
    return found
