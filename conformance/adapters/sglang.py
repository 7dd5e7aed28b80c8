"""SGLang's reasoning detectors, as the server asks them; install and findings: docs/adapters/sglang.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from conformance.adapters._sglang_import import load
from conformance.adapters._sglang_script import script_of
from oracles.messages import Chunk, Finish, Message, Request, Unsupported

Values = dict[str, str | bool]
"""Policy axis to value."""

ReasoningParser, version = load()
name = "sglang"

# The detokenizer emits a special token whole, and the detectors say that they rely on it
# ("`</mm:think>` is a single token, so a stray leading closer arrives whole").
chunks = "tokens"

BUFFERED = "stream_reasoning=False"
surfaces = (BUFFERED,)
"""The second route of a stream: a request with ``stream_reasoning`` false holds a thought until it has closed."""

BASE: Values = {
    # BaseReasoningFormatDetector, "Assumes reasoning format: (<think>)*(.*)</think>": openers in front are dropped,
    # the first closer ends the thought, and everything behind it is text, openers and closers too.
    "reopen": "text",
    "echoed_open": "dropped_first",
    "stray_close": "text",
    # Without an opener and not forced, detect_and_parse gives the text back as it is, a leading closer with it.
    "declined": "text",
    # "Assume reasoning was truncated before end token"; force_nonempty_content, which says otherwise, is off.
    "unclosed": "reasoning",
    # force_reasoning=False only says where the output starts; an opener is read even so.
    "off": "read",
    # Nothing is stripped anywhere.
    "space": "kept",
    # "prefix" is not declared: of words before an opener the split makes reasoning, the opener with them, and the
    # stream makes content or reasoning as the chunks fall. Neither of its values says that.
}

# tool_start_token is the dialect's calls opener: "sometimes opens <tool_call> without closing </think>; treat it as
# an implicit reasoning close" (Qwen3Detector), "to switch from reasoning mode to normal mode" (Glm45Detector),
# "can switch from reasoning to tool-call section" (KimiK2Detector).
CALLS_END = BASE | {"calls_end_reasoning": True}

# tool_start_token is unset, or another family's, as where DeepSeek's and MiniMax' dialects borrow Qwen's detector.
CALLS_STAY = BASE | {"calls_end_reasoning": False}

MINIMAX_M3 = CALLS_STAY | {
    # "a non-thinking reply may open with one stray closer; drop it unless thinking"
    "declined": "dropped",
}

KIMI_K3: Values = {
    # _reasoning_done is final in the stream, and the split cuts once.
    "reopen": "text",
    # "if not in_reasoning and self.think_end_token not in text": where a closer stands, all before it was a thought,
    # also where nothing was forced, and also where that is white space or nothing.
    "stray_close": "ends_thought",
    "declined": "text",
    # "tools is left out on purpose: the model may jump from think straight into that channel"
    "calls_end_reasoning": True,
    # "A bare <|close|>response<|sep|> therefore proves the preceding text was the response channel, and it is reported
    # as content rather than reasoning." The stream, which has already sent it as reasoning, sends it twice.
    "skipped_channel": "moved",
    "unclosed": "reasoning",
    "off": "read",
    "space": "kept",
    # Neither "prefix" (the split drops words before an opener) nor "echoed_open" (an opener is dropped once, whether
    # the prompt or the output opened the channel) is any of the values there are.
}

GPT_OSS: Values = {
    # CanonicalStrategy makes an event of each block: every analysis block is reasoning, text between blocks content.
    "reopen": "opens",
    "prefix": "content",
    # _is_standalone_structural_token: "structural tokens that shouldn't be emitted as normal text"
    "stray_close": "dropped",
    "declined": "dropped",
    # "Each channel type has specific valid end tokens": an analysis block ends at <|end|> or <|call|>, and what opens
    # another block before that, or returns, is its text.
    "echoed_open": "text",
    "calls_end_reasoning": False,
    "skipped_channel": "stays",
    # _parse_partial_analysis: what has come of an unfinished analysis block is reasoning.
    "unclosed": "reasoning",
    "off": "read",
    "space": "kept",
}

APERTUS: Values = {
    # detect_and_parse_block_sequence: a block for each thought, and for each text between them.
    "reopen": "opens",
    "prefix": "content",
    # Outside a thought the opener alone is looked for, inside it the closer and a call.
    "stray_close": "text",
    "declined": "text",
    "echoed_open": "text",
    "unclosed": "reasoning",
    "off": "read",
    "space": "kept",
    # "calls_end_reasoning" is not declared: "text ... for any tool calls inside reasoning", and then the thought goes
    # on. Neither value says that.
}

COHERE: Values = {
    # "split on the (single) <|END_THINKING|> token"; what the answer's frame holds is text.
    "reopen": "text",
    "stray_close": "text",
    # "Some checkpoints echo the START_THINKING token"
    "echoed_open": "dropped_first",
    # "an implicit transition via the start of the final-text or action block"
    "calls_end_reasoning": True,
    # "the model exhausted tokens still thinking"
    "unclosed": "reasoning",
    "off": "read",
    # "space" is not declared, because what stands between the frames is dropped; nor "skipped_channel", because the
    # answer's closer isn't looked for in a thought and stays there as text. Nor "prefix" and "declined": a reader that
    # always starts in reasoning has no such place.
}

INKLING: Values = {
    # "a sequence of typed content blocks": each block of thinking is reasoning, whatever came before it.
    "reopen": "opens",
    "prefix": "content",
    # The type of a block may change without an end.
    "echoed_open": "dropped",
    "calls_end_reasoning": True,
    # "Preserve the tool-invocation framing"; an end of no block is dropped, and is framing anyway.
    "stray_close": "dropped",
    "declined": "dropped",
    "unclosed": "reasoning",
    "off": "read",
    "space": "kept",
}

# "If non-streaming output only contains reasoning text and no tool call, Ling3 moves that text into normal content":
# however the output ended, and closed or not, which no value says.
LING3 = {axis: value for axis, value in CALLS_END.items() if axis != "unclosed"}

ALWAYS = "is forced to reasoning by SGLang, whatever is asked"
NEVER = "starts outside of reasoning, whatever is asked"


class Detector(NamedTuple):
    """Which of SGLang's detectors reads a dialect.

    ``model_type``: its name there (--reasoning-parser).
    ``refused``: value of ``opened`` that it ignores, to the reason. ``unread``: finds in an output what the format
    gives a meaning that no role of a dialect has. ``ends``: tokens at which the engine stops, to whether it gives their
    text.
    """

    model_type: str
    policy: Values
    refused: Mapping[bool, str] = MappingProxyType({})
    unread: re.Pattern[str] | None = None
    ends: Mapping[str, bool] = MappingProxyType({})


# "a real header can only follow an end token", and elsewhere the string "is payload"; what stands in a header is its
# recipient and no text, and is kept with a call for the tool parser.
INKLING_HEADERS = re.compile(
    r"(?<!<\|end_message\|>)(?<!\A)<\|message_model\|>"
    r"|<\|message_model\|>(?!<\|content_(?:thinking|text)\|>)"
)


# "Each channel type has specific valid end tokens": a header before one of them is text of the message it stands in, as
# it is to the format's own library.
HARMONY_HEADERS = re.compile(r"<\|message\|>(?:(?!<\|(?:end|call|return)\|>).)*<\|(?:channel|start)\|>", re.DOTALL)

# DetokenizerManager.trim_matched_stop cuts it off: "We can always assume the last token is the matched stop token".
# But "<|call|> is the tool call token and one of eos tokens for gpt-oss model", and is kept for the tool parser.
HARMONY_ENDS = MappingProxyType({"<|return|>": False, "<|call|>": True})
KIMI_K3_ENDS = MappingProxyType({"<|end_of_msg|>": False})

LONGEST_END = max(map(len, HARMONY_ENDS | KIMI_K3_ENDS))

DETECTORS = {
    "apertus": Detector("apertus2509", APERTUS, {True: NEVER}),
    "cohere2_moe": Detector("cohere_command4", COHERE, {False: "starts in reasoning, whatever is asked"}),
    "deepseek_r1": Detector("deepseek-r1", CALLS_STAY, {False: ALWAYS}),
    "deepseek_v31": Detector("deepseek-v3", CALLS_STAY),
    "deepseek_v32": Detector("deepseek-v3", CALLS_STAY),
    "deepseek_v4": Detector("deepseek-v4", CALLS_STAY),
    "dots": Detector("dots", CALLS_STAY),
    "gemma4": Detector("gemma4", CALLS_STAY),
    "gigachat35": Detector("gigachat35", CALLS_STAY, {False: ALWAYS}),
    "glm45": Detector("glm45", CALLS_END),
    "glm47": Detector("glm45", CALLS_END),
    "gpt_oss": Detector(
        "gpt-oss",
        GPT_OSS,
        {True: "reads channels alone and can't be told that one is open"},
        HARMONY_HEADERS,
        HARMONY_ENDS,
    ),
    "inkling": Detector("inkling", INKLING, {True: NEVER}, INKLING_HEADERS),
    "interns1": Detector("interns1", CALLS_STAY),
    "kimi_k2": Detector("kimi_k2", CALLS_END),
    "kimi_k3": Detector("kimi_k3", KIMI_K3, ends=KIMI_K3_ENDS),
    "laguna_s": Detector("poolside_v1", CALLS_END),
    "laguna_xs": Detector("poolside_v1", CALLS_END),
    "ling3": Detector("ling3", LING3),
    "mimo": Detector("mimo", CALLS_END),
    "minimax_m2": Detector("minimax", CALLS_STAY, {False: ALWAYS}),
    "minimax_m3": Detector("minimax-m3", MINIMAX_M3),
    "mistral": Detector("mistral", CALLS_STAY),
    "nemotron_v3": Detector("nemotron_3", CALLS_END),
    "qwen3": Detector("qwen3", CALLS_END),
    "qwen35": Detector("qwen3", CALLS_END),
    "qwen3_thinking": Detector("qwen3-thinking", CALLS_END, {False: ALWAYS}),
    "step3": Detector("step3", CALLS_STAY, {False: ALWAYS}),
    "step35": Detector("step3p5", CALLS_STAY, {False: ALWAYS}),
}
"""Dialect to its detector. Seed-OSS, Command R7B and Granite 3.2 have markers that none of SGLang's detectors reads."""

