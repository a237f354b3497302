import { randomUUID } from 'node:crypto'
import type { Write, WritePreview } from '../../../core/cms/cms.ts'
import { type Bench, type Check, expects, type Place, refused } from './bench.ts'

type Kind = Bench['capabilities']['writes'][number]

const has =
  (...kinds: Kind[]) =>
  ({ capabilities: { writes } }: Bench) =>
    kinds.every((kind) => writes.includes(kind))

/** The first of the writes that the CMS would make, with what it shows of it. */
async function possible(
  { cms, writer }: Bench,
  writes: Write[],
): Promise<{ write: Write; preview: WritePreview }> {
  for (const write of writes) {
    const preview = await cms.preview(writer, write, []).catch(refused)
    if (preview && preview.changes.length > 0) return { write, preview }
  }
  throw new Error(`None of these writes is possible: ${JSON.stringify(writes)}`)
}

/** Makes a write, and takes it back: the same write then changes the same again. */
async function thereAndBack(bench: Bench, { write, preview }: Awaited<ReturnType<typeof possible>>) {
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

const isRefused = async ({ cms, writer }: Bench, write: Write) =>
  expects(!(await cms.preview(writer, write, []).catch(refused)), 'Has to be refused', write)

const inAMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString()

const states = ({ capabilities }: Bench, { table, uid }: Place, more: { from?: string } = {}): Write[] =>
  capabilities.states.map((state) => ({ kind: 'state', table, uid, state, ...more }))

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
]
