"""Scenarios: made from templates, edited version by version, undone, copied, thrown away.

A save is compare-and-set on the head: whoever saves against an older version gets a `Conflict`, and nothing is written.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction

from catalog.tariff_periods import schedules
from planner.engine.costs import finance_rows
from planner.engine.inputs import Scenario, get_at, set_at
from planner.engine.prices import PriceBook
from planner.engine.quantities import InputError, Problem
from planner.models import Scenario as ScenarioRow
from planner.models import ScenarioVersion, User, Workspace
from planner.services import evaluation, gallery, pinned, pricebook
from planner.services.accounts import local_owner

SEEDED = "small-team"
EDIT, UNDO, REDO = ScenarioVersion.Kind.EDIT, ScenarioVersion.Kind.UNDO, ScenarioVersion.Kind.REDO


@dataclass
class Clash:
    """One path on which two people disagree: what it was, what the newest version says, what was asked for."""

    path: str
    base: Any
    theirs: Any
    mine: Any


@dataclass
class Conflict(Exception):
    """The version that was edited is not the newest any more; nothing was written."""

    head: ScenarioVersion
    base_number: int
    clashes: list[Clash] = field(default_factory=list)
    changes: list[list[Any]] = field(default_factory=list)  # [[path, old, new], …] between the base and the head

    def __str__(self) -> str:
        return f"version {self.base_number} was edited, {self.head.number} is the newest"


class NothingTo(Exception):
    """There is nothing to undo or redo."""


# ── Making ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def create_from_template(workspace: Workspace, user: User | None, slug: str) -> ScenarioRow:
    """A new scenario with the document of a template; raises KeyError for an unknown one."""
    return create(workspace, user, gallery.document(slug), template=slug)


@transaction.atomic
def create(workspace: Workspace, user: User | None, document: dict[str, Any], *, template: str = "") -> ScenarioRow:
    """A new scenario from plain data; raises InputError where it cannot be computed."""
    scenario = Scenario.read(document)
    prices = evaluation.pin(pricebook.build(evaluation.catalog(), scenario))
    row = ScenarioRow.objects.create(workspace=workspace, name=scenario.name, template=template)
    _append(row, None, scenario.model_dump(mode="json"), prices, user, EDIT, [])
    return row


def duplicate(row: ScenarioRow, user: User, name: str) -> ScenarioRow:
    """A copy of the newest version, with the prices it pins, as a scenario of its own."""
    with transaction.atomic():
        head = newest(row)
        document = {**copy.deepcopy(head.document), "name": name[:120]}
        fresh = ScenarioRow.objects.create(workspace=row.workspace, name=name[:120], template=row.template)
        _append(fresh, None, document, head.prices_id, user, EDIT, [])
    return fresh


def delete(row: ScenarioRow) -> None:
    """Remove a scenario with all its versions."""
    with transaction.atomic():
        ScenarioRow.objects.filter(pk=row.pk).update(head=None)
        row.versions.update(parent=None, reverses=None)
        row.versions.all().delete()
        ScenarioRow.objects.filter(pk=row.pk).delete()


def seed() -> None:
    """Give the local owner's workspace a first comparison while it has none."""
    owner = local_owner()
    workspace = owner.workspaces.order_by("pk").first()
    if workspace is not None and not workspace.scenarios.exists():
        create_from_template(workspace, owner, SEEDED)


# ── Editing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def edit(
    row: ScenarioRow, base_number: int, path: str, value: Any, user: User | None, message: str = ""
) -> ScenarioVersion:
    """Set one value; returns the new head, or the old one where nothing changed. Raises Conflict, InputError."""
    return change(row, base_number, [(path, value)], user, message)


def change(
    row: ScenarioRow,
    base_number: int,
    wanted: list[tuple[str, Any]],
    user: User | None,
    message: str = "",
) -> ScenarioVersion:
    """Set several values as one version."""
    head = newest(row)
    document, patch = head.document, []
    for path, value in wanted:
        document, old, new = put(document, path, value)
        if old != new:
            patch.append([path, old, new])
    if not patch:
        return head  # also a saved edit whose answer was lost and which is sent again
    if head.number != base_number:
        raise _conflict(row, head, base_number, wanted)
    return _save(row, head, document, patch, user, EDIT, message=message)


def reprice(row: ScenarioRow, base_number: int, book: PriceBook, user: User | None) -> ScenarioVersion:
    """The newest document with other prices, as a version. Raises Conflict, InputError."""
    head = newest(row)
    if head.number != base_number:
        raise _conflict(row, head, base_number, [])
    return _save(row, head, head.document, [[PRICES, head.prices_id, book.sha256()]], user, EDIT, book=book)


