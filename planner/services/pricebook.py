"""Catalog → price book: every item a scenario touches, resolved to the quote valid on its pricing date.

The same code reads the shipped files (before any migration) and the database: both arrive as `catalog.records.Catalog`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, cast

from catalog.export_rules import export_rules
from catalog.records import Catalog, ItemRecord, Provenance, QuoteRecord
from catalog.tariff_periods import PeriodRow, Schedule, schedules
from planner.engine.costs import COST_ROWS, RETAIL_COLOCATION, cloud_rows, finance_rows
from planner.engine.costs.books import rows_asked as server_rows_asked
from planner.engine.energy import DemandCharge, Period
from planner.engine.inputs import HpcWorkload, PoolWorkload, Scenario
from planner.engine.prices import (
    Accelerator,
    AddOn,
    Basis,
    Break,
    Build,
    CloudOffer,
    ColocationRate,
    Cost,
    Discount,
    ExportRule,
    Item,
    ModelPreset,
    Price,
    PriceBook,
    Source,
    Tariff,
    TariffSchedule,
    Terms,
    Verdict,
)
from planner.engine.tenders import procurement_rows
from planner.engine.wiring import items_asked
from planner.engine.wiring import rows_asked as fabric_rows_asked

# All GPUs of such a build share one fast domain; bridges join two to four cards, PCIe none.
ONE_DOMAIN = {"NVLink-switch", "NVLink-mesh", "Infinity-Fabric", "RoCE-onboard", "HCCS"}
# Typical draw where a build gives none, as a share of the maximum (model, section 4). [1]
TYPICAL_SHARE = 0.76
# Idle draw where a build gives none, as a share of the maximum (facility formulas 2.4, planning assumption). [1]
IDLE_SHARE = 0.2
# Host memory in new servers, for the share of a build's price that follows memory (builds_addons.csv, basis). [USD/GB]
MEMORY_USD_PER_GB = 11.0
# A network adapter in new servers (builds_addons.csv, basis), and the most of a price that adapters are taken for.
NIC_USD, MOST_NICS = 2000.0, 0.15
DEFAULT_ACCELERATOR_SHARE, DEFAULT_MEMORY_SHARE = 0.75, 0.10
RETAIL_ROW = "north-america-median-retail-one-4-kw-cabinet"

# Units in which a rate may be quoted → how many of the unit the model counts in one of them. A year is 8,760 hours and
# twelve equal months, so that a price put per hour, month or year comes to the same in a year.
HOURS_PER_YEAR, MONTHS_PER_YEAR = 8760.0, 12.0
_PERIODS = {"hour": 1.0, "month": HOURS_PER_YEAR / MONTHS_PER_YEAR, "year": HOURS_PER_YEAR}
UNITS: dict[str, dict[str, float]] = {
    "offer": {f"{what}-{period}": hours for what in ("gpu", "instance", "node") for period, hours in _PERIODS.items()},
    "tariff": {"kWh": 1.0, "MWh": 1000.0},
    "colocation": {"kW-month": 1.0, "kW-year": MONTHS_PER_YEAR},
}

_QUOTE_BASIS: dict[str, Basis] = {
    "quote": "quoted",
    "list": "list",
    "reseller": "list",
    "estimate": "estimate",
    **dict.fromkeys(("street", "auction", "used", "analyst", "news", "index"), "market"),
}


def build(catalog: Catalog, scenario: Scenario, *, rates_of: PriceBook | None = None) -> PriceBook:
    """The price book of a scenario. What has no quote has no price; what is not in the catalog is left out.

    rates_of : a book whose exchange rates go before those of the catalog, so that one currency has one rate.
    """
    return _Maker(catalog, scenario.currency, scenario.pricing_date, rates_of).book(scenario)


def in_currency(book: PriceBook, catalog: Catalog, currency: str) -> PriceBook:
    """The same prices, reported in another currency: amounts stay, exchange rates are those of the catalog."""
    return book if currency == book.currency else _Maker(catalog, currency, book.pricing_date).converted(book)


def everything(catalog: Catalog, currency: str, day: date) -> PriceBook:
    """The price book of all hardware: every accelerator, server, card, model and offer on demand, for no scenario."""
    return _Maker(catalog, currency, day).hardware()


def shop(catalog: Catalog, scenario: Scenario) -> PriceBook:
    """The price book of a scenario with every server, card and model besides, for whoever has chosen none yet."""
    maker = _Maker(catalog, scenario.currency, scenario.pricing_date)
    asked, everything = maker.book(scenario), maker.hardware()
    parts = ("accelerators", "builds", "addons", "offers", "models")
    return asked.model_copy(update={name: {**getattr(asked, name), **getattr(everything, name)} for name in parts})


def accelerators(catalog: Catalog) -> dict[str, Accelerator]:
    """Every GPU of the catalog with its figures; they have no prices."""
    maker = _Maker(catalog, "USD", date.min)
    return {slug: maker._accelerator(item) for slug, item in catalog.of_kind("accelerator").items()}


def exchange_rate(catalog: Catalog, one: str, other: str, day: date) -> float | None:
    """Units of one currency per unit of another, as a price book of that day converts; None where no rate is known."""
    return _Maker(catalog, other, day)._rate(one)[0]


def sizable(item: ItemRecord) -> bool:
    """Whether a model's architecture is known well enough for the sizing formulas; that of image models is not."""
    spec = item.spec
    return None not in (spec.params_b, spec.layers, spec.hidden, spec.heads)


