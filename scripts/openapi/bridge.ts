import * as z from 'zod'
import { Capabilities } from '../../core/cms/capabilities.ts'
import { Batch, BatchAnswer, operations, Put, Standing } from '../../core/cms/operation.ts'
import { Field, HistoryEntry, Language, LogEntry, Page, Table, TreePage } from '../../core/cms/schema.ts'
import { UserId } from '../../core/cms/user-number/schema.ts'
import { RecordId } from '../../core/conversation/schema.ts'
import { removeDetails } from './schemas.ts'

/** Generates the tables of docs/connect/bridge.md from the schemas of the bridge. */

type Schema = z.core.JSONSchema.BaseSchema

const ids = new Map<unknown, string>([
  [RecordId, 'record'],
  [UserId, 'user'],
])

/** Returns a JSON schema as text for the documentation, in a notation like TypeScript types. */
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
  // PHP writes an empty map as an empty list, so the schema also accepts an empty list; the documentation leaves it
  // out.
  const meant = choices.filter(({ type, maxItems }) => !(type === 'array' && maxItems === 0))
  const isId = meant.every(({ type, pattern }) => type === 'integer' || type === 'number' || pattern)
  return isId ? 'id' : [...new Set(meant.map(describeSchema))].join(' | ')
}

function membersInWords({ properties = {}, required = [], additionalProperties: others }: Schema): string {
  const members = Object.entries(properties).map(
    ([name, member]) => `${name}${required.includes(name) ? '' : '?'}: ${describeSchema(member as Schema)}`,
  )
  if (members.length > 0) return `{ ${members.join(', ')} }`
  return typeof others === 'object' ? `{ name: ${describeSchema(others as Schema)} }` : '{}'
}

const shapeOf = (schema: z.ZodType) =>
  describeSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }))

const put = operations.put.output.options[0].shape

/** Shapes with their own name on the page; each description uses the names of the shapes before it. */
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

/** The names with their shapes as text. */
const shapes = named.map(([name, schema]) => ({ name, shape: shapeOf(schema) }))

/** Replaces the shapes inside a text by their names, the longest first; `but` is a name that is not used. */
const short = (text: string, but = '') =>
  shapes
    .filter(({ name }) => name !== but)
    .toSorted((one, other) => other.shape.length - one.shape.length)
    .reduce((left, { name, shape }) => left.replaceAll(shape, name), text)

const cell = (text: string) => `\`${text.replaceAll('|', '\\|')}\``

/** Returns the operations with their questions and answers, as the rows of a table. */
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

/** Returns the named shapes, one per line. */
function shapeBlock(): string {
  const others = ['Put', 'Standing', 'Versions', 'Capabilities']
  return blockOf(typeLines(named.map(([name]) => name).filter((name) => !others.includes(name))))
}

/** Returns the capabilities of a CMS, one member per line. */
function capabilityBlock(): string {
  const members = Object.entries(Capabilities.shape).map(
    ([name, schema]) =>
      `  ${name}${schema.safeParse(undefined).success ? '?' : ''}: ${short(shapeOf(schema))}`,
  )
  return blockOf(['{', ...members, '}'])
}

/** Returns the question and the answer of a put; named shapes inside appear by name. */
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

/** Returns the page with its tables generated from the schemas; each table is between two comments with its name. */
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

/** Returns every question and answer of the bridge as a JSON schema, one operation per line. */
export function bridgeSchema(): string {
  const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return lineByLine(({ input, output }) => ({ question: schemaOf(input), answer: schemaOf(output) }))
}

/** Returns the questions as JSON schemas for the PHP kit, one per line; an id has the type `record` or `user`. */
export function questionShapes(): string {
  return lineByLine(({ input }) => {
    const { $schema: _, ...shape } = z.toJSONSchema(input, { unrepresentable: 'any', io: 'input', override })
    return shape
  })
}

const asked = { ...operations, batch: { input: Batch, output: BatchAnswer.shape.result } }

function lineByLine(describe: (operation: { input: z.ZodType; output: z.ZodType }) => object): string {
  const lines = Object.entries(asked).map(([name, of]) => `  "${name}": ${JSON.stringify(describe(of))}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

const override: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema: schema }) => {
  // A later stage may add members, so a kit ignores unknown members.
  delete schema.additionalProperties
  removeDetails(schema)
  const of = ids.get(zodSchema)
  const map = schema.anyOf?.find(({ type }) => type === 'object')
  // PHP reads an empty map and an empty list as the same value.
  const isMap = map && schema.anyOf?.some(({ maxItems }) => maxItems === 0)
  if (of === undefined && !isMap) return
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, of === undefined ? map : { type: of })
}
