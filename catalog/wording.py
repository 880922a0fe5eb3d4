"""Every label, unit, code and error of the catalog for a person, in the language of the request."""

from django.utils.translation import gettext, gettext_noop, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from catalog.importers.table import REASONS, BadCell, bound
from catalog.records import AGEING_AFTER_DAYS, STALE_AFTER_DAYS, QuoteRecord, plain
from catalog.terms import BadTerm

FIELDS = {
    "model": pgettext_lazy("hardware", "Model"),
    "architecture": pgettext_lazy("hardware", "Architecture"),
    "form_factor": _("Form factor"),
    "launch_year": _("Launch year"),
    "memory_gb": _("Memory"),
    "memory_type": _("Memory type"),
    "memory_bw_gbps": _("Memory bandwidth"),
    "fp32_tflops": _("FP32 rate"),
    "tf32_tflops_dense": _("TF32 rate, dense"),
    "bf16_tflops_dense": _("BF16 rate, dense"),
    "fp16_tflops_dense": _("FP16 rate, dense"),
    "fp8_tflops_dense": _("FP8 rate, dense"),
    "fp4_tflops_dense": _("FP4 rate, dense"),
    "int8_tops_dense": _("INT8 rate, dense"),
    "fp64_tflops": _("FP64 rate"),
    "fp64_tensor_tflops": _("FP64 tensor rate"),
    "tdp_w": _("TDP"),
    "idle_w": _("Idle power"),
    "memory_usable_gib": _("Usable memory"),
    "scaleup_link": _("Scale-up link"),
    "scaleup_bw_gbps": _("Scale-up bandwidth, both directions"),
    "pcie_gen": _("PCIe generation"),
    "slot_width": _("Slot width"),
    "card_length_mm": _("Length of the card"),
    "card_slot_width": _("Width of a place for a card"),
    "card_length_max_mm": _("Longest card"),
    "cooling": pgettext_lazy("hardware", "Cooling"),
    "successor_slug": _("Successor"),
    "status": _("Sale status"),
    "software_stack": _("Software stack"),
    "pytorch_support": _("PyTorch support"),
    "export_restricted_cn": _("Export to China restricted"),
    "server_slug": _("Server"),
    "accelerator_slug": _("Accelerator"),
    "accelerator_count": _("Accelerators"),
    "chassis_slots": _("Chassis slots"),
    "expandable": _("Expandable"),
    "tier": _("Tier"),
    "rack_units": _("Rack units"),
    "rack_width": _("Rack width"),
    "depth_mm": _("Depth"),
    "width_mm": _("Width"),
    "height_mm": _("Height"),
    "max_load_kg": _("Load it bears"),
    "weight_kg": _("Weight"),
    "max_power_w": _("Maximum power"),
    "typical_power_w": _("Typical power"),
    "idle_power_w": _("Idle power"),
    "psu_count": _("Power supplies"),
    "psu_w": _("Rating of a supply"),
    "psu_needed": _("Supplies needed"),
    "psu_redundancy": _("Supply redundancy"),
    "input_voltage": _("Input voltage"),
    "plug_or_cord": _("Plug or cord"),
    "airflow_cfm": _("Airflow"),
    "noise_db": _("Noise"),
    "inlet_max_c": _("Maximum inlet temperature"),
    "inlet_temp_max_c": _("Maximum inlet temperature"),
    "heat_btu_h": _("Heat"),
    "cpu": _("CPU"),
    "system_memory_gb_max": _("Maximum host memory"),
    "local_nvme_tb": _("Local NVMe"),
    "nic_description": _("Network adapters"),
    "nic_slots_or_ports_400g": _("Slots or ports for 400G"),
    "fabric_ports": _("Fabric ports"),
    "fabric_port_gbps": _("Speed of a fabric port"),
    "inter_gpu_link": _("Link between accelerators"),
    "warranty_years": _("Warranty"),
    "support_pct_per_year": _("Support"),
    "lead_time_weeks_low": _("Lead time, low"),
    "lead_time_weeks_likely": _("Lead time, likely"),
    "lead_time_weeks_high": _("Lead time, high"),
    "embodied_kgco2e": _("Embodied carbon"),
    "embodied_gpu_kgco2e": _("Embodied carbon of an accelerator"),
    "max_accelerators": _("Most accelerators"),
    "build_slug": _("Build"),
    "adds_accelerators": _("Adds accelerators"),
    "adds_max_w": _("Adds to maximum power"),
    "adds_typical_w": _("Adds to typical power"),
    "adds_idle_w": _("Adds to idle power"),
    "adds_kg": _("Adds weight"),
    "pack": _("Bought in packs of"),
    "adds_nics": _("Adds network adapters"),
    "adds_memory_gb": _("Adds host memory"),
    "extra_price": _("Price of what comes with it"),
    "extra_price_currency": _("Currency of that price"),
    "labour_hours": _("Labour"),
    "part_number": _("Part number"),
    "ports": _("Ports"),
    "port_speed_gbps": _("Speed of a port"),
    "capacity_kw": _("Capacity"),
    "phases": _("Phases"),
    "volts": _("Voltage"),
    "amps": _("Current"),
    "description": _("Description"),
    "metric": _("Counted by"),
    "category": _("Category"),
    "low": _("Low"),
    "likely": _("Likely"),
    "high": _("High"),
    "unit": _("Unit"),
    "currency": _("Currency"),
    "region": _("Region"),
    "date": _("Date"),
    "provider": _("Provider"),
    "instance_type": _("Instance type"),
    "provider_class": _("Class of provider"),
    "billing_unit": _("Billed by"),
    "pricing_model": _("Pricing model"),
    "region_code": _("Region code"),
    "customer_class": _("Customer class"),
    "grid_kgco2e_per_kwh": _("Grid carbon"),
    "grid_period": _("Grid carbon of"),
    "market": _("Market"),
    "size_band": _("Size band"),
    "power_included": _("Power included"),
    "base": _("Base currency"),
    "quote": _("Quote currency"),
    "params_b": _("Parameters"),
    "active_params_b": _("Active parameters"),
    "layers": _("Layers"),
    "hidden": _("Hidden size"),
    "heads": _("Heads"),
    "kv_heads": _("KV heads"),
    "head_dim": _("Head size"),
    "attention": _("Attention"),
    "kv_lora_rank": _("KV LoRA rank"),
    "rope_head_dim": _("RoPE head size"),
    "vocab": _("Vocabulary"),
    "context_max": _("Longest context"),
    "sliding_window": _("Sliding window"),
    "moe": _("Mixture of experts"),
    "native_precision": _("Native precision"),
    "release_date": _("Release date"),
    "full_attention_layers": _("Layers with full attention"),
    "default_on": _("On by default"),
    "value_from": _("Value from"),
    "rule": _("Rule"),
    "item_kind": _("Kind in the price list"),
    "vendor": _("Vendor"),
    "kind": _("Kind"),
    "freshness": _("Age of the price"),
}
KINDS = {
    "accelerator": _("accelerator"),
    "build": _("build"),
    "addon": _("card add-on"),
    "server": _("published server"),
    "switch": pgettext_lazy("hardware", "switch"),
    "mgmt": _("management device"),
    "cable": _("cable"),
    "optic": _("optic"),
    "nic": _("network adapter"),
    "adapter": _("port adapter"),
    "rack": pgettext_lazy("hardware", "rack"),
    "pdu": _("PDU"),
    "ups": _("UPS"),
    "rdhx": _("rear-door heat exchanger"),
    "cdu": _("coolant distribution unit"),
    "generator": _("generator"),
    "software": _("software"),
    "cost": _("other cost"),
    "offer": _("cloud offer"),
    "tariff": _("electricity tariff"),
    "colocation": _("colocation rate"),
    "fx": _("exchange rate"),
    "model": _("model preset"),
    "default": _("planning default"),
    "other": _("other price"),
}
UNITS = {
    "accelerators": _("accelerators"),
    "slots": _("slots"),
    "supplies": _("supplies"),
    "ports": _("ports"),
    "years": _("years"),
    "weeks": _("weeks"),
    "year": _("year"),
    "generation": _("generation"),
    "cards": _("cards"),
    "NICs": _("NICs"),
    "phases": _("phases"),
    "% of price a year": _("% of price a year"),
    "money each": _("money, each"),
    "as stated": _("as stated"),
    "billion": _("billion"),
    "layers": _("layers"),
    "dimensions": _("dimensions"),
    "heads": _("heads"),
    "tokens": _("tokens"),
    "each": _("each"),
    "gpu-hour": _("GPU-hour"),
    "instance-hour": _("instance-hour"),
    "kW-month": _("kW-month"),
    "gpu-month": _("GPU-month"),
    "instance-month": _("instance-month"),
    "instance-year": _("instance-year"),
    "kW-year": _("kW-year"),
    "gpu-year": _("GPU-year"),
    "node-year": _("node-year"),
    "core-year": _("core-year"),
    "gpu-5years": _("GPU for 5 years"),
    "gpu": _("GPU"),
    "hour": _("hour"),
    "per hour": _("per hour"),
    "per kWh": _("per kWh"),
    "per kW-month": _("per kW-month"),
    "percent": _("percent"),
    "percent-of-purchase": _("percent of purchase"),
    "percent-of-purchase-per-year": _("percent of purchase a year"),
    "processors-per-fte": _("processors per FTE"),
    "nodes-per-fte": _("nodes per FTE"),
    "fte": _("FTE"),
    "FTE": _("FTE"),
    "FTE-year": _("FTE-year"),
    "GB-month": _("GB-month"),
    "GPU-hour": _("GPU-hour"),
    "GPU-year": _("GPU-year"),
    "Mbps-month": _("Mbit/s-month"),
    "TB per GPU": _("TB per GPU"),
    "asset": _("asset"),
    "cabinet-month": _("cabinet-month"),
    "circuit": _("circuit"),
    "days": _("days"),
    "door": _("door"),
    "drive": _("drive"),
    "hours per server": _("hours per server"),
    "job": _("job"),
    "link": pgettext_lazy("hardware", "link"),
    "litre per kWh": _("litre per kWh"),
    "m3": _("m³"),
    "month": _("month"),
    "nodes per FTE": _("nodes per FTE"),
    "panel": _("panel"),
    "percent of VAT": _("percent of VAT"),
    "percent of assessed value per year": _("percent of assessed value a year"),
    "percent of cloud bill": _("percent of the cloud bill"),
    "percent of cluster capex": _("percent of cluster capex"),
    "percent of cost": _("percent of cost"),
    "percent of cost per year": _("percent of cost a year"),
    "percent of customs value": _("percent of customs value"),
    "percent of hardware": _("percent of hardware"),
    "percent of insured value per year": _("percent of insured value a year"),
    "percent of plant cost per year": _("percent of plant cost a year"),
    "percent of price": _("percent of price"),
    "percent of price per month": _("percent of price a month"),
    "percent of profit": _("percent of profit"),
    "percent of project value": _("percent of project value"),
    "percent of purchase": _("percent of purchase"),
    "percent of purchase per year": _("percent of purchase a year"),
    "percent of resale": _("percent of resale"),
    "percent of salary": _("percent of salary"),
    "percent per year": _("percent a year"),
    "rack": pgettext_lazy("hardware", "rack"),
    "server": pgettext_lazy("hardware", "server"),
    "session": _("session"),
    "system-year": _("system-year"),
}
WORDS = {  # codes of cells, prices and dates
    "sourced": _("sourced"),
    "market": _("market"),
    "estimate": _("estimate"),
    "unverified": _("unverified"),
    "own": _("yours"),
    "quote": _("quote"),
    "list": _("list"),
    "reseller": _("reseller"),
    "street": _("street"),
    "auction": _("auction"),
    "used": _("used"),
    "analyst": _("analyst"),
    "news": _("press"),
    "index": _("index"),
    "new": _("new"),
    "refurb": _("refurbished"),
    "y": _("yes"),
    "n": _("no"),
    "True": _("yes"),
    "False": _("no"),
    "partial": _("partly"),
    "variant": _("variant for export"),
    "announced": _("announced"),
    "shipping": _("shipping"),
    "end_of_sale": _("end of sale"),
    "cloud_only": _("cloud only"),
    "cloud-only": _("cloud only"),
    "superchip": _("superchip"),
    "consumer": _("consumer"),
    "workstation": _("workstation"),
    "entry": _("entry"),
    "mid": _("mid-range"),
    "high": _("high end"),
    "rack-scale": _("rack-scale"),
    "air": _("air"),
    "liquid": _("liquid"),
    "dlc": _("direct liquid"),
    "hybrid": _("hybrid"),
    "passive": _("passive"),
    "active": _("active"),
    "tower": _("tower"),
    "open frame": _("open frame"),
    "hyperscaler": _("large provider"),
    "neocloud": _("specialist provider"),
    "marketplace": _("marketplace"),
    "gpu": _("GPU"),
    "instance": _("instance"),
    "on_demand": _("on demand"),
    "spot": _("spot"),
    "reserved_1y": _("reserved, 1 year"),
    "reserved_3y": _("reserved, 3 years"),
    "capacity_block": _("capacity block"),
    "industrial": _("industrial"),
    "commercial": _("commercial"),
    "residential": _("residential"),
    "day": _("day"),
    "month": _("month"),
    "quarter": _("quarter"),
    "half": _("half-year"),
    "year": _("year"),
    "build_per_kw": _("building, per kW"),
    "cabling": _("cabling"),
    "circuit_upgrade": _("circuit upgrade"),
    "cloud": _("cloud"),
    "colocation": _("colocation"),
    "compliance": _("compliance"),
    "cooling_per_kw": _("cooling, per kW"),
    "decommission": _("decommissioning"),
    "demand_charge": _("demand charge"),
    "duty": _("import duty"),
    "egress": _("data egress"),
    "fabric": _("fabric"),
    "freight": _("freight"),
    "install": _("installation"),
    "insurance": _("insurance"),
    "interest": _("interest"),
    "lease": _("lease"),
    "maintenance": _("maintenance"),
    "network_transit": _("network transit"),
    "network": _("network"),
    "office_ac_upgrade": _("office air-conditioning upgrade"),
    "property_tax": _("property tax"),
    "resale": _("resale"),
    "staff": _("staff"),
    "storage": _("storage"),
    "tender": _("public tender"),
    "tax": _("tax"),
    "ups_per_kw": _("UPS, per kW"),
    "water": _("water"),
    "labour": _("labour"),
    "support": _("support"),
    "cooling": _("cooling"),
    "facility": _("building"),
    "server": pgettext_lazy("hardware", "server"),
}
# What a cell holds that is a code of ours, and so is translated; other texts are names and stay as they are.
CODED = {
    *(
        "status",
        "pytorch_support",
        "export_restricted_cn",
        "form_factor",
        "tier",
        "cooling",
        "expandable",
        "rack_width",
    ),
    *(
        "provider_class",
        "billing_unit",
        "pricing_model",
        "customer_class",
        "power_included",
        "moe",
        "default_on",
    ),
}
FRESHNESS = {
    "fresh": pgettext_lazy("price", "fresh"),
    "ageing": pgettext_lazy("price", "ageing"),
    "stale": pgettext_lazy("price", "stale"),
    "expired": pgettext_lazy("price", "expired"),
    "none": _("no quote"),
}
NO_QUOTE, UNKNOWN = gettext_noop("no quote"), gettext_noop("unknown")


