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

/** Returns the parameters of a path if it matches the pattern, else undefined. `{name}` stands for one segment. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const value = given[at] as string
    if (part.startsWith('{') && value !== '') params[part.slice(1, -1)] = decoded(value)
    else if (part !== value) return undefined
  }
  return params
}

/** Returns the language that the browser prefers, for a user who is not known. */
export const lang = (event: Event): string => languageOf(event.headers['accept-language'] ?? '')

/**
 * Returns the name of the cookie of a session. Browsers accept a cookie with the prefix `__Host-` only from this exact
 * host, over TLS.
 */
export const sessionCookie = (): string => (config().isLocal ? 'be_session' : '__Host-be_session')

/** Returns the cookies of the request by name. */
export const cookiesOf = (event: Event) => parseCookie((event.cookies ?? []).join('; '))

/** Returns the token of the request. `isBearer` is true if it is in `Authorization`; such a request ignores cookies. */
export function credentials(event: Event): { token: string; isBearer: boolean } | undefined {
  const header = event.headers.authorization
  if (header !== undefined) {
    const token = /^Bearer ([^\s]+)$/i.exec(header)?.[1]
    return token ? { token, isBearer: true } : undefined
  }
  const token = cookiesOf(event)[sessionCookie()]
  return token ? { token, isBearer: false } : undefined
}

/** True if the content type of the request is a form. */
export function isForm(event: Event): boolean {
  return /^multipart\/form-data\s*;/i.test(event.headers['content-type'] ?? '')
}

/**
 * Returns the idempotency key that the client made, or undefined. Throws `request.invalid` unless the key has 1-64
 * characters of `[A-Za-z0-9_-]`.
 */
export function idempotencyKey(event: Event): string | undefined {
  const key = event.headers['idempotency-key']
  if (key === undefined) return undefined
  if (/^[A-Za-z0-9_-]{1,64}$/.test(key)) return key
  throw invalid({ 'Idempotency-Key': '1-64 of A-Z a-z 0-9 _ -' })
}

/** Returns the input of a route: the body of a POST or the query of a GET, together with the path's parameters. */
export function input<S extends z.ZodType>(
  schema: S,
  event: Event,
  params: Record<string, string>,
  body: keyof typeof bodies,
): z.infer<S> {
  const isGet = event.requestContext.http.method === 'GET'
  if (!isGet) refuse([...new URLSearchParams(event.rawQueryString).keys()], 'not expected in the address')
  const given = isGet ? query(event) : bodies[body](event)
  const repeated = Object.keys(given).filter((name) => Object.hasOwn(params, name))
  refuse(repeated, 'given in the path')
  const result = schema.safeParse({ ...given, ...params })
  if (result.success) return result.data
  throw invalid(fieldsOf(result.error))
}

/** Returns the error for an invalid request, with a message for each wrong field. */
const invalid = (fields: Record<string, string>, cause?: unknown) =>
  new VisibleError('request.invalid', { fields, cause })

/** Maximum number of wrong fields in an answer, so that no request makes the answer large. */
const maxFields = 20
/** Maximum number of characters of a field's name, and of its mistake, in an answer. */
const maxNameLength = 100
const maxMessageLength = 200
/** Maximum number of levels of objects and lists in a body; every schema of the service has fewer. */
const maxLevels = 32

/** Returns the first mistake of each field, by field name and in the schema's words, for at most `maxFields` fields. */
function fieldsOf(error: z.ZodError): Record<string, string> {
  return named(
    error.issues.slice(0, maxFields).flatMap((issue) => {
      const path = issue.path.join('.')
      const unknown = (key: string) => (path ? `${path}.${key}` : key)
      const names = issue.code === 'unrecognized_keys' ? issue.keys.map(unknown) : [path || 'body']
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

/** The readers of the fields, by the form of the body. With a file as the body, the fields are in the query. */
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
    if (values.has(name)) refuse([name], 'given twice')
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

/** Throws `request.invalid` with the same mistake for each field; does nothing without fields. */
function refuse(names: string[], mistake: string): void {
  if (names.length > 0) throw invalid(named(names.map((name) => [name, mistake])))
}

/** Parses the JSON object of a body; throws `request.invalid` for anything else. */
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
    // Half of a surrogate pair is valid JSON, but no store accepts it in a text.
    return JSON.parse(raw, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value))
  } catch (cause) {
    throw invalid({ body: 'not JSON' }, cause)
  }
}

/** Returns the text that a segment of a path encodes. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // The segment has a percent sign that encodes nothing. It stays as it is, and no schema accepts it.
    return segment
  }
}

/** The name under which `secret()` finds the secret that proves a request came through the Router. */
const routerSecret = 'router'

/** Refuses a request that bypassed the stage's Router, if there is one, because only the Router applies its limits. */
export function checkRouter({ headers }: Event): void {
  const expected = secret(routerSecret)
  if (expected && !isSameSecret(headers[routerHeader] ?? '', expected))
    throw new VisibleError('access.denied')
}

/**
 * Returns the IP address of the client. Requests through the Router have the address of CloudFront, so the Router sends
 * the client's address in a header. Anybody can send this header, so it counts only together with the Router's secret.
 */
export function address(event: Event): string {
  const expected = secret(routerSecret)
  const given = event.headers[routerHeader]
  const viewer = event.headers[viewerHeader]
  if (expected && given && viewer && isSameSecret(given, expected)) return viewer
  return event.requestContext.http.sourceIp
}
