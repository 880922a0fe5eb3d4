"""What machines bring back: resale at the end of life, residual value at the horizon."""

from __future__ import annotations

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.purchases import Part, Purchases, leavers, parts_of
from planner.engine.finance import residual_share
from planner.engine.fleet import Holding, survivors
from planner.engine.inputs import CurvePoint, Market
from planner.engine.prices import Source

Curve = tuple[CurvePoint, ...]

# The curves are an estimate from price fits and lender guides (catalog/data/defaults.csv, parameter.residual_curve).
CURVES = Source(basis="estimate", item="residual_curve")


def resale(costs: PlanCosts) -> None:
    """Credits of machines that leave and of what is there at the horizon: price paid × share by age × what is kept."""
    at_horizon = costs.scenario.finance.residual_at_horizon
    for slug, part in costs.parts:
        _credit(costs, "credit.resale", part.code, slug, *_sold(costs, part))
        if at_horizon:
            _credit(costs, "credit.residual_at_horizon", part.code, slug, *_left(_there(costs, part), part.curve))
    if costs.network is not None and at_horizon:
        curve = costs.scenario.market.residual.network
        _credit(costs, "credit.residual_at_horizon", "fabric", costs.network.switch.slug, *_left(_fabric(costs), curve))


def _there(costs: PlanCosts, part: Part) -> Array:
    """Price paid for what is there at the horizon and the plan's own, by month of arrival, (S, M)."""
    last = costs.ledger.shape[1] - 1
    there = survivors(part.arrived, part.retired, last)
    return np.asarray(there * part.unit * costs.owned(last, at_horizon=True))


def _fabric(costs: PlanCosts) -> Array:
    return np.asarray(costs.fabric_paid * costs.owned(costs.ledger.shape[1] - 1, at_horizon=True))


def worth_in(bought: Purchases, holding: Holding, market: Market, month: int) -> float:
    """What all machines of a holding would bring if they were sold in a month: price paid × share by age × what is
    kept after commission and condition. [money, nominal]"""
    ages = month - np.arange(month + 1, dtype=float)
    kept = (1.0 - market.resale_commission) * market.resale_factor * market.sale_speed_factor
    return kept * sum(
        float(
            (
                survivors(part.arrived, part.retired, month)
                * part.unit[:, : month + 1]
                * residual_share(part.curve, ages)
            ).sum()
        )
        for part in parts_of(bought, holding, market.residual)
    )


def _sold(costs: PlanCosts, part: Part) -> tuple[Array, Array]:
    """(price paid, worth) of what leaves in each month and was the plan's own, (S, M): each arrival at its own age."""
    paid, worth = np.zeros(part.unit.shape), np.zeros(part.unit.shape)
    for m, leaving in leavers(part):
        value = leaving * part.unit[:, :m] * costs.owned(m - 1)
        paid[:, m] = value.sum(axis=1)
        worth[:, m] = (value * residual_share(part.curve, m - np.arange(m, dtype=float))).sum(axis=1)
    return paid, worth


def _left(value: Array, curve: Curve) -> tuple[Array, Array]:
    """(price paid, worth) at the horizon, in the last month, of what arrived in each month, (S, M)."""
    months = value.shape[1]
    paid, worth = np.zeros(value.shape), np.zeros(value.shape)
    paid[:, -1] = value.sum(axis=1)
    worth[:, -1] = (value * residual_share(curve, months - np.arange(months, dtype=float))).sum(axis=1)
    return paid, worth


def remaining_service(costs: PlanCosts) -> float:
    """What the service left in the machines at the horizon is worth: price paid × what is left of their life. [money]

    Fabric serves as long as the machines that it joins.
    """
    months, life = costs.ledger.shape[1], costs.plan.service_months
    left = np.clip(1.0 - (months - np.arange(months)) / life, 0.0, None)
    paid = sum((_there(costs, part) for _slug, part in costs.parts), _fabric(costs))
    return float((paid * left)[0].sum())


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
