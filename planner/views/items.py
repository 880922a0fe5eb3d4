"""What the catalog's pages show of the planner (settings.CATALOG_NEIGHBOUR): drawings, and what uses an item."""

from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from catalog.neighbour import Drawing, Use, Uses
from planner import wording
from planner.charts import history, svg
from planner.services import access
from planner.services import uses as services

LISTED = 12
WIDE, NARROW = 680, 350  # [px]


def price_history(series, today):
    """The chart of one series of prices."""
    figure = history.figure(series, today)
    height = figure["layout"]["height"]
    return Drawing(
        {"data": figure["data"], "layout": figure["layout"]},
        mark_safe(svg.draw(figure, WIDE, height)),
        mark_safe(svg.draw(figure, NARROW, height, narrow=True)),
    )


def uses(user, item):
    """The scenarios of the user's workspaces, and the templates, that are computed with the item."""
    found = services.scenarios(user, item)
    count = found.count()
    mine = [
        Use(
            row.name or wording.template_title(row.template) or _("Scenario"),
            reverse("planner:workspace", args=[row.pk]),
        )
        for row in found[:LISTED]
    ]
    home = reverse("planner:home")
    templates = [Use(wording.template_title(slug), f"{home}#template-{slug}") for slug in services.templates(item)]
    groups = [
        Uses(_("Scenarios"), mine, count - len(mine), f"{home}#mine"),
        Uses(_("Situations to start from"), templates),
    ]
    return [group for group in groups if group.links]


def colleagues(user, other):
    return access.colleagues(user, other)