def undo(row: ScenarioRow, base_number: int, user: User) -> ScenarioVersion:
    """Take back the user's own latest edit, as a version of its own; Conflict where a value has changed since."""
    return _reverse(row, base_number, undoable(row, user)[0], user, UNDO)


def redo(row: ScenarioRow, base_number: int, user: User) -> ScenarioVersion:
    """Bring back what the user undid last."""
    return _reverse(row, base_number, undoable(row, user)[1], user, REDO)


def undoable(row: ScenarioRow, user: User) -> tuple[int | None, int | None]:
    """Keys of the edits that undo and redo would act on."""
    done: list[int] = []
    undone: list[int] = []
    for key, kind in row.versions.filter(author=user, number__gt=1).order_by("number").values_list("pk", "kind"):
        if kind == EDIT:
            done.append(key)
            undone.clear()
        elif kind == UNDO and done:
            undone.append(done.pop())
        elif kind == REDO and undone:
            done.append(undone.pop())
    return (done[-1] if done else None), (undone[-1] if undone else None)


def newest(row: ScenarioRow) -> ScenarioVersion:
    """The head as the database has it now."""
    return ScenarioVersion.objects.select_related("author").get(
        pk=ScenarioRow.objects.values_list("head", flat=True).get(pk=row.pk)
    )


def read(document: dict[str, Any]) -> Scenario:
    """A stored document as the engine's."""
    return Scenario.read(document)


def first(row: ScenarioRow) -> ScenarioVersion:
    """The version a scenario began with: what "default" means in its rows."""
    version = row.versions.order_by("number").first()
    if version is None:
        raise ScenarioVersion.DoesNotExist
    return version


def _reverse(row: ScenarioRow, base_number: int, key: int | None, user: User, kind: str) -> ScenarioVersion:
    if key is None:
        raise NothingTo
    target = row.versions.select_related("parent").get(pk=key)
    head = newest(row)
    if head.number != base_number:
        raise _conflict(row, head, base_number, [])
    backwards = kind == UNDO
    steps = [(path, new, old) if backwards else (path, old, new) for path, old, new in target.patch if path != PRICES]
    clashes = [
        Clash(path, now, get_at(head.document, path), then)
        for path, now, then in steps
        if get_at(head.document, path) != _without_place(now)
    ]
    if clashes:
        raise Conflict(head, target.number, clashes, [])
    document, patch = head.document, []
    for path, now, then in reversed(steps) if backwards else steps:
        document, _old, _new = put(document, path, then)
        patch.append([path, now, then])
    patch += [[PRICES, *books] for path, *books in target.patch if path == PRICES]
    before = target.parent or target  # the first version is no edit: whoever is reversed has a parent
    step = (target, before) if backwards else (before, target)
    return _save(row, head, document, patch, user, kind, reverses=target, step=step)


def _save(
    row: ScenarioRow,
    head: ScenarioVersion,
    document: dict[str, Any],
    patch: list[list[Any]],
    user: User | None,
    kind: str,
    *,
    reverses: ScenarioVersion | None = None,
    step: Step | None = None,
    book: PriceBook | None = None,
    message: str = "",
) -> ScenarioVersion:
    """Validate, compute, then write: a document that cannot be computed is refused before anything is stored."""
    scenario = Scenario.read(document)
    _refuse_unknown(named_items(scenario) - named_items(Scenario.read(head.document)), patch)
    document = scenario.model_dump(mode="json")
    prices = evaluation.pin(book) if book is not None else _prices_for(row, scenario, head, step)
    patch = [
        [path, head.prices_id, prices] if path == PRICES else [path, old, _as_stored(document, path, new)]
        for path, old, new in patch
    ]
    evaluation.answer(document, evaluation.book_of(prices), prices)
    try:
        with transaction.atomic():
            ScenarioRow.objects.select_for_update().get(pk=row.pk)
            if ScenarioRow.objects.filter(pk=row.pk, head_id=head.pk).exists():
                return _append(row, head, document, prices, user, kind, patch, reverses=reverses, message=message)
    except IntegrityError:  # the same number was written by another at this moment
        pass
    raise _conflict(row, newest(row), head.number, [(path, new) for path, _old, new in patch if path != PRICES])


