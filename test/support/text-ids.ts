import { askedBy, type Cms } from '../../core/cms/cms.ts'

/** The text that names a record in `withTextIds`, for its uid. */
export const textId = (uid: number): string => `7d1fa3c0-0000-4000-8000-${String(uid).padStart(12, '0')}`

const ids = new Set(['uid', 'pid', 'parent', 'page', 'root', 'after', 'original'])
const uidIn = (id: unknown) => (typeof id === 'string' && id.length === 36 ? Number(id.slice(-12)) : id)
const textOf = (id: unknown) => (typeof id === 'number' && id > 0 ? textId(id) : id)

/** The value with every id in it turned, those in the fields of records excepted. */
function turned(value: unknown, turn: (id: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => turned(each, turn))
  if (!value || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, held]) => {
    if (ids.has(name) && typeof held !== 'object') return [name, turn(held)]
    return [name, name === 'fields' ? held : turned(held, turn)]
  })
  return Object.fromEntries(entries)
}

/** The same CMS with ids of records that are UUIDs, as the bridge serves it. Users keep their numbers. */
export function withTextIds(cms: Cms): Cms {
  const given = <T>(value: T) => turned(value, uidIn) as T
  const told = async <T>(answer: Promise<T>) => turned(await answer, textOf) as T
  return {
    ...cms,
    capabilities: async () => ({ ...(await told(cms.capabilities())), ids: 'string' }),
    ...askedBy(async (operation, actor, question) =>
      told(cms[operation](actor, given(question) as never) as Promise<unknown>),
    ),
    tables: (actor) => cms.tables(actor),
    users: (actor) => cms.users(actor),
    log: (actor, query) => cms.log(actor, query),
  }
}
