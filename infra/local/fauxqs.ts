import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'
import { startFauxqs } from 'fauxqs'

/** SQS and S3 on loopback, in this process. */
export type QueueAndStore = { endpoint: string; stop(): Promise<void> }

/**
 * Starts the emulator of SQS and S3; with a folder its content survives a restart, else it is in memory. Whatever was
 * acknowledged is on the disk, in one SQLite file: no object is ever half written, and no key is a path.
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

type Persistence = {
  PersistenceManager: {
    prototype: {
      db: { prepare(sql: string): { run(...values: string[]): void } }
      updateMessageReady(messageId: string): void
    }
  }
}

/**
 * Two defects of fauxqs 2.4.1 in the way of this product: it refuses characters beyond the basic plane, against the
 * SQS rule, and with persistence a message that becomes visible again loses its receive count, which the schema
 * forbids. The package exports neither file, hence the addresses.
 */
async function repair(): Promise<void> {
  // Not `import.meta.resolve`: the test runner has none.
  const root = new URL('./dist/', pathToFileURL(findPackageJSON('fauxqs', import.meta.url) as string))
  const { INVALID_MESSAGE_BODY_CHAR } = (await import(new URL('sqs/sqsTypes.js', root).href)) as {
    INVALID_MESSAGE_BODY_CHAR: RegExp
  }
  INVALID_MESSAGE_BODY_CHAR.compile(
    '[^\\x09\\x0A\\x0D\\x20-\\uD7FF\\uE000-\\uFFFD\\u{10000}-\\u{10FFFF}]',
    'u',
  )
  const { PersistenceManager } = (await import(new URL('persistence.js', root).href)) as Persistence
  PersistenceManager.prototype.updateMessageReady = function (messageId) {
    this.db
      .prepare(
        'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
      )
      .run(messageId)
  }
}
