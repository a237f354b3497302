import { expect, test } from 'vitest'
import { offered, overview, refused } from '../../../core/agent/offered.ts'
import { loadLanguage } from '../../../core/base/language.ts'
import { tools } from '../../../core/tool/tools.ts'
import { facts } from '../../support/settings.ts'

await loadLanguage('de')

const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)

test('a user is offered every tool but those of administrators, in the fixed order', () => {
  expect(names(offered(facts()))).toEqual(names(tools.filter(({ adminOnly }) => !adminOnly)))
})

test('what is not offered is refused with a reason, and the other way round', () => {
  const given = facts({ rules: { disabled: ['list_*'], groups: {} } })

  expect(refused(given).map(({ tool, reason }) => [tool.name, reason])).toEqual(
    tools.flatMap(({ name, adminOnly }) => {
      if (name.startsWith('list_')) return [[name, 'tool.disabled']]
      return adminOnly ? [[name, 'tool.adminOnly']] : []
    }),
  )
  expect(offered(given).length + refused(given).length).toBe(tools.length)
})

test('the overview lists all tools in the language of the reader', () => {
  const list = overview(facts({ trustZone: 'internal', actor: { isAdmin: true, groups: [] } }), 'de')

  expect(names(list)).toEqual(names(tools))
  expect(list.find(({ name }) => name === 'update_record')).toEqual({
    name: 'update_record',
    title: 'Datensatz ändern',
    sign: 'pencil',
    source: null,
    did: 'Datensatz geändert',
    doing: 'Ändert einen Datensatz',
    asked: 'Änderung vorgeschlagen',
    stored: { one: '{record}: {count} Feld geändert.', other: '{record}: {count} Felder geändert.' },
    writes: true,
    available: true,
    reason: null,
  })
  expect(list.find(({ name }) => name === 'fetch_logs')).toEqual({
    name: 'fetch_logs',
    title: 'Protokoll',
    sign: 'log',
    source: 'log',
    did: 'Protokoll gelesen',
    doing: 'Liest das Protokoll',
    asked: 'Protokoll gelesen',
    stored: null,
    writes: false,
    available: false,
    reason:
      'Die Daten dieses Werkzeugs sind für den benutzten KI-Anbieter zu vertraulich. Darüber entscheidet der Betreiber dieser Installation.',
  })
})

test('without a configuration every tool is listed with its words, and none may be used', () => {
  const list = overview(undefined, 'en')

  expect(names(list)).toEqual(names(tools))
  expect(list.filter(({ available, reason }) => available || !reason)).toEqual([])
})
