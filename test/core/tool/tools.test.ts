import { describe, expect, test } from 'vitest'
import { inputSchema } from '../../../core/tool/tool.ts'
import { find, tools } from '../../../core/tool/tools.ts'

type Schema = { type: string; required?: string[]; properties: object; additionalProperties: boolean }

describe('the registry', () => {
  test('has every tool under its fixed name, with its parameters, in the fixed order', () => {
    const listed = tools.map((tool) => {
      const schema = inputSchema(tool) as Schema
      const required = schema.required ?? []
      const parameters = Object.keys(schema.properties).map((name) =>
        required.includes(name) ? `${name}*` : name,
      )
      return [tool.name, parameters.join(' '), tool.adminOnly ? 'administrators' : 'user', tool.writes]
    })

    expect(listed).toEqual([
      ['get_page_tree', 'root depth', 'user', false],
      ['get_page_content', 'page*', 'user', false],
      ['search_records', 'query* table limit', 'user', false],
      ['list_records', 'table* page limit offset', 'user', false],
      ['get_record', 'table* uid*', 'user', false],
      ['get_record_history', 'table* uid* limit', 'user', false],
      ['list_files', 'folder', 'user', false],
      ['fetch_logs', 'level since limit', 'administrators', false],
      ['get_last_exception', 'index', 'administrators', false],
      ['get_system_status', '', 'administrators', false],
      ['list_backend_users', '', 'administrators', false],
      ['update_record', 'table* uid* fields*', 'user', true],
      ['create_page_draft', 'parent* title* slug', 'user', true],
      ['create_content_draft', 'page* type* header body', 'user', true],
    ])
  })

  test.each(tools)('$name has a name, a schema and words that a provider and a person can use', (tool) => {
    const { type, additionalProperties } = inputSchema(tool) as Schema

    expect({ type, additionalProperties }).toEqual({ type: 'object', additionalProperties: false })
    expect(tool.name).toMatch(/^[a-z_]{1,64}$/)
    expect(tool.description.length).toBeGreaterThan(60)
    expect(tool.title.en).not.toBe(tool.title.de)
  })

  test.each(tools)(
    'the schema of $name is the same bytes each time, so that the prompt cache holds',
    (tool) => {
      expect(JSON.stringify(inputSchema(tool))).toBe(JSON.stringify(inputSchema(tool)))
    },
  )

  test('says what a limit may be and what it is when absent', () => {
    for (const name of ['search_records', 'list_records', 'get_record_history', 'fetch_logs']) {
      const tool = find(name)
      const properties = tool && (inputSchema(tool).properties as Record<string, object>)
      expect(properties?.limit).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
    }
  })

  test('does not find what is not registered', () => {
    expect([find('delete_everything'), find(''), find('constructor')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
