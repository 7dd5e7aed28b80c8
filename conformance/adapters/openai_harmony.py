"""OpenAI's harmony parser, token by token; install and findings: docs/adapters/openai_harmony.md."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import Any

from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Finish, Message, Request, Unsupported
from oracles.vocabulary import FIRST_ATOM, Vocabulary

DISTRIBUTIONS = ("openai-harmony", "oss-harmony")
"""Who installs the module: OpenAI's, or its fork, which holds the vocabulary."""
FOLDER = "TIKTOKEN_ENCODINGS_BASE"
"""The environment variable that names the folder of the vocabulary, o200k_base.tiktoken."""
LITELLM = "litellm/litellm_core_utils/tokenizers/fb374d419588a4632f3f557e76b4b70aebbca790"
"""The same file, to the byte, in LiteLLM's distribution."""

try:
    from openai_harmony import HarmonyEncodingName, HarmonyError, Role, StreamableParser, load_harmony_encoding
except ImportError as error:
    raise ImportError(f"openai-harmony: {error}; pip install openai-harmony==0.0.8") from error


def _installed() -> tuple[str, str]:
    """The distribution that holds the module, and its version."""
    for distribution in DISTRIBUTIONS:
        try:
            return distribution, metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    return "openai-harmony", "unknown"


def _encoding() -> Any:
    """The encoding of gpt-oss. Raises ImportError where its vocabulary can't be had."""
    try:
        held = metadata.distribution("litellm").locate_file(LITELLM)
    except metadata.PackageNotFoundError:
        held = None
    with tempfile.TemporaryDirectory() as folder:
        if held is not None and Path(str(held)).is_file() and FOLDER not in os.environ:
            Path(folder, "o200k_base.tiktoken").symlink_to(str(held))
            os.environ[FOLDER] = folder
        try:
            return load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
        except HarmonyError as error:
            raise ImportError(
                f"openai-harmony: {error}; give it the folder that holds o200k_base.tiktoken in {FOLDER}, "
                "or pip install --no-deps litellm==1.110.2, which holds that file"
            ) from error
        finally:
            if os.environ.get(FOLDER) == folder:
                del os.environ[FOLDER]


distribution, _version = _installed()
ENCODING = _encoding()
VOCABULARY = Vocabulary(REGISTRY.get("gpt_oss"))

name = distribution
version = _version
dialects = {"gpt_oss"}

# It takes tokens, and a special token is one.
chunks = "tokens"

policy = {
    # A message's channel alone says what it is: every analysis message is a thought, wherever it stands.
    "reopen": "opens",
    # An analysis message that never ends is one all the same ("parse_messages_from_completion_tokens" gives it).
    "unclosed": "reasoning",
    # Nobody tells it what the caller asked for.
    "off": "read",
    # A message's text is what its tokens decode to.
    "space": "kept",
    # The other axes ask about markers in places where well-formed output has none.
}

CHANNELS = {"analysis": "reasoning", "commentary": "content", "final": "content"}
"""Channel to ours; commentary that is addressed to nobody is a preamble, for the user to read."""


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The messages of a whole completion, their texts joined by channel."""
    form = Form(request)
    ids = VOCABULARY.tokens(raw)[0]
    form.take(ids)
    form.end()
    tokens = [*_opening(request), *_tokens(ids)]
    messages = ENCODING.parse_messages_from_completion_tokens(tokens, Role.ASSISTANT)
    told = {"reasoning": "", "content": ""}
    for message in messages:
        told[CHANNELS[message.channel]] += "".join(part.text for part in message.content)
    return Message(told["reasoning"], told["content"])


def stream(request: Request) -> Reader:
    """A new parser for one completion."""
    return Reader(request)


class Reader:
    """One completion, token by token. ``parser`` is the library's."""

    def __init__(self, request: Request) -> None:
        self._form = Form(request)
        self.parser = StreamableParser(ENCODING, Role.ASSISTANT)
        for token in _opening(request):
            self.parser.process(token)

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """What each token of the chunk adds to a message."""
        self._form.take(chunk.ids)
        for token in _tokens(chunk.ids):
            self.parser.process(token)
            yield from self._delta()

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """What was held back until the end."""
        self._form.end()
        self.parser.process_eos()
        return self._delta()

    def _delta(self) -> Iterator[tuple[str, str]]:
        text = self.parser.last_content_delta
        if text:
            yield CHANNELS[self.parser.current_channel], text


