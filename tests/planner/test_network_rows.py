"""Networks, scaling and what stands around the GPUs, as a planner finds them on the page: rows, choices, findings."""

import pytest
from django.utils.translation import override

from catalog.importers.shipped import shipped
from planner import forms, tables, wording
from planner.engine.compare import compare
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario, set_at
from planner.engine.quantities import InputError
from planner.services import assumptions, explain, gallery, pricebook, scenarios
from planner.services import evaluation as answers

FABRIC = "plans/cluster-now/fabric"


def lab(*changes):
    """(scenario, evaluation) of the driving lab with values put at paths."""
    data = gallery.document("driving-lab")
    for path, value in changes:
        data = set_at(data, path, value)
    scenario = Scenario.read({**data, "months": 12})
    return scenario, evaluate(scenario, pricebook.build(shipped(), scenario))


def page(scenario, evaluation):
    return forms.Page(scenario, evaluation, evaluation.book, shipped(), scenario.model_dump(mode="json")).rows()


def test_u075_the_efficiency_by_gpus_and_interconnect_is_typed_as_points():
    scenario, _evaluation = lab()
    each = forms.declared(scenario, "demand/scaling/pcie")
    assert forms.read(each, "1: 100; 4: 97 %; 8: 71.5") == [
        {"gpus": 1, "share": 1.0},
        {"gpus": 4, "share": 0.97},
        {"gpus": 8, "share": 0.715},
    ]
    with pytest.raises(InputError):
        forms.read(each, "1.5: 100")


@pytest.mark.parametrize(
    "name",
    ["network", "planes", "ufm", "cabling", "leaf_m", "spine_m", "storage_network", "in_band", "out_of_band",
     "oversubscription", "topology", "spread", "final_nodes", "commissioning_days"],
)  # fmt: skip
def test_every_choice_of_a_fabric_is_a_row_of_its_plan(name):
    scenario, evaluation = lab()
    row = page(scenario, evaluation)[f"{FABRIC}/{name}"]
    assert row.label
    assert row.help


def test_every_network_has_a_price_in_the_shipped_catalog_but_the_managers():
    for network in ("1gbe", "10gbe", "25gbe", "25g_roce", "100gbe", "100g_rdma", "400g_rdma", "8x200g_rdma",
                    "8x400g_rdma", "8x800g_rdma"):  # fmt: skip
        _scenario, evaluation = lab((f"{FABRIC}/network", network))
        assert evaluation.plan("cluster-now").priced, network
    beside = [(f"{FABRIC}/{name}", True) for name in ("storage_network", "in_band", "out_of_band")]
    _scenario, evaluation = lab(*beside, (f"{FABRIC}/cabling", "by_distance"), (f"{FABRIC}/leaf_m", 2.0))
    assert evaluation.plan("cluster-now").priced
    _scenario, evaluation = lab((f"{FABRIC}/ufm", True))
    assert [reason.code for reason in evaluation.plan("cluster-now").infeasible] == ["no_quote"]


def test_the_price_of_a_switch_can_be_replaced_and_one_without_a_quote_given():
    scenario, evaluation = lab((f"{FABRIC}/ufm", True))
    assert page(scenario, evaluation)["market/own_prices/ufm-enterprise-ndr"].text == ""
    scenario, evaluation = lab((f"{FABRIC}/ufm", True), ("market", {"own_prices": {"ufm-enterprise-ndr": 25_000.0}}))
    assert evaluation.plan("cluster-now").priced
    rows = page(scenario, evaluation)
    assert rows["market/own_prices/qm9700"].text
    assert rows["market/own_prices/flash-file-usable-tb"].unit.endswith("TB")


def told(evaluation, words):
    groups = tables.findings(evaluation, compare(evaluation))
    return next(item for group in groups for item in group.items if words in item.text)


def test_a_network_is_told_with_the_parallelism_it_assumes():
    _scenario, evaluation = lab((f"{FABRIC}/network", "400g_rdma"))
    item = told(evaluation, "data parallel between servers")
    assert item.path == f"{FABRIC}/network"
    assert "400G RDMA" in item.text


