"""Orders of what is no longer sold."""

from __future__ import annotations

import numpy as np

from planner.engine.fleet import Fleet
from planner.engine.generations import last_sale
from planner.engine.inputs import Scenario
from planner.engine.result import Finding


def unsold(fleet: Fleet, scenario: Scenario) -> list[Finding]:
    """A plan that orders what is no longer sold, in the first month in which it does."""
    found = []
    for holding in fleet.holdings:
        end = last_sale(holding.machine.slug, scenario)
        if end is None:
            continue
        late = np.flatnonzero((holding.ordered_hosts + holding.ordered_cards)[0, end:])
        if late.size:
            found.append(Finding("end_of_sale", end + int(late[0]), {"item": holding.machine.slug, "sold_until": end}))
    return found
