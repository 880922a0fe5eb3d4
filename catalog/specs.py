"""What is known about each kind of item: one frozen document a kind, every number with its unit and bounds.

Names are the columns of the shipped CSV files. An empty cell is None: unknown, never 0. Prices are not here: a price
has a date and a supplier and lives in a quote. Nothing in this module needs Django or a database.
"""

from datetime import date as Day
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError


def wrong(field: str, code: str, message: str) -> PydanticCustomError:
    """An error of a whole document, laid at the door of one field."""
    return PydanticCustomError(code, message, {"field": field})


def _power_rises(idle: tuple[str, float | None], typical: tuple[str, float | None], maximum: float | None) -> None:
    """Refuse an idle draw above the typical one, or a typical one above the maximum; what is unknown is left out."""
    above = maximum
    for name, watts in (typical, idle):
        if watts is not None and above is not None and watts > above:
            raise wrong(name, "power_not_rising", "must not exceed the typical or maximum power")
        above = watts if watts is not None else above


class Spec(BaseModel):
    """Base of every kind: unknown keys refused, no NaN or infinity, frozen once made."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, str_strip_whitespace=True)


def number(unit: str, low: float, high: float):
    """An optional real number in `unit`, bounds included."""
    return Annotated[float | None, Field(ge=low, le=high, json_schema_extra={"unit": unit})]


def whole(unit: str, low: int, high: int):
    """An optional whole number in `unit`, bounds included."""
    return Annotated[int | None, Field(ge=low, le=high, json_schema_extra={"unit": unit})]


def needed(unit: str, low: int, high: int):
    """A whole number without which the item says nothing."""
    return Annotated[int, Field(ge=low, le=high, json_schema_extra={"unit": unit})]


Text = Annotated[str, Field(max_length=300)]
PartNumber = Annotated[str, Field(max_length=120)]  # text, whatever it looks like: its zeros are part of it
Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=120)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Watts = number("W", 0, 500_000)
Kilograms = number("kg", 0, 10_000)
RackUnits = number("U", 0, 100)
Tflops = number("TFLOPS", 0.01, 1_000_000)
Cooling = Literal["air", "liquid", "dlc", "hybrid", "passive", "active"]


class Accelerator(Spec):
    """A GPU or other accelerator. Tensor rates are dense; link rates sum both directions; memory is nameplate."""

    model: Text
    architecture: Text | None = None
    form_factor: Literal["PCIe", "SXM", "OAM", "superchip", "consumer", "cloud-only"] | None = None
    launch_year: whole("year", 2000, 2100) = None
    memory_gb: number("GB", 0.5, 10_000) = None
    memory_type: Text | None = None
    memory_bw_gbps: number("GB/s", 1, 1_000_000) = None
    fp32_tflops: Tflops = None
    tf32_tflops_dense: Tflops = None
    bf16_tflops_dense: Tflops = None
    fp16_tflops_dense: Tflops = None
    fp8_tflops_dense: Tflops = None
    fp4_tflops_dense: Tflops = None
    int8_tops_dense: number("TOPS", 0.01, 1_000_000) = None
    fp64_tflops: Tflops = None
    fp64_tensor_tflops: Tflops = None
    tdp_w: Watts = None
    idle_w: Watts = None
    memory_usable_gib: number("GiB", 0.5, 10_000) = None
    scaleup_link: Text | None = None
    scaleup_bw_gbps: number("GB/s", 0, 100_000) = None
    pcie_gen: whole("generation", 1, 10) = None
    slot_width: whole("slots", 1, 6) = None
    card_length_mm: number("mm", 50, 1_000) = None
    cooling: Cooling | None = None
    successor_slug: Slug | None = None
    status: Literal["announced", "shipping", "end_of_sale", "cloud_only"] | None = None
    software_stack: Text | None = None
    pytorch_support: Literal["y", "n", "partial"] | None = None
    export_restricted_cn: Literal["y", "n", "variant"] | None = None
    part_number: PartNumber | None = None


class Build(Spec):
    """A complete machine as it can be ordered: chassis, cards, host, lead time. Its price is a quote."""

    server_slug: Slug | None = None
    model: Text
    accelerator_slug: Slug
    accelerator_count: needed("accelerators", 1, 1024)
    chassis_slots: whole("slots", 1, 1024) = None
    expandable: bool | None = None
    tier: Literal["workstation", "entry", "mid", "high", "rack-scale"] | None = None
    rack_units: RackUnits = None
    rack_width: Text | None = None
    depth_mm: number("mm", 50, 5_000) = None
    weight_kg: Kilograms = None
    max_power_w: Watts = None
    typical_power_w: Watts = None
    idle_power_w: Watts = None
    psu_count: whole("supplies", 0, 200) = None
    psu_w: Watts = None
    psu_needed: whole("supplies", 0, 200) = None
    input_voltage: Text | None = None
    plug_or_cord: Text | None = None
    airflow_cfm: number("CFM", 0, 100_000) = None
    noise_db: number("dB(A)", 0, 150) = None
    inlet_max_c: number("°C", 0, 80) = None
    cooling: Cooling | None = None
    cpu: Text | None = None
    memory_gb: number("GB", 0, 1_000_000) = None
    local_nvme_tb: number("TB", 0, 100_000) = None
    nic_description: Text | None = None
    fabric_ports: whole("ports", 0, 1024) = None
    fabric_port_gbps: number("Gbit/s", 0, 10_000) = None
    inter_gpu_link: Text | None = None
    warranty_years: number("years", 0, 20) = None
    support_pct_per_year: number("% of price a year", 0, 100) = None
    lead_time_weeks_low: number("weeks", 0, 520) = None
    lead_time_weeks_likely: number("weeks", 0, 520) = None
    lead_time_weeks_high: number("weeks", 0, 520) = None
    embodied_kgco2e: number("kgCO2e", 0, 10_000_000) = None
    card_slot_width: whole("slots", 1, 6) = None  # of each place for a card
    card_length_max_mm: number("mm", 50, 1_000) = None
    embodied_gpu_kgco2e: number("kgCO2e", 0, 100_000) = None  # the part of it that each accelerator has
    part_number: PartNumber | None = None

    @model_validator(mode="after")
    def _accelerators_are_a_part_of_the_whole(self):
        cards = (self.embodied_gpu_kgco2e or 0.0) * self.accelerator_count
        if self.embodied_kgco2e is not None and cards > self.embodied_kgco2e:
            raise wrong(
                "embodied_gpu_kgco2e", "too_much_carbon", "times accelerator_count must not exceed embodied_kgco2e"
            )
        return self

    @model_validator(mode="after")
    def _slots_hold_the_cards(self):
        if self.chassis_slots is not None and self.chassis_slots < self.accelerator_count:
            raise wrong("chassis_slots", "too_few_slots", "must be at least accelerator_count")
        weeks = [self.lead_time_weeks_low, self.lead_time_weeks_likely, self.lead_time_weeks_high]
        known = [w for w in weeks if w is not None]
        if known != sorted(known):
            raise wrong("lead_time_weeks_likely", "not_rising", "must rise from low to likely to high")
        _power_rises(("idle_power_w", self.idle_power_w), ("typical_power_w", self.typical_power_w), self.max_power_w)
        return self


class AddOn(Spec):
    """One more card in a part-filled chassis. The quote is for the card; `extra_price` for what must come with it."""

    build_slug: Slug
    adds_accelerators: needed("accelerators", 1, 64)
    adds_max_w: Watts = None
    adds_typical_w: Watts = None
    adds_idle_w: Watts = None
    adds_kg: Kilograms = None
    pack: whole("cards", 1, 64) = None
    adds_nics: number("NICs", 0, 64) = None
    adds_memory_gb: number("GB", 0, 100_000) = None
    extra_price: number("money each", 0, 999_999_999) = None
    extra_price_currency: Currency | None = None
    labour_hours: number("h", 0, 1_000) = None
    part_number: PartNumber | None = None

    @model_validator(mode="after")
    def _extra_price_has_a_currency(self):
        if self.extra_price is not None and self.extra_price_currency is None:
            raise wrong("extra_price_currency", "no_currency", "a price needs a currency")
        _power_rises(("adds_idle_w", self.adds_idle_w), ("adds_typical_w", self.adds_typical_w), self.adds_max_w)
        return self


class Server(Spec):
    """A machine as its maker publishes it; many physical cells are unknown."""

    model: Text
    accelerator_slug: Slug | None = None
    accelerator_count: whole("accelerators", 0, 1024) = None
    max_accelerators: whole("accelerators", 0, 1024) = None
    rack_units: RackUnits = None
    max_power_w: Watts = None
    typical_power_w: Watts = None
    psu_count: whole("supplies", 0, 200) = None
    psu_w: Watts = None
    psu_redundancy: Text | None = None
    weight_kg: Kilograms = None
    cpu: Text | None = None
    system_memory_gb_max: number("GB", 0, 1_000_000) = None
    nic_slots_or_ports_400g: whole("ports", 0, 1024) = None
    cooling: Cooling | None = None
    inlet_temp_max_c: number("°C", 0, 80) = None
    airflow_cfm: number("CFM", 0, 100_000) = None
    heat_btu_h: number("BTU/h", 0, 10_000_000) = None
    depth_mm: number("mm", 50, 5_000) = None
    card_slot_width: whole("slots", 1, 6) = None  # of each place for a card
    card_length_max_mm: number("mm", 50, 1_000) = None
    part_number: PartNumber | None = None


class FabricPart(Spec):
    """What every piece of the fabric has in common."""

    model: Text
    ports: whole("ports", 0, 2048) = None
    port_speed_gbps: number("Gbit/s", 0.01, 100_000) = None
    rack_units: RackUnits = None
    max_power_w: Watts = None
    typical_power_w: Watts = None
    weight_kg: Kilograms = None
    part_number: PartNumber | None = None


class Switch(FabricPart):
    """A data switch; `ports` at `port_speed_gbps`."""


class Management(FabricPart):
    """An out-of-band switch or a fabric manager."""


class Cable(FabricPart):
    """A cable; watts per end where active."""


class Optic(FabricPart):
    """A pluggable transceiver."""


class Nic(FabricPart):
    """A network adapter."""


class Adapter(FabricPart):
    """A passive port adapter."""


class FacilityPart(Spec):
    """What racks, power and cooling equipment have in common."""

    model: Text
    capacity_kw: number("kW", 0, 1_000_000) = None
    rack_units: RackUnits = None
    phases: whole("phases", 1, 3) = None
    volts: number("V", 1, 50_000) = None
    amps: number("A", 0, 10_000) = None
    weight_kg: Kilograms = None
    part_number: PartNumber | None = None


class Rack(FacilityPart):
    """`rack_units` is the height offered; the sizes are those of the outside."""

    width_mm: number("mm", 100, 5_000) = None
    depth_mm: number("mm", 50, 5_000) = None
    height_mm: number("mm", 100, 5_000) = None
    max_load_kg: Kilograms = None


class Pdu(FacilityPart):
    """A power distribution unit or a power shelf; 0 U is mounted vertically."""


class Ups(FacilityPart):
    """An uninterruptible supply."""


class RearDoor(FacilityPart):
    """A rear-door heat exchanger."""


class Cdu(FacilityPart):
    """A coolant distribution unit."""


class Generator(FacilityPart):
    """A standby generator."""


class Software(Spec):
    """A licence; `metric` is what is counted."""

    description: Text | None = None
    metric: Text | None = None
    part_number: PartNumber | None = None


class OtherCost(Spec):
    """Low, likely and high default of a cost line, in `unit` and, where it is money, `currency`."""

    category: Text
    description: Text
    low: number("as stated", 0, 999_999_999) = None
    likely: number("as stated", 0, 999_999_999) = None
    high: number("as stated", 0, 999_999_999) = None
    unit: Annotated[str, Field(min_length=1, max_length=60)]
    currency: Currency | None = None
    region: Text | None = None
    date: Day | None = None
    date_precision: Literal["day", "month", "quarter", "half", "year"] | None = None

    @model_validator(mode="after")
    def _range_rises(self):
        known = [v for v in (self.low, self.likely, self.high) if v is not None]
        if known != sorted(known):
            raise wrong("likely", "not_rising", "must rise from low to likely to high")
        return self


class CloudOffer(Spec):
    """An instance type in a region under a pricing model; its quote is per hour of what `billing_unit` says."""

    provider: Text
    instance_type: Text | None = None
    accelerator_slug: Slug
    provider_class: Literal["hyperscaler", "neocloud", "marketplace", "index"]
    billing_unit: Literal["gpu", "instance"]
    accelerator_count: needed("accelerators", 1, 1024)
    region: Text | None = None
    pricing_model: Literal["on_demand", "spot", "reserved_1y", "reserved_3y", "capacity_block"]


class Tariff(Spec):
    """Electricity of one region and customer class; the price per kWh is a quote."""

    region_code: Annotated[str, Field(min_length=1, max_length=20)]
    region: Text
    customer_class: Literal["industrial", "commercial", "residential"]
    grid_kgco2e_per_kwh: number("kgCO2e/kWh", 0, 3) = None
    grid_period: Text | None = None


class ColocationRate(Spec):
    """Colocation of one market and size band; the price per kW and month is a quote."""

    market: Text
    size_band: Text
    power_included: bool


class ExchangeRate(Spec):
    """A currency pair; each dated rate is a quote: units of `quote` for one unit of `base`."""

    base: Currency
    quote: Currency

    @model_validator(mode="after")
    def _two_currencies(self):
        if self.base == self.quote:
            raise wrong("quote", "same_currency", "base and quote must differ")
        return self


class ModelPreset(Spec):
    """The architecture of a model, for sizing. The KV cache grows on `full_attention_layers` only."""

    params_b: number("billion", 0.000001, 1_000_000) = None
    active_params_b: number("billion", 0.000001, 1_000_000) = None
    layers: whole("layers", 1, 10_000) = None
    hidden: whole("dimensions", 1, 1_000_000) = None
    heads: whole("heads", 1, 10_000) = None
    kv_heads: whole("heads", 1, 10_000) = None
    head_dim: whole("dimensions", 1, 100_000) = None
    attention: Literal["MHA", "GQA", "MQA", "MLA"] | None = None
    kv_lora_rank: whole("dimensions", 1, 100_000) = None
    rope_head_dim: whole("dimensions", 1, 100_000) = None
    vocab: whole("tokens", 1, 100_000_000) = None
    context_max: whole("tokens", 1, 1_000_000_000) = None
    sliding_window: whole("tokens", 1, 1_000_000_000) = None
    moe: bool | None = None
    native_precision: Text | None = None
    release_date: Day | None = None
    release_date_precision: Literal["day", "month", "quarter", "half", "year"] | None = None
    full_attention_layers: whole("layers", 0, 10_000) = None


class PlanningDefault(Spec):
    """Whether a cost line or parameter is on by default, where its value comes from and by which rule."""

    default_on: bool
    value_from: Text | None = None
    rule: Annotated[str, Field(max_length=1000)] | None = None


class Other(Spec):
    """Something with prices but no data sheet here; `item_kind` is what the price list calls it."""

    item_kind: Text
    description: Text | None = None
    part_number: PartNumber | None = None


KINDS: dict[str, type[Spec]] = {
    "accelerator": Accelerator,
    "build": Build,
    "addon": AddOn,
    "server": Server,
    "switch": Switch,
    "mgmt": Management,
    "cable": Cable,
    "optic": Optic,
    "nic": Nic,
    "adapter": Adapter,
    "rack": Rack,
    "pdu": Pdu,
    "ups": Ups,
    "rdhx": RearDoor,
    "cdu": Cdu,
    "generator": Generator,
    "software": Software,
    "cost": OtherCost,
    "offer": CloudOffer,
    "tariff": Tariff,
    "colocation": ColocationRate,
    "fx": ExchangeRate,
    "model": ModelPreset,
    "default": PlanningDefault,
    "other": Other,
}


def bounds(kind: str, field: str) -> tuple[float | None, float | None, str]:
    """(low, high, unit) of a field; None where it has no bound, "" where it has no unit."""
    info = KINDS[kind].model_fields.get(field)
    if info is None:
        return None, None, ""
    return _bounds(info)


def _bounds(info):
    low = high = None
    for rule in info.metadata:
        low = getattr(rule, "ge", low)
        high = getattr(rule, "le", high)
    extra = info.json_schema_extra
    return low, high, extra.get("unit", "") if isinstance(extra, dict) else ""


def unit(kind: str, field: str) -> str:
    """The unit of a field, "" where it is text or a code."""
    return bounds(kind, field)[2]
