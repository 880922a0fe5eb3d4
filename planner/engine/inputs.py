"""The scenario document: what a planner says. Frozen, validated, in plain units, each default with its source.

Fractions are fractions (0.05), money is in the scenario's currency, months are counted from 0. Elements of lists carry
a `slug`, so that a path such as `demand/workloads/pool/growth/rate_per_month` keeps its meaning when a list is
reordered.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from planner.engine.energy.clock import zone_of
from planner.engine.energy.terms import TariffTerms
from planner.engine.lines import CATEGORIES
from planner.engine.procurement import Procurement
from planner.engine.quantities import Choice, Document, InputError, Problem, Quantity, conflict
from planner.engine.subscriptions import Subscription
from planner.engine.upkeep import Reliability

SCHEMA_VERSION = 1
MAX_MONTHS = 120

DEFAULTS = "catalog/data/defaults.csv"
COSTS = "catalog/data/other_costs.csv"


def _visible(text: str) -> str:
    """A name of nothing but invisible characters is no name."""
    return text if any(unicodedata.category(character) not in ("Cf", "Zs") for character in text) else ""


def _iso_day(value: Any) -> Any:
    """A date of this century is a date or its ISO text; numbers are not taken for seconds since 1970."""
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        value = value.isoformat()
    if isinstance(value, str) and re.fullmatch(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", value.strip()):
        return value.strip()
    raise PydanticCustomError("bad_format", "no date")


Slug = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=160)]
Name = Annotated[
    str,
    AfterValidator(_visible),
    StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=120, strip_whitespace=True),
]
Month = Annotated[str, StringConstraints(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])$")]
Day = Annotated[dt.date, BeforeValidator(_iso_day)]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]

AcceleratorSlug = Annotated[Slug, Choice("accelerator")]
BuildSlug = Annotated[Slug, Choice("build")]
OfferSlug = Annotated[Slug, Choice("cloud_offer")]

Share = Annotated[float, Quantity("share", 0.0, 1.0)]


# ── Demand ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class ConstantGrowth(Document):
    """The driver stays what it is."""

    kind: Literal["constant"] = "constant"


class CompoundGrowth(Document):
    """Compound growth of the driver per month, up to a ceiling; the rate may fade."""

    kind: Literal["compound"] = "compound"
    rate_per_month: Annotated[float, Quantity("share/month", -0.2, 0.5, 0.02, 0.06)] = 0.04
    ceiling: Annotated[float | None, Quantity("driver", 0.0, 1e12)] = None
    fade_per_year: Annotated[float, Quantity("share/year", 0.0, 1.0)] = 0.0


class LinearGrowth(Document):
    """The same amount is added every month, up to a ceiling."""

    kind: Literal["linear"] = "linear"
    per_month: Annotated[float, Quantity("driver/month", -1e9, 1e9)] = 0.0
    ceiling: Annotated[float | None, Quantity("driver", 0.0, 1e12)] = None


class LogisticGrowth(Document):
    """S-curve from today's value to the ceiling."""

    kind: Literal["logistic"] = "logistic"
    rate_per_month: Annotated[float, Quantity("share/month", 0.0, 1.0, 0.05, 0.15)] = 0.1
    ceiling: Annotated[float, Quantity("driver", 1e-9, 1e12)]


class Step(Document):
    month: Annotated[int, Quantity("month", 0, MAX_MONTHS)]
    value: Annotated[float, Quantity("driver", 0.0, 1e12)]


class StepGrowth(Document):
    """The driver takes a new value in named months: a launch, a new customer."""

    kind: Literal["steps"] = "steps"
    steps: tuple[Step, ...] = Field(default=(), max_length=MAX_MONTHS)


class TableGrowth(Document):
    """A pasted monthly table; its last value holds."""

    kind: Literal["table"] = "table"
    values: tuple[Annotated[float, Quantity("driver", 0.0, 1e12)], ...] = Field(min_length=1, max_length=MAX_MONTHS)


Growth = Annotated[
    ConstantGrowth | CompoundGrowth | LinearGrowth | LogisticGrowth | StepGrowth | TableGrowth,
    Field(discriminator="kind"),
]


class WorkloadBase(Document):
    slug: Slug
    name: Name = ""
    accelerator: AcceleratorSlug  # the hardware in whose GPUs this workload is stated, measured and reported
    priority: Annotated[int, Quantity("1", 1, 9)] = 5
    growth: Growth = CompoundGrowth()
    bound: Literal["compute", "memory_bandwidth", "fp64"] = "compute"  # converts its GPUs to those of another kind
    framework: Literal["cuda", "rocm", "cann", "xla", "neuron", "oneapi"] | None = None  # what its programs need


class PoolWorkload(WorkloadBase):
    """A shared pool stated in GPUs, or in GPU-hours of work a month."""

    kind: Literal["pool"] = "pool"
    gpus: Annotated[float, Quantity("GPU", 0.0, 100_000.0, 2.0, 3.5)] = 2.5
    measure: Literal["busy", "allocated", "installed"] = "busy"
    gpu_hours_per_month: Annotated[float | None, Quantity("GPU-hour/month", 0.0, 1e8)] = None  # replaces `gpus`
    target_utilisation: Annotated[float, Quantity("share", 0.0, 1.0, 0.7, 0.9)] = 0.8
    peak_to_mean: Annotated[float, Quantity("times", 1.0, 20.0)] = 1.0
    scheduler: Literal["none", "quotas", "preemption"] = "quotas"  # counts only where work is in GPU-hours
    gang_gpus: Annotated[int, Quantity("GPU", 1, 4096)] = 1  # GPUs the largest single job needs at once


class ModelShape(Document):
    """A model's architecture, by hand; or a preset of the catalog fills it."""

    params_b: Annotated[float, Quantity("1e9 param", 0.001, 20_000.0)]
    active_params_b: Annotated[float | None, Quantity("1e9 param", 0.001, 20_000.0)] = None
    layers: Annotated[int, Quantity("1", 1, 1000)]
    hidden: Annotated[int, Quantity("1", 64, 200_000)]
    heads: Annotated[int, Quantity("1", 1, 2048)]
    kv_heads: Annotated[int | None, Quantity("1", 1, 2048)] = None
    head_dim: Annotated[int | None, Quantity("1", 8, 1024)] = None
    attention: Literal["MHA", "GQA", "MQA", "MLA"] = "MHA"
    kv_lora_rank: Annotated[int | None, Quantity("1", 1, 65_536)] = None
    rope_head_dim: Annotated[int | None, Quantity("1", 1, 65_536)] = None
    sliding_window: Annotated[int | None, Quantity("token", 1, 10_000_000)] = None
    full_attention_layers: Annotated[int | None, Quantity("1", 0, 1000)] = None
    moe: bool = False

    @property
    def active(self) -> float:
        """Parameters active per token."""
        return (self.active_params_b or self.params_b) * 1e9


