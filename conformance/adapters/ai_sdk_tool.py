"""The tool-call middleware of @ai-sdk-tool/parser, asked over the wire; see docs/adapters/ai_sdk_tool.md."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.adapters._node import child, literal
from oracles.messages import Finish, Request

command = child("ai_sdk_tool.mjs", package="@ai-sdk-tool/parser", version="4.1.26")

MIDDLEWARE: dict[str, str] = {
    "granite4": "hermesToolMiddleware",
    "hermes": "hermesToolMiddleware",
    "qwen3_coder": "qwen3CoderToolMiddleware",
}
"""Dialect to the middleware that a script uses, as ``ai_sdk_tool.mjs`` does."""

SCRIPT = """\
// npm install @ai-sdk-tool/parser@4.1.26; node this_file.mjs
import {{ {middleware} as middleware }} from '@ai-sdk-tool/parser';

const raw = {raw};
const chunks = {chunks};
const finishReason = {{ unified: {finish}, raw: {finish} }};
const usage = {{ inputTokens: {{}}, outputTokens: {{}} }};

const inputSchema = {{ type: 'object', properties: {{ city: {{ type: 'string' }} }} }};
const called = {{
  providerOptions: {{ toolCallMiddleware: {{ emitRawToolCallTextOnError: true }} }},
  prompt: [{{ role: 'user', content: [{{ type: 'text', text: 'q' }}] }}],
  tools: [{{ type: 'function', name: 'get_weather', inputSchema }}],
}};

console.log('split');
const generate = await middleware.transformParams({{ type: 'generate', params: called }});
const doGenerate = async () => ({{ content: [{{ type: 'text', text: raw }}], finishReason, usage, warnings: [] }});
for (const part of (await middleware.wrapGenerate({{ params: generate, doGenerate }})).content) {{
  console.log(' ', part.type, JSON.stringify(part.text ?? part.input));
}}

console.log('stream');
const stream = await middleware.transformParams({{ type: 'stream', params: called }});
const parts = [
  {{ type: 'text-start', id: '0' }},
  ...chunks.map((delta) => ({{ type: 'text-delta', id: '0', delta }})),
  {{ type: 'text-end', id: '0' }},
  {{ type: 'finish', finishReason, usage }},
];
const doStream = async () => ({{ stream: ReadableStream.from(parts) }});
for await (const part of (await middleware.wrapStream({{ params: stream, doStream }})).stream) {{
  if ('delta' in part) console.log(' ', part.type, JSON.stringify(part.delta));
}}
"""


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """JavaScript that shows a split and a stream of the middleware alone; ``chunks`` None: the split matters."""
    return SCRIPT.format(
        middleware=MIDDLEWARE[request.dialect],
        raw=literal(raw),
        chunks=literal([raw] if chunks is None else list(chunks)),
        finish=literal(finish),
    )
