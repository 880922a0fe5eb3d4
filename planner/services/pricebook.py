"""Catalog → price book: every item a scenario touches, resolved to the quote valid on its pricing date.

The same code reads the shipped files (before any migration) and the database: both arrive as `catalog.records.Catalog`.
"""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import cast

from catalog.records import Catalog, ItemRecord, Provenance, QuoteRecord
from planner.engine.costs import COST_ROWS, RETAIL_COLOCATION
from planner.engine.inputs import PoolWorkload, Scenario
from planner.engine.prices import (
    Accelerator,
    AddOn,
    Basis,
    Build,
    CloudOffer,
    ColocationRate,
    Cost,
    Item,
    ModelPreset,
    Price,
    PriceBook,
    Source,
    Tariff,
)
from planner.engine.wiring import DEFAULT_SWITCH

# All GPUs of such a build share one fast domain; bridges join two to four cards, PCIe none.
ONE_DOMAIN = {"NVLink-switch", "NVLink-mesh", "Infinity-Fabric", "RoCE-onboard", "HCCS"}
# Typical draw where a build gives none, as a share of the maximum (model, section 4). [1]
TYPICAL_SHARE = 0.76
# Idle draw where a build gives none, as a share of the maximum (facility formulas 2.4, planning assumption). [1]
IDLE_SHARE = 0.2
# Host memory in new servers, for the share of a build's price that follows memory (builds_addons.csv, basis). [USD/GB]
MEMORY_USD_PER_GB = 11.0
DEFAULT_ACCELERATOR_SHARE, DEFAULT_MEMORY_SHARE = 0.75, 0.10
RETAIL_ROW = "north-america-median-retail-one-4-kw-cabinet"

_QUOTE_BASIS: dict[str, Basis] = {
    "quote": "quoted",
    "list": "list",
    "reseller": "list",
    "estimate": "estimate",
    **dict.fromkeys(("street", "auction", "used", "analyst", "news", "index"), "market"),
}


def build(catalog: Catalog, scenario: Scenario) -> PriceBook:
    """The price book of a scenario. What has no quote has no price; what is not in the catalog is left out."""
    return _Maker(catalog, scenario.currency, scenario.pricing_date).book(scenario)


def everything(catalog: Catalog, currency: str, day: date) -> PriceBook:
    """The price book of all hardware: every accelerator, server, card, model and offer on demand, for no scenario."""
    return _Maker(catalog, currency, day).hardware()


def exchange_rate(catalog: Catalog, one: str, other: str, day: date) -> float | None:
    """Units of one currency per unit of another, as a price book of that day converts; None where no rate is known."""
    return _Maker(catalog, other, day)._rate(one)[0]


def sizable(item: ItemRecord) -> bool:
    """Whether a model's architecture is known well enough for the sizing formulas; that of image models is not."""
    spec = item.spec
    return None not in (spec.params_b, spec.layers, spec.hidden, spec.heads)


def _comparable(offer: ItemRecord) -> bool:
    """Whether an offer may stand for its class: on demand, and no index."""
    return offer.spec.pricing_model == "on_demand" and offer.spec.provider_class != "index"


