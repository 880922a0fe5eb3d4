// Every page: the theme follows the button without a reload, and lasts as a cookie.
const order = ["", "light", "dark"];
const signs = { "": "◐", light: "☀", dark: "☾" };

document.getElementById("theme-form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const root = document.documentElement;
  const next = order[(order.indexOf(root.dataset.theme ?? "") + 1) % order.length];
  if (next) root.dataset.theme = next;
  else delete root.dataset.theme;
  document.cookie = `theme=${next};path=/;max-age=31536000;samesite=lax`;
  const button = document.getElementById("theme-button");
  button.textContent = signs[next];
  button.value = order[(order.indexOf(next) + 1) % order.length];
  document.dispatchEvent(new CustomEvent("theme"));
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.dispatchEvent(new CustomEvent("theme")));

// On a phone the rooms of a scenario stand in one strip: the one we are in is brought into view.
const rooms = document.getElementById("rooms");
const here = rooms?.querySelector("[aria-current]");
if (here && rooms.scrollWidth > rooms.clientWidth) rooms.scrollLeft = here.offsetLeft - rooms.offsetLeft - (rooms.clientWidth - here.offsetWidth) / 2;
