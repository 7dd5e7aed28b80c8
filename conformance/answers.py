"""What an implementation answered, made texts: messages, deltas, errors; or malformed."""

from __future__ import annotations

import os
import traceback
from typing import Any

from conformance.chunkings import Chunking
from conformance.observation import Failure, StreamRun, Texts, paired

Deltas = list[list[Any]]
"""What a stream gave for each chunk, the last after finish, as it was given."""

OURS = os.path.join(os.path.dirname(__file__), "")
ADAPTERS = os.path.join(OURS, "adapters", "")


class Malformed(Exception):
    """An answer that the protocol doesn't allow; the text says what was returned."""


def run_of(chunking: Chunking, told: Deltas) -> StreamRun:
    """The stream that gave those deltas; a malformed one where a delta isn't one."""
    deltas: list[tuple[tuple[str, str], ...]] = []
    for number, given in enumerate(told):
        where = f"feed of chunk {number + 1}" if number < len(told) - 1 else "finish"
        try:
            deltas.append(tuple([delta_of(delta) for delta in given]))
        except Malformed as error:
            return StreamRun(chunking, failure=Failure("malformed", f"{where} gave {error}"))
        except Exception as error:
            text = f"{where} gave a delta that can't be read: {told_error(error)}"
            return StreamRun(chunking, failure=Failure("malformed", text))
    return StreamRun(chunking, tuple(deltas))


def delta_of(delta: Any) -> tuple[str, str]:
    """The (channel, text) of a delta: a sequence of two, or an object with the two names. Raises Malformed."""
    if hasattr(delta, "channel") and hasattr(delta, "text"):
        channel, text = delta.channel, delta.text
    else:
        try:
            channel, text = delta
        except (TypeError, ValueError):
            raise Malformed(f"{shown(delta)}, which is no delta; a delta is a pair (channel, text)") from None
    if channel not in ("reasoning", "content"):
        raise Malformed(f"a delta of an unknown channel, {shown(delta)}; the channels are 'reasoning' and 'content'")
    if not isinstance(text, str):
        raise Malformed(f"a delta whose text is {shown(text)}, in {shown(delta)}")
    return str(channel), text


def message_texts(message: Any) -> Texts:
    """The texts of a message: an object with the two names, or a pair. Raises Malformed."""
    if hasattr(message, "reasoning") and hasattr(message, "content"):
        reasoning, content = message.reasoning, message.content
    else:
        try:
            if isinstance(message, (str, bytes, dict, set, frozenset)):
                raise TypeError
            reasoning, content = message
        except (TypeError, ValueError):
            raise Malformed(
                f"{shown(message)}, which is no message; give a Message or a pair (reasoning, content)"
            ) from None
    for name, text in (("reasoning", reasoning), ("content", content)):
        if text is not None and not isinstance(text, str):
            raise Malformed(f"a message whose {name} is {shown(text)}, not a text")
    return paired(reasoning or ""), paired(content or "")


def shown(value: Any) -> str:
    """A value as it is shown in a sentence, cut where it is long; never raises."""
    try:
        text = ascii(value) if isinstance(value, str) else repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= 80 else f"{text[:60]}…{text[-16:]}"


def told_error(error: BaseException) -> str:
    """An exception in one line, with the place in the implementation's code where it was raised."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        if not path.startswith(OURS) or path.startswith(ADAPTERS):
            place = f" ({os.path.basename(path)}, line {line})"
    # One exception that is raised again and again would carry every traceback it ever had.
    error.__traceback__ = None
    text = error_text(error)
    return f"{type(error).__name__}{': ' + shown(text)[1:-1] if text else ''}{place}"


def error_text(error: BaseException) -> str:
    """The text of an exception, none where it has none to give; never raises."""
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return ""