class Phase(Document):
    """A part of a training run: so many tokens at one sequence length."""

    tokens_b: Annotated[float, Quantity("1e9 token", 0.0, 1e6)]
    sequence: Annotated[int, Quantity("token", 128, 10_000_000)]


class TrainingWorkload(WorkloadBase):
    """Training runs of one model, each with a deadline."""

    kind: Literal["training"] = "training"
    preset: Annotated[Slug | None, Choice("model")] = None
    model: ModelShape | None = None
    precision: Literal["bf16", "fp8"] = "bf16"
    tokens_b: Annotated[float, Quantity("1e9 token", 0.0, 1e6)] = 100.0
    phases: tuple[Phase, ...] = Field(default=(), max_length=20)  # replace `tokens_b` and `sequence`
    runs_per_month: Annotated[float, Quantity("1/month", 0.0, 1000.0)] = 0.25
    deadline_days: Annotated[float, Quantity("day", 0.1, 3650.0)] = 30.0
    sequence: Annotated[int, Quantity("token", 128, 10_000_000)] = 4096
    micro_batch: Annotated[int, Quantity("1", 1, 4096)] = 1
    batch_tokens_m: Annotated[float, Quantity("1e6 token", 0.001, 10_000.0)] = 4.0  # of one optimiser step, all GPUs
    states: Literal["mixed_bf16_grads", "mixed_fp32_grads", "pure_bf16", "adam_8bit"] = "mixed_fp32_grads"
    # "typical": as published runs do it, so much that the run fits; the band of the hardware holds.
    recompute: Literal["typical", "full", "selective", "none"] = "typical"
    mfu: Annotated[float | None, Quantity("share", 0.01, 0.95)] = None  # None: the band of the hardware
    band: Literal["low", "base", "high"] = "base"  # where in that band
    goodput: Annotated[float | None, Quantity("share", 0.1, 1.0)] = None
    measured_tokens_per_s_per_gpu: Annotated[float | None, Quantity("token/s/GPU", 1e-6, 1e9)] = None
    target_utilisation: Annotated[float, Quantity("share", 0.0, 1.0)] = 1.0
    driver: Literal["runs", "tokens", "model_size"] = "runs"
    growth: Growth = ConstantGrowth()

    @model_validator(mode="after")
    def _has_a_model(self) -> TrainingWorkload:
        if self.preset is None and self.model is None and self.measured_tokens_per_s_per_gpu is None:
            raise ValueError("model")
        return self

    @property
    def parts(self) -> tuple[tuple[float, int], ...]:
        """(tokens, sequence length) of each phase of a run."""
        if not self.phases:
            return ((self.tokens_b * 1e9, self.sequence),)
        return tuple((phase.tokens_b * 1e9, phase.sequence) for phase in self.phases)


class TuningWorkload(WorkloadBase):
    """Tuning runs on a given model: all its weights, or adapters on a frozen base."""

    kind: Literal["tuning"] = "tuning"
    method: Literal["full", "lora", "qlora8", "qlora4"] = "lora"
    preset: Annotated[Slug | None, Choice("model")] = None
    model: ModelShape | None = None
    precision: Literal["bf16", "fp8"] = "bf16"
    tokens_m: Annotated[float, Quantity("1e6 token", 0.0, 1e9)] = 20.0
    runs_per_month: Annotated[float, Quantity("1/month", 0.0, 100_000.0)] = 20.0
    deadline_days: Annotated[float, Quantity("day", 0.1, 3650.0)] = 1.0
    sequence: Annotated[int, Quantity("token", 128, 10_000_000)] = 2048
    micro_batch: Annotated[int, Quantity("1", 1, 4096)] = 1
    batch_tokens_m: Annotated[float, Quantity("1e6 token", 0.001, 10_000.0)] = 0.25  # of one optimiser step, all GPUs
    states: Literal["mixed_bf16_grads", "mixed_fp32_grads", "pure_bf16", "adam_8bit"] = "mixed_fp32_grads"
    recompute: Literal["typical", "full", "selective", "none"] = "typical"
    mfu: Annotated[float | None, Quantity("share", 0.01, 0.95)] = None  # None: the band of the hardware
    band: Literal["low", "base", "high"] = "base"
    goodput: Annotated[float | None, Quantity("share", 0.1, 1.0)] = None
    measured_tokens_per_s_per_gpu: Annotated[float | None, Quantity("token/s/GPU", 1e-6, 1e9)] = None
    target_utilisation: Annotated[float, Quantity("share", 0.0, 1.0, 0.7, 0.9)] = 0.8
    driver: Literal["runs", "tokens", "model_size"] = "runs"
    growth: Growth = ConstantGrowth()

    @model_validator(mode="after")
    def _has_a_model(self) -> TuningWorkload:
        if self.preset is None and self.model is None and self.measured_tokens_per_s_per_gpu is None:
            raise ValueError("model")
        return self

    @property
    def parts(self) -> tuple[tuple[float, int], ...]:
        """(tokens, sequence length): a tuning run has one phase."""
        return ((self.tokens_m * 1e6, self.sequence),)


class ServingWorkload(WorkloadBase):
    """An online service: requests a day, sized for its peak, with spare servers."""

    kind: Literal["serving"] = "serving"
    preset: Annotated[Slug | None, Choice("model")] = None
    model: ModelShape | None = None
    precision: Literal["bf16", "fp8", "fp4"] = "fp8"
    requests_per_day: Annotated[float, Quantity("request/day", 0.0, 1e12)] = 100_000.0
    input_tokens: Annotated[float, Quantity("token", 1.0, 1e7)] = 1000.0
    output_tokens: Annotated[float, Quantity("token", 1.0, 1e6)] = 300.0
    latency: Literal["batch", "relaxed", "interactive"] = "relaxed"
    diurnal_peak: Annotated[
        float, Quantity("times", 1.0, 20.0, 1.4, 2.5, "estimate", "https://github.com/Azure/AzurePublicDataset")
    ] = 2.0
    burst_peak: Annotated[
        float, Quantity("times", 1.0, 20.0, 1.2, 2.0, "estimate", "https://github.com/Azure/AzurePublicDataset")
    ] = 1.5
    target_utilisation: Annotated[float, Quantity("share", 0.0, 1.0, 0.6, 0.85)] = 0.8
    spare_servers: Annotated[int, Quantity("server", 0, 10)] = 1
    replica_gpus: Annotated[int | None, Quantity("GPU", 1, 64)] = None  # of one copy; None: the fewest that hold it
    measured_requests_per_s_per_gpu: Annotated[float | None, Quantity("request/s/GPU", 1e-9, 1e9)] = None
    # Measured rates of separate prefill and decode servers; both together replace the one rate above.
    measured_prefill_tokens_per_s_per_gpu: Annotated[float | None, Quantity("token/s/GPU", 1e-6, 1e9)] = None
    measured_decode_tokens_per_s_per_gpu: Annotated[float | None, Quantity("token/s/GPU", 1e-6, 1e9)] = None
    disaggregated: bool = False  # prompts and answers on servers of their own; so they are where both were measured
    # 99th percentile of the requests under way over their mean; None: Poisson. Chats 1.1 × Poisson, code 8 to 9 × mean.
    concurrency_p99_to_mean: Annotated[
        float | None, Quantity("times", 1.0, 100.0, None, None, "choice", "https://github.com/Azure/AzurePublicDataset")
    ] = None
    driver: Literal["requests", "model_size"] = "requests"

    @property
    def apart(self) -> bool:
        """Whether prompts are read on other servers than those that write the answers."""
        return self.disaggregated or self.measured_prefill_tokens_per_s_per_gpu is not None

    @model_validator(mode="after")
    def _has_a_rate(self) -> ServingWorkload:
        prefill, decode = self.measured_prefill_tokens_per_s_per_gpu, self.measured_decode_tokens_per_s_per_gpu
        if (prefill is None) != (decode is None):
            raise ValueError("measured_decode_tokens_per_s_per_gpu")
        measured = self.measured_requests_per_s_per_gpu is not None or prefill is not None
        if self.preset is None and self.model is None and not measured:
            raise ValueError("model")
        return self


