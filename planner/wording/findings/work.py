"""What work a plan cannot do, or does on unsuitable hardware: code → (sentence, a few words for a chip, tone).

Placeholders are filled by `sentences`.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

WORK: dict[str, tuple[Any, Any, str]] = {
    "unmet": (
        _(
            "{hours} GPU-hours of work go undone, the first in {month}; at a penalty on the cloud "
            "price they would cost {cost}, which is in no total."
        ),
        _("work undone from {month}"),
        "warn",
    ),
    "unmet_unpriced": (
        _(
            "{hours} GPU-hours of work go undone, the first in {month}; no cloud offer is "
            "comparable, so they have no price."
        ),
        _("work undone from {month}"),
        "warn",
    ),
    "service_target": (
        _(
            "In {month} the plan serves {served} of the demand, {capacity_gpu} of {demand_gpu} GPUs; "
            "the target is {target}."
        ),
        _("{served} served in {month}"),
        "bad",
    ),
    "model_memory": (
        _("{model} takes {needed_gpus} GPUs together; here {gpus} work together."),
        _("{model}: too little memory"),
        "bad",
    ),
    "model_never": (_("{model} fits into no number of these GPUs."), _("{model}: does not fit"), "bad"),
    "redundancy": (
        _("{workload} asks for {spares} to spare, and there is {servers} in all: when one fails, nothing answers."),
        _("no spare: one failure stops it"),
        "bad",
    ),
    "memory": (
        _("{workload} needs {needed_gpus} GPUs at once by memory, and one {item} has {server_gpus} and no fabric."),
        _("memory: needs {needed_gpus} GPUs at once"),
        "bad",
    ),
    "memory_never": (
        _("{workload} does not fit into the memory of {item}, whatever the number of GPUs."),
        _("does not fit in memory"),
        "bad",
    ),
    "deadline": (
        _(
            "{workload} needs {needed_gpus} GPUs at once to meet its deadline, and one {item} has "
            "{server_gpus} and no fabric."
        ),
        _("deadline: needs {needed_gpus} GPUs at once"),
        "bad",
    ),
    "fit_cliff": (
        _(
            "In {month} {workload} has grown so large that it needs {needed_gpus} GPUs at once by memory, and {item} "
            "offers {server_gpus}: {stranded_gpus} and {stranded_servers} of this plan then stand idle{worth}."
        ),
        _("model outgrows the GPUs in {month}"),
        "warn",
    ),
    "fit_cliff_never": (
        _(
            "In {month} {workload} has grown so large that it fits into no number of {item}: {stranded_gpus} and "
            "{stranded_servers} of this plan then stand idle{worth}."
        ),
        _("model outgrows the GPUs in {month}"),
        "warn",
    ),
    "power_limit_unknown": (
        _("The power of one {item} is not known: the limit of {limit_w} W changes neither its draw nor its speed."),
        _("power limit without effect"),
        "warn",
    ),
    "power_limit_low": (
        _(
            "A limit of {limit_w} W is under half of the {nameplate_w} W of one {item}: nothing is published there. "
            "Its speed is taken to fall in proportion, and many cards refuse so low a limit."
        ),
        _("power limit below all published"),
        "warn",
    ),
    "wrong_software": (
        _("{workload} needs {framework}, and {item} runs {software_stack}."),
        _("software: {item} runs {software_stack}"),
        "bad",
    ),
    "software_partial": (
        _("PyTorch supports {item} only in part: test {workload} on it before buying."),
        _("software only partly supported"),
        "warn",
    ),
    "computed_in": (
        _(
            "{workload}: the catalog has no {precision} rate of {item}, so it computes in {computed}, at that rate; "
            "the weights stay in {precision}."
        ),
        _("computes in {computed}"),
        "warn",
    ),
    "computed_in_fp16": (
        _(
            "{workload}: the catalog has no BF16 rate of {item}, so it computes in FP16, at that rate; training then "
            "runs in FP16 mixed precision, with loss scaling."
        ),
        _("computes in FP16"),
        "warn",
    ),
    "offer_smaller_than_job": (
        _(
            "{workload} needs {gpus} GPUs at once, and the cloud offer is for single GPUs or instances on demand: a "
            "job of that size needs a rented cluster with a fabric, which such offers rarely include, so the price "
            "may be too low."
        ),
        _("cloud offer smaller than the job of {gpus} GPUs"),
        "warn",
    ),
    "stranded_gpus": (
        _(
            "From {month}, for {months}: each copy of the model takes {needed_gpus} GPUs of one server, which leaves "
            "{left_gpus} of the {gpus} GPUs in {item} without work. Buy cards in steps of {needed_gpus}."
        ),
        _("{left_gpus} of {gpus} GPUs complete no copy of the model"),
        "warn",
    ),
    "uneven_gang": (
        _(
            "{workload} has jobs over {gpus} GPUs. Tensor parallelism splits a model over 1, 2, 4 or 8 GPUs, because "
            "its attention heads must divide evenly: unless these jobs are data parallel only, plan {needed_gpus}."
        ),
        _("a job over {gpus} GPUs: tensor parallelism needs {needed_gpus}"),
        "warn",
    ),
}
