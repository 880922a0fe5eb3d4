"""The verdict in words, and what would change it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.calendar import Calendar
from planner.engine.compare import BreakEven, Comparison, Verdict
from planner.engine.findings import left_to_the_cloud
from planner.engine.result import Evaluation, Finding, PlanResult
from planner.wording.findings.marks import parts, plain, strong
from planner.wording.findings.sentences import brief, finding, months_text, sentence_space, tone
from planner.wording.lines import category
from planner.wording.numbers import money, month_label, percent
from planner.wording.plans import advice, plan_names


def verdict(
    evaluation: Evaluation, comparison: Comparison, by_lead: dict[str, Verdict] | None = None
) -> dict[str, Any]:
    """The answer in words: {"title", "text", "parts", "chips": [{"text", "tone"}], "by_class",
    "without_residual", "by_lead", "blocking"}.

    `parts` is the text in pieces of which some are set in bold. `by_lead` is the verdict with low and high
    lead times, where known. What speaks against ordering the plan as it is comes before its merits, in all three;
    `blocking` holds those chips again.
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
            "blocking": [],
        }
    best = evaluation.plan(decided.plan)
    marked = _explanation(evaluation, comparison, best)
    return {
        "title": _warned_title(evaluation, decided, best),
        "text": plain(marked),
        "parts": parts(marked),
        "chips": _chips(evaluation, comparison, best),
        "by_class": _by_class(evaluation, comparison),
        "without_residual": _without_residual(evaluation, comparison),
        "by_lead": _by_lead(evaluation, comparison, by_lead or {}),
        "blocking": _blocking_chips(evaluation, best),
    }


def blocking(plan: PlanResult) -> list[Finding]:
    """Warnings that say not to order a plan as it is, although it can be computed and ranks."""
    return [warning for warning in plan.warnings if warning.facts.get("blocking")]


def _warned_title(evaluation: Evaluation, decided: Verdict, best: PlanResult) -> str:
    if not blocking(best):
        return _title(evaluation, decided)
    name = plan_names(evaluation.scenario, evaluation.book)[best.slug]
    return gettext("Do not order the cheapest plan as it is: {plan}.").format(plan=name)


def _blocking_chips(evaluation: Evaluation, best: PlanResult) -> list[dict[str, str]]:
    texts = dict.fromkeys(brief(warning, evaluation) for warning in blocking(best))
    return [{"text": gettext("do not order as it is: {why}").format(why=text), "tone": "bad"} for text in texts]


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
    sum_text, months = (
        strong(money(best.present_value, currency, compact=True)),
        months_text(evaluation.scenario.months),
    )
    if decided.runner_up is None or decided.margin is None:
        others = [plan for plan in evaluation.plans if plan.feasible and plan is not best]
        sentences = [
            (
                gettext("{amount} in present value over {months}; no other plan keeps within the power budget.")
                if others
                else gettext("{amount} in present value over {months}; no other plan is possible.")
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
    sentences.insert(0, _joined(finding(warning, evaluation) for warning in blocking(best)))
    sentences.append(_service(evaluation, best))
    if start := _capital(evaluation, comparison, best):
        sentences.append(start)
    return _joined(sentences)


def _joined(sentences: Iterable[str]) -> str:
    return sentence_space().join(sentence for sentence in sentences if sentence)


def _service(evaluation: Evaluation, best: PlanResult) -> str:
    if best.served_share >= 1.0 - 1e-9:
        match left_to_the_cloud(best):
            case "all":
                return gettext("The cloud meets demand every month; the machines it buys cannot do the work.")
            case "part":
                return gettext("It meets demand every month, but the cloud does work that its machines cannot.")
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
    first = _blocking_chips(evaluation, best)
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
    against = blocking(best)
    for warning in best.warnings:
        if warning in against:
            continue
        text = brief(warning, evaluation)
        if not any(chip["text"] == text for chip in chips):
            chips.append({"text": text, "tone": tone(warning)})
    for reason in decided.reasons:
        if reason.code != "meets_demand" or (best.served_share >= 1.0 - 1e-9 and not left_to_the_cloud(best)):
            chips.append({"text": brief(reason, evaluation), "tone": tone(reason)})
    order = {"good": 0, "bad": 1, "warn": 2, "neutral": 3}
    return [*first, *sorted(chips, key=lambda chip: order[chip["tone"]])]


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
