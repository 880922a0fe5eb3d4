"""Which room may import what; the contracts of import-linter say the same of whole chains of imports."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[1]
ENGINE = sorted((ROOT / "planner" / "engine").rglob("*.py"))
ENGINE_MAY_IMPORT = {*sys.stdlib_module_names, "numpy", "scipy", "pydantic", "pydantic_core", "annotated_types"}
NOT_IN_THE_ENGINE = "django celery pandas plotly"


def imports(file):
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield ("." * node.level) + (node.module or "")


@pytest.mark.parametrize("file", ENGINE, ids=lambda file: file.stem)
def test_an_engine_module_imports_only_what_computes(file):
    allowed = ENGINE_MAY_IMPORT | ({"highspy"} if file.stem == "optimize" else set())
    strangers = [
        name
        for name in imports(file)
        if name.split(".")[0] not in allowed
        and not f"{name}.".startswith("planner.engine.")
        and not name.startswith(".")
    ]
    assert strangers == []


def test_importing_the_engine_loads_no_framework():
    modules = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in ENGINE if file.stem != "__main__"]
    code = "\n".join(
        [
            "import importlib, sys",
            f"for name in {modules!r}: importlib.import_module(name)",
            f"print([name for name in {NOT_IN_THE_ENGINE.split()!r} if name in sys.modules])",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.parametrize("name", ["planner/__init__.py", "planner/project/__init__.py"])
def test_packages_on_the_way_to_the_engine_stay_empty(name):
    assert (ROOT / name).read_text() == ""


def test_the_test_command_is_ours():
    assert get_commands()["test"] == "planner"


def test_the_checkout_holds_no_path_or_address_of_a_machine():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    suspicious = [f"{os.sep}root{os.sep}", f"{os.sep}work{os.sep}", "index-url", "find-links"]
    found = []
    for name in listed.stdout.split("\0"):
        file = ROOT / name
        if name and file.is_file() and not name.startswith("tests/") and file.stat().st_size < 1_000_000:
            text = file.read_text("utf-8", errors="ignore")
            found += [f"{name}: {word}" for word in suspicious if word in text]
    assert found == []
