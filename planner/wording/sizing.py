"""Words for what a workload needs: which limit decides, and which would decide next."""

from __future__ import annotations

import math

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.needs import Requirement
from planner.wording.numbers import counted

# limit → (what decides, what it alone would need, what no number of GPUs satisfies)
LIMITS = {
    "memory": (_("{gpus} by memory"), _("memory alone would need {gpus}")),
    "job": (_("{gpus} for the largest job"), _("the largest job alone would need {gpus}")),
    "deadline": (_("{gpus} by the deadline"), _("the deadline alone would need {gpus}")),
    "throughput": (_("{gpus} by throughput"), _("throughput alone would need {gpus}")),
    "redundancy": (_("{gpus} by redundancy"), _("redundancy alone would need {gpus}")),
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
