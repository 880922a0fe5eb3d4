"""What do I need: a workload against every accelerator of the catalog, and a scenario made of the answer."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np

from catalog.records import Catalog, ItemRecord
from planner.engine import workload as formulas
from planner.engine.advice import Saving, scheduler_saving
from planner.engine.calendar import Array, Calendar, calendar_for, lead_in_months
from planner.engine.demand import Requirement, Sizing, power_share, under_limit
from planner.engine.eligibility import country_of, export_rule, runs_software
from planner.engine.footprint import Footprint, footprint
from planner.engine.inputs import (
    BatchWorkload,
    HpcWorkload,
    ModelShape,
    Scenario,
    TrainingWorkload,
    TuningWorkload,
    Workload,
    get_at,
)
from planner.engine.prices import (
    PROVIDER_CLASSES,
    Accelerator,
    Build,
    CloudOffer,
    ExportRule,
    MissingRate,
    Price,
    PriceBook,
    comparable_offers,
    content_hash,
    median_offer,
)
from planner.engine.quantities import Choice, InputError, Problem
from planner.services import pricebook
from planner.services.evaluation import Recent

SLUG = "work"
SIZED = "sized-"  # and a kind of work: the template of a scenario made here; `wording.template_title` names it
MONTHS = 60
REGION = "US-VA"  # of a room nobody has described; a field of the scenario
# What a page begins with where the catalog has it.
ACCELERATOR, MODEL = "h200-sxm", "llama-3.1-70b"
# Servers of a card for which the catalog has none. [GPU]
ASSUMED_GPUS = 8
JOINED = ("SXM", "OAM", "superchip")  # forms whose servers join all their GPUs by an NVLink-class network
COMMISSIONING_DAYS = 7.0  # likely value of the catalog's row commissioning-days


# ── A workload to begin with ─────────────────────────────────────────────────────────────────────────────────────────


def _members() -> dict[str, Any]:
    union = get_args(Workload)[0]
    return {get_args(each.model_fields["kind"].annotation)[0]: each for each in get_args(union)}


KINDS: dict[str, Any] = _members()


def preset_field(kind: str) -> str:
    """The field of a kind of work that names a model of the catalog; "" where it has none."""
    for name, info in KINDS[kind].model_fields.items():
        marks = [*info.metadata, *(m for part in get_args(info.annotation) for m in getattr(part, "__metadata__", ()))]
        if any(isinstance(mark, Choice) and mark.kind == "model" for mark in marks):
            return str(name)
    return ""


def shape_field(kind: str) -> str:
    """The field of a kind of work that holds a model by hand; "" where it has none."""
    fields = KINDS[kind].model_fields.items()
    return next((name for name, info in fields if ModelShape in (info.annotation, *get_args(info.annotation))), "")


def fresh(kind: str, catalog: Catalog, **given: str) -> dict[str, Any]:
    """A workload of a kind with the declared defaults, on a model and an accelerator of the catalog.

    given : values of fields that the kind may have or not, such as the accelerator of the kind before.
    """
    work: dict[str, Any] = {"slug": SLUG, "kind": kind, "accelerator": _known(catalog, "accelerator", ACCELERATOR)}
    if preset := preset_field(kind):
        work[preset] = _known(catalog, "model", MODEL)
    for name, value in given.items():
        catalog_kind = "model" if name == preset else name
        if name in work and value in catalog.of_kind(catalog_kind):
            work[name] = value
    return dict(_document({"demand": {"workloads": [work]}})["demand"]["workloads"][0])


def _known(catalog: Catalog, kind: str, wanted: str) -> str:
    known = catalog.of_kind(kind)
    usable = [slug for slug, item in known.items() if kind != "model" or pricebook.sizable(item)]
    return wanted if wanted in usable else next(iter(usable), wanted)


def shape_of(preset: str, catalog: Catalog) -> dict[str, Any]:
    """The architecture of a model of the catalog as a document; that of the default where it is not known."""
    models = {slug: item for slug, item in catalog.of_kind("model").items() if pricebook.sizable(item)}
    item = models.get(preset) or models[_known(catalog, "model", MODEL)]
    known = {name: getattr(item.spec, name, None) for name in ModelShape.model_fields}
    shape = ModelShape.read({name: value for name, value in known.items() if value is not None})
    return following(shape.model_dump(mode="json"))


def following(shape: dict[str, Any]) -> dict[str, Any]:
    """A model whose every layer sees everything: said by an empty field, so that it still holds with other layers."""
    every = shape["full_attention_layers"] == shape["layers"]
    return {**shape, "full_attention_layers": None} if every else shape


def blank(kind: str, catalog: Catalog, today: dt.date, **given: str) -> dict[str, Any]:
    """A document around one workload: priced in dollars today, for five years from the next month."""
    return _document({"demand": {"workloads": [fresh(kind, catalog, **given)]}, "pricing_date": today.isoformat()})


def around(document: dict[str, Any], slug: str) -> dict[str, Any]:
    """A stored scenario with that workload alone, or with its first; raises KeyError where there is none."""
    works = get_at(document, "demand/workloads") or []
    wanted = [work for work in works if not slug or work["slug"] == slug]
    if not wanted:
        raise KeyError(slug)
    return {**document, "demand": {**document["demand"], "workloads": wanted[:1]}}


def _document(given: dict[str, Any]) -> dict[str, Any]:
    today = dt.date.fromisoformat(given.get("pricing_date", "2026-01-01"))
    return Scenario.read(
        {
            "start": month_after(today, 1),
            "months": MONTHS,
            "pricing_date": today.isoformat(),
            "plans": [{"slug": "none"}],
            "sites": [{"slug": "room", "region": REGION}],
            "reliability": {"counted": True},
            **given,
        }
    ).model_dump(mode="json")


def month_after(day: dt.date, months: int) -> str:
    """The month that begins so many months after that of a day: "2027-01"."""
    count = day.year * 12 + day.month - 1 + months
    return f"{count // 12}-{count % 12 + 1:02d}"


# ── The answer, accelerator by accelerator ───────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Bought:
    """What is bought for today's need: servers, their power and price. Money in the book's currency."""

    build: Build
    servers: int
    servers_last: int  # in the last month of the horizon
    max_kw: float  # under the power limit, where one is set
    typical_kw: float
    unlimited_kw: float  # at most, without a limit
    price: Price | None  # of one server
    amount: float | None  # of all; None without a quote or an exchange rate
    missing_rate: str = ""  # the currency of the quote for which no exchange rate is known


@dataclass(frozen=True)
class Rented:
    """What the same GPUs cost by the hour: the median of the comparable offers."""

    offer: CloudOffer
    provider_class: str
    per_gpu_hour: float
    per_hour: float


@dataclass(frozen=True)
class Need:
    """What a workload needs of one accelerator.

    state : "fits"; "software" where it runs another software stack than the work needs; "memory" where one job does
            not fit any gang or replica; "rate" where the catalog lacks what the rate follows from; "target" where no
            number of GPUs suffices; "copy" where a copy of the size that is asked for does not work.
    gpus, gpus_last : needed today and in the last month, whole. [GPU]
    band  : (fewest, most) GPUs where runs reach the upper or the lower end of what was published for this hardware;
            None for other work, and where the planner says what they reach.
    outgrown : (first month in which one job needs more than a server, first in which no number of GPUs holds it), of a
            model that grows; None where that month does not come.
    saving : what the scheduler of a pool saves; None for other work.
    rate  : (amount, unit, whether it was measured) of one GPU; None where the work is stated in GPUs.
    ratio : work of one GPU in GPUs of the workload's reference; None where it is not known.
    """

    accelerator: Accelerator
    item: ItemRecord
    state: str
    server_gpus: int
    footprint: Footprint | None = None
    requirement: Requirement | None = None
    gpus: int = 0
    gpus_last: int = 0
    band: tuple[int, int] | None = None
    outgrown: tuple[int | None, int | None] = (None, None)
    saving: Saving | None = None
    gang: int = 1
    tier: str = ""
    rate: tuple[float, str, bool] | None = None
    ratio: float | None = None
    bought: Bought | None = None
    rented: Rented | None = None
    cards_kw: float | None = None  # of the GPUs alone, where there is no server

    @property
    def slug(self) -> str:
        return self.accelerator.slug

    @property
    def fits(self) -> bool:
        return self.state == "fits"

    @property
    def limited(self) -> tuple[float, float] | None:
        """What a power limit leaves of (a card's power, its speed); None where none holds. [1]"""
        factors = self.requirement.factors if self.requirement is not None else {}
        return (factors["power_share"], factors["power_limit"]) if "power_limit" in factors else None

    @property
    def kw(self) -> float | None:
        """Highest draw of what is needed today; of the cards alone where the catalog has no server."""
        return self.bought.max_kw if self.bought else self.cards_kw

    @property
    def amount(self) -> float | None:
        return self.bought.amount if self.bought else None


@dataclass(frozen=True)
class Answer:
    """Every accelerator against the first workload of a document."""

    scenario: Scenario
    book: PriceBook
    shape: ModelShape | None
    needs: list[Need] = field(default_factory=list)

    @property
    def calendar(self) -> Calendar:
        return calendar_for(self.scenario.start, self.scenario.months)

    @property
    def work(self) -> Workload:
        return self.scenario.demand.workloads[0]

    @property
    def nothing(self) -> bool:
        """Whether no work is stated, neither today nor later."""
        required = [need.requirement.required for need in self.needs if need.requirement is not None]
        return bool(required) and not any(each.any() for each in required)

    def export_rule(self, need: Need) -> ExportRule | None:
        """The rule by which an accelerator may not be sold into the country of the room freely; None where it may."""
        rule = export_rule(need.accelerator, country_of(self.scenario))
        return None if rule is None or rule.verdict == "allowed" else rule

    def of(self, slug: str) -> Need | None:
        return next((need for need in self.needs if need.slug == slug), None)


# By content; the catalog is kept with its book, so that no other can take its identity meanwhile.
_books, _answers = Recent(8), Recent(16)


def book_for(scenario: Scenario, catalog: Catalog) -> PriceBook:
    """All hardware at the prices of a document's day, in its currency."""
    key = (id(catalog), scenario.currency, scenario.pricing_date)
    book: PriceBook = _books.get(
        key, lambda: (pricebook.everything(catalog, scenario.currency, scenario.pricing_date), catalog)
    )[0]
    return book


def answer(scenario: Scenario, catalog: Catalog) -> Answer:
    """What the first workload needs of each accelerator; raises InputError where the workload cannot be computed."""
    key = (id(catalog), content_hash(scenario.model_dump(mode="json")))
    found: Answer = _answers.get(key, lambda: (_answer(scenario, catalog), catalog))[0]
    return found


def _answer(scenario: Scenario, catalog: Catalog) -> Answer:
    book = book_for(scenario, catalog)
    asked, items = _Asked(scenario, book), catalog.of_kind("accelerator")
    return Answer(
        scenario, book, asked.shape, [asked.need(book.accelerators[slug], item) for slug, item in items.items()]
    )


class _Asked:
    """One workload, asked about accelerator after accelerator."""

    def __init__(self, scenario: Scenario, book: PriceBook) -> None:
        self.scenario, self.book, self.work = scenario, book, scenario.demand.workloads[0]
        self.limit_w = scenario.operations.gpu_power_limit_w
        self.sizing = Sizing(scenario, book, calendar_for(scenario.start, scenario.months))
        read_shape: Callable[[Any], ModelShape | None] = self.sizing.shape
        self.shape = read_shape(self.work) if shape_field(self.work.kind) else None
        self.builds: dict[str, list[Build]] = {}
        for build in book.builds.values():
            self.builds.setdefault(build.accelerator, []).append(build)
        self.reference = self._reference()

    def _reference(self) -> Requirement | None:
        try:
            return self.sizing.reference(self.work)
        except InputError as error:
            if any(problem.code != "no_rate" for problem in error.problems):
                raise
            return None

    def need(self, card: Accelerator, item: ItemRecord) -> Need:
        """The best of the servers with that card: without a fabric if possible, then the cheapest, then fewest."""
        found = [self._on(card, item, build) for build in self.builds.get(card.slug, [])]
        found = found or [self._on(card, item, None)]
        return min(found, key=_rank)

    def _on(self, card: Accelerator, item: ItemRecord, build: Build | None) -> Need:
        gpus = build.accelerator_count if build else ASSUMED_GPUS
        if not runs_software(self.work, card):
            return Need(card, item, "software", gpus)
        one_domain = build.one_domain if build else card.form_factor in JOINED
        try:
            need = self._required(self.work, card, gpus, one_domain)
        except InputError as error:
            if any(problem.code != "no_rate" for problem in error.problems):
                raise
            held = footprint(self.work, self.shape, card)
            state = "memory" if held is not None and held.fit == "none" else "rate"
            return Need(card, item, state, gpus, held if state == "memory" else None)
        held = footprint(self.work, self.shape, card, need)
        wanted = need.required[0]
        if not np.isfinite(wanted).all():
            return Need(card, item, "target", gpus, held, need)
        if need.sizes is not None:
            return Need(card, item, "copy", gpus, None, need)  # the memory is that of another size
        if not need.fits:
            return Need(card, item, "memory", gpus, held, need)
        runs = need.runs_in(gpus, joined=True)
        today, last = (math.ceil(float(wanted[m] * runs[m]) - 1e-9) for m in (0, -1))
        gang = need.gang_today
        return Need(
            card,
            item,
            "fits",
            gpus,
            held,
            need,
            today,
            last,
            self._band(card, gpus, one_domain),
            _outgrown(need, gpus),
            scheduler_saving(self.work, need),
            gang,
            formulas.installation_class(gang, gpus, one_domain, today),
            _rate(need, self.work),
            self._ratio(need),
            self._bought(build, card, today, last) if build else None,
            self._rented(card.slug, today),
            _cards_kw(card, today, self.limit_w),
        )

    def _required(self, work: Workload, card: Accelerator, gpus: int, one_domain: bool) -> Requirement:
        return self.sizing.on(work, card, gpus, one_domain, power_share=power_share(card, self.limit_w))

    def _band(self, card: Accelerator, gpus: int, one_domain: bool) -> tuple[int, int] | None:
        """(fewest, most) GPUs needed today over the band of published runs."""
        work = self.work
        if not isinstance(work, (TrainingWorkload, TuningWorkload)) or work.mfu is not None or is_measured(work):
            return None
        found = []
        for end in ("high", "low"):
            # a name of its own: what is known of the work is kept by its name
            other = work.model_copy(update={"band": end, "slug": f"{work.slug}.{end}"})
            wanted = float(self._required(other, card, gpus, one_domain).required[0, 0])
            found.append(math.ceil(wanted - 1e-9) if math.isfinite(wanted) else 0)
        return found[0], found[1]

    def _ratio(self, need: Requirement) -> float | None:
        here = float(need.mean[0, 0])
        if self.reference is None or here <= 0.0 or not math.isfinite(here):
            return None
        return float(self.reference.mean[0, 0]) / here

    def _bought(self, build: Build, card: Accelerator, gpus: int, last: int) -> Bought:
        limited, _addon = under_limit(build, None, card, self.limit_w)
        servers, at_last = (-(-count // build.accelerator_count) for count in (gpus, last))
        amount, missing = None, ""
        if build.price is not None:
            try:
                amount = build.price.value(self.book.currency) * servers
            except MissingRate:
                missing = build.price.currency
        kw = (limited.max_kw * servers, limited.typical_kw * servers, build.max_kw * servers)
        return Bought(build, servers, at_last, *kw, build.price, amount, missing)

    def _rented(self, slug: str, gpus: int) -> Rented | None:
        market = self.scenario.market
        order = [market.provider_class, *(each for each in PROVIDER_CLASSES if each != market.provider_class)]
        for provider_class in order:
            offers = comparable_offers(
                self.book.offers.values(), slug, provider_class, "", self.book.pricing_date, market.stale_after_days
            )
            priced = [offer for offer in offers if offer.price is not None and offer.price.rate is not None]
            offer = median_offer(priced, self.book.currency)
            if offer is not None and offer.price is not None:
                each = offer.price.value(self.book.currency)
                units = gpus / offer.count if offer.billing_unit == "gpu" else math.ceil(gpus / offer.count)
                return Rented(offer, provider_class, each / offer.count, each * units)
        return None


def _rank(need: Need) -> tuple[Any, ...]:
    used = need.bought is not None and need.bought.build.slug.startswith("used-")
    amount = math.inf if need.amount is None else need.amount
    servers = need.bought.servers if need.bought else 0
    cluster = need.tier == "cluster"
    unjoined = cluster and need.bought is not None and not need.bought.build.fabric_ports
    return (not need.fits, cluster, unjoined, used, amount, servers, -need.server_gpus)


# Fields in which a planner states a rate that was measured.
MEASURED = (
    "measured_tokens_per_s_per_gpu",
    "measured_requests_per_s_per_gpu",
    "measured_prefill_tokens_per_s_per_gpu",
    "measured_rate_per_gpu",
    "measured_tflops_per_gpu",
)


def is_measured(work: Workload) -> bool:
    """Whether a rate that was measured stands in place of the formula."""
    return any(getattr(work, name, None) is not None for name in MEASURED)


def _rate(need: Requirement, work: Workload) -> tuple[float, str, bool] | None:
    """What one GPU does: measured where the document says so, else by formula."""
    factors, measured = need.factors, is_measured(work)
    kept = factors.get("power_limit", 1.0)
    if "rate_per_gpu" in factors:
        return factors["rate_per_gpu"], "request/s", measured
    if isinstance(work, BatchWorkload):
        unit = "item/s" if work.tokens_b_per_month is None else "token/s"
        return (factors["measured_rate"] * kept if measured else factors["batch_rate"]), unit, measured
    if factors.get("gpu_hours_per_run") and "tokens" in factors:
        spread = 1.0 if measured else factors.get("scaling_share", 1.0) * factors.get("network_share", 1.0)
        return factors["tokens"] * spread / (factors["gpu_hours_per_run"] * 3600.0), "token/s", measured
    if isinstance(work, HpcWorkload):
        flops = factors["measured_rate"] if measured else factors["fp64_flops"] * factors["efficiency"]
        return flops * kept / 1e12, "TFLOP/s", measured
    return None


def _cards_kw(card: Accelerator, gpus: int, limit_w: float | None) -> float | None:
    return None if card.tdp_w is None else card.tdp_w * power_share(card, limit_w) * gpus / 1000.0


def _outgrown(need: Requirement, server_gpus: int) -> tuple[int | None, int | None]:
    """See `Need.outgrown`."""
    if need.memory_by_month is None:
        return None, None

    def first(runs: Array) -> int | None:
        return int(np.argmax(runs <= 0)) if runs[0] > 0 and not runs.all() else None

    return first(need.runs_in(server_gpus, joined=False)), first(need.runs_in(server_gpus, joined=True))


# ── A scenario of it ─────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Proposal:
    """A document to begin with, and what could not be put into it: codes of `wording.sizing`."""

    document: dict[str, Any]
    missing: list[str]


def propose(answered: Answer, slug: str, name: str) -> Proposal:
    """The usual plans on one accelerator; raises InputError where none is possible, KeyError for an unknown one."""
    need = answered.of(slug)
    if need is None:
        raise KeyError(slug)
    if not need.fits:
        raise InputError(Problem(("plans",), "no_rate", slug))
    scenario, missing = answered.scenario, list[str]()
    overflow = None
    if need.rented is None:
        missing.append("no_offer")
    else:
        overflow = {"accelerator": slug, "provider_class": need.rented.provider_class}
    plans = [*_owned(answered, need, overflow, missing)]
    if overflow is not None:
        plans.append({"slug": "cloud", "strategy": "cloud", "overflow": overflow})
    if not plans:
        unjoined = need.bought is not None and "no_fabric_ports" in missing
        code, item = ("no_fabric_ports", need.bought.build.slug) if unjoined and need.bought else ("no_quote", slug)
        raise InputError(Problem(("plans",), code, item))
    lead = lead_in_months(need.bought.build.lead_weeks[1] if need.bought else 0.0, COMMISSIONING_DAYS)
    document = {
        **scenario.model_dump(mode="json"),
        "name": name,
        "template": f"{SIZED}{answered.work.kind}",
        "start": month_after(scenario.pricing_date, max(1, lead + 1)),
        "plans": plans,
    }
    return Proposal(document, missing)


def _owned(
    answered: Answer, need: Need, overflow: dict[str, Any] | None, missing: list[str]
) -> Iterator[dict[str, Any]]:
    """Start small and scale out, the servers now, or the cluster where a gang needs one."""
    if need.bought is None or need.bought.amount is None:
        missing.append("no_server" if need.bought is None else "no_quote")
        return
    build, servers = need.bought.build, max(1, need.bought.servers)
    if need.tier == "cluster":
        missing.append("no_small_start")
        if not build.fabric_ports:
            missing.append("no_fabric_ports")
            return
        yield _plan("cluster-now", "cluster_now", build, servers, "servers", "when_needed", overflow)
        return
    small = _smaller(answered, need)
    if small is None:
        missing.append("no_smaller_server")
    else:
        grows = "cards" if small.build.slug in answered.book.addons else "servers"
        yield _plan("scale-out", "scale_out", small.build, max(1, small.servers), grows, "never", overflow)
    strategy = "server_now" if servers == 1 else "servers_now"
    yield _plan("servers-now", strategy, build, servers, "servers", "never", overflow)


def _smaller(answered: Answer, need: Need) -> Bought | None:
    """The smallest priced server of the accelerator in which the workload needs no fabric, else None.

    Where it is the chosen one, it must be able to take more cards: else both plans would be the same.
    """
    asked = _Asked(answered.scenario, answered.book)
    assert need.bought is not None
    found = []
    for build in asked.builds.get(need.slug, []):
        each = asked._on(need.accelerator, need.item, build)
        usable = each.fits and each.tier != "cluster" and each.amount is not None
        other = build.slug != need.bought.build.slug or build.slug in answered.book.addons
        if usable and other and each.bought and not build.slug.startswith("used-"):
            found.append(each.bought)
    smallest = min(
        found, key=lambda each: (each.build.accelerator_count * each.servers, each.amount or 0), default=None
    )
    if smallest is None or smallest.build.accelerator_count > need.bought.build.accelerator_count:
        return None
    return smallest


def _plan(
    slug: str, strategy: str, build: Build, servers: int, grows: str, fabric: str, overflow: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "slug": slug,
        "strategy": strategy,
        "start": {"build": build.slug, "quantity": servers},
        "follow_up": {"kind": grows, "batch": 1},
        "fabric": {"when": fabric},
        "overflow": overflow,
    }
