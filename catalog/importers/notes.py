"""Reads the remarks of a row (`basis`, `note`, `source_note`) into provenance cell by cell.

A figure is only ever weakened by what is said of it: where a remark names a cell beside "estimate", "derived" or
"general knowledge", that cell is not a vendor's figure; everything else in the row has the status of the row.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import zip_longest

from catalog.importers.table import URL
from catalog.records import Provenance

SEGMENT = re.compile(r"(?:^|;\s*)(ESTIMATE|SOURCED|MARKET|UNVERIFIED) ([a-z0-9_]+(?:,\s*[a-z0-9_]+)*):\s*")
SENTENCE = re.compile(r"\. (?=[A-Z])|\.$| \| ")
BRACKETS = re.compile(r"\((?!an inference\)|general knowledge)[^()]*\)")
OUTSIDE_BRACKETS = re.compile(r";\s*(?![^()]*\))")
ADDED = re.compile(r"^Added [0-9-]+: ")
ADDRESS = re.compile(r"https?://\S+")
WEAK = re.compile(
    r"\b(?:(?P<unverified>unverified|(?:from )?general knowledge)|estimates?\b|ESTIMATE|derived|judgement|guess|"
    r"an inference|copied|computed|from the model (?:family )?name|is the (?:PSU|supply) sum|entered as|difference of)|"
    r"= (?:geometric mean|middle|proposed default)"
)
PRELIMINARY = re.compile(r"PRE-RELEASE|ANNOUNCED|PUBLIC ESTIMATE")


def first_url(text: str) -> str:
    found = URL.search(text)
    return found[0].rstrip(".") if found else ""


def from_basis(basis: str) -> dict[str, Provenance]:
    """Split `ESTIMATE a,b: rule; SOURCED c: url; …` into {a: …, b: …, c: …}. Semicolons inside a rule belong to it."""
    marks = list(SEGMENT.finditer(basis))
    cells: dict[str, Provenance] = {}
    for mark, after in zip_longest(marks, marks[1:]):
        text = basis[mark.end() : after.start() if after else len(basis)].strip()
        one = Provenance(mark[1].lower(), text, first_url(text))
        cells |= dict.fromkeys(re.split(r",\s*", mark[2]), one)
    return cells


def row_status(note: str, url: str) -> str:
    """The status of a row's cells before any of them is weakened."""
    if note.startswith("unverified") or not url:
        return "unverified"
    return "estimate" if note.startswith("estimate") or PRELIMINARY.match(note) else "sourced"


def from_note(
    cells: Iterable[str], note: str, url: str, names: Mapping[re.Pattern, tuple[str, ...]]
) -> dict[str, Provenance]:
    """One remark for a whole row: each cell gets the row's status, weaker where a clause names the cell.

    names : pattern in the remark → the cells it speaks of.
    """
    whole = Provenance(row_status(note, url), note, url)
    provenance = dict.fromkeys(cells, whole)
    if whole.status == "sourced":
        for named, status, clause in weak_clauses(note, names):
            for cell in named:
                if cell in provenance:
                    provenance[cell] = Provenance(status, clause, first_url(clause) or url)
    return provenance


def weak_clauses(note: str, names: Mapping[re.Pattern, tuple[str, ...]]):
    """(cells, status, clause) for each clause that says a figure is not a vendor's."""
    for sentence in SENTENCE.split(note):
        sentence = sentence.strip().rstrip(".")
        spoken_of: set[str] = set()
        clauses = OUTSIDE_BRACKETS.split(sentence)
        whole_sentence_derived = clauses[-1].endswith(": derived")
        for clause in clauses:
            words = ADDRESS.sub("", clause)
            while (less := BRACKETS.sub("", words)) != words:
                words = less
            weak, text = WEAK.search(words), clause
            if not weak and whole_sentence_derived and "=" in words:
                weak, text = re.search("$", words), sentence
            found = _cells(words[: weak.start()] if weak else words, names)
            if weak and not found:
                found = _cells(words[weak.end() :], names)
            if weak and not found:
                found, text = spoken_of, sentence
            if weak and found:
                unverified = weak.groupdict().get("unverified")
                yield found, "unverified" if unverified else "estimate", ADDED.sub("", text)
            spoken_of = found


