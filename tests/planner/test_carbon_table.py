"""The carbon of each plan on the page: tonnes with their Why, "not known" where nobody says."""

import pytest
from django.utils.translation import override

from planner import tables
from planner.services import explain
from tests.planner.sample import book, evaluated

GRID = {"grid_kgco2e_per_kwh": 0.4}


def stated():
    """The sample's prices with a grid factor and, for its expandable server, the carbon of its making."""
    plain = book()
    builds = {
        slug: build.model_copy(
            update={"embodied_kgco2e": 2000.0, "embodied_gpu_kgco2e": 200.0} if slug in plain.addons else {}
        )
        for slug, build in plain.builds.items()
    }
    tariffs = {slug: tariff.model_copy(update=GRID) for slug, tariff in plain.tariffs.items()}
    return plain.model_copy(update={"builds": builds, "tariffs": tariffs})


@pytest.fixture(scope="module")
def sample():
    return evaluated(prices=stated())


def row(sample, slug):
    return next(row for row in tables.carbon(*sample).rows if row["slug"] == slug)


def test_u087_each_figure_opens_its_why(sample):
    cells = row(sample, "scale-out")["cells"]
    assert [cell.why for cell in cells] == ["carbon_use", "carbon_embodied", "carbon"]
    tree = explain.tree(*sample, "scale-out", "carbon")
    assert tree["unit"] == "t CO₂e"
    assert tree["value"] == pytest.approx(sum(child["value"] for child in tree["children"]))


def test_u087_the_why_counts_gpus_apart_from_servers(sample):
    made = explain.tree(*sample, "scale-out", "carbon_embodied")["children"][0]
    host, gpus = made["children"]
    bought = sum(h.ordered_cards.sum() for h in sample[0].plan("scale-out").fleet.holdings)
    assert gpus["value"] == pytest.approx(bought * 0.2)
    assert host["value"] + gpus["value"] == pytest.approx(made["value"])


def test_u087_the_why_of_the_energy_multiplies_months_to_tonnes(sample):
    site = explain.tree(*sample, "scale-out", "carbon_use")["children"][0]
    assert site["months"][0]["unit_price"] == 0.0004
    assert sum(cell["quantity"] for cell in site["months"]) * 0.0004 == pytest.approx(site["value"])


def test_a_plan_that_only_rents_says_not_known(sample):
    with override("en"):
        cloud = row(sample, "cloud")
        assert [cell.text for cell in cloud["cells"]] == ["not known"] * 3
        assert cloud["note"] == "not known, and not counted: rented GPUs"


def test_a_plan_with_a_part_not_known_shows_the_least(sample):
    with override("en"):
        assert row(sample, "scale-out")["cells"][0].text.startswith("at least")
