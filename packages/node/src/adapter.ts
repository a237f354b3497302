import type { IncomingMessage, ServerResponse } from 'node:http'

/** The id of a record or of a user, as the CMS has it. */
export type Id = number | string

/** A user of the CMS. `id` is one that the CMS gives to nobody else. */
export type Person = {
  id: Id
  username: string
  name: string
  /** True: the user sees users and facts, and may always use the chat. */
  isAdmin: boolean
  /** Names or numbers of the groups that count for the user, the most important first. */
  groups: Id[]
  /** Language of the user, for example `de`. */
  lang: string
}

/** A field of a type. Other kinds than these are checked by `check` alone. */
export type FieldOf = {
  name: string
  label: string
  kind:
    | 'text'
    | 'longtext'
    | 'html'
    | 'blocks'
    | 'number'
    | 'boolean'
    | 'date'
    | 'select'
    | 'relation'
    | 'media'
  required?: boolean
  /** The most characters of a text. */
  max?: number
  readOnly?: boolean
  /** The values of a select. */
  options?: string[]
  /** The type that a relation points at. */
  target?: string
}

/** A type of records. */
export type TypeOf = {
  name: string
  /** Its name for people, in the plural. */
  label: string
  /** The name of the field that names a record to people. */
  title: string
  fields: FieldOf[]
  /** True: the user may make and change records of it. For all users together it has no meaning. */
  mayModify: boolean
}

/** A record as a user may see it: without the fields that they may not read. */
export type Entry = {
  type: string
  id: Id
  /** Differs after every change of the record, whoever made it. */
  version: string
  changedAt: Date
  values: Record<string, unknown>
  /** True: the user may change it now. */
  mayEdit: boolean
  /** Paths at which visitors open it, each beginning with `/`. */
  addresses?: string[]
}

/** A file of a picture in one of its sizes. `read` answers its content; undefined where it is not there. */
export type PictureFile = { type: string; bytes: number; read(): Promise<Uint8Array | undefined> }

/** A change that a user approved: new values of a record, or a new record. */
export type ChangeOf = {
  type: string
  /** Null: a new record. */
  id: Id | null
  /** Whole values by field; fields that are absent stay. */
  values: Record<string, unknown>
  /** The version that the user has seen; empty for a new record. */
  version: string
  /** The turn of the chat, for the history of the CMS. */
  run: string
}

/** Named texts of the plugin, in a table with a unique name. They hold nonces and the ends of changes. */
export type KeyStore = {
  /** Adds a text in one step; false where its name is there. It may go after `until`, in milliseconds since the epoch. */
  add(name: string, text: string, until: number): Promise<boolean>
  /** The text of a name; undefined: there is no such name. */
  read(name: string): Promise<string | undefined>
  set(name: string, text: string): Promise<void>
  remove(name: string): Promise<void>
}

/** A CMS as its author describes it. Every function that has a user answers with their rights at that moment. */
export type Adapter = {
  name: string
  version: string
  /** The kind of the ids of records, and of users; numbers if absent. */
  ids?: 'number' | 'string'
  userIds?: 'number' | 'string'
  /** The field that decides whether visitors see a record. A type without it gets no new records from the assistant. */
  publishing?: { field: string; shown: string[]; hidden: string }
  /** The type whose records are the page tree, and its field with the id of the page above. Absent: there is no tree. */
  tree?: { type: string; parent: string }
  /** Origins under which visitors open the site; absent: records have no addresses. */
  origins?: string[]
  /** The user as the CMS knows them now; undefined when gone or disabled. */
  user(id: Id): Promise<Person | undefined>
  /** The types that a user may read; null asks for all types. */
  types(user: Person | null): Promise<TypeOf[]>
  /** A record; undefined where the user may not see it, or it is not there. */
  read(user: Person, type: string, id: Id): Promise<Entry | undefined>
  /**
   * A part of the records of a type in a stable order, and the number of all that the user may see; of the pages directly
   * below a page where `below` is given.
   */
  list(
    user: Person,
    type: string,
    part: { limit: number; offset: number; below?: Id },
  ): Promise<{ entries: Entry[]; total: number }>
  /** The records with the text in a field, the newest change first; of one type where `type` is given. */
  search(user: Person, text: string, within: { type?: string; limit: number }): Promise<Entry[]>
  /**
   * Stores a change with the functions of the CMS, if the record still has that version, in one step. Answers the new state
   * of the record; undefined where another change was first. Throws Refused, as for a missing right.
   */
  put(user: Person, change: ChangeOf): Promise<Entry | undefined>
  /** The values as the CMS would store them; nothing is stored. Throws Refused like `put`. Absent: as they are. */
  check?(user: Person, change: ChangeOf): Promise<Record<string, unknown>>
  /** Takes away a record that an undo removes; undefined where another change was first. Absent: such records stay. */
  remove?(user: Person, entry: Entry): Promise<true | undefined>
  /** The file of a record in its sizes, for models with vision; empty where the record has none. Absent: no record has files. */
  files?(user: Person, entry: Entry): Promise<PictureFile[]>
  /** All users, for administrators. */
  users?(): Promise<(Person & { disabled: boolean })[]>
  keys: KeyStore
  /** Runs in one transaction: on an error nothing of it is stored. Absent: a crash may leave a change whose end is unknown. */
  transaction?<T>(run: () => Promise<T>): Promise<T>
}

/** The code of a stage, the code before it while a stage changes over, and the address that the stage has for this CMS. */
export type Connection = { code: string; previousCode?: string; base: string }

/** The data of the tag that brings the panel into a page: `data-` attributes of docs/embedding.md by their names. */
export type PanelData = {
  sessionUrl: string
  recordHref?: string
  lang?: string
  toggle?: string
  follow?: string
  pages?: string
  page?: Id
  table?: string
  title?: string
}

/** The chat of a CMS. */
export type Chat = {
  /** Answers a request of the stage; undefined for every other path. Works with any server that has fetch's shapes. */
  answer(request: Request): Promise<Response | undefined>
  /** The same for `node:http`, Express and Fastify's raw requests, before any body is parsed; false for every other path. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** A statement for the panel about the user who is logged in; `session` is their session in the CMS, if it has sessions. */
  statement(user: Id, session?: string): string
  /** Ends the sessions of the user in the chat; call it at the logout. Never fails. */
  end(user: Id, session?: string): Promise<void>
  /** The script tag of the panel, as HTML. */
  tag(data: PanelData): string
}
