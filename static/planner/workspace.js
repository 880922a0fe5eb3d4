// The workspace: sends an edit when it is made, keeps what was typed, draws the chart, opens Why, finds assumptions.
// The server answers with the parts that changed; without this file every form and link still works.

import { drawFigure } from "./chart.js";
import { showHelpIn } from "./help.js";

const workspace = document.getElementById("workspace");
const $ = (id) => document.getElementById(id);
const TYPING_MS = 150; // while a number is being typed
const UNSURE_MS = 700; // while what stands in the field is no number yet
const RETRY_MS = 4000; // while the server cannot be reached
const FIRST_WAIT_MS = 1000; // after a fault of the server; doubled with every try
const TRIES = 6;
const PASSING = [408, 429]; // refusals that may end by themselves

// ── Edits ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const timers = new WeakMap();
const sent = new WeakMap();
const failed = new Set();

const valueOf = (input) => (input.type === "checkbox" ? String(input.checked) : input.value);
const looksDone = (text) => /^[\s+\-−]*[\d０-９][\d０-９.,．，\s]*%?$/.test(text);

function send(input) {
  clearTimeout(timers.get(input));
  if (sent.get(input) === valueOf(input)) return;
  sent.set(input, valueOf(input));
  htmx.trigger(input.form, "edit");
}

for (const input of document.querySelectorAll(".arow [name=value]")) sent.set(input, valueOf(input));

workspace.addEventListener("input", (event) => {
  const input = event.target;
  if (input.name !== "value" || !input.closest(".arow") || input.type === "checkbox" || input.tagName === "SELECT") return;
  clearTimeout(timers.get(input));
  if (input.inputMode === "decimal") input.size = Math.max(6, input.value.length + 1);
  timers.set(input, setTimeout(() => send(input), looksDone(input.value) && input.tagName === "INPUT" ? TYPING_MS : UNSURE_MS));
});
workspace.addEventListener("change", (event) => {
  if (event.target.name === "value" && event.target.closest(".arow")) send(event.target);
});
workspace.addEventListener("submit", (event) => {
  const row = event.target.closest(".arow");
  if (!row) return;
  event.preventDefault();
  send(row.querySelector("[name=value]"));
});

showHelpIn(workspace);

// Arrow keys step a number by its last digit; with Shift ten times as far.
workspace.addEventListener("keydown", (event) => {
  const input = event.target;
  if (input.inputMode !== "decimal" || !["ArrowUp", "ArrowDown"].includes(event.key) || event.ctrlKey || event.metaKey || event.altKey || input.readOnly) return;
  const text = (input.value || input.placeholder).normalize("NFKC").replace(/[\s,]/g, "").replace("−", "-");
  const number = Number(text);
  if (!text || !Number.isFinite(number)) return;
  event.preventDefault();
  const [digits, power = "0"] = text.toLowerCase().split("e");
  const decimals = Math.min(100, Math.max(0, (digits.split(".")[1] ?? "").length - Number(power)));
  const step = (decimals ? 10 ** -decimals : Math.abs(number) >= 1000 ? 100 : 1) * (event.shiftKey ? 10 : 1);
  const next = (number + (event.key === "ArrowUp" ? step : -step)).toFixed(decimals);
  input.value = next.replace("-", "−").replace(/\B(?=(\d{3})+(?!\d))/g, decimals ? "" : ",");
  send(input);
});

document.body.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.verb !== "post") return;
  event.detail.parameters.base = $("base")?.value ?? event.detail.parameters.base;
  const chart = $("chart");
  if (chart) event.detail.parameters.chart = chart.dataset.code;
});

// A form sent as a whole page says which version this page shows by now.
document.addEventListener("submit", (event) => {
  const base = event.target.querySelector?.("input[name=base]");
  if (base && $("base") && !event.target.closest("#conflict")) base.value = $("base").value;
}, true);

// ── What comes back ───────────────────────────────────────────────────────────────────────────────────────────────

