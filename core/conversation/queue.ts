import * as Sqs from '@aws-sdk/client-sqs'
import * as z from 'zod'
import type { Actor } from '../base/actor.ts'
import { patience, waits } from '../base/aws/transport.ts'
import { config } from '../base/config.ts'
import { hash } from '../base/hash.ts'
import * as Log from '../base/log.ts'
import type { Conversation } from './item.ts'
import { ConversationId } from './schema.ts'

/**
 * Sends and receives the jobs of consumers over SQS. A queue message carries two ids: the conversation, and the request
 * id that the consumer must find on it. The queue delivers at least once; the claim makes a second delivery harmless.
 */
export const Job = z.object({ conversationId: ConversationId, requestId: z.string().min(1).max(64) })
export type Job = z.infer<typeof Job>

let made: Sqs.SQSClient | undefined

/** Returns the SQS client of this process, created on first use. */
export function client(): Sqs.SQSClient {
  if (made) return made
  const { endpoints, region } = config()
  made = new Sqs.SQSClient({
    region,
    ...(endpoints.sqs && { endpoint: endpoints.sqs, useQueueUrlAsEndpoint: false }),
    ...patience(waits.queue),
  })
  return made
}

/**
 * Queues a conversation for a consumer, which gets it after `delaySeconds` (0-900) at the earliest. The turns of a
 * tenant with many turns wait while other tenants have turns.
 */
export async function send(job: Job, tenant: string, delaySeconds?: number): Promise<void> {
  await client().send(
    new Sqs.SendMessageCommand({
      QueueUrl: config().queueUrl,
      MessageBody: JSON.stringify(job),
      MessageGroupId: tenant,
      DelaySeconds: delaySeconds,
    }),
    // The time of a long poll would outlast the request that waits for this.
    { requestTimeout: waits.table },
  )
}

/** Queues the turn of a conversation under its tenant; the consumer must find `requestId` on the conversation. */
export const sendTurn = (
  conversation: Conversation,
  requestId: string,
  delaySeconds?: number,
): Promise<void> => send({ conversationId: conversation.id, requestId }, tenant(conversation), delaySeconds)

export type Received = { job: Job | undefined; receipt: string }

/**
 * Receives up to `max` messages (1-10). Waits at most `waitSeconds` (0-20). Hides the messages from other consumers for
 * `hiddenSeconds`, by default for the queue's own time. `job` is undefined for a body that is no job. The wait cannot
 * be aborted: the queue would hand the next message to the aborted request and hide it.
 */
export async function receive(max: number, waitSeconds: number, hiddenSeconds?: number): Promise<Received[]> {
  const answer = await client().send(
    new Sqs.ReceiveMessageCommand({
      QueueUrl: config().queueUrl,
      MaxNumberOfMessages: max,
      WaitTimeSeconds: waitSeconds,
      ...(hiddenSeconds !== undefined && { VisibilityTimeout: hiddenSeconds }),
    }),
  )
  return (answer.Messages ?? []).map((message) => ({
    job: parse(message.Body ?? ''),
    receipt: message.ReceiptHandle ?? '',
  }))
}

/** Parses the job of a message body; undefined if the body is no job. */
export function parse(body: string): Job | undefined {
  try {
    return Job.safeParse(JSON.parse(body)).data
  } catch {
    // A body that is no JSON is treated like JSON of another shape.
    return undefined
  }
}

/** Removes a received message. */
export async function remove(receipt: string): Promise<void> {
  await client().send(new Sqs.DeleteMessageCommand({ QueueUrl: config().queueUrl, ReceiptHandle: receipt }))
}

/** Hides a received message from other consumers for this many seconds from now; 0 shows it to them at once. */
export async function hide(receipt: string, seconds: number): Promise<void> {
  await client().send(
    new Sqs.ChangeMessageVisibilityCommand({
      QueueUrl: config().queueUrl,
      ReceiptHandle: receipt,
      VisibilityTimeout: seconds,
    }),
  )
}

/** The seconds for which a message stays hidden if its turn could not be handled: a short outage passes meanwhile. */
const failedSeconds = 30

/**
 * Gives back a message after `seconds`, long before the queue would show it again by itself. By default, a job that
 * could not be handled returns after 30 s. A message whose body is not a valid job returns at once, because waiting
 * does not change the body.
 */
export async function giveBack({ job, receipt }: Received, seconds = job ? failedSeconds : 0): Promise<void> {
  await hide(receipt, seconds).catch((cause) => Log.error('A message could not be given back', cause))
}

/**
 * Counts the messages that wait, that consumers have received, and that are in the dead-letter queue. SQS counts
 * approximately.
 */
export async function depth(): Promise<{ waiting: number; inFlight: number; dead: number | undefined }> {
  const { queueUrl, dlqUrl } = config()
  const [main, dead] = await Promise.all([attributes(queueUrl), dlqUrl ? attributes(dlqUrl) : undefined])
  return { waiting: main.waiting, inFlight: main.inFlight, dead: dead?.waiting }
}

async function attributes(url: string): Promise<{ waiting: number; inFlight: number }> {
  const answer = await client().send(
    new Sqs.GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  )
  return {
    waiting: Number(answer.Attributes?.ApproximateNumberOfMessages ?? 0),
    inFlight: Number(answer.Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
  }
}

/**
 * Returns the tenant of a user. Users with the same first group are one tenant; a user without a group is a tenant
 * alone. If a tenant has many turns, the queue prefers the turns of other tenants (SQS fair queues, by
 * `MessageGroupId`). The name is a hash, because a CMS may name its groups in any words.
 */
export function tenantOf({ uid, groups: [first] }: Pick<Actor, 'uid' | 'groups'>): string {
  if (first === undefined) return ofUser(uid)
  return ofGroup(String(first))
}

const ofGroup = (group: string) => `group-${hash(group).slice(0, 32)}`

const ofUser = (uid: number) => `user-${uid}`

/** Returns the tenant of the turn that waits in a conversation. */
export const tenant = ({ tenant, owner }: Pick<Conversation, 'tenant' | 'owner'>): string =>
  tenant || ofUser(owner)

/** Returns the weight of a tenant's group for times of short capacity; 1 if the settings name no weight. */
export function weightOf(tenant: string, weights: Record<string, number>): number {
  const [, weight = 1] = Object.entries(weights).find(([group]) => ofGroup(group) === tenant) ?? []
  return weight
}
