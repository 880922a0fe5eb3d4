"""The template of every figure: fonts, grid, hover and legend in the colours of the light theme."""

from typing import Any

from planner.charts.axes import Axis
from planner.charts.theme import DARK, FONT, LIGHT


def themed(axis_name: str, axis: Axis) -> Axis:
    return {
        "gridcolor": LIGHT["line2"],
        "zerolinecolor": LIGHT["line"],
        "linecolor": LIGHT["line"],
        "showline": axis_name.startswith("x"),
        "showgrid": axis_name.startswith("y"),
        "fixedrange": True,
        "automargin": True,
        "ticks": "",
        "showspikes": False,  # its white halo suits no dark ground
        **axis,
    }


def layout(axes: dict[str, Axis], *, legend: bool, right: int, **more: Any) -> dict[str, Any]:
    """Axes by name, whether there is a legend, pixels kept free at the right; `more` overrides."""
    return {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12, "color": LIGHT["ink2"]},
        "margin": {"l": 56, "r": right, "t": 16, "b": 36},
        "hovermode": "x unified",
        "showlegend": legend,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"},
        "hoverlabel": {
            "bgcolor": LIGHT["ground"],
            "bordercolor": LIGHT["line"],
            "font": {"color": LIGHT["ink"]},
        },
        **{name: themed(name, axis) for name, axis in axes.items()},
        **more,
        "meta": {
            "light": LIGHT,
            "dark": DARK,
            "narrow": {"showlegend": True, "annotations": [], "margin": {"l": 48, "r": 16, "t": 16, "b": 36}},
        },
    }
