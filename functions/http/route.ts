import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import type * as z from 'zod'
import type { Actor } from '../../core/base/actor.ts'
import type { Key, Row } from '../../core/base/aws/table.ts'
import type { Code, VisibleError } from '../../core/base/error.ts'
import type { Ports } from '../../core/ports.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import type { Session } from '../../core/user/session/session.ts'

/** The body of an answer; without a schema, the description has only its media type. */
export type Answered = {
  description: string
  schema?: z.ZodType
  type?: string | string[]
  headers?: string[]
}

/** Describes a route to readers of the API. `npm run openapi` makes `docs/openapi.json` from it. */
export type Description = {
  summary: string
  description?: string
  /** Answers by status, without refusals. */
  answers: Record<number, Answered>
  /** Error codes of this route; the codes of its method and access are added. */
  errors?: Code[]
  /** The body of a refusal, if it differs from the error body of the contract. */
  refusal?: z.ZodType
  /** True if the route accepts `Idempotency-Key`. */
  takesKey?: true
  /**
   * An example request, which works on the seeded site after its ids are replaced; absent: a request without fields.
   */
  example?: Record<string, unknown>
}

/** The conversation of the examples; its owner has the uid 2. */
export const exampleId = '2-01kag8zq4c9w3v5n7x1r2s6t8y'

/** An API Gateway event (payload 2.0) as the functions get it. */
export type Event = APIGatewayProxyEventV2
/** The object that API Gateway turns into the HTTP answer. */
export type Result = APIGatewayProxyStructuredResultV2

/** The answer of a route: JSON with status 200 by default. A string body is sent unchanged. */
export type Answer = {
  status?: number
  body?: unknown
  headers?: Record<string, string>
  cookies?: string[]
}

/** The input of every route: the user, the stage, the time, and the rows that were read with the session. */
export type Visit = {
  actor: Actor
  session: Session
  settings: Settings
  live: Ports
  /** Milliseconds since the epoch, the same for the whole request. */
  now: number
  requestId: string
  /** The items of `reads`, in the same order. */
  rows: (Row | undefined)[]
  idempotencyKey: string | undefined
  event: Event
}

/** The input of a route without a session: the caller is not known. */
export type PublicVisit = Pick<Visit, 'live' | 'now' | 'requestId' | 'settings' | 'event'> & {
  lang: string
}

type Common<S extends z.ZodType> = Description & {
  /** Body of a POST, query of a GET, with the parameters of the path; strict, so that unknown fields are refused. */
  input: S
  /** True if the body is a form of a page or of OAuth (`application/x-www-form-urlencoded`) instead of JSON. */
  isForm?: boolean
}

type OpenRoute<S extends z.ZodType> = Common<S> & {
  /** True if pages that may embed the chat may also call the route. */
  isEmbeddable?: boolean
  /** True if the body itself is signed: a server may then send it, without an Origin. */
  isSigned?: boolean
  /** Gives a refusal the form of the protocol that programs speak; absent if the callers are browsers. */
  refuse?(error: VisibleError, visit: PublicVisit): Promise<Answer>
  run(visit: PublicVisit, input: z.infer<S>): Promise<Answer>
}

type UserRoute<S extends z.ZodType> = Common<S> & {
  /** Returns the keys of the items to read in one request with session and user. */
  reads?(name: { uid: number; idempotencyKey: string | undefined; now: number }, input: z.infer<S>): Key[]
  /** True for a poll, which does not extend the session. */
  isPoll?: boolean
  /** True if the body may be a form with one file in the field `file`; `input` then describes only the query. */
  isMultipart?: boolean
  run(visit: Visit, input: z.infer<S>): Promise<Answer>
}

/** A route that reads no session. */
export type OpenDefinition = { isOpen: true } & OpenRoute<z.ZodType>
/** A route whose caller has a session. */
export type UserDefinition = { isOpen: false } & UserRoute<z.ZodType>
/** The definition of one route: its input, its answer and its description. `routes.ts` says who may call it. */
export type Definition = OpenDefinition | UserDefinition

/** Defines a route for users who are logged in. */
export function route<S extends z.ZodType>(definition: UserRoute<S>): UserDefinition {
  return { isOpen: false, ...definition }
}

/** Defines a route that needs no session; the route itself checks the token or code that it needs. */
export function openRoute<S extends z.ZodType>(definition: OpenRoute<S>): OpenDefinition {
  return { isOpen: true, ...definition }
}

/** A function of the service, as Lambda calls it. */
export type Handler = (event: Event, context: Context) => Promise<Result>
