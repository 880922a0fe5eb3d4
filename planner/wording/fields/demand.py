"""Words for the fields of demand, its growth and its workloads."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from planner.wording.words import Words

_CEILING = Words(_("Ceiling"), _("Growth stops at this value; it does not cut what is needed today."), _("no ceiling"))

FIELDS: dict[str, Words] = {
    "Demand.workloads": Words(_("Workloads"), _("The kinds of work that need GPUs; each is sized by itself.")),
    "Demand.software_speedup_per_year": Words(
        _("Software speed-up"),
        _("Share by which better software cuts the work per unit each year, before GPUs are counted."),
    ),
    "Demand.service_target": Words(
        _("Service target"), _("Share of the demand that must be served in every month; a plan below it is not ranked.")
    ),
    "ConstantGrowth.kind": Words(_("Growth curve"), _("How the driver of demand changes over the months.")),
    "CompoundGrowth.kind": Words(_("Growth curve"), _("How the driver of demand changes over the months.")),
    "LinearGrowth.kind": Words(_("Growth curve"), _("How the driver of demand changes over the months.")),
    "LogisticGrowth.kind": Words(_("Growth curve"), _("How the driver of demand changes over the months.")),
    "StepGrowth.kind": Words(_("Growth curve"), _("How the driver of demand changes over the months.")),
    "TableGrowth.kind": Words(_("Growth curve"), _("How the driver of demand changes over the months.")),
    "CompoundGrowth.rate_per_month": Words(
        _("Growth"), _("Compound growth of the work, per month; 5 % a month doubles it every 14 months.")
    ),
    "CompoundGrowth.ceiling": _CEILING,
    "CompoundGrowth.fade_per_year": Words(
        _("Growth fades by"), _("Share by which the growth rate itself shrinks each year.")
    ),
    "LinearGrowth.per_month": Words(_("Added each month"), _("The same amount is added every month.")),
    "LinearGrowth.ceiling": _CEILING,
    "LogisticGrowth.rate_per_month": Words(
        _("Growth"), _("Growth per month while demand is far below the ceiling; it slows as the ceiling comes near.")
    ),
    "LogisticGrowth.ceiling": Words(_("Ceiling"), _("Value that the S-curve approaches.")),
    "StepGrowth.steps": Words(_("Steps"), _("Months in which demand takes a new value: a launch, a new customer.")),
    "Step.month": Words(_("Month of the step"), _("Month, counted from 0, from which the new value holds.")),
    "Step.value": Words(_("New value"), _("What the driver is from that month on.")),
    "TableGrowth.values": Words(_("Monthly table"), _("The driver in each month; the last value holds for the rest.")),
    # workloads
    "WorkloadBase.slug": Words(
        _("Short name"), _("Short name used in paths and exports; it stays when the title changes.")
    ),
    "WorkloadBase.name": Words(_("Name"), _("What people call this work.")),
    "WorkloadBase.accelerator": Words(
        _("Reference GPU"), _("The GPU in which this work is stated and reported; other kinds are converted to it.")
    ),
    "WorkloadBase.priority": Words(
        _("Priority"), _("1 is served first; when GPUs are short, higher numbers overflow or wait.")
    ),
    "WorkloadBase.growth": Words(_("Growth curve"), _("How the driver of demand changes over the months.")),
    "WorkloadBase.bound": Words(
        _("Limited by"), _("What binds this work on a GPU; it decides how GPUs of different kinds compare.")
    ),
    "WorkloadBase.framework": Words(
        _("Software needed"),
        _("Software stack that these programs need; a plan whose GPUs have another one is refused or warned of."),
        _("any"),
    ),
    "PoolWorkload.kind": Words(_("Kind of work"), _("How this work is stated and sized.")),
    "TrainingWorkload.kind": Words(_("Kind of work"), _("How this work is stated and sized.")),
    "ServingWorkload.kind": Words(_("Kind of work"), _("How this work is stated and sized.")),
    "PoolWorkload.gpus": Words(_("GPUs today"), _("GPUs the team needs in the first month.")),
    "PoolWorkload.measure": Words(
        _("These GPUs are"),
        _("Whether the figure counts busy, allocated or installed GPUs; only installed ones hold spare room already."),
    ),
    "PoolWorkload.gpu_hours_per_month": Words(
        _("Work per month"),
        _("GPU-hours of work a month; where given, it replaces the number of GPUs."),
        _("use the GPUs above"),
    ),
    "PoolWorkload.target_utilisation": Words(
        _("Target utilisation"),
        _("Share of the installed GPUs that planning keeps busy; the rest is headroom for queues and peaks."),
    ),
    "PoolWorkload.peak_to_mean": Words(
        _("Peak to mean"), _("How far the busiest moments of a month rise above its average.")
    ),
    "PoolWorkload.scheduler": Words(
        _("Scheduling"), _("How GPUs are shared out; it counts only where work is stated in GPU-hours.")
    ),
    "PoolWorkload.gang_gpus": Words(_("Largest job"), _("GPUs that the largest single job needs at once.")),
    "TrainingWorkload.preset": Words(_("Model"), _("A published model whose architecture is filled in."), _("by hand")),
    "TrainingWorkload.model": Words(
        _("Architecture"), _("The model's architecture, by hand."), _("that of the chosen model")
    ),
    "TrainingWorkload.precision": Words(_("Precision"), _("Number format in which the run computes.")),
    "TrainingWorkload.tokens_b": Words(_("Tokens per run"), _("Tokens one run trains on, in billions.")),
    "TrainingWorkload.phases": Words(
        _("Phases of a run"),
        _("Tokens in billions and sequence length of each part, as in “14800: 4096; 120: 32768”; they replace both."),
    ),
    "Phase.tokens_b": Words(_("Tokens of the phase"), _("Tokens this part trains on, in billions.")),
    "Phase.sequence": Words(_("Sequence length of the phase"), _("Tokens in one training sequence of this part.")),
    "TrainingWorkload.batch_tokens_m": Words(
        _("Tokens per step"),
        _("Tokens of one optimiser step over all GPUs, in millions; a larger step needs less network."),
    ),
    "TrainingWorkload.recompute": Words(
        _("Recomputation"),
        _(
            "What is computed again instead of kept in memory; all of it needs least memory and a third more "
            "computing, none of it needs most memory."
        ),
    ),
    "TrainingWorkload.band": Words(
        _("Speed expected"),
        _("Where in the range that published runs reached on this hardware the plan expects to be."),
    ),
    "TrainingWorkload.runs_per_month": Words(_("Runs per month"), _("Training runs started in a month, on average.")),
    "TrainingWorkload.deadline_days": Words(
        _("Deadline per run"), _("Days within which a run must finish; a shorter deadline needs more GPUs at once.")
    ),
    "TrainingWorkload.sequence": Words(
        _("Sequence length"), _("Tokens in one training sequence; long ones need more memory.")
    ),
    "TrainingWorkload.micro_batch": Words(_("Micro-batch"), _("Sequences a GPU holds at a time; it costs memory.")),
    "TrainingWorkload.states": Words(
        _("Optimiser state"), _("What is kept in memory per parameter: weights, gradients and optimiser.")
    ),
    "TrainingWorkload.mfu": Words(
        _("Model FLOPS utilisation"),
        _("Share of the GPU's peak rate that training achieves."),
        _("typical for the hardware"),
    ),
    "TrainingWorkload.goodput": Words(
        _("Goodput"),
        _("Share of the time that moves the run forward; failures and restarts take the rest."),
        _("as failures leave; uncounted, 0.95 or 0.85"),
    ),
    "TrainingWorkload.measured_tokens_per_s_per_gpu": Words(
        _("Measured rate"),
        _("Tokens a second that one reference GPU trains on, as measured; it replaces the estimate."),
        _("estimated from the model"),
    ),
    "TrainingWorkload.target_utilisation": Words(
        _("Target utilisation"),
        _("Share of the installed GPUs that planning keeps busy; the rest is headroom for queues and peaks."),
    ),
    "TrainingWorkload.driver": Words(
        _("What grows"), _("Whether growth adds runs, makes each run longer or makes the model larger.")
    ),
    "TrainingWorkload.growth": Words(_("Growth curve"), _("How the driver of demand changes over the months.")),
    "ServingWorkload.preset": Words(_("Model"), _("A published model whose architecture is filled in."), _("by hand")),
    "ServingWorkload.model": Words(
        _("Architecture"), _("The model's architecture, by hand."), _("that of the chosen model")
    ),
    "ServingWorkload.precision": Words(_("Precision"), _("Number format in which the model answers.")),
    "ServingWorkload.requests_per_day": Words(
        _("Requests per day"), _("Requests on an average day of the first month.")
    ),
    "ServingWorkload.input_tokens": Words(_("Input tokens"), _("Tokens of an average prompt.")),
    "ServingWorkload.output_tokens": Words(_("Output tokens"), _("Tokens of an average answer.")),
    "ServingWorkload.latency": Words(
        _("Latency class"), _("How quickly answers must come; a quick answer leaves GPUs less full.")
    ),
    "ServingWorkload.diurnal_peak": Words(_("Daily peak"), _("Busiest hour against the average of the day.")),
    "ServingWorkload.burst_peak": Words(_("Burst factor"), _("Busiest minutes against the average of that hour.")),
    "ServingWorkload.target_utilisation": Words(
        _("Target utilisation"), _("Load at which a server still answers in time at the peak; the rest is headroom.")
    ),
    "ServingWorkload.spare_servers": Words(
        _("Spare servers"), _("Servers that may fail at the peak without loss (N + this number).")
    ),
    "ServingWorkload.measured_requests_per_s_per_gpu": Words(
        _("Measured rate"),
        _("Requests a second that one reference GPU answers, as measured; it replaces the estimate."),
        _("estimated from the model"),
    ),
    "ServingWorkload.measured_prefill_tokens_per_s_per_gpu": Words(
        _("Measured prompt rate"),
        _("Prompt tokens a second of one GPU in servers that only read prompts; given together with the answer rate."),
        _("one kind of server"),
    ),
    "ServingWorkload.measured_decode_tokens_per_s_per_gpu": Words(
        _("Measured answer rate"),
        _("Answer tokens a second of one GPU in servers that only write answers; given together with the prompt rate."),
        _("one kind of server"),
    ),
    "ServingWorkload.disaggregated": Words(
        _("Separate prompt servers"),
        _(
            "Whether prompts are read on servers of their own: each kind comes in whole servers with its own spares, "
            "and caches move between them. So it is where a rate was measured for each."
        ),
    ),
    "ServingWorkload.concurrency_p99_to_mean": Words(
        _("Peak of requests under way"),
        _(
            "99th percentile of the requests under way over their mean, as measured; chats come about as Poisson says, "
            "code completion at 8 to 9 times the mean. Each needs a place in memory."
        ),
        _("by Poisson"),
    ),
    "ServingWorkload.driver": Words(_("What grows"), _("Whether growth adds requests or makes the model larger.")),
    "TuningWorkload.method": Words(
        _("Method"), _("Whether all weights are tuned, or small adapters on weights that stay as they are.")
    ),
    "TuningWorkload.tokens_m": Words(
        _("Tokens per run"),
        _("Tokens one run trains on, all epochs, in millions; below 100 million, start-up and evaluation dominate."),
    ),
    "TuningWorkload.runs_per_month": Words(_("Runs per month"), _("Tuning runs started in a month, on average.")),
    "BatchWorkload.items_m_per_month": Words(
        _("Items per month"), _("Documents, images or prompts worked off in a month, in millions.")
    ),
    "BatchWorkload.tokens_b_per_month": Words(
        _("Tokens per month"),
        _("Tokens read and written in a month, in billions; where given, they replace the items."),
        _("use the items above"),
    ),
    "BatchWorkload.input_tokens": Words(_("Input tokens"), _("Tokens read for an average item.")),
    "BatchWorkload.output_tokens": Words(_("Output tokens"), _("Tokens written for an average item.")),
    "BatchWorkload.precision": Words(_("Precision"), _("Number format in which the model works.")),
    "BatchWorkload.measured_rate_per_gpu": Words(
        _("Measured rate"),
        _("Items a second of one reference GPU as measured, or tokens where the work is stated in tokens."),
        _("estimated from the model"),
    ),
    "BatchWorkload.driver": Words(_("What grows"), _("Whether growth adds work or makes the model larger.")),
    "BatchWorkload.target_utilisation": Words(
        _("Target utilisation"), _("Share of the time in which planning keeps the GPUs busy; nobody waits for them.")
    ),
    "HpcWorkload.exaflop_per_month": Words(
        _("Work per month"), _("Double-precision (FP64) operations of a month, in units of 10¹⁸.")
    ),
    "HpcWorkload.efficiency": Words(
        _("Share of the peak"),
        _(
            "Share of the GPU's FP64 peak that the code reaches: dense linear algebra 60–80 %, sparse solvers 1–4 %; "
            "measure yours."
        ),
    ),
    "HpcWorkload.measured_tflops_per_gpu": Words(
        _("Measured rate"),
        _("FP64 rate that one reference GPU reaches with this code; it replaces peak × share."),
        _("peak × share"),
    ),
    # model shape
    "ModelShape.params_b": Words(_("Parameters"), _("All parameters of the model, in billions.")),
    "ModelShape.active_params_b": Words(
        _("Active parameters"),
        _("Parameters that work on each token; fewer than all in a mixture of experts."),
        _("all"),
    ),
    "ModelShape.layers": Words(_("Layers"), _("Transformer layers.")),
    "ModelShape.hidden": Words(_("Hidden size"), _("Width of the model.")),
    "ModelShape.heads": Words(_("Attention heads"), _("Heads of each attention layer.")),
    "ModelShape.kv_heads": Words(
        _("Key-value heads"), _("Heads that keep keys and values; fewer need less cache."), _("as many as heads")
    ),
    "ModelShape.head_dim": Words(_("Head size"), _("Width of one attention head."), _("hidden size ÷ heads")),
    "ModelShape.attention": Words(_("Attention"), _("Form of attention; it decides the size of the cache.")),
    "ModelShape.kv_lora_rank": Words(
        _("Compressed cache width"), _("Rank of the compressed cache of MLA."), _("not compressed")
    ),
    "ModelShape.rope_head_dim": Words(
        _("Rotary part of a head"), _("Width kept outside the compressed cache of MLA."), _("none")
    ),
    "ModelShape.sliding_window": Words(
        _("Sliding window"), _("Tokens that sliding layers look back on."), _("no window")
    ),
    "ModelShape.full_attention_layers": Words(
        _("Full-attention layers"),
        _("Layers that look back on everything; the others hold a window only."),
        _("all layers"),
    ),
    "ModelShape.moe": Words(_("Mixture of experts"), _("Whether only some parameters work on each token.")),
}
