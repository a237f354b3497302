import { pages } from '../../base/aws/table.ts'
import { type Conversation, codec, idOf } from '../item.ts'
import * as Legacy from '../legacy/into-rows.ts'
import * as Row from '../row.ts'

/** Counts of the upgrade; for a dry run, the counts that a real run would reach. */
export type Report = {
  /** Conversations whose transcript was moved into rows. */
  migrated: number
  /** Messages in them. */
  messages: number
  /** Conversations among them whose old transcript could not be read in full; the row keeps the unread part. */
  damaged: number
  /** Conversations that could not be moved; they are as they were. */
  failed: number
}

/** Gets the report after each page of the table, and each conversation that is damaged or could not be moved. */
export type Listener = {
  progress(report: Report): void
  damage(id: string): void
  failure(id: string, error: unknown): void
}

/** The conversations that still have a transcript in the old column. */
const old = {
  // `size` does not work on a number: a column of that type is damaged, so the filter looks for the type.
  FilterExpression:
    'sk = :sk AND (size(#messages) > :none OR attribute_type(#messages, :number) OR attribute_type(#messages, :flag))',
  ProjectionExpression: 'pk',
  ExpressionAttributeNames: { '#messages': 'messages' },
  ExpressionAttributeValues: { ':sk': 'conversation', ':none': 0, ':number': 'N', ':flag': 'BOOL' },
  // DynamoDB reads a page of this size in well under a second.
  Limit: 1_000,
}

/**
 * `aiChat_migrateMessagesToTable`: moves every transcript of the old column into message rows. It reads the whole
 * table once, a page at a time, since no index covers the old column. It skips moved conversations: a broken run can
 * start again, and a run on a table without old transcripts changes nothing. Users and turns may work at the same
 * time: the first writer moves a conversation, the other leaves it.
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

/** The number of messages of an old transcript, and a flag if a part of it could not be read. */
type Moved = { messages: number; isDamaged: boolean }

function countsOf(conversation: Conversation): Moved {
  return {
    messages: conversation.legacy.length,
    isDamaged: codec.attributes.legacy in conversation.unread,
  }
}

/** Moves a transcript; does nothing if a user moved it first. */
function move(conversation: Conversation): Promise<Moved> {
  return Row.contend(
    conversation,
    async (current) => (await Legacy.move(current)) && countsOf(current),
    () => new Error('The conversation was removed meanwhile.'),
  )
}
