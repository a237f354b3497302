import * as z from 'zod'
import { RecordId } from '../conversation/schema.ts'
import { Field } from './schema.ts'

/** A type of record as the CMS defines it, the same for every user; `tables` says what a user may do with it. */
const CmsType = z.object({ name: z.string(), label: z.string(), fields: z.array(Field) })

const types = z.array(z.string()).default([])

/**
 * The features of a CMS. The chat offers only tools that can work on this CMS. The capabilities hold for all users
 * and change only with the version or the set-up of the CMS.
 */
export const Capabilities = z.object({
  /** The CMS's own name, for people. */
  name: z.string().min(1),
  /** Its version, for people. */
  version: z.string(),
  /** The kind of the ids of records. */
  ids: z.enum(['number', 'string']).default('number'),
  /**
   * The kind of the ids of users. The stage knows users by number, and gives each text one (`core/cms/user-number`).
   */
  userIds: z.enum(['number', 'string']).default('number'),
  types: z.array(CmsType),
  /** The page tree: the type of its pages, and the type of the elements on them (null: none). Null: there is no tree. */
  tree: z.object({ pages: z.string(), content: z.string().nullable() }).nullable(),
  /** The record at which a search of the site begins; null for none. */
  home: z.object({ table: z.string(), uid: RecordId }).nullable(),
  /**
   * The place of languages: a record has one (`record`), each of its fields has several (`field`), or neither
   * (`none`).
   */
  locales: z.enum(['none', 'record', 'field']),
  /** The states that a record can be in, for example `draft`, `published`, `scheduled`, `hidden`, `private`. */
  states: z.array(z.string()),
  /**
   * How records become visible to visitors. Null: the CMS does not say; if the settings ask for drafts first, the
   * chat then only makes new records.
   */
  publishing: z
    .object({
      /** The field that decides whether visitors see a record. */
      field: z.string(),
      /** The states, and the values of that field, in which visitors see a record, now or from a time on. */
      states: z.array(z.string()),
      /** The value of that field with which an update is stored as a draft beside what visitors see; null: no update is. */
      draft: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** The members that a put may have, each with the types for which it may. */
  writes: z
    .strictObject({
      /** New records, always as drafts or hidden. */
      create: types,
      /** A state of `states`. */
      state: types,
      /** A time in which visitors see the record, with the state that plans. */
      times: types,
      /** Another page, another place in the order. */
      place: types,
      /** The bin, from which records come back as they were. */
      bin: types,
      /** The removal of a record that a run made. */
      remove: types,
      /** No member: `record` answers earlier revisions. */
      restore: types,
    })
    .prefault({}),
  /** The origins under which visitors open the site, and the types whose records have `addresses`; null: unknown. */
  addresses: z
    .object({ origins: z.array(z.string()), types: z.array(z.string()) })
    .nullable()
    .default(null),
  /** `history` answers changes of records. */
  history: z.boolean(),
  /** The CMS keeps earlier states of a record itself, and a person can restore one there. */
  revisions: z.boolean(),
  /** A record that another person has open is locked, and a write to it refused. */
  locks: z.boolean(),
  /** Pictures and other files are records of this CMS. */
  media: z.boolean(),
  /** `picture` answers what a record of media shows. */
  pictures: z.boolean().default(false),
  /** `log` answers entries of a system log. */
  log: z.boolean(),
  /** `exception` answers what went wrong, with its trace. */
  exceptions: z.boolean(),
  /** `users` lists the backend users. */
  users: z.boolean(),
  /** `abilities` answers functions of the CMS and its plugins that an administrator there has allowed. */
  abilities: z.boolean().default(false),
  /** Parts of lists (blocks, rows) have ids that stay, by which one of them can be changed. */
  parts: z.boolean().default(false),
  /** A put and the check of its versions are one step; false: another write may happen in between. */
  compareAndSet: z.boolean(),
})
export type Capabilities = z.infer<typeof Capabilities>

/** The home page in the page tree; null for a site without one. */
export const homeOf = ({ home, tree }: Pick<Capabilities, 'home' | 'tree'>): RecordId | null =>
  home !== null && home.table === tree?.pages ? home.uid : null

/** The address at which visitors open a record, or its editors while it is hidden; undefined where the CMS says none. */
export function urlOf(
  { addresses }: Pick<Capabilities, 'addresses'>,
  { addresses: [path] }: { addresses: readonly string[] },
): string | undefined {
  const [origin] = addresses?.origins ?? []
  const url = origin && path ? URL.parse(path, origin) : null
  const isOfSite =
    url?.origin === (origin && URL.parse(origin)?.origin) && /^https?:$/.test(url?.protocol ?? '')
  return isOfSite ? url?.href : undefined
}
