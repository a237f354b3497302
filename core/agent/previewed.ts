import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import type { Change } from '../cms/change.ts'
import type { Cms } from '../cms/cms.ts'
import { type PutPreview, previewChange } from '../cms/preview.ts'
import { wordsOf } from '../cms/readable/words.ts'
import type { FieldChange } from '../conversation/schema.ts'
import { fits } from './approval.ts'
import { passages } from './excerpt.ts'

/** The changes of a write, as a person can be shown them. Throws ToolError if they are too large. */
export async function previewed(
  cms: Cms,
  actor: Actor,
  change: Change,
  earlier: Change[],
): Promise<PutPreview> {
  await refuseLasting(cms, change)
  const whole = await previewChange(cms, actor, change, earlier)
  const preview = { ...whole, changes: await shownChanges(cms, actor, whole) }
  if (!fits(preview)) throw new ToolError('The change is too large to be shown for approval. Split it.')
  return preview
}

/** Throws ToolError where a record would be deleted for good, because the CMS has no bin for it. */
async function refuseLasting(cms: Cms, { table, bin }: Change): Promise<void> {
  if (bin === undefined) return
  const { writes } = await cms.capabilities()
  if (writes.bin.includes(table)) return
  const known = `There is one for: ${writes.bin.join(', ')}.`
  throw new ToolError(`Records of ${table} have no bin, and nothing is deleted for good. ${known}`)
}

/** Changes with the passages that differ, as they are stored and as a person reads them. */
async function shownChanges(cms: Cms, actor: Actor, { table, changes }: PutPreview): Promise<FieldChange[]> {
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
