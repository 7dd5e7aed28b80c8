// A parser of qwen3: each marker is looked for where it counts, and what may still become one is held.

const [OPEN, CLOSE, CALL, CALL_END] = ["<think>", "</think>", "<tool_call>", "</tool_call>"];

export const dialects = ["qwen3"];
export const policy = {
  reopen: "text",
  prefix: "content",
  stray_close: "text",
  declined: "dropped",
  echoed_open: "text",
  calls_end_reasoning: true,
  skipped_channel: "stays",
  unclosed: "reasoning",
  off: "read",
};

class Stream {
  constructor(request) {
    this.state = request.opened ? "inside" : "before";
    this.words = false; // before any words a closer declines to think
    this.held = "";
  }

  feed(text) {
    return this.read(this.held + text, false);
  }

  finish() {
    return this.read(this.held, true);
  }

  read(text, final) {
    const told = [];
    let at = 0;
    while (at < text.length) {
      const watched = this.watched();
      const found = Object.keys(watched).find((marker) => text.startsWith(marker, at));
      const begun = (marker) => marker.startsWith(text.slice(at, at + marker.length));
      if (found) {
        if (found === CALL || found === CALL_END) told.push(["content", found]);
        this.state = watched[found];
        at += found.length;
      } else if (!final && Object.keys(watched).some(begun)) {
        break;
      } else {
        told.push([this.state === "inside" ? "reasoning" : "content", text[at]]);
        this.words ||= !" \t\n\r\v\f".includes(text[at]);
        at += 1;
      }
    }
    this.held = text.slice(at);
    return told;
  }

  watched() {
    if (this.state === "before") {
      return { [OPEN]: "inside", [CALL]: "calls", ...(this.words ? {} : { [CLOSE]: "after" }) };
    }
    return {
      inside: { [CLOSE]: "after", [CALL]: "calls" },
      after: { [CALL]: "calls" },
      calls: { [CALL_END]: "after" },
    }[this.state];
  }
}

export const stream = (request) => new Stream(request);

export function split(raw, request, finish) {
  const told = { reasoning: "", content: "" };
  const reader = stream(request);
  for (const [channel, text] of [...reader.feed(raw), ...reader.finish(finish)]) told[channel] += text;
  return told;
}