def _cells(text: str, names: Mapping[re.Pattern, tuple[str, ...]]) -> set[str]:
    """The cells named in a clause; of "TF32 = BF16/2" only what stands before the equals sign."""
    found: set[str] = set()
    for part in re.split(r",| and ", text):
        left = part.split("=")[0]
        for pattern, cells in names.items():
            if pattern.search(left):
                found.update(cells)
    return found


def naming(**cells: str) -> dict[re.Pattern, tuple[str, ...]]:
    """cell → the words that name it, turned round."""
    return {re.compile(words): (cell,) for cell, words in cells.items()}


_TENSOR = (
    "tf32_tflops_dense",
    "bf16_tflops_dense",
    "fp16_tflops_dense",
    "fp8_tflops_dense",
    "fp4_tflops_dense",
    "int8_tops_dense",
)
ACCELERATOR = naming(
    fp32_tflops=r"\bFP32\b",
    tf32_tflops_dense=r"\bTF32\b",
    bf16_tflops_dense=r"\bBF16\b",
    fp16_tflops_dense=r"\bFP16\b",
    fp8_tflops_dense=r"\bFP8\b",
    fp4_tflops_dense=r"\b(?:NV)?FP4\b",
    int8_tops_dense=r"\bINT8\b",
    fp64_tflops=r"\bFP64\b(?! tensor| matrix)",
    fp64_tensor_tflops=r"\bFP64\b(?! vector)|\bmatrix\b",
    memory_usable_gib=r"\bmemory_usable_gb\b",
    idle_w=r"\bidle_w\b",
    tdp_w=r"\btdp_w\b",
    memory_type=r"\b[Mm]emory type\b",
    cooling=r"\b[Cc]ooling\b",
    form_factor=r"\bform_factor\b",
    architecture=r"\bArchitecture\b",
    status=r"\bstatus\b",
    software_stack=r"\bstack\b",
    pytorch_support=r"\bstack\b|\bPyTorch\b",
    successor_slug=r"\bSuccessor\b",
    launch_year=r"\blaunch\b",
) | {
    re.compile(r"\bTensor figures\b"): _TENSOR,
    re.compile(r"\bCompute cells\b"): ("fp32_tflops", *_TENSOR),
}
SERVER = naming(
    rack_units=r"\brack_units\b|\b\d+U\b",
    max_power_w=r"\bmax_power_w\b",
    typical_power_w=r"\btypical_power_w\b",
    accelerator_count=r"\bfour cards\b|\bGPU fit\b",
    psu_count=r"\bNumber of supplies\b",
)
MODEL = naming(
    params_b=r"\bparams\b|\btotal\b",
    active_params_b=r"\bparams\b(?<!total params)|\bactive\b",
    release_date=r"\brelease(?:_date| month| in \d{4})\b",
    context_max=r"\bcontext(?:_max)?\b",
    full_attention_layers=r"\bfull_attention_layers\b",
    sliding_window=r"\bsliding_window\b",
    attention=r"\bGQA\b|\bMLA\b|\bMHA\b",
)
FABRIC = naming(typical_power_w=r"\btypical\b", max_power_w=r"\bmax(?:imum)?\b", weight_kg=r"\bweight\b")
COST = naming(low=r"\blow\b", likely=r"\blikely\b", high=r"\bhigh\b")
COST_SEGMENT = re.compile(r"(?:^|;\s*)(sourced|estimate|unverified):\s*")


def from_cost_basis(basis: str, url: str) -> dict[str, Provenance]:
    """Split `sourced: likely = …; estimate: low and high = …` by figure; a part that names none speaks for all."""
    marks = list(COST_SEGMENT.finditer(basis))
    cells: dict[str, Provenance] = {}
    for mark, after in zip_longest(marks, marks[1:]):
        text = basis[mark.end() : after.start() if after else len(basis)].strip()
        status = mark[1]
        if "general knowledge" in text and status == "estimate" and "unverified" in text:
            status = "unverified"
        one = Provenance(status, text, first_url(text) or (url if status != "unverified" else ""))
        named = {cell for clause in text.split(";") for cell in _cells(clause.split(" (")[0], COST)}
        every = not cells or not named
        for cell in COST_CELLS if every else named:
            if every and cell in cells and cell not in named:
                continue
            cells[cell] = one
        if status == "sourced":
            for weak, weaker, clause in weak_clauses(text, COST):
                cells |= dict.fromkeys(weak, Provenance(weaker, clause, first_url(clause) or url))
    return cells


COST_CELLS = ("low", "likely", "high")
