"""Words for what a workload needs: the limit that decides, the installation, and what must stand around the GPUs."""

from __future__ import annotations

import math

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.advice import Advice
from planner.engine.needs import Requirement
from planner.engine.result import Evaluation
from planner.wording import upkeep
from planner.wording.fields import choice
from planner.wording.lines import item
from planner.wording.numbers import counted, money, month_label, number, percent
from planner.wording.plans import plan_names, workload_named

# limit → (what decides, what it alone would need)
LIMITS = {
    "memory": (_("{gpus} by memory"), _("memory alone would need {gpus}")),
    "job": (_("{gpus} for the largest job"), _("the largest job alone would need {gpus}")),
    "deadline": (_("{gpus} by the deadline"), _("the deadline alone would need {gpus}")),
    "throughput": (_("{gpus} by throughput"), _("throughput alone would need {gpus}")),
    "concurrency": (_("{gpus} for the requests under way"), _("the requests under way alone would need {gpus}")),
    "redundancy": (_("{gpus} by redundancy"), _("redundancy alone would need {gpus}")),
}
TIERS = {
    "one_gpu": _("one GPU"),
    "one_server": _("one server with several GPUs"),
    "independent_servers": _("independent servers without a fabric"),
    "cluster": _("cluster with a fabric: one job spans its servers"),
}
BEHIND_BALANCER = _("independent servers behind a load balancer")
NETWORKS = {
    "25g": _("25 GbE per server is enough: it carries requests and the traffic of storage"),
    "100g": _("100 GbE per server, since caches move from prompt servers to answer servers"),
    "1gbe": "1 GbE",
    "10gbe": "10 GbE",
    "25g_roce": "25 GbE RoCE",
    "100g_rdma": "100G RDMA",
    "400g_rdma": "400G RDMA",
    "8x200g_rdma": "8 × 200G RDMA",
    "8x400g_rdma": "8 × 400G RDMA",
    "8x800g_rdma": "8 × 800G RDMA",
}
PARALLEL = {
    "sharded": _("weights and optimiser sharded over {count} GPUs of a server"),
    "data": _("data parallel over {count} servers, gradients exchanged once a step"),
    "context": _("context parallel, since sequences are long"),
    "expert": _("expert parallel, since the model is a mixture of experts"),
    "tensor": _("tensor parallel over {count} GPUs"),
    "pipeline": _("pipeline over {count} servers"),
    "no_tensor": _("no tensor parallel: cards without NVLink take 30 % longer"),
}
SOFTWARE = {
    "ray_serve": _("a server of models such as Ray Serve, for online inference on GPUs"),
    "celery": _("a task queue such as Celery, for work that may wait"),
    "slurm": _("a batch scheduler such as Slurm, for long jobs and jobs over several servers"),
    "kubernetes": _("Kubernetes with the GPU plug-in, for a cluster shared by services and teams"),
}


def limits(need: Requirement) -> str:
    """ "32 GPUs by the deadline; memory alone would need 16 GPUs"."""
    if not need.limits:
        return ""
    ranked = need.ranked
    if math.isinf(ranked[0][1]):
        return gettext("no number of GPUs suffices")
    parts = [
        str(LIMITS[code][place]).format(gpus=counted(gpus, "GPU", digits=3))
        for place, (code, gpus) in enumerate(ranked[:2])
    ]
    return gettext("; ").join(parts)


def tier(code: str, *, load_balancer: bool = False) -> str:
    """A class of installation in words."""
    return str(BEHIND_BALANCER if load_balancer and code == "independent_servers" else TIERS[code])


def advice_title(advised: Advice, evaluation: Evaluation) -> str:
    """ "Training on DGX H200"."""
    return gettext("{workload} on {item}").format(
        workload=_capital(workload_named(evaluation.scenario, advised.workload)),
        item=item(advised.item, evaluation.book),
    )


def advice_brief(advised: Advice) -> str:
    """What is asked for at the end of the horizon, in a few words."""
    return tier(advised.tier, load_balancer=advised.load_balancer)


