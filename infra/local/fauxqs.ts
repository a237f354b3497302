import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'
import { startFauxqs } from 'fauxqs'

/** SQS and S3 on loopback, in this process. */
export type QueueAndStore = { endpoint: string; stop(): Promise<void> }

/**
 * Starts the emulator of SQS and S3. With a folder, its content survives a restart; otherwise it is in memory.
 * Acknowledged data is on the disk, in one SQLite file: no object is ever half written, and no key is a path.
 */
export async function startQueueAndStore(folder?: string): Promise<QueueAndStore> {
  await repair()
  const server = await startFauxqs({
    port: 0,
    logger: false,
    host: '127.0.0.1',
    ...(folder && { dataDir: folder }),
  })
  return { endpoint: `http://127.0.0.1:${server.port}`, stop: () => server.stop() }
}

/** The parts of fauxqs that are repaired; the package does not export them. */
type QueueMessage = { messageGroupId?: string | undefined }
type Queue = {
  messages: QueueMessage[]
  inflightMessages: Map<string, { message: QueueMessage }>
  processTimers(): void
  enqueue(message: QueueMessage): void
  dequeue(maxCount: number, ...rest: unknown[]): unknown
}
type Handler = (body: { MessageGroupId?: string }, ...rest: unknown[]) => unknown
type Parts = {
  'sqs/sqsTypes': { INVALID_MESSAGE_BODY_CHAR: RegExp }
  'sqs/sqsStore': { SqsQueue: { prototype: Queue } }
  'sqs/sqsRouter': { SqsRouter: { prototype: { register(action: string, handler: Handler): void } } }
  persistence: {
    PersistenceManager: {
      prototype: {
        db: { prepare(sql: string): { run(...values: string[]): void } }
        updateMessageReady(messageId: string): void
      }
    }
  }
}

let repaired: Promise<void> | undefined

/**
 * Repairs three defects of fauxqs 2.4.1. It refuses characters beyond the basic plane, against the SQS rule. With
 * persistence, a message that becomes visible again loses its receive count, which the schema forbids. A standard queue
 * forgets the group of a message, so that the many messages of one group starve the other groups.
 */
function repair(): Promise<void> {
  repaired ??= change()
  return repaired
}

async function change(): Promise<void> {
  const [{ INVALID_MESSAGE_BODY_CHAR }, { SqsQueue }, { SqsRouter }, { PersistenceManager }] =
    await Promise.all([
      loadPart('sqs/sqsTypes'),
      loadPart('sqs/sqsStore'),
      loadPart('sqs/sqsRouter'),
      loadPart('persistence'),
    ])
  INVALID_MESSAGE_BODY_CHAR.compile(
    '[^\\x09\\x0A\\x0D\\x20-\\uD7FF\\uE000-\\uFFFD\\u{10000}-\\u{10FFFF}]',
    'u',
  )
  PersistenceManager.prototype.updateMessageReady = function (messageId) {
    this.db
      .prepare(
        'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
      )
      .run(messageId)
  }
  keepGroups(SqsQueue.prototype, SqsRouter.prototype)
  serveFairly(SqsQueue.prototype)
}

async function loadPart<N extends keyof Parts>(name: N): Promise<Parts[N]> {
  // `import.meta.resolve` is missing in the test runner.
  const root = new URL('./dist/', pathToFileURL(findPackageJSON('fauxqs', import.meta.url) as string))
  return import(new URL(`${name}.js`, root).href)
}

/**
 * Stores with each message the group of the request that sends it. A message is stored while its request is handled.
 */
function keepGroups(queue: Queue, router: Parts['sqs/sqsRouter']['SqsRouter']['prototype']): void {
  const { enqueue } = queue
  const { register } = router
  let sent: string | undefined
  router.register = function (action, handler) {
    const handle: Handler = (body, ...rest) => {
      sent = body.MessageGroupId
      try {
        return handler(body, ...rest)
      } finally {
        sent = undefined
      }
    }
    register.call(this, action, action === 'SendMessage' ? handle : handler)
  }
  queue.enqueue = function (message) {
    message.messageGroupId ??= sent
    enqueue.call(this, message)
  }
}

/**
 * Delivers like a fair queue of SQS: the group with fewer messages in flight comes first, then the group that was
 * served longest ago. Within a group, the order stays.
 */
function serveFairly(queue: Queue): void {
  const { dequeue } = queue
  const servedAt = new WeakMap<Queue, Map<string, number>>()
  let turn = 0
  queue.dequeue = function (maxCount, ...rest) {
    this.processTimers()
    const served = servedAt.get(this) ?? new Map<string, number>()
    servedAt.set(this, served)
    const held = new Map<string, number>()
    const take = (group: string) => held.set(group, (held.get(group) ?? 0) + 1)
    for (const { message } of this.inflightMessages.values()) take(groupOf(message))
    const first: QueueMessage[] = []
    while (first.length < maxCount && this.messages.length > 0) {
      const rank = (message: QueueMessage): [number, number] => {
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

const groupOf = ({ messageGroupId = '' }: QueueMessage) => messageGroupId

const isBefore = (one: [number, number], other: [number, number]) =>
  one[0] < other[0] || (one[0] === other[0] && one[1] < other[1])
