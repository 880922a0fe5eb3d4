"""Why a plan wins, or is not ranked: code → (sentence, a few words for a chip, tone).

Placeholders are filled by `sentences`.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

REASONS: dict[str, tuple[Any, Any, str]] = {
    "meets_demand": (_("It serves all demand in every month."), _("meets demand every month"), "good"),
    "no_gang_exceeds_server": (
        _("No job exceeds one server ({gpus} of {server_gpus} GPUs), so a fabric would buy nothing."),
        _("no job exceeds one server"),
        "good",
    ),
    "gang_exceeds_server": (
        _("{workload} needs {gpus} GPUs at once and a server has {server_gpus}, so a fabric is needed."),
        _("a job exceeds one server"),
        "neutral",
    ),
    "saves_most_on": (
        _("It saves most on “{category}”: {amount} in present value against the runner-up."),
        _("saves most on “{category}”"),
        "neutral",
    ),
    "less_capital_at_start": (
        _("It commits {amount} less at the start than the runner-up."),
        _("{amount} less at the start"),
        "good",
    ),
    "rival_over_budget": (
        _("{plan} ranks after it: it draws up to {needed} from {month}, over the wished {limit}."),
        _("{plan}: over the power budget"),
        "neutral",
    ),
    "rival_over_money": (
        _("{plan} ranks after it: it spends {spent} in fiscal year {fiscal_year}, over the wished {allowed}."),
        _("{plan}: over the budget"),
        "neutral",
    ),
    "rival_infeasible": (_("{plan} is not ranked: {limit}."), _("{plan}: {limit}"), "neutral"),
    "infeasible": (_("{plan} is not possible: {limit}."), _("{plan}: {limit}"), "bad"),
}
