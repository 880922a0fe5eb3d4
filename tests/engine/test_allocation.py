"""Which work runs where: priorities, fit, gangs, spare servers, the cloud, and what is left over."""

import pytest

from tests.engine.sample import amounts, book, build, evaluated, offer, plan, pool

CLOUD = {"accelerator": "gpu"}


def serving(requests_per_day, spare=1, **more):
    """One request a second and GPU; its peak is 3 times the mean; 0.8 of a GPU may be planned, latency takes 0.9."""
    return {
        "kind": "serving",
        "slug": "service",
        "accelerator": "gpu",
        "measured_requests_per_s_per_gpu": 1.0,
        "requests_per_day": requests_per_day,
        "spare_servers": spare,
        "growth": {"kind": "constant"},
        **more,
    }


def training(**more):
    """10 GPU-hours: 36 000 s at 1000 token/s and a goodput of 1."""
    return {
        "kind": "training",
        "slug": "training",
        "accelerator": "gpu",
        "tokens_b": 0.036,
        "runs_per_month": 1.0,
        "goodput": 1.0,
        "deadline_days": 30.0,
        "measured_tokens_per_s_per_gpu": 1000.0,
        "growth": {"kind": "constant"},
        **more,
    }


def one(*plans, **changes):
    return evaluated(*plans, **changes).plans[0]


def test_a_month_is_met_when_the_peak_is_within_capacity():
    assert one(plan(), work=pool(8.0), months=1).allocation.met.all()
    assert not one(plan(), work=pool(8.001), months=1).allocation.met.any()


def test_useful_hours_count_the_mean_and_capacity_the_peak():
    result = one(plan(), work=pool(4.0, peak_to_mean=2.0), months=1)
    assert result.served_share == 1.0
    assert result.useful_hours.tolist() == [4.0 * 744]


def test_what_the_fleet_cannot_carry_is_unmet_without_overflow():
    result = one(plan(), work=pool(10.0), months=1)
    assert (result.allocation.unmet[0] * 744).tolist() == pytest.approx([2.0 * 744])
    assert result.served_share == pytest.approx(0.8)
    assert [(reason.code, reason.month) for reason in result.infeasible] == [("service_target", 0)]


def test_unmet_work_is_priced_at_1_25_times_the_offer_and_is_in_no_total():
    result = one(plan(), work=pool(10.0), months=1)
    assert result.unmet_cost == 2.0 * 744 * 2.0 * 1.25
    assert result.nominal_total == round(sum(line.total() for line in result.lines), 2)


def test_what_the_fleet_cannot_carry_overflows_to_the_cloud():
    result = one(plan(overflow=CLOUD), work=pool(10.0), months=1)
    assert result.feasible
    assert amounts(result, "opex.cloud_usage") == [2.0 * 744 * 2.0]


def test_a_service_target_below_1_forgives_that_much():
    demand = {"workloads": [pool(10.0)], "service_target": 0.8}
    assert one(plan(), months=1, demand=demand).feasible
    assert not one(plan(), months=1, demand={**demand, "service_target": 0.81}).feasible


def test_the_first_month_below_the_target_is_named():
    work = pool(1.0) | {"growth": {"kind": "table", "values": [8, 8, 8, 9]}}
    assert one(plan(), work=work, months=6).infeasible[0].month == 3


def test_the_higher_priority_is_served_first():
    work = [pool(6.0, slug="later", priority=9), pool(6.0, slug="first", priority=1)]
    shares = one(plan(), work=work, months=1).allocation.owned_share
    assert shares["first"][0, 0] == 1.0
    assert shares["later"][0, 0] == pytest.approx(2.0 / 6.0)


def test_equal_priorities_are_served_in_the_order_of_the_document():
    work = [pool(6.0, slug="a"), pool(6.0, slug="b")]
    shares = one(plan(), work=work, months=1).allocation.owned_share
    assert (shares["a"][0, 0], shares["b"][0, 0]) == (1.0, pytest.approx(1.0 / 3.0))


def test_a_workload_that_needs_a_gang_is_kept_off_servers_that_are_too_small():
    result = one(plan(fabric={"when": "never"}), work=pool(4.0, gang_gpus=16), months=1)
    assert [
        (reason.code, reason.facts["needed_gpus"], reason.facts["server_gpus"]) for reason in result.infeasible
    ] == [("memory", 16, 8)]