class BatchWorkload(WorkloadBase):
    """Work without anybody waiting: offline inference, data search and processing; stated in items or in tokens."""

    kind: Literal["batch"] = "batch"
    preset: Annotated[Slug | None, Choice("model")] = None
    model: ModelShape | None = None
    precision: Literal["bf16", "fp8", "fp4"] = "fp8"
    items_m_per_month: Annotated[float, Quantity("1e6 item/month", 0.0, 1e9)] = 10.0
    tokens_b_per_month: Annotated[float | None, Quantity("1e9 token/month", 0.0, 1e9)] = None  # replaces the items
    input_tokens: Annotated[float, Quantity("token", 1.0, 1e7)] = 1000.0
    output_tokens: Annotated[float, Quantity("token", 1.0, 1e6)] = 300.0
    # In what the work is stated in: items, or tokens read and written.
    measured_rate_per_gpu: Annotated[float | None, Quantity("amount/s/GPU", 1e-9, 1e9)] = None
    target_utilisation: Annotated[float, Quantity("share", 0.0, 1.0, 0.85, 0.98, "estimate")] = 0.95
    driver: Literal["amount", "model_size"] = "amount"
    growth: Growth = ConstantGrowth()

    @model_validator(mode="after")
    def _has_a_rate(self) -> BatchWorkload:
        if self.preset is None and self.model is None and self.measured_rate_per_gpu is None:
            raise ValueError("model")
        return self


class HpcWorkload(WorkloadBase):
    """Simulation and other double-precision work: FP64 operations a month."""

    kind: Literal["hpc"] = "hpc"
    exaflop_per_month: Annotated[float, Quantity("1e18 FLOP/month", 0.0, 1e12)] = 200.0
    # Dense linear algebra (HPL) reaches 0.6 to 0.8 of the peak, sparse solvers (HPCG) 0.01 to 0.04: measure your code.
    efficiency: Annotated[float, Quantity("share", 0.001, 1.0, 0.05, 0.6, "estimate")] = 0.3
    measured_tflops_per_gpu: Annotated[float | None, Quantity("TFLOP/s", 1e-6, 1e6)] = None
    gang_gpus: Annotated[int, Quantity("GPU", 1, 65_536)] = 1  # GPUs the largest single job needs at once
    target_utilisation: Annotated[float, Quantity("share", 0.0, 1.0, 0.7, 0.9)] = 0.8
    bound: Literal["compute", "memory_bandwidth", "fp64"] = "fp64"
    growth: Growth = ConstantGrowth()


Workload = Annotated[
    PoolWorkload | TrainingWorkload | TuningWorkload | ServingWorkload | BatchWorkload | HpcWorkload,
    Field(discriminator="kind"),
]


class ScalingPoint(Document):
    """What each GPU of a job over so many keeps of the speed it would have alone."""

    gpus: Annotated[int, Quantity("GPU", 1, 100_000)]
    share: Annotated[float, Quantity("share", 0.01, 1.0)]


ScalingCurve = Annotated[tuple[ScalingPoint, ...], Field(min_length=1, max_length=20)]


def _scaling(*points: tuple[int, float]) -> tuple[ScalingPoint, ...]:
    return tuple(ScalingPoint(gpus=gpus, share=share) for gpus, share in points)


class Scaling(Document):
    """Scaling efficiency by GPUs of a job and by what joins them; the last point holds beyond it.

    The shares apply to the rate of the work, whose published figures were reached on servers of eight joined GPUs and,
    beyond, on fabrics that cost no more than 9 % (sizing reference 1.3 and 6.2): these are 100 %. What a lesser
    network costs follows from its bandwidth, see `needs.spread`.
    """

    joined: ScalingCurve = _scaling((1, 1.0), (8, 1.0))  # NVLink-class
    pcie: ScalingCurve = _scaling((1, 1.0), (4, 1.0), (5, 0.77))  # 30 % more time: sizing reference 10, step 5
    # MLPerf GPT-3: 10,752 H100 keep 93 % of the speed of 3,584; sizing reference 6.3.
    between_servers: ScalingCurve = _scaling((16, 1.0), (3584, 1.0), (10_752, 0.93))


class Demand(Document):
    workloads: tuple[Workload, ...] = Field(min_length=1, max_length=20)
    # Work per unit falls by this share a year through better software, before GPUs are counted.
    software_speedup_per_year: Annotated[
        float,
        Quantity("share/year", 0.0, 1.0, 0.0, 0.18, "estimate", "https://github.com/mlcommons/inference_results_v5.1"),
    ] = 0.0
    service_target: Annotated[float, Quantity("share", 0.0, 1.0)] = 1.0
    scaling: Scaling = Scaling()


# ── Plans ────────────────────────────────────────────────────────────────────────────────────────────────────────────


# Set on every GPU that is owned (nvidia-smi -pl): it draws less and does less, by a curve that depends on how many
# requests are under way. None: the card's own power.
PowerLimit = Annotated[
    float | None,
    Quantity(
        "W",
        50.0,
        5000.0,
        None,
        None,
        "choice",
        "https://github.com/voipmonitor/rtx6kpro/blob/main/hardware/gpu-configs.md#power-limit-scaling-minimax-m25-nvfp4-4x-cards",
    ),
]


class Start(Document):
    """The first wave: in service and paid in month 0."""

    build: BuildSlug
    quantity: Annotated[int, Quantity("server", 1, 10_000)] = 1
    cards: Annotated[int | None, Quantity("GPU", 1, 100_000)] = (
        None  # GPUs in all; None: the build's own, times quantity
    )


class Wave(Document):
    month: Annotated[int, Quantity("month", 0, MAX_MONTHS - 1)]
    quantity: Annotated[int, Quantity("1", 1, 10_000)]


