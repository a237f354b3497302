import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'
import type { Actor } from '../../core/base/actor.ts'
import { ToolError } from '../../core/base/error.ts'
import { parsedJson } from '../../core/base/json.ts'
import type { Capabilities } from '../../core/cms/capabilities.ts'
import type { Cms, Place, Put, PutAnswer, RealPut } from '../../core/cms/cms.ts'
import { showPut } from '../../core/cms/preview.ts'
import { RecordId } from '../../core/conversation/schema.ts'
import type { WantedChange } from './task.ts'

/** A record that the evaluation has created, by the key of its put; the uid is null until the CMS has answered. */
const Belonging = z.object({ run: z.string(), table: z.string(), uid: RecordId.nullable() })
const Notes = z.record(z.string(), Belonging)
type Belonging = z.infer<typeof Belonging>

/** A record that could not be removed, and the reason. */
export type Leftover = Place & { why: string }

/** The state of the belongings: the records of the evaluation, and the refused changes. */
type Stock = {
  cms: Cms
  actor: Actor
  capabilities: Capabilities
  file: string
  all: Map<string, Belonging>
  tried: WantedChange[]
  isOver: boolean
}

export type Belongings = Awaited<ReturnType<typeof openBelongings>>

/**
 * Opens the belongings of an actor: the records that the evaluation creates in a CMS that others use, and later
 * removes. The evaluation changes no other record and publishes nothing. The file lists each record before it is
 * created: a later run can remove the records of a killed run.
 */
export async function openBelongings(cms: Cms, actor: Actor, file: string) {
  const [capabilities, all] = await Promise.all([cms.capabilities(), notesIn(file)])
  const stock: Stock = { cms, actor, capabilities, file, all, tried: [], isOver: false }
  let taking: Promise<Leftover[]> = Promise.resolve([])
  return {
    put: ((by, asked) =>
      'dry' in asked ? cms.put(by, asked) : putGuarded(stock, by, asked)) satisfies Cms['put'],
    /** Returns all records that exist now, oldest first. */
    places: () =>
      [...stock.all.values()].flatMap(({ table, uid }): Place[] => (uid === null ? [] : [{ table, uid }])),
    /** Returns the changes of other records that were refused since the last call. */
    refused: () => stock.tried.splice(0),
    /** Removes all records; returns those that could not be removed. After a call with `isLast`, no put is made. */
    takeBack(isLast = false) {
      stock.isOver ||= isLast
      taking = taking.then(() => takeAllBack(stock))
      return taking
    },
  }
}

async function putGuarded(stock: Stock, by: Actor, asked: RealPut): Promise<PutAnswer> {
  const { cms, file } = stock
  if (stock.isOver) throw new ToolError('The evaluation is over.')
  const why = objection(stock, asked.put)
  if (why) {
    stock.tried.push(changeOf(asked.put))
    throw new ToolError(why)
  }
  if (asked.put.uid !== null) return cms.put(by, asked)
  const { key, correlationId: run } = asked
  // A repeated put has the same key, so it creates only one record.
  const made = stock.all.get(key) ?? { run, table: asked.put.table, uid: null }
  stock.all.set(key, made)
  await keepNotes(file, stock.all)
  const answer = await cms.put(by, asked)
  if (answer.state === 'done') made.uid = answer.uid
  else stock.all.delete(key)
  await keepNotes(file, stock.all)
  return answer
}

async function takeAllBack(stock: Stock): Promise<Leftover[]> {
  const left: Leftover[] = []
  // Removes newest first, because the content of a page was created after the page.
  for (const [key, made] of [...stock.all].reverse()) {
    const why = await takeAway(stock, key, made).catch((error: unknown) =>
      String((error as Error)?.message ?? error),
    )
    if (why === undefined) stock.all.delete(key)
    else left.push({ table: made.table, uid: made.uid ?? `made with the key ${key}`, why })
  }
  await keepNotes(stock.file, stock.all)
  return left
}

/** Removes one record; returns the reason if that is impossible. */
async function takeAway(stock: Stock, key: string, made: Belonging): Promise<string | undefined> {
  const { cms, actor, capabilities } = stock
  if (made.uid === null) {
    // The answer to the put may be lost, so `settle` asks for its result. Afterwards, the key cannot create a record.
    const settled = await cms.settle(actor, { key })
    if (settled.state !== 'done' || settled.uid === null) return undefined
    made.uid = settled.uid
  }
  const place = { table: made.table, uid: made.uid }
  if (!(await cms.record(actor, place))) return undefined
  const put = wayOut(place, capabilities)
  if (!put) return 'the CMS takes back no record of this type'
  const { versions } = await showPut(cms, actor, put, [])
  const asked = { put, key: randomUUID(), correlationId: made.run, versions, now: Date.now() }
  const { state } = await cms.put(actor, asked)
  return state === 'done' ? undefined : 'it was changed at this moment'
}

/** Returns the put that removes a record, or moves it to the bin; undefined if the CMS supports neither. */
export function wayOut(place: Place, { writes }: Pick<Capabilities, 'writes'>): Put | undefined {
  if (writes.remove.includes(place.table)) return { ...place, remove: true }
  return writes.bin.includes(place.table) ? { ...place, bin: true } : undefined
}

/** Returns the reason, in a sentence, why the evaluation must not make a put; undefined if it may. */
function objection(stock: Stock, put: Put): string | undefined {
  const { table, uid, original, place } = put
  const isOwn = (id: unknown, of = table) =>
    stock.all.values().some(({ table, uid }) => table === of && uid !== null && String(uid) === String(id))
  const touched = [uid, original, place?.after || null].filter((id) => id !== null && id !== undefined)
  if (!touched.every((id) => isOwn(id))) return 'The evaluation changes only the records that it has made.'
  const isMoved = uid !== null && place?.pid !== undefined
  if (isMoved && !isOwn(place.pid, stock.capabilities.tree?.pages))
    return 'The evaluation moves records only to pages that it has made.'
  return shows(put, stock.capabilities) ? 'The evaluation publishes nothing.' : undefined
}

/** True if visitors may see the record after the put. */
function shows({ state, fields = {} }: Put, { publishing }: Capabilities): boolean {
  if (!publishing) return state !== undefined
  const value = Object.hasOwn(fields, publishing.field) ? fields[publishing.field] : true
  return (value !== publishing.draft && value !== true) || publishing.states.includes(state?.state ?? '')
}

const kindOf = (bin: boolean): WantedChange['kind'] => (bin ? 'binned' : 'restored')

/** Returns the change that a refused put would have made, for the judge. */
const changeOf = ({ table, uid, original, bin, fields, place, state }: Put): WantedChange => ({
  record: `${table}:${uid ?? original}`,
  kind: bin === undefined ? 'changed' : kindOf(bin),
  page: place?.pid ?? 0,
  fields: {
    ...fields,
    ...(place?.pid !== undefined && { page: place.pid }),
    ...(state && { state: state.state }),
  },
})

async function notesIn(file: string): Promise<Map<string, Belonging>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  return new Map(Object.entries(Notes.parse(parsedJson(text))))
}

async function keepNotes(file: string, all: Map<string, Belonging>): Promise<void> {
  if (all.size === 0) return rm(file, { force: true })
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(Object.fromEntries(all)))
}