dialects = {dialect for dialect, detector in DETECTORS.items() if detector.model_type in ReasoningParser.DetectorMap}


def _declared(dialect: str) -> Values:
    """The policy of a dialect, for the release that is installed."""
    detector = DETECTORS[dialect]
    # SGLang 0.5.22 lets DeepSeek-V4's calls opener end a thought where it begins a line, which no value says.
    if getattr(ReasoningParser(detector.model_type).detector, "tool_start_at_line_start", False):
        return {axis: value for axis, value in detector.policy.items() if axis != "calls_end_reasoning"}
    return detector.policy


policy = {dialect: _declared(dialect) for dialect in dialects}


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output. SGLang's parser never learns how the output ended.

    Raises Unsupported where the output says what no dialect has a role for, or what the engine never gives.
    """
    detector = DETECTORS[request.dialect]
    raw = Engine(detector).given(raw)
    if detector.unread is not None and detector.unread.search(raw):
        raise Unsupported("a header stands where the format gives it a meaning that no role of the dialect has")
    reasoning, content = parser_for(request, stream_reasoning=False).parse_non_stream(raw)
    return Message(reasoning=reasoning or "", content=content or "")


def stream(request: Request) -> Reader:
    """A new reader, as the server makes one for each choice of a request."""
    parser = parser_for(request, stream_reasoning=request.surface != BUFFERED)
    return Reader(parser, Engine(DETECTORS[request.dialect]))


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """A Python script that asks SGLang's parser alone; ``chunks`` is None where only the split matters."""
    detector = DETECTORS[request.dialect]
    buffered = request.surface == BUFFERED
    return script_of(ReasoningParser.__module__, detector.model_type, request.opened, not buffered, raw, chunks)


