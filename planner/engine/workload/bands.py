"""What share of the peak training reaches, by hardware generation and precision.

Sizing reference, section 1.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import Values, above, unboxed, within


@dataclass(frozen=True)
class TrainingBand:
    """What share of the peak a training run turns into model FLOP. All [1], of the peak of the precision trained in.

    low, high : planning band of MFU × goodput, over the whole billed time.
    mfu       : share reached in a step, base. `base` = mfu × goodput.
    goodput   : share of the billed time spent in steps, base.
    benchmark : range of tuned public benchmarks, of MFU; None where there is none.
    published : True for a row of table 1.3; False where `training_band` fell back on one.
    """

    low: float
    mfu: float
    high: float
    goodput: float
    benchmark: tuple[float, float] | None = None
    published: bool = True

    @property
    def base(self) -> float:
        return self.mfu * self.goodput


# Goodput of a run over several servers and on one server. [1] Sizing reference 1.3, default (published 0.77 to 0.95).
GOODPUT, GOODPUT_ONE_SERVER = 0.85, 0.95

# Table 1.3 of the sizing reference, keyed by (generation, precision trained in, mixture of experts). The table prints
# the base of MFU × goodput (0.40, 0.32, 0.30, 0.34, 0.33, 0.20); mfu here is that base over 0.85, and 0.38 for H100 as
# printed there. Hopper's experts are printed "of BF16 peak"; trained in FP8, whose peak is twice that, all are halved.
TRAINING_BANDS: dict[tuple[str, str, bool], TrainingBand] = {
    ("ampere", "bf16", False): TrainingBand(0.24, 0.47, 0.50, GOODPUT, (0.45, 0.60)),
    ("hopper", "bf16", False): TrainingBand(0.15, 0.38, 0.42, GOODPUT, (0.38, 0.45)),
    ("hopper", "bf16", True): TrainingBand(0.20, 0.353, 0.40, GOODPUT, (0.25, 0.39)),
    ("hopper", "fp8", True): TrainingBand(0.10, 0.1765, 0.20, GOODPUT, (0.125, 0.195)),
    ("hopper", "fp8", False): TrainingBand(0.20, 0.40, 0.42, GOODPUT, (0.41, 0.41)),
    ("blackwell", "fp8", False): TrainingBand(0.20, 0.388, 0.42, GOODPUT, (0.40, 0.40)),
    ("blackwell", "fp8", True): TrainingBand(0.12, 0.235, 0.28, GOODPUT, (0.22, 0.26)),
}
# One 8-GPU server, 1B to 13B, dense, 16 bit (printed 0.45 and 0.36). No band is printed: the multi-server one stands.
SINGLE_SERVER_BANDS: dict[str, TrainingBand] = {
    "ampere": TrainingBand(0.24, 0.474, 0.50, GOODPUT_ONE_SERVER, (0.55, 0.64)),
    "hopper": TrainingBand(0.15, 0.379, 0.42, GOODPUT_ONE_SERVER, (0.40, 0.46)),
}
# Best measured BF16 matmul, share of the peak: MI300X 51 %, H100 80 %. [1] Sizing reference section 0.
CDNA_OF_HOPPER = 0.51 / 0.80


def training_band(architecture: str, precision: str, moe: bool = False, single_server: bool = False) -> TrainingBand:
    """Return the planning band of MFU and goodput, of the peak of the precision trained in. [1]

    architecture  : the catalog's word, such as "Ampere", "Hopper", "Blackwell Ultra", "CDNA 3"; case does not matter.
    precision     : trained in: "fp8" or "fp4" (also "mxfp8", "nvfp4" …); anything else counts as 16 bit.
    moe           : mixture of experts.
    single_server : the run stays in one server: goodput 0.95, and rows of its own for A100 and H100, dense, 16 bit.
    Source: sizing reference 1.3. Where that table has no row, `published` is False and
    - Volta and Turing take Ampere's rows, Rubin Blackwell's; Ada Lovelace and every other name take Hopper's;
    - CDNA (AMD) takes Hopper's times 0.51/0.80, the ratio of the measured matmul ceilings;
    - Ampere has no FP8 and takes its 16-bit row;
    - what else is missing (Ampere experts, Blackwell 16 bit) takes Hopper's;
    - FP4 takes half the FP8 row, that is the FP8 speed on a peak twice as high, until a measured figure is published.
    """
    name, word = architecture.strip().lower(), precision.strip().lower()
    old = name.startswith(("ampere", "volta", "turing"))
    generation = "ampere" if old else "blackwell" if name.startswith(("blackwell", "rubin")) else "hopper"
    kind = "fp8" if not old and ("fp8" in word or "fp4" in word) else "bf16"
    key = (generation, kind, moe)
    published = name.startswith(generation) and key in TRAINING_BANDS and "fp4" not in word
    if key not in TRAINING_BANDS:
        key = ("hopper", kind, moe)
    band = TRAINING_BANDS[key]
    if single_server:
        row = SINGLE_SERVER_BANDS.get(key[0]) if kind == "bf16" and not moe else None
        published = published and row is not None
        band = row or replace(band, goodput=GOODPUT_ONE_SERVER)
    if published:
        return band
    factor = (0.5 if kind == "fp8" and "fp4" in word else 1.0) * (CDNA_OF_HOPPER if name.startswith("cdna") else 1.0)
    return TrainingBand(
        band.low * factor, band.mfu * factor, band.high * factor, band.goodput, benchmark=None, published=False
    )


# Up to so many tokens a tuning run is start-up, padding and evaluation: at least an hour of wall time, at most a tenth
# of the peak. [token], [h], [1] Sizing reference 1.3, default.
SMALL_TUNING_TOKENS, SMALL_TUNING_HOURS, SMALL_TUNING_MFU = 1e8, 1.0, 0.10


def tuning_mfu(tokens: npt.ArrayLike, mfu: npt.ArrayLike) -> Values:
    """Return the MFU of a tuning run: at most 0.10 below 1e8 tokens, `mfu` above. [1]

    tokens, mfu : any shapes. [token], [1]
    Such a run also takes an hour at least, `tuning_hours`.
    Source: sizing reference 1.3, default (Alpaca: 52k samples, 3 epochs, about 12 % of the peak).
    """
    share = above("mfu", mfu, 1.0)
    small = within("tokens", tokens, 0.0, unit="token") < SMALL_TUNING_TOKENS
    return unboxed(np.where(small, np.minimum(share, SMALL_TUNING_MFU), share))


def tuning_hours(tokens: npt.ArrayLike, wall_hours: npt.ArrayLike) -> Values:
    """Return the wall time of a tuning run: an hour at least below 1e8 tokens. [h]

    tokens, wall_hours : any shapes; hours as computed. [token], [h] Source: sizing reference 1.3, default.
    """
    computed = within("wall_hours", wall_hours, 0.0, unit="h")
    small = within("tokens", tokens, 0.0, unit="token") < SMALL_TUNING_TOKENS
    return unboxed(np.where(small, np.maximum(computed, SMALL_TUNING_HOURS), computed))
