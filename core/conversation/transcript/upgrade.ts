import { pages } from '../../base/aws/table.ts'
import { type Conversation, codec, idOf } from '../item.ts'
import * as Legacy from '../legacy/into-rows.ts'
import * as Row from '../row.ts'

/** The counts of the upgrade; for a dry run, the counts that a real run would have. */
export type Report = {
  /** The number of conversations whose transcript was moved into rows. */
  migrated: number
  /** The number of messages in these conversations. */
  messages: number
  /**
   * The number of these conversations whose old transcript was not completely readable; the row keeps the unread part.
   */
  damaged: number
  /** The number of conversations that could not be moved; they are unchanged. */
  failed: number
}

/** Receives the report after each page of the table, and each conversation that is damaged or could not be moved. */
export type Listener = {
  progress(report: Report): void
  damage(id: string): void
  failure(id: string, error: unknown): void
}

/** The query of the conversations that still have a transcript in the old column. */
const old = {
  // `size` does not accept a number or a flag. A column of these types is damaged, so the filter looks for the types.
  FilterExpression:
    'sk = :sk AND (size(#messages) > :none OR attribute_type(#messages, :number) OR attribute_type(#messages, :flag))',
  ProjectionExpression: 'pk',
  ExpressionAttributeNames: { '#messages': 'messages' },
  ExpressionAttributeValues: { ':sk': 'conversation', ':none': 0, ':number': 'N', ':flag': 'BOOL' },
  // DynamoDB reads a page of this size in well under a second.
  Limit: 1_000,
}

/**
 * Implements `aiChat_migrateMessagesToTable`: moves every transcript of the old column into message rows. Reads the
 * whole table once, a page at a time, because no index covers the old column. Skips moved conversations: an interrupted
 * run can start again, and a second run changes nothing. Users and turns may work at the same time: the first writer
 * moves a conversation, and others leave it.
 */
export async function upgrade(isDryRun: boolean, listener: Listener): Promise<Report> {
  const report: Report = { migrated: 0, messages: 0, damaged: 0, failed: 0 }
  for await (const rows of pages(old)) {
    for (const id of rows.map(({ pk }) => idOf(String(pk)))) {
      try {
        const conversation = await Row.read(id)
        const moved = conversation && (isDryRun ? countsOf(conversation) : await move(conversation))
        if (!moved || moved.messages === 0) continue
        report.migrated++
        report.messages += moved.messages
        if (!moved.isDamaged) continue
        report.damaged++
        listener.damage(id)
      } catch (error) {
        report.failed++
        listener.failure(id, error)
      }
    }
    listener.progress({ ...report })
  }
  return report
}

/** The number of messages of an old transcript; `isDamaged` is true if a part of it could not be read. */
type Moved = { messages: number; isDamaged: boolean }

function countsOf(conversation: Conversation): Moved {
  return {
    messages: conversation.legacy.length,
    isDamaged: codec.attributes.legacy in conversation.unread,
  }
}

/** Moves a transcript, unless a user moved it first. */
function move(conversation: Conversation): Promise<Moved> {
  return Row.contend(
    conversation,
    async (current) => (await Legacy.move(current)) && countsOf(current),
    () => new Error('The conversation was removed meanwhile.'),
  )
}
