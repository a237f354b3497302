import * as Request from '../../functions/request.ts'
import { type FunctionName, routes } from '../../functions/routes.ts'

/** Which function answers a request, and what its path says. */
export type Match = {
  function: FunctionName
  /** As API Gateway names the route: method and pattern, or `$default`. */
  routeKey: string
  pathParameters: Record<string, string>
}

/** Finds the route of the card; whatever none matches goes to the function behind `$default`. */
export function match(method: string, path: string): Match {
  for (const route of routes) {
    const pathParameters = route.method === method ? Request.match(route.path, path) : undefined
    if (!pathParameters) continue
    return { function: route.function, routeKey: `${method} ${route.path}`, pathParameters }
  }
  return { function: 'backend', routeKey: '$default', pathParameters: {} }
}
