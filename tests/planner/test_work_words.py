"""What a workload asks for, in words: trees of every kind of work, the deciding limit, the advice."""

import re

import pytest
from django.utils.translation import override

from planner import wording
from planner.engine import advice
from planner.engine.workload import NETWORK_CLASSES
from planner.services import explain
from planner.wording import needs
from tests.planner.sample import evaluated

HAN = re.compile("[\u4e00-\u9fff]")
PLAN = "scale-out"
MODEL = {"params_b": 8.0, "layers": 32, "hidden": 4096, "heads": 32}


@pytest.fixture(scope="module")
def sample():
    return evaluated()


def child(node, key):
    return next(each for each in node["children"] if each["key"] == key)


def test_each_kind_of_work_says_which_limit_decides_and_which_is_next(sample):
    evaluation, comparison = sample
    (node,) = explain.tree(evaluation, comparison, PLAN, "capacity")["children"]
    assert "GPUs by throughput; the largest job alone would need 1 GPU" in node["formula_text"].replace("\u00a0", " ")


@pytest.mark.parametrize("kind", ["training", "tuning", "serving", "batch", "hpc"])
def test_every_kind_of_work_opens_with_its_rule_and_its_numbers(kind):
    more = {"hpc": {"measured_tflops_per_gpu": 20.0}}.get(kind, {"model": MODEL})
    work = {"kind": kind, "slug": "work", "accelerator": "h200-nvl", "growth": {"kind": "constant"}, **more}
    sample = evaluated(demand={"workloads": [work]})
    (node,) = explain.tree(*sample, PLAN, "capacity")["children"]
    assert node["children"][0]["key"] == "mean"
    assert len(node["children"]) > 2
    assert all(each["label"] != each["key"] for each in node["children"])
    assert any(each["drivers"] for each in node["children"])
    assert "alone would need" in node["formula_text"]


def test_a_measured_rate_is_labelled():
    work = {"kind": "batch", "slug": "work", "accelerator": "h200-nvl", "measured_rate_per_gpu": 2.5}
    (node,) = explain.tree(*evaluated(demand={"workloads": [work]}), PLAN, "capacity")["children"]
    measured = child(node, "measured_rate")
    assert measured["value_text"].replace("\u00a0", " ") == "2.5 a second per GPU"
    assert [driver["path"] for driver in measured["drivers"]] == ["demand/workloads/work/measured_rate_per_gpu"]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_advice_has_words_for_every_code(language):
    with override(language):
        for words in (needs.LIMITS, needs.TIERS, needs.PARALLEL, needs.SOFTWARE):
            for text in words.values():
                parts = text if isinstance(text, tuple) else (text,)
                assert all(bool(HAN.search(str(part))) == (language == "zh-hans") for part in parts)
    assert set(needs.TIERS) == set(advice.TIERS)
    assert set(NETWORK_CLASSES) <= set(needs.NETWORKS)


def test_the_advice_reads_as_a_person_would_say_it():
    work = {"kind": "training", "slug": "work", "accelerator": "h200-nvl", "model": MODEL, "tokens_b": 400.0}
    evaluation = evaluated(demand={"workloads": [{**work, "growth": {"kind": "constant"}}]})[0]
    rows = dict(wording.advice_rows(advice.advise(evaluation)[0], evaluation))
    assert rows["Class of installation"] == "Cluster with a fabric: one job spans its servers"
    assert "less would keep" in rows["Network between servers"]
    assert rows["Network between servers"].endswith("(the server has 8 × 400 Gb/s)")
    assert rows["Software"].startswith("A batch scheduler such as Slurm")


def test_the_worth_of_a_scheduler_is_said_in_gpus_and_money():
    work = {"kind": "pool", "slug": "work", "accelerator": "h200-nvl", "gpu_hours_per_month": 2920.0}
    evaluation = evaluated(demand={"workloads": [{**work, "growth": {"kind": "constant"}}]})[0]
    text = dict(wording.advice_rows(advice.advise(evaluation)[0], evaluation))["Scheduler"].replace("\u00a0", " ")
    # in February 2920 ÷ 672 GPUs busy ÷ 0.8: 8.6 with quotas (0.65 × 0.97), 12.4 without (0.45 × 0.97)
    assert text.startswith("Scheduling with quotas saves 3.8 GPUs against first come, first served: $")
    assert "per GPU in “Start with 4, scale out”" in text
