"""Cost lines: the single truth about money. Every total anywhere is a sum over these."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from planner.engine.calendar import Array
from planner.engine.prices import Source

# Names of model.md section 5, in the order in which they are shown; whether a line is on unless a scenario says
# otherwise (catalog/data/defaults.csv).
CATEGORIES: dict[str, bool] = {
    "capex.accelerators_and_servers": True,
    "capex.storage": True,
    "capex.fabric": True,
    "capex.racks_and_power": True,
    "capex.cooling": True,
    "capex.facility": True,
    "capex.installation": True,
    "capex.freight_and_duty": True,
    "capex.sales_tax_or_vat": True,
    "capex.spares": True,
    "capex.decommissioning": True,
    "opex.energy_it": True,
    "opex.energy_overhead": True,
    "opex.demand_charge": False,
    "opex.colocation": True,
    "opex.water": False,
    "opex.support": True,
    "opex.software": False,
    "opex.compliance": False,
    "opex.staff": True,
    "opex.network_transit": True,
    "opex.insurance": False,
    "opex.property_tax": False,
    "opex.cloud_usage": True,
    "opex.cloud_commitment": True,
    "opex.cloud_data": False,
    "opex.lease": False,
    "opex.loan_interest_and_principal": False,
    "credit.resale": True,
    "credit.residual_at_horizon": True,
    "credit.tax_shield": False,
}
# Lines that come with what a scenario names, and are left out where it names nothing; no switch of their own.
NAMED = frozenset({"opex.software", "opex.compliance"})
# Lines that come and go with the financing of a plan and with the after-tax view; no switch of their own.
FINANCING = frozenset({"opex.lease", "opex.loan_interest_and_principal"})
AFTER_TAX = "credit.tax_shield"

# Decimals of a currency's minor unit where it is not 2 (ISO 4217).
MINOR_UNITS = {"JPY": 0, "KRW": 0, "VND": 0, "CLP": 0}


def minor_unit(currency: str) -> int:
    """Decimals to which money of this currency is rounded."""
    return MINOR_UNITS.get(currency, 2)


def round_half_up(amounts: Array, decimals: int) -> Array:
    """Amounts → whole minor units, halves away from zero. Integers up to 2^53 are exact in float64."""
    scaled = np.abs(amounts) * 10.0**decimals
    # a half that binary fractions put a hair below is still a half
    return np.asarray(np.copysign(np.floor(scaled + 0.5 + 1e-9 * np.maximum(1.0, scaled * 1e-6)), amounts) + 0.0)


@dataclass
class Line:
    """quantity × unit price = amount, month by month; credits negative.

    Arrays (S, M), or broadcastable to it. `formula` is the id of the formula in words, `factors` the numbers put in
    (name → value), `drivers` the paths of the assumptions behind it.
    """

    category: str
    code: str
    quantity: Array
    quantity_unit: str
    unit_price: Array
    source: Source
    formula: str
    item: str = ""
    factors: dict[str, float] = field(default_factory=dict)
    drivers: tuple[str, ...] = ()
    sign: float = 1.0
    decimals: int = 2
    place: str = ""  # the site, where each has a line of its own
    part: str = ""  # what else tells like lines apart: the step of a room's ladder

    @cached_property
    def amount(self) -> Array:
        return np.asarray(self.sign * self.quantity * self.unit_price)

    @cached_property
    def minor(self) -> Array:
        """(M,): whole minor units of the first trial, each month rounded once."""
        return round_half_up(self.amount[0], self.decimals)

    def total(self) -> float:
        """Nominal total, the sum of its rounded months."""
        return float(self.minor.sum()) / 10.0**self.decimals

    def present_value(self, discount: Array) -> float:
        """Present value of the rounded months, rounded once."""
        value = (self.minor * discount).sum() / 10.0**self.decimals
        return float(round_half_up(np.asarray(value), self.decimals)) / 10.0**self.decimals

    def discounted_minor(self, discount: Array) -> Array:
        """(M,): whole minor units of present value, which add up to it: steps of the rounded running sum."""
        return np.diff(
            round_half_up(np.cumsum(self.minor * discount) / 10.0**self.decimals, self.decimals), prepend=0.0
        )

    @property
    def kind(self) -> str:
        """capex · opex · credit."""
        return self.category.partition(".")[0]

    @property
    def key(self) -> str:
        """Names the line within its plan."""
        return ":".join(part for part in (self.category, self.code, self.item, self.place, self.part) if part)


def at_horizon(line: Line) -> bool:
    """Whether a line counts what machines are worth at the horizon, or the tax on that."""
    return line.category == "credit.residual_at_horizon" or line.code == "residual_gain"


class Ledger:
    """The lines of one plan; a line whose category is off is not made."""

    def __init__(self, shape: tuple[int, int], switched_on: frozenset[str], decimals: int) -> None:
        self.shape, self.switched_on, self.decimals = shape, switched_on, decimals
        self.lines: list[Line] = []

    def on(self, category: str) -> bool:
        return category in self.switched_on

    def add(
        self,
        category: str,
        code: str,
        quantity: Any,
        unit: str,
        unit_price: Any,
        source: Source,
        formula: str,
        *,
        item: str = "",
        factors: dict[str, float] | None = None,
        drivers: tuple[str, ...] = (),
        credit: bool = False,
        place: str = "",
        part: str = "",
    ) -> None:
        """Add a line unless it is off or has no quantity in any month."""
        if category not in self.switched_on:
            return
        quantity = np.broadcast_to(np.asarray(quantity, dtype=float), self.shape)
        if not quantity.any():
            return
        price = np.broadcast_to(np.asarray(unit_price, dtype=float), self.shape)
        self.lines.append(
            Line(
                category,
                code,
                quantity,
                unit,
                price,
                source,
                formula,
                item,
                factors or {},
                drivers,
                -1.0 if credit else 1.0,
                self.decimals,
                place,
                part,
            )
        )


def switched_on(lines: dict[str, bool], *, financed: bool = False, after_tax: bool = False) -> frozenset[str]:
    """Categories that are computed: the defaults, as the scenario changes them, and what its settings bring."""
    switches = [name for name in CATEGORIES if name not in NAMED | FINANCING | {AFTER_TAX}]
    chosen = {name for name in switches if lines.get(name, CATEGORIES[name])}
    return frozenset(chosen | (FINANCING if financed else set()) | ({AFTER_TAX} if after_tax else set()))