class FollowUp(Document):
    """What is bought when demand outgrows the fleet: cards into free slots, whole servers, or waves at fixed months."""

    kind: Literal["none", "cards", "servers", "schedule"] = "none"
    batch: Annotated[int, Quantity("1", 1, 1000)] = 1
    build: BuildSlug | None = None  # None: the build of the start
    generation: Literal["same", "newest"] = "same"  # whether later purchases take what succeeds the build
    waves: tuple[Wave, ...] = Field(default=(), max_length=MAX_MONTHS)
    min_service_months: Annotated[int | None, Quantity("month", 0, MAX_MONTHS)] = None  # None: 18 with overflow, else 0


class CapacityBlock(Document):
    """GPUs booked and paid ahead for some days from the start of a month."""

    month: Annotated[int, Quantity("month", 0, MAX_MONTHS - 1)]
    gpus: Annotated[float, Quantity("GPU", 0.0, 100_000.0)]


class Overflow(Document):
    """A cloud offer that takes what the owned fleet cannot serve."""

    accelerator: AcceleratorSlug
    offer: OfferSlug | None = None  # None: the median of the comparable offers, named
    provider_class: Literal["specialist", "large_provider", "marketplace"] | None = None  # None: the market's
    # None: the site's region where the provider sells there, else any.
    region: Annotated[str | None, Choice("cloud_region"), StringConstraints(max_length=80)] = None
    reserved_share: Annotated[float, Quantity("share", 0.0, 1.0)] = 0.0
    reserved_term_months: Literal[12, 36, 60] = 12
    commit_discount: Annotated[float | None, Quantity("share", 0.0, 0.95)] = None  # None: an offer's, else the usual
    spot_share: Annotated[float, Quantity("share", 0.0, 1.0)] = 0.0  # of what is not reserved
    spot_interruption_share: Annotated[float, Quantity("share", 0.0, 0.9, None, None, "estimate")] = 0.05
    blocks: tuple[CapacityBlock, ...] = Field(default=(), max_length=MAX_MONTHS)
    block_days: Annotated[float, Quantity("day", 1.0, 366.0)] = 14.0
    egress_tb_per_month: Annotated[float | None, Quantity("TB", 0.0, 1e6)] = None  # None: not stated
    stored_tb: Annotated[float | None, Quantity("TB", 0.0, 1e6)] = None

    @property
    def states_data(self) -> bool:
        """Whether data leaving or lying in the cloud is stated, and so charged."""
        return self.egress_tb_per_month is not None or self.stored_tb is not None

    @property
    def pricing_models(self) -> frozenset[str]:
        """Ways of pricing that this plan asks the catalog for, besides on demand."""
        years = self.reserved_term_months // 12
        asked = {
            f"reserved_{years}y": self.reserved_share > 0 and self.commit_discount is None,
            "spot": self.spot_share > 0,
            "capacity_block": bool(self.blocks),
        }
        return frozenset(name for name, wanted in asked.items() if wanted)


class Fabric(Document):
    """The network between servers that lets one job span them."""

    when: Literal["never", "when_needed", "always"] = "when_needed"
    final_nodes: Annotated[int | None, Quantity("server", 1, 10_000)] = None  # wire for this size now
    switch: Annotated[Slug | None, Choice("switch")] = None
    topology: Literal["rail_optimised", "rail_only"] = "rail_optimised"
    oversubscription: Annotated[float, Quantity("1", 1.0, 8.0)] = 1.0  # leaf ports down to up
    spread: Literal["even", "fewest"] = "even"  # links spread evenly, as published, or as few switches as carry them
    # What joins the servers: the ports they come with, or another network of that class.
    network: Literal[
        "ports",
        "1gbe",
        "10gbe",
        "25gbe",
        "25g_roce",
        "100gbe",
        "100g_rdma",
        "400g_rdma",
        "8x200g_rdma",
        "8x400g_rdma",
        "8x800g_rdma",
    ] = "ports"
    planes: Annotated[int, Quantity("1", 1, 4)] = 1  # separate fabrics over which each port is split
    ufm: bool = False  # fabric managers, a pair
    cabling: Literal["per_link", "by_distance"] = "per_link"  # one price for every link, or what its length asks for
    leaf_m: Annotated[float, Quantity("m", 0.5, 2000.0, None, None, "estimate")] = 30.0  # server to leaf
    spine_m: Annotated[float, Quantity("m", 0.5, 2000.0, None, None, "estimate")] = 50.0  # between switches
    storage_network: bool = False
    in_band: bool = False
    out_of_band: bool = False
    commissioning_days: Annotated[float, Quantity("day", 0.0, 365.0)] = 0.0  # on top of the servers' burn-in

    @model_validator(mode="after")
    def _has_a_place_for_managers(self) -> Fabric:
        if self.ufm and self.topology == "rail_only":
            raise conflict("ufm", "rails apart have no place for fabric managers")
        return self


class EndOfLife(Document):
    life_months: Annotated[
        int, Quantity("month", 12, 240, 36, 72, "estimate", "https://wiresift.com/ai-server-depreciation")
    ] = 60
    then: Literal["renew", "let_go"] = "renew"


class Financing(Document):
    """How machines and fabric are paid for: in cash, with a loan, or by a lessor who owns them."""

    kind: Literal["cash", "loan", "lease"] = "cash"
    share: Annotated[float, Quantity("share", 0.0, 1.0)] = 1.0  # of the price, lent or leased
    # None: the catalog's rate of an equipment loan.
    rate_per_year: Annotated[float | None, Quantity("share/year", 0.0, 1.0)] = None
    rate_is: Literal["effective", "nominal"] = "effective"  # a nominal one is divided by 12
    term_months: Annotated[int, Quantity("month", 1, MAX_MONTHS)] = 36
    repayment: Literal["annuity", "bullet"] = "annuity"
    payment: Literal["advance", "arrears"] = "advance"
    buy_out_share: Annotated[float, Quantity("share", 0.0, 1.0, None, None, "estimate", COSTS)] = 0.2
    at_end: Literal["buy_out", "extend"] = "buy_out"  # of a lease: the machine is bought, or the rent goes on
    # What a lessor asks; None: what the rate and the buy-out make of it.
    rent_share_per_month: Annotated[float | None, Quantity("share/month", 0.0, 1.0)] = None


class Condition(Document):
    """In which condition machines are bought, and what that changes; networks and racks are bought new."""

    kind: Literal["new", "refurbished", "used"] = "new"
    # Of the price of a new one; None: a quote of that condition, and without one there is no total.
    price_share: Annotated[float | None, Quantity("share", 0.0, 1.0)] = None
    age_months: Annotated[int, Quantity("month", 0, 239, None, None, "estimate")] = 36  # when bought
    warranty_months: Annotated[int, Quantity("month", 0, 120, None, None, "estimate")] = 0

    @property
    def age(self) -> int:
        """Months of service behind a machine when it is bought."""
        return 0 if self.kind == "new" else self.age_months


