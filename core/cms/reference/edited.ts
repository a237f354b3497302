import type { Write } from '../cms.ts'
import { replaceOnce } from '../passage.ts'
import type { Row } from './item.ts'
import type { Refusal } from './refusal.ts'

/**
 * The values that an update wants for its fields, with its edits made in what the record says. `readable` are the fields
 * that the actor may read; what the others say, no refusal tells.
 */
export function wantedOf(
  row: Row,
  { table, fields, edits = [] }: Extract<Write, { kind: 'update' }>,
  readable: string[],
): { fields: Record<string, unknown> } | Refusal {
  const wanted = { ...fields }
  for (const edit of edits) {
    const { field } = edit
    if (!readable.includes(field)) return { refused: 'unknownField', table, fields: [field], known: readable }
    const text = Object.hasOwn(wanted, field) ? wanted[field] : row.fields[field]
    if (typeof text !== 'string') return { refused: 'noText', field }
    const replaced = replaceOnce(text, edit)
    if ('found' in replaced) return { refused: 'passage', field, found: replaced.found }
    wanted[field] = replaced.text
  }
  return { fields: wanted }
}
