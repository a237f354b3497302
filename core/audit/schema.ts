import * as z from 'zod'

/**
 * What an audit says of one act, under the names of the Open Cybersecurity Schema Framework (OCSF 1.3): logins are of
 * its class Authentication (3002), everything else of API Activity (6003). It names users, records and runs by their
 * ids; no text of a message, no title, no value of a field.
 */
export const version = '1.3.0'

/** Prefix of every partition of the audit. */
export const prefix = 'audit#'

const Endpoint = z.object({ ip: z.string().optional(), name: z.string().optional() })
const User = z.object({ uid: z.string().optional(), type_id: z.int() })

/** An entry of the audit as it is stored and printed. */
export const Entry = z.lazy(() =>
  z.object({
    metadata: z.object({
      version: z.string(),
      uid: z.string(),
      product: z.object({ name: z.string(), version: z.string() }),
      /** The run to which the act belongs. */
      correlation_uid: z.string().optional(),
    }),
    /** Milliseconds since the epoch. */
    time: z.int(),
    class_uid: z.int(),
    category_uid: z.int(),
    activity_id: z.int(),
    activity_name: z.string(),
    /** `class_uid` * 100 + `activity_id`. */
    type_uid: z.int(),
    severity_id: z.int(),
    /** 1: done; 2: refused. */
    status_id: z.int(),
    /** Why it was refused, as the contract names it. */
    status_code: z.string().optional(),
    /** More of it for the operator, where the contract names one code for several reasons. */
    status_detail: z.string().optional(),
    actor: z.object({ user: User }),
    /** Of a login: who logged in, where that is known. */
    user: User.optional(),
    api: z.object({ operation: z.string() }).optional(),
    src_endpoint: Endpoint,
    resources: z.array(z.object({ type: z.string(), uid: z.string() })).optional(),
  }),
)
export type Entry = z.infer<typeof Entry>

/** What is audited. */
export type Act =
  | 'logon'
  | 'logoff'
  | 'approve'
  | 'decline'
  | 'change'
  | 'undo'
  | 'read'
  | 'export'
  | 'erase'
  | 'refuse'

/** An act as the code that does it knows it. */
export type Audited = {
  act: Act
  /** The user who acted; undefined where the service knows none, as after a wrong password. */
  uid: number | undefined
  /** Why it was refused; undefined where it was done. */
  refusal?: string
  /** More of the refusal for the operator, without anything that the caller sent. */
  reason?: string
  /** The route or command; the name of the act where it has none of its own. */
  operation?: string
  /** Network address of the caller. */
  ip?: string
  /** The part of the service that acted. */
  source: 'web' | 'consumer' | 'command'
  runId?: string
  resources?: { type: string; uid: number | string }[]
}
