"""A workload typed into one form, whole: what stands in an address becomes a document, its rows, and an address again.

The rows are those of the workspace, generated from the declarations; a name in the address is the path of the field
inside the workload, or the field of the scenario.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from catalog.records import Catalog
from planner import wording
from planner.engine.inputs import Scenario, get_at, set_at
from planner.engine.prices import content_hash
from planner.engine.quantities import InputError, Problem
from planner.forms.edits import changes
from planner.forms.fields import MAX_TYPED, Declared, declared, walk
from planner.forms.rows import Page, Row
from planner.forms.typed import read
from planner.services import assumptions, sizing

# Fields of the scenario that say something about a workload alone, after those of the workload.
AROUND = ("operations/gpu_power_limit_w", "currency", "pricing_date", "months")
LIKE = "like"  # the model that a model by hand began with


class Draft:
    """One workload as it was typed.

    scenario : the document; where an entry is refused, it keeps the value of the base.
    begun    : the document with the fields there are, before the entries: what "changed" is measured by.
    problems : by path, what is wrong with an entry; by "" what is wrong with all of them.
    """

    def __init__(
        self, base: dict[str, Any], given: Mapping[str, str], catalog: Catalog, *, stored: bool = False
    ) -> None:
        """stored : whether the base is a scenario that was saved."""
        self.base, self.catalog, self.stored = base, catalog, stored
        work = base["demand"]["workloads"][0]
        self.kind, self.path = str(work["kind"]), f"demand/workloads/{work['slug']}"
        self.like = ""
        self.without = ""  # path of the model where the work has none, and a measured rate must do
        self.problems: dict[str, list[Problem]] = {}
        self.typed: dict[str, str] = {}
        self.begun = self.document = self._shaped(base, given)
        self.scenario = Scenario.read(self.document)
        self._read(given)

    # ── reading ──

    def _shaped(self, document: dict[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
        """The document with the fields the entries need: those of another growth curve, of a model by hand."""
        kind = given.get("growth/kind")
        path = f"{self.path}/growth/kind"
        if kind is not None and kind != get_at(document, path):
            scenario = Scenario.read(document)
            try:
                field = declared(scenario, path)
                for where, value in changes(scenario, field, read(field, kind), self.base, self.catalog):
                    document = set_at(document, where, value)
            except InputError as error:
                self._note(error)
        preset, shape = sizing.preset_field(self.kind), sizing.shape_field(self.kind)
        if not preset or not shape:
            return document
        former = get_at(document, f"{self.path}/{preset}") or ""
        chosen = given.get(preset, former)
        by_hand = get_at(document, f"{self.path}/{shape}")
        if chosen and chosen != former:
            return set_at(document, f"{self.path}/{shape}", None)
        if not chosen:
            self.like = given.get(LIKE, former)
            by_hand = sizing.following(by_hand) if by_hand else sizing.shape_of(self.like, self.catalog)
            document = set_at(document, f"{self.path}/{shape}", by_hand)
            self.without = f"{self.path}/{shape}" if given.get(shape) == "off" else ""
            return set_at(document, f"{self.path}/{preset}", None)
        return document

    def _read(self, given: Mapping[str, str]) -> None:
        for each in self.declared():
            name = self.name(each.path)
            if name not in given or name == "growth/kind" or each.kind == "part":
                continue
            if self.without and each.path.startswith(self.without):
                continue
            self.typed[each.path] = given[name][:MAX_TYPED]
            try:
                self.document = set_at(self.document, each.path, self._value(each, given[name]))
            except InputError as error:
                self._note(error, each.path)
        if self.without:
            self.document = set_at(self.document, self.without, None)
        if self.problems:
            return
        try:
            self.scenario = Scenario.read(self.document)
        except InputError as error:
            self._note(error)

    def _value(self, each: Declared, text: str) -> Any:
        value = read(each, text)
        known: list[str] | None = None
        if each.kind == "item" and value is not None and value != each.value:
            known = [slug for slug, _name in self._items(each)]
        elif each.kind == "currency":
            known = assumptions.currencies(self.catalog, self.scenario.currency)
        if known is not None and value not in known:
            raise InputError(Problem(tuple(each.path.split("/")), "not_in_catalog", value))
        return value

    def _items(self, each: Declared) -> list[tuple[str, str]]:
        return assumptions.items(self.catalog, self.scenario, each.path, each.catalog_kind)

    def _note(self, error: InputError, path: str = "") -> None:
        paths = {each.path for each in self.declared()} if not path and hasattr(self, "scenario") else set()
        for problem in error.problems:
            where = "/".join(problem.path)
            at = path or next((known for known in sorted(paths, key=len) if where.startswith(known)), self.without)
            self.problems.setdefault(at, []).append(problem)

    # ── what the page shows ──

    @property
    def valid(self) -> bool:
        return not self.problems

    def name(self, path: str) -> str:
        """The name of a field in the form and in the address."""
        return path.removeprefix(self.path + "/")

    def declared(self) -> list[Declared]:
        """The fields of the form, in their order."""
        preset = sizing.preset_field(self.kind)
        chosen = bool(preset) and get_at(self.document, f"{self.path}/{preset}") is not None
        found = [each for each in walk(self.scenario) if each.group == self.path]
        found = [each for each in found if not (chosen and each.kind == "part")]  # to choose none is to go by hand
        around = {each.path: each for each in walk(self.scenario) if each.path in AROUND}
        return found + [around[path] for path in AROUND]

    def rows(self) -> tuple[list[Row], list[Row], list[Row]]:
        """(rows of the workload, seldom ones, those around it), each with what was typed and what is wrong with it."""
        return self._rows

    @cached_property
    def _rows(self) -> tuple[list[Row], list[Row], list[Row]]:
        book = sizing.book_for(self.scenario, self.catalog)
        begun = (_("example"), _("an example to begin with"))
        if self.stored:
            begun = (_("scenario"), _("figure of the scenario"))
        page = Page(self.scenario, None, book, self.catalog, self.begun, begun)
        often, seldom, around = list[Row](), list[Row](), list[Row]()
        for each in self.declared():
            row = page.row(each)
            if each.path == self.without:
                row = replace(row, text="")
            error = self._said(self.problems.get(each.path, []))
            if error:
                row = replace(row, text=self.typed.get(each.path, row.text), error=error)
            (around if each.path in AROUND else seldom if row.seldom and not error else often).append(row)
        return often, seldom, around

    def refusal(self) -> str:
        """What is wrong with no one entry."""
        return self._said(self.problems.get("", []))

    def _said(self, problems: list[Problem]) -> str:
        told = [wording.problem(each.as_dict(), self.scenario.currency, self.scenario) for each in problems]
        return " ".join(told)

    def model_now(self) -> str:
        """The model of the catalog that stands in the form, or with which the one by hand began."""
        preset = sizing.preset_field(self.kind)
        return self.like or (get_at(self.document, f"{self.path}/{preset}") or "" if preset else "")

    def shape(self) -> str:
        """A mark of the fields there are: another one, and the form must be drawn anew."""
        return content_hash([each.path for each in self.declared()])[:12]

    def query(self, **more: str) -> str:
        """The address that shows the same: what differs from the base, and what is not empty of `more`."""
        return urlencode({**self._differing, **{name: value for name, value in more.items() if value}})

    @cached_property
    def _differing(self) -> dict[str, str]:
        """The entries that differ from the base, by their names; those that decide which rows there are first."""
        shape, here = self._structure(), self.texts()
        before = Draft(self.base, {}, self.catalog).texts()
        start = Draft(self.base, shape, self.catalog).texts() if shape.items() - before.items() else before
        said = {"kind": self.kind, **{name: text for name, text in shape.items() if before.get(name) != text}}
        return said | {name: text for name, text in here.items() if name not in shape and start.get(name) != text}

    def _structure(self) -> dict[str, str]:
        """The entries that decide which rows there are."""
        texts = self.texts()
        shape = {name: texts[name] for name in ("growth/kind", sizing.preset_field(self.kind)) if name in texts}
        without = {self.name(self.without): "off"} if self.without else {}
        return shape | ({LIKE: self.like} if self.like else {}) | without

    def texts(self) -> dict[str, str]:
        """What stands in each field, by its name."""
        rows = [row for rows in self.rows() for row in rows]
        return {self.name(row.path): row.text or ("off" if row.kind in ("switch", "part") else "") for row in rows}
