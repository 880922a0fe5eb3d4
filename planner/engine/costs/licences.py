"""Optional licences and assessments, each a line of its own."""

from __future__ import annotations

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.basis import PlanCosts
from planner.engine.prices import NoQuote, PriceBook, Source
from planner.engine.subscriptions import PER, Per, Subscription

SOFTWARE, COMPLIANCE = "opex.software", "opex.compliance"


def per_of(terms: Subscription, book: PriceBook) -> Per:
    """What one price covers: as the catalog's row says, else as the planner does."""
    row = book.costs.get(terms.item or "")
    return terms.per if row is None else PER.get(row.unit, terms.per)


def category_of(terms: Subscription, book: PriceBook) -> str:
    return COMPLIANCE if per_of(terms, book) == "assessment" else SOFTWARE


def licences(costs: PlanCosts) -> None:
    """Write every licence and assessment that the document names; raises NoQuote where one has no price."""
    for terms in costs.scenario.operations.subscriptions:
        if costs.ledger.on(category_of(terms, costs.books.book)):
            _write(costs, terms)


def _write(costs: PlanCosts, terms: Subscription) -> None:
    per, path = per_of(terms, costs.books.book), f"operations/subscriptions/{terms.slug}/"
    quantity = _counted(costs, terms, per)
    if not quantity.any():
        return
    if terms.price is not None:
        price, source = terms.price, Source(basis="own", item=terms.item or terms.slug)
    elif terms.item is not None:
        price, source = costs.books.cost(terms.item)
    else:
        raise NoQuote(terms.name or terms.slug)
    if per == "assessment":
        costs.ledger.add(
            COMPLIANCE,
            "assessment",
            quantity,
            "each",
            price,
            source,
            "assessment",
            item=terms.item or "",
            factors={"price_today": price, "every_months": float(terms.every_months)},
            drivers=(path + "price", path + "every_months", path + "from_month"),
            part=terms.name,
        )
        return
    costs.ledger.add(
        SOFTWARE,
        "licence",
        quantity,
        "GPU" if per == "gpu" else "server",
        price / 12.0,
        source,
        "licence",
        item=terms.item or "",
        factors={"fee_per_year": price},
        drivers=(path + "price", path + "from_month", path + "rented"),
        part=terms.name,
    )


def _counted(costs: PlanCosts, terms: Subscription, per: Per) -> Array:
    """What is paid for in each month, (S, M): GPUs or servers in service, or assessments that fall due."""
    months = np.arange(costs.ledger.shape[1])
    cards = np.zeros(costs.ledger.shape) + sum(holding.cards for holding in costs.fleet.holdings)
    rented = np.zeros(costs.ledger.shape) + sum(costs.allocation.rented.values())
    if per == "assessment":
        due = (months >= terms.from_month) & ((months - terms.from_month) % terms.every_months == 0)
        return np.where(due & ((cards > 0) | (rented > 0)), 1.0, 0.0)
    counted = costs.hosts if per == "server" else cards + (rented if terms.rented else 0.0)
    return np.where(months >= terms.from_month, counted, 0.0)
