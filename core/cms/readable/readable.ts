import { decodeHTML } from 'entities/decode'
import { type English, inLanguage } from '../../base/language.ts'
import type { FieldKind } from '../schema.ts'
import { readableHtml, type Words } from './html.ts'
import { readableNodes } from './nodes.ts'
import { close, open } from './sheet.ts'

const words: English<Words> = { en: { heading: 'Heading {level}', image: 'Image' } }

/** Returns the words of readable forms in the language of a reader. */
export const wordsOf = (lang: string): Words => inLanguage(words, lang)

/** The values of a change; for a translation, also the value of the original. Null: there is no value. */
type Sides = { before: string | null; after: string | null; original?: string | null }

/**
 * Returns a change of rich text or blocks in readable form: headings, paragraphs, lists, links with their addresses,
 * pictures with their descriptions. All other parts of a value (attributes, scripts, comments, settings of blocks)
 * appear as source between ⟦ and ⟧. No text of a readable form contains these brackets. Returns undefined if the stored
 * form has to be shown: for other kinds of fields, and if the readable forms equal each other or the stored forms. The
 * same holds for a value that itself contains these brackets. The time is linear in the size of the values.
 */
export function readable(sides: Sides, kind: FieldKind, words: Words): Sides | undefined {
  const { before, after, original } = sides
  if (kind !== 'html' && kind !== 'blocks') return undefined
  const form = (value: string | null) => (value === null ? null : formOf(value, kind, words))
  const [old, fresh, source] = [form(before), form(after), form(original ?? null)]
  if (old === undefined || fresh === undefined || source === undefined || old === fresh) return undefined
  if (old === before && fresh === after) return undefined
  return { before: old, after: fresh, ...(original !== undefined && { original: source }) }
}

function formOf(value: string, kind: 'html' | 'blocks', words: Words): string | undefined {
  const parts = kind === 'blocks' ? partsOf(value) : undefined
  const form = parts === undefined ? readableHtml(value, words) : readableNodes(parts, words)
  if (form === undefined) return undefined
  // Brackets in the value itself would look like marks. Checks JSON after its escapes are decoded.
  const given = parts === undefined ? decodeHTML(value) : JSON.stringify(parts)
  return given.includes(open) || given.includes(close) ? undefined : form
}

/** Returns the object or list of a JSON value; undefined if the value is no JSON. */
function partsOf(value: string): object | undefined {
  if (!/^\s*[[{]/.test(value)) return undefined
  try {
    return JSON.parse(value) as object
  } catch {
    return undefined
  }
}
