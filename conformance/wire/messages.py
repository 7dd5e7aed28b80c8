"""The messages of the wire: questions made lines, and lines made answers."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from conformance.answers import shown as shown_value
from conformance.chunkings import Chunking
from conformance.implementation import Question
from conformance.observation import Failure, Skipped, paired
from conformance.wire.telling import cut, shown
from oracles.messages import Chunk, Request

VERSION = 1
"""The version of the wire that is spoken."""
START = f'{{"cmd":"start","version":{VERSION}}}\n'.encode()
STOP = b'{"cmd":"stop"}\n'
KEPT = 4096
"""So many encoded chunkings are kept."""


class Wrong(Exception):
    """A line is no answer; the text says what it is."""


class Encoder:
    """Makes lines of questions. A chunking is asked several times, and encoded once."""

    def __init__(self) -> None:
        self._requests: dict[Request, str] = {}
        self._chunkings: dict[int, tuple[Chunking, str]] = {}
        self._chunks: dict[Chunk, str] = {}

    def line(self, seq: int, question: Question) -> bytes:
        """A question's line."""
        raw, request, finish, chunking = question
        asked = self._requests.get(request)
        if asked is None:
            asked = self._requests[request] = json.dumps(request_values(request))
        if chunking is None:
            text = f'{{"cmd":"split","seq":{seq},"request":{asked},"raw":{quoted(raw)},"finish":"{finish}"}}\n'
        else:
            chunks = self._encoded(chunking)
            text = f'{{"cmd":"stream","seq":{seq},"request":{asked},"chunks":[{chunks}],"finish":"{finish}"}}\n'
        return text.encode("ascii")

    def _encoded(self, chunking: Chunking) -> str:
        kept = self._chunkings.get(id(chunking))
        if kept is not None and kept[0] is chunking:
            return kept[1]
        text = ",".join(
            [f'{{"text":{quoted(chunk.text)},"ids":[{",".join(map(str, chunk.ids))}]}}' for chunk in chunking.chunks]
        )
        if len(self._chunkings) >= KEPT:
            self._chunkings.clear()
        self._chunkings[id(chunking)] = (chunking, text)
        return text


def request_values(request: Request) -> dict[str, Any]:
    """A request as JSON values."""
    return {
        "dialect": request.dialect,
        "opened": request.opened,
        "thinking": request.thinking,
        "tools": [{"name": tool.name, "parameters": tool.parameters} for tool in request.tools],
        "surface": request.surface,
    }


def read_object(line: bytes) -> dict[str, Any]:
    """The JSON object of a line. Raises Wrong."""
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Wrong(f"its stdout holds {shown(line)}, which is no UTF-8 (byte {error.start})") from None
    except (ValueError, RecursionError):
        raise Wrong(f"its stdout holds {shown(line)}, which is no JSON") from None
    if type(value) is not dict:
        raise Wrong(f"its stdout holds {shown(line)}, which is no JSON object")
    return value


def read_answer(answer: dict[str, Any], question: Question) -> Any:
    """The texts of a message, lists of deltas, Failure or Skipped, from an answer to ``question``.

    One of the names of an answer must be there; further names are left alone, as those of an adapter in Python are.
    """
    chunking = question.chunking
    wanted = "message" if chunking is None else "deltas"
    told = [name for name in (wanted, "unsupported", "error") if name in answer]
    if told == [wanted]:
        value = answer[wanted]
        if chunking is not None and type(value) is list:
            return _deltas(value, len(chunking.chunks))
        if chunking is None and type(value) is dict:
            return _message(value)
    return _other(answer, wanted, told)


def _deltas(deltas: list[Any], chunks: int) -> list[list[Any]] | Failure:
    if len(deltas) != chunks + 1:
        told = f"{len(deltas)} {'list' if len(deltas) == 1 else 'lists'} of deltas to {chunks} "
        told += "chunk" if chunks == 1 else "chunks"
        return Failure("malformed", f"stream answered {told}; one a chunk is wanted, and one more for finish")
    for number, each in enumerate(deltas):
        if type(each) is not list:
            where = "finish" if number == chunks else f"chunk {number + 1}"
            text = f"stream answered {shown_value(each)} for {where}; a list of deltas is wanted, each [channel, text]"
            return Failure("malformed", text)
    return [[_delta(delta) for delta in each] for each in deltas]


def _delta(delta: Any) -> Any:
    """A delta as a pair, which it may be told as an object of the two names too."""
    return [delta["channel"], delta["text"]] if type(delta) is dict and delta.keys() == {"channel", "text"} else delta


def _message(message: dict[str, Any]) -> tuple[str, str] | Failure:
    unknown = sorted(message.keys() - {"reasoning", "content", "calls"})
    if unknown:
        text = f"split answered a message with {unknown[0]!r}; a message has reasoning and content"
        return Failure("malformed", text)
    texts: list[str] = []
    for name in ("reasoning", "content"):
        value = message.get(name)
        if value is not None and type(value) is not str:
            return Failure("malformed", f"split answered a message whose {name} is {shown_value(value)}, not a text")
        texts.append(paired(value or ""))
    return texts[0], texts[1]


def _other(answer: dict[str, Any], wanted: str, told: list[str]) -> Failure | Skipped:
    call = "split" if wanted == "message" else "stream"
    if told == ["unsupported"]:
        reason = answer["unsupported"]
        return Skipped(reason if type(reason) is str and reason else "no reason given")
    if told == ["error"]:
        error = answer["error"]
        text = cut(error if type(error) is str else json.dumps(error), 300)
        return Failure("raised", ascii(text)[1:-1] or f"{call} answered an error without a text")
    if told == [wanted]:
        kind = "an object" if wanted == "message" else "a list"
        return Failure("malformed", f"{call} answered {wanted} {shown_value(answer[wanted])}, which is not {kind}")
    has = " and ".join(map(repr, told or sorted(answer.keys() - {"seq"}))) or "nothing"
    text = f"{call} answered {has} beside seq; one of {wanted}, unsupported and error is wanted"
    return Failure("malformed", text)