def test_a_network_over_which_no_number_of_gpus_meets_the_deadline_is_told():
    _scenario, evaluation = lab((f"{FABRIC}/network", "100gbe"))
    item = told(evaluation, "meets its deadline on no number")
    assert (item.path, item.tone) == (f"{FABRIC}/network", "bad")
    assert "100G Ethernet" in item.text
    finding = next(each for each in evaluation.plan("cluster-now").warnings if each.code == "deadline")
    with override("zh-hans"):
        assert "100G 以太网" in wording.finding(finding, evaluation)


def test_work_that_bought_machines_cannot_do_is_said_to_be_done_by_the_cloud():
    _scenario, evaluation = lab((f"{FABRIC}/network", "1gbe"))
    comparison = compare(evaluation)
    with override("en"):
        cells = {row.slug: row.cells["demand"] for row in tables.kpis(evaluation, comparison)}
    assert cells["cluster-now"].text.startswith("every month, ")
    assert cells["cluster-now"].text.endswith("by the cloud")
    assert cells["cluster-now"].tone == "warn"
    assert "meets its deadline on no number" in cells["cluster-now"].exact
    assert (cells["cloud"].text, cells["cloud"].tone) == ("every month", "good")  # it buys nothing


def test_why_names_what_the_network_takes_and_the_assumption_behind_it():
    _scenario, evaluation = lab((f"{FABRIC}/network", "100g_rdma"))
    tree = explain.tree(evaluation, compare(evaluation), "cluster-now", "capacity")
    found = {node["key"]: node for node in explain.walk(tree)}
    assert found["network_share"]["value"] < 1.0
    assert f"{FABRIC}/network" in [driver["path"] for driver in found["network_share"]["drivers"]]
    assert found["scaling_share"]["drivers"][0]["value_text"] == "1\u00a0GPU: 100\u00a0%; 8\u00a0GPUs: 100\u00a0%"


def test_work_per_kwh_opens_into_work_and_energy():
    _scenario, evaluation = lab()
    tree = explain.tree(evaluation, compare(evaluation), "cluster-now", "work_per_kwh")
    work, energy = tree["children"]
    assert tree["value"] == pytest.approx(work["value"] / energy["value"])
    rows = {row.slug: row for row in tables.kpis(evaluation, compare(evaluation))}
    assert rows["cluster-now"].cells["per_kwh"].why == "work_per_kwh"


def test_a_server_without_a_rate_for_the_work_is_not_offered():
    # the catalog has no FP64 figure of the Ascend 910B: simulation cannot be placed on it
    scenario, _evaluation = lab()
    simulation = {"slug": "cfd", "kind": "hpc", "accelerator": "h200-sxm"}
    hpc = Scenario.read({**gallery.document("driving-lab"), "demand": {"workloads": [simulation]}})
    path = "plans/cluster-now/start/build"
    everything = {slug for slug, _name in assumptions.items(shipped(), scenario, path, "build")}
    offered = {slug for slug, _name in assumptions.items(shipped(), hpc, path, "build")}
    assert "srv-8x-ascend-910b-cn" in everything - offered
    assert "srv-8x-h200-sxm" in offered
    rented = {
        slug for slug, _name in assumptions.items(shipped(), hpc, "plans/cloud/overflow/accelerator", "accelerator")
    }
    assert "ascend-910b" not in rented
    assert "h200-sxm" in rented


def test_another_network_on_a_saved_scenario_brings_the_prices_it_needs(workspace, editor):
    row = scenarios.create_from_template(workspace, editor, "driving-lab")
    version = scenarios.edit(row, 1, f"{FABRIC}/network", "100g_rdma", editor)
    evaluation, _comparison = answers.evaluated(version)
    assert evaluation.plan("cluster-now").priced
    assert evaluation.plan("cluster-now").network.switch.slug == "sn4600c"