def advice_rows(advised: Advice, evaluation: Evaluation) -> list[tuple[str, str]]:
    """(label, sentence) of everything advised."""
    rows = [
        (gettext("What decides"), _capital(limits(advised.need))),
        (gettext("Class of installation"), _capital(_tiers(advised, evaluation))),
        (gettext("Network between servers"), _network(advised)),
        (gettext("Split of a job"), gettext("; ").join(_parallel(advised))),
        (gettext("Software"), gettext("; ").join(str(SOFTWARE[code]) for code in advised.software)),
        (gettext("In each server"), _server(advised)),
        (gettext("Shared storage"), _shared(advised, evaluation)),
        (gettext("Scheduler"), _scheduler(advised, evaluation)),
        (gettext("Failures"), upkeep.reliability(advised.need)),
    ]
    return [(label, _capital(text)) for label, text in rows if text]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _tiers(advised: Advice, evaluation: Evaluation) -> str:
    """ "one server with several GPUs; from Mar 2028 independent servers behind a load balancer"."""
    words = []
    for month, code in advised.tiers:
        said = tier(code, load_balancer=advised.load_balancer)
        if month:
            said = gettext("from {month} {tier}").format(month=month_label(evaluation.calendar, month), tier=said)
        words.append(said)
    return gettext("; ").join(words)


def _network(advised: Advice) -> str:
    if advised.network == "":
        return ""
    text = _enough(advised)
    if advised.ports_there and advised.tier == "cluster":
        count, gbps = advised.ports_there
        return gettext("{text} (the server has {count} × {speed} Gb/s)").format(
            text=text, count=number(count), speed=number(gbps)
        )
    return text


def _enough(advised: Advice) -> str:
    """The network that is enough, and what less would cost."""
    if advised.network is None and not advised.kept:
        return gettext("a fabric with RDMA; how much of it this code needs must be measured")
    if not advised.kept:
        return str(NETWORKS[advised.network or ""])
    if advised.network is None:
        best, share = max(advised.kept.items(), key=lambda entry: entry[1])
        return gettext(
            "even {network} keeps only {share} of the speed: take larger steps, or fewer GPUs and a longer run"
        ).format(network=NETWORKS[best], share=percent(round(share, 2)))
    names = list(advised.kept)
    place = names.index(advised.network)
    less = [
        gettext("{network} {share}").format(network=NETWORKS[name], share=percent(round(advised.kept[name], 2)))
        for name in reversed(names[:place])
    ]
    text = gettext("{network} per server keeps {share} of the speed").format(
        network=NETWORKS[advised.network], share=percent(round(advised.kept[advised.network], 2))
    )
    return gettext("{text}; less would keep: {less}").format(text=text, less=gettext(", ").join(less)) if less else text


def _parallel(advised: Advice) -> list[str]:
    return [str(PARALLEL[code]).format(count=number(count)) for code, count in advised.parallel]


def _server(advised: Advice) -> str:
    if advised.rented:
        return ""
    memory = gettext("{amount} host memory").format(amount=_gigabytes(advised.host_gb))
    if advised.host_gb_there:
        memory = gettext("{text} (it has {there})").format(text=memory, there=_gigabytes(advised.host_gb_there))
    local = gettext("{amount} fast local storage").format(amount=_terabytes(advised.local_tb))
    if advised.local_tb_there:
        local = gettext("{text} (it has {there})").format(text=local, there=_terabytes(advised.local_tb_there))
    return gettext("; ").join((memory, local))


def _shared(advised: Advice, evaluation: Evaluation) -> str:
    if advised.rented:
        return ""
    there = evaluation.scenario.operations.storage_tb
    text = _terabytes(advised.shared_tb)
    if advised.shared_gb_s:
        text = gettext("{amount} at {speed} GB/s").format(amount=text, speed=number(advised.shared_gb_s, digits=2))
    if there is None:
        return gettext("{text}; bought as the work grows").format(text=text)
    return gettext("{text}; the scenario buys {there}").format(text=text, there=_terabytes(there))


def _scheduler(advised: Advice, evaluation: Evaluation) -> str:
    worth = advised.scheduler
    if worth is None:
        return ""
    saved = counted(worth.saved, "GPU", digits=2)
    if worth.kind == "none":
        text = gettext("a scheduler with quotas would do the same work with {saved} less")
    else:
        text = gettext("scheduling with {scheduling} saves {saved} against first come, first served")
    text = text.format(scheduling=choice("scheduler", worth.kind), saved=saved)
    if worth.amount is None or worth.per_gpu is None:
        return text
    currency = evaluation.scenario.currency
    return gettext("{text}: {amount} at {per_gpu} per GPU in “{plan}”").format(
        text=text,
        amount=money(worth.amount, currency, compact=True),
        per_gpu=money(worth.per_gpu, currency, compact=True),
        plan=plan_names(evaluation.scenario, evaluation.book)[advised.plan],
    )


def _gigabytes(amount: float) -> str:
    return _terabytes(amount / 1000.0) if amount >= 1000.0 else f"{number(amount, digits=3)}\u00a0GB"


def _terabytes(amount: float) -> str:
    return f"{number(amount, digits=2)}\u00a0TB"
