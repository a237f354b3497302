import * as z from 'zod'
import { creating, FieldValues, RootTarget, TableName } from '../schema.ts'
import { writes } from '../tool.ts'
import { maxBatch } from './update-records.ts'

/** `create_records`: new records of one table, each a draft or hidden, decided record by record. */
export const createRecords = writes({
  name: 'create_records',
  sign: 'plus',
  words: {
    en: {
      title: 'Create records',
      did: 'Created hidden records',
      doing: 'Creating hidden records',
      asked: 'Proposed new records',
      heading: 'Create “{title}”, hidden',
      stored: '{record} was created, hidden.',
    },
  },
  description:
    'Proposes new records of one table at once, hidden or as drafts, which the user decides row by row.',
  guidance: creating,
  parameters: z.strictObject({
    table: TableName,
    page: RootTarget.optional().describe('Page that they come to, or below; absent: none'),
    records: z.array(FieldValues).min(1).max(maxBatch),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ writes: { create } }) => create.length > 0,
  creates: () => true,
  split: ({ records, ...place }) => records.map((record) => ({ ...place, records: [record] })),
  write: ({ table, page = 0, records: [fields] }) => ({
    table,
    uid: null,
    place: { pid: page === '0' ? 0 : page },
    fields: fields ?? {},
  }),
})
