import type { Actor } from '../base/actor.ts'
import { VisibleError } from '../base/error.ts'
import type { RecordId } from '../conversation/schema.ts'
import type { Capabilities } from './capabilities.ts'
import type { Input, Operation, Output } from './operation.ts'
import type { CmsRecord, Field, Language, Page } from './schema.ts'

/**
 * The content management system that the chat works on. Every operation of `operation.ts` is a function of an actor and
 * a question. The CMS checks the actor's rights at each call; this code caches no rights. A record that the actor may
 * not see looks like a missing record: `undefined`, or absent from a list. The reference CMS (`reference/`), Payload's
 * plugin and the bridge (`bridge/`) implement the port.
 */
export type Cms = Asked & {
  /** Returns the capabilities of this CMS, the same for every user. */
  capabilities(): Promise<Capabilities>
  /** Returns the site's languages, default first. */
  languages(): Promise<Language[]>
  /**
   * Returns the user as the CMS knows them now; undefined if the user is gone, disabled or outside the active period.
   * With `maxAgeMs`, the answer may be up to this old, in milliseconds: use it for display, never for a decision or a
   * write.
   */
  user(uid: number, maxAgeMs?: number): Promise<Actor | undefined>
  /**
   * Returns the user with an id in the form of the CMS, as a statement or a person writes it. Only this function
   * accepts text ids: the actor has the number that the stage gives to a text id. Returns undefined like `user`, and
   * for a text that is no id of this CMS.
   */
  userNamed(id: string): Promise<Actor | undefined>
  /**
   * The key of the user's row, for a CMS in DynamoDB. With it, one batch reads session, user and conversation. Absent
   * for a connected CMS.
   */
  userRow?: {
    table: string
    key(uid: number): { pk: string; sk: string }
    /** Returns the actor of the row; undefined like `user`. `now` is milliseconds since the epoch. */
    decode(item: Record<string, unknown> | undefined, now: number): Actor | undefined
  }
  /**
   * Reads together all data that a turn begins with. These are the current user, the CMS's capabilities and languages,
   * and the open page as the user sees it. If `open` is 0, no page is read. With `table`, `open` is a record of that
   * type instead of a page. Returns undefined like `user`.
   */
  opening(uid: number, open: RecordId, table?: string): Promise<Opening | undefined>
}

/** The operations that run for an actor. */
export type Asked = {
  [K in Exclude<Operation, 'capabilities' | 'user' | 'languages'>]: (
    actor: Actor,
    ...question: Question<K>
  ) => Promise<Answer<K>>
}

/**
 * The names of the operations that run for an actor. The compiler checks the list against the schemas, which a cold
 * start does not load.
 */
const actorOperations = Object.keys({
  page: true,
  pageTree: true,
  pageContent: true,
  tables: true,
  search: true,
  list: true,
  record: true,
  picture: true,
  history: true,
  log: true,
  users: true,
  facts: true,
  abilities: true,
  ability: true,
  put: true,
  settle: true,
} satisfies Record<keyof Asked, true>) as (keyof Asked)[]

/**
 * Creates a function for each of the given operations, by default for all operations of an actor. Each function calls
 * `ask` with the name of its operation.
 */
export function askedBy<K extends keyof Asked = keyof Asked>(
  ask: (operation: K, actor: Actor, question: unknown) => Promise<unknown>,
  operations = actorOperations as K[],
): Pick<Asked, K> {
  const functions = operations.map((name) => [
    name,
    (actor: Actor, question: unknown = {}) => ask(name, actor, question),
  ])
  return Object.fromEntries(functions) as Pick<Asked, K>
}

/** The arguments of an operation after the actor: empty if the operation has no input. */
export type Question<K extends Operation> = Input<K> extends Record<string, never> ? [] : [question: Input<K>]
/** The answer of an operation, with `undefined` for null. */
export type Answer<K extends Operation> =
  null extends Output<K> ? Exclude<Output<K>, null> | undefined : Output<K>

export type Opening = {
  actor: Actor
  capabilities: Capabilities
  languages: Language[]
  page: Page | undefined
  /** The open record, if it is no page of the tree. */
  record: CmsRecord | undefined
}

/** The picture of a record. `none`: the record is no picture; `tooLarge`: no size of it is small enough to send. */
export type Picture = NonNullable<Output<'picture'>>

export type BackendUser = Output<'users'>[number]

/** One change of a record, as it is shown and sent: see `Put` of `operation.ts`. */
export type Put = Input<'put'>['put']
/** A put that is only shown, not stored. */
export type DryPut = Extract<Input<'put'>, { dry: true }>
/** A put that is stored: with its permanent key, its run, and the versions that it expects. */
export type RealPut = Exclude<Input<'put'>, { dry: true }>
/** The outcome of a put: see `PutAnswer` of `operation.ts`. */
export type PutAnswer = Output<'put'>
/** The answer to a put that was stored or shown. */
export type Done = Extract<PutAnswer, { state: 'done' }>
/** A record before or after a put. */
export type Standing = Done['after']
/** Returns the correlation id of the puts that undo the changes of a run. */
export const ofUndo = (runId: string): string => `${runId}/undo`
/** True for the correlation id of an undo: only its puts may leave a required field empty, as it was before the run. */
export const isUndo = (correlationId: string): boolean => correlationId.endsWith('/undo')
/** The versions that a put expects. */
export type Versions = Done['versions']

/** Names a record. */
export type Place = { table: string; uid: RecordId }

export type UndoResult = {
  undone: Place[]
  conflicts: (Place & { reason: string })[]
}

/**
 * An error if the CMS cannot be asked: it does not answer (`cms.unavailable`, worth a retry), or the connection is set
 * up wrongly (`cms.misconfigured`). `message` names the cause for administrators, logs and `npm run doctor`.
 */
export class CmsFailure extends VisibleError {
  declare readonly code: 'cms.unavailable' | 'cms.misconfigured'

  constructor(code: CmsFailure['code'], message: string, cause?: unknown) {
    super(code, { cause, ...(code === 'cms.unavailable' && { retryAfterMs: 1_000 }) })
    this.name = 'CmsFailure'
    this.message = message
  }
}

/** Size limit of a picture in bytes: as base64, it still fits one answer of the bridge. */
export const maxPictureBytes = 3_000_000

/** Reads a file of the site by its key, of at most `most` bytes. */
export type ReadFile = (key: string, most: number) => Promise<Uint8Array | 'tooLarge' | undefined>

/** Returns the tables that fields for pictures and files refer to, if the CMS keeps files as records. */
export const mediaTables = (types: readonly { fields: readonly Field[] }[]): Set<string> =>
  new Set(
    types.flatMap(({ fields }) =>
      fields.flatMap(({ kind, target }) => (kind === 'media' && target ? [target] : [])),
    ),
  )
