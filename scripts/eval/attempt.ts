import { usageOf } from '../../core/agent/run-item.ts'
import * as Run from '../../core/agent/run-record.ts'
import * as Table from '../../core/base/aws/table.ts'
import { systemClock } from '../../core/base/clock.ts'
import { answer } from '../../core/chat/answer.ts'
import { approve, questionOf } from '../../core/chat/approve.ts'
import { send } from '../../core/chat/send.ts'
import type { Starter } from '../../core/chat/start.ts'
import type { Conversation } from '../../core/conversation/item.ts'
import { key } from '../../core/conversation/item.ts'
import * as Row from '../../core/conversation/row.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import * as Transcript from '../../core/conversation/transcript/transcript.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import { accept } from '../../core/file/file.ts'
import { supportedFormats } from '../../core/file/format.ts'
import type { Live } from '../../core/live.ts'
import type { Model } from '../../core/model/model.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { consume, jobOf } from '../../core/turn/consume.ts'
import type { Site } from './site.ts'
import { type Facts, type Task, users } from './task.ts'

/** Decisions that a user makes at most: a model that proposes again and again is not waited for. */
const mostDecisions = 4

/** Lets a model work on a task, on a site that no other task uses meanwhile; what it leaves behind. */
export async function attempt(task: Task, site: Site, model: Model, settings: Settings): Promise<Facts> {
  await site.prepare(task)
  const startedAt = performance.now()
  const live: Live = { clock: systemClock, cms: site.cms, model: async () => model }
  const actor = await site.cms.user(users[task.user])
  if (!actor) throw new Error(`The seeded site has no user ${task.user}.`)
  const starter = (): Starter => ({
    actor,
    settings,
    now: Date.now(),
    seen: Waiting.nothing,
    request: undefined,
  })
  const fileUid = await attached(task, starter(), model)

  let id: string | undefined
  let approvals = 0
  const runIds = new Set<string>()
  for (const [nth, content] of task.messages.entries()) {
    const draft = {
      conversationId: id,
      content,
      fileUid: nth === 0 ? fileUid : undefined,
      viewContext: task.page === undefined ? undefined : { pageId: task.page, module: 'web_layout' },
    }
    const rows = { known: undefined, conversation: id ? await Table.get(key(id)) : undefined }
    const { conversation } = await send(starter(), site.cms, draft, rows)
    id = conversation.id
    approvals += await toItsEnd(live, id, task, starter)
    runIds.add((await stored(id)).runId)
  }
  if (!id) throw new Error(`The task ${task.id} has no message.`)

  const it = await stored(id)
  const { messages } = await Transcript.part(it, 0, it.messageCount, false)
  const ms = Math.round(performance.now() - startedAt)
  return {
    status: it.status,
    errorCode: it.errorCode ?? null,
    answer: messages.findLast(({ role }) => role === 'assistant')?.content ?? '',
    calls: callsOf(messages),
    approvals,
    changes: await site.finish(task),
    ...(await spent(it, [...runIds])),
    ms,
    transcript: messages,
  }
}

async function attached(
  task: Task,
  { actor, settings, now }: Starter,
  model: Model,
): Promise<number | undefined> {
  if (!task.file) return undefined
  const { name, mimeType, content } = task.file
  const rules = { formats: supportedFormats(model.capabilities), maxUnsent: settings.maxUnsentFilesPerUser }
  return (await accept(actor, { name, mimeType, bytes: Buffer.from(content) }, rules, now)).fileUid
}

/** Works on the turn until it ends, deciding as the task says; how often there was something to decide. */
async function toItsEnd(live: Live, id: string, task: Task, starter: () => Starter): Promise<number> {
  for (let approvals = 0; ; ) {
    for (let job = await jobOf(id); job; job = await jobOf(id)) {
      await consume(live, job, { remainingMs: () => Number.POSITIVE_INFINITY })
    }
    const it = await stored(id)
    if (it.status !== 'awaiting_approval') return approvals
    approvals += 1
    const { pending } = await Transcript.beside(it)
    const rows = { known: undefined, conversation: await Table.get(key(id)) }
    if (pending && questionOf(pending) && approvals <= mostDecisions) {
      // No task says what its user would answer.
      const skipped = { conversationId: id, digest: pending.digest, choices: [], text: '' }
      await answer(starter(), skipped, rows)
      continue
    }
    if (!task.decides || !pending || approvals > mostDecisions) return approvals
    const verdict = {
      conversationId: id,
      digest: pending.digest,
      approve: task.decides === 'approve',
      reason: '',
      denied: [],
    }
    await approve(starter(), live.cms, verdict, rows)
  }
}

async function stored(id: string): Promise<Conversation> {
  const it = await Row.read(id)
  if (!it) throw new Error(`There is no conversation ${id}.`)
  return it
}

function callsOf(messages: Message[]): Facts['calls'] {
  const results = new Map(messages.map((message) => [message.toolCallId, message]))
  return messages
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .map(({ id, name, arguments: args }) => ({
      name,
      arguments: args,
      outcome: results.get(id)?.outcome ?? 'notRun',
    }))
}

async function spent(
  { owner }: Conversation,
  runIds: string[],
): Promise<Pick<Facts, 'rounds' | 'usage' | 'usages'>> {
  const steps = (await Promise.all(runIds.map((runId) => Run.steps({ owner, runId })))).flat()
  const rounds = steps.filter(({ detail }) => 'usage' in detail || 'failure' in detail).length
  return { rounds, usage: usageOf(steps), usages: steps.map((step) => usageOf([step])) }
}
