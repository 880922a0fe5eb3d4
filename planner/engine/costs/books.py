"""Prices of a scenario as paths over the months, made once and shared by its plans."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property

from planner.engine.calendar import Array, Calendar
from planner.engine.growth import price_path
from planner.engine.inputs import Operations, Plan, Scenario, Site
from planner.engine.prices import (
    CloudOffer,
    Cost,
    NoQuote,
    Price,
    PriceBook,
    Source,
    Terms,
    comparable_offers,
    median_offer,
)

LOADED_COST = {
    "US": "staff-us-gpu-engineer-loaded",
    "DE": "staff-de-gpu-engineer-loaded",
    "UK": "staff-uk-loaded",
    "CN": "staff-cn-hpc-loaded",
    "IN": "staff-in-loaded",
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
# Rows that only a financed plan and the after-tax view ask for.
LOAN_RATE = "loan-rate"
PROFIT_TAX = {"US": "corporate-tax-us", "DE": "corporate-tax-de", "UK": "corporate-tax-uk", "CN": "corporate-tax-cn"}
RETAIL_COLOCATION = "retail"  # key of the retail row in a price book

# Rows of what is added to a server, by line.
IN_SERVER_ROWS = {"host_memory": "memory-ddr5-gb", "local_flash": "ssd-tlc-raw-tb"}
LOAD_BALANCER_SERVICE, OBJECT_STORAGE = "load-balancer-service", "object-storage-cloud-gb"

# Planning defaults that a line may ask for: rows a price book must hold, besides the upgrades and taxes a scenario
# names.
COST_ROWS = frozenset(
    {
        *LOADED_COST.values(),
        *DUTY.values(),
        "flash-file-usable-tb",
        "rack-42u",
        "rack-office-24u",
        "rack-shelf",
        "pdu-basic-30a",
        "pdu-metered-17kw",
        "remote-hands-hour",
        "install-hours-8gpu",
        "install-hours-workstation",
        "commissioning-pct",
        "commissioning-days",
        "freight-domestic",
        "spares-stock",
        "decommission-server",
        "demand-charge",
        "water-use-wue",
        "water-us-m3",
        "net-maintenance",
        "staff-nodes-per-fte-small",
        "staff-fabric-skill-fte",
        "cross-connect",
        "ip-transit-mbps",
        "office-fibre-1g",
        "insurance-property",
        "property-tax-default",
        "cloud-commit-discount-1y",
        "cloud-commit-discount-3y",
        "egress-uplift",
        "cable-400g-link",
        "cable-800g-link",
        "cabling-labour-link",
        "load-balancer-pair",
    }
)


EGRESS = {"hyperscaler": "egress-aws"}
OTHER_EGRESS = "egress-neocloud"


def cloud_rows(scenario: Scenario) -> frozenset[str]:
    """Rows that only plans with a five-year commitment, or with data in the cloud, ask for."""
    rented = [plan.overflow for plan in scenario.plans if plan.overflow is not None]
    rows = {"cloud-commit-discount-5y"} if any(terms.reserved_term_months == 60 for terms in rented) else set()
    if any(terms.states_data for terms in rented):
        rows |= {*EGRESS.values(), OTHER_EGRESS, OBJECT_STORAGE}
    return frozenset(rows)


def rows_asked(rules: Operations) -> set[str]:
    """Rows that a scenario needs besides: for what it has switched on."""
    rows = {row for name, row in IN_SERVER_ROWS.items() if getattr(rules, name) == "as_advised"}
    rows |= {LOAD_BALANCER_SERVICE} if rules.load_balancer == "rented" else set()
    return rows | ({OBJECT_STORAGE} if rules.rented_storage else set())


def profit_tax_row(scenario: Scenario) -> str:
    """The catalog's row of the country's profit tax; of some countries there is none."""
    region = scenario.operations.region
    return PROFIT_TAX.get(region, f"corporate-tax-{region.lower()}")


def finance_rows(scenario: Scenario) -> frozenset[str]:
    """Rows that the financing of the plans and the after-tax view ask for."""
    financed = any(plan.financing.kind != "cash" and plan.financing.rate_per_year is None for plan in scenario.plans)
    money = scenario.finance
    taxed = money.after_tax and money.buyer == "company" and money.profit_tax_rate is None
    return frozenset(({LOAN_RATE} if financed else set()) | ({profit_tax_row(scenario)} if taxed else set()))


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
            "accelerator": price_path(market.accelerator, months),
            "memory": price_path(market.memory_flash, months),
            "rest": price_path(market.rest, months),
            "nic": price_path(market.nic, months),
            "cloud": price_path(market.accelerator, months, market.cloud_spread) * market.cloud_level,
            "electricity": price_path(market.electricity, months) * market.electricity_level,
            "colocation": price_path(market.colocation, months) * market.colocation_level,
            "wages": price_path(market.wages, months),
        }

    def paths_of(self, build: str) -> dict[str, Array]:
        """The paths that a build's price follows: one with a price of its launch moves from there."""
        launch = self.launches.get(build, 0)
        if not launch:
            return self.paths
        at = min(launch, self.calendar.months - 1)
        return {name: path / path[at] if path[at] else path for name, path in self.paths.items()}

    @cached_property
    def launches(self) -> dict[str, int]:
        """Month of launch of each generation that has a price of that day."""
        return {each.slug: each.from_month for each in self.scenario.market.generations if each.price is not None}

    def price(self, slug: str, quoted: Price | None) -> tuple[float, Source]:
        """Today's price of an item: the user's own, else the quote; raises NoQuote, MissingRate."""
        own = self.scenario.market.own_prices.get(slug)
        if own is not None:
            return own, Source(basis="own", item=slug)
        if quoted is None:
            raise NoQuote(slug)
        return quoted.value(self.book.currency), quoted.source

    def price_at(self, slug: str, quoted: Price | None, quantity: Array) -> float | Array:
        """Today's price of one where so many are ordered in each month: the quote's volume break counts.

        A number where the quantity does not matter, else (S, M).
        """
        price, source = self.price(slug, quoted)
        if quoted is None or not quoted.breaks or source.basis == "own":
            return price
        return quoted.values(self.book.currency, quantity)

    def terms(self, slug: str, quoted: Price | None) -> Terms | None:
        """What the quote behind a price asks for; a price of the user's own asks for nothing."""
        own = slug in self.scenario.market.own_prices
        return None if quoted is None or own else quoted.terms

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

    def profit_tax(self) -> tuple[float, Source]:
        """The rate of a company: the user's own, else the country's; raises NoQuote where it is not known."""
        own = self.scenario.finance.profit_tax_rate
        row = profit_tax_row(self.scenario)
        if own is not None:
            return own, Source(basis="own", item=row)
        return self.percent(row)

    @cached_property
    def commissioning_days(self) -> float:
        days = self.scenario.operations.commissioning_days
        return days if days is not None else self.book.cost("commissioning-days").likely

    def power_included(self, site: Site) -> bool:
        """Whether the rent of a site covers its electricity: as the contract says, else as the market's row does."""
        if site.colocation is None:
            return False
        if site.colocation.power_included is not None:
            return site.colocation.power_included
        row = self.book.colocation.get(site.colocation.market or "")
        return row is not None and row.power_included

    def offer(self, plan: Plan, provider_class: str | None = None) -> CloudOffer | None:
        """The cloud offer of a plan: pinned, else the median of the comparable ones (model.md 3)."""
        assert plan.overflow is not None
        if provider_class is None and plan.overflow.offer is not None:
            offer = self.book.offers.get(plan.overflow.offer)
            if offer is None:
                raise NoQuote(plan.overflow.offer)
            return offer
        wanted = provider_class or plan.overflow.provider_class or self.scenario.market.provider_class
        return self.median(plan.overflow.accelerator, wanted, plan.overflow.region)

    def nearest(self, offer: CloudOffer, pricing_model: str, *, same_provider: bool = False) -> CloudOffer | None:
        """The offer of another pricing model nearest to one on demand: of its provider in its region, of its provider,
        of its class of provider, of any; of several the median. None where there is none."""
        oldest = self.book.pricing_date - dt.timedelta(days=self.scenario.market.stale_after_days)
        found = [
            each
            for each in self.book.offers.values()
            if each.accelerator == offer.accelerator
            and each.pricing_model == pricing_model
            and each.provider_class != "index"
            and each.price is not None
            and each.price.source.dated is not None
            and oldest <= each.price.source.dated <= self.book.pricing_date
        ]
        provider = [each for each in found if each.provider == offer.provider]
        near = [each for each in provider if each.region == offer.region] or provider
        if not near and not same_provider:
            near = [each for each in found if each.provider_class == offer.provider_class] or found
        return median_offer(near, self.book.currency)

    def median(self, accelerator: str, provider_class: str, region: str | None = None) -> CloudOffer | None:
        return median_offer(
            comparable_offers(
                self.book.offers.values(),
                accelerator,
                provider_class,
                region or self.scenario.sites[0].region,
                self.book.pricing_date,
                self.scenario.market.stale_after_days,
                only_there=region is not None,
            ),
            self.book.currency,
        )
