"""The wrong adapters, each by one fault, with the check that was made for it and the dialect where it shows."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oracles.dialects import REGISTRY
from oracles.messages import Message
from oracles.policies import AXES, DEFAULT
from readers import costing, cutting, disagreeing, failing, misreading, sharing, timing
from readers.adapter import RIGHT, Adapter
from readers.styles import Late


@dataclass(frozen=True)
class Wrong:
    """A wrong adapter.

    ``level``: of the violation that ``check`` finds in ``dialect``. ``seen``: where its like was reported, or "".
    """

    check: str
    dialect: str
    adapter: Adapter
    level: str = "must"
    seen: str = ""


_quoted = Adapter("quoted", reader=misreading.QuotedCloserSkips)


def _undone() -> list[Wrong]:
    """Each policy value that is declared, and not read so."""
    found: list[Wrong] = []
    for axis, values in AXES.items():
        for value in values:
            dialect = REGISTRY.get("kimi_k3")
            if axis == "space" or value == getattr(dialect.policy, axis):
                continue
            declares: Mapping[str, Any] = {**dict(DEFAULT.values()), axis: value}
            reads = {**declares, axis: getattr(DEFAULT, axis)}
            if value == getattr(DEFAULT, axis):
                reads[axis] = "replayed"
            name = f"declares {axis} {value}, reads {reads[axis]}"
            found.append(Wrong("reads-as-declared", dialect.id, Adapter(name, reads=reads, declares=declares)))
    return found


def _wrong(check: str, dialect: str, name: str, level: str = "must", seen: str = "", **names: Any) -> Wrong:
    names.setdefault("declares", True)
    return Wrong(check, dialect, Adapter(name, **names), level, seen)


WRONG: tuple[Wrong, ...] = (
    _wrong(
        "streamed-equals-split",
        "qwen3",
        "re-enters reasoning, in the stream",
        seen="FreeToken #711",
        streams={"reopen": "opens"},
    ),
    _wrong(
        "streamed-equals-split",
        "qwen3",
        "deletes later openers, in the split",
        seen="FreeToken #711",
        split=disagreeing.deleting_openers,
    ),
    _wrong(
        "streamed-equals-split",
        "kimi_k3",
        "a quoted answer closer flips the channel, in the split",
        seen="SGLang PR 37743",
        split=_quoted.split,
    ),
    _wrong("streamed-equals-split", "qwen3", "parts at the first closer, in the split", split=disagreeing.first_closer),
    _wrong("streamed-equals-split", "qwen3", "parts at the last closer, in the split", split=disagreeing.last_closer),
    _wrong(
        "streamed-equals-split",
        "qwen3",
        "prose before an opener is reasoning, in the split",
        seen="FreeToken #711",
        split=disagreeing.prose_is_thought,
    ),
    _wrong(
        "streamed-equals-split",
        "qwen3",
        "a thought is content before its closer comes, in the stream",
        seen="llamadart 1532",
        reads={"stray_close": "ends_thought"},
        streams={"stray_close": "dropped"},
    ),
    _wrong("streamed-equals-split", "qwen3", "remembers a split by its text", split=disagreeing.by_text(RIGHT.read)),
    _wrong(
        "streamed-equals-split",
        "qwen3",
        "composes characters, in the split",
        **disagreeing.reading(lambda text: unicodedata.normalize("NFC", text), stream=False),
    ),
    _wrong(
        "streamed-equals-split",
        "qwen3",
        "loses what was held at the end, in the stream",
        seen="vLLM #48020",
        stream=Adapter("", reader=misreading.DropsHeld).stream,
    ),
    _wrong("streamed-equals-split", "qwen3", "loses a character past 4,096, in the stream", wrap=cutting.PastSome),
    _wrong(
        "whitespace-agrees",
        "qwen3",
        "strips, in the split",
        message=lambda message: Message(message.reasoning.strip(), message.content.strip()),
    ),
    _wrong(
        "whitespace-agrees",
        "qwen3",
        "leaves out a newline behind the closer, in the stream",
        seen="FreeToken #712",
        wrap=disagreeing.LeavesOutNewline,
    ),
    _wrong(
        "chunks-do-not-matter", "qwen3", "misses a marker cut behind its third character", wrap=cutting.MissesAtThree
    ),
    _wrong(
        "chunks-do-not-matter",
        "kimi_k3",
        "misses a marker whose last character comes alone",
        wrap=cutting.MissesBeforeLast,
    ),
    _wrong("chunks-do-not-matter", "qwen3", "misses a marker over three chunks", wrap=cutting.OneChunkBack),
    _wrong(
        "chunks-do-not-matter",
        "qwen3",
        "holds only a buffer that begins a marker as a whole",
        wrap=cutting.WholeBufferIsPrefix,
    ),
    _wrong("chunks-do-not-matter", "qwen3", "an empty chunk releases what was held", wrap=cutting.EmptyChunkReleases),
    _wrong(
        "chunks-do-not-matter", "qwen3", "compares a chunk with a marker", seen="pydantic-ai", wrap=cutting.Equality
    ),
    _wrong(
        "chunks-do-not-matter",
        "qwen3",
        "text that lags its ids loses its beginning",
        seen="vLLM #51641",
        wrap=cutting.LagsLose,
    ),
    _wrong("chunks-do-not-matter", "qwen3", "takes text without ids for nothing", wrap=cutting.IdsDecide),
    _wrong(
        "chunks-do-not-matter",
        "qwen3",
        "joins CR LF, a chunk at a time",
        **disagreeing.reading(lambda text: text.replace("\r\n", "\n")),
    ),
    _wrong(
        "chunks-do-not-matter",
        "qwen3",
        "composes characters, a chunk at a time",
        **disagreeing.reading(lambda text: unicodedata.normalize("NFC", text)),
    ),
    _wrong(
        "chunks-do-not-matter",
        "gpt_oss",
        "never waits for a longer marker",
        compiled=misreading.watching(misreading.never_waiting),
    ),
    _wrong(
        "nothing-lost",
        "kimi_k3",
        "sends the reply twice, in the stream",
        seen="ROCm/ATOM PR 2910",
        wrap=disagreeing.RepliesTwice,
    ),
    _wrong("nothing-lost", "qwen3", "sends the last delta twice", wrap=disagreeing.LastTwice),
    _wrong(
        "nothing-lost",
        "qwen3",
        "loses content that comes with the closer",
        seen="vLLM #43933",
        wrap=disagreeing.LosesBehindCloser,
    ),
    _wrong("nothing-lost", "qwen3", "ends at a NUL", **disagreeing.reading(lambda text: text.partition("\0")[0])),
    _wrong("markers-do-not-leak", "kimi_k3", "framing is text", compiled=misreading.without("framing")),
    _wrong(
        "markers-do-not-leak",
        "gpt_oss",
        "a marker that waited for a longer one is text at the end",
        reader=misreading.WaitingIsText,
    ),
    _wrong("markers-do-not-leak", "gpt_oss", "knows of each role one marker", compiled=misreading.first_markers),
    _wrong(
        "markers-do-not-leak",
        "kimi_k3",
        "answer markers are text",
        compiled=misreading.without("answer_open", "answer_close"),
    ),
    _wrong("order-kept", "qwen3", "content comes before reasoning of the same chunk", wrap=timing.ContentFirst),
    _wrong("order-kept", "qwen3", "the last character of reasoning comes after the content", wrap=timing.ReasoningLags),
    _wrong("released-in-time", "qwen3", "releases at the end alone", wrap=timing.Withheld),
    _wrong("released-in-time", "qwen3", "releases at a start tag alone", wrap=timing.UntilOpener),
    _wrong("released-in-time", "qwen3", "releases at an end tag alone", wrap=timing.UntilCloser),
    _wrong("released-in-time", "qwen3", "releases a call when it ends", wrap=timing.UntilCallEnds),
    _wrong("released-in-time", "qwen3", "releases line by line", wrap=timing.ByLine),
    _wrong("released-in-time", "kimi_k3", "releases 64 characters at a time", wrap=timing.BySize),
    _wrong("released-in-time", "qwen3", "one bracket withholds the rest", wrap=timing.OneBracket),
    _wrong("released-in-time", "qwen3", "white space waits for words", wrap=timing.SpaceWaits),
    _wrong("released-in-time", "qwen3", "holds one character too many", wrap=timing.OneTooLate),
    _wrong("released-in-time", "kimi_k3", "replays in one piece", seen="ROCm/ATOM PR 2910", wrap=timing.OneReplay),
    _wrong("released-at-once", "qwen3", "holds as much as the longest marker less one", "should", wrap=Late),
    _wrong(
        "released-at-once",
        "qwen3",
        "holds the beginning of markers that mean nothing there",
        "should",
        wrap=timing.AnyBeginning,
    ),
    _wrong("requests-isolated", "qwen3", "state in the class", wrap=sharing.OneForAll),
    _wrong("requests-isolated", "qwen3", "text left by an error", wrap=sharing.LeftByError),
    _wrong("requests-isolated", "qwen3", "a flag left by an error", wrap=sharing.BusyAfterError),
    _wrong("requests-isolated", "qwen3", "text left by a stream that was given up", wrap=sharing.TakesLeft),
    _wrong("requests-isolated", "qwen3", "a scratch place that threads share", wrap=sharing.SharedScratch),
    _wrong("requests-isolated", "qwen3", "state of the importing thread", wrap=sharing.ThreadsOwn),
    _wrong("requests-isolated", "qwen3", "the same stream for equal requests", stream=sharing.remembering),
    _wrong("requests-isolated", "kimi_k3", "the finish of the request before", wrap=sharing.FinishBefore),
    _wrong(
        "never-raises",
        "qwen3",
        "raises on what Latin-1 lacks",
        wrap=failing.raising(lambda text: text.encode("latin-1")),
    ),
    _wrong(
        "never-raises",
        "qwen3",
        "raises on a character beyond the basic plane",
        wrap=failing.raising(failing.beyond_the_plane),
    ),
    _wrong("never-raises", "qwen3", "raises on an empty chunk", wrap=failing.raising(lambda text: text[0])),
    _wrong("never-raises", "qwen3", "raises at the end where nothing was fed", wrap=failing.NeedsFeed),
    _wrong("never-raises", "qwen3", "hangs on a look-alike", wrap=failing.Hangs),
    _wrong("never-raises", "qwen3", "a call for each character", wrap=failing.raising(failing.nested)),
    _wrong("never-raises", "qwen3", "gives None for no deltas", wrap=failing.Nothing),
    _wrong("never-raises", "qwen3", "gives a delta without text", wrap=failing.NoneText),
    _wrong("never-raises", "qwen3", "gives a channel of its own", wrap=failing.OtherChannel),
    _wrong("never-raises", "qwen3", "gives a mapping for a message", message=failing.as_mapping),
    _wrong("never-raises", "qwen3", "exits at a cut marker", wrap=failing.Exits),
    _wrong("finish-respected", "qwen3", "loses what was held, at stop alone", reader=misreading.DropsHeldAtStop),
    _wrong(
        "finish-respected",
        "qwen3",
        "unclosed reasoning is content at length, in the split",
        split=disagreeing.unclosed_is_content_at_length,
    ),
    _wrong(
        "cost-linear", "qwen3", "hands back the rest at each marker", seen="ROCm/ATOM PR 2910", wrap=costing.HandsBack
    ),
    _wrong("cost-linear", "qwen3", "puts everything together at each chunk", wrap=costing.Rejoins),
    _wrong("cost-linear", "qwen3", "searches everything at each chunk", wrap=costing.SearchesAll),
    _wrong("cost-linear", "qwen3", "keeps a snapshot of each chunk", wrap=costing.KeepsSnapshots),
    _wrong("cost-linear", "qwen3", "slices a character at a time, in the split", split=costing.slicing),
    _wrong(
        "cost-linear", "qwen3", "looks for white space anew at each character, in the split", split=costing.rescanning
    ),
    _wrong("cost-linear", "qwen3", "strips by a pattern, in the split", split=costing.stripping),
    _wrong("cost-linear", "qwen3", "loses a character past 16,384, in the stream", wrap=cutting.PastMany),
    _wrong("cost-linear", "qwen3", "misses a cut marker past 5,000 characters", wrap=cutting.MissesLate),
    _wrong("memory-bounded", "qwen3", "keeps the whole text", "should", wrap=costing.KeepsAll),
    _wrong(
        "surfaces-agree", "qwen3", "one endpoint strips", surfaces=("chat", "responses"), wrap=disagreeing.OneSurface
    ),
    _wrong(
        "reads-as-declared",
        "gpt_oss",
        "takes the shortest marker at a tie",
        compiled=misreading.watching(misreading.shortest_first),
    ),
    _wrong(
        "reads-as-declared",
        "qwen3",
        "eats a calls opener at offset 0",
        seen="ROCm/ATOM PR 2910",
        wrap=misreading.EatsFirstCall,
        split=misreading.eats_first_call,
    ),
    _wrong(
        "reads-as-declared",
        "qwen3",
        "reads markers inside a call",
        seen="ROCm/ATOM 2974",
        compiled=misreading.watching(misreading.searching_calls),
    ),
    _wrong(
        "reads-as-declared",
        "qwen3",
        "drops markers after reasoning",
        compiled=misreading.watching(misreading.searching_after),
    ),
    _wrong(
        "reads-as-declared",
        "qwen3",
        "takes a closer after words for one among the first",
        compiled=misreading.watching(misreading.always_first),
    ),
    _wrong(
        "reads-as-declared", "kimi_k3", "replays at length", seen="ROCm/ATOM PR 2910", reader=misreading.ReplaysAtLength
    ),
    _wrong(
        "reads-as-declared",
        "kimi_k3",
        "white space behind the answer's closer cancels the replay",
        seen="ROCm/ATOM PR 2910",
        reader=misreading.SpaceCancels,
    ),
    _wrong(
        "reads-as-declared",
        "kimi_k3",
        "a quoted answer closer replays",
        seen="SGLang PR 37743",
        reader=misreading.QuotedCloserSkips,
    ),
    _wrong(
        "reads-as-declared",
        "kimi_k3",
        "a cut marker enters the replay",
        seen="ROCm/ATOM PR 2910",
        reader=misreading.CutIsReplayed,
    ),
    _wrong(
        "reads-as-declared",
        "kimi_k3",
        "a cut marker cancels the replay",
        seen="ROCm/ATOM PR 2910",
        reader=misreading.CutCancels,
    ),
    _wrong(
        "reads-as-declared",
        "kimi_k3",
        "a proper exit replays",
        seen="ROCm/ATOM PR 2910",
        reader=misreading.ReplaysOnExit,
    ),
    _wrong("reads-as-declared", "kimi_k3", "a call cancels the replay", reader=misreading.NoReplayBeforeCalls),
    _wrong("reads-as-declared", "kimi_k3", "strips a replay", reader=misreading.BlankSkipDropped),
    _wrong(
        "reads-as-declared", "qwen3", "loses what was held at the end", seen="vLLM #48020", reader=misreading.DropsHeld
    ),
    _wrong(
        "reads-as-declared", "qwen3", "a cut marker is content, inside reasoning too", reader=misreading.CutIsContent
    ),
    _wrong(
        "reads-as-declared",
        "qwen3",
        "believes the prompt only where thinking is on",
        reader=misreading.ThoughtIfThinking,
    ),
    _wrong(
        "reads-as-declared",
        "qwen3",
        "turns a lone CR into LF",
        **disagreeing.reading(lambda text: text.replace("\r", "\n")),
    ),
    _wrong(
        "reads-as-declared",
        "qwen3",
        "loses a byte order mark",
        **disagreeing.reading(lambda text: text.replace("\ufeff", "")),
    ),
    _wrong(
        "reads-as-declared",
        "qwen3",
        "takes a full-width space for a space",
        **disagreeing.reading(lambda text: text.replace("\u3000", " ")),
    ),
    _wrong(
        "reads-as-declared",
        "kimi_k3",
        "a tab behind the answer's closer cancels the replay",
        reader=misreading.OtherSpaceCancels,
    ),
    _wrong(
        "reads-as-declared",
        "qwen3",
        "takes a tab for words",
        compiled=misreading.watching(misreading.few_spaces),
    ),
    *_undone(),
)
"""The wrong readers, in the order of the checks."""
