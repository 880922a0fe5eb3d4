"""Sentences for what the engine found: warnings, reasons why a plan cannot be or wins, the verdict, bad inputs."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from planner.engine.calendar import Calendar
from planner.engine.compare import BreakEven, Comparison, Verdict
from planner.engine.quantities import SHARE_UNITS, InputError
from planner.engine.result import Evaluation, Finding, PlanResult
from planner.wording import fields
from planner.wording.lines import category, item
from planner.wording.numbers import bounds, chinese, counted, date, money, month_label, number, percent, unit
from planner.wording.plans import advice, plan_names, site_named, workload_named
from planner.wording.quote_terms import TERM_FINDINGS, term_texts

# Marks the figures that a page sets in bold; no character of any text.
STRONG, WEAK = "\x02", "\x03"


def strong(text: str) -> str:
    return f"{STRONG}{text}{WEAK}"


def plain(text: str) -> str:
    """A sentence without its marks."""
    return text.replace(STRONG, "").replace(WEAK, "")


def parts(text: str) -> list[dict[str, Any]]:
    """A marked sentence in pieces: [{"text", "strong"}]."""
    pieces = re.split(f"{STRONG}(.*?){WEAK}", text)
    return [{"text": piece, "strong": bool(index % 2)} for index, piece in enumerate(pieces) if piece]


# code → (sentence, a few words for a chip, tone). Placeholders are filled by `_facts`.
FINDINGS: dict[str, tuple[Any, Any, str]] = {
    "cooling_short": (
        _(
            "From {month} the machines give off {needed} kW, and {site} carries away {limit} kW: they slow down for "
            "{months} and lose {lost}. {remedy}"
        ),
        _("cooling short from {month}: {needed} kW over {limit} kW"),
        "bad",
    ),
    "cooling_stopped": (
        _(
            "From {month} the machines give off {needed} kW, and {site} carries away {limit} kW: within {months} they "
            "get so hot that they stop, and lose {lost}. {remedy}"
        ),
        _("machines stop in the heat from {month}: {needed} kW over {limit} kW"),
        "bad",
    ),
    "room_power": (
        _("From {month} the plan draws up to {needed} kW, and the circuits of {site} carry {limit} kW. {remedy}"),
        _("too little power from {month}"),
        "bad",
    ),
    "room_racks": (
        _("From {month} the plan needs {needed} racks, and {site} has room for {limit}. {remedy}"),
        _("room full from {month}"),
        "bad",
    ),
    "room_cooling": (
        _("From {month} the machines give off {needed} kW, and {site} carries away {limit} kW. {remedy}"),
        _("cooling short from {month}"),
        "bad",
    ),
    "room_units": (
        _("A machine of {needed} U fits in no rack of {site}, which has {limit} U to use. {remedy}"),
        _("machine too high for the racks"),
        "bad",
    ),
    "room_kw": (
        _("A machine that draws {needed} kW fits in no rack of {site}, where a rack may draw {limit} kW. {remedy}"),
        _("too much power for a rack"),
        "bad",
    ),
    "room_kg": (
        _("A machine of {needed} kg fits in no rack of {site}, where a rack holds {limit} kg. {remedy}"),
        _("too heavy for a rack"),
        "bad",
    ),
    "room_cords": (
        _("A machine needs {needed} power cords, and a rack of {site} feeds {limit}. {remedy}"),
        _("too few outlets in a rack"),
        "bad",
    ),
    "room_cfm": (
        _("A machine needs {needed} CFM of air, and a rack of {site} gets {limit} CFM. {remedy}"),
        _("too little air for a rack"),
        "bad",
    ),
    "room_short": (
        _(
            "{site} is too small for {months} from {month}: {resource} {needed} against {limit}, "
            "until the upgrade is there. {remedy}"
        ),
        _("room short from {month}"),
        "warn",
    ),
    "upgrade_included": (
        _("{remedy_name} for {site}: ordered in {month}, in service in {in_service}, {price} included in the plan."),
        _("{price} upgrade of {site} included"),
        "warn",
    ),
    "upgrade_included_unpriced": (
        _("{remedy_name} for {site}: ordered in {month}, in service in {in_service}, included in the plan."),
        _("upgrade of {site} included"),
        "warn",
    ),
    "next_order_due_at_start": (
        _(
            "Growth makes the next order due in the first month, {lead} before it is needed: a "
            "larger start may be better."
        ),
        _("next order due at the start"),
        "warn",
    ),
    "order_by_past": (
        _("To be in service at the start, {item} had to be ordered by {order_by}; that day has passed."),
        _("order-by date {order_by} has passed"),
        "warn",
    ),
    "noise": (
        _("{item} makes {noise_db} dB(A), and {site} tolerates {limit} dB(A): people cannot work beside it."),
        _("too loud for {site}"),
        "warn",
    ),
    "office_server": (
        _(
            "{item} ({gpus} GPUs) gives off up to {heat_kw} kW of heat and makes {noise_db} dB(A); {site} carries "
            "away {cooling_kw} kW and tolerates {limit} dB(A). Such a server belongs in a data hall: do not order it "
            "for this room as it is."
        ),
        _("8-GPU server in an office: too loud and too hot"),
        "bad",
    ),
    "office_server_loud": (
        _(
            "{item} ({gpus} GPUs) makes {noise_db} dB(A), and {site} tolerates {limit} dB(A): people cannot work "
            "beside it, even though its {heat_kw} kW of heat are carried away. Do not order it for this room as it is."
        ),
        _("8-GPU server in an office: too loud"),
        "bad",
    ),
    "office_server_hot": (
        _(
            "{item} ({gpus} GPUs) gives off up to {heat_kw} kW of heat, and {site} carries away {cooling_kw} kW. Do "
            "not order it for this room as it is."
        ),
        _("8-GPU server in an office: too hot"),
        "bad",
    ),
    "unmet": (
        _(
            "{hours} GPU-hours of work go undone, the first in {month}; at a penalty on the cloud "
            "price they would cost {cost}, which is in no total."
        ),
        _("work undone from {month}"),
        "warn",
    ),
    "unmet_unpriced": (
        _(
            "{hours} GPU-hours of work go undone, the first in {month}; no cloud offer is "
            "comparable, so they have no price."
        ),
        _("work undone from {month}"),
        "warn",
    ),
    "stale_price": (
        _("The price of {item} is of {dated}, older than the limit; it is taken unchanged to the start."),
        _("stale price: {item}"),
        "warn",
    ),
    "service_target": (
        _(
            "In {month} the plan serves {served} of the demand, {capacity_gpu} of {demand_gpu} GPUs; "
            "the target is {target}."
        ),
        _("{served} served in {month}"),
        "bad",
    ),
    "memory": (
        _("{workload} needs {needed_gpus} GPUs at once by memory, and one {item} has {server_gpus} and no fabric."),
        _("memory: needs {needed_gpus} GPUs at once"),
        "bad",
    ),
    "memory_never": (
        _("{workload} does not fit into the memory of {item}, whatever the number of GPUs."),
        _("does not fit in memory"),
        "bad",
    ),
    "deadline": (
        _(
            "{workload} needs {needed_gpus} GPUs at once to meet its deadline, and one {item} has "
            "{server_gpus} and no fabric."
        ),
        _("deadline: needs {needed_gpus} GPUs at once"),
        "bad",
    ),
    "fit_cliff": (
        _(
            "In {month} {workload} has grown so large that it needs {needed_gpus} GPUs at once by memory, and {item} "
            "offers {server_gpus}: {stranded_gpus} and {stranded_servers} of this plan then stand idle{worth}."
        ),
        _("model outgrows the GPUs in {month}"),
        "warn",
    ),
    "fit_cliff_never": (
        _(
            "In {month} {workload} has grown so large that it fits into no number of {item}: {stranded_gpus} and "
            "{stranded_servers} of this plan then stand idle{worth}."
        ),
        _("model outgrows the GPUs in {month}"),
        "warn",
    ),
    "wrong_software": (
        _("{workload} needs {framework}, and {item} runs {software_stack}."),
        _("software: {item} runs {software_stack}"),
        "bad",
    ),
    "software_partial": (
        _("PyTorch supports {item} only in part: test {workload} on it before buying."),
        _("software only partly supported"),
        "warn",
    ),
    "export_licence": (
        _(
            "{item} may be sold into this country ({country}) only with an export licence, by the rule in force since "
            "{dated}."
        ),
        _("export licence needed"),
        "warn",
    ),
    "export_prohibited": (
        _(
            "{item} may in effect not be sold into this country ({country}): licences are refused as a rule since "
            "{dated}."
        ),
        _("export not allowed"),
        "bad",
    ),
    "no_quote": (_("{item} has no quote, so this plan has no total."), _("no quote: {item}"), "bad"),
    "no_rate": (
        _("The rate of {item} for this work is unknown, so this plan cannot be sized."),
        _("rate unknown: {item}"),
        "bad",
    ),
    "not_in_catalog": (_("{item} is not in the catalog."), _("not in the catalog: {item}"), "bad"),
    "no_fabric_ports": (
        _("{item} has no ports for a fabric, so its servers cannot share one job."),
        _("no fabric ports"),
        "bad",
    ),
    "unknown_power": (
        _("How much power {item} draws is unknown, so this plan cannot be fitted into a room."),
        _("power unknown: {item}"),
        "bad",
    ),
    "power_not_rising": (
        _(
            "The power figures of {item} contradict each other: it would draw more when idle than when busy, or more "
            "when busy than at most. Correct them in the catalog."
        ),
        _("power figures of {item} contradict each other"),
        "bad",
    ),
    "out_of_bounds": (
        _("A fleet of this size cannot be built ({item}), so this plan has no total."),
        _("cannot be built: {item}"),
        "bad",
    ),
    "missing_rate": (
        _("A price is in {item}, and no exchange rate on or before the pricing date is known."),
        _("exchange rate missing: {item}"),
        "bad",
    ),
    "no_offer": (
        _(
            "No comparable cloud offer for {item} from a {class} is dated within {days} of the pricing "
            "date; choose another pricing date, enter your own price or pin an offer."
        ),
        _("no comparable cloud offer: {item}"),
        "bad",
    ),
    "offer_smaller_than_job": (
        _(
            "{workload} needs {gpus} GPUs at once, and the cloud offer is for single GPUs or instances on demand: a "
            "job of that size needs a rented cluster with a fabric, which such offers rarely include, so the price "
            "may be too low."
        ),
        _("cloud offer smaller than the job of {gpus} GPUs"),
        "warn",
    ),
    "stranded_gpus": (
        _(
            "From {month}, for {months}: each copy of the model takes {needed_gpus} GPUs of one server, which leaves "
            "{left_gpus} of the {gpus} GPUs in {item} without work. Buy cards in steps of {needed_gpus}."
        ),
        _("{left_gpus} of {gpus} GPUs complete no copy of the model"),
        "warn",
    ),
    "uneven_gang": (
        _(
            "{workload} has jobs over {gpus} GPUs. Tensor parallelism splits a model over 1, 2, 4 or 8 GPUs, because "
            "its attention heads must divide evenly: unless these jobs are data parallel only, plan {needed_gpus}."
        ),
        _("a job over {gpus} GPUs: tensor parallelism needs {needed_gpus}"),
        "warn",
    ),
    "meets_demand": (_("It serves all demand in every month."), _("meets demand every month"), "good"),
    "no_gang_exceeds_server": (
        _("No job exceeds one server ({gpus} of {server_gpus} GPUs), so a fabric would buy nothing."),
        _("no job exceeds one server"),
        "good",
    ),
    "gang_exceeds_server": (
        _("{workload} needs {gpus} GPUs at once and a server has {server_gpus}, so a fabric is needed."),
        _("a job exceeds one server"),
        "neutral",
    ),
    "saves_most_on": (
        _("It saves most on “{category}”: {amount} in present value against the runner-up."),
        _("saves most on “{category}”"),
        "neutral",
    ),
    "less_capital_at_start": (
        _("It commits {amount} less at the start than the runner-up."),
        _("{amount} less at the start"),
        "good",
    ),
    "rival_infeasible": (_("{plan} is not ranked: {limit}."), _("{plan}: {limit}"), "neutral"),
    "infeasible": (_("{plan} is not possible: {limit}."), _("{plan}: {limit}"), "bad"),
}
FINDINGS |= TERM_FINDINGS
# What a pydantic check refuses in a whole document, by its class.
CONFLICTS = {
    "TrainingWorkload": _("Give a model, a preset or a measured rate."),
    "ServingWorkload": _("Give a model, a preset or a measured rate; prompt rate and answer rate go together."),
    "Plan": _("A follow-up needs a server to buy: name one, or buy one at the start."),
    "Scenario": _("Each short name may stand once in its list, and the first room must hold from month 0."),
}
RESOURCES = {
    "cooling": _("cooling"),
    "power": _("power"),
    "racks": _("racks"),
    "units": _("rack units"),
    "kw": _("power per rack"),
    "kg": _("weight"),
    "cords": _("power cords"),
    "cfm": _("air"),
}

RESOURCE_UNITS = {
    "cooling": "kW",
    "power": "kW",
    "racks": "rack",
    "units": "U",
    "kw": "kW",
    "kg": "kg",
    "cords": "outlet",
    "cfm": "CFM",
}


def _months(count: float) -> str:
    return ngettext("{count} month", "{count} months", int(count)).format(count=int(count))


def _remedy(facts: dict[str, Any], evaluation: Evaluation) -> str:
    """The remedy with its lead time, and its price where that may be told; or that there is none."""
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
            case "needed" | "limit" if isinstance(value, (int, float)) and found.code == "room_short":
                texts[name] = counted(round(value, 1), RESOURCE_UNITS.get(facts.get("resource", ""), "1"))
            case "needed" | "limit" | "heat_kw" | "cooling_kw" if isinstance(value, (int, float)):
                texts[name] = number(value, digits=3)
            case "limit":
                texts[name] = _limit(found, evaluation)
            case "needed_gpus" | "server_gpus" | "left_gpus" | "gpus" | "noise_db" | "demand_gpu" | "capacity_gpu":
                texts[name] = "–" if value is None else number(value)
            case "months":
                texts[name] = _months(value)
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
            case "served" | "target":
                texts[name] = percent(value)
            case "category":
                texts[name] = category(value)
            case "amount":
                texts[name] = money(value, currency, compact=True)
            case "cost" if value is not None:
                texts[name] = money(value, currency, compact=True)
            case "framework":
                texts[name] = fields.choice(name, value)
            case "software_stack" | "country":
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
                texts["lead"] = _months(value)
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


def _variant(found: Finding) -> str:
    if found.code == "memory" and found.facts.get("needed_gpus") is None:
        return "memory_never"
    if found.code == "fit_cliff" and found.facts.get("needed_gpus") is None:
        return "fit_cliff_never"
    if found.code == "cooling_short" and found.facts.get("stopped"):
        return "cooling_stopped"
    if found.code == "office_server" and not (found.facts.get("loud", True) and found.facts.get("hot", True)):
        return "office_server_loud" if found.facts.get("loud") else "office_server_hot"
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


# ── Verdict ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def verdict(
    evaluation: Evaluation, comparison: Comparison, by_lead: dict[str, Verdict] | None = None
) -> dict[str, Any]:
    """The answer in words: {"title", "text", "parts", "chips": [{"text", "tone"}], "by_class",
    "without_residual", "by_lead"}.

    `parts` is the text in pieces of which some are set in bold. `by_lead` is the verdict with low and high
    lead times, where known.
    """
    decided = comparison.verdict
    if decided.plan is None:
        text = gettext("Each plan fails at something: see below what, and when.")
        chips = [{"text": brief(reason, evaluation), "tone": "bad"} for reason in decided.reasons]
        return {
            "title": gettext("No plan meets the demand."),
            "text": text,
            "parts": parts(text),
            "chips": chips,
            "by_class": "",
            "without_residual": "",
            "by_lead": "",
        }
    best = evaluation.plan(decided.plan)
    marked = _explanation(evaluation, comparison, best)
    return {
        "title": _title(evaluation, decided),
        "text": plain(marked),
        "parts": parts(marked),
        "chips": _chips(evaluation, comparison, best),
        "by_class": _by_class(evaluation, comparison),
        "without_residual": _without_residual(evaluation, comparison),
        "by_lead": _by_lead(evaluation, comparison, by_lead or {}),
    }


def _title(evaluation: Evaluation, decided: Verdict) -> str:
    names = plan_names(evaluation.scenario, evaluation.book)
    if decided.code == "close" and decided.runner_up:
        return gettext("{plan} or {other}: nearly the same cost.").format(
            plan=names[decided.plan or ""], other=names[decided.runner_up]
        )
    best = evaluation.plan(decided.plan or "").plan
    text = advice(best, evaluation.book)
    twins = [plan for plan in evaluation.scenario.plans if advice(plan, evaluation.book) == text]
    return text if len(twins) < 2 else gettext("{plan} is the cheapest plan.").format(plan=names[best.slug])


def _explanation(evaluation: Evaluation, comparison: Comparison, best: PlanResult) -> str:
    decided, currency = comparison.verdict, evaluation.scenario.currency
    names = plan_names(evaluation.scenario, evaluation.book)
    sum_text, months = strong(money(best.present_value, currency, compact=True)), _months(evaluation.scenario.months)
    if decided.runner_up is None or decided.margin is None:
        sentences = [
            (
                gettext("{amount} in present value over {months}; no other plan is possible.")
                if len(evaluation.plans) > 1
                else gettext("{amount} in present value over {months}; there is no other plan to compare.")
            ).format(amount=sum_text, months=months)
        ]
    else:
        margin = strong(
            gettext("{amount} ({share})").format(
                amount=money(decided.margin, currency, compact=True), share=percent(decided.margin_share or 0.0)
            )
        )
        sentences = [
            gettext("{amount} in present value over {months}, {margin} under “{plan}”.").format(
                amount=sum_text, months=months, margin=margin, plan=names[decided.runner_up]
            )
        ]
    sentences.append(_service(evaluation, best))
    if start := _capital(evaluation, comparison, best):
        sentences.append(start)
    return _joined(sentences)


def _joined(sentences: Iterable[str]) -> str:
    return sentence_space().join(sentence for sentence in sentences if sentence)


def sentence_space() -> str:
    """What stands between two sentences: nothing in Chinese."""
    return "" if chinese() else " "


def _service(evaluation: Evaluation, best: PlanResult) -> str:
    if best.served_share >= 1.0 - 1e-9:
        return gettext("It meets demand every month.")
    return gettext("It serves {share} of the demand.").format(share=percent(best.served_share))


def _capital(evaluation: Evaluation, comparison: Comparison, best: PlanResult) -> str:
    """Money tied up at the start, and against the runner-up where that is more."""
    currency = evaluation.scenario.currency
    start = float(best.monthly("capex")[0])
    if start <= 0:
        return gettext("It ties up no capital at the start.")
    amount = strong(money(start, currency, compact=True))
    runner = comparison.verdict.runner_up
    later = (float(evaluation.plan(runner).monthly("capex")[0]) - start) if runner else 0.0
    if later > 0:
        return gettext("It ties up {amount} at the start, {less} less than that plan.").format(
            amount=amount, less=money(later, currency, compact=True)
        )
    return gettext("It ties up {amount} at the start.").format(amount=amount)


def _chips(evaluation: Evaluation, comparison: Comparison, best: PlanResult) -> list[dict[str, str]]:
    decided = comparison.verdict
    chips = []
    if decided.code == "close":
        chips.append({"text": gettext("the best two within 2 %"), "tone": "warn"})
    if comparison.without_residual.plan != decided.plan and comparison.without_residual.plan is not None:
        names = plan_names(evaluation.scenario, evaluation.book)
        chips.append(
            {
                "text": gettext("without resale value: {plan}").format(plan=names[comparison.without_residual.plan]),
                "tone": "warn",
            }
        )
    for warning in best.warnings:
        text = brief(warning, evaluation)
        if not any(chip["text"] == text for chip in chips):
            chips.append({"text": text, "tone": tone(warning)})
    for reason in decided.reasons:
        if reason.code != "meets_demand" or best.served_share >= 1.0 - 1e-9:
            chips.append({"text": brief(reason, evaluation), "tone": tone(reason)})
    order = {"good": 0, "bad": 1, "warn": 2, "neutral": 3}
    return sorted(chips, key=lambda chip: order[chip["tone"]])


def _by_class(evaluation: Evaluation, comparison: Comparison) -> str:
    """Whether a specialist's cloud prices and a large provider's lead to the same plan."""
    special, large = comparison.by_class.get("specialist"), comparison.by_class.get("large_provider")
    if not any(plan.offer is not None for plan in evaluation.plans):
        return ""
    if special is None or large is None:
        missing = gettext("specialist GPU cloud") if special is None else gettext("large provider")
        return gettext("No comparable offer: {provider}; the verdict for it is not known.").format(provider=missing)
    names = plan_names(evaluation.scenario, evaluation.book)
    nothing = gettext("no plan")
    one, other = names.get(special.plan or "", nothing), names.get(large.plan or "", nothing)
    if special.plan == large.plan:
        return gettext(
            "“{plan}” is cheapest with the cloud prices of a specialist and of a large provider alike."
        ).format(plan=one)
    return gettext(
        "It depends on the cloud: with a specialist's prices “{one}” is cheapest, with a large provider's “{other}”."
    ).format(one=one, other=other)


def _without_residual(evaluation: Evaluation, comparison: Comparison) -> str:
    other = comparison.without_residual.plan
    if other is None or other == comparison.verdict.plan:
        return ""
    return gettext("Without the value of the machines at the horizon, “{plan}” is cheapest.").format(
        plan=plan_names(evaluation.scenario, evaluation.book)[other]
    )


def _by_lead(evaluation: Evaluation, comparison: Comparison, by_lead: dict[str, Verdict]) -> str:
    """Whether short or long deliveries change the plan."""
    names = plan_names(evaluation.scenario, evaluation.book)
    nothing = gettext("no plan")
    sentences = []
    for case, pattern in (
        ("low", _("With short lead times, “{plan}” is cheapest.")),
        ("high", _("With long lead times, “{plan}” is cheapest.")),
    ):
        if case in by_lead and by_lead[case].plan != comparison.verdict.plan:
            sentences.append(str(pattern).format(plan=names.get(by_lead[case].plan or "", nothing)))
    return sentence_space().join(sentences)


def break_even(state: BreakEven, calendar: Calendar) -> str:
    """When a plan becomes cheaper than another: "always", "never", "month 52 (Apr 2031)"."""
    if state.state == "always":
        return gettext("always cheaper")
    if state.state == "never":
        return gettext("never cheaper")
    months = [gettext("month {number} ({date})").format(number=m, date=month_label(calendar, m)) for m in state.months]
    text = gettext(", ").join(months)
    if len(months) == 1:
        return (
            gettext("cheaper from {months}").format(months=text)
            if state.cheaper_after
            else gettext("cheaper until {months}").format(months=text)
        )
    return gettext("changes in {months}").format(months=text)


def left_out(names: Iterable[str]) -> str:
    """Which cost lines are not counted."""
    text = gettext(", ").join(category(name) for name in names)
    return gettext("Left out: {lines}.").format(lines=text) if text else ""


# ── Bad inputs ───────────────────────────────────────────────────────────────────────────────────────────────────────


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
