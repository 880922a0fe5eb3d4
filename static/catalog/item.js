// The page of an item: its price history, in place of the drawing that needs no script.
import { drawFigure } from "../planner/chart.js";

function draw() {
  if (!window.Plotly) return;
  for (const plot of document.querySelectorAll("[data-figure]")) {
    if (!plot.role) {
      plot.replaceChildren();
      plot.role = "img";
      plot.ariaLabel = plot.dataset.summary;
    }
    drawFigure(plot, JSON.parse(document.getElementById(plot.dataset.figure).textContent));
  }
}

if (window.Plotly) draw();
else addEventListener("load", draw);
document.addEventListener("theme", draw);
