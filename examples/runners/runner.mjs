// Judges a parser by the corpus: node runner.mjs CORPUS PARSER.mjs [DIALECT…], with nothing but Node.
//
// The parser is a module with `dialects`, `policy` (axis to value, perhaps empty), `split(raw, request, finish)`, which
// returns {reasoning, content}, and `stream(request)`, which returns an object with `feed(text)` and `finish(finish)`,
// each of which returns pairs [channel, text].

import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const read = (...parts) => JSON.parse(readFileSync(join(...parts), "utf8"));

// A text of a case: a string, or a list of strings and [string, count] pairs.
const text = (value) =>
  (typeof value === "string" ? [value] : value)
    .map((part) => (typeof part === "string" ? part : part[0].repeat(part[1])))
    .join("");

const message = ({ reasoning, content }) => ({ reasoning: text(reasoning), content: text(content) });

// A chunk never cuts a code point: the two halves of a surrogate pair stay together.
const points = (raw) => Array.from(raw);

function streamed(parser, request, chunks, finish) {
  const told = { reasoning: "", content: "" };
  const stream = parser.stream(request);
  const add = (deltas) => deltas.forEach(([channel, part]) => (told[channel] += part));
  chunks.forEach((chunk) => add(stream.feed(chunk)));
  add(stream.finish(finish));
  return told;
}

// What is wrong with a parser's reading of a case, or undefined. The policy has a value for each axis.
function judge(test, parser, policy) {
  const fits = (entry) => Object.entries(entry.policy).every(([axis, value]) => policy[axis] === value);
  const expected = message(((test.policies ?? []).find(fits) ?? test).expected);
  const held = (test.axes ?? []).every((axis) => axis in parser.policy);
  const trim = (part) => (policy.space === "trimmed" ? part.replace(/^[ \t\n\r\v\f]+|[ \t\n\r\v\f]+$/g, "") : part);
  const same = (one, other) =>
    trim(one.reasoning) === trim(other.reasoning) && trim(one.content) === trim(other.content);
  const raw = text(test.raw);
  try {
    const split = parser.split(raw, test.request, test.finish);
    if (held && !same(split, expected)) return `the split is ${show(split)}, not ${show(expected)}`;
    for (const chunks of [[raw], points(raw), ...(test.chunkings ?? []).map((chunks) => chunks.map(text))]) {
      const stream = streamed(parser, test.request, chunks, test.finish);
      if (!same(stream, split)) return `in ${chunks.length} chunks the stream is ${show(stream)}, and the split ${show(split)}`;
    }
  } catch (error) {
    return String(error);
  }
}

const show = ({ reasoning, content }) => JSON.stringify({ reasoning, content });

const [corpus, path, ...dialects] = process.argv.slice(2);
const parser = await import(pathToFileURL(resolve(path)));
const axes = read(corpus, "schema", "dialect.schema.json").properties.policy.properties;
const general = Object.fromEntries(Object.entries(axes).map(([axis, schema]) => [axis, (schema.enum ?? [true])[0]]));
let judged = 0;
let failed = 0;
for (const dialect of dialects.length ? dialects : parser.dialects) {
  const policy = { ...general, ...read(corpus, dialect, "dialect.json").policy, ...parser.policy };
  for (const file of readdirSync(join(corpus, dialect)).filter((name) => name.endsWith(".json")).sort()) {
    for (const test of read(corpus, dialect, file).cases ?? []) {
      judged += 1;
      const wrong = judge(test, parser, policy);
      if (wrong !== undefined) failed += 1;
      if (wrong !== undefined) console.log(`${test.id}: ${wrong}`);
    }
  }
}
console.log(`${judged - failed} passed, ${failed} failed`);
process.exitCode = judged && !failed ? 0 : 1;
