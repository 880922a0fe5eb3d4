"""What the pages show: the columns of each list, how a cell and a price are written, how far to trust them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from urllib.parse import urlsplit

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalog import specs, wording
from catalog.importers.files import FABRIC_KINDS, FACILITY_KINDS
from catalog.models import Item, Quote
from catalog.records import (
    AGEING_AFTER_DAYS,
    CONDITIONS,
    FRESHNESS,
    STALE_AFTER_DAYS,
    ItemRecord,
    QuoteRecord,
    plain,
)

StrOrPromise = str | Promise


@dataclass(frozen=True)
class Page:
    """One list of the catalog."""

    path: str
    title: StrOrPromise
    kinds: tuple[str, ...]
    columns: tuple[str, ...]
    filters: tuple[str, ...] = ()  # cells of the data sheet, or "vendor" and "kind"
    vendor: bool = False
    price: StrOrPromise = ""  # what the price column is called; "" where items of the page have none
    about: StrOrPromise = ""

    @property
    def address(self) -> str:
        return reverse("catalog:list", args=[self.path])

    @property
    def choosable(self) -> tuple[str, ...]:
        """The filters, with the age of the price where there are prices."""
        return (*self.filters, "freshness") if self.price else self.filters


PAGES = {
    page.path: page
    for page in (
        Page(
            "accelerators",
            _("Accelerators"),
            ("accelerator",),
            ("memory_gb", "memory_bw_gbps", "bf16_tflops_dense", "fp8_tflops_dense", "fp64_tflops", "tdp_w", "status"),
            ("vendor", "architecture", "form_factor", "status"),
            vendor=True,
            price=_("Price"),
            about=_("Tensor rates are dense. TDP is of the card, not of a system around it."),
        ),
        Page(
            "builds",
            _("Builds"),
            ("build",),
            (
                "accelerator_slug",
                "accelerator_count",
                "chassis_slots",
                "max_power_w",
                "rack_units",
                "lead_time_weeks_likely",
            ),
            ("tier", "accelerator_slug", "cooling", "expandable"),
            vendor=True,
            price=_("Price"),
            about=_("Complete machines as they can be ordered; templates and plans are made of these."),
        ),
        Page(
            "servers",
            _("Published servers"),
            ("server",),
            ("accelerator_slug", "accelerator_count", "rack_units", "max_power_w", "typical_power_w", "weight_kg"),
            ("vendor", "accelerator_slug", "cooling"),
            vendor=True,
            price=_("Price"),
            about=_("Machines as their makers publish them; much is not published."),
        ),
        Page(
            "cloud",
            _("Cloud offers"),
            ("offer",),
            ("accelerator_slug", "accelerator_count", "region", "pricing_model", "provider_class"),
            ("provider", "accelerator_slug", "pricing_model", "provider_class", "region"),
            price=_("Price per hour"),
            about=_("Per instance-hour or per GPU-hour, as each price says. An index is a market level, not an offer."),
        ),
        Page(
            "electricity",
            _("Electricity"),
            ("tariff",),
            ("region_code", "customer_class", "grid_kgco2e_per_kwh", "grid_period"),
            ("customer_class",),
            price=_("Price per kWh"),
            about=_("All-in averages unless a remark says otherwise; a contract of your own may differ by half."),
        ),
        Page(
            "colocation",
            _("Colocation"),
            ("colocation",),
            ("size_band", "power_included"),
            ("size_band", "power_included"),
            price=_("Price per kW and month"),
        ),
        Page(
            "network",
            _("Network"),
            FABRIC_KINDS,
            ("ports", "port_speed_gbps", "rack_units", "max_power_w", "typical_power_w"),
            ("kind", "vendor"),
            vendor=True,
            price=_("Price"),
        ),
        Page(
            "facility",
            _("Racks, power and cooling"),
            FACILITY_KINDS,
            ("capacity_kw", "rack_units", "phases", "volts", "amps"),
            ("kind", "vendor"),
            vendor=True,
            price=_("Price"),
        ),
        Page(
            "costs",
            _("Other costs"),
            ("cost",),
            ("category", "low", "likely", "high", "unit", "currency", "region", "date"),
            ("category", "region"),
        ),
        Page("rates", _("Exchange rates"), ("fx",), ("base", "quote"), price=_("Rate")),
        Page(
            "prices",
            _("Other prices"),
            ("other",),
            ("item_kind",),
            ("item_kind",),
            price=_("Price"),
            about=_("Things with a price but without a data sheet here."),
        ),
        Page(
            "models",
            _("Model presets"),
            ("model",),
            ("params_b", "active_params_b", "layers", "context_max", "attention", "release_date"),
            ("attention", "moe", "native_precision"),
        ),
    )
}
PAGE_OF_KIND = {kind: page for page in PAGES.values() for kind in page.kinds}
LINKS = {
    "accelerator_slug": "accelerator",
    "successor_slug": "accelerator",
    "server_slug": "server",
    "build_slug": "build",
}
GROUPS = (  # of a detail page, in this order; cells named by none come last
    (
        _("Accelerators and memory"),
        (
            *(
                "accelerator_slug",
                "accelerator_count",
                "chassis_slots",
                "expandable",
                "max_accelerators",
                "inter_gpu_link",
            ),
            *("memory_gb", "memory_usable_gib", "memory_type", "memory_bw_gbps", "scaleup_link", "scaleup_bw_gbps"),
            *("cpu", "system_memory_gb_max", "local_nvme_tb"),
        ),
    ),
    (_("Rates"), tuple(name for name in specs.Accelerator.model_fields if "flops" in name or "tops" in name)),
    (
        _("Size and weight"),
        (
            *("rack_units", "rack_width", "width_mm", "depth_mm", "height_mm", "weight_kg", "max_load_kg", "adds_kg"),
            *("slot_width", "card_length_mm", "card_slot_width", "card_length_max_mm"),
        ),
    ),
    (
        _("Power and cooling"),
        (
            *("tdp_w", "idle_w", "max_power_w", "typical_power_w", "idle_power_w", "adds_max_w", "adds_typical_w"),
            *("adds_idle_w", "psu_count", "psu_w", "psu_needed", "psu_redundancy", "input_voltage", "plug_or_cord"),
            *("cooling", "airflow_cfm", "inlet_max_c", "inlet_temp_max_c", "heat_btu_h", "noise_db", "capacity_kw"),
        ),
    ),
    (
        _("Network"),
        (
            *("nic_description", "nic_slots_or_ports_400g", "fabric_ports", "fabric_port_gbps", "ports"),
            *("port_speed_gbps", "adds_nics"),
        ),
    ),
    (
        _("Delivery and support"),
        (
            *("lead_time_weeks_low", "lead_time_weeks_likely", "lead_time_weeks_high", "warranty_years"),
            *(
                "support_pct_per_year",
                "embodied_kgco2e",
                "embodied_gpu_kgco2e",
                "status",
                "export_restricted_cn",
                "part_number",
            ),
        ),
    ),
)
OTHER_GROUP = _("Data sheet")
LONG_REMARK = 60  # characters; a shorter one stands in its cells
HIDDEN = {"date_precision", "release_date_precision", "extra_price_currency"}  # which stand beside their value
# Units that only repeat the label: "Accelerators: 8" needs no "accelerators" behind it.
COUNTS = {
    *("", "as stated", "accelerators", "slots", "supplies", "ports", "phases", "cards", "NICs", "generation", "year"),
    *("layers", "heads", "dimensions"),
}


@dataclass(frozen=True)
class Cell:
    """One value as shown."""

    text: str
    unit: str = ""
    number: bool = False
    status: str = ""  # "" where the figure needs no badge
    rule: str = ""
    url: str = ""
    link: str = ""
    note: int = 0  # the footnote that holds the rule instead

    @property
    def badge(self) -> str:
        return wording.word(self.status) if self.status else ""

    @property
    def short(self) -> bool:
        """Whether it should stay on one line."""
        return len(self.text) <= 14

    @property
    def host(self) -> str:
        return host_of(self.url)


@dataclass(frozen=True)
class Price:
    """One price as shown."""

    amount: str
    currency: str
    unit: str
    day: str
    status: str
    kind: str
    freshness: str
    days: int | None  # how old it is
    condition: str
    rule: str
    url: str
    supplier: str = ""
    number: str = ""
    valid_until: str = ""
    terms: str = ""
    file: str = ""  # where the supplier's file can be fetched

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def badge(self) -> str:
        """The kind of price for a market level ("list", "street"), else the status."""
        return wording.word(self.kind if self.status == "market" else self.status)

    @property
    def kind_word(self) -> str:
        return wording.word(self.kind)

    @property
    def age(self) -> str:
        return wording.freshness(self.freshness)


def host_of(url: str) -> str:
    """Whose page it is: what a link to a source is called. Anything but a web address is no link."""
    parts = urlsplit(url)
    return parts.hostname or "" if parts.scheme in ("http", "https") else ""


def number(value) -> str:
    """Thousands separated by commas in either language, no more decimals than the figure has."""
    if isinstance(value, Decimal):
        return f"{plain(value):,}"
    return f"{value:,.10g}" if abs(value) < 10**10 else f"{value:,.0f}"


def day(when: date | None, precision: str) -> str:
    """A date as precisely as it is known; ISO in either language."""
    if when is None:
        return ""
    return {
        "year": f"{when:%Y}",
        "half": f"{when:%Y}-H{1 if when.month < 7 else 2}",
        "quarter": f"{when:%Y}-Q{(when.month + 2) // 3}",
        "month": f"{when:%Y-%m}",
    }.get(precision, when.isoformat())


Names = dict[tuple[str, str], str]


def names_of(cells: Iterable[tuple[str, str | None]]) -> Names:
    """The names of the items that cells name by their slug: (kind, slug) → name. `cells` : (name of the cell, slug)."""
    wanted = {(LINKS[name], slug) for name, slug in cells if name in LINKS and slug}
    found = Item.objects.filter(kind__in={kind for kind, _slug in wanted}, slug__in={slug for _kind, slug in wanted})
    return {(kind, slug): name for kind, slug, name in found.order_by().values_list("kind", "slug", "name")}


def named_by(records: Iterable[ItemRecord]) -> Names:
    """The names of the items that data sheets name."""
    return names_of((name, getattr(record.spec, name, None)) for record in records for name in LINKS)


def cell(record: ItemRecord, name: str, names: Names, by_hand: bool = False) -> Cell:
    """A cell of the data sheet; unknown stays unknown, never 0. `names` has those of the items it names."""
    value, said = getattr(record.spec, name, None), record.provenance.get(name)
    low, _high, unit = specs.bounds(record.kind, name)
    numeric = low is not None
    if value is None:  # a share or a count has no currency: nothing is unknown about it
        return Cell("—" if (record.kind, name) == ("cost", "currency") else "", number=numeric)
    if name == "launch_year":
        text, unit = str(value), ""
    elif numeric:
        text = number(value)
    elif isinstance(value, date):
        text = day(value, getattr(record.spec, f"{name}_precision", None) or "day")
    else:
        text = names.get((LINKS.get(name, ""), value)) or wording.cell(name, value)
    if unit == "money each" and record.spec.extra_price_currency:
        unit = f"{record.spec.extra_price_currency} / {wording.unit('each')}"
    status = "" if said is None or said.status == "sourced" else said.status
    link = ""
    if name in LINKS and (LINKS[name], value) in names:  # an import may name an item that is not there
        link = reverse("catalog:detail", args=[PAGE_OF_KIND[LINKS[name]].path, value])
    return Cell(
        text,
        "" if unit in COUNTS else wording.unit(unit),
        numeric,
        "own" if by_hand and said is None else status,
        said.text if said and said.text != said.url else "",
        said.url if said else "",
        link,
    )


def price(quote: QuoteRecord, today: date, by_hand: bool = False) -> Price:
    return Price(
        amount=number(quote.unit_price),
        currency=quote.currency,
        unit=wording.unit(quote.unit),
        day=day(quote.quoted_on, quote.date_precision),
        status="own" if by_hand else quote.status,
        kind=quote.kind,
        freshness=quote.freshness_on(today),
        days=quote.age_days(today),
        condition="" if quote.condition == "new" else wording.word(quote.condition),
        rule=quote.basis,
        url=quote.source_url,
        supplier=quote.supplier,
        number=quote.number,
        valid_until=quote.valid_until.isoformat() if quote.valid_until else "",
        terms=wording.terms(quote),
    )


def current(quotes: list[Quote], today: date) -> Quote | None:
    """The price a list shows: of those valid today the newest, new goods before used ones; None means no quote."""
    valid = [
        q
        for q in quotes
        if q.quoted_on is not None and q.quoted_on <= today and (q.valid_until is None or q.valid_until >= today)
    ]
    return max(valid, key=lambda q: (-CONDITIONS.index(q.condition), q.quoted_on, q.pk), default=None)


def freshness(quotes: list[Quote], today: date) -> str:
    """That of the price a list shows; without one, whether there was one that has expired."""
    shown = current(quotes, today)
    if shown is not None:
        return shown.record().freshness_on(today)
    return "expired" if any(q.valid_until is not None and q.valid_until < today for q in quotes) else "none"


def found(page: Page, words: str, chosen: dict[str, str], sort: str, today: date) -> QuerySet[Item]:
    """The items of a page: searched, filtered and in order, each with its quotes."""
    items = Item.objects.of_kind(*page.kinds).search(words)
    shown = Quote.objects.effective_on(today).filter(item=OuterRef("pk")).order_by("condition", "-quoted_on", "-pk")
    for name, value in chosen.items():
        if value and name == "freshness":
            items = items.alias(shown_on=Subquery(shown.values("quoted_on")[:1])).filter(_of_age(value, today))
        elif value:
            items = items.filter(**{_lookup(page, name): _typed(page, name, value)})
    column, descending = sort.removeprefix("-"), sort.startswith("-")
    if column == "price" and page.price:
        names = ("currency", "unit", "unit_price")
        items = items.annotate(**{f"shown_{name}": Subquery(shown.values(name)[:1]) for name in names})
        keys = [F(f"shown_{name}") for name in names]  # prices of one currency and unit stand together
    elif column in page.columns:
        keys = [F(f"spec__{column}")]
    elif column == "name" or (column == "vendor" and page.vendor):
        keys = [F(column)]
    else:
        keys = []  # as in the file: by maker and generation
    order = [key.desc(nulls_last=True) if descending else key.asc(nulls_last=True) for key in keys]
    return items.order_by(*order, "pk").with_quotes()


def choices(page: Page, name: str) -> list[tuple[str, str]]:
    """The values a filter offers, in the reader's words."""
    if name == "freshness":
        return [(code, wording.freshness(code)) for code in FRESHNESS]
    lookup = _lookup(page, name)
    values = Item.objects.of_kind(*page.kinds).order_by().values_list(lookup, flat=True).distinct()
    given = [value for value in values if value not in (None, "")]
    names = names_of((name, value) for value in given)
    shown = {str(value): names.get((LINKS.get(name, ""), value)) or _shown(name, value) for value in given}
    return sorted(shown.items(), key=lambda pair: pair[1].casefold())


