import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import * as Table from '../aws/table.ts'
import * as Row from '../conversation/row.ts'
import { config } from '../stage/config.ts'
import * as Legacy from './legacy.ts'

/** What the upgrade did, or with a dry run would do. */
export type Report = {
  /** Conversations whose transcript was moved into rows. */
  migrated: number
  /** Messages in them. */
  messages: number
  /** Conversations that could not be moved; they are as they were. */
  failed: number
}

/** Hears of the report as it grows, after each page of the table, and of each conversation that could not be moved. */
export type Listener = { progress(report: Report): void; failure(id: string, error: unknown): void }

/** Items read of the table at once: a page that DynamoDB reads in well under a second. */
const pageSize = 1_000

/**
 * `aiChat_migrateMessagesToTable`: moves every transcript of the old column into message rows. Reads the whole table
 * once, a page at a time, since no index knows the old column; moved conversations are found no more, so that a
 * broken run is simply started again, and one on a table without old transcripts changes nothing. Users and turns may
 * be at work meanwhile: whoever is quicker moves a conversation, the other leaves it.
 */
export async function upgrade(isDryRun: boolean, listener: Listener): Promise<Report> {
  const report: Report = { migrated: 0, messages: 0, failed: 0 }
  let start: Table.Row | undefined
  do {
    const page = await legacyIds(start)
    for (const id of page.ids) {
      try {
        const messages = isDryRun ? await count(id) : await move(id)
        if (messages === 0) continue
        report.migrated++
        report.messages += messages
      } catch (error) {
        report.failed++
        listener.failure(id, error)
      }
    }
    listener.progress({ ...report })
    start = page.next
  } while (start)
  return report
}

/** How many messages were moved; 0 where somebody else was quicker, or the conversation is gone. */
async function move(id: string): Promise<number> {
  const it = await Row.read(id)
  if (!it) return 0
  return Row.contend(
    it,
    async (current) => {
      if (current.legacy.length === 0) return 0
      return (await Legacy.move(current)) && current.legacy.length
    },
    () => new Error('The conversation was removed meanwhile.'),
  )
}

/** How many messages there are to move, all of them as readable as a move needs them. */
async function count(id: string): Promise<number> {
  const it = await Row.read(id)
  return it ? Legacy.messages(it).length : 0
}

async function legacyIds(
  start: Table.Row | undefined,
): Promise<{ ids: string[]; next: Table.Row | undefined }> {
  const answer = await Table.retrying(() =>
    Table.documents().send(
      new ScanCommand({
        TableName: config().table,
        ConsistentRead: true,
        FilterExpression: 'sk = :sk AND size(#messages) > :none',
        ProjectionExpression: 'id',
        ExpressionAttributeNames: { '#messages': 'messages' },
        ExpressionAttributeValues: { ':sk': 'conversation', ':none': 0 },
        Limit: pageSize,
        ...(start && { ExclusiveStartKey: start }),
      }),
    ),
  )
  return { ids: (answer.Items ?? []).map((row) => String(row.id)), next: answer.LastEvaluatedKey }
}
