import { type Key, pages, type Row } from '../../core/base/aws/table.ts'
import * as Queue from '../../core/conversation/queue.ts'

/** Every item of the chat table of this test file, by key. */
export async function scan(): Promise<(Row & Key)[]> {
  const rows: (Row & Key)[] = []
  for await (const page of pages()) rows.push(...(page as (Row & Key)[]))
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
