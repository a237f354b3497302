import { randomUUID } from 'node:crypto'
import { type Check, expects } from './bench.ts'

/** Checks that the stage can undo every change by puts. */
export const undo: Check[] = [
  {
    name: 'undo puts back what was there, and nothing more when asked again',
    capability: 'undo',
    async run({ record, edit, make, undo, changesOf, textOf }) {
      const place = await record('Kit before')
      const run = `kit-${randomUUID()}`
      await make(edit(place, 'Kit after'), { run })
      expects((await changesOf(run)) === 1, 'One change can be taken back')
      const [first, again] = [await undo(run), await undo(run)]
      expects(first.undone.length === 1 && first.conflicts.length === 0, 'It is undone', first)
      expects(again.undone.length === 0, 'Nothing more is undone', again)
      const now = await textOf(place)
      expects(now === 'Kit before', 'The value is back', now)
    },
  },
  {
    name: 'two undos at the same time take back a change once',
    capability: 'undo',
    async run({ record, edit, make, undo, textOf }) {
      const place = await record('Kit before')
      const run = `kit-${randomUUID()}`
      await make(edit(place, 'Kit after'), { run })
      const both = await Promise.all([undo(run), undo(run)])
      const conflicts = both.flatMap((one) => one.conflicts)
      expects(conflicts.length === 0 && both.some(({ undone }) => undone.length === 1), 'It is undone', both)
      const now = await textOf(place)
      expects(now === 'Kit before', 'The value is back', now)
    },
  },
  {
    name: 'undo leaves what was changed since, and says why',
    capability: 'undo',
    async run({ record, edit, make, undo, textOf }) {
      const place = await record('Kit before')
      const run = `kit-${randomUUID()}`
      await make(edit(place, 'Kit after'), { run })
      await make(edit(place, 'Kit since'), { run: `kit-${randomUUID()}` })
      const { undone, conflicts } = await undo(run)
      expects(undone.length === 0, 'Nothing is undone', undone)
      expects(Boolean(conflicts[0]?.reason), 'The conflict has a reason', conflicts)
      const now = await textOf(place)
      expects(now === 'Kit since', 'The later change stays', now)
    },
  },
  {
    name: 'a new record that is taken back is gone',
    capability: 'undo',
    suits: ({ capabilities, type }) => capabilities.writes.remove.includes(type.table),
    async run({ record, read, undo }) {
      const place = await record()
      const { undone } = await undo(place.run)
      expects(undone.length === 1, 'It is taken back', undone)
      expects((await read(place)) === undefined, 'It is not there any more')
    },
  },
]
