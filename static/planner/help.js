// The help of a row stays until another row is entered, and moves only once the pointer is up: a click must hit what it aimed at.

export function showHelpIn(root) {
  let pressed = false;
  let current = null;
  function show() {
    const row = document.activeElement?.closest(".arow");
    if (!row || row === current) return;
    current?.classList.remove("current");
    current = row;
    row.classList.add("current");
  }
  root.classList.add("scripted");
  addEventListener("pointerdown", () => { pressed = true; }, true);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => { pressed = false; setTimeout(show); }, true);
  root.addEventListener("focusin", () => { if (!pressed) show(); });
  return show;
}
