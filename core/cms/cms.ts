import type { Actor } from '../actor.ts'
import type { FieldChange, RecordId } from '../conversation/schema.ts'
import type { UserId } from '../user-number/schema.ts'
import type { Capabilities } from './capabilities.ts'
import type {
  CmsRecord,
  HistoryEntry,
  Language,
  LogEntry,
  LogLevel,
  Page,
  Table,
  TreePage,
} from './schema.ts'

/**
 * The content management system behind the chat. Every operation acts for the actor and is filtered by the CMS at
 * the moment of the act; nothing here caches a right. What the actor may not see reads exactly like what is not there:
 * `undefined`, or absent from a list. Implemented by the reference CMS (`reference/`) and by the bridge (`bridge/`).
 */
export type Cms = {
  /** What this CMS has, the same for every user. */
  capabilities(): Promise<Capabilities>
  /**
   * The user as the CMS knows them now; undefined when gone, disabled or outside their time. With `maxAgeMs` an answer
   * of at most that age may be given instead: good for looking, never for a decision or a write.
   */
  user(uid: number, maxAgeMs?: number): Promise<Actor | undefined>
  /**
   * The user whom the CMS has under this id, as a statement or a person writes it. It is the only way in for ids that are
   * texts: the actor has the number that the stage gives for one. Undefined like `user`, and for what is no id here.
   */
  userNamed(id: string): Promise<Actor | undefined>
  /**
   * Where the user's row lies, for a CMS in DynamoDB: lets a request read session, user and conversation in one batch.
   * Absent for a CMS elsewhere.
   */
  userRow?: {
    table: string
    key(uid: number): { pk: string; sk: string }
    /** The actor of the row; undefined like `user`. `now` is milliseconds since the epoch. */
    decode(item: Record<string, unknown> | undefined, now: number): Actor | undefined
  }
  /**
   * What a turn begins with, asked at once: the user as they are now, what this CMS has, its languages, and as that user
   * the open page (0: none); with `table` the open record of that type. Undefined like `user`.
   */
  opening(uid: number, open: RecordId, table?: string): Promise<Opening | undefined>
  /** The site's languages, default first. */
  languages(): Promise<Language[]>
  /** A page by uid with its rootline, if the actor may show it. */
  page(actor: Actor, uid: RecordId): Promise<Page | undefined>
  /** The pages below `root` that the actor may show, depth first in menu order, those directly below at depth 1. */
  pageTree(actor: Actor, query: { root: RecordId; depth: number; limit: number }): Promise<TreePage[]>
  /** The content elements of a page, hidden ones included and marked, by column, language and sorting. */
  pageContent(actor: Actor, uid: RecordId): Promise<CmsRecord[] | undefined>
  /** The tables that the actor may select, with their fields as the actor may read them. */
  tables(actor: Actor): Promise<Table[]>
  /** Records whose searchable fields contain the query, newest change first. */
  search(actor: Actor, query: { text: string; table?: string; limit: number }): Promise<CmsRecord[]>
  /** Records of a table, of one page if named. `total` counts what the actor may see. */
  list(
    actor: Actor,
    query: { table: string; page?: RecordId; limit: number; offset: number },
  ): Promise<{ records: CmsRecord[]; total: number } | undefined>
  record(actor: Actor, table: string, uid: RecordId): Promise<CmsRecord | undefined>
  /**
   * The picture of a record of media, in a size of at most 3,000,000 bytes where the CMS keeps several. What the bytes are
   * is for the caller to check (`picture.ts`). Undefined like `record`; asked where the capability `pictures` is there.
   */
  picture(actor: Actor, table: string, uid: RecordId): Promise<Picture | undefined>
  /** Changes of a record, newest first. */
  history(actor: Actor, table: string, uid: RecordId, limit: number): Promise<HistoryEntry[] | undefined>
  /** Log entries at `level` and worse, newest first. Administrators only; others get an empty list. */
  log(actor: Actor, query: { level: LogLevel; since?: string; limit: number }): Promise<LogEntry[]>
  /** The exception at `index`, 0 the newest, with its trace. Administrators only. */
  exception(actor: Actor, index: number): Promise<LogEntry | undefined>
  /** Backend users without hashes. Administrators only. */
  users(actor: Actor): Promise<BackendUser[]>
  /** Facts of the CMS itself for the system status. Administrators only. */
  facts(actor: Actor): Promise<Record<string, string | number>>

  /**
   * What a write would change, computed as the actor, with `earlier` writes of the same proposal already applied.
   * Throws ToolError when the actor may not, the record is not there, or a value is not valid: the model reads why.
   */
  preview(actor: Actor, write: Write, earlier: Write[]): Promise<WritePreview>
  /**
   * Applies the write as the actor, once per key, in one transaction with its history, log entry and key. The same
   * key again answers the first outcome. `versions` are those of the preview, advanced by earlier writes of the turn;
   * a record that differs is a `conflict`. A voided key is `void`. Throws ToolError for a lost right or a bad value.
   */
  write(actor: Actor, write: Write, options: WriteOptions): Promise<WriteOutcome>
  /**
   * Settles a write whose end is not known: its outcome when it happened; otherwise a void marker is put under the
   * key, so that a late write with it is refused, and the answer is `void`.
   */
  settle(actor: Actor, key: string): Promise<WriteOutcome>
  /** How many records a run changed whose changes can still be taken back. Never asked without the capability `undo`. */
  changesOf(actor: Actor, runId: string): Promise<number>
  /**
   * Takes back every change of a run, except to records that changed again since; all or nothing per record. The undo
   * appears in the history. With `only` the changes of that record alone, where the capability `undoOne` is there. Never
   * asked without the capability `undo`.
   */
  undo(actor: Actor, runId: string, now: number, only?: Place): Promise<UndoResult>
}

