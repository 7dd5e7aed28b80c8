"""An adapter in Python, of the standard library alone, that speaks the wire: pytest --impl='cmd:python adapter.py'.

Put your parser in the place of Parser, and say in IMPLEMENTATION what it is.
"""

import json
import sys

IMPLEMENTATION = {
    "name": "template-python",
    "version": "1.0",
    "language": "Python",
    "dialects": ["qwen3"],
    "policy": {"declined": "dropped", "reopen": "text", "stray_close": "text", "echoed_open": "text"},
}

STATES = {  # state: the markers that act there, and the state that each leads to
    "before": {"<think>": "inside", "</think>": "after", "<tool_call>": "call"},
    "words": {"<think>": "inside", "<tool_call>": "call"},  # before, once words came: a closer is text then
    "inside": {"</think>": "after", "<tool_call>": "call"},
    "after": {"<tool_call>": "call"},
    "call": {"</tool_call>": "after"},
}


class Parser:
    """Reads one output of Qwen3, fed in chunks. ``opened``: the prompt ended with <think>."""

    def __init__(self, opened):
        self.state = "inside" if opened else "before"
        self.held = ""

    def feed(self, text):
        return self.read(self.held + text, final=False)

    def finish(self):
        return self.read(self.held, final=True)

    def read(self, text, final):
        """The deltas that a text releases; what may still become a marker is held."""
        deltas, done = [], 0
        while True:
            at = text.find("<", done)
            if at < 0:
                at = len(text)
            self.release(deltas, text[done:at])
            if at == len(text):
                self.held = ""
                return deltas
            markers = STATES[self.state]
            marker = next((marker for marker in markers if text.startswith(marker, at)), None)
            if marker is not None:
                if "tool_call" in marker:
                    deltas.append(["content", marker])
                self.state = markers[marker]
                done = at + len(marker)
            elif not final and any(marker.startswith(text[at : at + len(marker)]) for marker in markers):
                self.held = text[at:]
                return deltas
            else:
                self.release(deltas, "<")
                done = at + 1

    def release(self, deltas, text):
        if text:
            deltas.append(["reasoning" if self.state == "inside" else "content", text])
            if self.state == "before" and text.strip(" \t\n\r\v\f"):
                self.state = "words"


def stream(request, chunks, finish):
    """One list of deltas a chunk, and one more, the last, for after the end."""
    parser = Parser(request["opened"])
    return [*[parser.feed(chunk["text"]) for chunk in chunks], parser.finish()]


def split(request, raw, finish):
    """The message of a whole output. If your parser has a function of its own for that, call it here."""
    told = {"reasoning": [], "content": []}
    for deltas in stream(request, [{"text": raw}], finish):
        for channel, text in deltas:
            told[channel].append(text)
    return {channel: "".join(texts) for channel, texts in told.items()}


def answer(asked):
    """The answer to one question. An error of the parser is an answer too; this process goes on."""
    try:
        if asked["cmd"] == "split":
            return {"message": split(asked["request"], asked["raw"], asked["finish"])}
        return {"deltas": stream(asked["request"], asked["chunks"], asked["finish"])}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        if asked["cmd"] == "stop":
            break
        if asked["cmd"] == "start":
            told = {"version": 1, "implementation": IMPLEMENTATION}
        else:
            told = {"seq": asked["seq"], **answer(asked)}
        # stdout is for answers alone, one a line, each flushed; print to stderr whatever else there is to say.
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
