"""Nodes of a tree, and the plan whose figures it explains."""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.engine.compare import Comparison
from planner.engine.inputs import get_at
from planner.engine.lines import Line, round_half_up
from planner.engine.prices import Source
from planner.engine.result import Evaluation, PlanResult

Node = dict[str, Any]


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, related ones included."""
    yield node
    for child in (*node["children"], *node["related"]):
        yield from walk(child)


def make_node(
    key: str,
    label: str,
    value: float | None,
    text: str,
    *,
    unit: str = "",
    formula: str = "",
    combine: str = "",
    children: Iterable[Node] = (),
    related: Iterable[Node] = (),
    months: Iterable[dict[str, Any]] = (),
    source: Any = None,
    drivers: Iterable[dict[str, str]] = (),
    expression: str = "",
    inputs: dict[str, float] | None = None,
    columns: Iterable[str] = (),
) -> Node:
    return {
        "key": key,
        "label": label,
        "value": value,
        "value_text": text,
        "unit": unit,
        "formula_text": formula,
        "combine": combine,
        "expression": expression,
        "inputs": inputs or {},
        "children": list(children),
        "related": list(related),
        "months": list(months),
        "columns": list(columns),
        "source": source,
        "drivers": list(drivers),
    }


@dataclass
class Subject:
    """The plan that is explained, in its evaluation; makes the nodes that have a number for a value."""

    evaluation: Evaluation
    comparison: Comparison
    plan: PlanResult
    day: dt.date  # on which quotes must hold to count as valid
    against: PlanResult | None = None  # the plan to compare with, where it is not the one that the verdict names
    category: str = ""  # of the lines that are explained, or their kind; "" is all
    window: slice | None = None  # the months that are explained; None is all

    def __post_init__(self) -> None:
        self.scenario, self.book = self.evaluation.scenario, self.evaluation.book
        self.calendar, self.currency = self.evaluation.calendar, self.scenario.currency
        self.document = self.scenario.model_dump(mode="json")
        self.names = wording.plan_names(self.scenario, self.book)

    @property
    def partial(self) -> bool:
        return bool(self.category) or self.window is not None

    def takes(self, line: Line) -> bool:
        """Whether a line is among those that are explained."""
        if self.category not in ("", line.category):
            return False
        return self.window is None or bool(line.minor[self.window].any())

    def named(self, label: str) -> str:
        """A figure with the part of it that is explained: its category, its months."""
        parts = [label, wording.category(self.category) if self.category else ""]
        if self.window is not None:
            first, last = self.window.start, self.window.stop - 1
            months = [self.month(m) for m in ((first,) if first == last else (first, last))]
            parts.append("–".join(months))
        return " · ".join(part for part in parts if part)

    def money(self, key: str, label: str, value: float | None, **more: Any) -> Node:
        text = gettext("not known") if value is None else wording.money(value, self.currency)
        return make_node(key, label, value, text, unit=self.currency, **more)

    def figure(self, key: str, label: str, value: float | None, unit: str = "1", **more: Any) -> Node:
        text = gettext("not known") if value is None else wording.quantity(float(value), unit, self.currency)
        return make_node(key, label, value, text, unit=wording.unit(unit, self.currency), **more)

    def drivers(self, paths: Iterable[str]) -> list[dict[str, str]]:
        """The assumptions behind a figure, each a link to its field."""
        found = []
        for path in dict.fromkeys(paths):
            if wording.locate(path, self.document) is None:
                continue
            value = get_at(self.document, path)
            found.append(
                {
                    "path": path,
                    "label": self._driver_label(path),
                    "value_text": wording.value_text(path, value, self.currency, self.document),
                }
            )
        return found

    def _driver_label(self, path: str) -> str:
        head, _slash, slug = path.rpartition("/")
        if head == "market/own_prices":
            return gettext("Own price of {item}").format(item=wording.item(slug, self.book))
        return wording.label(path, self.document)

    def source(self, source: Source) -> dict[str, Any]:
        """A source in words, with a note where it is too old."""
        return wording.source(source, self.book.pricing_date, self.scenario.market.stale_after_days)

    def month(self, m: int) -> str:
        return wording.month_label(self.calendar, m)

    def counted(self, amount: float, unit: str, month: int | None = None) -> str:
        """A quantity with its unit; where the month is known, hours of several apart from their number."""
        hours = None if month is None else float(self.calendar.hours[month])
        return wording.counted(amount, unit, self.currency, hours)


def cents(value: float, decimals: int) -> float:
    return float(round_half_up(np.asarray(value), decimals)) / 10.0**decimals
