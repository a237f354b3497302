import { randomUUID } from 'node:crypto'
import { ToolError } from '../../../core/base/error.ts'
import type { Change } from '../../../core/cms/change.ts'
import type { Place } from '../../../core/cms/cms.ts'
import { type PutPreview, previewChange } from '../../../core/cms/preview.ts'
import {
  type Bench,
  type Check,
  checksOf,
  expectDone,
  expects,
  expectsText,
  hasLimited,
  isSame,
  mayPut,
  NotTried,
  newRun,
  newText,
  supports,
} from './bench.ts'
import { expectsOne, race } from './writing.ts'

type Possible = { change: Change; preview: PutPreview }

/**
 * Returns the first change that the CMS would make, with its preview. If no change is possible, throws an error. It is
 * NotTried if a change was refused and the writer is no administrator: the writer may lack the right.
 */
async function possible({ cms, writer }: Bench, changes: Change[]): Promise<Possible> {
  const refusals: string[] = []
  for (const change of changes) {
    const preview = await previewChange(cms, writer, change, []).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error
      refusals.push(error.message)
    })
    if (preview) return { change, preview }
  }
  if (!writer.isAdmin && refusals.length > 0) throw new NotTried(`${writer.username} may not: ${refusals[0]}`)
  throw new Error(`None of these changes is possible: ${JSON.stringify(changes)}`)
}

/** Makes a change and undoes it; the preview of the same change then has to be the same as before. */
async function thereAndBack(bench: Bench, { change, preview }: Possible) {
  const run = newRun()
  expectDone(await bench.make(change, { run }))
  const again = await bench.show(change)
  expects(!again, 'The same change has nothing left to change', again)
  const { undone, conflicts } = await bench.undo(run)
  expects(undone.length === 1, 'It is taken back', conflicts)
  const now = (await bench.show(change))?.changes
  expects(isSame(now, preview.changes), 'It is as before', now)
}

/** Fails a check if the CMS would make a change. */
const isRefused = async ({ show, writer }: Bench, change: Change, actor = writer) =>
  expects(!(await show(change, actor)), 'Has to be refused', change)

const inAMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString()

const states = ({ capabilities }: Bench, { table, uid }: Place, more: { from?: string } = {}): Change[] =>
  capabilities.states.map((state) => ({ table, uid, state: { state, ...more } }))

/** True if the texts of the kit's records can be translated. */
const translates = (bench: Bench) =>
  (bench.capabilities.locales === 'field' ||
    // In this mode, a translation is a new record.
    (bench.capabilities.locales === 'record' && mayPut('create', 'remove')(bench))) &&
  bench.type.fields.some(({ name, translated }) => name === bench.type.text && translated)

/** Returns a change that translates all texts of a record into the second language of the site. */
async function translationOf({ cms, read, type }: Bench, { table, uid }: Place): Promise<Change> {
  const [record, languages] = await Promise.all([read({ table, uid }), cms.languages()])
  const said = type.fields.filter(
    ({ name, translated, kind }) =>
      translated && !name.includes(':') && record?.fields[name] && /text|html/.test(kind),
  )
  const fields = Object.fromEntries(said.map(({ name }) => [name, `Kit ${randomUUID()}`]))
  return { table, uid, locale: languages[1]?.locale ?? '', fields }
}

const gone = ({ table, uid }: Place): Change => ({ table, uid, bin: true })
const back = ({ table, uid }: Place): Change => ({ table, uid, bin: false })

/** True if any reading operation still returns the record. */
async function isRead({ cms, writer, type, read }: Bench, place: Place, text: string): Promise<boolean> {
  const [record, found, listed] = await Promise.all([
    read(place),
    cms.search(writer, { text, table: place.table, limit: 20 }),
    cms.list(writer, { table: type.table, limit: 100, offset: 0 }),
  ])
  return [record, ...found, ...(listed?.records ?? [])].some((it) => it?.uid === place.uid)
}

