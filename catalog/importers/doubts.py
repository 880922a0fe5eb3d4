"""What a file says that is hard to believe by itself; what contradicts past prices is found when it is compared."""

from collections.abc import Mapping
from typing import Any

from catalog.importers.harvest import Doubt

# Watts of an accelerator whose own figure is not known: what the cards of eight-card machines took at least in the last
# years (A100 PCIe 250 to 300 W, V100 SXM2 300 W; NVIDIA data sheets). Judged on the whole machine.
USUAL_CARD_W = 275.0
# Makers run cards under their nominal power: the DGX Station A100 takes 1,500 W with four cards of 400 W.
LEAST_SHARE = 0.8
# Money of one accelerator for an hour above which it is probably that of a month: the dearest list price of the shipped
# offers is under 20 USD. By currency, as far as we know its size.
DEAR_HOUR = {"USD": 60.0, "EUR": 60.0, "GBP": 50.0, "CHF": 60.0, "CAD": 80.0, "AUD": 90.0, "CNY": 430.0, "JPY": 9_000.0}


def dear_hour(file: str, line: int, name: str, price: str, currency: str, limit: float) -> Doubt:
    """A price per hour that looks like one per month."""
    return Doubt("dear_hour", file, line, name, {"price": price, "currency": currency, "limit": limit})


def machine(
    file: str, line: int, name: str, spec: Mapping[str, Any], cards_w: Mapping[str, float | None]
) -> list[Doubt]:
    """Powers that cannot be: typical above maximum, or less than the accelerators alone take.

    spec : of a machine or part, with `max_power_w` and `typical_power_w` where known.
    cards_w : power of each known accelerator by slug. [W]
    """
    highest, typical = spec.get("max_power_w"), spec.get("typical_power_w")
    found = []
    if highest is not None and typical is not None and float(typical) > float(highest):
        facts = {"typical": float(typical), "maximum": float(highest)}
        found.append(Doubt("typical_over_maximum", file, line, name, facts))
    count = int(spec.get("accelerator_count") or 0)
    known = cards_w.get(spec.get("accelerator_slug") or "")
    each = known * LEAST_SHARE if known else USUAL_CARD_W
    if highest is not None and count and float(highest) < count * each:
        facts = {"maximum": float(highest), "count": count, "cards": count * each}
        found.append(Doubt("less_than_its_cards", file, line, name, facts))
    return found
