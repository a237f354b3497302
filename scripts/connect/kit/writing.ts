import { randomUUID } from 'node:crypto'
import { ignoreRefusal } from '../../../core/base/error.ts'
import type { Change } from '../../../core/cms/change.ts'
import type { FieldKind } from '../../../core/cms/schema.ts'
import {
  always,
  type Bench,
  type Check,
  changeRecord,
  checksOf,
  draft,
  expectDone,
  expects,
  expectsText,
  isSame,
  type Making,
  mayPut,
  newRun,
  newText,
  supports,
} from './bench.ts'

/** Makes puts at the same time, and returns the state of each put, and the version of the successful one. */
export async function race(
  bench: Bench,
  making: (at: number) => Making & { change: Parameters<Bench['make']>[0] },
) {
  const asked = [1, 2, 3, 4].map(making)
  const [first] = asked
  const versions = (first && (await bench.show(first.change)))?.versions ?? []
  const answers = await Promise.all(
    asked.map(({ change, ...how }) =>
      bench.make(change, { versions, ...how }).catch((error: unknown) => ({ state: String(error) })),
    ),
  )
  return answers.map((answer) => [answer.state, 'version' in answer ? answer.version : ''])
}

/** Fails a check unless exactly one of several simultaneous puts was made. */
export function expectsOne(ended: unknown[][]): void {
  const made = ended.filter(([state]) => state === 'done')
  expects(made.length === 1, 'One is made, the others are conflicts', ended)
}

/** Returns the fields of the kit's type that hold lists of blocks. */
const listsOf = ({ type }: Bench) =>
  type.fields.filter(({ kind, readOnly }) => kind === 'blocks' && !readOnly)
/** Returns the lists of parts in the CMS's records of the kit's type; checks take these parts as examples. */
async function listed(bench: Bench) {
  const { cms, writer, type, capabilities } = bench
  const query = { table: type.table, limit: 50, offset: 0 }
  const { records = [] } = (capabilities.parts && (await cms.list(writer, query))) || {}
  const lists = records.flatMap(({ fields }) =>
    listsOf(bench).map(({ name }) => [name, fields[name]] as const),
  )
  return lists.flatMap(([name, parts]) => {
    const [first] = Array.isArray(parts) ? (parts as Record<string, unknown>[]) : []
    return first ? [{ name, parts, first }] : []
  })
}
const hasParts = (bench: Bench) => bench.capabilities.parts && listsOf(bench).length > 0

const writtenValues: [string, unknown][] = [
  ['a long text', 'long '.repeat(40_000)],
  ['letters of all scripts', 'Ω 漢字 שלום 👩‍👩‍👧 e\u0301 \u202etxt'],
  ['quotes and markup', `'; DROP TABLE x; -- "\\ %s {{ }} <?php ?>`],
  ['a list', ['a', { b: 1 }]],
  ['an object', { a: { b: [] } }],
  ['null', null],
]

/** Values that are invalid for each kind of field. */
const ofNoKind: Partial<Record<FieldKind, unknown[]>> = {
  text: [{ a: 1 }, ['a']],
  longtext: [{ a: 1 }],
  html: [{ a: 1 }, true],
  number: ['many', {}],
  boolean: ['perhaps', []],
  date: ['soon', 'tomorrow', '2026', {}],
  select: ['no such option', 7],
  relation: [{ a: {} }, [{}]],
  media: ['no such file', { a: 1 }],
}

