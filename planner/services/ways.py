"""One server, several or a cluster, for the work of a scenario and for what Sizing was asked."""

from __future__ import annotations

from catalog.records import Catalog
from planner.engine.inputs import Plan, Start
from planner.engine.prices import content_hash
from planner.engine.shapes import Shapes, servers_to_compare, shapes
from planner.models import ScenarioVersion
from planner.services import evaluation, pricebook, scenarios
from planner.services.evaluation import Recent
from planner.services.sizing import Answer

_found = Recent(24)


def of_version(version: ScenarioVersion) -> Shapes | None:
    """The three ways for all the work of a version, at the prices it pins; None where its plans buy no server.

    Raises InputError where they cannot be computed.
    """
    scenario, book = scenarios.read(version.document), evaluation.book_of(version.prices_id)
    slug = servers_to_compare(scenario, book)
    if slug is None:
        return None
    key = (content_hash(version.document), version.prices_id, slug, evaluation.ENGINE_VERSION)
    found: Shapes = _found.get(key, lambda: shapes(scenario, book, slug))
    return found


def of_answer(answered: Answer, accelerator: str, catalog: Catalog) -> Shapes | None:
    """The three ways for what Sizing was asked, on the largest usual server of an accelerator; None without one.

    Raises InputError where they cannot be computed, KeyError for an accelerator that does not do the work.
    """
    need = answered.of(accelerator)
    if need is None or not need.fits:
        raise KeyError(accelerator)
    builds = [build for build in answered.book.builds.values() if build.accelerator == accelerator]
    new = [build for build in builds if not build.slug.startswith("used-")] or builds
    plans = tuple(Plan(slug=build.slug, start=Start(build=build.slug)) for build in new[:12])
    asked = answered.scenario.model_copy(update={"plans": plans})
    slug = servers_to_compare(asked, answered.book) if plans else None
    if slug is None:
        return None
    alone = answered.scenario.model_copy(update={"plans": (Plan(slug="one", start=Start(build=slug)),)})
    key = (id(catalog), content_hash(alone.model_dump(mode="json")))
    found: Shapes = _found.get(key, lambda: (shapes(alone, pricebook.build(catalog, alone), slug), catalog))[0]
    return found
