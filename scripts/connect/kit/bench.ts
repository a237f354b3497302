import { randomUUID } from 'node:crypto'
import type { Actor } from '../../../core/base/actor.ts'
import { ignoreRefusal } from '../../../core/base/error.ts'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import { type Change, planPut } from '../../../core/cms/change.ts'
import type { Cms, Place, PutAnswer, Versions } from '../../../core/cms/cms.ts'
import { previewChange, showPut } from '../../../core/cms/preview.ts'
import type { CmsRecord, Field } from '../../../core/cms/schema.ts'
import type { UserId } from '../../../core/cms/user-number/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { UsageError } from '../../command.ts'
import { type Undoing, undoing } from './undoing.ts'

/**
 * The check of one rule of the protocol on a CMS. `run` throws if the CMS breaks the rule, and throws NotTried if the
 * check is impossible.
 */
export type Check = {
  name: string
  capability: string
  /** True if the check applies to this CMS. */
  suits(bench: Bench): boolean
  run(bench: Bench): Promise<void>
}

type Sentences = Record<string, Check['run']>

/** Returns the checks of one capability; `all` has a function for each rule, by the sentence of the rule. */
export function checksOf(capability: string, suits: Check['suits'], all: Sentences): Check[] {
  return Object.entries(all).map(([name, run]) => ({ name, capability, suits, run }))
}

/** True for every CMS. */
export const always = (): boolean => true
/** Returns a test that is true if the CMS has the capability. */
export const supports = (capability: keyof Capabilities) => (bench: Bench) =>
  Boolean(bench.capabilities[capability])
/** True if there is a user with fewer rights. */
export const hasLimited = ({ limited }: Bench): boolean => limited !== undefined
/** Returns a test that is true if a put on the kit's records may have all of these members. */
export const mayPut =
  (...members: (keyof Capabilities['writes'])[]) =>
  (bench: Bench) =>
    members.every((member) => bench.capabilities.writes[member].includes(bench.type.table))
/** Returns the words with a random suffix, because a CMS may demand unique titles or addresses. */
export const newText = (words: string): string => `${words} ${randomUUID().slice(0, 8)}`
/** Returns the id of a new run of the kit. */
export const newRun = (): string => `kit-${randomUUID()}`
/** True if two values are the same as JSON. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Thrown if a check cannot be tried on this CMS or as this user; the message gives the reason. */
export class NotTried extends Error {}

/** The options of a put. Defaults: a new key, the current versions, and the writer as the user. */
export type Making = { run: string; key?: string; versions?: Versions; actor?: Actor }

/** The tools of a check on a CMS. */
export type Bench = ReturnType<typeof benchOn>

/** Throws an error with the sentence and the found value if `holds` is false. */
export function expects(holds: boolean, sentence: string, found?: unknown): asserts holds {
  if (holds) return
  const shown = found === undefined ? '' : `; found ${JSON.stringify(found)?.slice(0, 300)}`
  throw new Error(sentence + shown)
}

/** Throws if the text of a record differs from `text`. */
export async function expectsText({ textOf }: Bench, place: Place, text: string): Promise<void> {
  const now = await textOf(place)
  expects(now === text, `The text has to be "${text}"`, now)
}

/**
 * Creates a record with a text, and changes the text in a run. Returns the record's place, the run and both texts.
 */
export async function changeRecord({ record, edit, make }: Bench) {
  const [before, after] = [newText('Kit before'), newText('Kit after')]
  const { run: _, ...place } = await record(before)
  const run = newRun()
  await make(edit(place, after), { run })
  return { place, run, before, after }
}

/**
 * The CMS's ids of the users in whose name the kit acts. If `limited` is undefined, the kit chooses the limited user
 * from the CMS's list. `record` names a record, such as `articles:12`, for a CMS without drafts: the checks change this
 * record instead of their own.
 */
export type Users = { writer: UserId; limited: UserId | undefined; record?: string }

/** The users that the kit has chosen; `disabled` names the users that it skipped while it chose the limited user. */
export type KitUsers = { writer: Actor; limited: Actor | undefined; disabled: string[] }

/** The type of the records that checks make: its table, its fields, the uid of their page, and the text field. */
type RecordType = { table: string; pid: RecordId; fields: Field[]; text: string }

/** Opens a bench on a CMS; `close` takes back all changes, and returns the records that it could not take back. */
export async function openBench(cms: Cms, users: Users) {
  const whole = await cms.capabilities()
  const writer = await userNamed(cms, users.writer, 'user')
  const taken: KitUsers = { writer, ...(await limitedUser(cms, writer, users.limited)) }
  const named = await recordNamed(cms, whole, writer, users.record)
  const capabilities = named ? { ...whole, writes: { ...whole.writes, create: [] } } : whole
  const type = named?.type ?? (await typeOf(cms, capabilities, writer))
  const made: Made[] = named ? [{ place: named.place, runs: new Set() }] : []
  const bench = benchOn(undoing(cms), taken, { capabilities, type, named, made })
  return { bench, taken, close: () => takeBack(bench, made, named) }
}

/** The records of a bench: their type, the named record, and the records with the runs that changed them. */
type Stock = { capabilities: Capabilities; type: RecordType; named: Named | undefined; made: Made[] }

