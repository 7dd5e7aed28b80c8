// An output: its pieces by role, and where the chunks of a stream end.

const MANY_CHUNKS = 120;
const MANY_SEGMENTS = 300;
const REPEATED = 8;

// The pieces of a case with the place where each begins and ends, in code units.
function piecesOf(one) {
  const given = one.pieces || (one.case && one.case.pieces) || [];
  let at = 0;
  return given.map(([kind, text, role, times]) => {
    const count = times === undefined ? 1 : times;
    const piece = { kind, text, role: role || "", times: count, start: at, end: at + text.length * count };
    at = piece.end;
    return piece;
  });
}

function rawOf(pieces) {
  return pieces.map((piece) => piece.text.repeat(piece.times)).join("");
}

// The texts of the chunks; null where no stream is concerned.
function chunksOf(one, raw) {
  if (one.chunks) return one.chunks;
  if (one.ends === undefined) return null;
  const signs = Array.from(raw);
  const ends = [];
  if (typeof one.ends === "number") {
    for (let end = one.ends; end < signs.length; end += one.ends) ends.push(end);
    ends.push(signs.length);
  } else {
    ends.push(...one.ends);
  }
  let at = 0;
  return ends.map((end) => {
    const text = signs.slice(at, end).join("");
    at = end;
    return text;
  });
}

// The parts of pieces that stand from `start` to `end`; a piece that is repeated within stays one part.
function parts(pieces, start, end) {
  const found = [];
  for (const piece of pieces) {
    const from = Math.max(start, piece.start);
    const to = Math.min(end, piece.end);
    if (from >= to) continue;
    const inside = to - from;
    const size = piece.text.length;
    if (inside === piece.end - piece.start && piece.times > REPEATED) {
      found.push({ piece, text: piece.text, times: piece.times, first: true });
    } else {
      const offset = (from - piece.start) % size;
      const text = piece.text.repeat(Math.ceil((offset + inside) / size)).slice(offset, offset + inside);
      found.push({ piece, text, times: 1, first: from === piece.start });
    }
  }
  return found;
}

function segment(part) {
  const { piece, text, times, first } = part;
  const nodes = text.length > LONG ? [marked(text, null)] : shown(text);
  const more = times > 1 ? h("span", { class: "times" }, `\u00d7${times.toLocaleString("en")}`) : null;
  const marker = piece.kind === "marker" || piece.kind === "cut";
  if (!marker && !KIND_WORDS[piece.kind]) return times > 1 ? [h("span", { class: "repeated" }, nodes), more] : nodes;
  const words = marker ? `${(ROLE_WORDS[piece.role] || ["", piece.role])[1]}` : KIND_WORDS[piece.kind];
  const title = piece.kind === "cut" ? `${KIND_WORDS.cut}: ${words}` : words;
  const classes = `piece ${piece.kind} ${piece.role}`;
  return [h("span", { class: classes, title }, marker && first && piece.role ? roleTag(piece.role) : null, nodes), more];
}

function segments(found, whole) {
  if (whole || found.length <= MANY_SEGMENTS) return found.map(segment);
  const half = MANY_SEGMENTS / 2;
  const left = found.length - 2 * half;
  return [found.slice(0, half).map(segment), gap(left, "piece"), found.slice(-half).map(segment)];
}

// The output as a whole, or chunk by chunk in numbered boxes.
function outputView(one, whole) {
  const pieces = piecesOf(one);
  const raw = rawOf(pieces);
  const chunks = chunksOf(one, raw);
  const box = h("div", { class: "output" });
  if (!chunks) {
    const found = parts(pieces, 0, raw.length);
    box.append(h("code", { class: "text" }, segments(found, whole), raw ? null : h("span", { class: "nothing" }, "empty")));
    if (!whole && found.length > MANY_SEGMENTS) {
      box.append(showAll(found.length, () => outputView(one, true), "piece"));
    }
    return box;
  }
  const fits = chunks.join("") === raw;
  const code = h("code", { class: "text" });
  const shownOnes = whole || chunks.length <= MANY_CHUNKS ? null : MANY_CHUNKS / 2;
  let at = 0;
  chunks.forEach((text, place) => {
    const start = at;
    at += text.length;
    if (shownOnes !== null && place >= shownOnes && place < chunks.length - shownOnes) {
      if (place === shownOnes) code.append(gap(chunks.length - 2 * shownOnes, "chunk"));
      return;
    }
    const inner = text === "" ? h("span", { class: "nothing" }, "empty")
      : fits ? segments(parts(pieces, start, at), whole) : marked(text, null, whole);
    code.append(h("span", { class: "chunk" }, h("span", { class: "number", title: `chunk ${place + 1}` }, `${place + 1}`), inner), "\u200b");
  });
  if (!chunks.length) code.append(h("span", { class: "nothing" }, "no chunk: the stream ends at once"));
  box.append(code);
  if (shownOnes !== null) box.append(showAll(chunks.length, () => outputView(one, true), "chunk"));
  return box;
}
