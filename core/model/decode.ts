import type { Message, StopReason } from '@anthropic-ai/sdk/resources/messages/messages'
import { TransientError } from '../error.ts'
import type { Answer, Usage } from './model.ts'

type Use = { id: string; name: string; input: unknown }

/**
 * The provider's message in our words. Pure. A call that was cut off is dropped, since its arguments may be a part of
 * what was meant; calls of a refused answer are dropped as well. Throws TransientError for arguments that are no
 * object: such an answer is asked for again.
 */
export function decode(message: Message): Answer {
  const uses = wholeCalls(message)
  return {
    text: textOf(message),
    calls: uses.map((use) => ({ id: use.id, name: use.name, arguments: argumentsOf(use) })),
    stop: stopOf(message.stop_reason, uses.length > 0),
    usage: usageOf(message),
  }
}

function wholeCalls(message: Message): Use[] {
  if (message.stop_reason === 'refusal') return []
  const isCut =
    message.stop_reason === 'max_tokens' || message.stop_reason === 'model_context_window_exceeded'
  const blocks = isCut ? message.content.slice(0, -1) : message.content
  return blocks.filter((block) => block.type === 'tool_use')
}

function argumentsOf(use: Use): Record<string, unknown> {
  if (typeof use.input === 'object' && use.input !== null && !Array.isArray(use.input)) {
    return use.input as Record<string, unknown>
  }
  throw new TransientError('The model called a tool with arguments that are no object')
}

/** Blocks that follow each other are one text; a call between two of them is a paragraph's end. */
function textOf(message: Message): string {
  const paragraphs: string[] = ['']
  for (const block of message.content) {
    if (block.type === 'text') paragraphs.push(`${paragraphs.pop() ?? ''}${block.text}`)
    else paragraphs.push('')
  }
  return paragraphs.filter((paragraph) => paragraph.trim() !== '').join('\n\n')
}

/** Not every server that speaks the Messages API tells its reasons well; what the message holds decides then. */
function stopOf(reason: StopReason | null, hasCalls: boolean): Answer['stop'] {
  if (reason === 'max_tokens') return 'length'
  if (reason === 'refusal') return 'refusal'
  if (reason === 'model_context_window_exceeded') return 'context'
  return hasCalls ? 'calls' : 'end'
}

function usageOf({ usage }: Message): Usage {
  const cacheRead = usage.cache_read_input_tokens ?? 0
  const cacheWrite = usage.cache_creation_input_tokens ?? 0
  return {
    input: usage.input_tokens + cacheRead + cacheWrite,
    output: usage.output_tokens,
    cacheRead,
    cacheWrite,
  }
}
