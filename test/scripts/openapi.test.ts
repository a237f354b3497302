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
