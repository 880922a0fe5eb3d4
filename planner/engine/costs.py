"""Quantities × prices → cost lines. One function a group of lines; the order is that of model.md section 5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from planner.engine.allocation import Allocation
from planner.engine.calendar import Array, Calendar
from planner.engine.demand import Machine
from planner.engine.finance import residual_share
from planner.engine.fleet import Fleet, Holding
from planner.engine.growth import price_path
from planner.engine.housing import PUE_BY_METHOD, Housing
from planner.engine.inputs import Plan, Scenario, Site
from planner.engine.lines import Ledger
from planner.engine.prices import CloudOffer, Cost, NoQuote, Price, PriceBook, Source, comparable_offers, median_offer
from planner.engine.wiring import Network

LOADED_COST = {
    "US": "staff-us-gpu-engineer-loaded", "DE": "staff-de-gpu-engineer-loaded", "UK": "staff-uk-loaded",
    "CN": "staff-cn-hpc-loaded", "IN": "staff-in-loaded",
}
DUTY = {"US": "duty-us-base", "DE": "duty-eu", "UK": "duty-uk", "CN": "duty-cn", "IN": "duty-in"}
# catalog/data/defaults.csv, opex.staff: estimate. (servers up to, FTE)
STAFF_STEPS = ((2, 0.10), (5, 0.25), (10, 0.50))
CLOUD_FTE = 0.10
MIN_FABRIC_FTE = 0.25
SPARES_FROM_SERVERS = 4
SWITCH_WARRANTY_MONTHS = 12  # estimate
RACK_PDUS = 2  # an A and a B strip
RETAIL_UNDER_KW = 100.0
RETAIL_COLOCATION = "retail"  # key of the retail row in a price book

# Planning defaults that a line may ask for: the rows a price book must hold, besides upgrades and taxes a scenario names.
COST_ROWS = frozenset({
    *LOADED_COST.values(), *DUTY.values(), "flash-file-usable-tb", "rack-42u", "rack-office-24u", "rack-shelf", "pdu-basic-30a",
    "pdu-metered-17kw", "remote-hands-hour", "install-hours-8gpu", "install-hours-workstation", "commissioning-pct",
    "commissioning-days", "freight-domestic", "spares-stock", "decommission-server", "demand-charge", "water-use-wue",
    "water-us-m3", "net-maintenance", "staff-nodes-per-fte-small", "staff-fabric-skill-fte", "cross-connect", "ip-transit-mbps",
    "office-fibre-1g", "insurance-property", "property-tax-default", "cloud-commit-discount-1y", "cloud-commit-discount-3y",
    "egress-uplift", "cable-400g-link", "cable-800g-link", "cabling-labour-link",
})


@dataclass
class Purchases:
    """What one holding costs, by month of order and by month of arrival. Arrays (S, M), money.

    builds/hosts/cards/extras are counts: whole builds, bare chassis, cards, and the memory and NIC that come with added cards.
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


@dataclass
class Books:
    """Prices of a scenario as paths, made once and shared by its plans."""

    scenario: Scenario
    book: PriceBook
    calendar: Calendar

    @cached_property
    def paths(self) -> dict[str, Array]:
        market, months = self.scenario.market, self.calendar.months
        return {
            "accelerator": price_path(market.accelerator, months), "memory": price_path(market.memory_flash, months),
            "rest": price_path(market.rest, months),
            "cloud": price_path(market.accelerator, months, market.cloud_spread),
            "electricity": price_path(market.electricity, months), "colocation": price_path(market.colocation, months),
            "wages": price_path(market.wages, months),
        }

    def price(self, slug: str, quoted: Price | None) -> tuple[float, Source]:
        """Today's price of an item: the user's own, else the quote; raises NoQuote, MissingRate."""
        own = self.scenario.market.own_prices.get(slug)
        if own is not None:
            return own, Source(basis="own", item=slug)
        if quoted is None:
            raise NoQuote(slug)
        return quoted.value(self.book.currency), quoted.source

    def cost(self, slug: str) -> tuple[float, Source]:
        """A planning default in the scenario's currency."""
        own = self.scenario.market.own_prices.get(slug)
        if own is not None:
            return own, Source(basis="own", item=slug)
        row = self.book.cost(slug)
        return row.value(self.book.currency), row.source

    def percent(self, slug: str) -> tuple[float, Source]:
        """A planning default given in per cent, as a fraction."""
        row: Cost = self.book.cost(slug)
        return row.likely / 100.0, row.source

    @cached_property
    def commissioning_days(self) -> float:
        days = self.scenario.operations.commissioning_days
        return days if days is not None else self.book.cost("commissioning-days").likely

    def offer(self, plan: Plan, provider_class: str | None = None) -> CloudOffer | None:
        """The cloud offer of a plan: pinned, else the median of the comparable ones (model.md 3)."""
        assert plan.overflow is not None
        if provider_class is None and plan.overflow.offer is not None:
            offer = self.book.offers.get(plan.overflow.offer)
            if offer is None:
                raise NoQuote(plan.overflow.offer)
            return offer
        wanted = provider_class or plan.overflow.provider_class or self.scenario.market.provider_class
        return self.median(plan.overflow.accelerator, wanted)

    def median(self, accelerator: str, provider_class: str) -> CloudOffer | None:
        region = self.scenario.sites[0].region
        return median_offer(
            comparable_offers(self.book.offers.values(), accelerator, provider_class, region,
                              self.book.pricing_date, self.scenario.market.stale_after_days), self.book.currency)


