// The AI SDK's extractReasoningMiddleware behind the wire; install and findings: docs/adapters/ai_sdk.md.

import { generated, installed, partsByText, serve, Unsupported } from './wire_child.mjs';

const { exports, version } = await installed('ai');
const { extractReasoningMiddleware, wrapLanguageModel } = exports;

/** Dialect to the `tagName` that its users give: a name, or literal delimiters. */
const TAGS = {
  deepseek_r1: 'think',
  gemma4: { opening: '<|channel>thought\n', closing: '<channel|>' },
  qwen3: 'think',
};

const POLICY = {
  // Every pair of tags is cut out, and after a closer the next opener is looked for.
  reopen: 'opens',
  // What stands before an opener is text.
  prefix: 'content',
  // A closer is looked for behind an opener alone.
  stray_close: 'text',
  declined: 'text',
  // Behind an opener nothing but the closer is looked for.
  echoed_open: 'text',
  calls_end_reasoning: false,
  // Nobody tells it whether thinking was asked for.
  off: 'read',
  // Nothing is stripped.
  space: 'kept',
  // "unclosed" is not declared: wrapGenerate leaves such a thought in the text with its opener, whatever the finish,
  // and wrapStream makes reasoning of it. Neither value says that.
};

/** A model that answers with what its options hold. */
const teller = {
  specificationVersion: 'v4',
  provider: 'conformance',
  modelId: 'conformance',
  supportedUrls: {},
  doGenerate: async ({ providerOptions: { conformance } }) => conformance.generated,
  doStream: async ({ providerOptions: { conformance } }) => ({ stream: conformance.stream }),
};

const told = (answer) => ({ prompt: [], providerOptions: { conformance: answer } });

const models = new Map();

/** The model that answers a request: one for all requests alike, as an application makes it once. */
function modelFor({ dialect, opened }) {
  if (!(dialect in TAGS)) throw new Unsupported(`no tags are known for the dialect ${dialect}`);
  const key = `${dialect} ${opened}`;
  if (!models.has(key)) {
    const middleware = extractReasoningMiddleware({
      tagName: TAGS[dialect],
      // Its default, a line feed, is text that the model never wrote.
      separator: '',
      startWithReasoning: opened,
    });
    models.set(key, wrapLanguageModel({ model: teller, middleware }));
  }
  return models.get(key);
}

/**
 * More openers than these are not asked of an answer: the time of the split grows with their square, and an answer that
 * takes a machine under load longer than a run waits would be told as one that never comes.
 */
const MOST_OPENERS = 12_500;

/**
 * More thoughts than these are not asked of a chunk: each gives several parts at once, and Node.js takes parts out of a
 * long queue in a time that grows with the queue, which would be told of the middleware.
 */
const MOST_THOUGHTS = 2_000;

const count = (text, tag) => text.split(tag).length - 1;

function delimiters({ dialect }) {
  const tag = TAGS[dialect];
  return typeof tag === 'string' ? { opening: `<${tag}>`, closing: `</${tag}>` } : tag;
}

/** The parts of a generated answer, joined by kind. */
async function split(raw, request, finish) {
  const model = modelFor(request);
  if (count(raw, delimiters(request).opening) > MOST_OPENERS) throw new Unsupported('too many openers in one answer');
  const { content } = await model.doGenerate(told({ generated: generated(raw, finish) }));
  const joined = (type) => content.filter((part) => part.type === type).map((part) => part.text).join('');
  return { reasoning: joined('reasoning'), content: joined('text') };
}

const CHANNELS = { 'reasoning-delta': 'reasoning', 'text-delta': 'content' };

/** The deltas of a streamed answer, by the text that they came with. */
async function stream(texts, request, finish) {
  const model = modelFor(request);
  const { closing } = delimiters(request);
  const crowded = texts.some((text) => count(text, closing) > MOST_THOUGHTS);
  if (crowded) throw new Unsupported('too many thoughts in one chunk');
  const through = async (given) => (await model.doStream(told({ stream: given }))).stream;
  const lists = await partsByText(texts, finish, through);
  return lists.map((parts) =>
    parts.filter((part) => part.type in CHANNELS).map((part) => [CHANNELS[part.type], part.delta]),
  );
}

await serve(
  {
    name: 'ai_sdk',
    version,
    language: 'JavaScript',
    dialects: Object.keys(TAGS),
    chunks: 'text',
    policy: POLICY,
  },
  split,
  stream,
);
