"""Published cost cases: what training, serving, a machine and a data centre cost, and the arithmetic of money.

`training`, `serving`, `machines`, `sites` and `money` each answer a group of kinds with the engine's own functions.
"""

from __future__ import annotations

from planner.engine.validation.base import Solver
from planner.engine.validation.tco import machines, money, serving, sites, training

GROUPS = (training, serving, machines, sites, money)
SOLVERS: dict[str, Solver] = {kind: solver for group in GROUPS for kind, solver in group.SOLVERS.items()}
