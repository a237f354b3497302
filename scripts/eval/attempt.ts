import { usageOf } from '../../core/agent/run-item.ts'
import * as Run from '../../core/agent/run-record.ts'
import * as Table from '../../core/base/aws/table.ts'
import { answer } from '../../core/chat/answer.ts'
import { approve, questionOf } from '../../core/chat/approve.ts'
import { send } from '../../core/chat/send.ts'
import type { Starter } from '../../core/chat/start.ts'
import type { Conversation } from '../../core/conversation/item.ts'
import { key } from '../../core/conversation/item.ts'
import * as Row from '../../core/conversation/row.ts'
import type { Question } from '../../core/conversation/schema.ts'
import type { Pending } from '../../core/conversation/transcript/pending.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import * as Transcript from '../../core/conversation/transcript/transcript.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import { accept } from '../../core/file/file.ts'
import { formatOf, mimeTypeOf, supportedFormats } from '../../core/file/format.ts'
import type { Live } from '../../core/live.ts'
import type { Model } from '../../core/model/model.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { find } from '../../core/tool/tools.ts'
import { consume, jobOf } from '../../core/turn/consume.ts'
import { bytesOf } from './attached.ts'
import { begunClock } from './moment.ts'
import { withParts } from './parts.ts'
import type { Site } from './site.ts'
import type { Facts, Task } from './task.ts'
import { asks } from './words.ts'

/** Decisions and answers that a user gives at most: a model that proposes or asks again and again is not waited for. */
const mostDecisions = 6

/** A user at work: what they have still to say, and what they were asked. */
type Sitting = {
  live: Live
  task: Task
  starter: () => Starter
  /** Answers that the user has not given yet. */
  answers: string[]
  questions: string[]
  decisions: number
  runIds: Set<string>
}

/** Lets a model work on a task, on a site that no other task uses meanwhile; what it leaves behind. */
export async function attempt(asked: Task, site: Site, model: Model, settings: Settings): Promise<Facts> {
  const task = await site.prepare(asked)
  const startedAt = performance.now()
  const clock = begunClock()
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
  const fileUid = await attached(sitting, model)
  let id: string | undefined
  for (const [nth, content] of task.messages.entries())
    id = await talk(sitting, id, nth === 0 ? { content, fileUid, mentions: mentionsOf(task) } : { content })
  if (!id) throw new Error(`The task ${task.id} has no message.`)
  const it = await stored(id)
  const { messages } = await Transcript.part(it, 0, it.messageCount, false)
  return {
    status: it.status,
    errorCode: it.errorCode ?? null,
    answer: lastAnswer(messages),
    ...workOf(messages),
    questions: sitting.questions,
    decisions: sitting.decisions,
    changes: await site.finish(task),
    ...(await spent(it, [...sitting.runIds])),
    ms: Math.round(performance.now() - startedAt),
    transcript: messages,
  }
}

type Said = { content: string; fileUid?: number | undefined; mentions?: ReturnType<typeof mentionsOf> }

const mentionsOf = ({ mentions }: Task) =>
  mentions.map((record) => {
    const [table = '', uid] = record.split(':')
    return { kind: table === 'pages' ? ('page' as const) : ('record' as const), table, uid: Number(uid) }
  })

/** Sends a message and works until nothing is to be done; what is asked in words the user answers with another message. */
async function talk(sitting: Sitting, before: string | undefined, said: Said): Promise<string> {
  let id = before
  for (let next: Said | undefined = said; next; ) {
    const viewContext =
      sitting.task.page === undefined ? undefined : { pageId: sitting.task.page, module: 'web_layout' }
    const draft = { conversationId: id, fileUid: undefined, ...next, viewContext }
    const rows = { known: undefined, conversation: id ? await Table.get(key(id)) : undefined }
    const { conversation } = await send(sitting.starter(), sitting.live.cms, draft, rows)
    id = conversation.id
    const decisions = sitting.decisions
    await work(sitting, id)
    const it = await stored(id)
    sitting.runIds.add(it.runId)
    const { messages } = await Transcript.part(it, 0, it.messageCount, false)
    const isAsked = it.status === 'idle' && decisions === sitting.decisions && asks(lastAnswer(messages))
    const content = isAsked ? sitting.answers.shift() : undefined
    if (content !== undefined) sitting.questions.push(lastAnswer(messages))
    next = content === undefined ? undefined : { content }
  }
  return id ?? ''
}

