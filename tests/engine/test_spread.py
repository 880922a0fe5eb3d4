"""What a job keeps of its speed over GPUs and servers, and what that does to time, GPUs and cost (U075)."""

import pytest

from planner.engine.inputs import Fabric, Scaling
from planner.engine.links import Link, link_of
from planner.engine.needs.spread import PUBLISHED, Spread, curve
from tests.engine.sample import book, build, evaluated, only, plan, pool, price
from tests.engine.test_needs import work

# 35·10⁹ parameters at 18 bytes: 630 GB need 16 GPUs of 69 usable GB.
MODEL = {"params_b": 35.0, "layers": 48, "hidden": 7168, "heads": 56}
PORTS = {"fabric_ports": 8, "fabric_port_gbps": 400.0}
SWITCHES = {
    slug: {"slug": slug, "name": slug, "kind": "switch", "ports": ports, "port_gbps": gbps, "rack_units": 1,
           "typical_kw": 0.5, "price": price(5000.0)}
    for slug, ports, gbps in (("sn2201", 48, 1), ("eth-48x10g", 48, 10), ("qm9700", 64, 400))
}  # fmt: skip


def prices(**more):
    base = book(builds={"box": build("box", 8, 8, 240_000.0, **PORTS, **more)}).model_dump(mode="json")
    rows = {
        slug: {"slug": slug, "low": 1, "likely": 100, "high": 1000, "unit": "link", "currency": "USD"}
        for slug in ("cable-1g-link", "cable-25g-link")
    }
    return book(builds=base["builds"], items=SWITCHES, costs=base["costs"] | rows)


def training(**more):
    """16 GPUs by memory; a step of 4 M tokens; 160 TFLOP/s achieved by each GPU."""
    return work(
        "training",
        **{
            "model": MODEL,
            "tokens_b": 1.0,
            "sequence": 1024,
            "mfu": 0.4,
            "goodput": 1.0,
            "deadline_days": 3650.0,
            "runs_per_month": 1.0,
            "batch_tokens_m": 4.0,
            **more,
        },
    )


def on(network, one=None, **changes):
    fabric = {"when": "when_needed", "network": network}
    two = plan(start={"build": "box", "quantity": 2}, fabric=fabric)
    return evaluated(two, work=one or training(), months=1, prices=prices(), **changes).plans[0]


def factors(result):
    return result.requirements["box"]["work"].factors


# ── Networks ──


def test_u075_another_network_changes_the_days_of_a_training():
    # 6 × 35e9 × 1e9 ÷ (1.6e14 × 3600) = 364.58 GPU-hours on 16 GPUs are 0.9494 days at the published rate.
    # 1 GbE: ρ = 2 × 2 × 1.6e14 × ½ ÷ (6 × 250 000 × 0.6 × 0.125e9) = 2.8444, exposed 2.8444 − ⅔ = 2.1778
    assert factors(on("8x400g_rdma"))["run_days"] == pytest.approx(364.5833 / 16 / 24, rel=1e-5)
    slow = factors(on("1gbe"))
    assert slow["network_share"] == pytest.approx(1.1 / 3.17778, rel=1e-5)
    assert slow["run_days"] == pytest.approx(364.5833 / 16 / 24 * 3.17778 / 1.1, rel=1e-5)


def test_u075_another_network_changes_the_cost_of_useful_work():
    # both fleets hold 16 GPUs and are asked for more than they can do: what a GPU-hour does falls with the network
    demand = training(runs_per_month=1000.0)
    lines = only("capex.accelerators_and_servers")
    fast, slow = (on(network, demand, lines=lines) for network in ("ports", "1gbe"))
    assert slow.cost_per_useful_gpu_hour == pytest.approx(fast.cost_per_useful_gpu_hour * 3.17778 / 1.1, rel=1e-5)


