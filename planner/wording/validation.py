"""Published cases against our model, in words: families, statuses, and where the model is known to be weak."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.wording.numbers import number, percent

# By the name of the file; another family shows its name.
FAMILIES = {
    "sizing": (_("Sizing"), _("Training, memory, serving, queues, collectives, failures and spares.")),
    "installation": (
        _("Class of installation"),
        _("What a workload calls for: one GPU, a server, several, a cluster."),
    ),
    "fabric": (_("Fabric"), _("Switches, cables and optics of published network designs.")),
    "facility": (_("Facility"), _("Circuits, racks, airflow, heat, floor and power distribution.")),
    "tco": (_("Cost studies"), _("Break-even, data centres, energy, failures, tokens, depreciation.")),
    "variant": (
        _("Other values"),
        _(
            "Cases of the published kinds with other values and optional inputs; what they expect was worked out "
            "from the formulas, apart from this program."
        ),
    ),
    "hand": (_("Worked by hand"), _("Whole scenarios worked independently, to the cent.")),
}
# status → (word, tone of its chip)
STATUSES = {
    "ok": (_("agrees"), "good"),
    "off": (_("off"), "bad"),
    "declared": (_("fault of the source"), "warn"),
    "unsupported": (_("not answered"), ""),
    "refused": (_("inputs refused"), "bad"),
}


@dataclass(frozen=True)
class Weakness:
    """Where the model is known to be off, by how much, and who measured it."""

    title: Any
    text: Any
    url: str = ""


_TRT = "https://github.com/NVIDIA/TensorRT-LLM/blob/main/docs/source/performance/perf-overview.md"
_MLPERF = "https://github.com/mlcommons/inference_results_v5.1"
WEAKNESSES = (
    Weakness(
        _("Serving a mixture of experts"),
        _(
            "Error of the rate 26 % in the mean, 48 % at the 90th percentile; dense models 7 % and 14 %, at most 20 %. "
            "Prefer a rate you measured."
        ),
        _TRT,
    ),
    Weakness(
        _("Serving on AMD"),
        _(
            "The formula was fitted on H100, H200 and B200. MI300X with vLLM in MLPerf reaches 0.5–0.7 of it; we take "
            "0.6 for every AMD card."
        ),
        _MLPERF,
    ),
    Weakness(
        _("Serving on workstation cards"),
        _("Cards with GDDR7 lay 36 % below to 6 % above the formula; none of them was in the fit."),
        _TRT,
    ),
    Weakness(
        _("Other serving software"),
        _("Fitted on TensorRT-LLM at the highest load; vLLM and SGLang reach 0.7–1.0 of it, which is an estimate."),
        _TRT,
    ),
    Weakness(
        _("Failures of small jobs"),
        _(
            "Below about 2,000 GPUs jobs are interrupted more often than the model says: 7.9 hours were measured "
            "between interruptions at 1,024 GPUs, the model gives 28.8. Multiply the rate by 3 there."
        ),
        "https://arxiv.org/abs/2410.21680",
    ),
    Weakness(
        _("Utilisation in training"),
        _(
            "A base value stands for a wide band: published hours of dense runs give 24–48 % on A100 and 14–31 % on "
            "H100 (P10 to P90). Tuned benchmarks lie higher than what is billed."
        ),
        "https://github.com/epoch-research/training-cost-trends",
    ),
    Weakness(
        _("Training on hardware without published runs"),
        _(
            "For AMD, Ada Lovelace, Gaudi, Ascend, TPU and Trainium no utilisation is published in a form we can use: "
            "that of Hopper stands in, for AMD in the ratio of the best measured matrix products."
        ),
        "https://github.com/stas00/ml-engineering/blob/master/compute/accelerator/README.md",
    ),
    Weakness(
        _("Small tuning runs"),
        _(
            "Below 100 million tokens start-up and padding take most of the time; an hour at least and 10 % of the "
            "peak at most is a rule of thumb from a single run."
        ),
        "https://crfm.stanford.edu/2023/03/13/alpaca.html",
    ),
    Weakness(
        _("Memory of activations and adapters"),
        _(
            "What a layer keeps differs by a factor of 2.5 among models of one size; memory of adapter tuning lies "
            "within 11 % of the published table from 7 to 70 billion parameters."
        ),
        "https://github.com/stas00/ml-engineering",
    ),
    Weakness(
        _("Speed under a power limit"),
        _(
            "Measured on one kind of card (RTX PRO 6000, 600 W) with one model, from half the power on and from 4 to "
            "64 requests; every other card and all training take that curve. Below half the power speed is taken to "
            "fall in proportion. What the supplies lose on the way is not counted as saved."
        ),
        "https://github.com/voipmonitor/rtx6kpro/blob/main/hardware/gpu-configs.md",
    ),
    Weakness(
        _("Requests under way"),
        _(
            "Poisson fits chats: their real 99th percentile lay 9 % above it. Code completion comes in waves of 8 to 9 "
            "times the mean: there, enter what you measured."
        ),
        "https://github.com/Azure/AzurePublicDataset",
    ),
    Weakness(
        _("Scaling over servers"),
        _(
            "A loss of 3 % per doubling of servers, 5 % at a fixed problem size, is our estimate from runs that lost "
            "3–16 % in all."
        ),
        "https://github.com/NVIDIA/Megatron-LM/blob/main/README.md",
    ),
    Weakness(
        _("Idle power and PUE"),
        _(
            "Where a maker gives no idle draw a fifth of the maximum is assumed; no source gives the PUE of cooling "
            "methods side by side, so that the values by method are estimates."
        ),
    ),
    Weakness(
        _("Fabrics of 9 to 31 servers"),
        _("No published design covers them: how rails share a switch there is our own rule."),
    ),
    Weakness(
        _("Money in published studies"),
        _(
            "Break-even and life of GPUs are disputed: studies differ by the cloud price they take, 3 to 6 years of "
            "life, and whether staff is counted. Meeting their figures shows that the arithmetic is the same, not "
            "that their assumptions are yours."
        ),
    ),
)


# From here on digits and commas tell less than a power of ten, and make a table wide. [1]
LONGEST = 1e12
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def _power(value: float) -> str:
    """ "1.56 × 10²³", six significant digits."""
    exponent = math.floor(math.log10(abs(value)))
    return f"{number(value / 10.0**exponent, digits=6)} × 10{str(exponent).translate(_RAISED)}"


def family(code: str) -> tuple[str, str]:
    """(name, what its cases are about)."""
    title, text = FAMILIES.get(code, (code, ""))
    return str(title), str(text)


def case_status(code: str) -> tuple[str, str]:
    """(word, tone)."""
    word, tone = STATUSES[code]
    return str(word), tone


def weaknesses() -> list[dict[str, str]]:
    """Where the model is weak, each with who says so."""
    return [{"title": str(each.title), "text": str(each.text), "url": each.url} for each in WEAKNESSES]


def case_value(value: Any) -> str:
    """A figure of a case in one cell: numbers to six digits; of a long list its beginning and its length."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, (int, float)):
        return _power(value) if LONGEST <= abs(value) < float("inf") else number(value, digits=6)
    if isinstance(value, dict):
        return gettext(", ").join(f"{name} {case_value(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        shown = "; ".join(case_value(part) for part in value[:3])
        return shown if len(value) <= 3 else gettext("{shown}; … {count} entries").format(shown=shown, count=len(value))
    return str(value)


def case_input(entry: Any) -> str:
    """An input of a case, with the unit that it states: "141 GB"."""
    if not isinstance(entry, dict) or "value" not in entry:
        return case_value(entry)
    unit = str(entry.get("unit") or "")
    return f"{case_value(entry['value'])}\u00a0{unit}" if unit not in ("", "1") else case_value(entry["value"])


def case_error(error: float | None) -> str:
    """A relative error: "0.85 %"; below a millionth it is none."""
    if error is None or error == float("inf"):
        return "–"
    return percent(0.0) if error < 1e-6 else f"< {percent(1e-4)}" if error < 1e-4 else percent(error)


def tolerance(amount: float, relative: bool) -> str:
    """ "± 3 %", "± 0.05", "exact"."""
    if relative and amount <= 1e-6:
        return gettext("exact")
    return "± " + (percent(amount) if relative else number(amount))
