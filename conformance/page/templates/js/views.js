// The other views: kinds of failure, what changed between two runs, and the runs themselves.

function cellLink(run, dialect, check, words, which) {
  const target = { ...shownState, open: `${run.slug}/${dialect}`, at: check || "", case: which || "" };
  return h("a", { href: addressOf(target) }, words);
}

function drawKinds(view) {
  const sought = words();
  const kinds = SUMMARY.kinds.map(([id, title, known]) => ({ id, title, known, places: [] }));
  for (const run of runsShown()) {
    for (const dialect of dialectsShown()) {
      for (const [place, several] of Object.entries(run.cells[dialect.id].kinds || {})) {
        if (!wanted(run, dialect, Number(place), [])) continue;
        for (const kind of several) {
          const about = [runName(run), dialect.id, CHECK_IDS[place], kinds[kind].title, kinds[kind].known, kinds[kind].id].join(" ").toLowerCase();
          if (sought.every((word) => about.includes(word))) kinds[kind].places.push({ run, dialect, place: Number(place) });
        }
      }
    }
  }
  const found = kinds.filter((kind) => kind.places.length);
  const runsOf = (kind) => new Set(kind.places.map((one) => one.run));
  found.sort((one, other) => runsOf(other).size - runsOf(one).size || other.places.length - one.places.length || (one.title < other.title ? -1 : 1));
  if (!found.length) {
    fill(view, h("p", { class: "none" }, filtering() ? "No kind of failure fits the filters. " : "No check found anything."), filtering() ? clearButton() : null);
    return;
  }
  fill(
    view,
    h("p", { class: "found" }, `${plural(found.length, "kind")} of failure and advice: what is special about the outputs that show them.`),
    found.map((kind) =>
      h(
        "details",
        { class: "kind" },
        h("summary", {}, h("b", {}, kind.title), " ", h("span", { class: "faint" }, `${plural(runsOf(kind).size, "run")}, ${plural(kind.places.length, "check")} of dialects`), kind.known ? [" \u00b7 known as ", linked(kind.known)] : null),
        [...runsOf(kind)].map((run) => {
          const several = kind.places.filter((one) => one.run === run);
          return h(
            "div",
            { class: "kind-run" },
            h("h4", {}, runName(run)),
            h("ul", {}, several.map(({ dialect, place }) => {
              const state = stateAt(run, dialect.id, place);
              return h("li", {}, sign(state), " ", cellLink(run, dialect.id, CHECK_IDS[place], `${dialect.id} ${CHECK_IDS[place]}`, kind.id));
            })),
          );
        }),
      ),
    ),
  );
}

function drawChanges(view) {
  const sought = words();
  const boxes = SUMMARY.changes.map((pair) => pairView(pair, sought)).filter((box) => box !== null);
  const intro = h("p", { class: "found" }, "Two runs of one implementation, side by side: what got fixed and what broke.");
  if (boxes.length) fill(view, intro, boxes);
  else fill(view, intro, h("p", { class: "none" }, SUMMARY.changes.length ? "No change fits the filters. " : "No implementation stands here with two runs. Give the page an earlier and a later report of one."), SUMMARY.changes.length && filtering() ? clearButton() : null);
}

