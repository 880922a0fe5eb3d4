"""A budget typed into one form, whole: what stands in an address becomes a document, its rows, and an address again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from catalog.records import Catalog
from planner import wording
from planner.engine.budget import Budget
from planner.engine.inputs import Scenario, set_at
from planner.engine.quantities import InputError, Problem
from planner.forms.fields import MAX_TYPED, Declared, fields_of, walk
from planner.forms.money import read_money
from planner.forms.rows import Page, Row
from planner.forms.typed import read
from planner.services import assumptions, budget

AMOUNT = "budget/amount"
POOL, ROOM = f"demand/workloads/{budget.POOL}", f"sites/{budget.ROOM}"
# Name in the address → path: what is asked first, what is seldom changed, and what only a room of one's own has.
OFTEN = {
    "amount": AMOUNT,
    "currency": "currency",
    "covers": "budget/covers",
    "use": "budget/use",
    "model": "budget/model",
    "reference": f"{POOL}/accelerator",
}
SELDOM = {"utilisation": f"{POOL}/target_utilisation", "months": "months", "used": "budget/used"}
PLACE = {"region": f"{ROOM}/region", "room": f"{ROOM}/kind"}
PLACE_SELDOM = {
    "power": f"{ROOM}/power_kw",
    "cooling": f"{ROOM}/cooling_kw",
    "hall": f"{ROOM}/colocation/market",
    "day": "pricing_date",
}
FIRST = ("region", "room", "currency")  # what others depend on


class BudgetForm:
    """A budget as it was typed.

    scenario, budget : what is asked; where an entry is refused, they keep the values of the base.
    problems : by path, what is wrong with an entry; by "" what is wrong with all of them.
    """

    def __init__(
        self,
        base: tuple[dict[str, Any], dict[str, Any]],
        given: Mapping[str, str],
        catalog: Catalog,
        *,
        stored: bool = False,
    ) -> None:
        """base   : (document, budget) to begin with.
        stored : whether the document is that of a scenario, whose rooms and dates stay as they are.
        """
        self.catalog, self.stored, self.given = catalog, stored, given
        often = {name: path for name, path in OFTEN.items() if not (stored and name == "currency")}
        self.paths = {**often, **({} if stored else PLACE), **SELDOM, **({} if stored else PLACE_SELDOM)}
        self.names = {path: name for name, path in self.paths.items()}
        document, asked = base
        self.document: dict[str, Any] = {**document, "budget": asked}
        self.problems: dict[str, list[Problem]] = {}
        self.typed: dict[str, str] = {}
        self._read(FIRST)
        if not stored:
            self.document = {**self.document, **budget.settled(self._plain(), catalog)}
        self.begun = self.document
        self._read(tuple(name for name in self.paths if name not in FIRST))
        self.scenario, self.budget = Scenario.read(self._plain()), Budget.read(self.document["budget"])

    def _plain(self) -> dict[str, Any]:
        return {name: value for name, value in self.document.items() if name != "budget"}

    # ── reading ──

    def _read(self, names: tuple[str, ...]) -> None:
        """Take over the entries of some fields; one that is refused leaves the value as it was."""
        for name in names:
            if name not in self.paths or name not in self.given:
                continue
            each = self._declared().get(self.paths[name])
            if each is None:  # a field of another kind of room
                continue
            text = self.given[name][:MAX_TYPED]
            self.typed[each.path] = text
            try:
                value = self._value(each, text)  # which may change the currency
                wanted = set_at(self.document, each.path, value)
                Scenario.read({key: value for key, value in wanted.items() if key != "budget"})
                Budget.read(wanted["budget"])
            except InputError as error:
                self.problems.setdefault(each.path, []).extend(error.problems)
            else:
                self.document = wanted

    def _value(self, each: Declared, text: str) -> Any:
        if each.path == AMOUNT:
            return self._amount(each, text)
        if each.kind == "currency":
            value: Any = text.strip().upper()
            known: list[str] | None = assumptions.currencies(self.catalog, self.document["currency"])
        else:
            value = read(each, text)
            known = None
            if each.kind == "item" and value is not None:
                scenario = Scenario.read(self._plain())
                known = [
                    slug for slug, _name in assumptions.items(self.catalog, scenario, each.path, each.catalog_kind)
                ]
        if known is not None and value not in known:
            raise InputError(Problem(tuple(each.path.split("/")), "not_in_catalog", value))
        return value

    def _amount(self, each: Declared, text: str) -> float:
        """The amount; the currency that is typed beside it becomes that of the page."""
        path, quantity = tuple(each.path.split("/")), each.quantity
        assert quantity is not None
        bounds = (quantity.low, quantity.high, quantity.unit)
        if not text.strip():
            raise InputError(Problem(path, "missing"))
        try:
            amount, currency = read_money(text, self.document["currency"])
        except ValueError:
            raise InputError(Problem(path, "not_a_number", text.strip()[:80], *bounds)) from None
        if not quantity.low <= amount <= quantity.high:
            raise InputError(Problem(path, "out_of_bounds", amount, *bounds))
        if currency != self.document["currency"]:
            if self.stored:  # what the scenario says in money is in its own currency
                choices = (self.document["currency"],)
                raise InputError(Problem(path, "not_a_choice", currency, choices=choices))
            if currency not in assumptions.currencies(self.catalog, self.document["currency"]):
                raise InputError(Problem(("currency",), "not_in_catalog", currency))
            self.document = {**self.document, "currency": currency}
            self.typed["currency"] = currency
        return amount

    def _declared(self) -> dict[str, Declared]:
        """The fields of the form that there are, by path."""
        scenario, asked = Scenario.read(self._plain()), Budget.read(self.document["budget"])
        found = {each.path: each for each in (*fields_of(asked, "budget"), *walk(scenario))}
        return {path: found[path] for path in self.paths.values() if path in found}

    # ── what the page shows ──

    @property
    def valid(self) -> bool:
        return not self.problems

    @cached_property
    def rows(self) -> tuple[list[Row], list[Row]]:
        """(rows of what is asked, seldom ones), each with what was typed and what is wrong with it."""
        begun = (
            (_("scenario"), _("figure of the scenario"))
            if self.stored
            else (_("example"), _("an example to begin with"))
        )
        book = budget.book_for(self.scenario, self.catalog)
        page = Page(self.scenario, None, book, self.catalog, self.begun, begun)
        often, seldom = list[Row](), list[Row]()
        first = {*OFTEN.values(), *PLACE.values()}
        for path, each in self._declared().items():
            row = replace(page.row(each), changed=False)
            error = self.said(self.problems.get(path, []))
            if error:
                row = replace(row, text=self.typed.get(path, row.text), error=error)
            (often if path in first or error else seldom).append(row)
        return often, seldom

    @property
    def seldom_names(self) -> list[str]:
        """Names of the seldom fields in the address."""
        return [self.names[row.path] for row in self.rows[1]]

    def said(self, problems: list[Problem]) -> str:
        told = [wording.problem(each.as_dict(), self.scenario.currency, self.scenario) for each in problems]
        return " ".join(told)

    def refusal(self) -> str:
        """Every refused entry, sentence after sentence."""
        return " ".join(self.said(problems) for problems in self.problems.values())

    def query(self, **more: str) -> str:
        """The address that shows the same: what was typed, and what is not empty of `more`."""
        said = {name: text for name, path in self.paths.items() if (text := self._text(path)) is not None}
        return urlencode({**said, **{name: value for name, value in more.items() if value}})

    def _text(self, path: str) -> str | None:
        """What stands in a field that was typed; None of one that was not."""
        if path not in self.typed:
            return None
        rows = {row.path: row for rows in self.rows for row in rows}
        if path in self.problems or path not in rows:
            return self.typed[path]
        return rows[path].text or ("off" if rows[path].kind == "switch" else "")
