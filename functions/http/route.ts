import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import type * as z from 'zod'
import type { Actor } from '../../core/base/actor.ts'
import type { Key, Row } from '../../core/base/aws/table.ts'
import type { Code, VisibleError } from '../../core/base/error.ts'
import type { Repeatable } from '../../core/chat/idempotency.ts'
import type { Ports } from '../../core/ports.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import type { Session } from '../../core/user/session/session.ts'

/** The body of an answer; without a schema it is described by its media type alone. */
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
  /** Answers by status, refusals apart. */
  answers: Record<number, Answered>
  /** Codes of this route alone; those of its method and access are added. */
  errors?: Code[]
  /** The body of a refusal where it is not that of the contract. */
  refusal?: z.ZodType
  /** True where `Idempotency-Key` is accepted. */
  takesKey?: true
  /** A request that works on the seeded site, once ids of its own are put in; absent: one without any field. */
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

/** A route without a session: the caller is not known. */
export type PublicVisit = Pick<Visit, 'live' | 'now' | 'requestId' | 'settings' | 'event'> & {
  lang: string
}

type Common<S extends z.ZodType> = Description & {
  /** Body of a POST, query of a GET, with the parameters of the path; strict, so that unknown fields are refused. */
  input: S
  /** True where the body is a form of a page or of OAuth (`application/x-www-form-urlencoded`), and no JSON. */
  isForm?: boolean
}

type OpenRoute<S extends z.ZodType> = Common<S> & {
  /** True where pages that may embed the chat may call it too. */
  isEmbeddable?: boolean
  /** True where the body itself is signed, so that a server may send it, which has no origin. */
  isSigned?: boolean
  /** Gives a refusal the form of the protocol that programs speak; absent where the callers are browsers. */
  refuse?(error: VisibleError, visit: PublicVisit): Promise<Answer>
  run(visit: PublicVisit, input: z.infer<S>): Promise<Answer>
}

type UserRoute<S extends z.ZodType> = Common<S> & {
  /** Items that are read in one request with session and user; all keys are known from the input and the time. */
  reads?(name: { uid: number; idempotencyKey: string | undefined; now: number }, input: z.infer<S>): Key[]
  /** The request itself changes records: the rights of the user are asked now, and no answer of 30 s ago is taken. */
  isWrite?: boolean
  /** A poll does not extend the session. */
  isPoll?: boolean
  /** True where the body may be a form with one file in the field `file`; `input` then describes the query alone. */
  isMultipart?: boolean
  run(visit: Visit, input: z.infer<S>): Promise<Answer>
}

/** A route of the card that looks for no session. */
export type OpenDefinition = { isOpen: true } & OpenRoute<z.ZodType>
/** A route of the card whose caller has a session. */
export type UserDefinition = { isOpen: false } & UserRoute<z.ZodType>
/** The definition of one route of the card: its input, its answer and its description. The card says who may call it. */
export type Definition = OpenDefinition | UserDefinition

/** Defines a route for users who are logged in. */
export function route<S extends z.ZodType>(definition: UserRoute<S>): UserDefinition {
  return { isOpen: false, ...definition }
}

/** Defines a route that needs no session; it looks itself at the token or code that it may want. */
export function openRoute<S extends z.ZodType>(definition: OpenRoute<S>): OpenDefinition {
  return { isOpen: true, ...definition }
}

/** A function of the service, as Lambda calls it. */
export type Handler = (event: Event, context: Context) => Promise<Result>
