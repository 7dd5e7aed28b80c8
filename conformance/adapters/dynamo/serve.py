"""The wire child of Dynamo's adapter: a frontend with its workers, asked over HTTP on loopback."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import TextIO

SURROUNDINGS = {
    "DYN_LOG": "off",
    "DYN_SELF_HOST_METADATA": "0",
    "DYN_TCP_RESPONSE_STREAM_HOST": "127.0.0.1",
    "DYN_TCP_RPC_HOST": "127.0.0.1",
    "HF_HUB_OFFLINE": "1",
}
"""What Dynamo is told by its environment: to stay on loopback, and to say only what went wrong."""


def main() -> None:
    """Speaks the wire on stdin and stdout until either ends."""
    # The frontend logs to stdout; what it says there goes where its other complaints go.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory(prefix="conformance-dynamo-") as folder:
        os.environ.update(SURROUNDINGS, HOME=folder)
        asyncio.run(_serve(answers, Path(folder)))
    answers.flush()
    # The runtime's threads outlive it.
    os._exit(0)


async def _serve(answers: TextIO, folder: Path) -> None:
    # Dynamo reads its environment when it is imported.
    from conformance.adapters.dynamo.server import Server

    lines: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    await Server(answers).run(folder, lines)


if __name__ == "__main__":
    main()
