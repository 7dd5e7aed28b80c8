"""A parser of qwen3: each marker is looked for where it counts, and what may still become one is held."""

OPEN, CLOSE, CALL, CALL_END = "<think>", "</think>", "<tool_call>", "</tool_call>"
WHITE_SPACE = " \t\n\r\v\f"

dialects = {"qwen3"}
policy = {
    "reopen": "text", "prefix": "content", "stray_close": "text", "declined": "dropped", "echoed_open": "text",
    "calls_end_reasoning": True, "skipped_channel": "stays", "unclosed": "reasoning", "off": "read",
}  # fmt: skip


class Stream:
    def __init__(self, request):
        self.state = "inside" if request["opened"] else "before"
        self.words = False  # before any words a closer declines to think
        self.held = ""

    def feed(self, text):
        return self.read(self.held + text, False)

    def finish(self, finish):
        return self.read(self.held, True)

    def read(self, text, final):
        told, at = [], 0
        while at < len(text):
            watched = self.watched()
            found = next((marker for marker in watched if text.startswith(marker, at)), None)
            if found:
                if found in (CALL, CALL_END):
                    told.append(("content", found))
                self.state = watched[found]
                at += len(found)
            elif not final and any(marker.startswith(text[at : at + len(marker)]) for marker in watched):
                break
            else:
                told.append(("reasoning" if self.state == "inside" else "content", text[at]))
                self.words = self.words or text[at] not in WHITE_SPACE
                at += 1
        self.held = text[at:]
        return told

    def watched(self):
        if self.state == "before":
            return {OPEN: "inside", CALL: "calls", **({} if self.words else {CLOSE: "after"})}
        return {"inside": {CLOSE: "after", CALL: "calls"}, "after": {CALL: "calls"}, "calls": {CALL_END: "after"}}[
            self.state
        ]


def stream(request):
    return Stream(request)


def split(raw, request, finish):
    told = {"reasoning": "", "content": ""}
    reader = stream(request)
    for channel, text in [*reader.feed(raw), *reader.finish(finish)]:
        told[channel] += text
    return told["reasoning"], told["content"]
