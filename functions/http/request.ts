import { parseCookie } from 'cookie'
import type * as z from 'zod'
import { config, secret } from '../../core/base/config.ts'
import { VisibleError } from '../../core/base/error.ts'
import { isSameSecret } from '../../core/base/hash.ts'
import { isDeeper, isRecord } from '../../core/base/json.ts'
import { languageOf } from '../../core/base/language.ts'
import type { Event } from './route.ts'
import { routerHeader, viewerHeader } from './routes.ts'

/** Reads a request from the event of API Gateway, whose header names are lower case. */

/** The parameters of a path that matches the pattern, or undefined. `{name}` stands for one segment. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const value = given[at] as string
    if (part.startsWith('{')) params[part.slice(1, -1)] = decoded(value)
    else if (part !== value) return undefined
  }
  return params
}

/** The language of a reader of whom nothing else is known. */
export function lang(event: Event): string {
  return languageOf(event.headers['accept-language'] ?? '')
}

/** Name of the cookie of a session. With the prefix a browser takes it from this very host alone, over TLS. */
export const sessionCookie = (): string => (config().isLocal ? 'be_session' : '__Host-be_session')

/** The token of the request, and if it came as a Bearer; a request with `Authorization` ignores cookies. */
export function credentials(event: Event): { token: string; isBearer: boolean } | undefined {
  const header = event.headers.authorization
  if (header !== undefined) {
    const token = /^Bearer ([^\s]+)$/i.exec(header)?.[1]
    return { token: token ?? '', isBearer: true }
  }
  const token = parseCookie((event.cookies ?? []).join('; '))[sessionCookie()]
  return token ? { token, isBearer: false } : undefined
}

/** True where the body is a form, as far as its header says. */
export function isForm(event: Event): boolean {
  return /^multipart\/form-data\s*;/i.test(event.headers['content-type'] ?? '')
}

/** The client-made key of the request, if it has one. Anything but 1-64 of `[A-Za-z0-9_-]` is `request.invalid`. */
export function idempotencyKey(event: Event): string | undefined {
  const key = event.headers['idempotency-key']
  if (key === undefined) return undefined
  if (/^[A-Za-z0-9_-]{1,64}$/.test(key)) return key
  throw invalid({ 'Idempotency-Key': '1-64 of A-Z a-z 0-9 _ -' })
}

/** The input of a route: body of a POST or query of a GET, joined by the path's parameters. */
export function input<S extends z.ZodType>(
  schema: S,
  event: Event,
  params: Record<string, string>,
  body: keyof typeof bodies,
): z.infer<S> {
  const isGet = event.requestContext.http.method === 'GET'
  if (!isGet) refuseQuery(event)
  const given = isGet ? query(event) : bodies[body](event)
  const result = schema.safeParse({ ...given, ...params })
  if (result.success) return result.data
  throw invalid(fieldsOf(result.error))
}

/** The refusal of a request, with its mistakes by field. */
const invalid = (fields: Record<string, string>, cause?: unknown) =>
  new VisibleError('request.invalid', { fields, cause })

/** Most wrong fields that an answer names, so that no request makes it large. */
const maxFields = 20
/** Most characters of a field's name, and of its fault, in an answer. */
const maxNameLength = 100
const maxMessageLength = 200
/** Most levels of objects and lists in a body; no schema of the service has so many. */
const maxLevels = 32

/** Lists the mistakes by field name in the schema's words: the first of each field, and only the first fields. */
function fieldsOf(error: z.ZodError): Record<string, string> {
  return named(
    error.issues.slice(0, maxFields).flatMap((issue) => {
      const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('..') || 'body']
      return names.slice(0, maxFields).map((name): [string, string] => [name, issue.message])
    }),
  )
}

function named(wrong: [name: string, message: string][]): Record<string, string> {
  const fields = new Map<string, string>()
  for (const [name, message] of wrong) {
    const short = name.slice(0, maxNameLength)
    if (fields.size === maxFields) break
    if (!fields.has(short)) fields.set(short, message.slice(0, maxMessageLength))
  }
  return Object.fromEntries(fields)
}

/** How the fields of a body are read, by its form; those of a body with a file stand in the address. */
const bodies = { json, form, file: query }

function query(event: Event): Record<string, string> {
  return pairs(event.rawQueryString)
}

function form(event: Event): Record<string, string> {
  const type = 'application/x-www-form-urlencoded'
  if ((event.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() !== type)
    throw invalid({ 'Content-Type': type })
  return pairs(bodyOf(event))
}

function pairs(text: string): Record<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (values.has(name)) throw invalid(named([[name, 'given twice']]))
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

function refuseQuery(event: Event): void {
  const names = [...new URLSearchParams(event.rawQueryString).keys()]
  if (names.length > 0) throw invalid(named(names.map((name) => [name, 'not expected in the address'])))
}

/** The JSON object of a body; anything else is `request.invalid`. */
export function json(event: Event): Record<string, unknown> {
  if (!event.body && event.headers['content-type'] === undefined) return {}
  if (!/^application\/json(\s*;|$)/i.test(event.headers['content-type'] ?? ''))
    throw invalid({ 'Content-Type': 'application/json' })
  const body = parsed(bodyOf(event))
  if (isDeeper(body, maxLevels)) throw invalid({ body: `nested in more than ${maxLevels} levels` })
  if (isRecord(body)) return body
  throw invalid({ body: 'a JSON object' })
}

function bodyOf({ body = '', isBase64Encoded }: Event): string {
  return isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body
}

function parsed(raw: string): unknown {
  try {
    // Half a surrogate pair is valid JSON and no text: no store takes it.
    return JSON.parse(raw, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value))
  } catch (cause) {
    throw invalid({ body: 'not JSON' }, cause)
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A stray percent sign: the segment as it is; no schema lets it through.
    return segment
  }
}

/** The secret by which the Router proves that it is the Router, as `secret()` finds it. */
const routerSecret = 'router'

/** Refuses a request that went past the Router, where the stage has one: its limits hold only behind it. */
export function checkRouter({ headers }: Event): void {
  const expected = secret(routerSecret)
  if (expected && !isSameSecret(headers[routerHeader] ?? '', expected))
    throw new VisibleError('access.denied')
}

/**
 * The address that a request comes from. Behind the Router every request comes from CloudFront, so the Router names the viewer in a
 * header; anybody can send that header, so it is believed only with the Router's secret beside it.
 */
export function address(event: Event): string {
  const expected = secret(routerSecret)
  const given = event.headers[routerHeader]
  const viewer = event.headers[viewerHeader]
  if (expected && given && viewer && isSameSecret(given, expected)) return viewer
  return event.requestContext.http.sourceIp
}
