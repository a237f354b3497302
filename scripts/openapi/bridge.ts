import * as z from 'zod'
import { Batch, operations, Put, Standing } from '../../core/cms/operation.ts'
import { UserId } from '../../core/cms/user-number/schema.ts'
import { RecordId } from '../../core/conversation/schema.ts'

/** The tables of docs/connect/your-own.md that say what the schemas of the bridge say. */

type Schema = z.core.JSONSchema.BaseSchema

const ids = new Map<unknown, string>([
  [RecordId, 'record'],
  [UserId, 'user'],
])

/** A JSON schema as it is written in the documentation, in the manner of TypeScript. */
function describeSchema(schema: Schema): string {
  if (schema.of === 'record') return 'id'
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'")
  if (schema.enum) return schema.enum.map((one) => `'${one}'`).join(' | ')
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return choicesInWords(choices)
  if (schema.type === 'array') return `[${describeSchema(schema.items as Schema)}]`
  if (schema.type === 'object') return membersInWords(schema)
  if (schema.format === 'date-time') return 'time'
  return schema.type === 'integer' ? 'number' : String(schema.type ?? 'any')
}

function choicesInWords(choices: Schema[]): string {
  // PHP writes an empty map as an empty list, which is accepted for it.
  const meant = choices.filter(({ type, maxItems }) => !(type === 'array' && maxItems === 0))
  const isId = meant.every(({ type, pattern }) => type === 'integer' || type === 'number' || pattern)
  return isId ? 'id' : [...new Set(meant.map(describeSchema))].join(' | ')
}

function membersInWords({ properties, required = [], additionalProperties }: Schema): string {
  if (!properties || (typeof additionalProperties === 'object' && Object.keys(properties).length === 0))
    return typeof additionalProperties === 'object'
      ? `{ name: ${describeSchema(additionalProperties as Schema)} }`
      : '{}'
  const members = Object.entries(properties).map(
    ([name, member]) => `${name}${required.includes(name) ? '' : '?'}: ${describeSchema(member as Schema)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

const shapeOf = (schema: z.ZodType) =>
  describeSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }))

/** The operations with their questions and what each answers, as the rows of a table. */
export function operationTable(): string {
  const rows = Object.entries(operations).map(
    ([name, { does, input }]) =>
      `| \`${name}\` | ${name === 'put' ? 'see [Writing](#writing)' : `\`${shapeOf(input).replaceAll('|', '\\|')}\``} | ${does} |`,
  )
  return ['| Operation | Question | Answer |', '|---|---|---|', ...rows].join('\n')
}

/** The question and the answer of a put, as a block of TypeScript; the shapes inside have names. */
export function putShapes(): string {
  const named: [string, string][] = [
    ['Put', shapeOf(Put)],
    ['Record', shapeOf(Standing.shape.record.unwrap())],
    ['Versions', shapeOf(operations.put.output.options[0].shape.versions)],
  ]
  const short = (text: string) => named.reduce((left, [name, shape]) => left.replaceAll(shape, name), text)
  const standing = short(shapeOf(Standing))
  const lines = (text: string) =>
    short(text).replaceAll(standing, 'Standing').replaceAll('} | {', '}\n         | {')
  return [
    '```ts',
    `put      ${lines(shapeOf(operations.put.input))}`,
    `->       ${lines(shapeOf(operations.put.output))}`,
    '',
    `Put      ${shapeOf(Put)}`,
    `Standing ${standing}`,
    `Versions ${named[2]?.[1]}`,
    '```',
  ].join('\n')
}

const tables = { operations: operationTable, put: putShapes }

/** A page with its tables as the schemas have them, each between two comments that name it. */
export function withTables(page: string): string {
  return Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n)[^]*?(\\n<!-- /${name} -->)`),
        (_, begin: string, end: string) => `${begin}${table()}${end}`,
      ),
    page,
  )
}

/** The questions as JSON schemas for the kit in PHP, one a line; an id has the type `record` or `user`. */
export function questionShapes(): string {
  const lines = Object.entries({ ...operations, batch: { input: Batch } }).map(([name, { input }]) => {
    const { $schema: _, ...shape } = z.toJSONSchema(input, { unrepresentable: 'any', io: 'input', override })
    return `  "${name}": ${JSON.stringify(shape)}`
  })
  return `{\n${lines.join(',\n')}\n}\n`
}

const override: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema: schema }) => {
  // A later stage may add members: a kit reads those that it knows.
  delete schema.additionalProperties
  delete schema.propertyNames
  // The format says it.
  if (schema.format) delete schema.pattern
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  const of = ids.get(zodSchema)
  const map = schema.anyOf?.find(({ type }) => type === 'object')
  // PHP reads an empty map and an empty list alike.
  const isMap = map && schema.anyOf?.some(({ maxItems }) => maxItems === 0)
  if (of === undefined && !isMap) return
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, of === undefined ? map : { type: of })
}
