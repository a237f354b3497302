import type { Cms } from '../../core/cms/cms.ts'

/** The text that names a record in `withTextIds`, for its uid. */
export const textId = (uid: number): string => `7d1fa3c0-0000-4000-8000-${String(uid).padStart(12, '0')}`

const ids = new Set(['uid', 'pid', 'parent', 'page', 'root'])
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
    page: (actor, uid) => told(cms.page(actor, uidIn(uid) as number)),
    pageTree: (actor, query) => told(cms.pageTree(actor, given(query))),
    pageContent: (actor, uid) => told(cms.pageContent(actor, uidIn(uid) as number)),
    search: (actor, query) => told(cms.search(actor, query)),
    list: (actor, query) => told(cms.list(actor, given(query))),
    record: (actor, table, uid) => told(cms.record(actor, table, uidIn(uid) as number)),
    picture: (actor, table, uid) => cms.picture(actor, table, uidIn(uid) as number),
    history: (actor, table, uid, limit) => cms.history(actor, table, uidIn(uid) as number, limit),
    preview: (actor, write, earlier) => told(cms.preview(actor, given(write), given(earlier))),
    write: (actor, write, options) => told(cms.write(actor, given(write), given(options))),
    settle: (actor, key) => told(cms.settle(actor, key)),
    undo: (actor, runId, now, only) => told(cms.undo(actor, runId, now, given(only))),
  }
}
