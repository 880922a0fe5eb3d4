"""Words for failures and repairs: their assumptions, cost lines, factors, and what they do to work."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.inputs import Workload
from planner.engine.needs import Requirement
from planner.wording.numbers import counted, exact_percent, number, percent

HOURS_PER_YEAR = 8760.0
HOURS_SAID = 48.0  # longer times are said in days
MOST_NINES = 0.999999

# class and field → (label, help, what holds while it is empty)
FIELDS: dict[str, tuple[Any, ...]] = {
    "Reliability.counted": (
        _("Count failures"),
        _("Whether machines fail, wait for repair and need spares; off, they are listed as left out."),
    ),
    "Reliability.gpu_failures_per_year": (
        _("GPUs replaced a year"),
        _("Share of the GPUs in service that fail for good within a year and are replaced."),
    ),
    "Reliability.server_failures_per_year": (
        _("Servers repaired a year"),
        _("Share of the servers that fail within a year by a board, memory, a power supply or a disk, GPUs apart."),
    ),
    "Reliability.turnaround_days": (
        _("Time to repair"),
        _("Days until what has failed is back in service, where no spare takes its place."),
    ),
    "Reliability.spares_confidence": (
        _("Confidence of the spares"),
        _("Probability that there is a spare for whatever fails; so many are bought as the fleet grows. 0: none."),
    ),
    "Reliability.warranty_years": (
        _("Warranty"),
        _("Years in which the maker repairs for nothing; then a contract or your own repairs begin."),
        _("the build's own"),
    ),
    "Reliability.after_warranty": (
        _("After the warranty"),
        _("Whether a yearly contract holds parts and labour, or every repair is paid; never both."),
    ),
    "Reliability.repair_hours": (_("Labour of a repair"), _("Hours of a technician for one repair out of warranty.")),
    "Reliability.repair_rate_per_hour": (
        _("Rate of a technician"),
        _("Cost of a technician's hour, at today's wages."),
        _("the catalog's figure"),
    ),
    "Reliability.server_parts_share": (
        _("Parts of a server repair"),
        _("Share of the price of a server without its GPUs that the parts of one repair cost."),
    ),
    "Reliability.interruptions_per_1000_server_days": (
        _("Interruptions of jobs"),
        _("How often a job stops for any fault, per server; 3 in a mature fleet, 6.5 in its first year, 15 rented."),
    ),
    "Reliability.restart_minutes": (
        _("Time to restart"),
        _("Minutes until an interrupted run works again; 5 with automation, 20 by hand."),
    ),
    "Reliability.checkpoint_write_gb_per_s": (
        _("Speed of saving"),
        _("Speed at which a run writes its checkpoint; the faster, the more often it pays to save."),
    ),
    "Reliability.other_time_lost": (
        _("Other time lost by runs"),
        _("Share of a run's time that evaluation, tests and waiting for people take, interruptions apart."),
        _("14 %, one server 5 %"),
    ),
    "Scenario.reliability": (_("Failures and repairs"), _("How often machines fail, and what is done about it.")),
}

CHOICES = {
    ("after_warranty", "contract"): _("yearly contract"),
    ("after_warranty", "own_repair"): _("pay for each repair"),
}

LINES = {
    ("", "spare_server"): _("Spare server"),
    ("", "spare_chassis"): _("Spare chassis without cards"),
    ("", "spare_card"): _("Spare GPU card"),
    ("", "spares_freight"): _("Freight of the spares"),
    ("", "spares_duty"): _("Import duty on the spares"),
    ("", "spares_tax"): _("Tax on the spares that is not recovered"),
    ("", "repair_gpus"): _("GPUs replaced out of warranty"),
    ("", "repair_servers"): _("Parts of servers repaired out of warranty"),
    ("", "repair_labour"): _("Labour of repairs out of warranty"),
}

FORMULAS = {
    "spares": _("spares that last with the confidence asked for (Poisson) × today's price × price path"),
    "repair_gpus": _("GPUs out of warranty × share that fails a year × days ÷ 365 × price of a GPU"),
    "repair_servers": _(
        "servers out of warranty × share that fails a year × days ÷ 365 × price without GPUs × share of the parts"
    ),
    "repair_labour": _("repairs × hours of each × hourly rate × wage path"),
}

FACTORS = {
    "mtbf_h": _("Time between interruptions of a run"),
    "interruptions": _("Interruptions a month, while it runs"),
    "restart_minutes": _("Time to restart"),
    "save_s": _("Time to save a checkpoint"),
    "checkpoint_every_h": _("Best time between checkpoints"),
    "other_time_lost": _("Other time lost"),
    "short_h": _("Hours a year with too few servers at the peak"),
    "failures_per_year": _("Share that fails a year"),
    "server_parts_share": _("Share of the parts"),
}


# factor → how it follows
LOSSES = {
    "mtbf_h": _("24 ÷ (servers of the run × interruptions per server and day)"),
    "interruptions": _("hours of a mean month ÷ time between interruptions"),
    "save_s": _("14 bytes a parameter ÷ speed of saving"),
    "checkpoint_every_h": _(
        "√(2 × time to save × time between interruptions), corrected where saving is long (Young, Daly)"
    ),
    "goodput": _(
        "(1 − (time to restart + half the time between checkpoints) ÷ time between interruptions − time to save ÷ time "
        "between checkpoints) × (1 − other time lost)"
    ),
    "short_h": _("8,760 × probability that more servers than the spare ones are away at once, each by itself (k of n)"),
}


def loss(name: str, work: Workload, need: Requirement) -> str:
    """How a factor follows from failures; "" where it was typed, or where none are counted."""
    typed = name == "goodput" and ("mtbf_h" not in need.factors or getattr(work, "goodput", None) is not None)
    if typed or (name == "checkpoint_every_h" and not need.factors.get("save_s")):
        return ""
    return str(LOSSES.get(name, ""))


def reliability(need: Requirement) -> str:
    """What failures do to a workload: how often runs stop and what is left of their time, or how available it is."""
    facts = need.factors
    if "short_h" in facts:
        return gettext("with {spare}, enough servers are up at the peak but for {hours} a year: {share}").format(
            spare=counted(facts["spare_servers"], "spare server"),
            hours=_span(facts["short_h"]),
            share=_nines(1.0 - facts["short_h"] / HOURS_PER_YEAR),
        )
    if "mtbf_h" not in facts:
        return ""
    words = {
        "between": _span(facts["mtbf_h"]),
        "number": number(facts["interruptions"], digits=2),
        "every": _span(facts["checkpoint_every_h"]),
        "goodput": percent(facts["goodput"]),
    }
    if "other_time_lost" not in facts:  # the useful share was typed, and no one said what takes the rest
        return gettext(
            "one interruption every {between}, {number} a month while a run goes on; save every {every}; {goodput} of "
            "the time is useful"
        ).format(**words)
    other = facts["other_time_lost"]
    return gettext(
        "one interruption every {between}, {number} a month while a run goes on; save every {every}; {goodput} of the "
        "time is useful: interruptions and saving take {stops}, other time lost {other}"
    ).format(**words, stops=percent(1.0 - other - facts["goodput"]), other=percent(other))


def _span(hours: float) -> str:
    """A time in the unit in which people say it: "45 minutes", "2.2 hours", "10.4 days"."""
    if hours * 60.0 < 1.0:
        return gettext("less than a minute")
    if hours < 1.0:
        return counted(float(f"{hours * 60.0:.3g}"), "minute")
    if hours < HOURS_SAID:
        return counted(float(f"{hours:.3g}"), "hour")
    return counted(float(f"{hours / 24.0:.3g}"), "day")


def _nines(share: float) -> str:
    """ "99.9912 %"; what rounds to all is said to be more than the last that does not."""
    return (
        exact_percent(share) if share < MOST_NINES else gettext("over {share}").format(share=exact_percent(MOST_NINES))
    )
