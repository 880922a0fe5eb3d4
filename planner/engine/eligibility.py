"""May and can this hardware be used: software stack against what the programs need, export rules of the country."""

from __future__ import annotations

from planner.engine.inputs import Scenario, Workload
from planner.engine.prices import Accelerator, ExportRule
from planner.engine.result import Finding, PlanResult


def runs_software(work: Workload, hardware: Accelerator) -> bool:
    """False where the hardware has another software stack than the work needs; what is unknown is not held against
    it."""
    if work.framework is None or not hardware.software_stack:
        return True
    return hardware.software_stack.lower().startswith(work.framework)


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
