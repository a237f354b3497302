import { describe, expect, test } from 'vitest'
import { inLanguage, languages, loadLanguage } from '../../../core/base/language.ts'
import { checkSite } from '../../../core/tool/read/site.ts'
import type { ToolWords } from '../../../core/tool/schema.ts'
import { heading, inputSchema, type WriteTool } from '../../../core/tool/tool.ts'
import { find, tools } from '../../../core/tool/tools.ts'

type Schema = { type: string; required?: string[]; properties: object; additionalProperties: boolean }

await Promise.all(languages.map(loadLanguage))

describe('the registry', () => {
  test('has the tools of the specification under their fixed names, with their parameters, in the fixed order', () => {
    const specified = [
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
    ]
    const names = specified.map(([name]) => name)
    const listed = tools.map((tool) => {
      const schema = inputSchema(tool) as Schema
      const required = schema.required ?? []
      const parameters = Object.keys(schema.properties).map((name) =>
        required.includes(name) ? `${name}*` : name,
      )
      return [tool.name, parameters.join(' '), tool.adminOnly ? 'administrators' : 'user', tool.writes]
    })

    expect(listed.filter(([name]) => names.includes(name as string))).toEqual(specified)
  })

  test.each(tools)('$name has a name, a schema and words that a provider and a person can use', (tool) => {
    const { type, additionalProperties } = inputSchema(tool) as Schema

    expect({ type, additionalProperties }).toEqual({ type: 'object', additionalProperties: false })
    expect(tool.name).toMatch(/^[a-z_]{1,64}$/)
    expect(tool.description.length).toBeGreaterThan(40)
    const titles = languages.map((language) => inLanguage<ToolWords>(tool.words, language).title)
    expect(new Set(titles).size).toBe(languages.length)
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

  test('tells nothing in a schema that a model cannot use', () => {
    const schemas = tools.map((tool) => JSON.stringify(inputSchema(tool))).join('\n')

    expect(schemas).not.toMatch(/9007199254740991|"pattern"|"propertyNames"|"minLength":1\b|"of":/)
  })

  test.each([
    ['get_record', { table: 'no table', uid: 3 }, 'table'],
    ['get_record', { table: 'pages', uid: 2 ** 53 }, 'uid'],
    ['get_record', { table: 'pages', uid: -3 }, 'uid'],
    ['get_record', { table: 'pages', uid: 3, other: 1 }, ''],
    ['search_records', { query: ' ' }, 'query'],
    ['update_record', { table: 'pages', uid: 3, fields: {} }, 'fields'],
    ['update_record', { table: 'pages', uid: 3, fields: { 'a b': 1 } }, 'fields.a b'],
    ['update_records', { table: 'pages', changes: [] }, 'changes'],
    ['set_state', { table: 'pages', uid: 3, state: 'scheduled', from: '2027-02-29T08:00:00+01:00' }, 'from'],
    ['set_state', { table: 'pages', uid: 3, state: 'scheduled', from: '2027-02-28T08:00:00' }, 'from'],
    ['replace_text', { table: 'pages', uid: 3, edits: [{ field: 'title', find: '' }] }, 'edits.0.find'],
    [
      'change_parts',
      { table: 'pages', uid: 3, parts: [{ field: 'a', act: 'insert', at: '' }] },
      'parts.0.value',
    ],
  ])('%s refuses %j, whatever its schema says', (name, args, place) => {
    const paths = find(name)
      ?.parameters.safeParse(args)
      .error?.issues.map(({ path }) => path.join('.'))

    expect(paths).toContain(place)
  })

  test('offers no check of translations where the CMS has no languages', () => {
    const checks = (locales: 'none' | 'record') =>
      JSON.stringify(inputSchema(checkSite, { ids: 'number', states: [], locales })).includes('translation')

    expect([checks('record'), checks('none')]).toEqual([true, false])
  })

  test('does not find what is not registered', () => {
    expect([find('delete_everything'), find(''), find('constructor')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('the heading of a proposal', () => {
  const change = { field: 'header', label: 'Header', before: 'a', after: 'b' }

  test.each([
    [
      'update_record',
      2,
      'Aurora lamp',
      'Change 2 fields of “Aurora lamp”',
      '2 Felder von „Aurora lamp“ ändern',
    ],
    ['update_record', 1, 'Aurora lamp', 'Change 1 field of “Aurora lamp”', '1 Feld von „Aurora lamp“ ändern'],
    ['create_page_draft', 3, 'Sale', 'Create hidden page “Sale”', 'Versteckte Seite „Sale“ anlegen'],
    [
      'create_content_draft',
      2,
      'Offer',
      'Create hidden content element “Offer”',
      'Verstecktes Inhaltselement „Offer“ anlegen',
    ],
  ])('%s of %i fields', (name, fields, label, en, de) => {
    const changes = Array.from({ length: fields }, () => change)
    const preview = { table: 'content', uid: 12, label, changes }
    const tool = find(name) as WriteTool

    expect([heading(tool, preview, 'en'), heading(tool, preview, 'de')]).toEqual([en, de])
  })

  test('is English where the language is not known, and leaves braces of a name alone', () => {
    const preview = { table: 'pages', uid: 1, label: '{count} $& offers', changes: [change] }

    expect(heading(find('update_record') as WriteTool, preview, 'xx')).toBe(
      'Change 1 field of “{count} $& offers”',
    )
  })
})
