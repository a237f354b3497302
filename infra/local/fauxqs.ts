import type { DatabaseSync } from 'node:sqlite'
import { startFauxqs } from 'fauxqs'
import type { SqsActionHandler, SqsRouter } from '../../node_modules/fauxqs/dist/sqs/sqsRouter.js'
import type { SqsQueue } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js'
import type { SqsMessage } from '../../node_modules/fauxqs/dist/sqs/sqsTypes.js'

/** SQS and S3 on loopback, in this process. */
type QueueAndStore = { endpoint: string; stop(): Promise<void> }

/**
 * Starts the emulator of SQS and S3. With a folder, its content survives a restart; otherwise it is in memory.
 * Acknowledged data is on the disk, in one SQLite file: no object is ever half written, and no key is a path.
 */
export async function startQueueAndStore(folder?: string): Promise<QueueAndStore> {
  repaired ??= repair()
  await repaired
  const server = await startFauxqs({
    port: 0,
    logger: false,
    host: '127.0.0.1',
    ...(folder && { dataDir: folder }),
  })
  return { endpoint: `http://127.0.0.1:${server.port}`, stop: () => server.stop() }
}

let repaired: Promise<void> | undefined

/**
 * Repairs three defects of fauxqs 2.4.1. It refuses characters beyond the basic plane, which SQS accepts. With
 * persistence, a message that becomes visible again loses its receive count, which the schema forbids. A standard queue
 * forgets the group of a message, so that many messages of one group delay all other groups.
 */
async function repair(): Promise<void> {
  // The package does not export these parts.
  const [{ INVALID_MESSAGE_BODY_CHAR }, { SqsQueue }, { SqsRouter }, { PersistenceManager }] =
    await Promise.all([
      import('../../node_modules/fauxqs/dist/sqs/sqsTypes.js'),
      import('../../node_modules/fauxqs/dist/sqs/sqsStore.js'),
      import('../../node_modules/fauxqs/dist/sqs/sqsRouter.js'),
      import('../../node_modules/fauxqs/dist/persistence.js'),
    ])
  INVALID_MESSAGE_BODY_CHAR.compile(
    '[^\\x09\\x0A\\x0D\\x20-\\uD7FF\\uE000-\\uFFFD\\u{10000}-\\u{10FFFF}]',
    'u',
  )
  PersistenceManager.prototype.updateMessageReady = function (messageId) {
    const { db } = this as unknown as { db: DatabaseSync }
    db.prepare(
      'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
    ).run(messageId)
  }
  keepGroups(SqsQueue.prototype, SqsRouter.prototype)
  serveFairly(SqsQueue.prototype)
}

/**
 * Stores each message together with the group that the request of its sender names. The emulator stores a message while
 * it handles the request: only one group has to be remembered at a time.
 */
function keepGroups(queue: SqsQueue, router: SqsRouter): void {
  const { enqueue } = queue
  const { register } = router
  let sent: string | undefined
  router.register = function (action, handler) {
    const handle: SqsActionHandler = (body, ...rest) => {
      sent = body.MessageGroupId as string | undefined
      try {
        return handler(body, ...rest)
      } finally {
        sent = undefined
      }
    }
    register.call(this, action, action === 'SendMessage' ? handle : handler)
  }
  queue.enqueue = function (message) {
    if (sent !== undefined) message.messageGroupId ??= sent
    enqueue.call(this, message)
  }
}

/**
 * Delivers like a fair queue of SQS: the group with fewer messages in flight comes first, then the group that was
 * served longest ago. Within a group, the order stays.
 */
function serveFairly(queue: SqsQueue): void {
  const { dequeue } = queue
  const servedAt = new WeakMap<SqsQueue, Map<string, number>>()
  let turn = 0
  queue.dequeue = function (maxCount, ...rest) {
    this.processTimers()
    const served = servedAt.get(this) ?? new Map<string, number>()
    servedAt.set(this, served)
    const held = new Map<string, number>()
    const take = (group: string) => held.set(group, (held.get(group) ?? 0) + 1)
    for (const { message } of this.inflightMessages.values()) take(groupOf(message))
    const first: SqsMessage[] = []
    while (first.length < maxCount && this.messages.length > 0) {
      const rank = (message: SqsMessage): [number, number] => {
        const group = groupOf(message)
        return [held.get(group) ?? 0, served.get(group) ?? 0]
      }
      const next = this.messages.reduce((best, one) => (isBefore(rank(one), rank(best)) ? one : best))
      this.messages.splice(this.messages.indexOf(next), 1)
      first.push(next)
      take(groupOf(next))
      served.set(groupOf(next), ++turn)
    }
    this.messages.unshift(...first)
    return dequeue.call(this, maxCount, ...rest)
  }
}

const groupOf = ({ messageGroupId = '' }: SqsMessage) => messageGroupId

const isBefore = (one: [number, number], other: [number, number]) =>
  one[0] < other[0] || (one[0] === other[0] && one[1] < other[1])
