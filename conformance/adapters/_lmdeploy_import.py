"""How LMDeploy's response parsers are imported without torch and the engine."""

from __future__ import annotations

import logging
from importlib import import_module, metadata
from typing import Any

from conformance.adapters._stand_ins import partial

SMALL = "pip install mmengine-lite pydantic shortuuid"
"""What the parsers need of what LMDeploy asks for; the rest is the engine's."""

MISSING = f"LMDeploy's parsers are not installed: pip install --no-deps lmdeploy==0.18.0, then {SMALL}"

BARE = ("lmdeploy", "lmdeploy.serve")
"""Packages whose own code starts the engine; they are entered without running it."""

STAND_INS = {"lmdeploy.utils": {"get_logger": logging.getLogger}}
"""A module that imports torch, and what the parsers use of it."""


def load() -> tuple[Any, type[Any], str]:
    """The registry of response parsers, the class of chat requests, and the version.

    Raises ImportError, with what to install, where LMDeploy isn't there or a small dependency is missing.
    """
    try:
        version = metadata.version("lmdeploy")
    except metadata.PackageNotFoundError as error:
        raise ImportError(MISSING) from error
    with partial(BARE, STAND_INS):
        try:
            manager = import_module("lmdeploy.serve.parsers").ResponseParserManager
            # set_parsers imports them when it is called, and by then the stand-ins are gone.
            import_module("lmdeploy.serve.parsers.reasoning_parser")
            import_module("lmdeploy.serve.parsers.tool_parser")
            request = import_module("lmdeploy.serve.openai.protocol").ChatCompletionRequest
        except ImportError as error:
            raise ImportError(f"the parsers of LMDeploy {version}: {error}; {SMALL}") from error
    return manager, request, version