/** The checks of the optional members of a put: state, place, revisions, languages, the bin. */
export const kinds: Check[] = [
  ...checksOf('state', mayPut('state'), {
    async 'a record is given another state, and undo gives the old one back'(bench) {
      const place = await bench.record()
      await thereAndBack(bench, await possible(bench, states(bench, place)))
      await isRefused(bench, { ...bench.edit(place, 'x'), state: { state: 'no such state' } })
    },
  }),
  ...checksOf('times', mayPut('state', 'times'), {
    async 'a record is planned for a time, and undo ends the plan'(bench) {
      const planned = states(bench, await bench.record(), { from: inAMonth() })
      await thereAndBack(bench, await possible(bench, planned))
    },
  }),
  ...checksOf('place', mayPut('create', 'place'), {
    async 'a record is moved before the others of its page, and undo moves it back'(bench) {
      await bench.record()
      const { table, uid } = await bench.record()
      await thereAndBack(bench, await possible(bench, [{ table, uid, place: { after: 0 } }]))
    },
    async 'fields and a place are changed by one put, and taken back by one'(bench) {
      await bench.record()
      const place = await bench.record()
      const both = { ...bench.edit(place, newText('Kit moved')), place: { after: 0 } }
      await thereAndBack(bench, await possible(bench, [both]))
    },
    async 'a move to what is not there is refused'(bench) {
      const { table, uid } = await bench.record()
      await isRefused(bench, { table, uid, place: { pid: 999_999_999 } })
      await isRefused(bench, { table, uid, place: { after: 999_999_999 } })
    },
  }),
  ...checksOf('restore', mayPut('restore'), {
    async 'an earlier version is restored by the name that the history gives it'(bench) {
      const { cms, writer, record, edit, make, type } = bench
      const { run, ...place } = await record()
      const fields = type.fields.filter(({ kind }) => /text|html/.test(kind))
      for (const name of [type.text, ...fields.map((field) => field.name)]) {
        const between = newText('Kit between')
        await make(edit(place, between, name), { run })
        const [latest] = (await cms.history(writer, { ...place, limit: 5 })) ?? []
        // In some CMSs a change of the title makes no revision, but a change of a text does.
        if (!latest?.revision) continue
        await make(edit(place, newText('Kit after'), name), { run })
        const change = { ...place, revision: latest.revision }
        await thereAndBack(bench, await possible(bench, [change]))
        await make(change, { run: newRun() })
        const stored = (await bench.read(place))?.fields[name]
        expects(stored === between, 'The value of the version is back', stored)
        return isRefused(bench, { ...change, revision: 'no-such-version' })
      }
      throw new Error('The latest change of no field names a version')
    },
  }),
  ...checksOf('translate', translates, {
    async 'a translation is shown beside its original, which stays as it is, and undo takes it back'(bench) {
      const original = newText('Kit original')
      const place = await bench.record(original)
      const translation = await possible(bench, [await translationOf(bench, place)])
      const isBeside = translation.preview.changes.some((it) => it.original === original)
      expects(isBeside, 'What the original says is shown', translation)
      await thereAndBack(bench, translation)
      await bench.make(translation.change, place)
      await expectsText(bench, place, original)
    },
  }),
  ...checksOf('bin', mayPut('create', 'bin'), {
    async 'a record in the bin is nowhere, and comes back as it was'(bench) {
      const text = `Kit ${randomUUID()}`
      const { run, ...place } = await bench.record(text)
      const before = await bench.read(place)
      for (const change of [gone(place), back(place)]) {
        const { preview } = await possible(bench, [change])
        expects(preview.label.includes(text), 'It is named to the person who decides', preview)
        expectDone(await bench.make(change, { run }))
        const isThere = await isRead(bench, place, text)
        expects(isThere === (change.bin === false), 'It is read only outside of the bin', change)
        await isRefused(bench, change)
      }
      const after = await bench.read(place)
      const said = [before, after].map((it) => [it?.title, it?.pid, it?.hidden, it?.fields[bench.type.text]])
      expects(isSame(said[0], said[1]), 'It is as before', said)
    },
    async 'undo brings back what was deleted, and deletes again what was brought back'(bench) {
      const place = await bench.record()
      await thereAndBack(bench, await possible(bench, [gone(place)]))
      await bench.make(gone(place), { run: newRun() })
      await thereAndBack(bench, await possible(bench, [back(place)]))
      await bench.make(back(place), { run: newRun() })
    },
  }),
  ...checksOf('bin', (bench) => mayPut('create', 'bin')(bench) && supports('compareAndSet')(bench), {
    async 'of four deletions on one version one is done, and a key deletes once'(bench) {
      const { run, ...place } = await bench.record()
      expectsOne(await race(bench, () => ({ run, change: gone(place) })))
      await bench.make(back(place), { run })
    },
  }),
  ...checksOf('bin', ({ capabilities: { writes } }) => writes.bin.length > 0, {
    async 'a record of a type without a bin is not deleted'(bench) {
      const { cms, capabilities, writer } = bench
      const others = capabilities.types.filter(({ name }) => !capabilities.writes.bin.includes(name))
      for (const { name } of others) {
        const [record] = (await cms.list(writer, { table: name, limit: 1, offset: 0 }))?.records ?? []
        if (record) return isRefused(bench, gone(record))
      }
      throw new NotTried('there is no record of a type without a bin')
    },
  }),
  ...checksOf('bin', (bench) => mayPut('create', 'bin')(bench) && hasLimited(bench), {
    async 'a user who may not change a record does not delete it'(bench) {
      const { cms, limited, make } = bench
      const { run, ...place } = await bench.record()
      const seen = limited && (await cms.record(limited, place))
      if (!limited || seen?.mayEdit) throw new NotTried('the limited user may change the records of the kit')
      await isRefused(bench, gone(place), limited)
      await make(gone(place), { run })
      await isRefused(bench, back(place), limited)
      await make(back(place), { run })
    },
  }),
]
