"""What Dynamo's wire child answers: each request asked of the frontend over HTTP, several at once, told in order."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from conformance.adapters._fields import Fields
from conformance.adapters.dynamo.client import Connection, RefusedError, by_chunk, events_of, message_of
from conformance.adapters.dynamo.declared import PARSERS, refused, tail, tokens_of, told
from conformance.adapters.dynamo.frontend import HOST, Frontend, Planned
from oracles.dialects import REGISTRY

AT_ONCE = 2
"""Requests that are under way together."""

PATIENCE = 60.0
"""Seconds until the frontend must know every model."""


class Server:
    """Answers the lines of the wire, in their order."""

    def __init__(self, answers: TextIO) -> None:
        self._answers = answers
        self._frontend = Frontend()
        self._connections: asyncio.Queue[Connection] = asyncio.Queue()
        self._asked = 0

    async def run(self, folder: Path, lines: asyncio.Queue[str | None]) -> None:
        """Answers until there are no more lines."""
        pending: asyncio.Queue[asyncio.Future[dict[str, Any]] | None] = asyncio.Queue()
        telling = asyncio.create_task(self._tell(pending))
        started = False
        while (line := await lines.get()) is not None:
            asked = json.loads(line)
            if asked["cmd"] == "stop":
                break
            if not started:
                started = True
                await self._start(folder)
            pending.put_nowait(asyncio.ensure_future(self._answer(asked)))
        pending.put_nowait(None)
        await telling

    async def _start(self, folder: Path) -> None:
        await self._frontend.start(folder)
        for _ in range(AT_ONCE):
            self._connections.put_nowait(Connection(HOST, self._frontend.port))
        ready = asyncio.get_running_loop().time() + PATIENCE
        while not await self._knows_all():
            if self._frontend.failed() or asyncio.get_running_loop().time() > ready:
                sys.exit(f"Dynamo's frontend doesn't answer: {self._frontend.failed() or 'not in time'}")
            await asyncio.sleep(0.05)

    async def _knows_all(self) -> bool:
        connection = await self._connections.get()
        try:
            known = json.loads(await connection.answered("GET", "/v1/models"))
            return {model["id"] for model in known["data"]} >= set(PARSERS)
        except (OSError, RefusedError, asyncio.IncompleteReadError):
            return False
        finally:
            self._connections.put_nowait(connection)

    async def _tell(self, pending: asyncio.Queue[asyncio.Future[dict[str, Any]] | None]) -> None:
        while (answer := await pending.get()) is not None:
            self._answers.write(json.dumps(await answer) + "\n")
            self._answers.flush()

    async def _answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        if asked["cmd"] == "start":
            return told()
        answered: dict[str, Any] = {"seq": asked["seq"]}
        request = asked["request"]
        raw = asked["raw"] if asked["cmd"] == "split" else "".join(chunk["text"] for chunk in asked["chunks"])
        if reason := refused(request["dialect"], request["opened"], request["thinking"], raw):
            return answered | {"unsupported": reason}
        connection = await self._connections.get()
        try:
            return answered | await self._asked_over(connection, asked, raw)
        except (OSError, RefusedError, asyncio.IncompleteReadError) as error:
            return answered | {"error": f"{type(error).__name__}: {error}"}
        finally:
            self._connections.put_nowait(connection)

    async def _asked_over(self, connection: Connection, asked: Mapping[str, Any], raw: str) -> dict[str, Any]:
        request = asked["request"]
        tokenizer = self._frontend.tokenizers[request["dialect"]]
        splits = asked["cmd"] == "split"
        # An engine gives a token at a time, whether its answer is streamed or not.
        texts: Sequence[str] = (
            tokens_of(raw, request["dialect"]) if splits else [each["text"] for each in asked["chunks"]]
        )
        outputs = tuple(tuple(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts)
        self._asked += 1
        self._frontend.plan(str(self._asked), Planned(outputs, asked["finish"]))
        body = {
            "model": request["dialect"],
            "messages": [{"role": "user", "content": f"{self._asked}\n{tail(request['dialect'], request['opened'])}"}],
            "chat_template_kwargs": {"enable_thinking": request["thinking"], "thinking": request["thinking"]},
        }
        if splits:
            return {"message": message_of(await connection.answered("POST", "/v1/chat/completions", body))}
        body |= {"stream": True, "stream_options": {"include_usage": True, "continuous_usage_stats": True}}
        text = await connection.answered("POST", "/v1/chat/completions", body)
        return {
            "deltas": by_chunk(
                events_of(text),
                [len(output) for output in outputs],
                texts,
                Fields(REGISTRY.get(request["dialect"]), request["opened"]),
            )
        }
