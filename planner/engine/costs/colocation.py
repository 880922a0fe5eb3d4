"""The rent of a colocation hall: by contracted kW or by cabinet, with its fees; what is owed when one leaves early."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.books import RETAIL_COLOCATION, RETAIL_UNDER_KW
from planner.engine.facility import circuit_kw
from planner.engine.inputs import Cabinet, Colocation, Site
from planner.engine.prices import NoQuote, Source

_PHASES = {"single": 1, "three": 3}


@dataclass
class Stay:
    """The months a plan's machines stand in a hall, and the path of its prices meanwhile."""

    costs: PlanCosts
    site: Site
    terms: Colocation

    @cached_property
    def here(self) -> Array:
        """(M,): 1 in months in which the fleet stands here."""
        return np.array([float(where.slug == self.site.slug) for where in self.costs.housing.site_of])

    @cached_property
    def begin(self) -> int | None:
        """The month in which the contract begins: the first with machines here; None where there is none."""
        there = np.flatnonzero(self.here * (self.costs.housing.draw_max[0] > 0))
        return int(there[0]) if there.size else None

    @cached_property
    def end(self) -> int:
        """The month after the last one here."""
        return int(np.flatnonzero(self.here)[-1]) + 1

    @cached_property
    def path(self) -> Array:
        """(M,): factor on today's price: the market's on the day of each term's beginning, then the escalator.

        Without an escalator and a term the price follows the market's path month by month.
        """
        market, terms = self.costs.books.paths["colocation"], self.terms
        if (terms.escalator_per_year is None and terms.term_months is None) or self.begin is None:
            return market
        months = np.arange(market.size)
        since = np.maximum(months - self.begin, 0)
        term = terms.term_months or market.size
        start = self.begin + since // term * term
        growth = (1.0 + (terms.escalator_per_year or 0.0)) ** ((months - start).clip(0) // 12)
        return np.asarray(market[start.clip(0, market.size - 1)] * growth)

    @cached_property
    def owed(self) -> Array:
        """(M,): 1 in months after leaving for which the term is still owed, within the horizon."""
        months = self.here.size
        found = np.zeros(months)
        if self.begin is not None and self.terms.term_months is not None:
            terms = -(-(self.end - self.begin) // self.terms.term_months)
            found[self.end : self.begin + terms * self.terms.term_months] = 1.0
        return found

    def write(
        self,
        code: str,
        quantity: Array,
        unit: str,
        price: float | Array,
        source: Source,
        formula: str,
        fields: tuple[str, ...],
        factors: dict[str, float],
        category: str = "opex.colocation",
    ) -> None:
        """One line of the contract; `price` of today, before its path."""
        self.costs.ledger.add(
            category,
            code,
            quantity,
            unit,
            price * self.path,
            source,
            formula,
            item=source.item,
            factors=factors,
            drivers=tuple(f"sites/{self.site.slug}/colocation/{name}" for name in fields),
            place=self.site.slug,
        )


def stays(costs: PlanCosts) -> Iterator[Stay]:
    """The halls in which a plan's machines stand."""
    for site in costs.scenario.sites:
        if site.colocation is not None:
            stay = Stay(costs, site, site.colocation)
            if stay.begin is not None:
                yield stay


def colocation(costs: PlanCosts) -> None:
    for stay in stays(costs):
        if stay.terms.billing == "cabinet":
            _by_cabinet(stay)
        else:
            _by_kw(stay)
        _fees(stay)


def set_up(costs: PlanCosts) -> None:
    """The fee for setting up, once for each hall, where one is quoted."""
    for stay in stays(costs):
        if stay.terms.setup_fee is not None and stay.begin is not None:
            once = np.zeros(costs.ledger.shape)
            once[:, stay.begin] = 1.0
            own = Source(basis="own")
            stay.write(
                "colocation_setup",
                once,
                "each",
                stay.terms.setup_fee,
                own,
                "colocation_setup",
                ("setup_fee",),
                {},
                "capex.installation",
            )


def _price_per_kw(stay: Stay, kw: Array) -> tuple[float | Array, Source]:
    """Today's price of a contracted kW and who says so: the contract's band or price, else the market's."""
    terms, book = stay.terms, stay.costs.books.book
    if terms.bands:
        sizes = np.array([band.from_kw for band in terms.bands])
        prices = np.array([band.price_per_kw_month for band in terms.bands])
        return prices[np.searchsorted(sizes, kw, side="right") - 1], Source(basis="own", item=terms.market or "")
    if terms.price_per_kw_month is not None:
        return terms.price_per_kw_month, Source(basis="own", item=terms.market or "")
    row = book.colocation.get(terms.market or "")
    if row is None:
        raise NoQuote(terms.market or stay.site.slug)
    retail = book.colocation.get(RETAIL_COLOCATION)
    if "retail" not in row.size_band and retail is not None and float(kw.max()) < RETAIL_UNDER_KW:
        row = retail  # a wholesale rate is not offered to a small tenant (defaults.csv, opex.colocation)
    if row.price is None:
        raise NoQuote(row.market)
    return row.price.value(book.currency), row.price.source


def _by_kw(stay: Stay) -> None:
    """Contracted kW × price; the fabric's part apart; what is drawn above the commitment at its own price."""
    terms, housing = stay.terms, stay.costs.housing
    kw = housing.contracted_kw * stay.here
    machines_kw = housing.contracted_without_fabric_kw * stay.here
    price, source = _price_per_kw(stay, kw)
    first = float(np.broadcast_to(price, kw.shape)[0, stay.begin])
    factors = {
        "usable_share": terms.usable_share,
        "price_today": first,
        "usable_price": first / terms.usable_share,
    }
    fields = ("price_per_kw_month", "usable_share")
    for code, part in (("contracted_power", machines_kw), ("fabric_power", kw - machines_kw)):
        stay.write(code, part, "kW", price, source, "colocation", fields, factors)
    if terms.committed_kw and terms.overage_price_per_kw is not None:
        drawn = np.ceil(housing.draw_max / terms.usable_share / terms.step_kw - 1e-9) * terms.step_kw
        above = np.clip(drawn * stay.here - kw, 0.0, None)
        own = Source(basis="own", item=source.item)
        stay.write(
            "overage",
            above,
            "kW",
            terms.overage_price_per_kw,
            own,
            "colocation_overage",
            ("committed_kw", "overage_price_per_kw"),
            {"price_today": terms.overage_price_per_kw},
        )
    _term(stay, kw, "kW", price, source)


def _by_cabinet(stay: Stay) -> None:
    """Cabinets × rent: as many as racks and circuits need, of the amps that come cheapest at the highest draw."""
    terms, housing = stay.terms, stay.costs.housing
    chosen = cheapest_cabinet(
        terms, float((housing.draw_max * stay.here).max()), float((housing.racks * stay.here).max())
    )
    usable = cabinet_kw(terms, chosen)
    needed = np.maximum(np.ceil(housing.draw_max / usable - 1e-9), housing.racks) * stay.here
    cabinets = np.maximum.accumulate(needed, axis=1) * stay.here
    own = Source(basis="own", item=terms.market or "")
    factors = {"price_today": chosen.price_per_month, "amps": chosen.amps, "usable_kw": usable}
    stay.write(
        "cabinets", cabinets, "rack", chosen.price_per_month, own, "colocation_cabinets", ("usable_share",), factors
    )
    _term(stay, cabinets, "rack", chosen.price_per_month, own)


def cabinet_kw(terms: Colocation, cabinet: Cabinet) -> float:
    """What the circuit of a cabinet may carry: its rating × the usable share. [kW]"""
    rating = circuit_kw(terms.cabinet_volts, cabinet.amps, _PHASES[terms.cabinet_phases], 1.0, 1.0)
    return float(rating) * terms.usable_share


def cheapest_cabinet(terms: Colocation, kw: float, racks: float) -> Cabinet:
    """The cabinet whose number × rent is least for a draw and a number of racks; of equals the smaller."""

    def rent(cabinet: Cabinet) -> float:
        return max(float(np.ceil(kw / cabinet_kw(terms, cabinet) - 1e-9)), racks) * cabinet.price_per_month

    return min(terms.cabinets, key=lambda cabinet: (rent(cabinet), cabinet.amps))


def _term(stay: Stay, quantity: Array, unit: str, price: float | Array, source: Source) -> None:
    """The rent of the last month, owed to the end of the term by who leaves before it."""
    if stay.owed.any():
        last = quantity[:, [stay.end - 1]] * stay.owed
        stay.write(
            "term_owed",
            last,
            unit,
            np.broadcast_to(price, quantity.shape)[:, [stay.end - 1]],
            source,
            "colocation_term",
            ("term_months",),
            {"term_months": float(stay.terms.term_months or 0)},
        )


def _fees(stay: Stay) -> None:
    """Fees of the month besides the rent; the cross-connect stands with the network."""
    terms, present = stay.terms, stay.here * np.where(stay.costs.hosts > 0, 1.0, 0.0)
    if terms.redundant_feed_per_month is not None:
        stay.write(
            "redundant_feed",
            present,
            "month",
            terms.redundant_feed_per_month,
            Source(basis="own"),
            "fixed_fee",
            ("redundant_feed_per_month",),
            {"price_today": terms.redundant_feed_per_month},
        )
    if terms.remote_hands_hours:
        if terms.remote_hands_price is not None:
            price, source = terms.remote_hands_price, Source(basis="own", item="remote-hands-hour")
        else:
            price, source = stay.costs.books.cost("remote-hands-hour")
        stay.write(
            "remote_hands",
            present * terms.remote_hands_hours,
            "hour",
            price,
            source,
            "remote_hands",
            ("remote_hands_hours", "remote_hands_price"),
            {"price_today": price},
        )
