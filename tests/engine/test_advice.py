"""Which installation a workload asks for: the published vectors of section 10, networks of 6.2, rules of storage."""

import pytest

from planner.engine.advice import advise
from tests.engine.sample import book, build, evaluated, only, plan, pool
from tests.engine.test_needs import EIGHT, SEVENTY, card, work

H100 = {"memory_gb": 80, "bf16_tflops": 989, "fp8_tflops": 1979, "memory_bw_gbps": 3350}
JOINED = {"box": build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400.0, host_memory_gb=2048)}


def advised(one, prices=None, *plans, **changes):
    found = advise(
        evaluated(*(plans or (plan(),)), work=one, prices=prices or card(**H100), **{"months": 1, **changes})
    )
    return found[0]


def training(**more):
    return work(
        "training", **{"model": SEVENTY, "sequence": 1024, "runs_per_month": 0.1, "batch_tokens_m": 4.194304, **more}
    )


@pytest.mark.parametrize(
    ("one", "memory_gb", "tier"),
    [  # sizing reference 10, test vectors
        (
            work("tuning", model={**EIGHT, "params_b": 7.0}, method="qlora4", tokens_m=5.0, runs_per_month=1),
            24,
            "one_gpu",
        ),
        (work("tuning", model=SEVENTY, method="lora", tokens_m=5.0, runs_per_month=1), 80, "one_server"),
        (work("tuning", model=EIGHT, method="full", tokens_m=5.0, runs_per_month=1), 80, "one_server"),
        (work("tuning", model=SEVENTY, method="full", tokens_m=5.0, runs_per_month=1), 80, "cluster"),
        (work("serving", model=EIGHT, requests_per_day=100.0, spare_servers=0), 80, "one_server"),
        (work("serving", model=EIGHT, requests_per_day=100.0), 80, "independent_servers"),
        (pool(1.0, slug="work"), 80, "one_gpu"),
        (pool(9.0, slug="work"), 80, "independent_servers"),
        (pool(9.0, slug="work", gang_gpus=16), 80, "cluster"),
    ],
)
def test_the_class_of_installation_is_the_published_one(one, memory_gb, tier):
    assert advised(one, card(**{**H100, "memory_gb": memory_gb})).tier == tier


def test_one_server_first_and_several_later():
    grows = pool(4.0, slug="work") | {"growth": {"kind": "steps", "steps": [{"month": 6, "value": 12.0}]}}
    assert advised(grows, months=12).tiers == ((0, "one_server"), (6, "independent_servers"))


@pytest.mark.parametrize(
    ("tokens_b", "days", "params", "gpus", "network"),
    [  # sizing reference 10: 7B on 1T tokens in 30 days, 70B on 2T in 60, a step of 4M tokens (2^22)
        (1000.0, 30.0, {**EIGHT, "params_b": 7.0}, 56, "400g_rdma"),
        (2000.0, 60.0, SEVENTY, 512, "8x400g_rdma"),
    ],
)
def test_the_network_of_the_published_vectors(tokens_b, days, params, gpus, network):
    # MFU × goodput 0.32; P × MFU = 989e12 × 0.38 of the goodput 0.85
    one = training(model=params, tokens_b=tokens_b, deadline_days=days, mfu=0.32 / 0.85, goodput=0.85, sequence=512)
    found = advised(one)
    assert found.need.gang == gpus
    assert found.network == network


def test_the_loss_over_smaller_networks_is_said():
    # 7 servers, T = 4.194e6 ÷ 56 = 74 898 tokens; ρ = 2 × 2 × 3.723e14 × 6/7 ÷ (6 × T × 0.73 × 12.5e9) at 100 Gb/s
    one = training(model={**EIGHT, "params_b": 7.0}, tokens_b=1000.0, mfu=0.32 / 0.85, goodput=0.85, sequence=512)
    rho = 4 * 989e12 * 0.32 / 0.85 * 6 / 7 / (6 * 4.194304e6 / 56 * 0.73 * 12.5e9)
    assert advised(one).kept["100g_rdma"] == pytest.approx(1 / (1 + max(rho / 2, rho - 2 / 3)))


def test_inside_a_server_no_network_is_needed_and_between_independent_ones_a_small_one():
    assert advised(pool(4.0, slug="work")).network == ""
    assert advised(work("serving", model=EIGHT, requests_per_day=100.0)).network == "25g"
    rates = {"measured_prefill_tokens_per_s_per_gpu": 1e4, "measured_decode_tokens_per_s_per_gpu": 1e3}
    assert advised(work("serving", requests_per_day=100.0, **rates)).network == "100g"


def test_a_simulation_over_servers_must_measure_its_network():
    found = advised(work("hpc", exaflop_per_month=1.0, gang_gpus=32), card(**H100, fp64_tflops=60))
    assert (found.tier, found.network, found.kept) == ("cluster", None, {})


@pytest.mark.parametrize(
    ("one", "software"),
    [
        (work("serving", model=EIGHT), ("ray_serve",)),
        (work("batch", model=EIGHT), ("celery",)),
        (training(tokens_b=100.0), ("slurm",)),
        (pool(16.0, slug="work"), ("kubernetes",)),
        (pool(2.0, slug="work"), ()),
    ],
)
def test_the_software_follows_the_kind_of_work(one, software):
    assert advised(one).software == software


