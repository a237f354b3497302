import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import { type English, filled, inLanguage } from '../base/language.ts'
import { type Change, referenceOf } from '../cms/change.ts'
import type { Cms } from '../cms/cms.ts'
import { previewOnNew } from '../cms/new-record.ts'
import { type PutPreview, previewChange } from '../cms/preview.ts'
import type { CmsRecord } from '../cms/schema.ts'
import type { FieldChange } from '../conversation/schema.ts'
import { fits } from './approval.ts'
import { passages } from './excerpt.ts'

/**
 * The changes of a write, as an approval shows them. `base` is the new record of the same proposal that the write
 * changes. Throws ToolError if the changes are too large.
 */
export async function previewed(
  cms: Cms,
  actor: Actor,
  change: Change,
  earlier: Change[],
  base?: CmsRecord,
): Promise<PutPreview> {
  await refuseLasting(cms, change)
  const whole = base
    ? await previewOnNew(cms, actor, change, base)
    : await previewChange(cms, actor, change, earlier)
  const notes = [...(whole.notes ?? []), ...(await publicWith(cms, actor, change))]
  const shown = { ...whole, changes: await shownChanges(cms, actor, whole) }
  const preview = notes.length > 0 ? { ...shown, notes } : shown
  if (!fits(preview)) throw new ToolError('The change is too large to be shown for approval. Split it.')
  return preview
}

const sentences: Record<'public' | 'hidden' | 'new', English> = {
  public: {
    en: 'With the page become public: {elements}.',
  },
  hidden: { en: 'On it stay hidden: {elements}.' },
  new: {
    en: 'What a proposal puts on a new page stays hidden until it is published itself.',
  },
}

/** Most elements of a page that a note names. */
const fewNames = 10

/** Notes on what becomes public with a page, and what on it stays hidden. */
async function publicWith(cms: Cms, actor: Actor, change: Change): Promise<string[]> {
  const { table, uid, state } = change
  const { tree, publishing } = await cms.capabilities()
  if (!state || uid === null || !tree?.content || table !== tree.pages) return []
  if (!publishing?.states.includes(state.state)) return []
  if (referenceOf(change) !== undefined) return [inLanguage(sentences.new, actor.lang)]
  const elements = (await cms.pageContent(actor, { uid })) ?? []
  return (['public', 'hidden'] as const).flatMap((kind) => {
    const titles = elements.filter(({ hidden }) => hidden === (kind === 'hidden')).map(({ title }) => title)
    if (titles.length === 0) return []
    const more = titles.length > fewNames ? [`+${titles.length - fewNames}`] : []
    const named = [...titles.slice(0, fewNames), ...more].join(', ')
    return [filled(inLanguage(sentences[kind], actor.lang), actor.lang, { elements: named })]
  })
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
  const [{ types }, { readable, wordsOf }] = await Promise.all([
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