@dataclass(frozen=True)
class Asked:
    """What documents ask of a price book, by the names they give; with `wants` for what follows from those."""

    builds: frozenset[str]
    cards: frozenset[str]  # accelerators that work is stated in or that are rented
    offers: frozenset[str]
    switches: frozenset[str]
    markets: frozenset[str]
    presets: frozenset[str]
    costs: frozenset[str]
    regions: frozenset[str]
    schedules: frozenset[str]
    pricing: frozenset[str]  # ways in which a cloud offer is priced

    @classmethod
    def by(cls, *scenarios: Scenario) -> Asked:
        plans = [plan for each in scenarios for plan in each.plans]
        works = [work for each in scenarios for work in each.demand.workloads]
        sites = [site for each in scenarios for site in each.sites]
        overflows = [plan.overflow for plan in plans if plan.overflow]
        builds = [plan.start.build for plan in plans if plan.start] + [plan.follow_up.build for plan in plans]
        builds += [coming.like for each in scenarios for coming in each.market.generations]
        builds += [contract.build for each in scenarios for contract in each.operations.contracts]
        taxes = [each.operations.tax_region for each in scenarios]
        return cls(
            builds=_named(builds),
            cards=_named([rented.accelerator for rented in overflows] + [work.accelerator for work in works]),
            offers=_named(rented.offer for rented in overflows),
            switches=frozenset().union(*(items_asked(plan.fabric) for plan in plans)),
            markets=_named(site.colocation.market for site in sites if site.colocation),
            presets=_named(work.preset for work in works if not isinstance(work, (PoolWorkload, HpcWorkload))),
            costs=COST_ROWS.union(
                *map(cloud_rows, scenarios),
                *map(finance_rows, scenarios),
                *map(procurement_rows, scenarios),
                *(fabric_rows_asked(plan.fabric) for plan in plans),
                *(server_rows_asked(each.operations) for each in scenarios),
            )
            | _named(taxes)
            | _named(terms.item for each in scenarios for terms in each.operations.subscriptions)
            | _named(step.item for site in sites for step in site.upgrades),
            regions=_named(site.region for site in sites),
            pricing=frozenset({"on_demand"}).union(*(rented.pricing_models for rented in overflows)),
            schedules=_named(site.tariff.schedule for site in sites if site.tariff),
        )

    def wants(self, part: str, key: str, entry: Any, book: PriceBook) -> bool:
        """Whether the entry of a book belongs to these documents; `part` is the field of the book that holds it."""
        match part:
            case "builds" | "addons":
                return key in self.builds
            case "accelerators":
                hosts = (build for slug, build in book.builds.items() if slug in self.builds)
                return key in self.cards or any(build.accelerator == key for build in hosts)
            case "offers":
                ordinary = entry.pricing_model in self.pricing and entry.provider_class != "index"
                return key in self.offers or (ordinary and entry.accelerator in self.cards)
            case "items":
                return key in self.switches
            case "costs":
                return key in self.costs
            case "tariffs":
                return entry.region in self.regions
            case "schedules":
                return key in self.schedules
            case "colocation":
                return key in self.markets or (key == RETAIL_COLOCATION and bool(self.markets))
        return key in self.presets


