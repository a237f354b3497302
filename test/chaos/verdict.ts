import * as Table from '../../core/base/aws/table.ts'
import { config } from '../../core/base/config.ts'
import { canonical } from '../../core/base/hash.ts'
import { recordedOf } from '../../core/cms/reference/history.ts'
import { decode, numberOf, type Row, tablePartition } from '../../core/cms/reference/item.ts'
import * as Rows from '../../core/cms/reference/rows.ts'
import { type Conversation, partition } from '../../core/conversation/item.ts'
import { branchAt } from '../../core/conversation/path.ts'
import * as Quota from '../../core/conversation/quota.ts'
import * as Item from '../../core/conversation/transcript/item.ts'
import { batchOf, type Message } from '../../core/conversation/transcript/schema.ts'
import { days } from '../../core/stage/usage/item.ts'
import { actions, isJudged } from './journey.ts'
import type { Scene, Stage } from './scene.ts'

/** What a run left behind. */
export type Remains = {
  conversation: Conversation
  rows: Table.Row[]
  messages: Message[]
} & Pick<Scene, 'tag' | 'undone' | 'since'>

/** Reads all that is stored of a scene's conversation. */
export async function remains(bench: Stage, { conversationId, tag, undone, since }: Scene): Promise<Remains> {
  const conversation = await bench.row(conversationId)
  const { rows } = await Table.query({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(conversationId) },
  })
  const messages = rows
    .filter(({ sk }) => String(sk).startsWith('message#'))
    .map(Item.decode)
    .filter(({ sequence }) => sequence < conversation.messageCount)
  const told = messages.flatMap(({ notice, records = [] }) => (notice === 'undone' ? records : []))
  return { conversation, rows, messages, tag, undone: [...undone, ...told], since }
}

/** What is promised and does not hold, in words; nothing where all is well. `failed` is allowed only where said. */
export async function violations(bench: Stage, left: Remains, mayFail = false): Promise<string[]> {
  const { conversation, rows, messages } = left
  const isAllowed =
    conversation.status === 'idle' ||
    (mayFail && ['failed', 'awaiting_approval'].includes(conversation.status))
  const pending = rows.filter(({ sk }) => String(sk).startsWith('pending'))
  const quota = Quota.decode(await Table.get(Quota.key(conversation.owner)))
  const now = bench.clock.now()
  const used = await days(
    conversation.owner,
    [now, now - 86_400_000].map((at) => new Date(at).toISOString().slice(0, 10)),
  )
  const reserved = used.filter(({ open }) =>
    [...open.keys()].some((name) => name.includes(conversation.runId)),
  )
  return [
    ...(isAllowed ? [] : [`it ended as ${conversation.status}: ${conversation.errorCode}`]),
    ...(conversation.errorCode === 'internal.error' ? ['a turn failed for an internal reason'] : []),
    ...(conversation.status === 'failed' && !conversation.errorMessage ? ['it failed without a word'] : []),
    ...(quota.active.includes(conversation.id) ? ['its place among the active is still taken'] : []),
    // After several deaths some may be left; an hour later they can be used again.
    ...(reserved.length > 0 && !mayFail ? ['tokens are still reserved'] : []),
    ...(pending.length > 0 && conversation.status !== 'awaiting_approval'
      ? ['a proposal outlived its turn']
      : []),
    ...dense(conversation, rows),
    ...answered(conversation, messages, mayFail),
    ...(await truthful(left)),
    ...ordered(bench, left),
    ...(await takenBack(bench, left)),
    ...toldOnce(left),
  ]
}