document.body.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.elt;
  if (event.detail.successful) {
    failed.delete(form);
    tries.delete(form);
    if (!failed.size) $("banner").hidden = true;
    const input = form.querySelector?.(".arow [name=value], [name=value]");
    if (input?.closest(".arow")) markInvalid(input);
  } else if (event.detail.requestConfig?.verb === "post" && event.detail.failed) {
    const { status } = event.detail.xhr;
    if (status >= 400 && status < 500 && !PASSING.includes(status)) refuse(form, status);
    else keepTrying(form);
  }
});
document.body.addEventListener("htmx:sendError", (event) => {
  if (event.detail.requestConfig?.verb !== "post") return;
  failed.add(event.detail.elt);
  say(workspace.dataset.offline);
  retryIn(RETRY_MS);
});

const tries = new WeakMap();
let waiting = 0;
function retryIn(ms) {
  clearTimeout(waiting);
  waiting = setTimeout(retry, ms);
}
function say(words, again) {
  const banner = $("banner");
  banner.textContent = words;
  if (again) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: again });
    button.addEventListener("click", retry);
    banner.append(" ", button);
  }
  banner.hidden = false;
}
// A refusal stays one however often it is asked: say why, and leave what was typed where it is.
function refuse(form, status) {
  failed.delete(form);
  tries.delete(form);
  const { gone, forbidden, tooLarge, refused } = workspace.dataset;
  say({ 403: forbidden, 404: gone, 410: gone, 413: tooLarge }[status] ?? refused);
  const input = form.closest(".arow")?.querySelector("[name=value]");
  if (!input) return;
  sent.delete(input);
  input.setAttribute("aria-invalid", "true");
}
function keepTrying(form) {
  const count = tries.get(form) ?? 0;
  failed.add(form);
  if (count < TRIES) {
    tries.set(form, count + 1);
    say(workspace.dataset.failed);
    retryIn(FIRST_WAIT_MS * 2 ** count);
  } else {
    tries.delete(form);
    say(workspace.dataset.gaveUp, workspace.dataset.again);
  }
}
function retry() {
  clearTimeout(waiting);
  for (const form of [...failed]) {
    failed.delete(form);
    if (form.isConnected) htmx.trigger(form, form.closest(".arow") ? "edit" : "submit");
  }
}
addEventListener("online", retry);

function markInvalid(input) {
  const row = input.closest(".arow");
  if (row.querySelector(".error")) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

// Rows that are drawn anew stay as far open as they were.
const opened = new Map();
const folds = (part) => [...part.querySelectorAll("details")].map((each) => {
  const owner = each.parentElement.closest("[id]");
  return [`${owner.id}:${[...owner.querySelectorAll("details")].indexOf(each)}`, each];
});
document.body.addEventListener("htmx:oobBeforeSwap", (event) => {
  const part = event.detail.target;
  if (part.id.startsWith("rows-")) for (const [key, each] of folds(part)) opened.set(key, each.open);
});

document.body.addEventListener("htmx:oobAfterSwap", (event) => {
  const target = event.detail.target;
  const rows = target.id.startsWith("rows-") ? $(target.id) : null;
  if (rows) for (const [key, each] of folds(rows)) each.open = opened.get(key) ?? each.open;
  if (target.id === "chart-data") draw();
  for (const input of target.querySelectorAll?.(".arow [name=value]") ?? []) sent.set(input, valueOf(input));
});
document.body.addEventListener("htmx:load", (event) => {
  const part = event.detail.elt;
  if (part.matches?.(".arow")) sent.set(part.querySelector("[name=value]"), valueOf(part.querySelector("[name=value]")));
});
document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target?.id === "chart") draw();
  refilter();
});

// Undo and redo by keyboard, outside a text field.
addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("input:not([type=checkbox]), textarea, select");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
    event.preventDefault();
    $(event.shiftKey ? "redo" : "undo")?.click();
  }
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    show("assumptions");
    $("find").focus();
  }
});

// ── Chart ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function draw() {
  const source = $("figure");
  const plot = $("plot");
  if (source && plot) drawFigure(plot, JSON.parse(source.textContent));
}
if (window.Plotly) draw();
else addEventListener("load", draw);
document.addEventListener("theme", draw);

workspace.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy-csv]");
  if (!button) return;
  button.dataset.words ??= button.textContent;
  let said = button.dataset.copied;
  try {
    await navigator.clipboard.writeText(JSON.parse($("chart-csv").textContent));
  } catch {
    said = button.dataset.failed;
  }
  button.textContent = $("announce").textContent = said;
  setTimeout(() => { button.textContent = button.dataset.words; }, 2000);
});

