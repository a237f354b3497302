import { randomUUID } from 'node:crypto'
import type { PartEdit, Write } from '../../../core/cms/cms.ts'
import { isRecord } from '../../../core/json.ts'
import { type Bench, type Check, expects, NotTried, type Place, refused } from './bench.ts'

type Part = Record<string, unknown>

const suits = ({ capabilities: { parts }, type }: Bench) =>
  parts && type.fields.some(({ kind, readOnly }) => kind === 'blocks' && !readOnly)

/** A list whose parts have ids, and a text in its first part by its name. */
function listOf(value: unknown): { parts: Part[]; text: string } | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const parts = value.filter((part): part is Part => isRecord(part) && Boolean(part.id))
  const named = Object.entries(parts[0] ?? {}).find(
    ([name, it]) => typeof it === 'string' && !['id', 'blockType', 'blockName'].includes(name),
  )
  return named && parts.length === value.length ? { parts, text: named[0] } : undefined
}

/** A new record with the list of another record of its type. Throws NotTried where no record of the type has a list of parts with ids. */
async function withList(bench: Bench) {
  const { cms, writer, type, record, edit, make } = bench
  const names = type.fields
    .filter(({ kind, readOnly }) => kind === 'blocks' && !readOnly)
    .map((it) => it.name)
  const { records = [] } = (await cms.list(writer, { table: type.table, limit: 50, offset: 0 })) ?? {}
  for (const { fields } of records)
    for (const field of names) {
      if (!listOf(fields[field])) continue
      const place = await record()
      await make(edit(place, fields[field], field), place.run)
      const read = async () => listOf((await cms.record(writer, place.table, place.uid))?.fields[field])
      const list = await read()
      expects(list !== undefined, 'The parts have ids when they are stored', list)
      return { place, field, read, ...list, first: String(list.parts[0]?.id) }
    }
  throw new NotTried(`No record of the type ${type.table} has a list of parts with ids.`)
}

const partEdit = ({ table, uid }: Place, edit: PartEdit): Write => ({
  kind: 'update',
  table,
  uid,
  fields: {},
  parts: [edit],
})

/** Single parts of lists, where a record of the type of drafts has such a list. */
export const parts: Check[] = [
  {
    name: 'a part is changed by its id, and all others stay as they are',
    capability: 'parts',
    suits,
    async run(bench) {
      const list = await withList(bench)
      const { place, field, first, text } = list
      const value = { [text]: 'Kit part' }
      const run = `kit-${randomUUID()}`
      await bench.make(partEdit(place, { field, act: 'change', at: first, value }), run)
      const now = (await list.read())?.parts
      const wanted = list.parts.map((part, at) => (at === 0 ? { ...part, ...value } : part))
      expects(JSON.stringify(now) === JSON.stringify(wanted), 'The part alone is another', now)
      const { undone, conflicts } = await bench.cms.undo(bench.writer, run, Date.now())
      expects(undone.length === 1, 'It is taken back', conflicts)
    },
  },
  {
    name: 'a part that is not there is refused',
    capability: 'parts',
    suits,
    async run(bench) {
      const list = await withList(bench)
      const { cms, writer } = bench
      for (const act of ['change', 'insert', 'remove'] as const) {
        const value = act === 'remove' ? {} : { value: { [list.text]: 'Kit' } }
        const write = partEdit(list.place, { field: list.field, act, at: 'no-such-part', ...value })
        expects(!(await cms.preview(writer, write, []).catch(refused)), 'Has to be refused', write)
      }
    },
  },
  {
    name: 'of four changes of a part on one version one is done, the others are conflicts',
    capability: 'parts',
    suits: (bench) => suits(bench) && bench.capabilities.compareAndSet,
    async run(bench) {
      const list = await withList(bench)
      const { cms, writer } = bench
      const { place, field, first, text } = list
      const change = (at: number) =>
        partEdit(place, { field, act: 'change', at: first, value: { [text]: `Kit ${at}` } })
      const { versions } = await cms.preview(writer, change(0), [])
      const outcomes = await Promise.all(
        [1, 2, 3, 4].map((at) =>
          cms.write(writer, change(at), {
            key: randomUUID(),
            correlationId: place.run,
            versions,
            now: Date.now(),
          }),
        ),
      )
      const states = outcomes.map(({ state }) => state).toSorted()
      expects(states.join() === 'conflict,conflict,conflict,done', 'One done, three conflicts', states)
    },
  },
]
