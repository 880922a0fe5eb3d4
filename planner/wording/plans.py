"""Names of plans, scenarios, templates and rooms, from their settings where nobody named them."""

from __future__ import annotations

from itertools import count
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from planner.engine.inputs import Plan, Scenario, Site
from planner.engine.prices import PriceBook
from planner.wording.fields import choice
from planner.wording.lines import gpus_of, item

TEMPLATES: dict[str, tuple[Any, Any]] = {
    "small-team": (
        _("Small team: 4 GPUs or 8?"),
        _(
            "A team needs 2–4 GPUs today and grows month by month. Start small and scale out, buy an "
            "8-GPU server, build a cluster, or rent?"
        ),
    ),
    "image-startup": (
        _("Image generation: servers that may fail"),
        _(
            "An online service of independent small jobs on 8-GPU servers behind a load balancer. "
            "How many servers, so that any one may fail?"
        ),
    ),
    "driving-lab": (
        _("Driving lab: 50B+ parameters for weeks"),
        _(
            "Training runs of weeks that no single server can hold. How large a cluster, with which "
            "fabric, against renting it?"
        ),
    ),
    "office-server": (
        _("The office server: 6 kW in an ordinary room"),
        _("An 8-GPU machine in a room made for people. What goes wrong, when, and what does the remedy cost?"),
    ),
    "budget-first": (
        _("Budget first: I have ¥2 million"),
        _(
            "The money is given, the machines are not. Workstations, one 8-GPU server or a small cluster for the same "
            "sum: which does most of the work, and what can each not run?"
        ),
    ),
}

# and a kind of work: what a scenario made on Sizing names as its template, so that its name follows the language
SIZED = "sized-"


def template_title(slug: str) -> str:
    """Title of a template in the gallery; of what was made on Sizing, the kind of work it is for."""
    if slug.startswith(SIZED):
        return choice("kind", slug.removeprefix(SIZED))
    return str(TEMPLATES[slug][0]) if slug in TEMPLATES else slug


def template_text(slug: str) -> str:
    """What situation a template is for, in a sentence or two."""
    return str(TEMPLATES[slug][1]) if slug in TEMPLATES else ""


def scenario_name(scenario: Scenario) -> str:
    """The scenario's own name, else that of its template."""
    return scenario.name or (template_title(scenario.template) if scenario.template else gettext("Scenario"))


def site_name(site: Site) -> str:
    """The room's own name, else its kind."""
    return site.name or choice("kind", site.kind)


ROOMS = {
    "office": _("the office"),
    "server_room": _("the server room"),
    "data_hall": _("the data hall"),
    "colocation": _("the colocation hall"),
}


def site_named(scenario: Scenario, slug: str) -> str:
    """A room inside a sentence: its own name, else "the office"."""
    site = next((site for site in scenario.sites if site.slug == slug), None)
    return slug if site is None else site.name or str(ROOMS.get(site.kind, site.kind))


def workload_named(scenario: Scenario, slug: str) -> str:
    """A workload's own name, else its kind and slug."""
    return next(
        (work.name or choice("kind", work.kind) for work in scenario.demand.workloads if work.slug == slug), slug
    )


UNITS_OF_WORK = {"1e6 token": _("a million tokens"), "1e6 item": _("a million items"), "run": _("a run")}


def unit_of_work(scenario: Scenario, slug: str, unit: str) -> str:
    """A workload with the unit it is counted in: "Training: a run"."""
    return f"{workload_named(scenario, slug)}{gettext(': ')}{UNITS_OF_WORK[unit]}"


def _size(plan: Plan, book: PriceBook | None) -> tuple[int, int | None, int | None]:
    """(servers, GPUs of one server, GPUs in all) of the first purchase."""
    if plan.start is None:
        return 0, None, None
    each = gpus_of(plan.start.build, book)
    return plan.start.quantity, each, plan.start.cards or (each * plan.start.quantity if each else None)


