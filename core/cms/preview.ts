import type { Actor } from '../base/actor.ts'
import { ignoreRefusal, ToolError } from '../base/error.ts'
import { type English, fillIn, inLanguage } from '../base/language.ts'
import type { FieldChange } from '../conversation/schema.ts'
import { type Change, isSameValue, type PlannedPut, planPut, referenceOf, UnchangedError } from './change.ts'
import type { Cms, Done, Place, Put, Standing, Versions } from './cms.ts'
import { changesOf } from './difference.ts'
import type { CmsRecord } from './schema.ts'

/** A put as it is shown to a person before it is stored. */
export type PutPreview = {
  table: string
  /** Null: a new record. */
  uid: Place['uid'] | null
  /** The title that names the record to a person. */
  label: string
  /** The page of the record; for a page, the page itself; for a new page, its parent. */
  page: { uid: Place['uid']; title: string }
  changes: FieldChange[]
  /** The original, if the new record is a translation. */
  original?: Place['uid']
  /** The stored versions of the records that the put is based on. */
  versions: Versions
  /** Further notes for the person, in their language. */
  notes?: string[]
  put: Put
  /** The record after the put, for later changes of the same proposal; absent if the actor may not read it. */
  after?: CmsRecord
}

/**
 * Previews a change for the actor, after the `earlier` changes of the same proposal; stores nothing. Throws ToolError,
 * with a reason for the model, for a missing right or record, an invalid value, or no change.
 */
export async function previewChange(
  cms: Cms,
  actor: Actor,
  change: Change,
  before: Change[],
): Promise<PutPreview> {
  // The CMS does not know a record that is not created yet.
  const earlier = before.filter((each) => referenceOf(each) === undefined)
  const same = earlier.filter((each) => isAbout(each, change))
  const ground = same.every(isInPlace) ? await groundAfter(cms, actor, same) : undefined
  const others = ground && isInPlace(change) ? earlier.filter((each) => !isAbout(each, change)) : earlier
  const { planned, answer } = await showOn(cms, actor, change, ground, others)
  const { put } = planned
  const standing = ground?.standing ?? answer.before
  const all = await changesOf(cms, actor, { answer, before: standing, ...planned })
  if (all.length === 0) throw new UnchangedError()
  const own = all.filter(({ field }) => !isCopied(planned, answer, field))
  const changes = own.length > 0 ? own : all
  const notes = removedBy((await cms.capabilities()).name, put, answer, actor.lang)
  if (changes.length < all.length) notes.push(inLanguage(asOriginal, actor.lang))
  return previewOf(planned, answer, { before: standing, changes, notes })
}

/** Returns the preview of a CMS answer; `before` is the record after the earlier changes of the proposal. */
function previewOf(
  { put, original, copied }: PlannedPut,
  answer: Done,
  { before, changes, notes }: { before: Standing | null; changes: FieldChange[]; notes: string[] },
): PutPreview {
  const named = copied ?? (put.uid === null && original ? original : (before?.record ?? answer.after.record))
  // If the page is the record itself, the preview shows it under the title that earlier changes give it.
  const isOwnPage = answer.page.title === answer.before?.record?.title && answer.page.uid === answer.uid
  return {
    table: answer.table,
    uid: put.uid,
    label: named?.title ?? '',
    page: isOwnPage && before?.record ? { uid: answer.page.uid, title: before.record.title } : answer.page,
    changes,
    ...(put.original !== undefined && { original: put.original }),
    versions: answer.versions,
    ...(notes.length > 0 && { notes }),
    put,
    ...(answer.after.record && { after: answer.after.record }),
  }
}

const asOriginal: English = {
  en: 'All other fields are as in the original. Its content and subpages are not copied.',
}

/** True if a copy has the value of this field from its original. */
const isCopied = ({ put, copied }: PlannedPut, { after }: Done, field: string) =>
  copied !== undefined &&
  Object.hasOwn(put.fields ?? {}, field) &&
  isSameValue(after.record?.fields[field], copied.fields[field])

