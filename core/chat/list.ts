import type { Actor } from '../actor.ts'
import { indexes } from '../aws/indexes.ts'
import * as Table from '../aws/table.ts'
import { type Conversation, decode, idOf, key, listPartition, summary } from '../conversation/item.ts'
import type { Summary } from '../conversation/schema.ts'
import { VisibleError } from '../error.ts'
import { config } from '../stage/config.ts'
import type { ListAnswer } from './request.ts'

/** The lists of a user's conversations: keys from the index, rows in batches. */

type Query = {
  archived: boolean
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** A search looks into so many transcripts for one answer; its cursor goes on behind the last of them. */
export const mostLooks = 50

/** So many transcripts are read at a time. */
const together = 10

type Hit = { summary: Summary; excerpt?: string | undefined }

/**
 * One page, pinned first, then newest change first. `search` finds conversations by their title and by what was said in
 * them, whatever case; where it was said, `excerpts` has the place. An answer of a search may have fewer conversations than
 * wanted, or none, and a cursor all the same.
 */
export async function list(actor: Actor, query: Query): Promise<ListAnswer> {
  const found: Hit[] = []
  const wanted = query.search?.toLocaleLowerCase()
  let looks = 0
  let after = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
  for (;;) {
    const limit = wanted ? together : query.limit - found.length
    const { keys, hasMore } = await page(listPartition(actor.uid, query.archived), after, limit)
    const rows = await Table.batch(
      keys.map((sortKey) => ({ table: config().table, key: key(idOf(sortKey)), consistent: true })),
    )
    // The index is a hint: what it says of archived and deleted, the row decides.
    const listed = rows.map((row) => {
      const it = decode(row)
      return it && !it.deletedAt && it.archived === query.archived ? it : undefined
    })
    const hits = await Promise.all(listed.map((it) => it && hit(it, wanted)))
    looks += wanted ? listed.filter((it) => it && !isTitled(it, wanted)).length : 0
    for (const [at, one] of hits.entries()) {
      after = keys[at]
      if (!one) continue
      found.push(one)
      if (found.length === query.limit) {
        const isLast = at === rows.length - 1 && !hasMore
        return answerOf(found, isLast ? undefined : after)
      }
    }
    if (!hasMore) return answerOf(found, undefined)
    if (looks >= mostLooks) return answerOf(found, after)
  }
}

async function hit(it: Conversation, wanted: string | undefined): Promise<Hit | undefined> {
  if (!wanted || isTitled(it, wanted)) return { summary: summary(it) }
  // Few requests search.
  const { excerptWith } = await import('./words.ts')
  const excerpt = await excerptWith(it, wanted)
  return excerpt === undefined ? undefined : { summary: summary(it), excerpt }
}

const isTitled = ({ title }: Conversation, wanted: string) => title.toLocaleLowerCase().includes(wanted)

function answerOf(found: Hit[], after: string | undefined): ListAnswer {
  const excerpts = found.flatMap(({ summary, excerpt }) => (excerpt ? [[summary.id, excerpt] as const] : []))
  return {
    conversations: found.map(({ summary }) => summary),
    nextCursor: after ? encodeCursor(after) : null,
    ...(excerpts.length > 0 && { excerpts: Object.fromEntries(excerpts) }),
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
