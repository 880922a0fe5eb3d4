"""The same on PostgreSQL, in processes of their own: prices keep their decimals, a second load changes nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.catalog.import_files import SKYPILOT

ROOT = Path(__file__).resolve().parents[2]
CHECK = """
from catalog import services
from catalog.importers.shipped import shipped
from catalog.models import Item, Quote
stored = services.stored()
assert stored.items == shipped().items and stored.quotes == shipped().quotes
assert Item.objects.of_kind("build").search("8x H200 sxm").count() == 1
assert Quote.objects.filter(item__spec__accelerator_slug="h200-sxm", item__kind="offer").count() == 40
assert services.load(shipped(), again=True).unchanged == len(list(stored.all_items())) + len(list(stored.all_quotes()))

from django.contrib.auth import get_user_model
from django.test import Client
from django.test.utils import setup_test_environment
from catalog.pages import PAGES

setup_test_environment()
client = Client(headers={"host": "localhost"})
client.force_login(get_user_model().objects.create_superuser("steward"))
for page in PAGES.values():
    for column in ("name", *page.columns, *(["price"] if page.price else [])):
        for sort in (column, f"-{column}"):
            assert client.get(page.address, {"sort": sort}).status_code == 200, (page.path, sort)
    for place, name in enumerate(page.filters):
        value = client.get(page.address).context["filters"][place].choices[0][0]
        assert client.get(page.address, {name: value}).context["rows"], (page.path, name)
assert client.get("/admin/catalog/quote/?stale=yes").status_code == 200
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
    assert ", 0 changed, 0 kept as edited by hand, 0 unchanged." in run("load_catalog")
    assert ": 0 added, 0 changed, " in run("load_catalog")
    assert run("shell", "-v", "0", "-c", CHECK).strip() == "as on SQLite"
    file = tmp_path / "vms.csv"
    for content, said in (
        (SKYPILOT, "Items: 5 new, 0 changed, 0 unchanged"),
        (SKYPILOT, "Prices: 0 new, 0 changed, 5 unchanged"),
        (SKYPILOT.replace("2.5,", "2.6,"), "Prices: 0 new, 1 changed, 4 unchanged"),
    ):
        file.write_text(content)
        options = ["--supplier", "lambda", "--as-of", "2026-05-20", "--accept-warnings"]
        assert said in run("import_catalog", str(file), *options)
