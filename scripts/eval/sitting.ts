import * as Run from '../../core/agent/run-record.ts'
import { answer, approve, questionOf } from '../../core/chat/decision.ts'
import { send } from '../../core/chat/send.ts'
import type { Starter } from '../../core/chat/start.ts'
import type { Conversation } from '../../core/conversation/item.ts'
import * as Row from '../../core/conversation/row.ts'
import type { Question } from '../../core/conversation/schema.ts'
import type { Pending } from '../../core/conversation/transcript/pending.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import * as Transcript from '../../core/conversation/transcript/transcript.ts'
import type { Live } from '../../core/live.ts'
import { consume, jobOf } from '../../core/turn/consume.ts'
import type { Mention } from './attached.ts'
import type { Decision, Facts, Task } from './task.ts'
import { asks } from './wording.ts'

/**
 * The maximum number of decisions and answers that a user gives. The limit ends a run with a model that proposes or
 * asks forever.
 */
const mostDecisions = 6

/** A user at work: their remaining answers, and the questions that the model asked. */
export type Sitting = {
  live: Live
  task: Task
  starter: () => Starter
  /** Answers that the user has not given yet. */
  answers: string[]
  questions: string[]
  decisions: number
  runIds: Set<string>
}

/** A message of the user, with its file and mentioned records. */
type Said = { content: string; fileUid?: number | undefined; mentions?: Mention[] }

/**
 * Sends a message and works until the turn ends. If the model asks a question in its text, the user answers with
 * another message.
 */
export async function talk(sitting: Sitting, before: string | undefined, said: Said): Promise<string> {
  let id = before
  for (let next: Said | undefined = said; next; ) {
    const viewContext =
      sitting.task.page === undefined ? undefined : { pageId: sitting.task.page, module: 'web_layout' }
    const stored = id === undefined ? undefined : await storedConversation(id)
    const draft = { ...next, viewContext }
    const { conversation } = await send(sitting.starter(), sitting.live.cms, stored, draft)
    id = conversation.id
    const decisions = sitting.decisions
    await work(sitting, id)
    const worked = await storedConversation(id)
    sitting.runIds.add(worked.runId)
    const { messages } = await Transcript.part(worked, 0, worked.messageCount, false)
    const isAsked = worked.status === 'idle' && decisions === sitting.decisions && asks(lastAnswer(messages))
    const content = isAsked ? sitting.answers.shift() : undefined
    if (content !== undefined) sitting.questions.push(lastAnswer(messages))
    next = content === undefined ? undefined : { content }
  }
  return id ?? ''
}

/** Works on the turn until it ends; decides on proposals and answers questions as the task says. */
async function work(sitting: Sitting, id: string): Promise<void> {
  const { live, starter, questions } = sitting
  for (let stops = 0; stops <= mostDecisions; stops++) {
    for (let job = await jobOf(id); job; job = await jobOf(id))
      await consume(live, job, { remainingMs: () => Number.POSITIVE_INFINITY })
    const conversation = await storedConversation(id)
    if (conversation.status !== 'awaiting_approval') return
    const { pending } = await Transcript.beside(conversation)
    if (!pending) return
    const asked = { conversationId: id, digest: pending.digest }
    const question = questionOf(pending)
    if (question) {
      questions.push([question.text, ...question.choices].join('\n'))
      const choice = choiceOf(question, sitting.answers.shift())
      await answer(starter(), conversation, { ...asked, ...choice })
      continue
    }
    const { decides } = sitting.task
    // The last decision applies to all later proposals.
    const decision = decides[Math.min(sitting.decisions, decides.length - 1)]
    sitting.decisions += 1
    // The task expects no proposal, so the proposal stays undecided.
    if (decision === undefined) return
    await approve(starter(), live.cms, conversation, { ...asked, ...verdictOn(pending, decision) })
  }
}

/** Returns the stored conversation. */
export async function storedConversation(id: string): Promise<Conversation> {
  const conversation = await Row.read(id)
  if (!conversation) throw new Error(`There is no conversation ${id}.`)
  return conversation
}

/**
 * Returns the user's answer to a question of the question tool. It is the choice that contains `words`, or that `words`
 * contain. Otherwise it is `words` as free text, if the question allows free text.
 */
function choiceOf({ choices, freeText }: Question, words: string | undefined) {
  // Skips a question that the task does not expect.
  if (words === undefined) return { choices: [], text: '' }
  const low = words.toLowerCase()
  const at = choices
    .map((choice) => choice.toLowerCase())
    .findIndex((choice) => choice.includes(low) || low.includes(choice))
  if (at !== -1) return { choices: [at], text: '' }
  return { choices: [], text: freeText ? words : '' }
}

/** Returns the user's verdict on a proposal, with the calls that the decision denies. */
function verdictOn({ calls }: Pending, decision: Decision) {
  if (typeof decision === 'string') return { approve: decision === 'approve', reason: '', denied: [] }
  const denied = calls.filter(
    ({ preview }) => preview && decision.denies.includes(`${preview.table}:${preview.uid}`),
  )
  const approve = denied.length < calls.length
  return { approve, reason: decision.reason, denied: approve ? denied.map(({ id }) => id) : [] }
}

/** Returns the last text of the assistant. */
export const lastAnswer = (messages: Message[]): string =>
  messages.findLast(({ role }) => role === 'assistant')?.content ?? ''

/** Returns the number of model calls in the runs of a conversation, and the tokens of each. */
export async function spentIn(
  { owner }: Conversation,
  runIds: string[],
): Promise<Pick<Facts, 'rounds' | 'usages'>> {
  const steps = (await Promise.all(runIds.map((runId) => Run.steps({ owner, runId })))).flat()
  const rounds = steps.filter(({ detail }) => 'usage' in detail || 'failure' in detail).length
  return { rounds, usages: steps.map((step) => Run.usageOf([step])) }
}
