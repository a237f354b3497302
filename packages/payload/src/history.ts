import { isSameValue } from '../../../core/cms/change.ts'
import type { Input } from '../../../core/cms/operation.ts'
import type { HistoryEntry } from '../../../core/cms/schema.ts'
import type { FieldChange, RecordId } from '../../../core/conversation/schema.ts'
import { type Acting, asUser } from './acting.ts'
import { localesOf, type NamedField } from './field.ts'
import { readable, seeOne, shownIn, timeOf, typeNamed } from './record.ts'
import { type Kept, writes } from './store.ts'
import type { RecordType } from './type.ts'
import { words } from './value.ts'

/** Follows the name of a person in Payload's own versions, where the assistant made the change for them. */
export const through = ', through the assistant'

type State = { id: string; at: string; in: Map<string | undefined, Record<string, unknown>> }

/** The changes of a record, the newest first, from Payload's versions; undefined: there is no such record for the user. */
export async function history(
  acting: Acting,
  { table, uid, limit }: Input<'history'>,
): Promise<HistoryEntry[] | undefined> {
  const type = typeNamed(acting, table)
  const seen = type && (await seeOne(acting, type, uid))
  if (!seen) return undefined
  const fields = await readable(acting, type)
  if (!type.config.versions) return historyOfPuts(acting, type, seen.id, fields, limit)
  const rights = await acting.permissions()
  const ofType = type.isGlobal ? rights.globals?.[type.slug] : rights.collections?.[type.slug]
  if (!ofType?.readVersions) return []
  const states = await statesOf(acting, type, seen.id, limit + 1)
  return Promise.all(
    states.slice(0, limit).map(async (state, at): Promise<HistoryEntry> => {
      const [main = {}] = state.in.values()
      const before = states[at + 1]
      const run = typeof main.changedIn === 'string' ? main.changedIn : null
      const person = typeof main.changedBy === 'string' ? main.changedBy : ''
      return {
        at: state.at,
        user: run === null ? person : person.replace(through, ''),
        action: before ? 'modify' : 'add',
        changes: await changesOf(fields, (field) => [
          before && shownIn(before, field),
          shownIn(state, field),
        ]),
        correlationId: run,
      }
    }),
  )
}

/** The newest versions, as the user may read them, in every locale. */
async function statesOf(acting: Acting, type: RecordType, uid: RecordId, limit: number): Promise<State[]> {
  const { payload } = acting
  const states = new Map<string, State>()
  for (const locale of localesOf(payload)) {
    const as = {
      ...(await asUser(acting, { locale })),
      limit,
      sort: '-updatedAt',
      showHiddenFields: true,
    }
    const { docs } = type.isGlobal
      ? await payload.findGlobalVersions({ slug: type.slug, ...as })
      : await payload.findVersions({ collection: type.slug, where: { parent: { equals: uid } }, ...as })
    for (const { id, version, updatedAt } of docs) {
      const state = states.get(String(id)) ?? { id: String(id), at: timeOf(updatedAt), in: new Map() }
      state.in.set(locale, version as unknown as Record<string, unknown>)
      states.set(String(id), state)
    }
  }
  return [...states.values()]
}

/** The changes that the assistant made, for a type of which Payload keeps no versions. */
async function historyOfPuts(
  { payload }: Acting,
  { name }: RecordType,
  uid: RecordId,
  fields: NamedField[],
  limit: number,
): Promise<HistoryEntry[]> {
  const where = { and: [{ table: { equals: name } }, { record: { equals: String(uid) } }] }
  const { docs } = await payload.find({ collection: writes, where, sort: '-createdAt', limit, depth: 0 })
  return Promise.all(
    (docs as unknown as Kept[]).flatMap(({ createdAt, outcome, run, person }) => {
      if (outcome?.state !== 'done') return []
      const [before, after] = [outcome.before?.record?.fields ?? {}, outcome.after.record?.fields ?? {}]
      return changesOf(fields, ({ name }) => [before[name], after[name]]).then(
        (changes): HistoryEntry => ({
          at: timeOf(createdAt),
          user: person,
          action: outcome.before ? 'modify' : 'add',
          changes,
          correlationId: run,
        }),
      )
    }),
  )
}

async function changesOf(
  fields: NamedField[],
  valuesOf: (field: NamedField) => [unknown, unknown],
): Promise<FieldChange[]> {
  const changes: FieldChange[] = []
  for (const named of fields) {
    const [before, after] = valuesOf(named)
    if (isSameValue(before, after)) continue
    const [old, now] = [await words(named.field, before), await words(named.field, after)]
    changes.push({ field: named.name, label: named.label, before: old, after: now })
  }
  return changes
}
