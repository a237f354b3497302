import * as Table from '../../core/base/aws/table.ts'
import type { Cms } from '../../core/cms/cms.ts'
import type { CmsRecord } from '../../core/cms/schema.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import * as Transcript from '../../core/conversation/transcript/transcript.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import type { Model } from '../../core/model/model.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { dayOf } from '../../core/stage/usage/budget.ts'
import * as Usage from '../../core/stage/usage/item.ts'
import { find } from '../../core/tool/tools.ts'
import { attach, mentionsOf } from './attached.ts'
import type { Site } from './site.ts'
import { lastAnswer, type Sitting, spentIn, storedConversation, talk } from './sitting.ts'
import type { Facts, Task } from './task.ts'

/** Lets a model work on a task on a prepared site that no other task uses; returns the resulting facts. */
export async function attempt(task: Task, site: Site, model: Model, settings: Settings): Promise<Facts> {
  const startedAt = performance.now()
  const clock = site.clock()
  const actor = await site.actor(task.user)
  const sitting: Sitting = {
    live: { clock, cms: task.stage?.parts ? withParts(site.cms) : site.cms, model: async () => model },
    task,
    starter: () => ({ actor, settings, now: clock.now(), seen: Waiting.nothing, request: undefined }),
    answers: [...task.answers],
    questions: [],
    decisions: 0,
    runIds: new Set(),
  }
  const fileUid = task.file && (await attach(task.file, sitting.starter(), model))
  const mentions = mentionsOf(task, await site.cms.capabilities())
  if (settings.dailyTokensPerUser !== null) await forgetUsage(actor.uid, clock.now())
  let id: string | undefined
  for (const [nth, content] of task.messages.entries())
    id = await talk(sitting, id, nth === 0 ? { content, fileUid, mentions } : { content })
  if (!id) throw new Error(`The task ${task.id} has no message.`)
  const conversation = await storedConversation(id)
  const { messages } = await Transcript.part(conversation, 0, conversation.messageCount, false)
  return {
    status: conversation.status,
    errorCode: conversation.errorCode ?? null,
    answer: lastAnswer(messages),
    ...workOf(messages),
    questions: sitting.questions,
    decisions: sitting.decisions,
    changes: await site.finish(task),
    ...(await spentIn(conversation, [...sitting.runIds])),
    ms: Math.round(performance.now() - startedAt),
    transcript: messages,
  }
}

/** Returns the calls with their outcomes, and the records that tools have read. */
function workOf(messages: Message[]): Pick<Facts, 'calls' | 'reads'> {
  const results = messages.filter(({ role }) => role === 'tool')
  const outcomes = new Map(results.map(({ toolCallId, outcome }) => [toolCallId, outcome]))
  const calls = messages
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .map(({ id, ...call }) => ({ ...call, outcome: outcomes.get(id) ?? 'notRun' }))
  const reads = results
    .filter(({ outcome, toolName }) => outcome === 'done' && !find(toolName ?? '')?.writes)
    .flatMap(({ records = [] }) => records.map(({ table, uid }) => `${table}:${uid}`))
  return { calls, reads: [...new Set(reads)] }
}

/** Removes the user's token usage of the day, which earlier tasks have left. */
const forgetUsage = (uid: number, now: number) => Table.remove(Usage.key(uid, dayOf(now)))

/**
 * Returns a CMS whose lists consist of parts, as in a CMS whose texts consist of blocks. Each line of a list becomes a
 * part, with the number of the line as its id.
 */
function withParts(cms: Cms): Cms {
  const capabilities = async () => ({ ...(await cms.capabilities()), parts: true })
  return {
    ...cms,
    capabilities,
    async opening(uid, open, table) {
      const opening = await cms.opening(uid, open, table)
      return opening && { ...opening, capabilities: await capabilities() }
    },
    async record(actor, question) {
      const record = await cms.record(actor, question)
      return record && inParts(record)
    },
    put: (actor, question) => cms.put(actor, { ...question, put: inLines(question.put) }),
  }
}

function inParts(record: CmsRecord): CmsRecord {
  const { type, body } = record.fields
  if (type !== 'list' || typeof body !== 'string') return record
  const parts = body.split('\n').map((text, at) => ({ id: String(at + 1), text }))
  return { ...record, fields: { ...record.fields, body: parts } }
}

function inLines<P extends { fields?: Record<string, unknown> | undefined }>(put: P): P {
  const body = put.fields?.body
  if (!Array.isArray(body)) return put
  const lines = body.map((part: unknown) =>
    part && typeof part === 'object' && 'text' in part ? part.text : part,
  )
  return { ...put, fields: { ...put.fields, body: lines.join('\n') } }
}