class Form:
    """Holds a completion to the form that the parser promises to read.

    Messages as docs/format.md of openai/harmony has them, to nobody, behind a prompt that ends in <|start|>assistant.
    They may end inside a message's text, not inside a header, which the parser refuses ("Unexpected EOS while waiting
    for message header to complete"). Everything raises Unsupported where that form is left.
    """

    def __init__(self, request: Request) -> None:
        self._place, self._text = ("text", "") if request.opened else ("role", ROLE)

    def take(self, ids: Iterable[int]) -> None:
        """The next tokens."""
        for id in ids:
            if id >= FIRST_ATOM:
                self._special(VOCABULARY.atoms[id - FIRST_ATOM])
            elif self._place != "text":
                self._text += chr(id)
                if not any(word.startswith(self._text) for word in WORDS.get(self._place, ())):
                    raise _malformed()

    def end(self) -> None:
        """Nothing comes any more."""
        if self._place not in ("text", "ended", "over"):
            raise _malformed()

    def _special(self, atom: str) -> None:
        if self._place == "text" and atom == "<|constrain|>":
            return
        follows = FOLLOWS.get((self._place, atom))
        if follows is None or self._text not in WORDS.get(self._place, ("",)):
            raise _malformed()
        self._place, self._text = follows, ""


OPENING = "<|channel|>analysis<|message|>"
ROLE = "assistant"
WORDS = {"role": (ROLE,), "name": tuple(CHANNELS)}
"""Place in a header to the words that may stand there."""
FOLLOWS = {
    ("role", "<|channel|>"): "name",
    ("name", "<|message|>"): "text",
    ("text", "<|end|>"): "ended",
    ("text", "<|return|>"): "over",
    ("ended", "<|start|>"): "role",
}
"""Place and special token to the place behind it; all else is malformed."""


def _malformed() -> Unsupported:
    return Unsupported("the output is no sequence of harmony messages to the user, which is all the parser promises")


def _opening(request: Request) -> list[int]:
    """What a prompt that opens reasoning ends in, behind <|start|>assistant, as tokens of the model's own."""
    return list(_tokens(VOCABULARY.tokens(OPENING)[0])) if request.opened else []


def _tokens(ids: Iterable[int]) -> Iterator[int]:
    """The real tokens of the suite's ids: a special token for an atom, the encoding of what stands between them."""
    for special, run in groupby(ids, lambda id: id >= FIRST_ATOM):
        if special:
            yield from (_special(id) for id in run)
        else:
            yield from _ordinary("".join(map(chr, run)))


@lru_cache
def _special(id: int) -> int:
    atom = VOCABULARY.atoms[id - FIRST_ATOM]
    (token,) = ENCODING.encode(atom, allowed_special={atom})
    return int(token)


@lru_cache(maxsize=1 << 12)
def _ordinary(text: str) -> tuple[int, ...]:
    return tuple(ENCODING.encode(text, disallowed_special=()))


def script(request: Request, raw: str, chunks: list[str] | None, finish: Finish) -> str:
    """A script that shows one case with openai-harmony alone."""
    prompt = OPENING if request.opened else ""
    text = SCRIPT.format(specials=list(VOCABULARY.atoms), prompt=prompt, raw=raw)
    return text if chunks is None else text + STREAMED.format(chunks=chunks)


SCRIPT = """\
# pip install openai-harmony==0.0.8; without a network, TIKTOKEN_ENCODINGS_BASE names the folder of o200k_base.tiktoken
from openai_harmony import HarmonyEncodingName, Role, StreamableParser, load_harmony_encoding

encoding = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
specials = {specials!r}
prompt = {prompt!r}  # behind <|start|>assistant
raw = {raw!r}


def tokens(text):
    return encoding.encode(text, allowed_special={{*specials}}, disallowed_special=())


for message in encoding.parse_messages_from_completion_tokens(tokens(prompt) + tokens(raw), Role.ASSISTANT):
    print("split:", message.channel, [part.text for part in message.content])
"""
"""Shows the split."""

STREAMED = """
chunks = {chunks!r}
parser = StreamableParser(encoding, Role.ASSISTANT)
for token in tokens(prompt):
    parser.process(token)
for chunk in chunks:
    told = []
    for token in tokens(chunk):
        parser.process(token)
        if parser.last_content_delta:
            told.append((parser.current_channel, parser.last_content_delta))
    print(repr(chunk), "->", told)
parser.process_eos()
print("finish ->", [(parser.current_channel, parser.last_content_delta)] if parser.last_content_delta else [])
"""
"""And the stream."""
