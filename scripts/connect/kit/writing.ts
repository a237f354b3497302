import { randomUUID } from 'node:crypto'
import { type Bench, type Check, doneIn, expects, type Making } from './bench.ts'

const four = [1, 2, 3, 4]

/** How each put of a race ended: its state, and the version of the one that was made. */
export async function race(
  bench: Bench,
  making: (at: number) => Making & { change: Parameters<Bench['make']>[0] },
) {
  const asked = four.map(making)
  const [first] = asked
  const versions = (first && (await bench.show(first.change)))?.versions ?? []
  const answers = await Promise.all(
    asked.map(({ change, ...how }) =>
      bench
        .make(change, { versions, ...how })
        .catch((error: unknown) => ({ state: String(error), version: '' })),
    ),
  )
  return answers.map((answer) => [answer.state, 'version' in answer ? answer.version : ''])
}

/** Fails a check where not one alone of a race was made. */
export function expectsOne(ended: unknown[][]): void {
  const made = ended.filter(([state]) => state === 'done')
  expects(made.length === 1, 'One is made, the others are conflicts', ended)
}

/** Checks of changes: made once. */
export const writing: Check[] = [
  {
    name: 'a new record is a draft or hidden',
    capability: 'writing',
    async run({ read, record }) {
      expects((await read(await record()))?.hidden === true, 'The record has to be hidden')
    },
  },
  {
    name: 'a preview stores nothing and shows what the sanitizers leave',
    capability: 'preview',
    async run({ read, show, type, record, edit, make }) {
      const place = await record()
      const before = await read(place)
      const field = type.fields.find(({ kind }) => kind === 'html')?.name ?? type.text
      const change = edit(place, '<p onclick="x()">Kit</p><script>alert(1)</script>', field)
      const preview = await show(change)
      const after = await read(place)
      expects(before?.version === after?.version, 'The record is another after a preview', after)
      if (!preview) return
      await make(change, place)
      const stored = (await read(place))?.fields[field]
      const shown = preview.changes.find((one) => one.field === field)?.after
      expects(shown === stored, 'What was shown is not what was stored', { shown, stored })
    },
  },
  {
    name: 'a put answers the record as it was and as it is, and a known key the same',
    capability: 'writing',
    async run({ cms, writer, type, textOf, record, edit, make, show }) {
      const place = await record('Kit before')
      const [change, key] = [edit(place, 'Kit after'), randomUUID()]
      const versions = (await show(change))?.versions ?? []
      const first = doneIn(await make(change, { ...place, key, versions }))
      const again = await make(change, { ...place, key, versions })
      for (const answer of [first, again, await cms.settle(writer, { key })]) {
        const { before, after, version } = doneIn(answer)
        const texts = [before?.record?.fields[type.text], after.record?.fields[type.text]]
        expects(texts.join() === 'Kit before,Kit after', 'The text before and after', texts)
        expects(version === first.version, 'The answer is the same', answer)
      }
      expects((await textOf(place)) === 'Kit after', 'It is stored')
    },
  },
  {
    name: 'a put that changes nothing is done, and leaves the version as it is',
    capability: 'writing',
    async run({ read, record, edit, make }) {
      const place = await record('Kit same')
      const before = await read(place)
      const { version } = doneIn(await make(edit(place, 'Kit same'), place))
      expects(version === before?.version, 'The version is another', { before, version })
    },
  },
  {
    name: 'of four writes on one version one is done, the others are conflicts',
    capability: 'races',
    suits: ({ capabilities }) => capabilities.compareAndSet,
    async run(bench) {
      const place = await bench.record()
      expectsOne(await race(bench, (at) => ({ ...place, change: bench.edit(place, `Kit ${at}`) })))
    },
  },
  {
    name: 'four writes with one key have one outcome',
    capability: 'races',
    async run(bench) {
      const [place, key] = [await bench.record(), randomUUID()]
      const ended = await race(bench, () => ({ ...place, key, change: bench.edit(place, 'Kit raced') }))
      const isOne = new Set(ended.map(String)).size === 1 && ended[0]?.[0] === 'done'
      expects(isOne, 'All are the same', ended)
    },
  },
  {
    name: 'a write on an old version is a conflict',
    capability: 'writing',
    async run({ cms, writer, show, record, edit, make }) {
      const place = await record()
      const [change, late] = [edit(place, 'Kit first'), edit(place, 'Kit late')]
      const versions = (await show(late))?.versions ?? []
      await make(change, place)
      const answers = [
        await make(late, { ...place, versions }),
        await cms.put(writer, { put: late, dry: true, versions }),
      ]
      for (const answer of answers) expects(answer.state === 'conflict', 'Has to be a conflict', answer)
    },
  },
  {
    name: 'a key that was settled before its write is void for ever',
    capability: 'writing',
    async run({ cms, writer, record, edit, make }) {
      const [place, key] = [await record(), randomUUID()]
      expects((await cms.settle(writer, { key })).state === 'void', 'settle answers void')
      const late = await make(edit(place, 'Kit void'), { ...place, key })
      expects(late.state === 'void', 'The write answers void', late)
    },
  },
  {
    name: 'the history has the values before and after, and the turn',
    capability: 'history',
    suits: ({ capabilities }) => capabilities.history,
    async run({ cms, writer, type, record, edit, make }) {
      const { table, uid } = await record('Kit before')
      const run = `kit-${randomUUID()}`
      await make(edit({ table, uid }, 'Kit after'), { run })
      const entries = (await cms.history(writer, { table, uid, limit: 10 })) ?? []
      const entry = entries.find(({ correlationId }) => correlationId === run)
      const { before, after } = entry?.changes.find(({ field }) => field === type.text) ?? {}
      expects(before === 'Kit before' && after === 'Kit after', 'Before and after are there', entries)
    },
  },
  {
    name: 'a list with a part of another text keeps the ids of its parts',
    capability: 'parts',
    suits: ({ capabilities: { parts }, type }) =>
      parts && type.fields.some(({ kind, readOnly }) => kind === 'blocks' && !readOnly),
    async run(bench) {
      const { cms, writer, type, read } = bench
      const lists = type.fields.filter(({ kind, readOnly }) => kind === 'blocks' && !readOnly)
      const { records = [] } = (await cms.list(writer, { table: type.table, limit: 50, offset: 0 })) ?? {}
      for (const { fields } of records)
        for (const { name } of lists) {
          if (!Array.isArray(fields[name]) || fields[name].length === 0) continue
          const place = await bench.record()
          await bench.make(bench.edit(place, fields[name], name), place)
          const stored = (await read(place))?.fields[name] as { id?: unknown }[]
          expects(
            stored.every(({ id }) => Boolean(id)),
            'The parts have ids when they are stored',
            stored,
          )
          const removed = { field: name, act: 'remove' as const, at: String(stored[0]?.id) }
          await bench.make({ table: place.table, uid: place.uid, parts: [removed] }, place)
          const left = (await read(place))?.fields[name]
          const isSame = JSON.stringify(left) === JSON.stringify(stored.slice(1))
          return expects(isSame, 'The other parts are as they were', left)
        }
    },
  },
]
