/**
 * `ai-chat:process`: works on one queued conversation and exits. Exit codes: 0 done, 1 the turn failed, 2 wrong call, 3
 * nothing is queued.
 */
import { VisibleError } from '../core/base/error.ts'
import type { Job } from '../core/conversation/queue.ts'
import { ConversationId } from '../core/conversation/schema.ts'
import { live } from '../core/live.ts'
import type { JobResult } from '../core/turn/break-off.ts'
import { consume, jobOf } from '../core/turn/consume.ts'
import * as Find from '../core/watch/cleanup/queries.ts'
import { print, runStageCommand, text, UsageError } from './command.ts'

const codes: Record<JobResult, number> = { done: 0, handedOver: 0, deferred: 0, failed: 1, lost: 3 }

const usage = 'npm run ai-chat:process -- [--conversation ID]'

runStageCommand(usage, { options: { conversation: text } }, async ({ values }) => {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
  const options = { remainingMs: () => Number.POSITIVE_INFINITY, stopping: stopping.signal }

  if (values.conversation !== undefined) {
    const job = await jobNamed(values.conversation)
    return reportResult(job, job ? await consume(live(), job, options) : 'lost')
  }
  for (;;) {
    const job = await Find.oldestJob(live().clock.now())
    const result = job ? await consume(live(), job, options) : 'lost'
    // Another consumer took this job, but there may be a next job.
    if (job && result === 'lost') continue
    return reportResult(job, result)
  }
})

async function jobNamed(id: string): Promise<Job | undefined> {
  if (!ConversationId.safeParse(id).success) throw new UsageError(`${id} is no id of a conversation.`)
  try {
    return await jobOf(id)
  } catch (error) {
    if (error instanceof VisibleError && error.code === 'conversation.notFound') return undefined
    throw error
  }
}

function reportResult(job: Job | undefined, result: JobResult): number {
  if (!job || result === 'lost') print('{"ending":"nothingQueued"}')
  else print(JSON.stringify({ conversationId: job.conversationId, ending: result }))
  return codes[result]
}