function benchOn(runs: Undoing, { writer, limited }: KitUsers, { capabilities, type, named, made }: Stock) {
  const { cms } = runs
  const read = ({ table, uid }: Place) => cms.record(writer, { table, uid })
  /** Returns a change of the record's text, or of another field. */
  const edit = ({ table, uid }: Place, value: unknown, field = type.text): Change => ({
    table,
    uid,
    fields: { [field]: value },
  })
  /** Previews and makes a change, as an approval does. */
  const make = async (change: Change, { run, key = randomUUID(), versions, actor = writer }: Making) => {
    const { put } = await planPut(cms, actor, change)
    const basis = versions ?? (await showPut(cms, actor, put, [])).versions
    const answer = await cms.put(actor, { put, key, correlationId: run, versions: basis, now: Date.now() })
    const touched = 'uid' in answer && made.find(({ place }) => place.uid === answer.uid)
    if (touched) touched.runs.add(run)
    return answer
  }
  return {
    cms,
    capabilities,
    /** The user who writes; an administrator also sees the log and the users. */
    writer,
    /** A user with fewer rights; undefined if there is none. */
    limited,
    type,
    /** Returns the record as the writer sees it; `textOf` returns the value of its text field. */
    read,
    textOf: async (place: Place) => (await read(place))?.fields[type.text],
    edit,
    /** Previews a change; returns undefined if it is refused. */
    show: (change: Change, actor = writer) => previewChange(cms, actor, change, []).catch(ignoreRefusal),
    make,
    /** Creates a record, and returns its place and its run. */
    async record(text = newText('Conformance')) {
      const run = newRun()
      const change = named ? edit(named.place, text) : draft(type, text)
      const { table, uid } = expectDone(await make(change, { run }))
      if (!named) made.push({ place: { table, uid }, runs: new Set([run]) })
      return { table, uid, run }
    },
    countUndoable: (run: string) => runs.countUndoable(writer, run),
    undo: (run: string) => runs.undo(writer, run, Date.now()),
  }
}

/** Undoes the changes, newest first, and returns the records that still exist or are not restored. */
async function takeBack(bench: Bench, made: Made[], named: Named | undefined): Promise<Place[]> {
  for (const { runs } of made.toReversed()) for (const run of [...runs].reverse()) await bench.undo(run)
  const left: Place[] = []
  for (const { place } of made) {
    const record = await bench.read(place)
    if (named ? !isSame(record?.fields, named.fields) : record) left.push(place)
  }
  return left
}

/** Returns the answer of a successful put, with its record; fails the check for any other answer. */
export function expectDone(answer: PutAnswer) {
  expects(answer.state === 'done' && answer.uid !== null, 'It is stored', answer)
  return { ...answer, uid: answer.uid }
}

/** Returns a change that creates a record, with a value for every required text field. */
export function draft({ table, pid, fields, text }: RecordType, value: unknown): Change {
  const filled = { ...fillRequired(fields, 'Conformance'), [text]: value }
  return { uid: null, table, place: { pid }, fields: filled }
}

/** Returns a text for every required text field of a new record. */
export const fillRequired = (fields: Field[], words: string): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter(({ required, readOnly, kind }) => required && !readOnly && /text|html/.test(kind))
      .map(({ name }) => [name, words]),
  )

/**
 * Returns the named user with fewer rights. Without a name, returns the last user of the list who is neither an
 * administrator nor disabled.
 */
async function limitedUser(
  cms: Cms,
  writer: Actor,
  id: UserId | undefined,
): Promise<Omit<KitUsers, 'writer'>> {
  if (id !== undefined) return { limited: await userNamed(cms, id, 'limited'), disabled: [] }
  const others = (await cms.users(writer)).filter((it) => !it.isAdmin)
  const last = others.findLast((it) => !it.disabled)
  const limited = last && (await cms.userNamed(String(last.uid)))
  return { limited, disabled: others.filter((it) => it.disabled).map((it) => it.username) }
}

/** Returns the user of an option. Throws UsageError if the CMS has no such user. */
async function userNamed(cms: Cms, id: UserId, option: string): Promise<Actor> {
  const user = await cms.userNamed(String(id))
  if (user) return user
  throw new UsageError(`There is no user ${id} who may log in; name another one with --${option}.`)
}

type Made = { place: Place; runs: Set<string> }
type Named = { place: Place; fields: CmsRecord['fields']; type: RecordType }

/** Returns the named record that the checks change, with its current values. */
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
    throw new UsageError(
      `The user ${writer.username} may not change a text of ${name}; name a record as articles:12.`,
    )
  const type = { table, pid: record.pid, fields: editable, text: field.name }
  return { place, fields: record.fields, type }
}

/** Returns the uids of the first pages that the actor may edit; 0 stands for no page. */
export async function editablePages(cms: Cms, actor: Actor): Promise<RecordId[]> {
  const tree = await cms.pageTree(actor, { root: 0, depth: 3, limit: 20 })
  return [0, ...tree.filter(({ mayEdit }) => mayEdit).map(({ uid }) => uid)]
}

/** Returns the first record type of which the writer may create drafts here. */
async function typeOf(cms: Cms, { writes }: Capabilities, writer: Actor): Promise<RecordType> {
  const tables = await cms.tables(writer)
  const pages = await editablePages(cms, writer)
  for (const table of writes.create) {
    const all = tables.find(({ name }) => name === table)?.fields ?? []
    const fields = all.filter(({ readOnly }) => !readOnly)
    const text = fields.find(({ kind }) => kind === 'text')?.name
    if (text === undefined) continue
    for (const pid of pages) {
      const type = { table, pid, fields, text }
      if (await previewChange(cms, writer, draft(type, 'Conformance'), []).catch(ignoreRefusal)) return type
    }
  }
  throw new UsageError(
    `The user ${writer.username} may make a record of none of these types: ${writes.create.join(', ') || 'none'}. Name another one with --user, or with --record a record that the checks change and put back, as --record articles:12.`,
  )
}
