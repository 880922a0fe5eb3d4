"""What a budget buys, in words: its fields, the rungs of the ladder, what stops a configuration."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from planner.engine.budget import Configuration
from planner.wording.numbers import date
from planner.wording.words import Words

FIELDS: dict[str, Words] = {
    "Budget.amount": Words(
        _("I have"),
        _("The money there is, as in “2,000,000”, “2 million” or “¥200万”; a sign names its currency too."),
    ),
    "Budget.covers": Words(
        _("It must pay for"),
        _(
            "The purchase alone: machines, network, racks, what the room needs, installation. Or besides, until the "
            "horizon, energy, site, support and people. What a later sale brings is never counted on."
        ),
    ),
    "Budget.use": Words(
        _("For"),
        _(
            "Decides what counts as useful: serving compares GPUs by memory bandwidth, tuning and training by 16-bit "
            "computing, simulation by FP64."
        ),
    ),
    "Budget.model": Words(
        _("A model that must fit"),
        _(
            "With 8-bit weights to serve, with adapters (LoRA) to tune, in mixed precision to train. What does not "
            "hold it is listed with the reason."
        ),
        _("any"),
    ),
    "Budget.used": Words(_("Second-hand too"), _("Whether used machines of the catalog count.")),
}
CHOICES: dict[tuple[str, Any], Any] = {
    ("covers", "purchase"): _("the purchase"),
    ("covers", "horizon"): _("all until the horizon"),
    ("use", "serving"): _("serving models"),
    ("use", "tuning"): _("tuning models"),
    ("use", "training"): _("training models"),
    ("use", "simulation"): _("simulation in FP64"),
}
GROUPS = {
    "workstation": _("Entry: one workstation"),
    "server": _("One server"),
    "servers": _("Several, each for itself"),
    "cluster": _("Cluster with a fabric"),
}
SHORT_GROUPS = {
    "workstation": _("Workstation"),
    "server": _("One server"),
    "servers": _("Several servers"),
    "cluster": _("Cluster"),
}
STATES = {
    "fails": _("Affordable, and something is against it"),
    "over": _("Costs more than there is"),
    "unpriced": _("Cannot be priced"),
}
STOPS = {
    "budget": _("budget used up"),
    "room": _("room is full"),
}
USES = {"serving": _("serve"), "tuning": _("tune"), "training": _("train")}
SORTS = {
    "value": _("GPU-hours for the money"),
    "hours": _("Useful GPU-hours"),
    "cost": _("Purchase"),
    "gpus": _("GPUs"),
    "memory": _("Memory"),
    "kw": _("Power draw"),
}


def group(code: str, *, short: bool = False) -> str:
    """A rung of the ladder from entry to cluster."""
    return str((SHORT_GROUPS if short else GROUPS)[code])


def state(code: str) -> str:
    """Why configurations are not ranked."""
    return str(STATES[code])


def stops(code: str) -> str:
    """What keeps a configuration from being larger; "" where nothing is said of it."""
    return str(STOPS.get(code, ""))


def ability(use: str) -> str:
    return str(USES[use])


def sorting(code: str) -> str:
    return str(SORTS[code])


def configuration_name(found: Configuration) -> str:
    """ "8-GPU server", "10 × 4-GPU workstation", "3 × 4-GPU server with a fabric"."""
    gpus = found.build.accelerator_count
    pattern = gettext("{gpus}-GPU workstation") if found.build.workstation else gettext("{gpus}-GPU server")
    name = pattern.format(gpus=gpus)
    if found.joined:
        return gettext("{servers} × {server} with a fabric").format(servers=found.servers, server=name)
    return name if found.servers == 1 else gettext("{servers} × {server}").format(servers=found.servers, server=name)


def export_notice(found: Configuration, *, brief: bool = False) -> str:
    """The export rule under which a configuration falls; "" where it may be sold there freely."""
    if found.export is None:
        return ""
    if brief:
        return gettext("export prohibited") if found.export.verdict == "prohibited" else gettext("export licence")
    pattern = (
        gettext("It may not be sold into this country ({country}), by the rule in force since {dated}.")
        if found.export.verdict == "prohibited"
        else gettext(
            "It may be sold into this country ({country}) only with an export licence, by the rule in force since "
            "{dated}."
        )
    )
    return pattern.format(country=found.export.country, dated=date(found.export.effective))


def unpriced_for_rate(currency: str, wanted: str) -> str:
    """Why a configuration has no price: its quote is in a currency without a rate."""
    pattern = gettext("no exchange rate from {currency} to {wanted} on or before the pricing date")
    return pattern.format(currency=currency, wanted=wanted)


def counted_configurations(count: int) -> str:
    return ngettext("{count} configuration", "{count} configurations", count).format(count=count)