def cell(name: str, value) -> str:
    """A text of a data sheet: a code of ours in the reader's language, anything else as it stands."""
    if name in ("item_kind", "category"):
        return word(value) if value in WORDS else kind(value)
    if name == "unit":
        return unit(value)
    return word(str(value)) if name in CODED else str(value)


def field(name: str) -> str:
    return str(FIELDS.get(name, name))


def kind(code: str) -> str:
    return str(KINDS.get(code, code))


def unit(code: str) -> str:
    return str(UNITS.get(code, code))


def word(code: str) -> str:
    return str(WORDS.get(code, code))


def freshness(code: str) -> str:
    return str(FRESHNESS[code])


def freshness_rule() -> str:
    """What the words for the age of a price mean, and why the bounds are these."""
    return gettext(
        "A price is fresh for {ageing} days, a quarter, about as long as lists stand; then ageing; "
        "after {stale} days, or undated, stale; after its last day expired. A month or year counts from its first day."
    ).format(ageing=AGEING_AFTER_DAYS, stale=STALE_AFTER_DAYS)


def reason(bad: BadCell) -> str:
    """Why a cell cannot be used, with its bound and unit."""
    sentence = gettext(REASONS[bad.code])
    units = f" {unit(bad.unit)}" if bad.unit else ""
    detail = kind(bad.detail) if bad.code == "unknown_reference" else bad.detail
    return sentence.format(detail=detail, unit=units, low=bound(bad.low), high=bound(bad.high))


