import { randomUUID } from 'node:crypto'
import type { Actor } from '../../../core/base/actor.ts'
import { ToolError } from '../../../core/base/error.ts'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import { type Change, planPut } from '../../../core/cms/change.ts'
import type { Cms, Place, PutAnswer, UndoResult, Versions } from '../../../core/cms/cms.ts'
import { type PutPreview, previewChange, showPut } from '../../../core/cms/preview.ts'
import type { CmsRecord, Field } from '../../../core/cms/schema.ts'
import type { UserId } from '../../../core/cms/user-number/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { undoing } from './undoing.ts'

/**
 * One sentence of the port, checked on a CMS. `run` throws if the CMS breaks it, and throws NotTried if the check is
 * impossible.
 */
export type Check = {
  name: string
  capability: string
  /** True if the check applies to this CMS. */
  suits(bench: Bench): boolean
  run(bench: Bench): Promise<void>
}

type Sentences = Record<string, Check['run']>

/** Checks of one capability by their sentences. */
export function checksOf(capability: string, suits: Check['suits'], all: Sentences): Check[] {
  return Object.entries(all).map(([name, run]) => ({ name, capability, suits, run }))
}

/** Suits every CMS. */
export const always = (): boolean => true
/** The CMS has this capability. */
export const can = (capability: keyof Capabilities) => (bench: Bench) =>
  Boolean(bench.capabilities[capability])
/** There is a user with fewer rights. */
export const hasLimited = ({ limited }: Bench): boolean => limited !== undefined
/** A put on the kit's records may have these members. */
export const mayPut =
  (...members: (keyof Capabilities['writes'])[]) =>
  (bench: Bench) =>
    members.every((member) => bench.capabilities.writes[member].includes(bench.type.table))
/** Words that no other record has: a title, or what an address is made of, may have to be unique. */
export const newText = (words: string): string => `${words} ${randomUUID().slice(0, 8)}`
/** The name of a run of the kit. */
export const newRun = (): string => `kit-${randomUUID()}`
/** True if two values are the same as JSON. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Why one check cannot be tried on this CMS or as this user, in words. */
export class NotTried extends Error {}

/** Why no check can be made at all, in a sentence for the person who called. */
export class Unready extends Error {}

/** How a put is made: absent are a key of its own, the versions as they are, and the user who writes. */
export type Making = { run: string; key?: string; versions?: Versions; actor?: Actor }

/** The tools of a check. It takes back at its end whatever it made. */
export type Bench = {
  cms: Cms
  capabilities: Capabilities
  /** Writes; administrators see log and users. */
  writer: Actor
  /** A user with fewer rights; undefined: there is none. */
  limited: Actor | undefined
  /** The type of the records that checks make, the uid of their page, and the name of their text field. */
  type: { table: string; pid: RecordId; fields: Field[]; text: string }
  /** A new record with its run. */
  record(text?: string): Promise<Place & { run: string }>
  /** The record as the writer sees it, and the value of its text. */
  read(place: Place): Promise<CmsRecord | undefined>
  textOf(place: Place): Promise<unknown>
  /** A change of the record's text, or of another field. */
  edit(place: Place, text: unknown, field?: string): Change
  /** Shows a change; undefined: it is refused. */
  show(change: Change, actor?: Actor): Promise<PutPreview | undefined>
  /** Shows and makes a change, as an approval does. */
  make(change: Change, making: Making): Promise<PutAnswer>
  changesOf(run: string): Promise<number>
  undo(run: string): Promise<UndoResult>
}

/** Fails a check with what was found. */
export function expects(holds: boolean, sentence: string, found?: unknown): asserts holds {
  if (holds) return
  const shown = found === undefined ? '' : `; found ${JSON.stringify(found)?.slice(0, 300)}`
  throw new Error(sentence + shown)
}

/** Fails a check where the text of a record is another one. */
export async function expectsText({ textOf }: Bench, place: Place, text: string): Promise<void> {
  const now = await textOf(place)
  expects(now === text, `The text has to be "${text}"`, now)
}

/** A record with a text that a run has changed. */
export async function changed({ record, edit, make }: Bench) {
  const [before, after] = [newText('Kit before'), newText('Kit after')]
  const { run: _, ...place } = await record(before)
  const run = newRun()
  await make(edit(place, after), { run })
  return { place, run, before, after }
}

/**
 * The ids of the CMS users that a kit acts as; without `limited`, the kit chooses one from the CMS's list of users. `record`
 * names a record, as `articles:12`, that the checks change instead of their own, for a CMS without drafts.
 */
export type Users = { writer: UserId; limited: UserId | undefined; record?: string }

/** The users that a kit has chosen; `disabled` names the users that it skipped on its way to the limited one. */
export type Taken = Pick<Bench, 'writer' | 'limited'> & { disabled: string[] }

type Opened = { bench: Bench; taken: Taken; close(): Promise<Place[]> }

