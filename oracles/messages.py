"""What goes in and what comes out: requests, chunks, deltas, messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Finish = Literal["stop", "length"]
Channel = Literal["reasoning", "content"]

FINISHES: tuple[Finish, ...] = ("stop", "length")
CHANNELS: tuple[Channel, ...] = ("reasoning", "content")

WHITE_SPACE = " \t\n\r\v\f"
"""The six characters that are white space where a rule asks for it (SEMANTICS section 4)."""


class Unsupported(Exception):
    """Raised by an adapter for a request that its implementation can't be asked; the text is the reason shown."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool the caller declared: its name and its parameters, a JSON Schema."""

    name: str
    parameters: Any


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: the tool's name and its arguments as JSON text."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Request:
    """What is known before the first character of an output.

    ``opened``: the prompt's tail has already opened the reasoning channel.
    ``thinking``: the caller asked for reasoning.
    ``surface``: the endpoint that answers, one of the adapter's ``surfaces``, or None.
    """

    dialect: str
    opened: bool
    thinking: bool
    tools: tuple[Tool, ...] = ()
    surface: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a stream: its text, and the ids of the tokens that ended in it (the dialect's small vocabulary)."""

    text: str
    ids: tuple[int, ...] = ()


class Delta(NamedTuple):
    """Text released to a channel, ``"reasoning"`` or ``"content"``."""

    channel: str
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """A whole answer: the text of each channel. An adapter may give None for an empty channel."""

    reasoning: str = ""
    content: str = ""
    calls: tuple[Call, ...] = ()
