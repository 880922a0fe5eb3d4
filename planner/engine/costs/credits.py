"""What machines bring back: resale at the end of life, residual value at the horizon."""

from __future__ import annotations

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.purchases import Purchases
from planner.engine.finance import residual_share
from planner.engine.fleet import Holding
from planner.engine.inputs import CurvePoint, Market, ResidualCurves
from planner.engine.prices import Source

Curve = tuple[CurvePoint, ...]

# The curves are an estimate from price fits and lender guides (catalog/data/defaults.csv, parameter.residual_curve).
CURVES = Source(basis="estimate", item="residual_curve")


def resale(costs: PlanCosts) -> None:
    """Credits of machines that leave and of what is there at the horizon: price paid × share by age × what is kept."""
    curves = costs.scenario.market.residual
    at_horizon = costs.scenario.finance.residual_at_horizon
    for bought, holding in zip(costs.bought, costs.fleet.holdings, strict=True):
        slug = bought.machine.build.slug
        for code, unit, arrived, retired, curve in _parts(bought, holding, curves):
            _credit(costs, "credit.resale", code, slug, *_sold(holding, unit, arrived, retired, curve))
            if at_horizon:
                there = holding.survivors(arrived, retired, costs.ledger.shape[1] - 1)
                _credit(costs, "credit.residual_at_horizon", code, slug, *_left(there * unit, curve))
    if costs.network is not None and at_horizon:
        item = costs.network.switch.slug
        _credit(costs, "credit.residual_at_horizon", "fabric", item, *_left(costs.fabric_paid, curves.network))


def _parts(
    bought: Purchases, holding: Holding, curves: ResidualCurves
) -> tuple[tuple[str, Array, Array, Array, Curve], ...]:
    """(code, price paid for one by month of arrival, arrivals, leavers, curve) of chassis and of cards."""
    whole_system = bought.machine.build.residual_class == "system" and bought.machine.addon is None

    def unit(value: Array, arrived: Array) -> Array:
        return np.where(arrived > 0, value / np.where(arrived > 0, arrived, 1.0), 0.0)

    return (
        ("hosts", unit(bought.arrived_host_value, holding.arrived_hosts), holding.arrived_hosts, holding.retired_hosts,
         curves.system if whole_system else curves.host),
        ("cards", unit(bought.arrived_card_value, holding.arrived_cards), holding.arrived_cards, holding.retired_cards,
         curves.card),
    )  # fmt: skip


def worth_in(bought: Purchases, holding: Holding, market: Market, month: int) -> float:
    """What all machines of a holding would bring if they were sold in a month: price paid × share by age × what is
    kept after commission and condition. [money, nominal]"""
    ages = month - np.arange(month + 1, dtype=float)
    kept = (1.0 - market.resale_commission) * market.resale_factor * market.sale_speed_factor
    return kept * sum(
        float((holding.survivors(arrived, retired, month) * unit[:, : month + 1] * residual_share(curve, ages)).sum())
        for _code, unit, arrived, retired, curve in _parts(bought, holding, market.residual)
    )


def _sold(holding: Holding, unit: Array, arrived: Array, retired: Array, curve: Curve) -> tuple[Array, Array]:
    """(price paid, worth) of what leaves in each month, (S, M): each arrival at its own age."""
    paid, worth = np.zeros(unit.shape), np.zeros(unit.shape)
    for m in np.flatnonzero(retired.any(axis=0)).tolist():
        leaving = holding.survivors(arrived, retired, m - 1) - holding.survivors(arrived, retired, m)[:, :m]
        value = leaving * unit[:, :m]
        paid[:, m] = value.sum(axis=1)
        worth[:, m] = (value * residual_share(curve, m - np.arange(m, dtype=float))).sum(axis=1)
    return paid, worth


def _left(value: Array, curve: Curve) -> tuple[Array, Array]:
    """(price paid, worth) at the horizon, in the last month, of what arrived in each month, (S, M)."""
    months = value.shape[1]
    paid, worth = np.zeros(value.shape), np.zeros(value.shape)
    paid[:, -1] = value.sum(axis=1)
    worth[:, -1] = (value * residual_share(curve, months - np.arange(months, dtype=float))).sum(axis=1)
    return paid, worth


def _credit(costs: PlanCosts, category: str, code: str, item: str, paid: Array, worth: Array) -> None:
    market = costs.scenario.market
    by_age = np.where(paid > 0, worth / np.where(paid > 0, paid, 1.0), 0.0)
    first = int(np.argmax(paid[0] > 0))
    costs.ledger.add(
        category,
        code,
        paid,
        "money",
        by_age * (1.0 - market.resale_commission) * market.resale_factor * market.sale_speed_factor,
        CURVES,
        "resale" if category == "credit.resale" else "residual",
        item=item,
        factors={
            "share_by_age": float(by_age[0, first]),
            "commission": market.resale_commission,
            "factor": market.resale_factor,
            "speed": market.sale_speed_factor,
        },
        drivers=(
            "market/resale_commission",
            "market/resale_factor",
            "market/sale_speed_factor",
            "finance/residual_at_horizon",
        ),
        credit=True,
    )
