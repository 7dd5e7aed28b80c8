// Text as a person wants to see it: white space, control characters and cuts visible, differences marked.

const STRANGE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}\p{M}]/u;
const PICTURES = { " ": "\u00b7", "\n": "\u21b5", "\t": "\u2192", "\r": "\u240d" };
const NAMES = { " ": "space", "\n": "line feed", "\t": "tab", "\r": "carriage return" };
const LONG = 600;
const NEAR = 120;

function codeOf(sign) {
  return `U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

// The nodes of a text: plain stretches as they are, every other sign as a picture with its name.
function shown(text) {
  const nodes = [];
  let plain = "";
  const flush = () => {
    if (plain) nodes.push(plain);
    plain = "";
  };
  for (const sign of text) {
    if (!STRANGE.test(sign)) {
      plain += sign;
      continue;
    }
    flush();
    if (PICTURES[sign]) {
      nodes.push(h("span", { class: "white", title: `${codeOf(sign)} ${NAMES[sign]}` }, PICTURES[sign]));
      if (sign === "\n") nodes.push("\n");
    } else if (sign.codePointAt(0) < 32) {
      nodes.push(h("span", { class: "odd", title: codeOf(sign) }, String.fromCodePoint(0x2400 + sign.codePointAt(0))));
    } else {
      const visible = /\p{M}/u.test(sign) ? `\u25cc${sign} ` : "";
      nodes.push(h("span", { class: "odd", title: codeOf(sign) }, visible + codeOf(sign)));
    }
  }
  flush();
  return nodes;
}

// How many signs the beginnings of all texts share; null where they are all the same.
function common(texts) {
  if (texts.every((text) => text === texts[0])) return null;
  const several = texts.map((text) => Array.from(text));
  const least = Math.min(...several.map((signs) => signs.length));
  for (let at = 0; at < least; at++) {
    if (several.some((signs) => signs[at] !== several[0][at])) return at;
  }
  return least;
}

// A text with what stands from `at` on marked; a long one is cut, its neighbourhood of `at` kept.
function marked(text, at, whole) {
  const signs = Array.from(text);
  const box = h("code", { class: "text" });
  const spans = whole || signs.length <= LONG ? [[0, signs.length]] : windows(signs.length, at);
  let done = 0;
  for (const [start, end] of spans) {
    if (start > done) box.append(gap(start - done));
    const middle = at === null ? end : Math.min(Math.max(at, start), end);
    box.append(...shown(signs.slice(start, middle).join("")));
    if (middle < end) box.append(h("mark", { class: "differs" }, shown(signs.slice(middle, end).join(""))));
    done = end;
  }
  if (done < signs.length) box.append(gap(signs.length - done));
  if (at !== null && at >= signs.length) {
    box.append(h("mark", { class: "differs ends", title: "it ends here" }, "\u2205"));
  } else if (!signs.length) {
    box.append(h("span", { class: "nothing" }, "empty"));
  }
  if (spans.length === 1 && spans[0][1] === signs.length) return box;
  return h("div", { class: "long" }, box, showAll(signs.length, () => marked(text, at, true)));
}

function windows(length, at) {
  const wanted = [[0, NEAR], [length - NEAR, length]];
  if (at !== null) wanted.push([Math.max(0, at - NEAR), Math.min(length, at + NEAR)]);
  wanted.sort((one, other) => one[0] - other[0]);
  const spans = [];
  for (const [start, end] of wanted) {
    const last = spans[spans.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else spans.push([start, end]);
  }
  return spans;
}

function gap(count, noun) {
  return h("span", { class: "gap" }, ` \u2026 ${plural(count, noun || "character")} \u2026 `);
}

function showAll(count, make, noun) {
  const button = h("button", { type: "button", class: "all" }, `show all ${plural(count, noun || "character")}`);
  button.addEventListener("click", () => button.parentElement.replaceChildren(make()));
  return button;
}

// The markers' roles: a short word beside each marker, so that colour is not the only sign.
const ROLE_WORDS = {
  reasoning_open: ["R+", "opens reasoning"],
  reasoning_close: ["R\u2212", "closes reasoning"],
  answer_open: ["A+", "opens the answer"],
  answer_close: ["A\u2212", "closes the answer"],
  calls_open: ["C+", "opens calls"],
  calls_close: ["C\u2212", "closes calls"],
  framing: ["F", "framing"],
};
const KIND_WORDS = {
  cut: "a marker cut short",
  alike: "only looks like a marker",
  foreign: "another dialect's marker",
};

function roleTag(role) {
  const [short, words] = ROLE_WORDS[role] || ["?", role];
  return h("span", { class: "role", title: words }, short);
}

function legend(pieces) {
  const roles = [...new Set(pieces.filter((one) => one.role).map((one) => one.role))];
  const kinds = [...new Set(pieces.map((one) => one.kind))].filter((kind) => KIND_WORDS[kind]);
  if (!roles.length && !kinds.length) return null;
  return h(
    "p",
    { class: "legend" },
    roles.map((role) =>
      h("span", { class: `piece marker ${role}` }, roleTag(role), (ROLE_WORDS[role] || ["", role])[1]),
    ),
    kinds.map((kind) => h("span", { class: `piece ${kind}` }, KIND_WORDS[kind])),
  );
}
