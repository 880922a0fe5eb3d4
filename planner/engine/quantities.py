"""Declares a parameter once; form, bounds, help, JSON Schema, CLI and comparison read the declaration.

A parameter is a pydantic field annotated with `Quantity`. Its bounds refuse a value; its P10-P90 range says how
uncertain it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_args

import annotated_types
from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, ValidationError, model_serializer
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

# Fractions inside, per cent on every surface: 0.05 is shown and typed as 5 %.
SHARE_UNITS = frozenset({"share", "share/month", "share/year"})


@dataclass(frozen=True)
class Quantity(annotated_types.GroupedMetadata):
    """Unit, bounds, uncertainty and origin of a parameter.

    unit    : code of the unit; `money` means the scenario's currency.
    low/high: bounds, inclusive; a value outside is refused.
    p10/p90 : range of the uncertainty, used by sweeps and futures; None where the value is a choice, not a guess.
    basis   : where the default comes from: "sourced", "market", "estimate", or "choice" (the user's own to make).
    source  : publication or address of the default.
    """

    unit: str
    low: float
    high: float
    p10: float | None = None
    p90: float | None = None
    basis: str = "choice"
    source: str = ""

    def __iter__(self) -> Iterator[annotated_types.BaseMetadata]:
        yield annotated_types.Ge(self.low)
        yield annotated_types.Le(self.high)

    @property
    def is_share(self) -> bool:
        """True where people read and type per cent."""
        return self.unit in SHARE_UNITS


@dataclass(frozen=True)
class Choice:
    """Marks a text field as a choice from the catalog: the kind of item it names."""

    kind: str


@dataclass(frozen=True)
class Problem:
    """One thing wrong with an input: where, what, and the bound that it breaks."""

    path: tuple[str, ...]
    code: (
        str  # out_of_bounds · not_a_number · missing · unknown_field · not_a_choice · too_long · bad_format · conflict
        # · not_whole · unclear_list · bad_point
    )
    value: Any = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    choices: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        shown = self.value if isinstance(self.value, (int, float, bool, str)) or self.value is None else str(self.value)
        if isinstance(shown, float) and not math.isfinite(shown):
            shown = str(shown)
        if isinstance(shown, str) and len(shown) > 80:
            shown = shown[:77] + "…"
        return {
            "field": "/".join(self.path),
            "code": self.code,
            "value": shown,
            "low": self.low,
            "high": self.high,
            "unit": self.unit,
            "choices": list(self.choices),
        }


class InputError(ValueError):
    """A document that cannot be computed: every problem, each with field, value, bound and unit."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__("; ".join(_technical(problem) for problem in problems))


def _technical(problem: Problem) -> str:
    fact = problem.as_dict()
    unit = "" if fact["unit"] in ("", "1") else f" {fact['unit']}"
    told = ""
    if fact["low"] is not None and fact["high"] is not None:
        told = f" (bounds {fact['low']}–{fact['high']}{unit})"
    elif fact["low"] is not None:
        told = f" (at least {fact['low']:g}{unit})"
    elif problem.code == "not_positive":
        told = f" (above 0{unit})"
    elif problem.code in ("not_a_number", "not_whole"):
        told = f" ({'a number' if problem.code == 'not_a_number' else 'whole'}{f', in{unit}' if unit else ''})"
    choices = f" (one of {', '.join(problem.choices)})" if problem.choices else ""
    got = "" if problem.code == "missing" else f", got {fact['value']!r}"
    return f"{fact['field'] or 'document'}: {problem.code}{got}{told}{choices}"


class Document(BaseModel):
    """A frozen piece of a scenario or price book: unknown keys, NaN and infinity are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=False)

    @classmethod
    def read(cls, data: Any) -> Self:
        """Validate plain data; raises InputError naming every bad field."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            # pydantic calls a list too short when its elements failed; those have their own entries
            details = [
                detail
                for detail in error.errors(include_url=False)
                if detail["type"] != "too_short" or not detail.get("input")
            ]
            raise InputError(*(_problem(cls, data, detail) for detail in details)) from None


class Grown(Document):
    """A document whose later fields are written only where they say something: what was stored keeps its hash."""

    LATER: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _as_before(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = write(self)
        unsaid = {name for name in self.LATER if getattr(self, name) == type(self).model_fields[name].default}
        return {name: value for name, value in data.items() if name not in unsaid}


def conflict(path: str, reason: str) -> PydanticCustomError:
    """What a validator raises where fields contradict each other; `path` names the field to look at."""
    return PydanticCustomError("conflict", "{reason}", {"path": path, "reason": reason})


def quantity_of(field: FieldInfo) -> Quantity | None:
    """The declaration of a field, or None where it is no quantity."""
    return next((item for item in field.metadata if isinstance(item, Quantity)), None)


_CODES = {
    "missing": "missing",
    "extra_forbidden": "unknown_field",
    "string_too_long": "too_long",
    "too_long": "too_long",
    "too_short": "missing",
    "literal_error": "not_a_choice",
    "enum": "not_a_choice",
    "union_tag_invalid": "not_a_choice",
    "union_tag_not_found": "missing",
    "greater_than_equal": "out_of_bounds",
    "less_than_equal": "out_of_bounds",
    "finite_number": "not_a_number",
    "float_parsing": "not_a_number",
    "float_type": "not_a_number",
    "int_parsing": "not_a_number",
    "int_type": "not_a_number",
    "int_from_float": "not_whole",
    "string_pattern_mismatch": "bad_format",
    "value_error": "conflict",
    "conflict": "conflict",
    "unknown_field": "unknown_field",
}


def _problem(model: type[BaseModel], data: Any, detail: ErrorDetails) -> Problem:
    """Translate one pydantic error; list positions become the slug of the element, tags of unions are dropped."""
    path: list[str] = []
    node: Any = data
    quantity: Quantity | None = None
    where: Any = model
    for step in (*detail["loc"], *detail.get("ctx", {}).get("path", "").split("/")):
        if step in ("", "[key]"):
            continue  # no key of a document: what pydantic calls the key of a dict
        if isinstance(step, int) and isinstance(node, (list, tuple)):
            node = node[step] if step < len(node) else None
            path.append(str(node["slug"]) if isinstance(node, dict) and "slug" in node else str(step))
        elif isinstance(node, dict) and node.get("kind") == step and (step not in node or _is_tag(where, step)):
            where = model_in(where, tag=step)  # the tag of a union, not a key
        else:
            path.append(str(step))
            node = node.get(step) if isinstance(node, dict) else None
            fields = getattr(model_in(where), "model_fields", {})
            field = fields.get(str(step))
            if field is not None:
                quantity = quantity_of(field) or _quantity_in(field.annotation)
            elif model_in(where) is not None:
                quantity = None
            where = field.annotation if field is not None else None
    choices = str(detail.get("ctx", {}).get("expected", "")).replace("'", "").replace(" or ", ", ")
    code = _CODES.get(detail["type"], "bad_format")
    if code == "out_of_bounds" and quantity is None:
        quantity = _bounds_in(detail)
    value = detail.get("input")
    context = detail.get("ctx", {})
    if code == "too_long" and "max_length" in context:
        listed = not isinstance(value, str)
        value = context.get("actual_length", value) if listed else value
        quantity = Quantity("entry" if listed else "character", 0, context["max_length"])
    return Problem(
        path=tuple(path),
        code=code,
        value=value,
        low=quantity.low if quantity else None,
        high=quantity.high if quantity else None,
        unit=quantity.unit if quantity else "",
        choices=tuple(part for part in choices.split(", ") if part) if code == "not_a_choice" else (),
    )


def _bounds_in(detail: ErrorDetails) -> Quantity | None:
    context = detail.get("ctx", {})
    bound = context.get("ge", context.get("le"))
    return None if bound is None else Quantity("1", context.get("ge", -math.inf), context.get("le", math.inf))


def _quantity_in(annotation: Any) -> Quantity | None:
    """The declaration of the values inside `tuple[Annotated[float, Quantity(…)], …]` or a dict of them."""
    stack = [annotation]
    while stack:
        item = stack.pop()
        if getattr(item, "model_fields", None) is not None:
            continue  # a document declares its own
        found = next((mark for mark in getattr(item, "__metadata__", ()) if isinstance(mark, Quantity)), None)
        if found is not None:
            return found
        stack.extend(reversed(get_args(item)))
    return None


def _is_tag(annotation: Any, step: str) -> bool:
    """True where an annotation leaves several classes of document to choose from and `step`, no field, narrows it."""
    found = model_in(annotation)
    return getattr(annotation, "model_fields", None) is None and found is not None and step not in found.model_fields


def model_in(annotation: Any, tag: Any = None) -> Any:
    """The document class inside an annotation such as `list[A | B] | None`: with a tag, the variant of that kind."""
    stack = [annotation]
    while stack:
        item = stack.pop()
        fields = getattr(item, "model_fields", None)
        if fields is not None and (tag is None or ("kind" in fields and tag in get_args(fields["kind"].annotation))):
            return item
        stack.extend(reversed(get_args(item)))
    return None
