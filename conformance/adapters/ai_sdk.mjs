// The AI SDK's extractReasoningMiddleware behind the wire; install and findings: docs/adapters/ai_sdk.md.

import { generated, installed, partsByText, serve, Unsupported } from './wire_child.mjs';

const { exports, version } = await installed('ai');
const { extractReasoningMiddleware, wrapLanguageModel } = exports;

/** Dialect to the `tagName` that its users give: a name, or literal delimiters. */
const TAGS = {
  deepseek_r1: 'think',
  gemma4: { opening: '<|channel>thought\n', closing: '<channel|>' },
  mistral: { opening: '[THINK]', closing: '[/THINK]' },
  qwen3: 'think',
  seed_oss: 'seed:think',
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

/** The parts of a generated answer, joined by kind. */
async function split(raw, request, finish) {
  const { content } = await modelFor(request).doGenerate(told({ generated: generated(raw, finish) }));
  const joined = (type) => content.filter((part) => part.type === type).map((part) => part.text).join('');
  return { reasoning: joined('reasoning'), content: joined('text') };
}

/**
 * So many thoughts in one chunk are not asked: each gives several parts at once, and Node.js takes parts out of a long
 * queue in a time that grows with the queue, which would be told of the middleware.
 */
const MOST = 2_000;

function closers(text, { dialect }) {
  const tag = TAGS[dialect];
  return text.split(typeof tag === 'string' ? `</${tag}>` : tag.closing).length - 1;
}

const CHANNELS = { 'reasoning-delta': 'reasoning', 'text-delta': 'content' };

/** The deltas of a streamed answer, by the text that they came with. */
async function stream(texts, request, finish) {
  const model = modelFor(request);
  if (texts.some((text) => closers(text, request) > MOST)) throw new Unsupported('too many thoughts in one chunk');
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