/** Asks the CMS to preview a put. Throws ToolError if the CMS refuses the put, or if a stored version has changed. */
export async function showPut(
  cms: Cms,
  actor: Actor,
  put: Put,
  versions: Versions,
  earlier: Put[] = [],
): Promise<Done> {
  const answer = await cms.put(actor, { put, dry: true, versions, ...(earlier.length > 0 && { earlier }) })
  if (answer.state === 'done') return answer
  if (put.uid === null) throw new ToolError('Not possible at this moment: read the record again.')
  throw new ToolError(`${put.table} [${put.uid}] was changed at this moment. Read it again.`)
}

const isAbout = (one: Change, other: Change) =>
  one.uid !== null && one.table === other.table && String(one.uid) === String(other.uid)

/** True if a change concerns only fields, state and position. Two of these changes can be merged into one put. */
const isInPlace = ({ table, uid, fields, edits, parts, revision, state, place, ...others }: Change) =>
  uid !== null && Object.keys(others).length === 0

/** Returns the puts on which a later put may depend. Changes of fields and state count only for its page. */
function structural(changes: Change[], { place }: Put): Put[] {
  return changes.flatMap(({ edits, parts, revision, locale, copy, ...put }) => {
    const { table, uid, fields, state, ...others } = put
    const isOfPage = fields !== undefined && uid !== null && String(uid) === String(place?.pid)
    const isStructural = uid === null || Object.keys(others).length > 0
    return (isStructural || isOfPage) && locale === undefined && copy === undefined ? [put] : []
  })
}

/** Merges two puts of the same record; the later values win. A later place without a page is on the earlier page. */
function merged(earlier: Put, later: Put): Put {
  const { after: _, ...page } = earlier.place ?? {}
  return {
    ...earlier,
    ...later,
    ...((earlier.fields ?? later.fields) && { fields: { ...earlier.fields, ...later.fields } }),
    ...(later.place && { place: { ...page, ...later.place } }),
  }
}

/** A record after earlier changes, with the put that combines these changes. */
type Ground = { put: Put; standing: Standing; versions: Versions }

/**
 * Returns the record after these changes, applied in order; undefined without changes. Skips a change that the CMS
 * refuses.
 */
async function groundAfter(cms: Cms, actor: Actor, changes: Change[]): Promise<Ground | undefined> {
  let ground: Ground | undefined
  for (const change of changes) {
    const shown = await showOn(cms, actor, change, ground, []).catch(ignoreRefusal)
    if (shown) ground = { put: shown.whole, standing: shown.answer.after, versions: shown.answer.versions }
  }
  return ground
}

/** Plans a change based on `ground`, and asks the CMS to preview both as one put, after the other changes. */
async function showOn(
  cms: Cms,
  actor: Actor,
  change: Change,
  ground: Ground | undefined,
  others: Change[],
): Promise<{ planned: PlannedPut; whole: Put; answer: Done }> {
  const planned = await planPut(cms, actor, change, ground?.standing.record ?? undefined)
  const { put } = planned
  const whole = ground && isInPlace(change) ? merged(ground.put, put) : put
  const versions = ground?.versions ?? planned.versions
  return { planned, whole, answer: await showPut(cms, actor, whole, versions, structural(others, put)) }
}

const alsoRemoves: English = { en: '{cms} also removes: {elements}.' }

/**
 * Returns a sentence about HTML elements that the CMS would remove from the put, as forbidden to the user. A user with
 * more rights wrote such elements, and even a small edit of the text loses them. Empty if nothing is lost.
 */
export function removedBy(cms: string, { fields = {} }: Put, { after }: Done, lang: string): string[] {
  const lost = Object.entries(fields).flatMap(([name, wanted]) => {
    const stored = elementsIn(after.record?.fields[name])
    return [...elementsIn(wanted)].filter(([element, count]) => count > (stored.get(element) ?? 0))
  })
  const elements = [...new Set(lost.map(([element]) => `<${element}>`))].join(', ')
  return after.record && elements ? [fillIn(inLanguage(alsoRemoves, lang), lang, { cms, elements })] : []
}

/** Returns the number of start tags in a text, by HTML element. */
function elementsIn(value: unknown): ReadonlyMap<string, number> {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  const found = Map.groupBy(text.matchAll(/<([a-z][a-z0-9-]*)(?=[\s>/])/g), ([, name = '']) => name)
  return new Map([...found].map(([name, all]) => [name, all.length]))
}
