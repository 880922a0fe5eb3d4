"""Words for every field of the scenario document: its label, one sentence of help, what an empty field means.

A path names a field by class: `demand/workloads/pool/growth/rate_per_month` is CompoundGrowth.rate_per_month
wherever it stands.
"""

from __future__ import annotations

import typing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args, get_origin

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from planner.engine.inputs import Scenario
from planner.engine.quantities import Quantity, quantity_of
from planner.wording import networks, subscriptions, tenders, upkeep
from planner.wording.contracts import CHOICE_WORDS, FIELD_WORDS
from planner.wording.lines import category
from planner.wording.numbers import quantity
from planner.wording.places import CUSTOMERS
from planner.wording.words import Words

_RATE = _("Nominal price change per year; minus means cheaper.")
_BY_YEAR = Words(
    _("Change year by year"), _("Price change of the first, second … year; later years take the general rate.")
)
_CEILING = Words(_("Ceiling"), _("Growth stops at this value; it does not cut what is needed today."), _("no ceiling"))

_POWER_LIMIT = _(
    "Power that every owned GPU may draw. Speed falls by a measured curve: at half the power 4 % with few requests at "
    "once, 23 % with many, as for training; rates you measured count as measured without a limit. Rented GPUs keep "
    "theirs."
)

FIELDS: dict[str, Words] = {
    # demand
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
    # plans
    "Plan.slug": Words(_("Short name"), _("Short name used in paths and exports; it stays when the title changes.")),
    "Plan.name": Words(_("Name"), _("What people call this plan."), _("named by its settings")),
    "Plan.strategy": Words(_("Strategy"), _("The way of buying that this plan follows; its settings say the rest.")),
    "Plan.start": Words(
        _("First purchase"), _("What is in service and paid in the first month."), _("nothing is bought at the start")
    ),
    "Plan.follow_up": Words(_("Follow-up"), _("What is bought when demand outgrows the fleet.")),
    "Plan.overflow": Words(
        _("Cloud overflow"), _("A cloud offer that takes what the owned GPUs cannot serve."), _("no cloud")
    ),
    "Plan.fabric": Words(_("Fabric"), _("The network that lets one job span servers.")),
    "Plan.end_of_life": Words(_("End of life"), _("What happens to machines that have served their time.")),
    "Plan.sourcing": Words(_("Sourcing"), _("How the machines are paid for.")),
    "Plan.lead_months": Words(
        _("Lead time"),
        _("Months from order to service of a follow-up."),
        _("lead time of the server and commissioning"),
    ),
    "Plan.gpu_power_limit_w": Words(_("Power limit of a GPU"), _POWER_LIMIT, _("that of the scenario")),
    "Plan.condition": Words(_("Condition"), _("Whether machines are bought new, refurbished or used.")),
    "Condition.kind": Words(
        _("Condition"), _("Whether machines are bought new, refurbished or used; networks and racks are bought new.")
    ),
    "Condition.price_share": Words(
        _("Price against new"),
        _("Share of the price of a new machine. Empty: a quote of that condition; without one there is no total."),
        _("a quote of that condition"),
    ),
    "Condition.age_months": Words(
        _("Age when bought"), _("Months of service behind it: it serves so much shorter, and sells as one of its age.")
    ),
    "Condition.warranty_months": Words(
        _("Warranty of the seller"), _("Months in which the seller repairs for nothing; then repairs are paid.")
    ),
    "Plan.moves": Words(
        _("Moves to the later rooms"), _("Whether its machines move when a later room is there, or stay in the first.")
    ),
    "Plan.move_month": Words(
        _("Month of the move"),
        _("Month, counted from 0, in which it moves to the second room; colocation is paid from then on."),
        _("as the room says"),
    ),
    "Plan.upgrades": Words(
        _("Room upgrades"),
        _("Whether upgrades of the room are ordered with this plan, or only shown as the remedy with their price."),
    ),
    "Start.build": Words(_("Server"), _("The server that is bought first.")),
    "Start.quantity": Words(_("Servers"), _("How many of them are bought at the start.")),
    "Start.cards": Words(
        _("GPUs"), _("GPUs in all at the start; free slots can be filled later."), _("as the servers come")
    ),
    "Wave.month": Words(_("Month of order"), _("Month, counted from 0, in which this wave is ordered.")),
    "Wave.quantity": Words(_("Quantity"), _("Servers of this wave.")),
    "FollowUp.kind": Words(_("Rule"), _("Whether demand triggers cards or whole servers, or fixed months do.")),
    "FollowUp.batch": Words(_("Batch"), _("Cards or servers bought at a time.")),
    "FollowUp.build": Words(_("Follow-up server"), _("The server that follow-ups buy."), _("the first server's kind")),
    "FollowUp.waves": Words(_("Waves"), _("Purchases in fixed months.")),
    "FollowUp.min_service_months": Words(
        _("Least service"),
        _("Nothing is ordered that would serve fewer months before the horizon."),
        _("18 with cloud overflow, else 0"),
    ),
    "Overflow.accelerator": Words(_("Rented GPU"), _("The kind of GPU that is rented.")),
    "Overflow.offer": Words(
        _("Cloud offer"), _("One offer of the catalog, pinned."), _("the median of comparable offers")
    ),
    "Overflow.provider_class": Words(
        _("Kind of provider"), _("Providers among which the median is taken."), _("as under Market")
    ),
    "Overflow.reserved_share": Words(
        _("Reserved share"), _("Share of the rented GPUs that is committed to for a term, used or not, at a discount.")
    ),
    "Overflow.reserved_term_months": Words(_("Term of the reservation"), _("Months for which a reservation is owed.")),
    "Fabric.when": Words(
        _("Build a fabric"), _("Whether a fabric is built: when a job exceeds one server, always, or never.")
    ),
    "Fabric.final_nodes": Words(
        _("Wire for"), _("Servers for which the fabric is wired from the start."), _("grown wave by wave")
    ),
    "Fabric.switch": Words(_("Switch"), _("Switch of the fabric."), _("the usual one of the network")),
    "Fabric.topology": Words(
        _("Topology"),
        _(
            "Whether spines join all rails, or each rail keeps to itself: fewer switches, and fewer libraries tuned "
            "for it."
        ),
    ),
    "Fabric.oversubscription": Words(
        _("Oversubscription"), _("Ports of a leaf towards servers for each port towards the spines; 1 never blocks.")
    ),
    "Fabric.spread": Words(
        _("Spread of links"),
        _("As published designs do, the same number of links to each switch, or as few switches as carry them."),
    ),
    "EndOfLife.life_months": Words(_("Service life"), _("Months a machine serves before it is sold or replaced.")),
    "EndOfLife.then": Words(_("After that"), _("Whether the same is bought again at that month's price, or let go.")),
    # sites
    "Site.slug": Words(_("Short name"), _("Short name used in paths and exports; it stays when the title changes.")),
    "Site.name": Words(_("Name"), _("What people call this room."), _("its kind")),
    "Site.kind": Words(_("Kind of room"), _("Where the machines stand; it sets racks, network and usual limits.")),
    "Site.from_month": Words(_("From month"), _("Month, counted from 0, from which the machines stand here.")),
    "Site.region": Words(_("Region"), _("Region of the electricity tariff and of cloud offers.")),
    "Site.customer_class": Words(_("Tariff class"), _("Class of customer in the electricity tariff.")),
    "Site.electricity_price_per_kwh": Words(
        _("Electricity"), _("Price of a kilowatt-hour, all charges included."), _("the region's tariff")
    ),
    "Site.cooling_method": Words(_("Cooling"), _("How heat leaves the room; it sets the PUE where none is given.")),
    "Site.pue": Words(_("PUE"), _("Energy of the whole facility ÷ energy of the machines."), _("by cooling method")),
    "Site.cooling_kw": Words(
        _("Cooling"), _("Heat the room can carry away; above it machines slow down or stop."), _("no limit known")
    ),
    "Site.power_kw": Words(
        _("Power"), _("Power the room's circuits can carry, set against the maximum draw."), _("no limit known")
    ),
    "Site.racks": Words(_("Racks"), _("Rack positions the room has."), _("no limit known")),
    "Site.rack_units": Words(_("Rack height"), _("Height of a rack.")),
    "Site.rack_kw": Words(_("Power per rack"), _("Power one rack may draw."), _("no limit known")),
    "Site.rack_kg": Words(_("Load per rack"), _("Weight one rack may hold."), _("no limit known")),
    "Site.reserved_units": Words(_("Reserved height"), _("Rack units kept free for switches and panels.")),
    "Site.rack_cfm": Words(
        _("Air per rack"), _("Air that floor tiles or containment deliver to one rack."), _("no limit known")
    ),
    "Site.circuit": Words(
        _("Feeds of a rack"), _("Electric circuits that reach each rack, all of one rating."), _("not checked")
    ),
    "Site.cooling_units": Words(
        _("Cooling units"), _("Equal units that share the cooling, to see what the loss of one does."), _("not checked")
    ),
    "Circuit.volts": Words(_("Voltage"), _("Between two lines where the circuit has three phases.")),
    "Circuit.amps": Words(_("Current"), _("Rating of the breaker or cord.")),
    "Circuit.phases": Words(_("Phases"), _("One phase or three.")),
    "Circuit.derating": Words(
        _("Continuous share"),
        _("Share of the rating that may flow all the time: 80 % on North American breakers, all of it on IEC cords."),
    ),
    "Circuit.power_factor": Words(_("Power factor"), _("Real power ÷ apparent power of the machines.")),
    "Circuit.feeds": Words(
        _("Feeds"), _("Circuits that reach each rack; the cords of a machine are spread over them.")
    ),
    "Circuit.redundancy": Words(_("Redundancy"), _("How much of the feeds may fail while the rack keeps running.")),
    "Circuit.outlets": Words(_("Outlets per feed"), _("Cords that one feed can take in each rack."), _("enough")),
    "Site.noise_limit_db": Words(_("Noise limit"), _("Loudest machine the room tolerates."), _("no limit")),
    "Site.power_budget_kw": Words(
        _("Power budget"),
        _("Power of machines and network, by the nameplates and without cooling, to stay under in every month."),
        _("none"),
    ),
    "Site.power_budget": Words(
        _("The budget is"), _("A hard budget rules plans out; a soft one ranks them after those that keep it.")
    ),
    "Site.rack_heat_kw": Words(
        _("Heat per rack"), _("Heat the cooling carries from one rack."), _("assumed by cooling method")
    ),
    "Site.floor_kg_m2": Words(
        _("Floor load"),
        _("Load the floor bears under a rack and half of its aisles; racks are filled no heavier."),
        _("70 lb/ft² in an office, else not checked"),
    ),
    "Site.floor_foot_kg": Words(
        _("Load per foot"), _("Load the floor or its panel bears under one of a rack's four feet."), _("not checked")
    ),
    "Site.supply_c": Words(
        _("Supply air"), _("Temperature of the air that the machines breathe in."), _("not checked")
    ),
    "Site.air_cfm": Words(_("Air of the room"), _("Air that the cooling delivers to all racks."), _("not checked")),
    "Site.liquid_l_per_min": Words(
        _("Liquid flow"), _("Liquid that the loops of the room deliver to all machines."), _("not checked")
    ),
    "Site.spare_cooling_units": Words(
        _("Spare cooling units"), _("Units that may fail while the others carry the heat: 1 is N+1.")
    ),
    "Site.ups": Words(_("UPS"), _("Uninterruptible supply between the circuits and the machines."), _("none")),
    "Site.supplies": Words(
        _("Power supplies that may fail"),
        _("How many supplies of a machine may fail at its maximum draw: N+N leaves half of their watts."),
    ),
    "Site.transient_ratio": Words(
        _("Power spikes"), _("Draw of a machine for milliseconds, over its maximum for long.")
    ),
    "Ups.module_kw": Words(_("UPS module"), _("Rating of one module of the UPS.")),
    "Ups.modules": Words(_("UPS modules"), _("Modules that are installed.")),
    "Ups.spare": Words(_("Spare UPS modules"), _("Modules that may fail while the others carry the load.")),
    "Ups.battery_minutes": Words(
        _("UPS battery"), _("How long the batteries carry the load: 5 minutes with a generator, 15 without.")
    ),
    "Site.colocation": Words(_("Colocation contract"), _("Terms of the hall's contract."), _("a room of one's own")),
    "Site.moving_cost": Words(_("Moving cost"), _("Paid once, in the month the machines move here.")),
    "Site.downtime_days": Words(
        _("Days of the move"), _("Days that machines which move here stand still; their work is lost or rented.")
    ),
    "Site.upgrades": Words(
        _("Possible upgrades"), _("What can be added to the room, in the order in which it would be bought.")
    ),
    "Colocation.market": Words(_("Market"), _("Colocation market whose price is taken."), _("own price")),
    "Colocation.price_per_kw_month": Words(
        _("Price per kW"), _("Price of a contracted kilowatt and month."), _("the market's price")
    ),
    "Colocation.power_included": Words(
        _("Power included"), _("Whether the price covers the electricity."), _("as the market's price list says")
    ),
    "Colocation.usable_share": Words(_("Usable share"), _("Share of the contracted power that machines may draw.")),
    "Colocation.step_kw": Words(_("Contract step"), _("Steps in which power is contracted.")),
    "Colocation.committed_kw": Words(_("Committed power"), _("Least power that is paid, drawn or not.")),
    "Upgrade.slug": Words(_("Short name"), _("Short name used in paths and exports; it stays when the title changes.")),
    "Upgrade.item": Words(_("Upgrade"), _("What is bought.")),
    "Upgrade.quantity": Words(_("Pieces"), _("How many pieces this step buys.")),
    "Upgrade.adds_cooling_kw": Words(_("Adds cooling"), _("Cooling this step adds.")),
    "Upgrade.adds_power_kw": Words(_("Adds power"), _("Circuit power this step adds.")),
    "Upgrade.adds_racks": Words(_("Adds racks"), _("Rack positions this step adds.")),
    "Upgrade.lead_weeks": Words(_("Lead time"), _("Weeks from order until it works.")),
    "Upgrade.price": Words(_("Price"), _("Price of one piece, installed."), _("the catalog's likely price")),
    "Upgrade.circuit": Words(
        _("Brings feeds"),
        _("Circuit that feeds each rack once this step is in service, in place of the one that the room names."),
        _("no other feeds"),
    ),
    # market
    "PricePath.by_year": _BY_YEAR,
    "PricePath.rate_per_year": Words(_("Price change"), _RATE),
    "AcceleratorPath.rate_per_year": Words(
        _("GPU price change"),
        _("Nominal change of GPU and server prices per year; minus means cheaper. Cloud prices follow it."),
    ),
    "MemoryPath.rate_per_year": Words(_("Memory and flash price change"), _RATE),
    "RestPath.rate_per_year": Words(_("Other hardware price change"), _RATE),
    "ElectricityPath.rate_per_year": Words(_("Electricity price change"), _RATE),
    "ColocationPath.rate_per_year": Words(_("Colocation price change"), _RATE),
    "WagePath.rate_per_year": Words(_("Wage growth"), _("Nominal growth of wages per year.")),
    "Market.accelerator": Words(_("GPU prices"), _("How the prices of GPUs and servers move.")),
    "Market.memory_flash": Words(_("Memory and flash prices"), _("How the prices of memory and flash move.")),
    "Market.rest": Words(_("Other hardware prices"), _("How the prices of all other hardware move.")),
    "Market.cloud_spread": Words(
        _("Cloud price spread"), _("Added to the yearly change of GPU prices to get that of cloud prices.")
    ),
    "Market.electricity": Words(_("Electricity prices"), _("How the price of electricity moves.")),
    "Market.colocation": Words(_("Colocation prices"), _("How the price of colocation moves.")),
    "Market.wages": Words(_("Wages"), _("How wages move.")),
    "Market.provider_class": Words(
        _("Cloud compared"),
        _("Kind of provider whose median offer stands for the cloud; it often decides the verdict."),
    ),
    "Market.stale_after_days": Words(
        _("Prices go stale after"), _("Older prices are badged stale; older cloud offers are not compared.")
    ),
    "Market.residual": Words(_("Resale value"), _("Share of the price paid that a sale brings, by age.")),
    "Market.resale_commission": Words(_("Resale commission"), _("Share of a sale that the broker keeps.")),
    "Market.resale_factor": Words(
        _("Condition factor"), _("Share of the price that machines in their condition bring: below 1 for worn ones.")
    ),
    "Market.unmet_penalty_factor": Words(
        _("Price of unmet work"), _("Unmet work is shown at this multiple of the cloud price; it enters no total.")
    ),
    "Market.own_prices": Words(
        _("Own prices"),
        _("Your own price of an item, in the scenario's currency, in place of the catalog's."),
        _("the catalog's price"),
    ),
    "CurvePoint.month": Words(_("Age"), _("Age of the machine in months.")),
    "CurvePoint.share": Words(_("Share of the price"), _("Share of the price paid that a sale brings at this age.")),
    "ResidualCurves.system": Words(_("Whole systems"), _("Resale of servers with built-in GPUs, by age.")),
    "ResidualCurves.card": Words(_("GPU cards"), _("Resale of cards, by age.")),
    "ResidualCurves.host": Words(_("Chassis"), _("Resale of chassis without their cards, by age.")),
    "ResidualCurves.network": Words(_("Switches and links"), _("Resale of the fabric, by age.")),
    # paths, generations and contracts
    "NicPath.rate_per_year": Words(_("Network adapter price change"), _RATE),
    "Market.nic": Words(_("Network adapter prices"), _("How the prices of network adapters in servers move.")),
    "Market.sale_speed_factor": Words(
        _("Speed factor"), _("Share of the price that a sale in a hurry still brings; 1 where there is time.")
    ),
    "Market.generations": Words(_("New generations"), _("Servers that are not sold yet, and what is known of them.")),
    "Generation.slug": Words(
        _("Short name"), _("Short name used in paths and exports; it stays when the title changes.")
    ),
    "Generation.name": Words(_("Name"), _("What people call this generation."), _("its short name")),
    "Generation.like": Words(
        _("Succeeds"), _("Server of today that it is like in all else, and that it takes the place of.")
    ),
    "Generation.from_month": Words(_("Sold from month"), _("Month of its launch, counted from 0.")),
    "Generation.until_month": Words(
        _("Sold until month"), _("Month, counted from 0, from which it is no longer sold."), _("sold on")
    ),
    "Generation.price": Words(
        _("Price at launch"),
        _("Price of one server on the day of its launch; from there it follows the price changes."),
        _("that of the server it succeeds"),
    ),
    "Generation.performance": Words(
        _("Speed of its GPUs"), _("Rates and memory bandwidth against those of the server it succeeds.")
    ),
    "Generation.power": Words(_("Power"), _("Draw of the server against that of the server it succeeds.")),
    "Generation.old_sold_months": Words(
        _("Old one sold for"),
        _("Months after the launch in which the server it succeeds is still sold."),
        _("sold on"),
    ),
    "FollowUp.generation": Words(
        _("Later purchases take"), _("Whether later purchases and renewals take the newest generation that is sold.")
    ),
    "Operations.contracts": Words(
        _("Support contracts"), _("Warranty extensions and support contracts with renewal months of their own.")
    ),
    "SupportContract.slug": Words(
        _("Short name"), _("Short name used in paths and exports; it stays when the title changes.")
    ),
    "SupportContract.name": Words(_("Name"), _("What the contract is called."), _("its short name")),
    "SupportContract.build": Words(_("Covers"), _("Kind of server that it covers."), _("every server")),
    "SupportContract.counted_from": Words(
        _("Months counted from"), _("Whether each machine renews by its own age, or all on one day.")
    ),
    "SupportContract.renewal_month": Words(
        _("Renewal month"), _("Month from which it is owed; before it, it costs nothing.")
    ),
    "SupportContract.term_months": Words(
        _("Term"), _("Months for which it is owed."), _("as long as the machine serves")
    ),
    "SupportContract.share_per_year": Words(
        _("Yearly share"), _("Share of the price paid for the machines that is owed each year.")
    ),
    "SupportContract.fee_per_server_year": Words(
        _("Yearly fee"), _("Fee for each server and year; it replaces the share."), _("by share")
    ),
    "SupportContract.replaces_catalog": Words(
        _("Instead of the usual support"), _("Whether it stands in place of the support that follows the warranty.")
    ),
    # operations and finance
    "Operations.region": Words(_("Country"), _("Country of staff cost and import duty.")),
    "Operations.loaded_cost_per_fte_year": Words(
        _("Cost per engineer"),
        _("Yearly cost of one full-time engineer, all charges included."),
        _("the country's figure"),
    ),
    "Operations.servers_per_fte": Words(
        _("Servers per engineer"), _("Servers one full-time engineer looks after."), _("in steps by fleet size")
    ),
    "Operations.commissioning_days": Words(
        _("Commissioning"), _("Days of burn-in between delivery and service."), _("the catalog's figure")
    ),
    "Operations.storage_tb": Words(
        _("Shared storage"),
        _("Fast shared storage bought at the start; left empty, as much as the work asks for is bought as it grows."),
        _("as the work asks"),
    ),
    "Operations.gpu_power_limit_w": Words(_("Power limit of a GPU"), _POWER_LIMIT, _("the card's own power")),
    "Operations.host_memory_factor": Words(
        _("Host memory against GPU memory"),
        _("Rule for the advice: jobs stage checkpoints in so many times the GPU memory, services in half of it."),
    ),
    "Operations.local_flash_tb_per_gpu": Words(
        _("Local storage per GPU"), _("Rule for the advice: fast storage inside a server for each of its GPUs.")
    ),
    "Operations.shared_tb_per_job_gpu": Words(
        _("Shared storage per training GPU"), _("Rule for the advice: data on shared storage for each GPU of jobs.")
    ),
    "Operations.shared_tb_per_service_gpu": Words(
        _("Shared storage per serving GPU"),
        _("Rule for the advice: data on shared storage for each GPU of services, pools and batch work."),
    ),
    "Operations.checkpoint_minutes": Words(
        _("Time between checkpoints"),
        _("Rule for the advice: saving may stall a run for 1 % of this time, which sets the speed of shared storage."),
    ),
    "Operations.checkpoints_kept": Words(
        _("Checkpoints kept"), _("Rule for the advice: so many checkpoints of a training lie on shared storage.")
    ),
    "Operations.model_load_s": Words(
        _("Time to load a model"), _("Rule for the advice: a server must read its model from shared storage in this.")
    ),
    "Operations.tax_region": Words(
        _("Sales tax or VAT"), _("Tax row of the catalog that applies to purchases."), _("no tax line")
    ),
    "Operations.recoverable_tax_share": Words(
        _("Recoverable tax"), _("Share of the tax that is paid back; a registered business recovers all VAT.")
    ),
    "Finance.discount_rate": Words(
        _("Discount rate"),
        _("Yearly rate at which later money counts less; 4 % public, 8 % enterprise, 17 % start-up."),
    ),
    "Finance.fiscal_year_start_month": Words(
        _("Fiscal year starts in"), _("Calendar month in which the fiscal year begins.")
    ),
    "Finance.running_costs_mid_month": Words(
        _("Running costs mid-month"), _("Discount running costs from the middle of their month instead of its start.")
    ),
    "Finance.residual_at_horizon": Words(
        _("Count resale at the end"), _("Whether machines still in service at the horizon count at their resale value.")
    ),
    "Finance.inflation_per_year": Words(
        _("Inflation"), _("Yearly rise of prices in general, for tables in money of the start; it changes no verdict.")
    ),
    "Finance.payment": Words(_("Payment terms"), _("When suppliers of machines are paid.")),
    "PaymentTerms.covers": Words(
        _("Payment terms for"),
        _("Whether only machines are paid by these terms, or networks, spares, storage, racks and room works too."),
    ),
    "PaymentTerms.on_order": Words(
        _("Paid with the order"), _("Share of the price of machines; lower it before you raise the others.")
    ),
    "PaymentTerms.on_delivery": Words(
        _("Paid on delivery"), _("Share paid in the month in which machines go into service.")
    ),
    "PaymentTerms.retention": Words(
        _("Retention"), _("Share kept back for defects; what all shares leave is paid on acceptance.")
    ),
    "PaymentTerms.acceptance_months": Words(_("Acceptance after"), _("Months from service to acceptance.")),
    "PaymentTerms.retention_months": Words(_("Retention paid after"), _("Months from service to the last payment.")),
    "PaymentTerms.bill_months": Words(
        _("Bank acceptance"), _("Term of the bills by which suppliers are paid: it defers every payment.")
    ),
    "Finance.book_life_months": Words(
        _("Book life"), _("Months over which the books write off a purchase, in a straight line by the day.")
    ),
    "Finance.after_tax": Words(
        _("After-tax view"),
        _("Count what costs and depreciation save in profit tax. The discount rate must then be one after tax."),
    ),
    "Finance.buyer": Words(
        _("Buyer"),
        _(
            "Who buys: a university and a state-funded body pay no profit tax and save none. Where tenders are "
            "counted, the buyer decides whose threshold holds."
        ),
    ),
    "Finance.profit_tax_rate": Words(
        _("Profit tax"), _("Tax on profit, federal and local together."), _("the country's rate")
    ),
    "Finance.tax_depreciation": Words(
        _("Tax depreciation"),
        _("How the tax office lets purchases be written off; what is left at a sale goes with it."),
    ),
    "Finance.tax_life_months": Words(
        _("Tax life"), _("Months of the straight line and of the declining balance; MACRS has its own five years.")
    ),
    "Finance.one_off_cap": Words(
        _("One-off deduction up to"),
        _("Dearest machine that may be deducted at once; 5 million yuan in China. Dearer ones: straight line."),
    ),
    "Finance.one_off_until": Words(
        _("One-off deduction until"),
        _("Last day on which a purchase may be deducted at once; in China the end of 2027."),
    ),
    "Finance.other_income_per_year": Words(
        _("Other taxable income"),
        _("Yearly profit from which these costs are deducted; what exceeds it waits as a loss. 0: a loss-maker."),
        _("always enough"),
    ),
    "Finance.losses_kept_years": Words(
        _("Losses are kept for"), _("Tax years that a loss may wait for income."), _("without end")
    ),
    "Plan.financing": Words(_("Financing"), _("How machines and fabric are paid for.")),
    "Financing.kind": Words(
        _("Paid with"), _("In cash, with a loan, or by a lessor who owns the machines; it replaces their capex.")
    ),
    "Financing.share": Words(_("Financed share"), _("Share of the price that is lent or leased; the rest is cash.")),
    "Financing.rate_per_year": Words(
        _("Rate of the contract"),
        _("Yearly interest of the loan, or what the lessor reckons with."),
        _("the catalog's"),
    ),
    "Financing.rate_is": Words(
        _("The rate is"), _("Effective: (1 + r)^(1/12) − 1 a month. Nominal, as many contracts state it: r ÷ 12.")
    ),
    "Financing.term_months": Words(
        _("Term"), _("Months of the contract; what it still owes at the horizon is settled.")
    ),
    "Financing.repayment": Words(_("Repayment"), _("Equal payments, or interest only and all at the end.")),
    "Financing.payment": Words(_("Rent is paid"), _("At the start of each month, or at its end.")),
    "Financing.buy_out_share": Words(
        _("Buy-out"),
        _("Share of the price that the lessor counts on at the end of the term, and asks for the machine."),
    ),
    "Financing.at_end": Words(
        _("After the term"),
        _("Whether the machine is bought, or the rent goes on while it serves and nothing is left."),
    ),
    "Financing.rent_share_per_month": Words(
        _("Rent asked"), _("Monthly rent as a share of the price."), _("from rate, term and buy-out")
    ),
    # scenario
    "Scenario.schema_version": Words(_("Schema version"), _("Version of the document's form.")),
    "Scenario.name": Words(_("Name"), _("What people call this scenario."), _("named by its template")),
    "Scenario.template": Words(_("Template"), _("The template this scenario began as."), _("none")),
    "Scenario.start": Words(_("Start"), _("First month of the comparison.")),
    "Scenario.months": Words(_("Horizon"), _("Months over which the plans are compared.")),
    "Scenario.currency": Words(_("Currency"), _("Currency of all results; quotes keep their own.")),
    "Scenario.pricing_date": Words(_("Pricing date"), _("Day on which prices and exchange rates are taken.")),
    "Scenario.demand": Words(_("Demand"), _("The work to be done, and how it grows.")),
    "Scenario.plans": Words(_("Plans"), _("The ways of buying that are compared.")),
    "Scenario.sites": Words(_("Site"), _("Where the machines stand, one room after the other.")),
    "Scenario.market": Words(_("Prices"), _("How prices move, and which cloud is compared.")),
    "Scenario.operations": Words(_("Operations"), _("People and upkeep.")),
    "Scenario.finance": Words(_("Finance"), _("Discounting, fiscal year and residual value.")),
    "Scenario.lines": Words(
        _("Cost lines"), _("Which lines are counted; those switched off are listed as left out."), _("as usual")
    ),
}
FIELDS |= {name: Words(*parts) for name, parts in networks.FIELDS.items()}

