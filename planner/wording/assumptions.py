"""Names of assumptions outside their section: where two have one label, what they belong to tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import count

from django.utils.translation import gettext

from planner.engine.inputs import Scenario
from planner.engine.prices import PriceBook
from planner.wording.fields import label
from planner.wording.lines import item
from planner.wording.plans import plan_names, site_name, workload_named


def owner(path: str, scenario: Scenario, book: PriceBook) -> str:
    """The workload, plan, room or upgrade that a path lies in; "" where it lies in none."""
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
