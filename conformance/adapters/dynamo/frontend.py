"""Dynamo's frontend and a worker for each dialect that gives the tokens it is told to, in one process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import dynamo._core as core
from tokenizers import Tokenizer

from conformance.adapters.dynamo.declared import PARSERS
from conformance.adapters.dynamo.model import write_model
from oracles.dialects import REGISTRY

HOST = "127.0.0.1"


class Planned(NamedTuple):
    """What a worker gives for one request: the ids of each output, and why the last one ends."""

    outputs: tuple[tuple[int, ...], ...]
    finish: str


class Frontend:
    """The frontend, listening on ``port``. ``tokenizers``: dialect to the tokenizer of its model."""

    def __init__(self) -> None:
        self.tokenizers: dict[str, Tokenizer] = {}
        self.port = _free_port()
        self._plans: dict[str, Planned] = {}
        self._tasks: list[asyncio.Future[Any]] = []

    def plan(self, number: str, planned: Planned) -> None:
        """Says what the worker gives for the prompt whose first line is ``number``."""
        self._plans[number] = planned

    async def start(self, folder: Path) -> None:
        """Registers a model a dialect below ``folder`` and begins to listen."""
        runtime = core.DistributedRuntime(asyncio.get_running_loop(), "mem", "tcp")
        for dialect, parser in PARSERS.items():
            atoms = REGISTRY.get(dialect).atoms
            self.tokenizers[dialect] = write_model(folder / dialect, atoms)
            config = core.ModelRuntimeConfig()
            config.reasoning_parser = parser.name
            endpoint = runtime.endpoint(f"conformance.{dialect}.generate")
            await core.register_model(
                core.ModelInput.Tokens,
                core.ModelType.Chat,
                endpoint,
                str(folder / dialect),
                dialect,
                worker_type=core.WorkerType.Aggregated,
                runtime_config=config,
            )
            self._tasks.append(asyncio.ensure_future(endpoint.serve_endpoint(self._worker(dialect))))
        engine = await core.make_engine(
            runtime, core.EntrypointArgs(core.EngineType.Dynamic, http_host=HOST, http_port=self.port)
        )
        self._tasks.append(asyncio.ensure_future(core.run_input(runtime, "http", engine)))

    def failed(self) -> str:
        """Why the frontend or a worker ended, "" while none did."""
        ended = [task for task in self._tasks if task.done()]
        return "; ".join(str(task.exception() or "it ended") for task in ended)

    def _worker(self, dialect: str) -> Any:
        async def generate(request: Mapping[str, Any], context: Any = None) -> AsyncIterator[dict[str, Any]]:
            prompt = self.tokenizers[dialect].decode(request["token_ids"], skip_special_tokens=False)
            planned = self._plans.pop(prompt.partition("\n")[0])
            for output in planned.outputs:
                yield {"token_ids": output}
            yield {"token_ids": [], "finish_reason": planned.finish}

        return generate


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
