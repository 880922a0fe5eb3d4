"""Colours of both themes by role, and how a plan looks by its place in the scenario, in every figure."""

# Okabe–Ito order, darkened or lightened to reach 3:1 on the page's ground.
LIGHT = {
    "plan1": "#0072b2",
    "plan2": "#d55e00",
    "plan3": "#009e73",
    "plan4": "#8b5a9f",
    "plan5": "#8a6d00",
    "plan6": "#a8325a",
    "ink": "#14181d",
    "ink2": "#5a6572",
    "line": "#e3e7eb",
    "line2": "#eef1f4",
    "ground": "#ffffff",
    "bad": "#b3261e",
}
DARK = {
    "plan1": "#56b4e9",
    "plan2": "#f08a4b",
    "plan3": "#35c79a",
    "plan4": "#c79be0",
    "plan5": "#d9b84a",
    "plan6": "#f08aa8",
    "ink": "#e9edf1",
    "ink2": "#a3aebb",
    "line": "#2a323b",
    "line2": "#20272f",
    "ground": "#161b21",
    "bad": "#ff8a80",
}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
PATTERNS = ("", "/", ".", "\\", "x", "-")
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans SC", "Microsoft YaHei", sans-serif'


def plan_role(index: int) -> str:
    """Role of the colour of the plan in this place of the scenario."""
    return f"plan{index % 6 + 1}"


def plan_style(index: int) -> dict[str, str]:
    """Colour in both themes, dash and marker of a plan by its place in the scenario."""
    role = plan_role(index)
    return {
        "role": role,
        "light": LIGHT[role],
        "dark": DARK[role],
        "dash": DASHES[(index + index // 6) % 6],  # the 7th plan shares the 1st one's colour, not its dash
        "marker": MARKERS[index % 6],
    }