def _comparable(offer: ItemRecord, pricing: frozenset[str] = frozenset({"on_demand"})) -> bool:
    """Whether an offer may stand for its class: priced in one of these ways, and no index."""
    return offer.spec.pricing_model in pricing and offer.spec.provider_class != "index"


class _Maker:
    def __init__(self, catalog: Catalog, currency: str, day: date, rates_of: PriceBook | None = None) -> None:
        self.catalog, self.currency, self.day = catalog, currency, day
        self._rates: dict[str, tuple[float | None, date | None, str]] = _rates_in(rates_of) if rates_of else {}

    def book(self, scenario: Scenario) -> PriceBook:
        asked = Asked.by(scenario)
        builds = sorted(asked.builds & set(self.catalog.of_kind("build")))
        hosted = {self.catalog.item("build", slug).spec.accelerator_slug for slug in builds}
        offers = {
            item.slug: self._offer(item)
            for slug in sorted(asked.cards)
            for item in self.catalog.offers_of(slug)
            if _comparable(item, asked.pricing)
        }
        offers |= {slug: self._offer(item) for slug, item in self._some("offer", asked.offers)}
        colocation = {slug: self._colocation(item) for slug, item in self._some("colocation", asked.markets)}
        if asked.markets and RETAIL_ROW in self.catalog.of_kind("colocation"):
            colocation[RETAIL_COLOCATION] = self._colocation(self.catalog.item("colocation", RETAIL_ROW))
        return PriceBook(
            currency=self.currency,
            pricing_date=self.day,
            accelerators={
                slug: self._accelerator(item) for slug, item in self._some("accelerator", asked.cards | hosted)
            },
            builds={slug: self._build(self.catalog.item("build", slug)) for slug in builds},
            addons={slug: self._addon(addon) for slug in builds for addon in self.catalog.addons_of(slug)[:1]},
            offers=dict(sorted(offers.items())),
            items={
                slug: self._switch(item)
                for kind in ("switch", "mgmt")
                for slug, item in self._some(kind, asked.switches)
            },
            costs={
                slug: self._cost(item, item.spec.likely)
                for slug, item in self._some("cost", asked.costs)
                if item.spec.likely is not None  # a figure that nobody gave is missing, not 0
            },
            tariffs=self._tariffs(asked.regions),
            schedules={slug: self._schedule(schedules()[slug]) for slug in sorted(asked.schedules & set(schedules()))},
            colocation=colocation,
            models={slug: self._model(item) for slug, item in self._some("model", asked.presets) if sizable(item)},
        )

    def converted(self, book: PriceBook) -> PriceBook:
        """A book of this day in this currency, with the prices of another."""
        parts = {
            name: {key: self._converted(entry) for key, entry in part.items()}
            for name, part in book
            if isinstance(part, dict)
        }
        return book.model_copy(update={**parts, "currency": self.currency})

    def _converted(self, entry: Any) -> Any:
        if isinstance(entry, (Cost, TariffSchedule)) and entry.currency:
            return entry.model_copy(update=self._rated(entry.currency, entry.source))
        prices = {name: value for name, value in entry if isinstance(value, Price)}
        return entry.model_copy(
            update={
                name: price.model_copy(update=self._rated(price.currency, price.source))
                for name, price in prices.items()
            }
        )

    def _rated(self, currency: str, source: Source) -> dict[str, Any]:
        """The rate of a price, and its source with the rate that a reader may check."""
        rate, dated, rate_source = self._rate(currency)
        shown = None if currency == self.currency else rate
        found = {"rate": shown, "rate_dated": dated, "rate_source": rate_source}
        return {"rate": rate, "source": source.model_copy(update=found)}

    def hardware(self) -> PriceBook:
        of_kind, accelerators = self.catalog.of_kind, self.catalog.of_kind("accelerator")
        builds = {slug: item for slug, item in of_kind("build").items() if item.spec.accelerator_slug in accelerators}
        return PriceBook(
            currency=self.currency,
            pricing_date=self.day,
            accelerators={slug: self._accelerator(item) for slug, item in accelerators.items()},
            builds={slug: self._build(item) for slug, item in builds.items()},
            addons={slug: self._addon(addon) for slug in builds for addon in self.catalog.addons_of(slug)[:1]},
            offers={slug: self._offer(item) for slug, item in of_kind("offer").items() if _comparable(item)},
            models={slug: self._model(item) for slug, item in of_kind("model").items() if sizable(item)},
        )

    def _some(self, kind: str, slugs: Iterable[str]) -> list[tuple[str, ItemRecord]]:
        known = self.catalog.of_kind(kind)
        return [(slug, known[slug]) for slug in sorted(slugs) if slug in known]

    # ── prices and their sources ──

    def _rate(self, currency: str) -> tuple[float | None, date | None, str]:
        """Units of the book's currency per unit of another: the latest rate on or before the pricing date.

        A pair quoted the other way round is divided, one not quoted goes over the dollar. None where a rate is missing.
        """
        if currency == self.currency:
            return 1.0, None, ""
        if currency not in self._rates:
            direct = self._pair(currency, self.currency)
            if direct[0] is None and "USD" not in (currency, self.currency):
                first, second = self._pair(currency, "USD"), self._pair("USD", self.currency)
                if first[0] is not None and second[0] is not None:
                    dated = min(day for day in (first[1], second[1]) if day is not None)
                    direct = (first[0] * second[0], dated, first[2])
            self._rates[currency] = direct
        return self._rates[currency]

    def _pair(self, one: str, other: str) -> tuple[float | None, date | None, str]:
        """The latest rate of a pair, whichever way round it was quoted."""
        straight = self.catalog.exchange_rate(one, other, self.day)
        turned = self.catalog.exchange_rate(other, one, self.day)
        if turned is not None and not turned.unit_price:
            turned = None
        if straight is not None and (turned is None or _dated(straight) >= _dated(turned)):
            return float(straight.unit_price), straight.quoted_on, straight.source_url
        if turned is not None:
            return float(Decimal(1) / turned.unit_price), turned.quoted_on, turned.source_url
        return None, None, ""

    def _price(self, slug: str, kind: str) -> Price | None:
        """The price rule of the model: a quote valid on the pricing date, else the row's own, else no quote."""
        valid = [quote for quote in self.catalog.effective(slug, self.day, kind) if _counted(quote, kind) is not None]
        used = slug.startswith("used-")
        chosen = next((quote for quote in valid if used or quote.condition != "used"), None)
        return None if chosen is None else self._priced(chosen)

    def _price_in(self, slug: str, condition: str) -> Price | None:
        """A quote for a server in a condition; None where the catalog has none that is valid."""
        valid = self.catalog.effective(slug, self.day, "build")
        chosen = next((quote for quote in valid if quote.condition == condition and _counted(quote, "build")), None)
        return None if chosen is None else self._priced(chosen)

    def _priced(self, quote: QuoteRecord) -> Price:
        basis: Basis = "unverified" if quote.status == "unverified" else _QUOTE_BASIS.get(quote.kind, "market")
        source = Source(
            basis=basis,
            item=quote.item_slug,
            supplier=quote.supplier,
            number=quote.number,
            dated=quote.quoted_on,
            valid_until=quote.valid_until,
            url=quote.source_url,
            note=quote.basis,
            quote_id=quote.external_id,
        )
        rated = self._rated(quote.currency, source)
        tax = float(quote.tax_included_percent or 0) / 100.0
        amount = float(quote.unit_price) / (_counted(quote, quote.item_kind) or 1.0)
        return Price(amount=amount, currency=quote.currency, tax_included=tax, terms=_terms(quote), **rated)

    def _source(self, item: ItemRecord, cell: str = "") -> Source:
        claim: Provenance | None = item.provenance.get(cell) if cell else next(iter(item.provenance.values()), None)
        if claim is None:
            return Source(basis="default", item=item.slug)
        return Source(basis=cast(Basis, claim.status), item=item.slug, url=claim.url, note=claim.text)

    # ── one maker a kind ──

    def _accelerator(self, item: ItemRecord) -> Accelerator:
        spec = item.spec
        return Accelerator(
            slug=item.slug,
            name=item.name,
            architecture=spec.architecture or "",
            memory_gb=spec.memory_gb,
            memory_bw_gbps=spec.memory_bw_gbps,
            tdp_w=spec.tdp_w,
            bf16_tflops=spec.bf16_tflops_dense or spec.fp16_tflops_dense,
            sixteen_bit="fp16" if spec.fp16_tflops_dense and not spec.bf16_tflops_dense else "bf16",
            fp8_tflops=spec.fp8_tflops_dense,
            fp4_tflops=spec.fp4_tflops_dense,
            fp64_tflops=spec.fp64_tensor_tflops or spec.fp64_tflops,
            form_factor=spec.form_factor or "",
            successor=spec.successor_slug or "",
            slot_width=spec.slot_width,
            card_length_mm=spec.card_length_mm,
            software_stack=spec.software_stack or "",
            pytorch=spec.pytorch_support or "",
            export_rules=tuple(
                ExportRule(
                    country=rule.country,
                    buyer_class=rule.buyer_class,
                    verdict=cast(Verdict, rule.verdict),
                    effective=rule.effective,
                    url=rule.source_url,
                    note=rule.note,
                )
                for rule in export_rules().get(item.slug, ())
            ),
            source=self._source(item, "bf16_tflops_dense"),
        )

    def _build(self, item: ItemRecord) -> Build:
        spec = item.spec
        card = self.catalog.of_kind("accelerator").get(spec.accelerator_slug)
        price = self._price(item.slug, "build")
        maximum = (spec.max_power_w or 0.0) / 1000.0
        addon = next(iter(self.catalog.addons_of(item.slug)), None)
        card_price = self._price(addon.slug, "addon") if addon else None
        accelerators, memory = DEFAULT_ACCELERATOR_SHARE, DEFAULT_MEMORY_SHARE
        if price and price.amount and price.currency == "USD" and spec.memory_gb:
            memory = min(0.25, spec.memory_gb * MEMORY_USD_PER_GB / price.amount)
        if price and card_price and price.amount and price.currency == card_price.currency:
            accelerators = min(1.0 - memory, spec.accelerator_count * card_price.amount / price.amount)
        chassis = item
        if spec.card_slot_width is None and spec.card_length_max_mm is None:  # then the maker's page of the chassis
            chassis = self.catalog.of_kind("server").get(spec.server_slug or "", item)
        nics = 0.0
        if price and price.amount and price.currency == "USD" and spec.fabric_ports:
            nics = min(MOST_NICS, spec.fabric_ports * NIC_USD / price.amount, 1.0 - memory - accelerators)
        sxm = card is not None and card.spec.form_factor in ("SXM", "OAM", "superchip")
        return Build(
            slug=item.slug,
            name=item.name,
            accelerator=spec.accelerator_slug,
            accelerator_count=spec.accelerator_count,
            chassis_slots=spec.chassis_slots or spec.accelerator_count,
            rack_units=spec.rack_units or 0.0,
            in_rack=(spec.rack_width or "").startswith(("19", "21")),
            weight_kg=spec.weight_kg,
            max_kw=maximum,
            typical_kw=spec.typical_power_w / 1000.0 if spec.typical_power_w is not None else TYPICAL_SHARE * maximum,
            idle_kw=spec.idle_power_w / 1000.0 if spec.idle_power_w is not None else IDLE_SHARE * maximum,
            psus=spec.psu_count or 0,
            psus_needed=spec.psu_needed,
            psu_kw=spec.psu_w / 1000.0 if spec.psu_w else None,
            inlet_max_c=spec.inlet_max_c,
            card_slot_width=chassis.spec.card_slot_width,
            card_length_max_mm=chassis.spec.card_length_max_mm,
            airflow_cfm=spec.airflow_cfm,
            noise_db=spec.noise_db,
            cooling=spec.cooling or "air",
            fabric_ports=spec.fabric_ports or 0,
            fabric_port_gbps=spec.fabric_port_gbps or 0.0,
            one_domain=(spec.inter_gpu_link or "") in ONE_DOMAIN,
            host_memory_gb=spec.memory_gb,
            local_tb=spec.local_nvme_tb,
            warranty_months=round((spec.warranty_years or 0.0) * 12),
            support_share_per_year=(spec.support_pct_per_year or 0.0) / 100.0,
            lead_weeks=(
                spec.lead_time_weeks_low or 0.0,
                spec.lead_time_weeks_likely or 0.0,
                spec.lead_time_weeks_high or 0.0,
            ),
            embodied_kgco2e=spec.embodied_kgco2e,
            embodied_gpu_kgco2e=spec.embodied_gpu_kgco2e,
            embodied_source=self._source(item, "embodied_kgco2e"),
            workstation=spec.tier == "workstation",
            residual_class="system" if sxm else "card",
            accelerator_share=accelerators,
            memory_share=memory,
            nic_share=max(0.0, nics),
            price=price,
            refurbished_price=self._price_in(item.slug, "refurb"),
            used_price=self._price_in(item.slug, "used"),
            source=self._source(item, "support_pct_per_year"),
            power_source=self._source(item, "max_power_w"),
            card_source=self._source(chassis, "card_slot_width"),
        )

    def _addon(self, item: ItemRecord) -> AddOn:
        spec = item.spec
        host = self.catalog.item("build", spec.build_slug)
        extra = None
        if spec.extra_price:
            rated = self._rated(spec.extra_price_currency, self._source(item, "extra_price"))
            extra = Price(amount=spec.extra_price, currency=spec.extra_price_currency, **rated)
        return AddOn(
            slug=item.slug,
            build=spec.build_slug,
            accelerator=host.spec.accelerator_slug,
            cards=spec.adds_accelerators,
            pack=spec.pack or 1,
            max_kw=(spec.adds_max_w or 0.0) / 1000.0,
            typical_kw=(spec.adds_typical_w or 0.0) / 1000.0,
            idle_kw=(spec.adds_idle_w or 0.0) / 1000.0,
            weight_kg=spec.adds_kg or 0.0,
            labour_hours=spec.labour_hours or 0.0,
            part_number=spec.part_number or "",
            price=self._price(item.slug, "addon"),
            extra_price=extra,
            extra_nic_share=min(1.0, (spec.adds_nics or 0) * NIC_USD / extra.amount)
            if extra is not None and extra.amount and extra.currency == "USD"
            else 0.0,
        )

    def _offer(self, item: ItemRecord) -> CloudOffer:
        spec = item.spec
        return CloudOffer(
            slug=item.slug,
            provider=spec.provider,
            provider_class=spec.provider_class,
            instance_type=spec.instance_type or "",
            accelerator=spec.accelerator_slug,
            count=spec.accelerator_count,
            billing_unit=spec.billing_unit,
            region=spec.region or "",
            pricing_model=spec.pricing_model,
            price=self._price(item.slug, "offer"),
        )

    def _switch(self, item: ItemRecord) -> Item:
        spec = item.spec
        return Item(
            slug=item.slug,
            name=item.name,
            kind=item.kind,
            ports=spec.ports,
            port_gbps=spec.port_speed_gbps,
            rack_units=spec.rack_units,
            max_kw=None if spec.max_power_w is None else spec.max_power_w / 1000.0,
            typical_kw=None if spec.typical_power_w is None else spec.typical_power_w / 1000.0,
            weight_kg=spec.weight_kg,
            price=self._price(item.slug, item.kind),
            source=self._source(item),
        )

    def _cost(self, item: ItemRecord, likely: float) -> Cost:
        spec = item.spec
        source = self._source(item, "likely").model_copy(update={"dated": spec.date})
        rated = self._rated(spec.currency, source) if spec.currency else {"source": source}
        return Cost(
            slug=item.slug,
            low=spec.low if spec.low is not None else likely,
            likely=likely,
            high=spec.high if spec.high is not None else likely,
            unit=spec.unit,
            currency=spec.currency or "",
            **rated,
        )

    def _tariffs(self, regions: frozenset[str]) -> dict[str, Tariff]:
        return {
            f"{item.spec.region_code}/{item.spec.customer_class}": Tariff(
                region=item.spec.region_code,
                customer_class=item.spec.customer_class,
                price=self._price(item.slug, "tariff"),
                grid_kgco2e_per_kwh=item.spec.grid_kgco2e_per_kwh,
                grid_source=self._source(item, "grid_kgco2e_per_kwh"),
            )
            for item in self.catalog.of_kind("tariff").values()
            if item.spec.region_code in regions
        }

    def _colocation(self, item: ItemRecord) -> ColocationRate:
        spec = item.spec
        return ColocationRate(
            market=item.slug,
            price=self._price(item.slug, "colocation"),
            power_included=spec.power_included,
            size_band=spec.size_band,
        )

    def _model(self, item: ItemRecord) -> ModelPreset:
        spec = item.spec
        return ModelPreset(
            slug=item.slug,
            name=item.name,
            params_b=spec.params_b,
            active_params_b=spec.active_params_b,
            layers=spec.layers,
            hidden=spec.hidden,
            heads=spec.heads,
            kv_heads=spec.kv_heads,
            head_dim=spec.head_dim,
            attention=spec.attention or "MHA",
            kv_lora_rank=spec.kv_lora_rank,
            rope_head_dim=spec.rope_head_dim,
            sliding_window=spec.sliding_window,
            full_attention_layers=spec.full_attention_layers,
            moe=bool(spec.moe),
            source=self._source(item, "params_b"),
        )

    def _schedule(self, found: Schedule) -> TariffSchedule:
        """A published tariff with the source of its first row."""
        first = found.rows[0]
        source = Source(
            basis=cast(Basis, first.status),
            item=found.slug,
            dated=first.effective,
            url=first.source_url,
            note=first.note,
        )
        periods = [
            {**_when(row), "times": row.times, "price_per_kwh": row.price, "adds_per_kwh": row.adds}
            for row in found.of_kind("energy")
        ]
        demand = [{**_when(row), "price_per_kw": row.price} for row in found.of_kind("demand")]
        rated = self._rated(found.currency, source) if found.currency else {"source": source}
        return TariffSchedule(
            slug=found.slug,
            name=found.region,
            region=found.region_code,
            periods=tuple(map(Period.read, periods)),
            demand=tuple(map(DemandCharge.read, demand)),
            fixed_per_month=sum(row.price or 0.0 for row in found.of_kind("fixed")),
            currency=found.currency,
            **rated,
        )


