"""How busy owned GPUs must be to cost less than renting: both readings, with the numbers put in."""

import math

from django.utils.translation import gettext

from planner import wording
from planner.engine import break_even_use as engine
from planner.engine.break_even_use import Use
from planner.services.explain.nodes import Node, Subject, make_node


def break_even_use(subject: Subject) -> Node:
    found = engine.break_even_use(subject.plan, subject.evaluation)
    return make_node(
        "break_even_use",
        gettext("Use from which owning pays"),
        found[0].idle_charged if found and found[0].pays else None,
        _said(found[0].idle_charged) if found else gettext("not known"),
        children=[_against(subject, use) for use in found],
        formula=gettext("share of the owned GPU-hours that must be busy for owning to cost less than renting the work"),
    )


def _said(share: float) -> str:
    return wording.percent(share) if math.isfinite(share) else gettext("never")


def _against(subject: Subject, use: Use) -> Node:
    """Both readings against one offer, and the numbers behind them."""
    facts = {
        "capex": wording.money(use.capex, subject.currency),
        "opex": wording.unit_price(use.opex, subject.currency),
        "rent": wording.unit_price(use.rent, subject.currency),
        "hours": wording.number(use.hours),
    }
    if use.pays:
        charged = gettext("({capex} + {opex} × {hours} h) ÷ ({rent} × {hours} h)").format(**facts)
        free = gettext("{capex} ÷ (({rent} − {opex}) × {hours} h)").format(**facts)
    else:
        charged = free = gettext("never: renting at {rent} costs no more than running an owned GPU at {opex}").format(
            **facts
        )
    readings = [
        make_node(key, label, value if use.pays else None, _said(value), formula=formula)
        for key, label, value, formula in (
            ("idle_charged", gettext("Idle hours charged: running costs around the clock"), use.idle_charged, charged),
            ("idle_free", gettext("Idle hours free: running costs for the hours used alone"), use.idle_free, free),
        )
    ]
    source = use.offer.price.source if use.offer.price is not None else None
    return make_node(
        use.offer.slug,
        wording.offer_named(use.offer, subject.book),
        use.idle_charged if use.pays else None,
        _said(use.idle_charged),
        children=readings,
        related=[
            subject.figure("used", gettext("Busy in the plan"), use.used, "share"),
            subject.money("capex", gettext("Purchases less what they bring back, present value"), use.capex),
            subject.figure("opex", gettext("Running cost of an owned GPU-hour"), use.opex, "money/GPU-hour"),
            subject.figure("rent", gettext("Rent of the work of an owned GPU-hour"), use.rent, "money/GPU-hour"),
            subject.figure("converts", gettext("Rented GPUs that do the work of an owned one"), use.converts, "1"),
            subject.figure("hours", gettext("Owned GPU-hours, discounted"), use.hours, "GPU-hour"),
        ],
        source=None if source is None else subject.source(source),
        drivers=subject.drivers(("market/cloud_spread", "market/provider_class", "finance/discount_rate")),
    )
