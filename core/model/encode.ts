import type {
  ContentBlockParam,
  MessageParam,
  MessageStreamParams,
  TextBlockParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages/messages'
import { canonical } from '../canonical.ts'
import type { AssistantBlock, ModelRequest, ToolSpec, UserBlock } from './model.ts'

/**
 * A request of ours in the words of the Messages API, built field by field: the API refuses every field that it does
 * not know, and sampling parameters (`temperature` …) altogether. Message and block positions stay what they were, so
 * that an error that names `messages.N.content.M` can be read back.
 */

type Block = Exclude<ContentBlockParam, { type: 'thinking' | 'redacted_thinking' }>
type Entry = { role: 'user' | 'assistant'; content: Block[] }

/** How many of the API's four cache breakpoints go to the system prompt; the rest follows the end of the history. */
const systemBreakpoints = 2
const tailBreakpoints = 2
const ephemeral = { type: 'ephemeral' } as const

/** The parameters of one call. Pure: the same request gives the same bytes, so that the provider's cache holds. */
export function encode(model: string, request: ModelRequest): MessageStreamParams {
  const system = systemParts(request.system)
  return {
    model,
    max_tokens: request.maxTokens,
    ...(system.length > 0 && { system }),
    messages: withTail(request.messages.map((one) => message(one, request.tools.length > 0))),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(tool),
      tool_choice: { type: request.toolChoice },
    }),
  }
}

function systemParts(parts: ModelRequest['system']): TextBlockParam[] {
  const filled = parts.filter((part) => part.text.trim() !== '')
  const marked = filled.filter((part) => part.cache).slice(-systemBreakpoints)
  return filled.map((part) => ({
    type: 'text',
    text: part.text.toWellFormed(),
    ...(marked.includes(part) && { cache_control: ephemeral }),
  }))
}

function tool(spec: ToolSpec): Tool {
  return {
    name: spec.name,
    description: spec.description,
    input_schema: { ...spec.schema, type: 'object' },
  }
}

/** A request without tools may hold no call either: what earlier turns called and found is then told as text. */
function message(source: ModelRequest['messages'][number], hasTools: boolean): Entry {
  if (source.role === 'user') {
    return { role: 'user', content: source.content.map((block) => userBlock(hasTools ? block : told(block))) }
  }
  return {
    role: 'assistant',
    content: source.content.map((block) => assistantBlock(hasTools ? block : telling(block))),
  }
}

function told(block: UserBlock): UserBlock {
  if (block.type !== 'tool_result') return block
  return { type: 'text', text: `[Result of a tool${block.isError ? ', an error' : ''}]\n${block.text}` }
}

function telling(block: AssistantBlock): AssistantBlock {
  if (block.type === 'text') return block
  return { type: 'text', text: `[Called ${block.name} with ${canonical(wellFormed(block.arguments))}]` }
}

function userBlock(block: UserBlock): Block {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text.toWellFormed() }
    case 'image':
      return {
        type: 'image',
        source: { type: 'base64', media_type: block.mimeType, data: block.base64 },
      }
    case 'document':
      return {
        type: 'document',
        source: { type: 'base64', media_type: block.mimeType, data: block.base64 },
        title: block.title.toWellFormed(),
      }
    case 'tool_result':
      return {
        type: 'tool_result',
        tool_use_id: block.callId,
        content: block.text.toWellFormed() || '(no output)',
        ...(block.isError && { is_error: true }),
      }
  }
}

function assistantBlock(block: AssistantBlock): Block {
  if (block.type === 'text') return { type: 'text', text: block.text.toWellFormed() }
  return { type: 'tool_use', id: block.id, name: block.name, input: wellFormed(block.arguments) }
}

/**
 * Half a surrogate pair, as a cut in the middle of an emoji leaves it, is JSON that the API does not read. The table
 * does not keep the order of keys, and another order would miss the prompt cache.
 */
function wellFormed(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(canonical(value), (_, item) => (typeof item === 'string' ? item.toWellFormed() : item))
}

/**
 * Marks the end of the last two user messages: the last is what the next call reads, the one before it is what the
 * previous call wrote, found even when many blocks lie between them.
 */
function withTail(messages: Entry[]): MessageParam[] {
  const users = messages.filter((entry) => entry.role === 'user' && entry.content.length > 0)
  const marked = users.slice(-tailBreakpoints)
  return messages.map((entry) =>
    marked.includes(entry) ? { ...entry, content: marksLast(entry.content) } : entry,
  )
}

function marksLast(blocks: Block[]): Block[] {
  return blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: ephemeral } : block,
  )
}
