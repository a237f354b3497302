import * as z from 'zod'
import type { Field } from '../../cms/schema.ts'
import { marks, missing } from '../format.ts'
import { TableName } from '../schema.ts'
import { reads } from '../tool.ts'

/** `describe_table`: the fields of a table, with the values that each may have. */
export const describeTable = reads({
  name: 'describe_table',
  sign: 'list',
  words: { en: { title: 'Fields of a table', did: 'Looked up the fields', doing: 'Looking up the fields' } },
  description:
    'The fields of a table with name, label, kind, limits and possible values, as this user may read and change them.',
  guidance:
    'Call describe_table before you propose values for fields that you have not seen. It answers a name that is no table with those that there are.',
  parameters: z.strictObject({ table: TableName }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ table: name }, { actor, cms }) {
    const tables = await cms.tables(actor)
    const table = tables.find((each) => each.name === name)
    if (!table) {
      const known = tables.map((each) => each.name).join(', ') || 'none'
      throw missing(`The table ${name}`, `Tables that the user may read: ${known}.`)
    }
    const head = `Table ${table.name} (${table.label}). The user ${table.mayModify ? 'may' : 'may not'} change records of it.`
    return { text: [head, ...table.fields.map(line)].join('\n'), count: table.fields.length }
  },
})

function line({ name, label, kind, required, max, readOnly, options, target, translated }: Field): string {
  const notes = marks(
    ['required', required],
    ['read-only', readOnly],
    [`at most ${max} characters`, max !== null],
    [`one of ${options?.join(', ')}`, Boolean(options?.length)],
    [`of the table ${target}`, target !== undefined],
    ['translated', translated ?? false],
  )
  return `- ${name}: ${label}, ${kind}${notes}`
}
