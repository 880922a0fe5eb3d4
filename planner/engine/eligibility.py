"""May and can this hardware be used: software stack against what the programs need, export rules of the country."""

from __future__ import annotations

from planner.engine import workload as formulas
from planner.engine.inputs import (
    BatchWorkload,
    HpcWorkload,
    PoolWorkload,
    Scenario,
    ServingWorkload,
    TrainingWorkload,
    TuningWorkload,
    Workload,
)
from planner.engine.prices import Accelerator, ExportRule, PriceBook
from planner.engine.result import Finding, PlanResult


def runs_software(work: Workload, hardware: Accelerator) -> bool:
    """False where the hardware has another software stack than the work needs; what is unknown is not held against
    it."""
    if work.framework is None or not hardware.software_stack:
        return True
    return hardware.software_stack.lower().startswith(work.framework)


def has_rate(work: Workload, hardware: Accelerator, reference: Accelerator | None) -> bool:
    """Whether anything gives the rate of this hardware for a work: what has none is never offered.

    reference : in whose GPUs the work is stated; its measured rates are converted by what binds the work.
    """
    if work.accelerator == hardware.slug and (_measured(work) or isinstance(work, PoolWorkload)):
        return True
    if _measured(work) or isinstance(work, PoolWorkload):
        return reference is not None and bool(_bound(work, reference)) and bool(_bound(work, hardware))
    match work:
        case HpcWorkload():
            return bool(hardware.fp64_tflops)
        case TrainingWorkload() | TuningWorkload():
            return bool(hardware.bf16_tflops if work.precision == "bf16" else hardware.fp8_tflops)
    peaks = {"fp8": hardware.fp8_tflops, "fp4": hardware.fp4_tflops}
    return bool(peaks.get(work.precision) or hardware.bf16_tflops) and bool(hardware.memory_bw_gbps)


def computes_in(work: Workload, hardware: Accelerator) -> str:
    """The precision in which hardware computes a work that asks for another one; "" where it has that one, where the
    rate was measured, or where the work names none.

    The weights are stored as asked for; the rate is that of what is returned.
    """
    wanted = getattr(work, "precision", "")
    if not wanted or _measured(work) or not hardware.bf16_tflops:
        return ""
    found = wanted
    if isinstance(work, (BatchWorkload, ServingWorkload)):
        peaks = {"bf16": hardware.bf16_tflops, "fp8": hardware.fp8_tflops, "fp4": hardware.fp4_tflops}
        found = formulas.computed_in(wanted, peaks)
    if found == "bf16":
        found = hardware.sixteen_bit
    return "" if found == wanted else found


def _measured(work: Workload) -> bool:
    """Whether the document gives a measured rate."""
    return any(getattr(work, name, None) is not None for name in type(work).model_fields if name.startswith("measured"))


def _bound(work: Workload, hardware: Accelerator) -> float | None:
    """The figure by which a work converts between kinds of hardware."""
    if work.bound == "memory_bandwidth":
        return hardware.memory_bw_gbps
    return hardware.fp64_tflops if work.bound == "fp64" else hardware.bf16_tflops


def country_of(scenario: Scenario) -> str:
    """ISO code of the country into which the machines are sold: that of the first room's tariff."""
    return scenario.sites[0].region.partition("-")[0]


def export_rule(hardware: Accelerator, country: str) -> ExportRule | None:
    """The rule for any buyer of a country; None where none is known."""
    return next((rule for rule in hardware.export_rules if rule.country == country), None)


def judge_eligibility(result: PlanResult, scenario: Scenario) -> None:
    """Of machines that are bought: warn of what may not be sold there, of licences and of weak software."""
    country = country_of(scenario)
    seen: set[str] = set()
    for holding in result.fleet.holdings:
        hardware = holding.machine.accelerator
        if not holding.hosts.any() or hardware.slug in seen:
            continue
        seen.add(hardware.slug)
        rule = export_rule(hardware, country)
        if rule is not None and rule.verdict != "allowed":
            facts = {"item": hardware.slug, "country": country, "dated": rule.effective.isoformat(), "url": rule.url}
            # A warning, whatever the verdict: the table is a summary, and a plan is not ours to forbid.
            code = "export_prohibited" if rule.verdict == "prohibited" else "export_licence"
            result.warnings.append(Finding(code, 0, facts))
        for work in scenario.demand.workloads:
            if work.framework is not None and hardware.pytorch == "partial" and runs_software(work, hardware):
                result.warnings.append(
                    Finding("software_partial", None, {"item": hardware.slug, "workload": work.slug})
                )


def tell_of_precision(result: PlanResult, scenario: Scenario, book: PriceBook) -> None:
    """Of machines that are bought or rented: say in what they compute where they lack the precision asked for."""
    used = [holding.machine.accelerator for holding in result.fleet.holdings if holding.hosts.any()]
    if result.offer is not None:
        used.append(book.accelerators[result.offer.accelerator])
    for hardware in {each.slug: each for each in used}.values():
        for work in scenario.demand.workloads:
            computed = computes_in(work, hardware) if runs_software(work, hardware) else ""
            if computed:
                wanted = getattr(work, "precision", "")
                facts = {"workload": work.slug, "item": hardware.slug, "precision": wanted, "computed": computed}
                result.warnings.append(Finding("computed_in", None, facts))
