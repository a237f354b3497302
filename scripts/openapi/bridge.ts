import * as z from 'zod'
import { Capabilities } from '../../core/cms/capabilities.ts'
import { Batch, BatchAnswer, operations, Put, Standing } from '../../core/cms/operation.ts'
import { Field, HistoryEntry, Language, LogEntry, Page, Table, TreePage } from '../../core/cms/schema.ts'
import { UserId } from '../../core/cms/user-number/schema.ts'
import { RecordId } from '../../core/conversation/schema.ts'

/** The tables of docs/connect/bridge.md that say what the schemas of the bridge say. */

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
  const types = [schema.type ?? 'any'].flat()
  return types.map((type) => (type === 'integer' ? 'number' : type)).join(' | ')
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

const put = operations.put.output.options[0].shape

/** Shapes that have a name of their own on the page; each is written with the names of those before it. */
const named: [string, z.ZodType][] = [
  ['User', operations.user.output.unwrap()],
  ['BackendUser', operations.users.output.element],
  ['Field', Field],
  ['Table', Table],
  ['Record', Standing.shape.record.unwrap()],
  ['Page', Page],
  ['TreePage', TreePage],
  ['Picture', operations.picture.output.unwrap()],
  ['Change', HistoryEntry.unwrap().shape.changes.element],
  ['HistoryEntry', HistoryEntry],
  ['LogEntry', LogEntry],
  ['Language', Language],
  ['Ability', operations.abilities.output.element],
  ['Versions', put.versions],
  ['Put', Put],
  ['Standing', Standing],
  ['Capabilities', Capabilities],
]

/** The names with their shapes in words, the longest first, so that a shape inside of another one is found last. */
const shapes = named.map(([name, schema]) => ({ name, shape: shapeOf(schema) }))

/** A shape in words, with the names of the shapes inside of it. */
const short = (text: string, but = '') =>
  shapes
    .filter(({ name }) => name !== but)
    .toSorted((one, other) => other.shape.length - one.shape.length)
    .reduce((left, { name, shape }) => left.replaceAll(shape, name), text)

const cell = (text: string) => `\`${text.replaceAll('|', '\\|')}\``

/** The operations with their questions and answers, as the rows of a table. */
function operationTable(): string {
  const rows = Object.entries(operations).map(([name, { does, input, output }]) => {
    const [question, answer] = [input, output].map((schema) => cell(short(shapeOf(schema))))
    return `| \`${name}\` | ${name === 'put' ? 'see [Writing](#writing)' : question} | ${name === 'put' || name === 'settle' ? 'see [Writing](#writing)' : answer} | ${does} |`
  })
  return ['| Operation | Question | Answer | |', '|---|---|---|---|', ...rows].join('\n')
}

const typeLines = (names: string[]) =>
  shapes
    .filter(({ name }) => names.includes(name))
    .map(({ name, shape }) => `${name.padEnd(13)}${short(shape, name)}`)

const blockOf = (lines: string[]) => ['```ts', ...lines, '```'].join('\n')

/** The named shapes, a line each. */
function shapeBlock(): string {
  const others = ['Put', 'Standing', 'Versions', 'Capabilities']
  return blockOf(typeLines(named.map(([name]) => name).filter((name) => !others.includes(name))))
}

/** The capabilities of a CMS, a member a line. */
function capabilityBlock(): string {
  const members = Object.entries(Capabilities.shape).map(
    ([name, schema]) =>
      `  ${name}${schema.safeParse(undefined).success ? '?' : ''}: ${short(shapeOf(schema))}`,
  )
  return blockOf(['{', ...members, '}'])
}

/** The question and the answer of a put; the shapes inside have names. */
function putShapes(): string {
  const inLines = (schema: z.ZodType) => short(shapeOf(schema)).replaceAll('} | {', '}\n         | {')
  return blockOf([
    `put      ${inLines(operations.put.input)}`,
    `->       ${inLines(operations.put.output)}`,
    '',
    ...typeLines(['Put', 'Standing', 'Versions']),
  ])
}

const tables = {
  operations: operationTable,
  shapes: shapeBlock,
  capabilities: capabilityBlock,
  put: putShapes,
}

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

/** Every question and answer of the bridge as a JSON schema, an operation a line. */
export function bridgeSchema(): string {
  const lines = Object.entries(asked).map(([name, { input, output }]) => {
    const [question, answer] = [input, output].map((schema) =>
      z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
    )
    return `  "${name}": ${JSON.stringify({ question, answer })}`
  })
  return `{\n${lines.join(',\n')}\n}\n`
}

const asked = { ...operations, batch: { input: Batch, output: BatchAnswer.shape.result } }

/** The questions as JSON schemas for the kit in PHP, one a line; an id has the type `record` or `user`. */
export function questionShapes(): string {
  const lines = Object.entries(asked).map(([name, { input }]) => {
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
