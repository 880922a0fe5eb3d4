"""Present value by category of cost."""

from django.utils.translation import gettext

from planner import wording
from planner.charts.axes import money_axis
from planner.charts.chart import Chart, Figure
from planner.charts.text import short
from planner.engine.lines import CATEGORIES


def figure(chart: Chart) -> Figure:
    """One group of bars a category, one bar a plan, from zero; credits below it."""
    if not chart.priced:
        return chart.unpriced(gettext("Present value by category"))
    parts = {plan.slug: plan.by_category() for plan in chart.priced}
    used = [name for name in CATEGORIES if any(abs(found.get(name, 0.0)) > 0 for found in parts.values())]
    biggest = max((abs(value) for found in parts.values() for value in found.values()), default=1.0)
    shown = [name for name in used if max(abs(found.get(name, 0.0)) for found in parts.values()) >= biggest * 0.004]
    for plan in chart.priced:
        values = [parts[plan.slug].get(name, 0.0) for name in shown]
        pattern = {"shape": chart.pattern(plan), "solidity": 0.15, "fgopacity": 0.6, "fillmode": "overlay"}
        bars = {
            "type": "bar",
            "orientation": "h",
            "y": [wording.category(name) for name in shown],
            "x": [short(value) or None for value in values],
            "customdata": [chart.money(value) for value in values],
            "hovertemplate": "%{customdata}",
            "marker": {"pattern": pattern},
        }
        chart.add_of(plan, bars, "marker")
    table = [
        [wording.category(name), *(chart.money(parts[plan.slug].get(name, 0.0)) for plan in chart.priced)]
        for name in used
    ]
    table.append([gettext("Total"), *(chart.money(plan.present_value) for plan in chart.priced)])
    low = min((value for found in parts.values() for value in found.values()), default=0.0)
    high = max((value for found in parts.values() for value in found.values()), default=1.0)
    axis = money_axis(low, high, chart.currency, showgrid=True, zeroline=True)
    return chart.done(
        gettext("Present value by category"),
        _summary(chart, parts),
        [gettext("Category"), *(chart.names[plan.slug] for plan in chart.priced)],
        table,
        axes={"xaxis": axis, "yaxis": {"autorange": "reversed", "showgrid": False, "type": "category"}},
        barmode="group",
        bargap=0.25,
        hovermode="y unified",
        height=max(320, 70 + len(shown) * (10 + 9 * max(1, len(chart.priced)))),
    )


def _summary(chart: Chart, parts: dict[str, dict[str, float]]) -> str:
    """Each plan's largest category."""
    return gettext("Present value by category: {plans}.").format(
        plans=gettext("; ").join(
            gettext("{plan}: {category} {amount}").format(
                plan=chart.names[slug],
                category=wording.category(name),
                amount=wording.money(found[name], chart.currency, compact=True),
            )
            for slug, found in parts.items()
            if found
            for name in (max(found, key=lambda each: found[each]),)
        )
    )
