import * as Run from '../core/agent/run-record.ts'
import * as Thought from '../core/agent/thought.ts'
import * as Table from '../core/base/aws/table.ts'
import { redact } from '../core/base/safety/redact.ts'
import * as Row from '../core/conversation/row.ts'
import { ConversationId } from '../core/conversation/schema.ts'
import { live } from '../core/live.ts'
import * as Feedback from '../core/user/feedback.ts'
import { complain, flag, print, runStageCommand, text, UsageError } from './command.ts'

/**
 * `ai-chat:explain`: prints the stored data of a turn as one JSON document, for an operator who asks why a turn failed.
 * The document contains the conversation's row without its texts, and the run record. It also contains steps and writes
 * in order, redacted as stored, and the user's feedback (null if none). The default is the last turn; --run names
 * another. With --thoughts it adds the model's thoughts before its calls, which the interface does not show; they are
 * deleted with the run. Exit codes: 0 printed, 2 wrong call, 3 no such conversation or run.
 */

const usage = 'npm run ai-chat:explain -- --conversation ID [--run ID] [--thoughts] [--stage NAME]'

const options = { conversation: text, run: text, stage: text, thoughts: flag }

runStageCommand(usage, { options }, async ({ values }) => {
  const id = ConversationId.safeParse(values.conversation).data
  if (!id && values.conversation !== undefined)
    throw new UsageError(`--conversation is ${values.conversation}, which is no id of a conversation.`)
  if (!id) throw new UsageError('--conversation is needed: the id of a conversation.')
  const row = await Row.read(id)
  if (!row) {
    complain(`There is no conversation ${id}.`)
    return 3
  }
  const runId = values.run ?? row.runId
  const { owner, status, errorCode, errorMessage, messageCount, httpRequestId: requestId } = row
  const { handovers, lapses, workedMs, progressAt } = row
  const conversation = { id, owner, status, errorCode, errorMessage, messageCount, requestId }
  const [run, steps, writes, feedback, thoughts] = await Promise.all([
    Run.find(owner, runId, live().clock.now()),
    Run.steps({ owner, runId }),
    Run.intents({ owner, runId }),
    feedbackOn({ owner, runId }),
    values.thoughts ? thoughtsOf({ owner, runId }) : undefined,
  ])
  const all = {
    conversation: { ...conversation, handovers, lapses, workedMs, progressAt },
    run: run ? { ...run, usage: Run.usageOf(steps) } : null,
    steps,
    writes,
    feedback,
    thoughts,
  }
  print(JSON.stringify(all, null, 2))
  return run || !values.run ? 0 : 3
})

/** Returns the user's feedback on the answer with its words redacted; null if there is none. */
async function feedbackOn(run: { owner: number; runId: string }) {
  const row = await Table.get(Feedback.key(Run.partition(run)))
  if (!row) return null
  const { expiresAt: _, words, ...feedback } = Feedback.codec.decode(row)
  return { ...feedback, words: redact(words) }
}

/** Returns the model's thoughts in words, redacted; encrypted thoughts have no words. */
async function thoughtsOf(run: { owner: number; runId: string }) {
  const kept = await Thought.read(run)
  return [...kept].map(([sequence, { model, parts }]) => ({
    sequence,
    model,
    thinking: parts.flatMap((part) => (part.type === 'thinking' ? [redact(part.thinking)] : [])),
  }))
}
