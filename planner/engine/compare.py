"""Plans against each other: ranking, verdict, break-even, gap by category, server against cluster."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from planner.engine.calendar import Array
from planner.engine.evaluate import Evaluation, Finding, PlanResult, evaluate
from planner.engine.fleet import lead_months
from planner.engine.lines import CATEGORIES
from planner.engine.tenders import weeks_vary

# Two plans within this share of each other are close (model.md 7).
CLOSE = 0.02


@dataclass(frozen=True)
class Verdict:
    """code: clear · close · single · none. margin = PV₂ − PV₁; margin_share = margin ÷ PV₂."""

    code: str
    plan: str | None
    runner_up: str | None = None
    margin: float | None = None
    margin_share: float | None = None
    reasons: tuple[Finding, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "plan": self.plan,
            "runner_up": self.runner_up,
            "margin": self.margin,
            "margin_share": self.margin_share,
            "reasons": [reason.as_dict() for reason in self.reasons],
        }


@dataclass(frozen=True)
class BreakEven:
    """A against B on cumulative PV before the horizon residual.

    always: A is never dearer. never: A is never cheaper. crossings: the months in which the sign of A − B changes.
    """

    state: str
    months: tuple[int, ...] = ()
    cheaper_after: bool | None = None  # whether A is the cheaper one after the last crossing

    def as_dict(self) -> dict[str, Any]:
        return {"state": self.state, "months": list(self.months)}


@dataclass
class Comparison:
    verdict: Verdict
    ranking: list[str]  # feasible plans, cheapest first, those over a soft power budget last
    by_class: dict[str, Verdict | None]  # with a specialist's offer, with a large provider's
    without_residual: Verdict  # machines are worth nothing at the horizon
    remaining_service: Verdict  # they are worth the service left in them
    break_even: dict[str, dict[str, BreakEven]]
    gap: dict[str, float] = field(default_factory=dict)  # runner-up − winner by category, in PV
    table: list[dict[str, Any]] = field(default_factory=list)


def by_lead_time(evaluation: Evaluation) -> dict[str, Verdict]:
    """The verdict with the low and the high lead time, where either moves a plan's deliveries (model.md 3)."""
    answers = {}
    for name, case in (("low", 0), ("high", 2)):
        moved = weeks_vary(evaluation.scenario, evaluation.book) or any(
            lead_months(plan.plan, holding.machine, plan.commissioning_days, case, plan.tender_days[0]) != holding.lead
            for plan in evaluation.plans
            if plan.plan.follow_up.kind != "none"
            for holding in plan.fleet.holdings
        )
        if moved:
            other = evaluate(evaluation.scenario, evaluation.pinned, lead_case=case)
            answers[name] = _verdict(other, {plan.slug: plan.present_value for plan in other.plans})
    return answers


def break_even(a: Array, b: Array, tolerance: float = 0.005) -> BreakEven:
    """Compare two cumulative cost curves (M,); differences under half a minor unit count as none."""
    difference = a - b
    sign = np.where(np.abs(difference) <= tolerance, 0, np.sign(difference))
    known = sign[sign != 0]
    if known.size == 0 or (known < 0).all():
        return BreakEven("always", (), True)
    if (known > 0).all():
        return BreakEven("never", (), False)
    months, last = [], 0
    for m, value in enumerate(sign):
        if value != 0:
            if last and value != last:
                months.append(m)
            last = int(value)
    return BreakEven("crossings", tuple(months), last < 0)


def compare(evaluation: Evaluation) -> Comparison:
    """Rank the plans of an evaluation and say why."""
    plans = evaluation.plans
    values = {plan.slug: plan.present_value for plan in plans}
    verdict = _verdict(evaluation, values)
    ranking = _ranked(plans, values)
    by_class: dict[str, Verdict | None] = {}
    for name in ("specialist", "large_provider"):
        with_class = {plan.slug: plan.present_value_with(name) for plan in plans}
        by_class[name] = (
            None
            if any(value is None and plan.feasible for plan, value in zip(plans, with_class.values(), strict=True))
            else _verdict(evaluation, {slug: value or 0.0 for slug, value in with_class.items()})
        )
    curves = {plan.slug: plan.cumulative_without_residual for plan in plans}
    even: dict[str, dict[str, BreakEven]] = {plan.slug: {} for plan in plans}
    for one, other in itertools.permutations(plans, 2):
        half_a_unit = 0.5 * 10.0**-one.decimals
        even[one.slug][other.slug] = break_even(curves[one.slug], curves[other.slug], half_a_unit)
    gap = {}
    if verdict.plan and verdict.runner_up:
        gap = category_gap(evaluation.plan(verdict.plan), evaluation.plan(verdict.runner_up))
    return Comparison(
        verdict, ranking, by_class, *_by_residual(evaluation), even, gap, server_against_cluster(evaluation)
    )


def _by_residual(evaluation: Evaluation) -> tuple[Verdict, Verdict]:
    plans = evaluation.plans
    return (
        _verdict(evaluation, {plan.slug: plan.present_value_without_residual for plan in plans}),
        _verdict(evaluation, {plan.slug: plan.present_value_with_remaining_service for plan in plans}),
    )


def category_gap(one: PlanResult, other: PlanResult) -> dict[str, float]:
    """PV of `other` − `one` by category; the parts add up to the whole difference."""
    left, right = one.by_category(), other.by_category()
    return {
        name: one.money([right.get(name, 0.0), -left.get(name, 0.0)])
        for name in CATEGORIES
        if name in left or name in right
    }