class _Maker:
    def __init__(self, catalog: Catalog, currency: str, day: date) -> None:
        self.catalog, self.currency, self.day = catalog, currency, day
        self._rates: dict[str, tuple[float | None, date | None, str]] = {}

    def book(self, scenario: Scenario) -> PriceBook:
        builds = {
            slug
            for plan in scenario.plans
            for slug in (plan.start.build if plan.start else None, plan.follow_up.build)
            if slug
        }
        builds &= set(self.catalog.of_kind("build"))
        rented = {plan.overflow.accelerator for plan in scenario.plans if plan.overflow}
        stated = {work.accelerator for work in scenario.demand.workloads}
        cards = rented | stated | {self.catalog.item("build", slug).spec.accelerator_slug for slug in builds}
        offers = {
            item.slug: self._offer(item)
            for slug in sorted(rented | stated)
            for item in self.catalog.offers_of(slug)
            if _comparable(item)
        }
        for plan in scenario.plans:
            if plan.overflow and plan.overflow.offer in self.catalog.of_kind("offer"):
                offers[plan.overflow.offer] = self._offer(self.catalog.item("offer", plan.overflow.offer))
        switches = {plan.fabric.switch or DEFAULT_SWITCH for plan in scenario.plans}
        markets = {site.colocation.market for site in scenario.sites if site.colocation and site.colocation.market}
        presets = {
            work.preset for work in scenario.demand.workloads if not isinstance(work, PoolWorkload) and work.preset
        }
        rows = set(COST_ROWS) | {step.item for site in scenario.sites for step in site.upgrades}
        if scenario.operations.tax_region:
            rows.add(scenario.operations.tax_region)
        colocation = {slug: self._colocation(item) for slug, item in self._some("colocation", markets)}
        if markets and RETAIL_ROW in self.catalog.of_kind("colocation"):
            colocation[RETAIL_COLOCATION] = self._colocation(self.catalog.item("colocation", RETAIL_ROW))
        return PriceBook(
            currency=self.currency,
            pricing_date=self.day,
            accelerators={slug: self._accelerator(item) for slug, item in self._some("accelerator", cards)},
            builds={slug: self._build(self.catalog.item("build", slug)) for slug in sorted(builds)},
            addons={slug: self._addon(addon) for slug in sorted(builds) for addon in self.catalog.addons_of(slug)[:1]},
            offers=dict(sorted(offers.items())),
            items={slug: self._switch(item) for slug, item in self._some("switch", switches)},
            costs={
                slug: self._cost(item, item.spec.likely)
                for slug, item in self._some("cost", rows)
                if item.spec.likely is not None  # a figure that nobody gave is missing, not 0
            },
            tariffs=self._tariffs({site.region for site in scenario.sites}),
            colocation=colocation,
            models={slug: self._model(item) for slug, item in self._some("model", presets) if sizable(item)},
        )

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
        valid = self.catalog.effective(slug, self.day, kind)
        used = slug.startswith("used-")
        chosen = next((quote for quote in valid if used or quote.condition != "used"), None)
        return None if chosen is None else self._priced(chosen)

    def _priced(self, quote: QuoteRecord) -> Price:
        rate, rate_dated, rate_source = self._rate(quote.currency)
        basis: Basis = "unverified" if quote.status == "unverified" else _QUOTE_BASIS.get(quote.kind, "market")
        return Price(
            amount=float(quote.unit_price),
            currency=quote.currency,
            rate=rate,
            source=Source(
                basis=basis,
                item=quote.item_slug,
                supplier=quote.supplier,
                number=quote.number,
                dated=quote.quoted_on,
                valid_until=quote.valid_until,
                url=quote.source_url,
                note=quote.basis,
                quote_id=quote.external_id,
                rate=None if quote.currency == self.currency else rate,
                rate_dated=rate_dated,
                rate_source=rate_source,
            ),
        )

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
            bf16_tflops=spec.bf16_tflops_dense or spec.fp16_tflops_dense,
            fp8_tflops=spec.fp8_tflops_dense,
            fp4_tflops=spec.fp4_tflops_dense,
            fp64_tflops=spec.fp64_tensor_tflops or spec.fp64_tflops,
            form_factor=spec.form_factor or "",
            successor=spec.successor_slug or "",
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
            noise_db=spec.noise_db,
            cooling=spec.cooling or "air",
            fabric_ports=spec.fabric_ports or 0,
            fabric_port_gbps=spec.fabric_port_gbps or 0.0,
            one_domain=(spec.inter_gpu_link or "") in ONE_DOMAIN,
            host_memory_gb=spec.memory_gb,
            warranty_months=round((spec.warranty_years or 0.0) * 12),
            support_share_per_year=(spec.support_pct_per_year or 0.0) / 100.0,
            lead_weeks=(
                spec.lead_time_weeks_low or 0.0,
                spec.lead_time_weeks_likely or 0.0,
                spec.lead_time_weeks_high or 0.0,
            ),
            embodied_kgco2e=spec.embodied_kgco2e,
            workstation=spec.tier == "workstation",
            residual_class="system" if sxm else "card",
            accelerator_share=accelerators,
            memory_share=memory,
            price=price,
            source=self._source(item, "support_pct_per_year"),
            power_source=self._source(item, "max_power_w"),
        )

    def _addon(self, item: ItemRecord) -> AddOn:
        spec = item.spec
        host = self.catalog.item("build", spec.build_slug)
        extra = None
        if spec.extra_price:
            rate, rate_dated, rate_source = self._rate(spec.extra_price_currency)
            source = self._source(item, "extra_price")
            extra = Price(
                amount=spec.extra_price,
                currency=spec.extra_price_currency,
                rate=rate,
                source=source.model_copy(update={"rate_dated": rate_dated, "rate_source": rate_source}),
            )
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
        rate, rate_dated, rate_source = self._rate(spec.currency) if spec.currency else (1.0, None, "")
        source = self._source(item, "likely").model_copy(
            update={
                "dated": spec.date,
                "rate": rate if spec.currency and spec.currency != self.currency else None,
                "rate_dated": rate_dated,
                "rate_source": rate_source,
            }
        )
        return Cost(
            slug=item.slug,
            low=spec.low if spec.low is not None else likely,
            likely=likely,
            high=spec.high if spec.high is not None else likely,
            unit=spec.unit,
            currency=spec.currency or "",
            rate=rate,
            source=source,
        )

    def _tariffs(self, regions: set[str]) -> dict[str, Tariff]:
        return {
            f"{item.spec.region_code}/{item.spec.customer_class}": Tariff(
                region=item.spec.region_code,
                customer_class=item.spec.customer_class,
                price=self._price(item.slug, "tariff"),
                grid_kgco2e_per_kwh=item.spec.grid_kgco2e_per_kwh,
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


def _dated(quote: QuoteRecord) -> date:
    return quote.quoted_on or date.min
