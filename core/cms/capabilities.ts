import * as z from 'zod'
import { RecordId } from '../conversation/schema.ts'
import { Field } from './schema.ts'

/** The kinds of write that not every CMS has; `schedule`: a state with the time in which it holds. */
export const writeKinds = ['state', 'schedule', 'move', 'restore', 'translate', 'remove'] as const

/** A type of record as the CMS defines it, the same for every user; `tables` says what a user may do with it. */
export const CmsType = z.object({ name: z.string(), label: z.string(), fields: z.array(Field) })
export type CmsType = z.infer<typeof CmsType>

/**
 * What a CMS has. Tools are offered by it: none that must fail on this CMS. It holds for all users and changes with the
 * version or the set-up of the CMS alone.
 */
export const Capabilities = z.object({
  /** What the CMS calls itself, for people. */
  name: z.string().min(1),
  /** Its version, for people. */
  version: z.string(),
  /** What the ids of records are. */
  ids: z.enum(['number', 'string']).default('number'),
  /** What the ids of users are. The stage knows users by number, and gives one for each text (`core/user-number`). */
  userIds: z.enum(['number', 'string']).default('number'),
  types: z.array(CmsType),
  /** The page tree: the type of its pages, and the type of the elements on them (null: none). Null: there is no tree. */
  tree: z.object({ pages: z.string(), content: z.string().nullable() }).nullable(),
  /** Types of which the chat may make new records, always as drafts or hidden. */
  drafts: z.array(z.string()),
  /** The record where a look around begins; null: there is none. */
  home: z.object({ table: z.string(), uid: RecordId }).nullable(),
  /** Whether a record has a language (`record`), each of its fields has several (`field`), or neither (`none`). */
  locales: z.enum(['none', 'record', 'field']),
  /** The states that a record can be in, for example `draft`, `published`, `scheduled`, `hidden`, `private`. */
  states: z.array(z.string()),
  /**
   * How visitors come to see a record; null: the CMS does not say, and where the settings ask for drafts first, the chat
   * makes new records alone.
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
  /** What can be written beside fields. */
  writes: z.array(z.enum(writeKinds)).default([]),
  /** The types whose records go to a bin, from which they come back as they were. */
  bin: z.array(z.string()).default([]),
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
  /** An update may name passages of a text to be replaced, so that a long text is never sent as a whole. */
  edits: z.boolean().default(false),
  /** An update may change, remove and put in single parts of a list (blocks, rows) by their ids. */
  parts: z.boolean().default(false),
  /** `undo` takes back by itself what a run changed; false: outcomes of writes have `before` and `after`, and core does it. */
  undo: z.boolean().default(true),
  /** `undo` can take back the changes of one record alone. */
  undoOne: z.boolean().default(false),
  /** A write and the check of its versions are one step; false: another write may come in between. */
  compareAndSet: z.boolean(),
})
export type Capabilities = z.infer<typeof Capabilities>

/** Whether the changes of one record alone can be taken back. */
export const undoesOne = ({ undo, undoOne }: Pick<Capabilities, 'undo' | 'undoOne'>): boolean =>
  undoOne || !undo

/** Whether pages and elements are in the tables `pages` and `content`, which descriptions of tools name as examples. */
export const hasUsualTables = ({ tree }: Pick<Capabilities, 'tree'>): boolean =>
  tree?.pages === 'pages' && tree.content === 'content'