class Plan(Document):
    slug: Slug
    name: Name = ""
    strategy: Literal[
        "scale_out",
        "server_now",
        "servers_now",
        "cluster_now",
        "cloud",
        "hybrid",
        "fixed",
        "server_as_is",
        "server_cooled",
        "other",
    ] = "other"
    start: Start | None = None
    follow_up: FollowUp = FollowUp()
    overflow: Overflow | None = None
    fabric: Fabric = Fabric()
    end_of_life: EndOfLife = EndOfLife()
    financing: Financing = Financing()
    condition: Condition = Condition()
    sourcing: Literal["buy"] = "buy"
    lead_months: Annotated[int | None, Quantity("month", 0, 60)] = (
        None  # None: lead time of the build and commissioning
    )
    gpu_power_limit_w: PowerLimit = None  # None: the scenario's
    moves: bool = True  # into the later rooms; off: it stays in the first one
    # Of the move into the second room; None: the month which that room names.
    move_month: Annotated[int | None, Quantity("month", 1, MAX_MONTHS - 1)] = None
    upgrades: Literal["buy", "show"] = "buy"  # whether the room's upgrades are ordered, or only priced as the remedy

    @model_validator(mode="after")
    def _follows_something(self) -> Plan:
        if self.follow_up.kind != "none" and self.start is None and self.follow_up.build is None:
            raise conflict("follow_up/build", "a follow-up needs a build")
        leased = self.financing.kind == "lease"
        if self.service_months < 1:
            raise conflict("condition/age_months", "the service life is over when it is bought")
        if leased and self.financing.term_months > self.service_months:
            raise conflict("financing/term_months", "a lease ends within the service life")
        return self

    @property
    def service_months(self) -> int:
        """Months that a machine serves in this plan: what is left of its life when it is bought."""
        return self.end_of_life.life_months - self.condition.age


# ── Site ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Band(Document):
    """The price per kW of contracts from a size on."""

    from_kw: Annotated[float, Quantity("kW", 0.0, 1e6)]
    price_per_kw_month: Annotated[float, Quantity("money/kW/month", 0.0, 1e5)]


class Cabinet(Document):
    """The rent of a cabinet with a circuit of so many amps."""

    amps: Annotated[float, Quantity("A", 1.0, 1000.0)]
    price_per_month: Annotated[float, Quantity("money/month", 0.0, 1e6)]


class Colocation(Document):
    """Terms of a colocation contract, per contracted kW or per cabinet. A fee of None is not quoted, and not 0."""

    market: Annotated[Slug | None, Choice("colocation")] = None
    price_per_kw_month: Annotated[float | None, Quantity("money/kW/month", 0.0, 1e5)] = None  # None: the market's price
    power_included: bool | None = None  # None: what the market's row says
    usable_share: Annotated[
        float, Quantity("share", 0.1, 1.0, 0.7, 1.0, "estimate", "https://deft.com/blog/hidden-costs-colocation/")
    ] = 0.8
    step_kw: Annotated[float, Quantity("kW", 0.1, 1000.0)] = 1.0
    committed_kw: Annotated[float, Quantity("kW", 0.0, 1e6)] = 0.0
    billing: Literal["kw", "cabinet"] = "kw"
    bands: tuple[Band, ...] = Field(default=(), max_length=20)  # in place of the one price
    overage_price_per_kw: Annotated[float | None, Quantity("money/kW/month", 0.0, 1e5)] = None  # None: contracted
    cabinets: tuple[Cabinet, ...] = Field(default=(), max_length=20)
    cabinet_volts: Annotated[float, Quantity("V", 48.0, 1000.0)] = 208.0
    cabinet_phases: Literal["single", "three"] = "single"
    setup_fee: Annotated[float | None, Quantity("money", 0.0, 1e8)] = None
    redundant_feed_per_month: Annotated[float | None, Quantity("money/month", 0.0, 1e7)] = None
    cross_connects: Annotated[int, Quantity("link", 0, 1000)] = 1
    cross_connect_price: Annotated[float | None, Quantity("money/month", 0.0, 1e5)] = None  # None: the catalog's
    remote_hands_hours: Annotated[float, Quantity("hour/month", 0.0, 1e4)] = 0.0
    remote_hands_price: Annotated[float | None, Quantity("money/hour", 0.0, 1e4)] = None  # None: the catalog's
    term_months: Annotated[int | None, Quantity("month", 1, 240)] = None
    escalator_per_year: Annotated[float | None, Quantity("share/year", -0.5, 0.5)] = None  # None: the market's path

    @model_validator(mode="after")
    def _prices_rise_in_size(self) -> Colocation:
        for name, sizes in (
            ("bands", [band.from_kw for band in self.bands]),
            ("cabinets", [cabinet.amps for cabinet in self.cabinets]),
        ):
            if sizes != sorted(set(sizes)):
                raise conflict(name, "each size is larger than the one before")
        if self.bands and self.bands[0].from_kw > 0:
            raise conflict("bands", "the first band begins at 0 kW")
        if self.billing == "cabinet" and not self.cabinets:
            raise conflict("cabinets", "a contract by cabinet names what a cabinet costs")
        return self


class Circuit(Document):
    """The feeds that reach one rack, all of one rating; cords of a machine are spread evenly over them."""

    volts: Annotated[float, Quantity("V", 48.0, 1000.0)] = 400.0  # between lines where there are three phases
    amps: Annotated[float, Quantity("A", 1.0, 2000.0)] = 32.0
    phases: Literal["single", "three"] = "three"
    derating: Annotated[float, Quantity("share", 0.1, 1.0)] = 1.0  # North American breakers carry 80 %, IEC cords all
    power_factor: Annotated[float, Quantity("1", 0.5, 1.0)] = 0.95  # reproduces NVIDIA's B200 slide
    feeds: Annotated[int, Quantity("feed", 1, 16)] = 2
    redundancy: Literal["N", "N+1", "2N"] = "2N"
    outlets: Annotated[int | None, Quantity("outlet", 1, 100)] = None  # of each feed; None: enough


class Ups(Document):
    """Equal modules of an uninterruptible supply between the circuits and the machines."""

    module_kw: Annotated[float, Quantity("kW", 0.1, 1e5)] = 10.0
    modules: Annotated[int, Quantity("1", 1, 100)] = 2
    spare: Annotated[int, Quantity("1", 0, 99)] = 1  # that may fail while the others carry the load
    battery_minutes: Annotated[float, Quantity("minute", 0.0, 600.0, None, None, "estimate")] = 5.0

    @model_validator(mode="after")
    def _carries_something(self) -> Ups:
        if self.spare >= self.modules:
            raise conflict("spare", "all modules may fail")
        return self


class Upgrade(Document):
    """A step of the room's ladder: what it adds, what it costs, how long it takes."""

    slug: Slug
    item: Annotated[Slug, Choice("other_cost")]
    quantity: Annotated[int, Quantity("1", 1, 1000)] = 1
    adds_cooling_kw: Annotated[float, Quantity("kW", 0.0, 1e5)] = 0.0
    adds_power_kw: Annotated[float, Quantity("kW", 0.0, 1e5)] = 0.0
    adds_racks: Annotated[int, Quantity("rack", 0, 10_000)] = 0
    lead_weeks: Annotated[float, Quantity("week", 0.0, 200.0, 2.0, 12.0, "estimate", COSTS)] = 4.0
    price: Annotated[float | None, Quantity("money", 0.0, 1e9)] = None  # None: the catalog's likely price
    circuit: Circuit | None = None  # feeds the racks from then on, in place of the circuit that the room names


