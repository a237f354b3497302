import type { CmsRecord } from '../../../core/cms/schema.ts'
import type { Adapter, Entry, Id, Person, TypeOf } from './adapter.ts'

/** Records as the bridge shows them; those of a type that the user may not read are left out. */
export async function recordsOf(adapter: Adapter, user: Person, entries: Entry[]): Promise<CmsRecord[]> {
  const types = new Map((await adapter.types(user)).map((type) => [type.name, type]))
  return entries.flatMap((entry) => {
    const type = types.get(entry.type)
    return type ? recordOf(adapter, type, entry) : []
  })
}

/** A page of the tree as the user may see it; 0 is none. */
export async function pageWith(adapter: Adapter, user: Person, uid: Id): Promise<CmsRecord | undefined> {
  const { tree } = adapter
  const entry = tree && uid !== 0 ? await adapter.read(user, tree.type, uid) : undefined
  return entry && (await recordsOf(adapter, user, [entry]))[0]
}

/** A record of a type as the bridge shows it. */
export function recordOf({ publishing, tree }: Adapter, type: TypeOf, entry: Entry): CmsRecord {
  const state = publishing && entry.values[publishing.field]
  return {
    table: type.name,
    uid: entry.id,
    pid: tree?.type === type.name ? ((entry.values[tree.parent] as Id | null) ?? 0) : 0,
    title: String(entry.values[type.title] || `[${entry.id}]`),
    hidden: publishing !== undefined && state !== undefined && !publishing.shown.includes(String(state)),
    language: 0,
    fields: entry.values as CmsRecord['fields'],
    addresses: entry.addresses ?? [],
    changedAt: entry.changedAt.toISOString(),
    version: entry.version,
    mayEdit: entry.mayEdit,
  }
}
