"""Names of assumptions outside their section: where two have one label, what they belong to tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import count

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.inputs import Scenario
from planner.engine.prices import PriceBook
from planner.engine.quantities import SHARE_UNITS
from planner.engine.result import UNPRICED
from planner.wording.fields import label
from planner.wording.lines import item
from planner.wording.numbers import number, percent, quantity
from planner.wording.plans import plan_names, site_name, workload_named

DIGITS = 3  # what a flip is known to, and more than a range is
# Why a plan fails, by the code of its reason, where no figures are at hand.
FAILURES = {
    "service_target": _("it falls short of the demand"),
    "memory": _("a model does not fit its machines"),
    "deadline": _("a deadline cannot be met"),
    "replica_size": _("copies of a model over that many GPUs do not work"),
    "wrong_software": _("its GPUs run other software"),
    "noise": _("it is too loud for the room"),
    "missing_rate": _("an exchange rate is missing"),
}


def owner(path: str, scenario: Scenario, book: PriceBook) -> str:
    """The workload, plan, room, upgrade, generation or contract that a path lies in; "" where it lies in none."""
    keys = path.split("/")
    match keys:
        case ["demand", "workloads", slug, *_rest]:
            return workload_named(scenario, slug)
        case ["plans", slug, *_rest]:
            return plan_names(scenario, book)[slug]
        case ["sites", slug, *rest]:
            site = next(site for site in scenario.sites if site.slug == slug)
            step = next((step for step in site.upgrades if rest[:2] == ["upgrades", step.slug]), None)
            return site_name(site) if step is None else item(step.item, book)
        case ["market", "generations", slug, *_rest]:
            return next((each.name or slug for each in scenario.market.generations if each.slug == slug), slug)
        case ["operations", "contracts", slug, *_rest]:
            return next((each.name or slug for each in scenario.operations.contracts if each.slug == slug), slug)
        case ["operations", "subscriptions", slug, *_rest]:
            terms = next((each for each in scenario.operations.subscriptions if each.slug == slug), None)
            if terms is None:
                return slug
            return terms.name or (item(terms.item, book) if terms.item else slug)
    return ""


def assumption_names(assumptions: Iterable[tuple[str, ...]], scenario: Scenario, book: PriceBook) -> dict[str, str]:
    """Name by the first path of each assumption: "PUE", or "PUE · Office" where there are two.

    assumptions : each one's paths, the fields that move together.
    """
    labels = {paths: label(paths[0], scenario) for paths in assumptions}
    alike = Counter(labels.values())
    names: dict[str, str] = {}
    for paths, name in labels.items():
        if alike[name] > 1:
            owners = gettext(", ").join(owner(path, scenario, book) for path in paths)
            numbered = (f"{name} · {owners} ({n})" for n in count(2))
            name = f"{name} · {owners}"
            while name in names.values():  # two steps of one kind
                name = next(numbered)
        names[paths[0]] = name
    return names


def assumed(value: float, unit: str, currency: str) -> str:
    """A value within its range, with its unit: "3.97 % / mo"."""
    return quantity(float(f"{value:.{DIGITS}g}"), unit, currency)


def assumed_range(low: float, high: float, unit: str, currency: str) -> str:
    """ "−20 % to 10 % / yr", "2 to 3.5 GPUs"."""
    return gettext("{low} to {high}").format(low=tick(low, unit), high=assumed(high, unit, currency))


def tick(value: float, unit: str) -> str:
    """A value on an axis, its unit standing elsewhere: "4 %"."""
    return percent(value) if unit in SHARE_UNITS else number(value, digits=DIGITS)


def plan_failure(code: str) -> str:
    """Why a plan fails, in words that go on from "since"."""
    if code in UNPRICED:
        return gettext("a price is missing")
    if code.startswith(("room_", "cooling_")):
        return gettext("the room cannot take it")
    return str(FAILURES.get(code, _("the values contradict each other")))
