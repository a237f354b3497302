import { randomUUID } from 'node:crypto'
import { ToolError } from '../../../core/base/error.ts'
import { mediaTables } from '../../../core/cms/media.ts'
import { look } from '../../../core/cms/picture.ts'
import { makeChange, showChange } from '../../../test/support/put.ts'
import { type Check, expects } from './bench.ts'

const nowhere = 999_999_999

/** Checks of the reading operations and of their rights. */
export const reading: Check[] = [
  {
    name: 'what is not there is no record and no list',
    capability: 'reading',
    async run({ cms, writer, type }) {
      expects(
        (await cms.record(writer, { table: type.table, uid: nowhere })) === undefined,
        'There is no such record',
      )
      expects(
        (await cms.list(writer, { table: 'no_such', limit: 1, offset: 0 })) === undefined,
        'No such type',
      )
    },
  },
  {
    name: 'every type can be listed, and a record of the list reads the same alone',
    capability: 'reading',
    async run({ cms, writer }) {
      for (const { name } of await cms.tables(writer)) {
        const list = await cms.list(writer, { table: name, limit: 2, offset: 0 })
        expects(list !== undefined, `The type ${name} cannot be listed`)
        const [first] = list.records
        const alone = first && (await cms.record(writer, { table: name, uid: first.uid }))
        expects(alone?.version === first?.version, `A record of ${name} differs from the list`, [
          first,
          alone,
        ])
      }
    },
  },
  {
    name: 'search finds a record by a word in it',
    capability: 'reading',
    async run({ cms, writer, record }) {
      const word = `kit${randomUUID().slice(0, 8)}`
      const { table, uid } = await record(word)
      const found = await cms.search(writer, { text: word, table, limit: 5 })
      expects(found.length === 1 && found[0]?.uid === uid, 'Finds it and no other', found)
    },
  },
  {
    name: 'pages of a list hold each record once, in one order',
    capability: 'paging',
    async run({ cms, writer, record, type: { table } }) {
      for (let made = 0; made < 4; made++) await record()
      const page = async (offset: number, limit: number) => {
        const list = await cms.list(writer, { table, limit, offset })
        return { uids: list?.records.map(({ uid }) => uid) ?? [], total: list?.total ?? 0 }
      }
      const whole = await page(0, 4)
      const parts = [await page(0, 1), await page(1, 2), await page(3, 1)]
      expects(whole.uids.length === 4, 'Four records are in one page of four', whole)
      expects(
        parts.flatMap(({ uids }) => uids).join() === whole.uids.join(),
        'Smaller pages hold the same',
        parts,
      )
      expects(
        parts.every(({ total }) => total === whole.total),
        'The total stays',
        parts,
      )
      expects((await page(whole.total, 5)).uids.length === 0, 'Behind the end there is nothing')
    },
  },
  {
    name: 'what is no picture shows nothing, and pictures follow the rights of their records',
    capability: 'pictures',
    suits: ({ capabilities }) => capabilities.pictures,
    async run({ cms, writer, limited, type, record, capabilities }) {
      const { table, uid } = await record()
      expects(
        (await cms.picture(writer, { table, uid }))?.state === 'none',
        'A record without a file has none',
      )
      expects(
        (await cms.picture(writer, { table: type.table, uid: nowhere })) === undefined,
        'There is no such record',
      )
      for (const files of mediaTables(capabilities.types)) {
        const list = await cms.list(writer, { table: files, limit: 3, offset: 0 })
        for (const { uid } of list?.records ?? []) {
          expects((await look(cms, writer, files, uid)) !== 'gone', `${files} ${uid} is there`)
          if (!limited) continue
          const [seen, shown] = [
            await cms.record(limited, { table: files, uid }),
            await cms.picture(limited, { table: files, uid }),
          ]
          expects(
            Boolean(seen) === Boolean(shown),
            'A limited user sees the picture where they see the record',
          )
        }
      }
    },
  },
  {
    name: 'what is for administrators is empty for a limited user',
    capability: 'rights',
    suits: ({ limited }) => limited !== undefined,
    async run({ cms, limited }) {
      if (!limited) return
      const [users, log, facts] = await Promise.all([
        cms.users(limited),
        cms.log(limited, { level: 'debug', limit: 5 }),
        cms.facts(limited),
      ])
      const isEmpty = users.length + log.length + Object.keys(facts).length === 0
      expects(isEmpty, 'users, log and facts are empty', { users, log, facts })
    },
  },
  {
    name: 'what a limited user may not see is in no answer, what they may not change is refused',
    capability: 'rights',
    suits: ({ limited }) => limited !== undefined,
    async run({ cms, limited, record, edit }) {
      if (!limited) return
      const word = `kit${randomUUID().slice(0, 8)}`
      const place = await record(word)
      const { table, uid } = place
      const seen = await cms.record(limited, { table, uid })
      const found = await cms.search(limited, { text: word, limit: 5 })
      const past = await cms.history(limited, { table, uid, limit: 5 })
      const list = await cms.list(limited, { table, limit: 200, offset: 0 })
      const isListed = list?.records.some((it) => it.uid === uid) ?? false
      if (!seen)
        expects(found.length === 0 && !past?.length && !isListed, 'Search, history and list show it', {
          found,
          past,
        })
      if (seen?.mayEdit) return
      const options = { key: randomUUID(), correlationId: place.run, versions: [], now: Date.now() }
      const asked = [
        showChange(cms, limited, edit(place, 'x'), []),
        makeChange(cms, limited, edit(place, 'x'), options),
      ]
      for (const [at, one] of (await Promise.allSettled(asked)).entries())
        expects(
          one.status === 'rejected' && one.reason instanceof ToolError,
          `${at === 0 ? 'preview' : 'write'} has to be tool.refused`,
          one,
        )
    },
  },
]
