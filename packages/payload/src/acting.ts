import type { Payload, PayloadRequest, SanitizedPermissions, TypedUser } from 'payload'
import { createLocalReq, getAccessResults } from 'payload'
import type { AiChatOptions } from './options.ts'
import type { RecordType } from './type.ts'

/** The site with the plugin, the same for every user. */
export type Installed = {
  payload: Payload
  options: AiChatOptions
  types: RecordType[]
}

/**
 * The site as one user may use it, for one call. Every read and write of Payload uses a request of this user.
 */
export type Acting = Installed & {
  user: TypedUser
  /** Returns the user's rights to collections, globals and their fields, computed once. */
  permissions(): Promise<SanitizedPermissions>
  /** The transaction of the current put. */
  transactionID?: number | string | undefined
  /** The id of the chat's turn that makes the change. */
  run?: string
  /** Further options of Payload for the reads of records, as the current put needs them. */
  reading?: object
}

/** Returns the site as one user may use it, for one call. */
export function actingAs(site: Installed, user: TypedUser): Acting {
  let asked: Promise<SanitizedPermissions> | undefined
  const permissions = () => {
    asked ??= requestOf({ ...site, user }).then((req) => getAccessResults({ req }))
    return asked
  }
  return { ...site, user, permissions }
}

/** Returns a request of the user, for one locale without a fallback, so that a missing translation reads as empty. */
export async function requestOf(
  { payload, user, run, transactionID }: Pick<Acting, 'payload' | 'user' | 'run' | 'transactionID'>,
  locale?: string,
): Promise<PayloadRequest> {
  const context = run === undefined ? {} : { aiChatRun: run }
  const asked = { user, context, fallbackLocale: false as never, ...(locale !== undefined && { locale }) }
  const req = await createLocalReq(asked, payload)
  if (transactionID !== undefined) req.transactionID = transactionID
  return req
}

/**
 * Returns the arguments of every record operation: the user's rights, one locale without a fallback, relations as ids.
 */
export async function asUser(acting: Acting, locale?: string) {
  return {
    req: await requestOf(acting, locale),
    overrideAccess: false,
    depth: 0,
    fallbackLocale: false as never,
  }
}

/** Rights as Payload computes them; `true` includes all nested fields. */
type Rights = Record<string, unknown> | undefined

/** Returns the rights of the user to a type; undefined if there are none. */
export async function rightsTo(acting: Acting, { isGlobal, slug }: RecordType): Promise<Rights> {
  const { collections, globals } = await acting.permissions()
  return (isGlobal ? globals : collections)?.[slug] as Rights
}

/** True if the rights, as `rightsTo` returns them, include the field at a path. */
export function reaches(rights: Rights, operation: 'read' | 'create' | 'update', path: string[]): boolean {
  let fields = rights?.fields as Rights | true
  for (const step of path) {
    if (fields === true) return true
    const field = fields?.[step] as Rights | true
    if (field === true) return true
    if (!field?.[operation]) return false
    fields = field.fields as Rights | true
  }
  return true
}
