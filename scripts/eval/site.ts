import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../core/base/actor.ts'
import * as Table from '../../core/base/aws/table.ts'
import { type Clock, systemClock } from '../../core/base/clock.ts'
import { lazy } from '../../core/base/lazy.ts'
import { askedBy, type Cms } from '../../core/cms/cms.ts'
import { decode, recordKey } from '../../core/cms/reference/item.ts'
import { reference } from '../../core/cms/reference/reference.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import { siteFile } from '../../core/file/site-files.ts'
import { createCmsTable } from '../../infra/local/resources.ts'
import { seedPictures } from '../../infra/local/seed/content.ts'
import { seed } from '../../infra/local/seed/seed.ts'
import { placeIn, type Task, users, type WantedChange } from './task.ts'

type Item = Table.Key & Table.Row
type Items = Map<string, Item>

/** A site for one task at a time. */
export type Site = {
  cms: Cms
  /** Returns a clock that starts when a task begins. */
  clock(): Clock
  /** Returns the user with this name. Throws if the site has no such user. */
  actor(name: string): Promise<Actor>
  /** Prepares the site for the task; returns the task with the values of this site. */
  prepare(task: Task): Promise<Task>
  /** Returns the changes since the task began, and restores the site. */
  finish(task: Task): Promise<WantedChange[]>
}

/** Seeds a site in a new table with this name; each task begins with the seeded data. */
async function openSite(table: string): Promise<Site> {
  await createCmsTable(Table.documents(), table)
  await Promise.all([seed({ table }, begunAt), seedPictures()])
  const seeded = await all(table)
  const cms = reference({ table, clock: begunClock().now, file: siteFile })
  // Reading the site takes longer than most tasks, so it is read again only after something was stored.
  let isChanged = false
  let isSeeded = true
  let given: Items = new Map()
  let prepared = 0
  const answers = new Map<string, Promise<unknown>>()
  const asked = askedBy((operation, actor, question) => {
    const ask = () => cms[operation](actor, question as never) as Promise<unknown>
    isChanged ||= operation === 'settle' || (operation === 'put' && !isDry(question))
    return isSeeded && !isChanged ? remembered(answers, [operation, actor, question], ask) : ask()
  })
  return {
    cms: { ...cms, ...asked },
    clock: begunClock,
    async actor(name) {
      const uid = Object.entries(users).find(([known]) => known === name)?.[1]
      const actor = uid === undefined ? undefined : await cms.user(uid)
      if (!actor) throw new Error(`The seeded site has no user ${name}.`)
      return actor
    },
    async prepare(task) {
      isChanged = false
      isSeeded = task.given.length === 0
      given = givenBy(seeded, task, 1_000 * ++prepared)
      for (const [, item] of given) await Table.put(item, {}, table)
      return task
    },
    async finish() {
      const before = new Map([...seeded, ...given])
      const now = isChanged ? await all(table) : before
      await restore(table, seeded, now)
      return isChanged ? changesOf(before, now) : []
    },
  }
}

const isDry = (question: unknown) => typeof question === 'object' && question !== null && 'dry' in question

/** Returns the stored answer to a question, or asks the question and stores the answer; it stores no failure. */
function remembered(
  answers: Map<string, Promise<unknown>>,
  question: unknown,
  ask: () => Promise<unknown>,
): Promise<unknown> {
  const name = JSON.stringify(question)
  const answer = answers.get(name) ?? ask()
  answers.set(name, answer)
  answer.catch(() => answers.delete(name))
  return answer
}

/** Returns functions that open seeded sites on first use. */
export const sitesFor = (parallel: number): (() => Promise<Site>)[] =>
  Array.from({ length: parallel }, () => lazy(() => openSite(`site-${randomBytes(6).toString('hex')}`)))

async function all(table: string): Promise<Items> {
  const items: Items = new Map()
  for await (const rows of Table.pages({ TableName: table })) {
    for (const item of rows as Item[]) items.set(keyName(item), item)
  }
  return items
}

const keyName = ({ pk, sk }: Table.Key) => `${pk} ${sk}`

/**
 * Returns the records that a task needs to differ from the seed, with the language of its user. Their versions rise by
 * `step`, because the CMS reads a record again only if it does not know its version.
 */
function givenBy(seeded: Items, task: Task, step: number): Items {
  const user = users[task.user as keyof typeof users]
  const speaks = { record: `be_users:${user}`, fields: { lang: task.lang }, isInBin: false }
  const items: Items = new Map()
  for (const { record, fields, isInBin } of [...task.given, speaks]) {
    const { table, uid } = placeIn(record)
    const name = keyName(recordKey(table, Number(uid)))
    const item = seeded.get(name)
    if (!item) throw new Error(`The task ${task.id} names ${record}, which the seeded site does not have.`)
    const version = Number(item.version) + step
    items.set(name, { ...item, version, deleted: isInBin, fields: { ...(item.fields as object), ...fields } })
  }
  return items
}

/** Tables whose rows result from other rows, or from a login. */
const derived = ['sys_history', 'sys_log']

function changesOf(before: Items, now: Items): WantedChange[] {
  const names = [...new Set([...before.keys(), ...now.keys()])].filter((name) => name.startsWith('table#'))
  return names.flatMap((name) => {
    const table = name.slice('table#'.length).split(' ')[0] ?? ''
    if (derived.includes(table) || isDeepStrictEqual(before.get(name), now.get(name))) return []
    const [was, is] = [before.get(name), now.get(name)].map((item) => item && decode(table, item))
    return changeOf(`${table}:${(is ?? was)?.uid}`, was, is)
  })
}

/** A record at one time; undefined if it does not exist. */
type Standing = { pid: RecordId; fields: Record<string, unknown>; deleted?: boolean } | undefined

/** Returns the change of a record between two times; an empty list if nothing has changed. */
export function changeOf(record: string, was: Standing, is: Standing): WantedChange[] {
  const of = { record, page: (is ?? was)?.pid ?? 0 }
  if (!was) return is ? [{ ...of, kind: 'created', fields: is.fields }] : []
  if (!is || (is.deleted && !was.deleted)) return [{ ...of, kind: 'binned', fields: {} }]
  if (was.deleted && !is.deleted) return [{ ...of, kind: 'restored', fields: {} }]
  const changed = Object.entries(is.fields).filter(
    ([name, value]) => !isDeepStrictEqual(value, was.fields[name]),
  )
  const fields = { ...Object.fromEntries(changed), ...(is.pid !== was.pid && { page: is.pid }) }
  return Object.keys(fields).length === 0 ? [] : [{ ...of, kind: 'changed', fields }]
}

async function restore(table: string, seeded: Items, now: Items): Promise<void> {
  const added = [...now].filter(([name]) => !seeded.has(name)).map(([, item]) => item)
  await Table.removeAll(added, table)
  const changed = [...seeded].filter(([name, item]) => !isDeepStrictEqual(now.get(name), item))
  for (const [, item] of changed) await Table.put(item, {}, table)
}

/** The time at which every task begins, a Monday, so that dates in expected results are fixed. */
export const begunAt = Date.parse('2026-11-23T08:00:00Z')

/** Returns a clock that starts at `begunAt` and runs at normal speed. */
function begunClock(): Clock {
  const startedAt = performance.now()
  return { ...systemClock, now: () => Math.round(begunAt + performance.now() - startedAt) }
}
