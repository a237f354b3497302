import { ToolError } from '../../error.ts'
import type { Write, WriteOptions, WriteOutcome } from '../cms.ts'
import { type Acting, asUser, requestOf, type Within } from './acting.ts'
import { isMove, movable, move } from './bin.ts'
import { dataOf, type Planned, plan } from './change.ts'
import { same } from './preview.ts'
import { typeNamed } from './read.ts'
import { readable, type Seen, seeOne, shownIn, versionOf } from './record.ts'
import { refusing } from './refusal.ts'
import { added, inTurn, type Kept, transact, writes } from './store.ts'
import { personIn } from './user.ts'

const empty: WriteOutcome = { state: 'void' }
/** How long a write without a transaction may take before its key is taken for abandoned, in milliseconds. */
const patienceMs = 60_000

/** Another request with the key, or on the version, was first. */
class Taken extends Error {}

/** Makes a write, once for its key, on the versions that the user has seen. Throws ToolError. */
export function write(acting: Acting, wanted: Write, options: WriteOptions): Promise<WriteOutcome> {
  const { payload } = acting
  return refusing(() =>
    inTurn(payload, async () => {
      const known = await outcomeOf(acting, options.key)
      if (known) return known
      try {
        return await transact(payload, (transactionID) => made(acting, wanted, options, { transactionID }))
      } catch (error) {
        if (error instanceof Taken)
          return (await outcomeOf(acting, options.key)) ?? conflictOf(wanted, options)
        throw error
      }
    }),
  )
}

function conflictOf(wanted: Write, { versions }: WriteOptions): WriteOutcome {
  const uid = 'uid' in wanted ? wanted.uid : (versions[0]?.uid ?? 0)
  return { state: 'conflict', table: wanted.table, uid }
}

async function made(
  acting: Acting,
  wanted: Write,
  { key, correlationId: run, versions }: WriteOptions,
  within: Within,
): Promise<WriteOutcome> {
  for (const { table, uid, version } of versions) {
    const type = typeNamed(acting, table)
    const now = type && (await seeOne(acting, type, uid, { ...within, trash: wanted.kind === 'undelete' }))
    if (now && versionOf(now) === version) continue
    const conflict: WriteOutcome = { state: 'conflict', table, uid }
    await claim(acting, { key, guard: `none:${key}`, outcome: conflict }, within)
    return conflict
  }
  const [first] = versions
  const isOnVersion = (wanted.kind === 'update' || isMove(wanted)) && first
  const guard = isOnVersion ? `${first.table}:${first.uid}:${first.version}` : `none:${key}`
  await claim(acting, { key, guard }, within)
  try {
    const { seen, after } = await done(acting, wanted, { ...within, run })
    const changed = await changedIn(acting, seen, after)
    const outcome: WriteOutcome = {
      state: 'done',
      table: wanted.table,
      uid: after.id,
      version: versionOf(after),
      changed: [...changed.keys()],
    }
    await complete(acting, key, within, {
      outcome,
      run,
      person: String(acting.user.id),
      personName: personIn(acting.user, acting.options).name,
      table: wanted.table,
      record: String(after.id),
      kind: wanted.kind,
      version: outcome.version,
      versionBefore: seen ? versionOf(seen) : '',
      before: seen ? Object.fromEntries([...changed].map(([name, [before]]) => [name, before ?? null])) : {},
      after: Object.fromEntries([...changed].map(([name, [, value]]) => [name, value ?? null])),
    })
    return outcome
  } catch (error) {
    // A transaction takes the key back by itself.
    if (within.transactionID === undefined) await forget(acting, key)
    throw error
  }
}

/** Stores what a write wants: the record before, undefined where there was none, and after it. */
async function done(
  acting: Acting,
  wanted: Write,
  within: Within,
): Promise<{ seen: Seen | undefined; after: Seen }> {
  if (isMove(wanted)) {
    const seen = await movable(acting, wanted, within)
    return { seen, after: await move(acting, seen, wanted.kind, within) }
  }
  const planned = await plan(acting, wanted, within)
  return { seen: planned.seen, after: await store(acting, planned, within) }
}

/** The fields that differ, with both values. */
async function changedIn(
  acting: Acting,
  before: Seen | undefined,
  after: Seen,
): Promise<Map<string, [unknown, unknown]>> {
  const changed = new Map<string, [unknown, unknown]>()
  for (const field of await readable(acting, after.type)) {
    const [old, now] = [before && shownIn(before, field), shownIn(after, field)]
    if (!same(old, now)) changed.set(field.name, [old, now])
  }
  return changed
}

/** Stores what is planned through Payload's own operations, as the user, and answers the record after it. */
export async function store(acting: Acting, planned: Planned, within: Within): Promise<Seen> {
  const { payload } = acting
  const { type, mode } = planned
  let id = planned.seen?.id
  for (const { locale, data } of dataOf({ ...planned, acting })) {
    const as = {
      ...(await asUser(acting, { ...within, locale })),
      data: data as never,
      draft: mode.draft,
      overrideLock: false,
    }
    if (type.isGlobal) await payload.updateGlobal({ slug: type.slug, ...as })
    else if (id !== undefined) await payload.update({ collection: type.slug, id, ...as })
    else id = (await payload.create({ collection: type.slug, ...as })).id
  }
  const after = await seeOne(acting, type, id ?? 1, within)
  if (!after) throw new ToolError('The user may not see the record any more after this change.')
  return after
}

/** The outcome of a write whose end is not known. A write that has not come is never made. */
export function settle(acting: Acting, key: string): Promise<WriteOutcome> {
  return inTurn(acting.payload, async () => {
    const known = await outcomeOf(acting, key)
    if (known) return known
    await added(acting.payload, writes, { key, guard: `none:${key}`, outcome: empty })
    return (await outcomeOf(acting, key)) ?? empty
  })
}

async function rowOf({ payload }: Acting, key: string): Promise<Kept | undefined> {
  const found = await payload.find({
    collection: writes,
    where: { key: { equals: key } },
    limit: 1,
    depth: 0,
  })
  return found.docs[0] as unknown as Kept | undefined
}

/** What a key came to; undefined: it is not known. Waits for a write of another process that is still made. */
async function outcomeOf(acting: Acting, key: string): Promise<WriteOutcome | undefined> {
  for (;;) {
    const row = await rowOf(acting, key)
    if (!row) return undefined
    if (row.outcome) return row.outcome as WriteOutcome
    // The process that made it has ended in between; without transactions that can be seen.
    if (Date.now() - Date.parse(row.createdAt) > patienceMs) {
      await complete(acting, key, {}, { outcome: empty, guard: `none:${key}` })
      return empty
    }
    await new Promise((done) => setTimeout(done, 50))
  }
}

async function claim(acting: Acting, row: Record<string, unknown>, { transactionID }: Within): Promise<void> {
  if (!(await added(acting.payload, writes, row, transactionID as number))) throw new Taken()
}

async function complete(
  acting: Acting,
  key: string,
  within: Within,
  data: Record<string, unknown>,
): Promise<void> {
  const req = await requestOf(acting, { transactionID: within.transactionID })
  await acting.payload.update({ collection: writes, where: { key: { equals: key } }, data, req, depth: 0 })
}

async function forget({ payload }: Acting, key: string): Promise<void> {
  await payload.db.deleteMany({ collection: writes, where: { key: { equals: key } } })
}
