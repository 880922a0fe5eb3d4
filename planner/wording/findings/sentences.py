"""Findings of the engine as sentences and as a few words."""

from __future__ import annotations

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


def _facts(found: Finding, evaluation: Evaluation) -> dict[str, Any]:
    """The numbers of a finding as text, by placeholder."""
    scenario, calendar, currency, book = (
        evaluation.scenario,
        evaluation.calendar,
        evaluation.scenario.currency,
        evaluation.book,
    )
    facts = found.facts
    texts: dict[str, Any] = {
        "month": month_label(calendar, found.month) if found.month is not None else month_label(calendar, 0),
        "remedy": _remedy(facts, evaluation) if "remedy" in facts or found.code.startswith("room_") else "",
    }
    for name, value in facts.items():
        match name:
            case "needed" | "limit" if isinstance(value, (int, float)) and _counted(found.code):
                texts[name] = counted(round(value, 2), RESOURCE_UNITS.get(facts.get("resource", ""), "1"))
            case "needed" | "limit" | "heat_kw" | "max_kw" | "cooling_kw" if isinstance(value, (int, float)):
                texts[name] = number(value, digits=3)
            case "limit":
                texts[name] = _limit(found, evaluation)
            case "limit_w" | "nameplate_w":
                texts[name] = number(value)
            case (
                "needed_gpus"
                | "server_gpus"
                | "left_gpus"
                | "gpus"
                | "slots"
                | "most_gpus"
                | "height"
                | "noise_db"
                | "demand_gpu"
                | "capacity_gpu"
            ):
                texts[name] = "–" if value is None else number(value)
            case "length_mm" | "length_max_mm":
                texts[name] = quantity(value, "mm")
            case "months":
                texts[name] = months_text(value)
            case "condition":
                texts[name] = fields.choice("kind", value)
            case "age_months" | "service_months" | "warranty_months":
                texts[name.removesuffix("_months")] = months_text(value)
            case "next_site":
                texts["next"] = site_named(scenario, value)
            case "paid":
                texts[name] = money(value, currency, compact=True)
            case "book_months":
                texts["book_life"] = months_text(value)
            case "site":
                texts[name] = site_named(scenario, value)
            case "item":
                texts[name] = item(str(value), book)
            case "provider_class":
                texts["class"] = fields.choice(name, value)
            case "days":
                texts[name] = counted(value, "day")
            case "workload":
                texts[name] = workload_named(scenario, value)
            case "plan":
                texts[name] = plan_names(scenario, book).get(value, value)
            case "served" | "target" | "share" if value is not None:
                texts[name] = percent(value)
            case "servers":
                texts[name] = counted(value, "server")
            case "network":
                texts[name] = str(networks.NETWORKS.get(value, value))
            case "sizes":
                texts[name] = gettext(", ").join(number(size) for size in value) or gettext("none")
            case "category":
                texts[name] = category(value)
            case "amount" | "threshold":
                texts[name] = money(value, currency, compact=True)
            case "weeks":
                texts[name] = counted(value, "week")
            case "year":
                texts[name] = value
            case "rules":
                texts |= {"rules": tenders.rules(value), "quoted": tenders.quoted(facts)}
            case "cost" if value is not None:
                texts[name] = money(value, currency, compact=True)
            case "framework":
                texts[name] = fields.choice(name, value)
            case "precision" | "computed":
                texts[name] = fields.choice("precision", value)
            case "region" | "here":
                texts[name] = region(value)
            case "software_stack" | "country" | "zone":
                texts[name] = value
            case "stranded_gpus":
                texts[name] = counted(value, "GPU")
            case "stranded_servers":
                texts[name] = counted(value, "server")
            case "gpu_hours":
                texts["hours"] = number(value, 0)
            case "order_by" | "dated":
                texts[name] = date(value)
            case "lead_months":
                texts["lead"] = months_text(value)
            case "in_service" | "sold_until":
                texts[name] = month_label(calendar, value)
            case "resource":
                texts[name] = str(RESOURCES.get(value, value))
    if "remedy_price" in facts:
        texts["price"] = money(facts["remedy_price"], currency, compact=True)
    texts["worth"] = ""
    if "stranded_gpus" in facts and "amount" in facts:
        texts["worth"] = gettext(", worth {amount} in present value if sold then").format(amount=texts["amount"])
    if facts.get("remedy"):
        texts["remedy_name"] = item(facts["remedy"], book)
    if "supplier" in facts:
        texts |= term_texts(found)
    lost = facts.get("lost_gpu_hours")
    if lost is not None:
        texts["lost"] = (
            gettext("{hours} GPU-hours of work").format(hours=number(lost, 0)) if lost else gettext("no work")
        )
    return texts


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
    if found.code == "limit_budget" and found.facts.get("hard"):
        return "limit_budget_hard"
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
