"""The commands as a shell runs them: their output, their exit codes, and what they say of a bad file.

`shell` runs a process of its own with an empty data folder and no database, nothing being migrated; `evaluate` runs the
same command in this process.
"""

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from planner.engine.__main__ import main as engine
from planner.engine.lines import CATEGORIES
from planner.services import gallery

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def shell(environment, tmp_path):
    """shell("manage.py", "evaluate", …) → the finished process."""
    data = tmp_path / "data folder"
    data.mkdir()

    def run(*command):
        env = {**environment, "DATABASE_URL": "", "OUTLAY_DATA": str(data), "OUTLAY_BOOTSTRAP": "0"}
        env |= {"PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "error::DeprecationWarning"}
        return subprocess.run(
            [sys.executable, *map(str, command)],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )

    run.data = data
    return run


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def evaluate(capsys):
    """evaluate(NAME, …) → its exit code and output."""

    def run(*arguments):
        code = 0
        try:
            call_command("evaluate", *map(str, arguments))
        except CommandError as error:  # manage.py prints it without a traceback
            print(error, file=sys.stderr)
            code = error.returncode
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run


def refused(done, *words):
    """Exit code 2 and a message of words, without a traceback."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr
    return done.stderr


def written(tmp_path, text, name="scenario.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def changed(tmp_path, path, value, name="small-team"):
    """A template with one value replaced, as a JSON file."""
    data = json.loads(json.dumps(gallery.document(name), default=str))
    *steps, last = path.split("/")
    node = data
    for step in steps:
        node = node[int(step)] if step.isdigit() else node.setdefault(step, {})
    node[int(last) if last.isdigit() else last] = value
    return written(tmp_path, json.dumps(data), "scenario.json")


# ── evaluate ──

PLAN_KEYS = {
    "name",
    "feasible",
    "infeasible_reasons",
    "present_value",
    "nominal_total",
    "capex",
    "opex",
    "credits",
    "cost_per_useful_gpu_hour",
    "served_share",
    "break_even",
    "monthly",
    "orders",
    "lines",
    "warnings",
}
MONTHLY_KEYS = {
    "demand_gpu",
    "capacity_gpu",
    "unmet_gpu_hours",
    "utilisation",
    "it_kw",
    "facility_kw",
    "racks",
    "capex",
    "opex",
    "credits",
    "cumulative_present_value",
}


@pytest.mark.parametrize("name", gallery.templates())
def test_json_has_every_key_that_was_asked_for_before_any_migration(shell, name):
    done = shell("manage.py", "evaluate", name, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    plain = json.loads(done.stdout, parse_constant=lambda word: pytest.fail(word))
    assert {"engine_version", "currency", "months", "start", "verdict", "plans", "left_out"} <= set(plain)
    assert {"code", "plan", "margin", "margin_share", "reasons"} <= set(plain["verdict"])
    assert plain["verdict"]["code"] in ("clear", "close", "single", "none")
    assert set(plain["left_out"]) <= set(CATEGORIES)
    slugs = {plan["slug"] for plan in plain["plans"]}
    for plan in plain["plans"]:
        assert set(plan) >= PLAN_KEYS
        assert set(plan["break_even"]) == slugs - {plan["slug"]}
        for state in plan["break_even"].values():
            assert state["state"] in ("always", "never", "crossings")
            assert bool(state["months"]) == (state["state"] == "crossings")
        assert set(plan["monthly"]) >= MONTHLY_KEYS
        assert {len(row) for row in plan["monthly"].values()} == {plain["months"]}
        for order in plan["orders"]:
            assert {"order_by", "month", "in_service", "item", "quantity", "unit_price", "currency"} <= set(order)
        for line in plan["lines"]:
            assert {"category", "quantity_unit", "unit_price", "currency", "source", "monthly"} <= set(line)
            assert line["category"] in CATEGORIES
            assert line["category"] not in plain["left_out"]
            assert line["source"]
            assert len(line["monthly"]) == plain["months"]
        for finding in plan["warnings"] + plan["infeasible_reasons"]:
            assert {"code", "month"} <= set(finding)


@pytest.mark.parametrize("name", gallery.templates())
def test_totals_are_the_sums_of_their_lines_to_the_cent(evaluate, name):
    for plan in json.loads(evaluate(name, "--format", "json").stdout, parse_float=Decimal)["plans"]:
        for total, kind in (("capex", "capex."), ("opex", "opex."), ("credits", "credit.")):
            cells = [sum(line["monthly"]) for line in plan["lines"] if line["category"].startswith(kind)]
            assert plan[total] == sum(cells)
        assert plan["nominal_total"] == sum(sum(line["monthly"]) for line in plan["lines"])


def test_the_table_has_a_row_a_plan_and_the_verdict(evaluate):
    done = evaluate("small-team")
    assert done.returncode == 0
    for word in ("scale-out", "server-now", "cluster-now", "cloud", "verdict: ", "left out: "):
        assert word in done.stdout


def test_csv_holds_the_cells_of_the_json(evaluate):
    rows = list(csv.DictReader(io.StringIO(evaluate("office-server", "--format", "csv").stdout)))
    plain = json.loads(evaluate("office-server", "--format", "json").stdout, parse_float=Decimal)
    assert sum(Decimal(row["amount"]) for row in rows) == sum(plan["nominal_total"] for plan in plain["plans"])
    assert {row["currency"] for row in rows} == {"USD"}


def test_no_database_is_made_to_evaluate_a_template(shell):
    assert shell("manage.py", "evaluate", "small-team").returncode == 0
    assert {path.name for path in shell.data.iterdir()} <= {"secret_key"}


def test_a_yaml_file_is_evaluated(evaluate):
    done = evaluate(ROOT / "planner" / "gallery" / "small-team.yaml", "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads(evaluate("small-team", "--format", "json").stdout)


# ── export ──


@pytest.mark.parametrize("name", gallery.templates())
def test_an_exported_scenario_evaluates_to_identical_results(evaluate, tmp_path, name):
    path = tmp_path / "exported.json"
    call_command("export_scenario", name, output=str(path))
    assert evaluate(path, "--format", "json") == evaluate(name, "--format", "json")


def test_the_engine_alone_gives_the_same_answer(shell, evaluate, tmp_path):
    exported = shell("manage.py", "export_scenario", "small-team")
    assert (exported.returncode, exported.stderr) == (0, "")
    done = shell("-m", "planner.engine", written(tmp_path, exported.stdout, "exported.json"), "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == evaluate("small-team", "--format", "json").stdout


def test_export_writes_the_file_it_is_told_to(shell, tmp_path):
    path = tmp_path / "空 格.json"
    done = shell("manage.py", "export_scenario", "small-team", "--output", path)
    assert (done.returncode, done.stdout) == (0, "")
    assert set(json.loads(path.read_text(encoding="utf-8"))) == {"scenario", "prices"}


def test_an_unknown_name_is_not_exported(shell):
    refused(shell("manage.py", "export_scenario", "nobody"), "nobody", "small-team")


# ── the engine alone ──


def test_the_engine_takes_scenario_and_prices_apart(shell, tmp_path):
    bundle = json.loads(shell("manage.py", "export_scenario", "small-team").stdout)
    scenario = written(tmp_path, json.dumps(bundle["scenario"]), "scenario.json")
    prices = written(tmp_path, json.dumps(bundle["prices"]), "prices.json")
    done = shell("-m", "planner.engine", scenario, "--prices", prices)
    assert done.returncode == 0
    assert "verdict: " in done.stdout
    refused(shell("-m", "planner.engine", scenario), "--prices")


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, '{"months": ' + "9" * 5000 + "}", '{"months": NaN}'])
def test_the_engine_refuses_what_it_cannot_read(capsys, tmp_path, text):
    path = written(tmp_path, text, "bad.json")
    prices = written(tmp_path, '{"currency": "USD", "pricing_date": "2026-11-30"}', "prices.json")
    assert engine([str(path), "--prices", str(prices)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err


# ── what is refused, and how ──


def test_an_unknown_template_names_the_known_ones_before_any_migration(shell):
    refused(shell("manage.py", "evaluate", "nobody"), "nobody", *gallery.templates())


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["²", "99999999999999999999999", "-", "中文", "a" * 3000])
def test_odd_names_are_unknown_names(evaluate, name):
    refused(evaluate("--format", "json", "--", name), "not_a_choice")


@pytest.mark.parametrize("name", ["missing.yaml", "missing.json"])
def test_a_missing_file_is_named(shell, tmp_path, name):
    refused(shell("manage.py", "evaluate", tmp_path / name), name, "unreadable")


@pytest.mark.parametrize(
    "text",
    [
        "a: [1, 2",
        "a: b: c",
        "\t- x",
        "!!python/object/apply:os.system ['true']",
        "{",
        "? [1]\n: 2",
        "a: !!timestamp nonsense",
        "a: !!int ''",
        "x: " + "[" * 2000,
        "",
        "just words",
        "- a\n- b",
        "a: 2026-13-45",
        "x: " + "9" * 5000,
    ],
)
def test_bad_yaml_is_refused(evaluate, tmp_path, text):
    refused(evaluate(written(tmp_path, text)))


def test_a_bad_line_is_named(evaluate, tmp_path):
    refused(evaluate(written(tmp_path, "months: 12\nstart: [1, 2\nsites: x")), "line")


def test_aliases_that_blow_up_are_refused(evaluate, tmp_path):
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
    )
    refused(evaluate(written(tmp_path, bomb)), "alias")


def test_a_huge_file_is_refused_unread(evaluate, tmp_path):
    refused(evaluate(written(tmp_path, "#" * 5_000_001)), "too_long")


def test_a_file_that_is_not_utf_8_is_refused(evaluate, tmp_path):
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"name: caf\xe9\n")
    refused(evaluate(path), "latin.yaml")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"months": ' + "9" * 5000 + "}", "{", '{"a": 1,}', "null"])
def test_bad_json_is_refused(evaluate, tmp_path, text):
    refused(evaluate(written(tmp_path, text, "bad.json")), "bad.json")


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_is_refused_with_its_field(evaluate, tmp_path, word):
    path = changed(tmp_path, "finance/discount_rate", 0.123456)
    path.write_text(path.read_text().replace("0.123456", word))
    refused(evaluate(path), "finance/discount_rate", "not_a_number")


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("months", 0, ["months", "got 0", "1", "120"]),
        ("months", 121, ["months", "got 121", "120"]),
        ("months", 1e9, ["months", "1000000000"]),
        ("months", "many", ["months", "'many'", "not_a_number"]),
        ("demand/workloads/0/gpus", -5, ["demand/workloads/pool/gpus", "got -5", "0.0–100000.0 GPU"]),
        ("demand/workloads/0/gpus", 1e9, ["demand/workloads/pool/gpus", "100000.0 GPU"]),
        ("demand/workloads/0/growth/rate_per_month", 5, ["growth/rate_per_month", "got 5", "0.5"]),
        ("demand/workloads/0/target_utilisation", 1.5, ["target_utilisation", "1.5", "1.0"]),
        ("finance/discount_rate", "", ["finance/discount_rate", "not_a_number"]),
        ("sites/0/pue", 0.9, ["sites/office/pue", "0.9", "1.0–3.0"]),
        ("sites/0/nonsense", 1, ["sites/office/nonsense", "unknown_field"]),
        ("nonsense", 1, ["nonsense", "unknown_field"]),
        ("start", "2026-13", ["start", "2026-13", "bad_format"]),
        ("currency", "dollars", ["currency", "dollars"]),
        ("plans", [], ["plans", "missing"]),
        ("plans/0/start/quantity", 1.5, ["quantity", "1.5"]),
        ("plans/0/fabric", {"when": "sometimes"}, ["fabric/when", "sometimes", "never"]),
        ("demand/workloads/0/kind", "mining", ["mining", "pool"]),
        ("demand/workloads/0/accelerator", "abacus", ["abacus", "not_in_catalog"]),
        ("schema_version", 2, ["schema_version", "2"]),
        ("name", "x" * 10_000, ["name", "too_long"]),
    ],
)
def test_a_bad_value_is_refused_with_field_value_and_bound(evaluate, tmp_path, path, value, words):
    message = refused(evaluate(changed(tmp_path, path, value)), *words)
    assert len(message) < 1000


def test_every_bad_field_is_named_at_once(evaluate, tmp_path):
    path = changed(tmp_path, "months", 0)
    data = json.loads(path.read_text())
    data["finance"] = {"discount_rate": -1}
    path.write_text(json.dumps(data))
    refused(evaluate(path), "months", "finance/discount_rate")


def test_a_bundle_without_prices_is_refused(evaluate, tmp_path):
    refused(evaluate(written(tmp_path, '{"scenario": {}}', "bundle.json")), "prices", "missing")


def test_a_currency_without_a_rate_is_refused_by_its_pair(evaluate, tmp_path):  # U024
    refused(evaluate(changed(tmp_path, "currency", "XAU")), "missing_rate", "USD/XAU")


def test_an_unknown_build_leaves_the_others_their_answer(evaluate, tmp_path):
    done = evaluate(changed(tmp_path, "plans/0/start/build", "abacus"), "--format", "json")
    assert done.returncode == 0
    plans = {plan["slug"]: plan for plan in json.loads(done.stdout)["plans"]}
    assert [(reason["code"], reason["item"]) for reason in plans["scale-out"]["infeasible_reasons"]] == [
        ("not_in_catalog", "abacus")
    ]
    assert plans["scale-out"]["present_value"] is None
    assert plans["cloud"]["feasible"]


# ── validate_model ──

HAND = ROOT / "tests" / "reference" / "hand_cases.json"


def test_validation_prints_one_line_a_field_and_is_content(shell):
    done = shell("manage.py", "validate_model", HAND)
    assert done.returncode == 0
    fields = sum(len(case["expected"]) for case in json.loads(HAND.read_text(encoding="utf-8"))["cases"])
    lines = done.stdout.splitlines()
    assert len(lines) == fields
    for line in lines:
        assert len(line.split("  ")) == 7
        assert line.endswith("  ok")


def test_validation_without_a_file_runs_the_shipped_cases(shell):
    done = shell("manage.py", "validate_model")
    assert done.returncode == 0  # so none of them is unsupported
    kinds = {line.split("  ")[1] for line in done.stdout.splitlines()}
    assert {"scale_out", "training_hours", "installation"} <= kinds


def test_validation_of_published_cases_prints_bare_numbers_and_a_summary(shell):
    done = shell("manage.py", "validate_model", HAND.with_name("sizing_cases.json"))
    assert done.returncode == 0
    lines = [line.split("  ") for line in done.stdout.splitlines()]
    assert {len(cells) for cells in lines} == {7}
    assert ["llama1_65b_days", "training_hours", "wall_days", "21", "20.82095973", "0.8525727%", "ok"] in lines
    assert done.stderr.splitlines()[-1] == f"{len(lines)} ok, 0 off, 0 declared, 0 unsupported"


def test_a_refused_case_is_named_and_the_others_are_compared(shell, tmp_path):
    good = {"id": "good", "kind": "spares", "inputs": {"lambda": 1.0}, "expected": {"spares": 4}}
    odd = {**good, "id": "odd", "inputs": {"lambda": 1.0, "colour": "red"}}
    done = shell("manage.py", "validate_model", written(tmp_path, json.dumps([odd, good]), "mixed.json"))
    assert done.returncode == 2
    assert "mixed.json: odd: inputs/colour: unknown_field" in done.stderr
    assert "1 ok, 0 off, 0 declared, 0 unsupported, 1 refused" in done.stderr
    assert [line.split("  ")[0] for line in done.stdout.splitlines()] == ["good"]


def test_a_fault_that_the_source_declares_is_no_failure(shell, tmp_path):
    case = {"id": "a", "kind": "spares", "inputs": {"lambda": 1.0}, "expected": {"spares": 5}}
    case["known_mismatch"] = {"spares": "the table counts one more"}
    done = shell("manage.py", "validate_model", written(tmp_path, json.dumps([case]), "declared.json"))
    assert done.returncode == 0
    assert done.stdout.rstrip().endswith("declared: the table counts one more")


@pytest.mark.parametrize(
    ("value", "shown"), [([1, 2.5], "[1, 2.5]"), ([1, 2, 3, 4], "[1, 2, 3, … 4 entries]"), ({"a": [1]}, "{a [1]}")]
)
def test_lists_and_tables_are_shown_whole_or_with_their_length(shell, tmp_path, value, shown):
    cases = [{"id": "tide", "kind": "tide", "inputs": {}, "expected": {"heights": value}}]
    done = shell("manage.py", "validate_model", written(tmp_path, json.dumps(cases), "tide.json"))
    assert done.stdout.rstrip() == f"tide  tide  heights  {shown}  —  —  unsupported"


def test_a_case_that_is_off_is_exit_1(shell, tmp_path):
    cases = json.loads(HAND.read_text(encoding="utf-8"))
    cases["cases"][0]["expected"]["capex"] = 300_001.0
    done = shell("manage.py", "validate_model", written(tmp_path, json.dumps(cases), "off.json"))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert [line.split("  ")[2] for line in done.stdout.splitlines() if line.endswith("  off")] == ["capex"]


def test_a_case_that_nobody_computes_is_unsupported_and_exit_1(shell, tmp_path):
    cases = [{"id": "tide", "kind": "tide", "inputs": {}, "expected": {"height": 1.0}}]
    done = shell("manage.py", "validate_model", written(tmp_path, json.dumps(cases), "tide.json"))
    assert done.returncode == 1
    assert "1 of a kind or field that the model does not answer (unsupported)" in done.stderr
    assert done.stdout.rstrip().endswith("unsupported")


def test_an_id_given_twice_refuses_the_file_by_name(shell, tmp_path):
    case = {"id": "twin", "kind": "spares", "inputs": {"lambda": 1.0}, "expected": {"spares": 4}}
    done = shell("manage.py", "validate_model", written(tmp_path, json.dumps([case, case]), "twins.json"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "twins.json: id given to several cases: twin" in done.stderr


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"cases": 1}', '[{"id": "a", "kind": "cloud", "inputs": {}, "expected": {"x": 1}}]']
)
def test_a_file_of_no_cases_is_exit_2(shell, tmp_path, text):
    done = shell("manage.py", "validate_model", written(tmp_path, text, "bad.json"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "bad.json" in done.stderr


def test_a_bad_file_does_not_stop_the_others(shell, tmp_path):
    bad = written(tmp_path, "no json", "bad.json")
    mixed = written(tmp_path, json.dumps([7, {"kind": "spares", "inputs": {"lambda": 1.0}}]), "mixed.json")
    done = shell("manage.py", "validate_model", bad, mixed, HAND)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "mixed.json: case 1: kind: missing" in done.stderr
    assert "mixed.json: case 2: expected: missing" in done.stderr
    assert "0 unsupported, 3 refused" in done.stderr
    assert done.stdout.count("  ok") == sum(len(case["expected"]) for case in json.loads(HAND.read_text())["cases"])


def test_a_missing_file_of_cases_is_exit_2(shell, tmp_path):
    done = shell("manage.py", "validate_model", tmp_path / "nowhere.json")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_the_engine_alone_loads_no_django():
    code = "import sys, planner.engine.evaluate; sys.exit(any(name.split('.')[0] == 'django' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=dict(os.environ)).returncode == 0