def _of_age(state: str, today: date) -> Q:
    """The items whose freshness is this, as `freshness` has it; of an unknown word, none."""
    ageing, stale = (today - timedelta(days=days) for days in (AGEING_AFTER_DAYS, STALE_AFTER_DAYS))
    gone = Q(Exists(Quote.objects.filter(item=OuterRef("pk"), valid_until__lt=today)), shown_on=None)
    return {
        "fresh": Q(shown_on__gte=ageing),
        "ageing": Q(shown_on__gte=stale, shown_on__lt=ageing),
        "stale": Q(shown_on__lt=stale),
        "expired": gone,
        "none": Q(shown_on=None) & ~gone,
    }.get(state, Q(pk__in=[]))


def _shown(name, value) -> str:
    return wording.kind(value) if name == "kind" else wording.cell(name, value)


def _lookup(page: Page, name: str) -> str:
    return name if name in ("vendor", "kind") else f"spec__{name}"


def _typed(page: Page, name: str, value: str):
    """A yes or no of the address is a boolean in the data sheet."""
    info = specs.KINDS[page.kinds[0]].model_fields.get(name)
    boolean = info is not None and info.annotation in (bool, bool | None)
    return value == "True" if boolean else value


def groups(
    record: ItemRecord, names: Names, by_hand: bool = False, *, split: bool = True
) -> list[tuple[str, list[tuple[str, Cell]]]]:
    """The whole data sheet by subject: (subject, [(label, cell), …]); unknown cells are named too."""
    left = [name for name in type(record.spec).model_fields if name not in HIDDEN]
    result = []
    for title, these in GROUPS if split else ():
        here = [name for name in these if name in left]
        left = [name for name in left if name not in here]
        if here:
            result.append((str(title), here))
    if left:
        result.insert(0, (str(OTHER_GROUP), left))
    return [
        (title, [(wording.field(name), cell(record, name, names, by_hand)) for name in these])
        for title, these in result
    ]


