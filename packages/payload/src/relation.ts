import type { FlattenedBlock, FlattenedField } from 'payload'
import { ToolError } from '../../../core/base/error.ts'
import { isRecord } from '../../../core/base/json.ts'
import { type Acting, asUser } from './acting.ts'

/** A record that a value points at. */
type Target = { relationTo: string; id: number | string }

/** Throws ToolError where a value points at a record that the user does not see, and the `present` value does not. */
export async function refuseUnseen(
  acting: Acting,
  field: FlattenedField,
  value: unknown,
  present: unknown,
): Promise<void> {
  const name = ({ relationTo, id }: Target) => `${relationTo}:${id}`
  const known = new Set(targetsIn(acting, field, present).map(name))
  const wanted = new Map(targetsIn(acting, field, value).map((target) => [name(target), target]))
  for (const [key, { relationTo, id }] of wanted) {
    if (known.has(key)) continue
    const as = { ...(await asUser(acting)), draft: true, disableErrors: true }
    const isThere = acting.payload.collections[relationTo] !== undefined
    if (!isThere || !(await acting.payload.findByID({ ...as, collection: relationTo, id })))
      throw new ToolError(`There is no record ${id} in ${relationTo}.`)
  }
}

/** The records that a value points at, also inside of rows, blocks and rich text. */
function targetsIn(acting: Acting, field: FlattenedField, value: unknown): Target[] {
  const inside = (fields: FlattenedField[] = [], row: unknown) =>
    isRecord(row) ? fields.flatMap((it) => targetsIn(acting, it, row[it.name])) : []
  switch (field.type) {
    case 'relationship':
    case 'upload':
      return [value].flat().flatMap((one) => targetOf(field.relationTo, one))
    case 'group':
    case 'tab':
      return inside(field.flattenedFields, value)
    case 'array':
      return [value].flat().flatMap((row) => inside(field.flattenedFields, row))
    case 'blocks':
      return [value]
        .flat()
        .flatMap((row) =>
          inside(
            blocksOf(acting, field).find(({ slug }) => isRecord(row) && slug === row.blockType)
              ?.flattenedFields,
            row,
          ),
        )
    case 'richText':
      return nodesIn(value)
    default:
      return []
  }
}

/** The blocks of a field, those that the site shares among fields included. */
export function blocksOf(
  { payload }: Pick<Acting, 'payload'>,
  { blocks, blockReferences = [] }: Extract<FlattenedField, { type: 'blocks' }>,
): FlattenedBlock[] {
  const shared = (blockReferences ?? []).flatMap((it) =>
    typeof it === 'string' ? (payload.blocks[it] ?? []) : it,
  )
  return [...blocks, ...shared] as FlattenedBlock[]
}

function targetOf(relationTo: unknown, one: unknown): Target[] {
  const [to, id] =
    Array.isArray(relationTo) && isRecord(one) ? [one.relationTo, one.value] : [relationTo, one]
  return typeof to === 'string' && (typeof id === 'number' || typeof id === 'string')
    ? [{ relationTo: to, id }]
    : []
}

/** Pictures, records and links of a rich text: nodes that name a collection beside an id. */
function nodesIn(value: unknown): Target[] {
  if (typeof value !== 'object' || value === null) return []
  const own = isRecord(value) ? targetOf([], value) : []
  return [...own, ...Object.values(value).flatMap(nodesIn)]
}
