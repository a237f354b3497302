import { randomUUID } from 'node:crypto'
import { ToolError } from '../../../core/base/error.ts'
import { mediaTables } from '../../../core/cms/cms.ts'
import { look } from '../../../core/cms/picture.ts'
import { previewChange } from '../../../core/cms/preview.ts'
import { always, type Check, checksOf, expects, hasLimited, isSame, NotTried, supports } from './bench.ts'

const nowhere = 999_999_999
const newWord = () => `kit${randomUUID().slice(0, 8)}`

/** Checks of the reading operations and of their rights. */
export const reading: Check[] = [
  ...checksOf('reading', always, {
    async 'what is not there is no record and no list'({ cms, writer, type: { table } }) {
      const record = await cms.record(writer, { table, uid: nowhere })
      const list = await cms.list(writer, { table: 'no_such', limit: 1, offset: 0 })
      expects(record === undefined && list === undefined, 'Neither is there', { record, list })
    },
    async 'every type can be listed, and a record of the list reads the same alone'({ cms, writer }) {
      for (const { name } of await cms.tables(writer)) {
        const list = await cms.list(writer, { table: name, limit: 2, offset: 0 })
        expects(list !== undefined, `The type ${name} cannot be listed`)
        const [first] = list.records
        const alone = first && (await cms.record(writer, { table: name, uid: first.uid }))
        expects(first?.version === alone?.version, `A record of ${name} differs from the list`, alone)
        const wrong = list.records.flatMap((it) => it.addresses ?? []).filter((it) => !it.startsWith('/'))
        expects(wrong.length === 0, 'Addresses are paths that begin with /', wrong)
      }
    },
    async 'search finds every word, in any case, order and text, newest change first'(bench) {
      const { cms, writer, record, edit, make, show, type } = bench
      const [one, two, inText] = [newWord(), newWord(), newWord()]
      const places = [await record(`${one} and ${two}`), await record(`${two} and ${one}`)] as const
      const text = `${one.toUpperCase()} ${two}`
      const find = (text: string, limit = 5) => cms.search(writer, { text, table: type.table, limit })
      const found = await find(text)
      const areFound = places.every(({ uid }) => found.some((it) => it.uid === uid))
      // A record that was named for the kit is both places.
      const count = new Set(places.map(({ uid }) => uid)).size
      expects(areFound && found.length === count, 'Finds both and no other', { text, found })
      const times = found.map(({ changedAt }) => changedAt)
      expects(isSame(times, times.toSorted().reverse()), 'The newest change is first', times)
      expects((await find(text, 1)).length === 1, 'The limit holds', text)
      expects((await find(`${text} ${inText}`)).length === 0, 'A record lacks one of the words', text)
      const long = type.fields.find(({ kind, name }) => /longtext|html/.test(kind) && name !== type.text)
      const change = long && edit(places[0], inText, long.name)
      if (!change || !(await show(change))) return
      await make(change, places[0])
      const inBoth = await find(`${inText} ${one}`)
      expects(inBoth.length === 1, `A word in the field ${long.name} is found`, inBoth)
    },
  }),
  ...checksOf('paging', always, {
    async 'pages of a list hold each record once, in one order'({ cms, writer, record, type: { table } }) {
      for (let made = 0; made < 4; made++) await record()
      const page = async (offset: number, limit: number) => {
        const list = await cms.list(writer, { table, limit, offset })
        return { uids: list?.records.map(({ uid }) => uid) ?? [], total: list?.total ?? 0 }
      }
      const whole = await page(0, 4)
      if (whole.total < 4) throw new NotTried('there are fewer than four records')
      const parts = [await page(0, 1), await page(1, 2), await page(3, 1)]
      expects(whole.uids.length === 4, 'Four records are in one page of four', whole)
      const uids = parts.flatMap((part) => part.uids)
      expects(isSame(uids, whole.uids), 'Smaller pages hold the same', { whole, parts })
      const isSteady = parts.every(({ total }) => total === whole.total)
      expects(isSteady, 'The total stays', { whole, parts })
      expects((await page(whole.total, 5)).uids.length === 0, 'Behind the end there is nothing')
    },
  }),
  ...checksOf('pictures', supports('pictures'), {
    async 'what is no picture shows nothing, and pictures follow the rights of their records'(bench) {
      const { cms, writer, limited, capabilities } = bench
      const { table, uid } = await bench.record()
      const none = await cms.picture(writer, { table, uid })
      expects(none?.state === 'none', 'A record without a file has none', none)
      const missing = await cms.picture(writer, { table, uid: nowhere })
      expects(missing === undefined, 'There is no such record', missing)
      for (const files of mediaTables(capabilities.types)) {
        const list = await cms.list(writer, { table: files, limit: 3, offset: 0 })
        for (const { uid } of list?.records ?? []) {
          expects((await look(cms, writer, files, uid)) !== 'gone', `${files} ${uid} is there`)
          const seen = limited && (await cms.record(limited, { table: files, uid }))
          const shown = limited && (await cms.picture(limited, { table: files, uid }))
          const isSameRight = Boolean(seen) === Boolean(shown)
          expects(isSameRight, 'A limited user sees the picture where they see the record', uid)
        }
      }
    },
  }),
  ...checksOf('rights', supports('users'), {
    async 'no user who is disabled is there to act'({ cms, writer }) {
      const disabled = (await cms.users(writer)).filter((it) => it.disabled)
      for (const { uid, username } of disabled.slice(0, 5))
        expects(!(await cms.userNamed(String(uid))), `${username} is disabled, and acts`)
    },
  }),
  ...checksOf('rights', hasLimited, {
    async 'what is for administrators is empty for a limited user'({ cms, limited }) {
      if (!limited) return
      const log = cms.log(limited, { level: 'debug', limit: 5 })
      const found = await Promise.all([cms.users(limited), log, cms.facts(limited)])
      const isEmpty = found.every((it) => Object.keys(it).length === 0)
      expects(isEmpty, 'users, log and facts are empty', found)
    },
    async 'what a limited user may not see is in no answer, what they may not change is refused'(bench) {
      const { cms, limited } = bench
      if (!limited) return
      const text = newWord()
      const { run, ...place } = await bench.record(text)
      const seen = await cms.record(limited, place)
      const found = await cms.search(limited, { text, limit: 5 })
      const past = (await cms.history(limited, { ...place, limit: 5 })) ?? []
      const { records = [], total = 0 } =
        (await cms.list(limited, { table: place.table, limit: 200, offset: 0 })) ?? {}
      const isListed = records.some(({ uid }) => uid === place.uid)
      const isInAnswer = found.length + past.length > 0 || isListed
      expects(seen !== undefined || !isInAnswer, 'Search, history or list show it', { found, past })
      const isEverywhere = found.length > 0 && (isListed || total > 200)
      expects(seen === undefined || isEverywhere, 'It is read, and search or list lack it', found)
      expects(records.length === Math.min(total, 200), 'The total counts what the user may see', total)
      if (seen?.mayEdit) return
      const change = bench.edit(place, 'x')
      const [preview, write] = await Promise.allSettled([
        previewChange(cms, limited, change, []),
        bench.make(change, { run, actor: limited, versions: [] }),
      ])
      for (const [name, end] of Object.entries({ preview, write })) {
        const isRefused = end.status === 'rejected' && end.reason instanceof ToolError
        expects(isRefused, `${name} has to be tool.refused`, end)
      }
    },
  }),
]