Groups = list[tuple[str, list[tuple[str, Cell]]]]


def footnotes(sheets: list[Groups]) -> tuple[list[Groups], list[str]]:
    """The sheets with each long remark that many cells share said once: (sheets, the remarks in order)."""
    said = Counter(cell.rule for sheet in sheets for _title, cells in sheet for _label, cell in cells)
    notes = [rule for rule, times in said.items() if times > 1 and len(rule) > LONG_REMARK]

    def short(cell: Cell) -> Cell:
        return replace(cell, rule="", note=notes.index(cell.rule) + 1) if cell.rule in notes else cell

    return [
        [(title, [(label, short(cell)) for label, cell in cells]) for title, cells in sheet] for sheet in sheets
    ], notes


def heading(page: Page, name: str) -> str:
    """A column's label with its unit, where all rows share one."""
    unit = specs.unit(page.kinds[0], name)
    label = wording.field(name)
    if unit in COUNTS:
        return label
    return gettext("{label}, {unit}").format(label=label, unit=wording.unit(unit))


def is_number(page: Page, name: str) -> bool:
    return specs.bounds(page.kinds[0], name)[0] is not None


def address_of(item: Item) -> str:
    return reverse("catalog:detail", args=[PAGE_OF_KIND[item.kind].path, item.slug])