def _ranked(plans: list[PlanResult], values: dict[str, float]) -> list[str]:
    """Feasible plans, cheapest first; those that pass a power or money budget that is a wish come after the others."""
    feasible = [plan for plan in plans if plan.feasible]
    return [plan.slug for plan in sorted(feasible, key=lambda p: (_over_budget(p) is not None, values[p.slug], p.slug))]


def _over_budget(plan: PlanResult) -> Finding | None:
    """The soft budget of power or money that a plan passes; a hard one makes it infeasible instead."""
    return next((warning for warning in plan.warnings if warning.code in ("limit_budget", "money_budget")), None)


def _verdict(evaluation: Evaluation, values: dict[str, float]) -> Verdict:
    plans = evaluation.plans
    ranked = _ranked(plans, values)
    if not ranked:
        first = tuple(
            Finding(
                "infeasible",
                plan.infeasible[0].month,
                {**plan.infeasible[0].facts, "plan": plan.slug, "limit": plan.infeasible[0].code},
            )
            for plan in plans
        )
        return Verdict("none", None, reasons=first)
    best = evaluation.plan(ranked[0])
    alike = _over_budget(best) is not None
    rivals = [slug for slug in ranked[1:] if (_over_budget(evaluation.plan(slug)) is not None) == alike]
    if not rivals:
        return Verdict("single", best.slug, reasons=tuple(_reasons(evaluation, best, None)))
    second = evaluation.plan(rivals[0])
    margin = best.money([values[second.slug], -values[best.slug]])
    share = margin / values[second.slug] if values[second.slug] > 0 else 0.0
    return Verdict(
        "close" if share <= CLOSE else "clear",
        best.slug,
        second.slug,
        margin,
        share,
        tuple(_reasons(evaluation, best, second)),
    )


def _reasons(evaluation: Evaluation, best: PlanResult, second: PlanResult | None) -> list[Finding]:
    """Codes of why the plan wins, the strongest first."""
    reasons = []
    if best.served_share >= 1.0 - 1e-9:
        reasons.append(Finding("meets_demand", None, {}))
    gang = largest_gang(evaluation)
    fabric_plans = [plan for plan in evaluation.plans if plan.network is not None]
    if fabric_plans and best.network is None and gang["gpus"] <= gang["server_gpus"]:
        reasons.append(Finding("no_gang_exceeds_server", None, gang))
    elif best.network is not None and gang["gpus"] > gang["server_gpus"]:
        reasons.append(Finding("gang_exceeds_server", None, gang))
    if second is not None:
        gap = category_gap(best, second)
        if gap:
            biggest = max(gap, key=lambda name: gap[name])
            if gap[biggest] > 0:
                reasons.append(Finding("saves_most_on", None, {"category": biggest, "amount": gap[biggest]}))
        early, other = float(best.monthly("capex")[0]), float(second.monthly("capex")[0])
        if early < other:
            reasons.append(Finding("less_capital_at_start", 0, {"amount": other - early}))
    for plan in evaluation.plans:
        over = _over_budget(plan)
        if plan.feasible and over is not None and _over_budget(best) is None:
            code = "rival_over_money" if over.code == "money_budget" else "rival_over_budget"
            reasons.append(Finding(code, over.month, {**over.facts, "plan": plan.slug}))
        if not plan.feasible:
            reason = plan.infeasible[0]
            reasons.append(
                Finding("rival_infeasible", reason.month, {**reason.facts, "plan": plan.slug, "limit": reason.code})
            )
    return reasons


def largest_gang(evaluation: Evaluation) -> dict[str, Any]:
    """The largest job of the scenario against the largest server of its plans."""
    gangs = [
        (need.gang, slug)
        for plan in evaluation.plans
        for build, needs in plan.requirements.items()
        if build != "offer"
        for slug, need in needs.items()
    ]
    servers = [holding.machine.server_gpus for plan in evaluation.plans for holding in plan.fleet.holdings]
    if not gangs:
        return {"gpus": 0, "server_gpus": max(servers, default=0), "workload": ""}
    gpus, workload = max(gangs)
    return {"gpus": gpus, "server_gpus": max(servers, default=0), "workload": workload}


def server_against_cluster(evaluation: Evaluation) -> list[dict[str, Any]]:
    """One row a plan: cost, capacity, the largest job it can run, what one failure takes, skills, room to grow."""
    rows = []
    for plan in evaluation.plans:
        holdings = [holding for holding in plan.fleet.holdings if holding.hosts.any()]
        hosts = sum((holding.hosts[0] for holding in holdings), np.zeros(plan.calendar.months))
        cards = sum((holding.cards[0] for holding in holdings), np.zeros(plan.calendar.months))
        last_hosts, last_cards = float(hosts[-1]), float(cards[-1])
        largest = 0.0
        if holdings:
            # a part-filled chassis runs what its cards can
            apart = max(min(held.machine.server_gpus, float(held.cards[0].max())) for held in holdings)
            largest = float(cards.max()) if plan.network is not None else apart
        free = sum(float(h.hosts[0, -1] * h.machine.slots - h.cards[0, -1]) for h in holdings)
        rows.append(
            {
                "plan": plan.slug,
                "present_value": plan.present_value if plan.priced else None,
                "gpus_at_end": last_cards,
                "servers_at_end": last_hosts,
                "largest_job_gpus": largest,
                "lost_with_one_server": (1.0 / last_hosts) if last_hosts else None,
                "fte_at_end": float(plan.fte[0, -1]),
                "free_slots_at_end": free,
                "fabric": plan.network.final.topology if plan.network is not None else None,
                "rents": plan.offer is not None and bool(sum((r.sum() for r in plan.allocation.rented.values()), 0.0)),
            }
        )
    return rows