FIELDS |= {name: Words(*texts) for name, texts in (upkeep.FIELDS | tenders.FIELDS | subscriptions.FIELDS).items()}
FIELDS |= FIELD_WORDS

# Fields that several kinds of work have in common, with the words of the first.
_COMMON: dict[str, dict[str, tuple[str, ...]]] = {
    "TrainingWorkload": {
        "TuningWorkload": (
            "kind",
            "preset",
            "model",
            "precision",
            "deadline_days",
            "sequence",
            "micro_batch",
            "batch_tokens_m",
            "states",
            "recompute",
            "mfu",
            "band",
            "goodput",
            "measured_tokens_per_s_per_gpu",
            "target_utilisation",
            "driver",
            "growth",
        ),
        "BatchWorkload": ("kind", "preset", "model"),
        "HpcWorkload": ("kind", "target_utilisation"),
    },
    "PoolWorkload": {"HpcWorkload": ("gang_gpus",)},
}
FIELDS |= {
    f"{owner}.{name}": FIELDS[f"{first}.{name}"]
    for first, others in _COMMON.items()
    for owner, names in others.items()
    for name in names
}

SECTIONS = {
    "scenario": _("Scenario"),
    "demand": _("Demand"),
    "plans": _("Plans"),
    "sites": _("Site"),
    "site": _("Site"),
    "market": _("Prices"),
    "operations": _("Operations"),
    "reliability": _("Failures and repairs"),
    "finance": _("Finance"),
    "procurement": _("Tenders"),
    "lines": _("Cost lines"),
    "risk": _("Risk"),
    "growth": _("Growth"),
    "start": _("First purchase"),
    "follow_up": _("Follow-up"),
    "overflow": _("Cloud overflow"),
    "fabric": _("Fabric"),
    "end_of_life": _("End of life"),
    "financing": _("Financing"),
    "payment": _("Payment terms"),
    "condition": _("Condition"),
    "colocation": _("Colocation contract"),
    "circuit": _("Feeds of a rack"),
    "upgrades": _("Possible upgrades"),
    "residual": _("Resale value"),
    "own_prices": _("Own prices"),
    "generations": _("New generations"),
    "contracts": _("Support contracts"),
    "subscriptions": _("Licences and assessments"),
    "model": _("Architecture"),
    **networks.SECTIONS,
}

