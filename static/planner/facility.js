// The month's name follows the slider at once; the room follows when the server has answered.
const slider = document.getElementById("month");
const labels = JSON.parse(document.getElementById("month-labels")?.textContent ?? "[]");

function name() {
  const [text, place] = labels[Number(slider.value)];
  slider.setAttribute("aria-valuetext", text);
  const shown = document.getElementById("month-text");
  shown.textContent = text;
  shown.title = place;
}

slider?.addEventListener("input", name);

// A wave was chosen beside the slider: it goes there too.
document.body.addEventListener("htmx:afterSwap", (event) => {
  const room = document.getElementById("room");
  if (!room || !event.detail.requestConfig?.elt.matches?.("a")) return;
  slider.value = room.dataset.month;
  name();
});
