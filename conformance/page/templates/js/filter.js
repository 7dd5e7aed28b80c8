// What is shown: the words and choices of the filters, and the address that holds all of it.

const VIEWS = { table: "Table", kinds: "Kinds of failure", changes: "Changes", runs: "Runs" };
const LISTS = ["run", "dialect", "check", "state"];
let shownState = readAddress();

function readAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  const state = { view: VIEWS[values.get("view")] ? values.get("view") : "table", q: values.get("q") || "" };
  for (const name of LISTS) {
    state[name] = new Set((values.get(name) || "").split(",").filter((word) => word));
  }
  state.old = values.get("old") === "1";
  state.open = values.get("open") || "";
  state.at = values.get("at") || "";
  state.case = values.get("case") || "";
  return state;
}

// A half of a pair of surrogates has no place in an address.
function encoded(value) {
  return encodeURIComponent(value.replace(/\p{Cs}/gu, "\ufffd")).replaceAll("%2C", ",").replaceAll("%2F", "/");
}

function addressOf(state) {
  const words = [];
  const add = (name, value) => value && words.push(`${name}=${encoded(value)}`);
  add("view", state.view === "table" ? "" : state.view);
  add("q", state.q);
  for (const name of LISTS) add(name, [...state[name]].sort().join(","));
  add("old", state.old ? "1" : "");
  add("open", state.open);
  add("at", state.open ? state.at : "");
  add("case", state.open ? state.case : "");
  return `#${words.join("&")}`;
}

// Changes what is shown and the address with it; `push` makes a step that the browser's Back undoes.
function go(changes, push) {
  shownState = { ...shownState, ...changes };
  const address = addressOf(shownState);
  if (address !== location.hash && !(address === "#" && !location.hash)) {
    history[push ? "pushState" : "replaceState"](null, "", address === "#" ? location.pathname + location.search : address);
  }
  render();
}

function words() {
  return shownState.q.toLowerCase().split(/\s+/).filter((word) => word);
}

function runsShown() {
  return SUMMARY.runs.filter((run) => (shownState.old || run.latest) && (!shownState.run.size || shownState.run.has(run.key)));
}

function dialectsShown() {
  return SUMMARY.dialects.filter((one) => !shownState.dialect.size || shownState.dialect.has(one.id));
}

function checkShown(place) {
  return !shownState.check.size || shownState.check.has(CHECK_IDS[place]);
}

// Whether a check of a dialect of a run is what the filters ask for.
function wanted(run, dialect, place, sought) {
  if (!checkShown(place)) return false;
  const state = stateAt(run, dialect.id, place);
  if (shownState.state.size && !shownState.state.has(state.id)) return false;
  if (!sought.length) return true;
  const about = [runName(run), run.id, dialect.id, dialect.title, ...dialect.models, CHECK_IDS[place], state.head];
  for (const [id, title, known] of kindsAt(run, dialect.id, place)) about.push(id, title, known);
  const text = about.join(" ").toLowerCase();
  return sought.every((word) => text.includes(word));
}

// Whether an item of a list is asked for: by its run, dialect and check alone.
function filtering() {
  return Boolean(shownState.q.trim()) || LISTS.some((name) => shownState[name].size);
}

function menu(name, title, options) {
  const chosen = shownState[name];
  const told = chosen.size ? [...chosen].map((id) => (options.find((one) => one[0] === id) || [id, id])[1]).join(", ") : "all";
  const box = h("details", { class: "menu", "data-menu": name });
  const change = (event) => {
    const next = new Set(shownState[name]);
    if (event.target.checked) next.add(event.target.value);
    else next.delete(event.target.value);
    go({ [name]: next });
  };
  fill(
    box,
    h("summary", {}, h("span", { class: "name" }, title), " ", h("span", { class: "told" }, told)),
    h(
      "div",
      { class: "choices", role: "group", "aria-label": title },
      options.map(([id, label, before]) =>
        h(
          "label",
          {},
          h("input", { type: "checkbox", value: id, checked: chosen.has(id), on: { change } }),
          before || null,
          h("span", {}, label),
        ),
      ),
      h("button", { type: "button", on: { click: () => go({ [name]: new Set() }) } }, "all"),
    ),
  );
  return box;
}

function drawFilters() {
  const open = [...document.querySelectorAll("details.menu[open]")].map((one) => one.dataset.menu);
  const focused = document.activeElement && document.activeElement.closest("details.menu") ? document.activeElement.value : null;
  const held = byId("words");
  const several = new Map();
  for (const run of SUMMARY.runs) several.set(run.key, run.name);
  const present = new Set(SUMMARY.runs.flatMap((run) => Object.values(run.cells).flatMap((cell) => [...cell.states])));
  const states = STATES.filter((state, place) => present.has(String.fromCharCode(97 + place)));
  const menus = h(
    "div",
    { class: "menus" },
    menu("run", "Implementations", [...several]),
    menu("dialect", "Dialects", SUMMARY.dialects.map((one) => [one.id, one.id])),
    menu("check", "Checks", SUMMARY.checks.map((one) => [one.id, one.id])),
    menu("state", "Outcomes", states.map((one) => [one.id, one.head, sign(one)])),
    SUMMARY.runs.some((run) => !run.latest)
      ? h("label", { class: "old" }, h("input", { type: "checkbox", checked: shownState.old, on: { change: (event) => go({ old: event.target.checked }) } }), h("span", {}, "earlier runs too"))
      : null,
    filtering() ? h("button", { type: "button", class: "clear", on: { click: clearFilters } }, "clear filters") : null,
  );
  for (const box of menus.querySelectorAll("details")) {
    box.open = open.includes(box.dataset.menu);
    if (box.open && focused !== null) {
      const again = [...box.querySelectorAll("input")].find((one) => one.value === focused);
      if (again) queueMicrotask(() => again.focus());
    }
  }
  if (held) {
    if (held.value !== shownState.q && document.activeElement !== held) held.value = shownState.q;
    byId("filters").lastElementChild.replaceWith(menus);
    return;
  }
  const box = h("input", {
    id: "words",
    type: "search",
    placeholder: "filter: qwen3 lost second block \u2026",
    "aria-label": "Filter by words of implementation, dialect, check, outcome or kind of failure",
    "aria-keyshortcuts": "/",
    autocomplete: "off",
    spellcheck: "false",
    on: { input: (event) => go({ q: event.target.value }) },
  });
  box.value = shownState.q;
  fill(byId("filters"), box, menus);
}

function clearFilters() {
  byId("words").value = "";
  go({ q: "", run: new Set(), dialect: new Set(), check: new Set(), state: new Set() });
}
