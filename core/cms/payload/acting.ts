import {
  createLocalReq,
  getAccessResults,
  type Payload,
  type PayloadRequest,
  type SanitizedPermissions,
  type TypedUser,
} from 'payload'
import type { AiChatOptions } from './options.ts'
import { type RecordType, typesOf } from './type.ts'

/** The site as one user, for one call. Every read and every write of Payload is made with a request of this user. */
export type Acting = {
  payload: Payload
  options: AiChatOptions
  user: TypedUser
  types: RecordType[]
  /** What the user may do with collections, globals and their fields, worked out once. */
  permissions(): Promise<SanitizedPermissions>
}

/** A call for a user. */
export function actingAs(payload: Payload, options: AiChatOptions, user: TypedUser): Acting {
  let asked: Promise<SanitizedPermissions> | undefined
  const acting: Acting = {
    payload,
    options,
    user,
    types: typesOf(payload, options),
    permissions() {
      asked ??= requestOf(acting).then((req) => getAccessResults({ req }))
      return asked
    },
  }
  return acting
}

/** What a request is made in. */
export type Within = {
  locale?: string | undefined
  transactionID?: number | string | undefined
  /** The turn of the chat that makes the change. */
  run?: string | undefined
  /** Whether records in the bin are read, too. */
  trash?: boolean | undefined
}

/** A request of the user; of one locale without a fallback, so that what is not translated reads as empty. */
export async function requestOf(
  { payload, user }: Pick<Acting, 'payload' | 'user'>,
  { locale, transactionID, run }: Within = {},
): Promise<PayloadRequest> {
  const req = await createLocalReq(
    {
      user,
      fallbackLocale: false as never,
      ...(locale !== undefined && { locale }),
      context: run === undefined ? {} : { aiChatRun: run },
    },
    payload,
  )
  if (transactionID !== undefined) req.transactionID = transactionID
  return req
}

/** What every operation on records takes: it is the user's, of one locale without a fallback, with relations as ids. */
export async function asUser(acting: Acting, within: Within = {}) {
  return {
    req: await requestOf(acting, within),
    user: acting.user,
    overrideAccess: false,
    depth: 0,
    locale: within.locale as never,
    fallbackLocale: false as never,
  }
}

type Allowed = true | Record<string, unknown> | undefined

/** What the user may do with a type; undefined: nothing. */
export async function rightsTo(
  acting: Acting,
  type: RecordType,
): Promise<Record<string, unknown> | undefined> {
  const { collections, globals } = await acting.permissions()
  return (type.isGlobal ? globals?.[type.slug] : collections?.[type.slug]) as
    | Record<string, unknown>
    | undefined
}

/** Whether a right reaches to the field of a path, by what `rightsTo` answered. */
export function reaches(
  rights: Record<string, unknown> | undefined,
  operation: 'read' | 'create' | 'update',
  path: string[],
): boolean {
  let fields = rights?.fields as Allowed
  for (const step of path) {
    if (fields === true) return true
    const field = fields?.[step] as Allowed
    if (field === true) return true
    if (field === undefined || !field[operation]) return false
    fields = field.fields as Allowed
  }
  return true
}
