import { randomUUID } from 'node:crypto'
import type { Actor } from '../../../core/actor.ts'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import type { Cms, Write, WriteOutcome } from '../../../core/cms/cms.ts'
import type { Field } from '../../../core/cms/schema.ts'
import type { RecordId } from '../../../core/conversation/schema.ts'
import { ToolError } from '../../../core/error.ts'
import type { UserId } from '../../../core/user-number/schema.ts'

/** One sentence of the port, tried on a CMS. `run` throws where the CMS breaks it, and NotTried where it cannot be tried. */
export type Check = {
  name: string
  capability: string
  /** Whether this CMS can be tried; absent: every CMS can. */
  suits?(bench: Bench): boolean
  run(bench: Bench): Promise<void>
}

/** Why one check cannot be tried on this CMS or as this user, in words. */
export class NotTried extends Error {}

/** Why no check can be made at all, in a sentence for the person who called. */
export class Unready extends Error {}

export type Place = { table: string; uid: RecordId }

/** What a check has to try a CMS with. What is made here is taken back at the end. */
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
  /** A change of the record's text. */
  edit(place: Place, text: unknown, field?: string): Write
  /** Previews and writes, as an approval does. */
  make(write: Write, run: string, key?: string): Promise<WriteOutcome>
}

/** Fails a check with what was found. */
export function expects(holds: boolean, sentence: string, found?: unknown): asserts holds {
  if (holds) return
  throw new Error(
    found === undefined ? sentence : `${sentence}; found ${JSON.stringify(found)?.slice(0, 300)}`,
  )
}

/** The users whom a kit tries a CMS as, by the ids that the CMS has; without `limited`, one of its list of users. */
export type Users = { writer: UserId; limited: UserId | undefined }

/** The users whom a kit takes; `disabled` are those of the list who were passed over for the limited one, by name. */
export type Taken = Pick<Bench, 'writer' | 'limited'> & { disabled: string[] }

/** A bench on a CMS; `close` takes back all that was made and answers what it could not. */
export async function openBench(
  cms: Cms,
  users: Users,
): Promise<{ bench: Bench; taken: Taken; close(): Promise<Place[]> }> {
  const capabilities = await cms.capabilities()
  const writer = await cms.userNamed(String(users.writer))
  if (!writer) throw noUser(users.writer, 'user')
  const taken = { writer, ...(await limitedUser(cms, writer, users.limited)) }
  const type = await typeOf(cms, capabilities, writer)
  const made: { place: Place; runs: Set<string> }[] = []

  const make: Bench['make'] = async (write, run, key = randomUUID()) => {
    const { versions } = await cms.preview(writer, write, [])
    const outcome = await cms.write(writer, write, { key, correlationId: run, versions, now: Date.now() })
    const touched = 'uid' in outcome && made.find(({ place }) => place.uid === outcome.uid)
    if (touched) touched.runs.add(run)
    return outcome
  }
  const bench: Bench = {
    cms,
    capabilities,
    writer,
    limited: taken.limited,
    type,
    make,
    edit: ({ table, uid }, text, field = type.text) => ({
      kind: 'update',
      table,
      uid,
      fields: { [field]: text },
    }),
    async record(text = `Conformance ${randomUUID()}`) {
      const run = `kit-${randomUUID()}`
      const outcome = await make(draft(type, text), run)
      expects(outcome.state === 'done', 'A new record is made', outcome)
      const place = { table: outcome.table, uid: outcome.uid }
      made.push({ place, runs: new Set([run]) })
      return { ...place, run }
    },
  }
  const close = async () => {
    for (const { runs } of made.reverse())
      for (const run of [...runs].reverse()) await cms.undo(writer, run, Date.now())
    const left: Place[] = []
    for (const { place } of made) {
      if (await cms.record(writer, place.table, place.uid)) left.push(place)
    }
    return left
  }
  return { bench, taken, close }
}

/** A new record with every field that has to have a value. */
export function draft({ table, pid, fields, text }: Bench['type'], value: unknown): Write {
  const needed = fields.filter(
    ({ required, name, kind }) => required && name !== text && /text|html/.test(kind),
  )
  return {
    kind: 'create',
    table,
    pid,
    fields: { ...Object.fromEntries(needed.map(({ name }) => [name, 'Conformance'])), [text]: value },
  }
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

/** The first type of drafts that the writer may make here. */
async function typeOf(cms: Cms, { drafts }: Capabilities, writer: Actor): Promise<Bench['type']> {
  const tables = await cms.tables(writer)
  const pages = await cms.pageTree(writer, { root: 0, depth: 3, limit: 20 })
  const places = [0, ...pages.filter(({ mayEdit }) => mayEdit).map(({ uid }) => uid)]
  for (const name of drafts) {
    const fields =
      tables.find((table) => table.name === name)?.fields.filter(({ readOnly }) => !readOnly) ?? []
    const text = fields.find(({ kind }) => kind === 'text')?.name
    for (const pid of text === undefined ? [] : places) {
      const type = { table: name, pid, fields, text: text as string }
      const works = await cms.preview(writer, draft(type, 'Conformance'), []).then(
        () => true,
        () => false,
      )
      if (works) return type
    }
  }
  throw new Unready(
    `The user ${writer.username} may make a record of none of these types: ${drafts.join(', ')}. Name another one with --user.`,
  )
}

/** A refusal for the model is a good answer; anything else is thrown on. */
export function refused(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error
}