def test_services_that_share_a_cluster_need_an_orchestrator():
    assert advised([work("serving", model=EIGHT), pool(2.0)]).software == ("ray_serve", "kubernetes")


def test_a_split_job_names_the_parallelism_its_speed_assumes():
    deep = {**SEVENTY, "moe": True, "active_params_b": 10.0}
    long = training(model=deep, tokens_b=1000.0, sequence=65_536)
    servers = advised(long).need.gang // 8
    assert advised(long).parallel == (
        ("sharded", 8),
        ("data", servers),
        ("context", servers * 8),
        ("expert", servers * 8),
    )
    assert advised(work("serving", model=SEVENTY, precision="bf16")).parallel == (("tensor", 4),)


def test_memory_and_storage_of_a_training():
    # host: 2 × 8 × 80 GB; local: 1 TB a GPU; shared: 64 GPUs × 2 TB + 5 × 14 × 70e9 bytes, saved in 1 % of an hour
    found = advised(training(tokens_b=100.0, deadline_days=60.0, mfu=0.38 * 400 / 989), card(**H100))
    assert found.need.gang == 64
    assert (found.host_gb, found.local_tb) == (1280.0, 8.0)
    assert found.shared_tb == pytest.approx(64 * 2.0 + 5 * 0.98)
    assert found.shared_gb_s == pytest.approx(980 / 36)


def test_memory_and_storage_of_a_service():
    # half the host memory; three versions of 8 GB of weights; read in a minute; 16 GPUs with the spare server
    found = advised(work("serving", model=EIGHT, requests_per_day=100.0))
    assert found.host_gb == 640.0
    assert found.local_tb == pytest.approx(8.024)
    assert found.shared_tb == pytest.approx(16 * 0.25)
    assert found.shared_gb_s == pytest.approx(8 / 60)
    assert found.load_balancer


def test_the_rules_can_be_edited():
    rules = {"host_memory_factor": 1.0, "local_flash_tb_per_gpu": 0.5, "checkpoint_minutes": 10.0}
    found = advised(training(tokens_b=100.0), operations=rules)
    assert (found.host_gb, found.local_tb) == (640.0, 4.0)
    assert found.shared_gb_s == pytest.approx(980 / 6)


def test_what_the_build_has_stands_beside_it():
    found = advised(pool(4.0, slug="work"), book(builds=JOINED))
    assert (found.host_gb_there, found.ports_there) == (2048.0, (8, 400.0))


def hours(scheduler, **more):
    return work("pool", gpu_hours_per_month=744.0, target_utilisation=1.0, scheduler=scheduler, **more)


@pytest.mark.parametrize(
    ("scheduler", "saved"),
    [  # sizing reference 9: 0.45 without, 0.65 with quotas, 0.80 with preemption; one GPU busy all January
        ("quotas", 1 / (0.45 * 0.97) - 1 / (0.65 * 0.97)),
        ("preemption", 1 / (0.45 * 0.97) - 1 / (0.80 * 0.97)),
        ("none", 1 / (0.45 * 0.97) - 1 / (0.65 * 0.97)),
    ],
)
def test_a_scheduler_is_worth_the_gpus_it_saves_at_the_plan_s_cost_of_one(scheduler, saved):
    bare = only("capex.accelerators_and_servers")
    found = advised(hours(scheduler), book(), lines=bare).scheduler
    assert found.saved == pytest.approx(saved)
    assert found.per_gpu == pytest.approx(240_000 / 8)
    assert found.amount == pytest.approx(saved * 30_000)


def test_a_pool_stated_in_gpus_has_no_such_worth():
    assert advised(pool(4.0, slug="work")).scheduler is None


def test_rented_gpus_are_advised_too():
    found = advised(pool(4.0, slug="work"), book(), {"slug": "cloud", "overflow": {"accelerator": "gpu"}})
    assert (found.item, found.host_gb_there) == ("gpu", None)


def test_advice_is_given_once_for_each_machine():
    two = [plan("one"), plan("two"), {"slug": "cloud", "overflow": {"accelerator": "gpu"}}]
    found = advise(evaluated(*two, work=[pool(4.0), pool(2.0, slug="more")], months=1))
    assert [(each.workload, each.item, each.plan) for each in found] == [
        ("pool", "box", "one"),
        ("pool", "gpu", "cloud"),
        ("more", "box", "one"),
        ("more", "gpu", "cloud"),
    ]


def test_work_per_kwh_is_useful_hours_over_the_facility_s_energy():
    # 4 of 8 GPUs busy: 2 + 0.5 × (8 − 2) = 5 kW, at a PUE of 1.5
    assert evaluated(work=pool(4.0)).plans[0].useful_hours_per_kwh == pytest.approx(4 / (5 * 1.5))
    rented = evaluated({"slug": "cloud", "overflow": {"accelerator": "gpu"}}, work=pool(4.0)).plans[0]
    assert rented.useful_hours_per_kwh is None
