// One case: the output with its chunks, what was answered, what the oracle says, and what to copy.

const CHANNELS = ["reasoning", "content"];
const FAILURE_WORDS = {
  raised: "the call raised",
  malformed: "the answer was malformed",
  hung: "the call never ended",
  died: "the process died",
  lost: "what was answered was not what was asked",
};

// The answers as [whose, [reasoning, content] or the text of a failure].
function answersOf(one) {
  const answers = [];
  if (one.split !== undefined) answers.push(["split", one.split]);
  if (one.stream !== undefined) answers.push(["stream", typeof one.stream === "string" ? one.stream : folded(one.stream)]);
  if (one.oracle !== undefined) answers.push(["oracle", one.oracle]);
  return answers;
}

function folded(deltas) {
  return CHANNELS.map((channel) => deltas.flat().filter((delta) => delta[0] === channel).map((delta) => delta[1]).join(""));
}

function answersView(one) {
  const answers = answersOf(one);
  if (!answers.length) return null;
  const texts = answers.filter(([, answer]) => typeof answer !== "string");
  const differences = CHANNELS.map((_, at) => common(texts.map(([, answer]) => answer[at])));
  const oracle = one.oracle;
  const verdictOf = (whose, answer) => {
    if (whose === "oracle" || !oracle) return null;
    if (typeof answer === "string") return h("span", { class: "unlike" }, "no answer");
    const same = CHANNELS.every((_, at) => answer[at] === oracle[at]);
    return h("span", { class: same ? "alike" : "unlike" }, same ? "= oracle" : "\u2260 oracle");
  };
  const alone = answers.length > 1 ? "answers, asked once more and alone" : "what the oracle says";
  return h(
    "div",
    { class: `answers of-${answers.length}` },
    h("h4", {}, alone),
    answers.map(([whose, answer]) =>
      h(
        "section",
        { class: `answer of-${whose}`, "aria-label": whose },
        h("h5", {}, whose, " ", verdictOf(whose, answer)),
        typeof answer === "string"
          ? h("pre", { class: "failure" }, answer)
          : CHANNELS.map((channel, at) =>
              h("div", { class: "channel" }, h("span", { class: `channel-name ${channel}` }, channel), marked(answer[at], differences[at])),
            ),
      ),
    ),
    h(
      "p",
      { class: "remark" },
      CHANNELS.map((channel, at) => (differences[at] === null ? null : `${channel}: first difference at ${differences[at]}. `)),
      one.replayed ? "The channel was skipped: its text is reasoning, and content once more." : null,
    ),
  );
}

// What the check compared beyond the answers above.
function rowsView(one) {
  if (!one.rows) return null;
  const groups = groupedRows(one.rows);
  return h(
    "div",
    { class: "block" },
    h("h5", {}, "what was compared"),
    h(
      "table",
      { class: "rows" },
      [...groups].map(([of, several]) => {
        const values = several.map((row) => unquoted(row[2]));
        const at = several.length > 1 ? common(values) : null;
        return several.map(([, whose, , remark], place) =>
          h("tr", {}, h("th", { scope: "row" }, place ? "" : of), h("td", {}, whose), h("td", {}, marked(values[place], at)), h("td", { class: "faint" }, remark)),
        );
      }),
    ),
  );
}

// A text's literal without its quotation marks; its escapes stay.
function unquoted(value) {
  return /^(?:'[^]*'|"[^]*")$/.test(value) ? value.slice(1, -1) : value;
}

function groupedRows(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row[0], [...(groups.get(row[0]) || []), row]);
  return groups;
}

function deltasView(one) {
  if (!Array.isArray(one.stream)) return null;
  const chunks = chunksOf(one, rawOf(piecesOf(one))) || [];
  const rows = one.stream.map((deltas, place) => [place < chunks.length ? chunks[place] : null, deltas]);
  const drawn = (several, from) =>
    several.map(([text, deltas], place) =>
      h(
        "tr",
        {},
        h("td", { class: "faint" }, text === null ? "finish" : `${from + place + 1}`),
        h("td", {}, text === null ? one.finish : marked(text, null)),
        h("td", {}, deltas.length ? deltas.map(([channel, part]) => h("div", { class: "delta" }, h("span", { class: `channel-name ${channel}` }, channel), marked(part, null))) : h("span", { class: "nothing" }, "nothing")),
      ),
    );
  const body = h("tbody", {}, drawn(rows.slice(0, 60), 0));
  if (rows.length > 60) {
    const more = h("tr", {}, h("td", { colspan: "3" }, h("button", { type: "button", class: "all", on: { click: () => more.replaceWith(...drawn(rows.slice(60), 60)) } }, `show all ${plural(rows.length, "chunk")}`)));
    body.append(more);
  }
  return h(
    "details",
    { class: "block", open: rows.length <= 9 },
    h("summary", {}, "the stream, chunk by chunk"),
    h("table", { class: "rows" }, h("thead", {}, h("tr", {}, ["", "chunk", "deltas"].map((head) => h("th", { scope: "col" }, head)))), body),
  );
}

