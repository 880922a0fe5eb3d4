"""What machines bring back: resale at the end of life, residual value at the horizon."""

from __future__ import annotations

import numpy as np

from planner.engine.costs.basis import PlanCosts
from planner.engine.finance import residual_share


def resale(costs: PlanCosts) -> None:
    market, months = costs.scenario.market, costs.ledger.shape[1]
    share = (1.0 - market.resale_commission) * market.resale_factor
    factors = {"commission": market.resale_commission, "factor": market.resale_factor}
    drivers = ("market/resale_commission", "market/resale_factor", "finance/residual_at_horizon")
    for bought, holding in zip(costs.bought, costs.fleet.holdings, strict=True):
        build = bought.machine.build
        parts = [
            (
                "hosts",
                bought.arrived_host_value,
                holding.arrived_hosts,
                holding.retired_hosts,
                "system" if build.residual_class == "system" and bought.machine.addon is None else "host",
            ),
            ("cards", bought.arrived_card_value, holding.arrived_cards, holding.retired_cards, "card"),
        ]
        for code, value, arrived, retired, curve_name in parts:
            if not value.any():
                continue
            curve = getattr(market.residual, curve_name)
            unit = np.where(arrived > 0, value / np.where(arrived > 0, arrived, 1.0), 0.0)
            if retired.any():
                sold = np.zeros(costs.ledger.shape)
                for m in np.flatnonzero(retired.any(axis=0)).tolist():
                    before = holding.survivors(arrived, retired, m - 1)
                    after = holding.survivors(arrived, retired, m)
                    left = before - after[:, :m]
                    ages = m - np.arange(m, dtype=float)
                    sold[:, m] = (left * unit[:, :m] * residual_share(curve, ages)).sum(axis=1)
                costs.ledger.add(
                    "credit.resale",
                    code,
                    sold,
                    "money",
                    share,
                    build.source,
                    "resale",
                    item=build.slug,
                    factors=factors,
                    drivers=drivers,
                    credit=True,
                )
            if costs.scenario.finance.residual_at_horizon:
                there = holding.survivors(arrived, retired, months - 1)
                ages = months - np.arange(months, dtype=float)
                worth = np.zeros(costs.ledger.shape)
                worth[:, -1] = (there * unit * residual_share(curve, ages)).sum(axis=1)
                costs.ledger.add(
                    "credit.residual_at_horizon",
                    code,
                    worth,
                    "money",
                    share,
                    build.source,
                    "residual",
                    item=build.slug,
                    factors=factors,
                    drivers=drivers,
                    credit=True,
                )
    if costs.network is not None and costs.scenario.finance.residual_at_horizon:
        ages = months - np.arange(months, dtype=float)
        worth = np.zeros(costs.ledger.shape)
        worth[:, -1] = (costs.fabric_paid * residual_share(market.residual.network, ages)).sum(axis=1)
        costs.ledger.add(
            "credit.residual_at_horizon",
            "fabric",
            worth,
            "money",
            share,
            costs.network.source,
            "residual",
            item=costs.network.switch.slug,
            factors=factors,
            drivers=drivers,
            credit=True,
        )
