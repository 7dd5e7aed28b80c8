// What the page knows: the summary, and the cases of a dialect, loaded when they are first asked for.

const SUMMARY = JSON.parse(byId("summary").textContent);
const STATES = SUMMARY.states;
const STATE = Object.fromEntries(STATES.map((state) => [state.id, state]));
const SEEN = ["failed", "errored", "listed", "expected", "advice", "passed", "skipped"];
const BROKEN = ["failed", "errored", "expected", "listed"];
const CHECK_IDS = SUMMARY.checks.map((check) => check.id);
const RUN_BY_SLUG = Object.fromEntries(SUMMARY.runs.map((run) => [run.slug, run]));

function stateAt(run, dialect, place) {
  return STATES[run.cells[dialect].states.charCodeAt(place) - 97];
}

function kindsAt(run, dialect, place) {
  const found = (run.cells[dialect].kinds || {})[place] || [];
  return found.map((kind) => SUMMARY.kinds[kind]);
}

function runName(run) {
  return `${run.name} ${run.version}`;
}

const loaded = new Map();
const waiting = new Map();

window.conformanceData = (path, data) => {
  loaded.set(path, data);
};

// The cases of a dialect of a run: a script, because a page opened from a file may load nothing else.
function casesOf(run, dialect) {
  const path = run.cells[dialect] && run.cells[dialect].file;
  if (!path) return Promise.resolve(null);
  if (loaded.has(path)) return Promise.resolve(loaded.get(path));
  if (!waiting.has(path)) {
    waiting.set(
      path,
      new Promise((resolve, reject) => {
        const script = h("script", { src: path.split("/").map(encodeURIComponent).join("/") });
        script.addEventListener("load", () => {
          script.remove();
          if (loaded.has(path)) resolve(loaded.get(path));
          else reject(new Error(`${path} holds no cases`));
        });
        script.addEventListener("error", () => {
          script.remove();
          waiting.delete(path);
          reject(new Error(`${path} can't be loaded; it belongs beside this page`));
        });
        document.head.append(script);
      }),
    );
  }
  return waiting.get(path);
}

// A text of a dialect's lines, its case put in.
function textOf(data, places, one, dialect) {
  const lines = places.split(",").flatMap((stretch) => {
    const [first, last] = stretch.split("-").map(Number);
    return data.lines.slice(first, (last === undefined ? first : last) + 1);
  });
  return lines.join("\n").replaceAll("\u0001", caseText(one, dialect));
}

// What --case takes: as conformance/case.py packs it.
function caseText(one, dialect) {
  if (one.text) return one.text;
  if (!one.case) return "";
  const packed = JSON.stringify(one.case).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${dialect}:${btoa(packed).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}