// ── Why ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const why = $("why");
document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target === why && !why.open) why.showModal();
});
why.addEventListener("click", (event) => {
  const driver = event.target.closest("[data-driver]");
  if (event.target === why) why.close();
  if (driver) {
    event.preventDefault();
    why.close();
    goTo(driver.hash.slice(1));
  }
});

// ── Finding an assumption ─────────────────────────────────────────────────────────────────────────────────────────

const onlyChanged = $("only-changed");
function refilter() {
  const wanted = $("find").value.trim().toLowerCase();
  const changed = onlyChanged.getAttribute("aria-pressed") === "true";
  const pane = $("assumptions");
  const count = pane.querySelectorAll(".mark").length;
  onlyChanged.textContent = onlyChanged.dataset.words.replace("{count}", count);
  const filtering = Boolean(wanted) || changed;
  if (!filtering && !pane.classList.contains("filtered")) return;
  for (const each of pane.querySelectorAll(".match")) each.classList.remove("match");
  pane.classList.toggle("filtered", filtering);
  if (!filtering) return;
  for (const row of pane.querySelectorAll(".arow")) {
    const group = row.closest("[role=group]")?.getAttribute("aria-label") ?? "";
    const text = `${row.querySelector("label").textContent} ${group}`.toLowerCase();
    if (!wanted.split(/\s+/).every((word) => text.includes(word)) || (changed && !row.querySelector(".mark"))) continue;
    row.classList.add("match");
    for (let up = row.parentElement; up !== pane; up = up.parentElement) {
      if (up.matches("details")) up.open = true;
      up.classList.add("match");
    }
    row.closest("[role=group]")?.querySelector(":scope > .group")?.classList.add("match");
  }
}
$("find").addEventListener("input", refilter);
$("find").addEventListener("keydown", (event) => {
  if (event.key === "Escape") { event.target.value = ""; refilter(); }
  if (event.key === "Enter") { event.preventDefault(); $("assumptions").querySelector(".arow.match [name=value]")?.focus(); }
});
$("rename")?.addEventListener("toggle", (event) => {
  const input = event.target.querySelector("[name=value]");
  if (event.target.open) { input.value = $("name").textContent; input.select(); }
});
document.body.addEventListener("htmx:afterRequest", (event) => {
  const box = event.detail.elt.closest?.("#rename");
  if (box && event.detail.successful) { box.open = false; box.querySelector("summary").focus(); }
});
$("rename")?.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { event.currentTarget.open = false; event.currentTarget.querySelector("summary").focus(); }
});
onlyChanged.addEventListener("click", () => {
  onlyChanged.setAttribute("aria-pressed", String(onlyChanged.getAttribute("aria-pressed") !== "true"));
  refilter();
});
refilter();

// ── Going to a field; two views on a phone ────────────────────────────────────────────────────────────────────────

function show(view) {
  workspace.dataset.view = view;
  for (const link of document.querySelectorAll(".views a")) {
    if (link.dataset.show === view) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
function goTo(id) {
  const row = id && $(id);
  if (!row?.closest("#assumptions")) return;
  show("assumptions");
  for (let up = row.parentElement; up && up.id !== "assumptions"; up = up.parentElement) if (up.matches("details")) up.open = true;
  const pane = $("assumptions");
  if (getComputedStyle(pane).position === "sticky") { // it scrolls by itself: the results beside it stay where they are
    const { top, height } = row.getBoundingClientRect();
    pane.scrollTop += top + height / 2 - pane.getBoundingClientRect().top - pane.clientHeight / 2;
  } else row.scrollIntoView({ block: "center" });
  row.querySelector("[name=value]")?.focus({ preventScroll: true });
}
document.body.addEventListener("click", (event) => {
  const view = event.target.closest(".views a");
  const link = event.target.closest("a[href^='#a-']");
  if (view) { event.preventDefault(); show(view.dataset.show); }
  if (link) { event.preventDefault(); goTo(link.hash.slice(1)); }
});
// After the browser's own jump to the fragment, which would take the focus away again.
if (location.hash.startsWith("#a-")) addEventListener("load", () => setTimeout(() => goTo(location.hash.slice(1))));
