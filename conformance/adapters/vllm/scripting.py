"""A script that repeats, with vLLM alone, what the adapter does with one output."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from pprint import pformat

from conformance.adapters.vllm.serving import Deltas, Server
from oracles.messages import Chunk, Finish, Request

STAND_INS = Path(__file__).with_name("stand_ins.py")

NO_TORCH = """# Only where vLLM is installed without torch: from here to the next such line.
{source}

without = stand_ins()
without.__enter__()
# The next such line.
"""

BODY = '''"""vLLM {version}, --reasoning-parser {parser}: the same output whole and streamed."""
{no_torch}
import re

from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.parser import ParserManager


class Tokenizer:
    """The model's tokens that matter here; of all else each character is a token, its id the code point."""

    vocabulary = {vocabulary}
    all_special_tokens = [{eos!r}]
    all_special_ids = [vocabulary[{eos!r}]]
    marked = re.compile("(" + "|".join(map(re.escape, sorted(vocabulary, key=len, reverse=True))) + ")")
    texts = {{number: text for text, number in vocabulary.items()}}

    def get_vocab(self):
        return {{**{{chr(number): number for number in range(128)}}, **self.vocabulary, **{names}}}

    def encode(self, text, add_special_tokens=True):
        parts = self.marked.split(text)
        return [i for part in parts for i in ([self.vocabulary[part]] if part in self.vocabulary else map(ord, part))]

    def decode(self, ids, skip_special_tokens=False):
        return "".join(self.texts.get(i) or chr(i) for i in ids)

    def convert_tokens_to_ids(self, token):
        return self.get_vocab().get(token)


def parser():
    made = Parser(tokenizer, None, chat_template_kwargs={arguments}, model_config=None)
    request = ChatCompletionRequest(messages=[{{"role": "user", "content": "x"}}], model="x")
    return made, made.adjust_request(request)


tokenizer = Tokenizer()
Parser = ParserManager.get_parser(reasoning_parser_name={parser!r})
prompt = tokenizer.encode({prompt!r})
raw = {raw!r}

whole, request = parser()
whole.set_prompt_token_ids(prompt)
reasoning, content, _ = whole.parse(raw, request, model_output_token_ids=tokenizer.encode(raw))
print("split ", repr(reasoning or ""), repr(content or ""))
'''

STREAM = """
# (text, ids) of each output of the engine; the last is finished.
deltas = {deltas}
streamed, request = parser()
reasoning = content = ""
for number, (text, ids) in enumerate(deltas, 1):
    message = streamed.parse_delta(text, ids, request, prompt, finished=number == len(deltas))
    print("delta ", repr(text), message and (message.reasoning, message.content))
    reasoning += message and message.reasoning or ""
    content += message and message.content or ""
print("stream", repr(reasoning), repr(content))
"""


def script_of(server: Server, request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """The script. ``chunks``: texts that join to ``raw``, or None for the split alone; raises Unsupported.

    Empty texts before one of several tokens are those that its ids came with, as they are where text lags its ids.
    """
    arguments, prompt = server.asked(request)
    tokenizer = server.tokenizer
    known = tokenizer.known()
    own = {name: number for name, number in tokenizer.get_vocab().items() if name not in known and number >= 128}
    source = "" if find_spec("torch") else STAND_INS.read_text(encoding="utf-8")
    body = BODY.format(
        version=server.engine.version,
        parser=server.model.parser,
        no_torch=NO_TORCH.format(source=source.partition("annotations\n")[2].strip()) if source else "",
        vocabulary=pformat(known, width=100, sort_dicts=False).replace("\n", "\n    "),
        names=own,
        eos=tokenizer.eos_token,
        arguments=arguments,
        prompt=tokenizer.decode(prompt),
        raw=raw,
    )
    if chunks is None:
        return body
    out = Deltas(server.model, tokenizer)
    deltas = [delta for chunk in _chunks(server, raw, chunks) if (delta := out.of(chunk))]
    return body + STREAM.format(deltas=pformat([*deltas, out.last(finish)], width=100))


def _chunks(server: Server, raw: str, texts: Sequence[str]) -> list[Chunk]:
    """The chunks of those texts, with the ids that end in each."""
    ids, ends = server.tokenizer.tokens(raw)
    chunks: list[Chunk] = []
    at = done = 0
    empty = 0
    for text in texts:
        if not text:
            empty += 1
            chunks.append(Chunk(""))
            continue
        at += len(text)
        count = bisect_right(ends, at) - done
        own = tuple(ids[done : done + count])
        done += count
        if empty == count - 1:
            chunks[len(chunks) - empty :] = [Chunk("", (number,)) for number in own[:-1]]
            own = own[-1:]
        elif list(texts) == ["", raw]:
            chunks, own = [Chunk("", own)], ()
        chunks.append(Chunk(text, own))
        empty = 0
    return chunks
