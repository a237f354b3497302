import middy from '@middy/core'
import { VisibleError } from '../../core/base/error.ts'
import { loadLanguage } from '../../core/base/language.ts'
import * as Log from '../../core/base/log.ts'
import { type Ports, ports as wired } from '../../core/ports.ts'
import { admit, type Found } from './authenticate.ts'
import * as Request from './request.ts'
import { failure, result } from './response.ts'
import type { Definition, Event, Handler, Result } from './route.ts'
import { type Route, routes } from './routes.ts'

/**
 * Creates a function of the service from its routes, keyed like `POST /ai-chat/conversations/send`. The function first
 * checks the secret of the Router. Its further checks have the order of the contract: route, method, session, CSRF,
 * group, body. Every thrown error becomes the error body of the contract.
 */
export function http(definitions: Record<string, Definition>, ports: () => Ports = wired): Handler {
  const answered = routes.flatMap((route) => {
    const definition = definitions[`${route.method} ${route.path}`]
    return definition ? [{ ...route, definition }] : []
  })
  const answer = async (event: Event): Promise<Result> => {
    await loadLanguage(Request.lang(event))
    Request.checkRouter(event)
    return result(await admit(find(answered, event), event, ports()))
  }
  const framed = middy<Event, Result>().use(answers()).handler(answer)
  return (event, context) =>
    Log.within({ requestId: event.requestContext.requestId, route: event.routeKey }, () =>
      framed(event, context),
    )
}

/** Turns every thrown error into the error body, and adds the headers of every answer. */
function answers(): middy.MiddlewareObj<Event, Result> {
  return {
    name: 'answers',
    after: (request) => {
      if (request.response) request.response = complete(request.event, request.response)
    },
    onError: async (request) => {
      const { event, error } = request
      if (!(error instanceof VisibleError)) Log.error('A request failed unexpectedly', error)
      const answer = await failure(error, event.requestContext.requestId, Request.lang(event))
      request.response = complete(event, result(answer))
    },
  }
}

function complete(event: Event, response: Result): Result {
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(response.statusCode === 405 && { allow: methodsOf(event).join(', ') }),
    ...response.headers,
    'x-request-id': event.requestContext.requestId,
  }
  return { ...response, headers }
}

function find(answered: (Route & { definition: Definition })[], event: Event): Found {
  const { method } = event.requestContext.http
  const path = event.rawPath
  for (const { access, definition, ...route } of answered) {
    const params = route.method === method ? Request.match(route.path, path) : undefined
    if (params) return { access, definition, params }
  }
  throw new VisibleError(methodsOf(event).length > 0 ? 'method.notAllowed' : 'route.notFound')
}

/** Addresses of pages and their files, which are read without a function; `infra/viewer-request.ts` names them. */
const pages = /^\/(backend(\/|\/.+\.\w+)?)?$/
const reads = ['GET', 'HEAD']

/** Returns the methods of an address, because every answer 405 has to name them (RFC 9110, 15.5.6). */
function methodsOf({ rawPath, requestContext: { http } }: Event): string[] {
  // A read that comes here found no page.
  if (pages.test(rawPath) && !reads.includes(http.method)) return reads
  return routes.filter((route) => Request.match(route.path, rawPath)).map(({ method }) => method)
}