def _when(row: PeriodRow) -> dict[str, str]:
    return {"name": row.period, "months": row.months, "days": row.days, "hours": row.hours}


def _counted(quote: QuoteRecord, kind: str) -> float | None:
    """How many of the unit that the model counts in are in the quote's: 730 hours in a month; None for what is neither.

    Other kinds are sold by the piece.
    """
    return UNITS[kind].get(quote.unit) if kind in UNITS else 1.0


def _terms(quote: QuoteRecord) -> Terms | None:
    """The terms of a quote; None where it has none."""
    terms = Terms(
        breaks=tuple(Break(min_quantity=each.min_quantity, amount=float(each.unit_price)) for each in quote.breaks),
        discounts=tuple(
            Discount(
                name=each.name,
                share=None if each.share is None else float(each.share),
                amount=None if each.amount is None else float(each.amount),
            )
            for each in quote.discounts
        ),
        min_quantity=quote.min_quantity,
        min_order_value=None if quote.min_order_value is None else float(quote.min_order_value),
        pack=quote.pack_size,
    )
    return None if terms == Terms() else terms


def _rates_in(book: PriceBook) -> dict[str, tuple[float | None, date | None, str]]:
    """The exchange rates that the prices of a book were converted at, by currency, with date and source."""
    entries = [entry for _name, part in book if isinstance(part, dict) for entry in part.values()]
    priced: list[Price | Cost | TariffSchedule] = []
    priced += [value for entry in entries for _name, value in entry if isinstance(value, Price)]
    priced += [entry for entry in entries if isinstance(entry, (Cost, TariffSchedule)) and entry.currency]
    return {
        each.currency: (each.rate, each.source.rate_dated, each.source.rate_source)
        for each in priced
        if each.currency != book.currency and each.rate is not None
    }


def _named(names: Iterable[str | None]) -> frozenset[str]:
    return frozenset(name for name in names if name)


def _dated(quote: QuoteRecord) -> date:
    return quote.quoted_on or date.min