CHOICES: dict[tuple[str, Any], Any] = {
    ("kind", "constant"): _("constant"),
    ("kind", "compound"): _("compound, per month"),
    ("kind", "linear"): _("linear"),
    ("kind", "logistic"): _("S-curve"),
    ("kind", "steps"): _("in steps"),
    ("kind", "table"): _("monthly table"),
    ("kind", "pool"): _("shared pool"),
    ("kind", "training"): _("training"),
    ("kind", "serving"): _("online service"),
    ("kind", "tuning"): _("fine-tuning"),
    ("kind", "batch"): _("offline batch work"),
    ("kind", "hpc"): _("simulation (FP64)"),
    ("kind", "none"): _("nothing more"),
    ("kind", "cards"): _("cards when demand needs them"),
    ("kind", "servers"): _("servers when demand needs them"),
    ("kind", "schedule"): _("waves in fixed months"),
    ("kind", "office"): _("office"),
    ("kind", "server_room"): _("server room"),
    ("kind", "data_hall"): _("data hall"),
    ("kind", "colocation"): _("colocation"),
    ("phases", "single"): _("one phase"),
    ("phases", "three"): _("three phases"),
    ("redundancy", "N"): _("none (N)"),
    ("power_budget", "hard"): _("hard: no plan over it"),
    ("power_budget", "soft"): _("soft: a wish"),
    ("supplies", "as_built"): _("as the maker says"),
    ("supplies", "N"): _("none (N)"),
    ("supplies", "N+1"): _("any one (N+1)"),
    ("supplies", "N+N"): _("half of them (N+N)"),
    ("redundancy", "N+1"): _("any one feed (N+1)"),
    ("redundancy", "2N"): _("one side of two (2N)"),
    ("bound", "compute"): _("compute"),
    ("bound", "memory_bandwidth"): _("memory bandwidth"),
    ("bound", "fp64"): _("FP64 compute"),
    ("measure", "busy"): _("busy"),
    ("measure", "allocated"): _("allocated"),
    ("measure", "installed"): _("installed"),
    ("scheduler", "none"): _("first come, first served"),
    ("scheduler", "quotas"): _("quotas"),
    ("scheduler", "preemption"): _("quotas and preemption"),
    ("attention", "MHA"): "MHA",
    ("attention", "GQA"): "GQA",
    ("attention", "MQA"): "MQA",
    ("attention", "MLA"): "MLA",
    ("precision", "bf16"): "BF16",
    ("precision", "fp16"): "FP16",
    ("precision", "fp8"): "FP8",
    ("precision", "fp4"): "FP4",
    ("states", "mixed_bf16_grads"): _("mixed precision, BF16 gradients"),
    ("states", "mixed_fp32_grads"): _("mixed precision, FP32 gradients"),
    ("states", "pure_bf16"): _("BF16 throughout"),
    ("states", "adam_8bit"): _("8-bit Adam"),
    ("driver", "runs"): _("number of runs"),
    ("driver", "tokens"): _("tokens per run"),
    ("driver", "requests"): _("number of requests"),
    ("driver", "model_size"): _("size of the model"),
    ("driver", "amount"): _("amount of work"),
    ("method", "full"): _("all weights"),
    ("method", "lora"): "LoRA",
    ("method", "qlora8"): _("QLoRA, 8-bit"),
    ("method", "qlora4"): _("QLoRA, 4-bit"),
    ("recompute", "typical"): _("as usual"),
    ("recompute", "full"): _("everything"),
    ("recompute", "selective"): _("attention only"),
    ("recompute", "none"): _("nothing"),
    ("band", "low"): _("low"),
    ("band", "base"): _("typical"),
    ("band", "high"): _("high"),
    ("framework", "cuda"): "CUDA",
    ("framework", "rocm"): "ROCm",
    ("framework", "cann"): "CANN",
    ("framework", "xla"): "XLA",
    ("framework", "neuron"): "Neuron",
    ("framework", "oneapi"): "oneAPI",
    ("latency", "batch"): _("batch: any time"),
    ("latency", "relaxed"): _("relaxed"),
    ("latency", "interactive"): _("interactive"),
    ("strategy", "scale_out"): _("start small, scale out"),
    ("strategy", "server_now"): _("one full server now"),
    ("strategy", "servers_now"): _("several servers now"),
    ("strategy", "cluster_now"): _("cluster now"),
    ("strategy", "cloud"): _("cloud"),
    ("strategy", "hybrid"): _("own the base, rent the peaks"),
    ("strategy", "fixed"): _("fixed schedule"),
    ("strategy", "server_as_is"): _("one full server, room as it is"),
    ("strategy", "server_cooled"): _("one full server with cooling"),
    ("strategy", "other"): _("other"),
    ("provider_class", "specialist"): _("specialist GPU cloud"),
    ("provider_class", "large_provider"): _("large provider"),
    ("provider_class", "marketplace"): _("marketplace"),
    ("reserved_term_months", 12): _("1 year"),
    ("reserved_term_months", 36): _("3 years"),
    ("topology", "rail_optimised"): _("spines join the rails"),
    ("topology", "rail_only"): _("rails apart"),
    ("spread", "even"): _("even"),
    ("spread", "fewest"): _("fewest switches"),
    ("when", "never"): _("never"),
    ("when", "when_needed"): _("when a job exceeds one server"),
    ("when", "always"): _("always"),
    ("generation", "same"): _("the same server"),
    ("generation", "newest"): _("the newest that is sold"),
    ("counted_from", "service"): _("each machine's start"),
    ("counted_from", "start"): _("the start of the comparison"),
    ("then", "renew"): _("buy the same again"),
    ("then", "let_go"): _("let go"),
    ("sourcing", "buy"): _("buy"),
    ("upgrades", "buy"): _("order them"),
    ("upgrades", "show"): _("only show them"),
    **{("customer_class", code): words for code, words in CUSTOMERS.items()},
    ("cooling_method", "office_air"): _("office air conditioning"),
    ("cooling_method", "perimeter"): _("perimeter units"),
    ("cooling_method", "contained"): _("contained aisles"),
    ("cooling_method", "high_flow"): _("engineered high-flow air"),
    ("cooling_method", "rear_door"): _("rear-door coolers"),
    ("cooling_method", "rear_door_active"): _("rear-door coolers with fans"),
    ("cooling_method", "immersion"): _("immersion"),
    ("cooling_method", "liquid"): _("liquid"),
    ("region", "US"): _("United States"),
    ("region", "DE"): _("Germany"),
    ("region", "UK"): _("United Kingdom"),
    ("region", "CN"): _("China"),
    ("region", "IN"): _("India"),
    ("kind", "cash"): _("cash"),
    ("covers", "machines"): _("machines only"),
    ("covers", "all_orders"): _("all orders"),
    ("kind", "new"): _("new"),
    ("kind", "refurbished"): _("refurbished"),
    ("kind", "used"): _("used"),
    ("kind", "loan"): _("loan"),
    ("kind", "lease"): _("lease"),
    ("rate_is", "effective"): _("effective"),
    ("rate_is", "nominal"): _("nominal, ÷ 12"),
    ("repayment", "annuity"): _("equal payments"),
    ("repayment", "bullet"): _("all at the end"),
    ("payment", "advance"): _("in advance"),
    ("payment", "arrears"): _("in arrears"),
    ("at_end", "buy_out"): _("buy it"),
    ("at_end", "extend"): _("extend the lease"),
    ("buyer", "company"): _("company"),
    ("buyer", "university"): _("university"),
    ("buyer", "state_funded"): _("state-funded body"),
    ("tax_depreciation", "straight_line"): _("straight line, by the day"),
    ("tax_depreciation", "declining_balance"): _("declining balance, double rate"),
    ("tax_depreciation", "macrs_5"): _("MACRS, 5 years"),
    ("tax_depreciation", "at_once"): _("all in the first year"),
    ("tax_depreciation", "china_straight_line"): _("China: straight line, 5 % left"),
    ("tax_depreciation", "china_one_off"): _("China: one-off deduction"),
    ("tax_depreciation", "none"): _("none"),
    ("schema_version", 1): "1",
    **networks.CHOICES,
    **CHOICE_WORDS,
    **tenders.CHOICES,
    **subscriptions.CHOICES,
} | upkeep.CHOICES