def test_a_fabric_joins_servers_into_one_gang():
    boxes = {"box": build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400.0)}
    result = one(
        plan(start={"build": "box", "quantity": 2}), work=pool(16.0, gang_gpus=16), months=1, prices=book(builds=boxes)
    )
    assert result.feasible
    assert result.network is not None


def test_what_no_owned_server_can_run_goes_to_the_overflow_offer():
    work = [pool(4.0, slug="small"), pool(2.0, slug="large", gang_gpus=16)]
    result = one(plan(overflow=CLOUD, fabric={"when": "never"}), work=work, months=1)
    assert result.feasible
    assert amounts(result, "opex.cloud_usage") == [2.0 * 744 * 2.0]


def test_a_gang_larger_than_what_is_installed_runs_nowhere():
    # a chassis of 8 slots with 2 cards: the job that needs 4 at once cannot start
    result = one(plan(start={"build": "chassis"}), work=pool(1.0, gang_gpus=4), months=1)
    assert result.served_share == 0.0


def test_work_goes_to_the_machine_that_runs_it_at_less_power_first():
    # a twin does twice the work of a box at the same draw
    mixed = plan(
        start={"build": "twin"}, follow_up={"kind": "schedule", "build": "box", "waves": [{"month": 0, "quantity": 1}]}
    )
    used = one(mixed, work=pool(16.0), months=1).allocation.used
    assert (used["twin"][0, 0], used["box"][0, 0]) == (8.0, 0.0)
    used = one(mixed, work=pool(20.0), months=1).allocation.used
    assert (used["twin"][0, 0], used["box"][0, 0]) == (8.0, pytest.approx(4.0))


def test_a_service_holds_its_spare_server_back():
    # 2.4 GPUs busy on average (0.9 a second each): 2.4 × 3 / 0.8 = 9 at the peak, so 2 boxes and a spare
    requests = 2.4 * 0.9 * 86_400
    needs = one(plan(), work=serving(requests), months=1).requirements["box"]["service"]
    assert needs.mean[0, 0] == pytest.approx(2.4)
    assert needs.peak[0, 0] == pytest.approx(9.0)
    assert needs.required[0, 0] == pytest.approx(24.0)


def test_two_boxes_do_not_carry_9_gpus_and_lose_one():
    requests = 2.4 * 0.9 * 86_400
    assert one(plan(start={"build": "box", "quantity": 3}), work=serving(requests), months=1).feasible
    assert not one(plan(start={"build": "box", "quantity": 2}), work=serving(requests), months=1).feasible
    assert one(plan(start={"build": "box", "quantity": 2}), work=serving(requests, spare=0), months=1).feasible


def test_spare_servers_are_not_rented_for_the_part_that_overflows():
    # 2 boxes, one of them spare: 8 of 9 GPUs at the peak are owned, a ninth of the mean is rented
    requests = 2.4 * 0.9 * 86_400
    result = one(plan(start={"build": "box", "quantity": 2}, overflow=CLOUD), work=serving(requests), months=1)
    assert result.allocation.owned_share["service"][0, 0] == pytest.approx(8 / 9)
    assert result.allocation.rented["service"][0, 0] == pytest.approx(2.4 / 9)


def test_the_cloud_bills_the_mean_of_a_service():
    # headroom and spare servers are the provider's
    requests = 2.4 * 0.9 * 86_400
    result = one({"slug": "cloud", "overflow": CLOUD}, work=serving(requests), months=1)
    assert result.allocation.rented["service"][0, 0] == pytest.approx(2.4)


def test_another_workload_cannot_use_the_spare_server():
    requests = 2.4 * 0.9 * 86_400
    work = [serving(requests, priority=1), pool(15.0, priority=2)]
    # 24 GPUs: 9 and 8 spare leave 7
    result = one(plan(start={"build": "box", "quantity": 3}), work=work, months=1)
    assert result.allocation.owned_share["pool"][0, 0] == pytest.approx(7 / 15)


def test_no_demand_is_met_and_asks_for_nothing():
    result = one({"slug": "cloud", "overflow": CLOUD}, work=[pool(0.0), serving(0.0)], months=1)
    assert result.served_share == 1.0
    assert result.lines == []
    assert result.cost_per_useful_gpu_hour is None