class Engine:
    """What is given of one output: at some tokens the engine stops, and most of them have no text there."""

    def __init__(self, detector: Detector) -> None:
        self._ends = detector.ends
        self._given = ""

    def given(self, text: str) -> str:
        """The next text as it is. Raises Unsupported where it holds, or comes behind, what the engine never gives."""
        if self._ends:
            self._given = self._given[-LONGEST_END:] + text
        for end, kept in self._ends.items():
            at = self._given.find(end)
            if at >= 0 and not (kept and at + len(end) == len(self._given)):
                raise Unsupported(f"the engine stops at {end}, and gives no text {'behind' if kept else 'for'} it")
        return text


class Reader:
    """One response as the server streams it."""

    def __init__(self, parser: Any, engine: Engine) -> None:
        self._parser = parser
        self._engine = engine

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """What SGLang sends for one chunk, the reasoning in an event before the content; raises Unsupported."""
        return _deltas(*self._parser.parse_stream_chunk(self._engine.given(chunk.text)))

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """What SGLang still held. Releases before 0.5.16 hold it for ever."""
        if not hasattr(self._parser, "parse_stream_end"):
            return iter(())
        return _deltas(*self._parser.parse_stream_end())


def parser_for(request: Request, stream_reasoning: bool = True) -> Any:
    """SGLang's parser for a request; raises Unsupported where the detector would ignore what the prompt opened."""
    detector = DETECTORS[request.dialect]
    if request.opened in detector.refused:
        raise Unsupported(f"{detector.model_type} {detector.refused[request.opened]}")
    return ReasoningParser(detector.model_type, stream_reasoning=stream_reasoning, force_reasoning=request.opened)


def _deltas(reasoning: str | None, content: str | None) -> Iterator[tuple[str, str]]:
    if reasoning:
        yield "reasoning", reasoning
    if content:
        yield "content", content
