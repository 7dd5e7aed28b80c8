// The table of dialects and runs, a sign a check in each cell. Signs are drawn when a row comes into view.

let seeing = null;
let focusedCell = "";

function countsOf(run, dialect, places) {
  const counts = {};
  for (const place of places) {
    const id = stateAt(run, dialect.id, place).id;
    counts[id] = (counts[id] || 0) + 1;
  }
  return counts;
}

function told(counts) {
  return STATES.filter((state) => counts[state.id]).map((state) => `${counts[state.id]} ${state.head}`).join(", ");
}

function drawTable(view) {
  const sought = words();
  const filtered = filtering();
  const every = CHECK_IDS.map((_, place) => place).filter(checkShown);
  let runs = runsShown();
  const cells = new Map();
  const rows = [];
  for (const dialect of dialectsShown()) {
    const several = runs.map((run) => every.filter((place) => wanted(run, dialect, place, sought)));
    if (several.some((places) => places.length)) rows.push(dialect);
    several.forEach((places, at) => cells.set(`${runs[at].slug}/${dialect.id}`, places));
  }
  if (filtered) runs = runs.filter((run) => rows.some((dialect) => cells.get(`${run.slug}/${dialect.id}`).length));
  if (!rows.length || !runs.length) {
    fill(view, h("p", { class: "none" }, "Nothing fits the filters. "), clearButton());
    return;
  }
  const table = h("table", { class: "board", role: "grid", "aria-label": "Dialects and implementations", "aria-rowcount": rows.length + 1, "aria-colcount": runs.length + 1 });
  table.append(h("thead", {}, h("tr", { role: "row" }, h("th", { scope: "col", class: "corner" }, plural(rows.length, "dialect")), runs.map((run) => runHead(run)))));
  const body = h("tbody", {});
  if (seeing) seeing.disconnect();
  seeing = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        seeing.unobserve(entry.target);
        fillRow(entry.target, cells, every);
      }
    },
    { rootMargin: "600px" },
  );
  for (const dialect of rows) {
    const row = h("tr", { role: "row", "data-dialect": dialect.id });
    row.append(h("th", { scope: "row", role: "rowheader", title: [dialect.title, ...dialect.models].filter(Boolean).join(", ") }, breakable(dialect.id)));
    for (const run of runs) {
      const key = `${run.slug}/${dialect.id}`;
      row.append(h("td", { role: "gridcell", tabindex: "-1", "data-cell": key, class: run.cells[dialect.id].file ? "asked" : "blank" }));
    }
    body.append(row);
    seeing.observe(row);
  }
  table.append(body);
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("td.asked");
    if (!cell) return;
    const place = event.target.dataset.place;
    focusedCell = cell.dataset.cell;
    openCell(cell.dataset.cell, place === undefined ? "" : CHECK_IDS[place]);
  });
  table.addEventListener("focusin", (event) => {
    const cell = event.target.closest("td");
    if (!cell) return;
    for (const other of table.querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
    focusedCell = cell.dataset.cell;
  });
  const first = [...table.querySelectorAll("td")].find((cell) => cell.dataset.cell === focusedCell) || table.querySelector("td.asked") || table.querySelector("td");
  first.tabIndex = 0;
  const count = rows.reduce((sum, dialect) => sum + runs.reduce((inner, run) => inner + cells.get(`${run.slug}/${dialect.id}`).length, 0), 0);
  const before = view.querySelector(".scroll");
  const left = before ? before.scrollLeft : 0;
  fill(view, signLegend(every), filtered ? h("p", { class: "found" }, `${plural(count, "check")} of dialects fit the filters.`) : null, h("div", { class: "scroll board-box" }, table));
  view.querySelector(".scroll").scrollLeft = left;
}

function fillRow(row, cells, every) {
  const dialect = SUMMARY.dialects.find((one) => one.id === row.dataset.dialect);
  for (const cell of row.querySelectorAll("td")) {
    const run = RUN_BY_SLUG[cell.dataset.cell.slice(0, -dialect.id.length - 1)];
    const places = new Set(cells.get(cell.dataset.cell));
    const head = `${runName(run)}, ${dialect.id}: `;
    if (!run.cells[dialect.id].file) {
      const state = stateAt(run, dialect.id, 0);
      cell.setAttribute("aria-label", head + state.head);
      cell.title = `${head}${state.words}`;
      fill(cell, h("span", { class: "blank-sign", "aria-hidden": "true" }, state.sign));
      continue;
    }
    cell.setAttribute("aria-label", head + (told(countsOf(run, dialect, places)) || "nothing that fits the filters"));
    const box = h("div", { class: "signs", "aria-hidden": "true" });
    for (const place of every) {
      const state = stateAt(run, dialect.id, place);
      const fits = places.has(place);
      box.append(
        h("span", { class: `sign is-${state.id}${fits ? "" : " off"}`, title: `${CHECK_IDS[place]} ${state.words}`, "data-place": place }, state.sign),
      );
    }
    fill(cell, box);
  }
}

function runHead(run) {
  const counts = STATES.filter((state) => SEEN.includes(state.id) && run.counts[state.id]);
  return h(
    "th",
    { scope: "col", role: "columnheader", title: `${run.spec}, profile ${run.profile}` },
    h("span", { class: "run-name" }, run.name),
    h("span", { class: "run-version" }, run.version),
    h("span", { class: "run-day" }, day(run.started), run.latest ? "" : " (earlier)"),
    h("span", { class: "run-counts" }, counts.map((state) => h("span", { title: `${run.counts[state.id]} ${state.head}` }, sign(state), ` ${run.counts[state.id]} `))),
  );
}

function signLegend(places) {
  const present = new Set(SUMMARY.runs.flatMap((run) => Object.values(run.cells).flatMap((cell) => [...cell.states])));
  const states = STATES.filter((state, place) => present.has(String.fromCharCode(97 + place)));
  return h(
    "details",
    { class: "key", open: window.innerWidth > 700 },
    h("summary", {}, "What the signs mean"),
    h("ul", { class: "states" }, states.map((state) => h("li", {}, sign(state), " ", h("b", {}, state.head), `: ${state.words}`))),
    h(
      "p",
      { class: "order" },
      "In each cell, row by row: ",
      places.map((place, at) => [at ? ", " : "", h("span", { title: SUMMARY.checks[place].requires }, CHECK_IDS[place])]),
      ".",
    ),
  );
}

function clearButton() {
  return h("button", { type: "button", on: { click: clearFilters } }, "clear filters");
}