def _append(
    row: ScenarioRow,
    head: ScenarioVersion | None,
    document: dict[str, Any],
    prices: str,
    user: User | None,
    kind: str,
    patch: list[list[Any]],
    *,
    reverses: ScenarioVersion | None = None,
    message: str = "",
) -> ScenarioVersion:
    version = ScenarioVersion.objects.create(
        scenario=row,
        number=head.number + 1 if head else 1,
        parent=head,
        kind=kind,
        reverses=reverses,
        patch=patch,
        document=document,
        prices_id=prices,
        author=user,
        message=message[:200],
    )
    row.head, row.name = version, document["name"]
    row.last_verdict = _summary(version)
    row.save()
    return version


def _summary(version: ScenarioVersion) -> dict[str, Any]:
    """The verdict as the list of scenarios shows it: codes and numbers."""
    result, comparison = evaluation.evaluated(version)
    verdict = comparison.verdict
    best = result.plan(verdict.plan) if verdict.plan else None
    return {
        "code": verdict.code,
        "plan": verdict.plan,
        "margin": verdict.margin,
        "margin_share": verdict.margin_share,
        "present_value": best.present_value if best else None,
        "blocked": best is not None and any(warning.facts.get("blocking") for warning in best.warnings),
        "currency": result.scenario.currency,
        "months": result.scenario.months,
    }


def _conflict(row: ScenarioRow, head: ScenarioVersion, base_number: int, wanted: list[tuple[str, Any]]) -> Conflict:
    base = row.versions.filter(number=base_number).first()
    origin = base.document if base is not None else head.document
    clashes = [
        Clash(path, get_at(origin, path), get_at(head.document, path), _without_place(value)) for path, value in wanted
    ]
    changes = [
        step for version in row.versions.filter(number__gt=base_number).order_by("number") for step in version.patch
    ]
    return Conflict(head, base_number, clashes, changes)


# ── Prices ───────────────────────────────────────────────────────────────────────────────────────────────────────────


# In a patch: the price book, as [PRICES, SHA-256 before, SHA-256 after]; no path of the document.
PRICES = "prices"
Step = tuple[ScenarioVersion, ScenarioVersion]  # from one version to another: what an undo or a redo does again


def _prices_for(row: ScenarioRow, scenario: Scenario, head: ScenarioVersion, step: Step | None) -> str:
    """The prices of the head where they cover every item the document names; else those and what is lacking.

    A step that an undo takes restores the exact prices it started from, unless others have moved on since.
    """
    wanted, former = _priced_items(scenario), Scenario.read(head.document)
    if step is not None:
        start, end = step
        then = Scenario.read(end.document)
        if head.prices_id == start.prices_id and wanted <= _priced_items(then):
            return end.prices_id
        if start.prices_id != end.prices_id:
            return evaluation.pin(_after_step(row, scenario, head, step))
    if wanted <= _priced_items(former):
        return head.prices_id
    return evaluation.pin(pinned.carried(evaluation.catalog(), scenario, evaluation.book_of(head.prices_id), former))


def _after_step(row: ScenarioRow, scenario: Scenario, head: ScenarioVersion, step: Step) -> PriceBook:
    """The prices after a step that changes prices, on top of what others have done since."""
    catalog, day = evaluation.catalog(), scenario.pricing_date
    held, start, end = (evaluation.book_of(version.prices_id) for version in (head, *step))
    former, then = Scenario.read(head.document), Scenario.read(step[1].document)
    if end.pricing_date == day != held.pricing_date:
        return pinned.carried(catalog, scenario, end, then)
    if not (start.pricing_date == end.pricing_date == held.pricing_date == day):
        return pinned.carried(catalog, scenario, held, former)
    found = pinned.stepped(*(pricebook.in_currency(book, catalog, scenario.currency) for book in (held, start, end)))
    if found is None:
        raise _conflict(row, head, max(version.number for version in step), [])
    return pinned.carried(catalog, scenario, found, former, then)


# Kinds of items by what a document calls them, where the catalog has another word.
CATALOG_KINDS = {"market": "colocation", "tax": "cost"}


def _refuse_unknown(named: frozenset[tuple[str, Any]], patch: list[list[Any]]) -> None:
    """Raise InputError where an edit names an item that the catalog does not hold."""
    catalog = evaluation.catalog()
    for kind, name in sorted(named, key=str):
        if kind in ("currency", "pricing_date", "card_power", "figure"):
            continue
        if kind == "tariff":
            known = any(item.spec.region_code == name for item in catalog.of_kind("tariff").values())
        elif kind == "tariff_schedule":
            known = name in schedules()
        else:
            known = name in catalog.of_kind(CATALOG_KINDS.get(kind, kind))
        if not known:
            path = next((path for path, _old, new in patch if new == name), patch[0][0] if patch else "")
            raise InputError(Problem(tuple(path.split("/")), "not_in_catalog", name))