def purchases(holding: Holding, books: Books) -> Purchases:
    """Price every purchase of a holding at the month of its order.

    A chassis bought with at least the cards of the build is a whole build; with fewer it is a bare chassis (build − n × card)
    and its cards. Cards added beyond the build bring their extra memory and NIC.
    """
    machine, paths = holding.machine, books.paths
    build, addon = machine.build, machine.addon
    whole, _source = books.price(build.slug, build.price)
    if addon is None:
        share, memory = build.accelerator_share, build.memory_share
        build_price = whole * (share * paths["accelerator"] + memory * paths["memory"] + (1 - share - memory) * paths["rest"])
        host_price, card_price, extra_price = build_price, np.zeros_like(build_price), np.zeros_like(build_price)
    else:
        card, _ = books.price(addon.slug, addon.price)
        extra = books.price(addon.slug + "/extra", addon.extra_price)[0] if addon.extra_price is not None else 0.0
        host = max(0.0, whole - machine.base_cards * card)
        memory = min(build.memory_share * whole, host)
        host_price = memory * paths["memory"] + (host - memory) * paths["rest"]
        card_price, extra_price = card * paths["accelerator"], extra * paths["memory"]
        build_price = host_price + machine.base_cards * card_price

    base = machine.base_cards
    lead = holding.lead
    first_hosts, first_cards = np.zeros(holding.shape), np.zeros(holding.shape)
    first_hosts[:, 0], first_cards[:, 0] = holding.first_hosts, holding.first_cards
    streams = [  # (hosts, cards, months from order to arrival)
        (first_hosts + holding.renewed_hosts, first_cards + holding.renewed_cards, 0),
        (holding.ordered_hosts - first_hosts - holding.renewed_hosts,
         holding.ordered_cards - first_cards - holding.renewed_cards, lead),
    ]
    totals = [np.zeros(holding.shape) for _ in range(4)]
    host_value, card_value = np.zeros(holding.shape), np.zeros(holding.shape)
    for hosts, cards, delay in streams:
        if not cards.any():
            continue
        if addon is None:
            whole_builds, bare, loose, extras = hosts, np.zeros_like(hosts), np.zeros_like(hosts), np.zeros_like(hosts)
        else:
            whole_builds = np.where(cards >= hosts * base, hosts, 0.0)
            bare = hosts - whole_builds
            loose = cards - whole_builds * base
            extras = np.where(bare > 0, 0.0, loose)
        for total, part in zip(totals, (whole_builds, bare, loose, extras), strict=True):
            total += part
        # memory and NIC that came with a card leave with it
        of_cards = cards * card_price + extras * extra_price if addon else (
            hosts * build_price * build.accelerator_share if build.residual_class == "card" else np.zeros_like(hosts))
        of_all = whole_builds * build_price + bare * host_price + loose * card_price + extras * extra_price
        _arrive(card_value, of_cards, delay)
        _arrive(host_value, of_all - of_cards, delay)
    builds, bare, loose, extras = totals
    paid = builds * build_price + bare * host_price + loose * card_price + extras * extra_price
    return Purchases(machine, builds, bare, loose, extras, build_price, host_price, card_price, extra_price, paid,
                     host_value, card_value)


def _arrive(into: Array, value: Array, delay: int) -> None:
    if delay == 0:
        into += value
    elif delay < value.shape[1]:
        into[:, delay:] += value[:, :-delay]


