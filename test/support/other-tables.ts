import type { Cms } from '../../core/cms/cms.ts'

type Walk = (table: string) => string

/** The value with every name of a table in it turned, those in the fields of records excepted. */
function turned(value: unknown, turn: Walk): unknown {
  if (Array.isArray(value)) return value.map((each) => turned(each, turn))
  if (!value || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, held]) => [
    name,
    name === 'table' && typeof held === 'string' ? turn(held) : name === 'fields' ? held : turned(held, turn),
  ])
  return Object.fromEntries(entries)
}

/** The same CMS with other names of its tables: `names` has them by the names that they have. */
export function withOtherTables(cms: Cms, names: Record<string, string>): Cms {
  const back = new Map(Object.entries(names).map(([own, other]) => [other, own]))
  const asOwn: Walk = (table) => back.get(table) ?? (table in names ? 'none' : table)
  const given = <T>(value: T) => turned(value, asOwn) as T
  const told = async <T>(answer: Promise<T>) => turned(await answer, (table) => names[table] ?? table) as T
  return {
    ...cms,
    tables: async (actor) =>
      (await cms.tables(actor)).map((table) => ({ ...table, name: names[table.name] ?? table.name })),
    pageContent: (actor, question) => told(cms.pageContent(actor, question)),
    search: (actor, query) => told(cms.search(actor, given(query))),
    list: (actor, query) => told(cms.list(actor, given(query))),
    record: (actor, question) => told(cms.record(actor, given(question))),
    history: (actor, question) => cms.history(actor, given(question)),
  }
}
