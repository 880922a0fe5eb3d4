"""What is wrong with an input, in words."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.quantities import SHARE_UNITS, InputError
from planner.wording import fields, networks
from planner.wording.contracts import CONFLICT_WORDS
from planner.wording.findings.sentences import sentence_space
from planner.wording.lines import item
from planner.wording.numbers import bounds, date, number, percent, unit

# What a pydantic check refuses in a whole document, by its class.
CONFLICTS = {
    "TrainingWorkload": _("Give a model, a preset or a measured rate."),
    "ServingWorkload": _("Give a model, a preset or a measured rate; prompt rate and answer rate go together."),
    "PaymentTerms": _("The shares add up to more than the price: lower one before you raise another."),
    "Financing": _("A lease must end within the service life of the machines."),
    "Plan": _("A follow-up needs a server to buy: name one, or buy one at the start."),
    "Scenario": _("Each short name may stand once in its list, and the first room must hold from month 0."),
    **networks.CONFLICTS,
}


def problem(fact: dict[str, Any], currency: str = "", document: Any = None) -> str:
    """What is wrong with an input: "Growth must lie in −20–50 % a month; got 900."."""
    path, code = str(fact.get("field", "")), fact.get("code", "")
    name = _entry(path, document) if path else gettext("The document")
    low, high, units = fact.get("low"), fact.get("high"), str(fact.get("unit") or "")
    got = _typed(fact.get("value"), units)
    range_text = bounds(low, high, units, currency) if low is not None or high is not None else unit(units, currency)
    match code:
        case "out_of_bounds":
            return gettext("{field} must lie in {bounds}; got {value}.").format(
                field=name, bounds=range_text, value=got
            )
        case "not_a_number" if low is not None or high is not None:
            return gettext("{field} must be a number in {bounds}; got {value}.").format(
                field=name, bounds=range_text, value=got
            )
        case "not_a_number":
            return gettext("{field} must be a number; got {value}.").format(field=name, value=got)
        case "not_whole" if low is not None or high is not None:
            return gettext("{field} must be a whole number in {bounds}; got {value}.").format(
                field=name, bounds=range_text, value=got
            )
        case "not_whole":
            return gettext("{field} must be a whole number; got {value}.").format(field=name, value=got)
        case "not_positive":
            return gettext("{field} must be greater than 0; got {value}.").format(field=name, value=got)
        case "missing":
            return gettext("{field} is missing.").format(field=name)
        case "unknown_field":
            return gettext("“{field}” is not a field of this document.").format(field=path or name)
        case "not_a_choice":
            texts = [fields.choice(path, _maybe_number(value)) for value in fact.get("choices") or ()]
            if not texts:
                return gettext("{field}: {value} is not a choice.").format(field=name, value=got)
            return gettext("{field} must be one of: {choices}; got {value}.").format(
                field=name, choices=gettext(", ").join(texts), value=got
            )
        case "too_long" if high is not None and units == "character":
            return gettext("{field} may have at most {high} characters; got {value}.").format(
                field=name, high=number(high), value=got
            )
        case "too_long" if high is not None and units == "entry":
            return gettext("{field} may have at most {high} entries; got {value}.").format(
                field=name, high=number(high), value=got
            )
        case "too_long":
            return gettext("{field} is too long.").format(field=name)
        case "unclear_list":
            return gettext(
                "{field}: where one value ends and the next begins is unclear in {value}. "
                "Separate values with semicolons: “1000; 2000”."
            ).format(field=name, value=got)
        case "bad_point":
            return gettext(
                "{field}: write two values with a colon between, as in “12: 60; 24: 40”; got {value}."
            ).format(field=name, value=got)
        case "bad_format":
            return gettext("{field} has a form that is not understood; got {value}.").format(field=name, value=got)
        case "conflict":
            place = fields.locate(path, document) if path else None
            owner = _class_at(path, document) if path else "Scenario"
            reason = CONFLICTS.get(owner) or CONFLICTS.get(place.owner.__name__ if place else "")
            reason = CONFLICT_WORDS.get(f"{place.owner.__name__}.{place.field}" if place else "") or reason
            return (
                gettext("{field}: {reason}").format(field=name, reason=reason)
                if reason
                else gettext("{field} contradicts another entry.").format(field=name)
            )
        case "no_quote":
            return gettext("{item} has no quote.").format(item=item(str(fact.get("value"))))
        case "missing_rate":
            return gettext(
                "No exchange rate from {currency} to {wanted} is known on or before the pricing date."
            ).format(currency=fact.get("value"), wanted=units)
        case "no_rate":
            return gettext("The rate of {item} for this work is unknown.").format(item=item(str(fact.get("value"))))
        case "not_in_catalog" if path and fields.locate(path, document) is not None:
            return gettext("{field}: {item} is not in the catalog.").format(
                field=name, item=item(str(fact.get("value")))
            )
        case "not_in_catalog":
            return gettext("{item} is not in the catalog.").format(item=item(str(fact.get("value"))))
        case "no_fabric_ports":
            return gettext("{item} has no ports for a fabric.").format(item=item(str(fact.get("value"))))
        case "no_cable":
            return str(networks.FINDINGS["no_cable"][0]).format(item=fact.get("value"))
        case "unknown_power":
            return gettext("How much power {item} draws is unknown.").format(item=item(str(fact.get("value"))))
        case "power_not_rising":
            return gettext(
                "The power figures of {item} contradict each other: it would draw more when idle than when busy, or "
                "more when busy than at most. Correct them in the catalog."
            ).format(item=item(str(fact.get("value"))))
    return gettext("{field} cannot be used; got {value}.").format(field=name, value=got)


def say(error: InputError, currency: str = "", document: Any = None) -> str:
    """Every problem of an error, sentence after sentence."""
    return sentence_space().join(problem(each.as_dict(), currency, document) for each in error.problems)


def _entry(path: str, document: Any) -> str:
    """What a field is called; inside a list with the place of its entry: "Steps, entry 2: New value"."""
    if fields.locate(path, document) is None:
        document = None  # a field of another kind of the same part, which this document does not hold
    inside = re.fullmatch(r"(.+)/(\d{1,4})(/[^/]+)?", path)
    if inside is None:
        return fields.label(path, document)
    owner, number_in_list = fields.label(inside[1], document), int(inside[2]) + 1
    if inside[3] is None:
        return gettext("{field}, entry {number}").format(field=owner, number=number_in_list)
    return gettext("{field}, entry {number}: {part}").format(
        field=owner, number=number_in_list, part=fields.label(path, document)
    )


def _maybe_number(value: str) -> Any:
    return int(value) if value.isdigit() else value


def _typed(value: Any, units: str) -> str:
    """A refused value as the person typed it: a share as per cent."""
    if value is None or value == "":
        return gettext("nothing")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"“{value}”" if isinstance(value, str) else str(value)
    if isinstance(value, dt.date):
        return date(value)
    return percent(value, sign=False) if units in SHARE_UNITS else number(value)


def _class_at(path: str, document: Any) -> str:
    """Class of the document that a path names."""
    place = fields.locate(path, document)
    if place is None:
        return ""
    if place.element:
        if place.field == "workloads":
            work = fields.node_at(path, document)
            kind = work.get("kind") if isinstance(work, dict) else getattr(work, "kind", "")
            return "ServingWorkload" if kind == "serving" else "TrainingWorkload"
        return {"plans": "Plan"}.get(place.field, "")
    return ""