@dataclass
class PlanCosts:
    """Everything the lines of one plan are made of."""

    plan: Plan
    books: Books
    fleet: Fleet
    network: Network | None
    housing: Housing
    allocation: Allocation
    ledger: Ledger
    bought: list[Purchases] = field(init=False)

    def __post_init__(self) -> None:
        self.bought = [purchases(holding, self.books) for holding in self.fleet.holdings]

    # ── shared figures ──

    @cached_property
    def hosts(self) -> Array:
        """Servers in service, (S, M)."""
        return np.zeros(self.ledger.shape) + sum(holding.hosts for holding in self.fleet.holdings)

    @cached_property
    def new_hosts(self) -> Array:
        return np.zeros(self.ledger.shape) + sum(holding.ordered_hosts for holding in self.fleet.holdings)

    @cached_property
    def hardware(self) -> Array:
        """Money paid for machines and fabric in each month, (S, M)."""
        machines = np.zeros(self.ledger.shape) + sum(bought.paid for bought in self.bought)
        return machines + (self.network.paid if self.network is not None else 0.0)

    @property
    def owns(self) -> bool:
        return bool(self.new_hosts.any())

    @property
    def scenario(self) -> Scenario:
        return self.books.scenario

    def by_site(self, figure: dict[str, float]) -> Array:
        """(M,): a figure of the site in which the fleet stands in each month."""
        return np.array([figure[site.slug] for site in self.housing.site_of])

    # ── all lines ──

    def write(self) -> None:
        """Write every line but the cloud's, which depends on the offer."""
        groups: list[tuple[Callable[[], None], tuple[str, ...]]] = [
            (self._machines, ("capex.accelerators_and_servers",)),
            (self._storage, ("capex.storage",)),
            (self._fabric, ("capex.fabric",)),
            (self._racks, ("capex.racks_and_power",)),
            (self._upgrades, ("capex.cooling", "capex.facility")),
            (self._installation, ("capex.installation",)),
            (self._freight_and_duty, ("capex.freight_and_duty",)),
            (self._tax, ("capex.sales_tax_or_vat",)),
            (self._spares, ("capex.spares",)),
            (self._decommissioning, ("capex.decommissioning",)),
            (self._energy, ("opex.energy_it", "opex.energy_overhead")),
            (self._demand_charge, ("opex.demand_charge",)),
            (self._colocation, ("opex.colocation",)),
            (self._water, ("opex.water",)),
            (self._support, ("opex.support",)),
            (self._transit, ("opex.network_transit",)),
            (self._insurance, ("opex.insurance",)),
            (self._property_tax, ("opex.property_tax",)),
            (self._resale, ("credit.resale", "credit.residual_at_horizon")),
        ]
        # a price is asked for only where its line is on: an item nobody needs needs no quote
        for write, categories in groups if self.owns else ():
            if any(self.ledger.on(category) for category in categories):
                write()
        if self.ledger.on("opex.staff"):
            self._staff()

    def _machines(self) -> None:
        for bought in self.bought:
            build, addon = bought.machine.build, bought.machine.addon
            path = f"plans/{self.plan.slug}/start"
            drivers = (path + "/build", path + "/quantity", "market/accelerator/rate_per_year", "market/own_prices/" + build.slug)
            _price, source = self.books.price(build.slug, build.price)
            factors = {"price_today": _price, "accelerator_share": build.accelerator_share, "memory_share": build.memory_share}
            self.ledger.add("capex.accelerators_and_servers", "server", bought.builds, "server", bought.build_price, source,
                            "price_path", item=build.slug, factors=factors, drivers=drivers)
            if addon is None:
                continue
            self.ledger.add("capex.accelerators_and_servers", "chassis", bought.hosts, "chassis", bought.host_price, source,
                            "host_price", item=build.slug, factors=factors, drivers=drivers)
            card, card_source = self.books.price(addon.slug, addon.price)
            self.ledger.add("capex.accelerators_and_servers", "card", bought.cards, "GPU", bought.card_price, card_source,
                            "card_price", item=addon.slug, factors={"price_today": card},
                            drivers=("market/accelerator/rate_per_year", "market/own_prices/" + addon.slug))
            if addon.extra_price is not None:
                extra, extra_source = self.books.price(addon.slug + "/extra", addon.extra_price)
                self.ledger.add("capex.accelerators_and_servers", "card_extra", bought.extras, "GPU", bought.extra_price,
                                extra_source, "card_extra", item=addon.slug, factors={"price_today": extra},
                                drivers=("market/memory_flash/rate_per_year",))

    def _storage(self) -> None:
        tb = self.scenario.operations.storage_tb
        if tb:
            price, source = self.books.cost("flash-file-usable-tb")
            quantity = np.zeros(self.ledger.shape)
            quantity[:, 0] = tb
            self.ledger.add("capex.storage", "shared_flash", quantity, "TB", price * self.books.paths["memory"], source,
                            "storage", item="flash-file-usable-tb", drivers=("operations/storage_tb",))

    def _fabric(self) -> None:
        if self.network is not None:
            self.network.write(self.ledger, self.plan)

    def _racks(self) -> None:
        """Racks and their strips per rack of the packing, in rooms of one's own; a tower stands on a shelf."""
        own_room = np.array([site.kind != "colocation" for site in self.housing.site_of])
        racks = np.where(own_room, self.housing.racks, 0.0)
        highest = np.maximum.accumulate(racks, axis=1)
        added = np.diff(highest, axis=1, prepend=0.0)
        rest = self.books.paths["rest"]
        site = self.housing.site_of[0]
        rack = "rack-office-24u" if site.kind == "office" and site.rack_units <= 24 else "rack-42u"
        pdu = "pdu-basic-30a" if site.kind == "office" else "pdu-metered-17kw"
        for code, slug, quantity, unit in (("rack", rack, added, "rack"), ("pdu", pdu, added * RACK_PDUS, "each")):
            if quantity.any():
                price, source = self.books.cost(slug)
                self.ledger.add("capex.racks_and_power", code, quantity, unit, price * rest, source, "racks", item=slug,
                                factors={"price_today": price}, drivers=(f"sites/{site.slug}/rack_units",))
        shelves = np.zeros(self.ledger.shape) + sum(
            holding.arrived_hosts for holding in self.fleet.holdings if not holding.machine.build.in_rack)
        if shelves.any():
            price, source = self.books.cost("rack-shelf")
            self.ledger.add("capex.racks_and_power", "shelf", shelves, "each", price * rest, source, "racks", item="rack-shelf")

    def _upgrades(self) -> None:
        for order in self.housing.upgrades:
            quantity = np.zeros(self.ledger.shape)
            quantity[:, order.ordered] = order.upgrade.quantity
            if order.upgrade.price is not None:
                price, source = order.upgrade.price, Source(basis="own", item=order.upgrade.item)
            else:
                price, source = self.books.cost(order.upgrade.item)
            self.ledger.add("capex.cooling" if order.resource == "cooling" else "capex.facility", "upgrade", quantity, "each",
                            price * self.books.paths["rest"], source, "upgrade", item=order.upgrade.item,
                            factors={"lead_weeks": order.upgrade.lead_weeks},
                            drivers=(f"sites/{order.site}/upgrades/{order.upgrade.slug}/price",))
        sites = self.housing.site_of
        for m in range(1, len(sites)):
            if sites[m].slug != sites[m - 1].slug and sites[m].moving_cost and self.hosts[:, m].any():
                quantity = np.zeros(self.ledger.shape)
                quantity[:, m] = 1.0
                self.ledger.add("capex.facility", "moving", quantity, "each", sites[m].moving_cost, Source(basis="own"), "moving",
                                item=sites[m].slug,
                                drivers=(f"sites/{sites[m].slug}/moving_cost",))

    def _installation(self) -> None:
        rate, source = self.books.cost("remote-hands-hour")
        rate_path = rate * self.books.paths["wages"]
        hours = np.zeros(self.ledger.shape)
        for bought, holding in zip(self.bought, self.fleet.holdings, strict=True):
            build, addon = bought.machine.build, bought.machine.addon
            per_server = self.books.book.cost("install-hours-workstation" if build.workstation else "install-hours-8gpu").likely
            hours = hours + holding.ordered_hosts * per_server
            if addon is not None:
                hours = hours + np.where(bought.hosts > 0, 0.0, bought.cards) * addon.labour_hours
        self.ledger.add("capex.installation", "labour", hours, "hour", rate_path, source, "installation",
                        item="remote-hands-hour", factors={"price_today": rate})
        if self.network is not None:
            share, source = self.books.percent("commissioning-pct")
            nodes = np.zeros(self.ledger.shape) + sum(bought.paid for bought in self.bought)
            self.ledger.add("capex.installation", "fabric_commissioning", nodes + self.network.paid, "money", share, source,
                            "share_of_hardware", item="commissioning-pct", factors={"share": share})

    def _freight_and_duty(self) -> None:
        freight, source = self.books.percent("freight-domestic")
        fabric = self.network.paid if self.network is not None else np.zeros(self.ledger.shape)
        for code, value in (("freight", self.hardware - fabric), ("fabric_freight", fabric)):
            self.ledger.add("capex.freight_and_duty", code, value, "money", freight, source, "share_of_hardware",
                            item="freight-domestic", factors={"share": freight})
        duty_row = DUTY[self.scenario.operations.region]
        duty, source = self.books.percent(duty_row)
        if duty:
            self.ledger.add("capex.freight_and_duty", "duty", self.hardware, "money", duty, source, "share_of_hardware",
                            item=duty_row, factors={"share": duty})

    def _tax(self) -> None:
        ops = self.scenario.operations
        if ops.tax_region:
            tax, source = self.books.percent(ops.tax_region)
            borne = tax * (1.0 - ops.recoverable_tax_share)
            if borne:
                self.ledger.add("capex.sales_tax_or_vat", "tax", self.hardware, "money", borne, source, "tax",
                                item=ops.tax_region, factors={"rate": tax, "recoverable": ops.recoverable_tax_share},
                                drivers=("operations/recoverable_tax_share",))

    def _spares(self) -> None:
        large = np.cumsum(self.new_hosts, axis=1) >= SPARES_FROM_SERVERS
        spares, source = self.books.percent("spares-stock")
        machines = np.zeros(self.ledger.shape) + sum(bought.paid for bought in self.bought)
        self.ledger.add("capex.spares", "spares", np.where(large, machines, 0.0), "money", spares, source, "share_of_hardware",
                        item="spares-stock", factors={"share": spares})

    def _decommissioning(self) -> None:
        gone = np.zeros(self.ledger.shape) + sum(holding.retired_hosts for holding in self.fleet.holdings)
        if gone.any():
            price, source = self.books.cost("decommission-server")
            self.ledger.add("capex.decommissioning", "disposal", gone, "server", price * self.books.paths["wages"], source,
                            "decommissioning", item="decommission-server")

    def _tariff(self, site: Site) -> tuple[float, Source]:
        if site.electricity_price_per_kwh is not None:
            return site.electricity_price_per_kwh, Source(basis="own", item=site.region)
        tariff = self.books.book.tariffs.get(f"{site.region}/{site.customer_class}")
        if tariff is None or tariff.price is None:
            raise NoQuote(f"{site.region}/{site.customer_class}")
        return tariff.price.value(self.books.book.currency), tariff.price.source

    @cached_property
    def metered_kw(self) -> Array:
        """IT draw whose energy is billed by the meter: all but that of colocation with power included. [kW]"""
        metered = {site.slug: 0.0 if site.colocation and site.colocation.power_included else 1.0 for site in self.scenario.sites}
        return np.asarray(self.housing.draw * self.by_site(metered))

    @cached_property
    def pue(self) -> Array:
        """(M,): PUE of the site in each month."""
        return self.by_site({
            site.slug: site.pue if site.pue is not None else PUE_BY_METHOD[site.cooling_method] for site in self.scenario.sites})

    def _energy(self) -> None:
        """IT line = kWh × tariff; overhead line = IT line × (PUE − 1). The fabric's share stands apart."""
        sites = self.scenario.sites
        tariffs = {site.slug: self._tariff(site) for site in sites}
        tariff = self.by_site({slug: found[0] for slug, found in tariffs.items()}) * self.books.paths["electricity"]
        hours = self.books.calendar.hours
        fabric = np.zeros(self.ledger.shape)
        if self.network is not None:
            fabric = np.minimum(self.network.kw_typical, self.metered_kw) * hours
        machines = self.metered_kw * hours - fabric
        first, (today, source) = sites[0], tariffs[sites[0].slug]
        drivers = (f"sites/{first.slug}/electricity_price_per_kwh", "market/electricity/rate_per_year")
        factors = {"tariff_today": today, "pue": float(self.pue[0])}
        for code, kwh in (("machines", machines), ("fabric", fabric)):
            self.ledger.add("opex.energy_it", code, kwh, "kWh", tariff, source, "energy_it", item=source.item, factors=factors,
                            drivers=drivers)
            self.ledger.add("opex.energy_overhead", code, kwh * (self.pue - 1.0), "kWh", tariff, source, "energy_overhead",
                            item=source.item, factors=factors, drivers=(f"sites/{first.slug}/pue", *drivers))

    def _demand_charge(self) -> None:
        rate, source = self.books.cost("demand-charge")
        self.ledger.add("opex.demand_charge", "peak", self.housing.draw_max * self.pue, "kW", rate * self.books.paths["electricity"],
                        source, "demand_charge", item="demand-charge", factors={"price_today": rate})

    def _water(self) -> None:
        litres = self.books.book.cost("water-use-wue").likely
        rate, source = self.books.cost("water-us-m3")
        self.ledger.add("opex.water", "cooling", self.housing.draw * self.books.calendar.hours * litres / 1000.0, "m3", rate, source,
                        "water", item="water-us-m3", factors={"wue": litres})

    def _colocation(self) -> None:
        for site in self.scenario.sites:
            terms = site.colocation
            if terms is None:
                continue
            here = np.array([where.slug == site.slug for where in self.housing.site_of])
            kw = np.where(here, self.housing.contracted_kw, 0.0)
            machines_kw = np.where(here, self.housing.contracted_without_fabric_kw, 0.0)
            if not kw.any():
                continue
            if terms.price_per_kw_month is not None:
                price, source = terms.price_per_kw_month, Source(basis="own", item=terms.market or "")
            else:
                row = self.books.book.colocation.get(terms.market or "")
                if row is None:
                    raise NoQuote(terms.market or site.slug)
                retail = self.books.book.colocation.get(RETAIL_COLOCATION)
                if "retail" not in row.size_band and retail is not None and float(kw.max()) < RETAIL_UNDER_KW:
                    row = retail  # a wholesale rate is not offered to a small tenant (defaults.csv, opex.colocation)
                if row.price is None:
                    raise NoQuote(row.market)
                price, source = row.price.value(self.books.book.currency), row.price.source
            for code, part in (("contracted_power", machines_kw), ("fabric_power", kw - machines_kw)):
                self.ledger.add("opex.colocation", code, part, "kW", price * self.books.paths["colocation"], source, "colocation",
                                item=source.item, factors={"usable_share": terms.usable_share, "price_today": price},
                                drivers=(f"sites/{site.slug}/colocation/price_per_kw_month",
                                         f"sites/{site.slug}/colocation/usable_share"))

    def _support(self) -> None:
        for bought, holding in zip(self.bought, self.fleet.holdings, strict=True):
            build = bought.machine.build
            if not build.support_share_per_year:
                continue
            value = _value_after(bought, holding, build.warranty_months)
            self.ledger.add("opex.support", "machines", value, "money", build.support_share_per_year / 12.0, build.source,
                            "support", item=build.slug,
                            factors={"share_per_year": build.support_share_per_year, "warranty_months": float(build.warranty_months)})
        if self.network is not None:
            share, source = self.books.percent("net-maintenance")
            value = np.zeros(self.ledger.shape)
            _arrive(value, np.cumsum(self.network.paid, axis=1), SWITCH_WARRANTY_MONTHS)
            self.ledger.add("opex.support", "fabric", value, "money", share / 12.0, source, "support", item="net-maintenance",
                            factors={"share_per_year": share, "warranty_months": float(SWITCH_WARRANTY_MONTHS)})

    def _staff(self) -> None:
        ops = self.scenario.operations
        row = LOADED_COST[ops.region]
        if ops.loaded_cost_per_fte_year is not None:
            loaded, source = ops.loaded_cost_per_fte_year, Source(basis="own", item=row)
        else:
            loaded, source = self.books.cost(row)
        monthly = loaded / 12.0 * self.books.paths["wages"]
        drivers = ("operations/loaded_cost_per_fte_year", "operations/servers_per_fte")
        fte = self.fte_owned
        rents = np.zeros(self.ledger.shape)
        for rented in self.allocation.rented.values():
            rents = rents + rented
        cloud_only = np.where((fte <= 0) & (rents > 0), CLOUD_FTE, 0.0)
        self.ledger.add("opex.staff", "servers", fte, "FTE", monthly, source, "staff", item=row,
                        factors={"loaded_per_year": loaded}, drivers=drivers)
        self.ledger.add("opex.staff", "cloud", cloud_only, "FTE", monthly, source, "staff", item=row,
                        factors={"loaded_per_year": loaded}, drivers=drivers)
        self.ledger.add("opex.staff", "fabric_skills", self.fte_fabric, "FTE", monthly, source, "staff_fabric", item=row,
                        factors={"loaded_per_year": loaded}, drivers=drivers)

    @cached_property
    def fte_owned(self) -> Array:
        """Staff for the servers in service: steps, then servers ÷ servers per FTE. [FTE]"""
        per_fte = self.scenario.operations.servers_per_fte
        if per_fte is not None:
            return np.asarray(self.hosts / per_fte)
        many = self.books.book.costs.get("staff-nodes-per-fte-small")
        fte = self.hosts / (many.likely if many else 20.0)
        for limit, share in reversed(STAFF_STEPS):
            fte = np.where(self.hosts <= limit, share, fte)
        return np.where(self.hosts > 0, fte, 0.0)

    @cached_property
    def fte_fabric(self) -> Array:
        """Extra skill for a fabric: a share per 64 nodes, a quarter at least. [FTE]"""
        if self.network is None:
            return np.zeros(self.ledger.shape)
        row = self.books.book.costs.get("staff-fabric-skill-fte")
        nodes = self.hosts
        return np.where(nodes > 0, np.maximum(MIN_FABRIC_FTE, (row.likely if row else 0.5) * nodes / 64.0), 0.0)

    def _transit(self) -> None:
        for site in self.scenario.sites:
            here = np.array([where.slug == site.slug for where in self.housing.site_of])
            present = np.where(here & (self.hosts > 0), 1.0, 0.0)
            if not present.any():
                continue
            if site.kind == "colocation":
                connect, source = self.books.cost("cross-connect")
                per_mbps, _ = self.books.cost("ip-transit-mbps")
                self.ledger.add("opex.network_transit", "cross_connect", present, "month", connect, source, "transit", item="cross-connect")
                self.ledger.add("opex.network_transit", "commit_1g", present * 1000.0, "Mbit/s", per_mbps, source, "transit",
                                item="ip-transit-mbps")
            else:
                line, source = self.books.cost("office-fibre-1g")
                self.ledger.add("opex.network_transit", "fibre_1g", present, "month", line, source, "transit", item="office-fibre-1g")

    def _insurance(self) -> None:
        self._share_of_value("opex.insurance", "insurance-property")

    def _property_tax(self) -> None:
        self._share_of_value("opex.property_tax", "property-tax-default")

    def _share_of_value(self, category: str, slug: str) -> None:
        """A yearly share of the price paid for what is in service."""
        value = np.zeros(self.ledger.shape)
        for bought, holding in zip(self.bought, self.fleet.holdings, strict=True):
            value = value + _value_after(bought, holding, 0)
        share, source = self.books.percent(slug)
        self.ledger.add(category, "machines", value, "money", share / 12.0, source, "share_per_year", item=slug,
                        factors={"share_per_year": share})

    def _resale(self) -> None:
        market, months = self.scenario.market, self.ledger.shape[1]
        share = (1.0 - market.resale_commission) * market.resale_factor
        factors = {"commission": market.resale_commission, "factor": market.resale_factor}
        drivers = ("market/resale_commission", "market/resale_factor", "finance/residual_at_horizon")
        for bought, holding in zip(self.bought, self.fleet.holdings, strict=True):
            build = bought.machine.build
            parts = [
                ("hosts", bought.arrived_host_value, holding.arrived_hosts, holding.retired_hosts,
                 "system" if build.residual_class == "system" and bought.machine.addon is None else "host"),
                ("cards", bought.arrived_card_value, holding.arrived_cards, holding.retired_cards, "card"),
            ]
            for code, value, arrived, retired, curve_name in parts:
                if not value.any():
                    continue
                curve = getattr(market.residual, curve_name)
                unit = np.where(arrived > 0, value / np.where(arrived > 0, arrived, 1.0), 0.0)
                if retired.any():
                    sold = np.zeros(self.ledger.shape)
                    for m in np.flatnonzero(retired.any(axis=0)):
                        before = holding.survivors(arrived, retired, m - 1)
                        after = holding.survivors(arrived, retired, m)
                        left = before - after[:, :m]
                        ages = m - np.arange(m)
                        sold[:, m] = (left * unit[:, :m] * residual_share(curve, ages)).sum(axis=1)
                    self.ledger.add("credit.resale", code, sold, "money", share, build.source, "resale", item=build.slug,
                                    factors=factors, drivers=drivers, credit=True)
                if self.scenario.finance.residual_at_horizon:
                    there = holding.survivors(arrived, retired, months - 1)
                    ages = months - np.arange(months)
                    worth = np.zeros(self.ledger.shape)
                    worth[:, -1] = (there * unit * residual_share(curve, ages)).sum(axis=1)
                    self.ledger.add("credit.residual_at_horizon", code, worth, "money", share, build.source, "residual",
                                    item=build.slug, factors=factors, drivers=drivers, credit=True)
        if self.network is not None and self.scenario.finance.residual_at_horizon:
            ages = months - np.arange(months)
            worth = np.zeros(self.ledger.shape)
            worth[:, -1] = (self.network.paid * residual_share(market.residual.network, ages)).sum(axis=1)
            self.ledger.add("credit.residual_at_horizon", "fabric", worth, "money", share, self.network.source, "residual",
                            item=self.network.switch.slug, factors=factors, drivers=drivers, credit=True)


