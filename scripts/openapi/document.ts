import type { Code } from '../../core/base/error.ts'
import { own } from '../../core/base/json.ts'
import { version } from '../../core/base/version.ts'
import { routes as backendRoutes } from '../../functions/backend.ts'
import { routes as connections, programRoutes } from '../../functions/connections.ts'
import { routes as conversations } from '../../functions/conversations.ts'
import { statusOf } from '../../functions/http/response.ts'
import type { Answered, Definition, Description } from '../../functions/http/route.ts'
import { type Route, routes } from '../../functions/http/routes.ts'
import { routes as mcp } from '../../functions/mcp.ts'
import { routes as poll } from '../../functions/poll.ts'
import { routes as send } from '../../functions/send.ts'
import { routes as status } from '../../functions/status.ts'
import { routes as upload } from '../../functions/upload.ts'
import { components, input, type JsonSchema, reference } from './schemas.ts'

const definitions: Record<string, Definition> = {
  ...status,
  ...mcp,
  ...poll,
  ...send,
  ...conversations,
  ...programRoutes,
  ...connections,
  ...upload,
  ...backendRoutes,
}

const about = `The API of the AI chat and of the reference backend around it. It only grows and has no version of its own.
Requests with unknown fields are refused; answers may get further ones. Times are ISO 8601 in UTC.
Every answer names its request in \`X-Request-Id\`.

Log in with \`POST /backend/login\`. Whatever changes something carries the \`csrfToken\` of the session in
\`X-CSRF-Token\`, and the \`Origin\` of the stage. Requests with \`Authorization: Bearer\` need neither.`

/** Returns the OpenAPI 3.1 description of the API, generated from the routes and their schemas. */
export function openapi(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route) }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Backend AI Chat',
      version,
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [{ name: 'chat' }, { name: 'files' }, { name: 'backend' }],
    paths,
    components: { schemas: components(), securitySchemes, parameters },
  }
}

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-be_session',
    description: 'On the local stage, without TLS: `be_session`.',
  },
  csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token' },
  bearer: { type: 'http', scheme: 'bearer' },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A token of `POST /ai-chat/access-tokens/create` or `POST /ai-chat/oauth/token`; it opens nothing else.',
  },
}

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key within 24 hours answers what the first call answered, and does nothing again.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  },
}

function describeRoute(route: Route): Record<string, unknown> {
  const name = `${route.method} ${route.path}`
  const definition = own(definitions, name)
  if (!definition) throw new Error(`${name} is on the card and has no definition.`)
  const { summary, description, takesKey, example = {} } = definition
  const { properties = {}, required = [], ...rest } = input(definition.input) as ObjectSchema
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((part) => String(part[1]))
  const isGet = route.method === 'GET'
  const places = Object.keys(properties).filter((field) => isGet || inPath.includes(field))
  const body = {
    ...rest,
    properties: omit(properties, places),
    required: required.filter((field) => !places.includes(field)),
  }
  return {
    operationId: operationId(route),
    tags: [tag(route.path)],
    summary,
    ...(description && { description }),
    security: security(route),
    parameters: [
      ...places.map((field) => ({
        name: field,
        in: inPath.includes(field) ? 'path' : 'query',
        required: inPath.includes(field) || required.includes(field),
        schema: properties[field],
        ...(field in example && { example: example[field] }),
      })),
      ...(takesKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(!isGet && { requestBody: { content: content(definition, body, places) } }),
    responses: responses(route, definition),
  }
}

type ObjectSchema = { properties?: Record<string, JsonSchema>; required?: string[] }

function content(
  { example = {}, isForm = false, ...definition }: Definition,
  schema: JsonSchema,
  places: string[],
): Record<string, unknown> {
  const json = { schema, example: omit(example, places) }
  if (isForm) return { 'application/x-www-form-urlencoded': json }
  if (definition.isOpen || !definition.isMultipart) return { 'application/json': json }
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  const form = { type: 'object', properties: { file }, required: ['file'], additionalProperties: false }
  return { 'application/json': json, 'multipart/form-data': { schema: form } }
}

function responses(route: Route, operation: Description): Record<string, unknown> {
  const good = Object.entries(operation.answers).map(([code, answered]) => [code, response(answered)])
  const bad = Object.entries(Object.groupBy(errors(route, operation), (code) => String(statusOf(code))))
  const answers: Record<string, JsonSchema> = Object.fromEntries(good)
  for (const [code, codes = []] of bad) {
    const told = refusal(codes, operation.refusal)
    // If a route answers errors with an HTML page, the document lists this page and the usual error body.
    const page = answers[code]
    answers[code] = page
      ? { ...page, content: { ...asRecord(page.content), ...asRecord(told.content) } }
      : told
  }
  return answers
}

const asRecord = (content: unknown) => content as Record<string, unknown> | undefined

/** Returns the error codes of an operation, with those that follow from its method and access. */
function errors(route: Route, { errors: own = [], takesKey }: Description): Code[] {
  return [
    'request.invalid',
    'internal.error',
    'service.unavailable',
    // For a request that bypassed the router.
    'access.denied',
    ...(route.method === 'POST' ? (['request.tooLarge', 'csrf.invalid'] as const) : []),
    ...(['public', 'client'].includes(route.access) ? [] : (['session.missing', 'session.expired'] as const)),
    ...(route.access === 'administrator' ? (['administrator.only'] as const) : []),
    ...(takesKey ? (['request.keyReused'] as const) : []),
    ...own,
  ]
}

function response({ description, schema, type = 'application/json', headers = [] }: Answered): JsonSchema {
  const isEmpty = !schema && type === 'application/json'
  const schemaOf = (mime: string) =>
    schema ? reference(schema) : { type: mime === 'application/json' ? 'object' : 'string' }
  const content = [type].flat().map((mime) => [mime, { schema: schemaOf(mime) }])
  const named = headers.map((name) => [name, { schema: { type: 'string' } }])
  return {
    description,
    ...(headers.length > 0 && { headers: Object.fromEntries(named) }),
    ...(!isEmpty && { content: Object.fromEntries(content) }),
  }
}

/**
 * Returns the description of an error response; `own` is the body format of most error responses of the route.
 */
function refusal(codes: Code[], own: Description['refusal']): JsonSchema {
  const only = { properties: { error: { properties: { code: { enum: codes } } } } }
  const error = { allOf: [{ $ref: '#/components/schemas/Error' }, only] }
  return {
    description: codes.join(', '),
    content: { 'application/json': { schema: own ? { anyOf: [reference(own), error] } : error } },
  }
}

function security({ access, method }: Route): Record<string, never[]>[] {
  if (access === 'public' || access === 'client') return []
  if (access === 'token') return [{ accessToken: [] }]
  return [{ session: [], ...(method === 'POST' && { csrf: [] }) }, { bearer: [] }]
}

function tag(path: string): string {
  if (path.startsWith('/backend')) return 'backend'
  return path.includes('/file-') ? 'files' : 'chat'
}

/** Returns the id of an operation: `GET /backend/records/{table}` becomes `getBackendRecordsByTable`. */
function operationId({ method, path }: Route): string {
  const words = path.replace(/\{(\w+)\}/g, 'by-$1').split(/[^A-Za-z]+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function omit<T>(values: Record<string, T>, names: string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}
