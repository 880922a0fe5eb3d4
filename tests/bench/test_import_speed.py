"""How long an import of 100,000 cloud offers takes, beside a bare read of the same file by pandas, and what memory."""

import csv
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.db import transaction

from catalog import imports
from catalog.importers.own import FORMS
from catalog.models import Item, Quote

pytestmark = [pytest.mark.bench, pytest.mark.django_db]
SOURCE = f"https://example.com/cloud-prices/blob/{'0123456789abcdef' * 2}/data/prices.json"
ROWS, GOAL_TIMES, GOAL_MB = 100_000, 10, 300


def offers():
    """Offers of every machine in fifty regions, as a large provider lists them.

    Address and remark are as long as those of the shipped offers, whose rows have 288 characters in the median.
    """
    random.seed(6)
    cards = ("h100-sxm", "a100-80-sxm", "l40s", "t4")
    for n in range(ROWS):
        card, count, region = cards[n % 4], (1, 2, 4, 8)[n // 4 % 4], f"region-{n % 50}"
        yield (
            *(f"x-{n}", "x", f"m{n // 50}.{count}xlarge", card, "hyperscaler", "instance", count, region),
            *(
                "on_demand",
                round(random.uniform(0.2, 40), 4),
                "USD",
                "2026-03",
                f"{SOURCE}/{'0123456789abcdef' * 2}.json",
            ),
            "list price of the whole machine; on demand; live feed; provider page https://example.com/instance-types/",
        )


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    file = tmp_path_factory.mktemp("bench") / "cloud_offers.csv"
    with file.open("w", newline="") as stream:
        out = csv.writer(stream)
        out.writerow(FORMS["cloud_offers.csv"].required)
        out.writerows(offers())
    return file


def test_an_import_of_100_000_offers(content, capsys):
    pandas = pytest.importorskip("pandas")
    files, options = [("cloud_offers.csv", content.read_bytes())], {"format": "own"}
    pandas.read_csv(content)  # what it takes is not ours
    idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bare, reading, saving, reports = [], [], [], []
    for _ in range(3):
        begun = time.perf_counter()
        pandas.read_csv(content)
        bare.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        with imports.comparison_for(options) as comparison:
            plan = imports.compare(comparison, files, options, lambda: reports.append(comparison.plan.rows))
            reading.append(time.perf_counter() - begun)
            assert (plan.items["create"], plan.quotes["create"], plan.bad_count) == (ROWS, ROWS, 0)
            with transaction.atomic():
                imports.save(comparison, imports.source_rows(files), options, None)
                saving.append(time.perf_counter() - begun)
                assert Quote.objects.count() == Item.objects.count() == ROWS
                transaction.set_rollback(True)
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - idle
    times = [min(spent) / min(bare) for spent in (reading, saving)]
    with capsys.disabled():
        print(f"\n{ROWS:,} offers: pandas.read_csv {min(bare):.2f} s; read, checked and compared {min(reading):.2f} s")
        print(f"({times[0]:.1f} times, goal {GOAL_TIMES}); saved too {min(saving):.2f} s ({times[1]:.1f} times)")
        print(f"memory over idle {more:.0f} MB here (goal {GOAL_MB} MB with the child)")
    assert more < GOAL_MB
    assert times[0] < 3 * GOAL_TIMES  # a gross slip; the goal itself is judged on a quiet machine
    assert len(reports) >= 3  # each time it said how far it was


READ = """
import sys
sys.path.insert(0, ".")
from catalog.importers import child, formats
if len(sys.argv) > 1:
    files = [("cloud_offers.csv", open(sys.argv[1], "rb").read())]
    for portion in child.portions("read", {"format": "own"}, files):
        pass
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")
def test_the_child_needs_little_memory(content, capsys):
    """What it takes at its highest, over a Python that has loaded the same modules."""

    def highest(*given):
        done = subprocess.run([sys.executable, "-c", READ, *given], capture_output=True, text=True, check=True)
        return int(done.stdout) / 1024

    with_file, idle = highest(str(content)), highest()
    with capsys.disabled():
        print(f"\nthe child: {with_file:.0f} MB at its highest, {idle:.0f} MB idle")
    assert with_file - idle < GOAL_MB