def test_a_slower_network_asks_for_more_gpus_to_meet_the_same_deadline():
    # 3 645.8 GPU-hours in 5 days are 30.4 GPUs: 32, unless the network takes a part
    one = training(tokens_b=10.0, deadline_days=5.0)
    need = {name: on(name, one).requirements["box"]["work"] for name in ("8x400g_rdma", "10gbe")}
    assert need["8x400g_rdma"].gang == 32
    # 10 GbE, k servers: T = 4e6 ÷ 8k, ρ = 6.4e14 (1 − 1/k) ÷ (6 T 0.75e9) = 0.28444 (k − 1); 8k GPUs keep
    # 1.1 ÷ (1 + exposed) of their speed: k = 4 → 8.1 of 32, k = 8 → 28.3 of 64, k = 9 → 30.3 of 72 …
    speeds = {k: 8 * k * min(1.0, 1.1 / (1 + max(0.14222 * (k - 1), 0.284444 * (k - 1) - 2 / 3))) for k in range(2, 40)}
    assert need["10gbe"].gang == 8 * next(k for k, speed in speeds.items() if speed >= 3645.83 / 120)


def test_a_deadline_that_no_number_of_gpus_meets_over_the_network_is_told():
    # the speed of k servers over 1 GbE tends to a limit: 8 × 1.1 ÷ 2.84444 = 3.09 GPUs
    result = on("1gbe", training(tokens_b=10.0, deadline_days=5.0))
    (reason,) = [found for found in result.infeasible if found.code == "deadline"]
    assert reason.facts["needed_gpus"] is None
    assert reason.facts["network"] == "1gbe"
    # what it would take at the published rate is still told: 3 645.83 ÷ 120 h = 30.4 GPUs
    assert result.requirements["box"]["work"].gang == 32


@pytest.mark.parametrize(
    ("servers", "share"),
    [
        # a step of 0.5 M tokens; ρ = 6.4e14 × 50/51 ÷ (6 × 500 000 ÷ 408 × 0.73 × 400e9) = 0.29224, half of it exposed
        (51, 1.1 / 1.14612),
        (52, 1.1 / 1.59616),  # beyond the leaf a quarter of the bandwidth: ρ = 1.19233
    ],
)
def test_oversubscription_counts_beyond_a_leaf(servers, share):
    link = Link("ports", 400e9, "rdma", oversubscription=4.0, leaf_servers=51.0)
    found = Spread(Scaling(), 8, True, link, step_flop_s=1.6e14, batch_tokens=0.5e6)
    assert found.over_network(8.0 * servers) == pytest.approx(share, rel=1e-4)


def test_a_plan_s_link_has_the_ports_of_the_server_and_the_leaf_of_its_switch():
    box, prices_of = prices().builds["box"], prices()
    # 64 ports at 4 : 1 are 51 down; split over two planes a port of 400G is two of 200G, and the switch has 128
    assert link_of(Fabric(oversubscription=4.0), box, prices_of) == Link("ports", 400e9, "rdma", 4.0, 51.0)
    assert link_of(Fabric(planes=2), box, prices_of) == Link("ports", 400e9, "rdma", 1.0, 64.0)
    assert link_of(Fabric(network="10gbe"), box, prices_of) == Link("10gbe", 1.25e9, "tcp", 1.0, 24.0)
    bare = box.model_copy(update={"fabric_ports": 0})
    assert link_of(Fabric(), bare, prices_of) is None


def test_what_is_rented_because_of_the_network_is_said():
    fabric = {"when": "when_needed", "network": "1gbe"}
    two = plan(start={"build": "box", "quantity": 2}, fabric=fabric, overflow={"accelerator": "gpu"})
    demand = training(tokens_b=10.0, deadline_days=5.0)
    result = evaluated(two, work=demand, months=1, prices=prices()).plans[0]
    assert result.feasible
    assert [found.code for found in result.warnings if found.code == "deadline"] == ["deadline"]
    assert result.allocation.rented["work"].all()
    assert not [found for found in result.warnings if found.code == "scaling_assumed"]


def test_jobs_inside_a_server_need_no_network():
    result = on("1gbe", pool(4.0, slug="work", gang_gpus=8))
    assert "network_share" not in factors(result)
    assert factors(result)["scaling_share"] == 1.0


# ── Scaling efficiency by GPUs and what joins them ──


