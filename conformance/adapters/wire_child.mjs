// The child's side of the wire, for adapters in JavaScript: docs/adapters.md, "Other languages".

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** Thrown by split or stream for a request that the implementation can't be asked. */
export class Unsupported extends Error {}

/** The installed package of a name: its exports, and its version. */
export async function installed(name) {
  const entry = resolved(name);
  return { exports: await import(pathToFileURL(entry).href), version: versionOf(name, entry) };
}

/** Looked for from CONFORMANCE_NODE_MODULES where that is set, then from the current folder, as node looks. */
function resolved(name) {
  for (const folder of [process.env.CONFORMANCE_NODE_MODULES, process.cwd()]) {
    if (!folder) continue;
    try {
      return createRequire(join(folder, 'from.js')).resolve(name);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  process.stderr.write(
    `no package ${name} in the node_modules of ${process.cwd()} or above; ` +
      `install it there with npm, or name its folder in CONFORMANCE_NODE_MODULES\n`,
  );
  process.exit(1);
}

function versionOf(name, entry) {
  for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const described = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (described.name === name) return described.version;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`${entry} is in no package called ${name}`);
}

/**
 * Answers requests until stdin ends or says stop, in their order; those that came together are answered side by side.
 *
 * `implementation` is what the start is answered with. `split(raw, request, finish)` and
 * `stream(texts, request, finish)` give a message, and a list of deltas for each text and one more for the end; they
 * may be asynchronous, and may throw Unsupported.
 */
export async function serve(implementation, split, stream) {
  for await (const lines of linesOf(process.stdin)) {
    const asked = lines.map((line) => JSON.parse(line));
    const end = asked.findIndex(({ cmd }) => cmd === 'stop');
    const wanted = end < 0 ? asked : asked.slice(0, end);
    const answers = await Promise.all(wanted.map((each) => answered(each, implementation, split, stream)));
    await written(answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
    if (end >= 0) return;
  }
}

async function answered(asked, implementation, split, stream) {
  if (asked.cmd === 'start') return { version: 1, implementation };
  const { seq, request, finish } = asked;
  try {
    if (asked.cmd === 'split') return { seq, message: await split(asked.raw, request, finish) };
    if (asked.cmd !== 'stream') throw new Error(`no such request: ${asked.cmd}`);
    const texts = asked.chunks.map((chunk) => chunk.text);
    return { seq, deltas: await stream(texts, request, finish) };
  } catch (error) {
    if (error instanceof Unsupported) return { seq, unsupported: error.message };
    return { seq, error: String(error?.stack ?? error) };
  }
}

/** All lines that have come whole, each time some have. */
async function* linesOf(input) {
  input.setEncoding('utf8');
  let begun = [];
  for await (const piece of input) {
    const end = piece.lastIndexOf('\n');
    if (end < 0) {
      begun.push(piece);
      continue;
    }
    const whole = begun.join('') + piece.slice(0, end);
    begun = [piece.slice(end + 1)];
    yield whole.split('\n').filter((line) => line.trim());
  }
}

function written(text) {
  return new Promise((done) => process.stdout.write(text, done));
}

/**
 * What a stream of the AI SDK gives for each text of an answer, and for its end: lists of parts.
 *
 * `through` takes the stream of a provider and gives that of a wrapped model. A text is given once nothing moves any
 * more after the one before it, so that each part is known to have come with its text.
 */
export async function partsByText(texts, finish, through) {
  let provider;
  const given = new ReadableStream({ start: (controller) => (provider = controller) });
  const reader = (await through(given)).getReader();
  const lists = [[]];
  const read = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value.type === 'error') throw value.error;
      lists.at(-1).push(value);
    }
  })();
  read.catch(() => {});
  provider.enqueue({ type: 'stream-start', warnings: [] });
  provider.enqueue({ type: 'text-start', id: '0' });
  for (const delta of texts) {
    provider.enqueue({ type: 'text-delta', id: '0', delta });
    await idle();
    lists.push([]);
  }
  provider.enqueue({ type: 'text-end', id: '0' });
  provider.enqueue({ type: 'finish', finishReason: { unified: finish, raw: finish }, usage: USAGE });
  provider.close();
  await read;
  return lists;
}

/** Streams move by microtasks alone, all of which are done before an immediate's turn. */
const idle = () => new Promise(setImmediate);

/** What no middleware that reads text looks at. */
const USAGE = { inputTokens: {}, outputTokens: {} };

/** A generated answer of a provider that holds one text. */
export const generated = (raw, finish) => ({
  content: [{ type: 'text', text: raw }],
  finishReason: { unified: finish, raw: finish },
  usage: USAGE,
  warnings: [],
});
