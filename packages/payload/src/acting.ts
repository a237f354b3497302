import {
  createLocalReq,
  getAccessResults,
  type Payload,
  type PayloadRequest,
  type SanitizedPermissions,
  type TypedUser,
} from 'payload'
import type { AiChatOptions } from './options.ts'
import type { RecordType } from './type.ts'

/** A site, the same for every user. */
export type Installed = {
  payload: Payload
  options: AiChatOptions
  types: RecordType[]
  /** The version of Payload, for people. */
  version: string
}

/** The site as one user, for one call. Every read and every write of Payload is made with a request of this user. */
export type Acting = Installed & {
  user: TypedUser
  /** The user's rights to collections, globals and their fields, computed once. */
  permissions(): Promise<SanitizedPermissions>
}

/** A call for a user. */
export function actingAs(site: Installed, user: TypedUser): Acting {
  let asked: Promise<SanitizedPermissions> | undefined
  const permissions = () => {
    asked ??= requestOf({ ...site, user }).then((req) => getAccessResults({ req }))
    return asked
  }
  return { ...site, user, permissions }
}

/** The locale, the transaction and the run of a request; `trash` includes the bin. */
export type Within = {
  locale?: string | undefined
  transactionID?: number | string | undefined
  /** The turn of the chat that makes the change. */
  run?: string | undefined
  /** True if records in the bin are read, too. */
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

/** The arguments of every operation on records: the user's rights, one locale without a fallback, relations as ids. */
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

/** The rights of the user to a type; undefined: none. */
export async function rightsTo(
  acting: Acting,
  type: RecordType,
): Promise<Record<string, unknown> | undefined> {
  const { collections, globals } = await acting.permissions()
  return (type.isGlobal ? globals?.[type.slug] : collections?.[type.slug]) as
    | Record<string, unknown>
    | undefined
}

/** True if a right includes the field at a path; `rightsTo` answers the right. */
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