def _priced_items(scenario: Scenario) -> frozenset[tuple[str, Any]]:
    """What a document needs prices of: what it names, and what follows from its choices, such as a kind of network."""
    asked = pricebook.Asked.by(scenario)
    return named_items(scenario) | {("implied", slug) for slug in asked.switches | asked.costs}


def named_items(scenario: Scenario) -> frozenset[tuple[str, Any]]:
    """What a document asks of the catalog, as (kind, name)."""
    named: set[tuple[str, Any]] = {("currency", scenario.currency), ("pricing_date", scenario.pricing_date)}
    for work in scenario.demand.workloads:
        named |= {("accelerator", work.accelerator), ("model", getattr(work, "preset", None))}
    for plan in scenario.plans:
        named |= {("build", plan.start.build if plan.start else None), ("build", plan.follow_up.build)}
        named.add(("switch", plan.fabric.switch))
        if plan.overflow:
            named |= {("accelerator", plan.overflow.accelerator), ("offer", plan.overflow.offer)}
    for site in scenario.sites:
        named |= {("tariff", site.region), ("market", site.colocation.market if site.colocation else None)}
        named.add(("tariff_schedule", site.tariff.schedule if site.tariff else None))
        named |= {("cost", step.item) for step in site.upgrades}
    named.add(("tax", scenario.operations.tax_region))
    limits = (scenario.operations.gpu_power_limit_w, *(plan.gpu_power_limit_w for plan in scenario.plans))
    if any(limit is not None for limit in limits):
        named.add(("card_power", "limited"))  # which books of earlier days do not hold
    named |= {("figure", slug) for slug in finance_rows(scenario)}  # nobody typed these: what lacks is a finding
    named |= {("build", coming.like) for coming in scenario.market.generations}
    named |= {("build", contract.build) for contract in scenario.operations.contracts}
    named |= {("cost", terms.item) for terms in scenario.operations.subscriptions}
    return frozenset(entry for entry in named if entry[1] is not None)


# ── Paths ────────────────────────────────────────────────────────────────────────────────────────────────────────────
# "plans/cloud" names an element of a list; a value of None removes it, {"@": 2, …} puts it at that place.

PLACE = "@"
LISTS = ("plans", "demand/workloads", "sites", "market/generations", "operations/contracts", "operations/subscriptions")


def put(document: dict[str, Any], path: str, value: Any) -> tuple[dict[str, Any], Any, Any]:
    """(document with the value at the path, former value, new value); InputError where the path leads nowhere."""
    parent, _, slug = path.rpartition("/")
    if parent in LISTS:
        return _put_element(document, parent, slug, value)
    keys = path.split("/")
    if keys[0] not in Scenario.model_fields:
        raise InputError(Problem(tuple(keys), "unknown_field"))
    old = get_at(document, path)
    if (value is None and keys[:2] in (["market", "own_prices"],)) or (keys[0] == "lines" and value is None):
        return _without(document, keys), old, None
    return set_at(document, path, value), old, value


def _put_element(document: dict[str, Any], parent: str, slug: str, value: Any) -> tuple[dict[str, Any], Any, Any]:
    elements = list(get_at(document, parent) or [])
    place = next((n for n, element in enumerate(elements) if element["slug"] == slug), None)
    old = None if place is None else {PLACE: place, **elements.pop(place)}
    if value is not None:
        wanted = value.get(PLACE, place if place is not None else len(elements))
        elements.insert(wanted, _without_place(value))
        value = {PLACE: min(wanted, len(elements) - 1), **_without_place(value)}
    return set_at(document, parent, elements), old, value


def _without(data: dict[str, Any], keys: list[str]) -> dict[str, Any]:
    if len(keys) == 1:
        return {key: value for key, value in data.items() if key != keys[0]}
    return {**data, keys[0]: _without(data.get(keys[0]) or {}, keys[1:])}


def _as_stored(document: dict[str, Any], path: str, value: Any) -> Any:
    """A value as the document keeps it: with its defaults, in its own types; undo compares with this."""
    stored = get_at(document, path)
    return {PLACE: value[PLACE], **stored} if isinstance(value, dict) and PLACE in value and stored else stored


def _without_place(value: Any) -> Any:
    return {key: entry for key, entry in value.items() if key != PLACE} if isinstance(value, dict) else value
