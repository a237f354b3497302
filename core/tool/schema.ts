import * as z from 'zod'

/** How many entries a list returns: 1-100, 20 when the model does not say. */
export const Limit = z.int().min(1).max(100).default(20).describe('How many at most, 1-100')

/** The uid of a record or page. */
export const Uid = z.int().positive()

/** A table by its name; whether it is there and may be read, the CMS says. */
export const TableName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/)
  .describe('Name of the table, for example pages, content or news')
