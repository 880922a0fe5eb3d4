"""Servers that are not sold yet: what they are in a price book, and which one a plan buys in a month."""

from __future__ import annotations

from planner.engine.inputs import Generation, Plan, Scenario
from planner.engine.needs.case import ROOFLINE_BANDWIDTH
from planner.engine.prices import Accelerator, Build, Price, PriceBook, Source
from planner.engine.quantities import InputError, Problem

RATES = ("memory_bw_gbps", "bf16_tflops", "fp8_tflops", "fp4_tflops", "fp64_tflops")
POWERS = ("max_kw", "typical_kw", "idle_kw")


def with_generations(book: PriceBook, scenario: Scenario) -> PriceBook:
    """The book with a build and an accelerator for each generation of the scenario; raises InputError where one takes
    the name of what is in the catalog, or is like nothing in it."""
    if not scenario.market.generations:
        return book
    builds, accelerators = dict(book.builds), dict(book.accelerators)
    for coming in scenario.market.generations:
        path = ("market", "generations", coming.slug)
        if coming.slug in builds or coming.slug in accelerators:
            raise InputError(Problem((*path, "slug"), "conflict", coming.slug))
        like = builds.get(coming.like)
        if like is None:
            raise InputError(Problem((*path, "like"), "not_in_catalog", coming.like))
        accelerators[coming.slug] = _accelerator(coming, accelerators[like.accelerator])
        builds[coming.slug] = _build(coming, like, book.currency)
    return book.model_copy(update={"builds": builds, "accelerators": accelerators})


def _accelerator(coming: Generation, like: Accelerator) -> Accelerator:
    rates = {name: rate * coming.performance for name in RATES if (rate := getattr(like, name)) is not None}
    if like.slug in ROOFLINE_BANDWIDTH:  # by which its work is counted
        rates["memory_bw_gbps"] = ROOFLINE_BANDWIDTH[like.slug] * coming.performance
    said = {"slug": coming.slug, "name": coming.name or coming.slug, "successor": "", "source": _own(coming)}
    return like.model_copy(update={**rates, **said})


def _build(coming: Generation, like: Build, currency: str) -> Build:
    power = {name: getattr(like, name) * coming.power for name in POWERS}
    price = like.price
    if coming.price is not None:
        price = Price(amount=coming.price, currency=currency, source=_own(coming))
    said = {
        "slug": coming.slug,
        "name": coming.name or coming.slug,
        "accelerator": coming.slug,
        "power_source": _own(coming),
    }
    return like.model_copy(update={**power, **said, "price": price, "chassis_slots": like.accelerator_count})


def _own(coming: Generation) -> Source:
    return Source(basis="own", item=coming.slug)


def successors(build: str, scenario: Scenario) -> list[Generation]:
    """The generations that succeed a build, themselves succeeded or not, by their launch."""
    line, found = {build}, []
    for coming in sorted(scenario.market.generations, key=lambda each: each.from_month):
        if coming.like in line:
            line.add(coming.slug)
            found.append(coming)
    return found


def last_sale(build: str, scenario: Scenario) -> int | None:
    """The month from which a build is no longer sold; None where nothing ends its sale."""
    ends = [
        coming.from_month + coming.old_sold_months
        for coming in scenario.market.generations
        if coming.like == build and coming.old_sold_months is not None
    ]
    ends += [
        coming.until_month for coming in scenario.market.generations if coming.slug == build and coming.until_month
    ]
    return min(ends, default=None)


def bought_in(plan: Plan, scenario: Scenario) -> list[str]:
    """By month, the build that a plan's later purchases take: with "newest" the latest that is sold, else its own."""
    own = plan.follow_up.build or (plan.start.build if plan.start else "")
    coming = successors(own, scenario) if plan.follow_up.generation == "newest" else []
    chosen = []
    for month in range(scenario.months):
        now = own
        for each in coming:
            end = last_sale(each.slug, scenario)
            if each.from_month <= month and (end is None or month < end):
                now = each.slug
        chosen.append(now)
    return chosen
