import type { Row } from '../../../../core/cms/reference/item.ts'

/** A record of the reference CMS as it is stored, with these fields. */
export const row = (table: string, uid: number, pid: number, fields: Row['fields'] = {}): Row => ({
  table,
  uid,
  pid,
  deleted: false,
  version: 1,
  createdAt: 0,
  changedAt: 0,
  changedBy: null,
  fields,
})
