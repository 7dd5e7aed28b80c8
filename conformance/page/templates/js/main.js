// Draws the page, and draws it anew when the address or a choice changes.

const DRAW = { table: drawTable, kinds: drawKinds, changes: drawChanges, runs: drawRuns };
const THEMES = ["auto", "light", "dark"];

function remembered() {
  try {
    return localStorage.getItem("conformance-theme") || "auto";
  } catch {
    return "auto";
  }
}

function useTheme(theme) {
  document.documentElement.dataset.theme = THEMES.includes(theme) ? theme : "auto";
  try {
    localStorage.setItem("conformance-theme", theme);
  } catch {
    // A page that may not remember is as it was asked until it is left.
  }
}

function drawTools() {
  const button = h("button", { type: "button", id: "theme" });
  const name = () => {
    button.textContent = `theme: ${document.documentElement.dataset.theme}`;
  };
  button.addEventListener("click", () => {
    const at = THEMES.indexOf(document.documentElement.dataset.theme);
    useTheme(THEMES[(at + 1) % THEMES.length]);
    name();
  });
  name();
  fill(byId("tools"), button, h("button", { type: "button", id: "keys", "aria-keyshortcuts": "?", on: { click: () => byId("help").showModal() } }, "keys"));
}

function drawTabs() {
  fill(
    byId("tabs"),
    Object.entries(VIEWS).map(([view, title]) =>
      h("a", { href: addressOf({ ...shownState, view, open: "" }), "aria-current": view === shownState.view ? "page" : null }, title, view === "changes" ? h("small", {}, ` ${SUMMARY.changes.length}`) : null),
    ),
  );
}

let drawn = "";

function render() {
  const { open, at, case: which, ...rest } = shownState;
  const key = addressOf({ ...rest, open: "" });
  if (key !== drawn) {
    const held = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.cell : "";
    drawTabs();
    drawFilters();
    DRAW[shownState.view](byId("view"));
    drawn = key;
    const again = held && [...document.querySelectorAll("td[data-cell]")].find((cell) => cell.dataset.cell === held);
    if (again) again.focus();
  }
  drawPanel();
}

function focusCell(key) {
  const cell = [...document.querySelectorAll("td[data-cell]")].find((one) => one.dataset.cell === key);
  if (cell) {
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    cell.focus();
  }
}

function begin() {
  useTheme(remembered());
  const panel = h("dialog", { id: "panel", "aria-labelledby": "panel-title" });
  const help = h("dialog", { id: "help", "aria-label": "Keys" }, helpView());
  document.body.append(panel, help);
  panel.addEventListener("close", () => {
    const key = shownState.open;
    closePanel();
    if (key || focusedCell) focusCell(key || focusedCell);
  });
  for (const dialog of [panel, help]) {
    dialog.addEventListener("click", (event) => {
      const box = dialog.getBoundingClientRect();
      const inside = box.left <= event.clientX && event.clientX <= box.right && box.top <= event.clientY && event.clientY <= box.bottom;
      if (event.target === dialog && !inside) dialog.close();
    });
  }
  window.addEventListener("hashchange", () => {
    shownState = readAddress();
    render();
  });
  window.addEventListener("popstate", () => {
    shownState = readAddress();
    render();
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  drawTools();
  const opened = shownState.open;
  render();
  if (opened) {
    focusedCell = opened;
    focusCell(opened);
    const panelOpen = byId("panel");
    if (panelOpen.open) panelOpen.focus();
  }
}

begin();