class Site(Document):
    """A room and what it can carry. None means no limit is known."""

    slug: Slug
    name: Name = ""
    kind: Literal["office", "server_room", "data_hall", "colocation"] = "server_room"
    from_month: Annotated[int, Quantity("month", 0, MAX_MONTHS - 1)] = 0
    region: Annotated[Slug, Choice("tariff")] = "US-VA"
    customer_class: Literal["industrial", "commercial", "residential"] = "commercial"
    electricity_price_per_kwh: Annotated[float | None, Quantity("money/kWh", 0.0, 10.0)] = (
        None  # None: the region's tariff
    )
    cooling_method: Literal[
        "office_air", "perimeter", "contained", "high_flow", "rear_door", "rear_door_active", "liquid", "immersion"
    ] = "perimeter"
    pue: Annotated[float | None, Quantity("1", 1.0, 3.0, 1.2, 1.7, "estimate", DEFAULTS)] = (
        None  # None: by cooling method
    )
    cooling_kw: Annotated[float | None, Quantity("kW", 0.0, 1e6)] = None
    power_kw: Annotated[float | None, Quantity("kW", 0.0, 1e6)] = None
    racks: Annotated[int | None, Quantity("rack", 0, 100_000)] = None
    rack_units: Annotated[int, Quantity("U", 4, 60)] = 42
    rack_kw: Annotated[float | None, Quantity("kW", 0.1, 500.0)] = None
    rack_kg: Annotated[float | None, Quantity("kg", 10.0, 5000.0)] = 1300.0
    reserved_units: Annotated[int, Quantity("U", 0, 20)] = 2
    rack_cfm: Annotated[float | None, Quantity("CFM", 1.0, 1e5)] = None
    circuit: Circuit | None = None
    cooling_units: Annotated[int | None, Quantity("unit", 1, 1000)] = None
    noise_limit_db: Annotated[float | None, Quantity("dB(A)", 20.0, 120.0)] = None
    # Power the owner wants to stay under, by the nameplates; a hard budget rules plans out, a soft one only marks them.
    power_budget_kw: Annotated[float | None, Quantity("kW", 0.01, 1e6)] = None
    power_budget: Literal["hard", "soft"] = "hard"
    # What the building bears and the cooling delivers, checked month by month where it is named.
    rack_heat_kw: Annotated[float | None, Quantity("kW", 0.1, 500.0)] = None  # None: assumed by cooling method
    floor_kg_m2: Annotated[float | None, Quantity("kg/m2", 50.0, 10_000.0)] = None  # None: 70 lb/ft² in an office
    floor_foot_kg: Annotated[float | None, Quantity("kg", 10.0, 10_000.0)] = None  # on each of a rack's four feet
    supply_c: Annotated[float | None, Quantity("°C", 5.0, 45.0)] = None  # air that machines breathe in
    air_cfm: Annotated[float | None, Quantity("CFM", 1.0, 1e8)] = None
    liquid_l_per_min: Annotated[float | None, Quantity("L/min", 0.1, 1e6)] = None
    spare_cooling_units: Annotated[int, Quantity("unit", 0, 100)] = 0  # that may fail: 1 is N+1
    ups: Ups | None = None
    # Supplies of a machine that may fail; as built is what its maker says.
    supplies: Literal["as_built", "N", "N+1", "N+N"] = "as_built"
    transient_ratio: Annotated[
        float, Quantity("1", 1.0, 3.0, None, None, "estimate", "https://ai-infrastructure.net/datacentre-physical/")
    ] = 1.4
    colocation: Colocation | None = None
    moving_cost: Annotated[float, Quantity("money", 0.0, 1e9)] = 0.0
    downtime_days: Annotated[float, Quantity("day", 0.0, 365.0)] = 0.0  # of the machines that move here
    grid_kgco2e_per_kwh: Annotated[float | None, Quantity("kg CO2e/kWh", 0.0, 3.0)] = None  # None: the region's grid
    water_l_per_kwh: Annotated[float | None, Quantity("L/kWh", 0.0, 20.0)] = None  # WUE; None: the catalog's
    water_price_per_m3: Annotated[float | None, Quantity("money/m3", 0.0, 1000.0)] = None  # None: the catalog's
    tariff: TariffTerms | None = None  # None: one price for every kilowatt-hour
    upgrades: tuple[Upgrade, ...] = Field(default=(), max_length=20)

    @model_validator(mode="after")
    def _knows_its_clock_and_price(self) -> Site:
        if self.tariff is not None and self.tariff.by_the_clock and self.zone is None:
            raise conflict("tariff/time_zone", "the region has several clocks: name the time zone")
        if self.tariff is not None and self.tariff.basis != "all_in" and self.electricity_price_per_kwh is None:
            raise conflict("electricity_price_per_kwh", "the catalog's price is an average that holds every charge")
        return self

    @property
    def zone(self) -> str | None:
        """Time zone of the clock on the wall; None where neither contract nor region tell."""
        named = self.tariff.time_zone if self.tariff is not None else None
        return named or zone_of(self.region)


# ── Market, operations, finance ──────────────────────────────────────────────────────────────────────────────────────


class PricePath(Document):
    """Yearly nominal change of a price, signed; years after the listed ones take the general rate."""

    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0)] = 0.0
    by_year: tuple[Annotated[float, Quantity("share/year", -0.9, 2.0)], ...] = Field(default=(), max_length=10)


class AcceleratorPath(PricePath):
    rate_per_year: Annotated[
        float, Quantity("share/year", -0.9, 2.0, -0.20, 0.10, "estimate", "catalog/data/price_quotes.csv")
    ] = -0.10


class MemoryPath(PricePath):
    rate_per_year: Annotated[
        float, Quantity("share/year", -0.9, 2.0, -0.20, 0.50, "estimate", "catalog/data/price_quotes.csv")
    ] = 0.0


class RestPath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, -0.05, 0.05, "estimate", DEFAULTS)] = 0.0


class NicPath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, -0.10, 0.05, "estimate", DEFAULTS)] = 0.0


class ElectricityPath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, -0.02, 0.06, "estimate", DEFAULTS)] = 0.02


class ColocationPath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, 0.0, 0.06, "estimate", DEFAULTS)] = 0.03


class WagePath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, 0.02, 0.05, "estimate", COSTS)] = 0.035


class GridPath(PricePath):
    """Yearly change of the grid's carbon per kWh, signed."""


