import type { Actor } from '../actor.ts'
import type { Cms, Write, WritePreview } from '../cms/cms.ts'
import { wordsOf } from '../cms/readable/words.ts'
import type { FieldChange } from '../conversation/schema.ts'
import { ToolError } from '../error.ts'
import { fits } from './approval.ts'
import { passages } from './excerpt.ts'

/** What a write would change, as it can be shown. Throws ToolError where that is nothing, or too much. */
export async function previewed(
  cms: Cms,
  actor: Actor,
  write: Write,
  earlier: Write[],
): Promise<WritePreview> {
  await refuseLasting(cms, write)
  const whole = await cms.preview(actor, write, earlier)
  const preview = { ...whole, changes: await shownChanges(cms, actor, whole) }
  if (preview.changes.length === 0) throw new ToolError('Nothing would change: the record already says so.')
  if (!fits(preview)) throw new ToolError('The change is too large to be shown for approval. Split it.')
  return preview
}

/** Throws ToolError where a record would be deleted for good, because the CMS has no bin for it. */
async function refuseLasting(cms: Cms, write: Write): Promise<void> {
  if (write.kind !== 'delete' && write.kind !== 'undelete') return
  const { bin } = await cms.capabilities()
  if (bin.includes(write.table)) return
  const known = `There is one for: ${bin.join(', ')}.`
  throw new ToolError(`Records of ${write.table} have no bin, and nothing is deleted for good. ${known}`)
}

/** Changes with the passages that differ, as they are stored and as a person reads them. */
async function shownChanges(
  cms: Cms,
  actor: Actor,
  { table, changes }: WritePreview,
): Promise<FieldChange[]> {
  const [{ types }, { readable }] = await Promise.all([
    cms.capabilities(),
    import('../cms/readable/readable.ts'),
  ])
  const words = wordsOf(actor.lang)
  const fields = types.find(({ name }) => name === table)?.fields ?? []
  return changes.map(({ readable: _, ...change }) => {
    const stored = passages(change)
    const kind = fields.find(({ name }) => name === change.field)?.kind
    const form = kind && readable(change, kind, words)
    const read = form && passages({ ...change, ...form })
    if (!read || !fits({ changes: [read] })) return stored
    return { ...stored, readable: { ...form, before: read.before, after: read.after } }
  })
}