function pairView(pair, sought) {
  const base = SUMMARY.runs[pair.base];
  const head = SUMMARY.runs[pair.head];
  if (shownState.run.size && !shownState.run.has(head.key)) return null;
  const items = pair.items.filter(([what, dialect, check, before, after, gone, fresh]) => {
    if (shownState.dialect.size && !shownState.dialect.has(dialect)) return false;
    if (shownState.check.size && !shownState.check.has(check)) return false;
    if (shownState.state.size && !shownState.state.has(after) && !shownState.state.has(before)) return false;
    const about = [runName(base), runName(head), dialect, check, SUMMARY.sorts[what], ...gone, ...fresh].join(" ").toLowerCase();
    return sought.every((word) => about.includes(word));
  });
  if (!items.length && filtering()) return null;
  const unlike = ["profile", "suite", "seed"].filter((name) => base[name] !== head[name]).map((name) => `${name} ${base[name]} and ${head[name]}`);
  const sorts = Object.entries(SUMMARY.sorts).filter(([what]) => items.some((item) => item[0] === what));
  return h(
    "section",
    { class: "pair" },
    h("h2", {}, head.name, " ", h("span", { class: "from" }, base.version), " \u2192 ", h("span", { class: "to" }, head.version)),
    h("p", { class: "faint" }, `${minute(base.started)} \u2192 ${minute(head.started)}`),
    unlike.length ? h("p", { class: "warning" }, `The runs were not asked alike: ${unlike.join("; ")}.`) : null,
    h("p", { class: "totals" }, sorts.length ? sorts.map(([what, told]) => h("span", { class: `sort ${what}` }, `${items.filter((item) => item[0] === what).length} ${told}`)) : "Nothing changed."),
    items.length
      ? h(
          "div",
          { class: "scroll" },
          h(
            "table",
            { class: "changes" },
            h("thead", {}, h("tr", {}, ["", "dialect", "check", base.version, head.version, "no longer", "new"].map((name) => h("th", { scope: "col" }, name)))),
            h("tbody", {}, items.map((item) => changeView(base, head, item))),
          ),
        )
      : null,
  );
}

function changeView(base, head, [what, dialect, check, before, after, gone, fresh]) {
  const side = (run, state) => {
    const known = run.cells[dialect] && run.cells[dialect].file;
    return h("td", { class: "side" }, sign(STATE[state]), known ? cellLink(run, dialect, check, STATE[state].head) : h("span", { class: "faint" }, STATE[state].head));
  };
  const several = (titles) => h("td", {}, titles.length ? h("ul", {}, titles.map((title) => h("li", {}, title))) : null);
  return h(
    "tr",
    {},
    h("td", { class: `sort ${what}` }, SUMMARY.sorts[what]),
    h("th", { scope: "row" }, dialect),
    h("td", {}, check),
    side(base, before),
    side(head, after),
    several(gone),
    several(fresh),
  );
}

// How many checks of this page's dialects are in each state.
function totalsOf(run) {
  const counts = {};
  for (const dialect of SUMMARY.dialects) {
    CHECK_IDS.forEach((_, place) => {
      const id = stateAt(run, dialect.id, place).id;
      counts[id] = (counts[id] || 0) + 1;
    });
  }
  return counts;
}

function drawRuns(view) {
  const counts = new Map(SUMMARY.runs.map((run) => [run, totalsOf(run)]));
  const seen = STATES.filter((state) => SEEN.includes(state.id) || [...counts.values()].some((one) => one[state.id]));
  const sought = words();
  const fits = (run) => sought.every((word) => [runName(run), run.id, run.spec, run.profile, run.language || "", ...Object.keys(run.cells)].join(" ").toLowerCase().includes(word));
  const runs = SUMMARY.runs.filter((run) => (!shownState.run.size || shownState.run.has(run.key)) && fits(run));
  const heads = ["implementation", "version", "run", "profile", "suite", "Python", "chunks", "dialects", ...seen.map((state) => state.head), "outputs", "streams", "seconds"];
  fill(
    view,
    h("p", { class: "found" }, `${plural(runs.length, "run")} of ${plural(new Set(runs.map((run) => run.id)).size, "implementation")}; a check of a dialect counts once.`),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "runs" },
        h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
        h(
          "tbody",
          {},
          runs.map((run) => {
            const dialects = Object.values(run.cells).filter((cell) => cell.file).length;
            const numbers = [dialects, ...seen.map((state) => counts.get(run)[state.id] || 0), run.outputs, run.streams, run.seconds];
            return h(
              "tr",
              {},
              h("th", { scope: "row", title: run.spec }, h("a", { href: addressOf({ ...shownState, view: "table", run: new Set([run.key]), old: !run.latest }) }, run.name), run.language ? h("small", {}, ` ${run.language}`) : null),
              [run.version, minute(run.started), run.profile + (run.seed === null || run.seed === undefined ? "" : `, seed ${run.seed}`), run.suite, run.python, run.chunks || "untold"].map((text) => h("td", {}, text)),
              numbers.map((number) => h("td", { class: "number" }, number === null || number === undefined ? "" : Math.round(number).toLocaleString("en"))),
            );
          }),
        ),
      ),
    ),
  );
}
