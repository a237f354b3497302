/**
 * `ai-chat:explain`: prints what is stored of a turn as one JSON document: the conversation's row without its texts, the
 * run record, its steps and writes in order, redacted as they were stored, and what its user said about the answer (null:
 * nothing). For an operator who asks why a turn failed. Without --run it is the last turn. With --thoughts also what the model thought before its calls, which no part of
 * the interface shows; kept as long as the run. 0 printed, 2 wrong call, 3 no such conversation or run.
 */
import { parseArgs } from 'node:util'
import * as Run from '../core/agent/run.ts'
import { partition, usageOf } from '../core/agent/run-item.ts'
import * as Thought from '../core/agent/thought.ts'
import * as Table from '../core/aws/table.ts'
import * as Row from '../core/conversation/row.ts'
import { ConversationId } from '../core/conversation/schema.ts'
import * as Feedback from '../core/feedback/item.ts'
import { live } from '../core/live.ts'
import { redact } from '../core/safety/redact.ts'
import { command, complain, print, UsageError } from './command.ts'
import { isLinked, throughShell } from './stage-shell.ts'

const usage = 'npm run ai-chat:explain -- --conversation ID [--run ID] [--thoughts] [--stage NAME]'

const values = read()
if (values.stage && values.stage !== 'local' && !isLinked()) process.exit(throughShell(values.stage))

command(usage, async () => {
  const id = ConversationId.safeParse(values.conversation).data
  if (!id) throw new UsageError('--conversation is needed: the id of a conversation.')
  const it = await Row.read(id)
  if (!it) {
    complain(`There is no conversation ${id}.`)
    return 3
  }
  const runId = values.run ?? it.runId
  const { status, errorCode, errorMessage, messageCount, handovers, lapses, workedMs, progressAt, owner } = it
  const [run, steps, writes, feedback, thoughts] = await Promise.all([
    Run.find(owner, runId, live().clock.now()),
    Run.steps({ owner, runId }),
    Run.intents({ owner, runId }),
    feedbackOn({ owner, runId }),
    values.thoughts ? thoughtsOf({ owner, runId }) : undefined,
  ])
  const conversation = { id, owner, status, errorCode, errorMessage, messageCount }
  const work = { handovers, lapses, workedMs, progressAt }
  const all = {
    conversation: { ...conversation, ...work },
    run: run ? { ...run, usage: usageOf(steps) } : null,
    steps,
    writes,
    feedback,
    thoughts,
  }
  print(JSON.stringify(all, null, 2))
  return run || !values.run ? 0 : 3
})

/** What the user said about the answer, the words redacted; null: nothing. */
async function feedbackOn(run: { owner: number; runId: string }) {
  const row = await Table.get(Feedback.key(partition(run)))
  if (!row) return null
  const { expiresAt: _, words, ...feedback } = Feedback.codec.decode(row)
  return { ...feedback, words: redact(words) }
}

/** The thoughts in words, redacted; those that the provider sealed have none. */
async function thoughtsOf(run: { owner: number; runId: string }) {
  const kept = await Thought.read(run)
  return [...kept].map(([sequence, { model, parts }]) => ({
    sequence,
    model,
    thinking: parts.flatMap((part) => (part.type === 'thinking' ? [redact(part.thinking)] : [])),
  }))
}

function read() {
  try {
    return parseArgs({
      options: {
        conversation: { type: 'string' },
        run: { type: 'string' },
        stage: { type: 'string' },
        thoughts: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    complain(`${(error as Error).message}\nUsage: ${usage}`)
    process.exit(2)
  }
}
