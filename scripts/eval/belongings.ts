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

/** A record that the evaluation has created; the uid is null until the CMS has answered. */
const Belonging = z.object({
  key: z.string(),
  run: z.string(),
  table: z.string(),
  uid: RecordId.nullable(),
})
type Belonging = z.infer<typeof Belonging>

/** A record that could not be removed, and the reason. */
export type Leftover = Place & { why: string }

/** The state of the belongings: the records of the evaluation, and the refused changes. */
type Stock = {
  cms: Cms
  actor: Actor
  capabilities: Capabilities
  file: string
  all: Belonging[]
  tried: WantedChange[]
  isOver: boolean
}

export type Belongings = Awaited<ReturnType<typeof openBelongings>>

/**
 * Opens the belongings of an actor: the records that the evaluation creates in a CMS that others use, and later
 * removes. The evaluation changes no other record and publishes nothing. The file lists each record before it is
 * created, so that a later run can remove the records of a killed run.
 */
export async function openBelongings(cms: Cms, actor: Actor, file: string) {
  const [capabilities, all] = await Promise.all([cms.capabilities(), notesIn(file)])
  const stock: Stock = { cms, actor, capabilities, file, all, tried: [], isOver: false }
  let taking: Promise<Leftover[]> = Promise.resolve([])
  return {
    put: ((by, asked) =>
      'dry' in asked ? cms.put(by, asked) : putGuarded(stock, by, asked)) satisfies Cms['put'],
    /** Returns all records that exist now, oldest first. */
    places: () => stock.all.flatMap(({ table, uid }): Place[] => (uid === null ? [] : [{ table, uid }])),
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
  const made = stock.all.find((one) => one.key === key) ?? { key, run, table: asked.put.table, uid: null }
  if (!stock.all.includes(made)) stock.all.push(made)
  await keepNotes(file, stock.all)
  const answer = await cms.put(by, asked)
  if (answer.state === 'done') made.uid = answer.uid
  else stock.all = stock.all.filter((one) => one !== made)
  await keepNotes(file, stock.all)
  return answer
}

async function takeAllBack(stock: Stock): Promise<Leftover[]> {
  const left: Leftover[] = []
  // Removes newest first, because the content of a page was created after the page.
  for (const one of [...stock.all].reverse()) {
    const why = await takeAway(stock, one).catch((error: unknown) =>
      String((error as Error)?.message ?? error),
    )
    if (why === undefined) stock.all = stock.all.filter((other) => other !== one)
    else left.push({ table: one.table, uid: one.uid ?? `made with the key ${one.key}`, why })
  }
  await keepNotes(stock.file, stock.all)
  return left
}

/** Removes one record; returns the reason if that is impossible. */
async function takeAway({ cms, actor, capabilities }: Stock, one: Belonging): Promise<string | undefined> {
  // The answer to the put may be lost: `settled` asks the CMS for its result. After that, an unknown key cannot create
  // a record.
  one.uid ??= await settled(cms, actor, one.key)
  if (one.uid === null) return undefined
  const place = { table: one.table, uid: one.uid }
  if (!(await cms.record(actor, place))) return undefined
  const put = wayOut(place, capabilities)
  if (!put) return 'the CMS takes back no record of this type'
  const { versions } = await showPut(cms, actor, put, [])
  const asked = { put, key: randomUUID(), correlationId: one.run, versions, now: Date.now() }
  const { state } = await cms.put(actor, asked)
  return state === 'done' ? undefined : 'it was changed at this moment'
}

async function settled(cms: Cms, actor: Actor, key: string): Promise<RecordId | null> {
  const answer = await cms.settle(actor, { key })
  return answer.state === 'done' ? answer.uid : null
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
    stock.all.some((one) => one.table === of && one.uid !== null && String(one.uid) === String(id))
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

function kindOf(bin: boolean | undefined): WantedChange['kind'] {
  if (bin === undefined) return 'changed'
  return bin ? 'binned' : 'restored'
}

/** Returns the change that a refused put would have made, for the judge. */
const changeOf = ({ table, uid, original, bin, fields, place, state }: Put): WantedChange => ({
  record: `${table}:${uid ?? original}`,
  kind: kindOf(bin),
  page: place?.pid ?? 0,
  fields: {
    ...fields,
    ...(place?.pid !== undefined && { page: place.pid }),
    ...(state && { state: state.state }),
  },
})

async function notesIn(file: string): Promise<Belonging[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]'
    throw error
  })
  return z.array(Belonging).parse(parsedJson(text))
}

async function keepNotes(file: string, all: Belonging[]): Promise<void> {
  if (all.length === 0) return rm(file, { force: true })
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(all))
}
