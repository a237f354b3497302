import * as Table from '../../core/base/aws/table.ts'
import { answer, approve, questionOf } from '../../core/chat/decision.ts'
import { send } from '../../core/chat/send.ts'
import type { Starter } from '../../core/chat/start.ts'
import { type Conversation, key } from '../../core/conversation/item.ts'
import * as Row from '../../core/conversation/row.ts'
import * as Transcript from '../../core/conversation/transcript/transcript.ts'
import type { Live } from '../../core/live.ts'
import { consume, jobOf } from '../../core/turn/consume.ts'
import type { Mention } from './attached.ts'
import { choiceOf, decisionOn, verdictOn } from './decision.ts'
import type { Task } from './task.ts'
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
    const it = await storedConversation(id)
    sitting.runIds.add(it.runId)
    const { messages } = await Transcript.part(it, 0, it.messageCount, false)
    const isAsked = it.status === 'idle' && decisions === sitting.decisions && asks(lastAnswer(messages))
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
    const it = await storedConversation(id)
    if (it.status !== 'awaiting_approval') return
    const { pending } = await Transcript.beside(it)
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
  const it = await Row.read(id)
  if (!it) throw new Error(`There is no conversation ${id}.`)
  return it
}
