"""What the advice asks for around the GPUs, as lines: memory, storage in servers and shared, load balancer."""

import pytest

from tests.engine.sample import book, build, cost, evaluated, plan, pool
from tests.engine.test_needs import EIGHT, work

ROWS = {
    "memory-ddr5-gb": cost("memory-ddr5-gb", 10, "GB", "USD"),
    "ssd-tlc-raw-tb": cost("ssd-tlc-raw-tb", 300, "TB", "USD"),
    "load-balancer-service": cost("load-balancer-service", 100, "month", "USD"),
    "object-storage-cloud-gb": cost("object-storage-cloud-gb", 0.02, "GB-month", "USD"),
}
TRAINING = {"model": EIGHT, "tokens_b": 10.0, "sequence": 1024, "deadline_days": 3650.0, "runs_per_month": 0.1}


def prices(host_gb=1024, local_tb=4.0):
    costs = book().model_dump(mode="json")["costs"] | ROWS
    return book(builds={"box": build("box", 8, 8, 1e5, host_memory_gb=host_gb, local_tb=local_tb)}, costs=costs)


def answer(one, prices_of=None, *, months=1, quantity=2, **operations):
    two = plan(start={"build": "box", "quantity": quantity})
    return evaluated(two, work=one, months=months, prices=prices_of or prices(), operations=operations).plans[0]


def line(result, code):
    return next((each for each in result.lines if each.code == code), None)


def test_host_memory_is_added_up_to_what_the_work_asks():
    # a training stages twice the GPU memory: 2 × 8 × 80 GB against 1 024 GB, in two servers at 10 a GB
    added = line(answer(work("training", **TRAINING), host_memory="as_advised"), "host_memory")
    assert (added.category, added.quantity[0, 0], added.total()) == ("capex.accelerators_and_servers", 512.0, 5120.0)
    assert line(answer(work("training", **TRAINING)), "host_memory") is None
    assert line(answer(pool(2.0), host_memory="as_advised"), "host_memory") is None  # half of it is there


def test_local_flash_is_added_up_to_a_terabyte_a_gpu():
    added = line(answer(pool(2.0), local_flash="as_advised"), "local_flash")
    assert (added.category, added.quantity[0, 0], added.total()) == ("capex.storage", 8.0, 2400.0)


def test_what_the_catalog_does_not_know_of_a_server_is_not_added_to_it():
    result = answer(
        work("training", **TRAINING), prices(None, None), host_memory="as_advised", local_flash="as_advised"
    )
    assert line(result, "host_memory") is None
    assert line(result, "local_flash") is None


def test_memory_without_a_price_leaves_no_total():
    costs = {slug: row for slug, row in prices().model_dump(mode="json")["costs"].items() if slug != "memory-ddr5-gb"}
    unquoted = book(builds={"box": build("box", 8, 8, 1e5, host_memory_gb=1024)}, costs=costs)
    result = answer(work("training", **TRAINING), unquoted, host_memory="as_advised")
    assert [(reason.code, reason.facts["item"]) for reason in result.infeasible] == [("no_quote", "memory-ddr5-gb")]


def test_shared_storage_is_large_enough_and_fast_enough():
    # five checkpoints of 14 × 8e9 bytes and 2 TB for each of the 4 GPUs are 8.56 TB; one saved in 1 % of an hour is
    # 3.11 GB/s, which takes 20.7 TB at 0.15 GB/s a terabyte
    bought = line(answer(work("training", **TRAINING), storage_tb=None), "shared_flash")
    assert bought.quantity[0, 0] == pytest.approx(14 * 8e9 / 36.0 / 1e9 / 0.15)
    faster = line(answer(work("training", **TRAINING), storage_tb=None, shared_gb_s_per_tb=1.0), "shared_flash")
    assert faster.quantity[0, 0] == pytest.approx(4 * 2.0 + 5 * 0.112)


@pytest.mark.parametrize(
    ("rule", "codes"), [("bought", {"load_balancer"}), ("rented", {"load_balancer_service"}), ("none", set())]
)
def test_the_load_balancer_is_bought_rented_or_left_out(rule, codes):
    service = work("serving", model=EIGHT, requests_per_day=100.0)
    result = answer(service, months=3, load_balancer=rule)
    found = {each.code for each in result.lines if each.code.startswith("load_balancer")}
    assert found == codes
    if rule == "rented":
        assert line(result, "load_balancer_service").total() == 300.0


def test_storage_of_rented_work_is_counted_where_asked():
    rented = plan(start=None, overflow={"accelerator": "gpu"})
    for counted, total in ((False, None), (True, 10.0 * 1000 * 0.02 * 2)):
        operations = {"storage_tb": 10.0, "rented_storage": counted}
        result = evaluated(rented, months=2, prices=prices(), operations=operations).plans[0]
        held = line(result, "object_storage")
        assert (None if held is None else held.total()) == total
    # the same in the comparison of providers
    assert result.present_value_with("specialist") == pytest.approx(result.present_value)
