import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import type * as z from 'zod'
import type { Actor } from '../core/actor.ts'
import type { Key, Row } from '../core/aws/table.ts'
import type { Repeatable } from '../core/chat/idempotency.ts'
import type { Ports } from '../core/ports.ts'
import type { Session } from '../core/session/session.ts'
import type { Settings } from '../core/settings/schema.ts'
import type { Description } from './description.ts'
import type { Access } from './routes.ts'

/** An API Gateway event (payload 2.0) as the functions get it. */
export type Event = APIGatewayProxyEventV2
/** What API Gateway turns into the HTTP answer. */
export type Result = APIGatewayProxyStructuredResultV2

/** What a route answers: JSON with status 200 unless said otherwise; a string body is sent as it is. */
export type Answer = {
  status?: number
  body?: unknown
  headers?: Record<string, string>
  cookies?: string[]
}

/** What every route may use: who asks, the stage, the time, and the rows that were read along. */
export type Visit = {
  actor: Actor
  session: Session
  settings: Settings
  live: Ports
  /** Milliseconds since the epoch, the same for the whole request. */
  now: number
  requestId: string
  /** Items of `reads`, in its order. */
  rows: (Row | undefined)[]
  idempotencyKey: string | undefined
  event: Event
}

/** The request as one that may be repeated under its idempotency key; undefined where it has none. */
export function repeatable(
  { actor, idempotencyKey: key }: Visit,
  route: string,
  input: unknown,
): Repeatable | undefined {
  return key === undefined ? undefined : { uid: actor.uid, key, route, input }
}

/** A route without a session: nothing is known of who asks. */
export type PublicVisit = Pick<Visit, 'live' | 'now' | 'requestId' | 'settings' | 'event'> & {
  lang: string
}

type Common<S extends z.ZodType> = {
  /** Body of a POST, query of a GET, with the parameters of the path; strict, so that unknown fields are refused. */
  input: S
  /** The route in the description of the API. */
  about: Description
}

/** How one route of the card is answered. */
export type Definition<S extends z.ZodType = z.ZodType> = Common<S> &
  (
    | {
        access: 'public'
        /** True where pages that may embed the chat may call it too. */
        isEmbeddable?: boolean
        /** True where the body itself is signed, so that a server may send it, which has no origin. */
        isSigned?: boolean
        run(visit: PublicVisit, input: z.infer<S>): Promise<Answer>
      }
    | {
        /** The route looks at the token itself. */
        access: 'token'
        isEmbeddable?: never
        isSigned?: never
        run(visit: PublicVisit, input: z.infer<S>): Promise<Answer>
      }
    | {
        access: Exclude<Access, 'public' | 'token'>
        /** Items that are read in one request with session and user; all keys are known from the input and the time. */
        reads?(
          name: { uid: number; idempotencyKey: string | undefined; now: number },
          input: z.infer<S>,
        ): Key[]
        /** The request itself changes records: what the user may do is asked now, and no answer of 30 s ago is taken. */
        isWrite?: boolean
        /** A poll does not extend the session. */
        isPoll?: boolean
        /** True where the body is no JSON; `input` then describes the query alone. */
        isMultipart?: boolean
        run(visit: Visit, input: z.infer<S>): Promise<Answer>
      }
  )

/** Types the input of a definition by its schema. */
export function route<S extends z.ZodType>(definition: Definition<S>): Definition {
  return definition
}

/** A function of the service, as Lambda calls it. */
export type Handler = (event: Event, context: Context) => Promise<Result>
