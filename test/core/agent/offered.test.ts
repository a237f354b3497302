import { expect, test } from 'vitest'
import type { GateFacts } from '../../../core/agent/gate.ts'
import { offered, overview, refused } from '../../../core/agent/offered.ts'
import { tools } from '../../../core/tool/tools.ts'

const facts = (over: Partial<GateFacts> = {}): GateFacts => ({
  actor: { isAdmin: false, groups: [] },
  rules: { disabled: [], groups: {} },
  offered: null,
  trustZone: 'restricted',
  modelCalls: true,
  ...over,
})
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)

test('a user is offered every tool but those of administrators, in the fixed order', () => {
  expect(names(offered(facts()))).toEqual([
    'get_page_tree',
    'get_page_content',
    'search_records',
    'list_records',
    'get_record',
    'get_record_history',
    'list_files',
    'update_record',
    'create_page_draft',
    'create_content_draft',
  ])
})

test('what is not offered is refused with a reason, and the other way round', () => {
  const given = facts({ rules: { disabled: ['list_*'], groups: {} } })

  expect(refused(given).map(({ tool, reason }) => [tool.name, reason])).toEqual([
    ['list_records', 'tool.disabled'],
    ['list_files', 'tool.disabled'],
    ['fetch_logs', 'tool.adminOnly'],
    ['get_last_exception', 'tool.adminOnly'],
    ['get_system_status', 'tool.adminOnly'],
    ['list_backend_users', 'tool.disabled'],
  ])
  expect(offered(given).length + refused(given).length).toBe(tools.length)
})

test('the overview lists all tools in the language of the reader', () => {
  const list = overview(facts({ trustZone: 'internal', actor: { isAdmin: true, groups: [] } }), 'de')

  expect(names(list)).toEqual(names(tools))
  expect(list.find(({ name }) => name === 'update_record')).toEqual({
    name: 'update_record',
    title: 'Datensatz ändern',
    writes: true,
    available: true,
    reason: null,
  })
  expect(list.find(({ name }) => name === 'fetch_logs')).toEqual({
    name: 'fetch_logs',
    title: 'Protokoll',
    writes: false,
    available: false,
    reason:
      'Die Daten dieses Werkzeugs sind für den benutzten KI-Anbieter zu vertraulich. Darüber entscheidet, wer diese Installation betreibt.',
  })
})
