import { expect, test } from 'vitest'
import { openapi } from '../../scripts/openapi/document.ts'
import { description } from '../support/openapi.ts'

test('docs/openapi.json is what routes and schemas say; npm run openapi writes it again', () => {
  expect(description).toEqual(JSON.parse(JSON.stringify(openapi())))
})

test('every example is a request that its own schema takes', async () => {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const ajv = new Ajv2020({ strict: false })
  const wrong: string[] = []
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const json = requestBody?.content['application/json']
      if (json && !ajv.validate(json.schema, json.example))
        wrong.push(`${method} ${path}: ${ajv.errorsText()}`)
    }
  }
  expect(wrong).toEqual([])
})

test('every limit that the API keeps is in its description', () => {
  const parametersOf = (path: string) => {
    type Bounds = { minimum?: number; maximum?: number; maxLength?: number }
    const { parameters = [] } = { ...description.paths[path]?.get } as {
      parameters?: { name: string; schema: Bounds }[]
    }
    return new Map(parameters.map(({ name, schema }) => [name, schema]))
  }
  const bounds = (least: number, most: number) => expect.objectContaining({ minimum: least, maximum: most })
  expect(parametersOf('/ai-chat/conversations').get('limit')).toEqual(bounds(1, 100))
  expect(parametersOf('/ai-chat/conversations').get('search')?.maxLength).toBe(255)
  expect(parametersOf('/ai-chat/conversations/messages').get('limit')).toEqual(bounds(1, 200))
  expect(parametersOf('/backend/records/{table}').get('limit')).toEqual(bounds(1, 100))
  expect(JSON.stringify(description.paths['/ai-chat/conversations/rename'])).toContain(
    '"title":{"type":"string","minLength":1,"maxLength":255}',
  )
})

/** The names of the texts within a schema of which it does not say how long they may be. */
function endless(schema: unknown, name: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => endless(one, name))
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, ...rest } = schema as { properties?: object; type?: string }
  const isEndless =
    rest.type === 'string' && !/"(?:maxLength|enum|const|pattern|format)"/.test(JSON.stringify(rest))
  const inside = [...Object.entries(properties), ...Object.values(rest).map((one) => [name, one] as const)]
  return [...(isEndless ? [name] : []), ...inside.flatMap(([key, one]) => endless(one, key))]
}

test('every text of a request has its longest length, but for those whose length the status says', () => {
  const requests = Object.values(description.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ parameters = [], requestBody }) => [
      ...parameters.map(({ name = '', ...rest }) => endless({ ...rest, example: undefined }, name)),
      endless(requestBody?.content['application/json']?.schema, ''),
    ]),
  )
  expect(new Set(requests.flat())).toEqual(new Set(['content', 'expectedContent', 'systemPrompt']))
})
