import * as Table from '../../core/aws/table.ts'
import { canonical } from '../../core/canonical.ts'
import { recordedOf } from '../../core/cms/reference/history.ts'
import { runPartition } from '../../core/cms/reference/item.ts'
import * as Rows from '../../core/cms/reference/rows.ts'
import { type Conversation, partition } from '../../core/conversation/item.ts'
import { branchAt } from '../../core/conversation/path.ts'
import * as Quota from '../../core/conversation/quota.ts'
import { config } from '../../core/stage/config.ts'
import * as Item from '../../core/transcript/item.ts'
import type { Message } from '../../core/transcript/schema.ts'
import { days } from '../../core/usage/item.ts'
import type { Bench } from '../support/live.ts'
import { writes } from './journey.ts'
import type { Scene } from './scene.ts'

/** What a run left behind. */
export type Remains = { it: Conversation; rows: Table.Row[]; messages: Message[] }

/** Reads all that is stored of a scene's conversation. */
export async function remains(bench: Bench, { conversationId }: Scene): Promise<Remains> {
  const it = await bench.row(conversationId)
  const { rows } = await Table.query({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(conversationId) },
  })
  const messages = rows
    .filter(({ sk }) => String(sk).startsWith('message#'))
    .map(Item.decode)
    .filter(({ sequence }) => sequence < it.messageCount)
  return { it, rows, messages }
}

/** What is promised and does not hold, in words; nothing where all is well. `failed` is allowed only where said. */
export async function violations(
  bench: Bench,
  { it, rows, messages }: Remains,
  mayFail = false,
): Promise<string[]> {
  const isAllowed = it.status === 'idle' || (mayFail && ['failed', 'awaiting_approval'].includes(it.status))
  const pending = rows.filter(({ sk }) => String(sk).startsWith('pending'))
  const quota = Quota.decode(await Table.get(Quota.key(it.owner)))
  const now = bench.clock.now()
  const used = await days(
    it.owner,
    [now, now - 86_400_000].map((at) => new Date(at).toISOString().slice(0, 10)),
  )
  const reserved = used.filter(({ open }) => [...open.keys()].some((name) => name.includes(it.runId)))
  return [
    ...(isAllowed ? [] : [`it ended as ${it.status}: ${it.errorCode}`]),
    ...(it.errorCode === 'internal.error' ? ['a turn failed for an internal reason'] : []),
    ...(it.status === 'failed' && !it.errorMessage ? ['it failed without a word'] : []),
    ...(quota.active.includes(it.id) ? ['its place among the active is still taken'] : []),
    // After several deaths some may be left; an hour later they can be used again.
    ...(reserved.length > 0 && !mayFail ? ['tokens are still reserved'] : []),
    ...(pending.length > 0 && it.status !== 'awaiting_approval' ? ['a proposal outlived its turn'] : []),
    ...dense(it, rows),
    ...answered(it, messages, mayFail),
    ...(await truthful(it, messages)),
  ]
}

/** Each version has every row that counts on it, and no row is on none. */
function dense(it: Conversation, rows: Table.Row[]): string[] {
  const stored = rows.map(({ sk }) => String(sk)).filter((sk) => /^(?:message|branch)#/.test(sk))
  const counted = new Set(
    [it, ...it.left].flatMap(({ path, messageCount }) =>
      Array.from({ length: messageCount }, (_, at) => Item.sortKey(at, branchAt(path, at))),
    ),
  )
  const isWhole = counted.size === stored.length && stored.every((sk) => counted.has(sk))
  return isWhole ? [] : [`counted: ${[...counted].join(' ')}; stored: ${stored.join(' ')}`]
}

/** Each call has one result at most, and exactly one where no turn failed before it. */
function answered(it: Conversation, messages: Message[], mayFail: boolean): string[] {
  const results = messages.flatMap(({ toolCallId }) => toolCallId ?? [])
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
  const twice = results.filter((id, at) => results.indexOf(id) !== at)
  const without = calls.filter((id) => !results.includes(id))
  const strangers = results.filter((id) => !calls.includes(id))
  return [
    ...twice.map((id) => `call ${id} was answered twice`),
    ...strangers.map((id) => `${id} was answered and never asked`),
    ...(it.status === 'idle' && !mayFail ? without.map((id) => `call ${id} has no result`) : []),
  ]
}

/** Each write happened at most once, and what its row says of it is what the CMS says. */
async function truthful(it: Conversation, messages: Message[]): Promise<string[]> {
  const done = new Map<string, number>()
  const runIds = new Set(messages.flatMap(({ runId }) => runId ?? []))
  for (const runId of runIds)
    for await (const row of Rows.trail(config().cmsTable ?? '', runPartition(it.owner, runId))) {
      const { action } = recordedOf(row)
      const name = `${runId} ${action === 'add' ? 'create_content_draft' : 'update_record'}`
      done.set(name, (done.get(name) ?? 0) + 1)
    }
  const told = messages.filter(({ toolName }) => writes.has(toolName ?? ''))
  const twice = [...done].filter(([, count]) => count > 1).map(([name]) => `${name} was done twice`)
  const lies = told.flatMap(({ runId, toolName, content }) => {
    const isDone = done.has(`${runId} ${toolName}`)
    const isTold = /^<data[^>]*>\nStored/.test(content)
    return isDone === isTold
      ? []
      : [`${toolName} was ${isDone ? 'done' : 'not done'} and the row says: ${content}`]
  })
  const named = new Set(told.map(({ runId, toolName }) => `${runId} ${toolName}`))
  const silent = [...done.keys()].filter((name) => !named.has(name)).map((name) => `${name} is not told`)
  return [...twice, ...lies, ...(it.status === 'idle' ? silent : [])]
}

/** The transcript without what differs from run to run: what a cut run must end with, too. */
export function transcript({ messages }: Remains, tag: string): unknown[] {
  return messages.map(({ role, content, toolName, toolCalls, notice, isError, fileName }) => {
    const isJudged = writes.has(toolName ?? '')
    const text = content
      .replaceAll(tag, 'TAG')
      .replace(/data-[0-9a-f]{24}/g, 'data')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    return {
      role,
      // What a write did, the CMS says; a cut may have kept it from happening.
      content: isJudged ? 'a write' : text,
      ...(toolCalls && { toolCalls: canonical(toolCalls).replaceAll(tag, 'TAG') }),
      ...(notice && { notice }),
      ...(fileName && { fileName }),
      ...(isError !== undefined && !isJudged && { isError }),
    }
  })
}