class Generation(Document):
    """A server that is not sold yet: like one of the catalog, with a price, a speed and a power of its own."""

    slug: Slug
    name: Name = ""
    like: BuildSlug
    from_month: Annotated[int, Quantity("month", 0, MAX_MONTHS)] = 18  # of its launch
    until_month: Annotated[int | None, Quantity("month", 1, MAX_MONTHS)] = None  # of its last sale; None: sold on
    price: Annotated[float | None, Quantity("money/server", 0.0, 1e9)] = None  # at its launch; None: as its like then
    # Rates and memory bandwidth of its GPUs against those of the server it is like; H100 to B200 in dense BF16: 2.3.
    performance: Annotated[
        float, Quantity("times", 0.1, 100.0, 1.5, 3.0, "estimate", "catalog/data/accelerators.csv")
    ] = 2.0
    power: Annotated[float, Quantity("times", 0.1, 10.0, 1.0, 1.6, "estimate", "catalog/data/builds.csv")] = 1.3
    old_sold_months: Annotated[int | None, Quantity("month", 0, MAX_MONTHS)] = None  # after the launch; None: sold on

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Generation:
        if self.until_month is not None and self.until_month <= self.from_month:
            raise conflict("until_month", "it ends before it begins")
        return self


class SupportContract(Document):
    """A warranty extension or support contract: owed from its renewal month on. Several on one machine add up."""

    slug: Slug
    name: Name = ""
    build: BuildSlug | None = None  # None: every machine
    counted_from: Literal["service", "start"] = "service"  # of each machine, or of the comparison
    renewal_month: Annotated[int, Quantity("month", 0, 240)] = 36
    term_months: Annotated[int | None, Quantity("month", 1, 240)] = None  # None: as long as the machine serves
    share_per_year: Annotated[float, Quantity("share/year", 0.0, 1.0, 0.05, 0.12, "estimate", COSTS)] = 0.08
    fee_per_server_year: Annotated[float | None, Quantity("money/server/year", 0.0, 1e9)] = None  # replaces the share
    replaces_catalog: bool = False  # the support that the catalog adds after the warranty


class CurvePoint(Document):
    month: Annotated[int, Quantity("month", 0, 600)]
    share: Share


Curve = Annotated[tuple[CurvePoint, ...], Field(min_length=2, max_length=40)]


def _curve(*points: tuple[int, float]) -> tuple[CurvePoint, ...]:
    return tuple(CurvePoint(month=month, share=share) for month, share in points)


class ResidualCurves(Document):
    """Resale as a share of the price paid, by age in months; linear between points, the last one is the floor."""

    system: Curve = _curve(
        (0, 1.0), (12, 0.72), (24, 0.55), (36, 0.42), (48, 0.30), (60, 0.20), (96, 0.05), (120, 0.03)
    )
    card: Curve = _curve((0, 1.0), (12, 0.72), (24, 0.55), (36, 0.42), (48, 0.30), (60, 0.20), (96, 0.05), (120, 0.03))
    host: Curve = _curve((0, 1.0), (12, 0.60), (24, 0.42), (36, 0.28), (48, 0.18), (60, 0.10), (96, 0.03))
    network: Curve = _curve((0, 1.0), (12, 0.55), (24, 0.35), (36, 0.22), (48, 0.14), (60, 0.08), (96, 0.02))


class Market(Document):
    """How prices move, and which cloud is compared."""

    accelerator: AcceleratorPath = AcceleratorPath()
    memory_flash: MemoryPath = MemoryPath()
    rest: RestPath = RestPath()
    nic: NicPath = NicPath()
    generations: tuple[Generation, ...] = Field(default=(), max_length=10)
    cloud_spread: Annotated[float, Quantity("share/year", -0.9, 2.0, -0.15, 0.15, "estimate", DEFAULTS)] = 0.0
    electricity: ElectricityPath = ElectricityPath()
    colocation: ColocationPath = ColocationPath()
    wages: WagePath = WagePath()
    grid_carbon: GridPath = GridPath()
    provider_class: Literal["specialist", "large_provider", "marketplace"] = "specialist"
    stale_after_days: Annotated[int, Quantity("day", 1, 3650)] = 180
    residual: ResidualCurves = ResidualCurves()
    resale_commission: Annotated[float, Quantity("share", 0.0, 1.0, 0.10, 0.25, "estimate", COSTS)] = 0.15
    resale_factor: Annotated[
        float, Quantity("share", 0.0, 1.5, 0.65, 1.1, "estimate", "https://spotwire.ai/data/valuator_data.json")
    ] = 1.0
    sale_speed_factor: Annotated[
        float, Quantity("share", 0.0, 1.5, 0.8, 1.0, "estimate", "https://spotwire.ai/data/valuator_data.json")
    ] = 1.0
    unmet_penalty_factor: Annotated[float, Quantity("1", 0.0, 100.0, None, None, "estimate", DEFAULTS)] = 1.25
    # The user's own prices by item slug, in the scenario's currency, in place of the catalog's. Cloud offers: per hour.
    own_prices: dict[Slug, Annotated[float, Quantity("money", 0.0, 1e9)]] = Field(default={}, max_length=200)


class Operations(Document):
    """People and upkeep. None takes the catalog's figure for the region."""

    region: Literal["US", "DE", "UK", "CN", "IN"] = "US"
    loaded_cost_per_fte_year: Annotated[float | None, Quantity("money/FTE/year", 0.0, 1e7)] = None
    servers_per_fte: Annotated[float | None, Quantity("server/FTE", 0.1, 10_000.0)] = None
    commissioning_days: Annotated[float | None, Quantity("day", 0.0, 365.0)] = None
    storage_tb: Annotated[float | None, Quantity("TB", 0.0, 1e6)] = 0.0  # None: what the rules below ask for
    gpu_power_limit_w: PowerLimit = None  # of all plans that name none of their own
    # Whether what the rules below ask for in each server, beyond what it comes with, is bought along.
    host_memory: Literal["as_built", "as_advised"] = "as_built"
    local_flash: Literal["as_built", "as_advised"] = "as_built"
    load_balancer: Literal["bought", "rented", "none"] = "bought"
    rented_storage: bool = False  # an object store beside rented GPUs, where no storage is owned
    fabric_fte_per_64_servers: Annotated[float | None, Quantity("FTE", 0.0, 100.0)] = None
    fabric_acceptance_share: Annotated[float | None, Quantity("share", 0.0, 0.5)] = None  # of what it costs
    # Rules by which memory and storage are advised, to be edited; sizing reference 2.6 and 7.2, the rest estimates.
    host_memory_factor: Annotated[float, Quantity("times", 0.0, 10.0, None, None, "estimate")] = 2.0
    local_flash_tb_per_gpu: Annotated[float, Quantity("TB/GPU", 0.0, 100.0, None, None, "estimate")] = 1.0
    shared_tb_per_job_gpu: Annotated[float, Quantity("TB/GPU", 0.0, 100.0, None, None, "estimate", COSTS)] = 2.0
    shared_tb_per_service_gpu: Annotated[float, Quantity("TB/GPU", 0.0, 100.0, None, None, "estimate", COSTS)] = 0.25
    checkpoint_minutes: Annotated[float, Quantity("minute", 1.0, 1440.0, None, None, "estimate")] = 60.0
    checkpoints_kept: Annotated[int, Quantity("1", 1, 100, None, None, "estimate")] = 5
    model_load_s: Annotated[float, Quantity("second", 1.0, 3600.0, None, None, "estimate")] = 60.0
    # Writing speed that a terabyte of an all-flash system brings: 65 GB/s at 250–500 TB (DDN AI400X2, general
    # knowledge, unverified).
    shared_gb_s_per_tb: Annotated[float, Quantity("GB/s/TB", 0.001, 100.0, None, None, "estimate")] = 0.15
    tax_region: Slug | None = None  # sales tax or VAT row; None: no tax line
    recoverable_tax_share: Annotated[float, Quantity("share", 0.0, 1.0)] = 1.0
    contracts: tuple[SupportContract, ...] = Field(default=(), max_length=20)
    subscriptions: tuple[Subscription, ...] = Field(default=(), max_length=20)