def plan_name(plan: Plan, book: PriceBook | None = None) -> str:
    """The plan's own name, else from its strategy and settings: "Start with 4, scale out", "8-GPU server now"."""
    if plan.name:
        return plan.name
    servers, each, gpus = _size(plan, book)
    match plan.strategy:
        case "scale_out" if gpus:
            return gettext("Start with {gpus}, scale out").format(gpus=gpus)
        case "scale_out":
            return gettext("Start small, scale out")
        case "server_now" | "servers_now" if servers == 1:
            return gettext("{gpus}-GPU server now").format(gpus=each) if each else gettext("One server now")
        case "server_now" | "servers_now" if servers:
            if each:
                return gettext("{servers} × {gpus}-GPU servers now").format(servers=servers, gpus=each)
            return gettext("{servers} servers now").format(servers=servers)
        case "server_as_is" if each:
            return gettext("{gpus}-GPU server, room as it is").format(gpus=each)
        case "server_cooled" if each:
            return gettext("{gpus}-GPU server with cooling").format(gpus=each)
        case "cluster_now" if servers:
            return ngettext("{servers} server with fabric now", "{servers} servers with fabric now", servers).format(
                servers=servers
            )
        case "cloud":
            return gettext("Cloud")
        case "hybrid":
            return gettext("Own the base, rent the peaks")
        case "fixed":
            return gettext("Fixed schedule")
    return plan.slug


def plan_names(scenario: Scenario, book: PriceBook | None = None) -> dict[str, str]:
    """Name by slug, each different: where settings give two plans the same name, the GPU or a number tells
    them apart."""
    names = {plan.slug: plan_name(plan, book) for plan in scenario.plans}
    for name in {name for name in names.values() if list(names.values()).count(name) > 1}:
        alike = [plan for plan in scenario.plans if names[plan.slug] == name]
        hardware = [_hardware(plan, book) for plan in alike]
        if len(set(hardware)) == len(alike):
            names |= {plan.slug: f"{name} · {mark}" for plan, mark in zip(alike, hardware, strict=True)}
            continue
        free = (numbered for n in count(2) if (numbered := f"{name} ({n})") not in names.values())
        names |= {plan.slug: next(free) for plan in alike[1:]}
    return names


def _hardware(plan: Plan, book: PriceBook | None) -> str:
    if plan.start is None:
        return "" if plan.overflow is None else item(plan.overflow.accelerator, book)
    if book is not None and plan.start.build in book.builds:
        return item(book.builds[plan.start.build].accelerator, book)
    return plan.start.build


def advice(plan: Plan, book: PriceBook | None = None) -> str:
    """The verdict as a sentence: "Start with 4 GPUs and scale out."."""
    servers, each, gpus = _size(plan, book)
    if not plan.name:
        match plan.strategy:
            case "scale_out" if gpus:
                return ngettext(
                    "Start with {gpus} GPU and scale out.", "Start with {gpus} GPUs and scale out.", gpus
                ).format(gpus=gpus)
            case "server_now" | "servers_now" if servers == 1 and each:
                return gettext("Buy the {gpus}-GPU server now.").format(gpus=each)
            case "server_now" | "servers_now" if servers and each:
                return gettext("Buy {servers} servers of {gpus} GPUs now.").format(servers=servers, gpus=each)
            case "server_as_is" if each:
                return gettext("Buy the {gpus}-GPU server and leave the room as it is.").format(gpus=each)
            case "server_cooled" if each:
                return gettext("Buy the {gpus}-GPU server and add cooling.").format(gpus=each)
            case "cluster_now" if servers:
                return ngettext(
                    "Build the cluster of {servers} server now.", "Build the cluster of {servers} servers now.", servers
                ).format(servers=servers)
            case "cloud":
                return gettext("Rent in the cloud.")
            case "hybrid":
                return gettext("Own the base and rent the peaks.")
    return gettext("{plan} is the cheapest plan.").format(plan=plan_name(plan, book))
