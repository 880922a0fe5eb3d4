"""What others call an accelerator → its slug in the catalog, as far as the name, the machine and the memory tell."""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

# Names with letters and digits only, in capitals. Of a family, the form is worked out in `_family`.
SINGLE: Mapping[str, str] = {
    **{name: name.lower() for name in ("T4", "L4", "L40", "L40S", "A10", "A30", "A40", "H20", "MI210", "MI250")},
    **{name: name.lower() for name in ("MI250X", "MI300X", "MI325X", "MI350X", "MI355X", "GAUDI2", "GAUDI3")},
    **{"RTX3090": "rtx-3090", "RTX4090": "rtx-4090", "RTX5090": "rtx-5090", "GB200": "gb200", "GB300": "gb300"},
    **{"A6000": "rtx-a6000", "RTXA6000": "rtx-a6000", "RTX6000ADA": "rtx-6000-ada", "6000ADA": "rtx-6000-ada"},
    **{"RTXPRO6000": "rtx-pro-6000-server", "RTXPRO6000SERVER": "rtx-pro-6000-server"},
    **{"RTXPRO6000WS": "rtx-pro-6000-ws", "RTXPRO6000WK": "rtx-pro-6000-ws", "RTXPRO6000MAXQ": "rtx-pro-6000-maxq"},
    **{"H200": "h200-sxm", "H200SXM": "h200-sxm", "H200NVL": "h200-nvl", "H100NVL": "h100-nvl", "H800": "h800-sxm"},
    **{"B200": "b200-sxm", "B200SXM": "b200-sxm", "B300": "b300-sxm", "B300SXM": "b300-sxm", "GH200": "gh200-96"},
    **{"TPUV4": "tpu-v4", "TPUV5LITEPOD": "tpu-v5e", "TPUV5P": "tpu-v5p", "TPUV6E": "tpu-v6e", "TPUV7": "tpu-v7"},
    **{"TRAINIUM": "trainium1", "TRAINIUM2": "trainium2", "TRAINIUM3": "trainium3", "INFERENTIA2": "inferentia2"},
}
FAMILY = re.compile(r"(V100|A100|A800|H100)(\d\d)?(?:GB)?(SXM\d?|PCIE|MEGA|NVL)?", re.ASCII)
PCIE_MACHINES = re.compile(r"pcie|^standard_nc|^gpu_[124]x_a100$", re.IGNORECASE)  # Azure's NC and Lambda's plain A100
SXM_MACHINES = re.compile(r"sxm|^p[345]|^a[23]-|^standard_nd|^gpu_8x_", re.IGNORECASE)
SIZES = {"V100": ("16", "32"), "A100": ("40", "80"), "A800": ("80", "80")}


class Named(NamedTuple):
    slug: str
    guess: str = ""  # what was assumed, "" where all was said


def card(name: str, machine: str, memory_gib: float, known: Collection[str]) -> Named | None:
    """The accelerator of this name; None where it is not among the `known` slugs or cannot be told."""
    short = re.sub(r"[^A-Z0-9]", "", name.upper()).removeprefix("NVIDIA").removeprefix("AMD").removeprefix("TESLA")
    found = Named(SINGLE[short]) if short in SINGLE else _family(short, machine, memory_gib)
    return found if found and found.slug in known else None


def _family(short: str, machine: str, memory_gib: float) -> Named | None:
    parts = FAMILY.fullmatch(short)
    if not parts:
        return None
    family, size, form = parts[1], parts[2] or "", parts[3] or ""
    if family == "H100" and (form == "NVL" or "nvl" in machine.lower() or 90 < memory_gib < 97):
        return Named("h100-nvl")
    sxm = form.startswith(("SXM", "MEGA")) or (not form and bool(SXM_MACHINES.search(machine)))
    pcie = form == "PCIE" or (not sxm and bool(PCIE_MACHINES.search(machine)))
    guess = "" if sxm or pcie else "The file does not say whether PCIe or SXM: taken as SXM."
    ending = "pcie" if pcie else "sxm2" if family == "V100" else "sxm"
    if family == "H100":
        return Named(f"h100-{ending}", guess)
    small, large = SIZES[family]
    big = size == large or memory_gib > (int(small) + int(large)) / 2
    return Named(f"{family.lower()}-{large if big else small}-{ending}", guess)
