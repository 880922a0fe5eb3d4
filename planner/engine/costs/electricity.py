"""The electricity bill of each site: kWh of each period × its price, and the charges that do not go by energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.basis import PlanCosts
from planner.engine.energy import Charge, TariffTerms, charges
from planner.engine.energy.bill import rates_in
from planner.engine.energy.rates import BASE, Rate, Rates
from planner.engine.energy.terms import Period
from planner.engine.housing import pue_of
from planner.engine.inputs import Site
from planner.engine.prices import NoQuote, PriceBook, Source, TariffSchedule

FLAT = TariffTerms()


def contract_of(site: Site, book: PriceBook) -> TariffTerms:
    """The terms of a site's meter: its own, and those of its published tariff where it names none.

    A landlord's price holds what the tariff charges on demand already. Raises MissingRate.
    """
    terms, row = site.tariff or FLAT, schedule_of(site, book)
    if row is None or terms.basis == "resale":
        return terms
    more = {} if terms.demand else {"demand": row.demand}
    fee = {} if terms.fixed_per_month else {"fixed_per_month": row.fixed_per_month}
    return terms.model_copy(update=more | fee)


def schedule_of(site: Site, book: PriceBook) -> TariffSchedule | None:
    """The published tariff whose hours hold at a site, in the book's currency; raises MissingRate."""
    terms = site.tariff
    row = book.schedules.get(terms.schedule or "") if terms is not None and not terms.periods else None
    return None if row is None else row.in_book(book.currency)


# Kind of a position → its formula in words.
FORMULAS = {
    "tier": "energy_tier",
    "fixed": "fixed_fee",
    "demand": "demand_of_contract",
    "capacity": "capacity_of_contract",
}


def tariff_of(costs: PlanCosts, site: Site) -> tuple[float, Source]:
    """Today's price of a kilowatt-hour where no period has its own: one's own, else the region's average."""
    if site.electricity_price_per_kwh is not None:
        return site.electricity_price_per_kwh, Source(basis="own", item=site.region)
    tariff = costs.books.book.tariffs.get(f"{site.region}/{site.customer_class}")
    if tariff is None or tariff.price is None:
        raise NoQuote(f"{site.region}/{site.customer_class}")
    return tariff.price.value(costs.books.book.currency), tariff.price.source


@dataclass(frozen=True)
class Meter:
    """The contract of a site's meter."""

    site: Site
    terms: TariffTerms
    base: float  # [money/kWh] today
    source: Source
    schedule: Source | None  # who says which hours cost what; None where the contract does
    rates: Rates
    periods: tuple[Period, ...]

    def source_of(self, rate: Rate) -> Source:
        """Who gives a price: the contract its own, the schedule its multiples, else the base price's source."""
        if self.schedule is not None and rate.name != BASE:
            return self.schedule.model_copy(update={"item": self.source.item})
        return Source(basis="own", item=self.source.item) if rate.price_per_kwh is not None else self.source

    def source_of_charge(self, name: str) -> Source:
        """Who gives a charge besides energy, "demand" or "fixed_per_month": the site's own contract or its schedule."""
        asked = FLAT if self.site.tariff is None else self.site.tariff
        if self.schedule is not None and not getattr(asked, name):
            return self.schedule
        return Source(basis="own", item=self.source.item)

    def drivers(self, *more: str) -> tuple[str, ...]:
        path = f"sites/{self.site.slug}"
        contract = () if self.site.tariff is None else (f"{path}/tariff/basis", f"{path}/tariff/schedule")
        market = ("market/electricity/rate_per_year", "market/electricity_level")
        return (*more, f"{path}/electricity_price_per_kwh", *contract, *market)


def meter_of(costs: PlanCosts, site: Site) -> Meter:
    """Raises NoQuote where the region has no price, or the catalog no such schedule."""
    base, source = tariff_of(costs, site)
    own, row = site.tariff or FLAT, schedule_of(site, costs.books.book)
    if own.schedule and not own.periods and row is None:
        raise NoQuote(own.schedule)
    terms, periods = contract_of(site, costs.books.book), own.periods if row is None else row.periods
    rates = rates_in(terms, site.zone, costs.books.calendar, periods)
    return Meter(site, terms, base, source, None if row is None else row.source, rates, periods)


def _standing(costs: PlanCosts, meter: Meter, here: Array) -> list[Charge]:
    """Positions of the bill besides those of the periods."""
    pue = pue_of(meter.site)
    return [
        charge
        for charge in charges(
            meter.terms,
            meter.base,
            meter.site.zone,
            costs.books.calendar,
            costs.metered_kw * here * pue,
            np.where(costs.metered_kw > 0, costs.housing.draw_max, 0.0) * here * pue,
            meter.periods,
        )
        if charge.kind != "energy"
    ]


def _here(costs: PlanCosts, site: Site) -> Array:
    """(M,): 1 in the months in which the fleet stands at a site."""
    return costs.by_site({other.slug: float(other.slug == site.slug) for other in costs.scenario.sites})


