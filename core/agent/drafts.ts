import type { Actor } from '../actor.ts'
import type { Capabilities } from '../cms/capabilities.ts'
import type { Cms, Write, WritePreview } from '../cms/cms.ts'
import type { CmsRecord } from '../cms/schema.ts'
import type { DraftEffect } from '../conversation/schema.ts'
import { ToolError } from '../error.ts'
import { withValues } from '../tool/run.ts'
import type { GateFacts } from './gate.ts'

/**
 * Drafts first: what visitors see is changed by publishing alone, and publishing is a decision of its own, or nothing
 * that the chat does. Decided from the write itself, whatever tool the model has called.
 */

/** What the rule knows of the record that a write is about. */
type Subject = Pick<CmsRecord, 'hidden' | 'fields'>

type Here = Pick<Capabilities, 'publishing' | 'types' | 'locales' | 'drafts' | 'tree'>

/** A write that drafts first allows, with what it does for visitors; or the sentence with which it is refused. */
export type DraftRule =
  | { effect: DraftEffect; added?: Record<string, string>; refused?: never }
  | { refused: string; effect?: never }

const alone = 'Publish, hide and plan in a call that changes nothing else, after the other change was stored.'

/**
 * What drafts first says to a write: `hidden` where visitors see nothing of it, `beside` where it is stored as a draft
 * beside what they see (with the values in `added`), `publish` where it changes what they see and nothing else. `record`
 * is the record as it is now; undefined for a new one.
 */
export function draftRule(
  mode: 'first' | 'only',
  write: Write,
  record: Subject | undefined,
  here: Here,
): DraftRule {
  if (write.kind === 'create') return { effect: 'hidden' }
  const { publishing } = here
  // What it was before it was deleted cannot be read: visitors may have seen it.
  if (write.kind === 'undelete') return published(mode)
  if (!record) return { refused: 'There is no such record, or the user may not see it.' }
  if (!publishing) return { refused: `${live(here)} This system does not say which records visitors see.` }
  if (write.kind === 'translate' && here.locales === 'record') return { effect: 'hidden' }
  const isLive = !record.hidden || publishing.states.includes(String(record.fields[publishing.field]))
  if (write.kind === 'state') {
    const isPublic = isLive || publishing.states.includes(write.state)
    return isPublic ? published(mode) : { effect: 'hidden' }
  }
  if (write.kind === 'delete') return isLive ? published(mode) : { effect: 'hidden' }
  const own = fieldsOf(write)
  const others = own.filter((field) => field !== publishing.field)
  const draft = publishing.draft ?? undefined
  const canDraft = draft !== undefined && hasField(here, write.table, publishing.field)
  if (others.length < own.length) {
    const isDraft = write.kind === 'update' && canDraft && write.fields[publishing.field] === draft
    if (others.length === 0) return published(mode)
    return isDraft ? { effect: 'beside' } : { refused: alone }
  }
  // A page takes its content and the pages below it along, and visitors may see those.
  const isTree = write.kind === 'move' && write.table === here.tree?.pages
  if (!isLive && !isTree) return { effect: 'hidden' }
  if (write.kind === 'translate' && canDraft) return { effect: 'beside' }
  if (write.kind === 'update' && canDraft) return { effect: 'beside', added: { [publishing.field]: draft } }
  return { refused: live(here) }
}

function published(mode: 'first' | 'only'): DraftRule {
  if (mode === 'first') return { effect: 'publish' }
  return {
    refused:
      'The chat writes only drafts and hidden records here: it neither publishes nor hides. A person does that in the content management system.',
  }
}

const live = ({ drafts }: Here) =>
  `The chat writes only drafts and hidden records here, and visitors see this record: it was not changed. Tell the user${
    drafts.length > 0 ? `, and offer a new hidden record beside it (${drafts.join(', ')})` : ''
  }.`

/** The fields that a write of fields names, each as often as it does. */
function fieldsOf(write: Write): string[] {
  if (!('fields' in write)) return []
  const { edits = [], parts = [] } = write.kind === 'update' ? write : {}
  return [
    ...Object.keys(write.fields),
    ...edits.map(({ field }) => field),
    ...parts.map(({ field }) => field),
  ]
}

const hasField = ({ types }: Here, table: string, field: string) =>
  types.find(({ name }) => name === table)?.fields.some(({ name }) => name === field) ?? false

/** A write as drafts first lets it happen, with its effect; as it is where the mode is off. */
export type Drafted = {
  write: Write
  effect?: DraftEffect | undefined
  /** Values that were added to the fields of the write. */
  added?: Record<string, string> | undefined
}

/** Applies drafts first to a write, with the record as it is now. Throws ToolError where the write is refused. */
export async function drafted(
  cms: Cms,
  actor: Actor,
  write: Write,
  { drafts: mode, capabilities }: Pick<GateFacts, 'drafts' | 'capabilities'>,
): Promise<Drafted> {
  if (mode === 'off') return { write }
  const record = 'uid' in write ? await cms.record(actor, write.table, write.uid) : undefined
  const rule = draftRule(mode, write, record, capabilities)
  if (rule.refused !== undefined) throw new ToolError(rule.refused, { outcome: 'notPermitted' })
  const { effect, added } = rule
  return { write: withValues(write, added), effect, added }
}

/** Throws ToolError where a write that should stay hidden would, by its preview, change whether visitors see the record. */
export function refuseShown(
  { effect }: Pick<Drafted, 'effect'>,
  { uid, changes }: Pick<WritePreview, 'uid' | 'changes'>,
  { publishing }: Pick<Capabilities, 'publishing'>,
): void {
  if (effect !== 'hidden' || uid === null) return
  if (changes.some(({ field }) => field === publishing?.field))
    throw new ToolError(alone, { outcome: 'notPermitted' })
}