/** Opens a bench on a CMS; `close` removes all of its records and answers those that it could not remove. */
export async function openBench(cms: Cms, users: Users): Promise<Opened> {
  const whole = await cms.capabilities()
  const writer = await cms.userNamed(String(users.writer))
  if (!writer) throw noUser(users.writer, 'user')
  const taken = { writer, ...(await limitedUser(cms, writer, users.limited)) }
  const named = await recordNamed(cms, whole, writer, users.record)
  const capabilities = named ? { ...whole, writes: { ...whole.writes, create: [] } } : whole
  const type = named?.type ?? (await typeOf(cms, capabilities, writer))
  const made: Made[] = named ? [{ place: named.place, runs: new Set() }] : []
  const runs = undoing(cms)
  const read: Bench['read'] = ({ table, uid }) => cms.record(writer, { table, uid })

  const bench: Bench = {
    cms: runs.cms,
    capabilities,
    writer,
    limited: taken.limited,
    type,
    read,
    textOf: async (place) => (await read(place))?.fields[type.text],
    edit: ({ table, uid }, text, field = type.text) => ({ table, uid, fields: { [field]: text } }),
    show: (change, actor = writer) => previewChange(cms, actor, change, []).catch(refused),
    async make(change, { run, key = randomUUID(), versions, actor = writer }) {
      const { put } = await planPut(cms, actor, change)
      const basis = versions ?? (await showPut(cms, actor, put, [])).versions
      const asked = { put, key, correlationId: run, versions: basis, now: Date.now() }
      const answer = await runs.cms.put(actor, asked)
      const touched = 'uid' in answer && made.find(({ place }) => place.uid === answer.uid)
      if (touched) touched.runs.add(run)
      return answer
    },
    async record(text = newText('Conformance')) {
      const run = newRun()
      const change = named ? bench.edit(named.place, text) : draft(type, text)
      const { table, uid } = doneIn(await bench.make(change, { run }))
      if (!named) made.push({ place: { table, uid }, runs: new Set([run]) })
      return { table, uid, run }
    },
    changesOf: (run) => runs.changesOf(writer, run),
    undo: (run) => runs.undo(writer, run, Date.now()),
  }
  return { bench, taken, close: () => takeBack(bench, made, named) }
}

/** Takes back what was made, the last one first, and answers the records that are not gone, or not as they were. */
async function takeBack(bench: Bench, made: Made[], named: Named | undefined): Promise<Place[]> {
  for (const { runs } of made.toReversed()) for (const run of [...runs].reverse()) await bench.undo(run)
  const left: Place[] = []
  for (const { place } of made) {
    const record = await bench.read(place)
    if (named ? !isSame(record?.fields, named.fields) : record) left.push(place)
  }
  return left
}

/** The answer to a put that was made, with its record; fails a check for any other. */
export function doneIn(answer: PutAnswer) {
  expects(answer.state === 'done' && answer.uid !== null, 'It is stored', answer)
  return { ...answer, uid: answer.uid }
}

/** A new record with every field that has to have a value. */
export function draft({ table, pid, fields, text }: Bench['type'], value: unknown): Change {
  const needed = fields.filter(
    ({ required, name, kind }) => required && name !== text && /text|html/.test(kind),
  )
  const values = Object.fromEntries(needed.map(({ name }) => [name, 'Conformance']))
  return { uid: null, table, place: { pid }, fields: { ...values, [text]: value } }
}

/** The user with fewer rights who is named, else the last one of the list who is neither an administrator nor disabled. */
async function limitedUser(cms: Cms, writer: Actor, id: UserId | undefined): Promise<Omit<Taken, 'writer'>> {
  if (id !== undefined) {
    const limited = await cms.userNamed(String(id))
    if (!limited) throw noUser(id, 'limited')
    return { limited, disabled: [] }
  }
  const others = (await cms.users(writer)).filter((it) => !it.isAdmin)
  const last = others.findLast((it) => !it.disabled)
  const limited = last && (await cms.userNamed(String(last.uid)))
  return { limited, disabled: others.filter((it) => it.disabled).map((it) => it.username) }
}

function noUser(id: UserId, option: string): Unready {
  return new Unready(`There is no user ${id} who may log in; name another one with --${option}.`)
}

type Made = { place: Place; runs: Set<string> }
type Named = { place: Place; fields: CmsRecord['fields']; type: Bench['type'] }

/** The record that is named for the checks to change, as it is. */
async function recordNamed(
  cms: Cms,
  { ids }: Capabilities,
  writer: Actor,
  name: string | undefined,
): Promise<Named | undefined> {
  if (name === undefined) return undefined
  const [, table = '', text = ''] = /^(.+):(.+)$/.exec(name) ?? []
  const place = { table, uid: ids === 'number' ? Number(text) || 0 : text }
  const record = await cms.record(writer, place)
  const fields = (await cms.tables(writer)).find((it) => it.name === table)?.fields ?? []
  const editable = fields.filter(({ readOnly }) => !readOnly)
  const field = editable.find(({ kind }) => kind === 'text')
  if (!record?.mayEdit || !field)
    throw new Unready(
      `The user ${writer.username} may not change a text of ${name}; name a record as articles:12.`,
    )
  return {
    place,
    fields: record.fields,
    type: { table, pid: record.pid, fields: editable, text: field.name },
  }
}

/** The first type of drafts that the writer may make here. */
async function typeOf(cms: Cms, { writes }: Capabilities, writer: Actor): Promise<Bench['type']> {
  const tables = await cms.tables(writer)
  const pages = await cms.pageTree(writer, { root: 0, depth: 3, limit: 20 })
  const places = [0, ...pages.filter(({ mayEdit }) => mayEdit).map(({ uid }) => uid)]
  for (const name of writes.create) {
    const fields =
      tables.find((table) => table.name === name)?.fields.filter(({ readOnly }) => !readOnly) ?? []
    const text = fields.find(({ kind }) => kind === 'text')?.name
    for (const pid of text === undefined ? [] : places) {
      const type = { table: name, pid, fields, text: text as string }
      if (await previewChange(cms, writer, draft(type, 'Conformance'), []).catch(() => undefined)) return type
    }
  }
  throw new Unready(
    `The user ${writer.username} may make a record of none of these types: ${writes.create.join(', ') || 'none'}. Name another one with --user, or with --record a record that the checks change and put back, as --record articles:12.`,
  )
}

/** A refusal for the model is a good answer; anything else is thrown on. */
export function refused(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error
}