def energy(costs: PlanCosts) -> None:
    """IT line = kWh × price of the period; overhead line = IT line × (PUE − 1); the fabric's share stands apart."""
    path = costs.books.paths["electricity"]
    fabric_kw = costs.network.kw_typical if costs.network is not None else np.zeros(costs.ledger.shape)
    for site in costs.scenario.sites:
        here = _here(costs, site)
        if not (costs.metered_kw * here).any():
            continue  # power included in the rent passes no meter and needs no tariff
        meter, pue = meter_of(costs, site), pue_of(site)
        for rate, hours in zip(meter.rates.rates, meter.rates.hours, strict=True):
            kwh = costs.metered_kw * hours
            switches = np.minimum(fabric_kw * hours, kwh)
            today, source = rate.price(meter.base), meter.source_of(rate)
            factors = {"tariff_today": today, "pue": pue}
            if rate.times is not None and rate.name != BASE:
                factors |= {"base_price": meter.base, "times": rate.times}
            if rate.adds_per_kwh is not None:
                factors |= {"base_price": meter.base, "adds": rate.adds_per_kwh}
            part = "" if len(meter.rates.rates) == 1 and rate.name == BASE else rate.name
            for code, amount in (("machines", (kwh - switches) * here), ("fabric", switches * here)):
                costs.ledger.add(
                    "opex.energy_it",
                    code,
                    amount,
                    "kWh",
                    today * path,
                    source,
                    "energy_it",
                    item=source.item,
                    factors=factors,
                    drivers=meter.drivers(),
                    place=site.slug,
                    part=part,
                )
                costs.ledger.add(
                    "opex.energy_overhead",
                    code,
                    amount * (pue - 1.0),
                    "kWh",
                    today * path,
                    source,
                    "energy_overhead",
                    item=source.item,
                    factors=factors,
                    drivers=meter.drivers(f"sites/{site.slug}/pue"),
                    place=site.slug,
                    part=part,
                )
        _write_standing(costs, meter, pue, here)


def _write_standing(costs: PlanCosts, meter: Meter, pue: float, here: Array) -> None:
    """Tiers, split as the energy is, and the fixed fee."""
    path = costs.books.paths["electricity"]
    for charge in _standing(costs, meter, here) if meter.terms is not FLAT else ():
        source = meter.source_of_charge("fixed_per_month" if charge.kind == "fixed" else "tiers")
        parts = {
            "tier": (("opex.energy_it", 1.0 / pue), ("opex.energy_overhead", 1.0 - 1.0 / pue)),
            "fixed": (("opex.energy_it", 1.0),),
        }.get(charge.kind, ())
        for category, share in parts:
            costs.ledger.add(
                category,
                charge.kind,
                charge.quantity * share,
                "kWh" if charge.kind == "tier" else "month",
                charge.price * path,
                source,
                FORMULAS[charge.kind],
                item=meter.source.item,
                factors={"price_today": charge.price},
                drivers=(f"sites/{meter.site.slug}/tariff/basis",),
                place=meter.site.slug,
                part=charge.name,
            )


def demand_charge(costs: PlanCosts) -> None:
    """Charges on the highest draw: those of an energy-only contract; the default where the document asks for the line.

    An all-in average of a contract and a landlord's price hold theirs already.
    """
    path = costs.books.paths["electricity"]
    plain = np.zeros(costs.books.calendar.months)
    for site in costs.scenario.sites:
        here = _here(costs, site)
        if not (costs.metered_kw * here).any():
            continue
        terms = contract_of(site, costs.books.book)
        if site.tariff is None or (terms.basis == "energy_only" and not terms.charges_demand):
            plain = plain + here
            continue
        meter = meter_of(costs, site)
        for charge in _standing(costs, meter, here):
            if charge.kind not in ("demand", "capacity"):
                continue
            costs.ledger.add(
                "opex.demand_charge",
                charge.kind,
                charge.quantity,
                "kW",
                charge.price * path,
                meter.source_of_charge("demand") if charge.kind == "demand" else Source(basis="own"),
                FORMULAS[charge.kind],
                factors={"price_today": charge.price, "ratchet_share": meter.terms.ratchet_share}
                if charge.kind == "demand"
                else {"price_today": charge.price},
                drivers=tuple(
                    f"sites/{site.slug}/tariff/{name}"
                    for name in (("peak_share", "ratchet_share") if charge.kind == "demand" else ("capacity_kw",))
                ),
                place=site.slug,
                part=charge.name,
            )
    if not plain.any() or not costs.scenario.lines.get("opex.demand_charge"):
        return
    rate, source = costs.books.cost("demand-charge")
    costs.ledger.add(
        "opex.demand_charge",
        "peak",
        np.where(costs.metered_kw > 0, costs.housing.draw_max, 0.0) * costs.pue * plain,
        "kW",
        rate * path,
        source,
        "demand_charge",
        item="demand-charge",
        factors={"price_today": rate},
    )
