import * as z from 'zod'
import { Limit, TableName, Uid } from '../schema.ts'
import { reads } from '../tool.ts'

/** `where_used`: the records that refer to a record by a field, a relation or a link. */
export const whereUsed = reads({
  name: 'where_used',
  sign: 'search',
  source: 'named',
  words: {
    en: {
      title: 'Where a record is used',
      did: 'Looked where it is used',
      doing: 'Looking where it is used',
    },
  },
  description:
    'The records that point at a record, page or file: by a relation, by a picture or file, or by a link in their text.',
  guidance: 'Call where_used before something is deleted, renamed or taken out of sight.',
  parameters: z.strictObject({ table: TableName, uid: Uid, limit: Limit }),
  dataClass: 'internal',
  adminOnly: false,
  async run(args, context) {
    const { usesOf } = await import('../uses.ts')
    return usesOf(args, context)
  },
})
