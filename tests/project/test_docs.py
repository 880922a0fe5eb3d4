"""What the README lists is what the code has."""

import re
import tomllib
from pathlib import Path

from planner.project.bootstrap import name_of

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def test_every_environment_variable_is_described_and_exists():
    sources = [*(ROOT / "planner").rglob("*.py"), *(ROOT / "tests").glob("*.py")]
    code = "\n".join(file.read_text("utf-8") for file in sources)
    names = r"\b(?:OUTLAY_[A-Z_]+|REQUIRE_[A-Z]+|DATABASE_URL)\b"
    assert set(re.findall(names, README)) == set(re.findall(names, code))


def test_every_dependency_is_listed_with_its_extras():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {}
    for extra, lines in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        for line in lines:
            wanted.setdefault(name_of(line), []).append(extra)
    table = README.partition("## Dependencies")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([\w.-]+) \| ([\w, ]*) ?\|", table, re.M)[1:]
    assert {name_of(name): extras.strip().split(", ") for name, extras in rows} == wanted


def test_the_two_commands_are_named():
    for command in ("python3 manage.py start", "python3 manage.py test"):
        assert f"```\n{command}\n```" in README
