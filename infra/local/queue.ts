import { setTimeout as sleep } from 'node:timers/promises'
import * as Sqs from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { maxReceiveCount, retentionSeconds, visibilityTimeoutSeconds } from '../limits.ts'

/** Creates a queue with its dead-letter queue. Each name is the last part of the address. */
export async function createQueues(
  sqs: Sqs.SQSClient,
  queueUrl: string,
  deadUrl: string,
  visibilitySeconds = visibilityTimeoutSeconds,
): Promise<void> {
  await queue(sqs, deadUrl, { MessageRetentionPeriod: String(retentionSeconds.dead) })
  const dead = await sqs.send(
    new Sqs.GetQueueAttributesCommand({ QueueUrl: deadUrl, AttributeNames: ['QueueArn'] }),
  )
  await queue(sqs, queueUrl, {
    VisibilityTimeout: String(visibilitySeconds),
    MessageRetentionPeriod: String(retentionSeconds.queue),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.Attributes?.QueueArn, maxReceiveCount }),
  })
}

async function queue(
  sqs: Sqs.SQSClient,
  url: string,
  attributes: Partial<Record<Sqs.QueueAttributeName, string>>,
): Promise<void> {
  await sqs.send(new Sqs.CreateQueueCommand({ QueueName: url.slice(url.lastIndexOf('/') + 1) }))
  await sqs.send(new Sqs.SetQueueAttributesCommand({ QueueUrl: url, Attributes: attributes }))
}

/** The queue, the function that gets its messages, and the number of parallel invocations. */
type Mapping = {
  sqs: Sqs.SQSClient
  queueUrl: string
  concurrency: number
  /** Invokes the function. Its answer may name messages that failed. Throws if the whole invocation failed. */
  invoke(event: SQSEvent): Promise<unknown>
  /** Gets the error of a failed invocation; the queue delivers the message again after its visibility timeout. */
  report(error: unknown): void
}

/** The time for which a request waits for a message, in seconds. A stop waits for the end of this request. */
const waitSeconds = 1

/**
 * Starts the event source mapping between queue and consumer, as on AWS with batch size 1 and partial batch responses.
 * A message is deleted after its invocation succeeded. Otherwise it stays hidden until its visibility timeout and is
 * delivered again. After `maxReceiveCount` deliveries, the queue moves it to the dead-letter queue. Returns a function
 * that stops the mapping. The mapping then receives no more messages, returns messages that still arrive to the queue,
 * and waits for running invocations.
 */
export function startMapping(mapping: Mapping): () => Promise<void> {
  const stopped = new AbortController()
  const polling = poll(mapping, stopped.signal)
  return () => {
    stopped.abort()
    return polling
  }
}

async function poll(mapping: Mapping, stopped: AbortSignal): Promise<void> {
  const invocations = new Set<Promise<void>>()
  while (!stopped.aborted) {
    const free = mapping.concurrency - invocations.size
    if (free === 0) {
      await Promise.race(invocations)
      continue
    }
    for (const message of await receive(mapping, Math.min(free, 10), stopped)) {
      const act = stopped.aborted ? giveBack : deliver
      const invocation = act(mapping, message).finally(() => invocations.delete(invocation))
      invocations.add(invocation)
    }
  }
  await Promise.all(invocations)
}

/**
 * Receives messages. Never aborts the request: after an abort, the queue would deliver the next message to the closed
 * request and hide it from other receivers.
 */
async function receive(mapping: Mapping, max: number, signal: AbortSignal): Promise<Sqs.Message[]> {
  try {
    const answer = await mapping.sqs.send(
      new Sqs.ReceiveMessageCommand({
        QueueUrl: mapping.queueUrl,
        MaxNumberOfMessages: max,
        WaitTimeSeconds: waitSeconds,
        AttributeNames: ['All'],
      }),
    )
    return answer.Messages ?? []
  } catch (error) {
    mapping.report(error)
    await sleep(1_000, undefined, { signal }).catch(() => {})
    return []
  }
}

async function deliver(mapping: Mapping, message: Sqs.Message): Promise<void> {
  const { sqs, queueUrl: QueueUrl } = mapping
  const ReceiptHandle = message.ReceiptHandle ?? ''
  try {
    const answer = await mapping.invoke({ Records: [record(message)] })
    if (failed(answer)) return
    await sqs.send(new Sqs.DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  } catch (error) {
    mapping.report(error)
  }
}

async function giveBack({ sqs, queueUrl: QueueUrl, report }: Mapping, message: Sqs.Message): Promise<void> {
  const ReceiptHandle = message.ReceiptHandle ?? ''
  await sqs
    .send(new Sqs.ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
    .catch(report)
}

function failed(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || !('batchItemFailures' in answer)) return false
  return Array.isArray(answer.batchItemFailures) && answer.batchItemFailures.length > 0
}

/** Returns a message as a record of the event that Lambda passes to a function. */
export function record(message: Sqs.Message): SQSRecord {
  const { SentTimestamp = '', ApproximateReceiveCount = '1' } = message.Attributes ?? {}
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ApproximateReceiveCount,
      SentTimestamp,
      SenderId: 'local',
      ApproximateFirstReceiveTimestamp: SentTimestamp,
    },
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:process',
    awsRegion: 'us-east-1',
  }
}
