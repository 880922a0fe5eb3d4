"""What must be computed: workloads, their growth, how they scale."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.engine.inputs.base import MAX_MONTHS, AcceleratorSlug, Name, Slug
from planner.engine.quantities import Choice, Document, Quantity


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