/** Each version has every row that counts on it, and no row is on none. */
function dense(conversation: Conversation, rows: Table.Row[]): string[] {
  const stored = rows.map(({ sk }) => String(sk)).filter((sk) => /^(?:message|branch)#/.test(sk))
  const counted = new Set(
    [conversation, ...conversation.left].flatMap(({ path, messageCount }) =>
      Array.from({ length: messageCount }, (_, at) => Item.sortKey(at, branchAt(path, at))),
    ),
  )
  const isWhole = counted.size === stored.length && stored.every((sk) => counted.has(sk))
  return isWhole ? [] : [`counted: ${[...counted].join(' ')}; stored: ${stored.join(' ')}`]
}

/** Each call has one result at most, and exactly one where no turn failed before it. */
function answered(conversation: Conversation, messages: Message[], mayFail: boolean): string[] {
  const results = messages.flatMap(({ toolCallId }) => toolCallId ?? [])
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
  const twice = results.filter((id, at) => results.indexOf(id) !== at)
  const without = calls.filter((id) => !results.some((result) => batchOf(result) === batchOf(id)))
  const strangers = results.filter((id) => !calls.some((call) => batchOf(call) === batchOf(id)))
  return [
    ...twice.map((id) => `call ${id} was answered twice`),
    ...strangers.map((id) => `${id} was answered and never asked`),
    ...(conversation.status === 'idle' && !mayFail ? without.map((id) => `call ${id} has no result`) : []),
  ]
}

/** Each write happened at most once to a record, and as often as its rows say that it did. */
async function truthful({ conversation, messages, since }: Remains): Promise<string[]> {
  const done: { name: string; record: string; isUndo: boolean }[] = []
  const history = (await changesSince(since)).filter((row) => numberOf(row, 'userid') === conversation.owner)
  for (const runId of new Set(messages.flatMap(({ runId }) => runId ?? [])))
    for (const isUndo of [false, true]) {
      const name = isUndo ? `${runId}/undo` : runId
      for (const row of history.filter(({ fields }) => fields.correlation_id === name)) {
        const { action, table, uid } = recordedOf(row)
        done.push({ name: `${runId} ${action}`, record: `${table}:${uid}${isUndo ? ' back' : ''}`, isUndo })
      }
    }
  const told = messages.flatMap(({ runId, toolName = '', content }) => {
    const action = Object.hasOwn(actions, toolName) ? actions[toolName] : undefined
    return action ? [{ name: `${runId} ${action}`, isStored: /^<data[^>]*>\nStored/.test(content) }] : []
  })
  const records = done.map(({ name, record }) => `${name} ${record}`)
  const twice = records.filter((one, at) => records.indexOf(one) !== at).map((one) => `${one} was done twice`)
  const names = new Set([...told, ...done.filter(({ isUndo }) => !isUndo)].map(({ name }) => name))
  const lies = [...names].flatMap((name) => {
    const times = done.filter((one) => one.name === name && !one.isUndo).length
    const rows = told.filter((one) => one.name === name)
    const stored = rows.filter(({ isStored }) => isStored).length
    // Before its turn has ended, the row of a write may still be missing.
    const isOver = conversation.status === 'idle' || rows.length >= times
    return stored > times || (stored < times && isOver)
      ? [`${name}: done ${times} times, and told ${stored} times`]
      : []
  })
  return [...twice, ...lies]
}

/** The uid of the last change that the CMS has recorded; 0 if there is none. */
export async function lastChange(): Promise<number> {
  const { rows } = await Table.query({
    TableName: config().cmsTable ?? '',
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tablePartition('sys_history') },
    ScanIndexForward: false,
    Limit: 1,
  })
  return rows[0] ? decode('sys_history', rows[0]).uid : 0
}

/** The history of the CMS after a row, oldest first. */
async function changesSince(since: number): Promise<Row[]> {
  const changes: Row[] = []
  for await (const row of Rows.newest(config().cmsTable ?? '', 'sys_history')) {
    if (row.uid <= since) break
    changes.unshift(row)
  }
  return changes
}

/** What was approved once is ordered at most once, and never told without. */
function ordered({ shop }: Stage, { tag, messages }: Remains): string[] {
  const times = shop?.orders.filter((item) => item === tag).length ?? 0
  const told = messages.filter(({ toolName, isError }) => toolName === 'mcp__shop__order' && !isError).length
  return times > 1 || told > times ? [`ordered ${times} times, and told ${told} times`] : []
}

/** Nothing of what the turn wrote is left in a record that an undo has named as taken back. */
async function takenBack({ field }: Stage, { tag, undone }: Remains): Promise<string[]> {
  const news = undone.filter(({ table }) => table === 'news')
  const left = await Promise.all(news.map(async ({ uid }) => [uid, await field('news', Number(uid))]))
  return left
    .filter(([, title]) => String(title).includes(tag))
    .map(([uid, title]) => `news ${uid} was taken back and is still called ${title}`)
}

/** Each record that an undo has named as taken back stands in one row of the transcript. */
function toldOnce({ messages, undone }: Remains): string[] {
  const told = messages.flatMap(({ notice, records = [] }) => (notice === 'undone' ? records : []))
  const times = ({ table, uid }: Scene['undone'][number]) =>
    told.filter((one) => one.table === table && one.uid === uid).length
  return undone
    .filter((one) => times(one) !== 1)
    .map((one) => `that ${one.table} ${one.uid} was taken back is told ${times(one)} times`)
}

/**
 * The transcript without what differs from run to run: what a cut run must end with, too. What an undo took back depends
 * on what was written.
 */
export function transcript({ messages }: Remains, tag: string): unknown[] {
  const lasting = messages.filter(({ notice }) => notice !== 'undone')
  return lasting.map(({ role, content, toolName, toolCalls, notice, isError, fileName }) => {
    const hasVerdict = isJudged(toolName)
    const text = content
      .replaceAll(tag, 'TAG')
      .replace(/data-[0-9a-f]{24}/g, 'data')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'TIME')
      .replace(/\[\d{3,}\]/g, '[NEW]')
    return {
      role,
      // What a write did, the CMS says; a cut may have kept it from happening.
      content: hasVerdict ? 'a write' : text,
      ...(toolCalls && {
        toolCalls: canonical(toolCalls)
          .replaceAll(tag, 'TAG')
          .replace(/"uid":\d{3,}/g, '"uid":"NEW"'),
      }),
      ...(notice && { notice }),
      ...(fileName && { fileName }),
      ...(isError !== undefined && !hasVerdict && { isError }),
    }
  })
}
