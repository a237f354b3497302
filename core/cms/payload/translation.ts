import { ToolError } from '../../error.ts'
import type { Write, WritePreview } from '../cms.ts'
import type { Acting } from './acting.ts'
import { fieldsOf, localesOf } from './field.ts'
import { asText, preview } from './preview.ts'
import { typeNamed } from './read.ts'
import { seeOne, shownIn } from './record.ts'
import { refusing } from './refusal.ts'

type Translation = Extract<Write, { kind: 'translate' }>

/**
 * A translation as the change that it is here: of the fields of its locale, stored as a draft where the type has drafts. Any
 * other write as it is. Throws ToolError.
 */
export function inLocale(acting: Acting, write: Write): Exclude<Write, Translation> {
  if (write.kind !== 'translate') return write
  const { table, uid, locale, fields } = write
  const [first, ...others] = localesOf(acting.payload)
  if (!others.includes(locale))
    throw new ToolError(
      `${first === locale ? 'The original is in this language' : 'The site has no such language'}. Languages of translations: ${others.join(', ')}.`,
    )
  const type = typeNamed(acting, table)
  if (!type) throw new ToolError(`There is no type ${table}. list_tables names the types.`)
  const known = fieldsOf(acting.payload, type)
  const common = Object.keys(fields).filter((name) =>
    known.some((field) => field.name === name && !field.isTranslated),
  )
  if (common.length > 0)
    throw new ToolError(`These fields are the same in every language: ${common.join(', ')}. Leave them out.`)
  const inLocale = Object.entries(fields).map(([name, value]) => [`${name}:${locale}`, value])
  const state = type.hasDrafts ? { _status: 'draft' } : {}
  return { kind: 'update', table, uid, fields: { ...Object.fromEntries(inLocale), ...state } }
}

/** What a write would change; of a translation each field under its name in the original, with what that says. */
export async function previewed(acting: Acting, write: Write, earlier: Write[]): Promise<WritePreview> {
  const others = earlier.map((one) => inLocale(acting, one))
  const shown = await preview(acting, inLocale(acting, write), others)
  return write.kind === 'translate' ? refusing(() => beside(acting, write, shown)) : shown
}

async function beside(
  acting: Acting,
  { table, uid, locale }: Translation,
  shown: WritePreview,
): Promise<WritePreview> {
  const type = typeNamed(acting, table)
  const seen = type && (await seeOne(acting, type, uid))
  if (!type || !seen) return shown
  const fields = fieldsOf(acting.payload, type)
  const changes = shown.changes.map((change) => {
    const name = change.field.endsWith(`:${locale}`) ? change.field.slice(0, -locale.length - 1) : undefined
    const original = fields.find((field) => field.name === name)
    if (!original) return change
    return { ...change, field: original.name, original: asText(shownIn(seen, original)) }
  })
  return { ...shown, changes }
}
