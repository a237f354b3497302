import * as z from 'zod'
import { RecordId } from '../conversation/schema.ts'
import { everyKind } from './put.ts'
import { Field } from './schema.ts'

/**
 * A type of record as the CMS defines it, the same for every user; `tables` says what a user may do with such records.
 */
const CmsType = z.object({ name: z.string(), label: z.string(), fields: z.array(Field) })

/**
 * The features of a CMS. The chat offers only tools that can work on this CMS. The capabilities hold for all users
 * and change only with the version or the set-up of the CMS.
 */
export const Capabilities = z.object({
  /** The CMS's own name, for people. */
  name: z.string().min(1),
  /** The version of the CMS, for people. */
  version: z.string(),
  /** The type of record ids. */
  ids: z.enum(['number', 'string']).default('number'),
  /** The type of user ids. The stage knows users by number and gives each text id a number (`core/cms/user-number`). */
  userIds: z.enum(['number', 'string']).default('number'),
  types: z.array(CmsType),
  /**
   * The page tree: the type of its pages, and the type of the content elements on them (null: no elements). Null: the
   * CMS has no page tree.
   */
  tree: z.object({ pages: z.string(), content: z.string().nullable() }).nullable(),
  /** The record at which a search of the site begins; null for none. */
  home: z.object({ table: z.string(), uid: RecordId }).nullable(),
  /**
   * The storage of languages. `record`: each record has one language; `field`: each field has a value for each
   * language; `none`: no languages.
   */
  locales: z.enum(['none', 'record', 'field']),
  /** The states that a record can be in, for example `draft`, `published`, `scheduled`, `hidden`, `private`. */
  states: z.array(z.string()),
  /**
   * The rules by which records become visible to visitors; null: unknown. If they are unknown and the settings ask for
   * drafts first, the chat only creates new records.
   */
  publishing: z
    .object({
      /** The field that decides whether visitors see a record. */
      field: z.string(),
      /** The states, and the values of that field, in which visitors see a record, now or from a certain time. */
      states: z.array(z.string()),
      /** The value of that field for a draft beside the published version; null: this CMS has no such drafts. */
      draft: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** The kinds of put, each with the types of record that accept it. */
  writes: z.strictObject(everyKind(z.array(z.string()).default([]))).prefault({}),
  /** The origins at which visitors open the site, and the types whose records have `addresses`; null: unknown. */
  addresses: z
    .object({ origins: z.array(z.string()), types: z.array(z.string()) })
    .nullable()
    .default(null),
  /** True if `history` returns changes of records. */
  history: z.boolean(),
  /** True if the CMS keeps earlier states of a record itself, and a person can restore them in the CMS. */
  revisions: z.boolean(),
  /** True if the CMS locks a record that another person has open, and refuses a write to it. */
  locks: z.boolean(),
  /** True if pictures and other files are records of this CMS. */
  media: z.boolean(),
  /** True if `picture` returns the picture of a media record. */
  pictures: z.boolean().default(false),
  /** True if `log` returns entries of a system log. */
  log: z.boolean(),
  /** True if `log` returns exceptions with their stack traces. */
  exceptions: z.boolean(),
  /** True if `users` lists the backend users. */
  users: z.boolean(),
  /** True if `abilities` returns functions of the CMS and its plugins that an administrator of the CMS has allowed. */
  abilities: z.boolean().default(false),
  /** True if parts of lists (blocks, rows) have stable ids, so that a change can name one part. */
  parts: z.boolean().default(false),
  /** True if a put checks the versions and writes in one step; false: another write may happen in between. */
  compareAndSet: z.boolean(),
})
export type Capabilities = z.infer<typeof Capabilities>
