// A figure of planner/charts, drawn by Plotly in the reader's theme and at the width there is.

const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

// Colours in a figure are the light theme's; for the dark one every such string is exchanged for that of the same role.
function themed(node, exchange) {
  if (typeof node === "string") return exchange.get(node.toLowerCase()) ?? node;
  if (Array.isArray(node)) return node.map((entry) => themed(entry, exchange));
  if (node && typeof node === "object") return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, themed(value, exchange)]));
  return node;
}

// Draw or redraw; nothing while Plotly is not loaded. The place is busy until the drawing stands.
export async function drawFigure(plot, { data, layout }) {
  if (!window.Plotly) return;
  const { meta = {} } = layout;
  const narrow = plot.clientWidth < 520;
  if (narrow) layout = { ...layout, ...meta.narrow };
  if (meta.light && meta.dark && isDark()) {
    const exchange = new Map(Object.keys(meta.light).map((role) => [meta.light[role].toLowerCase(), meta.dark[role]]));
    data = themed(data, exchange);
    layout = themed({ ...layout, meta: undefined }, exchange);
  }
  plot.style.height = `${layout.height ?? (narrow ? 320 : 360)}px`;
  plot.setAttribute("aria-busy", "true");
  await window.Plotly.react(plot, data, { ...layout, meta: undefined, autosize: true }, { displayModeBar: false, responsive: true, showTips: false });
  plot.removeAttribute("aria-busy");
}
