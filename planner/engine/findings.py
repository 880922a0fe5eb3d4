"""Where a plan fails and what its reader must know: codes with numbers, never sentences."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import numpy.typing as npt

from planner.engine.cards import card_room
from planner.engine.costs import Books
from planner.engine.energy.clock import zone_of
from planner.engine.fleet import Holding
from planner.engine.housing import UpgradeOrder, noise_limit, rack_heat_limit
from planner.engine.inputs import BatchWorkload, PoolWorkload, Scenario, ServingWorkload, Site
from planner.engine.limits import further_limits
from planner.engine.lines import round_half_up
from planner.engine.links import link_of
from planner.engine.prices import PriceBook
from planner.engine.result import Finding, PlanResult
from planner.engine.rounding import SLACK
from planner.engine.workload import GBIT, tensor_parallel_gang
from planner.engine.yearly_budget import judge_budget

# Reasons why a plan's machines cannot do a work at all.
CANNOT_RUN = ("memory", "deadline", "wrong_software", "replica_size")


def left_to_the_cloud(result: PlanResult) -> str:
    """Whether machines are bought that cannot do work of the plan, so that it is rented: "" · "part" · "all"."""
    if not any(holding.hosts.any() for holding in result.fleet.holdings) or not result.allocation.useful_rented.any():
        return ""
    if not result.allocation.useful_owned.any():
        return "all"
    return "part" if any(warning.code in CANNOT_RUN for warning in result.warnings) else ""


def judge(result: PlanResult, scenario: Scenario, books: Books, lost_gpu_hours: float) -> None:
    """Feasibility and warnings of one plan."""
    calendar, allocation = result.calendar, result.allocation
    _judge_room(result, books, lost_gpu_hours)
    _judge_limits(result)
    _judge_cards(result)
    judge_budget(result, scenario)
    target = scenario.demand.service_target
    short = allocation.served[0] < target - 1e-9
    cannot_run = any(reason.code in CANNOT_RUN for reason in result.infeasible)
    if short.any() and result.priced and not cannot_run:
        first = int(np.argmax(short))
        result.infeasible.append(
            Finding(
                "service_target",
                first,
                {
                    "served": float(allocation.served[0, first]),
                    "target": target,
                    "demand_gpu": float(result.demand[0, first]),
                    "capacity_gpu": float(result.capacity[first]),
                },
            )
        )
    result.infeasible.sort(key=lambda reason: -1 if reason.month is None else reason.month)  # the first failure leads
    for order in result.housing.upgrades:
        result.warnings.append(
            Finding(
                "upgrade_included",
                order.ordered,
                {"site": order.site, "in_service": order.in_service, **_remedy(order, books)},
            )
        )
    if result.fleet.due_at_start:
        result.warnings.append(Finding("next_order_due_at_start", 0, {"lead_months": result.fleet.follow_lead}))
    firsts = [
        order
        for order in result.orders
        if order.month == 0 and order.in_service == 0 and order.kind in ("server", "chassis")
    ]
    if firsts:
        earliest = min(firsts, key=lambda order: order.order_by)
        if earliest.order_by < scenario.pricing_date:
            result.warnings.append(
                Finding("order_by_past", 0, {"order_by": earliest.order_by.isoformat(), "item": earliest.item})
            )
    _tell_of_condition(result)
    _tell_of_spread(result, scenario)
    _warn_of_slow_copies(result, scenario, books)
    _warn_of_people(result, scenario)
    _warn_of_uneven_gpus(result, scenario)
    _warn_of_rented_gang(result)
    unmet_hours = float((allocation.unmet[0] * calendar.hours).sum())
    if unmet_hours > 0:
        result.unmet_cost = _unmet_cost(result, scenario, books, unmet_hours)
        first = int(np.argmax(allocation.unmet[0] > 0))
        result.warnings.append(Finding("unmet", first, {"gpu_hours": unmet_hours, "cost": result.unmet_cost}))


def _judge_room(result: PlanResult, books: Books, lost_gpu_hours: float) -> None:
    """What the rooms are short of: heat slows the machines, the rest waits for its upgrade or rules the plan out."""
    for shortage in result.housing.shortages:
        facts = {
            "needed": shortage.needed,
            "limit": shortage.limit,
            "site": shortage.site,
            "months": shortage.months,
            "resource": shortage.resource,
            **_remedy(shortage.remedy, books),
        }
        if shortage.resource == "kw" and shortage.remedy is None:
            facts |= _power_without_feeds(result, shortage.site)
        if shortage.resource == "cooling":
            result.warnings.append(
                Finding(
                    "cooling_short",
                    shortage.month,
                    {**facts, "lost_gpu_hours": lost_gpu_hours, "stopped": result.housing.tripped},
                )
            )
        elif shortage.remedy is None or result.plan.upgrades == "show":
            result.infeasible.append(Finding(f"room_{shortage.resource}", shortage.month, facts))
        else:
            result.warnings.append(Finding("room_short", shortage.month, facts))


def _power_without_feeds(result: PlanResult, site: str) -> dict[str, str]:
    """An upgrade of the plan that adds power to a room and names no feeds for its racks; else nothing."""
    orders = (order.upgrade for order in result.housing.upgrades if order.site == site)
    found = next((step for step in orders if step.adds_power_kw > 0.0 and step.circuit is None), None)
    return {} if found is None else {"without_feeds": found.item}


# Limits that stop no plan where the room promises nothing: a lost feed is then known to take machines along.
_ON_LOSS = ("feeds", "psus")


def _judge_limits(result: PlanResult) -> None:
    """The limits beside those by which machines run: what is promised or named rules a plan out, the rest warns."""
    sites = {site.slug: site for site in result.housing.site_of}
    for passed in further_limits(result):
        site = sites[passed.site]
        if passed.resource in _ON_LOSS and (site.circuit is None or site.circuit.redundancy == "N"):
            continue
        facts = {
            "needed": passed.needed,
            "limit": passed.limit,
            "site": passed.site,
            "months": passed.months,
            "resource": passed.resource,
            "item": passed.item,
        }
        hard = passed.resource == "ups" or (passed.resource == "budget" and site.power_budget == "hard")
        finding = Finding(f"limit_{passed.resource}", passed.month, facts | {"hard": hard})
        (result.infeasible if hard else result.warnings).append(finding)


def _judge_cards(result: PlanResult) -> None:
    """Cards that do not go into their chassis, and wide ones of which nobody says that they do."""
    for holding in result.fleet.holdings:
        build, hosts = holding.machine.build, holding.hosts[0]
        each = np.where(hosts > 0, np.ceil(holding.cards[0] / np.where(hosts > 0, hosts, 1.0) - SLACK), 0.0)
        room = card_room(build, holding.machine.accelerator, int(each.max(initial=0.0)))
        if room is None or room.cards == 0:
            continue
        facts = {"item": build.slug, "gpus": room.cards, "slots": room.slot_width, "most_gpus": room.most}
        if room.too_wide:
            month = int(np.argmax(each > (room.most or 0)))
            facts["height"] = build.rack_units
            result.infeasible.append(Finding("cards_too_wide", month, {**facts, "gpus": float(each[month])}))
        if room.too_long:
            lengths = {"length_mm": room.length_mm, "length_max_mm": room.length_max_mm}
            result.infeasible.append(Finding("cards_too_long", int(np.argmax(each > 0)), {**facts, **lengths}))
        if room.unknown:
            result.warnings.append(Finding("cards_unknown", int(np.argmax(each > 0)), facts))


# GPUs from which a machine cooled by air is made for a data hall: its fans and its heat leave no room for people. [GPU]
DATA_HALL_GPUS = 8


def _warn_of_people(result: PlanResult, scenario: Scenario) -> None:
    """Machines beside which nobody can work; one of eight GPUs and more in an office is a warning that blocks."""
    for site in scenario.sites:
        here = np.array([where.slug == site.slug for where in result.housing.site_of])
        for holding in result.fleet.holdings:
            there = here & (holding.hosts[0] > 0)
            if there.any():
                warning = _too_much_for_people(result, site, holding, there)
                if warning is not None:
                    result.warnings.append(warning)


def _too_much_for_people(
    result: PlanResult, site: Site, holding: Holding, there: npt.NDArray[np.bool_]
) -> Finding | None:
    """The warning of one kind of machine in one room, in the first month in which it is too loud or too hot there.

    Heat is the room's expected draw, as where it slows machines down: what runs as measured, not the nameplates.
    """
    build, most, housing = holding.machine.build, noise_limit(site), result.housing
    gpus = np.where(there, holding.cards[0] / np.where(there, holding.hosts[0], 1.0), 0.0)
    loud = there & (most is not None and build.noise_db is not None and build.noise_db > most)
    facts = {"item": build.slug, "noise_db": build.noise_db, "limit": most, "site": site.slug}
    if site.kind == "office" and build.cooling == "air" and build.in_rack:
        # one small rack at most is what comfort air conditioning carries where nobody has named its limit
        carried = housing.limits["cooling"]
        carried = np.where(np.isfinite(carried), carried, rack_heat_limit(site) or np.inf)
        large = there & (gpus >= DATA_HALL_GPUS - SLACK)
        over = np.where(large, housing.draw_busy[0] - carried, -np.inf)
        hot = over > SLACK
        blocking = large & (loud | hot)
        if blocking.any():
            month, worst = int(np.argmax(blocking)), int(np.argmax(over))
            more = {
                "gpus": float(gpus[month]),
                "heat_kw": float(housing.draw_busy[0, worst]),
                "max_kw": float(housing.draw_max[0, worst]),
                "cooling_kw": float(carried[worst]),
                "loud": bool(loud[month]),
                "hot": bool(hot.any()),
                "blocking": True,
            }
            return Finding("office_server", month, {**facts, **more})
    return Finding("noise", int(np.argmax(loud)), facts) if loud.any() else None


def _warn_of_uneven_gpus(result: PlanResult, scenario: Scenario) -> None:
    """GPUs that complete no replica, and jobs over a count that tensor parallelism cannot split evenly."""
    for holding in result.fleet.holdings:
        slug = holding.machine.slug
        left = result.stranded.get(slug, np.zeros((1, 1)))[0]
        if not left.any():
            continue
        month = int(np.argmax(left > 0))
        facts = {
            "item": slug,
            "gpus": float(holding.cards[0, month]),
            "left_gpus": float(left[month]),
            "needed_gpus": min(need.replica for need in result.requirements[slug].values() if need.replica > 1),
            "months": int((left > 0).sum()),
        }
        result.warnings.append(Finding("stranded_gpus", month, facts))
    servers = [holding.machine.server_gpus for holding in result.fleet.holdings] or [LARGEST_INSTANCE]
    for work in scenario.demand.workloads:
        if isinstance(work, PoolWorkload):
            gpus = work.gang_gpus
        elif isinstance(work, ServingWorkload) and work.model is None and work.preset is None:
            gpus = work.replica_gpus or 1
        else:
            continue
        even = tensor_parallel_gang(gpus, max(servers))
        if even != gpus:
            facts = {"workload": work.slug, "gpus": gpus, "needed_gpus": even}
            result.warnings.append(Finding("uneven_gang", None, facts))


def _tell_of_condition(result: PlanResult) -> None:
    """Machines that are not bought new: how long they serve, and who repairs them."""
    condition = result.plan.condition
    for holding in result.fleet.holdings if condition.kind != "new" else ():
        if holding.ordered_cards.any():
            facts = {
                "item": holding.machine.slug,
                "condition": condition.kind,
                "age_months": condition.age,
                "service_months": result.plan.service_months,
                "warranty_months": condition.warranty_months,
            }
            result.warnings.append(Finding("second_hand", None, facts))


def _tell_of_spread(result: PlanResult, scenario: Scenario) -> None:
    """What jobs over several GPUs are taken to keep of their speed, and the parallelism that assumes."""
    for slug, needs in result.requirements.items():
        if slug == "offer":
            continue
        server = next((each.machine.server_gpus for each in result.fleet.holdings if each.machine.slug == slug), 0)
        for work in scenario.demand.workloads:
            factors = needs[work.slug].factors
            joined = "network_share" not in factors or result.network is not None
            if not server or "scaling_share" not in factors or not joined or not needs[work.slug].in_time:
                continue
            facts = {
                "workload": work.slug,
                "item": slug,
                "gpus": needs[work.slug].gang,
                "share": factors["scaling_share"] * factors.get("network_share", 1.0),
                "servers": -(-needs[work.slug].gang // server),
                "network": result.plan.fabric.network if "network_share" in factors else "",
            }
            result.warnings.append(Finding("scaling_assumed", None, facts))


# Network that a copy of a model over several servers takes, 400 Gb/s for each of eight GPUs. [byte/s] Sizing 10.
COPY_NETWORK = 8 * 400.0 * GBIT


def _warn_of_slow_copies(result: PlanResult, scenario: Scenario, books: Books) -> None:
    """A copy of a model that spans servers is counted at the rate of one domain: over less than that it is slower."""
    if result.network is None:
        return
    for holding in result.fleet.holdings:
        build, server = holding.machine.build, holding.machine.server_gpus
        link = link_of(result.plan.fabric, build, books.book)
        if link is None or link.bandwidth >= COPY_NETWORK * (1.0 - SLACK):
            continue
        for work in scenario.demand.workloads:
            gpus = result.requirements[build.slug][work.slug].replica
            if isinstance(work, (ServingWorkload, BatchWorkload)) and gpus > server:
                facts = {"workload": work.slug, "item": build.slug, "gpus": gpus, "servers": -(-gpus // server)}
                result.warnings.append(Finding("slow_copies", None, {**facts, "network": result.plan.fabric.network}))


# GPUs of the largest instance that on-demand offers name. [GPU]
LARGEST_INSTANCE = 8


def _warn_of_rented_gang(result: PlanResult) -> None:
    """A job over several instances needs a rented fabric, which a price per GPU on demand rarely includes."""
    needs = result.requirements.get("offer", {})
    jobs = {slug: need.gang for slug, need in needs.items() if result.allocation.rented.get(slug, np.zeros(1)).any()}
    slug = max(jobs, key=lambda name: jobs[name], default="")
    if slug and jobs[slug] > LARGEST_INSTANCE:
        result.warnings.append(Finding("offer_smaller_than_job", None, {"gpus": jobs[slug], "workload": slug}))


def _remedy(order: UpgradeOrder | None, books: Books) -> dict[str, Any]:
    """What an upgrade adds, costs and takes, for a sentence."""
    if order is None:
        return {"remedy": None}
    price = order.upgrade.price if order.upgrade.price is not None else books.cost(order.upgrade.item)[0]
    return {
        "remedy": order.upgrade.item,
        "remedy_slug": order.upgrade.slug,
        "remedy_price": price * order.upgrade.quantity,
        "remedy_lead_weeks": order.upgrade.lead_weeks,
        "adds_cooling_kw": order.upgrade.adds_cooling_kw,
        "adds_power_kw": order.upgrade.adds_power_kw,
        "order_month": order.ordered,
    }


def _unmet_cost(result: PlanResult, scenario: Scenario, books: Books, hours: float) -> float | None:
    """Unmet work at a penalty on the overflow offer (model.md 3), in no total; None where no offer is comparable."""
    offer = result.offer or books.median(scenario.demand.workloads[0].accelerator, scenario.market.provider_class)
    if offer is None or offer.price is None:
        return None
    hourly = books.price(offer.slug, offer.price)[0] / offer.count
    monthly = result.allocation.unmet[0] * books.calendar.hours * hourly * books.paths["cloud"]
    cost = scenario.market.unmet_penalty_factor * float(monthly.sum())
    return float(round_half_up(np.asarray(cost), result.decimals)) / 10.0**result.decimals


def foreign_schedules(scenario: Scenario, book: PriceBook) -> list[Finding]:
    """Hours of a tariff that are another region's, or read on another clock: computed as asked, and said."""
    found = []
    for site in scenario.sites:
        terms = site.tariff
        row = book.schedules.get(terms.schedule or "") if terms is not None and not terms.periods else None
        if row is None:
            continue
        inside = f"{site.region}-".startswith(f"{row.region}-") or f"{row.region}-".startswith(f"{site.region}-")
        if not inside or site.zone != zone_of(row.region):
            facts = {"site": site.slug, "schedule": row.name, "region": row.region, "here": site.region}
            found.append(Finding("schedule_elsewhere", None, {**facts, "zone": site.zone or ""}))
        if site.electricity_price_per_kwh is None and any(each.adds_per_kwh is not None for each in row.periods):
            found.append(Finding("network_paid_twice", None, {"site": site.slug, "schedule": row.name}))
    return found


def stale_prices(scenario: Scenario, plans: list[PlanResult]) -> list[Finding]:
    """Prices older than the limit: taken flat to the start, and said so."""
    oldest = scenario.pricing_date - dt.timedelta(days=scenario.market.stale_after_days)
    seen: dict[str, Finding] = {}
    for result in plans:
        for line in result.lines:
            dated = line.source.dated
            if line.category == "capex.accelerators_and_servers" and dated is not None and dated < oldest:
                seen.setdefault(
                    line.item, Finding("stale_price", None, {"item": line.item, "dated": dated.isoformat()})
                )
    return list(seen.values())