@pytest.mark.parametrize(("build_name", "expected"), [("box", 240_000.0 / 8 / 0.8), ("half", 120_000.0 / 4 / 0.96)])
def test_u075_cost_of_useful_work_takes_the_editable_efficiency_of_8_and_of_4_gpus(build_name, expected):
    builds = {"box": build("box", 8, 8, 240_000.0), "half": build("half", 4, 4, 120_000.0)}
    scaling = {"joined": [{"gpus": 1, "share": 1.0}, {"gpus": 4, "share": 0.96}, {"gpus": 8, "share": 0.8}]}
    gang = 8 if build_name == "box" else 4
    demand = {"workloads": [pool(100.0, gang_gpus=gang)], "scaling": scaling}
    result = evaluated(
        plan(start={"build": build_name}),
        months=1,
        prices=book(builds=builds),
        demand=demand,
        lines=only("capex.accelerators_and_servers"),
    ).plans[0]
    assert result.cost_per_useful_gpu_hour == pytest.approx(expected / 744)  # January


@pytest.mark.parametrize(("gang", "share"), [(2, 1.0), (4, 1.0), (8, 0.77)])
def test_cards_that_share_only_pcie_keep_less_over_four(gang, share):
    builds = {"box": build("box", 8, 8, 240_000.0, one_domain=False)}
    one = pool(4.0, slug="work", gang_gpus=gang)
    result = evaluated(plan(), work=one, months=1, prices=book(builds=builds)).plans[0]
    assert factors(result)["scaling_share"] == share
    assert result.requirements["box"]["work"].mean[0, 0] == pytest.approx(4.0 / share)


def test_the_curve_is_straight_in_doublings_and_flat_outside():
    points = Scaling.read({"joined": [{"gpus": 8, "share": 0.8}, {"gpus": 2, "share": 1.0}]}).joined
    assert curve(points, [1.0, 2.0, 4.0, 8.0, 16.0]).tolist() == pytest.approx([1.0, 1.0, 0.9, 0.8, 0.8])


def test_the_reference_in_which_work_is_stated_takes_no_loss():
    scaling = {"joined": [{"gpus": 8, "share": 0.5}]}
    demand = {"workloads": [pool(4.0, gang_gpus=8)], "scaling": scaling}
    result = evaluated(plan(), months=1, prices=prices(), demand=demand).plans[0]
    assert result.demand[0, 0] == 4.0
    assert result.requirements["box"]["pool"].mean[0, 0] == 8.0


def test_a_network_as_good_as_the_published_ones_costs_nothing_more():
    assert pytest.approx(1 / 1.1) == PUBLISHED
    assert Spread(Scaling(), 8, True).kept(64.0) == 1.0


def test_what_is_assumed_is_always_said():
    (told,) = [found for found in on("10gbe").warnings if found.code == "scaling_assumed"]
    # ρ = 0.28444 over 10 GbE: 1.1 ÷ 1.14222
    assert told.facts["share"] == pytest.approx(1.1 / 1.142222, rel=1e-5)
    assert (told.facts["gpus"], told.facts["servers"], told.facts["network"]) == (16, 2, "10gbe")
    inside = on("ports", pool(4.0, slug="work", gang_gpus=8))
    (told,) = [found for found in inside.warnings if found.code == "scaling_assumed"]
    assert (told.facts["share"], told.facts["network"]) == (1.0, "")
    assert not [found for found in on("ports", pool(4.0, slug="work")).warnings if found.code == "scaling_assumed"]


@pytest.mark.parametrize(("network", "told"), [("8x400g_rdma", False), ("ports", False), ("10gbe", True)])
def test_a_copy_of_a_model_that_spans_servers_over_a_slow_network_is_warned_of(network, told):
    # 400e9 parameters in 16 bit: 800 GB over GPUs of 69 usable GB take 16 of them, two servers
    huge = {"params_b": 400.0, "layers": 120, "hidden": 16_384, "heads": 128, "kv_heads": 8, "attention": "GQA"}
    service = work("serving", model=huge, precision="bf16", requests_per_day=100.0, spare_servers=0)
    found = [each.facts for each in on(network, service).warnings if each.code == "slow_copies"]
    assert bool(found) == told
    if told:
        assert (found[0]["gpus"], found[0]["servers"]) == (16, 2)
