import middy from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import type { z } from 'zod'
import type { Actor } from '../core/actor.ts'
import { VisibleError } from '../core/error.ts'
import { type Live, live } from '../core/live.ts'
import * as Log from '../core/log.ts'
import type { Session } from '../core/session/session.ts'
import type { Settings } from '../core/settings/schema.ts'
import type { Key, Row } from '../core/table.ts'
import { admit } from './admit.ts'
import { failure } from './answer.ts'
import { type Access, routes } from './card.ts'
import * as Request from './request.ts'

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
  live: Live
  /** Milliseconds since the epoch, the same for the whole request. */
  now: number
  requestId: string
  /** Items of `reads`, in its order. */
  rows: (Row | undefined)[]
  idempotencyKey: string | undefined
  event: Event
}

/** A route without a session: nothing is known of who asks. */
export type PublicVisit = Pick<Visit, 'live' | 'now' | 'requestId' | 'settings' | 'event'> & {
  lang: string
}

type Common<S extends z.ZodType> = {
  /** Body of a POST, query of a GET, with the parameters of the path; strict, so that unknown fields are refused. */
  input: S
}

/** How one route of the card is answered. */
export type Definition<S extends z.ZodType = z.ZodType> = Common<S> &
  (
    | {
        access: 'public'
        /** True where pages that may embed the chat may call it too. */
        isEmbeddable?: boolean
        run(visit: PublicVisit, input: z.infer<S>): Promise<Answer>
      }
    | {
        access: Exclude<Access, 'public'>
        /** Items that are read in one request with session and user; all keys are known from the input. */
        reads?(name: { uid: number; idempotencyKey: string | undefined }, input: z.infer<S>): Key[]
        /** A poll does not extend the session. */
        isPoll?: boolean
        /** True where the body is no JSON; `input` then describes the query alone. */
        isMultipart?: boolean
        run(visit: Visit, input: z.infer<S>): Promise<Answer>
      }
  )

/** Types the input of a definition by its schema. */
export function route<S extends z.ZodType>(definition: Definition<S>): Definition {
  return definition as unknown as Definition
}

export type Handler = (event: Event, context: Context) => Promise<Result>

/**
 * A function of the service from its routes, keyed like `POST /ai-chat/conversations/send`. Checks come in the order of
 * the contract: route, method, session, CSRF, group, body. Whatever is thrown becomes the error body of the contract.
 */
export function http(definitions: Record<string, Definition>, ports: () => Live = live): Handler {
  const run = async (event: Event): Promise<Result> => {
    const requestId = event.requestContext.requestId
    return Log.within({ requestId, route: event.routeKey }, async () => {
      const { definition, params } = find(definitions, event)
      const visit = await admit(definition, params, event, ports())
      return visit.finish(await visit.run())
    })
  }
  return middy<Event, Result>()
    .use(answers())
    .handler(run as never) as unknown as Handler
}

/** Turns whatever is thrown into the error body, and adds the headers that every answer has. */
function answers(): middy.MiddlewareObj<Event, Result> {
  return {
    name: 'answers',
    after: ({ event, response }) => {
      if (!response) return
      response.headers = {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        ...response.headers,
        'x-request-id': event.requestContext.requestId,
      }
    },
    onError: (request) => {
      const { event, error } = request
      if (!(error instanceof VisibleError)) Log.error('A request failed unexpectedly', error)
      request.response = failure(error, event.requestContext.requestId, Request.lang(event))
    },
  }
}

function find(
  definitions: Record<string, Definition>,
  event: Event,
): { definition: Definition; params: Record<string, string> } {
  const { method } = event.requestContext.http
  const path = event.rawPath
  for (const route of routes) {
    const params = Request.match(route.path, path)
    if (!params || route.method !== method) continue
    const definition = definitions[`${route.method} ${route.path}`]
    if (definition) return { definition, params }
  }
  if (routes.some((route) => Request.match(route.path, path))) throw new VisibleError('method.notAllowed')
  throw new VisibleError('route.notFound')
}
