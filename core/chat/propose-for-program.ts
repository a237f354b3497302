import { ulid } from 'ulid'
import { type English, filled, inLanguage } from '../base/language.ts'
import * as Claim from '../conversation/claim.ts'
import { empty } from '../conversation/item.ts'
import { tenantOf } from '../conversation/queue.ts'
import { Summary } from '../conversation/schema.ts'
import type { Message, ToolCall } from '../conversation/transcript/schema.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import { newId, title } from './conversation.ts'
import { type Starter, startNew } from './start.ts'

const sentences: English = { en: 'A program proposes over the access token “{token}”: {tool}' }
const ofSession: English = { en: 'A program of the content management system proposes: {tool}' }

/** A call that a program of the user wants, as its user reads it; without the name of a token it has a session of the user. */
export type Wanted = { call: ToolCall; tool: string; token?: string | undefined }

/**
 * Begins a conversation of the user with a call that a program wants. The turn goes on behind the call, as after a reply
 * of the model: the consumer shows it for a decision, and the model is asked after that.
 */
export async function propose(starter: Starter, { call, tool, token }: Wanted): Promise<Summary> {
  const { actor, now } = starter
  const fresh = empty(newId(actor, now), now)
  const at = new Date(now).toISOString()
  const runId = ulid(now).toLowerCase()
  const words = inLanguage(token === undefined ? ofSession : sentences, actor.lang)
  const content = filled(words, actor.lang, { tool, token: token ?? '' })
  const messages: Message[] = [
    { sequence: 0, role: 'user', content, createdAt: at },
    { sequence: 1, role: 'assistant', content: '', createdAt: at, runId, toolCalls: [call] },
  ]
  const changes = {
    ...Claim.begin(now),
    tenant: tenantOf(actor),
    runId,
    messageCount: messages.length,
    updatedAt: at,
    title: title(content, undefined),
  }
  return startNew(starter, fresh, Summary, {
    changes,
    writes: messages.map((one) => Transcript.put(fresh, one)),
    answer: (summary) => summary,
  })
}
