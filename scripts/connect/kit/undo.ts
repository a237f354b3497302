import { randomUUID } from 'node:crypto'
import { type Check, expects } from './bench.ts'

/** What is taken back: by the CMS, or where it has no undo, by writes of the stage. */
export const undo: Check[] = [
  {
    name: 'undo puts back what was there, and nothing more when asked again',
    capability: 'undo',
    async run({ cms, writer, type, record, edit, make }) {
      const place = await record('Kit before')
      const run = `kit-${randomUUID()}`
      await make(edit(place, 'Kit after'), run)
      expects((await cms.changesOf(writer, run)) === 1, 'One change can be taken back')
      const first = await cms.undo(writer, run, Date.now())
      const again = await cms.undo(writer, run, Date.now())
      expects(first.undone.length === 1 && first.conflicts.length === 0, 'It is undone', first)
      expects(again.undone.length === 0, 'Nothing more is undone', again)
      const now = (await cms.record(writer, place.table, place.uid))?.fields[type.text]
      expects(now === 'Kit before', 'The value is back', now)
    },
  },
  {
    name: 'a write says what it found and what it left, also when it is asked for again',
    capability: 'undo',
    suits: ({ capabilities }) => !capabilities.undo,
    async run({ cms, writer, type, record, edit }) {
      const place = await record('Kit before')
      const write = edit(place, 'Kit after')
      const { versions } = await cms.preview(writer, write, [])
      const options = { key: randomUUID(), correlationId: place.run, versions, now: Date.now() }
      for (const ask of [
        () => cms.write(writer, write, options),
        () => cms.write(writer, write, options),
        () => cms.settle(writer, options.key),
      ]) {
        const outcome = await ask()
        const [before, after] = outcome.state === 'done' ? [outcome.before, outcome.after] : []
        expects(
          before?.fields?.[type.text] === 'Kit before' && after?.fields?.[type.text] === 'Kit after',
          'The outcome has the text before and after',
          outcome,
        )
      }
    },
  },
  {
    name: 'two undos at the same time take back a change once',
    capability: 'undo',
    suits: ({ capabilities }) => !capabilities.undo,
    async run({ cms, writer, type, record, edit, make }) {
      const place = await record('Kit before')
      const run = `kit-${randomUUID()}`
      await make(edit(place, 'Kit after'), run)
      const results = await Promise.all([1, 2].map(() => cms.undo(writer, run, Date.now())))
      expects(results.flatMap(({ undone }) => undone).length === 1, 'One of them takes it back', results)
      expects(
        results.every(({ conflicts }) => conflicts.length === 0),
        'None is a conflict',
        results,
      )
      const now = (await cms.record(writer, place.table, place.uid))?.fields[type.text]
      expects(now === 'Kit before', 'The value is back', now)
    },
  },
  {
    name: 'undo leaves what was changed since, and says why',
    capability: 'undo',
    async run({ cms, writer, type, record, edit, make }) {
      const place = await record()
      const run = `kit-${randomUUID()}`
      await make(edit(place, 'Kit one'), run)
      await make(edit(place, 'Kit two'), `kit-${randomUUID()}`)
      const { undone, conflicts } = await cms.undo(writer, run, Date.now())
      expects(undone.length === 0 && Boolean(conflicts[0]?.reason), 'A conflict with its reason', {
        undone,
        conflicts,
      })
      const now = (await cms.record(writer, place.table, place.uid))?.fields[type.text]
      expects(now === 'Kit two', 'The later change stays', now)
    },
  },
  {
    name: 'turns are taken back one after the other, the newest first',
    capability: 'undo',
    async run({ cms, writer, type, record, edit, make }) {
      const place = await record('Kit before')
      const runs = [`kit-${randomUUID()}`, `kit-${randomUUID()}`] as const
      await make(edit(place, 'Kit one'), runs[0])
      await make(edit(place, 'Kit two'), runs[1])
      for (const run of [runs[1], runs[0]]) {
        const { undone, conflicts } = await cms.undo(writer, run, Date.now())
        expects(undone.length === 1, 'The turn is taken back', conflicts)
      }
      const now = (await cms.record(writer, place.table, place.uid))?.fields[type.text]
      expects(now === 'Kit before', 'The first value is back', now)
    },
  },
]
