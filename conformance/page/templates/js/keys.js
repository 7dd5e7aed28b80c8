// The keyboard: arrows between cells, Enter opens, Escape closes, / filters, ? tells.

const KEYS = [
  ["\u2190 \u2192 \u2191 \u2193", "from cell to cell; Home and End to the ends of a row, with Ctrl to the table's"],
  ["Enter", "opens the cell"],
  ["Esc", "closes what is open; in the filter, empties it"],
  ["n, p", "in an open cell, the next and the previous check"],
  ["/", "to the filter"],
  ["t", "to the table"],
  ["1 \u2026 4", "the views"],
  ["?", "this list"],
];

function helpView() {
  return [
    h("header", { class: "panel-head" }, h("h2", { tabindex: "-1" }, "Keys"), h("button", { type: "button", class: "close", "aria-label": "close", on: { click: () => byId("help").close() } }, "\u2715")),
    h("dl", { class: "keys" }, KEYS.map(([key, words]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)])),
  ];
}

function moveCell(cell, event) {
  const row = cell.parentElement;
  const column = [...row.cells].indexOf(cell);
  const rows = [...row.parentElement.rows];
  const at = rows.indexOf(row);
  const last = row.cells.length - 1;
  const target = {
    ArrowLeft: [at, column - 1],
    ArrowRight: [at, column + 1],
    ArrowUp: [at - 1, column],
    ArrowDown: [at + 1, column],
    Home: [event.ctrlKey ? 0 : at, 1],
    End: [event.ctrlKey ? rows.length - 1 : at, last],
  }[event.key];
  if (!target) return false;
  const next = rows[target[0]] && target[1] > 0 ? rows[target[0]].cells[target[1]] : null;
  if (next) next.focus();
  return true;
}

function typing(target) {
  return target.matches("input:not([type=checkbox]), textarea, select");
}

function onKey(event) {
  if (event.altKey || event.metaKey || event.defaultPrevented) return;
  const target = event.target instanceof Element ? event.target : document.body;
  const modal = document.querySelector("dialog[open]");
  if (modal) {
    const by = { n: 1, p: -1 }[event.key];
    if (by && modal.id === "panel" && !event.ctrlKey && !typing(target)) stepCheck(by);
    return;
  }
  if (event.key === "Escape") {
    const open = document.querySelector("details.menu[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    } else if (target.id === "words") {
      target.value = "";
      go({ q: "" });
      target.blur();
    }
    return;
  }
  if (typing(target)) return;
  const cell = target.closest("td[data-cell]");
  if (cell && moveCell(cell, event)) {
    event.preventDefault();
    return;
  }
  if (cell && (event.key === "Enter" || event.key === " ") && cell.classList.contains("asked")) {
    event.preventDefault();
    openCell(cell.dataset.cell);
    return;
  }
  if (event.ctrlKey) return;
  const view = Object.keys(VIEWS)[Number(event.key) - 1];
  if (event.key === "/") {
    event.preventDefault();
    byId("words").focus();
  } else if (event.key === "?") {
    byId("help").showModal();
  } else if (event.key === "t") {
    const first = document.querySelector('td[tabindex="0"]');
    if (first) first.focus();
  } else if (view) {
    go({ view }, true);
  }
}
