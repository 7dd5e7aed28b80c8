// The tool-call middleware of @ai-sdk-tool/parser behind the wire; install and findings: docs/adapters/ai_sdk_tool.md.

import { generated, installed, partsByText, serve, Unsupported } from './wire_child.mjs';

const { exports, version } = await installed('@ai-sdk-tool/parser');

/** Dialect to the preconfigured middleware for models that write it. */
const MIDDLEWARE = {
  granite4: exports.hermesToolMiddleware,
  hermes: exports.hermesToolMiddleware,
  qwen3_coder: exports.qwen3CoderToolMiddleware,
};

/** Tags of reasoning are text to it, as to a caller who asked for no reasoning. */
const OFF = { off: 'text' };

const POLICY = {
  // Of a text that is only white space no part is made where an answer is not streamed.
  granite4: { ...OFF, space: 'trimmed' },
  hermes: { ...OFF, space: 'trimmed' },
  // Nothing is stripped.
  qwen3_coder: { ...OFF, space: 'kept' },
};

/** Whether a region of calls was closed. Every dialect here has these tags; one middleware takes them in any case. */
function closesRegion(raw, dialect) {
  const text = dialect === 'qwen3_coder' ? raw.toLowerCase() : raw;
  const opener = text.indexOf('<tool_call>');
  return opener >= 0 && text.includes('</tool_call>', opener);
}

/**
 * What else begins a call for this protocol: "streaming tool calls can start directly with <function=...>", and an opener
 * may have attributes. An opener that is cut by the end begins none.
 */
const BEGINS = { qwen3_coder: /<(function|call|invoke|tool(?!_call>|(_(c(a(ll?)?)?)?)?$))/i };

/**
 * More openers than these are not asked: the time of the split grows with their square (14 s for 9,000), and an answer
 * that takes longer than a run waits would be told as one that never comes.
 */
const MOST_OPENERS = 1_000;

/**
 * What a caller gives it: a prompt, the tools, and the option by which a stream keeps text that turned out to be no call.
 * By default a stream suppresses such text, on purpose, and the split keeps it.
 */
const CALLED = {
  providerOptions: { toolCallMiddleware: { emitRawToolCallTextOnError: true } },
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is the weather?' }] }],
  tools: [
    {
      type: 'function',
      name: 'get_weather',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
};

/** Whether a stream rightly waits: what stands behind an opener may be a call, and is held to see. */
function waits(raw, dialect) {
  const text = dialect === 'qwen3_coder' ? raw.toLowerCase() : raw;
  const opener = text.indexOf('<tool_call>');
  return opener >= 0 && opener + '<tool_call>'.length < text.length;
}

/** The middleware that answers a request, where the text that it leaves says all of `raw`. */
function middlewareFor({ dialect, opened, thinking }, raw) {
  if (!(dialect in MIDDLEWARE)) throw new Unsupported(`no middleware is known for the dialect ${dialect}`);
  if (opened) throw new Unsupported('it reads no reasoning: the prompt can have opened none');
  if (thinking && dialect === 'hermes') throw new Unsupported('it reads no reasoning: only asked with thinking off');
  if (closesRegion(raw, dialect)) throw new Unsupported('a closed region becomes a call, or is suppressed by design');
  if (BEGINS[dialect]?.test(raw)) throw new Unsupported('this begins a call here, and not in the dialect');
  if (raw.split('<tool_call>').length - 1 > MOST_OPENERS) throw new Unsupported('too many openers in one answer');
  return MIDDLEWARE[dialect];
}

function textOf(parts) {
  if (parts.some((part) => part.type === 'tool-call')) throw new Unsupported('a call was read; calls are not judged');
  return parts;
}

/** The texts of a generated answer. */
async function split(raw, request, finish) {
  const middleware = middlewareFor(request, raw);
  const params = await middleware.transformParams({ type: 'generate', params: CALLED });
  const doGenerate = async () => generated(raw, finish);
  const { content } = await middleware.wrapGenerate({ params, doGenerate });
  const texts = textOf(content).filter((part) => part.type === 'text').map((part) => part.text);
  return { reasoning: '', content: texts.join('') };
}

/** The text deltas of a streamed answer, by the text that they came with. */
async function stream(texts, request, finish) {
  const raw = texts.join('');
  const middleware = middlewareFor(request, raw);
  if (waits(raw, request.dialect)) throw new Unsupported('what stands behind an opener is held until it is no call');
  const params = await middleware.transformParams({ type: 'stream', params: CALLED });
  const lists = await partsByText(texts, finish, async (given) => {
    const doStream = async () => ({ stream: given });
    return (await middleware.wrapStream({ params, doStream })).stream;
  });
  return lists.map((parts) =>
    textOf(parts).filter((part) => part.type === 'text-delta').map((part) => ['content', part.delta]),
  );
}

await serve(
  {
    name: 'ai_sdk_tool',
    version,
    language: 'JavaScript',
    dialects: Object.keys(MIDDLEWARE),
    chunks: 'text',
    policy: POLICY,
  },
  split,
  stream,
);
