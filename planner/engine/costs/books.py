"""Prices of a scenario as paths over the months, made once and shared by its plans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from planner.engine.calendar import Array, Calendar
from planner.engine.growth import price_path
from planner.engine.inputs import Plan, Scenario, Site
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
RETAIL_COLOCATION = "retail"  # key of the retail row in a price book

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
            "cloud": price_path(market.accelerator, months, market.cloud_spread),
            "electricity": price_path(market.electricity, months),
            "colocation": price_path(market.colocation, months),
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
        return self.median(plan.overflow.accelerator, wanted)

    def median(self, accelerator: str, provider_class: str) -> CloudOffer | None:
        region = self.scenario.sites[0].region
        return median_offer(
            comparable_offers(
                self.book.offers.values(),
                accelerator,
                provider_class,
                region,
                self.book.pricing_date,
                self.scenario.market.stale_after_days,
            ),
            self.book.currency,
        )