def test_a_utilisation_of_0_is_accepted_and_its_unit_cost_is_undefined():  # U083
    result = one(plan(), work=pool(4.0, target_utilisation=0.0))
    assert result.utilisation.tolist() == [0.0] * 12
    assert result.useful_hours.sum() == 0.0
    assert result.cost_per_useful_gpu_hour is None
    # idle all year: 2 kW × 744 h × 0.10
    assert amounts(result, "opex.energy_it")[0] == 148.8


def test_a_utilisation_of_0_sends_all_work_to_the_cloud_and_none_to_the_fleet():  # U083
    result = one(plan(overflow=CLOUD), work=pool(4.0, target_utilisation=0.0), months=1)
    assert result.allocation.owned_share["pool"][0, 0] == 0.0
    assert amounts(result, "opex.cloud_usage") == [4.0 * 744 * 2.0]


@pytest.mark.parametrize("work", [serving(86_400.0, target_utilisation=0.0), training(target_utilisation=0.0)])
def test_a_utilisation_of_0_runs_no_other_kind_of_work_either(work):  # U083
    result = one(plan(), work=work)
    assert result.useful_hours.sum() == 0.0
    assert result.cost_per_useful_gpu_hour is None


def test_a_pool_in_gpu_hours_is_also_divided_by_the_scheduler_s_share_and_maintenance():
    # 744 GPU-hours are one GPU busy all January; quotas allocate 0.65, 3 % is maintenance, 0.8 is planned
    work = {
        "kind": "pool",
        "slug": "pool",
        "accelerator": "gpu",
        "gpu_hours_per_month": 744.0,
        "target_utilisation": 0.8,
        "growth": {"kind": "constant"},
    }
    need = one(plan(), work=work, months=1).requirements["box"]["pool"]
    assert need.required[0, 0] == pytest.approx(1.0 / 0.8 / (0.65 * 0.97))
    assert need.mean[0, 0] == pytest.approx(1.0)


def test_gpus_of_another_kind_are_converted_by_what_binds_the_work():
    work = pool(4.0, bound="memory_bandwidth")
    assert one(plan(start={"build": "twin"}), work=work, months=1).requirements["twin"]["pool"].mean[0, 0] == 2.0


def test_a_training_run_busies_its_gpu_hours_and_holds_its_gang():
    # 10 GPU-hours in 6 hours: 2 GPUs at once, 10 / 730.5 of a GPU on average
    need = one(plan(), work=training(deadline_days=0.25), months=1).requirements["box"]["training"]
    assert need.gang == 2
    assert need.mean[0, 0] == pytest.approx(10 / 730.5)
    assert need.peak[0, 0] == 2.0


def test_half_the_deadline_needs_twice_the_gang():
    gangs = [
        one(plan(), work=training(deadline_days=days), months=1).requirements["box"]["training"].gang
        for days in (10 / 24, 5 / 24, 2.5 / 24)
    ]
    assert gangs == [1, 2, 4]


def test_software_reduces_work_before_gpus_are_counted():
    demand = {"workloads": [pool(4.0)], "software_speedup_per_year": 0.2}
    result = one(plan(), months=25, demand=demand)
    assert result.demand[0, [0, 12, 24]].tolist() == pytest.approx([4.0, 3.2, 2.56])


def test_a_cloud_of_whole_instances_bills_them_whole():
    eight = book(offers={"eight": offer("eight", 16.0, count=8, billing_unit="instance")})
    assert amounts(
        one({"slug": "cloud", "overflow": CLOUD}, work=pool(8.1), months=1, prices=eight), "opex.cloud_usage"
    ) == [2 * 744 * 16.0]
    assert amounts(
        one({"slug": "cloud", "overflow": CLOUD}, work=pool(8.0), months=1, prices=eight), "opex.cloud_usage"
    ) == [744 * 16.0]


def test_an_offer_per_gpu_bills_fractions():
    eight = book(offers={"eight": offer("eight", 16.0, count=8)})
    assert amounts(
        one({"slug": "cloud", "overflow": CLOUD}, work=pool(2.5), months=1, prices=eight), "opex.cloud_usage"
    ) == [2.5 * 744 * 2.0]


def test_nothing_is_bought_for_work_that_only_the_cloud_can_run():
    work = [pool(4.0, slug="small"), pool(16.0, slug="large", gang_gpus=16)]
    growing = plan(overflow=CLOUD, fabric={"when": "never"}, follow_up={"kind": "servers", "min_service_months": 0})
    assert one(growing, work=work).capacity.tolist() == [8.0] * 12
