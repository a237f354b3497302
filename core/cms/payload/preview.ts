import type { Write, WritePreview } from '../cms.ts'
import type { Acting } from './acting.ts'
import { isMove, shownMove } from './bin.ts'
import { type Planned, plan, type Wanted } from './change.ts'
import { readable, seeOne, shownAt, shownIn, titleOf, versionOf } from './record.ts'
import { refusing } from './refusal.ts'
import { rehearse } from './rehearsal.ts'
import { pagesOf } from './type.ts'

type Shown = Map<string, unknown>

/** What a write would change, as Payload would store it; nothing is stored. Throws ToolError. */
export function preview(acting: Acting, write: Write, earlier: Write[]): Promise<WritePreview> {
  return refusing(async () => {
    if (isMove(write)) return shownMove(acting, write)
    const above = await earlierValues(acting, write, earlier)
    const planned = await plan(acting, write, {}, above)
    const { type, seen } = planned
    const before = await shownBefore(acting, planned, above)
    const after = await shownAfter(acting, { ...planned, values: new Map([...above, ...planned.values]) })
    const changes = []
    for (const { name, label } of await readable(acting, type)) {
      if (!after.has(name) || same(before.get(name), after.get(name))) continue
      changes.push({ field: name, label, before: asText(before.get(name)), after: asText(after.get(name)) })
    }
    const pages = planned.pid !== 0 ? pagesOf(acting.types, acting.options) : undefined
    const parent = pages && (await seeOne(acting, pages, planned.pid))
    const named = seen ?? parent
    const title = after.get('title') ?? after.get('name')
    return {
      table: type.name,
      uid: seen ? seen.id : null,
      label: seen ? titleOf(seen) : typeof title === 'string' ? title : type.label,
      page: { uid: named ? named.id : 0, title: named ? titleOf(named) : type.label },
      changes,
      versions: named ? [{ table: named.type.name, uid: named.id, version: versionOf(named) }] : [],
    }
  })
}

/** What earlier writes of the proposal put into the same record, each after those before it. */
async function earlierValues(acting: Acting, write: Write, earlier: Write[]): Promise<Wanted> {
  let values: Wanted = new Map()
  if (write.kind !== 'update') return values
  for (const it of earlier) {
    if (it.kind !== 'update' || it.table !== write.table || String(it.uid) !== String(write.uid)) continue
    values = new Map([...values, ...(await plan(acting, it, {}, values)).values])
  }
  return values
}

async function shownBefore(acting: Acting, planned: Planned, above: Wanted): Promise<Shown> {
  const { seen, type } = planned
  const shown: Shown = new Map()
  if (!seen) return shown
  for (const field of await readable(acting, type)) shown.set(field.name, shownIn(seen, field))
  if (above.size === 0) return shown
  return new Map([...shown, ...(await shownAfter(acting, { ...planned, values: above }))])
}

/** Every field of the locales that a change touches, as a read would show it after the change. */
async function shownAfter(acting: Acting, planned: Planned): Promise<Shown> {
  const documents = await rehearse(acting, planned)
  const shown: Shown = new Map()
  for (const { name, path, locale } of await readable(acting, planned.type)) {
    const document = documents.get(locale)
    if (document) shown.set(name, shownAt(document, path))
  }
  return shown
}

/** The whole value, rich text as its nodes: the stage makes the readable form of it, in which nothing is left out. */
export function asText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Empty is empty, whether Payload keeps null or nothing. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}
