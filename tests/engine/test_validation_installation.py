"""The test vectors of section 10 of the sizing reference, row by row."""

import json
from pathlib import Path

import pytest

from planner.engine.quantities import InputError
from planner.engine.validation import check

ROWS = json.loads((Path(__file__).parents[1] / "reference" / "installation_cases.json").read_text(encoding="utf-8"))[
    "cases"
]


@pytest.mark.parametrize("case", ROWS, ids=lambda case: case["id"])
def test_vector_gets_the_class_that_the_reference_states(case):
    checks = check(case)
    assert "class" in {found.field for found in checks}
    assert [(found.field, found.expected, found.got) for found in checks if found.status != "ok"] == []


def installed(**inputs):
    return {
        found.field: found.got
        for found in check({"kind": "installation", "inputs": inputs, "expected": dict.fromkeys(FIELDS, 0)})
    }


FIELDS = ("class", "gpus", "servers", "network")
PRETRAIN = {
    "task": "training",
    "params": 7e9,
    "tokens": 1e12,
    "peak_flops": 989e12,
    "utilisation": 0.32,
    "global_batch_tokens": 2**22,
}


def test_a_longer_deadline_turns_a_cluster_into_one_server():
    # 36.9k GPU-hours in 200 days are 7.7 GPUs
    assert installed(**PRETRAIN, deadline_days=200) == {
        "class": "one_server",
        "gpus": 8,
        "servers": 1,
        "network": "none",
    }


def test_a_batch_too_small_for_any_network_says_so():
    # 64 Ki tokens over 56 GPUs are 1,170 each, where 8 × 800 Gb/s needs 1,810
    found = installed(**{**PRETRAIN, "global_batch_tokens": 65_536}, deadline_days=30)
    assert found["network"] == "more_batch_or_fewer_gpus"


@pytest.mark.parametrize(
    ("inputs", "path", "code"),
    [
        ({**PRETRAIN, "task": "dreaming"}, "inputs/task", "not_a_choice"),
        (
            {"task": "tuning", "params": 70e9, "method": "lora", "hbm_bytes": 80e9, "n_gpus": 2},
            "inputs/n_gpus",
            "out_of_bounds",
        ),
        ({"task": "tuning", "params": 7e9, "method": "lora", "hbm_bytes": 3e9}, "inputs/hbm_bytes", "not_positive"),
    ],
)
def test_a_case_that_cannot_be_installed_is_refused_by_name(inputs, path, code):
    with pytest.raises(InputError) as error:
        check({"kind": "installation", "inputs": inputs, "expected": {"class": "one_gpu"}})
    assert [("/".join(problem.path), problem.code) for problem in error.value.problems] == [(path, code)]
