"""What a workload needs of an accelerator, in words: tier, limits, memory, what is missing."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from planner.wording.fields import choice
from planner.wording.numbers import counted

TIERS = {
    "one_gpu": _("One GPU"),
    "one_server": _("One server"),
    "independent_servers": _("Independent servers"),
    "cluster": _("Cluster with a fabric"),
}
LIMITS = {
    "memory": _("memory"),
    "job": _("largest job"),
    "deadline": _("deadline"),
    "throughput": _("throughput"),
    "concurrency": _("requests under way"),
    "redundancy": _("redundancy"),
}
PARTS = {
    "weights": _("Weights"),
    "gradients": _("Gradients"),
    "optimizer": _("Optimiser states"),
    "adapters": _("Adapters with their optimiser"),
    "activations": _("Activations"),
    "gathered": _("Layer at work"),
    "kv_cache": _("KV cache"),
    "framework": _("Framework"),
    "communication": _("Communication buffers"),
    "overhead": _("Kept free for fragmentation"),
    "free": _("Free"),
}
STATES = {
    "software": _("other software"),
    "memory": _("does not fit"),
    "rate": _("no rate known"),
    "target": _("no number suffices"),
    "copy": _("copies of that size do not work"),
}
FITS = {
    "fits": _("fits"),
    "tight": _("tight"),
    "none": _("does not fit"),
}
STATUSES = {
    "announced": _("announced"),
    "end_of_sale": _("end of sale"),
    "cloud_only": _("cloud only"),
}
SORTS = {
    "price": _("Price"),
    "rent": _("Rent"),
    "gpus": _("GPUs"),
    "kw": _("Power draw"),
    "rate": _("Rate of one GPU"),
    "name": _("Accelerator"),
}
# What a scenario made of an answer had to leave out.
MISSING = {
    "no_offer": _("No cloud plan: the catalog has no comparable offer with this GPU that is recent enough."),
    "no_server": _("No purchase: the catalog has no server with this GPU, so only renting is compared."),
    "no_quote": _("No purchase: the server has no quote that holds on the pricing date, so only renting is compared."),
    "no_small_start": _(
        "No small start: one job needs more GPUs than a server holds, so the cluster is bought at once."
    ),
    "no_fabric_ports": _("No cluster: this server has no ports for a fabric."),
    "no_smaller_server": _("No small start: the catalog has no smaller server with this GPU that has a quote."),
}
# Where the formulas are known to be off for what was asked.
DOUBTS = {
    "moe_serving": _(
        "Mixture of experts: the serving formula is off by 26 % in the mean on published rates (dense models: 7 %). "
        "Prefer a rate you measured."
    ),
    "amd_serving": _(
        "AMD: the serving formula was fitted on NVIDIA cards and takes 0.6 of its rate here; published results lie at "
        "0.5–0.7. Prefer a rate you measured."
    ),
    "unpublished_band": _(
        "No training utilisation is published for this hardware and precision: that of the nearest hardware stands in."
    ),
    "memory_unknown": _("The work is stated in GPUs of {there}: whether its jobs fit {here} is not known."),
    "outgrows_server": _(
        "From {month} one job needs more GPUs than a server has: servers bought before then need a fabric, or stand "
        "idle. The plans of a scenario say how many and what they would sell for."
    ),
    "outgrows_all": _(
        "From {month} the model fits into no number of these GPUs: what was bought before then stands idle. The plans "
        "of a scenario say how many and what they would sell for."
    ),
    "apart": _(
        "Prompts and answers have servers of their own, each kind with its spares: caches move between them, so plan "
        "for 100 GbE per server at least."
    ),
    "software_partial": _("PyTorch supports this accelerator only in part: test the work on it before buying."),
    "computed_in": _(
        "The catalog has no {precision} rate of this accelerator: it computes in {computed}, at that rate; the weights "
        "stay in {precision}."
    ),
    "computed_in_fp16": _(
        "The catalog has no BF16 rate of this accelerator: it computes in FP16, at that rate; training then runs in "
        "FP16 mixed precision, with loss scaling."
    ),
    "power_limit_low": _(
        "A limit of {limit} is under half of the {nameplate} of this card: nothing is published there. Its speed is "
        "taken to fall in proportion, and many cards refuse so low a limit."
    ),
    "export_licence": _(
        "It may be sold into this country ({country}) only with an export licence, by the rule in force since {dated}."
    ),
    "export_prohibited": _("It may not be sold into this country ({country}), by the rule in force since {dated}."),
    "no_ports": _("This server has no ports for a fabric: the cluster cannot be built of it."),
    "assumed_server": _("The catalog has no server with this GPU: servers of {gpus} are assumed, without a price."),
    "idle_gpus": _("Servers come whole: {all} are bought, {idle} more than needed today."),
}


def tier(code: str) -> str:
    """A class of installation."""
    return str(TIERS.get(code, code))


def limit(code: str) -> str:
    """What decides how many GPUs are needed."""
    return str(LIMITS.get(code, code))


def memory_part(code: str) -> str:
    """What lies in the memory of a GPU."""
    return str(PARTS.get(code, code))


def memory_fit(code: str) -> str:
    """Whether a job fits the usable memory."""
    return str(FITS[code])


def scheduler_saving(kind: str) -> str:
    """What the GPUs saved by scheduling are saved against."""
    if kind == "none":
        return gettext("fewer in the busiest month with quotas than first come, first served")
    pattern = gettext("fewer in the busiest month with {scheduling} than first come, first served")
    return pattern.format(scheduling=choice("scheduler", kind))


def unsized(state: str) -> str:
    """Why an accelerator is not offered, in a word or two."""
    return str(STATES.get(state, state))


def status(code: str | None) -> str:
    """Whether an accelerator can be bought; "" where it ships."""
    return str(STATUSES.get(code or "", ""))


def sorting(code: str) -> str:
    return str(SORTS[code])


def missing(code: str) -> str:
    """What a new scenario had to leave out."""
    return str(MISSING[code])


def sizing_doubt(code: str, **facts: Any) -> str:
    """A reservation about an answer."""
    return str(DOUBTS[code]).format(**facts)


def tier_reason(code: str, gang: int, gpus: int, server_gpus: int, servers: int, *, serving: bool = False) -> str:
    """Why that class of installation, with the numbers that decide it."""
    words = {
        "gang": counted(gang, "GPU"),
        "gpus": counted(gpus, "GPU"),
        "server": counted(server_gpus, "GPU"),
        "servers": counted(servers, "server"),
    }
    match code:
        case "cluster":
            return gettext(
                "One job needs {gang} at once, more than the {server} of a server: {servers} must be joined by a "
                "fabric of InfiniBand class."
            ).format(**words)
        case "independent_servers" if serving:
            return gettext(
                "A replica takes {gang} and fits one server; {servers} work independently behind a load balancer, "
                "without a fabric."
            ).format(**words)
        case "independent_servers":
            return gettext(
                "{gpus} are needed in all, but no job needs more than {gang} at once: {servers} work independently, "
                "without a fabric."
            ).format(**words)
        case "one_server":
            return gettext("{gpus} are needed, and one server holds {server}.").format(**words)
        case "one_gpu":
            return gettext("All of it fits on one GPU.")
    return code


def memory_sentence(parts: list[tuple[str, str]], nameplate: str, gpus: int) -> str:
    """The bar of a card for who cannot see it: "Weights 70.5 GB, KV cache 53.4 GB … of 141 GB"."""
    listed = gettext(", ").join(f"{name} {amount}" for name, amount in parts)
    pattern = ngettext(
        "Memory of the GPU, {nameplate}: {listed}.", "Memory of each of {count} GPUs, {nameplate}: {listed}.", gpus
    )
    return pattern.format(nameplate=nameplate, listed=listed, count=gpus)


def memory_refusal(needed: str, nameplate: str, gpus: int) -> str:
    """Why one job does not fit a card."""
    return gettext("Even spread over {gpus} it needs {needed} on each; the card has {nameplate}.").format(
        gpus=counted(gpus, "GPU"), needed=needed, nameplate=nameplate
    )
