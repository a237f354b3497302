import * as z from 'zod'
import { type Card, cardOf } from '../../stage/settings/cards.ts'

/**
 * The shape of a request to the Messages API (version 2026-10-21), strict at every level, as the adapters use it:
 * tools, images, documents and citations. It has no sampling parameters.
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
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    data: z.string(),
  }),
  ...cached,
})

const Document = z.strictObject({
  type: z.literal('document'),
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.literal('application/pdf'),
    data: z.string(),
  }),
  title: z.string().nullish(),
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
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({
    type: z.literal('object'),
    properties: Dictionary.nullish(),
    required: z.array(z.string()).nullish(),
  }),
  ...cached,
})

const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto') }),
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('tool'), name: z.string() }),
])

const Thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('adaptive') }),
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
  z.strictObject({ type: z.literal('between_tools') }),
  z.strictObject({ type: z.literal('disabled') }),
])

/** A whole request. A `content` string is read as one text block, an empty string as no block. */
export const WireRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(0),
  messages: z.array(Message).min(1),
  system: z.preprocess(asBlocks, z.array(Text)).optional(),
  tools: z.array(Tool).optional(),
  tool_choice: ToolChoice.optional(),
  thinking: Thinking.optional(),
  stream: z.boolean().optional(),
  output_config: z
    .looseObject({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish() })
    .optional(),
  ...cached,
})
export type WireRequest = z.infer<typeof WireRequest>

function asBlocks(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value === '' ? [] : [{ type: 'text', text: value }]
}

/** A block at its place in a request; `isInner`: it is a part of a result. */
export type PlacedBlock = { block: Block; path: string; role: WireMessage['role']; isInner: boolean }

/** Returns the blocks of a message at their places, each result followed by its parts. */
export function blocksOf({ role, content }: WireMessage, index: number): PlacedBlock[] {
  return content.flatMap((block, at) => {
    const path = `messages.${index}.content.${at}`
    const parts = block.type === 'tool_result' ? (block.content ?? []) : []
    const inner = parts.map((part, nth) => ({ block: part, path: `${path}.tool_result.content.${nth}` }))
    return [{ block, path, role, isInner: false }, ...inner.map((part) => ({ ...part, role, isInner: true }))]
  })
}

/**
 * The facts of a model on which the rules of a request depend: the facts of its card, and the maximum number of images
 * and of document pages in one request.
 */
export type ModelFacts = Pick<
  Card,
  'contextTokens' | 'maxOutputTokens' | 'prefill' | 'systemMessages' | 'citations'
> & { mostMedia: number }

const demo = {
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  prefill: false,
  systemMessages: false,
  citations: true,
}

/**
 * Returns the facts of a model id, also with the prefix of a Bedrock inference profile; undefined for an unknown model.
 */
export function factsOf(model: string): ModelFacts | undefined {
  const facts = model.startsWith('demo-') ? demo : cardOf(model)
  return facts && { ...facts, mostMedia: facts.contextTokens >= 1_000_000 ? 600 : 100 }
}
