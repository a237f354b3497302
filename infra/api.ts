import { type FunctionName, routes } from '../functions/http/routes.ts'
import { bucket } from './bucket.ts'
import { functionArgs, requestTimeout } from './function.ts'
import { embedding } from './headers.ts'
import { requestTimeoutMs } from './limits.ts'
import { webPermissions } from './permission.ts'
import { origin, router } from './router.ts'
import { clientSecrets, exchangeSecrets } from './secret.ts'
import { deployment, logRetention, settings } from './stage.ts'
import { apiPrefix } from './viewer-request.ts'

const { embedOrigins } = settings

/**
 * The API of the stage. Each route calls its function (`functions/http/routes.ts`); a request without a route calls
 * `backend`.
 */
export const api = new sst.aws.ApiGatewayV2('Api', {
  cors: embedOrigins.length > 0 && {
    allowOrigins: embedOrigins,
    allowMethods: embedding.methods,
    allowHeaders: embedding.headers,
    exposeHeaders: embedding.exposed,
    maxAge: `${embedding.maxAgeSeconds} seconds`,
  },
  accessLog: { retention: logRetention },
  transform: {
    stage: {
      defaultRouteSettings: {
        throttlingRateLimit: deployment.limits.requestsPerSecond,
        throttlingBurstLimit: deployment.limits.burst,
      },
    },
  },
})

/** The secrets that only some functions have. */
const secretsOf: Partial<Record<FunctionName, sst.Secret[]>> = {
  backend: exchangeSecrets,
  connections: clientSecrets,
}

const names = [...new Set(routes.map((route) => route.function))]

/** The functions of the routes, by name. */
export const functions = Object.fromEntries(
  names.map((name) => [
    name,
    new sst.aws.Function(titled(name), {
      ...functionArgs({ name, permissions: webPermissions[name], secrets: secretsOf[name] }),
      handler: `functions/${name}.handler`,
      timeout: requestTimeout,
    }),
  ]),
) as Record<FunctionName, sst.aws.Function>

for (const route of routes) api.route(`${route.method} ${route.path}`, functions[route.function].arn)
api.route('$default', functions.backend.arn)

router.route(apiPrefix, api.url, {
  rewrite: { regex: `^${apiPrefix}(/.*)$`, to: '$1' },
  readTimeout: `${Math.ceil(requestTimeoutMs / 1000) + 1} seconds`,
})

function titled(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

/**
 * Lets only the stage's own pages, and pages that may embed the chat, upload to the store. Every page may download: a
 * signed address alone gives access, and after the stage's redirect a browser names no origin of an embedding page.
 */
new aws.s3.BucketCorsConfiguration('FilesCors', {
  bucket: bucket.name,
  corsRules: [
    {
      allowedOrigins: [origin, ...settings.embedOrigins],
      allowedMethods: ['POST'],
      allowedHeaders: ['content-type'],
      exposeHeaders: ['etag'],
      maxAgeSeconds: 600,
    },
    { allowedOrigins: ['*'], allowedMethods: ['GET'] },
  ],
})