class PaymentTerms(Document):
    """When suppliers are paid; what the shares leave is due on acceptance. By default all at the order."""

    # Besides machines: spares, networks, storage, racks and works of the room; freight, labour and tax are no orders.
    covers: Literal["machines", "all_orders"] = "machines"
    on_order: Annotated[float, Quantity("share", 0.0, 1.0)] = 1.0
    on_delivery: Annotated[float, Quantity("share", 0.0, 1.0)] = 0.0
    retention: Annotated[float, Quantity("share", 0.0, 1.0)] = 0.0
    acceptance_months: Annotated[int, Quantity("month", 0, 24)] = 1  # after service begins
    retention_months: Annotated[int, Quantity("month", 0, 60)] = 12
    bill_months: Annotated[int, Quantity("month", 0, 12)] = 0  # a bank acceptance defers every payment by its term

    @model_validator(mode="after")
    def _is_the_price(self) -> PaymentTerms:
        if self.on_order + self.on_delivery + self.retention > 1.0 + 1e-9:
            raise conflict("retention", "more than the price")
        return self


class Finance(Document):
    discount_rate: Annotated[float, Quantity("share/year", 0.0, 1.0, 0.06, 0.12, "estimate", COSTS)] = 0.08
    fiscal_year_start_month: Annotated[int, Quantity("month", 1, 12)] = 1
    running_costs_mid_month: bool = False
    residual_at_horizon: bool = True
    inflation_per_year: Annotated[float, Quantity("share/year", -0.05, 0.5, None, None, "estimate")] = 0.025
    payment: PaymentTerms = PaymentTerms()
    book_life_months: Annotated[int, Quantity("month", 12, 240, None, None, "estimate")] = 60
    # After-tax view: the discount rate then is one after tax.
    after_tax: bool = False
    buyer: Literal["company", "university", "state_funded"] = "company"  # only a company pays profit tax
    # None: the country's rate in the catalog.
    profit_tax_rate: Annotated[float | None, Quantity("share", 0.0, 0.9)] = None
    tax_depreciation: Literal[
        "straight_line", "declining_balance", "macrs_5", "at_once", "china_straight_line", "china_one_off", "none"
    ] = "straight_line"
    tax_life_months: Annotated[int, Quantity("month", 12, 240, None, None, "estimate")] = 60
    # The one-off deduction is for machines up to this price, bought up to this day: Chinese tax authorities,
    # announcement 2023 no. 37, 5 million yuan until the end of 2027.
    one_off_cap: Annotated[float, Quantity("money", 0.0, 1e12)] = 5_000_000.0
    one_off_until: Day = dt.date(2027, 12, 31)
    other_income_per_year: Annotated[float | None, Quantity("money/year", 0.0, 1e13)] = None  # None: always enough
    losses_kept_years: Annotated[int | None, Quantity("year", 0, 50)] = None  # None: for good


def _known_category(name: str) -> str:
    if name not in CATEGORIES:
        raise PydanticCustomError("unknown_field", "no such cost line")
    return name


CategoryName = Annotated[str, AfterValidator(_known_category)]


class Scenario(Document):
    """Everything a planner says about one question."""

    schema_version: Literal[1] = 1
    name: Name = ""
    template: Slug | None = None
    start: Month
    months: Annotated[int, Quantity("month", 1, MAX_MONTHS, 36, 84)] = 60
    currency: Currency = "USD"
    pricing_date: Day
    demand: Demand
    plans: tuple[Plan, ...] = Field(min_length=1, max_length=12)
    sites: tuple[Site, ...] = Field(min_length=1, max_length=6)
    market: Market = Market()
    operations: Operations = Operations()
    reliability: Reliability = Reliability()
    procurement: Procurement = Procurement()
    finance: Finance = Finance()
    # Cost lines switched on or off against their default, by category.
    lines: dict[CategoryName, bool] = Field(default={}, max_length=60)

    @model_validator(mode="after")
    def _slugs_are_unique(self) -> Scenario:
        for name, group in (("demand/workloads", self.demand.workloads), ("plans", self.plans), ("sites", self.sites)):
            slugs = [element.slug for element in group]
            if len(set(slugs)) != len(slugs):
                raise conflict(name, "slugs repeat")
        listed = (
            ("market/generations", self.market.generations),
            ("operations/contracts", self.operations.contracts),
            ("operations/subscriptions", self.operations.subscriptions),
        )
        for path, elements in listed:
            if len({element.slug for element in elements}) != len(elements):
                raise conflict(path, "slugs repeat")
        for site in self.sites:
            steps = [step.slug for step in site.upgrades]
            if len(set(steps)) != len(steps):
                raise conflict(f"sites/{site.slug}/upgrades", "slugs repeat")
        if self.sites[0].from_month != 0:
            raise conflict("sites", "the first site must start in month 0")
        return self


# ── Paths into a document ────────────────────────────────────────────────────────────────────────────────────────────


def get_at(data: Any, path: str) -> Any:
    """The value at a path of slugs and keys in plain data; None where a key is absent."""
    for step in path.split("/"):
        if isinstance(data, (list, tuple)):
            data = next((element for element in data if element.get("slug") == step), None)
        elif isinstance(data, dict):
            data = data.get(step)
        if data is None:
            return None
    return data


def set_at(data: Any, path: str, value: Any) -> Any:
    """A copy of plain data with the value at the path replaced; raises InputError where the path leads nowhere."""
    head, _, rest = path.partition("/")
    if isinstance(data, (list, tuple)):
        if not any(element.get("slug") == head for element in data):
            raise InputError(Problem((head,), "unknown_field"))
        return [
            (set_at(element, rest, value) if rest else value) if element.get("slug") == head else element
            for element in data
        ]
    if not isinstance(data, dict):
        raise InputError(Problem((head,), "unknown_field"))
    if not rest:
        if value is None and head not in data:
            return data
        return {**data, head: value}
    if data.get(head) is None:
        data = {**data, head: {}}
    return {**data, head: set_at(data[head], rest, value)}
