"""One server, several servers, a cluster for the same work: who does it, what decides, what the network takes."""

import pytest

from planner.engine.inputs import Scenario
from planner.engine.shapes import servers_to_compare, shapes
from tests.engine.sample import book, document, only, plan, pool

MACHINES = "capex.accelerators_and_servers"


def prices(**box):
    made = book().model_dump(mode="json")
    made["builds"]["box"] |= {"fabric_ports": 8, "fabric_port_gbps": 400.0, **box}
    return book(**made)


def ways(work, *, lines=(MACHINES, "capex.fabric"), prices=None, **changes):
    given = document(plan(), work=work, lines=only(*lines), **changes)
    found = shapes(Scenario.read(given), prices or _prices(), "box")
    return {each.way: each for each in found.ways}


_prices = prices


def service(requests_s, **more):
    """An online service at 1 request a second and GPU, at its peak all day."""
    return {
        "kind": "serving",
        "slug": "service",
        "accelerator": "gpu",
        "requests_per_day": requests_s * 86_400.0,
        "measured_requests_per_s_per_gpu": 1.0,
        "diurnal_peak": 1.0,
        "burst_peak": 1.0,
        "latency": "batch",
        "target_utilisation": 1.0,
        "spare_servers": 1,
        "growth": {"kind": "constant"},
        **more,
    }


def test_work_that_splits_needs_no_fabric_and_pays_for_one_in_a_cluster():
    """20 GPUs: one box of 8 is too small, 3 do it. The fabric: a pair of switches,
    2 × 25,000, with 24 links and 12 between the two, 36 × 1,050: 87,800."""
    found = ways(pool(20.0))
    assert {way: each.servers for way, each in found.items()} == {
        "one_server": 1,
        "independent_servers": 3,
        "cluster": 3,
    }
    assert [reason.code for reason in found["one_server"].reasons] == ["service_target"]
    assert found["independent_servers"].does_it
    assert found["cluster"].does_it
    assert found["independent_servers"].result.total("capex") == 720_000.0
    assert found["cluster"].result.total("capex") == 807_800.0
    assert found["cluster"].fabric == pytest.approx(87_800.0 / 807_800.0)
    assert found["independent_servers"].fabric == 0.0


def test_a_job_larger_than_a_server_runs_in_the_cluster_alone():
    found = ways(pool(16.0, gang_gpus=16))
    assert [reason.code for reason in found["one_server"].reasons] == ["memory"]
    assert [reason.code for reason in found["independent_servers"].reasons] == ["memory"]
    assert found["cluster"].does_it


def test_one_server_has_no_spare_for_a_service_that_asks_for_one():
    """6 GPUs carry it, so one box would do: but any one may fail, and then nothing answers."""
    found = ways(service(6.0))
    assert [reason.code for reason in found["one_server"].reasons] == ["redundancy"]
    assert (found["independent_servers"].servers, found["independent_servers"].does_it) == (2, True)
    assert found["independent_servers"].lost_with_one == 0.5


def test_one_server_does_what_fits_it():
    found = ways(pool(6.0))
    assert found["one_server"].does_it
    assert found["one_server"].kept == 1.0


def test_a_job_over_a_slow_network_keeps_less_of_its_speed_than_one_inside_a_server():
    """Ports of 1 Gbit/s in place of 400 carry the gradients of 16 GPUs more slowly."""
    work = pool(16.0, gang_gpus=16)
    fast, slow = (ways(work, prices=prices(fabric_port_gbps=speed))["cluster"] for speed in (400.0, 1.0))
    assert slow.kept < fast.kept <= 1.0


def test_a_server_without_ports_is_no_part_of_a_cluster():
    assert set(ways(pool(20.0), prices=prices(fabric_ports=0))) == {"one_server", "independent_servers"}


def test_delivery_is_the_suppliers_time_and_the_installation():
    """8 weeks of lead time, and 14 days in which it is installed."""
    made = prices(lead_weeks=[6.0, 8.0, 12.0])
    found = ways(pool(6.0), prices=made, operations={"commissioning_days": 14.0})
    assert found["one_server"].weeks == pytest.approx(10.0)


def test_the_ways_are_compared_on_the_eight_gpu_server_of_the_plans():
    plans = [plan("small", start={"build": "single"}), plan("large", start={"build": "twin"})]
    scenario = Scenario.read(document(*plans))
    assert servers_to_compare(scenario, book()) == "twin"
    cloud = Scenario.read(document({"slug": "cloud", "overflow": {"accelerator": "gpu"}}))
    assert servers_to_compare(cloud, book()) is None
