"""Rows of the page: each field with its words, unit, source and default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.dates import MONTHS
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from catalog.records import Catalog
from planner import wording
from planner.engine.evaluate import Evaluation, owed
from planner.engine.inputs import Scenario, get_at
from planner.engine.prices import PriceBook, Source
from planner.engine.quantities import InputError
from planner.forms import presets
from planner.forms.edits import LISTS
from planner.forms.fields import MONTH_NAMED, Declared, declared, own_prices, plain_value, walk
from planner.forms.typed import rounded, write
from planner.services import assumptions
from planner.wording.numbers import COUNTED

SECTIONS = ("demand", "plans", "prices", "site", "finance")
# Path of a list → its code; by section, the lists to which an element may be added.
LISTED = {path: code for code, path in LISTS.items()}
ADDABLE = {
    "prices": (("generations", gettext_lazy("Add a new generation")),),
    "site": (
        ("contracts", gettext_lazy("Add a support contract")),
        ("subscriptions", gettext_lazy("Add a licence or an assessment")),
        ("rooms", gettext_lazy("Add a room to move to")),
    ),
}
ROOM = 34  # characters in a row, without the marks beside it


def _width(text: str) -> int:
    """Width in Latin characters; a Chinese one counts twice."""
    return sum(2 if ord(letter) > 0x2E80 else 1 for letter in text)


def _younger(document: Any, path: str) -> bool:
    """Whether a document knows nothing of a group on this path: not even that it is left empty."""
    node = document
    for step in path.split("/")[:-1]:
        if isinstance(node, dict) and step not in node:
            return True
        node = get_at(node, step)
        if node is None:
            return False
    return False


@dataclass(frozen=True)
class Row:
    """One row as it stands on the page."""

    path: str
    kind: str
    label: str
    help: str
    text: str
    unit: str = ""
    placeholder: str = ""
    badge: dict[str, str] | None = None
    changed: bool = False
    default: str = ""
    options: tuple[tuple[str, str], ...] = ()
    seldom: bool = False
    optional: bool = False
    error: str = ""
    usual: tuple[presets.Preset, ...] = ()  # values to choose from

    @property
    def id(self) -> str:
        return anchor(self.path)

    @property
    def on(self) -> bool:
        return self.text == "on"

    @property
    def stacked(self) -> bool:
        """Where label and box do not fit side by side, the label stands above; a box to tick has room anywhere."""
        if self.kind in ("switch", "part"):
            return False
        box = 4 + max(self.size, 8) + 0.9 * _width(self.unit)
        return _width(self.label) > 1.7 * (ROOM - box)

    @property
    def full(self) -> bool:
        """A text, or a choice of long names, takes the whole line under its label: its end must be legible."""
        return self.kind == "text" or any(_width(words) > 14 for _value, words in self.options)

    @property
    def size(self) -> int:
        """Characters the box has room for: what stands in it is never cut off."""
        return max(6, _width(self.text) + 1, 0 if self.text else _width(self.placeholder))


@dataclass
class Group:
    """Rows under one heading; `seldom` ones are folded away."""

    path: str
    title: str
    rows: list[Row] = field(default_factory=list)
    kept: bool = False  # an element of a list that cannot be removed

    @property
    def work(self) -> str:
        """Slug of the workload whose rows these are; "" of another group."""
        return self.path.removeprefix("demand/workloads/") if self.path.startswith("demand/workloads/") else ""

    @property
    def listed(self) -> str:
        """Code of the list that the group is an element of, from which it may be removed; "" of another group."""
        return "" if self.kept else LISTED.get(self.path.rpartition("/")[0], "")

    @property
    def slug(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def often(self) -> list[Row]:
        return [row for row in self.rows if not row.seldom]

    @property
    def more(self) -> list[Row]:
        return [row for row in self.rows if row.seldom]

    @property
    def id(self) -> str:
        return anchor(self.path)


@dataclass
class Section:
    code: str
    title: str
    summary: str
    groups: list[Group]

    @property
    def lists(self) -> list[tuple[str, str]]:
        """(code, words of the button) of each list of the section to which an element may be added."""
        return [(code, str(words)) for code, words in ADDABLE.get(self.code, ())]

    @property
    def rows(self) -> Iterator[Row]:
        for group in self.groups:
            yield from group.rows


def anchor(path: str) -> str:
    """The id of a row on the page; links to an assumption end in it."""
    return "a-" + re.sub(r"[^A-Za-z0-9_.+-]", "-", path.replace("/", "--"))


class Page:
    """Everything the rows of one version need; made once per request."""

    def __init__(
        self,
        scenario: Scenario,
        evaluation: Evaluation | None,
        book: PriceBook,
        catalog: Catalog,
        first: dict[str, Any],
        begun: tuple[str, str] | None = None,
    ) -> None:
        """begun : (word, sentence) for figures that stand as in `first`; None: `first` is a template."""
        self.begun = begun or (_("template"), _("example figure of the template"))
        self.scenario, self.evaluation, self.book, self.catalog, self.first = scenario, evaluation, book, catalog, first
        self.currency = scenario.currency
        self.owed = owed(scenario, book)  # lines on by what a contract names, while their switch says nothing
        self.priced = (
            {} if evaluation is None else {each.slug: each for each in assumptions.unit_prices(scenario, evaluation)}
        )

    def sections(self) -> list[Section]:
        groups: dict[str, dict[str, Group]] = {code: {} for code in SECTIONS}
        for each in self.declared():
            group = groups[each.section].setdefault(each.group, Group(each.group, ""))
            group.rows.append(self.row(each))
        for code in SECTIONS:
            several = len(groups[code]) > 1
            for group in groups[code].values():
                group.title = self.title(group.path, several)
                group.kept = group.path == f"sites/{self.scenario.sites[0].slug}"
        return [
            Section(code, self.heading(code), self.summary(code), list(groups[code].values()))
            for code in SECTIONS
            if groups[code]
        ]

    def declared(self) -> Iterator[Declared]:
        if self.evaluation is not None:
            yield from own_prices(self.scenario, self.evaluation)
        yield from walk(self.scenario)

    def rows(self) -> dict[str, Row]:
        return {each.path: self.row(each) for each in self.declared()}

    def facts(self) -> dict[str, Any]:
        """What each row depends on: where it is the same in two versions, so is the row."""
        at_end = "" if self.evaluation is None else assumptions.demand_at_the_end(self.evaluation)
        found = {}
        for each in self.declared():
            fact = [each.value, each.choices, self.currency if each.quantity else "", each.unit, self._is_owed(each)]
            if each.group == "own_prices":
                fact.append(self.priced[each.name])
            elif each.kind == "number" and each.value is None:
                fact.append(assumptions.effective(self.scenario, self.book, each.path))
            elif each.kind == "item":
                fact.append(assumptions.narrowed_by(self.scenario, each.path))
            if each.path == presets.PATH:
                fact.append(self.scenario.finance.inflation_per_year)
            if "/growth/" in each.path:
                fact.append(at_end)
            if each.quantity is not None and each.quantity.unit.startswith("driver"):
                fact.append(self._unit(each))
            found[each.path] = fact
        return found

    def row_at(self, path: str, text: str = "", error: str = "") -> Row | None:
        """One row, with what was typed and what is wrong with it."""
        try:
            row = self.row(declared(self.scenario, path, self.evaluation))
        except InputError:
            return None
        if not error:
            return row
        return replace(row, text=text, error=error)

    def heading(self, code: str) -> str:
        return wording.section({"prices": "market"}.get(code, code))

    def title(self, path: str, several: bool) -> str:
        if path in ("demand", "market"):
            return _("All workloads") if path == "demand" else _("Price changes and resale") if several else ""
        if path == "own_prices":
            return _("Unit prices")
        if path in ("operations", "reliability", "procurement", "lines"):
            return wording.section(path)
        if path == "finance":
            return ""
        name = wording.owner(path, self.scenario, self.book)
        if path.startswith("market/generations/"):
            return name
        if path.startswith("operations/contracts/"):
            return _("Support contract: {name}").format(name=name)
        if path.startswith("operations/subscriptions/"):
            return _("Licence or assessment: {name}").format(name=name)
        return _("Possible upgrade: {item}").format(item=name) if "/upgrades/" in path else name

    def row(self, each: Declared) -> Row:
        own_price = each.group == "own_prices"
        shown, badge, note = self._shown(each)
        former, known = self._default(each)
        changed = known and former != plain_value(each.value)
        label, help_text = self._words(each)
        if self._is_owed(each):
            label, shown = _("{line}, on by the contract").format(line=label), True
        row = Row(
            path=each.path,
            kind=each.kind,
            label=label,
            help=help_text + self._facts(each, note),
            text=write(each, shown),
            unit=self._unit_of(each, shown),
            badge=badge,
            changed=changed,
            placeholder=str(wording.empty_text(each.path, self.scenario))
            or (_("no quote") if own_price else _("automatic"))
            if each.optional
            else str(wording.empty_text(each.path, self.scenario))
            if each.kind in ("list", "table")
            else "",
            default=self._default_text(each, former) if changed else "",
            options=self._options(each),
            seldom=each.seldom,
            optional=each.optional,
            usual=tuple(presets.presets(self.scenario)) if each.path == presets.PATH else (),
        )
        return row

    def _is_owed(self, each: Declared) -> bool:
        return each.owner == "Scenario.lines" and each.path.removeprefix("lines/") in self.owed

    # what a row says

    def _words(self, each: Declared) -> tuple[str, str]:
        if each.group == "own_prices":
            return self.priced[each.name].name, _(
                "Price of today; what you type replaces the catalog's, an empty field takes it back."
            )
        label = wording.label(each.path, self.scenario)
        if each.name == "by_year":  # there are six of them in a row
            label = _("{owner}: year by year").format(owner=wording.label(each.path.rpartition("/")[0], self.scenario))
        return label, wording.help_text(each.path, self.scenario)

    def _shown(self, each: Declared) -> tuple[Any, dict[str, str] | None, str]:
        """(value in the box, badge, note on its source): an empty field shows what holds instead."""
        if each.group == "own_prices":
            priced = self.priced[each.name]
            amount = each.value if each.value is not None else priced.amount
            if each.value is None and amount is not None:
                amount = rounded(amount / each.times) * each.times
            badge = self._template(each) or self._price_badge(each, priced)
            return (None if amount is None else amount / each.times), badge, badge["text"]
        if each.kind != "number":
            return each.value, None, ""
        quantity = each.quantity
        assert quantity is not None
        if each.value is None:
            stands_in = assumptions.effective(self.scenario, self.book, each.path)
            if stands_in is None:
                return None, None, ""
            value, source = stands_in
            badge = wording.source(source)
            return rounded(value), badge, badge["text"]
        usual = presets.chosen(self.scenario) if each.path == presets.PATH else None
        if usual is not None:
            badge = wording.source(usual.source)
            return each.value, {**badge, "text": usual.note}, usual.names
        same = each.default is not None and each.value == each.default
        if (not same or quantity.basis == "choice") and (begun := self._template(each)):
            return each.value, begun, begun["text"]
        basis = quantity.basis if same and quantity.basis != "choice" else "own"
        link = quantity.source if quantity.source.startswith("http") else ""
        badge = wording.source(Source(basis=basis, url=link if basis != "own" else ""))  # type: ignore[arg-type]
        return each.value, badge, badge["text"]

    def _template(self, each: Declared) -> dict[str, Any] | None:
        """Badge of a figure that stands as the scenario began with it: nobody has entered it."""
        if each.value is None or get_at(self.first, each.path) != plain_value(each.value):
            return None
        word, text = self.begun
        return {"badge": "template", "word": word, "text": text, "url": ""}

    def _price_badge(self, each: Declared, priced: assumptions.Priced) -> dict[str, Any]:
        if each.value is not None:
            return wording.source(Source(basis="own"))
        if priced.source is None:
            return {"badge": "none", "word": _("no quote"), "text": "", "url": ""}
        return wording.source(priced.source, self.scenario.pricing_date, self.scenario.market.stale_after_days)

    def _default(self, each: Declared) -> tuple[Any, bool]:
        """(value the scenario began with, whether there was one)."""
        if each.kind == "part":
            parent = get_at(self.first, each.path.rpartition("/")[0])
            return (get_at(self.first, each.path) is not None), parent is not None
        if each.group == "own_prices":
            return get_at(self.first, each.path), True
        if each.owner == "Scenario.lines":
            was = get_at(self.first, each.path)
            return (each.default if was is None else was), True
        parent = get_at(self.first, each.path.rpartition("/")[0]) if "/" in each.path else self.first
        if parent is None:  # a group that is younger than the document began with its defaults
            return (plain_value(each.default), True) if _younger(self.first, each.path) else (None, False)
        return (parent.get(each.name), True) if each.name in parent else (plain_value(each.default), True)

    def _default_text(self, each: Declared, former: Any) -> str:
        if each.name in MONTH_NAMED and former in MONTHS:
            return str(MONTHS[former])
        if each.kind in ("choice", "item", "switch", "part"):
            return wording.choice(each.path, former) if each.kind != "part" else wording.choice("", bool(former))
        if former is None:
            return wording.empty_text(each.path, self.scenario) or _("automatic")
        unit = self._unit_of(each, former)
        return write(each, former / each.times if each.times != 1.0 else former) + ("\u00a0" + unit if unit else "")

    def _unit_of(self, each: Declared, value: Any) -> str:
        """The unit beside a value: one server, two servers."""
        code = each.quantity.unit if each.quantity is not None and not each.unit else ""
        if value == 1 and each.kind == "number" and code in COUNTED and not wording.chinese():
            return COUNTED[code](1)
        return self._unit(each)

    def _unit(self, each: Declared) -> str:
        if each.unit:
            return wording.unit(each.unit, self.currency)
        if each.quantity is None or each.kind not in ("number", "list"):
            return ""
        work = None
        if each.group.startswith("demand/workloads/"):
            slug = each.group.rpartition("/")[2]
            work = next((work for work in self.scenario.demand.workloads if work.slug == slug), None)
        return wording.unit(each.quantity.unit, self.currency, work)

    def _facts(self, each: Declared, note: str) -> str:
        facts = []
        if each.quantity is not None and each.kind == "number":
            code = each.quantity.unit if not each.unit else each.unit
            bounds = wording.bounds(
                each.quantity.low, each.quantity.high, code if not code.startswith("driver") else "1", self.currency
            )
            facts.append(_("Bounds: {bounds}.").format(bounds=bounds))
        if each.kind == "number" and note:
            facts.append(_("Source: {source}.").format(source=note))
        if (
            each.path.endswith(("growth/rate_per_month", "growth/ceiling", "growth/per_month"))
            and self.evaluation is not None
        ):
            facts.append(assumptions.demand_at_the_end(self.evaluation))
        gap = "" if wording.chinese() else " "
        return "".join(gap + fact for fact in facts)

    def _options(self, each: Declared) -> tuple[tuple[str, str], ...]:
        if each.kind == "choice":
            named = MONTHS if each.name in MONTH_NAMED else {}
            listed = [
                (str(value), str(named[value]) if named else wording.choice(each.path, value)) for value in each.choices
            ]
        elif each.kind == "item":
            listed = assumptions.items(self.catalog, self.scenario, each.path, each.catalog_kind)
            if each.value is not None and each.value not in dict(listed):
                listed = [(each.value, wording.item(each.value, self.book)), *listed]
        elif each.kind == "currency":
            listed = [(code, code) for code in assumptions.currencies(self.catalog, self.currency)]
        else:
            return ()
        if each.optional:
            listed = [("", str(wording.empty_text(each.path, self.scenario)) or _("automatic")), *listed]
        return tuple(listed)

    def value_text(self, path: str, value: Any) -> str:
        """A value at a path in words: "5 % / mo"; what has no row is named by its parts."""
        try:
            each = declared(self.scenario, path, self.evaluation)
        except InputError:
            return (
                _("removed")
                if value is None
                else str(value.get("kind") or value.get("slug") or "…")
                if isinstance(value, dict)
                else str(value)
            )
        if each.name in MONTH_NAMED and value in MONTHS:
            return str(MONTHS[value])
        if each.kind in ("choice", "item", "switch"):
            return wording.choice(path, value) if value is not None else str(wording.empty_text(path, self.scenario))
        if each.kind == "part":
            return wording.choice("", value is not None and value is not False)
        if value is None:
            return str(wording.empty_text(path, self.scenario)) or _("automatic")
        unit = self._unit(each)
        return write(each, value / each.times if each.times != 1.0 else value) + ("\u00a0" + unit if unit else "")

    # one line a section, for when it is folded

    def summary(self, code: str) -> str:
        scenario = self.scenario
        if code == "demand":
            return assumptions.peak_demand(self.evaluation) if self.evaluation is not None else ""
        if code == "plans":
            return wording.number(len(scenario.plans))
        if code == "prices":
            return _("quotes on {date}").format(date=wording.date(scenario.pricing_date))
        if code == "site":
            site = scenario.sites[0]
            parts = [wording.choice("site/kind", site.kind)]
            if site.power_kw is not None:
                parts.append(_("{kw} kW power").format(kw=wording.number(site.power_kw)))
            if site.cooling_kw is not None:
                parts.append(_("{kw} kW cooling").format(kw=wording.number(site.cooling_kw)))
            return _(", ").join(parts)
        return ngettext("{rate} a year, {months} month", "{rate} a year, {months} months", scenario.months).format(
            rate=wording.percent(scenario.finance.discount_rate), months=scenario.months
        )