async function attached({ task, starter }: Sitting, model: Model): Promise<number | undefined> {
  const format = task.file && formatOf(task.file.name)
  if (!task.file || !format) return undefined
  const { actor, settings, now } = starter()
  const file = { name: task.file.name, mimeType: mimeTypeOf(format), bytes: await bytesOf(task.file) }
  const rules = { formats: supportedFormats(model.capabilities), maxUnsent: settings.maxUnsentFilesPerUser }
  return (await accept(actor, file, rules, now)).fileUid
}

/** Works on the turn until it ends, deciding and answering as the task says. */
async function work(sitting: Sitting, id: string): Promise<void> {
  const { live, starter, questions } = sitting
  for (let stops = 0; stops <= mostDecisions; stops++) {
    for (let job = await jobOf(id); job; job = await jobOf(id)) {
      await consume(live, job, { remainingMs: () => Number.POSITIVE_INFINITY })
    }
    const it = await stored(id)
    if (it.status !== 'awaiting_approval') return
    const { pending } = await Transcript.beside(it)
    if (!pending) return
    const rows = { known: undefined, conversation: await Table.get(key(id)) }
    const question = questionOf(pending)
    if (question) {
      questions.push([question.text, ...question.choices].join('\n'))
      const body = { conversationId: id, digest: pending.digest, ...given(question, sitting.answers.shift()) }
      await answer(starter(), body, rows)
      continue
    }
    const verdict = verdictOn(pending, sitting)
    if (!verdict) return
    await approve(starter(), live.cms, { conversationId: id, digest: pending.digest, ...verdict }, rows)
  }
}

/** What the user chooses and writes; a question that no one expected is skipped. */
function given(
  { choices, freeText }: Question,
  words: string | undefined,
): { choices: number[]; text: string } {
  if (words === undefined) return { choices: [], text: '' }
  const low = words.toLowerCase()
  const at = choices.findIndex(
    (choice) => choice.toLowerCase().includes(low) || low.includes(choice.toLowerCase()),
  )
  if (at !== -1) return { choices: [at], text: '' }
  return { choices: [], text: freeText ? words : '' }
}

/** How the user decides on a proposal; undefined where no one was to decide. */
function verdictOn({ calls }: Pending, sitting: Sitting) {
  const { decides } = sitting.task
  const decision = decides[Math.min(sitting.decisions, decides.length - 1)]
  sitting.decisions += 1
  if (decision === undefined) return undefined
  if (typeof decision === 'string') return { approve: decision === 'approve', reason: '', denied: [] }
  const denied = calls.filter(
    ({ preview }) => preview && decision.denies.includes(`${preview.table}:${preview.uid}`),
  )
  const approve = denied.length < calls.length
  return { approve, reason: decision.reason, denied: approve ? denied.map(({ id }) => id) : [] }
}

async function stored(id: string): Promise<Conversation> {
  const it = await Row.read(id)
  if (!it) throw new Error(`There is no conversation ${id}.`)
  return it
}

const lastAnswer = (messages: Message[]): string =>
  messages.findLast(({ role }) => role === 'assistant')?.content ?? ''

/** The calls with their outcomes, and the records that were read. */
function workOf(messages: Message[]): Pick<Facts, 'calls' | 'reads'> {
  const results = messages.filter(({ role }) => role === 'tool')
  const outcomes = new Map(results.map(({ toolCallId, outcome }) => [toolCallId, outcome]))
  const calls = messages
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .map(({ id, name, arguments: args }) => ({
      name,
      arguments: args,
      outcome: outcomes.get(id) ?? 'notRun',
    }))
  const reads = results
    .filter(({ outcome, toolName }) => outcome === 'done' && !find(toolName ?? '')?.writes)
    .flatMap(({ records = [] }) => records.map(({ table, uid }) => `${table}:${uid}`))
  return { calls, reads: [...new Set(reads)] }
}

async function spent(
  { owner }: Conversation,
  runIds: string[],
): Promise<Pick<Facts, 'rounds' | 'usage' | 'usages'>> {
  const steps = (await Promise.all(runIds.map((runId) => Run.steps({ owner, runId })))).flat()
  const rounds = steps.filter(({ detail }) => 'usage' in detail || 'failure' in detail).length
  return { rounds, usage: usageOf(steps), usages: steps.map((step) => usageOf([step])) }
}
