import { VisibleError } from '../core/error.ts'
import { same } from '../core/session/token.ts'
import { secret } from '../core/stage/config.ts'
import type { Event } from './route.ts'
import { routerHeader, viewerHeader } from './routes.ts'

/** The secret by which the Router proves that it is the Router, as `secret()` finds it. */
const routerSecret = 'router'

/** Refuses a request that went past the Router, where the stage has one: what it limits and hides holds only behind it. */
export function checkRouter({ headers }: Event): void {
  const expected = secret(routerSecret)
  if (expected && !same(headers[routerHeader] ?? '', expected)) throw new VisibleError('access.denied')
}

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
