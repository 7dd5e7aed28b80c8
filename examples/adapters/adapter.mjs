// An adapter in JavaScript, of node alone, that speaks the wire: pytest --impl='cmd:node adapter.mjs'.
//
// Put your parser in the place of Parser, and say in IMPLEMENTATION what it is.

import { createInterface } from "node:readline";

const IMPLEMENTATION = {
  name: "template-javascript",
  version: "1.0",
  language: "JavaScript",
  dialects: ["qwen3"],
  policy: { declined: "dropped", reopen: "text", stray_close: "text", echoed_open: "text" },
};

// state: the markers that act there, and the state that each leads to
const STATES = {
  before: { "<think>": "inside", "</think>": "after", "<tool_call>": "call" },
  words: { "<think>": "inside", "<tool_call>": "call" }, // before, once words came: a closer is text then
  inside: { "</think>": "after", "<tool_call>": "call" },
  after: { "<tool_call>": "call" },
  call: { "</tool_call>": "after" },
};

// Reads one output of Qwen3, fed in chunks. opened: the prompt ended with <think>.
class Parser {
  constructor(opened) {
    this.state = opened ? "inside" : "before";
    this.held = "";
  }

  feed(text) {
    return this.read(this.held + text, false);
  }

  finish() {
    return this.read(this.held, true);
  }

  // The deltas that a text releases; what may still become a marker is held.
  read(text, final) {
    const deltas = [];
    let done = 0;
    for (;;) {
      let at = text.indexOf("<", done);
      if (at < 0) at = text.length;
      this.release(deltas, text.slice(done, at));
      this.held = "";
      if (at === text.length) return deltas;
      const markers = STATES[this.state];
      const marker = Object.keys(markers).find((each) => text.startsWith(each, at));
      if (marker) {
        if (marker.includes("tool_call")) deltas.push(["content", marker]);
        this.state = markers[marker];
        done = at + marker.length;
      } else if (!final && Object.keys(markers).some((each) => each.startsWith(text.slice(at, at + each.length)))) {
        this.held = text.slice(at);
        return deltas;
      } else {
        this.release(deltas, "<");
        done = at + 1;
      }
    }
  }

  release(deltas, text) {
    if (!text) return;
    deltas.push([this.state === "inside" ? "reasoning" : "content", text]);
    if (this.state === "before" && /[^ \t\n\r\v\f]/.test(text)) this.state = "words";
  }
}

// One list of deltas a chunk, and one more, the last, for after the end.
function stream({ request, chunks }) {
  const parser = new Parser(request.opened);
  return [...chunks.map((chunk) => parser.feed(chunk.text)), parser.finish()];
}

// The message of a whole output. If your parser has a function of its own for that, call it here.
function split({ request, raw }) {
  const message = { reasoning: "", content: "" };
  for (const [channel, text] of stream({ request, chunks: [{ text: raw }] }).flat()) message[channel] += text;
  return message;
}

// The answer to one question. An error of the parser is an answer too; this process goes on.
// If your parser is asynchronous, await it here, and answer in the order of the questions.
async function answer(asked) {
  try {
    return asked.cmd === "split" ? { message: split(asked) } : { deltas: stream(asked) };
  } catch (error) {
    return { error: String(error) };
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const asked = JSON.parse(line);
  if (asked.cmd === "stop") break;
  const told =
    asked.cmd === "start" ? { version: 1, implementation: IMPLEMENTATION } : { seq: asked.seq, ...(await answer(asked)) };
  // stdout is for answers alone, one a line; console.error whatever else there is to say.
  process.stdout.write(JSON.stringify(told) + "\n");
}
process.stdin.destroy();
