import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import * as Log from '../core/base/log.ts'
import * as Queue from '../core/conversation/queue.ts'
import { live } from '../core/live.ts'
import { consume } from '../core/turn/consume.ts'

/**
 * Runs the role `ai-chat:process` for SQS: one message, one turn. Reports a message that it could not handle as failed.
 * SQS delivers it again, and moves it to the dead-letter queue after five deliveries. If another consumer works on the
 * turn of a message, the message counts as done.
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
      await Queue.giveBack({ job, receipt: record.receiptHandle })
      failures.push({ itemIdentifier: record.messageId })
    }
  }
  return { batchItemFailures: failures }
}
