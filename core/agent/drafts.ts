import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import type { Change } from '../cms/change.ts'
import type { Cms } from '../cms/cms.ts'
import type { PutPreview } from '../cms/preview.ts'
import { isReadable, showsOrHides } from '../cms/put.ts'
import type { CmsRecord } from '../cms/schema.ts'
import type { DraftEffect } from '../conversation/schema.ts'
import { withValues } from '../tool/run.ts'
import type { GateFacts } from './gate.ts'

/**
 * Implements the rule "drafts first". Only publishing changes the public site. It needs its own decision, or a person
 * does it in the CMS. The rule judges the write itself, whichever tool the model called.
 */

/** The facts about a record that the rule needs. */
type Subject = Pick<CmsRecord, 'hidden' | 'fields'>

type Here = Pick<Capabilities, 'publishing' | 'types' | 'locales' | 'writes' | 'tree'>

/**
 * The effect of a change for visitors, and the values that the rule added to the change. Both are undefined if the mode
 * is off.
 */
type Ruling = { effect?: DraftEffect | undefined; added?: Record<string, string> | undefined }

/** A change with the added values, and the ruling on it. */
export type DraftedChange = Ruling & { change: Change }

const notPermitted = (text: string) => new ToolError(text, { outcome: 'notPermitted' })

const alone = 'Publish, hide and plan in a call that changes nothing else, after the other change was stored.'

/**
 * Applies the rule to a change and returns its effect. `hidden`: visitors do not see the record. `beside`: the CMS
 * stores a draft beside the public version, with the values in `added`. `publish`: the change only publishes or hides
 * the record. `record` is the present record; undefined for a new one. Throws ToolError if the rule refuses the change.
 */
export function draftRule(
  mode: 'first' | 'only',
  change: Change,
  record: Subject | undefined,
  here: Here,
): Ruling {
  const { uid, state, locale } = change
  if (uid === null) return { effect: 'hidden' }
  const { publishing } = here
  // Visitors may have seen the record before, and its earlier state is unknown.
  if (!isReadable(change)) return rulePublishing(mode)
  if (!record) throw notPermitted('There is no such record, or the user may not see it.')
  if (!publishing)
    throw notPermitted(`${liveRefusal(here)} This system does not say which records visitors see.`)
  if (locale !== undefined && here.locales === 'record') return { effect: 'hidden' }
  const isLive = !record.hidden || publishing.states.includes(String(record.fields[publishing.field]))
  if (showsOrHides(change)) {
    const isPublic = isLive || (state !== undefined && publishing.states.includes(state.state))
    return isPublic ? rulePublishing(mode) : { effect: 'hidden' }
  }
  return contentRule(mode, change, isLive, { ...here, publishing })
}

/** Applies the rule to a change of the fields or the position of a stored record. */
function contentRule(
  mode: 'first' | 'only',
  change: Change,
  isLive: boolean,
  here: Here & { publishing: NonNullable<Here['publishing']> },
): Ruling {
  const { table, fields = {}, place, locale } = change
  const { publishing } = here
  const own = fieldsOf(change)
  const others = own.filter((field) => field !== publishing.field)
  const draft = publishing.draft ?? undefined
  const canDraft = draft !== undefined && hasField(here, table, publishing.field)
  if (others.length < own.length) {
    const isDraft = canDraft && fields[publishing.field] === draft
    if (others.length === 0) return rulePublishing(mode)
    if (!isDraft) throw notPermitted(alone)
    return { effect: 'beside' }
  }
  // The move of a page also moves its content and subpages, which visitors may see.
  const isTree = place !== undefined && table === here.tree?.pages
  if (!isLive && !isTree) return { effect: 'hidden' }
  // If the CMS has drafts, a translation is stored as a draft.
  if (locale !== undefined && canDraft) return { effect: 'beside' }
  if (own.length > 0 && place === undefined && canDraft)
    return { effect: 'beside', added: { [publishing.field]: draft } }
  throw notPermitted(liveRefusal(here))
}

function rulePublishing(mode: 'first' | 'only'): Ruling {
  if (mode === 'first') return { effect: 'publish' }
  throw notPermitted(
    'The chat writes only drafts and hidden records here: it neither publishes nor hides. A person does that in the content management system.',
  )
}

const liveRefusal = ({ writes: { create } }: Here) =>
  `The chat writes only drafts and hidden records here, and visitors see this record: it was not changed. Tell the user${
    create.length > 0 ? `, and offer a new hidden record beside it (${create.join(', ')})` : ''
  }.`

/** Returns the fields that a change names; a field can occur more than once. */
function fieldsOf({ fields = {}, edits = [], parts = [] }: Change): string[] {
  return [...Object.keys(fields), ...[...edits, ...parts].map(({ field }) => field)]
}

const hasField = ({ types }: Here, table: string, field: string) =>
  types.find(({ name }) => name === table)?.fields.some(({ name }) => name === field) ?? false

/**
 * Applies the rule to a change of a stored record, or of the planned record `base`. Returns the change with the added
 * values, and its effect. Rejects with ToolError if the rule refuses the change.
 */
export async function applyDraftRule(
  cms: Cms,
  actor: Actor,
  change: Change,
  { drafts: mode, capabilities }: Pick<GateFacts, 'drafts' | 'capabilities'>,
  base?: CmsRecord,
): Promise<DraftedChange> {
  if (mode === 'off') return { change }
  const { table, uid } = change
  const record = uid === null ? undefined : (base ?? (await cms.record(actor, { table, uid })))
  const { effect, added } = draftRule(mode, change, record, capabilities)
  return { change: withValues(change, added), effect, added }
}

/** Throws ToolError if a change for a hidden record would, by its preview, publish or hide the record. */
export function refuseShown(
  { effect }: Ruling,
  { uid, changes }: Pick<PutPreview, 'uid' | 'changes'>,
  { publishing }: Pick<Capabilities, 'publishing'>,
): void {
  if (effect !== 'hidden' || uid === null) return
  if (changes.some(({ field }) => field === publishing?.field)) throw notPermitted(alone)
}
