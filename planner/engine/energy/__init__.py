"""Electricity bills: tariffs by season, hour and amount, demand with a ratchet, in the time of the place."""

from planner.engine.energy.bill import Charge, billed_kw, charges
from planner.engine.energy.clock import ZONES, local_hours, zone_of
from planner.engine.energy.terms import DemandCharge, Period, TariffTerms, Tier

__all__ = [
    "ZONES",
    "Charge",
    "DemandCharge",
    "Period",
    "TariffTerms",
    "Tier",
    "billed_kw",
    "charges",
    "local_hours",
    "zone_of",
]
