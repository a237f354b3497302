import { randomUUID } from 'node:crypto'
import type { Write } from '../../../core/cms/cms.ts'
import { type Bench, type Check, expects, NotTried, type Place, refused } from './bench.ts'
import { isRefused, possible, thereAndBack } from './kinds.ts'

const suits = ({ capabilities: { bin }, type }: Bench) => bin.includes(type.table)

const gone = ({ table, uid }: Place): Write => ({ kind: 'delete', table, uid })
const back = ({ table, uid }: Place): Write => ({ kind: 'undelete', table, uid })

/** Whether any operation that reads still answers the record. */
async function isRead({ cms, writer, type }: Bench, { table, uid }: Place, text: string): Promise<boolean> {
  const [record, found, listed] = await Promise.all([
    cms.record(writer, table, uid),
    cms.search(writer, { text, table, limit: 20 }),
    cms.list(writer, { table: type.table, limit: 100, offset: 0 }),
  ])
  return [record, ...found, ...(listed?.records ?? [])].some((it) => it?.uid === uid)
}

/** The bin, where the records of the kit have one. */
export const bin: Check[] = [
  {
    name: 'a record in the bin is nowhere, and comes back as it was',
    capability: 'bin',
    suits,
    async run(bench) {
      const text = `Kit ${randomUUID()}`
      const { run, ...place } = await bench.record(text)
      const before = await bench.cms.record(bench.writer, place.table, place.uid)
      for (const write of [gone(place), back(place)]) {
        const { preview } = await possible(bench, [write])
        expects(preview.label.includes(text), 'It is named to the person who decides', preview)
        const outcome = await bench.make(write, run)
        expects(outcome.state === 'done', 'It is done', outcome)
        const isThere = await isRead(bench, place, text)
        expects(isThere === (write.kind === 'undelete'), 'It is read only outside of the bin', write)
        await isRefused(bench, write)
      }
      const after = await bench.cms.record(bench.writer, place.table, place.uid)
      const said = [before, after].map((it) => [it?.title, it?.pid, it?.hidden, it?.fields[bench.type.text]])
      expects(JSON.stringify(said[0]) === JSON.stringify(said[1]), 'It is as before', said)
    },
  },
  {
    name: 'undo brings back what was deleted, and deletes again what was brought back',
    capability: 'bin',
    suits,
    async run(bench) {
      const place = await bench.record()
      await thereAndBack(bench, await possible(bench, [gone(place)]))
      await bench.make(gone(place), `kit-${randomUUID()}`)
      await thereAndBack(bench, await possible(bench, [back(place)]))
      await bench.make(back(place), `kit-${randomUUID()}`)
    },
  },
  {
    name: 'of four deletions on one version one is done, and a key deletes once',
    capability: 'bin',
    suits: (bench) => suits(bench) && bench.capabilities.compareAndSet,
    async run(bench) {
      const { cms, writer } = bench
      const { run, ...place } = await bench.record()
      const { versions } = await cms.preview(writer, gone(place), [])
      const keys = [1, 2, 3, 4].map(() => randomUUID())
      const ask = (key: string) =>
        cms
          .write(writer, gone(place), { key, correlationId: run, versions, now: Date.now() })
          .catch((error: unknown) => refused(error) ?? { state: 'refused' as const })
      const first = await Promise.all(keys.map(ask))
      const again = await Promise.all(keys.map(ask))
      for (const states of [first, again].map((all) => all.map(({ state }) => state)))
        expects(states.filter((state) => state === 'done').length === 1, 'One is done', states)
      await bench.make(back(place), run)
    },
  },
  {
    name: 'a record of a type without a bin is not deleted',
    capability: 'bin',
    suits: ({ capabilities }) => capabilities.bin.length > 0,
    async run(bench) {
      const { cms, capabilities, writer } = bench
      for (const { name } of capabilities.types.filter(({ name }) => !capabilities.bin.includes(name))) {
        const [record] = (await cms.list(writer, { table: name, limit: 1, offset: 0 }))?.records ?? []
        if (!record) continue
        return isRefused(bench, gone(record))
      }
      throw new NotTried('there is no record of a type without a bin')
    },
  },
  {
    name: 'a user who may not change a record does not delete it',
    capability: 'bin',
    suits: (bench) => suits(bench) && bench.limited !== undefined,
    async run(bench) {
      const { cms, limited } = bench
      const place = await bench.record()
      const seen = limited && (await cms.record(limited, place.table, place.uid))
      if (!limited || seen?.mayEdit) throw new NotTried('the limited user may change the records of the kit')
      await isRefused({ ...bench, writer: limited }, gone(place))
      await bench.make(gone(place), place.run)
      await isRefused({ ...bench, writer: limited }, back(place))
      await bench.make(back(place), place.run)
    },
  },
]
