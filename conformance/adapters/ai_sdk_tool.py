"""The tool-call middleware of @ai-sdk-tool/parser, asked over the wire; see docs/adapters/ai_sdk_tool.md."""

from __future__ import annotations

from conformance.adapters._node import child

command = child("ai_sdk_tool.mjs", package="@ai-sdk-tool/parser", version="4.1.26")
