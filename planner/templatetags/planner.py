"""Small helpers of the templates: anchors, times, links to a Why."""

from urllib.parse import urlsplit

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import forms, tables, wording
from planner.services.accounts import LOCAL_OWNER

register = template.Library()
register.filter("anchor", forms.anchor)
register.filter("field", lambda path: wording.label(path))


@register.filter
def ago(moment):
    """How long ago: "just now", "5 min ago", then the day."""
    minutes = int((timezone.now() - moment).total_seconds() // 60)
    if minutes < 1:
        return _("just now")
    if minutes < 60:
        return ngettext("{count} min ago", "{count} min ago", minutes).format(count=minutes)
    return moment_text(moment)


@register.filter("moment")
def moment_text(moment):
    """A day and a time: "30 Nov 2026 14:05"."""
    return f"{wording.date(timezone.localtime(moment).date())} {timezone.localtime(moment):%H:%M}"


@register.filter
def person(user):
    """Who it was; whoever runs the program for himself has no name there."""
    if user is None:
        return "–"
    return _("you") if user.username == LOCAL_OWNER else str(user)


@register.simple_tag
def why_url(scenario, plan, kpi):
    return reverse("planner:why", args=[scenario.pk, plan, kpi])


@register.simple_tag
def why_part_url(scenario, cell):
    """Where a figure opens that is a part of another: some months of it, a category, against another plan."""
    return reverse("planner:why", args=[scenario.pk, cell.plan, cell.why], query=dict(cell.part) or None)


@register.filter
def http_only(url):
    """An address that may become a link; any other, such as javascript:, becomes none."""
    try:
        parts = urlsplit(str(url or ""))
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.hostname else ""


@register.filter
def inside(key, mapping):
    """What a mapping holds under a key."""
    return mapping.get(key, "")


@register.filter
def unlocalised(value):
    """A number as SVG writes it, whatever the language."""
    return repr(float(value))


@register.simple_tag
def no_quote():
    return _("no quote")


@register.simple_tag
def chart_tabs():
    """(code, name) of each chart, in their order."""
    return tables.chart_tabs()