def choice(field: str, value: Any) -> str:
    """A value of a choice field in words; `field` is a name or a path. Slugs of the catalog come back as they are."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    words = CHOICES.get((field.rpartition("/")[2], value))
    return str(value if words is None else words)


def section(code: str) -> str:
    """Heading of a group of assumptions."""
    return str(SECTIONS.get(code, code))


# ── Paths ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Place:
    """Where a path leads: the class that holds the field, the field, and what follows it (the key of a dict, a
    position)."""

    owner: type[BaseModel]
    field: str
    rest: str = ""
    element: bool = False  # an element of a list of documents, by its slug or position


def _inside(annotation: Any) -> tuple[list[type[BaseModel]], bool]:
    """The document classes inside an annotation, and whether they stand in a list."""
    found: list[type[BaseModel]] = []
    listed = False
    stack = [annotation]
    while stack:
        item = stack.pop(0)
        if isinstance(item, type) and issubclass(item, BaseModel):
            found.append(item)
        listed = listed or get_origin(item) in (tuple, list)
        stack.extend(get_args(item))
    return found, listed


def _narrowed(classes: list[type[BaseModel]], node: Any) -> list[type[BaseModel]]:
    kind = node.get("kind") if isinstance(node, dict) else getattr(node, "kind", None)
    if kind is None or len(classes) < 2:
        return classes
    return [each for each in classes if kind in typing.get_args(each.model_fields["kind"].annotation)] or classes


def _step(node: Any, key: str) -> Any:
    if isinstance(node, (list, tuple)):

        def slug(element: Any) -> Any:
            return element.get("slug") if isinstance(element, dict) else getattr(element, "slug", None)

        return next(
            (each for each in node if slug(each) == key),
            node[int(key)] if key.isdigit() and int(key) < len(node) else None,
        )
    return node.get(key) if isinstance(node, dict) else getattr(node, key, None)


def node_at(path: str, document: Any) -> Any:
    """What stands at a path of a scenario or of its plain data; None where nothing does."""
    node = document
    for step in path.split("/"):
        node = None if node is None else _step(node, step)
    return node


def locate(path: str, document: Any = None) -> Place | None:
    """The field a path names; `document`, a scenario or its plain data, tells variants of the same name apart."""
    return _locate(path) if document is None else _walk(path, document)


@lru_cache(maxsize=4096)
def _locate(path: str) -> Place | None:
    return _walk(path, None)


def _walk(path: str, node: Any) -> Place | None:
    classes: list[type[BaseModel]] = [Scenario]
    place: Place | None = None
    listed = False
    steps = [step for step in path.split("/") if step]
    for position, step in enumerate(steps):
        node = None if node is None else _step(node, step)
        if listed and classes and place is not None:  # this step picks an element
            classes, listed = _narrowed(classes, node), False
            place = Place(place.owner, place.field, step, element=True)
            continue
        owner = next((each for each in classes if step in each.model_fields), None)
        if owner is None:
            return None
        place = Place(owner, step)
        classes, listed = _inside(owner.model_fields[step].annotation)
        if not classes:
            return Place(owner, step, "/".join(steps[position + 1 :]))
        if not listed:
            classes = _narrowed(classes, node)
    return place


def words(path: str, document: Any = None) -> Words | None:
    """The words of the field that a path names."""
    place = locate(path, document)
    return None if place is None else words_of(place.owner, place.field)


def words_of(owner: type[BaseModel], field: str) -> Words | None:
    """The words of a field, told by its class or the nearest one above it that has words for it."""
    names = (f"{base.__name__}.{field}" for base in owner.__mro__)
    return next((FIELDS[name] for name in names if name in FIELDS), None)


def label(path: str, document: Any = None) -> str:
    """What a field is called."""
    place = locate(path, document)
    if place is not None and place.rest and place.owner is Scenario and place.field == "lines":
        return category(place.rest)
    if place is not None and place.rest and place.field == "own_prices":
        return gettext("Own price of {item}").format(item=place.rest)
    found = words(path, document)
    if found is None or place is None:
        return path.rpartition("/")[2]
    if place.element:
        return _element(place, path, document)
    return str(found.label)


def _element(place: Place, path: str, document: Any) -> str:
    """An element of a list: its own name where it has one, else its kind and slug."""
    node = node_at(path, document)
    name = (node.get("name") if isinstance(node, dict) else getattr(node, "name", "")) if node is not None else ""
    if name:
        return str(name)
    pattern = {
        "workloads": _("Workload {name}"),
        "plans": _("Plan {name}"),
        "sites": _("Room {name}"),
        "upgrades": _("Upgrade {name}"),
        "generations": _("Generation {name}"),
        "contracts": _("Contract {name}"),
        "subscriptions": _("Licence or assessment {name}"),
        "waves": _("Wave {name}"),
        "steps": _("Step {name}"),
    }.get(place.field, _("Point {name}"))
    shown = str(int(place.rest) + 1) if place.rest.isdigit() else place.rest
    return str(pattern).format(name=shown)


def help_text(path: str, document: Any = None) -> str:
    """One sentence of what a field means; bounds and source stand elsewhere."""
    place = locate(path, document)
    if place is not None and place.rest and place.owner is Scenario and place.field == "lines":
        return gettext("Whether this line is counted; a line that is off is listed as left out.")
    found = words(path, document)
    return "" if found is None else str(found.help)


def declaration(path: str, document: Any = None) -> Quantity | None:
    """Unit, bounds and source of the field a path names; None where it is no quantity."""
    place = locate(path, document)
    if place is None:
        return None
    if place.field == "own_prices":
        return Quantity("money", 0.0, 1e9)
    return None if place.element else quantity_of(place.owner.model_fields[place.field])


def value_text(path: str, value: Any, currency: str = "", document: Any = None) -> str:
    """A field's value with its unit, a choice in words, an empty field by what then holds."""
    if value is None:
        return empty_text(path, document) or gettext("not given")
    if isinstance(value, (list, tuple)):
        return gettext("; ").join(_entry(path, entry, currency, document) for entry in value)
    declared = declaration(path, document)
    if declared is not None and not isinstance(value, bool):
        return quantity(value, declared.unit, currency, _workload_of(path, document))
    return choice(path, value)


def _entry(path: str, entry: Any, currency: str, document: Any) -> str:
    """An entry of a list: a value, or the two of a point: "8 GPUs: 95 %"."""
    place = locate(path, document)
    models = [] if place is None else _inside(place.owner.model_fields[place.field].annotation)[0]
    if not models or not isinstance(entry, (dict, BaseModel)):
        return str(entry)
    plain = entry if isinstance(entry, dict) else entry.model_dump()
    units = {name: quantity_of(info) for name, info in models[0].model_fields.items()}
    work = _workload_of(path, document)
    return ": ".join(
        quantity(value, unit.unit if unit is not None else "1", currency, work)
        for value, unit in ((plain[name], units[name]) for name in units if name in plain)
    )


def _workload_of(path: str, document: Any) -> Any:
    """The workload in which a path lies, for the unit of its driver."""
    steps = path.split("/")
    if document is None or steps[:2] != ["demand", "workloads"] or len(steps) < 3:
        return None
    return _step(_step(_step(document, "demand"), "workloads"), steps[2])


def empty_text(path: str, document: Any = None) -> str:
    """What holds while the field is empty."""
    found = words(path, document)
    return "" if found is None else str(found.empty)
