import { randomUUID } from 'node:crypto'
import type { Write, WritePreview } from '../../../core/cms/cms.ts'
import { ToolError } from '../../../core/error.ts'
import { type Bench, type Check, expects, NotTried, type Place, refused } from './bench.ts'

type Kind = Bench['capabilities']['writes'][number]
type Possible = { write: Write; preview: WritePreview }

const has =
  (...kinds: Kind[]) =>
  ({ capabilities: { writes } }: Bench) =>
    kinds.every((kind) => writes.includes(kind))

/**
 * The first of the writes that the CMS would make, with what it shows of it. Throws NotTried where there is none for a user who
 * is no administrator, and one was refused: such a user may lack the right, and the others change nothing.
 */
export async function possible({ cms, writer }: Bench, writes: Write[]): Promise<Possible> {
  const refusals: string[] = []
  for (const write of writes) {
    const preview = await cms.preview(writer, write, []).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error
      refusals.push(error.message)
    })
    if (preview && preview.changes.length > 0) return { write, preview }
  }
  if (!writer.isAdmin && refusals.length > 0) throw new NotTried(`${writer.username} may not: ${refusals[0]}`)
  throw new Error(`None of these writes is possible: ${JSON.stringify(writes)}`)
}

/** Makes a write, and takes it back: the same write then changes the same again. */
export async function thereAndBack(bench: Bench, { write, preview }: Possible) {
  const { cms, writer, make } = bench
  const run = `kit-${randomUUID()}`
  const outcome = await make(write, run)
  expects(outcome.state === 'done', 'It is stored', outcome)
  const again = await cms.preview(writer, write, []).catch(refused)
  expects(!again || again.changes.length === 0, 'The same write has nothing left to change', again)
  const { undone, conflicts } = await cms.undo(writer, run, Date.now())
  expects(undone.length === 1, 'It is taken back', conflicts)
  const { changes } = await cms.preview(writer, write, [])
  expects(JSON.stringify(changes) === JSON.stringify(preview.changes), 'It is as before', {
    before: preview.changes,
    now: changes,
  })
}

/** Fails a check where the CMS would make a write. */
export const isRefused = async ({ cms, writer }: Bench, write: Write) =>
  expects(!(await cms.preview(writer, write, []).catch(refused)), 'Has to be refused', write)

const inAMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString()

const states = ({ capabilities }: Bench, { table, uid }: Place, more: { from?: string } = {}): Write[] =>
  capabilities.states.map((state) => ({ kind: 'state', table, uid, state, ...more }))

/** Whether the records of the kit have texts that can be translated. */
const translates = (bench: Bench) =>
  has('translate')(bench) &&
  bench.capabilities.locales !== 'none' &&
  bench.type.fields.some(({ name, translated }) => name === bench.type.text && translated)

/** A translation of all texts of a record into the second language of the site. */
async function translationOf({ cms, writer, type }: Bench, { table, uid }: Place): Promise<Write> {
  const [record, languages] = await Promise.all([cms.record(writer, table, uid), cms.languages()])
  const said = type.fields.filter(
    ({ name, translated, kind }) => translated && record?.fields[name] && /text|html/.test(kind),
  )
  const fields = Object.fromEntries(said.map(({ name }) => [name, `Kit ${randomUUID()}`]))
  return { kind: 'translate', table, uid, locale: languages[1]?.locale ?? '', fields }
}

/** The kinds of write that a CMS has or has not. */
export const kinds: Check[] = [
  {
    name: 'a record is given another state, and undo gives the old one back',
    capability: 'state',
    suits: has('state'),
    async run(bench) {
      await thereAndBack(bench, await possible(bench, states(bench, await bench.record())))
    },
  },
  {
    name: 'a state that is none is refused',
    capability: 'state',
    suits: has('state'),
    async run(bench) {
      const { table, uid } = await bench.record()
      await isRefused(bench, { kind: 'state', table, uid, state: 'no such state' })
    },
  },
  {
    name: 'a record is planned for a time, and undo ends the plan',
    capability: 'schedule',
    suits: has('state', 'schedule'),
    async run(bench) {
      const place = await bench.record()
      await thereAndBack(bench, await possible(bench, states(bench, place, { from: inAMonth() })))
    },
  },
  {
    name: 'a record is moved before the others of its page, and undo moves it back',
    capability: 'move',
    suits: has('move'),
    async run(bench) {
      await bench.record()
      const { table, uid } = await bench.record()
      await thereAndBack(bench, await possible(bench, [{ kind: 'move', table, uid, after: 0 }]))
    },
  },
  {
    name: 'a move to what is not there is refused',
    capability: 'move',
    suits: has('move'),
    async run(bench) {
      const { table, uid } = await bench.record()
      await isRefused(bench, { kind: 'move', table, uid, pid: 999_999_999 })
      await isRefused(bench, { kind: 'move', table, uid, after: 999_999_999 })
    },
  },
  {
    name: 'an earlier version is restored by the name that the history gives it',
    capability: 'restore',
    suits: has('restore'),
    async run(bench) {
      const { cms, writer, type, record, edit, make } = bench
      const place = await record('Kit before')
      const run = `kit-${randomUUID()}`
      await make(edit(place, 'Kit between'), run)
      const [latest] = (await cms.history(writer, place.table, place.uid, 5)) ?? []
      await make(edit(place, 'Kit after'), run)
      const { revision = '' } = latest ?? {}
      expects(revision !== '', 'The latest change names no version', latest)
      const write = { kind: 'restore' as const, table: place.table, uid: place.uid, revision }
      await thereAndBack(bench, await possible(bench, [write]))
      await make(write, `kit-${randomUUID()}`)
      const now = (await cms.record(writer, place.table, place.uid))?.fields[type.text]
      expects(now === 'Kit between', 'The value of that version is back', now)
      await isRefused(bench, { ...write, revision: 'no-such-version' })
    },
  },
  {
    name: 'a translation is shown beside its original, which stays as it is, and undo takes it back',
    capability: 'translate',
    suits: translates,
    async run(bench) {
      const { cms, writer, type } = bench
      const place = await bench.record('Kit original')
      const write = await translationOf(bench, place)
      const translation = await possible(bench, [write])
      const { changes } = translation.preview
      expects(
        changes.some(({ original }) => original === 'Kit original'),
        'What the original says is shown',
        changes,
      )
      await thereAndBack(bench, translation)
      await bench.make(write, place.run)
      const original = await cms.record(writer, place.table, place.uid)
      expects(original?.fields[type.text] === 'Kit original', 'The original is as it was', original)
    },
  },
  {
    name: 'a translation into what is no other language is refused',
    capability: 'translate',
    suits: translates,
    async run(bench) {
      const [own] = await bench.cms.languages()
      const write = await translationOf(bench, await bench.record())
      for (const locale of ['no-such-locale', own?.locale ?? ''])
        await isRefused(bench, { ...write, locale } as Write)
    },
  },
]
