import { isDeepStrictEqual } from 'node:util'
import * as Table from '../../core/base/aws/table.ts'
import { pages } from '../../core/base/aws/table.ts'
import { decode, recordKey } from '../../core/cms/reference/item.ts'
import { reference } from '../../core/cms/reference/reference.ts'
import { seed } from '../../infra/local/seed/seed.ts'
import { createCmsTable } from '../../infra/local/table.ts'
import { type Change, type Task, users } from './task.ts'

type Item = Table.Key & Table.Row
type Items = Map<string, Item>

/** A seeded site in a table of the CMS; each task begins on it in its first state. */
export type Site = Awaited<ReturnType<typeof openSite>>

/** Seeds a site in a new table of this name. */
export async function openSite(table: string) {
  await createCmsTable(Table.documents(), table)
  await seed({ table }, Date.now())
  const seeded = await all(table)
  return {
    cms: reference({ table }),
    /** Makes the site what the task begins on. */
    prepare: (task: Task) => prepare(table, task),
    /** Answers the changes since the task began, and seeds the site again. */
    finish: async (task: Task): Promise<Change[]> => {
      const now = await all(table)
      const before = withGiven(seeded, task)
      const changes = changesOf(before, now)
      await restore(table, seeded, now)
      return changes
    },
  }
}

async function all(table: string): Promise<Items> {
  const items: Items = new Map()
  for await (const rows of pages({ TableName: table })) {
    for (const item of rows as Item[]) items.set(nameOf(item), item)
  }
  return items
}

const nameOf = ({ pk, sk }: Table.Key) => `${pk} ${sk}`

/** Fields that the task wants other than they are seeded, the language of its user among them. */
function givenBy(task: Task): NonNullable<Task['given']> {
  const speaks = { table: 'be_users', uid: users[task.user], fields: { lang: task.lang } }
  return [...(task.given ?? []), speaks]
}

function withGiven(seeded: Items, task: Task): Items {
  const items = new Map(seeded)
  for (const { table, uid, fields } of givenBy(task)) {
    const name = nameOf(recordKey(table, uid))
    const item = items.get(name)
    if (!item)
      throw new Error(`The task ${task.id} names ${table}:${uid}, which the seeded site does not have.`)
    items.set(name, { ...item, fields: { ...(item.fields as object), ...fields } })
  }
  return items
}

async function prepare(table: string, task: Task): Promise<void> {
  const before = await Promise.all(
    givenBy(task).map(({ table: of, uid }) => Table.get(recordKey(of, uid), table)),
  )
  const seeded: Items = new Map(
    before.flatMap((item) => (item ? [[nameOf(item as Item), item as Item]] : [])),
  )
  for (const item of withGiven(seeded, task).values()) await Table.put(item, {}, table)
}

/** Tables whose rows follow from the others, or from a login. */
const derived = ['sys_history', 'sys_log']

function changesOf(before: Items, now: Items): Change[] {
  const names = [...new Set([...before.keys(), ...now.keys()])].filter((name) => name.startsWith('table#'))
  return names.flatMap((name): Change[] => {
    const table = name.slice('table#'.length).split(' ')[0] ?? ''
    const [was, is] = [before.get(name), now.get(name)].map((item) => item && decode(table, item))
    if (derived.includes(table) || isDeepStrictEqual(was, is)) return []
    const row = is ?? was
    if (!row) return []
    const of = { record: `${table}:${row.uid}`, page: row.pid }
    if (!is || (is.deleted && !was?.deleted)) return [{ ...of, kind: 'deleted', fields: {} }]
    if (!was) return [{ ...of, kind: 'created', fields: is.fields }]
    const fields = Object.entries(is.fields).filter(([field, value]) => value !== was.fields[field])
    return [{ ...of, kind: 'changed', fields: Object.fromEntries(fields) }]
  })
}

async function restore(table: string, seeded: Items, now: Items): Promise<void> {
  const added = [...now].filter(([name]) => !seeded.has(name)).map(([, item]) => item)
  await Table.removeAll(added, table)
  const changed = [...seeded].filter(([name, item]) => !isDeepStrictEqual(now.get(name), item))
  for (const [, item] of changed) await Table.put(item, {}, table)
}
