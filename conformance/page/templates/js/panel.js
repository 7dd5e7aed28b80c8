// The panel of one cell: its policy, its checks, and the case of the one that is looked at.

let panelKey = "";
let panelToken = 0;

function openCell(key, check, which) {
  go({ open: key, at: check || "", case: which || "" }, !shownState.open);
}

function closePanel() {
  if (shownState.open) go({ open: "", at: "", case: "" }, true);
}

function keyParts(key) {
  const at = key.lastIndexOf("/");
  return [RUN_BY_SLUG[key.slice(0, at)], key.slice(at + 1)];
}

function caseKey(one) {
  return `${one.level}.${one.kind || "plain"}`;
}

async function drawPanel() {
  const panel = byId("panel");
  if (!shownState.open) {
    panelKey = "";
    panelToken += 1;
    if (panel.open) panel.close();
    return;
  }
  const [run, dialect] = keyParts(shownState.open);
  if (!panel.open) panel.showModal();
  if (!run || !run.cells[dialect] || !run.cells[dialect].file) {
    panelKey = "";
    panelToken += 1;
    fill(panel, panelHead("This page has no such cell", ""), h("p", { class: "none" }, `No run of this page is called ${shownState.open}. The link may be of another page.`));
    return;
  }
  const key = `${shownState.open} ${shownState.at} ${shownState.case}`;
  if (key === panelKey) return;
  const same = panelKey.split(" ")[0] === shownState.open;
  panelKey = key;
  panelToken += 1;
  const token = panelToken;
  if (!same) fill(panel, panelHead(`${runName(run)} \u00b7 ${dialect}`, ""), h("p", { class: "none" }, "loading \u2026"));
  let data;
  try {
    data = await casesOf(run, dialect);
  } catch (error) {
    if (token === panelToken) fill(panel, panelHead(`${runName(run)} \u00b7 ${dialect}`, ""), h("p", { class: "none", role: "alert" }, error.message));
    panelKey = "";
    return;
  }
  if (token === panelToken) drawCell(panel, run, dialect, data);
}

function panelHead(title, under) {
  return h(
    "header",
    { class: "panel-head" },
    h("div", {}, h("h2", { id: "panel-title", tabindex: "-1" }, title), under ? h("p", { class: "faint" }, under) : null),
    h("button", { type: "button", class: "close", "aria-label": "close", "aria-keyshortcuts": "Escape", on: { click: closePanel } }, "\u2715"),
  );
}

function orderedChecks(run, dialect) {
  return CHECK_IDS.map((id, place) => ({ id, place, state: stateAt(run, dialect, place) })).sort(
    (one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state) || one.place - other.place,
  );
}

function drawCell(panel, run, dialect, data) {
  const checks = orderedChecks(run, dialect);
  const telling = checks.filter((one) => data.checks[one.id] && (data.checks[one.id].cases || BROKEN.includes(one.state.id)));
  const chosen = checks.find((one) => one.id === shownState.at) || telling[0];
  const under = [minute(run.started), `profile ${run.profile}`, `suite ${run.suite}`, run.language || null].filter(Boolean).join(" \u00b7 ");
  const list = h(
    "ul",
    { class: "checks", "aria-label": "Checks" },
    checks.map((one) => {
      const told = data.checks[one.id];
      const current = chosen && chosen.id === one.id;
      const label = [sign(one.state), h("span", { class: "check-id" }, one.id), told && told.cases ? h("span", { class: "count", title: plural(told.cases.length, "kind") }, `${told.cases.length}`) : null];
      const button = h("button", { type: "button", class: "check", "aria-current": current ? "true" : null, title: `${one.id} ${one.state.words}`, disabled: !told, "data-check": one.id, on: { click: () => openCell(shownState.open, one.id) } }, label);
      return h("li", {}, button);
    }),
  );
  const scrolled = panel.scrollTop;
  const focusedCheck = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.check : "";
  fill(
    panel,
    panelHead(`${runName(run)} \u00b7 ${dialect}`, under),
    policyView(data.policy),
    h("div", { class: "panel-body" }, list, h("div", { class: "look" }, chosen ? checkView(run, dialect, chosen, data) : h("p", { class: "none" }, "Every check passes."))),
  );
  panel.scrollTop = scrolled;
  const again = focusedCheck && panel.querySelector(`[data-check="${CSS.escape(focusedCheck)}"]`);
  if (again) again.focus();
  else if (!panel.contains(document.activeElement) || document.activeElement === panel) byId("panel-title").focus();
  if (shownState.case) {
    const article = panel.querySelector("article.case");
    if (article) article.scrollIntoView({ block: "nearest" });
  }
}

