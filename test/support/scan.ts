import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { documents, type Key, type Row } from '../../core/aws/table.ts'
import * as Queue from '../../core/conversation/queue.ts'
import { config } from '../../core/stage/config.ts'

/** Every item of the chat table of this test file, by key. */
export async function scan(): Promise<(Row & Key)[]> {
  const rows: (Row & Key)[] = []
  let start: Row | undefined
  do {
    const page = await documents().send(
      new ScanCommand({
        TableName: config().table,
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      }),
    )
    rows.push(...((page.Items ?? []) as (Row & Key)[]))
    start = page.LastEvaluatedKey
  } while (start)
  return rows.sort((a, b) => (a.pk + a.sk < b.pk + b.sk ? -1 : 1))
}

/** Removes all that is queued. */
export async function emptyQueue(): Promise<void> {
  for (;;) {
    const received = await Queue.receive(10, 0)
    if (received.length === 0) return
    for (const { receipt } of received) await Queue.remove(receipt)
  }
}