function whyView(one, data) {
  if (!one.why) return null;
  return h(
    "details",
    { class: "block" },
    h("summary", {}, "how the oracle reads it, and why"),
    h(
      "table",
      { class: "rows" },
      h("thead", {}, h("tr", {}, ["text", "goes to", "why"].map((head) => h("th", { scope: "col" }, head)))),
      h(
        "tbody",
        {},
        one.why.map(([text, role, fate, why]) =>
          h("tr", {}, h("td", {}, role ? h("span", { class: `piece marker ${role}` }, roleTag(role), shown(text)) : marked(text, null)), h("td", {}, h("span", { class: `channel-name ${fate}` }, fate)), h("td", {}, data.lines[why])),
        ),
      ),
    ),
  );
}

// The requests beside this one, where isolation is what is judged.
function tracksView(one) {
  const extra = one.case && one.case.extra;
  if (!extra || !extra.tracks) return null;
  return h(
    "div",
    { class: "block" },
    h("h5", {}, `requests of the scenario: ${extra.scenario}`),
    extra.tracks.map((track) =>
      h("div", { class: "track" }, h("span", { class: "faint" }, promptWords(track)), outputView({ pieces: track.pieces, ends: Array.isArray(track.chunks) || typeof track.chunks === "number" ? track.chunks : undefined })),
    ),
  );
}

function promptWords(one) {
  return `reasoning ${one.opened ? "opened" : "not opened"} by the prompt, thinking ${one.thinking ? "on" : "off"}, finish: ${one.finish}${one.surface ? `, surface: ${one.surface}` : ""}`;
}

function caseView(run, dialect, check, one, data) {
  const pieces = piecesOf(one);
  const reproduce = () => textOf(data, one.reproduce, one, dialect);
  const issue = () => textOf(data, one.issue, one, dialect);
  const chunks = pieces.length || one.chunks ? chunksOf(one, rawOf(pieces)) : null;
  const cut = chunks === null ? "split in one piece" : chunks.length === 1 ? "streamed in one chunk" : `streamed in ${plural(chunks.length, "chunk")}`;
  const facts = [
    ["kind", h("b", {}, one.title || one.kind)],
    ["known as", one.known_as ? linked(one.known_as) : null],
    ["level", h("span", { class: `level ${one.level}` }, one.level.toUpperCase()), one.level === "must" ? null : " advice: the item passes"],
    ["prompt", promptWords(one)],
    ["note", one.note || null],
    ["no answer", FAILURE_WORDS[one.failure] || one.failure || null],
    ["holds", one.within ? `a smaller failing case: ${one.within}` : null],
    ["found", one.tried ? `after ${plural(one.tried, "output")}` : null],
  ].filter(([, value]) => value !== null);
  return h(
    "article",
    { class: "case", "aria-label": one.title || one.kind },
    h("dl", { class: "facts" }, facts.map(([name, ...value]) => [h("dt", {}, name), h("dd", {}, value)])),
    h("h5", {}, "output, ", cut),
    pieces.length || one.chunks ? outputView(one) : h("p", { class: "nothing" }, one.case || one.text ? "empty" : "the case was too long to be kept"),
    legend(pieces),
    answersView(one),
    rowsView(one),
    deltasView(one),
    whyView(one, data),
    tracksView(one),
    h(
      "div",
      { class: "copies" },
      one.case || one.text ? copyButton("copy the command", reproduce, { "data-copy": "command" }) : null,
      one.issue ? copyButton("copy a bug report (Markdown)", issue, { "data-copy": "issue" }) : null,
      copyButton("copy a link", () => location.href, { "data-copy": "link" }),
    ),
    one.case || one.text ? h("pre", { class: "command" }, reproduce()) : null,
    one.issue ? h("details", { class: "block" }, h("summary", {}, "the bug report"), h("pre", { class: "issue" }, issue())) : null,
  );
}
