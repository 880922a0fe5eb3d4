"""How long a large fabric takes to lay out, a large fleet to pack, and a month's racks to draw.

Nothing of fabrics and packings is remembered from an earlier call.
"""

import time

import pytest

from catalog.importers.shipped import shipped
from planner.engine import fabric, facility, housing, wiring
from planner.engine.evaluate import evaluate
from planner.engine.fabric import topologies, tree
from planner.engine.facility import racks
from planner.engine.inputs import Scenario
from planner.engine.layout import layout
from planner.services import gallery, pricebook

REMEMBERED = (tree.tree_layout, topologies.wire, wiring._wired, wiring._bill, racks._pack, housing.packed)
GOAL_MS = 5.0
LAB_GOAL_MS = 40.0
BUSY = 1.5  # caches are shared: the goal itself is judged on a quiet machine, a gross slip on any


def _best_ms(work, rounds=7):
    times = []
    for _ in range(rounds):
        for remembered in REMEMBERED:
            remembered.cache_clear()
        begin = time.process_time()
        work()
        times.append((time.process_time() - begin) * 1000.0)
    return min(times)


@pytest.mark.bench
def test_a_fabric_of_4096_nodes_takes_at_most_five_milliseconds(capsys):
    wired = _best_ms(lambda: fabric.wire(4096, 8, 64))
    fewest = _best_ms(lambda: fabric.fat_tree(4096, 8, 64, even_links=False))
    packed = _best_ms(lambda: facility.pack([(4096, 8, 10.2, 130, 6), (1500, 1, 1.7, 20, 2)], (48, 44, 1360, 48)))
    with capsys.disabled():
        print(f"\nfabric of 4,096 nodes {wired:.2f} ms, fewest switches {fewest:.2f} ms, racks {packed:.2f} ms")
    assert max(wired, fewest, packed) < GOAL_MS


@pytest.mark.bench
def test_the_driving_lab_with_fabric_and_racks_for_60_months(capsys):
    document = gallery.document("driving-lab")
    cluster, *others = document["plans"]
    beside = {"storage_network": True, "in_band": True, "out_of_band": True, "cabling": "by_distance"}
    cluster = {**cluster, "fabric": {**cluster["fabric"], **beside}}
    scenario = Scenario.read({**document, "plans": [cluster, *others], "months": 60})
    prices = pricebook.build(shipped(), scenario)
    shipped_lab = Scenario.read({**document, "months": 60})
    answer = evaluate(shipped_lab, pricebook.build(shipped(), shipped_lab))
    assert any(result.network is not None for result in answer.plans)
    engine = _best_ms(lambda: evaluate(scenario, prices))
    drawn = _best_ms(lambda: [layout(result, month) for result in answer.plans for month in range(60)])
    with capsys.disabled():
        print(f"\ndriving lab, 60 months: {engine:.1f} ms (goal {LAB_GOAL_MS:.0f})")
        print(f"racks of every month of every plan drawn {drawn:.1f} ms")
    assert engine < BUSY * LAB_GOAL_MS
    assert drawn < 2 * BUSY * LAB_GOAL_MS  # 240 drawings; a page asks for one