def _value_after(bought: Purchases, holding: Holding, months: int) -> Array:
    """Price paid for what is in service and older than `months`, (S, M)."""
    value = bought.arrived_host_value + bought.arrived_card_value
    arrived = holding.arrived_hosts if not bought.machine.addon else holding.arrived_cards
    retired = holding.retired_hosts if not bought.machine.addon else holding.retired_cards
    running = np.zeros(value.shape)
    if not retired.any():
        _arrive(running, np.cumsum(value, axis=1), months)
        return running
    unit = np.where(arrived > 0, value / np.where(arrived > 0, arrived, 1.0), 0.0)
    for m in range(months, value.shape[1]):
        there = holding.survivors(arrived, retired, m)
        running[:, m] = (there[:, : m - months + 1] * unit[:, : m - months + 1]).sum(axis=1)
    return running


def write_cloud(
    plan: Plan, books: Books, rented: dict[str, Array], offer: CloudOffer, ledger: Ledger,
) -> None:
    """Lines of the overflow offer: what is reserved is owed every hour of its term, the rest is billed as used.

    rented : by workload, GPUs held on average, (S, M). Whole-instance offers bill ceil(GPUs / n) instances, others fractions.
    """
    assert plan.overflow is not None
    terms = plan.overflow
    gpus = np.zeros(ledger.shape) + sum(rented.values())
    if not gpus.any():
        return
    price, source = books.price(offer.slug, offer.price)
    units = np.ceil(gpus / offer.count - 1e-9) if offer.billing_unit == "instance" else gpus / offer.count
    unit = "instance-hour" if offer.billing_unit == "instance" else "GPU-hour"
    hourly = price * books.paths["cloud"]
    hours = books.calendar.hours
    if offer.billing_unit == "gpu":
        units, hourly = gpus, hourly / offer.count
    reserved = np.zeros(ledger.shape)
    locked = np.zeros(ledger.shape)
    if terms.reserved_share > 0:
        discount, discount_source = books.percent(f"cloud-commit-discount-{terms.reserved_term_months // 12}y")
        for begin in range(0, ledger.shape[1], terms.reserved_term_months):
            term = slice(begin, begin + terms.reserved_term_months)
            base = units[:, begin] * terms.reserved_share
            if offer.billing_unit == "instance":
                base = np.floor(base + 1e-9)
            reserved[:, term] = base[:, None]
            locked[:, term] = hourly[begin] * (1.0 - discount)
        ledger.add("opex.cloud_commitment", "reserved", reserved * hours, unit, locked, source, "cloud_commitment", item=offer.slug,
                   factors={"discount": discount, "term_months": float(terms.reserved_term_months)},
                   drivers=(f"plans/{plan.slug}/overflow/reserved_share", "market/own_prices/" + offer.slug))
    used = np.clip(units - reserved, 0.0, None)
    ledger.add("opex.cloud_usage", "on_demand", used * hours, unit, hourly, source, "cloud_usage", item=offer.slug,
               factors={"price_today": price / (offer.count if offer.billing_unit == "gpu" else 1)},
               drivers=("market/cloud_spread", "market/accelerator/rate_per_year", "market/own_prices/" + offer.slug))
    if ledger.on("opex.cloud_data") and offer.provider_class == "hyperscaler":
        share, source = books.percent("egress-uplift")
        ledger.add("opex.cloud_data", "egress", used * hours * hourly, "money", share, source, "share_of_cloud", item="egress-uplift",
                   factors={"share": share})
