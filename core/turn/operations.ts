import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { documents } from '../base/aws/table.ts'
import { config } from '../base/config.ts'
import { version } from '../base/version.ts'
import * as Queue from '../conversation/queue.ts'
import { stuckFigure } from '../conversation/turn-failure.ts'
import * as Store from '../file/store.ts'
import type { Live } from '../live.ts'
import type { Resolved } from '../stage/settings/settings.ts'
import * as Cleanup from '../watch/cleanup/queries.ts'

/** Returns live figures of the stage for `get_system_status`: queue, stuck turns, table, bucket, provider, versions. */
export async function operations(
  live: Live,
  { provider, model }: Resolved,
): Promise<Record<string, string | number | boolean>> {
  const [queue, busy, table, bucket] = await Promise.all([
    Queue.depth(),
    Cleanup.busy(live.clock.now()),
    tableFigures(),
    Store.bucketFigures(),
  ])
  const least = bucket.isMore ? 'more than ' : ''
  return {
    'Product version': version,
    'Node.js': process.version,
    Stage: config().stage,
    'Queue: waiting': queue.waiting,
    'Queue: in flight': queue.inFlight,
    'Queue: dead letters': queue.dead ?? 'no dead-letter queue',
    'Turns: busy': busy.all,
    [stuckFigure]: busy.stuck,
    'Table: items, counted by DynamoDB about every 6 hours': table.items,
    'Table: bytes': table.bytes ?? 'not counted on this stage',
    'Bucket: objects': `${least}${bucket.objects}`,
    'Bucket: bytes': `${least}${bucket.bytes}`,
    Provider: `${provider.name} (${provider.adapter}), ${provider.active ? 'active' : 'not active'}`,
    Model: model.modelId,
  }
}

/**
 * Returns the items and bytes of the chat table. DynamoDB counts them about every six hours (DescribeTable, ItemCount).
 * `bytes` is undefined on the emulator, which reports 0 bytes for a table with items.
 */
async function tableFigures(): Promise<{ items: number; bytes: number | undefined }> {
  const { Table } = await documents().send(new DescribeTableCommand({ TableName: config().table }))
  const { ItemCount: items = 0, TableSizeBytes: bytes = 0 } = Table ?? {}
  return { items, bytes: items > 0 && bytes === 0 ? undefined : bytes }
}
