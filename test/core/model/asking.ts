import { anthropic } from '../../../core/model/anthropic.ts'
import type { Timing } from '../../../core/model/deadline.ts'
import { type Answer, limits, type ModelRequest } from '../../../core/model/model.ts'
import { startMessagesApi } from '../../support/messages-api.ts'

/** A server that takes one key, and models and requests for it. */

export const api = await startMessagesApi({ key: 'secret-of-the-test' })

/** The adapter under test: its pauses between attempts are none. */
export function model(
  options: {
    timing?: Partial<Timing>
    key?: string
    baseUrl?: string
    id?: string
    systemMessages?: boolean
    citations?: boolean
  } = {},
) {
  return anthropic({
    about: { provider: 'Test', model: options.id ?? 'claude-sonnet-5-5', isAI: true },
    capabilities: ['tools'],
    limits: limits({ contextTokens: 200_000, maxOutputTokens: 64_000 }, 'anthropic'),
    key: options.key ?? api.key,
    baseUrl: options.baseUrl ?? api.url,
    random: () => 0,
    systemMessages: options.systemMessages,
    citations: options.citations,
    ...(options.timing && { timing: options.timing }),
  })
}

/** The smallest request that has everything. */
export const hello: ModelRequest = {
  system: [{ text: 'You help.', cache: true }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  tools: [{ name: 'get_record', description: 'Reads', schema: { type: 'object', properties: {} } }],
  toolChoice: 'auto',
  maxTokens: 1_000,
}
export const never = new AbortController().signal

export function ask(
  request: ModelRequest = hello,
  options: Parameters<typeof model>[0] = {},
): Promise<Answer> {
  return model(options).ask(request, never)
}
