import * as z from 'zod'
import { cardOf } from '../../stage/settings/cards.ts'

/**
 * The shape of a request to the Messages API (version 2026-10-21), strict at every level, for clients with tools,
 * images and documents. It has no sampling parameters.
 */

const CacheControl = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h']).optional(),
})
const cached = { cache_control: CacheControl.nullish() }
const Citations = z.strictObject({ enabled: z.boolean().optional() })
const Dictionary = z.record(z.string(), z.unknown())

const Text = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(z.unknown()).nullish(),
  ...cached,
})

const Image = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
    z.strictObject({ type: z.literal('file'), file_id: z.string() }),
  ]),
  transformations: z.strictObject({ oversized_image: z.enum(['downsize', 'error']).optional() }).nullish(),
  ...cached,
})

const Document = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.literal('application/pdf'),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
    z.strictObject({
      type: z.literal('content'),
      content: z.union([z.string(), z.array(z.discriminatedUnion('type', [Text, Image]))]),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
    z.strictObject({ type: z.literal('file'), file_id: z.string() }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: Citations.nullish(),
  ...cached,
})

const SearchResult = z.strictObject({
  type: z.literal('search_result'),
  source: z.string().min(1),
  title: z.string().min(1),
  content: z.array(Text).min(1),
  citations: Citations.nullish(),
  ...cached,
})

const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,200}$/),
  input: Dictionary,
  caller: z.looseObject({ type: z.string() }).optional(),
  ...cached,
})

const ToolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z
    .preprocess(asBlocks, z.array(z.discriminatedUnion('type', [Text, Image, Document, SearchResult])))
    .optional(),
  is_error: z.boolean().optional(),
  ...cached,
})

const Block = z.discriminatedUnion('type', [
  Text,
  Image,
  Document,
  SearchResult,
  ToolUse,
  ToolResult,
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
])
export type Block = z.infer<typeof Block>

const Message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.preprocess(asBlocks, z.array(Block)),
})
export type WireMessage = z.infer<typeof Message>

const Tool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({
    type: z.literal('object'),
    properties: Dictionary.nullish(),
    required: z.array(z.string()).nullish(),
  }),
  strict: z.boolean().optional(),
  input_examples: z.array(Dictionary).optional(),
  eager_input_streaming: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
  allowed_callers: z.array(z.string()).optional(),
  ...cached,
})

const parallel = { disable_parallel_tool_use: z.boolean().optional() }
const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...parallel }),
  z.strictObject({ type: z.literal('any'), ...parallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
  z.strictObject({ type: z.literal('none') }),
])

const display = { display: z.enum(['summarized', 'omitted']).optional() }
const Thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('adaptive'), ...display }),
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), ...display }),
  z.strictObject({ type: z.literal('between_tools') }),
  z.strictObject({ type: z.literal('disabled') }),
])

/** A whole request. A `content` string is read as one text block, an empty string as none. */
export const WireRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(0),
  messages: z.array(Message).min(1),
  system: z.preprocess(asBlocks, z.array(Text)).optional(),
  tools: z.array(Tool).optional(),
  tool_choice: ToolChoice.optional(),
  thinking: Thinking.optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  output_config: z
    .looseObject({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish() })
    .optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  inference_geo: z.string().nullish(),
  ...cached,
})
export type WireRequest = z.infer<typeof WireRequest>

function asBlocks(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value === '' ? [] : [{ type: 'text', text: value }]
}

/** Facts of a model that the rules of a request depend on. */
export type ModelFacts = {
  contextTokens: number
  maxOutputTokens: number
  /** True if a conversation may end with a turn of the assistant. */
  prefill: boolean
  /** True if a system message may stand within the messages. */
  systemMessages: boolean
  /** True if it takes search results and cites. */
  citations: boolean
  images: number
  pdfPages: number
}

const demo = {
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  prefill: false,
  systemMessages: false,
  citations: true,
}

/** The facts of a model id, also with the prefix of a Bedrock inference profile; undefined for an unknown model. */
export function factsOf(model: string): ModelFacts | undefined {
  const facts = model.startsWith('demo-') ? demo : cardOf(model)
  if (!facts) return undefined
  const { contextTokens, maxOutputTokens, prefill, systemMessages, citations } = facts
  const count = contextTokens >= 1_000_000 ? 600 : 100
  return {
    contextTokens,
    maxOutputTokens,
    prefill,
    systemMessages,
    citations,
    images: count,
    pdfPages: count,
  }
}
