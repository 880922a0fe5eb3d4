"""Quantities × prices → cost lines: the single truth about money.

`books` holds prices as paths, `purchases` what is bought, `basis` the figures lines share;
`capex`, `electricity`, `colocation`, `opex`, `licences`, `financing`, `credits` and `cloud` write the lines, `tax` what
they save in tax.
"""

from __future__ import annotations

from collections.abc import Callable

from planner.engine.costs import capex, colocation, credits, electricity, opex
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.books import COST_ROWS, RETAIL_COLOCATION, Books, cloud_rows, finance_rows
from planner.engine.costs.cloud import write_cloud
from planner.engine.costs.electricity import contract_of
from planner.engine.costs.financing import financing
from planner.engine.costs.licences import category_of, licences
from planner.engine.costs.tax import AfterTax, Capitalised

__all__ = [
    "COST_ROWS",
    "RETAIL_COLOCATION",
    "AfterTax",
    "Books",
    "Capitalised",
    "PlanCosts",
    "category_of",
    "cloud_rows",
    "contract_of",
    "finance_rows",
    "write_cloud",
    "write_owned",
]

GROUPS: tuple[tuple[Callable[[PlanCosts], None], tuple[str, ...]], ...] = (
    (capex.machines, ("capex.accelerators_and_servers",)),
    (capex.payment_terms, ("capex.accelerators_and_servers",)),
    (capex.load_balancer, ("capex.accelerators_and_servers",)),
    (capex.in_servers, ("capex.accelerators_and_servers", "capex.storage")),
    (capex.storage, ("capex.storage",)),
    (capex.fabric, ("capex.fabric",)),
    (capex.racks, ("capex.racks_and_power",)),
    (capex.upgrades, ("capex.cooling", "capex.facility")),
    (capex.installation, ("capex.installation",)),
    (colocation.set_up, ("capex.installation",)),
    (capex.freight_and_duty, ("capex.freight_and_duty",)),
    (capex.tax, ("capex.sales_tax_or_vat",)),
    (capex.spares, ("capex.spares",)),
    (capex.decommissioning, ("capex.decommissioning",)),
    (capex.payment_terms_of_others, tuple(capex.OTHER_ORDERS)),
    (electricity.energy, ("opex.energy_it", "opex.energy_overhead")),
    (electricity.demand_charge, ("opex.demand_charge",)),
    (colocation.colocation, ("opex.colocation",)),
    (opex.water, ("opex.water",)),
    (opex.support, ("opex.support",)),
    (opex.transit, ("opex.network_transit",)),
    (opex.load_balancer, ("opex.network_transit",)),
    (opex.insurance, ("opex.insurance",)),
    (opex.property_tax, ("opex.property_tax",)),
    (financing, ("opex.lease", "opex.loan_interest_and_principal")),
    (credits.resale, ("credit.resale", "credit.residual_at_horizon")),
)


def write_owned(costs: PlanCosts) -> None:
    """Write every line but the cloud's, which depends on the offer.

    A price is asked for only where its line is on: an item nobody needs needs no quote.
    """
    for write, categories in GROUPS if costs.owns else ():
        if any(costs.ledger.on(category) for category in categories):
            write(costs)
    if costs.ledger.on("opex.staff"):
        opex.staff(costs)
    licences(costs)
