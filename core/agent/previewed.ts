import { type ChangeObject, diffWordsWithSpace } from 'diff'
import type { Actor } from '../base/actor.ts'
import { ToolError } from '../base/error.ts'
import { type English, fillIn, inLanguage } from '../base/language.ts'
import { type Change, referenceOf } from '../cms/change.ts'
import type { Cms } from '../cms/cms.ts'
import { previewOnNew } from '../cms/new-record.ts'
import { type PutPreview, previewChange } from '../cms/preview.ts'
import type { CmsRecord } from '../cms/schema.ts'
import type { FieldChange } from '../conversation/schema.ts'
import { fits } from './approval.ts'

/**
 * Returns the preview of a write for an approval. `base` is the new record of the same proposal that the write changes.
 * Rejects with ToolError if the changes are too large.
 */
export async function previewed(
  cms: Cms,
  actor: Actor,
  change: Change,
  earlier: Change[],
  base?: CmsRecord,
): Promise<PutPreview> {
  const whole = base
    ? await previewOnNew(cms, actor, change, base)
    : await previewChange(cms, actor, change, earlier)
  const notes = [...(whole.notes ?? []), ...(await publicWith(cms, actor, change))]
  const changes = await shownChanges(cms, actor, whole)
  const preview = { ...whole, changes, ...(notes.length > 0 && { notes }) }
  if (!fits(preview)) throw new ToolError('The change is too large to be shown for approval. Split it.')
  return preview
}

const sentences: Record<'public' | 'hidden' | 'new', English> = {
  public: { en: 'Public with the page: {elements}.' },
  hidden: { en: 'Stay hidden on it: {elements}.' },
  new: { en: 'New content on a new page stays hidden until it is published itself.' },
}

/** The maximum number of elements of a page that a note names. */
const fewNames = 10

/** Returns notes on the elements that become public with a page, and on the elements that stay hidden. */
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
    return [fillIn(inLanguage(sentences[kind], actor.lang), actor.lang, { elements: named })]
  })
}

/** Returns the changes with only the passages that differ: as stored and, if possible, also in readable form. */
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

/** Values that have at most this number of characters together are shown completely. */
const shortEnough = 1_000
/** The number of characters of unchanged text that are shown on each side of a change. */
const context = 160
/**
 * The maximum number of words by which two texts may differ. Texts that differ in more words are treated as rewritten:
 * everything between the first and the last difference is shown. The time of a comparison grows with the square of this
 * number.
 */
const maxEditLength = 500
/**
 * The maximum number of characters between the first and the last difference of two texts. Texts with more characters
 * there are treated as rewritten, too.
 */
const maxCompared = 200_000

/** The mark in place of unchanged text that is not shown, at the same positions in both texts. */
export const gap = '[…]'

/**
 * Returns a change in a form that a person can judge: long values show only their changed passages with context. Only
 * text that is the same on both sides is left out.
 */
export function passages(change: FieldChange): FieldChange {
  const { before, after } = change
  if (before === null || after === null || before.length + after.length <= shortEnough) return change
  const parts = difference(before, after)
  const sides = { before: '', after: '' }
  for (const [at, part] of parts.entries()) {
    const isSame = !part.added && !part.removed
    const text = isSame ? shortened(part.value, at === 0, at === parts.length - 1) : part.value
    if (!part.added) sides.before += text
    if (!part.removed) sides.after += text
  }
  return { ...change, ...sides }
}

type Part = Pick<ChangeObject<string>, 'value' | 'added' | 'removed'>

/** Returns the parts of both texts in order; adjacent unchanged parts are joined. */
function difference(before: string, after: string): Part[] {
  // Compares words only between the first and the last difference, which is a small part of a long text.
  const { head, tail } = ends(before, after)
  const [old, fresh] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  const isLong = old.length + fresh.length > maxCompared
  const compared = isLong ? undefined : diffWordsWithSpace(old, fresh, { maxEditLength })
  const between = compared ?? rewrite(old, fresh)
  const parts = [same(before.slice(0, head)), ...between, same(before.slice(before.length - tail))]
  return parts.filter(({ value }) => value !== '').reduce(joined, [])
}

const same = (value: string): Part => ({ value, added: false, removed: false })

function joined(parts: Part[], part: Part): Part[] {
  const last = parts.at(-1)
  const isSame = last && !last.added && !last.removed && !part.added && !part.removed
  if (isSame) last.value += part.value
  else parts.push({ ...part })
  return parts
}

/** Returns the number of equal characters at the beginning and at the end of both texts, reduced to whole words. */
function ends(before: string, after: string): { head: number; tail: number } {
  const isSpace = (at: number) => before.charCodeAt(at) <= 32
  let { head, tail } = shared(before, after)
  while (head > 0 && !isSpace(head - 1)) head--
  while (tail > 0 && !isSpace(before.length - tail)) tail--
  return { head, tail }
}

/** Returns the number of equal characters at the beginning and at the end; no character counts twice. */
function shared(before: string, after: string): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return { head, tail }
}

/** Returns one passage from the first to the last difference. */
function rewrite(before: string, after: string): Part[] {
  const { head, tail } = shared(before, after)
  const middle = (text: string) => text.slice(head, text.length - tail)
  return [
    same(before.slice(0, head)),
    { value: middle(before), added: false, removed: true },
    { value: middle(after), added: true, removed: false },
    same(before.slice(before.length - tail)),
  ]
}

/**
 * Returns unchanged text without its middle. At the start or end of the value, keeps only the side next to a change.
 */
function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  const head = isFirst ? 0 : context
  const tail = isLast ? 0 : context
  if (text.length <= head + tail + 2 * gap.length) return text
  const start = text.slice(0, head).replace(/\S{0,40}$/u, '')
  const end = text.slice(text.length - tail).replace(/^\S{0,40}/u, '')
  return `${start}${gap}${tail === 0 ? '' : end}`
}