def bad_term(error: BadTerm) -> str:
    """What is wrong with a volume break or a discount."""
    return sentence(gettext(REASONS[error.code]).format(detail=error.entry))


def sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def terms(quote: QuoteRecord) -> str:
    """What binds a buyer besides the price: "from 8: 41,500 · at least 4 · packs of 2 · Framework −5 %"."""
    said = [
        gettext("from {quantity}: {price}").format(quantity=f"{each.min_quantity:,}", price=f"{each.unit_price:,}")
        for each in quote.breaks
    ]
    if quote.min_quantity is not None:
        said.append(gettext("at least {quantity}").format(quantity=f"{quote.min_quantity:,}"))
    if quote.pack_size is not None:
        said.append(gettext("in packs of {quantity}").format(quantity=f"{quote.pack_size:,}"))
    if quote.min_order_value is not None:
        said.append(gettext("orders from {amount}").format(amount=f"{quote.min_order_value:,} {quote.currency}"))
    for each in quote.discounts:
        off = f"{plain(each.share * 100)}\u00a0%" if each.share is not None else f"{each.amount:,} {quote.currency}"
        said.append(f"{each.name} \u2212{off}")
    if quote.tax_included_percent is not None:
        said.append(gettext("tax of {percent} % included").format(percent=quote.tax_included_percent))
    return " · ".join(said)


def say(bad: BadCell) -> str:
    """A bad cell as a sentence: place, reason, value."""
    place = gettext("{file}: line {line}, column {column}") if bad.column else gettext("{file}: line {line}")
    place = place.format(file=bad.file, line=bad.line, column=bad.column)
    if not bad.value:
        return gettext("{place}: {reason}").format(place=place, reason=reason(bad))
    return gettext("{place}: {reason}; got “{value}”").format(place=place, reason=reason(bad), value=bad.value)


def wrong_field(bad: BadCell) -> str:
    """A bad field of a form: its label and name, the value, the bound."""
    name = gettext("{label} ({field})").format(label=field(bad.column), field=bad.column) if bad.column else ""
    if not bad.value:
        return f"{name}: {reason(bad)}"
    return gettext("{place}: {reason}; got “{value}”").format(place=name, reason=reason(bad), value=bad.value)
