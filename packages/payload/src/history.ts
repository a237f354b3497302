import { isSameValue } from '../../../core/cms/change.ts'
import type { HistoryEntry } from '../../../core/cms/schema.ts'
import type { FieldChange, RecordId } from '../../../core/conversation/schema.ts'
import { type Acting, asUser, reaches, rightsTo } from './acting.ts'
import { hasRows, localesOf, type NamedField } from './field.ts'
import type { ReadOperation } from './read.ts'
import { mainOf, mayOf, readable, type Seen, seeOne, shownIn, timeOf } from './record.ts'
import { putsIn } from './store.ts'
import { type RecordType, typeNamed } from './type.ts'
import { words } from './value.ts'

/** The suffix of a person's name in Payload's own versions, if the assistant made the change for that person. */
export const through = ', through the assistant'

/** A version of a record by locale; it leaves out the locales that the user may not read. */
type State = Pick<Seen, 'in'> & { at: string }

/** Returns the changes of a record from Payload's versions, newest first; undefined if the user sees no such record. */
export const history: ReadOperation<'history'> = async (acting, { table, uid, limit }) => {
  const type = typeNamed(acting, table)
  const seen = type && (await seeOne(acting, type, uid))
  if (!seen) return undefined
  const fields = await readable(acting, type)
  if (!type.config.versions) return historyOfPuts(acting, seen, fields, limit)
  if (!(await rightsTo(acting, type))?.readVersions) return []
  const states = await statesOf(acting, type, seen.id, limit + 1)
  return Promise.all(
    states.slice(0, limit).map(async (state, at): Promise<HistoryEntry> => {
      const { changedIn, changedBy } = mainOf(state)
      const before = states[at + 1]
      const run = typeof changedIn === 'string' ? changedIn : null
      const person = typeof changedBy === 'string' ? changedBy : ''
      return {
        at: state.at,
        user: run === null ? person : person.replace(through, ''),
        action: before ? 'modify' : 'add',
        changes: await changesOf(fields, (it) => [before && shownIn(before, it), shownIn(state, it)]),
        correlationId: run,
      }
    }),
  )
}

/** Returns the newest versions that the user may read, in every locale. */
async function statesOf(acting: Acting, type: RecordType, uid: RecordId, limit: number): Promise<State[]> {
  const { payload } = acting
  const states = new Map<string, State>()
  for (const locale of localesOf(payload)) {
    const as = { ...(await asUser(acting, locale)), limit, sort: '-updatedAt', showHiddenFields: true }
    const { docs } = type.isGlobal
      ? await payload.findGlobalVersions({ slug: type.slug, ...as })
      : await payload.findVersions({ collection: type.slug, where: { parent: { equals: uid } }, ...as })
    for (const { id, version, updatedAt } of docs) {
      const state = states.get(String(id)) ?? { at: timeOf(updatedAt), in: new Map() }
      state.in.set(locale, version as unknown as Record<string, unknown>)
      states.set(String(id), state)
    }
  }
  return [...states.values()]
}

/**
 * Returns the assistant's changes to users who may change the record, for a type without versions in Payload. The
 * outcomes are as another user read them. Rows and blocks are left out for users who may not read all of them.
 */
async function historyOfPuts(acting: Acting, seen: Seen, all: NamedField[], limit: number) {
  if (!(await mayOf(acting, [seen], 'update')).has(seen.id)) return []
  const rights = await rightsTo(acting, seen.type)
  // Only rights to the whole field include a part of any name.
  const fields = all.filter(({ field, path }) => !hasRows(field) || reaches(rights, 'read', [...path, '*']))
  const where = { and: [{ table: { equals: seen.type.name } }, { record: { equals: String(seen.id) } }] }
  const entries = (await putsIn(acting, where, limit)).map(
    async ({ createdAt, outcome, run, person }): Promise<HistoryEntry[]> => {
      if (outcome?.state !== 'done') return []
      const { before, after } = outcome
      const changes = await changesOf(fields, (it) => [
        before?.record?.fields[it.name],
        after.record?.fields[it.name],
      ])
      const action = before ? 'modify' : 'add'
      return [{ at: timeOf(createdAt), user: person, action, changes, correlationId: run }]
    },
  )
  return (await Promise.all(entries)).flat()
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
