"""The shipped table of what may be bought where: every row names a known part, a verdict, a day and a source."""

import csv

from catalog.export_rules import VERDICTS, export_rules
from catalog.importers.shipped import DATA, shipped


def rule(slug):
    (only,) = export_rules()[slug]
    return only


def test_every_row_is_of_a_known_part_and_has_a_source():
    rules = [each for found in export_rules().values() for each in found]
    assert rules
    assert {each.accelerator_slug for each in rules} <= set(shipped().of_kind("accelerator"))
    assert {each.verdict for each in rules} == set(VERDICTS)
    assert all(each.source_url.startswith("https://") and each.note for each in rules)


def test_the_table_agrees_with_the_restriction_of_each_part():
    with (DATA / "accelerators.csv").open(encoding="utf-8", newline="") as file:
        restricted = {row["slug"]: row["export_restricted_cn"] for row in csv.DictReader(file)}
    wrong = [slug for slug in export_rules() if (rule(slug).verdict == "allowed") != (restricted[slug] == "n")]
    assert wrong == []


def test_the_january_2026_rule_draws_the_line_between_h200_and_b200():
    # 16 × 989 = 15 824 and 4 800 GB/s lie under 21 000 and 6 500; 16 × 2250 = 36 000 and 8 000 GB/s do not
    assert rule("h200-sxm").verdict == "licence"
    assert rule("h200-sxm").effective.isoformat() == "2026-01-15"
    assert rule("mi325x").verdict == "licence"
    assert rule("b200-sxm").verdict == "prohibited"
