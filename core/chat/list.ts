import type { Actor } from '../actor.ts'
import { indexes } from '../aws/indexes.ts'
import * as Table from '../aws/table.ts'
import { decode, idOf, key, listPartition, summary } from '../conversation/item.ts'
import type { Summary } from '../conversation/schema.ts'
import { VisibleError } from '../error.ts'
import { config } from '../stage/config.ts'

/** The lists of a user's conversations: keys from the index, rows in batches. */

type Query = {
  archived: boolean
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** One page, pinned first, then newest change first. `search` filters by title, whatever case. */
export async function list(
  actor: Actor,
  query: Query,
): Promise<{ conversations: Summary[]; nextCursor: string | null }> {
  const found: Summary[] = []
  const wanted = query.search?.toLocaleLowerCase()
  let after = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
  for (;;) {
    const { keys, hasMore } = await page(
      listPartition(actor.uid, query.archived),
      after,
      wanted ? 100 : query.limit - found.length,
    )
    const rows = await Table.batch(
      keys.map((sortKey) => ({ table: config().table, key: key(idOf(sortKey)), consistent: true })),
    )
    for (const [at, row] of rows.entries()) {
      const it = decode(row)
      after = keys[at]
      // The index is a hint: what it says of archived and deleted, the row decides.
      if (!it || it.deletedAt || it.archived !== query.archived) continue
      if (wanted && !it.title.toLocaleLowerCase().includes(wanted)) continue
      found.push(summary(it))
      if (found.length === query.limit) {
        const isLast = at === rows.length - 1 && !hasMore
        return { conversations: found, nextCursor: isLast || !after ? null : encodeCursor(after) }
      }
    }
    if (!hasMore) return { conversations: found, nextCursor: null }
  }
}

/** The next keys of a list, and whether there are others behind them: one more is asked for than is wanted. */
async function page(
  partition: string,
  before: string | undefined,
  limit: number,
): Promise<{ keys: string[]; hasMore: boolean }> {
  const { rows } = await Table.query({
    IndexName: indexes.byUser.name,
    KeyConditionExpression: before ? 'user_pk = :pk AND user_sk < :before' : 'user_pk = :pk',
    ExpressionAttributeValues: { ':pk': partition, ...(before && { ':before': before }) },
    ScanIndexForward: false,
    Limit: limit + 1,
  })
  const keys = rows.map((row) => String(row.user_sk))
  return { keys: keys.slice(0, limit), hasMore: keys.length > limit }
}

const encodeCursor = (sortKey: string) => Buffer.from(sortKey).toString('base64url')

function decodeCursor(cursor: string): string {
  const sortKey = Buffer.from(cursor, 'base64url').toString('utf8')
  if (/^[01]#[0-9TZ:.-]+#[0-9]+-[0-9a-z]{26}$/.test(sortKey) && encodeCursor(sortKey) === cursor) {
    return sortKey
  }
  throw new VisibleError('request.invalid', { fields: { cursor: 'not a cursor of this list' } })
}
