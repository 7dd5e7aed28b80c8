"""How vLLM's parsers are imported without torch."""

from __future__ import annotations

import logging
import os
from importlib import import_module, metadata
from typing import Any, NamedTuple

from conformance.adapters.vllm.stand_ins import stand_ins

MISSING = "vLLM's parsers are not installed: python -m conformance.adapters.vllm_install"


class Engine(NamedTuple):
    """What the adapter calls of vLLM."""

    version: str
    get_parser: Any
    """``ParserManager.get_parser``: the serving path's parser class for a name."""
    get_reasoning_parser: Any
    """``ReasoningParserManager.get_reasoning_parser``: the older interface's class for a name."""
    Processor: Any
    """``ChatStreamProcessor``: one choice of a streamed chat."""
    Request: Any
    """``ChatCompletionRequest``."""


def load(parsers: set[str]) -> Engine:
    """vLLM, with the modules of those reasoning parsers.

    Raises ImportError, with what to install, where it is not there or a package that it needs is missing.
    """
    try:
        version = metadata.version("vllm").partition("+")[0]
    except metadata.PackageNotFoundError as error:
        raise ImportError(MISSING) from error
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "CRITICAL")
    # The grammar library would look for torch to pass tensors by, and warn that there is none.
    os.environ.setdefault("TVM_FFI_DISABLE_TORCH_C_DLPACK", "1")
    try:
        with stand_ins():
            manager = import_module("vllm.parser").ParserManager
            reasoning = import_module("vllm.reasoning").ReasoningParserManager
            chat = "vllm.entrypoints.openai.chat_completion"
            processor = import_module(f"{chat}.stream_processor").ChatStreamProcessor
            request = import_module(f"{chat}.protocol").ChatCompletionRequest
            for name in sorted(parsers):
                manager.get_parser(reasoning_parser_name=name)
    except ImportError as error:
        raise ImportError(f"vLLM {version}: {error}; python -m conformance.adapters.vllm_install") from error
    logging.getLogger("vllm").setLevel(logging.CRITICAL)
    return Engine(version, manager.get_parser, reasoning.get_reasoning_parser, processor, request)
