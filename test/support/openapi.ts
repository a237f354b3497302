import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import * as Request from '../../functions/http/request.ts'

type Json = Record<string, unknown>
type Response = { description: string; content?: Record<string, { schema: Json }> }
type Operation = {
  operationId: string
  parameters: { name?: string; in?: string; example?: unknown }[]
  requestBody?: { content: Record<string, { schema: Json; example?: Json }> }
  responses: Record<string, Response>
}

/** The description of the API as the repository has it. */
export const description = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Json> } }

/** Every operation, by method and path as on the card. */
export const operations: Record<string, Operation> = Object.fromEntries(
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  ),
)

/** An answer as a test got it. */
export type Received = { status: number; contentType: string | null; body: unknown }

/**
 * Throws when an answer is not as the description says: an undescribed status or code, a wrong body, or a field too
 * many, which a caller may meet and this stage must not send. Addresses of no operation are not looked at.
 */
export function conform(method: string, path: string, { status, contentType, body }: Received): void {
  const name = Object.keys(operations).find((route) => {
    const [verb, pattern] = route.split(' ') as [string, string]
    return verb === method && Request.match(pattern, path.split('?')[0] ?? '')
  })
  if (!name) return
  const wrong = mistake(name, { status, contentType, body })
  if (wrong) throw new Error(`${name} answered ${status}, against docs/openapi.json: ${wrong}`)
}

function mistake(name: string, { status, contentType, body }: Received): string | undefined {
  const response = operations[name]?.responses[status]
  if (!response) return `the status is not described: ${JSON.stringify(body)}`
  if (!response.content) return undefined
  const type = contentType?.split(';')[0] ?? ''
  const described = response.content[type]
  if (!described) return `the type is ${type}`
  if (typeof body === 'string') return undefined
  const validate = validator(`${name} ${status}`, described.schema)
  if (validate(body)) return undefined
  return `${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 2_000)}`
}

const ajv = addFormats.default(
  new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } }),
)
ajv.addSchema({ $id: 'api', components: closed(description.components) as Json })
const validators = new Map<string, ValidateFunction>()

function validator(name: string, schema: Json): ValidateFunction {
  const known = validators.get(name)
  if (known) return known
  const absolute = JSON.parse(
    JSON.stringify(closed(schema)).replaceAll('"#/components/', '"api#/components/'),
  )
  const made = ajv.compile(absolute)
  validators.set(name, made)
  return made
}

/** The schema with every object closed that lists what it requires. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  if (!inner.properties || inner.type !== 'object' || 'additionalProperties' in inner) return inner
  return { ...inner, additionalProperties: false }
}