export type Opening = {
  actor: Actor
  capabilities: Capabilities
  languages: Language[]
  page: Page | undefined
  /** Where what is open is no page of a tree. */
  record: CmsRecord | undefined
}

/** What a CMS has of a picture; `none`: the record is no picture, `tooLarge`: it is in no size that may be sent. */
export type Picture = { state: 'there'; bytes: Uint8Array } | { state: 'none' | 'tooLarge' }

export type BackendUser = {
  /** As the CMS has it, and so a text in some. */
  uid: UserId
  username: string
  name: string
  isAdmin: boolean
  disabled: boolean
  groups: string[]
  lang: string
  lastLogin: string | null
}

export type Write =
  | {
      kind: 'update'
      table: string
      uid: RecordId
      fields: Record<string, unknown>
      /** Passages of texts, each there exactly once when its turn comes, and replaced; after `fields`. */
      edits?: { field: string; find: string; replace: string }[]
      /** Parts of lists, one after the other, after `edits`. */
      parts?: PartEdit[]
    }
  | { kind: 'create'; table: string; pid: RecordId; fields: Record<string, unknown> }
  /** Another of the states of the CMS; `from` and `until` (ISO 8601, UTC) are the time in which visitors see the record. */
  | { kind: 'state'; table: string; uid: RecordId; state: string; from?: string; until?: string }
  /** To another page (the same where absent), behind the record `after`; 0: before all, absent: behind all. */
  | { kind: 'move'; table: string; uid: RecordId; pid?: RecordId; after?: RecordId }
  /** The fields as they were after an entry of the history, by its `revision`. */
  | { kind: 'restore'; table: string; uid: RecordId; revision: string }
  /**
   * The texts of a record in the language of `locale`, one of `languages`: as a hidden record of its own where a record has
   * a language, as the values of that locale where each field has several. The original stays as it is.
   */
  | { kind: 'translate'; table: string; uid: RecordId; locale: string; fields: Record<string, unknown> }
  /** Into the bin, or away where there is none; asked for by an undo alone, of a record that the run made. */
  | { kind: 'remove'; table: string; uid: RecordId }
  /** Into the bin, with what is on it, and never away: asked for of the types that the capability `bin` names. */
  | { kind: 'delete'; table: string; uid: RecordId }
  /** Out of the bin, to the place where it was and as it was, with what went along. */
  | { kind: 'undelete'; table: string; uid: RecordId }

/** One part of a list (a block, a row), found by its id; where it is there more or less often than once, nothing is done. */
export type PartEdit = {
  field: string
  /** `change` replaces the fields of the part that `value` names, `insert` puts `value` in behind it. */
  act: 'change' | 'insert' | 'remove'
  /** Id of the part; empty for one that is put in before all others. */
  at: string
  value?: Record<string, unknown>
}

export type WritePreview = {
  table: string
  uid: RecordId | null
  /** What names the record to a person. */
  label: string
  /** The page of the record (of a page: itself, or the parent of a new one). */
  page: { uid: RecordId; title: string }
  changes: FieldChange[]
  /** The record that a new one is the translation of. */
  original?: RecordId
  /** The versions that the preview was computed from: the record, or the parent for a new one. */
  versions: { table: string; uid: RecordId; version: string }[]
}

export type WriteOptions = {
  /** Identifies the write for ever: run, call id and a hash of the arguments. */
  key: string
  /** Groups the writes of one turn for undo: the run id. */
  correlationId: string
  versions: WritePreview['versions']
  /** Milliseconds since the epoch. */
  now: number
}

export type WriteOutcome =
  | {
      state: 'done'
      table: string
      uid: RecordId
      version: string
      changed: string[]
      /** The record after the write, null where the actor may not see it; absent: ask for it. */
      record?: CmsRecord | null
      /** What the write found, null: it made the record. Here and in `after` only where the capability `undo` is absent. */
      before?: Snapshot | null
      /** What it left, of all that `before` names; of a new record, the fields that a later change would be in. */
      after?: Snapshot
    }
  | { state: 'conflict'; table: string; uid: RecordId }
  | { state: 'void' }

/** What a record held where a write changed it, as a write can bring it back. */
export type Snapshot = {
  /** Values by field, as `record` answers them. */
  fields?: Record<string, unknown>
  /** As a write of the kind `state` names it. */
  state?: { state: string; from?: string; until?: string }
  /** As a write of the kind `move` names it. */
  place?: { pid: RecordId; after?: RecordId }
  /** Whether it was in the bin; where a write of the kinds `delete` and `undelete` changed that. */
  deleted?: boolean
}

/** Names a record. */
export type Place = { table: string; uid: RecordId }

export type UndoResult = {
  undone: { table: string; uid: RecordId }[]
  conflicts: { table: string; uid: RecordId; reason: string }[]
}
