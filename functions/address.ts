import { secret } from '../core/config.ts'
import { same } from '../core/session/token.ts'
import type { Event } from './route.ts'

/** The header by which the Router in front of the functions proves that it is the Router. */
export const routerHeader = 'x-ai-chat-router'
/** The header in which the Router tells the viewer's address, as CloudFront knows it. */
export const viewerHeader = 'x-ai-chat-viewer'
/** The secret that the former carries, as `secret()` finds it. */
export const routerSecret = 'router'

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
