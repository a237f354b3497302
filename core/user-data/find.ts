import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { codec } from '../audit/item.ts'
import { type Entry, prefix } from '../audit/schema.ts'
import { retrying } from '../aws/retry.ts'
import * as Table from '../aws/table.ts'
import { config } from '../stage/config.ts'

/**
 * Where the table has data of a user. Sessions and runs are in no index by user, so the whole table is read: that finds
 * also what a crash left behind, and costs an operator a few cents for each gigabyte.
 */

/** What a partition holds, by how its key begins. */
export type Kind = 'user' | 'conversation' | 'run' | 'session' | 'exchanged'

/** A partition with data of the user. */
export type Place = { kind: Kind; pk: string }

/** Every partition that holds data of the user; the audit and the records of exports and erasures are not among them. */
export async function places(uid: number): Promise<Place[]> {
  const found = new Set<string>()
  const rows = matching(
    'pk IN (:user, :exchanged) OR begins_with(pk, :conversation) OR begins_with(pk, :run) OR begins_with(pk, :session)',
    {
      ':user': `user#${uid}`,
      ':exchanged': `exchanged#${uid}`,
      ':conversation': `conversation#${uid}-`,
      ':run': `run#${uid}#`,
      ':session': `session#${uid}#`,
    },
    'pk',
  )
  for await (const { pk } of rows) found.add(String(pk))
  return [...found].sort().map((pk) => ({ kind: pk.slice(0, pk.indexOf('#')) as Kind, pk }))
}

/** What the audit has of the acts of the user, the oldest first. */
export async function auditOf(uid: number): Promise<Entry[]> {
  const found: Entry[] = []
  const values = { ':audit': prefix, ':uid': uid }
  for await (const row of matching('begins_with(pk, :audit) AND be_user = :uid', values))
    found.push(codec.decode(row).entry)
  return found.sort((one, other) => one.time - other.time)
}

/** All items of a partition. */
export async function rowsOf({ pk }: Place): Promise<(Table.Row & Table.Key)[]> {
  const rows: Table.Row[] = []
  let from: Table.Row | undefined
  do {
    const page = await Table.query({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ...(from && { ExclusiveStartKey: from }),
    })
    rows.push(...page.rows)
    from = page.next
  } while (from)
  return rows as (Table.Row & Table.Key)[]
}

/** The items of the table that a filter lets through; with `only`, that attribute of them. */
async function* matching(filter: string, values: Table.Row, only?: string): AsyncGenerator<Table.Row> {
  let from: Table.Row | undefined
  do {
    const page = await retrying(() =>
      Table.documents().send(
        new ScanCommand({
          TableName: config().table,
          ConsistentRead: true,
          FilterExpression: filter,
          ExpressionAttributeValues: values,
          ...(only && { ProjectionExpression: only }),
          ...(from && { ExclusiveStartKey: from }),
        }),
      ),
    )
    yield* page.Items ?? []
    from = page.LastEvaluatedKey
  } while (from)
}
