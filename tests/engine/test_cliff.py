"""A model that grows out of its GPUs: the month, what it then needs, and what stands idle, worked by hand."""

import pytest

from tests.engine.sample import book, build, evaluated, plan, pool

EIGHT = {"params_b": 8.0, "layers": 32, "hidden": 4096, "heads": 32}
# Five times the size from month 6 on: 40e9 parameters at 18 bytes are 720 GB, over 65 GB left of each GPU twelve GPUs.
GROWS = {"kind": "steps", "steps": [{"month": 6, "value": 5.0}]}
WORK = {
    "kind": "training",
    "slug": "work",
    "accelerator": "gpu",
    "model": EIGHT,
    "sequence": 1024,
    "tokens_b": 0.1,
    "driver": "model_size",
    "growth": GROWS,
}
JOINED = {"box": build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400.0)}


def apart(**more):
    """One box, no fabric."""
    return plan(fabric={"when": "never"}, **more)


def answer(*plans, work=WORK, **changes):
    return evaluated(*plans, work=work, **changes).plans[0]


def cliff(result):
    return [found for found in result.warnings if found.code == "fit_cliff"]


def test_the_month_in_which_the_model_outgrows_its_server_is_found_and_the_idle_machine_valued():
    (found,) = cliff(answer(apart()))
    assert found.month == 6
    # 240 000 × 0.86 at six months (1 to 0.72 over twelve) × 0.85 after commission
    assert found.facts == {
        "workload": "work",
        "item": "box",
        "needed_gpus": 16,
        "server_gpus": 8,
        "stranded_gpus": 8,
        "stranded_servers": 1,
        "amount": pytest.approx(240_000 * 0.86 * 0.85),
    }


def test_the_value_is_a_present_one():
    (found,) = cliff(answer(apart(), finance={"discount_rate": 0.21, "residual_at_horizon": False}))
    assert found.facts["amount"] == pytest.approx(240_000 * 0.86 * 0.85 / 1.1)  # half a year at 21 % a year


def test_what_other_work_uses_is_not_stranded():
    (found,) = cliff(answer(apart(), work=[WORK, pool(2.0)]))
    assert (found.facts["stranded_gpus"], found.facts["stranded_servers"]) == (6, 0)


def test_until_the_cliff_the_work_runs_and_then_it_goes_to_the_cloud():
    result = answer(apart(overflow={"accelerator": "gpu"}))
    assert result.allocation.owned_share["work"][0].tolist() == [1.0] * 6 + [0.0] * 6
    assert result.feasible


def test_without_a_cloud_the_plan_fails_in_that_month():
    result = answer(apart())
    assert [(reason.code, reason.month) for reason in result.infeasible] == [("service_target", 6)]


def test_nothing_is_bought_for_work_that_no_longer_fits():
    grown = answer(apart(follow_up={"kind": "servers"}))
    assert float(grown.fleet.capacity()[0, -1]) == 8.0


def test_a_fabric_with_servers_enough_moves_the_cliff_away():
    two = plan(start={"build": "box", "quantity": 2}, fabric={"when": "when_needed"})
    assert cliff(answer(two, prices=book(builds=JOINED))) == []
    one = plan(fabric={"when": "when_needed"})
    assert [found.month for found in cliff(answer(one, prices=book(builds=JOINED)))] == [6]


def test_a_model_that_fits_nothing_at_the_start_is_no_cliff():
    large = {**WORK, "model": {**EIGHT, "params_b": 80.0}}
    result = answer(apart(), work=large)
    assert cliff(result) == []
    assert result.infeasible[0].code == "memory"


@pytest.mark.parametrize("kind", ["tuning", "serving", "batch"])
def test_tuned_and_served_models_grow_out_of_their_machine_too(kind):
    # 70e9 × 10: LoRA 1507 GB over 69 GB a GPU; 700 GB of 8-bit weights over 69: both more than 8 GPUs
    model = {"params_b": 70.0, "layers": 80, "hidden": 8192, "heads": 64, "kv_heads": 8, "attention": "GQA"}
    work = {"kind": kind, "slug": "work", "accelerator": "gpu", "model": model, "driver": "model_size"}
    work |= {"growth": {"kind": "steps", "steps": [{"month": 3, "value": 10.0}]}}
    more = {"serving": {"requests_per_day": 100.0, "spare_servers": 0}, "tuning": {"sequence": 1024}}
    work |= more.get(kind, {})
    (found,) = cliff(answer(apart(), work=work))
    assert found.month == 3
    assert found.facts["needed_gpus"] > 8