function policyView(policy) {
  const who = { declared: "declared by the adapter", dialect: "the dialect's default", default: "the general default", "": "the report doesn't say what is declared" };
  const told = policy.filter(([, , origin]) => origin === "declared" || origin === "dialect");
  const untold = policy.every(([, , origin]) => origin === "");
  const words = untold ? "the report doesn't say what is declared" : told.length ? null : "nothing is declared: the general defaults";
  return h(
    "details",
    { class: "policy" },
    h("summary", {}, h("b", {}, "policy in force "), words, told.map(([axis, value, origin, question]) => h("span", { class: `chip ${origin}`, title: `${question}; ${who[origin]}` }, `${axis}: ${value}`, origin === "declared" ? " (declared)" : " (dialect)"))),
    h(
      "table",
      { class: "rows" },
      h("thead", {}, h("tr", {}, ["axis", "value", "chosen by", "question"].map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, policy.map(([axis, value, origin, question]) => h("tr", {}, h("th", { scope: "row" }, axis), h("td", {}, value), h("td", {}, who[origin]), h("td", {}, question)))),
    ),
  );
}

function checkView(run, dialect, chosen, data) {
  const told = data.checks[chosen.id];
  const check = SUMMARY.checks[chosen.place];
  const head = [
    h("h3", { id: "check-title" }, sign(chosen.state), ` ${chosen.id} `, h("small", {}, chosen.state.words)),
    h("p", { class: "requires" }, check.requires),
  ];
  if (!told) return h("section", {}, head);
  const more = [
    told.listed ? h("p", { class: "reason" }, h("b", {}, "listed as expected: "), linked(told.listed)) : null,
    told.reason ? h("p", { class: "reason" }, linked(told.reason)) : null,
    (told.notes || []).map((note) => h("p", { class: "faint" }, note)),
    h("p", { class: "faint" }, `${plural(told.outputs, "output")} and ${plural(told.streams, "stream")} were asked in this dialect.`),
    told.skipped ? h("ul", { class: "faint" }, Object.entries(told.skipped).map(([why, count]) => h("li", {}, `${plural(count, "request")} skipped: ${why}`))) : null,
  ];
  const cases = told.cases || [];
  if (!cases.length) return h("section", {}, head, more);
  const looked = cases.find((one) => caseKey(one) === shownState.case) || cases.find((one) => one.kind === shownState.case) || cases[0];
  const kinds =
    cases.length > 1
      ? h(
          "ul",
          { class: "kinds", "aria-label": "Kinds of failure" },
          cases.map((one) =>
            h(
              "li",
              {},
              h(
                "button",
                { type: "button", "aria-current": one === looked ? "true" : null, "data-case": caseKey(one), on: { click: () => openCell(shownState.open, chosen.id, caseKey(one)) } },
                one.level === "must" ? null : h("span", { class: "level should" }, "advice "),
                one.title || one.kind,
              ),
            ),
          ),
        )
      : null;
  return h("section", { "aria-labelledby": "check-title" }, head, more, kinds, caseView(run, dialect, chosen.id, looked, data));
}

// The next check with something to look at, in this cell.
function stepCheck(by) {
  const buttons = [...document.querySelectorAll("#panel .check:not([disabled])")];
  const at = buttons.findIndex((one) => one.getAttribute("aria-current"));
  const next = buttons[(at + by + buttons.length) % buttons.length];
  if (next) {
    next.focus();
    next.click();
  }
}
