"""Words of long work: how long, and why it came to nothing."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from planner.engine.inputs import Scenario
from planner.wording.findings import problem, sentence_space

FAILURES = {
    "lost": _(
        "The program that computed it ended {attempts} times before it was done, as when a machine is short of memory. "
        "Nothing of your scenario is lost."
    ),
    "no_worker": _("No worker took it up within an hour. Whoever runs this installation must start one."),
    "too_long": _("It took longer than {minutes} minutes and was stopped."),
    "error": _("An unforeseen error ({error}) stopped it; the log of the program has the details."),
}


def failure(fact: dict[str, Any], document: Scenario) -> str:
    """Why a run failed."""
    if fact["code"] == "input":
        said = [problem(each, document.currency, document) for each in fact["problems"]]
        return sentence_space().join([gettext("The scenario cannot be computed."), *said])
    return str(FAILURES[fact["code"]]).format(**fact)


def duration(seconds: float) -> str:
    """ "8 s", "2 min 5 s": whole seconds, at least one."""
    whole = max(1, round(seconds))
    minutes, rest = divmod(whole, 60)
    if not minutes:
        return ngettext("{count} s", "{count} s", rest).format(count=rest)
    if not rest:
        return ngettext("{count} min", "{count} min", minutes).format(count=minutes)
    return gettext("{minutes} min {seconds} s").format(minutes=minutes, seconds=rest)
