import * as Table from '../../core/base/aws/table.ts'
import { answer, approve, questionOf } from '../../core/chat/decision.ts'
import { send } from '../../core/chat/send.ts'
import type { Starter } from '../../core/chat/start.ts'
import { type Conversation, key } from '../../core/conversation/item.ts'
import * as Row from '../../core/conversation/row.ts'
import type { Question } from '../../core/conversation/schema.ts'
import type { Pending } from '../../core/conversation/transcript/pending.ts'
import * as Transcript from '../../core/conversation/transcript/transcript.ts'
import type { Live } from '../../core/live.ts'
import { consume, jobOf } from '../../core/turn/consume.ts'
import type { Mention } from './attached.ts'
import type { Decision, Task } from './task.ts'
import { asks } from './wording.ts'
import { lastAnswer } from './work.ts'

/** Decisions and answers that a user gives at most: a model that proposes or asks again and again is not waited for. */
const mostDecisions = 6

/** A user at work: the answers that they have left, and the questions that they were asked. */
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

/** A message of the user, with what goes with it. */
type Said = { content: string; fileUid?: number | undefined; mentions?: Mention[] }

/** Sends a message and works until nothing is to be done; what is asked in words the user answers with another message. */
export async function talk(sitting: Sitting, before: string | undefined, said: Said): Promise<string> {
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
    const stored = await storedConversation(id)
    sitting.runIds.add(stored.runId)
    const { messages } = await Transcript.part(stored, 0, stored.messageCount, false)
    const isAsked = stored.status === 'idle' && decisions === sitting.decisions && asks(lastAnswer(messages))
    const content = isAsked ? sitting.answers.shift() : undefined
    if (content !== undefined) sitting.questions.push(lastAnswer(messages))
    next = content === undefined ? undefined : { content }
  }
  return id ?? ''
}

/** Works on the turn until it ends, deciding and answering as the task says. */
async function work(sitting: Sitting, id: string): Promise<void> {
  const { live, starter, questions } = sitting
  for (let stops = 0; stops <= mostDecisions; stops++) {
    for (let job = await jobOf(id); job; job = await jobOf(id)) {
      await consume(live, job, { remainingMs: () => Number.POSITIVE_INFINITY })
    }
    const conversation = await storedConversation(id)
    if (conversation.status !== 'awaiting_approval') return
    const { pending } = await Transcript.beside(conversation)
    if (!pending) return
    const rows = { known: undefined, conversation: await Table.get(key(id)) }
    const question = questionOf(pending)
    if (question) {
      questions.push([question.text, ...question.choices].join('\n'))
      const body = {
        conversationId: id,
        digest: pending.digest,
        ...choiceOf(question, sitting.answers.shift()),
      }
      await answer(starter(), body, rows)
      continue
    }
    const decision = decisionOn(sitting.task, sitting.decisions)
    sitting.decisions += 1
    // No one was to decide here.
    if (decision === undefined) return
    const verdict = verdictOn(pending, decision)
    await approve(starter(), live.cms, { conversationId: id, digest: pending.digest, ...verdict }, rows)
  }
}

/** The conversation as it is stored. */
export async function storedConversation(id: string): Promise<Conversation> {
  const conversation = await Row.read(id)
  if (!conversation) throw new Error(`There is no conversation ${id}.`)
  return conversation
}

/** The answer of a user to a question of the tool for it: the choice that has the words, or the words themselves. */
function choiceOf(
  { choices, freeText }: Question,
  words: string | undefined,
): { choices: number[]; text: string } {
  // A question that no one expected is skipped.
  if (words === undefined) return { choices: [], text: '' }
  const low = words.toLowerCase()
  const at = choices.findIndex(
    (choice) => choice.toLowerCase().includes(low) || low.includes(choice.toLowerCase()),
  )
  if (at !== -1) return { choices: [at], text: '' }
  return { choices: [], text: freeText ? words : '' }
}

/** The decision of a task's user on a proposal, counted from 0; the last one holds for all further ones. */
const decisionOn = ({ decides }: Pick<Task, 'decides'>, nth: number): Decision | undefined =>
  decides[Math.min(nth, decides.length - 1)]

/** The verdict of a user on a proposal, with the calls that a decision leaves out. */
function verdictOn({ calls }: Pending, decision: Decision) {
  if (typeof decision === 'string') return { approve: decision === 'approve', reason: '', denied: [] }
  const denied = calls.filter(
    ({ preview }) => preview && decision.denies.includes(`${preview.table}:${preview.uid}`),
  )
  const approve = denied.length < calls.length
  return { approve, reason: decision.reason, denied: approve ? denied.map(({ id }) => id) : [] }
}
