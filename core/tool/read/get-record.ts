import * as z from 'zod'
import type { CmsRecord, Field } from '../../cms/schema.ts'
import { marks, missing, nameOf, shown, when } from '../format.ts'
import { recordLines } from '../page-path.ts'
import { TableName, Uid } from '../schema.ts'
import { reads } from '../tool.ts'

/** `get_record`: all fields of one record. */
export const getRecord = reads({
  name: 'get_record',
  sign: 'record',
  source: 'record',
  words: {
    en: { title: 'Record', did: 'Read a record', doing: 'Reading a record', asked: 'Looked for a record' },
  },
  description: 'All fields of one record, each with its name, label and stored value, markup included.',
  guidance:
    'Read a record with get_record before you propose a change of it. Use the names of fields and the form of values that it shows.',
  parameters: z.strictObject({ table: TableName, uid: Uid }),
  dataClass: 'internal',
  adminOnly: false,
  async run({ table, uid }, { actor, cms }) {
    const [record, tables, languages] = await Promise.all([
      cms.record(actor, { table, uid }),
      cms.tables(actor),
      cms.languages(),
    ])
    if (!record) throw missing(`Record ${table} [${uid}]`)
    const head = (await recordLines(cms, actor, [record], languages))(record)
    const fields = tables.find(({ name }) => name === table)?.fields ?? []
    const lines = [
      `Record ${table} ${head}`,
      `Changed: ${when(record.changedAt)}. The user ${record.mayEdit ? 'may' : 'may not'} change this record.`,
      'Fields:',
      ...Object.keys(record.fields).map((name) => line(record, name, fields)),
    ]
    return { text: lines.join('\n'), records: [nameOf(record)] }
  },
})

function line(record: CmsRecord, name: string, fields: Field[]): string {
  const field = fields.find((candidate) => candidate.name === name)
  const notes = marks(
    [field?.label ?? '', Boolean(field && field.label !== name)],
    ['read-only', field?.readOnly ?? false],
    [`one of ${field?.options?.join(', ')}`, Boolean(field?.options?.length)],
  )
  const value = record.fields[name]
  return `- ${name}${notes}: ${shown(value)}`
}
