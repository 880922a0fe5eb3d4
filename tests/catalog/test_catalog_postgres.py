"""The same on PostgreSQL, in processes of their own: prices keep their decimals, a second load changes nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECK = """
from catalog import services
from catalog.importers.shipped import shipped
from catalog.models import Item, Quote
stored = services.stored()
assert stored.items == shipped().items and stored.quotes == shipped().quotes
assert Item.objects.of_kind("build").search("8x H200 sxm").count() == 1
assert Quote.objects.filter(item__spec__accelerator_slug="h200-sxm", item__kind="offer").count() == 40
assert services.load(shipped(), again=True).unchanged == 3234
print("as on SQLite")
"""


@pytest.mark.services
def test_postgresql_keeps_the_catalog(postgres, environment, tmp_path):
    variables = environment | {"DATABASE_URL": postgres, "OUTLAY_DATA": str(tmp_path)}

    def run(*words):
        command = [sys.executable, "-m", "django", *words, "--settings=planner.project.settings"]
        done = subprocess.run(
            command, cwd=ROOT, env=variables | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("migrate", "-v", "0")
    assert run("load_catalog").startswith("3234 added")
    assert "3234 unchanged" in run("load_catalog")
    assert run("shell", "-v", "0", "-c", CHECK).strip() == "as on SQLite"
