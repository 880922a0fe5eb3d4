"""Findings of the engine as sentences and as a few words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext, ngettext

from planner.engine.result import Evaluation, Finding
from planner.wording import fields, networks, tenders
from planner.wording.findings.reasons import REASONS
from planner.wording.findings.room import RESOURCE_UNITS, RESOURCES, ROOM
from planner.wording.findings.supply import SUPPLY
from planner.wording.findings.work import WORK
from planner.wording.lines import category, item
from planner.wording.numbers import chinese, counted, date, money, month_label, number, percent, quantity
from planner.wording.places import region
from planner.wording.plans import plan_names, site_named, workload_named
from planner.wording.quote_terms import TERM_FINDINGS, term_texts

FINDINGS = {**ROOM, **WORK, **SUPPLY, **REASONS, **networks.FINDINGS, **TERM_FINDINGS, **tenders.FINDINGS}


def months_text(count: float) -> str:
    return ngettext("{count} month", "{count} months", int(count)).format(count=int(count))


def _remedy(facts: dict[str, Any], evaluation: Evaluation) -> str:
    """The remedy with its lead time, and its price where that may be told; or that there is none."""
    if facts.get("without_feeds"):
        return gettext(
            "{item}, which this plan orders, adds power to the room, and its racks keep their feeds: if it brings "
            "stronger ones, name them under “Brings feeds” of that upgrade."
        ).format(item=item(facts["without_feeds"], evaluation.book))
    if not facts.get("remedy"):
        return gettext("No upgrade of this room is known.")
    named, time = item(facts["remedy"], evaluation.book), counted(facts.get("remedy_lead_weeks") or 0, "week")
    if "remedy_price" not in facts:
        return gettext("Remedy: {item}, {time} from order.").format(item=named, time=time)
    price = money(facts["remedy_price"], evaluation.scenario.currency, compact=True)
    return gettext("Remedy: {item} for {price}, {time} from order.").format(item=named, price=price, time=time)


def _several(found: Finding, texts: dict[str, Any], evaluation: Evaluation) -> dict[str, Any]:
    """What a sentence says from several facts at once."""
    facts, currency, book = found.facts, evaluation.scenario.currency, evaluation.book
    more: dict[str, Any] = {"worth": ""}
    if "remedy_price" in facts:
        more["price"] = money(facts["remedy_price"], currency, compact=True)
    if "stranded_gpus" in facts and "amount" in facts:
        more["worth"] = gettext(", worth {amount} in present value if sold then").format(amount=texts["amount"])
    if facts.get("remedy"):
        more["remedy_name"] = item(facts["remedy"], book)
    if "rules" in facts:
        more["quoted"] = tenders.quoted(facts)
    if "supplier" in facts:
        more |= term_texts(found)
    lost = facts.get("lost_gpu_hours")
    if lost is not None:
        more["lost"] = (
            gettext("{hours} GPU-hours of work").format(hours=number(lost, 0)) if lost else gettext("no work")
        )
    return more


Writer = Callable[[Any, Evaluation], str]


def _compact(value: Any, evaluation: Evaluation) -> str:
    return money(value, evaluation.scenario.currency, compact=True)


def _count_of(unit: str) -> Writer:
    return lambda value, _: counted(value, unit)


def _choice_of(field: str) -> Writer:
    return lambda value, _: fields.choice(field, value)


def _plain_number(value: Any, _: Evaluation) -> str:
    return "–" if value is None else number(value)


def _months(value: Any, _: Evaluation) -> str:
    return months_text(value)


def _month(value: Any, evaluation: Evaluation) -> str:
    return month_label(evaluation.calendar, value)


def _model(value: Any, evaluation: Evaluation) -> str:
    models = evaluation.book.models
    return models[value].name if value in models else str(value)


def _as_is(value: Any, _: Evaluation) -> str:
    return str(value)


# How each fact of a finding is written; facts that no sentence names are not here.
_WRITERS: dict[str, Writer] = {
    **dict.fromkeys(("limit_w", "nameplate_w", "needed_gpus", "server_gpus", "left_gpus", "gpus"), _plain_number),
    **dict.fromkeys(("slots", "most_gpus", "height", "noise_db", "demand_gpu", "capacity_gpu"), _plain_number),
    **dict.fromkeys(("heat_kw", "max_kw", "cooling_kw"), lambda value, _: number(value, digits=3)),
    **dict.fromkeys(("length_mm", "length_max_mm"), lambda value, _: quantity(value, "mm")),
    **dict.fromkeys(("served", "target", "share"), lambda value, _: percent(value)),
    **dict.fromkeys(("amount", "cost", "spent", "allowed", "threshold", "paid"), _compact),
    **dict.fromkeys(("precision", "computed"), _choice_of("precision")),
    **dict.fromkeys(("region", "here"), lambda value, _: region(value)),
    **dict.fromkeys(("software_stack", "country", "zone", "fiscal_year", "schedule", "year"), _as_is),
    **dict.fromkeys(("order_by", "dated"), lambda value, _: date(value)),
    **dict.fromkeys(("in_service", "sold_until"), _month),
    **dict.fromkeys(("months", "age_months", "service_months", "warranty_months", "book_months"), _months),
    "lead_months": _months,
    **dict.fromkeys(("site", "next_site"), lambda value, evaluation: site_named(evaluation.scenario, value)),
    "rules": lambda value, _: tenders.rules(value),
    "item": lambda value, evaluation: item(str(value), evaluation.book),
    "provider_class": _choice_of("provider_class"),
    "framework": _choice_of("framework"),
    "covers": _choice_of("covers"),
    "condition": _choice_of("kind"),
    "days": _count_of("day"),
    "weeks": _count_of("week"),
    "servers": _count_of("server"),
    "spares": _count_of("server"),
    "model": _model,
    "stranded_gpus": _count_of("GPU"),
    "stranded_servers": _count_of("server"),
    "gpu_hours": lambda value, _: number(value, 0),
    "workload": lambda value, evaluation: workload_named(evaluation.scenario, value),
    "plan": lambda value, evaluation: plan_names(evaluation.scenario, evaluation.book).get(value, str(value)),
    "network": lambda value, _: str(networks.NETWORKS.get(value, value)),
    "sizes": lambda value, _: gettext(", ").join(number(size) for size in value) or gettext("none"),
    "category": lambda value, _: category(value),
    "resource": lambda value, _: str(RESOURCES.get(value, value)),
}
# Placeholders that are called otherwise than the fact.
_CALLED = {
    "provider_class": "class",
    "gpu_hours": "hours",
    "lead_months": "lead",
    "next_site": "next",
    "age_months": "age",
    "service_months": "service",
    "warranty_months": "warranty",
    "book_months": "book_life",
}
# Facts that may be unknown: the sentence then has another form.
_MAY_BE_NONE = ("served", "target", "share", "cost")


def _facts(found: Finding, evaluation: Evaluation) -> dict[str, Any]:
    """The numbers of a finding as text, by placeholder."""
    facts = found.facts
    texts: dict[str, Any] = {
        "month": month_label(evaluation.calendar, found.month or 0),
        "remedy": _remedy(facts, evaluation) if "remedy" in facts or found.code.startswith("room_") else "",
    }
    for name, value in facts.items():
        if name in ("needed", "limit"):
            texts[name] = _against(name, found, evaluation)
        elif name in _WRITERS and not (value is None and name in _MAY_BE_NONE):
            texts[_CALLED.get(name, name)] = _WRITERS[name](value, evaluation)
    return texts | _several(found, texts, evaluation)


def _against(name: str, found: Finding, evaluation: Evaluation) -> str:
    """What is needed, or the limit that it meets: a figure, or the code of the limit by which a plan falls out."""
    value = found.facts[name]
    if value is None:
        return "–"
    if isinstance(value, str):
        return _limit(found, evaluation)
    if _counted(found.code):
        return counted(round(value, 2), RESOURCE_UNITS.get(found.facts.get("resource", ""), "1"))
    return number(value, digits=3)


def _limit(found: Finding, evaluation: Evaluation) -> str:
    """Why another plan falls out, in a few words."""
    code = str(found.facts["limit"])
    facts = {name: value for name, value in found.facts.items() if name not in ("plan", "limit")}
    return brief(Finding(code, found.month, facts), evaluation)


def _counted(code: str) -> bool:
    """Whether the figures of a finding carry the unit of its resource."""
    return code in ("room_short", "rival_over_budget") or code.startswith("limit_")


def _variant(found: Finding) -> str:
    if found.code == "memory" and found.facts.get("needed_gpus") is None:
        return "memory_never"
    if found.code == "deadline" and found.facts.get("needed_gpus") is None:
        return "deadline_never"
    if found.code == "scaling_assumed" and found.facts.get("network"):
        return "scaling_assumed_servers"
    if found.code == "computed_in" and found.facts.get("precision") == "bf16":
        return "computed_in_fp16"
    if found.code == "fit_cliff" and found.facts.get("needed_gpus") is None:
        return "fit_cliff_never"
    if found.code == "cooling_short" and found.facts.get("stopped"):
        return "cooling_stopped"
    if found.code == "office_server" and not (found.facts.get("loud", True) and found.facts.get("hot", True)):
        return "office_server_loud" if found.facts.get("loud") else "office_server_hot"
    if found.code in ("limit_budget", "money_budget") and found.facts.get("hard"):
        return f"{found.code}_hard"
    if found.code == "no_quote" and found.facts.get("condition"):
        return "no_quote_in_condition"
    if found.code == "unmet" and found.facts.get("cost") is None:
        return "unmet_unpriced"
    if found.code == "upgrade_included" and "remedy_price" not in found.facts:
        return "upgrade_included_unpriced"
    return found.code


class _Gaps(dict[str, Any]):
    """Texts of a finding; one that is not there is a dash, never an error on a page."""

    def __missing__(self, key: str) -> str:
        return "–"


def finding(found: Finding, evaluation: Evaluation) -> str:
    """A warning or reason as a sentence."""
    pattern = FINDINGS.get(_variant(found))
    if pattern is None:
        return found.code
    return _sentence(str(pattern[0]).format_map(_Gaps(_facts(found, evaluation))))


def unpriced(found: Finding) -> Finding:
    """The same finding without the price of its remedy, for a reader who is to see no unit price."""
    facts = {name: value for name, value in found.facts.items() if name != "remedy_price"}
    return Finding(found.code, found.month, facts)


def brief(found: Finding, evaluation: Evaluation) -> str:
    """A warning or reason in a few words."""
    pattern = FINDINGS.get(_variant(found))
    return found.code if pattern is None else str(pattern[1]).format_map(_Gaps(_facts(found, evaluation)))


def tone(found: Finding) -> str:
    """good · warn · bad · neutral."""
    return FINDINGS[found.code][2] if found.code in FINDINGS else "neutral"


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]


def sentence_space() -> str:
    """What stands between two sentences: nothing in Chinese."""
    return "" if chinese() else " "
