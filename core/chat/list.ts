import type { Actor } from '../base/actor.ts'
import { indexes } from '../base/aws/indexes.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { type Conversation, decode, idOf, key, listPartition, summary } from '../conversation/item.ts'
import type { Summary } from '../conversation/schema.ts'
import type { ListAnswer, ListQuery } from './request.ts'

/** Lists a user's conversations: keys from the index, rows in batches. */

/**
 * The maximum number of transcripts that a search reads for one answer; its cursor continues after the last of them.
 */
export const mostLooks = 50

/** The maximum number of transcripts that a search reads at the same time. */
const together = 10

/** The maximum number of rows read for one answer, and of rows per read when few of them match. */
const mostRows = 1_000
const rowsTogether = 100

type Hit = { summary: Summary; excerpt?: string | undefined }

/**
 * Returns one page: pinned conversations first, then by newest change. `search` finds conversations with all of its
 * words in the title or the messages, in upper or lower case, in NFC or NFD. `excerpts` holds the text around a match
 * in the messages. With `search` or `waiting`, a page may have fewer conversations than the limit, even no
 * conversation, and still a cursor. `waiting` lists only conversations that wait for a decision.
 */
export async function list(actor: Actor, query: ListQuery): Promise<ListAnswer> {
  const found: Hit[] = []
  const words = query.search?.normalize('NFC').toLocaleLowerCase().split(/\s+/u).filter(Boolean) ?? []
  let looks = 0
  let read = 0
  let after = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
  for (;;) {
    const few = query.waiting ? rowsTogether : query.limit - found.length
    const limit = words.length > 0 ? together : few
    const { keys, hasMore } = await page(listPartition(actor.uid, query.archived), after, limit)
    const listed = await conversationsOf(keys, query)
    const hits = await Promise.all(listed.map((conversation) => conversation && hit(conversation, words)))
    looks += listed.filter((conversation) => conversation && untitled(conversation, words).length > 0).length
    const taken = firstHits(hits, query.limit - found.length)
    found.push(...taken.hits)
    after = keys[taken.last] ?? after
    const isLast = taken.last === keys.length - 1 && !hasMore
    if (isLast) return answerOf(found, undefined)
    read += keys.length
    const isFull = found.length === query.limit || looks >= mostLooks || read >= mostRows
    if (isFull) return answerOf(found, after)
  }
}

/** Returns the user's conversations that are not archived: first the pinned conversations, then by newest change. */
export async function recent(actor: Pick<Actor, 'uid'>, limit: number): Promise<Conversation[]> {
  const { keys } = await page(listPartition(actor.uid, false), undefined, limit)
  const listed = await conversationsOf(keys, { archived: false, waiting: false })
  return listed.flatMap((conversation) => conversation ?? [])
}

/** Returns the first hits up to the limit, and the index of the last row that was examined for them. */
function firstHits(rows: (Hit | undefined)[], limit: number): { hits: Hit[]; last: number } {
  const places = [...rows.keys()].filter((at) => rows[at])
  const last = places.length < limit ? rows.length - 1 : (places[limit - 1] as number)
  return { hits: places.slice(0, limit).flatMap((at) => rows[at] ?? []), last }
}

/** Returns the conversation of each key, in the same order; undefined if the row does not belong to the list. */
async function conversationsOf(
  keys: string[],
  { archived, waiting }: Pick<ListQuery, 'archived' | 'waiting'>,
): Promise<(Conversation | undefined)[]> {
  const rows = await Table.rowsOf(keys.map((sortKey) => key(idOf(sortKey))))
  // The index may be out of date, so the row decides if a conversation is archived or deleted.
  return rows.map((row) => {
    const conversation = decode(row)
    const isListed = conversation && !conversation.deletedAt && conversation.archived === archived
    return isListed && (!waiting || conversation.status === 'awaiting_approval') ? conversation : undefined
  })
}

async function hit(conversation: Conversation, words: readonly string[]): Promise<Hit | undefined> {
  const wanted = untitled(conversation, words)
  if (wanted.length === 0) return { summary: summary(conversation) }
  // Few requests search, so the others do not load this code.
  const { excerptWith } = await import('./words.ts')
  const excerpt = await excerptWith(conversation, wanted)
  return excerpt === undefined ? undefined : { summary: summary(conversation), excerpt }
}

/** Returns the searched words that the title does not contain. */
function untitled({ title }: Conversation, words: readonly string[]): readonly string[] {
  const lower = title.normalize('NFC').toLocaleLowerCase()
  return words.filter((word) => !lower.includes(word))
}

function answerOf(found: Hit[], after: string | undefined): ListAnswer {
  const excerpts = found.flatMap(({ summary, excerpt }) => (excerpt ? [[summary.id, excerpt] as const] : []))
  return {
    conversations: found.map(({ summary }) => summary),
    nextCursor: after ? encodeCursor(after) : null,
    ...(excerpts.length > 0 && { excerpts: Object.fromEntries(excerpts) }),
  }
}

/** Returns the next keys of a list. `hasMore` is true if more keys follow; one extra key is read to know this. */
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
  if (/^[01]#[0-9TZ:.-]+#[0-9]+-[0-9a-z]{26}$/.test(sortKey) && encodeCursor(sortKey) === cursor)
    return sortKey
  throw new VisibleError('request.invalid', { fields: { cursor: 'not a cursor of this list' } })
}