def export_header(page: Page, units: set[tuple[str, str]]) -> list[str]:
    """Column names with their units: `max_power_w [W]`, `price [USD/each]`; not translated, machines read them."""
    names = ["slug", "kind", "name", "vendor"]
    for name in page.columns:
        unit = specs.unit(page.kinds[0], name)
        names.append(f"{name} [{unit}]" if unit and unit != "as stated" else name)
        names.append(f"{name} status")
    if page.price:
        same = next(iter(units)) if len(units) == 1 else ("currency", "unit")
        names += [f"price [{same[0] or '1'}/{same[1]}]", "currency", "unit", "quoted_on", "price kind", "source_url"]
    return names


def export_row(page: Page, item: Item, quote: Quote | None) -> list[str]:
    record = item.record()
    row = [item.slug, item.kind, item.name, item.vendor]
    for name in page.columns:
        value = getattr(record.spec, name, None)
        row += [
            "" if value is None else f"{value:.15g}" if isinstance(value, float) else str(value),
            record.status_of(name),
        ]
    if page.price and quote:
        row += [str(plain(quote.unit_price)), quote.currency, quote.unit, day(quote.quoted_on, quote.date_precision)]
        row += [quote.kind, quote.source_url]
    elif page.price:
        row += ["", "", "", "", "", ""]
    return [harmless(text) for text in row]


def harmless(text: str) -> str:
    """A text that a spreadsheet would take for a formula is quoted."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
