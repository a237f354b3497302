import { same } from '../core/session/token.ts'
import { secret } from '../core/stage/config.ts'
import type { Event } from './route.ts'
import { routerHeader, viewerHeader } from './routes.ts'

/** The secret by which the Router proves that it is the Router, as `secret()` finds it. */
const routerSecret = 'router'

/**
 * Where a request comes from. Behind the Router every request comes from CloudFront, so the Router names the viewer in a
 * header; anybody can send that header, so it is believed only with the Router's secret beside it.
 */
export function address(event: Event): string {
  const expected = secret(routerSecret)
  const given = event.headers[routerHeader]
  const viewer = event.headers[viewerHeader]
  if (expected && given && viewer && same(given, expected)) return viewer
  return event.requestContext.http.sourceIp
}