/** The checks of changes: each is made once, and undone by puts. */
export const writing: Check[] = [
  ...checksOf('writing', mayPut('create'), {
    async 'a new record is a draft or hidden'({ read, record }) {
      expects((await read(await record()))?.hidden === true, 'The record has to be hidden')
    },
  }),
  ...checksOf('writing', always, {
    async 'a put answers the record as it was and as it is, and a known key the same'(bench) {
      const { cms, writer, type, record, edit, make, show } = bench
      const texts = [newText('Kit before'), newText('Kit after')] as const
      const place = await record(texts[0])
      const [change, key] = [edit(place, texts[1]), randomUUID()]
      const versions = (await show(change))?.versions ?? []
      const first = expectDone(await make(change, { ...place, key, versions }))
      const again = await make(change, { ...place, key, versions })
      for (const answer of [first, again, await cms.settle(writer, { key })]) {
        const { before, after, version } = expectDone(answer)
        const said = [before?.record?.fields[type.text], after.record?.fields[type.text]]
        expects(isSame(said, texts), 'The text before and after', said)
        expects(version === first.version, 'The answer is the same', answer)
      }
      await expectsText(bench, place, texts[1])
    },
    async 'a record is named by what is written in it'({ type, read, record, edit, make }) {
      const place = await record()
      const title = async () => (await read(place))?.title
      // An adapter whose `title` names no field calls each record by its number.
      const nameless = `[${place.uid}]`
      for (const { name, kind } of type.fields) {
        if ((await title()) !== nameless) return
        if (/text|html/.test(kind))
          await make(edit(place, newText('Kit title'), name), place).catch(ignoreRefusal)
      }
      expects((await title()) !== nameless, 'No text gives it a title', type.table)
    },
    async 'keys that differ only at their end are two puts'(bench) {
      const place = await bench.record()
      for (const end of ['a', 'b']) {
        const [text, key] = [newText('Kit key'), `${place.run}${'-'.repeat(120)}${end}`]
        await bench.make(bench.edit(place, text), { ...place, key })
        await expectsText(bench, place, text)
      }
    },
    async 'a put that changes nothing is done, and leaves the version as it is'(bench) {
      const { read, record, edit, make } = bench
      const text = newText('Kit same')
      const place = await record(text)
      const before = await read(place)
      const { version } = expectDone(await make(edit(place, text), place))
      expects(version === before?.version, 'The version is another', { before, version })
    },
    async 'a write on an old version is a conflict'({ cms, writer, show, record, edit, make }) {
      const place = await record()
      const [change, late] = [edit(place, newText('Kit first')), edit(place, newText('Kit late'))]
      const versions = (await show(late))?.versions ?? []
      await make(change, place)
      const made = await make(late, { ...place, versions })
      const shown = await cms.put(writer, { put: late, dry: true, versions })
      for (const answer of [made, shown]) expects(answer.state === 'conflict', 'Has to be a conflict', answer)
    },
    async 'a key that was settled before its write is void for ever'({ cms, writer, record, edit, make }) {
      const [place, key] = [await record(), randomUUID()]
      expects((await cms.settle(writer, { key })).state === 'void', 'settle answers void')
      const late = await make(edit(place, newText('Kit void')), { ...place, key })
      expects(late.state === 'void', 'The write answers void', late)
    },
  }),
  ...checksOf('preview', always, {
    async 'two previews of one change are the same, also of a new record and a new part'(bench) {
      const { show, type, record, edit } = bench
      const place = await record()
      const text = newText('Kit twice')
      const [example] = await listed(bench)
      const changes: Change[] = [edit(place, text), draft(type, text)]
      if (example) {
        const { id: _, ...value } = example.first
        const insertion = { field: example.name, act: 'insert' as const, at: '', value }
        changes.push({ table: place.table, uid: place.uid, parts: [insertion] })
      }
      for (const change of changes) {
        const [one, other] = [await show(change), await show(change)].map((it) => ({ ...it, after: null }))
        expects(isSame(one, other), 'The second preview is another', { one, other })
      }
    },
    async 'a preview stores nothing and shows what a put stores, which empties no other field'(bench) {
      const { read, show, type, record, edit, make } = bench
      const place = await record()
      const texts = type.fields.filter(({ kind }) => /text|html/.test(kind)).slice(0, 4)
      for (const { name } of texts) await make(edit(place, newText('Kit'), name), place).catch(ignoreRefusal)
      for (const { name, kind } of texts) {
        const before = await read(place)
        const script = kind === 'html' ? '<script>alert(1)</script>' : ''
        const change = edit(place, ` <p onclick="x()">${newText('Kit')}</p>${script} `, name)
        const shown = (await show(change))?.after?.fields
        expects(before?.version === (await read(place))?.version, 'The record is another after a preview')
        if (!shown) continue
        await make(change, place)
        const { fields: stored = {} } = (await read(place)) ?? {}
        const same = { shown: shown[name], stored: stored[name] }
        expects(isSame(same.shown, same.stored), `${name} is not stored as it was shown`, same)
        const emptied = Object.keys(shown).filter((it) => before?.fields[it] && shown[it] && !stored[it])
        expects(emptied.length === 0, `Fields are emptied by a change of ${name}`, emptied)
      }
    },
  }),
  ...checksOf('races', supports('compareAndSet'), {
    async 'of four writes on one version one is done, the others are conflicts'(bench) {
      const place = await bench.record()
      expectsOne(await race(bench, (at) => ({ ...place, change: bench.edit(place, newText(`Kit ${at}`)) })))
    },
  }),
  ...checksOf('races', always, {
    async 'four writes with one key have one outcome'(bench) {
      const [place, key] = [await bench.record(), randomUUID()]
      const change = bench.edit(place, newText('Kit raced'))
      const ended = await race(bench, () => ({ ...place, key, change }))
      const isOne = new Set(ended.map(String)).size === 1 && ended[0]?.[0] === 'done'
      expects(isOne, 'All are the same', ended)
    },
  }),
  ...checksOf('history', supports('history'), {
    async 'the history has the values before and after, and the turn'(bench) {
      const { cms, writer, type } = bench
      const { place, run, ...texts } = await changeRecord(bench)
      const entries = (await cms.history(writer, { ...place, limit: 10 })) ?? []
      const entry = entries.find(({ correlationId }) => correlationId === run)
      const { before, after } = entry?.changes.find(({ field }) => field === type.text) ?? {}
      expects(isSame({ before, after }, texts), 'Before and after are there', entries)
    },
  }),
  ...checksOf('parts', hasParts, {
    async 'a list with a part of another text keeps the ids of its parts'(bench) {
      const [example] = await listed(bench)
      if (!example) return
      const { name, parts } = example
      const place = await bench.record()
      await bench.make(bench.edit(place, parts, name), place)
      const stored = (await bench.read(place))?.fields[name] as { id?: unknown }[]
      const hasIds = stored.every(({ id }) => Boolean(id))
      expects(hasIds, 'The parts have ids when they are stored', stored)
      const removed = { field: name, act: 'remove' as const, at: String(stored[0]?.id) }
      await bench.make({ table: place.table, uid: place.uid, parts: [removed] }, place)
      const left = (await bench.read(place))?.fields[name]
      expects(isSame(left, stored.slice(1)), 'The other parts are as they were', left)
    },
  }),
  ...checksOf('undo', always, {
    async 'undo puts back what was there, and nothing more when asked again'(bench) {
      const { place, run, before } = await changeRecord(bench)
      expects((await bench.countUndoable(run)) === 1, 'One change can be taken back')
      const [first, again] = [await bench.undo(run), await bench.undo(run)]
      expects(first.undone.length === 1 && first.conflicts.length === 0, 'It is undone', first)
      expects(again.undone.length === 0, 'Nothing more is undone', again)
      await expectsText(bench, place, before)
    },
    async 'two undos at the same time take back a change once'(bench) {
      const { place, run, before } = await changeRecord(bench)
      const both = await Promise.all([bench.undo(run), bench.undo(run)])
      const conflicts = both.flatMap((one) => one.conflicts)
      expects(conflicts.length === 0 && both.some(({ undone }) => undone.length === 1), 'It is undone', both)
      await expectsText(bench, place, before)
    },
    async 'undo leaves what was changed since, and says why'(bench) {
      const { place, run } = await changeRecord(bench)
      const since = newText('Kit since')
      await bench.make(bench.edit(place, since), { run: newRun() })
      const { undone, conflicts } = await bench.undo(run)
      expects(undone.length === 0, 'Nothing is undone', undone)
      expects(Boolean(conflicts[0]?.reason), 'The conflict has a reason', conflicts)
      await expectsText(bench, place, since)
    },
  }),
  ...checksOf('undo', mayPut('create', 'remove'), {
    async 'a new record that is taken back is gone, and no other gets its id'({ record, read, undo }) {
      const place = await record()
      const { undone } = await undo(place.run)
      expects(undone.length === 1, 'It is taken back', undone)
      expects((await read(place)) === undefined, 'It is not there any more')
      expects((await record()).uid !== place.uid, 'The next new record has its id', place.uid)
    },
  }),
  // Values that no form would send. They are refused for the model, or stored as shown, but never cause a server error.
  ...writtenValues.flatMap(([name, value]) =>
    checksOf('hostile input', always, {
      async [`${name} is refused, or stored as shown`]({ show, type, record, edit, make, textOf }) {
        const place = await record()
        const change = edit(place, value)
        const shown = (await show(change))?.changes.find(({ field }) => field === type.text)
        if (!shown) return
        await make(change, place)
        const stored = await textOf(place)
        const isSame = [stored ?? '', JSON.stringify(stored)].includes(shown.after ?? '')
        expects(isSame, 'Stored is what was shown', { shown, stored })
      },
    }),
  ),
  ...checksOf('preview', always, {
    async 'a value of another kind is refused'({ show, type, record, edit }) {
      const place = await record()
      for (const { name, kind } of type.fields.filter(({ readOnly }) => !readOnly))
        for (const value of ofNoKind[kind] ?? []) {
          const shown = await show(edit(place, value, name))
          expects(!shown, `The field ${name} is of the kind ${kind} and has to refuse`, value)
        }
    },
  }),
  ...checksOf('writing', always, {
    async 'an unknown field and an unknown record are refused'({ show, type, record, edit }) {
      const place = await record()
      const wrong = [edit(place, 'x', 'no_such_field'), edit({ ...place, uid: 999_999_999 }, 'x')]
      for (const write of [...wrong, draft({ ...type, table: 'no_such' }, 'x')])
        expects((await show(write)) === undefined, 'Has to be refused', write)
    },
  }),
]
