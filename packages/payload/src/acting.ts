import type { Payload, PayloadRequest, SanitizedPermissions, TypedUser } from 'payload'
import { createLocalReq, getAccessResults } from 'payload'
import type { AiChatOptions } from './options.ts'
import type { RecordType } from './type.ts'

/** A site, the same for every user. */
export type Installed = {
  payload: Payload
  options: AiChatOptions
  types: RecordType[]
}

/** The site as one user, for one call. Every read and every write of Payload is made with a request of this user. */
export type Acting = Installed & {
  user: TypedUser
  /** The user's rights to collections, globals and their fields, computed once. */
  permissions(): Promise<SanitizedPermissions>
  /** The transaction of a put. */
  transactionID?: number | string | undefined
  /** The turn of the chat that makes the change. */
  run?: string
  /** True if records in the bin are read, too. */
  trash?: boolean
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

/** A request of the user; of one locale without a fallback, so that what is not translated reads as empty. */
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

/** The arguments of every operation on records: the user's rights, one locale without a fallback, relations as ids. */
export async function asUser(acting: Acting, locale?: string) {
  return {
    req: await requestOf(acting, locale),
    overrideAccess: false,
    depth: 0,
    fallbackLocale: false as never,
  }
}

/** Rights as Payload computes them; `true` includes all that is below. */
type Rights = Record<string, unknown> | undefined

/** The rights of the user to a type; undefined: none. */
export async function rightsTo(acting: Acting, { isGlobal, slug }: RecordType): Promise<Rights> {
  const { collections, globals } = await acting.permissions()
  return (isGlobal ? globals : collections)?.[slug] as Rights
}

/** True if a right includes the field at a path; `rightsTo` answers the right. */
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
