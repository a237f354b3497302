import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import * as Queue from '../core/conversation/queue.ts'
import { live } from '../core/live.ts'
import * as Log from '../core/log.ts'
import { consume } from '../core/turn/consume.ts'

/**
 * The `ai-chat:process` role behind SQS: one message, one turn. A message that is no job goes to the dead-letter queue
 * by being reported; one whose turn somebody else has is done.
 */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const failures: SQSBatchResponse['batchItemFailures'] = []
  for (const record of event.Records) {
    const job = Queue.parse(record.body)
    try {
      if (!job) throw new Error('The queue message is no job.')
      await consume(live(), job, { remainingMs: () => context.getRemainingTimeInMillis() })
    } catch (error) {
      Log.error('A queue message could not be handled', error)
      failures.push({ itemIdentifier: record.messageId })
    }
  }
  return { batchItemFailures: failures }
}
