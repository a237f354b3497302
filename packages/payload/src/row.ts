import { createHash } from 'node:crypto'
import type { FlattenedField } from 'payload'
import { ToolError } from '../../../core/base/error.ts'
import { isRecord } from '../../../core/base/json.ts'
import type { Put } from '../../../core/cms/cms.ts'
import { isTree } from '../../../core/cms/lexical.ts'
import type { Acting } from './acting.ts'
import { blocksOf, isLocalized, type NamedField } from './field.ts'
import { type Seen, shownIn } from './record.ts'

/** The scope of the ids of one value: `idAt` returns the id of a row by its path. */
type Scope = { acting: Acting; locale: string | undefined; idAt(path: string): string }

/**
 * Returns a function that adds the missing ids to the rows and blocks of a put's values. The same put always gets the
 * same ids, so what a person approves is what is stored. A row that all locales share has one id.
 */
export function idsFor(acting: Acting, put: Put): (named: NamedField, value: unknown) => unknown {
  const ofPut = JSON.stringify([put.table, put.uid, put.fields])
  const idAt = (path: string) => createHash('sha256').update(`${path} ${ofPut}`).digest('hex').slice(0, 24)
  return ({ name, path, field, sharesRows, locale }, value) =>
    withIds({ acting, locale, idAt }, field, value, sharesRows ? path.join('.') : name)
}

function withIds(scope: Scope, field: FlattenedField, value: unknown, at: string): unknown {
  switch (field.type) {
    case 'group':
    case 'tab':
      return isRecord(value) ? withIdsInside(scope, field.flattenedFields, value, at) : value
    case 'array':
    case 'blocks':
      if (!Array.isArray(value)) return value
      return value.map((row, index) => {
        const here = `${at}.${index}`
        const whole = { ...row, id: row.id ?? scope.idAt(here) }
        return withIdsInside(scope, fieldsIn(scope.acting, field, row), whole, here)
      })
    case 'richText':
      return isTree(value) ? withBlockIds(value, (count) => scope.idAt(`${at} ${count}`)) : value
    default:
      return value
  }
}

function withIdsInside(scope: Scope, fields: FlattenedField[], row: Record<string, unknown>, at: string) {
  const values = fields.map((it) => {
    const inside = isLocalized(it) ? `${at}.${it.name}:${scope.locale}` : `${at}.${it.name}`
    return [it.name, withIds(scope, it, row[it.name], inside)] as const
  })
  return { ...row, ...Object.fromEntries(values.filter(([name]) => Object.hasOwn(row, name))) }
}

/** Returns the fields of one row of a list. */
function fieldsIn(
  acting: Acting,
  list: Extract<FlattenedField, { type: 'array' | 'blocks' }>,
  { blockType }: Record<string, unknown>,
): FlattenedField[] {
  if (list.type === 'array') return list.flattenedFields
  return blocksOf(acting, list).find(({ slug }) => slug === blockType)?.flattenedFields ?? []
}

/** Adds the missing ids to the blocks of a rich text. */
function withBlockIds(tree: object, idOf: (count: number) => string): unknown {
  let count = 0
  return JSON.parse(JSON.stringify(tree), (name, inside: unknown) =>
    name === 'fields' && isRecord(inside) && inside.blockType ? { id: idOf(count++), ...inside } : inside,
  )
}

/**
 * Throws ToolError if a list in a further locale has other rows than the list that all locales share: to store it would
 * delete the texts of the other locales.
 */
export function refuseOtherRows(values: { field: NamedField; value: unknown }[], seen: Seen): void {
  const [first] = seen.in.keys()
  for (const { field, value } of values) {
    if (!field.sharesRows || field.locale === first) continue
    const shared = field.path.join('.')
    const given = values.find((it) => it.field.name === shared)
    const rows = given ? given.value : shownIn(seen, { ...field, locale: first })
    const ids = new Set([rows].flat().map((row) => Object(row).id))
    if ([value ?? []].flat().every((row) => ids.has(Object(row).id))) continue
    throw new ToolError(
      `All languages share the rows of ${shared}. Give each row of ${field.name} the id that it has in ${shared}, and add rows there.`,
    )
  }
}
