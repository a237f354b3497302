import type { IncomingMessage, ServerResponse } from 'node:http'

/** The id of a record or of a user in the CMS. */
export type Id = number | string

/** A user of the CMS. The CMS never gives the `id` to another user. */
export type Person = {
  id: Id
  username: string
  name: string
  /** True if the user may see users and facts (such as versions) of the CMS, and always use the chat. */
  isAdmin: boolean
  /** The names or numbers of the user's effective groups, the most important first. */
  groups: Id[]
  /** The language of the user, for example `de`. */
  lang: string
}

/** A field of a type. The kit validates values of these kinds; only `check` can validate values of any other kind. */
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
  /** The maximum number of characters of a text. */
  max?: number
  readOnly?: boolean
  /** The allowed values of a select. */
  options?: string[]
  /** The type to which a relation points. */
  target?: string
}

/** A type of records. */
export type TypeOf = {
  name: string
  /** The plural name of the type for people. */
  label: string
  /** The name of the field that contains a record's title. */
  title: string
  fields: FieldOf[]
  /** True if the user may create and change records of this type. It has no meaning in `types(null)`. */
  mayModify: boolean
}

/** A record without the fields that the user may not read. */
export type Entry = {
  type: string
  id: Id
  /** A text that differs after every change of the record, by any user. */
  version: string
  changedAt: Date
  values: Record<string, unknown>
  /** True if the user may change the record now. */
  mayEdit: boolean
  /** The paths at which visitors open the record, each starting with `/`. */
  addresses?: string[]
}

/** A picture file in one size. `read` returns its content, or undefined if the file does not exist. */
export type PictureFile = { type: string; bytes: number; read(): Promise<Uint8Array | undefined> }

/** A change that a user approved: new values of a record, or a new record. */
export type ChangeOf = {
  type: string
  /** Null for a new record. */
  id: Id | null
  /** Complete values by field; a field that is absent stays unchanged. */
  values: Record<string, unknown>
  /** The version that the user has seen; empty for a new record. */
  version: string
  /** The id of the chat's turn, for the history of the CMS. */
  run: string
}

/**
 * A store of texts by unique name, such as a table with a unique column. It contains nonces and the results of changes.
 */
export type KeyStore = {
  /**
   * Adds a text in one atomic step; returns false if the name exists. The text may be deleted after `until`, in
   * milliseconds since the epoch.
   */
  add(name: string, text: string, until: number): Promise<boolean>
  /** Returns the text of a name; undefined if the name does not exist. */
  read(name: string): Promise<string | undefined>
  set(name: string, text: string): Promise<void>
  remove(name: string): Promise<void>
}

/**
 * The functions of a CMS, written by its author. A function with a `user` applies that user's rights at the time of the
 * call.
 */
export type Adapter = {
  name: string
  version: string
  /** The kinds of the ids of records and of users; numbers if absent. */
  ids?: 'number' | 'string'
  userIds?: 'number' | 'string'
  /**
   * The field that decides if visitors see a record. `shown`: its values for visible records. `hidden`: its value for
   * new records. The assistant creates no records of a type without this field.
   */
  publishing?: { field: string; shown: string[]; hidden: string }
  /**
   * The type whose records are the page tree, and its field with the id of the parent page. Absent if the CMS has no
   * tree. The tree has only the first 5,000 pages of `list`; the other tools find later pages too.
   */
  tree?: { type: string; parent: string }
  /** The origins at which visitors open the site; if absent, records have no addresses. */
  origins?: string[]
  /** Returns the current data of a user; undefined if the user is deleted or disabled. */
  user(id: Id): Promise<Person | undefined>
  /** Returns the types that a user may read; all types if `user` is null. */
  types(user: Person | null): Promise<TypeOf[]>
  /** Returns a record; undefined if it does not exist or the user may not see it. */
  read(user: Person, type: string, id: Id): Promise<Entry | undefined>
  /**
   * Returns a part of a type's records in a stable order, and the number of records that the user sees. With `below`,
   * only the pages directly below that page count.
   */
  list(
    user: Person,
    type: string,
    part: { limit: number; offset: number; below?: Id },
  ): Promise<{ entries: Entry[]; total: number }>
  /** Returns the records that contain every word of the text, the newest change first; only records of `type` if given. */
  search(user: Person, text: string, within: { type?: string; limit: number }): Promise<Entry[]>
  /**
   * Stores a change with the CMS's functions in one atomic step, if the record still has the change's version. Returns
   * the new state of the record; undefined if another change was earlier. Throws Refused, for example for a missing
   * right.
   */
  put(user: Person, change: ChangeOf): Promise<Entry | undefined>
  /**
   * Returns the values as the CMS would store them, and stores nothing. Throws Refused like `put`. If this function is
   * absent, values stay as given.
   */
  check?(user: Person, change: ChangeOf): Promise<Record<string, unknown>>
  /**
   * Deletes a record that an undo removes; returns undefined if another change was earlier. If this function is absent,
   * such records stay.
   */
  remove?(user: Person, entry: Entry): Promise<true | undefined>
  /**
   * Returns the file of a record in its sizes, for models with vision; empty if the record has no file. If this
   * function is absent, no record has files.
   */
  files?(user: Person, entry: Entry): Promise<PictureFile[]>
  /** Returns all users, for administrators. */
  users?(): Promise<(Person & { disabled: boolean })[]>
  keys: KeyStore
  /**
   * Runs `run` in one transaction; an error stores nothing. If this function is absent, a crash may leave a change with
   * an unknown result.
   */
  transaction?<T>(run: () => Promise<T>): Promise<T>
}

/**
 * The pairing code of a stage, and the previous code during a change of codes. `base` is the address at which the stage
 * reaches this CMS.
 */
export type Connection = { code: string | undefined; previousCode?: string | undefined; base: string }

/** The data of the script tag that loads the panel: the `data-` attributes of docs/embedding.md by name. */
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

/** The chat of a CMS, as `connect` returns it. */
export type Chat = {
  /**
   * Answers a request of the stage; returns undefined for any other path. Works with any server that uses the Request
   * and Response of fetch.
   */
  answer(request: Request): Promise<Response | undefined>
  /**
   * Answers a request of `node:http`, Express or Fastify (raw) before its body is parsed; returns false for any other
   * path.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /**
   * Returns a statement about the logged-in user, for the panel. `session` is the user's session in the CMS, if the CMS
   * has sessions.
   */
  statement(user: Id, session?: string): string
  /** Ends the user's sessions in the chat; call it at logout. Never throws. */
  end(user: Id, session?: string): Promise<void>
  /** Returns the script tag of the panel, as HTML. */
  tag(data: PanelData): string
}
