"""The AI SDK's extractReasoningMiddleware, asked over the wire; install and findings: docs/adapters/ai_sdk.md."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.adapters._node import child, literal
from oracles.messages import Finish, Request

command = child("ai_sdk.mjs", package="ai", version="7.0.173")

TAGS: dict[str, str] = {
    "deepseek_r1": "'think'",
    "gemma4": r"{ opening: '<|channel>thought\n', closing: '<channel|>' }",
    "qwen3": "'think'",
}
"""Dialect to the ``tagName`` that a script gives, as ``ai_sdk.mjs`` does."""

SCRIPT = """\
// npm install ai@7.0.173; node this_file.mjs
import {{ extractReasoningMiddleware, wrapLanguageModel }} from 'ai';

const raw = {raw};
const chunks = {chunks};

const parts = [
  {{ type: 'text-start', id: '0' }},
  ...chunks.map((delta) => ({{ type: 'text-delta', id: '0', delta }})),
  {{ type: 'text-end', id: '0' }},
];
const model = wrapLanguageModel({{
  model: {{
    specificationVersion: 'v4',
    provider: 'p',
    modelId: 'm',
    supportedUrls: {{}},
    doGenerate: async () => ({{ content: [{{ type: 'text', text: raw }}] }}),
    doStream: async () => ({{ stream: ReadableStream.from(parts) }}),
  }},
  middleware: extractReasoningMiddleware({{
    tagName: {tags},
    separator: '',
    startWithReasoning: {opened},
  }}),
}});

console.log('split');
for (const part of (await model.doGenerate({{}})).content) console.log(' ', part.type, JSON.stringify(part.text));
console.log('stream');
for await (const part of (await model.doStream({{}})).stream) {{
  if ('delta' in part) console.log(' ', part.type, JSON.stringify(part.delta));
}}
"""


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """JavaScript that shows a split and a stream of the AI SDK alone; ``chunks`` is None where the split matters."""
    return SCRIPT.format(
        raw=literal(raw),
        chunks=literal([raw] if chunks is None else list(chunks)),
        tags=TAGS[request.dialect],
        opened=literal(request.opened),
    )
