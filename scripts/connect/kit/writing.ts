import { randomUUID } from 'node:crypto'
import type { Write } from '../../../core/cms/cms.ts'
import { type Bench, type Check, expects, type Place, refused } from './bench.ts'

const four = [1, 2, 3, 4]

/** How each write of a race ended, in order of the alphabet. */
async function race(
  bench: Bench,
  place: Place & { run: string },
  keyOf: (at: number) => string,
  textOf: (at: number) => string,
) {
  const { versions } = await bench.cms.preview(bench.writer, bench.edit(place, 'Kit'), [])
  const outcomes = await Promise.all(
    four.map((at) =>
      bench.cms.write(bench.writer, bench.edit(place, textOf(at)), {
        key: keyOf(at),
        correlationId: place.run,
        versions,
        now: Date.now(),
      }),
    ),
  )
  return outcomes.map((outcome) => [outcome.state, 'version' in outcome ? outcome.version : ''])
}

/** What is changed, once, and taken back. */
export const writing: Check[] = [
  {
    name: 'a new record is a draft or hidden',
    capability: 'writing',
    async run({ cms, writer, record }) {
      const { table, uid } = await record()
      expects((await cms.record(writer, table, uid))?.hidden === true, 'The record has to be hidden')
    },
  },
  {
    name: 'a preview stores nothing and shows what the sanitizers leave',
    capability: 'preview',
    async run({ cms, writer, type, record, edit, make }) {
      const place = await record()
      const before = await cms.record(writer, place.table, place.uid)
      const field = type.fields.find(({ kind }) => kind === 'html')?.name ?? type.text
      const write = edit(place, '<p onclick="x()">Kit</p><script>alert(1)</script>', field)
      const preview = await cms.preview(writer, write, []).catch(refused)
      const after = await cms.record(writer, place.table, place.uid)
      expects(before?.version === after?.version, 'The record is another after a preview', after)
      if (!preview) return
      await make(write, place.run)
      const stored = (await cms.record(writer, place.table, place.uid))?.fields[field]
      const shown = preview.changes.find((change) => change.field === field)?.after
      expects(shown === stored, 'What was shown is not what was stored', { shown, stored })
    },
  },
  {
    name: 'a write with a known key is answered as before and stores nothing',
    capability: 'writing',
    async run({ cms, writer, record, edit }) {
      const place = await record()
      const write = edit(place, 'Kit once')
      const { versions } = await cms.preview(writer, write, [])
      const options = { key: randomUUID(), correlationId: place.run, versions, now: Date.now() }
      const first = await cms.write(writer, write, options)
      const again = await cms.write(writer, write, options)
      const settled = await cms.settle(writer, options.key)
      expects(first.state === 'done', 'The first is done', first)
      for (const outcome of [again, settled])
        expects(
          outcome.state === 'done' && outcome.version === first.version,
          'The outcome is the same',
          outcome,
        )
      expects((await cms.record(writer, place.table, place.uid))?.version === first.version, 'Stored once')
    },
  },
  {
    name: 'of four writes on one version one is done, the others are conflicts',
    capability: 'races',
    suits: ({ capabilities }) => capabilities.compareAndSet,
    async run(bench) {
      const states = (
        await race(
          bench,
          await bench.record(),
          () => randomUUID(),
          (at) => `Kit ${at}`,
        )
      )
        .map(([state]) => state)
        .sort()
      expects(states.join() === 'conflict,conflict,conflict,done', 'One done, three conflicts', states)
    },
  },
  {
    name: 'four writes with one key have one outcome',
    capability: 'races',
    async run(bench) {
      const key = randomUUID()
      const outcomes = await race(
        bench,
        await bench.record(),
        () => key,
        () => 'Kit raced',
      )
      expects(
        new Set(outcomes.map(String)).size === 1 && outcomes[0]?.[0] === 'done',
        'All are the same',
        outcomes,
      )
    },
  },
  {
    name: 'a write on an old version is a conflict',
    capability: 'writing',
    async run({ cms, writer, record, edit, make }) {
      const place = await record()
      const { versions } = await cms.preview(writer, edit(place, 'Kit late'), [])
      await make(edit(place, 'Kit first'), place.run)
      const options = { key: randomUUID(), correlationId: place.run, versions, now: Date.now() }
      const late = await cms.write(writer, edit(place, 'Kit late'), options)
      expects(late.state === 'conflict', 'Has to be a conflict', late)
    },
  },
  {
    name: 'a key that was settled before its write is void for ever',
    capability: 'writing',
    async run({ cms, writer, record, edit }) {
      const place = await record()
      const { versions } = await cms.preview(writer, edit(place, 'Kit void'), [])
      const options = { key: randomUUID(), correlationId: place.run, versions, now: Date.now() }
      expects((await cms.settle(writer, options.key)).state === 'void', 'settle answers void')
      const late = await cms.write(writer, edit(place, 'Kit void'), options)
      expects(late.state === 'void', 'The write answers void', late)
    },
  },
  {
    name: 'the history has the values before and after, and the turn',
    capability: 'history',
    suits: ({ capabilities }) => capabilities.history,
    async run({ cms, writer, type, record, edit, make }) {
      const place = await record('Kit before')
      const run = `kit-${randomUUID()}`
      await make(edit(place, 'Kit after'), run)
      const entries = (await cms.history(writer, place.table, place.uid, 10)) ?? []
      const entry = entries.find(({ correlationId }) => correlationId === run)
      const change = entry?.changes.find(({ field }) => field === type.text)
      expects(
        change?.before === 'Kit before' && change.after === 'Kit after',
        'Before and after are there',
        entries,
      )
    },
  },
  {
    name: 'a passage that is there once is replaced, and no other',
    capability: 'edits',
    suits: ({ capabilities }) => capabilities.edits,
    async run({ cms, writer, type, record, make }) {
      const { table, uid, run } = await record('Kit one, kit two, kit two')
      const edit = (find: string, replace: string): Write => {
        const edits = [{ field: type.text, find, replace }]
        return { kind: 'update', table, uid, fields: {}, edits }
      }
      await make(edit('one', '$& \\0 $1'), run)
      const now = (await cms.record(writer, table, uid))?.fields[type.text]
      expects(now === 'Kit $& \\0 $1, kit two, kit two', 'The passage alone is another', now)
      for (const find of ['kit two', 'kit three', 'KIT'])
        expects(!(await cms.preview(writer, edit(find, 'x'), []).catch(refused)), `Has to refuse ${find}`)
    },
  },
]
